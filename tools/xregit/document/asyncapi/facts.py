"""AsyncAPI's names for our protocols and schema languages, and which names it allows (``facts.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from xregit.document.profiles import data_file
from xregit.model import protocols
from xregit.model.language import NOTHING, nothing

_OTHER, _BRACES = re.compile(r"[^A-Za-z0-9._-]+"), re.compile(r"[{}]")
# AsyncAPI takes whatever stands in braces for a variable.
_VARIABLE = re.compile(r"\{(.+?)\}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")


def free_name(text: str, names: Container[str], key: Callable[[str], str] = str) -> str:
    """Return a name of the text in the characters that names may have, with a number if ``names`` has its key."""
    plain = _OTHER.sub("-", _BRACES.sub("", text)).strip("-") or "unnamed"
    name, number = plain, 1
    while key(name) in names:
        number += 1
        name = f"{plain}-{number}"
    return name


def variables(address: str) -> tuple[str, ...]:
    """Return the names of the variables in an address, each once."""
    return tuple(dict.fromkeys(_VARIABLE.findall(address[: address.rfind("}") + 1])))


def is_uri(value: Any) -> bool:
    """Return whether a value is an absolute URI, as AsyncAPI's own schema requires."""
    return isinstance(value, str) and _URI.fullmatch(value) is not None


LEVELS = ("server", "operation", "message")


@dataclass(frozen=True, slots=True)
class BindingMember:
    """One member of a binding: the options that it comes from, its form, and what it is limited to."""

    sources: tuple[str, ...]
    form: str
    default: Any = None
    type: str = ""
    enum: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Protocol:
    """How AsyncAPI writes one of our protocols; ``rows`` are the members of its bindings by level and name."""

    protocol: str = ""
    protocolversion: str = ""
    schemes: Mapping[str, str] = field(default_factory=nothing)
    binding: str = ""
    version: str = ""
    address: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    answer: str = ""
    rows: Mapping[str, Mapping[str, BindingMember]] = field(default_factory=nothing)

    @property
    def placed(self) -> frozenset[str]:
        """The options that have a place of their own in the document."""
        rows = (row for level in self.rows.values() for row in level.values())
        return frozenset(self.address) | frozenset(self.headers) | {name for row in rows for name in row.sources}


@dataclass(frozen=True, slots=True)
class Language:
    """How AsyncAPI names a schema language; ``form`` says how a document stands there.

    ``root`` is the comment before the type that is meant, where there is such a thing.
    """

    mediatype: str
    form: str
    versions: Mapping[str, str]
    plain: frozenset[str]
    root: str = ""

    def version(self, name: str) -> str:
        """Return a version as the media type has it."""
        return self.versions.get(name, name)


@cache
def tables() -> Mapping[str, Any]:
    """Return the tables as they are."""
    result: Mapping[str, Any] = data_file("asyncapi", "facts.yaml")
    return result


@cache
def protocol(name: str) -> Protocol:
    """Return how AsyncAPI writes a protocol; for an unknown one, no more than its name."""
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
        rows={
            level: {name: _binding_member(row) for name, row in value.get(level, NOTHING).items()} for level in LEVELS
        },
    )


@cache
def language(name: str) -> Language | None:
    """Return how a schema language is named, by our name for it, or nothing where AsyncAPI has none."""
    value = tables()["formats"].get(name)
    if value is None:
        return None
    plain = frozenset(value.get("plain", ()))
    return Language(value["mediatype"], value["form"], value.get("versions", NOTHING), plain, value.get("root", ""))


def _binding_member(row: Mapping[str, Any]) -> BindingMember:
    return BindingMember(
        sources=tuple(row["from"]),
        form=row["as"],
        default=row.get("default"),
        type=row.get("type", ""),
        enum=tuple(row.get("enum", ())),
    )
