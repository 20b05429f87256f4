"""CloudEvents to the definitions that they fit, many at a time, by the few attributes that definitions compare.

The answers are those of `Matcher` for events without protocol whose attributes are all texts; where these alone do not
decide, as where payloads do, the answer says so. Definitions are filed under the texts that they demand, so the time
does not grow with their number. The answer for a combination of texts is remembered, as most streams repeat them.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.messages.constraints import PLAIN_TYPES
from xregit.messages.decoder import IncomingMessage
from xregit.messages.index import Filter, FilterSet, filter_set
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from xregit.messages.constraints import Constraint


# More definitions than this that demand the same texts are told apart by an index.
MAX_BUCKET = 8
# Texts that no definition demands are all replaced by one, so that fewer combinations are remembered. If definitions
# demand more texts than this, that costs more than it saves.
MAX_EXACT_TEXTS = 1000
# The number of combinations of texts that are remembered at most, and the length of the longest. If few of them come
# again, none is remembered for ``PAUSE`` times as many events.
MAX_CACHED = 65_536
MAX_CHARS = 1024
PAUSE = 16

#: The texts of an event in the order of the keys, None for those that it lacks.
Texts = tuple[str | None, ...]


class Answer(NamedTuple):
    """The one definition that an event fits, with its context; no ``xid`` if none, not ``sure`` if it can't be told."""

    xid: str = ""
    context: Mapping[str, str] = NOTHING
    sure: bool = True


NONE, UNSURE = Answer(), Answer(sure=False)
# Makes an `Answer` of all its values in half the time that the class takes.
_make_answer = tuple.__new__


@dataclass(frozen=True, slots=True)
class TextTest:
    """A constraint on the text at a place; ``prefix`` is what the text begins with where it fits.

    Where the constraint is that and one placeholder up to the end, ``name`` is the placeholder's, and ``refused`` has
    the characters with which its value would not fit, or would stand for another one.
    """

    place: int
    item: Constraint
    prefix: str = ""
    name: str = ""
    refused: str = ""

    @classmethod
    def of(cls, place: int, item: Constraint) -> TextTest:
        """Return the test of a constraint."""
        template = item.template if item.any_text else None
        if template is None:
            return cls(place, item)
        simple = len(template.steps) == 1 and not template.steps[0][1] and not template.alone
        name = template.steps[0][0] if simple else ""
        return cls(place, item, template.prefix, name, "/?#%" if template.encoded else "/")

    def fits(self, texts: Texts, context: dict[str, str]) -> bool:
        """Tell whether an event fits, and add what placeholders stand for to the context."""
        text = texts[self.place]
        if text is None:
            return not self.item.binding
        if not text.startswith(self.prefix):
            return False
        value = text[len(self.prefix) :] if self.name else ""
        if not value.isalnum() and (not value or any(sign in value for sign in self.refused)):
            return self.item.fits(text, context)
        return context.setdefault(self.name, value) == value


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is left to compare of a definition: the places where a text must be, and tests of texts elsewhere."""

    xid: str
    present: tuple[int, ...]
    tests: tuple[TextTest, ...]

    def hits(self, texts: Texts) -> Sequence[Answer]:
        """Return the definition with its context where an event fits it."""
        for place in self.present:
            if texts[place] is None:
                return ()
        context: dict[str, str] = {}
        for test in self.tests:
            if not test.fits(texts, context):
                return ()
        return (_make_answer(Answer, (self.xid, context, True)),)


@dataclass(frozen=True, slots=True)
class LargeBucket:
    """Very many definitions under the same texts, told apart by an index over all that they compare."""

    keys: tuple[str, ...]
    filters: FilterSet

    def hits(self, texts: Texts) -> Sequence[Answer]:
        """Return the definitions that an event fits."""
        attributes = {key: text for key, text in zip(self.keys, texts, strict=True) if text is not None}
        return [
            Answer(found.xid, context) for found, context in self.filters.found(IncomingMessage(attributes=attributes))
        ]


Bucket = tuple[Candidate, ...] | tuple[LargeBucket]


@dataclass(frozen=True, slots=True)
class Stage:
    """Definitions that are tried together: tables of them, each with the places whose texts are its key."""

    tables: tuple[tuple[tuple[int, ...], Mapping[Texts, Bucket]], ...]

    def choice(self, texts: Texts) -> tuple[Candidate | LargeBucket, ...]:
        """Return the definitions that an event may fit by its texts at these places."""
        found = (table.get(tuple([texts[place] for place in places]), ()) for places, table in self.tables)
        return tuple(each for entry in found for each in entry)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """How the texts of one key are compared: as they are, or all but a few ``texts`` as one ``other``."""

    texts: Mapping[str | None, str | None] | None
    other: str = ""

    @classmethod
    def of(cls, items: Sequence[Constraint]) -> KeyColumn:
        """Return how the texts are compared that these constraints are about."""
        if not all(_is_exact(item) or _accepts_any(item) for item in items):
            return cls(None)
        texts: dict[str | None, str | None] = {str(item.constant): str(item.constant) for item in items}
        longest = max(map(len, filter(None, texts)), default=0)
        return cls(texts | {None: None}, "?" * (longest + 1))

    def column(self, given: Sequence[str | None]) -> Sequence[str | None]:
        """Return the texts of many events in the form in which they are compared."""
        if self.texts is None or len(self.texts) > MAX_EXACT_TEXTS:
            return given
        known, other = self.texts.get, self.other
        if len(self.texts) == 1 and None not in given:
            return [other] * len(given)
        return [known(text, other) for text in given]


class BatchMatcher:
    """Answers for many events at once; it remembers answers, so only one thread may use it."""

    def __init__(self, stages: Iterable[Iterable[Filter]], *, tells_none: bool) -> None:
        """Take the definitions that are tried first, then those that are tried where none of them fits, and so on.

        ``tells_none`` says that an event which fits none of them fits nothing.
        """
        listed = [tuple(each) for each in stages]
        items: dict[str, list[Constraint]] = {"type": []}
        for item in (item for stage in listed for each in stage for item in each.envelope):
            items.setdefault(item.key, []).append(item)
        #: The attributes that are looked at.
        self.keys = tuple(sorted(items))
        self._looks = tuple(KeyColumn.of(items[key]) for key in self.keys)
        fixed = [place for place, look in enumerate(self._looks) if look.texts is not None]
        self._told = itemgetter(*fixed) if fixed else itemgetter(slice(0))
        self._tiers = tuple(_stage(each, self.keys, frozenset(fixed)) for each in listed)
        self._none = NONE if tells_none else UNSURE
        self._known: dict[Texts, Answer] = {}
        self._choices: dict[Any, tuple[tuple[Candidate | LargeBucket, ...], ...]] = {}
        self._asked = self._pause = 0

    def match(self, columns: Sequence[Sequence[str | None]]) -> list[Answer]:
        """Return the answers for events whose texts are given by key, for each key those of all events."""
        each = zip(*(look.column(column) for look, column in zip(self._looks, columns, strict=True)), strict=True)
        if self._pause > 0:
            self._pause -= len(columns[0])
            return list(map(self._answer, each))
        self._asked += len(columns[0])
        known, learned = self._known.get, self._learned
        return [known(texts) or learned(texts) for texts in each]

    def _learned(self, texts: Texts) -> Answer:
        found = self._answer(texts)
        if sum(len(text) for text in texts if text) <= MAX_CHARS:
            if len(self._known) >= MAX_CACHED:
                self._forget()
            self._known[texts] = found
        return found

    def _forget(self) -> None:
        """Forget all, and where most was new, remember nothing for some time: that would cost more than it saves."""
        if self._asked < 2 * MAX_CACHED:
            self._pause = PAUSE * MAX_CACHED
        self._asked = 0
        self._known.clear()

    def _answer(self, texts: Texts) -> Answer:
        told = self._told(texts)
        choice = self._choices.get(told)
        if choice is None:
            choice = self._chosen(told, texts)
        for candidates in choice:
            hits = [hit for each in candidates for hit in each.hits(texts)]
            if hits:
                return hits[0] if len(hits) == 1 else UNSURE
        return self._none

    def _chosen(self, told: Any, texts: Texts) -> tuple[tuple[Candidate | LargeBucket, ...], ...]:
        if len(self._choices) >= MAX_CACHED:
            self._choices.clear()
        found = self._choices[told] = tuple(filter(None, (stage.choice(texts) for stage in self._tiers)))
        return found


def _stage(filters: Iterable[Filter], keys: tuple[str, ...], fixed: frozenset[int]) -> Stage:
    """Return definitions filed under the exact texts that they demand at those places where only such are compared."""
    places = {key: place for place, key in enumerate(keys)}
    filed = {key for key, place in places.items() if place in fixed}
    tables: dict[tuple[int, ...], dict[Texts, list[Filter]]] = {}
    for item in filters:
        texts = sorted(
            (places[each.key], str(each.constant)) for each in item.envelope if each.key in filed and _is_exact(each)
        )
        where, what = tuple(place for place, _ in texts), tuple(text for _, text in texts)
        tables.setdefault(where, {}).setdefault(what, []).append(item)
    return Stage(
        tuple(
            (where, {what: _bucket(found, places, filed) for what, found in table.items()})
            for where, table in tables.items()
        )
    )


def _bucket(found: list[Filter], places: Mapping[str, int], filed: AbstractSet[str]) -> Bucket:
    if len(found) > MAX_BUCKET:
        return (LargeBucket(tuple(places), filter_set(found)),)
    return tuple(_candidate(item, places, filed) for item in found)


def _candidate(item: Filter, places: Mapping[str, int], filed: AbstractSet[str]) -> Candidate:
    left = [each for each in item.envelope if each.key not in filed or not _is_exact(each)]
    return Candidate(
        item.definition.xid,
        tuple(places[each.key] for each in left if _accepts_any(each)),
        tuple(TextTest.of(places[each.key], each) for each in left if not _accepts_any(each)),
    )


def _is_exact(item: Constraint) -> bool:
    """Tell whether only one text will do, compared as it is."""
    return item.constant is not None and item.type in PLAIN_TYPES and not item.media


def _accepts_any(item: Constraint) -> bool:
    """Tell whether any text will do, if it is there."""
    return item.constant is None and item.template is None and item.any_text
