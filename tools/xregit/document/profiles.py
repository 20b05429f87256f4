"""Dialects, profiles, formats and capabilities: the data files beside this package, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from xregit.model.language import NOTHING, nothing
from xregit.source import yaml_loader

_HERE = Path(__file__).parent
# Steps that look into objects at any depth, whatever their attributes are called.
_ANYWHERE = frozenset({"declarations", "lower", "lift", "template"})


@dataclass(frozen=True)
class Step:
    """One change that a dialect asks for, to the object at one path of an entity's attributes.

    ``names`` are the attributes it is about, mapped to what they become, if to anything; ``when`` limits it to
    entities whose selector, such as ``protocol``, has one of the values. ``told`` is "warning" or "info", by which a
    change is reported, or empty if it is not.
    """

    do: str
    at: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=nothing)
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=nothing)
    when: Mapping[str, tuple[str, ...]] = field(default_factory=nothing)
    told: str = "info"

    def holds(self, selected: Mapping[str, str]) -> bool:
        """Tell whether the step is for entities with these selectors."""
        return all(selected.get(name, "") in values for name, values in self.when.items())

    @cached_property
    def about(self) -> frozenset[str]:
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
    """What shows that a document is written as one of some releases: an attribute at a path, ``*`` for any key.

    Its value must be one that a selector knows, where ``knows`` names some, and of the JSON type ``type``.
    """

    releases: tuple[str, ...]
    path: tuple[str, ...]
    knows: tuple[str, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class OtherDocument:
    """Something that is no registry, what shows it among the names of a document, and what to do with it."""

    name: str
    paths: tuple[tuple[str, ...], ...]
    help: str


@dataclass(frozen=True, slots=True)
class UsagePair:
    """The usages that an endpoint may have both, and the protocols that allow it; others stand alone."""

    usages: frozenset[str]
    protocols: frozenset[str]


@dataclass(frozen=True, slots=True)
class Profile:
    """What a document of one specification version looks like.

    ``steps`` lead from our names to the version's by kind of entity, ``core`` renames attributes of the core
    specification, ``modelflags`` are not known to its model language. ``plain`` keeps to what the published model can
    say. ``together`` is set where an endpoint has one usage, and ``collectionurls`` says whether a document repeats
    where a collection stands that is right there (core specification, "Collections in Document View").
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
    return {
        path.relative_to(_HERE).as_posix(): yaml_loader.parse(path.read_bytes()).value for path in _HERE.rglob("*.yaml")
    }


@cache
def dialect(name: str) -> Dialect:
    """Return the dialect of that name, with the steps of the one that follows it."""
    value = data_file("dialects", f"{name}.yaml")
    collections = {plural: tuple(former) for plural, former in value.get("collections", {}).items()}
    own = _entities(value, "entities", collections)
    after = dialect(value["then"]).entities if "then" in value else NOTHING
    entities = {kind: (*own.get(kind, ()), *after.get(kind, ())) for kind in {**own, **after}}
    return Dialect(value["name"], entities, collections)


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
def parts() -> tuple[OtherDocument, ...]:
    """Return what people have that looks like a document and is none, the surest signs first."""
    listed = data_file("dialects", "parts.yaml")["parts"]
    return tuple(
        OtherDocument(part["name"], tuple(tuple(p.split("/")) for p in part["paths"]), part["help"]) for part in listed
    )


@cache
def profile(name: str) -> Profile:
    """Return the profile of that name."""
    value = data_file("profiles", f"{name}.yaml")
    result = Profile(
        specversion=value["specversion"],
        capabilities=value["capabilities"],
        steps=_entities(value, "steps"),
        core=value.get("core", NOTHING),
        modelflags=frozenset(value.get("modelflags", ())),
        plain=False,
        together=_together(value.get("usage")),
        collectionurls=value.get("collectionurls", True),
        model=value.get("model", NOTHING),
    )
    return plain_profile(result) if value.get("plain") else result


def plain_profile(known: Profile) -> Profile:
    """Return a profile that keeps to what the published models can say."""
    if known.plain:
        return known
    first = _entities({"steps": data_file("published.yaml")}, "steps")
    steps = {kind: (*first.get(kind, ()), *known.steps.get(kind, ())) for kind in {**first, **known.steps}}
    return replace(known, steps=steps, plain=True)


def _together(value: Mapping[str, Any] | None) -> UsagePair | None:
    return UsagePair(frozenset(value["together"]), frozenset(value["protocols"])) if value else None


@cache
def profiles() -> tuple[str, ...]:
    """Return the names of all profiles."""
    folder = _HERE / "profiles"
    return tuple(sorted(item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml")))


def _entities(
    value: Mapping[str, Any], section: str, collections: Mapping[str, tuple[str, ...]] = NOTHING
) -> Mapping[str, tuple[Step, ...]]:
    return {kind: tuple(_step(step, collections) for step in steps) for kind, steps in value.get(section, {}).items()}


def _step(value: Mapping[str, Any], collections: Mapping[str, tuple[str, ...]]) -> Step:
    names = value.get("names", {})
    known = collections if value["do"] == "address" else NOTHING
    return Step(
        do=value["do"],
        at=tuple(value.get("at", ())),
        names=names if isinstance(names, Mapping) else dict.fromkeys(names, ""),
        values=known or {name: tuple(values) for name, values in value.get("values", {}).items()},
        when={name: tuple(values) for name, values in value.get("when", {}).items()},
        told=value.get("told", "info"),
    )
