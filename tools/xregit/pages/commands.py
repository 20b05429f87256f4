"""A message on the wire to the lines that send it from a shell, as the protocol's file has them under `sending`."""

from __future__ import annotations

import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from xregit.model import protocols
from xregit.pages.context import HIDDEN
from xregit.pages.diagrams import SENDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xregit.catalog.views import Endpoint
    from xregit.protocols import Wire

Facts = Mapping[str, Any]
# A payload that is longer has no place in a line that one copies.
MAX_BODY_BYTES = 2_000
PAYLOAD = "payload"
# How a line ends that takes its payload from a file.
DATA = f" --data {PAYLOAD}.json"
MAX_REMEMBERED = 16_384
_NAMES = re.compile(r"\{([^{}]+)\}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff]")


def making(xid: str, context: Mapping[str, str], example: str, mode: str, protocol: str) -> str:
    """Return the lines by which `xregit new` makes a message; ``example`` is the payload's value as JSON.

    A long one is not written to the file from which the last line takes it.
    """
    words = ["xregit", "new", xid]
    for name, value in context.items():
        words += ["--set", f"{name}={value}"]
    words += ["--mode", mode] if mode else []
    words += ["--protocol", protocol] if protocol else []
    if not example:
        return _joined(words)
    line = f"{_joined(words)}{DATA}"
    return line if len(example) > MAX_BODY_BYTES else f"{_file(example.encode(), f'{PAYLOAD}.json')}\n{line}"


def takers(protocol: str, endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """Return the endpoints that a message can be sent to, in front those to which clients send."""
    facts = protocols.facts("sending").get(protocol)
    only = facts.get("usages") if facts else ()
    fit = [each for each in endpoints if only is None or not set(each.usage).isdisjoint(only)]
    return tuple(sorted(fit, key=lambda each: SENDING not in each.usage))


def reachable(protocol: str, addresses: Iterable[str]) -> bool:
    """Tell whether one of some addresses can be read."""
    return any(_place(protocol, address) for address in addresses)


def sending(wire: Wire, said: Facts, addresses: Sequence[str], options: Facts) -> str:
    """Return the lines that send a message to the first address that can be read; nothing where none would do.

    ``said`` is the message in its JSON shape; ``options`` are those of the endpoint, which may say what the message
    leaves open.
    """
    facts = protocols.facts("sending").get(wire.protocol)
    if facts is None:
        return ""
    said = {**{name: options[name] for name in facts.get("options", ()) if _is_plain(options.get(name))}, **said}
    for name in facts.get("every", ()):
        said |= _with_own(name, options.get(name), said.get(name))
    if not _sendable(facts, said, wire.body):
        return ""
    place = next(filter(None, (_place(wire.protocol, address) for address in addresses)), None)
    place = place or _place(wire.protocol, facts["default"])
    words = [facts["program"], *facts.get("lead", ()), *_filled(facts.get("address", ()), place)]
    words += facts.get("schemes", {}).get(place["scheme"], ())
    words += _arguments(facts, said)
    empty = not wire.body
    inside = not empty and facts.get("input", False)
    target = facts.get("target", "").format_map({**_shown(facts, said), **place})
    words += [target] if target else []
    words += facts.get("nobody", ()) if empty else facts["body"]
    line = _joined(words) + (f" < {PAYLOAD}" if inside else "")
    return line if empty else f"{_file(wire.body or b'', PAYLOAD)}\n{line}"


def _is_plain(stated: Any) -> bool:
    """Tell whether an option is one value that can be sent as it is: no secret, and nothing that is still open."""
    return isinstance(stated, str | int) and stated != HIDDEN and "{" not in str(stated)


def _with_own(name: str, stated: Any, own: Any) -> dict[str, Any]:
    """Return the entries that an endpoint states for every message, before a message's own; nothing where none are."""
    known = {key.lower() for key, _ in _pairs(own)}
    entries = [*((key, value) for key, value in _entries(stated) if key.lower() not in known), *_pairs(own)]
    return {name: [{"name": key, "value": value} for key, value in entries]} if entries else {}


def _entries(stated: Any) -> Iterator[tuple[str, str]]:
    """Give the names and values of a list or map as somebody wrote it, but what looks like a credential."""
    listed = stated if isinstance(stated, list | tuple) else ()
    pairs = ((each.get("name"), each.get("value")) for each in listed if isinstance(each, Mapping))
    for key, value in stated.items() if isinstance(stated, Mapping) else pairs:
        if isinstance(key, str) and isinstance(value, str) and value != HIDDEN:
            yield key, value


def _sendable(facts: Facts, said: Mapping[str, Any], body: bytes | None) -> bool:
    """Tell whether a line can say all of a message: its address, single texts, a payload that isn't long."""
    known = {*facts.get("fields", {}), *facts.get("flags", {}), *facts.get("pairs", {}), *_in_target(facts)}
    known |= {"protocol", "body", "body_base64"}
    short = body is None or len(body) <= MAX_BODY_BYTES
    never = facts.get("never")
    plain = never is None or (never not in str(said) and never.encode() not in (body or b""))
    return short and plain and said.keys() <= known and all(said.get(name) for name in facts.get("needs", ()))


def _arguments(facts: Facts, said: Mapping[str, Any]) -> Iterator[str]:
    stated = {**facts.get("absent", {}), **said}
    for name, words in facts.get("fields", {}).items():
        if name in stated:
            yield from _filled(words, {"value": stated[name]})
    for name, words in facts.get("flags", {}).items():
        if stated.get(name) is True:
            yield from words
    for name, words in facts.get("pairs", {}).items():
        for key, value in _pairs(stated.get(name)):
            yield from _filled(words, {"name": key, "value": value})


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from ((name, each) for each in (item if isinstance(item, list) else [item]))
    else:
        yield from ((item["name"], item["value"]) for item in value or ())


def _filled(words: Sequence[str], values: Mapping[str, Any]) -> Iterator[str]:
    return (word.format_map(values) for word in words)


@lru_cache(maxsize=MAX_REMEMBERED)
def _place(protocol: str, address: str) -> Mapping[str, str]:
    """Return the parts of an address; nothing where it names no host, or has placeholders of its own."""
    stated, _, rest = address.partition("//") if "//" in address else ("", "", address)
    scheme = stated.removesuffix(":").lower()  # apart, as Kafka's sasl_ssl is none for those who read addresses
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if not host or "{" in address:
        return {}
    ports = protocols.facts("sending")[protocol].get("port", {})
    known = str(port or ports.get(scheme, ports.get("", "")))
    base = f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    return {"scheme": scheme, "host": host, "port": known, "base": base}


def _in_target(facts: Facts) -> frozenset[str]:
    """Return what the target is made of; what is no part of the address is a field of the message."""
    return frozenset(_NAMES.findall(facts.get("target", "")))


def _shown(facts: Facts, said: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the fields that the target is made of, as texts of an address."""
    texts = {name: _part(said.get(name)) for name in _in_target(facts)}
    path = texts.get("path", "")
    return texts | {"path": path if not path or path.startswith("/") else f"/{path}"}


def _part(value: Any) -> str:
    if not isinstance(value, (list, Mapping)):
        return str(value or "")
    pairs = (f"{quote(name, safe='')}={quote(str(each), safe='')}" for name, each in _pairs(value))
    query = "&".join(pairs)
    return f"?{query}" if query else ""


def _joined(words: Iterable[str]) -> str:
    return " ".join(map(_quoted, words))


# The words of a catalog's lines are much alike.
_quoted = lru_cache(maxsize=MAX_REMEMBERED)(shlex.quote)


def _file(body: bytes, name: str) -> str:
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
