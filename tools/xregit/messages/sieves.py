"""A set of definitions, with the index by which a message finds those that it satisfies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from xregit.messages.indexing import CandidateIndex, build_index
from xregit.messages.verifying import Failure, conforms, failures, satisfy
from xregit.model.mediatypes import without_parameters
from xregit.protocols.carriers import STRUCTURED
from xregit.records import record

if TYPE_CHECKING:
    from xregit.messages.constraints import Constraint
    from xregit.messages.definitions import Definition
    from xregit.messages.reading import IncomingMessage

#: Before the keys of a CloudEvent's attributes in an index: no key of a protocol's own values begins like that.
EVENT = "\0"


@record
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
        """Give each constraint that a message fails."""
        yield from failures(self.envelope, self.options, message.attributes, message.fields, self.late)
        travel = envelope_failure(self.definition, message)
        if travel is not None:
            yield travel


@record
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

    def found(self, message: IncomingMessage) -> list[tuple[Definition, dict[str, str]]]:
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
    named = {name for item in options if item.template is not None for name in item.template.placeholders}
    helped = any(not named.isdisjoint(template.placeholders) for template in unclear)
    return Filter(definition, envelope, options, len(unclear) if helped else 0)


def filter_set(filters: Iterable[Filter]) -> FilterSet:
    """Return a set of filters with its index."""
    listed = tuple(filters)
    demands: dict[int, list[tuple[str, Constraint]]] = {}
    for number, item in enumerate(listed):
        demands[number] = [(EVENT + each.key, each) for each in item.envelope]
        demands[number] += [(each.key, each) for each in item.options]
    made = build_index(demands)
    slots = ((slot, slot.removeprefix(EVENT), slot.startswith(EVENT)) for slot in sorted(made.keys()))
    return FilterSet(listed, made, tuple(slots))


def envelope_failure(definition: Definition, message: IncomingMessage) -> Failure | None:
    """Return what is wrong with the way in which a message carries its event, None where nothing is.

    Source: endpoint/spec.md "envelopeoptions": ``mode`` and ``format`` left out leave both open.
    """
    if not message.protocol or message.event is None:
        return None
    if definition.mode and definition.mode != message.mode:
        return Failure("envelopeoptions/mode", definition.mode, message.mode)
    outer = message.outer_type
    stated = definition.format if message.mode == STRUCTURED and outer else ""
    if stated and without_parameters(outer) != without_parameters(stated):
        return Failure("envelopeoptions/format", stated, outer)
    return None


def _tests(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    return tuple(item for item in constraints if item.tests)
