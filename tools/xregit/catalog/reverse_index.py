"""Reverse references: who derives from a message, carries it, is an alias of it, or uses a schema."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group
from xregit.catalog.references import local_xid, schema_of
from xregit.catalog.resolver import base_xid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.registry import Registry


# How a schema's document names another schema: by its xid, or by a path to one of its versions.
_IN_DOCUMENT = re.compile(rb"(?:schemas/|\.\./)(?!\.\.?/)([A-Za-z0-9_.\-~:@]+)")


@dataclass(frozen=True, slots=True)
class Indexes:
    """Each maps an xid to those that refer to it, in registry order.

    ``derived``: message → messages whose nearest base it is. ``carriers``: message → pairs of the endpoint and the
    message group or endpoint through which it carries the message. ``aliases``: resource → resources whose ``xref`` it
    is. ``schema_users``: schema → messages whose resolved payload schema it is. ``typed``: CloudEvents type →
    messages that declare it as a fixed value.
    """

    derived: Mapping[str, tuple[str, ...]]
    carriers: Mapping[str, tuple[tuple[str, str], ...]]
    aliases: Mapping[str, tuple[str, ...]]
    schema_users: Mapping[str, tuple[str, ...]]
    typed: Mapping[str, tuple[str, ...]]


def indexes(registry: Registry) -> Indexes:
    """Return all reverse references of a registry, in one pass over it."""
    derived: dict[str, list[str]] = defaultdict(list)
    aliases: dict[str, list[str]] = defaultdict(list)
    users: dict[str, list[str]] = defaultdict(list)
    typed: dict[str, list[str]] = defaultdict(list)
    for resource in registry.all_resources:
        if resource.xref:
            aliases[local_xid(resource.xref)].append(resource.xid)
        base = base_xid(resource.attributes)
        target = registry.resource(base) if base else None
        if target is not None:
            derived[target.xid].append(resource.xid)
        if resource.type.plural == "messages" and not resource.xref:
            attributes = registry.resolved(resource.xid).attributes
            reference = schema_of(registry, attributes)
            if reference and reference.schema:
                users[reference.schema.xid].append(resource.xid)
            if kind := _cloudevents_type(attributes):
                typed[kind].append(resource.xid)
    return Indexes(
        derived=_frozen(derived),
        carriers=_carriers(registry),
        aliases=_frozen(aliases),
        schema_users=_frozen(users),
        typed=_frozen(typed),
    )


def lookalikes(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """Return for each group or resource that has any, its siblings whose ids differ from its own only in case."""
    same: dict[tuple[str, str], list[str]] = defaultdict(list)
    for xid in registry:
        parent, _, name = xid.rpartition("/")
        same[parent, name.lower()].append(xid)
    twins = [xids for xids in same.values() if len(xids) > 1]
    return {xid: tuple(other for other in xids if other != xid) for xids in twins for xid in xids}


def mentions(registry: Registry) -> frozenset[str]:
    """Return every xid of this registry that stands somewhere in what an entity or a version states.

    A reference to a version, or to something inside a document, is one to the resource as well.
    """
    baseurl = registry.settings.baseurl
    groups = (group.attributes for group in registry.all_groups)
    resources = (resource.written for resource in registry.all_resources)
    texts = (text for stated in (*groups, *resources) for text in _references(stated))
    return frozenset(xid for text in texts for xid in _shortened(local_xid(text, baseurl)))


def named_in_documents(registry: Registry) -> Mapping[str, frozenset[str]]:
    """Return the ids that documents of schemas name in references to others, each with the schemas that do so."""
    found: dict[str, set[str]] = defaultdict(set)
    for resource in registry.all_resources:
        for version in resource.versions.values() if resource.type.hasdocument else ():
            data = version.document.data if version.document else None
            for name in _IN_DOCUMENT.findall(data or b""):
                found[name.decode()].add(resource.xid)
    return {name: frozenset(xids) for name, xids in found.items()}


def _shortened(xid: str) -> Iterator[str]:
    path = xid.partition("#")[0].partition("/versions/")[0]
    while path:
        yield path
        path = path.rpartition(":")[0]


def _references(value: Any) -> Iterator[str]:
    """Give the texts inside a value that may be references; nothing is nested more deeply than files may be."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if "/" in value and " " not in value:
                yield value
        elif isinstance(value, dict | MappingProxyType):
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)


def carried(registry: Registry, endpoint: Group) -> list[tuple[str, str]]:
    """Return the contract of an endpoint: pairs of a message and the endpoint or message group it comes through."""
    pairs = [(message.xid, endpoint.xid) for message in endpoint.collections.get("messages", {}).values()]
    for group in carried_groups(registry, endpoint):
        pairs += [(message.xid, group.xid) for message in group.collections.get("messages", {}).values()]
    return list(dict.fromkeys(pairs))


def carried_groups(registry: Registry, endpoint: Group) -> list[Group]:
    """Return the groups of this registry that an endpoint's ``messagegroups`` names."""
    named = endpoint.attributes.get("messagegroups")
    texts = [text for text in named if isinstance(text, str)] if isinstance(named, list | tuple) else []
    found = [registry.entity(local_xid(text, registry.settings.baseurl)) for text in texts]
    return [group for group in found if isinstance(group, Group)]


def _carriers(registry: Registry) -> Mapping[str, tuple[tuple[str, str], ...]]:
    carriers: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for endpoint in registry.groups.get("endpoints", {}).values():
        for message, via in carried(registry, endpoint):
            carriers[message].append((endpoint.xid, via))
    return {message: tuple(pairs) for message, pairs in carriers.items()}


def _cloudevents_type(attributes: Mapping[str, Any]) -> str:
    """Return the fixed value of the CloudEvents attribute ``type``, or an empty string."""
    value: Any = attributes
    for name in ("envelopemetadata", "type", "value"):
        value = value.get(name) if isinstance(value, dict | MappingProxyType) else None
    return value if isinstance(value, str) and "{" not in value else ""


def _frozen(lists: Mapping[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in lists.items()}
