"""The definition that a message of an AsyncAPI document becomes, as one channel and protocol carry it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from xregit.document.asyncapi import facts
from xregit.document.asyncapi.messages import DEFAULTS, ENDPOINT, ENVELOPE, MESSAGE, PART
from xregit.document.asyncapi.reader import REF, Descriptions, Node, Notes, Reader, placeholder_names
from xregit.document.asyncapi.schemas import ImportedSchema, SchemaImporter, format_of
from xregit.document.schema_files import only_type
from xregit.model import protocols
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON, EVENTS
from xregit.protocols.binding import STRUCTURED, event_binding

Value = dict[str, Any]
# The attributes that every event has, and what its JSON form has beside attributes.
_EVENT_NAMES = ("specversion", "id", "source", "type")
_EVENT_MEMBERS = ("data", "data_base64")
# Types that only some properties of AMQP may have.
_OF_AMQP = ("ulong", "uuid")
# Members of a header's schema that its definition says, or that say nothing more.
_OF_PROPERTIES = frozenset({"type", "const", "description", "x-property", REF})
# Where the schema of CloudEvents' JSON format is published.
_EVENT_SCHEMA = re.compile(r"^https?://[^#]*cloudevents[^#]*\.json(?:#|$)")
HTTP, AMQP, RABBIT = "HTTP", "AMQP/1.0", "AMQP/0-9-1"
_SECURE = {"wss": "ws", "stomps": "stomp"}
# Names of schemes that are those of several protocols.
_SHARED = frozenset({"ws", "wss", "ssl"})


@dataclass(frozen=True)
class MessageSource:
    """A message of a channel: its object, and that with those of its traits; the first that states something counts."""

    name: str
    node: Node
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class ChannelSource:
    """A channel: its address with what is known of its variables, the servers that have it, and its messages."""

    node: Node
    address: str
    parameters: tuple[Node, ...]
    servers: tuple[Node, ...]
    messages: tuple[MessageSource, ...]


@dataclass(frozen=True)
class OperationSource:
    """What the described application does at a channel, and with which messages; the first node is its object.

    Messages that it does nothing with have an operation without action.
    """

    kind: str
    name: str
    action: str
    channel: ChannelSource
    messages: tuple[MessageSource, ...]
    nodes: tuple[Node, ...]


def protocol_of(name: str, version: str = "") -> str:
    """Return our name of a protocol, given AsyncAPI's."""
    name = name.lower()
    if name.startswith("amqp"):  # AsyncAPI's "amqp" is the older protocol of RabbitMQ, unless a version says otherwise
        if name != "amqp1" and not version.startswith("1"):
            return RABBIT
        name, version = "amqp", "1.0"
    ours = [known for known in protocols.protocols() if name in _schemes(known)]
    name = name if ours else _SECURE.get(name, name).removesuffix("-secure")
    exact = [known for known in ours if facts.protocol(known).protocolversion[:1] == version[:1]]
    if exact or (ours and not (version and any(facts.protocol(known).protocolversion for known in ours))):
        return (exact if version and exact else ours[-1:])[0]
    return f"{name.upper()}/{version}" if version and name else name.upper()


def protocol_by_binding(binding: str) -> str:
    """Return our name of the protocol of a binding."""
    names = (name for name in reversed(list(protocols.protocols())) if facts.protocol(name).binding == binding)
    return next(names, RABBIT if binding == "amqp" else binding.upper())


def transport(protocol: str, address: str) -> Value:
    """Return protocol and protocol options of a message, given AsyncAPI's name of the protocol and an address."""
    ours = protocol_of(protocol)
    options: Value = {}
    _set_option(options, ours, _address_source(ours) or f"{MESSAGE}/address", {"value": placeholder_names(address)})
    return {"protocol": ours, PART: options}


def _address_source(protocol: str) -> str:
    """Return the option of a message that holds its address; empty where the endpoint has it."""
    known = facts.protocol(protocol)
    sources = (source for source in known.address if source.startswith(MESSAGE))
    return next(sources, "" if known.binding else f"{MESSAGE}/address")


@cache
def _schemes(protocol: str) -> frozenset[str]:
    known = facts.protocol(protocol)
    return frozenset({known.protocol, *known.schemes, *known.schemes.values()}) - _SHARED


@dataclass
class Definition:
    """One message's definition in the making.

    ``schema_name`` is the id of a schema that has no name itself, ``endpoint_options`` are what the message states for
    the endpoint, ``examples`` the payloads of its examples, ``schema`` the one that they follow.
    """

    reader: Reader
    notes: Notes
    schemas: SchemaImporter
    root: Node
    protocol: str
    schema_name: str = ""
    endpoint_options: Value = field(default_factory=dict)
    examples: list[Node] = field(default_factory=list)
    schema: ImportedSchema | None = None

    def value(
        self,
        message: MessageSource,
        group: tuple[str, str],
        channel: ChannelSource,
        operations: Sequence[OperationSource],
    ) -> Value:
        """Return the definition of a message as operations have it; schemas go to a group of this id and title."""
        content = next(filter(None, (node.text("contentType") for node in message.nodes)), "")
        content = content or self.root.text("defaultContentType")
        headers = self._members([node for item in message.nodes if (node := self.reader.get(item, "headers"))])
        payload = next((item.child("payload") for item in message.nodes if item.get("payload") is not None), None)
        result = self._description(message, channel, operations)
        others = (*(node for operation in operations for node in operation.nodes), channel.node)
        if any(node.get("deprecated") is True for node in (message.node, *others)):
            result["meta"] = {"deprecated": {}}
        self.examples = [item for node in message.nodes for item in self._example_payloads(node)]
        structured = self._structured(content, payload)
        attributes = structured[0] if structured else self._binary(headers)
        if attributes is not None:
            result |= {"envelope": CLOUDEVENTS, ENVELOPE: attributes}
        if structured:
            payload = structured[1]
            if content and not content.startswith(EVENTS):
                self.notes.leave_out("A content type that is not that of its event", message.node)
            content = content if content.startswith(EVENTS) else EVENT_JSON
            self.examples = [item.child("data") for item in self.examples if "data" in item.value]
            if self.protocol:  # without one there is no other form
                result["envelopeoptions"] = {"mode": STRUCTURED, "format": EVENT_JSON}
        mode = message.node.get("x-envelopeoptions")
        if isinstance(mode, Mapping):
            result |= {"envelopeoptions": dict(mode)}
        if self.protocol:
            options = self._options(message, channel, headers, others)
            result |= {"protocol": self.protocol, PART: options}
        else:
            advice = "Add a server, which names the protocol, and import the document again."
            for header, _ in headers.values():
                self.notes.leave_out("A header of a message without a protocol", header, advice)
        result |= self._payload(message, payload, group)
        return {**result, **({"datacontenttype": content} if content else {})}

    def _description(
        self, message: MessageSource, channel: ChannelSource, operations: Sequence[OperationSource]
    ) -> Value:
        """Return name, description, documentation and labels."""
        node = message.node
        texts = Descriptions(self.reader, self.notes)
        parts = (("message", message.nodes), *((item.kind, item.nodes) for item in operations))
        result = texts.of(*parts, ("channel", (channel.node,)))
        variables = texts.variables(channel.parameters)
        if variables:
            result["description"] = "\n\n".join(filter(None, (result.get("description"), variables)))
        replies = [item.nodes[0] for item in operations if item.kind == "reply"]
        place = next(filter(None, (self.reader.get(reply, "address") for reply in replies)), None)
        correlation = next(filter(None, (self.reader.get(item, "correlationId") for item in message.nodes)), None)
        labels = {
            "address": "" if self.protocol else channel.address,
            "channel": channel.address if self._topic(channel) not in ("", channel.address) else "",
            "operation": ", ".join(dict.fromkeys(item.name for item in operations)),
            "message-id": node.text("messageId") if node.text("messageId") != message.name else "",
            "message-name": node.text("name")
            if node.text("title") and not _same(node.text("name"), message.name)
            else "",
            "correlation-id": correlation.text("location") if correlation else "",
            "reply-to": place.text("location") if place else "",
        }
        for what, item in (("correlation id", correlation), ("reply address", place)):
            if item is not None and item.text("description"):
                self.notes.leave_out(f'"description" of a {what}', item.child("description"))
        own = {name: label for name, label in labels.items() if label}
        if own:
            result["labels"] = {**own, **result.get("labels", {})}
        title = node.text("title") or (node.text("name") if node.text("name") != message.name else "")
        return {**({"name": title} if title else {}), **result}

    def _example_payloads(self, node: Node) -> Iterator[Node]:
        """Yield the payloads of a message's examples; in AsyncAPI 2 before 2.1, an example may be anything."""
        for item in map(self.reader.resolve, self.reader.members(node, "examples")):
            for member in item.members() if isinstance(item.value, Mapping) else ():
                if member.name == "payload":
                    yield self.reader.resolve(member)
                else:
                    self.notes.leave_out(f'"{member.name}" of the example', member)

    # Events.

    def _structured(self, content: str, payload: Node | None) -> tuple[Value, Node | None] | None:
        """Return the attributes of the event that the payload is, and the schema of its data."""
        if payload is None or (payload.is_elsewhere and not content.startswith(EVENTS)):
            return None
        if self.protocol and not event_binding(self.protocol):  # there is no form in which it carries events
            return None
        schema = self.reader.resolve(payload)
        members = self._members([schema])
        if not content.startswith(EVENTS) and not _is_event(schema) and not members.keys() >= {*_EVENT_NAMES}:
            return None
        data = members.get("data")
        attributes = {name: item for name, item in members.items() if name not in _EVENT_MEMBERS}
        exported = schema.text("x-dataschema")  # of a language that AsyncAPI's schemas can't hold
        if exported:
            return self._attributes(attributes), Node({REF: exported}, schema.file, schema.pointer)
        return self._attributes(attributes), data[0] if data and data[0].value else None

    def _binary(self, headers: dict[str, tuple[Node, bool]]) -> Value | None:
        """Return the attributes of the event that the headers hold, which are taken out of the headers."""
        binding = event_binding(self.protocol)
        prefixes = (*binding.prefixes, *(binding.tolerant.prefixes if binding.tolerant else ())) if binding else ()
        for prefix in prefixes:
            names = {name.lower(): name for name in headers}
            if all(prefix.lower() + name in names for name in (_EVENT_NAMES if not prefix else ("type",))):
                pattern = re.compile(re.escape(prefix) + "[a-z0-9]+", re.IGNORECASE if prefix else 0)
                own = {name: headers.pop(name) for name in names.values() if pattern.fullmatch(name)}
                return self._attributes({name[len(prefix) :].lower(): item for name, item in own.items()})
        return None

    def _attributes(self, members: Mapping[str, tuple[Node, bool]]) -> Value:
        """Return the definitions of an event's attributes."""
        result = {}
        for name, (schema, required) in members.items():
            if name == "specversion":
                continue
            definition = self._property(schema, required=required and name not in _EVENT_NAMES)
            if definition.get("type") in ("string", "uri") and "value" not in definition:
                del definition["type"]
            if name != "id" or "value" in definition:
                result[name] = definition
        return result

    # Options of the protocol.

    def _options(
        self,
        message: MessageSource,
        channel: ChannelSource,
        headers: Mapping[str, tuple[Node, bool]],
        operations: Iterable[Node],
    ) -> Value:
        """Return the protocol options: address, headers, and what the bindings of message and operation say."""
        known = facts.protocol(self.protocol)
        options: Value = {}
        own = _address_source(self.protocol)
        address = self._topic(channel) or channel.address
        if address and self.protocol == HTTP and not address.startswith("/") and not self.root.text("x-xid"):
            address = f"/{address}"  # as paths of requests do
        if address and own:
            _set_option(options, self.protocol, own, {"value": placeholder_names(address)})
        if headers:
            target = next(
                (source for source in (*known.headers, *_header_sources(known)) if source.startswith(MESSAGE)),
                f"{MESSAGE}/headers",
            )
            for name, (schema, required) in headers.items():
                _set_option(options, self.protocol, f"{target}/{name}", self._property(schema, required=required))
        for level, nodes in (("operation", operations), ("message", message.nodes)):
            for node in nodes:
                self.bind(options, level, node)
        unplaced = message.node.get("x-protocoloptions")
        return {**options, **(unplaced if isinstance(unplaced, Mapping) else {})}

    def _topic(self, channel: ChannelSource) -> str:
        """Return the topic that a channel's binding names in place of its address, or nothing."""
        stated = self.reader.get(channel.node, "bindings", binding_of(self.protocol)) if self.protocol else None
        return stated.text("topic") if stated and _address_source(self.protocol).endswith("/topic") else ""

    def bind(self, options: Value, level: str, node: Node) -> None:
        """Add what the binding of an object says to the options of the message, or to those of the endpoint."""
        levels = facts.protocol(self.protocol).rows
        rows = {**levels.get("message", {}), **levels.get("operation", {}), **levels.get(level, {})}  # or misplaced
        binding = self.reader.get(node, "bindings", binding_of(self.protocol))
        defaults = binding.get(DEFAULTS) if binding is not None else None
        defaults = defaults if isinstance(defaults, list) else []
        for member in binding.members() if binding is not None else ():
            row = rows.get(member.name)
            if member.name in ("bindingVersion", DEFAULTS) or member.name in defaults:
                continue
            node = self.reader.resolve(member)
            if row is None and self._is_kept(member):
                options.setdefault(member.name.lower(), node.value)
                continue
            if row is None:
                if member.name != "topic":  # which is the address
                    self.notes.leave_out(f'"{member.name}" of a binding', member)
                continue
            own = [name for name in row.sources if name.startswith(MESSAGE)] or [*row.sources]
            is_encoded = node.get("contentEncoding") == "base64"
            source = next((name for name in own if name.endswith("_base64") == is_encoded), own[0])
            if row.form == "object":
                for name, (schema, required) in self._members([node]).items():
                    _set_option(options, self.protocol, f"{source}/{name}", self._property(schema, required=required))
                continue
            value = {"value": node.value} if row.form == "value" else self._property(node, required=False)
            if "value" not in value:
                self.notes.leave_out(f'"{member.name}" of a binding without one value', member)
            elif source.startswith(ENDPOINT):
                self.endpoint_options[source.removeprefix(f"{ENDPOINT}/")] = value["value"]
            else:
                _set_option(options, self.protocol, source, value)

    def _is_kept(self, member: Node) -> bool:
        """Return whether an option can stand as it is: nothing is known of the protocol, and it is whole in itself."""
        return not facts.protocol(self.protocol).binding and f'"{REF}"' not in json.dumps(member.value, default=str)

    def _property(self, schema: Node, *, required: bool) -> Value:
        """Return the definition of a property, given the schema of its value."""
        value = schema.value if isinstance(schema.value, Mapping) else {}
        description = schema.text("description")
        result: Value = {"description": description} if description else {}
        exported = value.get("x-property")
        if isinstance(exported, Mapping):
            return {**exported, **({"required": True} if required else {}), **result}
        kind = _type(value, self.protocol)
        constant = value["const"] if "const" in value else _only(value.get("enum"))
        result |= {"type": kind} if kind != "string" else {}
        if constant is not None and not isinstance(constant, Mapping | list):
            return {**result, "value": constant}
        for name in value:
            if name not in _OF_PROPERTIES and not (name in ("format", "contentEncoding") and kind != "string"):
                self.notes.leave_out(f'"{name}" of a header', schema.child(name))
        return {**result, **({"required": True} if required else {})}

    # Payloads.

    def _payload(self, message: MessageSource, payload: Node | None, group: tuple[str, str]) -> Value:
        """Return the attributes that say what the payload is."""
        node = message.node
        stated = {
            name: node.text(f"x-{name}") for name in ("dataschemaformat", "dataschemauri") if node.text(f"x-{name}")
        }
        if payload is None or payload.value in ({}, True):
            return stated
        media_type = next(filter(None, (item.text("schemaFormat") for item in message.nodes)), "")
        if isinstance(payload.value, Mapping) and "schemaFormat" in payload.value and "schema" in payload.value:
            media_type, payload = payload.text("schemaFormat"), payload.child("schema")
        if payload.is_elsewhere:
            return {"dataschemaformat": format_of(media_type), "dataschemauri": payload.reference}
        if self.reader.resolve(payload).value == {}:  # its file can't be read, or it says nothing
            return stated
        schema = self.schemas.add(group, payload, media_type, self.schema_name)
        self.schema = schema
        type_ = node.text("x-dataschematype")
        selector = f":{type_}" if type_ else only_type(schema.format, str(schema.document))
        return {"dataschemaformat": schema.format, "dataschemauri": schema.xid + selector}

    def _members(self, schemas: Iterable[Node]) -> dict[str, tuple[Node, bool]]:
        """Return the properties of object schemas, joined, each with whether it is required."""
        result: dict[str, tuple[Node, bool]] = {}
        pending, seen = list(schemas), set()
        required: set[Any] = set()
        while pending:
            schema = pending.pop(0)
            if schema.place in seen or not isinstance(schema.value, Mapping):
                continue
            seen.add(schema.place)
            names = schema.value.get("required")
            required |= {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
            for item in self.reader.members(schema, "properties"):
                result.setdefault(item.name, (item if item.is_elsewhere else self.reader.resolve(item), False))
            parts = [item for item in self.reader.members(schema, "allOf") if not _EVENT_SCHEMA.search(item.reference)]
            pending += map(self.reader.resolve, reversed(parts))  # the first is the most general, by custom
        return {name: (node, name in required) for name, (node, _) in result.items()}


def _set_option(options: Value, protocol: str, source: str, definition: Value) -> None:
    """Set an option of a message, or one entry of a map or list of them, unless it is set already."""
    path = source.removeprefix(f"{MESSAGE}/").split("/", 1)
    model = _option_models(protocol)
    section = model.get(path[0], {})
    if len(path) == 1:
        bare = section.get("bare") or not model
        if not bare or "value" in definition:
            options.setdefault(path[0], definition["value"] if bare else definition)
    elif section.get("type") == "array":
        items = options.setdefault(path[0], [])
        if all(item["name"] != path[1] for item in items):
            items.append({"name": path[1], **definition})
    else:
        options.setdefault(path[0], {}).setdefault(path[1], definition)


def _is_event(schema: Node) -> bool:
    """Return whether a schema includes that of CloudEvents, which is known without being fetched."""
    parts = schema.get("allOf")
    return isinstance(parts, list) and any(
        _EVENT_SCHEMA.search(item.reference) for item in schema.child("allOf").members()
    )


def _same(one: str, other: str) -> bool:
    """Return whether two names are one, however they are written."""
    first, second = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (one, other))
    return first == second


def _only(values: Any) -> Any:
    """Return the only one of some values, or nothing."""
    return values[0] if isinstance(values, list) and len(values) == 1 else None


def _type(schema: Mapping[str, Any], protocol: str) -> str:
    """Return our type of a property's value, by the schema that is exported for it, or else its type and format."""
    stated = {name: value for name, value in schema.items() if name in ("type", "format", "contentEncoding", "minimum")}
    for name, other in facts.tables()["types"].items():
        if stated and stated == other and (name not in _OF_AMQP or protocol == AMQP):
            return str(name)
    kind, form = schema.get("type"), schema.get("format")
    forms = {"uri": "uri", "iri": "uri", "date-time": "timestamp"}
    if kind in ("string", None):
        return forms.get(str(form), "string")
    return str(kind) if kind in ("integer", "number", "boolean") else "string"


def binding_of(protocol: str) -> str:
    """Return AsyncAPI's name of the binding of a protocol."""
    return facts.protocol(protocol).binding or protocol.partition("/")[0].lower()


def _header_sources(known: facts.Protocol) -> tuple[str, ...]:
    """Return where headers are, of a protocol that has a binding for them."""
    row = known.rows.get("message", {}).get("headers")
    return row.sources if row else ()


@cache
def _option_models(protocol: str) -> Mapping[str, Any]:
    """Return the model of each protocol option of a message; empty for a protocol that we don't know."""
    parts = protocols.protocols().get(protocol)
    models: Mapping[str, Any] = parts["message"][PART]["attributes"] if parts else {}
    return models
