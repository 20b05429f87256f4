"""Endpoints that are parts of one: release 1.0-rc4 has an endpoint for each usage, where other releases have one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group
from xregit.changes import endpoints
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

_ENDPOINTS = "/endpoints/"
# What a part says as the whole does; the rest, such as a channel, is its own.
_SAID = frozenset({"envelope", "envelopeoptions", "protocol", endpoints.OPTIONS})


@record
class Parts:
    """The parts of endpoints in one registry of which another one has the whole: xids of both, by each other."""

    registry: Registry
    whole_of: Mapping[str, str]
    parts_of: Mapping[str, tuple[str, ...]]

    def together(self, endpoint: Group) -> Group:
        """Return an endpoint with the usages of its parts."""
        several = (endpoint, *(self.registry.entity(xid) for xid in self.parts_of.get(endpoint.xid, ())))
        usages = [usage for each in several if isinstance(each, Group) for usage in _usages(each)]
        if len(several) == 1:
            return endpoint
        return replace(endpoint, attributes={**endpoint.attributes, "usage": list(dict.fromkeys(usages))})


def parts(whole: Registry, divided: Registry, xids: Iterable[str]) -> Parts:
    """Return which of some endpoints that only the divided registry has are parts of endpoints that both have."""
    found = {xid: name for xid in xids if xid.startswith(_ENDPOINTS) for name in _wholes(whole, divided, xid)}
    parts_of: dict[str, list[str]] = defaultdict(list)
    for xid, name in found.items():
        parts_of[name].append(xid)
    return Parts(divided, found, {name: tuple(several) for name, several in parts_of.items()})


def _wholes(whole: Registry, divided: Registry, xid: str) -> Iterator[str]:
    """Give the endpoint of which another one is a part, if there is one: its id has the usages of the part after it."""
    part = divided.entity(xid)
    if not isinstance(part, Group):
        return
    name = xid.rstrip("_").removesuffix("." + ".".join(_usages(part)))
    one, other = whole.entity(name), divided.entity(name)
    if not isinstance(one, Group) or not isinstance(other, Group):
        return
    moved = set(_usages(part))
    if moved and moved <= set(_usages(one)) - set(_usages(other)) and _says_the_same(one, part):
        yield name


def _usages(endpoint: Group) -> list[str]:
    stated = endpoint.attributes.get("usage")
    return [usage for usage in stated if isinstance(usage, str)] if isinstance(stated, list | tuple) else []


def _says_the_same(one: Group, part: Group) -> bool:
    held = [sorted(message for members in group.collections.values() for message in members) for group in (one, part)]
    return (
        held[0] == held[1]
        and one.attributes.get(endpoints.GROUPS) == part.attributes.get(endpoints.GROUPS)
        and all(item.path[0] not in _SAID for item in endpoints.stated(one, part))
    )
