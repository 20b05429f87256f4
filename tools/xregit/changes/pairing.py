"""The properties of two states of a message, each with its counterpart; items of lists are told apart by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING

from xregit.changes.table import table

if TYPE_CHECKING:
    from xregit.catalog.properties import Property
    from xregit.keypaths import NamePath

Named = Mapping["NamePath", list["Property"]]


def named_apart(items: Iterable[Property], protocol: str) -> Named:
    """Return properties by a path in which an item of a list has its name; names may repeat there."""
    caseless = table().caseless_names.get(protocol.partition("/")[0], frozenset())
    found: dict[NamePath, list[Property]] = defaultdict(list)
    for item in items:
        section = item.path[:-1]
        name = item.name.lower() if section[-1] in caseless else item.name
        found[(*section, name)].append(item)
    return found


def pairs(before: Named, after: Named) -> Iterator[tuple[NamePath, Property | None, Property | None]]:
    """Give each path with its properties before and after; of those that share a name, equal ones go together."""
    for path in dict.fromkeys((*before, *after)):
        old, new = list(before.get(path, ())), list(after.get(path, ()))
        for item in tuple(old):
            twin = next((other for other in new if _content(other) == _content(item)), None)
            if twin is not None:
                old.remove(item)
                new.remove(twin)
                yield path, item, twin
        for one, other in zip_longest(old, new):
            yield path, one, other


def _content(item: Property) -> tuple[object, ...]:
    return item.type, item.required, repr(item.value), item.description, item.specurl
