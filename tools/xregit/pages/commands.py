"""The shell commands that make and send a message, as the protocol's file has them under `sending`."""

from __future__ import annotations

import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from xregit.catalog.views import Endpoint
from xregit.model import protocols
from xregit.pages.attributes import HIDDEN
from xregit.pages.diagrams import SENDING
from xregit.protocols import Wire

Facts = Mapping[str, Any]
# A longer payload has no place in a line to copy.
MAX_BODY_BYTES = 2_000
PAYLOAD = "payload"
# The end of a line that reads the payload from a file.
DATA = f" --data {PAYLOAD}.json"
_NAMES = re.compile(r"\{([^{}]+)\}")
# Those of protocols that have no program to send with.
DEFAULT_PORTS: Mapping[str, Facts] = {"AMQP/1.0": {"": 5672, "amqps": 5671}}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff]")


def create_command(xid: str, context: Mapping[str, str], example: str, mode: str, protocol: str) -> str:
    """Return the lines by which `xregit new` makes a message; ``example`` is the payload's value as JSON.

    They do not write a long payload to the file that the last line reads.
    """
    words = ["xregit", "new", xid]
    for name, value in context.items():
        words += ["--set", f"{name}={value}"]
    words += ["--mode", mode] if mode else []
    words += ["--protocol", protocol] if protocol else []
    if not example:
        return shlex.join(words)
    line = f"{shlex.join(words)}{DATA}"
    return line if len(example) > MAX_BODY_BYTES else f"{_write_file(example.encode(), f'{PAYLOAD}.json')}\n{line}"


def send_targets(protocol: str, endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """Return the endpoints that a message can be sent to, those to which clients send first."""
    facts = protocols.facts("sending").get(protocol)
    usages = facts.get("usages") if facts else ()
    targets = [each for each in endpoints if usages is None or not set(each.usage).isdisjoint(usages)]
    return tuple(sorted(targets, key=lambda each: SENDING not in each.usage))


def is_reachable(protocol: str, addresses: Iterable[str]) -> bool:
    """Whether one of some addresses can be parsed."""
    return any(address_parts(protocol, address) for address in addresses)


def send_command(wire: Wire, message: Facts, addresses: Sequence[str], options: Facts) -> str:
    """Return the lines that send a message to the first address that can be parsed; nothing where none would do.

    ``message`` is the message in its JSON form; ``options`` are those of the endpoint, which may have values that the
    message leaves open.
    """
    facts = protocols.facts("sending").get(wire.protocol)
    if facts is None:
        return ""
    message = with_options(wire.protocol, message, options)
    if not _sendable(facts, message, wire.body):
        return ""
    parts = next(filter(None, (address_parts(wire.protocol, address) for address in addresses)), None)
    parts = parts or address_parts(wire.protocol, facts["default"])
    words = [facts["program"], *facts.get("lead", ()), *_format_words(facts.get("address", ()), parts)]
    words += facts.get("schemes", {}).get(parts["scheme"], ())
    words += _arguments(facts, message)
    target = facts.get("target", "").format_map({**_target_fields(facts, message), **parts})
    words += [target] if target else []
    if not wire.body:
        return shlex.join([*words, *facts.get("nobody", ())])
    line = shlex.join([*words, *facts["body"]]) + (f" < {PAYLOAD}" if facts.get("input", False) else "")
    return f"{_write_file(wire.body, PAYLOAD)}\n{line}"


def with_options(protocol: str, message: Facts, options: Facts) -> dict[str, Any]:
    """Return a message in its JSON form with what the options of its endpoint add to it."""
    facts = protocols.facts("sending").get(protocol) or {}
    defaults = {name: options[name] for name in facts.get("options", ()) if _is_plain(options.get(name))}
    merged = {**defaults, **message}
    for name in facts.get("every", ()):
        merged |= _merge_entries(name, options.get(name), message.get(name))
    return merged


def needed(protocol: str) -> Sequence[str]:
    """Return the fields without which a message can't be sent."""
    names: Sequence[str] = (protocols.facts("sending").get(protocol) or {}).get("needs", ())
    return names


def _is_plain(value: Any) -> bool:
    """Whether an option is one value that can be sent as it is: no secret, and without placeholders."""
    return isinstance(value, str | int) and value != HIDDEN and "{" not in str(value)


def _merge_entries(name: str, endpoint_value: Any, message_value: Any) -> dict[str, Any]:
    """Return the entries that an endpoint adds to every message, before a message's own; nothing where none are."""
    own_names = {key.lower() for key, _ in pairs(message_value)}
    added = ((key, value) for key, value in _text_entries(endpoint_value) if key.lower() not in own_names)
    entries = [*added, *pairs(message_value)]
    return {name: [{"name": key, "value": value} for key, value in entries]} if entries else {}


def _text_entries(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a list or map of any form, without what looks like a credential."""
    items = value if isinstance(value, list | tuple) else ()
    pairs = ((each.get("name"), each.get("value")) for each in items if isinstance(each, Mapping))
    for key, text in value.items() if isinstance(value, Mapping) else pairs:
        if isinstance(key, str) and isinstance(text, str) and text != HIDDEN:
            yield key, text


def _sendable(facts: Facts, message: Facts, body: bytes | None) -> bool:
    """Whether a line can have all of a message: its address, single texts, a payload that isn't long."""
    fields = {*facts.get("fields", {}), *facts.get("flags", {}), *facts.get("pairs", {}), *_target_names(facts)}
    fields |= {"protocol", "body", "body_base64"}
    never = facts.get("never")
    return (
        (body is None or len(body) <= MAX_BODY_BYTES)
        and (never is None or (never not in str(message) and never.encode() not in (body or b"")))
        and message.keys() <= fields
        and all(message.get(name) for name in needed(message["protocol"]))
    )


def _arguments(facts: Facts, message: Facts) -> Iterator[str]:
    values = {**facts.get("absent", {}), **message}
    for name, words in facts.get("fields", {}).items():
        if name in values:
            yield from _format_words(words, {"value": values[name]})
    for name, words in facts.get("flags", {}).items():
        if values.get(name) is True:
            yield from words
    for name, words in facts.get("pairs", {}).items():
        for key, value in pairs(values.get(name)):
            yield from _format_words(words, {"name": key, "value": value})


def pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a list or map of a message in its JSON form."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from ((name, each) for each in (item if isinstance(item, list) else [item]))
    else:
        yield from ((item["name"], item["value"]) for item in value or ())


def _format_words(words: Sequence[str], values: Mapping[str, Any]) -> Iterator[str]:
    return (word.format_map(values) for word in words)


def address_parts(protocol: str, address: str) -> Mapping[str, str]:
    """Return the parts of an address; nothing where it names no host, or has placeholders of its own."""
    prefix, _, rest = address.partition("//") if "//" in address else ("", "", address)
    scheme = prefix.removesuffix(":").lower()  # by hand, as Kafka's sasl_ssl is no scheme for urlsplit
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if not host or "{" in address:
        return {}
    ports = (protocols.facts("sending").get(protocol) or {}).get("port", DEFAULT_PORTS.get(protocol, {}))
    base = f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    return {"scheme": scheme, "host": host, "port": str(port or ports.get(scheme, ports.get("", ""))), "base": base}


def http_url(parts: Mapping[str, str], message: Facts) -> str:
    """Return the address that a message of HTTP is sent to."""
    facts = protocols.facts("sending")["HTTP"]
    return str(facts["target"].format_map({**_target_fields(facts, message), **parts}))


def _target_names(facts: Facts) -> frozenset[str]:
    """Return the names in the target; those that are no part of the address are fields of the message."""
    return frozenset(_NAMES.findall(facts.get("target", "")))


def _target_fields(facts: Facts, message: Facts) -> Mapping[str, str]:
    """Return the fields of the message in the target, as texts of an address."""
    fields = {name: _query_or_text(message.get(name)) for name in _target_names(facts)}
    path = fields.get("path", "")
    return fields | {"path": path if not path or path.startswith("/") else f"/{path}"}


def _query_or_text(value: Any) -> str:
    if not isinstance(value, list | Mapping):
        return str(value or "")
    query = "&".join(f"{quote(name, safe='')}={quote(str(each), safe='')}" for name, each in pairs(value))
    return f"?{query}" if query else ""


def _write_file(body: bytes, name: str) -> str:
    """Return the line that writes bytes to a file."""
    text = readable(body)
    if text is None:
        return f"printf %s {b64encode(body).decode()} | base64 -d > {name}"
    return f"printf %s {shlex.quote(text)} > {name}"


def readable(body: bytes) -> str | None:
    """Return bytes as a text that can be shown and copied, None where they are none."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text
