"""The aliases of predefined names, such as ``MQTT`` for ``MQTT/5.0``, and the canonical name of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from xregit.model.files import SPECVERSION, content
from xregit.model.protocols import protocols
from xregit.model.similarity import is_near

#: The envelope that the CloudEvents bindings of protocols carry.
CLOUDEVENTS = "CloudEvents/1.0"
#: What the media types of payloads begin with that are events, and those of one and of many in JSON.
EVENTS = "application/cloudevents"
EVENT_JSON, BATCH_JSON = f"{EVENTS}+json", f"{EVENTS}-batch+json"


@dataclass(frozen=True, slots=True)
class Name:
    """One name with what is known of it.

    ``aliases`` are other spellings of it, ``mistaken`` names of other things that people write for it, ``others`` names
    like it that mean something else. ``versions`` is "any" where every version counts as this name, or else the pattern
    of those of a format, and ``declaration`` the pattern by which a document states its own; ``renamed`` maps versions,
    in lower case, to those that we write.
    ``payload`` is the media type of payloads that a schema format implies, ``document`` that of its schema documents
    and ``extensions`` the endings of their files; all empty where nothing follows from the name.
    ``example`` is the name with a version, where one has to stand behind it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    mistaken: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    versions: str = ""
    declaration: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    payload: str = ""
    document: str = ""
    extensions: tuple[str, ...] = ()
    example: str = ""


@cache
def names(selector: str) -> Mapping[str, Name]:
    """Return the predefined names for ``envelope``, ``protocol`` or ``format``, as we write them."""
    table: Mapping[str, Any] = protocols() if selector == "protocol" else content(SPECVERSION)["names.yaml"][selector]
    return MappingProxyType({name: _build_name(name, values) for name, values in table.items()})


def _build_name(name: str, values: Mapping[str, Any]) -> Name:
    return Name(
        name=name,
        aliases=tuple(values.get("aliases", ())),
        mistaken=tuple(values.get("mistaken", ())),
        others=tuple(values.get("others", ())),
        versions=values.get("versions", ""),
        declaration=values.get("declaration", ""),
        renamed=MappingProxyType({old.casefold(): new for old, new in values.get("renamed", {}).items()}),
        payload=values.get("payload", ""),
        document=values.get("document", ""),
        extensions=tuple(values.get("extensions", ())),
        example=values.get("example", ""),
    )


@lru_cache(maxsize=4096)
def canonical(selector: str, value: str) -> str:
    """Return the name as we write it: ``Kafka/2.0`` as ``KAFKA``, an unknown name as it is."""
    spellings = _spellings(selector)
    exact = spellings.get(value.casefold())
    if exact is not None:
        return exact.name
    family, slash, version = value.partition("/")
    name = spellings.get(family.casefold())
    if name is None or not slash:
        return value
    if name.versions == "any":
        return name.name
    # Names of formats stand without their version, those of protocols with it: MQTT/4 isn't MQTT/5.0.
    return value if "/" in name.name else f"{name.name}/{name.renamed.get(version.casefold(), version)}"


def find_name(selector: str, text: str) -> Name | None:
    """Return what is known of a name, however it is spelled and whatever version a format has."""
    table = names(selector)
    name = canonical(selector, text)
    return table.get(name) or table.get(name.partition("/")[0])


def has_known_version(format_: str) -> bool:
    """Return whether a format has a version that there is, as far as that is known; of an unknown language none is."""
    name, version = find_name("format", format_), canonical("format", format_).partition("/")[2]
    return name is None or bool(version and re.fullmatch(name.versions or ".*", version))


@cache
def _spellings(selector: str) -> Mapping[str, Name]:
    predefined = names(selector).values()
    return {spelling.casefold(): name for name in predefined for spelling in (name.name, *name.aliases)}


@lru_cache(maxsize=4096)
def closest_name(selector: str, value: str) -> str:
    """Return the predefined name that an unknown one nearly is, or whose family it belongs to; else an empty text."""
    if find_name(selector, value) is not None or any(value in name.others for name in names(selector).values()):
        return ""
    plain = value.partition(";")[0].strip().casefold()
    forms = {plain, plain.partition("/")[0]}
    mistaken = next((name.name for name in names(selector).values() if not forms.isdisjoint(name.mistaken)), "")
    if mistaken:
        return mistaken
    family, slash, _ = value.partition("/")
    spellings = _spellings(selector)
    with_space = next((name.name for spelling, name in spellings.items() if plain.startswith(f"{spelling} ")), "")
    if with_space:
        return with_space
    for spelling, name in spellings.items():
        predefined = spelling.partition("/")[0]
        if slash if predefined == family.casefold() else is_near(family, predefined):
            return spellings.get(predefined, name).name  # without a version, the one that the family stands for
    return ""


def habit(type_: str, name: str) -> str:
    """Return what to do about an attribute that another language has, in an entity of a type; nothing if none has."""
    table: Mapping[str, Any] = content(SPECVERSION)["habits.yaml"]
    return str(table.get(type_, {}).get(name) or table["common"].get(name, ""))


def known_synonym(name: str, value: str) -> str:
    """Return the listed value of an attribute that people mean by another one; nothing where that is not known."""
    table: Mapping[str, Any] = content(SPECVERSION)["habits.yaml"]["values"]
    return str(table.get(name, {}).get(value.casefold(), ""))
