"""A message on the wire: read from its JSON shape, written to it, and flattened to values by key.

The JSON shape has the protocol options by their own names, ``protocol``, and the payload as ``body`` or
``body_base64``. A key is the path of an option below ``protocoloptions``, where an item of a list is addressed by its
name: ``topic_name``, ``headers/content-type``, ``application-properties/depot``.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xregit.model.quoting import quote
from xregit.protocols.cloudevents import Event, WireError, event_json, from_base64, payload_bytes, read_event
from xregit.protocols.fields import BASE64, MAP, ONE, PAIRS, FieldReader, Shape, protocol_name, shape, unknown_field
from xregit.protocols.json import json_bytes, json_value
from xregit.protocols.values import to_text


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
        known = shape(self.protocol)
        twins = known.twins if known else {}
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
    given = {key: item for key, item in value.items() if key not in _BODY}
    fields = _fields(shape(name), given, problems)
    if problems:
        raise WireError(tuple(problems))
    return Wire(name, fields, body)


def read_fields(known: Shape | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a message as a `Wire` has them.

    Raises:
        WireError: there is no such field, or a value does not fit; all that is wrong is listed.
    """
    problems: list[str] = []
    fields = _fields(known, given, problems)
    if problems:
        raise WireError(tuple(problems))
    return fields


def _body(value: Mapping[str, Any], problems: list[str]) -> bytes | None:
    if "body" in value and "body_base64" in value:
        problems.append('A message has "body" or "body_base64", not both.')
        return None
    try:
        if "body_base64" in value:
            return from_base64(value["body_base64"])
        if "body" not in value:
            return None
        return payload_bytes(value["body"])
    except ValueError as error:
        named = "body_base64" if "body_base64" in value else "body"
        problems.append(f'"{named}" {error}.')
        return None


def _fields(known: Shape | None, given: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    # As everywhere in xRegistry, null is the same as leaving it out.
    present = {key: value for key, value in given.items() if value is not None}
    if known is not None:
        return _known_fields(known, present, problems)
    reading = FieldReader(None, problems)
    return {key: reading.of_unknown(key, value) for key, value in present.items()}


def _known_fields(known: Shape, given: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    reading = FieldReader(known.forbidden, problems)
    fields: dict[str, Any] = {}
    for key, value in given.items():
        field = known.fields.get(known.aliases.get(key, key))
        if field is None:
            problems.append(unknown_field(key, f"A message of {known.protocol}", known.fields))
        elif field.name in fields:
            problems.append(f'"{field.name}" and {quote(key)} are the same; leave one out.')
        else:
            fields[field.name] = reading.field(field, value)
    for name, twin in known.twins.items():
        if name in fields and twin in fields:
            problems.append(f'A message of {known.protocol} has "{twin}" or "{name}", not both.')
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
    if isinstance(value, tuple):
        return [_json_pair(item) for item in value]
    return [_json_value(item) for item in value] if isinstance(value, list) else value


def _json_pair(item: Any) -> Any:
    if isinstance(item, tuple):
        return {"name": item[0], "value": item[1]}
    return _json_value(item)


def flatten(wire: Wire) -> dict[str, tuple[Any, ...]]:
    """Return all values of a message by their keys; those of a bare CloudEvent by the names of its attributes."""
    if not wire.protocol:
        return {name: (value,) for name, value in wire.fields.items()}
    known = shape(wire.protocol)
    if known is None:
        return {key: (value,) for key, value in _flatten_deep("", wire.fields)}
    found: dict[str, tuple[Any, ...]] = {}
    for name, value in wire.fields.items():
        if type(value) is tuple:
            folded = known.fields[name].folded
            for part, text in value:
                key = f"{name}/{part.lower() if folded else part}"
                found[key] = (*found[key], text) if key in found else (text,)
        elif type(value) is dict or isinstance(value, Mapping):
            for part, item in value.items():
                found[f"{name}/{part}"] = item if type(item) is tuple else (item,)
        else:
            found[name] = (value,)
    for name, twin in known.twins.items():
        _add_twin(found, name, twin)
    return found


def assemble(protocol: str, fields: Mapping[str, Sequence[Any]], body: bytes | None = None) -> Wire:
    """Return the message that has these values by key, and nothing else; the inverse of ``flatten``.

    Raises:
        WireError: there is no such field, a value does not fit, or several stand where one does; all is listed.
    """
    name = protocol_name(protocol)
    known = shape(name)
    problems: list[str] = []
    given = _group(known, fields, problems)
    if problems:
        raise WireError(tuple(problems))
    return Wire(name, read_fields(known, given), body)


def _flatten_deep(path: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _flatten_deep(f"{path}{name}/", item)
        elif type(item) is tuple:
            yield from ((f"{path}{name}/{part}", text) for part, text in item)
        else:
            yield f"{path}{name}", item


def _add_twin(found: dict[str, tuple[Any, ...]], name: str, twin: str) -> None:
    """Add the text of bytes, or the base 64 of a text, under the twin's key: definitions may state either."""
    if name in found:
        data: bytes = found[name][0]
        found[name] = (b64encode(data).decode(),)
        try:
            found[twin] = (data.decode(),)
        except UnicodeDecodeError:
            return
    elif twin in found:
        found[name] = (b64encode(found[twin][0].encode()).decode(),)


def _group(known: Shape | None, fields: Mapping[str, Sequence[Any]], problems: list[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, values in fields.items():
        section, slash, part = key.partition("/")
        kind = known.fields[section].kind if known and slash and section in known.fields else ONE
        if kind == ONE:
            given[key] = _single(key, values, problems)
            continue
        whole = given.setdefault(section, {} if kind == MAP else [])
        # Something else may stand in place of the whole section; it is refused as that.
        if kind == PAIRS and isinstance(whole, list):
            whole.extend((part, value) for value in values)
        elif kind == MAP and isinstance(whole, dict):
            repeated = known is not None and known.fields[section].repeated
            whole[part] = list(values) if repeated else _single(key, values, problems)
    return _without_twins(known, given) if known else given


def _single(key: str, values: Sequence[Any], problems: list[str]) -> Any:
    if len(values) != 1:
        problems.append(f"{quote(key)} has {len(values)} values, but takes one.")
    return values[0] if values else None


def _without_twins(known: Shape, given: dict[str, Any]) -> dict[str, Any]:
    for name, twin in known.twins.items():
        if name in given and twin in given and _is_base64(given[name], of=given[twin]):
            del given[name]
    return given


def _is_base64(value: Any, *, of: Any) -> bool:
    """Tell whether a value is the same bytes as a text; one that is neither bytes nor a text is refused as that."""
    try:
        return to_text("binary", value) == b64encode(to_text("string", of).encode()).decode()
    except ValueError:
        return False
