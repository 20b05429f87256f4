"""The definition that a message of an AsyncAPI document becomes, as one channel and protocol carry it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.document.asyncapi import facts
from xregit.document.asyncapi.bindings import ENDPOINT, MESSAGE, PART
from xregit.document.asyncapi.messages import ENVELOPE
from xregit.document.asyncapi.payloads import format_of
from xregit.document.asyncapi.reader import REF, Node
from xregit.model import protocols
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON, EVENTS
from xregit.protocols.binding import STRUCTURED, event_binding

if TYPE_CHECKING:
    from xregit.document.asyncapi.facts import BindingMember
    from xregit.document.asyncapi.payloads import ImportedSchema, SchemaImporter
    from xregit.document.asyncapi.reader import Notes, Reader

Value = dict[str, Any]
MARK = "asyncapi"
_BRACES = re.compile(r"\{([^{}]*)\}")
_NO_NAME, _NO_ID, _NO_LABEL = (
    re.compile(r"[^A-Za-z0-9_]+"),
    re.compile(r"[^A-Za-z0-9._~-]+"),
    re.compile(r"[^a-z0-9._-]+"),
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# The attributes that every event has, what its JSON form has beside attributes, and what follows from the rest.
_EVENT_NAMES = ("specversion", "id", "source", "type")
_EVENT_MEMBERS = ("data", "data_base64")
_IMPLIED = ("specversion", "id")
# Types that only some properties of AMQP may have.
_OF_AMQP = ("ulong", "uuid")
# The members of each kind of object that have a place in a catalog; all others are told.
_DESCRIBED = ("title", "summary", "description", "tags", "externalDocs")
_PLACED: Mapping[str, frozenset[str]] = {
    "document": frozenset(
        {MARK, "id", "info", "servers", "channels", "operations", "components", "defaultContentType", *_DESCRIBED[3:]}
        | {"x-xid", "x-channel", "x-protocoloptions"}
    ),
    "info object": frozenset({"title", "description", "tags", "externalDocs"}),
    "server": frozenset(
        {"url", "host", "pathname", "protocol", "protocolVersion", "description", "summary", "security", "bindings"}
        | {"x-scheme"}
    ),
    "channel": frozenset(
        {"address", "messages", "servers", "parameters", "publish", "subscribe", "bindings", *_DESCRIBED}
    ),
    "operation": frozenset(
        {"action", "channel", "messages", "message", "operationId", "bindings", "traits", "reply", "deprecated"}
        | set(_DESCRIBED)
    ),
    "message": frozenset(
        {"name", "contentType", "headers", "payload", "schemaFormat", "bindings", "traits", "examples", "messageId"}
        | {"deprecated", "x-xid", "x-dataschematype", "x-dataschema", "x-protocoloptions", *_DESCRIBED}
    ),
}


@dataclass(frozen=True)
class MessageSource:
    """A message of a channel: its object, and that with those of its traits; the first that states something counts."""

    name: str
    node: Node
    nodes: tuple[Node, ...]


def leave_out_others(notes: Notes, kind: str, node: Node) -> None:
    """Note the members of an object that have no place in a catalog."""
    placed = _PLACED[kind]
    for member in node.members() if isinstance(node.value, Mapping) else ():
        if member.name not in placed:
            notes.leave_out(f'"{member.name}" of the {kind}', member)


def id_of(text: str) -> str:
    """Return a text as an id."""
    return _NO_ID.sub("-", text).strip("-.~_")[:128] or "unnamed"


def placeholder_names(template: str) -> str:
    """Return a template with the names of its variables as RFC 6570 allows them."""
    return _BRACES.sub(lambda match: f"{{{_NO_NAME.sub('_', match[1]).strip('_') or 'value'}}}", template)


def described(nodes: Iterable[Node]) -> Value:
    """Return description, documentation and labels of the first objects that state them."""
    result: Value = {}
    for node in nodes:
        texts = [node.text("summary"), node.text("description")]
        text = "\n\n".join(dict.fromkeys(filter(None, texts)))
        docs = node.value.get("externalDocs") if isinstance(node.value, Mapping) else None
        uri = docs.get("url") if isinstance(docs, Mapping) else None
        found = {"description": text, "documentation": uri if facts.is_uri(uri) else "", "labels": dict(_labels(node))}
        result = {**{name: item for name, item in found.items() if item}, **result}
    return result


def _labels(node: Node) -> Iterator[tuple[str, str]]:
    tags = node.value.get("tags") if isinstance(node.value, Mapping) else None
    for tag in tags if isinstance(tags, list) else ():
        text = tag.get("name") if isinstance(tag, Mapping) else None
        if isinstance(text, str):
            name, _, value = text.partition(":")
            label = _NO_LABEL.sub("-", name.strip().lower()).strip("-._")
            if label:
                yield label[:63], value.strip()


def protocol_of(server: Node) -> str:
    """Return our name of a server's protocol."""
    name, version = server.text("protocol").lower(), str(server.value.get("protocolVersion", ""))
    ours = [known for known in protocols.protocols() if name in _schemes(known)]
    exact = [known for known in ours if facts.protocol(known).protocolversion[:1] == version[:1]]
    if exact or (ours and not (version and any(facts.protocol(known).protocolversion for known in ours))):
        return (exact if version and exact else ours[-1:])[0]
    return f"{name.upper()}/{version}" if version and name else name.upper()


def protocol_by_binding(binding: str) -> str:
    """Return our name of the protocol of a binding."""
    names = (name for name in reversed(list(protocols.protocols())) if facts.protocol(name).binding == binding)
    return next(names, binding.upper())


def address_option(protocol: str, address: str) -> Value:
    """Return protocol and protocol options of a message, given AsyncAPI's name of the protocol and an address."""
    names = [known for known in protocols.protocols() if protocol.lower() in _schemes(known)]
    ours = names[-1] if names else protocol.upper()
    own = next((name for name in facts.protocol(ours).address if name.startswith(MESSAGE)), f"{MESSAGE}/address")
    path = own.removeprefix(f"{MESSAGE}/").split("/")
    value: Any = placeholder_names(address)
    if names and not _option_models(ours).get(path[0], {}).get("bare"):
        value = {"value": value}
    for name in reversed(path):
        value = {name: value}
    return {"protocol": ours, PART: value}


@cache
def _schemes(protocol: str) -> frozenset[str]:
    known = facts.protocol(protocol)
    return frozenset({known.protocol, *known.schemes.values()}) - {"ws", "wss"}


@dataclass
class Definition:
    """One message's definition in the making.

    ``endpoint_options`` are what it states for the endpoint, ``examples`` the payloads of its examples, ``schema`` the
    one that they follow.
    """

    reader: Reader
    notes: Notes
    schemas: SchemaImporter
    root: Node
    protocol: str
    endpoint_options: Value = field(default_factory=dict)
    examples: list[Node] = field(default_factory=list)
    schema: ImportedSchema | None = None

    def value(self, message: MessageSource, group: tuple[str, str], address: str, others: tuple[Node, ...]) -> Value:
        """Return the definition; schemas go to a group of this id and title, ``others`` are operation and channel."""
        content = next(filter(None, (node.text("contentType") for node in message.nodes)), "")
        content = content or self.root.text("defaultContentType")
        headers = self._members([node for item in message.nodes if (node := self.reader.get(item, "headers"))])
        payload = next((item.child("payload") for item in message.nodes if item.value.get("payload") is not None), None)
        result: Value = described((*message.nodes, *others))
        title = message.node.text("title")
        result = {**({"name": title} if title else {}), **result}
        if any(node.value.get("deprecated") is True for node in (message.node, *others)):
            result["meta"] = {"deprecated": {}}
        self.examples = [item for node in message.nodes for item in self._example_payloads(node)]
        structured = self._structured(content, payload)
        attributes = structured[0] if structured else self._binary(headers)
        if attributes is not None:
            result |= {"envelope": CLOUDEVENTS, ENVELOPE: attributes}
        if structured:
            payload = structured[1]
            self.examples = [item.child("data") for item in self.examples if "data" in item.value]
            if self.protocol:  # without one there is no other form
                result["envelopeoptions"] = {"mode": STRUCTURED, "format": EVENT_JSON}
        if self.protocol:
            options = self._options(message, address, headers, others)
            result |= {"protocol": self.protocol, PART: options}
        result |= self._payload(message, payload, group)
        return {**result, **({"datacontenttype": content} if content else {})}

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
        if payload is None or not content.startswith(EVENTS):
            return None
        schema = self.reader.resolve(payload)
        members = self._members([schema])
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
                own = {name: headers.pop(name) for low, name in names.items() if low.startswith(prefix.lower())}
                return self._attributes({name[len(prefix) :].lower(): item for name, item in own.items()})
        return None

    def _attributes(self, members: Mapping[str, tuple[Node, bool]]) -> Value:
        """Return the definitions of an event's attributes."""
        result = {}
        for name, (schema, required) in members.items():
            if name not in _IMPLIED:
                definition = self._property(schema, required=required and name not in _EVENT_NAMES)
                if definition.get("type") in ("string", "uri") and "value" not in definition:
                    del definition["type"]
                result[name] = definition
        return result

    # Options of the protocol.

    def _options(
        self, message: MessageSource, address: str, headers: Mapping[str, tuple[Node, bool]], operations: Iterable[Node]
    ) -> Value:
        """Return the protocol options: address, headers, and what the bindings of message and operation say."""
        known = facts.protocol(self.protocol)
        options: Value = {}
        own = next(
            (source for source in known.address if source.startswith(MESSAGE)),
            "" if known.binding else f"{MESSAGE}/address",
        )
        if address and own:
            self._set(options, own, {"value": placeholder_names(address)})
        if headers:
            target = next(
                (source for source in (*known.headers, *_header_sources(known)) if source.startswith(MESSAGE)),
                f"{MESSAGE}/headers",
            )
            for name, (schema, required) in headers.items():
                self._set(options, f"{target}/{name}", self._property(schema, required=required))
        for level, nodes in (("operation", operations), ("message", message.nodes)):
            for node in nodes:
                self._bind(
                    options, known.rows.get(level, {}), self.reader.get(node, "bindings", _binding(self.protocol))
                )
        unplaced = message.node.value.get("x-protocoloptions")
        return {**options, **(unplaced if isinstance(unplaced, Mapping) else {})}

    def _bind(self, options: Value, rows: Mapping[str, BindingMember], binding: Node | None) -> None:
        """Add what a binding says to the options of the message, or to those of the endpoint."""
        for member in binding.members() if binding is not None else ():
            row = rows.get(member.name)
            if member.name == "bindingVersion":
                continue
            node = self.reader.resolve(member)
            if row is None:
                self.notes.leave_out(f'"{member.name}" of a binding', member)
                continue
            own = [name for name in row.sources if name.startswith(MESSAGE)] or [*row.sources]
            is_encoded = isinstance(node.value, Mapping) and node.value.get("contentEncoding") == "base64"
            source = next((name for name in own if name.endswith("_base64") == is_encoded), own[0])
            if row.form == "object":
                for name, (schema, required) in self._members([node]).items():
                    self._set(options, f"{source}/{name}", self._property(schema, required=required))
                continue
            value = {"value": node.value} if row.form == "value" else self._property(node, required=False)
            if "value" not in value:
                self.notes.leave_out(f'"{member.name}" of a binding without one value', member)
            elif source.startswith(ENDPOINT):
                self.endpoint_options[source.removeprefix(f"{ENDPOINT}/")] = value["value"]
            else:
                self._set(options, source, value)

    def _set(self, options: Value, source: str, definition: Value) -> None:
        """Set an option, or one entry of a map or list of them, unless it is set already."""
        path = source.removeprefix(f"{MESSAGE}/").split("/", 1)
        model = _option_models(self.protocol)
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

    def _property(self, schema: Node, *, required: bool) -> Value:
        """Return the definition of a property, given the schema of its value."""
        value = schema.value if isinstance(schema.value, Mapping) else {}
        description = schema.text("description")
        result: Value = {"description": description} if description else {}
        exported = value.get("x-property")
        if isinstance(exported, Mapping):
            return {**exported, **({"required": True} if required else {}), **result}
        kind = _type(value)
        constant = value["const"] if "const" in value else _only(value.get("enum"))
        result |= {"type": kind} if kind != "string" else {}
        if constant is not None and not isinstance(constant, Mapping | list):
            return {**result, "value": constant}
        for name in ("enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "default", "examples"):
            if name in value:
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
        schema = self.schemas.add(group, payload, media_type, message.name)
        self.schema = schema
        selector = node.text("x-dataschematype")
        return {"dataschemaformat": schema.format, "dataschemauri": schema.xid + (f":{selector}" if selector else "")}

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
                result.setdefault(item.name, (self.reader.resolve(item), False))
            pending += map(self.reader.resolve, self.reader.members(schema, "allOf"))
        return {name: (node, name in required) for name, (node, _) in result.items()}


def _only(values: Any) -> Any:
    """Return the only one of some values, or nothing."""
    return values[0] if isinstance(values, list) and len(values) == 1 else None


def _type(schema: Mapping[str, Any]) -> str:
    """Return our type of a property's value, by the type and format of its schema."""
    kind, form = schema.get("type"), schema.get("format")
    for name, other in facts.tables()["types"].items():
        if (
            name not in _OF_AMQP
            and other
            and other.get("type") == kind
            and other.get("format") == form
            and len(other) == 1 + ("format" in other)
        ):
            return str(name)
    forms = {"uri": "uri", "iri": "uri", "date-time": "timestamp"}
    return (
        forms.get(str(form), "string")
        if kind in ("string", None)
        else str(kind)
        if kind in ("integer", "number", "boolean")
        else "string"
    )


def _binding(protocol: str) -> str:
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
