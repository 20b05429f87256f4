"""Attributes that an entity probably meant to state, though misspelled or with a faulty value.

One fault is one finding: an author who misspells ``protocol`` is not also told that the protocol's options are unknown.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import local_xid, schema_reference
from xregit.catalog.resolver import BASE, SELECTORS, group_of, inherited_names, options_by_selector, same
from xregit.catalog.resources import META, VERSIONS, authored
from xregit.model.aliases import closest_name
from xregit.model.language import GroupModel
from xregit.model.spelling import is_misspelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.registry import Registry
    from xregit.model.language import ResourceModel


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


def doubts(registry: Registry) -> Mapping[str, frozenset[str]]:
    """Return by xid, for each entity that has any, the attributes that it misspells or that have no proper value."""
    entities: Iterator[Group | Resource] = iter((*registry.all_groups, *registry.all_resources))
    return {
        entity.xid: found for entity in entities if (found := _own(registry, entity) | _unlike_group(registry, entity))
    }


def doubtful(registry: Registry, xid: str) -> frozenset[str]:
    """Return the attributes of an entity that may only seem to be missing, those of its bases and groups included."""
    known = registry.doubts
    entity = registry.entity(xid)
    if not isinstance(entity, Resource) or entity.type.plural != "messages":
        return known.get(xid, _NONE)
    resolved, found = registry.resolved(xid), _NONE
    if known:
        chain = (xid, *resolved.chain)
        found = _NONE.union(*(known.get(each, _NONE) for each in chain), *(_of_group(registry, each) for each in chain))
    if resolved.missing or resolved.cycle or BASE in found:
        return found | inherited_names(entity.type)
    if not found:
        return found
    options = options_by_selector(entity.type)
    return found.union(*(options[name] for name in found if name in options))


def _of_group(registry: Registry, xid: str) -> frozenset[str]:
    resource = registry.resource(xid)
    group = group_of(registry, resource) if resource else None
    return registry.doubts.get(group.xid, _NONE).intersection(SELECTORS) if group else _NONE


def _own(registry: Registry, entity: Group | Resource) -> frozenset[str]:
    stated, known = (
        (entity.attributes, entity.type.attributes)
        if isinstance(entity, Group)
        else (entity.written, authored(entity.type))
    )
    faulty = {name for name in TEXTS if name in stated and name in known and _is_faulty(name, stated[name])}
    faulty.update(name for name in SCHEMAS if name in stated and name in known and _is_astray(registry, stated[name]))
    names = _names(entity.type)
    if stated.keys() <= names:
        return frozenset(faulty) if faulty else _NONE
    unknown = stated.keys() - names
    faulty.update(other for name in unknown for other in names if is_misspelled(name, other) and other not in stated)
    return frozenset(faulty)


def _is_faulty(name: str, value: object) -> bool:
    if not isinstance(value, str) or not value or " " in value:
        return value is not None
    return bool(closest_name(TABLES[name], value)) if name in TABLES else False


def _is_astray(registry: Registry, value: object) -> bool:
    """Tell whether a reference to a schema has not the form of one: its slash is gone, or its types are unknown."""
    if not isinstance(value, str) or not value:
        return False
    xid = local_xid(value, registry.settings.baseurl)
    if not xid:
        return schema_reference(registry, value).local
    parts = xid.split("/", _PARTS)
    group = registry.model.groups.get(parts[1]) if len(parts) == _PARTS + 1 else None
    return group is None or parts[3] not in group.resources


def _unlike_group(registry: Registry, entity: Group | Resource) -> frozenset[str]:
    """Return the selectors in which a message contradicts its group."""
    if not isinstance(entity, Resource) or not any(name in entity.written for name in SELECTORS):
        return _NONE
    group = group_of(registry, entity) if entity.type.plural == "messages" else None
    if group is None:
        return _NONE
    pairs = ((name, entity.attributes.get(name), group.attributes.get(name)) for name in SELECTORS)
    texts = ((name, own, due) for name, own, due in pairs if isinstance(own, str) and isinstance(due, str))
    return frozenset(name for name, own, due in texts if not same(name, own, due))


@lru_cache(maxsize=64)
def _names(entity_type: GroupModel | ResourceModel) -> frozenset[str]:
    """Return every name that an entity's attributes may have, those that a selector adds included."""
    attributes = entity_type.attributes if isinstance(entity_type, GroupModel) else authored(entity_type)
    clauses = (clause for item in attributes.values() for clause in item.ifvalues.values())
    return frozenset({META, VERSIONS, *attributes}).union(*clauses) - {"*"}
