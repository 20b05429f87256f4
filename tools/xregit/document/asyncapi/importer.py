"""The importer: AsyncAPI documents of 2.0 to 3.1 become the value of one xRegistry document.

Each document is a message group and an endpoint for each direction and protocol. A message that two channels carry is
defined once for each; one that is sent and received alike is defined once, in a group of both endpoints. Documents that
the exporter wrote keep their ids (``x-xid``), and are an endpoint each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product, takewhile
from typing import Any

from xregit.arguments import without_credentials
from xregit.diagnostics import Severity
from xregit.document.asyncapi import facts
from xregit.document.asyncapi.exporter import ACTIONS, RECEIVE, SEND
from xregit.document.asyncapi.message_importer import (
    ChannelSource,
    Definition,
    MessageSource,
    OperationSource,
    binding_of,
    protocol_by_binding,
    protocol_of,
)
from xregit.document.asyncapi.messages import ENVELOPE
from xregit.document.asyncapi.reader import (
    MARK,
    Descriptions,
    Node,
    Notes,
    Place,
    Reader,
    joined,
    placeholder_names,
    scalar,
)
from xregit.document.asyncapi.schemas import ImportedSchema, SchemaImporter
from xregit.document.schema_files import case_note
from xregit.json_pointer import unescape
from xregit.model import protocols
from xregit.xid import is_id

Value = dict[str, Any]
_VERSIONS = re.compile(r"2\.[0-9]+\.[0-9]+|3\.[01]\.[0-9]+")
_SEPARATORS = re.compile(r"[/.]")
# Keys of messages that AsyncAPI's converter makes; the message itself has a name of its own.
_CONVERTED = re.compile(r"\.message(?:\.[0-9]+)?$")
# What clients of the described application do, in AsyncAPI 2.
_VERBS = {"publish": RECEIVE, "subscribe": SEND}
_BOTH = "both"
_USAGE = {action: usage for usage, action in reversed(list(ACTIONS.items()))}


def is_asyncapi(value: Any) -> bool:
    """Return whether a document is AsyncAPI's."""
    return isinstance(value, Mapping) and isinstance(value.get(MARK), str | int | float)


@dataclass
class _Endpoint:
    """What becomes an endpoint: a protocol and direction, its servers, what messages state for it, and their xids."""

    protocol: str
    action: str
    servers: dict[str, Node] = field(default_factory=dict)
    options: list[Mapping[str, tuple[Any, Node]]] = field(default_factory=list)
    operations: list[OperationSource] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


# An operation with its protocols, each with the servers.
_Carrier = tuple[OperationSource, dict[str, dict[str, Node]]]


@dataclass(frozen=True)
class Example:
    """The payload of an example, the xid of its message, and the schema that it should follow."""

    xid: str
    node: Node
    schema: ImportedSchema | None


class AsyncapiImporter:
    """The documents of one import, and the xRegistry document that they become."""

    def __init__(
        self, group: str = "", protocol: str = "", elsewhere: Collection[Place] = (), known: Collection[str] = ()
    ) -> None:
        """Begin with nothing; name groups by an id, and the protocol where a document names none.

        Channels ``elsewhere`` are those that operations of other documents use, which have the messages. Ids that are
        ``known`` stay.
        """
        self.group, self.protocol, self.elsewhere = group, protocol, elsewhere
        self.notes = Notes()
        self.reader = Reader(self.notes, known=known)
        self.schemas = SchemaImporter(self.reader)
        self.groups: dict[str, Value] = {}
        self.endpoints: dict[str, Value] = {}
        # The ids of each group's messages without their case, and those that differ in case alone by what they became.
        self.taken: dict[str, set[str]] = {}
        self.renamed: dict[tuple[str, str], str] = {}
        self.examples: list[Example] = []
        self.descriptions: dict[str, Value] = {}  # of groups of schemas without messages

    def add(self, root: Node) -> str:
        """Add what a document describes, and return its id; what is wrong with it is noted."""
        version = str(root.take(MARK))  # which says how to read the rest; a catalog has a version of its own
        if not _VERSIONS.fullmatch(version):
            message = f"AsyncAPI {version} is not read; versions 2.0 to 3.1 are."
            advice = 'Convert the document first, with "asyncapi convert".'
            self.notes.add("unknown-version", Severity.ERROR, root.child(MARK), message, advice)
            root.take()  # which is all left out, as that says
            return root.file.path.stem
        document = _DocumentImporter(self, root)
        document.add()
        return document.id

    def document(self) -> Value:
        """Return the xRegistry document of everything that was added."""
        schemagroups: dict[str, Value] = {}
        for schema in self.schemas.schemas.values():
            about = self.descriptions.get(schema.group, {})
            group = schemagroups.setdefault(schema.group, {"name": schema.title, **about, "schemas": {}})
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
        self.info = self.reader.get(root, "info") or Node({}, root.file, ("info",))
        self.title = self.info.text("title")
        # A document that the exporter wrote describes one endpoint.
        self.exported = _stated_id(root) and (whole.group or _stated_id(root))
        own = self.reader.id_of(self.title, root.file.path.stem) or "asyncapi"
        self.id = self.exported or whole.group or own.lower()
        self.is_v2 = str(root.look(MARK)).startswith("2.")
        self.texts = Descriptions(self.reader)
        self.description: Value = {}
        self.endpoints: dict[tuple[str, str], _Endpoint] = {}

    def add(self) -> None:
        """Add groups, messages, endpoints and schemas."""
        self.description = self.texts.of(("info object", (self.info,)), ("document", (self.root,)))
        self.root.set_aside("defaultContentType")  # it counts for messages without one, and these have it
        if not self.exported:
            about = {"application": self.root.text("id"), **self.texts.info(self.info)}
            about = {name: text for name, text in about.items() if text}
            labels = joined(about, self.description.get("labels", {}))
            self.description |= {"labels": labels} if labels else {}
        self.info.set_aside("version")  # if it is no label: that of the exporter is the day of the last change
        operations = list(self.operations_v2() if self.is_v2 else self.operations_v3())
        if not any(item.messages for item in operations):
            operations += self.library()
        carriers = self.with_only_protocol([(item, self.servers_by_protocol(item)) for item in operations])
        shared = frozenset() if self.exported else _sent_and_received(carriers)
        for operation, protocols_ in carriers:
            for protocol, nodes in protocols_.items() if operation.messages or operation.action else ():
                parts: dict[str, list[MessageSource]] = {operation.action: []}
                for item in operation.messages:
                    is_shared = (protocol, item.node.place, operation.channel.address) in shared
                    parts.setdefault(_BOTH if is_shared else operation.action, []).append(item)
                for action, messages in parts.items():
                    endpoint = self.endpoints.setdefault((protocol, action), _Endpoint(protocol, action))
                    endpoint.operations.append(replace(operation, messages=tuple(messages)))
                self.endpoints[protocol, operation.action].servers |= nodes
        for endpoint in sorted(self.endpoints.values(), key=lambda item: item.action != _BOTH):
            self.define(endpoint)
            if endpoint.action in _USAGE:
                both = self.endpoints.get((endpoint.protocol, _BOTH), endpoint)
                endpoint.options += both.options if both is not endpoint else []
                endpoint.messages += both.messages if both is not endpoint else []
                self.add_endpoint(endpoint)
        if not self.whole.elsewhere and not any(endpoint.messages for endpoint in self.endpoints.values()):
            advice = "Add channels with messages, and import it again."
            self.notes.add("left-out", Severity.WARNING, self.root, "There is no message in this document.", advice)

    def library(self) -> Iterator[OperationSource]:
        """Yield the components' messages, which other documents use, without operation; else add the schemas there."""
        nodes = [
            (item.name, self.reader.resolve(item)) for item in self.reader.members(self.root, "components", "messages")
        ]
        messages = tuple(
            MessageSource(self.reader.id_of(name) or "message", node, self.with_traits(node)) for name, node in nodes
        )
        if messages:
            channel = ChannelSource(Node({}, self.root.file, ("components",)), "", (), self.servers(None), messages)
            yield OperationSource("operation", "", "", channel, messages, ())
            return
        self.whole.descriptions[self.id] = self.description
        for item in self.reader.members(self.root, "components", "schemas"):
            self.whole.schemas.add((self.id, self.title or self.id), item, "", item.name)

    def with_only_protocol(self, carriers: list[_Carrier]) -> list[_Carrier]:
        """Return operations with the protocol that is asked for, or the only one, where nothing names theirs."""
        stated = {name for _, servers in carriers for name in servers}
        default = self.whole.protocol or (stated.pop() if len(stated) == 1 else "")
        for operation, servers in carriers:
            if default and not servers and not self.whole.protocol:
                message = f'No server or binding names a protocol; "{default}", the only one of the document, is taken.'
                advice = "If it is another one, import the document with --protocol NAME, or correct the messages."
                self.notes.add("filled-in", Severity.INFO, operation.channel.node, message, advice)
        return [(operation, servers or {default: {}}) for operation, servers in carriers]

    def operations_v2(self) -> Iterator[OperationSource]:
        """Yield the operations of AsyncAPI 2, which are members of the channels."""
        for reference in self.reader.members(self.root, "channels"):
            node = self.reader.resolve(reference)
            stated = [item for item in self.reader.members(node, "servers") if isinstance(item.raw, str)]
            names = {item.take() for item in stated if item.raw in self.all_servers}
            servers = self.servers(names if stated else None)
            parameters = self.parameters(node)
            is_used = False
            for verb, action in _VERBS.items():
                operation = self.reader.get(node, verb)
                if operation is None or not isinstance(operation.raw, Mapping):
                    continue
                is_used = True
                references = self.alternatives(operation.child("message")) if "message" in operation.raw else ()
                name = operation.text("operationId") if references else ""
                messages = tuple(self.message(item, name, reference.name) for item in references)
                channel = ChannelSource(node, reference.name, parameters, servers, messages)
                nodes = self.with_traits(operation)
                yield OperationSource("operation", name, action, channel, messages, nodes)
            if not is_used:
                self.notes.leave_out("A channel without operations", node)

    def parameters(self, channel: Node) -> tuple[Node, ...]:
        """Return what is known of the variables in a channel's address, each under its name there."""
        return tuple(map(self.named, self.reader.members(channel, "parameters")))

    def alternatives(self, reference: Node) -> Iterator[Node]:
        """Yield a message's reference, or those of the messages of which it is one."""
        pending, seen = [reference], set()
        while pending:
            item = pending.pop(0)
            node = self.reader.resolve(item)
            if node.look("oneOf") is None:
                yield item
            elif node.place not in seen:
                seen.add(node.place)
                pending[:0] = node.child("oneOf").members()

    def operations_v3(self) -> Iterator[OperationSource]:
        """Yield the operations of AsyncAPI 3; a reply is an operation in the other direction."""
        nodes = [self.reader.resolve(item) for item in self.reader.members(self.root, "channels")]
        channels = {node.place: self.channel(node) for node in nodes}
        unused = {node.place: dict.fromkeys(channels[node.place].messages) for node in nodes}
        for reference in self.reader.members(self.root, "operations"):
            node = self.reader.resolve(reference)
            reply = self.reader.get(node, "reply")
            action = node.text("action")
            parts = [("operation", node, action)] + (
                [("reply", reply, RECEIVE if action == SEND else SEND)] if reply else []
            )
            for kind, part, direction in parts:
                target = self.reader.get(part, "channel")
                if target is not None and target.place not in channels and isinstance(target.raw, Mapping):
                    channels[target.place] = self.channel(target)  # of another file, or of the components
                channel = channels.get(target.place) if target else None
                if channel is None or direction not in (SEND, RECEIVE):
                    self.notes.leave_out(f"A {kind} without a channel of the document, or without its action,", part)
                    continue
                places = {self.reader.resolve(item).place for item in self.reader.members(part, "messages")}
                messages = tuple(item for item in channel.messages if not places or item.node.place in places)
                for item in messages:
                    unused.get(channel.node.place, {}).pop(item, None)
                name = "" if self.exported else reference.name
                yield OperationSource(kind, name, direction, channel, messages, self.with_traits(part))
        for place, rest in unused.items():
            if rest and place in self.whole.elsewhere:
                message = "Another source of this import uses this channel, and its messages are that source's."
                advice = "Nothing needs to be done."
                channels[place].node.take()
                self.notes.add("left-out", Severity.INFO, channels[place].node, message, advice)
            elif rest:
                yield OperationSource("operation", "", "", channels[place], tuple(rest), ())
            elif not channels[place].messages:
                self.notes.leave_out("A channel without messages", channels[place].node)

    def channel(self, node: Node) -> ChannelSource:
        """Return a channel of AsyncAPI 3."""
        places = {self.reader.resolve(item).place for item in self.reader.members(node, "servers")}
        servers = tuple(item for item in self.servers(None) if not places or item.place in places)
        items = self.reader.members(node, "messages")
        messages = tuple(self.message(item, _CONVERTED.sub("", item.name), node.name) for item in items)
        return ChannelSource(node, node.text("address"), self.parameters(node), servers, messages)

    def message(self, reference: Node, operation: str, channel: str) -> MessageSource:
        """Return a message with its traits; its name is the key that others know it by, or that of what it is about."""
        node = self.reader.resolve(reference)
        is_converted = _CONVERTED.search(reference.name) is not None
        if not self.is_v2 and not (is_converted and (node is reference or node.pointer[-2:-1] == ("messages",))):
            names = [reference.name]
        elif node is not reference:
            names = [node.name]
        else:
            schema = Node(node.look("payload"), node.file, node.pointer).reference.rpartition("/")[2]
            about = (node.text("title"), unescape(schema), ".".join(self.own_words(channel)))
            names = [node.text("messageId"), node.text("name"), "" if operation in _VERBS else operation, *about]
        return MessageSource(self.reader.id_of(*names) or "message", node, self.with_traits(node))

    def with_traits(self, node: Node) -> tuple[Node, ...]:
        """Return an operation or message and its traits, those first whose statements count: in 2.x, the last trait."""
        nodes = (node, *map(self.reader.resolve, self.reader.members(node, "traits")))
        nodes = nodes[::-1] if self.is_v2 else nodes
        counted: Value = {}
        for each in nodes if len(nodes) > 1 else ():
            self._add_stated(counted, each)
        return nodes

    def _add_stated(self, counted: Value, node: Node) -> None:
        """Add what a node states to what counts before it, and note what it states otherwise; repetitions are taken."""
        for member in node.members() if isinstance(node.raw, Mapping) else ():
            known = counted.get(member.name)
            if member.name not in counted:
                counted[member.name] = deepcopy(member.raw)
            elif member.name == "externalDocs":
                continue
            elif isinstance(known, dict) and isinstance(member.raw, Mapping):
                self._add_stated(known, member)
            elif known == member.raw:
                member.take()
            elif isinstance(known, str | int | float) and isinstance(member.raw, str | int | float):
                self.notes.leave_out(f'A second "{member.name}"', member)

    def servers(self, names: Collection[str] | None) -> tuple[Node, ...]:
        """Return the servers of these names, or all."""
        return tuple(node for name, node in self.all_servers.items() if names is None or name in names)

    @cached_property
    def all_servers(self) -> dict[str, Node]:
        """The servers of the document by name; every channel asks for them."""
        return {item.name: self.reader.resolve(item) for item in self.reader.members(self.root, "servers")}

    @cached_property
    def server_protocols(self) -> dict[Any, str]:
        """The protocols of the document's servers, by our names, by the servers' places."""
        stated = [(item, scalar(item.look("protocolVersion"))) for item in self.all_servers.values()]
        return {item.place: protocol_of(str(item.look("protocol") or "").strip(), version) for item, version in stated}

    def servers_by_protocol(self, operation: OperationSource) -> dict[str, dict[str, Node]]:
        """Return an operation's protocols, by our names, each with the channel's servers, or else those of bindings."""
        channel = operation.channel
        result: dict[str, dict[str, Node]] = {}
        protocol = self.root.text("x-protocol") or self.whole.protocol
        if self.exported and (protocol or not channel.servers):  # an endpoint of no protocol has those of its messages
            return {protocol: {server.name: server for server in channel.servers}}
        parts = [channel.node, *operation.nodes, *(node for message in channel.messages for node in message.nodes)]
        bindings = [item.name for part in parts for item in self.reader.members(part, "bindings")]
        names = [self.server_protocols[server.place] for server in channel.servers]
        for name, server in zip(names, channel.servers, strict=True):
            # A web socket carries another protocol if a binding or the server's version names that one.
            own = [*bindings, *(item.name for item in self.reader.members(server, "bindings"))]
            version = scalar(server.look("protocolVersion")).lower()
            inner = (
                item
                for item in dict.fromkeys((*names, *map(protocol_by_binding, own)))
                if name.lower().partition("/")[0] in facts.protocol(item).schemes
                and (binding_of(item) in own or binding_of(item) in version)
            )
            result.setdefault(name if binding_of(name) in own else next(inner, name), {})[server.name] = server
        return result or {protocol_by_binding(name): {} for name in bindings}

    def define(self, endpoint: _Endpoint) -> None:
        """Define the messages of an endpoint, each as one channel carries it."""
        carriers: dict[tuple[Any, ...], list[OperationSource]] = {}
        for operation in endpoint.operations:
            for message in operation.messages:
                carriers.setdefault((message.node.place, operation.channel.address), []).append(operation)
        messages = [
            next(item for item in operations[0].messages if item.node.place == place)
            for (place, _), operations in carriers.items()
        ]
        names, places = Counter(item.name for item in messages), Counter(item.node.place for item in messages)
        made: list[tuple[str, ChannelSource, Definition, Value]] = []
        for message, operations in zip(messages, carriers.values(), strict=True):
            channel = operations[0].channel
            shares_name = names[message.name] > 1 and places[message.node.place] == 1
            schema = self.channel_id(channel, message.name) if shares_name else message.name
            protocol = message.node.text("x-protocol") or endpoint.protocol
            stated = self.exported and _stated_id(message.node)
            definition = Definition(self.reader, self.whole.schemas, self.root, protocol, schema)
            value = definition.value(message, (self.id, self.title or self.id), channel, operations)
            endpoint.options.append(definition.endpoint_options)
            type_ = value.get(ENVELOPE, {}).get("type", {}).get("value")
            name = stated or (type_ if not self.exported and isinstance(type_, str) and is_id(type_) else message.name)
            made.append((name, channel, definition, value))
        alike: dict[str, list[Value]] = {}
        for name, _, _, value in made:
            alike.setdefault(name, []).append(dict(value))
        for name, channel, definition, value in made:
            mid = name
            if not self.exported and any(other != alike[name][0] for other in alike[name]):
                mid = self.channel_id(channel, name)  # one message on several channels is what these say
            if mid != name:
                value["labels"] = {**value.get("labels", {}), "message-name": name}
            xid = self.place(mid, endpoint, value, message.node)
            endpoint.messages.append(xid)
            self.whole.examples += [Example(xid, item, definition.schema) for item in definition.examples]

    def place(self, mid: str, endpoint: _Endpoint, value: Value, node: Node) -> str:
        """Put a definition into its group, under a free id if there is another of this id, and return its xid."""
        if self.exported:
            self.whole.endpoints.setdefault(self.exported, {}).setdefault("messages", {})[mid] = value
            return f"/endpoints/{self.exported}/messages/{mid}"
        gid = self.part_id(endpoint)
        group = self.whole.groups.setdefault(gid, {"name": self.name(endpoint), **self.description})
        messages = group.setdefault("messages", {})
        taken = self.whole.taken.setdefault(gid, set())
        stated, mid = mid, self.whole.renamed.get((gid, mid), mid)
        is_other_case = mid not in messages and mid.casefold() in taken
        if is_other_case or messages.get(mid, value) != value:
            mid = facts.free_name(mid, taken, str.casefold)
        if is_other_case:
            self.whole.renamed[gid, stated] = mid
            message, advice = case_note(stated, mid)
            self.notes.add("ids-differ-only-in-case", Severity.INFO, node, message, advice)
        messages[mid] = value
        taken.add(mid.casefold())
        return f"/messagegroups/{gid}/messages/{mid}"

    def channel_id(self, channel: ChannelSource, message: str) -> str:
        """Return the name of a channel as an id, with that of its message where it carries several."""
        several = len({item.name for item in channel.messages}) > 1
        words = self.own_words(channel.address if self.is_v2 else channel.node.name)
        return self.reader.id_of(".".join((*words, message) if several else words), message)

    def own_words(self, name: str) -> list[str]:
        """Return the words of a channel's name, without those that the names of all channels begin with."""
        return _words(name)[len(self.common_words) :]

    @cached_property
    def common_words(self) -> list[str]:
        """The words that the names of all channels begin with."""
        names = [_words(item.name)[:-1] for item in self.reader.members(self.root, "channels")]
        return [words[0] for words in takewhile(lambda words: len({*words}) == 1, zip(*names, strict=False))]

    def part(self, endpoint: _Endpoint) -> list[str]:
        """Return what tells a group or endpoint from the document's others: protocol and direction."""
        names = {protocol for protocol, _ in self.endpoints}
        head = endpoint.protocol.partition("/")[0]
        is_one = len({name for name in names if name.partition("/")[0] == head}) == 1
        protocol = (head if is_one else endpoint.protocol) if len(names) > 1 else ""
        action = endpoint.action if len({action for _, action in self.endpoints}) > 1 else ""
        action = "" if action == _BOTH and (endpoint.protocol, "") not in self.endpoints else action
        return [name for name in (protocol, action) if name]

    def part_id(self, endpoint: _Endpoint) -> str:
        """Return the id of a group or endpoint."""
        return ".".join((self.id, *(self.reader.id_of(name).lower() for name in self.part(endpoint))))

    def name(self, endpoint: _Endpoint) -> str:
        """Return the name of a group or endpoint."""
        return ", ".join((self.title or self.id, *self.part(endpoint)))

    def add_endpoint(self, endpoint: _Endpoint) -> None:
        """Add what is known of an endpoint."""
        id_ = self.exported or self.part_id(endpoint)
        value = self.whole.endpoints.setdefault(id_, {})
        usage = value.setdefault("usage", [])
        usage += [name for name in (_USAGE[endpoint.action],) if name not in usage]
        labels = self.description.get("labels", {})
        for node in endpoint.servers.values():
            labels = joined(labels, self.texts.labels("server", node))
        value |= {"name": self.name(endpoint), **self.description, **({"labels": labels} if labels else {})}
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
        operations = [node for operation in endpoint.operations for node in operation.nodes]
        security = list(chain.from_iterable([*ways, *map(self.authorizations, operations)]))
        common = {}
        for name in dict.fromkeys(chain.from_iterable(endpoint.options)):
            stated = [item[name] for item in endpoint.options if name in item]
            if len(stated) == len(endpoint.options) and all(value == stated[0][0] for value, _ in stated):
                common[name] = stated[0][0]
                continue
            for _, node in stated:
                self.notes.leave_out(f'"{node.name}" of a binding that not all messages of an endpoint share', node)
        servers = Definition(self.reader, self.whole.schemas, self.root, endpoint.protocol)
        kept: Value = {}  # of protocols of which nothing is known
        for node in nodes:
            servers.bind(kept, "server", node)
        return {
            **kept,
            **({"endpoints": _distinct(addresses), "deployed": True} if addresses else {}),
            **({"authorization": _distinct(security)} if security else {}),
            **{name: item for name, (item, _) in servers.endpoint_options.items()},
            **common,
            **(self.root.take("x-protocoloptions") if isinstance(self.root.look("x-protocoloptions"), Mapping) else {}),
        }

    def address(self, server: Node, protocol: str, ways: list[Value]) -> Value:
        """Return the address of a server; where its scheme says how clients are admitted, ``ways`` tell."""
        known = facts.protocol(protocol)
        name = server.text("protocol").lower()
        schemes = [ours for ours, theirs in known.schemes.items() if name in (ours, theirs)]
        if not schemes:  # of those that say nothing to AsyncAPI
            schemes = [
                ours
                for ours in protocols.facts("client").get(protocol, {}).get("schemes", ())
                if ours not in known.schemes
            ]
        with_sasl = any(way["type"] in ("SASL", "Plain") for way in ways)
        fitting = [item for item in schemes if item.startswith("sasl") == with_sasl]
        scheme = server.text("x-scheme") or next(iter((*fitting, *schemes)), name)
        # A host should have no scheme and a path a slash, but both are common mistakes.
        stated, separator, rest = server.text("url" if self.is_v2 else "host").partition("://")
        scheme = stated if separator and stated.lower() != name else scheme
        host, slash, own = (rest if separator else stated).partition("/")
        path = server.text("pathname")
        path = f"{slash}{own}{'' if not path or path[0] in '/?#{' else '/'}{path}"
        uri = f"{scheme}://{host}{path}"
        plain = without_credentials(uri)
        if plain != uri and "{" not in uri[: len(uri) - len(plain.partition("://")[2])]:
            message = "The address has a user name or a password, which are left out."
            advice = "Remove them from the source, and have the password changed."
            self.notes.add("credential-in-source", Severity.WARNING, server, message, advice)
            uri = plain
        version = scalar(server.look("protocolVersion")).rpartition(" ")[2]
        if version and protocol.partition("/")[2].startswith(version[0]):  # it chose the protocol (protocol_of)
            server.take("protocolVersion")
        # A web socket's path is no topic, and its place is beside the URI (endpoint/spec.md#mqtt-protocol).
        with_path = path and scheme.lower() in protocols.facts("client").get(protocol, {}).get("pathless", ())
        uri = placeholder_names(uri.removesuffix(path) if with_path else uri)
        variables = self.texts.variables(map(self.named, self.reader.members(server, "variables")))
        texts = [server.text("summary"), server.text("description"), variables]
        description = "\n\n".join(dict.fromkeys(filter(None, texts)))
        return {
            "uri": uri,
            **({"path": placeholder_names(path)} if with_path else {}),
            **({"description": description} if description else {}),
        }

    def named(self, item: Node) -> Node:
        """Return what an item refers to, under the item's own name."""
        return replace(self.reader.resolve(item), own_name=item.name)

    def authorizations(self, node: Node) -> Iterator[Value]:
        """Yield the ways to be admitted to a server or operation."""
        for reference in self.reader.members(node, "security"):
            for scopes in reference.members() if self.is_v2 else ():
                if scopes.raw:
                    self.notes.leave_out("A choice of scopes", scopes)
            named = [
                self.reader.get(self.root, "components", "securitySchemes", item.name) for item in reference.members()
            ]
            for scheme in named if self.is_v2 else [self.reader.resolve(reference)]:
                if scheme is not None and scheme.text("type"):
                    scheme.is_a("a security scheme")
                    yield _authorization(scheme)


def _sent_and_received(carriers: list[_Carrier]) -> frozenset[Any]:
    """Return protocol, place and address of each message that operations of both directions carry in the same way."""
    ways: dict[Any, dict[str, list[Any]]] = {}
    for operation, servers in carriers:
        bindings = [value for node in operation.nodes if (value := node.look("bindings"))]
        for protocol, message in product(servers, operation.messages):
            key = (protocol, message.node.place, operation.channel.address)
            ways.setdefault(key, {}).setdefault(operation.action, []).append(bindings)
    return frozenset(
        key
        for key, way in ways.items()
        if {SEND, RECEIVE} <= way.keys() and len({str(item) for items in way.values() for item in items}) == 1
    )


# Members of security schemes that are hints of an authorization.
_HINTS = ("description", "name", "in", "bearerFormat")


def _words(channel: str) -> list[str]:
    """Return the words of a channel's name or address, without its variables."""
    return [word for word in _SEPARATORS.split(channel) if word and "{" not in word]


def _distinct(items: list[Value]) -> list[Value]:
    return [item for number, item in enumerate(items) if item not in items[:number]]


def _stated_id(node: Node) -> str:
    """Return the id that the exporter left in a document or message, or nothing."""
    id_ = node.text("x-xid").rpartition("/")[2]
    node.set_aside("x-eventcatalog-message-version", "x-eventcatalog-role")  # which it makes of the rest
    return id_ if is_id(id_) else ""


def _authorization(scheme: Node) -> Value:
    """Return a security scheme as an authorization, with hints of its own names for what has no other place."""
    kind, tables = scheme.text("type"), facts.tables()
    hints = {name.lower(): scheme.text(name) for name in _HINTS if scheme.text(name)}
    mechanism = next((name for name, item in tables["mechanisms"].items() if item["type"] == kind), "")
    if mechanism:
        return {"type": "SASL", "mechanism": mechanism, **hints}
    if kind == "oauth2":
        grants = {item["name"]: (grant, item["addresses"]) for grant, item in tables["flows"].items()}
        stated = scheme.child("flows").members() if scheme.look("flows") else ()
        flows = [flow for flow in stated if flow.name in grants and isinstance(flow.raw, Mapping)]
        known = [(*grants[flow.name], flow) for flow in flows]
        uris = dict.fromkeys(flow.text(key) for _, keys, flow in known for key in keys if flow.text(key))
        keys = [(flow, key) for flow in flows for key in ("availableScopes", "scopes")]
        scopes = [flow.take(key) for flow, key in keys if isinstance(flow.look(key), Mapping)]
        merged = {name: text for item in scopes for name, text in item.items()}
        others = [flow.text("refreshUrl") for flow in flows if flow.text("refreshUrl")]
        return {
            "type": "OAuth2",
            **({"authorityuri": next(iter(uris))} if uris else {}),
            **({"granttypes": [grant for grant, _, _ in known]} if known else {}),
            **({"scopes": merged} if merged else {}),
            **({"addresses": rest} if (rest := list(dict.fromkeys([*list(uris)[1:], *others]))) else {}),
            **hints,
        }
    if kind == "openIdConnect":
        return {"type": "OAuth2", "authorityuri": scheme.text("openIdConnectUrl"), **hints}
    if kind in ("apiKey", "httpApiKey"):
        return {"type": "APIKey", **hints}
    if kind == "userPassword" or (kind == "http" and scheme.text("scheme").lower() == "basic"):
        return {"type": "Plain", **hints}
    return {"type": {"X509": "X509Cert", "http": scheme.text("scheme").capitalize()}.get(kind) or kind, **hints}
