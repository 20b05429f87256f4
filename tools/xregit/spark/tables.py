"""The tables of a catalog: their names, columns, types and comments, generated from the registry's model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xregit.json_pointer import NamePath
from xregit.spark.table_schema import HASH, Column, Table, Type, create_table

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel

MESSAGE_PROPERTIES = Table(
    "message_properties",
    "The properties that messages declare, base messages merged in: one row per envelope attribute or protocol option.",
    (
        Column("xid", comment="The message's xid, a hash sign and the JSON Pointer of the property."),
        Column("messagexid", comment="The message."),
        Column("section", comment="The part of the message that declares it, such as protocoloptions/headers."),
        Column("name", comment="The property's name on the wire."),
        Column("type", comment="The declared type, or that which the specification gives it."),
        Column("required", Type.BOOLEAN, "Whether every message must have it."),
        Column("value", comment="The value that it must have, possibly with placeholders."),
        Column("description", comment="What it is, in its authors' words."),
        Column("placeholders", Type.TEXTS, "The names of the placeholders in the value, in their order."),
        Column("originxid", comment="The message or group on which it was written."),
        HASH,
    ),
)
ENDPOINT_MESSAGES = Table(
    "endpoint_messages",
    "Which endpoint carries which message, and through what.",
    (
        Column("endpointxid", comment="The endpoint."),
        Column("messagexid", comment="The message."),
        Column("viaxid", comment="The message group that it comes through, or the endpoint itself."),
        HASH,
    ),
    ("endpointxid", "messagexid", "viaxid"),
)
COMMITS = Table(
    "commits",
    "The commits of the repository, up to the one that is published.",
    (
        Column("commit", comment="The commit's SHA."),
        Column("time", Type.TIMESTAMP, "When it was committed."),
        Column("author", comment="Who wrote it."),
        Column("subject", comment="The first line of its message."),
        HASH,
    ),
    ("commit",),
)
CHANGES = Table(
    "changes",
    "Which commit touched the file of which entity; entities that share a file change together.",
    (
        Column("xid", comment="The entity, which may be gone by now."),
        Column("commit", comment="The commit's SHA."),
        Column("change", comment="What became of the entity's file: added, changed or removed."),
        Column("time", Type.TIMESTAMP, "When it was committed."),
        HASH,
    ),
    ("xid", "commit"),
)
PUBLICATIONS = Table(
    "publications",
    "One row per publication, appended last: read all tables in these versions to see the registry of one commit.",
    (
        Column("number", Type.LONG, "Counts the publications from 1."),
        Column("commit", comment="The SHA that was published, or nothing where Git knows nothing."),
        Column("time", Type.TIMESTAMP, "When that commit was made."),
        Column("versions", Type.LONG_MAP, "The version of every table."),
        Column(
            "columns", Type.TEXT_MAP, "The columns that the model gives every table; null where they are as before."
        ),
        Column("publishedat", Type.TIMESTAMP, "When the tables were published."),
        HASH,
    ),
    ("number",),
)
# Row-level changes for those who follow the table, and a history long enough to read it as of an old commit.
PROPERTIES: Mapping[str, str | None] = {
    "delta.enableChangeDataFeed": "true",
    "delta.checkpointInterval": "10",
    "delta.logRetentionDuration": "interval 3650 days",
    "delta.deletedFileRetentionDuration": "interval 3650 days",
}
DERIVED = (MESSAGE_PROPERTIES, ENDPOINT_MESSAGES, COMMITS, CHANGES, PUBLICATIONS)


# Attributes that are no columns: they are in the facts that come from Git, in other tables, in the compiled document.
NOT_COLUMNS = frozenset({"createdat", "modifiedat", "capabilities", "modelsource", "meta", "versions"})
# Columns that are no attributes; an attribute of such a name is one of the extensions.
RESERVED = frozenset({"xid", "parentxid", "extensions", "epoch", "hash", "resolved", "basechain"})
WILDCARD = "*"
EXTENSIONS = "extensions"
VERSIONS = "versions"
# The path of the registry itself among the plural names that lead to tables.
REGISTRY: NamePath = ()

_TYPES = {
    "boolean": Type.BOOLEAN,
    "integer": Type.LONG,
    "uinteger": Type.LONG,
    "decimal": Type.DOUBLE,
    "timestamp": Type.TIMESTAMP,
    "array": Type.JSON,
    "map": Type.JSON,
    "object": Type.JSON,
    "any": Type.JSON,
}
_COLLECTIONS = {"array": Type.TEXTS, "map": Type.TEXT_MAP}

_XID = Column("xid", comment="The entity's place in the registry, as a path.")
_PARENT = Column("parentxid", comment="The xid of the entity that holds this one.")
_EXTENSIONS = Column(EXTENSIONS, Type.JSON, "The attributes that the model does not name, as a JSON object.")
_COMMON_COLUMNS = (
    _EXTENSIONS,
    Column("epoch", Type.LONG, "How many commits touched the entity's file."),
    Column("createdat", Type.TIMESTAMP, "When it was first committed, or what its authors say instead."),
    Column("modifiedat", Type.TIMESTAMP, "When it was last committed, or what its authors say instead."),
    HASH,
)

_EXTRA_COLUMNS = {
    "messages": (
        Column("resolved", Type.JSON, "The message in full: its group's and its base messages' attributes merged in."),
        Column("basechain", Type.TEXTS, "The xids of its base messages, the nearest first."),
    ),
}


def tables(model: Model) -> dict[str, Table]:
    """Return every table of a registry by name."""
    registries = Table("registries", "The registry itself.", _registry_columns(model))
    entities = {name: _entity_table(model, name, path) for path, name in reversed(table_names(model).items())}
    ordered = (entities[name] for name in dict.fromkeys(table_names(model).values()))
    return {table.name: table for table in (registries, *ordered, *DERIVED)}


def create_statements(model: Model) -> Iterator[str]:
    """Yield one statement for every table of a catalog."""
    return (create_table(table, f"`{table.name}`", PROPERTIES) for table in tables(model).values())


def table_names(model: Model) -> dict[NamePath, str]:
    """Return the table of every group type, resource type and version type by the plural names that lead to it.

    A table has the plural name of its type. If another table has that name, that of the group type, or "registry", is
    put in front. A resource type that groups share has one table.
    """
    reserved = {"registries", *(table.name for table in DERIVED)}
    names: dict[NamePath, str] = {(plural,): _unique_name(reserved, plural, "registry") for plural in model.groups}
    for group in model.groups.values():
        for resource in group.resources.values():
            if _defining_group(group, resource) == group.plural:
                path = (group.plural, resource.plural)
                names[path] = names[(*path, VERSIONS)] = _unique_name(reserved, resource.plural, group.plural)
                if resource.maxversions != 1:
                    names[(*path, VERSIONS)] = _unique_name(reserved, f"{resource.singular}versions", group.plural)
    for group in model.groups.values():
        for resource in group.resources.values():
            home = (_defining_group(group, resource), resource.plural)
            for tail in ((), (VERSIONS,)):
                names[(group.plural, resource.plural, *tail)] = names[(*home, *tail)]
    return names


def _all_attributes(attributes: Mapping[str, AttributeModel]) -> Iterator[AttributeModel]:
    """Yield the attributes, with those that only some values of others allow."""
    for attribute in attributes.values():
        yield attribute
        for siblings in attribute.ifvalues.values():
            yield from _all_attributes(siblings)


def _column_type(attribute: AttributeModel) -> Type:
    """Return the type of an attribute's column: scalars as they are, lists and maps of text too, the rest as JSON."""
    item = attribute.item
    if attribute.type in _COLLECTIONS and item is not None and _TYPES.get(item.type) is None:
        return _COLLECTIONS[attribute.type]
    return _TYPES.get(attribute.type, Type.TEXT)


def _unique_name(reserved: set[str], name: str, prefix: str) -> str:
    while name in reserved:
        name = f"{prefix}_{name}"
    reserved.add(name)
    return name


def _defining_group(group: GroupModel, resource: ResourceModel) -> str:
    """Return the plural of the group type that defines a resource type; others import it."""
    for imported in group.ximportresources:
        groups, _, resources = imported.strip("/").partition("/")
        if resources == resource.plural:
            return groups
    return group.plural


def attributes_at(model: Model, path: NamePath) -> Mapping[str, AttributeModel]:
    """Return the attributes of what the plural names lead to; a resource has its default version's and its own."""
    if not path:
        return model.attributes
    group = model.groups[path[0]]
    if len(path) == 1:
        return group.attributes
    resource = group.resources[path[1]]
    is_version = path[2:] and resource.maxversions != 1
    return resource.attributes if is_version else {**resource.attributes, **resource.metaattributes}


def _entity_table(model: Model, name: str, path: NamePath) -> Table:
    group, attributes = model.groups[path[0]], attributes_at(model, path)
    if len(path) == 1:
        return Table(
            name, group.description, _entity_columns(group.singular, attributes, (), frozenset(group.resources))
        )
    resource = group.resources[path[1]]
    documents = _document_columns(resource) if resource.hasdocument else ()
    if path[2:] and resource.maxversions != 1:
        ids = (Column("versionid", comment="The version's id."), *documents)
        comment = f"The versions of the registry's {resource.plural}."
        return Table(name, comment, _entity_columns(resource.singular, attributes, ids, frozenset()))
    skipped = frozenset({"versionid", *(column.name for column in documents)})
    columns = _entity_columns(resource.singular, attributes, (), skipped)
    own = columns[: -len(_COMMON_COLUMNS)]
    return Table(name, resource.description, (*own, *_EXTRA_COLUMNS.get(name, ()), *_COMMON_COLUMNS))


def _registry_columns(model: Model) -> tuple[Column, ...]:
    columns = _entity_columns("registry", model.attributes, (), frozenset(model.groups))
    specversion = Column("specversion", comment="The version of the specification that the registry follows.")
    return (*columns[:2], specversion, *columns[3:])


def _entity_columns(
    singular: str, attributes: Mapping[str, AttributeModel], more: tuple[Column, ...], skipped: frozenset[str]
) -> tuple[Column, ...]:
    leading = (_XID, Column(f"{singular}id", comment=f"The {singular}'s id."), _PARENT, *more)
    columns = {column.name: column for column in leading}
    for attribute in _all_attributes(attributes):
        name, is_computed = attribute.name, attribute.core and attribute.readonly
        if is_computed or name == WILDCARD or name in skipped | NOT_COLUMNS | RESERVED:
            continue
        kind = _column_type(attribute)
        first = columns.setdefault(name, Column(name, kind))
        if first not in leading:  # the last description is for any value of another attribute, such as the protocol
            columns[name] = Column(name, kind if kind == first.type else Type.JSON, attribute.description)
    return (*columns.values(), *_COMMON_COLUMNS)


def _document_columns(resource: ResourceModel) -> tuple[Column, ...]:
    return (
        Column(resource.singular, comment="The document, where it is text."),
        Column(f"{resource.singular}base64", comment="The document's bytes in base 64, where it is no text."),
        Column(f"{resource.singular}url", comment="Where the document is, when it is kept elsewhere."),
    )
