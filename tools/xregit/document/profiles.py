"""Dialects and profiles: the data files of this package, loaded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from xregit.model.files import load_data
from xregit.model.language import NOTHING, nothing

_HERE = Path(__file__).parent
#: The kind under which steps stand for entities of all kinds that have none of their own.
OTHER = "other"
# Steps that look into objects at any depth, whatever their attributes are called.
_ANYWHERE = frozenset({"modernize_declarations", "lower_names", "lift", "add_template_types", "copy_out"})


@dataclass(frozen=True)
class Step:
    """One change that a dialect asks for, to the object at one path of an entity's attributes.

    ``names`` are the attributes it is about, mapped to what they become, if to anything; ``when`` limits it to
    entities whose selector, such as ``protocol``, has one of the values. ``severity`` is "warning" or "info", by which
    a change is reported, or "none".
    """

    do: str
    at: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=nothing)
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=nothing)
    when: Mapping[str, tuple[str, ...]] = field(default_factory=nothing)
    severity: str = "info"

    def holds(self, selected: Mapping[str, str]) -> bool:
        """Return whether the step is for entities with these selectors."""
        return all(selected.get(name, "") in values for name, values in self.when.items())

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes of which an object must have one for the step to do anything; empty if any may do."""
        return frozenset() if self.do in _ANYWHERE else frozenset(self.names) | frozenset(self.values)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of naming things: the steps to our names by kind of entity, and former names of collections."""

    name: str
    entities: Mapping[str, tuple[Step, ...]]
    collections: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class DialectSign:
    """A sign that a document is written as one of some releases: an attribute at a path, ``*`` for any key.

    Its value must be one that a selector knows, where ``knows`` names some, and of the JSON type ``type``.
    """

    releases: tuple[str, ...]
    path: tuple[str, ...]
    knows: tuple[str, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class OtherDocument:
    """A kind of document that is no registry, the paths by which it is detected, and what to do with it."""

    name: str
    paths: tuple[tuple[str, ...], ...]
    help: str


@dataclass(frozen=True, slots=True)
class UsagePair:
    """The usages that one endpoint may combine, and the protocols that allow it; others stand alone."""

    usages: frozenset[str]
    protocols: frozenset[str]


@dataclass(frozen=True, slots=True)
class Profile:
    """The names and forms of documents of one specification version.

    ``steps`` lead from our names to the version's by kind of entity, ``core`` renames attributes of the core
    specification, ``modelflags`` are missing from its model language. ``plain`` limits it to what the published model
    can express. ``together`` is set where an endpoint has one usage, and ``collectionurls`` says whether a document
    has the URLs of collections that it contains (core specification, "Collections in Document View").
    """

    specversion: str
    capabilities: Mapping[str, Any]
    steps: Mapping[str, tuple[Step, ...]]
    core: Mapping[str, str]
    modelflags: frozenset[str]
    plain: bool
    together: UsagePair | None
    collectionurls: bool
    model: Mapping[str, Any]


def data_file(*path: str) -> Any:
    """Return the value of a data file of this package."""
    return _data_files()["/".join(path)]


@cache
def _data_files() -> Mapping[str, Any]:
    """Return the values of all data files below this folder, by their paths."""
    return {path.relative_to(_HERE).as_posix(): load_data(path) for path in _HERE.rglob("*.yaml")}


@cache
def dialect(name: str) -> Dialect:
    """Return the dialect of that name, with the steps of the one that follows it."""
    value = data_file("dialects", f"{name}.yaml")
    collections = {plural: tuple(former) for plural, former in value.get("collections", {}).items()}
    own = _entities(value, "entities", collections)
    after = dialect(value["then"]).entities if "then" in value else NOTHING
    return Dialect(value["name"], _joined(own, after), collections)


@cache
def signs() -> tuple[DialectSign, ...]:
    """Return the signs of all releases."""
    return tuple(
        DialectSign(tuple(entry["of"]), tuple(path.split("/")), tuple(entry.get("knows", ())), entry.get("type", ""))
        for entry in data_file("dialects", "signs.yaml")["signs"]
        for path in entry["paths"]
    )


@cache
def releases() -> tuple[str, ...]:
    """Return the names of all releases, the oldest first."""
    return tuple(data_file("dialects", "signs.yaml")["releases"])


@cache
def other_documents() -> tuple[OtherDocument, ...]:
    """Return the kinds of documents that are no registry, the surest signs first."""
    return tuple(
        OtherDocument(part["name"], tuple(tuple(path.split("/")) for path in part["paths"]), part["help"])
        for part in data_file("dialects", "parts.yaml")["parts"]
    )


@cache
def profile(name: str) -> Profile:
    """Return the profile of that name."""
    value = data_file("profiles", f"{name}.yaml")
    usage = value.get("usage")
    result = Profile(
        specversion=value["specversion"],
        capabilities=value["capabilities"],
        steps=_entities(value, "steps"),
        core=value.get("core", NOTHING),
        modelflags=frozenset(value.get("modelflags", ())),
        plain=False,
        together=UsagePair(frozenset(usage["together"]), frozenset(usage["protocols"])) if usage else None,
        collectionurls=value.get("collectionurls", True),
        model=value.get("model", NOTHING),
    )
    return plain_profile(result) if value.get("plain") else result


def plain_profile(profile: Profile) -> Profile:
    """Return the profile limited to what the published models can express."""
    if profile.plain:
        return profile
    first = _entities({"steps": data_file("published.yaml")}, "steps")
    return replace(profile, steps=_joined(first, profile.steps), plain=True)


def short_profile(profile: Profile) -> Profile:
    """Return the profile as the short view writes it: plain, with what code generators look for at other places."""
    plain = plain_profile(profile)
    return replace(plain, steps=_joined(plain.steps, _entities({"steps": data_file("short.yaml")}, "steps")))


def _joined(
    first: Mapping[str, tuple[Step, ...]], after: Mapping[str, tuple[Step, ...]]
) -> Mapping[str, tuple[Step, ...]]:
    """Return the steps of both by kind of entity."""
    return {kind: (*first.get(kind, ()), *after.get(kind, ())) for kind in {**first, **after}}


@cache
def profiles() -> tuple[str, ...]:
    """Return the names of all profiles."""
    return tuple(sorted(path.name.removesuffix(".yaml") for path in (_HERE / "profiles").glob("*.yaml")))


def steps_for(entities: Mapping[str, tuple[Step, ...]], kind: str) -> tuple[Step, ...]:
    """Return the steps for entities of a kind: its own, or those for kinds that have none."""
    return entities.get(kind) or entities.get(OTHER, ())


def _entities(
    value: Mapping[str, Any], section: str, collections: Mapping[str, tuple[str, ...]] = NOTHING
) -> Mapping[str, tuple[Step, ...]]:
    return {kind: tuple(_step(step, collections) for step in steps) for kind, steps in value.get(section, {}).items()}


def _step(value: Mapping[str, Any], collections: Mapping[str, tuple[str, ...]]) -> Step:
    names = value.get("names", {})
    values = {name: tuple(item) for name, item in value.get("values", {}).items()}
    return Step(
        do=value["do"],
        at=tuple(value.get("at", ())),
        names=names if isinstance(names, Mapping) else dict.fromkeys(names, ""),
        values=collections if value["do"] == "update_collections" else values,
        when={name: tuple(item) for name, item in value.get("when", {}).items()},
        severity=value.get("severity", "info"),
    )
