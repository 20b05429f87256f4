"""Constraints: what a definition demands of single properties of a message, and the check of a message against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xregit.messages.template import Template
from xregit.model.media_types import comparable
from xregit.protocols import to_text

#: Texts of these types say what they say: any text will do, and equal values are equal texts.
PLAIN_TYPES = frozenset({"any", "string", "uri", "uritemplate", "urireference"})


@dataclass(frozen=True, slots=True)
class Constraint:
    """What must be true of the values under one key of a message, or one attribute of its CloudEvent.

    ``attribute`` is the path in the definition. ``constant`` is a value's canonical text, ``template`` a text with
    placeholders; with neither, any value of the type will do. ``media`` says that values are media types, which
    compare without case, ``delivery`` that delivery sets the value, so that it counts only when a message is made,
    ``now`` that the value is the time at which a message is made, and ``any_text`` that every text is of the type.
    ``in_bytes`` says that the protocol has bytes there, so that a text can be the bytes themselves. ``implied`` says
    that the protocol gives a missing property a value that fits.
    """

    attribute: str
    key: str
    type: str = "string"
    required: bool = False
    constant: str | None = None
    template: Template | None = None
    media: bool = False
    delivery: bool = False
    now: bool = False
    any_text: bool = False
    in_bytes: bool = False
    implied: bool = False

    @property
    def mandatory(self) -> bool:
        """Whether a message without the property can't conform."""
        if self.implied:
            return False
        return self.required or self.now or self.constant is not None or self.template is not None

    @property
    def compared(self) -> bool:
        """Whether there is anything that a message could fail."""
        return not self.delivery and (self.mandatory or self.implied or not self.any_text)

    @property
    def expected(self) -> str:
        """What a message should have, for people to read."""
        if self.template is not None:
            return self.describe(self.template.text)
        if self.constant is not None:
            return self.constant
        return f"any {self.type}" if self.type != "any" else "any value"

    def describe(self, text: str) -> str:
        """Return a text for people to read, with the type in brackets if not every text is of that type."""
        return text if self.any_text else f"{text} ({self.type})"

    def fits(self, value: Any, context: dict[str, str]) -> bool:
        """Return whether a value satisfies it, and add what its placeholders stand for to the context."""
        text = value if value.__class__ is str else plain_text(value)
        if self.template is not None:
            return self.template.read(text, context) if self.any_text else self._reads(self.template, value, context)
        if self.type == "binary":
            return self._fits_bytes(value)
        if self.constant is None:
            return self.any_text or text_or_none(self.type, value) is not None
        if text == self.constant:
            return True
        if self.media:
            return comparable(text) == comparable(self.constant)
        return not self.any_text and text_or_none(self.type, value) == self.constant

    def _reads(self, template: Template, value: Any, context: dict[str, str]) -> bool:
        """Return whether a value is of the type and fits a template; bytes are read as their base 64."""
        texts = (plain_text(value),) if text_or_none(self.type, value) is not None else ()
        for text in self._bytes(value) if self.type == "binary" else texts:
            trial = dict(context)
            if template.read(text, trial):
                context.update(trial)
                return True
        return False

    def _fits_bytes(self, value: Any) -> bool:
        """Return whether a value is the declared bytes; a text may be the bytes themselves or their base 64."""
        texts = self._bytes(value)
        if self.constant is None:
            return texts != ()
        # What was declared may be no base 64; nobody but that same text is equal to it.
        return self.constant in texts or (isinstance(value, str) and value == self.constant)

    def _bytes(self, value: Any) -> tuple[str, ...]:
        """Return the base 64 of the bytes that a value may stand for."""
        decoded = text_or_none("binary", value)
        encoded = text_or_none("binary", value.encode()) if self.in_bytes and isinstance(value, str) else None
        return tuple(text for text in (decoded, encoded) if text is not None)


def text_or_none(kind: str, value: Any) -> str | None:
    """Return the canonical text of a value of a type, None where it is no such value."""
    try:
        return to_text(kind, value)
    except ValueError:
        return None


def plain_text(value: Any) -> str:
    """Return the text of any value, as templates read it."""
    if value.__class__ is str:
        return str(value)
    kind = "binary" if isinstance(value, bytes) and not _is_text(value) else "any"
    return text_or_none(kind, value) or ""


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


FieldValues = tuple[Any, ...]
SPARE_TRIES = 1000


@dataclass(frozen=True, slots=True)
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
            if item.mandatory:
                return None
        elif len(values) > 1:
            several.append((item, values))
        elif not item.fits(values[0], context):
            return None
    return _choose_values(several, context) if several else context


def conforms(envelope: Iterable[Constraint], attributes: Mapping[str, Any], context: dict[str, str]) -> bool:
    """Return whether the attributes of a CloudEvent satisfy all, and add what the placeholders stand for."""
    for item in envelope:
        value = attributes.get(item.key)
        if value is None:
            if item.mandatory:
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
    """Yield each constraint that fails, in the order of the definition; one placeholder's first value counts.

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
        if item.mandatory:
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
    values = {name: context.get(name, f"{{{name}}}") for name in item.template.placeholders}
    return item.describe(item.template.fill(values))


def _choose_values(several: Sequence[tuple[Constraint, FieldValues]], context: dict[str, str]) -> dict[str, str] | None:
    """Return the context where one value of each repeated property fits; tries are bounded by the number of values."""
    ordered = sorted(several, key=lambda pair: len(pair[1]))
    tries = SPARE_TRIES + 4 * sum(len(values) for _, values in ordered)
    stack: list[tuple[int, int, dict[str, str]]] = [(0, 0, context)]
    while stack and tries:
        place, start, assignment = stack.pop()
        if place == len(ordered):
            return assignment
        item, values = ordered[place]
        for number in range(start, len(values)):
            tries -= 1
            trial = dict(assignment)
            if item.fits(values[number], trial):
                stack.append((place, number + 1, assignment))
                stack.append((place + 1, 0, trial))
                break
            if not tries:
                break
    return None
