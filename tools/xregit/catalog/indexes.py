"""References the other way round: who derives from a message, carries it, is an alias of it, or uses a schema."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group
from xregit.catalog.references import local_xid, schema_of
from xregit.catalog.resolving import base_xid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.registry import Registry


@dataclass(frozen=True, slots=True)
class Indexes:
    """Each maps an xid to those that refer to it, in registry order.

    ``derived``: message → messages whose nearest base it is. ``carriers``: message → pairs of the endpoint and the
    message group or endpoint through which it carries the message. ``aliases``: resource → resources whose ``xref`` it
    is. ``schema_users``: schema → messages whose resolved payload schema it is. ``channels``: channel → endpoints.
    """

    derived: Mapping[str, tuple[str, ...]]
    carriers: Mapping[str, tuple[tuple[str, str], ...]]
    aliases: Mapping[str, tuple[str, ...]]
    schema_users: Mapping[str, tuple[str, ...]]
    channels: Mapping[str, tuple[str, ...]]


def indexes(registry: Registry) -> Indexes:
    """Return all reverse references of a registry, in one pass over it."""
    derived: dict[str, list[str]] = defaultdict(list)
    aliases: dict[str, list[str]] = defaultdict(list)
    users: dict[str, list[str]] = defaultdict(list)
    for resource in registry.all_resources:
        if resource.xref:
            aliases[local_xid(resource.xref)].append(resource.xid)
        base = base_xid(resource.attributes)
        target = registry.resource(base) if base else None
        if target is not None:
            derived[target.xid].append(resource.xid)
        if resource.type.plural == "messages" and not resource.xref:
            reference = schema_of(registry, registry.resolved(resource.xid).attributes)
            if reference and reference.schema:
                users[reference.schema.xid].append(resource.xid)
    return Indexes(_frozen(derived), _carriers(registry), _frozen(aliases), _frozen(users), _channels(registry))


def lookalikes(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """Return for each group or resource that has any, its siblings whose ids differ from its own only in case."""
    same: dict[tuple[str, str], list[str]] = defaultdict(list)
    for xid in registry:
        parent, _, name = xid.rpartition("/")
        same[parent, name.lower()].append(xid)
    twins = [xids for xids in same.values() if len(xids) > 1]
    return {xid: tuple(other for other in xids if other != xid) for xids in twins for xid in xids}


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


def _channels(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    channels: dict[str, list[str]] = defaultdict(list)
    for endpoint in registry.groups.get("endpoints", {}).values():
        channel = endpoint.attributes.get("channel")
        if isinstance(channel, str) and channel:
            channels[channel].append(endpoint.xid)
    return _frozen(channels)


def _frozen(lists: Mapping[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in lists.items()}
