"""The addresses of endpoints: what each protocol's may look like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xregit.catalog.registry import Registry
from xregit.catalog.views import Endpoint
from xregit.diagnostics import Finding, Severity
from xregit.model.datatypes import SYNTAXES
from xregit.model.excerpts import either
from xregit.model.similarity import is_slip
from xregit.rules.attributes import has_placeholder, items, text
from xregit.rules.endpoints import client
from xregit.rules.rule import finding, rule

OPTIONS = "protocoloptions"
# Another way to give Kafka's addresses, which a later release has.
BOOTSTRAP = "bootstrap.servers"
_ADDRESS = r"([A-Za-z][A-Za-z0-9+._\-]*)://([^/?#]*)([^?#]*)"
_WITH_HOST = r"[A-Za-z][A-Za-z0-9+._\-]*://[^/?#]"
# A host that has a dot or a port, as configurations of clients name it.
_BARE_HOST = r"(?:[\w\-]+(?:\.[\w\-]+)+(?::[0-9]+)?|[\w\-]+:[0-9]+)(?:/.*)?"
_PORT = r":([^:\]]+)$"
_MAX_PORT, _PORT_CHARS = 65_535, 5


@dataclass(frozen=True, slots=True)
class Address:
    """One address and where it stands: the scheme in lower case, host with port, and path."""

    index: int
    name: str
    text: str
    scheme: str
    host: str
    path: str


@rule("endpoint", Severity.ERROR, "EP-23")
def address_missing(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An entry of an endpoint's addresses has no address."""
    for index, entry in items(endpoint.options, "endpoints"):
        if not any(entry.get(name) is not None for name in ("uri", "url", BOOTSTRAP)) and not _has_near(entry):
            message = f'Entry {index + 1} of "endpoints" has no "uri".'
            yield finding(OPTIONS, "endpoints", index, message=message, help='Add the address as "uri".', on_key=True)


def _has_near(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry has a name that is nearly that of an address, which is reported as that."""
    return any(is_slip(name, known) for name in entry for known in ("uri", "url"))


@rule("endpoint", Severity.ERROR, "EP-42", "EP-47", "EP-52", "EP-61", "EP-67")
def address_of_another_protocol(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An address has a scheme of another protocol."""
    # For example, an "https" address of an endpoint that speaks MQTT.
    protocol = client(endpoint.protocol)
    for address in _addresses(endpoint) if protocol.schemes else ():
        if address.scheme not in protocol.schemes + protocol.unlisted:
            message = f'"{address.text}" is not an address of {endpoint.protocol}.'
            help_ = f"Use one of these schemes: {', '.join(protocol.schemes)}."
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


@rule("endpoint", Severity.ERROR, "EP-42", "EP-47", "EP-52", "EP-61", "EP-67")
def address_without_host(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An address has no host."""
    # An address of a known protocol that lacks the scheme or the two slashes behind it.
    protocol = client(endpoint.protocol)
    for index, entry in items(endpoint.options, "endpoints") if protocol.schemes else ():
        name = "uri" if entry.get("uri") is not None else "url"
        address = text(entry, name)
        if address and "{" not in address and not re.match(_WITH_HOST, address) and SYNTAXES["address"].test(address):
            host = address if re.fullmatch(_BARE_HOST, address) else "host.example.com"
            message = f'Missing scheme: "{address}" names no host.'
            help_ = f'Use "{protocol.schemes[0]}://{host}".'
            yield finding(OPTIONS, "endpoints", index, name, message=message, help=help_)


@rule("endpoint", Severity.WARNING, "EP-52")
def unlisted_address_scheme(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An MQTT address has a scheme that the specification doesn't list."""
    # "ws", which is in wide use.
    for address in _addresses(endpoint):
        if address.scheme in client(endpoint.protocol).unlisted:
            message = f'The scheme of "{address.text}" is common, but not listed for {endpoint.protocol}.'
            help_ = f"Use one that is listed: {', '.join(client(endpoint.protocol).schemes)}."
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


@rule("endpoint", Severity.ERROR, "EP-53")
def address_with_path(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An MQTT address with an informal scheme has a path."""
    # A path behind "tcp", "ssl" or "wss".
    protocol = client(endpoint.protocol)
    for address in _addresses(endpoint):
        if address.scheme in protocol.pathless and address.path not in {"", "/"}:
            message = f'An address that begins with "{address.scheme}://" has no path, but "{address.text}" has one.'
            help_ = f'Put the topic into the option "topic", or write the address with {either(protocol.topics)}.'
            if address.scheme == "wss":
                help_ = 'Write the path of a web socket into "path", beside "uri".'
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


@rule("endpoint", Severity.ERROR, "EP-52")
def address_with_wildcard(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """The path of an MQTT address is not a topic."""
    # A "+" or "#" in the path, which only filters have.
    for address in _addresses(endpoint):
        if address.scheme in client(endpoint.protocol).topics and ("+" in address.path or "#" in address.text):
            message = f'The path of "{address.text}" would be a topic, but topics have no wildcards.'
            help_ = "Remove the path, or name one topic."
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


@rule("endpoint", Severity.WARNING, "EP-23", "EP-67")
def address_with_several_hosts(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An address names several hosts."""
    # Lists with commas, as clients take them: a URI has one host, and each address is an entry.
    for address in _addresses(endpoint) if client(endpoint.protocol).schemes else ():
        parts = _hosts(address)
        if len(parts) > 1 and all(map(_is_port, map(_stated_port, address.host.split(",")))):
            message = f'"{address.text}" names {len(parts)} hosts; an address has one.'
            help_ = f"Write an entry for each: {', '.join(f'- uri: {part}' for part in parts)}."
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


def _hosts(address: Address) -> list[str]:
    """Return the addresses that a list with commas stands for."""
    if has_placeholder(address.host) or "," not in address.host + address.path.partition("?")[0]:
        return []
    parts = [part.strip() for part in address.text.split(",")]
    hosts = [part if "://" in part else f"{address.scheme}://{part}" for part in parts if part]
    return hosts if "," in address.host or all(re.match(_WITH_HOST, part) for part in parts) else []


@rule("endpoint", Severity.ERROR, "EP-67", "EP-61")
def address_without_port(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An address of Kafka or NATS has no port."""
    # Addresses to which clients of these protocols can't add a port by themselves.
    protocol = client(endpoint.protocol)
    for address in _addresses(endpoint) if protocol.port else ():
        open_ = not address.host or has_placeholder(address.host)
        if address.scheme in protocol.schemes and not open_ and not _hosts(address) and not _stated_port(address.host):
            message = f'"{address.text}" has no port.'
            help_ = f'Add it, as in "{address.scheme}://{address.host}:{protocol.port}".'
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


@rule("endpoint", Severity.ERROR, "EP-42", "EP-47", "EP-52", "EP-61", "EP-67")
def address_with_impossible_port(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An address has an invalid port."""
    # Ports that are no number from 1 to 65535; of several hosts each is looked at.
    for address in _addresses(endpoint) if client(endpoint.protocol).schemes else ():
        wrong = next((port for port in map(_stated_port, address.host.split(",")) if not _is_port(port)), None)
        if wrong is not None:
            message = f'"{wrong}" in "{address.text}" is not a valid port.'
            help_ = f"A port is a whole number from 1 to {_MAX_PORT}."
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


# The ports that are registered for a scheme and for the same protocol with or without TLS.
_PORTS = {"mqtt": 1883, "mqtts": 8883, "amqp": 5672, "amqps": 5671, "http": 80, "https": 443, "ws": 80, "wss": 443}


@rule("endpoint", Severity.WARNING)
def port_of_another_scheme(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An address has the TLS port without TLS, or the other way round."""
    for address in _addresses(endpoint) if client(endpoint.protocol).schemes else ():
        pairs = (address.scheme.removesuffix("s"), f"{address.scheme}s")
        other = next((each for each in pairs if each in _PORTS and each != address.scheme), "")
        if other and address.scheme in _PORTS and _stated_port(address.host) == str(_PORTS[other]):
            message = f'"{address.text}" has the port of "{other}".'
            help_ = f'Write the port of {address.scheme}, which is usually {_PORTS[address.scheme]}, or "{other}://".'
            yield finding(OPTIONS, "endpoints", address.index, address.name, message=message, help=help_)


def _stated_port(host: str) -> str:
    """Return what stands behind a host's colon, nothing where that is empty, which counts as left out."""
    match = re.search(_PORT, host.rpartition("@")[2])
    return match[1] if match else ""


def _is_port(text_: str) -> bool:
    if not text_ or has_placeholder(text_):
        return True
    return text_.isascii() and text_.isdigit() and len(text_) <= _PORT_CHARS and 0 < int(text_) <= _MAX_PORT


def _addresses(endpoint: Endpoint) -> Iterator[Address]:
    """Yield the addresses of which at least the scheme is known; the model reports those that have no scheme."""
    for index, entry in items(endpoint.options, "endpoints"):
        name = "uri" if entry.get("uri") is not None else "url"
        address = text(entry, name)
        match = re.match(_ADDRESS, address)
        if match:
            yield Address(index, name, address, match[1].lower(), match[2], match[3])
