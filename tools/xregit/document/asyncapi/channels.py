"""The servers, channels and operations of an endpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.document.asyncapi.bindings import bindings
from xregit.document.asyncapi.facts import free_name, is_uri, protocol, tables, variables
from xregit.document.asyncapi.messages import is_answer, message_object, options_of
from xregit.document.asyncapi.options import OptionValues
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Endpoint, Message
    from xregit.document.asyncapi.facts import Protocol
    from xregit.document.asyncapi.schemas import PayloadSchemas


_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+._-]*)://(?:[^/?#@]*@)?(?P<host>[^/?#]+)(?P<path>.*)", re.DOTALL)


def servers(endpoint: Endpoint, *, with_path: bool) -> dict[str, dict[str, Any]]:
    """Return the servers by name; ``with_path`` says that an address's path is no channel's address."""
    known = protocol(endpoint.protocol)
    addresses = tuple(_endpoint_addresses(endpoint))
    names = ["server"] if len(addresses) == 1 else [f"server-{number}" for number in range(1, len(addresses) + 1)]
    return {name: _server(endpoint, known, uri, with_path) for name, uri in zip(names, addresses, strict=True)}


def common_path(endpoint: Endpoint) -> str:
    """Return the path that all addresses share, without its first slash; empty where they don't, or there is none."""
    paths = {_split_address(uri)[2].removeprefix("/") for uri in _endpoint_addresses(endpoint)}
    return paths.pop() if len(paths) == 1 else ""


def _endpoint_addresses(endpoint: Endpoint) -> Iterator[str]:
    stated = endpoint.options.get("endpoints")
    for item in stated if isinstance(stated, list | tuple) else ():
        uri = item.get("uri", item.get("url")) if isinstance(item, Mapping) else item
        if isinstance(uri, str) and uri:
            yield uri


def _split_address(uri: str) -> tuple[str, str, str]:
    """Return scheme, host with port, and path of an address; one of another form is all host."""
    found = _ADDRESS.fullmatch(uri)
    return (found["scheme"], found["host"], found["path"]) if found else ("", uri, "")


def _server(endpoint: Endpoint, known: Protocol, uri: str, with_path: bool) -> dict[str, Any]:
    scheme, host, path = _split_address(uri)
    spoken = known.schemes.get(scheme.lower(), known.protocol) or scheme.lower() or "unknown"
    server: dict[str, Any] = {"host": host}
    if path and with_path:
        server["pathname"] = path
    server["protocol"] = spoken
    if known.protocolversion:
        server["protocolVersion"] = known.protocolversion
    named = variables(host + (path if with_path else ""))
    if named:
        server["variables"] = {name: {} for name in named}
    security = list(_security(endpoint))
    if security:
        server["security"] = security
    server |= bindings(known, "server", OptionValues(endpoint.options))
    if scheme and scheme.lower() != spoken:
        server["x-scheme"] = scheme
    return server


def _security(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    """Give a security scheme for each way to be admitted that AsyncAPI can express."""
    stated = endpoint.options.get("authorization")
    for item in stated if isinstance(stated, list | tuple) else (stated,):
        scheme = _scheme(endpoint, item) if isinstance(item, Mapping) else None
        if scheme is not None:
            yield scheme


def _scheme(endpoint: Endpoint, item: Mapping[str, Any]) -> dict[str, Any] | None:
    kind = str(item.get("type", ""))
    if kind == "OAuth2":
        return _oauth(item)
    known = tables()["authorization"].get(kind, NOTHING)
    mechanism = tables()["mechanisms"].get(str(item.get("mechanism", "")).upper())
    special = known.get(protocol(endpoint.protocol).protocol)
    found = mechanism or special or known.get("others")
    return dict(found) if found else None


def _oauth(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the OAuth 2.0 scheme; AsyncAPI has no place for one whose authority is not known."""
    authority = item.get("authorityuri")
    if not is_uri(authority):
        return None
    granted = item.get("granttypes")
    flows = [tables()["flows"].get(str(each)) for each in (granted if isinstance(granted, list | tuple) else ())]
    known = [flow for flow in flows if flow]
    return {
        "type": "oauth2",
        "flows": {
            flow["name"]: {**dict.fromkeys(flow["addresses"], authority), "availableScopes": {}} for flow in known
        },
    }


SEND, RECEIVE = "send", "receive"
ACTIONS: Mapping[str, str] = {"producer": SEND, "consumer": RECEIVE, "subscriber": RECEIVE}
_OTHER_WAY = {SEND: RECEIVE, RECEIVE: SEND}
PATH = "path"


@dataclass(frozen=True, slots=True)
class _ChannelMessage:
    """A message as an endpoint carries it: the channel's address, what clients do, and the operation's bindings."""

    message: Message
    known: Protocol
    address: str | None
    actions: tuple[str, ...]
    bindings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Traffic:
    """The channels and operations of a document, by their names."""

    channels: Mapping[str, dict[str, Any]]
    operations: Mapping[str, dict[str, Any]]


def channels_and_operations(endpoint: Endpoint, payloads: PayloadSchemas) -> Traffic:
    """Return the channels and operations of an endpoint; the schemas of payloads are added to those given."""
    channels: dict[str, dict[str, Any]] = {}
    operations: dict[str, dict[str, Any]] = {}
    for address, carried in _by_address(endpoint).items():
        channel = free_name(address or endpoint.id, channels)
        channels[channel] = _channel(address)
        messages: dict[str, Any] = channels[channel]["messages"]
        pointers = []
        for item in carried:
            name = free_name(item.message.id, messages)
            messages[name] = message_object(endpoint, item.message, item.known, payloads.of(item.message))
            pointers.append((item, {"$ref": f"#/channels/{channel}/messages/{name}"}))
        for operation in _operations(channel, pointers):
            operations[free_name(f"{operation['action']}.{channel}", operations)] = operation
    return Traffic(channels, operations)


def path_is_address(endpoint: Endpoint) -> bool:
    """Tell whether the path of the endpoint's addresses names what messages are sent to or taken from."""
    return PATH in protocol(endpoint.protocol).address and bool(common_path(endpoint))


def _by_address(endpoint: Endpoint) -> dict[str | None, list[_ChannelMessage]]:
    found: dict[str | None, list[_ChannelMessage]] = {}
    for entry in endpoint.contract:
        item = _channel_messages(endpoint, entry.message)
        found.setdefault(item.address, []).append(item)
    return found


def _channel_messages(endpoint: Endpoint, message: Message) -> _ChannelMessage:
    known = protocol(message.protocol or endpoint.protocol)
    options = options_of(endpoint, message, known)
    actions = dict.fromkeys(ACTIONS[usage] for usage in endpoint.usage if usage in ACTIONS)
    answer = is_answer(message, known)
    return _ChannelMessage(
        message,
        known,
        _channel_address(endpoint, known, options),
        tuple(_OTHER_WAY[action] if answer else action for action in actions),
        {} if answer else bindings(known, "operation", options),
    )


def _channel_address(endpoint: Endpoint, known: Protocol, options: OptionValues) -> str | None:
    for source in known.address:
        if source == PATH:
            value: Any = common_path(endpoint)
        else:
            found = options.first((source,))
            value = found.value if found else None
        if isinstance(value, str) and value:
            return value
    return None


def _channel(address: str | None) -> dict[str, Any]:
    named = variables(address or "")
    return {"address": address, "messages": {}, **({"parameters": {name: {} for name in named}} if named else {})}


def _operations(channel: str, pointers: list[tuple[_ChannelMessage, dict[str, str]]]) -> Iterator[dict[str, Any]]:
    """Give an operation for each thing that clients do at a channel; messages that are bound alike share one."""
    alike: list[dict[str, Any]] = []
    for item, pointer in pointers:
        for action in item.actions:
            wanted = {"action": action, "channel": {"$ref": f"#/channels/{channel}"}, **item.bindings}
            same = next((known for known in alike if {**known, "messages": None} == {**wanted, "messages": None}), None)
            if same is None:
                alike.append({**wanted, "messages": [pointer]})
            else:
                same["messages"].append(pointer)
    yield from alike
