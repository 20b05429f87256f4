"""The tables of types and schema languages, and what is said of each protocol, as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

from xregit.document.tables import table
from xregit.model import protocols
from xregit.model.language import NOTHING, nothing
from xregit.records import record

LEVELS = ("server", "operation", "message")


@record
class Row:
    """One member of a binding: the options that it comes from, its form, and what it is limited to."""

    sources: tuple[str, ...]
    form: str
    default: Any = None
    type: str = ""
    enum: tuple[Any, ...] = ()


@record
class Protocol:
    """How one of our protocols is written in AsyncAPI; ``rows`` are the members of its bindings by what holds them."""

    protocol: str = ""
    protocolversion: str = ""
    schemes: Mapping[str, str] = field(default_factory=nothing)
    binding: str = ""
    version: str = ""
    address: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    answer: str = ""
    rows: Mapping[str, Mapping[str, Row]] = field(default_factory=nothing)

    @property
    def placed(self) -> frozenset[str]:
        """The options that have a place of their own in the document."""
        rows = (row for level in self.rows.values() for row in level.values())
        return frozenset(self.address) | frozenset(self.headers) | {name for row in rows for name in row.sources}


@record
class Language:
    """How AsyncAPI names a schema language; ``form`` says how a document stands there.

    ``root`` is the comment before the type that is meant, where there is such a thing.
    """

    mediatype: str
    form: str
    versions: Mapping[str, str]
    plain: frozenset[str]
    root: str = ""

    def version(self, written: str) -> str:
        """Return a version as the media type has it."""
        return self.versions.get(written, written)


@cache
def facts() -> Mapping[str, Any]:
    """Return the tables as they are."""
    found: Mapping[str, Any] = table("asyncapi", "facts.yaml")
    return found


@cache
def protocol(name: str) -> Protocol:
    """Return what is known of a protocol; one that is not known has no more than its name."""
    value = protocols.facts("asyncapi").get(name)
    if value is None:
        return Protocol(protocol=name.partition("/")[0].lower(), protocolversion=name.partition("/")[2])
    return Protocol(
        protocol=value["protocol"],
        protocolversion=value.get("protocolversion", ""),
        schemes=value.get("schemes", NOTHING),
        binding=value["binding"],
        version=value.get("version", ""),
        address=tuple(value["address"]),
        headers=tuple(value.get("headers", ())),
        answer=value.get("answer", ""),
        rows={level: _rows(value.get(level, NOTHING)) for level in LEVELS},
    )


@cache
def language(name: str) -> Language | None:
    """Return how a schema language is named, by our name for it, or nothing where AsyncAPI has none."""
    value = facts()["formats"].get(name)
    if value is None:
        return None
    plain = frozenset(value.get("plain", ()))
    return Language(value["mediatype"], value["form"], value.get("versions", NOTHING), plain, value.get("root", ""))


def _rows(value: Mapping[str, Any]) -> Mapping[str, Row]:
    return {name: _row(said) for name, said in value.items()}


def _row(said: Mapping[str, Any]) -> Row:
    return Row(
        sources=tuple(said["from"]),
        form=said["as"],
        default=said.get("default"),
        type=said.get("type", ""),
        enum=tuple(said.get("enum", ())),
    )
