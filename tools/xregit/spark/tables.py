"""The tables of a catalog: their names, columns, types and comments, generated from the registry's model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.spark.columns import HASH, Column, Table, Type
from xregit.spark.derived import DERIVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.keypaths import NamePath
    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel


# Attributes whose place is elsewhere: in the facts that come from Git, in other tables, in the compiled document.
ELSEWHERE = frozenset({"createdat", "modifiedat", "capabilities", "modelsource", "meta", "versions"})
# Columns that are no attributes; an attribute of such a name is among the extensions.
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
_FACTS = (
    _EXTENSIONS,
    Column("epoch", Type.LONG, "How many commits touched the entity's file."),
    Column("createdat", Type.TIMESTAMP, "When it was first committed, or what its authors say instead."),
    Column("modifiedat", Type.TIMESTAMP, "When it was last committed, or what its authors say instead."),
    HASH,
)
FACTS = len(_FACTS)

_ADDED = {
    "messages": (
        Column("resolved", Type.JSON, "The message in full: its group's and its base messages' attributes merged in."),
        Column("basechain", Type.TEXTS, "The xids of its base messages, the nearest first."),
    ),
}


def tables(model: Model) -> dict[str, Table]:
    """Return every table of a registry by name."""
    registries = Table("registries", "The registry itself.", _registry_columns(model))
    entities = {name: _entities(model, name, path) for path, name in reversed(names(model).items())}
    ordered = (entities[name] for name in dict.fromkeys(names(model).values()))
    return {table.name: table for table in (registries, *ordered, *DERIVED)}


def names(model: Model) -> dict[NamePath, str]:
    """Return the table of every group type, resource type and version type by the plural names that lead to it.

    A table is called as the specification calls what it holds. A further type whose name is taken has the name of
    its group type, or "registry", in front. A resource type that groups share has one table.
    """
    taken = {"registries", *(table.name for table in DERIVED)}
    found: dict[NamePath, str] = {(plural,): _free(taken, plural, "registry") for plural in model.groups}
    for group in model.groups.values():
        for resource in group.resources.values():
            if _home(group, resource) == group.plural:
                path = (group.plural, resource.plural)
                found[path] = _free(taken, resource.plural, group.plural)
                found[(*path, VERSIONS)] = _versions(taken, found[path], group, resource)
    for group in model.groups.values():
        for resource in group.resources.values():
            home = (_home(group, resource), resource.plural)
            for tail in ((), (VERSIONS,)):
                found[(group.plural, resource.plural, *tail)] = found[(*home, *tail)]
    return found


def declared(attributes: Mapping[str, AttributeModel]) -> Iterator[AttributeModel]:
    """Give the attributes that may stand there, with those that only some values of others allow."""
    for attribute in attributes.values():
        yield attribute
        for siblings in attribute.ifvalues.values():
            yield from declared(siblings)


def type_of(attribute: AttributeModel) -> Type:
    """Return the type of an attribute's column: scalars as they are, lists and maps of text too, the rest as JSON."""
    item = attribute.item
    if attribute.type in _COLLECTIONS and item is not None and _TYPES.get(item.type) is None:
        return _COLLECTIONS[attribute.type]
    return _TYPES.get(attribute.type, Type.TEXT)


def _free(taken: set[str], name: str, prefix: str) -> str:
    while name in taken:
        name = f"{prefix}_{name}"
    taken.add(name)
    return name


def _versions(taken: set[str], resources: str, group: GroupModel, resource: ResourceModel) -> str:
    """Return the table of a type's versions; where there is never more than one, it is the resources' own."""
    return resources if resource.maxversions == 1 else _free(taken, f"{resource.singular}versions", group.plural)


def _home(group: GroupModel, resource: ResourceModel) -> str:
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
    alone = path[2:] and resource.maxversions != 1
    return resource.attributes if alone else {**resource.attributes, **resource.metaattributes}


def _entities(model: Model, name: str, path: NamePath) -> Table:
    group, attributes = model.groups[path[0]], attributes_at(model, path)
    if len(path) == 1:
        return Table(name, group.description, _columns(group.singular, attributes, (), frozenset(group.resources)))
    resource = group.resources[path[1]]
    documents = _documents(resource) if resource.hasdocument else ()
    if path[2:] and resource.maxversions != 1:
        ids = (Column("versionid", comment="The version's id."), *documents)
        comment = f"The versions of the registry's {resource.plural}."
        return Table(name, comment, _columns(resource.singular, attributes, ids, frozenset()))
    skipped = frozenset({"versionid", *(column.name for column in documents)})
    columns = _columns(resource.singular, attributes, (), skipped)
    return Table(name, resource.description, (*columns[:-FACTS], *_ADDED.get(name, ()), *columns[-FACTS:]))


def _registry_columns(model: Model) -> tuple[Column, ...]:
    columns = _columns("registry", model.attributes, (), frozenset(model.groups))
    specversion = Column("specversion", comment="The version of the specification that the registry follows.")
    return (*columns[:2], specversion, *columns[3:])


def _columns(
    singular: str, attributes: Mapping[str, AttributeModel], more: tuple[Column, ...], skipped: frozenset[str]
) -> tuple[Column, ...]:
    leading = (_XID, Column(f"{singular}id", comment=f"The {singular}'s id."), _PARENT, *more)
    found = {column.name: column for column in leading}
    for attribute in declared(attributes):
        name, made = attribute.name, attribute.core and attribute.readonly
        if made or name == WILDCARD or name in skipped | ELSEWHERE | RESERVED:
            continue
        column = Column(name, type_of(attribute), attribute.description)
        known = found.setdefault(name, column)
        if known not in leading:  # what is said for any value of another attribute, such as the protocol, comes last
            found[name] = Column(name, known.type if known.type == column.type else Type.JSON, attribute.description)
    return (*found.values(), *_FACTS)


def _documents(resource: ResourceModel) -> tuple[Column, ...]:
    return (
        Column(resource.singular, comment="The document, where it is text."),
        Column(f"{resource.singular}base64", comment="The document's bytes in base 64, where it is no text."),
        Column(f"{resource.singular}url", comment="Where the document is, when it is kept elsewhere."),
    )
