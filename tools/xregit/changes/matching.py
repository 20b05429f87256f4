"""The entities of two registries, each with its counterpart: the same xid, or another one with the same content."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import PARTS
from xregit.changes.wire import PAYLOAD

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

# What tells a message from others beside its properties.
_OF_MESSAGES = ("envelope", "protocol", "envelopeoptions", "datacontenttype", *PARTS, *sorted(PAYLOAD))
_OF_ENDPOINTS = ("usage", "channel", "envelope", "protocol", "protocoloptions", "messagegroups")


@dataclass(frozen=True, slots=True)
class Matched:
    """Old xids to new ones of what has another name now, and what is gone or new altogether."""

    renamed: Mapping[str, str]
    removed: tuple[str, ...]
    added: tuple[str, ...]


def matched(before: Registry, after: Registry, known: Mapping[str, str]) -> Matched:
    """Return how the entities of two registries belong together; a file that can't be read hides nothing.

    ``known`` maps old xids to new ones of what is the same for sure.
    """
    old, new = set(before), set(after)
    gone = [xid for xid in before if xid not in new and not after.unreadable(xid)]
    come = [xid for xid in after if xid not in old and not before.unreadable(xid)]
    renamed = {xid: known[xid] for xid in gone if known.get(xid) in come}
    come = [xid for xid in come if xid not in renamed.values()]
    renamed |= _same_content(before, after, [xid for xid in gone if xid not in renamed], come)
    renamed |= _same_id(before, gone, come, renamed)
    renamed |= _groups(before, after, renamed, gone, come)
    taken = set(renamed.values())
    return Matched(
        renamed, tuple(xid for xid in gone if xid not in renamed), tuple(xid for xid in come if xid not in taken)
    )


def _same_content(before: Registry, after: Registry, gone: list[str], come: list[str]) -> dict[str, str]:
    """Return those with the same content under another xid; of several, the same id goes first."""
    new: dict[Any, list[str]] = defaultdict(list)
    for xid in come:
        content = _content(after, xid)
        if content is not None:
            new[content].append(xid)
    found = {}
    for pick in (_id, _nothing):
        for xid in gone:
            others = new.get(_content(before, xid)) if xid not in found else None
            twin = next((other for other in others or () if pick(other) == pick(xid)), None)
            if twin is not None and others is not None:
                others.remove(twin)
                found[xid] = twin
    return found


def _same_id(before: Registry, gone: list[str], come: list[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return messages and schemas that stand in another group under the same id, where only one does."""
    left = [xid for xid in gone if xid not in known and isinstance(before.entity(xid), Resource)]
    free = [xid for xid in come if xid not in set(known.values())]
    counts = Counter(_id(xid) for xid in free), Counter(_id(xid) for xid in left)
    alone = {_id(xid): xid for xid in free if counts[0][_id(xid)] == counts[1][_id(xid)] == 1}
    return {xid: alone[_id(xid)] for xid in left if _id(xid) in alone}


def _groups(
    before: Registry, after: Registry, known: Mapping[str, str], gone: list[str], come: list[str]
) -> dict[str, str]:
    """Return the groups that are gone whose resources all stand in one new group."""
    found: dict[str, str] = {}
    fresh = {xid for xid in come if isinstance(after.entity(xid), Group)}
    for xid in gone:
        group = before.entity(xid)
        if not isinstance(group, Group) or xid in known:
            continue
        members = [member.xid for held in group.collections.values() for member in held.values()]
        targets = {_group(known[member]) if member in known else "" for member in members}
        if len(targets) == 1 and (target := targets.pop()) in fresh and target not in found.values():
            found[xid] = target
    return found


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


def _nothing(_: str) -> str:
    return ""


def _group(xid: str) -> str:
    return "/".join(xid.split("/")[:3])
