"""What clients of an endpoint have to know of its protocol, from the model files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from types import MappingProxyType

from xregit.model.files import SPECVERSION, content
from xregit.model.language import NOTHING, AttributeModel
from xregit.model.loader import build_attributes
from xregit.model.protocols import facts
from xregit.records import record


@record
class Client:
    """The facts of one protocol; all are empty for a protocol of which nothing is known.

    ``schemes`` are those of addresses, ``unlisted`` further ones that are in use. The path is a topic behind those in
    ``topics``, and there is none behind those in ``pathless``. An address must name a port where ``port`` has the usual
    one, else it is 0. ``usages`` has the options that are for some usages alone, ``wildcards`` those that name one
    place unless they have one of these signs.
    """

    schemes: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    pathless: tuple[str, ...] = ()
    port: int = 0
    usages: Mapping[str, frozenset[str]] = field(default_factory=lambda: NOTHING)
    wildcards: Mapping[str, str] = field(default_factory=lambda: NOTHING)


def client(protocol: str) -> Client:
    """Return what is known of a protocol, by its canonical name."""
    return _clients().get(protocol, _UNKNOWN)


_UNKNOWN = Client()


@cache
def _clients() -> Mapping[str, Client]:
    return {protocol: _client(**said) for protocol, said in facts("client").items()}


def _client(
    usages: Mapping[str, list[str]] = NOTHING,
    wildcards: Mapping[str, str] = NOTHING,
    port: int = 0,
    **schemes: list[str],
) -> Client:
    listed = {name: tuple(found) for name, found in schemes.items()}
    allowed = {option: frozenset(found) for option, found in usages.items()}
    return Client(**listed, port=port, usages=MappingProxyType(allowed), wildcards=wildcards)


@cache
def hints() -> Mapping[str, AttributeModel]:
    """Return what an entry of ``authorization`` may say by the model, by name, whatever the protocol."""
    said = content(SPECVERSION)["endpoints.yaml"]["common"]["authorization"]["item"]["attributes"]
    return build_attributes({name: hint for name, hint in said.items() if name != "*"})
