"""What an endpoint carries to AsyncAPI's channels and operations.

A document describes an application that is a client of the endpoint: at a ``producer`` endpoint it sends, at a
``consumer`` or ``subscriber`` endpoint it receives. An answer, such as an HTTP response, goes the other way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.document.asyncapi.bindings import bindings
from xregit.document.asyncapi.facts import protocol
from xregit.document.asyncapi.messages import is_answer, message_object, options_of
from xregit.document.asyncapi.naming import free_name, variables
from xregit.document.asyncapi.servers import common_path
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog import Endpoint, Message
    from xregit.document.asyncapi.facts import Protocol
    from xregit.document.asyncapi.options import Options
    from xregit.document.asyncapi.payloads import Payloads

SEND, RECEIVE = "send", "receive"
ACTIONS: Mapping[str, str] = {"producer": SEND, "consumer": RECEIVE, "subscriber": RECEIVE}
_OTHER_WAY = {SEND: RECEIVE, RECEIVE: SEND}
PATH = "path"


@record
class _Carried:
    """A message as an endpoint carries it: the channel's address, what clients do, and the operation's bindings."""

    message: Message
    known: Protocol
    address: str | None
    actions: tuple[str, ...]
    bindings: Mapping[str, Any]


@record
class Traffic:
    """The channels and operations of a document, by their names."""

    channels: Mapping[str, dict[str, Any]]
    operations: Mapping[str, dict[str, Any]]


def traffic(endpoint: Endpoint, payloads: Payloads) -> Traffic:
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


def _by_address(endpoint: Endpoint) -> dict[str | None, list[_Carried]]:
    found: dict[str | None, list[_Carried]] = {}
    for entry in endpoint.contract:
        item = _carried(endpoint, entry.message)
        found.setdefault(item.address, []).append(item)
    return found


def _carried(endpoint: Endpoint, message: Message) -> _Carried:
    known = protocol(message.protocol or endpoint.protocol)
    options = options_of(endpoint, message, known)
    actions = dict.fromkeys(ACTIONS[usage] for usage in endpoint.usage if usage in ACTIONS)
    answer = is_answer(message, known)
    return _Carried(
        message,
        known,
        _address(endpoint, known, options),
        tuple(_OTHER_WAY[action] if answer else action for action in actions),
        {} if answer else bindings(known, "operation", options),
    )


def _address(endpoint: Endpoint, known: Protocol, options: Options) -> str | None:
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


def _operations(channel: str, pointers: list[tuple[_Carried, dict[str, str]]]) -> Iterator[dict[str, Any]]:
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
