"""A registry to the rows of its tables, as plain values: no Spark, no files, no clock."""

from __future__ import annotations

import base64
from itertools import chain
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import properties
from xregit.catalog.resolving import effective
from xregit.collecting import uncollected
from xregit.model.times import moment
from xregit.records import record
from xregit.spark.cells import Row, cell, hashed, text_of
from xregit.spark.chronicle import change_rows, commit_rows
from xregit.spark.columns import Table, Type
from xregit.spark.derived import CHANGES, COMMITS, ENDPOINT_MESSAGES, MESSAGE_PROPERTIES, PUBLICATIONS
from xregit.spark.tables import EXTENSIONS, REGISTRY, RESERVED, attributes_at, names, tables
from xregit.xid import parent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.catalog.entities import Document, Group, Resource, Version
    from xregit.catalog.properties import Property
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message
    from xregit.keypaths import NamePath
    from xregit.model.language import Model
    from xregit.source.commits import FileHistory

Rows = dict[str, tuple[Row, ...]]


@record
class Shape:
    """A table of entities, which of its columns are attributes, and which attributes have their place elsewhere."""

    table: Table
    attributes: Mapping[str, Type]
    elsewhere: frozenset[str]


def rows(registry: Registry) -> Rows:
    """Return the rows of every table but the publications, by the table's name."""
    with uncollected():  # the collector would take as long again on 10,000 messages
        return {name: tuple(some) for name, some in table_rows(registry).items()}


def table_rows(registry: Registry) -> dict[str, Iterator[Row]]:
    """Return the same, each row made when it is asked for; no two rows of a table have the same keys."""
    found: dict[str, Iterator[Row]] = {name: iter(()) for name in tables(registry.model) if name != PUBLICATIONS.name}
    found |= _entity_rows(registry, shapes(registry.model))
    found |= {
        MESSAGE_PROPERTIES.name: (row for message in registry.messages for row in _property_rows(message)),
        ENDPOINT_MESSAGES.name: _contract_rows(registry),
        COMMITS.name: commit_rows(registry),
        CHANGES.name: change_rows(registry),
    }
    return {name: map(hashed, some) for name, some in found.items()}


def shapes(model: Model) -> dict[NamePath, Shape]:
    """Return the shape of every table of entities by the plural names that lead to what it holds."""
    known = tables(model)
    return {path: _shape(known[name], model, path) for path, name in {REGISTRY: "registries", **names(model)}.items()}


def _shape(table: Table, model: Model, path: NamePath) -> Shape:
    declared = attributes_at(model, path)
    columns = {column.name: column.type for column in table.columns if column.name not in RESERVED}
    core = frozenset(name for name, attribute in declared.items() if attribute.core and name not in columns)
    return Shape(table, columns, core)


def _entity_rows(registry: Registry, known: Mapping[NamePath, Shape]) -> dict[str, Iterator[Row]]:
    """Return the rows of each table of entities; group types that share a resource type share its table."""
    found: dict[str, list[Iterator[Row]]] = {shape.table.name: [] for shape in known.values()}
    for path, shape in known.items():
        if path[2:] and shape.table == known[path[:2]].table:
            continue
        found[shape.table.name].append(_rows_at(registry, shape, path))
    return {name: chain.from_iterable(some) for name, some in found.items()}


def _rows_at(registry: Registry, shape: Shape, path: NamePath) -> Iterator[Row]:
    """Give the rows of what the plural names lead to."""
    if not path:
        yield _registry_row(registry, shape)
        return
    for group in registry.groups.get(path[0], {}).values():
        if not path[1:]:
            yield _group_row(registry, shape, group)
            continue
        for resource in group.collections.get(path[1], {}).values():
            if path[2:]:
                yield from _version_rows(registry, shape, resource)
            else:
                yield _resource_row(registry, shape, resource)


def _registry_row(registry: Registry, shape: Shape) -> Row:
    attributes = {**registry.attributes, "specversion": registry.model.specversion}
    return _row(shape, {"xid": "/"}, attributes, registry.facts(registry.place))


def _group_row(registry: Registry, shape: Shape, group: Group) -> Row:
    own = {"xid": group.xid, f"{group.type.singular}id": group.id, "parentxid": "/"}
    return _row(shape, own, group.attributes, registry.facts(group.place))


def _resource_row(registry: Registry, shape: Shape, resource: Resource) -> Row:
    own: Row = {"xid": resource.xid, f"{resource.type.singular}id": resource.id, "parentxid": parent(resource.xid)}
    attributes = resource.attributes
    if shape.table.name == "messages":
        attributes = attributes if resource.xref else effective(registry, resource)
        resolved = registry.resolved(resource.xid)
        own |= {"resolved": cell(Type.JSON, resolved.attributes), "basechain": list(resolved.chain)}
    if resource.type.maxversions != 1 and not resource.xref:
        own |= {"defaultversionid": resource.defaultversionid}
    return _row(shape, own, {**attributes, **resource.meta}, registry.facts(resource.place))


def _version_rows(registry: Registry, shape: Shape, resource: Resource) -> Iterator[Row]:
    """Give each version with the id of the one it was made from: the one before it, unless it says otherwise."""
    before = ""
    for version in resource.versions.values():
        ancestor = text_of(version.attributes.get("ancestor") or before or version.id)
        yield _version_row(registry, shape, resource, version) | {"ancestor": ancestor}
        before = version.id


def _version_row(registry: Registry, shape: Shape, resource: Resource, version: Version) -> Row:
    singular = resource.type.singular
    own = {"xid": version.xid, f"{singular}id": resource.id, "versionid": version.id, "parentxid": resource.xid}
    document = version.document
    place = document.place if document and document.data is not None else version.place
    own |= _document_cells(singular, document) if document else {}
    return _row(shape, own, version.attributes, registry.facts(place))


def _document_cells(singular: str, document: Document) -> Row:
    if document.data is None:
        return {f"{singular}url": document.url}
    try:
        return {singular: document.data.decode()}
    except UnicodeDecodeError:
        return {f"{singular}base64": base64.b64encode(document.data).decode()}


def _row(shape: Shape, own: Row, attributes: Mapping[str, Any], facts: FileHistory) -> Row:
    known = {name: cell(kind, attributes.get(name)) for name, kind in shape.attributes.items()}
    extra = {
        name: value
        for name, value in attributes.items()
        if name not in shape.attributes and name not in shape.elsewhere
    }
    return {
        **known,
        **own,
        EXTENSIONS: cell(Type.JSON, extra) if extra else None,
        "epoch": facts.epoch,
        "createdat": moment(attributes.get("createdat")) or moment(facts.createdat),
        "modifiedat": moment(attributes.get("modifiedat")) or moment(facts.modifiedat),
    }


def _property_rows(message: Message) -> Iterable[Row]:
    resolved = message.resolved
    # The registry would remember them, of which there are ten times as many as messages.
    declared = properties(message.entity.type, resolved.attributes)
    found = (_property_row(message.xid, item, resolved.origin((*item.path, "value"))) for item in declared)
    # Names of which nothing is left as text may be the same.
    return {row["xid"]: row for row in found}.values()


def _property_row(xid: str, item: Property, origin: str) -> Row:
    return {
        "xid": text_of(f"{xid}#{item.pointer}"),
        "messagexid": xid,
        "section": text_of(item.section),
        "name": text_of(item.name),
        "type": text_of(item.type),
        "required": item.required,
        "value": None if item.value is None else text_of(item.value),
        "description": text_of(item.description) or None,
        "placeholders": cell(Type.TEXTS, item.placeholders),
        "originxid": origin or None,
    }


def _contract_rows(registry: Registry) -> Iterator[Row]:
    for endpoint in registry.endpoints:
        for entry in endpoint.contract:
            yield {"endpointxid": endpoint.xid, "messagexid": entry.message.xid, "viaxid": entry.via}
