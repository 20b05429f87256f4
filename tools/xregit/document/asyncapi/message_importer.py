"""The definition that a message of an AsyncAPI document becomes, as one channel and protocol carry it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any

from xregit.document.asyncapi import facts
from xregit.document.asyncapi.messages import DEFAULTS, ENDPOINT, ENVELOPE, MESSAGE, PART
from xregit.document.asyncapi.reader import REF, Descriptions, Node, Reader, joined, placeholder_names
from xregit.document.asyncapi.schemas import ImportedSchema, SchemaImporter, format_of
from xregit.document.schema_files import only_type
from xregit.model import protocols
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON, EVENTS
from xregit.protocols.binding import STRUCTURED, event_binding
from xregit.protocols.cloudevents import SPECVERSION

Value = dict[str, Any]
# The attributes that every event has, and what its JSON form has beside attributes.
_EVENT_NAMES = ("specversion", "id", "source", "type")
_EVENT_MEMBERS = ("data", "data_base64")
# Types that only some properties of AMQP may have.
_OF_AMQP = ("ulong", "uuid")
# Where the schema of CloudEvents' JSON format is published.
_EVENT_SCHEMA = re.compile(r"^https?://[^#]*cloudevents[^#]*\.json(?:#|$)")
_FORMS = {"uri": "uri", "iri": "uri", "date-time": "timestamp"}
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
    schemas: SchemaImporter
    root: Node
    protocol: str
    schema_name: str = ""
    endpoint_options: dict[str, tuple[Any, Node]] = field(default_factory=dict)
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
        stated = [(node, "contentType") for node in message.nodes] + [(self.root, "defaultContentType")]
        typed = next((node.child(key) for node, key in stated if node.text(key)), None)
        content = typed.raw.strip() if typed else ""
        headers = self._members([node for item in message.nodes if (node := self.reader.get(item, "headers"))])
        payload = next((item.child("payload") for item in message.nodes if item.look("payload") is not None), None)
        result = self._description(message, channel, operations)
        others = (*(node for operation in operations for node in operation.nodes), channel.node)
        flagged = [node for node in (*message.nodes, *others) if isinstance(node.look("deprecated"), bool)]
        if True in [node.take("deprecated") for node in flagged]:
            result["meta"] = {"deprecated": {}}
        for item in chain.from_iterable(self.reader.members(node, "examples") for node in message.nodes):
            example = self.reader.resolve(item)  # in AsyncAPI 2 before 2.1, it may be anything
            example.is_a("the example")
            self.examples += filter(None, [self.reader.get(example, "payload")])
        structured = self._structured(content, payload)
        attributes = structured[0] if structured else self._binary(headers)
        if attributes is not None:
            result |= {"envelope": CLOUDEVENTS, ENVELOPE: attributes}
        if structured:
            payload = structured[1]
            if typed and not content.startswith(EVENTS):
                self.reader.notes.leave_out("A content type that is not that of its event", typed)
            content = content if content.startswith(EVENTS) else EVENT_JSON
            self.examples = [item.child("data") for item in self.examples if item.look("data") is not None]
            if self.protocol:  # without one there is no other form
                result["envelopeoptions"] = {"mode": STRUCTURED, "format": EVENT_JSON}
        if isinstance(message.node.look("x-envelopeoptions"), Mapping):
            result |= {"envelopeoptions": dict(message.node.take("x-envelopeoptions"))}
        if self.protocol:
            options = self._options(message, channel, headers, others)
            result |= {"protocol": self.protocol, PART: options}
        else:
            advice = "Add a server, which names the protocol, and import the document again."
            for header, _ in headers.values():
                self.reader.notes.leave_out("A header of a message without a protocol", header, advice)
        result |= self._payload(message, payload, group)
        return {**result, **({"datacontenttype": content} if content else {})}

    def _description(
        self, message: MessageSource, channel: ChannelSource, operations: Sequence[OperationSource]
    ) -> Value:
        """Return name, description, documentation and labels."""
        node = message.node
        texts = Descriptions(self.reader)
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
        own = {name: label for name, label in labels.items() if label}
        if own:
            result["labels"] = joined(own, result.get("labels", {}))
        title = node.text("title") or (node.text("name") if node.text("name") != message.name else "")
        return {**({"name": title} if title else {}), **result}

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
        return self._attributes(attributes), data[0] if data and data[0].raw else None

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
                schema.set_aside(type="string", const=SPECVERSION, enum=[SPECVERSION])  # as the envelope says
                continue
            definition = self._property(schema, required=required and name not in _EVENT_NAMES)
            if definition.get("type") in ("string", "uri") and "value" not in definition:
                del definition["type"]
            if name != "id" or definition:
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
                self._set(options, f"{target}/{name}", schema, self._property(schema, required=required))
        for level, nodes in (("operation", operations), ("message", message.nodes)):
            for node in nodes:
                self.bind(options, level, node)
        if isinstance(message.node.look("x-protocoloptions"), Mapping):
            options |= message.node.take("x-protocoloptions")
        return options

    def _topic(self, channel: ChannelSource) -> str:
        """Return the topic that a channel's binding names in place of its address, or nothing."""
        stated = self.reader.get(channel.node, "bindings", binding_of(self.protocol)) if self.protocol else None
        return stated.text("topic") if stated and _address_source(self.protocol).endswith("/topic") else ""

    def bind(self, options: Value, level: str, node: Node) -> None:
        """Add what the binding of an object says to the options of the message, or to those of the endpoint."""
        levels = facts.protocol(self.protocol).rows
        rows = {**levels.get("message", {}), **levels.get("operation", {}), **levels.get(level, {})}  # or misplaced
        binding = self.reader.get(node, "bindings", binding_of(self.protocol))
        if binding is None:
            return
        binding.is_a("a binding")
        defaults = binding.look(DEFAULTS) if isinstance(binding.look(DEFAULTS), list) else []
        for member in binding.members():
            if member.name in ("bindingVersion", DEFAULTS, *defaults):
                member.take()  # by which the others are written, and what the exporter filled in
                continue
            row = rows.get(member.name)
            node = self.reader.resolve(member)
            if row is None:
                if self._is_kept(member) and options.setdefault(member.name.lower(), node.raw) == node.raw:
                    node.take()
                continue
            own = [name for name in row.sources if name.startswith(MESSAGE)] or [*row.sources]
            is_encoded = node.look("contentEncoding") == "base64"
            source = next((name for name in own if name.endswith("_base64") == is_encoded), own[0])
            if row.form == "object":
                for name, (schema, required) in self._members([node]).items():
                    self._set(options, f"{source}/{name}", schema, self._property(schema, required=required))
                continue
            value = {"value": node.take()} if row.form == "value" else self._property(node, required=False)
            if "value" not in value:
                self.reader.notes.leave_out(f'"{member.name}" of a binding without one value', member)
            else:
                self._set(options, source, node, value)

    def _set(self, options: Value, source: str, node: Node, definition: Value) -> None:
        """Set an option of the message or endpoint to what a node defines; that it is set already is noted."""
        if source.startswith(ENDPOINT) and "value" in definition:
            held, _ = self.endpoint_options.setdefault(source.partition("/")[2], (definition["value"], node))
            is_set = held == definition["value"]
        else:
            is_set = _set_option(options, self.protocol, source, definition)
            held = options.get(source.split("/")[1])
        if not is_set:
            self.reader.notes.leave_out(f'"{node.name}" as it is stated here', node)
        elif "description" in definition and not isinstance(held, Mapping | list):
            self.reader.notes.leave_out('"description" of a binding', node.child("description"))

    def _is_kept(self, member: Node) -> bool:
        """Return whether an option can stand as it is: nothing is known of the protocol, and it is whole in itself."""
        return not facts.protocol(self.protocol).binding and f'"{REF}"' not in json.dumps(member.raw, default=str)

    def _property(self, schema: Node, *, required: bool) -> Value:
        """Return the definition of a property, given the schema of its value."""
        schema.is_a("a header")
        description = schema.text("description")
        result: Value = {"description": description} if description else {}
        if isinstance(schema.look("x-property"), Mapping):
            schema.take()  # of which the exporter makes all else
            return {**schema.raw["x-property"], **({"required": True} if required else {}), **result}
        kind = _type(schema, self.protocol)
        result |= {"type": kind} if kind != "string" else {}
        constant, values = schema.look("const"), schema.look("enum")
        if constant is None and isinstance(values, list) and len(values) == 1:
            constant = values[0]
        if constant is not None and not isinstance(constant, Mapping | list):
            schema.take("enum" if schema.look("const") is None else "const")
            return {**result, "value": constant}
        return {**result, **({"required": True} if required else {})}

    # Payloads.

    def _payload(self, message: MessageSource, payload: Node | None, group: tuple[str, str]) -> Value:
        """Return the attributes that say what the payload is."""
        node = message.node
        stating = message.nodes
        if payload is not None and payload.look("schemaFormat") is not None and payload.look("schema") is not None:
            stating, payload = (payload,), payload.child("schema")
        if payload is None or (not payload.is_elsewhere and self.reader.resolve(payload).raw in ({}, True)):
            names = ("dataschemaformat", "dataschemauri")
            return {name: node.text(f"x-{name}") for name in names if node.text(f"x-{name}")}
        media_type = next(filter(None, (item.text("schemaFormat") for item in stating)), "")
        if payload.is_elsewhere:
            return {"dataschemaformat": format_of(media_type), "dataschemauri": payload.text(REF)}
        schema = self.schemas.add(group, payload, media_type, self.schema_name)
        self.schema = schema
        type_ = node.text("x-dataschematype")
        selector = f":{type_}" if type_ else only_type(schema.format, str(schema.document))
        return {"dataschemaformat": schema.format, "dataschemauri": schema.xid + selector}

    def _members(self, schemas: Iterable[Node]) -> dict[str, tuple[Node, bool]]:
        """Return the properties of object schemas, joined, each with whether it is required."""
        result: dict[str, Node] = {}
        required: dict[str, list[Node]] = {}
        pending, seen = list(schemas), set()
        while pending:
            schema = pending.pop(0)
            if schema.place in seen or not isinstance(schema.raw, Mapping):
                continue
            seen.add(schema.place)
            schema.set_aside(type="object")  # as everything with properties
            for item in self.reader.members(schema, "required"):
                required.setdefault(str(item.raw), []).append(item)
            for item in self.reader.members(schema, "properties"):
                result.setdefault(item.name, item if item.is_elsewhere else self.reader.resolve(item))
            for item in list(self.reader.members(schema, "allOf"))[::-1]:  # the first is the most general, by custom
                if _EVENT_SCHEMA.search(item.reference):
                    item.take(REF)  # which makes it an event
                else:
                    pending.append(self.reader.resolve(item))
        for item in chain.from_iterable(required.get(name, ()) for name in result):
            item.take()
        return {name: (node, name in required) for name, node in result.items()}


def _set_option(options: Value, protocol: str, source: str, definition: Value) -> bool:
    """Set an option of a message, or one entry of a map or list of them, unless set; return whether it is as here."""
    path = source.removeprefix(f"{MESSAGE}/").split("/", 1)
    model = _option_models(protocol)
    section = model.get(path[0], {})
    if len(path) == 1:
        bare = section.get("bare") or not model
        value = definition.get("value") if bare else definition
        return value is not None and bool(options.setdefault(path[0], value) == value)
    if section.get("type") == "array":
        items = options.setdefault(path[0], [])
        item = {"name": path[1], **definition}
        items += [item] if all(other["name"] != path[1] for other in items) else []
        return item in items
    return bool(options.setdefault(path[0], {}).setdefault(path[1], definition) == definition)


def _is_event(schema: Node) -> bool:
    """Return whether a schema includes that of CloudEvents, which is known without being fetched."""
    parts = schema.child("allOf").members() if schema.look("allOf") else ()
    return any(_EVENT_SCHEMA.search(item.reference) for item in parts)


def _same(one: str, other: str) -> bool:
    """Return whether two names are one, however they are written."""
    first, second = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (one, other))
    return first == second


def _type(schema: Node, protocol: str) -> str:
    """Return our type of a property's value, by the schema that is exported for it, or else its type and format."""
    names = ("type", "format", "contentEncoding", "minimum")
    stated = {name: schema.look(name) for name in names if schema.look(name) is not None}
    for name, other in facts.tables()["types"].items():
        if stated and stated == other and (name not in _OF_AMQP or protocol == AMQP):
            schema.set_aside(**stated)
            return str(name)
    kind, form = stated.get("type", "string"), str(stated.get("format"))
    if kind == "string" and form in _FORMS:
        schema.set_aside(type=kind, format=form)
        return _FORMS[form]
    if kind in ("string", "integer", "number", "boolean"):
        schema.set_aside(type=kind)
        return str(kind)
    return "string"


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
