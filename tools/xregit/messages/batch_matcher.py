"""Matches many CloudEvents at once by the few attributes that definitions compare.

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
        """Return whether an event fits, and add what placeholders stand for to the context."""
        text = texts[self.place]
        if text is None:
            return not self.item.mandatory
        if not text.startswith(self.prefix):
            return False
        value = text[len(self.prefix) :] if self.name else ""
        if not value.isalnum() and (not value or any(sign in value for sign in self.refused)):
            return self.item.fits(text, context)
        return context.setdefault(self.name, value) == value


@dataclass(frozen=True, slots=True)
class Candidate:
    """What remains to compare of a definition: the places where a text must be, and tests of texts elsewhere."""

    xid: str
    present: tuple[int, ...]
    tests: tuple[TextTest, ...]

    def answers(self, texts: Texts) -> Sequence[Answer]:
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

    def answers(self, texts: Texts) -> Sequence[Answer]:
        """Return the definitions that an event fits."""
        attributes = {key: text for key, text in zip(self.keys, texts, strict=True) if text is not None}
        matches = self.filters.matches(IncomingMessage(attributes=attributes))
        return [Answer(definition.xid, context) for definition, context in matches]


Bucket = tuple[Candidate, ...] | tuple[LargeBucket]


@dataclass(frozen=True, slots=True)
class Stage:
    """Definitions that are tried together: tables of them, each with the places whose texts are its key."""

    tables: tuple[tuple[tuple[int, ...], Mapping[Texts, Bucket]], ...]

    def candidates(self, texts: Texts) -> tuple[Candidate | LargeBucket, ...]:
        """Return the definitions that an event may fit by its texts at these places."""
        buckets = (table.get(tuple([texts[place] for place in places]), ()) for places, table in self.tables)
        return tuple(each for bucket in buckets for each in bucket)


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

    def column(self, values: Sequence[str | None]) -> Sequence[str | None]:
        """Return the texts of many events in the form in which they are compared."""
        if self.texts is None or len(self.texts) > MAX_EXACT_TEXTS:
            return values
        get, other = self.texts.get, self.other
        if len(self.texts) == 1 and None not in values:
            return [other] * len(values)
        return [get(value, other) for value in values]


class BatchMatcher:
    """Answers for many events at once; it remembers answers, so only one thread may use it."""

    def __init__(self, stages: Iterable[Iterable[Filter]], *, tells_none: bool) -> None:
        """Take the definitions that are tried first, then those that are tried where none of them fits, and so on.

        ``tells_none`` says that an event which fits none of them fits nothing.
        """
        filters = [tuple(each) for each in stages]
        items: dict[str, list[Constraint]] = {"type": []}
        for item in (item for stage in filters for each in stage for item in each.envelope):
            items.setdefault(item.key, []).append(item)
        #: The attributes that are looked at.
        self.keys = tuple(sorted(items))
        self._columns = tuple(KeyColumn.of(items[key]) for key in self.keys)
        fixed = [place for place, column in enumerate(self._columns) if column.texts is not None]
        self._fixed_texts = itemgetter(*fixed) if fixed else itemgetter(slice(0))
        self._stages = tuple(_stage(each, self.keys, frozenset(fixed)) for each in filters)
        self._none = NONE if tells_none else UNSURE
        self._answers: dict[Texts, Answer] = {}
        self._choices: dict[Any, tuple[tuple[Candidate | LargeBucket, ...], ...]] = {}
        self._event_count = self._pause = 0

    def match(self, columns: Sequence[Sequence[str | None]]) -> list[Answer]:
        """Return the answers for events whose texts are given by key, for each key those of all events."""
        compared = zip(*(key.column(values) for key, values in zip(self._columns, columns, strict=True)), strict=True)
        if self._pause > 0:
            self._pause -= len(columns[0])
            return list(map(self._answer, compared))
        self._event_count += len(columns[0])
        answers, remember = self._answers.get, self._remember
        return [answers(texts) or remember(texts) for texts in compared]

    def _remember(self, texts: Texts) -> Answer:
        answer = self._answer(texts)
        if sum(len(text) for text in texts if text) <= MAX_CHARS:
            if len(self._answers) >= MAX_CACHED:
                self._forget()
            self._answers[texts] = answer
        return answer

    def _forget(self) -> None:
        """Forget all, and where most was new, remember nothing for some time: that would cost more than it saves."""
        if self._event_count < 2 * MAX_CACHED:
            self._pause = PAUSE * MAX_CACHED
        self._event_count = 0
        self._answers.clear()

    def _answer(self, texts: Texts) -> Answer:
        fixed = self._fixed_texts(texts)
        choice = self._choices.get(fixed)
        if choice is None:
            choice = self._choose(fixed, texts)
        for candidates in choice:
            answers = [answer for each in candidates for answer in each.answers(texts)]
            if answers:
                return answers[0] if len(answers) == 1 else UNSURE
        return self._none

    def _choose(self, fixed: Any, texts: Texts) -> tuple[tuple[Candidate | LargeBucket, ...], ...]:
        if len(self._choices) >= MAX_CACHED:
            self._choices.clear()
        choice = self._choices[fixed] = tuple(filter(None, (stage.candidates(texts) for stage in self._stages)))
        return choice


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
            (where, {what: _bucket(bucket, places, filed) for what, bucket in table.items()})
            for where, table in tables.items()
        )
    )


def _bucket(filters: list[Filter], places: Mapping[str, int], filed: AbstractSet[str]) -> Bucket:
    if len(filters) > MAX_BUCKET:
        return (LargeBucket(tuple(places), filter_set(filters)),)
    return tuple(_candidate(item, places, filed) for item in filters)


def _candidate(item: Filter, places: Mapping[str, int], filed: AbstractSet[str]) -> Candidate:
    rest = [each for each in item.envelope if each.key not in filed or not _is_exact(each)]
    return Candidate(
        item.definition.xid,
        tuple(places[each.key] for each in rest if _accepts_any(each)),
        tuple(TextTest.of(places[each.key], each) for each in rest if not _accepts_any(each)),
    )


def _is_exact(item: Constraint) -> bool:
    """Return whether only one text will do, compared as it is."""
    return item.constant is not None and item.type in PLAIN_TYPES and not item.media


def _accepts_any(item: Constraint) -> bool:
    """Return whether any text will do, if it is there."""
    return item.constant is None and item.template is None and item.any_text
