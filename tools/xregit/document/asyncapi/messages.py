"""The AsyncAPI message of an endpoint's message: headers, payload and bindings, in the content mode that is in use.

In binary mode the attributes of an event are headers, by the names of the CloudEvents binding, and the payload is the
data; in structured mode the payload is the event, and its data a part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog import Endpoint, Message
from xregit.catalog.properties import Property
from xregit.catalog.views import text_of
from xregit.document.asyncapi.facts import BindingMember, Protocol, is_uri
from xregit.document.asyncapi.schemas import object_schema, property_schema
from xregit.errors import XregitError
from xregit.messages.encoder import new
from xregit.messages.example import EXAMPLE_ID, EXAMPLE_TIME
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON, EVENTS, find_name
from xregit.model.language import NOTHING
from xregit.protocols.binding import BINARY, STRUCTURED, EventBinding, event_binding
from xregit.protocols.cloudevents import SPECVERSION

if TYPE_CHECKING:
    from xregit.document.asyncapi.schemas import PayloadObject


PART = "protocoloptions"
MESSAGE, ENDPOINT = "message", "endpoint"
# Names the members of a binding that nobody stated, but AsyncAPI wants.
DEFAULTS = "x-defaults"
ENVELOPE = "envelopemetadata"
# CloudEvents specification, "Required Attributes".
_REQUIRED = ("specversion", "id", "source", "type")
_TYPES = {"source": "uri"}
_VALUES = {"specversion": SPECVERSION}
# Types of headers whose example is what the header's text says, since a schema says no more than that.
_TYPED = frozenset({"integer", "number", "boolean"})


def message_object(endpoint: Endpoint, message: Message, protocol: Protocol, payload: PayloadObject) -> dict[str, Any]:
    """Return a message of an endpoint as AsyncAPI has it."""
    structured = _is_structured(endpoint, message)
    options = options_of(endpoint, message, protocol)
    shape = _structured(endpoint, message, payload) if structured else _binary(message, payload)
    events = () if structured or message.envelope != CLOUDEVENTS else _attributes(message)
    headers = object_schema(_headers(protocol, options, events, _prefix(endpoint, message)))
    example = _examples(
        endpoint, message, headers["properties"], structured=structured, payload=_is_plain(shape, payload)
    )
    stated = message.resolved.attributes.get("envelopeoptions")
    mode = dict(stated) if isinstance(stated, Mapping) else {}
    unplaced = unplaced_options(message.resolved.attributes.get(PART), MESSAGE, protocol.placed)
    return {
        "name": message.id,
        **({"title": message.name} if message.name else {}),
        **description_of(message.resolved.attributes),
        **({"deprecated": True} if message.deprecated is not None else {}),
        **({"headers": headers} if headers["properties"] else {}),
        **shape,
        **bindings(protocol, MESSAGE, options),
        **example,
        **payload.extensions,
        **({"x-protocoloptions": unplaced} if unplaced else {}),
        **({"x-envelopeoptions": mode} if structured or mode else {}),
        **({"x-protocol": message.protocol} if message.protocol not in ("", endpoint.protocol) else {}),
        "x-xid": message.xid,
    }


def _is_plain(shape: Mapping[str, Any], payload: PayloadObject) -> bool:
    """Return whether JSON Schema describes the payload: that of an event, or that of the data."""
    return "payload" in shape and (shape["payload"] is not payload.schema or payload.plain is not None)


def options_of(endpoint: Endpoint, message: Message, protocol: Protocol) -> OptionValues:
    """Return the options that a message goes with; those of the endpoint are for requests, not for answers."""
    return OptionValues(NOTHING if is_answer(message, protocol) else endpoint.options, message.properties)


def is_answer(message: Message, protocol: Protocol) -> bool:
    """Return whether a message is the answer to another one, such as an HTTP response."""
    return any(item.path == (PART, protocol.answer) for item in message.properties)


def description_of(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return description, documentation and labels as AsyncAPI's objects have them."""
    result: dict[str, Any] = {}
    if text_of(attributes, "description"):
        result["description"] = attributes["description"]
    labels = attributes.get("labels")
    if isinstance(labels, Mapping) and labels:
        result["tags"] = [{"name": f"{name}: {value}" if value else str(name)} for name, value in labels.items()]
    if is_uri(attributes.get("documentation")):
        result["externalDocs"] = {"url": attributes["documentation"]}
    return result


def _is_structured(endpoint: Endpoint, message: Message) -> bool:
    """Return whether the payload is an event; where several modes may be used, one is described."""
    if message.envelope != CLOUDEVENTS:
        return False
    binding = _message_carrier(endpoint, message)
    if binding is None or BINARY not in binding.modes:
        return True
    return (_option(message, endpoint, "mode") or binding.modes[0]) != BINARY


def _message_carrier(endpoint: Endpoint, message: Message) -> EventBinding | None:
    return event_binding(message.protocol or endpoint.protocol)


def _option(message: Message, endpoint: Endpoint, name: str) -> str:
    """Return an envelope option, the message's own before the endpoint's."""
    for attributes in (message.resolved.attributes, endpoint.attributes):
        options = attributes.get("envelopeoptions")
        if isinstance(options, Mapping) and text_of(options, name):
            return text_of(options, name)
    return ""


def _binary(message: Message, payload: PayloadObject) -> dict[str, Any]:
    content = _content_type(message)
    return {
        **({"contentType": content} if content else {}),
        **({"payload": payload.schema} if payload.schema is not None else {}),
    }


def _structured(endpoint: Endpoint, message: Message, payload: PayloadObject) -> dict[str, Any]:
    """Return the event as payload; only the JSON event format has a schema."""
    form = _option(message, endpoint, "format") or EVENT_JSON
    if not form.endswith("+json"):
        return {"contentType": form}
    event = object_schema(_attributes(message))
    if payload.plain is not None:
        event["properties"]["data"] = payload.plain
    else:
        event["properties"] |= {"data": {}, "data_base64": {"type": "string", "contentEncoding": "base64"}}
        if payload.schema is not None:
            event["x-dataschema"] = payload.schema["$ref"]
    return {"contentType": form, "payload": event}


def _headers(
    protocol: Protocol, options: OptionValues, attributes: Iterable[Property], prefix: str
) -> Iterator[Property]:
    """Yield the headers: those that the protocol options declare, then the event's attributes without one."""
    headers = options.all(protocol.headers)
    yield from headers
    row = protocol.rows.get(MESSAGE, {}).get("headers")
    names = {item.name.lower() for item in (*headers, *options.all(row.sources if row else ()))}
    for item in attributes:
        header = prefix + item.name
        if item.name != "datacontenttype" and header.lower() not in names:
            yield item._replace(name=header)


def _prefix(endpoint: Endpoint, message: Message) -> str:
    binding = _message_carrier(endpoint, message)
    return binding.prefixes[0] if binding and binding.prefixes else ""


def _attributes(message: Message) -> Iterator[Property]:
    """Yield the attributes of an event: those that every event has, and those that the definition declares."""
    attributes = {item.name: item for item in message.properties if item.path[0] == ENVELOPE}
    for name in _REQUIRED:
        default = Property((ENVELOPE, name), name, _TYPES.get(name, "string"), required=True, value=_VALUES.get(name))
        attribute = attributes.pop(name, default)
        yield attribute._replace(required=True, value=_VALUES.get(name, attribute.value))
    content = text_of(message.resolved.attributes, "datacontenttype")
    if content and not content.startswith(EVENTS) and "datacontenttype" not in attributes:
        yield Property((ENVELOPE, "datacontenttype"), "datacontenttype", "string", required=False, value=content)
    yield from attributes.values()


def _content_type(message: Message) -> str:
    """Return the media type of the data as declared, or as it follows from its schema's language.

    That of a whole event, which some state for a message in structured mode, says nothing of its data.
    """
    attributes = message.resolved.attributes
    value = next((item.value for item in message.properties if item.path == (ENVELOPE, "datacontenttype")), None)
    content = value if isinstance(value, str) and "{" not in value else text_of(attributes, "datacontenttype")
    if content and not content.startswith(EVENTS):
        return content
    language = find_name("format", text_of(attributes, "dataschemaformat"))
    return language.payload if language else ""


def _examples(
    endpoint: Endpoint, message: Message, headers: Mapping[str, Any], *, structured: bool, payload: bool
) -> dict[str, Any]:
    """Return the member ``examples`` of a message, or nothing where no message can be made.

    ``headers`` are the schemas of its headers by name; ``payload`` says that its payload is described by JSON Schema.
    """
    mode = "" if not message.envelope else STRUCTURED if structured else BINARY
    protocol = message.protocol or endpoint.protocol
    try:
        wire = new(message, example=True, now=EXAMPLE_TIME, new_id=EXAMPLE_ID, mode=mode, protocol=protocol).as_json()
    except XregitError:
        return {}
    values = _header_values(wire, headers)
    # Without a protocol, the message is the event itself.
    body = wire.get("body") if "protocol" in wire else wire
    described = {"payload": body} if payload and isinstance(body, Mapping | list) else {}
    example = {**({"headers": values} if values else {}), **described}
    return {"examples": [example]} if example else {}


def _header_values(wire: Mapping[str, Any], headers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of headers, of whatever section of the message, by the names that the schema has."""
    texts: dict[str, Any] = {}
    for section in wire.values():
        if isinstance(section, list):
            texts |= {item["name"].lower(): item.get("value") for item in section if isinstance(item, Mapping)}
        elif isinstance(section, Mapping):
            texts |= {name.lower(): value for name, value in section.items()}
    return {name: _typed(texts[name.lower()], schema) for name, schema in headers.items() if name.lower() in texts}


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    if schema.get("type") in _TYPED and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


@dataclass(frozen=True, slots=True)
class OptionValues:
    """The options that an endpoint states for all messages, and the properties of one message, if there is one."""

    endpoint: Mapping[str, Any]
    message: tuple[Property, ...] = ()

    def all(self, sources: Sequence[str]) -> tuple[Property, ...]:
        """Return every property below these options, such as each of the ``message/headers``."""
        return tuple(item for source in sources for item in self._below(source))

    def first(self, sources: Sequence[str]) -> Property | None:
        """Return the first of these options that is there."""
        return next(iter(self.all(sources)), None)

    def _below(self, source: str) -> Iterator[Property]:
        owner, _, name = source.partition("/")
        path = (PART, *name.split("/"))
        if owner == MESSAGE:
            yield from (item for item in self.message if item.path[: len(path)] == path)
        elif owner == ENDPOINT:
            yield from _option_properties(self.endpoint.get(name), path)


def unplaced_options(options: Any, owner: str, placed: frozenset[str]) -> dict[str, Any]:
    """Return the options that have no place of their own."""
    members = options.items() if isinstance(options, Mapping) else ()
    return {name: value for name, value in members if f"{owner}/{name}" not in placed}


def _option_properties(value: Any, path: tuple[str, ...]) -> Iterator[Property]:
    """Yield an endpoint's option as the properties that it sets: itself, or each entry of a map or list of pairs."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield Property((*path, name), name, "string", required=True, value=item)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            if isinstance(item, Mapping) and isinstance(item.get("name"), str):
                yield Property((*path, str(number)), item["name"], "string", required=True, value=item.get("value"))
    elif value is not None:
        yield Property(path, path[-1], "any", required=True, value=value)


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
}


def bindings(protocol: Protocol, level: str, options: OptionValues) -> dict[str, Any]:
    """Return the member ``bindings`` of a server, operation or message, or nothing."""
    if not protocol.binding:
        return {}
    rows = protocol.rows.get(level, NOTHING)
    pairs = ((name, _FORMS[row.form](row, options)) for name, row in rows.items())
    members = {name: value for name, value in pairs if value is not None}
    defaults = [name for name, row in rows.items() if row.default is not None and not options.first(row.sources)]
    if not members and not defaults and level != "operation":
        return {}
    members |= {name: rows[name].default for name in defaults}
    version = {"bindingVersion": protocol.version} if protocol.version else {}
    return {"bindings": {protocol.binding: {**members, **version, **({DEFAULTS: defaults} if defaults else {})}}}


def _binding_value(row: BindingMember, options: OptionValues) -> Any:
    """Return a constant that the binding takes, or nothing."""
    item = options.first(row.sources)
    if item is None or item.placeholders:
        return None
    value = item.value
    if row.type == "integer" and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:  # noqa: PLR2004 - digits that every reader takes
        value = int(value)
    fits = value in row.enum and not isinstance(value, bool) if row.enum else _CHECKS[row.type](value)
    return value if fits else None


def _binding_schema(row: BindingMember, options: OptionValues) -> Any:
    item = options.first(row.sources)
    return property_schema(item) if item else None


def _binding_object(row: BindingMember, options: OptionValues) -> Any:
    items = options.all(row.sources)
    return object_schema(items) if items else None


_FORMS: Mapping[str, Callable[[BindingMember, OptionValues], Any]] = {
    "value": _binding_value,
    "schema": _binding_schema,
    "object": _binding_object,
}
