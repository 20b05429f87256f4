"""The differences of all messages to the same, each told only once: of the base message or group that causes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.catalog.resolving import SELECTORS, group_of
from xregit.changes.verdicts import judged

if TYPE_CHECKING:
    from xregit.changes.change import Difference
    from xregit.changes.sides import Side

Pairs = Mapping[str, "tuple[Side, Side]"]
Key = tuple[object, ...]


def said_once(messages: Mapping[str, list[Difference]], pairs: Pairs) -> Iterator[Difference]:
    """Give each difference with the entity that causes it, and with all other messages that it reaches."""
    keys = {xid: {_key(item) for item in found} for xid, found in messages.items()}
    first: dict[tuple[str, Key], Difference] = {}
    reached: dict[tuple[str, Key], list[str]] = defaultdict(list)
    for xid, found in messages.items():
        for item in found:
            owner = _owner(xid, item, keys, pairs)
            first.setdefault((owner, _key(item)), item)
            if owner != xid:
                reached[owner, _key(item)].append(xid)
    for (owner, key), item in first.items():
        about = item.about if owner in messages else "messagegroup"
        yield replace(item, xid=owner, about=about, reaches=tuple(sorted(reached[owner, key])))


def _key(item: Difference) -> Key:
    """Return what a difference and those that it causes have in common, what they do to whom included."""
    change = judged(item)
    return (*item.key, change.rule, change.producer, change.consumer)


def _owner(xid: str, item: Difference, keys: Mapping[str, set[Key]], pairs: Pairs) -> str:
    """Return the farthest base message that differs in the same way, or the group that brings the difference."""
    key = _key(item)
    owner = xid
    for base in pairs[xid][1].chain:
        if base not in keys or key not in keys[base]:
            break
        owner = base
    sides = pairs[owner]
    if item.path[0] in SELECTORS:
        groups = (group_of(side.registry, side.resource) for side in sides)
        stated = tuple(group.attributes.get(item.path[0]) if group else None for group in groups)
        if stated == (item.before, item.after):
            return sides[1].group
    return owner
