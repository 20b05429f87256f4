"""A definition and what a caller gave for one message to the values of its properties, and what is wrong with them."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.messages.constraints import PLAIN_TYPES, canonical_text
from xregit.messages.definitions import OPTIONS
from xregit.messages.forming import form_problems
from xregit.messages.mapping import attribute_value
from xregit.model.protocols import matching
from xregit.model.quoting import shown
from xregit.protocols import from_text, to_text
from xregit.protocols.events import REQUIRED, SPECVERSION
from xregit.protocols.shapes import PAIRS, shape
from xregit.records import record

if TYPE_CHECKING:
    from xregit.messages.constraints import Constraint
    from xregit.messages.definitions import Definition
    from xregit.messages.giving import Assignments

_NATIVE = frozenset({"binary", "boolean", "integer", "number", "ulong"})


@record
class Inputs:
    """What properties are filled with: what is said of the message, the time, and the id that it gets.

    ``problems`` takes what is missing or wrong, each as a part of a sentence.
    """

    given: Assignments
    now: datetime
    new_id: str
    problems: list[str]


def attribute_values(definition: Definition, filling: Inputs) -> dict[str, Any]:
    """Return the attributes of the CloudEvent, as JSON has them."""
    said = dict(filling.given.attributes)
    attributes: dict[str, Any] = {"specversion": SPECVERSION}
    for item in definition.envelope:
        fresh = filling.new_id if item.key == "id" else ""
        implied = _timestamp(filling) if item.key == "time" else fresh
        text = _property_text(item, filling, said.pop(item.key, None), implied=implied)
        if text is not None:
            attributes[item.key] = attribute_value(item, text)
    for name, value in said.items():
        attributes[name] = value if isinstance(value, bool | int) else _to_type("string", name, value, filling)
    attributes.setdefault("id", filling.new_id)
    declared = {item.key for item in definition.envelope}
    missing = [name for name in REQUIRED if name not in attributes and name not in declared]
    filling.problems.extend(f'"{name}" has no value, and every CloudEvent needs one' for name in missing)
    return attributes


def option_values(definition: Definition, protocol: str, filling: Inputs) -> dict[str, list[Any]]:
    """Return the values of the protocol's own properties by their keys."""
    said = dict(filling.given.options)
    fields: dict[str, list[Any]] = {}
    for item in definition.options:
        fresh = item.required and (item.type == "uuid" or item.key in matching("fresh").get(protocol, ()))
        known = len(filling.problems)
        text = _property_text(item, filling, said.pop(item.key, None), implied=filling.new_id if fresh else "")
        if text is not None:
            value = _native_value(item, protocol, text)
            fields.setdefault(item.key, []).append(value)
            if item.constant is None and len(filling.problems) == known:
                filling.problems.extend(form_problems(protocol, item.key, item.attribute, value, item.type))
    for key, value in said.items():
        filling.problems.extend(form_problems(protocol, key, f"{OPTIONS}/{key}", value))
    return fields | {key: [value] for key, value in said.items()}


def _property_text(item: Constraint, filling: Inputs, said: Any, *, implied: str) -> str | None:
    """Return the canonical text of a property's value, None where it has none."""
    if item.template is not None:
        return _expand(item, filling)
    if item.now and said is None:
        return _timestamp(filling)
    if item.constant is not None:
        if said is not None and canonical_text(item.type, said) != item.constant:
            filling.problems.append(f'{item.attribute} is always "{item.constant}", so it can\'t be {shown(said)}')
        return item.constant
    if said is None and not implied:
        if item.required:
            filling.problems.append(f"{item.attribute} has no value, and every such message needs one")
        return None
    return _to_type(item.type, item.attribute, said if said is not None else implied, filling)


def _expand(item: Constraint, filling: Inputs) -> str | None:
    """Return a template with its placeholders filled, None where values for them are missing or do not fit."""
    template, values = item.template, filling.given.placeholders
    if template is None or any(name not in values for name in template.placeholders):
        return None
    faults = [f"{item.attribute}: {fault}" for fault in template.faults(values)]
    filling.problems.extend(faults)
    text = template.expand(values)
    if not faults and item.type not in PLAIN_TYPES:
        _to_type(item.type, item.attribute, text, filling)
    return text


def _to_type(kind: str, label: str, value: Any, filling: Inputs) -> str | None:
    try:
        return to_text(kind, value)
    except ValueError as error:
        filling.problems.append(f"{label} {error}, but is {shown(value)}")
        return None


def _native_value(item: Constraint, protocol: str, text: str) -> Any:
    """Return a value as the protocol has it: lists of names with texts have texts only."""
    known = shape(protocol)
    section = known.fields.get(item.key.partition("/")[0]) if known else None
    if item.type not in _NATIVE or (section is not None and section.kind == PAIRS):
        return text
    return from_text(item.type, text) if canonical_text(item.type, text) is not None else text


def _timestamp(filling: Inputs) -> str:
    try:
        return _format_time(filling.now)
    except ValueError:
        due = "a datetime with a time zone, as datetime.now(UTC) gives one"
        filling.problems.append(f'"now" must be {due}, but is {shown(filling.now)}')
        return ""


@lru_cache(maxsize=1)
def _format_time(now: datetime) -> str:
    return to_text("timestamp", now)
