"""The aliases of predefined names, such as ``MQTT`` for ``MQTT/5.0``, and the canonical name of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xregit.model.files import SPECVERSION, content
from xregit.model.protocols import protocols
from xregit.model.spelling import is_misspelled

if TYPE_CHECKING:
    from collections.abc import Mapping

MIN_CHARS = 3
#: The envelope that the CloudEvents bindings of protocols carry.
CLOUDEVENTS = "CloudEvents/1.0"
#: What the media types of payloads begin with that are events, and those of one and of many in JSON.
EVENTS = "application/cloudevents"
EVENT_JSON, BATCH_JSON = f"{EVENTS}+json", f"{EVENTS}-batch+json"


@dataclass(frozen=True, slots=True)
class Name:
    """One name with what is known of it.

    ``aliases`` are other spellings of it. ``versions`` is "any" where every version counts as this name; ``renamed``
    maps versions, in lower case, to those that we write. ``payload`` is the media type of payloads that a schema
    format implies, ``document`` that of its schema documents and ``extensions`` the endings of their files; all empty
    where nothing follows from the name.
    ``example`` is the name with a version, where one has to stand behind it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    versions: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    payload: str = ""
    document: str = ""
    extensions: tuple[str, ...] = ()
    example: str = ""


@cache
def names(selector: str) -> Mapping[str, Name]:
    """Return the predefined names for ``envelope``, ``protocol`` or ``format``, as we write them."""
    table: Mapping[str, Any] = protocols() if selector == "protocol" else content(SPECVERSION)["names.yaml"][selector]
    return MappingProxyType({name: _load_name(name, said) for name, said in table.items()})


def _load_name(name: str, said: Mapping[str, Any]) -> Name:
    return Name(
        name=name,
        aliases=tuple(said.get("aliases", ())),
        versions=said.get("versions", ""),
        renamed=MappingProxyType({old.casefold(): new for old, new in said.get("renamed", {}).items()}),
        payload=said.get("payload", ""),
        document=said.get("document", ""),
        extensions=tuple(said.get("extensions", ())),
        example=said.get("example", ""),
    )


@lru_cache(maxsize=4096)
def canonical(selector: str, value: str) -> str:
    """Return the name as we write it: ``Kafka/2.0`` as ``KAFKA``, an unknown name as it is."""
    known = _spellings(selector)
    exact = known.get(value.casefold())
    if exact is not None:
        return exact.name
    family, slash, version = value.partition("/")
    name = known.get(family.casefold())
    if name is None or not slash:
        return value
    if name.versions == "any":
        return name.name
    # Names of formats stand without their version, those of protocols with it: MQTT/4 isn't MQTT/5.0.
    return value if "/" in name.name else f"{name.name}/{name.renamed.get(version.casefold(), version)}"


def find_name(selector: str, value: str) -> Name | None:
    """Return what is known of a name, however it is spelled and whatever version a format has."""
    known = names(selector)
    written = canonical(selector, value)
    return known.get(written) or known.get(written.partition("/")[0])


@cache
def _spellings(selector: str) -> Mapping[str, Name]:
    known = names(selector).values()
    return {spelling.casefold(): name for name in known for spelling in (name.name, *name.aliases)}


@lru_cache(maxsize=4096)
def closest_name(selector: str, value: str) -> str:
    """Return the predefined name that an unknown one is nearly, or of whose family it is; else an empty text."""
    if find_name(selector, value) is not None:
        return ""
    family = value.partition("/")[0]
    for spelling, name in _spellings(selector).items():
        meant = spelling.partition("/")[0]
        if (meant == family.casefold() and "/" in value) or (meant != family.casefold() and _is_near(family, meant)):
            return _spellings(selector).get(meant, name).name  # without a version, the one that is meant by the family
    return ""


def _is_near(family: str, meant: str) -> bool:
    if is_misspelled(family, meant):
        return True
    # Names of protocols are short and few, so letters in another order, one more or one less are near enough.
    given = family.casefold()
    if len(given) == len(meant):
        return given != meant and sorted(given) == sorted(meant)
    shorter, longer = sorted((given, meant), key=len)
    return len(shorter) >= MIN_CHARS and shorter in {longer[:at] + longer[at + 1 :] for at in range(len(longer))}
