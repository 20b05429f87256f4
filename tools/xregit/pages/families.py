"""Many groups to the few beginnings that their ids share, by which a start page leads to all of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from xregit.pages.addresses import caseless
from xregit.pages.linking import Link, address, href

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xregit.catalog.entities import Group

# More groups of a type than this are listed on the page of the type alone; the start page leads there by families.
MAX_GROUPS = 40
MAX_FAMILIES = 60
# An id is cut at its dots, as names of domains and packages are; where that tells too little or too much apart, its
# first character counts.
_MAX_LABELS = 3


@dataclass(frozen=True, slots=True)
class Family:
    """Groups of one type, in order, whose ids begin alike, whatever their case; ``title`` is how they begin."""

    title: str
    groups: tuple[Group, ...]

    @property
    def anchor(self) -> str:
        """The id of its first row on the page of the type."""
        return f"from-{self.title.lower()}"

    @property
    def link(self) -> Link:
        """The way to its only group, else to its first row."""
        first = self.groups[0]
        if len(self.groups) == 1:
            return Link(first.id, href(address(first.xid)))
        return Link(self.title, f"{href(address(f'/{first.type.plural}'))}#{quote(self.anchor)}")


def in_order(groups: Iterable[Group]) -> list[Group]:
    """Return groups by id, whatever its case, so that those of a family stand together."""
    return sorted(groups, key=lambda group: caseless(group.id))


def families(groups: Iterable[Group]) -> tuple[Family, ...]:
    """Return the families of many groups, some 60 at most; none where ids begin in too many ways, or in one."""
    ordered = in_order(groups)
    for labels in range(1, _MAX_LABELS + 1):
        found = _gathered(ordered, partial(_labels, count=labels))
        if len(found) > 1:
            break
    if not 1 < len(found) <= MAX_FAMILIES:
        found = _gathered(ordered, _initial)
    return found if 1 < len(found) <= MAX_FAMILIES else ()


def _labels(name: str, count: int) -> str:
    return ".".join(name.split(".")[:count])


def _initial(name: str) -> str:
    return name[:1]


def _gathered(groups: list[Group], beginning: Callable[[str], str]) -> tuple[Family, ...]:
    """Return groups by the beginnings of their ids; a family is spelled as its first group is."""
    gathered: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        gathered[beginning(group.id).lower()].append(group)
    return tuple(Family(beginning(members[0].id), tuple(members)) for members in gathered.values())
