"""A message against one definition: whether it satisfies each constraint, and what the placeholders stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xregit.messages.constraints import Constraint

FieldValues = tuple[Any, ...]
SPARE_TRIES = 1000


@record
class Failure:
    """One constraint that a message fails; ``found`` is None where the message has nothing there."""

    attribute: str
    expected: str
    found: Any = None


def satisfy(
    envelope: Iterable[Constraint],
    options: Iterable[Constraint],
    attributes: Mapping[str, Any],
    fields: Mapping[str, FieldValues],
) -> dict[str, str] | None:
    """Return what the placeholders stand for, or None where a constraint fails.

    ``envelope`` is held against a CloudEvent's attributes, ``options`` against the values of `protocols.flatten`.
    """
    context: dict[str, str] = {}
    if not conforms(envelope, attributes, context):
        return None
    several: list[tuple[Constraint, FieldValues]] = []
    for item in options:
        values = fields.get(item.key)
        if not values:
            if item.binding:
                return None
        elif len(values) > 1:
            several.append((item, values))
        elif not item.fits(values[0], context):
            return None
    return _choose_values(several, context) if several else context


def conforms(envelope: Iterable[Constraint], attributes: Mapping[str, Any], context: dict[str, str]) -> bool:
    """Tell whether the attributes of a CloudEvent satisfy all, and add what the placeholders stand for."""
    for item in envelope:
        value = attributes.get(item.key)
        if value is None:
            if item.binding:
                return False
        elif not item.fits(value, context):
            return False
    return True


def failures(
    envelope: Sequence[Constraint],
    options: Iterable[Constraint],
    attributes: Mapping[str, Any],
    fields: Mapping[str, FieldValues],
    late: int = 0,
) -> Iterator[Failure]:
    """Give each constraint that fails, in the order of the definition; one placeholder's first value counts.

    The last of the envelope, ``late`` of them, come at the end.
    """
    context: dict[str, str] = {}
    first = len(envelope) - late
    yield from _event_failures(envelope[:first], attributes, context)
    for item in options:
        yield from _failure(item, fields.get(item.key, ()), context)
    yield from _event_failures(envelope[first:], attributes, context)


def _event_failures(
    envelope: Iterable[Constraint], attributes: Mapping[str, Any], context: dict[str, str]
) -> Iterator[Failure]:
    for item in envelope:
        value = attributes.get(item.key)
        yield from _failure(item, () if value is None else (value,), context)


def _failure(item: Constraint, values: FieldValues, context: dict[str, str]) -> Iterator[Failure]:
    if not values:
        if item.binding:
            yield Failure(item.attribute, item.expected)
        return
    for value in values:
        trial = dict(context)
        if item.fits(value, trial):
            context.update(trial)
            return
    yield Failure(item.attribute, _expectation(item, context), values[0] if len(values) == 1 else list(values))


def _expectation(item: Constraint, context: Mapping[str, str]) -> str:
    """Return what was expected, with those placeholders filled whose values other attributes have."""
    if item.template is None:
        return item.expected
    known = {name: context.get(name, f"{{{name}}}") for name in item.template.placeholders}
    return item.asked(item.template.filled(known))


def _choose_values(several: Sequence[tuple[Constraint, FieldValues]], context: dict[str, str]) -> dict[str, str] | None:
    """Return the context where one value of each repeated property fits; tries are bounded by the number of values."""
    ordered = sorted(several, key=lambda pair: len(pair[1]))
    tries = SPARE_TRIES + 4 * sum(len(values) for _, values in ordered)
    stack: list[tuple[int, int, dict[str, str]]] = [(0, 0, context)]
    while stack and tries:
        place, start, known = stack.pop()
        if place == len(ordered):
            return known
        item, values = ordered[place]
        for number in range(start, len(values)):
            tries -= 1
            trial = dict(known)
            if item.fits(values[number], trial):
                stack.append((place, number + 1, known))
                stack.append((place + 1, 0, trial))
                break
            if not tries:
                break
    return None
