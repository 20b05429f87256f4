"""Definitions to an index that finds the few that a message can fit, in time that does not grow with their number.

Each definition is filed under the rarest thing that it demands: the value of a constant, or a word of a template, which
is a stretch of its text between the characters that part words and that no placeholder touches. Where many share even
their rarest, the next rarest parts them further. What has none of these is a candidate always.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.messages.constraints import PLAIN_TYPES, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xregit.messages.constraints import Constraint
    from xregit.messages.templates import Template

CROWD = 4
MAX_DEPTH = 8
_EXACT = PLAIN_TYPES | {"symbol", "integer", "boolean"}

#: What a definition demands: a key, whether a word of the value is meant rather than all of it, and the text.
Demand = tuple[str, bool, str]


@dataclass(frozen=True, slots=True)
class Index:
    """Numbers of definitions: ``always`` those that any message may fit, the others by values or words of a key."""

    always: tuple[int, ...] = ()
    values: tuple[tuple[str, Mapping[str, Index]], ...] = ()
    words: tuple[tuple[str, Mapping[str, Index]], ...] = ()

    def add(self, values: Mapping[str, Sequence[Any]], found: list[int]) -> None:
        """Add the numbers of those definitions that a message with these values can fit, in no particular order."""
        found.extend(self.always)
        for key, table in self.values:
            for value in values.get(key, ()):
                inner = table.get(value if value.__class__ is str else plain(value))
                if inner is not None:
                    inner.add(values, found)
        for key, table in self.words:
            for value in values.get(key, ()):
                for word in set(words(value if value.__class__ is str else plain(value))):
                    inner = table.get(word)
                    if inner is not None:
                        inner.add(values, found)

    def keys(self) -> set[str]:
        """Return the keys whose values the index asks for."""
        tables = (*self.values, *self.words)
        inner = (child.keys() for _, table in tables for child in table.values())
        return {key for key, _ in tables}.union(*inner)


def index(demands: Mapping[int, Iterable[tuple[str, Constraint]]]) -> Index:
    """Return the index of definitions by what each demands of a message, under which key."""
    return _index({number: frozenset(_demands(items)) for number, items in demands.items()}, 0)


def words(text: str) -> list[str]:
    """Return the words of a text, cut at the characters that part levels in topics, subjects and addresses."""
    return text.replace(".", "/").split("/")


def _demands(constraints: Iterable[tuple[str, Constraint]]) -> Iterator[Demand]:
    for key, item in constraints:
        if item.template is not None:
            yield from ((key, True, word) for word in whole_words(item.template))
        elif item.constant is not None and item.type in _EXACT and not item.media and not item.now:
            yield key, False, item.constant


def whole_words(template: Template) -> set[str]:
    """Return the words of a template that every text which fits has as its own words."""
    if template.alone:
        return set()
    found = set(words(template.prefix)[:-1])
    for _, literal in template.steps[:-1]:
        found.update(words(literal)[1:-1])
    return found | set(words(template.steps[-1][1])[1:])


def _index(members: Mapping[int, frozenset[Demand]], depth: int) -> Index:
    if depth >= MAX_DEPTH or (depth > 0 and len(members) <= CROWD):
        return Index(always=tuple(members))
    counts = Counter(demand for demands in members.values() for demand in demands)
    shared: dict[Demand, dict[int, frozenset[Demand]]] = {}
    always = []
    for number, demands in members.items():
        telling = [demand for demand in demands if counts[demand] < len(members) or depth == 0]
        if not telling:
            always.append(number)
            continue
        rarest = min(telling, key=lambda demand: (counts[demand], demand))
        shared.setdefault(rarest, {})[number] = demands - {rarest}
    tables: dict[tuple[str, bool], dict[str, Index]] = {}
    for (key, worded, text), inner in shared.items():
        tables.setdefault((key, worded), {})[text] = _index(inner, depth + 1)
    return Index(
        always=tuple(always),
        values=tuple((key, table) for (key, worded), table in tables.items() if not worded),
        words=tuple((key, table) for (key, worded), table in tables.items() if worded),
    )
