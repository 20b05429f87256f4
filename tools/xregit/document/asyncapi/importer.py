"""The importer: AsyncAPI documents of 2.0 to 3.1 become the value of one xRegistry document.

Each document is a message group and an endpoint for each direction and protocol. A message that two channels carry is
defined once for each. Documents that the exporter wrote keep their ids (``x-xid``), and are an endpoint each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from xregit.diagnostics import Severity
from xregit.document.asyncapi import facts
from xregit.document.asyncapi.exporter import ACTIONS, RECEIVE, SEND
from xregit.document.asyncapi.message_importer import (
    MARK,
    Definition,
    MessageSource,
    described,
    id_of,
    leave_out_others,
    placeholder_names,
    protocol_by_binding,
    protocol_of,
)
from xregit.document.asyncapi.messages import ENVELOPE
from xregit.document.asyncapi.payloads import ImportedSchema, SchemaImporter
from xregit.document.asyncapi.reader import Node, Notes, Reader
from xregit.model import protocols
from xregit.xid import is_id

Value = dict[str, Any]
_VERSIONS = re.compile(r"2\.[0-9]+\.[0-9]+|3\.[01]\.[0-9]+")
# What clients of the described application do, in AsyncAPI 2.
_VERBS = {"publish": RECEIVE, "subscribe": SEND}
_USAGE = {action: usage for usage, action in reversed(list(ACTIONS.items()))}


def is_asyncapi(value: Any) -> bool:
    """Return whether a document is AsyncAPI's."""
    return isinstance(value, Mapping) and isinstance(value.get(MARK), str | int | float)


@dataclass(frozen=True)
class _Channel:
    """A channel: its address, the servers that have it, and its messages."""

    node: Node
    address: str
    servers: tuple[Node, ...]
    messages: tuple[MessageSource, ...]


@dataclass(frozen=True)
class _Operation:
    """What the described application does at a channel, and with which messages; the first node is its object."""

    action: str
    channel: _Channel
    messages: tuple[MessageSource, ...]
    nodes: tuple[Node, ...]


@dataclass
class _Endpoint:
    """What becomes an endpoint: a protocol and direction, its servers, what messages state for it, and their xids."""

    protocol: str
    action: str
    servers: dict[str, Node] = field(default_factory=dict)
    options: list[Value] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Example:
    """The payload of an example, the xid of its message, and the schema that it should follow."""

    xid: str
    node: Node
    schema: ImportedSchema | None


class AsyncapiImporter:
    """The documents of one import, and the xRegistry document that they become."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.notes = Notes()
        self.reader = Reader(self.notes)
        self.schemas = SchemaImporter(self.reader)
        self.groups: dict[str, Value] = {}
        self.endpoints: dict[str, Value] = {}
        self.examples: list[Example] = []

    def add(self, root: Node) -> str:
        """Add what a document describes, and return its id; what is wrong with it is noted."""
        version = str(root.value[MARK])
        if not _VERSIONS.fullmatch(version):
            message = f"AsyncAPI {version} is not read; versions 2.0 to 3.1 are."
            advice = 'Convert the document first, with "asyncapi convert".'
            self.notes.add("unknown-version", Severity.ERROR, root.child(MARK), message, advice)
            return root.file.path.stem
        document = _DocumentImporter(self, root)
        document.add()
        return document.id

    def document(self) -> Value:
        """Return the xRegistry document of everything that was added."""
        schemagroups: dict[str, Value] = {}
        for schema in self.schemas.schemas.values():
            group = schemagroups.setdefault(schema.group, {"name": schema.title, "schemas": {}})
            group["schemas"][schema.id] = schema.value()
        for group in self.groups.values():
            messages = list(group["messages"].values())
            for name in ("envelope", "protocol"):
                if messages[0].get(name) and all(item.get(name) == messages[0][name] for item in messages):
                    group[name] = messages[0][name]
        collections = {"messagegroups": self.groups, "endpoints": self.endpoints, "schemagroups": schemagroups}
        return {name: groups for name, groups in collections.items() if groups}


class _DocumentImporter:
    """One document."""

    def __init__(self, whole: AsyncapiImporter, root: Node) -> None:
        self.whole, self.root, self.reader, self.notes = whole, root, whole.reader, whole.notes
        self.info = self.reader.get(root, "info") or root
        self.title = self.info.text("title")
        # A document that the exporter wrote describes one endpoint.
        self.exported = _stated_id(root)
        self.id = self.exported or id_of(self.title or root.file.path.stem).lower()
        self.is_v2 = str(root.value[MARK]).startswith("2.")
        self.endpoints: dict[tuple[str, str], _Endpoint] = {}
        self.xids: dict[tuple[Any, ...], str] = {}

    def add(self) -> None:
        """Add groups, messages, endpoints and schemas."""
        leave_out_others(self.notes, "document", self.root)
        leave_out_others(self.notes, "info object", self.info)
        operations = list(self.operations_v2() if self.is_v2 else self.operations_v3())
        carriers = [(operation, self.servers_by_protocol(operation.channel)) for operation in operations]
        for operation, servers in carriers:
            for protocol, nodes in servers.items():
                key = (protocol, operation.action)
                self.endpoints.setdefault(key, _Endpoint(*key)).servers |= nodes
        for operation, servers in carriers:
            for protocol in servers:
                endpoint = self.endpoints[protocol, operation.action]
                xids = [self.define(operation, message, endpoint) for message in operation.messages]
                endpoint.messages += [xid for xid in dict.fromkeys(xids) if xid not in endpoint.messages]
        for endpoint in self.endpoints.values():
            self.add_endpoint(endpoint)

    def operations_v2(self) -> Iterator[_Operation]:
        """Yield the operations of AsyncAPI 2, which are members of the channels."""
        for reference in self.reader.members(self.root, "channels"):
            node = self.reader.resolve(reference)
            leave_out_others(self.notes, "channel", node)
            names = self.reader.get(node, "servers")
            servers = self.servers(names.value if names and isinstance(names.value, list) and names.value else None)
            for verb, action in _VERBS.items():
                operation = self.reader.get(node, verb)
                if operation is None or not isinstance(operation.value, Mapping):
                    continue
                leave_out_others(self.notes, "operation", operation)
                references = self.alternatives(operation.child("message")) if "message" in operation.value else ()
                messages = tuple(self.message(item, operation.text("operationId")) for item in references)
                channel = _Channel(node, reference.name, servers, messages)
                yield _Operation(action, channel, messages, (operation, *self.traits(operation)))

    def alternatives(self, reference: Node) -> Iterator[Node]:
        """Yield a message's reference, or those of the messages of which it is one."""
        node = self.reader.resolve(reference)
        if isinstance(node.value, Mapping) and "oneOf" in node.value:
            for item in node.child("oneOf").members():
                yield from self.alternatives(item)
        else:
            yield reference

    def operations_v3(self) -> Iterator[_Operation]:
        """Yield the operations of AsyncAPI 3; a reply is an operation in the other direction."""
        nodes = [self.reader.resolve(item) for item in self.reader.members(self.root, "channels")]
        channels = {node.place: self.channel(node) for node in nodes}
        unused = dict(channels)
        for reference in self.reader.members(self.root, "operations"):
            node = self.reader.resolve(reference)
            leave_out_others(self.notes, "operation", node)
            reply = self.reader.get(node, "reply")
            action = node.text("action")
            parts = [(node, action)] + ([(reply, RECEIVE if action == SEND else SEND)] if reply else [])
            for part, direction in parts:
                target = self.reader.get(part, "channel")
                channel = channels.get(target.place) if target else None
                if channel is not None and direction in (SEND, RECEIVE):
                    unused.pop(channel.node.place, None)
                    places = {self.reader.resolve(item).place for item in self.reader.members(part, "messages")}
                    messages = tuple(item for item in channel.messages if not places or item.node.place in places)
                    yield _Operation(direction, channel, messages, (part, *self.traits(part)))
        for channel in unused.values():
            self.notes.leave_out("A channel that no operation uses", channel.node)

    def channel(self, node: Node) -> _Channel:
        """Return a channel of AsyncAPI 3."""
        leave_out_others(self.notes, "channel", node)
        places = {self.reader.resolve(item).place for item in self.reader.members(node, "servers")}
        servers = tuple(item for item in self.servers(None) if not places or item.place in places)
        messages = tuple(self.message(item, "") for item in self.reader.members(node, "messages"))
        return _Channel(node, node.text("address"), servers, messages)

    def message(self, reference: Node, operation: str) -> MessageSource:
        """Return a message with its traits; its name is the key that others know it by."""
        node = self.reader.resolve(reference)
        leave_out_others(self.notes, "message", node)
        own = node.text("messageId") or node.text("name")
        name = (
            (node.name if reference.reference else own or operation or node.text("title"))
            if self.is_v2
            else reference.name
        )
        return MessageSource(id_of(name or "message"), node, (node, *self.traits(node)))

    def traits(self, node: Node) -> tuple[Node, ...]:
        """Return the traits of an operation or message."""
        return tuple(map(self.reader.resolve, self.reader.members(node, "traits")))

    def servers(self, names: list[Any] | None) -> tuple[Node, ...]:
        """Return the servers of these names, or all."""
        nodes = {item.name: self.reader.resolve(item) for item in self.reader.members(self.root, "servers")}
        return tuple(node for name, node in nodes.items() if names is None or name in names)

    def servers_by_protocol(self, channel: _Channel) -> dict[str, dict[str, Node]]:
        """Return a channel's protocols, by our names, each with its servers; without servers, those of its bindings."""
        result: dict[str, dict[str, Node]] = {}
        parts = [channel.node, *(message.node for message in channel.messages)]
        bindings = [protocol_by_binding(item.name) for part in parts for item in self.reader.members(part, "bindings")]
        names = [protocol_of(server) for server in channel.servers]
        for name, server in zip(names, channel.servers, strict=True):
            # A web socket may carry another protocol, which other servers or the bindings name.
            inner = (
                item for item in (*names, *bindings) if name.lower().partition("/")[0] in facts.protocol(item).schemes
            )
            result.setdefault(next(inner, name), {})[server.name] = server
        return result or {name: {} for name in bindings} or {"": {}}

    def define(self, operation: _Operation, message: MessageSource, endpoint: _Endpoint) -> str:
        """Define a message as one channel carries it, and return its xid."""
        key = (message.node.place, operation.channel.address, endpoint.protocol, endpoint.action)
        if key not in self.xids:
            definition = Definition(self.reader, self.notes, self.whole.schemas, self.root, endpoint.protocol)
            others = (*operation.nodes, operation.channel.node)
            value = definition.value(message, (self.id, self.title), operation.channel.address, others)
            endpoint.options.append(definition.endpoint_options)
            self.xids[key] = self.place(message, operation, endpoint, value)
            self.whole.examples += [Example(self.xids[key], item, definition.schema) for item in definition.examples]
        return self.xids[key]

    def place(self, message: MessageSource, operation: _Operation, endpoint: _Endpoint, value: Value) -> str:
        """Put a definition into its group under a free id, and return its xid."""
        if self.exported:
            mid = _stated_id(message.node) or message.name
            self.whole.endpoints.setdefault(self.exported, {}).setdefault("messages", {})[mid] = value
            return f"/endpoints/{self.exported}/messages/{mid}"
        gid = self.part_id(endpoint)
        group = self.whole.groups.setdefault(gid, {"name": self.name(endpoint), **described((self.info, self.root))})
        messages = group.setdefault("messages", {})
        type_ = value.get(ENVELOPE, {}).get("type", {}).get("value")
        mid = type_ if isinstance(type_, str) and is_id(type_) else message.name
        if messages.get(mid, value) != value:
            mid = facts.free_name(f"{mid}-{id_of(operation.channel.node.name)}", messages)
        messages[mid] = value
        return f"/messagegroups/{gid}/messages/{mid}"

    def part_id(self, endpoint: _Endpoint) -> str:
        """Return the id of a group or endpoint: the document's, with what tells it from the document's others."""
        names = {protocol for protocol, _ in self.endpoints}
        actions = {action for _, action in self.endpoints}
        protocol = f".{id_of(endpoint.protocol.partition('/')[0].lower())}" if len(names) > 1 else ""
        return f"{self.id}{protocol}{f'.{endpoint.action}' if len(actions) > 1 else ''}"

    def name(self, endpoint: _Endpoint) -> str:
        """Return the name of a group or endpoint, as its id is made."""
        rest = self.part_id(endpoint).removeprefix(self.id).replace(".", ", ")
        return f"{self.title or self.id}{rest}"

    def add_endpoint(self, endpoint: _Endpoint) -> None:
        """Add what is known of an endpoint."""
        id_ = self.exported or self.part_id(endpoint)
        value = self.whole.endpoints.setdefault(id_, {})
        usage = value.setdefault("usage", [])
        usage += [name for name in (_USAGE[endpoint.action],) if name not in usage]
        value |= {"name": self.name(endpoint), **described((self.info, self.root))}
        if self.root.text("x-channel"):
            value["channel"] = self.root.text("x-channel")
        groups = [xid.rpartition("/messages/")[0] for xid in endpoint.messages if xid.startswith("/messagegroups/")]
        if groups:
            value["messagegroups"] = list(dict.fromkeys(groups))
        if endpoint.protocol:
            value["protocol"] = endpoint.protocol
        options = {**value.get("protocoloptions", {}), **self.endpoint_options(endpoint)}
        will = str(options.get("willmessage", "")).rpartition("/")[2]
        if will in value.get("messages", ()):  # the document's own, as all its messages are
            options["willmessage"] = f"/endpoints/{id_}/messages/{will}"
        if options:
            value["protocoloptions"] = options

    def endpoint_options(self, endpoint: _Endpoint) -> Value:
        """Return the protocol options of an endpoint: its servers' addresses, and what all its messages agree on."""
        nodes = endpoint.servers.values()
        ways = [list(self.authorizations(node)) for node in nodes]
        addresses = [self.address(node, endpoint.protocol, way) for node, way in zip(nodes, ways, strict=True)]
        security = list(chain.from_iterable(ways))
        names = dict.fromkeys(chain.from_iterable(endpoint.options))
        common = {name: endpoint.options[0].get(name) for name in names if _agree(endpoint.options, name)}
        return {
            **({"endpoints": addresses, "deployed": True} if addresses else {}),
            **(
                {"authorization": [item for n, item in enumerate(security) if item not in security[:n]]}
                if security
                else {}
            ),
            **common,
            **(unplaced if isinstance(unplaced := self.root.value.get("x-protocoloptions"), Mapping) else {}),
        }

    def address(self, server: Node, protocol: str, ways: list[Value]) -> Value:
        """Return the address of a server; where its scheme says how clients are admitted, ``ways`` tell."""
        leave_out_others(self.notes, "server", server)
        known = facts.protocol(protocol)
        name = server.text("protocol").lower()
        schemes = [ours for ours, theirs in known.schemes.items() if theirs == name]
        if not schemes:  # of those that say nothing to AsyncAPI
            schemes = [
                ours
                for ours in protocols.facts("client").get(protocol, {}).get("schemes", ())
                if ours not in known.schemes
            ]
        with_sasl = any(way["type"] in ("SASL", "Plain") for way in ways)
        fitting = [item for item in schemes if item.startswith("sasl") == with_sasl]
        scheme = server.text("x-scheme") or next(iter((*fitting, *schemes)), name)
        host, path = server.text("host"), server.text("pathname")
        if self.is_v2:
            stated, separator, rest = server.text("url").partition("://")
            scheme, rest = (stated, rest) if separator else (scheme, stated)
            host, slash, path = rest.partition("/")
            path = slash + path
        uri = placeholder_names(f"{scheme}://{host}{path}")
        description = server.text("description") or server.text("summary")
        return {"uri": uri, **({"description": description} if description else {})}

    def authorizations(self, server: Node) -> Iterator[Value]:
        """Yield the ways to be admitted that have a place in a catalog."""
        for reference in self.reader.members(server, "security"):
            named = [
                self.reader.get(self.root, "components", "securitySchemes", item.name) for item in reference.members()
            ]
            for scheme in named if self.is_v2 else [self.reader.resolve(reference)]:
                if scheme is not None:
                    authorization = _authorization(scheme)
                    if authorization:
                        yield authorization
                    else:
                        self.notes.leave_out(f'A security scheme of type "{scheme.text("type")}"', scheme)


def _agree(options: list[Value], name: str) -> bool:
    return all(item.get(name) == options[0].get(name) for item in options)


def _stated_id(node: Node) -> str:
    """Return the id that the exporter left in a document or message, or nothing."""
    id_ = node.text("x-xid").rpartition("/")[2]
    return id_ if is_id(id_) else ""


def _authorization(scheme: Node) -> Value:
    """Return a security scheme as an authorization; empty where none is like it."""
    kind, tables = scheme.text("type"), facts.tables()
    mechanism = next((name for name, item in tables["mechanisms"].items() if item["type"] == kind), "")
    if mechanism:
        return {"type": "SASL", "mechanism": mechanism}
    if kind == "oauth2":
        flows = scheme.value.get("flows")
        names = {item["name"]: (grant, item["addresses"]) for grant, item in tables["flows"].items()}
        grants = (
            [(names[name], flow) for name, flow in flows.items() if name in names] if isinstance(flows, Mapping) else []
        )
        uris = [flow[key] for (_, keys), flow in grants if isinstance(flow, Mapping) for key in keys if key in flow]
        return {
            "type": "OAuth2",
            **({"authorityuri": str(uris[0])} if uris else {}),
            **({"granttypes": [grant for (grant, _), _ in grants]} if grants else {}),
        }
    if kind == "openIdConnect":
        return {"type": "OAuth2", "authorityuri": scheme.text("openIdConnectUrl")}
    if kind in ("apiKey", "httpApiKey"):
        return {"type": "APIKey"}
    if kind == "userPassword" or (kind == "http" and scheme.text("scheme").lower() == "basic"):
        return {"type": "Plain"}
    return {"type": "X509Cert"} if kind == "X509" else {}
