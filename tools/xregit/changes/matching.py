"""The entities of two registries, each with its counterpart: the same xid, or another one with the same content."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import PARTS
from xregit.changes.wire import PAYLOAD
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

# What tells a message from others beside its properties.
_OF_MESSAGES = ("envelope", "protocol", "envelopeoptions", "datacontenttype", *PARTS, *sorted(PAYLOAD))
_OF_ENDPOINTS = ("usage", "channel", "envelope", "protocol", "protocoloptions", "messagegroups")


@record
class Matched:
    """Old xids to new ones of what has another name now, and what is gone or new altogether."""

    renamed: Mapping[str, str]
    removed: tuple[str, ...]
    added: tuple[str, ...]


@record
class Sought:
    """One of two registries, and those of its entities whose counterparts are still sought."""

    registry: Registry
    xids: list[str]


def matched(before: Registry, after: Registry, known: Mapping[str, str]) -> Matched:
    """Return how the entities of two registries belong together; a file that can't be read hides nothing.

    ``known`` maps old xids to new ones of what is the same for sure.
    """
    old, new = set(before), set(after)
    gone = [xid for xid in before if xid not in new and not after.unreadable(xid)]
    come = [xid for xid in after if xid not in old and not before.unreadable(xid)]
    fresh = set(come)
    renamed = {xid: known[xid] for xid in gone if known.get(xid) in fresh}
    for step in (_same_content, _groups, _in_groups, _same_id):
        sides = Sought(before, _left(gone, renamed)), Sought(after, _left(come, renamed.values()))
        renamed |= step(*sides, renamed)
    return Matched(renamed, tuple(_left(gone, renamed)), tuple(_left(come, renamed.values())))


def _left(xids: Iterable[str], taken: Iterable[str]) -> list[str]:
    without = set(taken)
    return [xid for xid in xids if xid not in without]


def _same_content(before: Sought, after: Sought, _: Mapping[str, str]) -> dict[str, str]:
    """Return those with the same content under another xid; of several, the same id goes first."""
    new = [(content, xid) for xid in after.xids if (content := _content(after.registry, xid)) is not None]
    old = [(content, xid) for xid in before.xids if (content := _content(before.registry, xid)) is not None]
    twins = {(content, _id(xid)): xid for content, xid in new}
    found = {xid: twin for content, xid in old if (twin := twins.pop((content, _id(xid)), None)) is not None}
    taken = set(found.values())
    others: dict[str, deque[str]] = defaultdict(deque)
    for content, xid in new:
        if xid not in taken:
            others[content].append(xid)
    for content, xid in old:
        if xid not in found and others[content]:
            found[xid] = others[content].popleft()
    return found


def _groups(before: Sought, after: Sought, known: Mapping[str, str]) -> dict[str, str]:
    """Return groups under other ids: most of what they held stands in the other, or all ids in it are the same."""
    free = {xid: frozenset(map(_id, members(after.registry, xid))) for xid in after.xids if _is_group(after, xid)}
    found: dict[str, str] = {}
    for xid in before.xids:
        if not _is_group(before, xid):
            continue
        held = list(members(before.registry, xid))
        ids = frozenset(map(_id, held))
        targets = Counter(_group(known[member]) for member in held if member in known)
        targets.update(other for other, others in free.items() if ids and ids == others)
        likely = next((other for other, _ in targets.most_common() if other in free), None)
        if likely is not None:
            found[xid] = likely
            del free[likely]
    return found


def _in_groups(before: Sought, after: Sought, known: Mapping[str, str]) -> dict[str, str]:
    """Return the resources of groups under other ids that kept their own."""
    free = set(after.xids)
    pairs = ((xid, f"{known.get(_group(xid), '')}/{xid.split('/', 3)[-1]}") for xid in before.xids)
    return {xid: other for xid, other in pairs if other in free}


def _same_id(before: Sought, after: Sought, _: Mapping[str, str]) -> dict[str, str]:
    """Return resources that stand in another group under the same id, where only one does."""
    left = [xid for xid in before.xids if not _is_group(before, xid)]
    free = [xid for xid in after.xids if not _is_group(after, xid)]
    counts = Counter(map(_id, left)), Counter(map(_id, free))
    alone = {_id(xid): xid for xid in free if counts[0][_id(xid)] == counts[1][_id(xid)] == 1}
    return {xid: alone[_id(xid)] for xid in left if _id(xid) in alone}


def _is_group(side: Sought, xid: str) -> bool:
    return isinstance(side.registry.entity(xid), Group)


def _content(registry: Registry, xid: str) -> str | None:
    """Return a text that is the same for entities with the same content; None for those that can't be recognised."""
    entity = registry.entity(xid)
    if isinstance(entity, Resource):
        if entity.type.plural == "messages":
            attributes = registry.resolved(xid).attributes
            said = {name: attributes[name] for name in _OF_MESSAGES if name in attributes}
            return repr((entity.xref, said)) if said or entity.xref else None
        documents = {vid: item.document.data for vid, item in entity.versions.items() if item.document}
        return repr((entity.type.plural, documents)) if any(documents.values()) else None
    if isinstance(entity, Group) and entity.type.plural == "endpoints":
        said = {name: entity.attributes[name] for name in _OF_ENDPOINTS if name in entity.attributes}
        return repr(("endpoint", said)) if "protocoloptions" in said else None
    return None


def members(registry: Registry, xid: str) -> Iterator[str]:
    """Give the xids of a group's resources."""
    group = registry.entity(xid)
    if isinstance(group, Group):
        yield from (resource.xid for held in group.collections.values() for resource in held.values())


def _id(xid: str) -> str:
    return xid.rsplit("/", 1)[1]


def _group(xid: str) -> str:
    return "/".join(xid.split("/")[:3])
