"""The exporter: a registry becomes one AsyncAPI 3 document for each endpoint, with its servers and channels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xregit.catalog import Endpoint, Message, Registry
from xregit.catalog.registry import expect_registry
from xregit.document.asyncapi.facts import Protocol, free_name, is_uri, protocol, tables, variables
from xregit.document.asyncapi.messages import (
    ENDPOINT,
    OptionValues,
    bindings,
    description_of,
    is_answer,
    message_object,
    options_of,
    unplaced_options,
)
from xregit.document.asyncapi.schemas import PayloadSchemas
from xregit.document.serializer import lifecycle_of
from xregit.model.language import NOTHING
from xregit.source.file_tree import id_to_filename
from xregit.source.json_emitter import to_bytes

VERSION = "3.0.0"
# Options that every endpoint may have and that AsyncAPI has a place for.
_COMMON = frozenset({"endpoint/endpoints", "endpoint/authorization"})
SEND, RECEIVE = "send", "receive"
ACTIONS: Mapping[str, str] = {"producer": SEND, "consumer": RECEIVE, "subscriber": RECEIVE}
_OTHER_WAY = {SEND: RECEIVE, RECEIVE: SEND}
PATH = "path"
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+._-]*)://(?:[^/?#@]*@)?(?P<host>[^/?#]+)(?P<path>.*)", re.DOTALL)


def export_asyncapi(registry: Registry) -> dict[str, dict[str, Any]]:
    """Return an AsyncAPI 3.0.0 document for each endpoint, by the endpoint's id, of the types of JSON.

    Raises:
        XregitError: the argument is no registry.
    """
    expect_registry(registry)
    return {endpoint.id: _document(endpoint) for endpoint in registry.endpoints}


def asyncapi_files(registry: Registry) -> dict[str, bytes]:
    """Return the documents as the bytes of one file for each endpoint, by its name."""
    documents = export_asyncapi(registry)
    return {f"{id_to_filename(name)}.json": to_bytes(document) for name, document in documents.items()}


def _document(endpoint: Endpoint) -> dict[str, Any]:
    payloads = PayloadSchemas()
    channels, operations = _channels_and_operations(endpoint, payloads)
    servers = _servers(endpoint, with_path=not _path_is_address(endpoint))
    unplaced = unplaced_options(endpoint.options, ENDPOINT, protocol(endpoint.protocol).placed | _COMMON)
    return {
        "asyncapi": VERSION,
        "info": {
            "title": endpoint.name or endpoint.id,
            "version": _version(endpoint.registry, _endpoint_files(endpoint)),
            **description_of(endpoint.attributes),
        },
        **({"servers": servers} if servers else {}),
        "channels": channels,
        "operations": operations,
        **({"components": {"schemas": payloads.schemas}} if payloads.schemas else {}),
        "x-xid": endpoint.xid,
        **({"x-protocol": endpoint.protocol} if endpoint.protocol else {}),
        **({"x-channel": endpoint.channel} if endpoint.channel else {}),
        **({"x-protocoloptions": unplaced} if unplaced else {}),
    }


def _version(registry: Registry, paths: Iterable[str]) -> str:
    """Return the day of the last commit that touched one of the files, as tools that compare versions take it."""
    year, month, day = map(int, lifecycle_of(registry, tuple(paths)).modifiedat[:10].split("-"))
    return f"{year}.{month}.{day}"


def _endpoint_files(endpoint: Endpoint) -> Iterator[str]:
    """Yield the files of an endpoint and its messages, whose last change is the document's version."""
    yield endpoint.entity.place.path
    for entry in endpoint.contract:
        yield from _message_files(entry.message)


def _message_files(message: Message) -> Iterator[str]:
    """Yield the files that say what a message is: its own, and those of its base messages and its schema."""
    yield message.entity.place.path
    bases = map(message.registry.entity, message.resolved.chain)
    yield from (base.place.path for base in bases if base is not None)
    reference = message.schema
    if reference is not None and reference.version is not None and reference.version.document is not None:
        yield reference.version.document.place.path


def _servers(endpoint: Endpoint, *, with_path: bool) -> dict[str, dict[str, Any]]:
    """Return the servers by name; ``with_path`` says that an address's path is no channel's address."""
    addresses = tuple(_endpoint_addresses(endpoint))
    names = ["server"] if len(addresses) == 1 else [f"server-{number}" for number in range(1, len(addresses) + 1)]
    return {name: _server(endpoint, uri, with_path) for name, uri in zip(names, addresses, strict=True)}


def _common_path(endpoint: Endpoint) -> str:
    """Return the path that all addresses share, without its first slash; empty where they don't, or there is none."""
    paths = {_split_address(uri)[2].removeprefix("/") for uri in _endpoint_addresses(endpoint)}
    return paths.pop() if len(paths) == 1 else ""


def _endpoint_addresses(endpoint: Endpoint) -> Iterator[str]:
    items = endpoint.options.get("endpoints")
    for item in items if isinstance(items, list | tuple) else ():
        uri = item.get("uri", item.get("url")) if isinstance(item, Mapping) else item
        if isinstance(uri, str) and uri:
            yield uri


def _split_address(uri: str) -> tuple[str, str, str]:
    """Return scheme, host with port, and path of an address; one of another form is all host."""
    match = _ADDRESS.fullmatch(uri)
    return (match["scheme"], match["host"], match["path"]) if match else ("", uri, "")


def _server(endpoint: Endpoint, uri: str, with_path: bool) -> dict[str, Any]:
    known_protocol = protocol(endpoint.protocol)
    scheme, host, path = _split_address(uri)
    name = known_protocol.schemes.get(scheme.lower(), known_protocol.protocol) or scheme.lower() or "unknown"
    names = variables(host + (path if with_path else ""))
    security = list(_security(endpoint))
    return {
        "host": host,
        **({"pathname": path} if path and with_path else {}),
        "protocol": name,
        **({"protocolVersion": known_protocol.protocolversion} if known_protocol.protocolversion else {}),
        **({"variables": {variable: {} for variable in names}} if names else {}),
        **({"security": security} if security else {}),
        **bindings(known_protocol, "server", OptionValues(endpoint.options)),
        **({"x-scheme": scheme} if scheme and scheme.lower() != name else {}),
    }


def _security(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    """Yield a security scheme for each kind of authorization that AsyncAPI can express."""
    authorization = endpoint.options.get("authorization")
    for item in authorization if isinstance(authorization, list | tuple) else (authorization,):
        if not isinstance(item, Mapping):
            continue
        kind = str(item.get("type", ""))
        if kind == "OAuth2":
            yield from _oauth(item)
            continue
        schemes = tables()["authorization"].get(kind, NOTHING)
        mechanism = tables()["mechanisms"].get(str(item.get("mechanism", "")).upper())
        scheme = mechanism or schemes.get(protocol(endpoint.protocol).protocol) or schemes.get("others")
        if scheme:
            yield dict(scheme)


def _oauth(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the OAuth 2.0 scheme; AsyncAPI has no place for one without the URI of its authority."""
    authority, grants = item.get("authorityuri"), item.get("granttypes")
    if not is_uri(authority):
        return
    flows = [tables()["flows"].get(str(grant)) for grant in (grants if isinstance(grants, list | tuple) else ())]
    yield {
        "type": "oauth2",
        "flows": {
            flow["name"]: {**dict.fromkeys(flow["addresses"], authority), "availableScopes": {}}
            for flow in flows
            if flow
        },
    }


@dataclass(frozen=True, slots=True)
class _ChannelMessage:
    """A message as an endpoint carries it: the channel's address, what clients do, and the operation's bindings."""

    message: Message
    protocol: Protocol
    address: str | None
    actions: tuple[str, ...]
    bindings: Mapping[str, Any]


def _channels_and_operations(
    endpoint: Endpoint, payloads: PayloadSchemas
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the channels and operations of an endpoint by their names; its payloads' schemas are added."""
    channels: dict[str, dict[str, Any]] = {}
    operations: dict[str, dict[str, Any]] = {}
    by_address: dict[str | None, list[_ChannelMessage]] = {}
    for entry in endpoint.contract:
        item = _channel_message(endpoint, entry.message)
        by_address.setdefault(item.address, []).append(item)
    for address, items in by_address.items():
        channel = free_name(address or endpoint.id, channels)
        messages: dict[str, Any] = {}
        names = variables(address or "")
        parameters: dict[str, Any] = {"parameters": {name: {} for name in names}} if names else {}
        channels[channel] = {"address": address, "messages": messages, **parameters}
        pointers = []
        for item in items:
            name = free_name(item.message.id, messages)
            content = message_object(endpoint, item.message, item.protocol, payloads.add(item.message))
            messages[name] = content | _eventcatalog(item)
            pointers.append((item, {"$ref": f"#/channels/{channel}/messages/{name}"}))
        for operation in _operations(channel, pointers):
            operations[free_name(f"{operation['action']}.{channel}", operations)] = operation
    return channels, operations


def _eventcatalog(item: _ChannelMessage) -> dict[str, str]:
    """Return what EventCatalog asks of a message: its version, and whether the application owns what it says."""
    return {
        "x-eventcatalog-message-version": _version(item.message.registry, _message_files(item.message)),
        "x-eventcatalog-role": "provider" if SEND in item.actions else "client",
    }


def _path_is_address(endpoint: Endpoint) -> bool:
    """Return whether the path of the endpoint's addresses is that of a channel."""
    return PATH in protocol(endpoint.protocol).address and bool(_common_path(endpoint))


def _channel_message(endpoint: Endpoint, message: Message) -> _ChannelMessage:
    message_protocol = protocol(message.protocol or endpoint.protocol)
    options = options_of(endpoint, message, message_protocol)
    actions = dict.fromkeys(ACTIONS[usage] for usage in endpoint.usage if usage in ACTIONS)
    answer = is_answer(message, message_protocol)
    return _ChannelMessage(
        message,
        message_protocol,
        _channel_address(endpoint, message_protocol, options),
        tuple(_OTHER_WAY[action] if answer else action for action in actions),
        {} if answer else bindings(message_protocol, "operation", options),
    )


def _channel_address(endpoint: Endpoint, protocol: Protocol, options: OptionValues) -> str | None:
    for source in protocol.address:
        option = options.first((source,)) if source != PATH else None
        value = _common_path(endpoint) if source == PATH else option.value if option else None
        if isinstance(value, str) and value:
            return value
    return None


def _operations(channel: str, pointers: list[tuple[_ChannelMessage, dict[str, str]]]) -> Iterator[dict[str, Any]]:
    """Yield an operation for each thing that clients do at a channel; messages with the same bindings share one."""
    operations: list[dict[str, Any]] = []
    for item, pointer in pointers:
        for action in item.actions:
            head = {"action": action, "channel": {"$ref": f"#/channels/{channel}"}, **item.bindings}
            same = next(
                (other for other in operations if {**other, "messages": None} == {**head, "messages": None}), None
            )
            if same is None:
                operations.append({**head, "messages": [pointer]})
            else:
                same["messages"].append(pointer)
    yield from operations
