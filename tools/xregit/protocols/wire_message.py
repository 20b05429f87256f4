"""A message on the wire: its JSON shape, and its values by key.

The JSON shape has the protocol options by their own names, ``protocol``, and the payload as ``body`` or
``body_base64``. A key is the path of an option below ``protocoloptions``, where an item of a list is addressed by its
name: ``topic_name``, ``headers/content-type``, ``application-properties/depot``.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xregit.model.excerpts import quote
from xregit.protocols.canonical_text import to_text
from xregit.protocols.cloudevents import Event, WireError, event_json, from_base64, payload_bytes, read_event
from xregit.protocols.json import json_bytes, json_value
from xregit.protocols.message_layout import (
    BASE64,
    MAP,
    ONE,
    PAIRS,
    FieldReader,
    MessageLayout,
    message_layout,
    protocol_name,
    unknown_field,
)


@dataclass(frozen=True, slots=True)
class Wire:
    """One message on the wire.

    ``protocol`` is spelled as the specification does, such as ``MQTT/5.0``. ``fields`` has the protocol's own options:
    single values, lists as tuples of names with texts, maps as mappings; bytes stand where a value is not text.
    Without a protocol it is a bare CloudEvent, and ``fields`` has its attributes. ``body`` is None without payload.
    """

    protocol: str
    fields: Mapping[str, Any]
    body: bytes | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the message in its JSON shape; a bare CloudEvent in the JSON event format."""
        if not self.protocol:
            return event_json(Event(self.fields, self.body))
        layout = message_layout(self.protocol)
        twins = layout.twins if layout else {}
        value: dict[str, Any] = {"protocol": self.protocol}
        for name, item in self.fields.items():
            value[name] = b64encode(item).decode() if name in twins else _json_value(item)
        return value | body_json(self.body)


MAX_PROTOCOL_CHARS = 128
_BODY = frozenset({"protocol", "body", "body_base64"})


def read_wire(value: object) -> Wire:
    """Return the message that a JSON value stands for; an object without protocol is a CloudEvent.

    Raises:
        WireError: it is no such object; all that is wrong with it is listed.
    """
    if not isinstance(value, Mapping):
        raise WireError((f"A message must be a JSON object, but is {quote(value)}.",))
    if "protocol" not in value and value.get("specversion") is None:
        raise WireError(('A message has "protocol", or "specversion" if it is a CloudEvent; this has neither.',))
    if "protocol" not in value:
        event = read_event(value)
        return Wire("", event.attributes, event.data)
    protocol = value["protocol"]
    if not isinstance(protocol, str) or not 0 < len(protocol) <= MAX_PROTOCOL_CHARS:
        raise WireError((f'"protocol" must be the name of a protocol, but is {quote(protocol)}.',))
    name = protocol_name(protocol)
    problems: list[str] = []
    body = _body(value, problems)
    options = {key: item for key, item in value.items() if key not in _BODY}
    fields = _fields(message_layout(name), options, problems)
    if problems:
        raise WireError(tuple(problems))
    return Wire(name, fields, body)


def _body(value: Mapping[str, Any], problems: list[str]) -> bytes | None:
    if "body" in value and "body_base64" in value:
        problems.append('A message has "body" or "body_base64", not both.')
        return None
    name = "body_base64" if "body_base64" in value else "body"
    if name not in value:
        return None
    try:
        return from_base64(value[name]) if name == "body_base64" else payload_bytes(value[name])
    except ValueError as error:
        problems.append(f'"{name}" {error}.')
        return None


def _fields(layout: MessageLayout | None, options: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return the fields of a message as a `Wire` has them."""
    # As everywhere in xRegistry, null is the same as leaving it out.
    present = {key: value for key, value in options.items() if value is not None}
    if layout is None:
        reader = FieldReader(None, problems)
        return {key: reader.undeclared(key, value) for key, value in present.items()}
    reader = FieldReader(layout.forbidden, problems)
    fields: dict[str, Any] = {}
    for key, value in present.items():
        field = layout.fields.get(layout.aliases.get(key, key))
        if field is None:
            problems.append(unknown_field(key, f"A message of {layout.protocol}", layout.fields))
        elif field.name in fields:
            problems.append(f'"{field.name}" and {quote(key)} are the same; leave one out.')
        else:
            fields[field.name] = reader.field(field, value)
    for name, twin in layout.twins.items():
        if name in fields and twin in fields:
            problems.append(f'A message of {layout.protocol} has "{twin}" or "{name}", not both.')
    return fields


_OBJECTS = (b"{", b"[")


def body_json(body: bytes | None) -> dict[str, Any]:
    """Return a payload as the members that stand for it: ``body``, or ``body_base64`` where it is no text.

    JSON objects and arrays stand as themselves where that loses nothing.
    """
    if body is None:
        return {}
    if body.startswith(_OBJECTS):
        try:
            value = json_value(body)
            if json_bytes(value) == body:
                return {"body": value}
        except ValueError:
            pass
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": b64encode(body).decode()}


def _json_value(value: Any) -> Any:
    if isinstance(value, bytes):
        return {BASE64: b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {name: _json_value(item) for name, item in value.items()}
    if isinstance(value, tuple):  # pairs, or several texts of one name
        pairs = (
            {"name": item[0], "value": item[1]} if isinstance(item, tuple) else _json_value(item) for item in value
        )
        return list(pairs)
    return [_json_value(item) for item in value] if isinstance(value, list) else value


def flatten(wire: Wire) -> dict[str, tuple[Any, ...]]:
    """Return all values of a message by their keys; those of a bare CloudEvent by the names of its attributes."""
    if not wire.protocol:
        return {name: (value,) for name, value in wire.fields.items()}
    layout = message_layout(wire.protocol)
    if layout is None:
        return {key: (value,) for key, value in _flatten_deep("", wire.fields)}
    values: dict[str, tuple[Any, ...]] = {}
    for name, value in wire.fields.items():
        if type(value) is tuple:
            folded = layout.fields[name].folded
            for part, text in value:
                key = f"{name}/{part.lower() if folded else part}"
                values[key] = (*values[key], text) if key in values else (text,)
        elif type(value) is dict or isinstance(value, Mapping):
            for part, item in value.items():
                values[f"{name}/{part}"] = item if type(item) is tuple else (item,)
        else:
            values[name] = (value,)
    for name, twin in layout.twins.items():
        _add_twin(values, name, twin)
    return values


def assemble(protocol: str, fields: Mapping[str, Sequence[Any]], body: bytes | None = None) -> Wire:
    """Return the message that has these values by key, and nothing else; the inverse of ``flatten``.

    Raises:
        WireError: there is no such field, a value does not fit, or several stand where one does; all is listed.
    """
    name = protocol_name(protocol)
    layout = message_layout(name)
    problems: list[str] = []
    options = _group(layout, fields, problems)
    # What is in the wrong place is not read as a value of that place.
    content = {} if problems else _fields(layout, options, problems)
    if problems:
        raise WireError(tuple(problems))
    return Wire(name, content, body)


def _flatten_deep(path: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _flatten_deep(f"{path}{name}/", item)
        elif type(item) is tuple:
            yield from ((f"{path}{name}/{part}", text) for part, text in item)
        else:
            yield f"{path}{name}", item


def _add_twin(values: dict[str, tuple[Any, ...]], name: str, twin: str) -> None:
    """Add the text of bytes, or the base 64 of a text, under the twin's key: definitions may state either."""
    if name in values:
        data: bytes = values[name][0]
        values[name] = (b64encode(data).decode(),)
        try:
            values[twin] = (data.decode(),)
        except UnicodeDecodeError:
            return
    elif twin in values:
        values[name] = (b64encode(values[twin][0].encode()).decode(),)


def _group(layout: MessageLayout | None, fields: Mapping[str, Sequence[Any]], problems: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key, values in fields.items():
        section, slash, part = key.partition("/")
        kind = layout.fields[section].kind if layout and slash and section in layout.fields else ONE
        if kind == ONE:
            options[key] = _single(key, values, problems)
            continue
        whole = options.setdefault(section, {} if kind == MAP else [])
        # Something else may stand in place of the whole section; it is refused as that.
        if kind == PAIRS and isinstance(whole, list):
            whole.extend((part, value) for value in values)
        elif kind == MAP and isinstance(whole, dict):
            repeated = layout is not None and layout.fields[section].repeated
            whole[part] = list(values) if repeated else _single(key, values, problems)
    for name, twin in layout.twins.items() if layout else ():
        if name in options and twin in options and _is_base64(options[name], of=options[twin]):
            del options[name]
    return options


def _single(key: str, values: Sequence[Any], problems: list[str]) -> Any:
    if len(values) != 1:
        problems.append(f"{quote(key)} has {len(values)} values, but takes one.")
    return values[0] if values else None


def _is_base64(value: Any, *, of: Any) -> bool:
    """Return whether a value is the same bytes as a text; one that is neither bytes nor a text is refused as that."""
    try:
        return to_text("binary", value) == b64encode(to_text("string", of).encode()).decode()
    except ValueError:
        return False
