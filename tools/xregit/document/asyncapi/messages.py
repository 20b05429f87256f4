"""The AsyncAPI message of an endpoint's message: headers, payload and bindings, in the content mode that is in use.

In binary mode the attributes of an event are headers, by the names of the CloudEvents binding, and the payload is the
data; in structured mode the payload is the event, and its data a part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import Property
from xregit.catalog.views import text_of
from xregit.document.asyncapi.bindings import MESSAGE, PART, OptionValues, bindings, unplaced_options
from xregit.document.asyncapi.examples import examples
from xregit.document.asyncapi.facts import is_uri
from xregit.document.asyncapi.schemas import object_schema
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON, EVENTS, find_name
from xregit.model.language import NOTHING
from xregit.protocols.binding import BINARY, EventBinding, event_binding
from xregit.protocols.cloudevents import SPECVERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xregit.catalog import Endpoint, Message
    from xregit.document.asyncapi.facts import Protocol
    from xregit.document.asyncapi.schemas import PayloadObject

ENVELOPE = "envelopemetadata"
# CloudEvents specification, "Required Attributes".
_REQUIRED = ("specversion", "id", "source", "type")
_TYPES = {"source": "uri"}
_VALUES = {"specversion": SPECVERSION}


def message_object(endpoint: Endpoint, message: Message, protocol: Protocol, payload: PayloadObject) -> dict[str, Any]:
    """Return a message of an endpoint as AsyncAPI has it."""
    structured = _is_structured(endpoint, message)
    options = options_of(endpoint, message, protocol)
    shape = _structured(endpoint, message, payload) if structured else _binary(message, payload)
    events = () if structured or message.envelope != CLOUDEVENTS else _attributes(message)
    headers = object_schema(_headers(protocol, options, events, _prefix(endpoint, message)))
    example = examples(
        endpoint, message, headers["properties"], structured=structured, payload=_is_plain(shape, payload)
    )
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
    content = _content_type(message)
    if content and "datacontenttype" not in attributes:
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
