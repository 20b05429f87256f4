"""Attributes that are probably in an entity, though misspelled or with a faulty value.

One fault is one finding: where ``protocol`` is misspelled, the protocol's options are not reported as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import META, VERSIONS, Resource, file_attributes
from xregit.catalog.references import local_xid, schema_reference
from xregit.catalog.resolver import BASE, SELECTORS, group_of, inherited_names, options_by_selector, same_selector
from xregit.model.aliases import closest_name
from xregit.model.language import AttributeModel
from xregit.model.similarity import is_misspelled

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


# Attributes with predefined names on which others depend, and the table that the names are in.
TABLES: Mapping[str, str] = {
    "envelope": "envelope",
    "protocol": "protocol",
    "dataschemaformat": "format",
    "format": "format",
}
SCHEMAS = ("dataschemauri", "dataschemaxid")
# Attributes of which nothing follows unless they are texts.
TEXTS = (*TABLES, BASE, *SCHEMAS)
_NONE: frozenset[str] = frozenset()
# An xid of a schema, with what stands before its first slash.
_PARTS = 4


def find_doubts(registry: Registry) -> Mapping[str, frozenset[str]]:
    """Return by xid, for each entity that has any, the attributes that it misspells or that have no proper value."""
    result: dict[str, frozenset[str]] = {}
    for group in registry.all_groups:
        result[group.xid] = _own_doubts(registry, group.attributes, group.type.attributes)
    for resource in registry.all_resources:
        names = _own_doubts(registry, resource.definition, file_attributes(resource.type))
        result[resource.xid] = names | _conflicting_selectors(registry, resource)
    return {xid: names for xid, names in result.items() if names}


def doubtful_names(registry: Registry, xid: str) -> frozenset[str]:
    """Return the attributes of an entity that may only seem to be missing, those of its bases and groups included."""
    entity = registry.entity(xid)
    if not isinstance(entity, Resource) or entity.type.plural != "messages":
        return registry.doubts.get(xid, _NONE)
    resolved = registry.resolved(xid)
    names: set[str] = set()
    for message in (xid, *resolved.chain) if registry.doubts else ():
        group_names = registry.doubts.get("/".join(message.split("/")[:3]), _NONE)
        names |= registry.doubts.get(message, _NONE) | group_names.intersection(SELECTORS)
    if resolved.missing or resolved.cycle or BASE in names:
        return inherited_names(entity.type) | names
    options = options_by_selector(entity.type)
    return frozenset(names).union(*(options[name] for name in names if name in options))


def _own_doubts(
    registry: Registry, attributes: Mapping[str, Any], model: Mapping[str, AttributeModel]
) -> frozenset[str]:
    doubts = {
        name
        for name in TEXTS
        if name in attributes and name in model
        if _is_faulty(name, attributes[name]) or (name in SCHEMAS and _is_astray(registry, attributes[name]))
    }
    names = _names(model)
    missing = names.difference(attributes)
    for unknown in attributes.keys() - names:
        doubts |= {name for name in missing if is_misspelled(unknown, name)}
    return frozenset(doubts)


def _is_faulty(name: str, value: object) -> bool:
    if not isinstance(value, str) or not value or " " in value:
        return value is not None
    return bool(closest_name(TABLES[name], value)) if name in TABLES else False


def _is_astray(registry: Registry, value: object) -> bool:
    """Return whether a reference to a schema has not the form of one: its slash is gone, or its types are unknown."""
    if not isinstance(value, str) or not value:
        return False
    xid = local_xid(value, registry.settings.baseurl)
    if not xid:
        return schema_reference(registry, value).local
    parts = xid.split("/", _PARTS)
    group = registry.model.groups.get(parts[1]) if len(parts) == _PARTS + 1 else None
    return group is None or parts[3] not in group.resources


def _conflicting_selectors(registry: Registry, resource: Resource) -> frozenset[str]:
    """Return the selectors in which a message contradicts its group."""
    if resource.type.plural != "messages" or not any(name in resource.definition for name in SELECTORS):
        return _NONE
    group = group_of(registry, resource)
    if group is None:
        return _NONE
    pairs = ((name, resource.attributes.get(name), group.attributes.get(name)) for name in SELECTORS)
    texts = (
        (name, own, expected) for name, own, expected in pairs if isinstance(own, str) and isinstance(expected, str)
    )
    return frozenset(name for name, own, expected in texts if not same_selector(name, own, expected))


def _names(model: Mapping[str, AttributeModel]) -> frozenset[str]:
    """Return every name that attributes may have by a model, those that a selector adds included."""
    clauses = (clause for item in model.values() for clause in item.ifvalues.values())
    return frozenset({META, VERSIONS, *model}).union(*clauses) - {"*"}
