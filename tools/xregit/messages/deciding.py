"""CloudEvents to the definitions that they fit, many at a time, by the few attributes that definitions look at.

It answers what `Matcher` answers for an event by itself whose attributes are all texts, and says where those alone do
not tell, as where payloads decide. Definitions are filed under the texts that they demand, so that their number does
not count; what a combination of texts led to is remembered, as most streams repeat them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from xregit.messages.constraints import PLAIN_TYPES
from xregit.messages.reading import Received
from xregit.messages.sieves import Filter, Sieve, sieve
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xregit.messages.constraints import Constraint

# More definitions than this that demand the same texts are told apart by an index.
CROWD = 8
# So many combinations of texts are remembered, none longer than that.
MAX_KNOWN = 65_536
MAX_CHARS = 1024

#: The texts of an event in the order of the keys, None for those that it lacks.
Texts = tuple[str | None, ...]
Hit = tuple[str, Mapping[str, str]]


class Answer(NamedTuple):
    """The one definition that an event fits, and its context; without ``xid`` none, and unless ``sure`` who knows."""

    xid: str = ""
    context: Mapping[str, str] = NOTHING
    sure: bool = True


NONE, UNSURE = Answer(), Answer(sure=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is left to compare of a definition: the places where a text must be, and constraints on texts elsewhere."""

    xid: str
    present: tuple[int, ...]
    tests: tuple[tuple[int, Constraint], ...]

    def hits(self, texts: Texts) -> Iterator[Hit]:
        """Give the definition with its context where an event fits it."""
        context: dict[str, str] = {}
        for place in self.present:
            if texts[place] is None:
                return
        for place, item in self.tests:
            text = texts[place]
            if item.binding if text is None else not item.fits(text, context):
                return
        yield self.xid, context


@dataclass(frozen=True, slots=True)
class Crowd:
    """Very many definitions under the same texts, told apart by an index over all that they compare."""

    keys: tuple[str, ...]
    sieve: Sieve

    def hits(self, texts: Texts) -> Iterator[Hit]:
        """Give the definitions that an event fits."""
        attributes = {key: text for key, text in zip(self.keys, texts, strict=True) if text is not None}
        return ((found.xid, context) for found, context in self.sieve.found(Received(attributes=attributes)))


Entry = tuple[Candidate, ...] | tuple[Crowd]


@dataclass(frozen=True, slots=True)
class Tier:
    """Definitions that are tried together: for all places where some demand texts, what is filed under those texts."""

    tables: tuple[tuple[tuple[int, ...], Mapping[Texts, Entry]], ...]

    def hits(self, texts: Texts) -> list[Hit]:
        """Return the definitions that an event fits."""
        found = (table.get(tuple([texts[place] for place in places]), ()) for places, table in self.tables)
        return [hit for entry in found for each in entry for hit in each.hits(texts)]


class Decider:
    """Answers for many events at once; it remembers, and so is for one thread."""

    def __init__(self, tiers: Iterable[Iterable[Filter]], *, tells_none: bool) -> None:
        """Take the definitions that are tried first, then those that are tried where none of them fits, and so on.

        ``tells_none`` says that an event which fits none of them fits nothing.
        """
        listed = [tuple(each) for each in tiers]
        items = [item for tier in listed for each in tier for item in each.envelope]
        compared = {item.key for item in items if not _any_will_do(item)}
        #: The attributes that are looked at, of which those in ``by_presence`` must only be there.
        self.keys = tuple(sorted({item.key for item in items} | {"type"}))
        self.by_presence = frozenset(self.keys) - compared
        self._tiers = tuple(_tier(each, self.keys) for each in listed)
        self._none = NONE if tells_none else UNSURE
        self._known: dict[Texts, Answer] = {}

    def answers(self, columns: Sequence[Sequence[str | None]]) -> list[Answer]:
        """Return the answers for events whose texts are given by key, for each key those of all events."""
        named = zip(self.keys, columns, strict=True)
        told = [_presence(column) if key in self.by_presence else column for key, column in named]
        known, learned = self._known.get, self._learned
        return [known(texts) or learned(texts) for texts in zip(*told, strict=True)]

    def _learned(self, texts: Texts) -> Answer:
        found = self._answer(texts)
        if sum(len(text) for text in texts if text) <= MAX_CHARS:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[texts] = found
        return found

    def _answer(self, texts: Texts) -> Answer:
        for tier in self._tiers:
            hits = tier.hits(texts)
            if hits:
                return Answer(*hits[0]) if len(hits) == 1 else UNSURE
        return self._none


def _presence(column: Sequence[str | None]) -> list[str | None]:
    return [None if text is None else "" for text in column]


def _tier(filters: Iterable[Filter], keys: tuple[str, ...]) -> Tier:
    places = {key: place for place, key in enumerate(keys)}
    tables: dict[tuple[int, ...], dict[Texts, list[Filter]]] = {}
    for item in filters:
        texts = sorted((places[each.key], str(each.constant)) for each in item.envelope if _is_exact(each))
        where, what = tuple(place for place, _ in texts), tuple(text for _, text in texts)
        tables.setdefault(where, {}).setdefault(what, []).append(item)
    return Tier(
        tuple(
            (where, {what: _entry(found, places) for what, found in table.items()}) for where, table in tables.items()
        )
    )


def _entry(found: list[Filter], places: Mapping[str, int]) -> Entry:
    if len(found) > CROWD:
        return (Crowd(tuple(places), sieve(found)),)
    return tuple(_candidate(item, places) for item in found)


def _candidate(item: Filter, places: Mapping[str, int]) -> Candidate:
    left = [each for each in item.envelope if not _is_exact(each)]
    return Candidate(
        item.definition.xid,
        tuple(places[each.key] for each in left if _any_will_do(each)),
        tuple((places[each.key], each) for each in left if not _any_will_do(each)),
    )


def _is_exact(item: Constraint) -> bool:
    """Tell whether only one text will do, compared as it is."""
    return item.constant is not None and item.type in PLAIN_TYPES and not item.media


def _any_will_do(item: Constraint) -> bool:
    """Tell whether any text will do, if it is there."""
    return item.constant is None and item.template is None and item.any_text
