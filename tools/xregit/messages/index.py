"""Filters that messages are compared with, and the index that finds the candidates among very many of them.

Each definition is filed under the rarest thing that it demands: the value of a constant, or a word of a template. A
word is a stretch of text between ``/`` or ``.`` that no placeholder touches. Where many definitions share their rarest
demand, the next rarest divides them further. A definition that demands neither is always a candidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xregit.messages.constraints import PLAIN_TYPES, Constraint, Failure, conforms, failures, plain_text, satisfy
from xregit.messages.decoder import IncomingMessage
from xregit.messages.definition import Definition
from xregit.messages.template import Template
from xregit.model.media_types import without_parameters
from xregit.protocols.binding import STRUCTURED

#: Before the keys of a CloudEvent's attributes in an index: no key of a protocol's own values begins like that.
EVENT = "\0"


@dataclass(frozen=True, slots=True)
class Filter:
    """What one definition compares of messages: of the event that they carry, and of the protocol's own values.

    The last of the envelope, ``late`` of them, are read after the options, which say what their placeholders stand for.
    """

    definition: Definition
    envelope: tuple[Constraint, ...] = ()
    options: tuple[Constraint, ...] = ()
    late: int = 0

    def context(self, message: IncomingMessage) -> dict[str, str] | None:
        """Return what the placeholders stand for in a message, None where it does not conform."""
        definition = self.definition
        if (definition.mode or definition.format) and envelope_failure(definition, message) is not None:
            return None
        if not self.late:
            return satisfy(self.envelope, self.options, message.attributes, message.fields)
        first = len(self.envelope) - self.late
        context = satisfy(self.envelope[:first], self.options, message.attributes, message.fields)
        fits = context is not None and conforms(self.envelope[first:], message.attributes, context)
        return context if fits else None

    def failures(self, message: IncomingMessage) -> Iterator[Failure]:
        """Yield each constraint that a message fails."""
        yield from failures(self.envelope, self.options, message.attributes, message.fields, self.late)
        travel = envelope_failure(self.definition, message)
        if travel is not None:
            yield travel


@dataclass(frozen=True, slots=True)
class FilterSet:
    """Filters in the order of their definitions' xids, and the index over them.

    ``slots`` are the keys that the index asks for, each with the key in the message and whether that is an event's.
    """

    filters: tuple[Filter, ...]
    index: CandidateIndex
    slots: tuple[tuple[str, str, bool], ...]

    def candidates(self, message: IncomingMessage) -> list[int]:
        """Return the numbers of the filters that a message may satisfy."""
        values: dict[str, tuple[Any, ...]] = {}
        for slot, key, of_event in self.slots:
            if of_event:
                value = message.attributes.get(key)
                if value is not None:
                    values[slot] = (value,)
            elif key in message.fields:
                values[slot] = message.fields[key]
        numbers: list[int] = []
        self.index.add(values, numbers)
        return sorted(set(numbers)) if len(numbers) > 1 else numbers

    def matches(self, message: IncomingMessage) -> list[tuple[Definition, dict[str, str]]]:
        """Return the definitions that a message satisfies, each with its context, in the order of their xids."""
        hits = []
        for number in self.candidates(message):
            item = self.filters[number]
            context = item.context(message)
            if context is not None:
                hits.append((item.definition, context))
        return hits


def event_filter(definition: Definition) -> Filter:
    """Return what a definition compares of a CloudEvent."""
    return Filter(definition, envelope=_tests(definition.envelope))


def native_filter(definition: Definition) -> Filter:
    """Return what a definition compares of a message that carries no CloudEvent."""
    return Filter(definition, options=_tests(definition.options))


def whole_filter(definition: Definition) -> Filter:
    """Return what a definition compares of a message that carries a CloudEvent."""
    envelope, options = _tests(definition.envelope), _tests(definition.options)
    unclear = [item.template for item in envelope if item.template is not None and not item.template.clear]
    names = {name for item in options if item.template is not None for name in item.template.placeholders}
    helped = any(not names.isdisjoint(template.placeholders) for template in unclear)
    return Filter(definition, envelope, options, len(unclear) if helped else 0)


def filter_set(filters: Iterable[Filter]) -> FilterSet:
    """Return a set of filters with its index."""
    listed = tuple(filters)
    demands: dict[int, list[tuple[str, Constraint]]] = {}
    for number, item in enumerate(listed):
        demands[number] = [(EVENT + each.key, each) for each in item.envelope]
        demands[number] += [(each.key, each) for each in item.options]
    index = _build({number: frozenset(_demands(items)) for number, items in demands.items()}, 0)
    slots = ((slot, slot.removeprefix(EVENT), slot.startswith(EVENT)) for slot in sorted(index.keys()))
    return FilterSet(listed, index, tuple(slots))


def envelope_failure(definition: Definition, message: IncomingMessage) -> Failure | None:
    """Return what is wrong with the way in which a message carries its event, None where nothing is.

    Source: endpoint/spec.md "envelopeoptions": ``mode`` and ``format`` left out leave both open.
    """
    if not message.protocol or message.event is None:
        return None
    if definition.mode and definition.mode != message.mode:
        return Failure("envelopeoptions/mode", definition.mode, message.mode)
    outer = message.outer_type
    expected = definition.format if message.mode == STRUCTURED and outer else ""
    if expected and without_parameters(outer) != without_parameters(expected):
        return Failure("envelopeoptions/format", expected, outer)
    return None


def _tests(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    return tuple(item for item in constraints if item.compared)


MAX_BUCKET = 4
MAX_DEPTH = 8
_EXACT = PLAIN_TYPES | {"symbol", "integer", "boolean"}

#: What a definition demands: a key, whether a word of the value is meant rather than all of it, and the text.
Demand = tuple[str, bool, str]


@dataclass(frozen=True, slots=True)
class CandidateIndex:
    """Numbers of definitions: ``always`` those that any message may fit, the others by values or words of a key.

    Each table has its key, whether it is of words, and under each text the numbers themselves, or where they are many,
    another index.
    """

    always: tuple[int, ...] = ()
    tables: tuple[tuple[str, bool, Mapping[str, Bucket]], ...] = ()

    def add(self, values: Mapping[str, Sequence[Any]], numbers: list[int]) -> None:
        """Add the numbers of those definitions that a message with these values can fit, in no particular order."""
        numbers.extend(self.always)
        for key, worded, table in self.tables:
            for value in values.get(key, ()):
                text = value if value.__class__ is str else plain_text(value)
                for part in set(words(text)) if worded else (text,):
                    entry = table.get(part)
                    if isinstance(entry, tuple):
                        numbers.extend(entry)
                    elif entry is not None:
                        entry.add(values, numbers)

    def keys(self) -> set[str]:
        """Return the keys whose values the index asks for."""
        inner = (
            entry.keys() for _, _, table in self.tables for entry in table.values() if isinstance(entry, CandidateIndex)
        )
        return {key for key, _, _ in self.tables}.union(*inner)


Bucket = tuple[int, ...] | CandidateIndex


def words(text: str) -> list[str]:
    """Return the words of a text, cut at the characters that part levels in topics, subjects and addresses."""
    return text.replace(".", "/").split("/")


def _demands(constraints: Iterable[tuple[str, Constraint]]) -> Iterator[Demand]:
    for key, item in constraints:
        if item.implied:
            continue
        # The words of bytes are those of their text, and not of the base 64 that a template of theirs reads.
        if item.template is not None and item.type != "binary":
            yield from ((key, True, word) for word in whole_words(item.template))
        elif item.constant is not None and item.type in _EXACT and not item.media:
            yield key, False, item.constant


def whole_words(template: Template) -> set[str]:
    """Return the words of a template that every text which fits has as its own words."""
    if template.alone:
        return set()
    result = set(words(template.prefix)[:-1])
    for _, literal in template.steps[:-1]:
        result.update(words(literal)[1:-1])
    return result | set(words(template.steps[-1][1])[1:])


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
