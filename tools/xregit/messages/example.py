"""Example values for a message definition: its placeholders, the properties that it leaves open, and its payload."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from xregit.catalog.views import Message
from xregit.messages.constraints import Constraint
from xregit.messages.definition import Definition, target
from xregit.messages.payload import NO_DATA, Payload, encode_payload, payload_media_type, payload_schema
from xregit.payloads import PayloadError, SchemaError
from xregit.payloads.sample_texts import SAMPLE_TEXTS, named_text
from xregit.protocols.binding import event_binding

#: The time and id of the examples on the docs site, which are the same with every build.
EXAMPLE_TIME = datetime.fromisoformat(SAMPLE_TEXTS["date-time"])
EXAMPLE_ID = SAMPLE_TEXTS["uuid"]
# The example of each type that does not accept any word.
_TYPED = {
    "boolean": "true", "integer": "1", "ulong": "1", "number": "1", "binary": "YQ==",
    "duration": SAMPLE_TEXTS["duration"], "timestamp": SAMPLE_TEXTS["date-time"], "uuid": EXAMPLE_ID,
    "uri": SAMPLE_TEXTS["uri"],
}  # fmt: skip
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
# What is no delimiter in an address, a topic or a subject, no boolean, and says more than the example of any string.
_PLAIN = re.compile(r"(?!True$|False$|text\d*$)[A-Za-z0-9_-]{1,64}")
_EVENT_DEFAULTS = frozenset({"id", "time"})
# The time of an event is a timestamp, whatever its definition says.
_EVENT_TIME = "envelopemetadata/time"


def example_context(definition: Definition, data: Any = NO_DATA) -> dict[str, str]:
    """Return a value for each placeholder, and for each property that must have a value.

    A placeholder has the value that the payload ``data`` has under its name; where it has none, its name and a number.
    """
    values = {name: _word(name) for name in definition.placeholders}
    values |= _payload_values(definition.placeholders, data)
    for item in definition.constraints:
        names = item.template.placeholders if item.template else ()
        kind = "timestamp" if item.attribute == _EVENT_TIME else item.type
        if item.template and len(names) == 1 and kind in _TYPED and item.template.text == f"{{{names[0]}}}":
            values[names[0]] = _TYPED[kind]
        elif _is_open(item):
            values[item.attribute] = _TYPED.get(item.type, _word(item.key.rpartition("/")[2]))
    declared = {item.key for item in definition.envelope}
    undeclared = [name for name in ("type", "source") if definition.enveloped and name not in declared]
    return values | {f"envelopemetadata/{name}": f"example.{name}" for name in undeclared}


def example_data(message: Message) -> Any:
    """Return the example of a message's schema as a value, or that there is none."""
    try:
        schema = payload_schema(message.registry, target(message))
        return NO_DATA if schema is None else schema.example()
    except (SchemaError, PayloadError):
        return NO_DATA


def example_payload(message: Message) -> Payload:
    """Return the example of a message's schema in the schema's encoding; no bytes where there is no schema."""
    try:
        schema = payload_schema(message.registry, target(message))
        return encode_payload(message, NO_DATA if schema is None else schema.example())
    except SchemaError:
        return encode_payload(message, NO_DATA)
    except PayloadError as error:
        return Payload(None, payload_media_type(message), (f"the schema of the payload gives no example: {error}",))


def endpoint_protocols(message: Message, *, enveloped: bool) -> tuple[str, ...]:
    """Return the protocols of the endpoints that carry a message which names none, "" first if it can go by none."""
    spoken = dict.fromkeys(endpoint.protocol for endpoint, _ in message.carriers if event_binding(endpoint.protocol))
    return ("", *spoken) if enveloped else tuple(spoken) or ("",)


def _payload_values(names: Iterable[str], data: Any) -> Iterator[tuple[str, str]]:
    """Yield those names under which a payload has a value that every place of a message takes, the outermost one."""
    wanted = {_folded(name): name for name in names}
    pending = deque([data] if wanted else ())
    while pending:
        value = pending.popleft()
        for key, item in value.items() if isinstance(value, Mapping) else ():
            name = wanted.get(_folded(key)) if isinstance(key, str) else None
            if name and isinstance(item, str | int) and _PLAIN.fullmatch(text := str(item)):
                del wanted[_folded(key)]
                yield name, text
            pending.append(item)
        pending.extend(value if isinstance(value, list | tuple) else ())


def _folded(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()


def _word(name: str) -> str:
    named = named_text(name)
    return named if named and _PLAIN.fullmatch(named) else f"{_SEPARATORS.sub('-', name).strip('-')}-1"


def _is_open(item: Constraint) -> bool:
    """Return whether a property needs a value from the context."""
    declared = item.constant is not None or item.template is not None or item.now
    return item.required and not declared and item.key not in _EVENT_DEFAULTS
