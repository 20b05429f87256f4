"""Definitions to an index that finds the few that a message can fit, in time that does not grow with their number.

Each definition is filed under the rarest thing that it demands: the value of a constant, or a word of a template. A
word is a stretch of text between ``/`` or ``.`` that no placeholder touches. Where many definitions share their rarest
demand, the next rarest divides them further. A definition that demands neither is always a candidate.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from xregit.messages.constraints import PLAIN_TYPES, plain_text
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xregit.messages.constraints import Constraint
    from xregit.messages.templates import Template

MAX_BUCKET = 4
MAX_DEPTH = 8
_EXACT = PLAIN_TYPES | {"symbol", "integer", "boolean"}

#: What a definition demands: a key, whether a word of the value is meant rather than all of it, and the text.
Demand = tuple[str, bool, str]


@record
class CandidateIndex:
    """Numbers of definitions: ``always`` those that any message may fit, the others by values or words of a key.

    Each table has its key, whether it is of words, and under each text the numbers themselves, or where they are many,
    another index.
    """

    always: tuple[int, ...] = ()
    tables: tuple[tuple[str, bool, Mapping[str, Bucket]], ...] = ()

    def add(self, values: Mapping[str, Sequence[Any]], found: list[int]) -> None:
        """Add the numbers of those definitions that a message with these values can fit, in no particular order."""
        found.extend(self.always)
        for key, worded, table in self.tables:
            for value in values.get(key, ()):
                text = value if value.__class__ is str else plain_text(value)
                for part in set(words(text)) if worded else (text,):
                    entry = table.get(part)
                    if isinstance(entry, tuple):
                        found.extend(entry)
                    elif entry is not None:
                        entry.add(values, found)

    def keys(self) -> set[str]:
        """Return the keys whose values the index asks for."""
        inner = (entry.keys() for _, _, table in self.tables for entry in table.values() if isinstance(entry, CandidateIndex))
        return {key for key, _, _ in self.tables}.union(*inner)


Bucket = tuple[int, ...] | CandidateIndex


def build_index(demands: Mapping[int, Iterable[tuple[str, Constraint]]]) -> CandidateIndex:
    """Return the index of definitions by what each demands of a message, under which key."""
    return _build({number: frozenset(_demands(items)) for number, items in demands.items()}, 0)


def words(text: str) -> list[str]:
    """Return the words of a text, cut at the characters that part levels in topics, subjects and addresses."""
    return text.replace(".", "/").split("/")


def _demands(constraints: Iterable[tuple[str, Constraint]]) -> Iterator[Demand]:
    for key, item in constraints:
        # The words of bytes are those of their text, and not of the base 64 that a template of theirs reads.
        if item.template is not None and item.type != "binary":
            yield from ((key, True, word) for word in whole_words(item.template))
        elif item.constant is not None and item.type in _EXACT and not item.media:
            yield key, False, item.constant


def whole_words(template: Template) -> set[str]:
    """Return the words of a template that every text which fits has as its own words."""
    if template.alone:
        return set()
    found = set(words(template.prefix)[:-1])
    for _, literal in template.steps[:-1]:
        found.update(words(literal)[1:-1])
    return found | set(words(template.steps[-1][1])[1:])


def _bucket(members: Mapping[int, frozenset[Demand]], depth: int) -> Bucket:
    if len(members) <= MAX_BUCKET or depth >= MAX_DEPTH:
        return tuple(members)
    return _build(members, depth)


def _build(members: Mapping[int, frozenset[Demand]], depth: int) -> CandidateIndex:
    counts = Counter(demand for demands in members.values() for demand in demands)
    always = []
    shared: dict[Demand, dict[int, frozenset[Demand]]] = {}
    for number, demands in members.items():
        # A demand that all share divides nothing; at the top it is still asked for, as the message may lack it.
        telling = [demand for demand in demands if depth == 0 or counts[demand] < len(members)]
        if telling:
            rarest = min(telling, key=lambda demand: (counts[demand], demand))
            shared.setdefault(rarest, {})[number] = demands - {rarest}
        else:
            always.append(number)
    tables: dict[tuple[str, bool], dict[str, Bucket]] = {}
    for (key, worded, text), inner in shared.items():
        tables.setdefault((key, worded), {})[text] = _bucket(inner, depth + 1)
    return CandidateIndex(tuple(always), tuple((key, worded, table) for (key, worded), table in tables.items()))
