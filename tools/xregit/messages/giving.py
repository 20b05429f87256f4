"""The context that a caller gives, by short names, to values of placeholders and of properties."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.messages.definitions import ENVELOPE, OPTIONS
from xregit.model import builtin, siblings
from xregit.model.faults import guess
from xregit.model.names import CLOUDEVENTS
from xregit.model.quoting import shown
from xregit.protocols import key_of
from xregit.protocols.json import has_surrogates
from xregit.protocols.shapes import ONE, shape
from xregit.records import record

if TYPE_CHECKING:
    from xregit.messages.definitions import Definition


@record
class Assignments:
    """What is said of one message: values of placeholders, and of properties by their paths in a definition.

    ``problems`` has what is missing or wrong, each as a part of a sentence.
    """

    placeholders: Mapping[str, str]
    attributes: Mapping[str, Any]
    options: Mapping[str, Any]
    problems: tuple[str, ...] = ()


def assign(definition: Definition, protocol: str, context: Mapping[str, Any]) -> Assignments:
    """Sort a context: its names are placeholders, or properties that the definition leaves open.

    A property goes by its path in the definition, such as ``protocoloptions/headers/Retry-After``, or by the last part
    of it where only one has that name.
    """
    problems: list[str] = []
    wanted = definition.placeholders
    placeholders = {}
    for name, places in wanted.items():
        problem = _placeholder_problem(context.get(name))
        if problem:
            problems.append(f'the placeholder "{name}" {problem} ({", ".join(places)})')
        else:
            placeholders[name] = context[name]
    attributes: dict[str, Any] = {}
    options: dict[str, Any] = {}
    others = {name: value for name, value in context.items() if name not in wanted}
    names = _property_paths(definition, protocol) if others else {}
    for name, value in others.items():
        part, _, rest = _path(name, names).partition("/")
        if part == ENVELOPE and definition.enveloped and rest:
            attributes[rest] = value
        elif part == OPTIONS and protocol and rest:
            options[_option_key(protocol, rest)] = value
        else:
            problems.append(f'nothing in it is called "{name}". {guess(name, [*wanted, *names])}'.rstrip(". "))
    return Assignments(placeholders, attributes, options, tuple(problems))


def _placeholder_problem(value: Any) -> str:
    if value is None:
        return "has no value"
    if not isinstance(value, str):
        return f"must be a text, but is {shown(value)}"
    if not value:
        return "is empty"
    return "has half a character (a lone surrogate)" if has_surrogates(value) else ""


def _path(name: str, names: Mapping[str, str]) -> str:
    return name if name.startswith((f"{ENVELOPE}/", f"{OPTIONS}/")) else names.get(name, "")


def _property_paths(definition: Definition, protocol: str) -> dict[str, str]:
    """Return the paths of properties by their short names: of the envelope, else of the protocol, else as declared."""
    found: dict[str, str] = {}
    if protocol:
        known = shape(protocol)
        single = [field.name for field in known.fields.values() if field.kind == ONE] if known else []
        found |= {name: f"{OPTIONS}/{name}" for name in single}
    if definition.enveloped:
        found |= {name: f"{ENVELOPE}/{name}" for name in _event_attributes()}
    for item in definition.constraints:
        found.setdefault(item.attribute.rpartition("/")[2], item.attribute)
    return found


@cache
def _event_attributes() -> tuple[str, ...]:
    """Return the names of the attributes that every CloudEvent may have."""
    message = builtin().groups["messagegroups"].resources["messages"]
    known = siblings(message.attributes, {"envelope": CLOUDEVENTS})[ENVELOPE].attributes
    return tuple(name for name in known if name != "*")


def _option_key(protocol: str, path: str) -> str:
    section, slash, name = path.partition("/")
    return key_of(protocol, section, name) if slash else section
