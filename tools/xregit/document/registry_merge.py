"""Several registries to one that holds the entities of all; what two of them state differently is an error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.diagnostics import Diagnostic, Severity
from xregit.document.model_document import extract_extension
from xregit.document.profiles import profile
from xregit.document.serializer import Serializer
from xregit.model import builtin, export_source, extend
from xregit.model.files import SPECVERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.catalog.registry import Registry


@dataclass(frozen=True, slots=True)
class EntitySource:
    """An entity and the registry that it was found in."""

    registry: Registry
    entity: Group | Resource


@dataclass(frozen=True, slots=True)
class MergedRegistry:
    """One registry made of several, what stands against it, and where each entity was found first."""

    registry: Registry
    extra: Mapping[str, Any]
    first: Mapping[str, EntitySource]
    again: tuple[EntitySource, ...]
    diagnostics: tuple[Diagnostic, ...]


def merge_registries(registries: Sequence[Registry]) -> MergedRegistry:
    """Return the registries, at least one, as one; the first that has an entity gives it."""
    extra, problems = _model_extension(registries)
    model = extend(builtin(), extra)[0] if extra else builtin()
    first: dict[str, EntitySource] = {}
    again: list[EntitySource] = []
    groups: dict[str, dict[str, Group]] = {plural: {} for plural in model.groups}
    for registry in registries:
        for group in registry.all_groups:
            _add(EntitySource(registry, group), first, again)
            kind = model.groups[group.type.plural]
            known = groups[kind.plural].get(group.id) or replace(group, type=kind, collections={})
            groups[kind.plural][group.id] = _merge_group(EntitySource(registry, group), known, first, again)
    whole = replace(registries[0], model=model, groups=groups, problems=())
    problems += _differing(whole, first, again)
    problems += _lookalikes(first)
    return MergedRegistry(whole, extra, first, tuple(again), tuple(problems))


def _add(source: EntitySource, first: dict[str, EntitySource], again: list[EntitySource]) -> bool:
    if source.entity.xid in first:
        again.append(source)
        return False
    first[source.entity.xid] = source
    return True


def _merge_group(
    source: EntitySource, known: Group, first: dict[str, EntitySource], again: list[EntitySource]
) -> Group:
    """Return a group with those resources of the same group elsewhere that it doesn't have."""
    group = source.entity
    collections = {plural: dict(resources) for plural, resources in known.collections.items()}
    for plural, resources in group.collections.items() if isinstance(group, Group) else ():
        for rid, resource in resources.items():
            if _add(EntitySource(source.registry, resource), first, again):
                collections.setdefault(plural, {})[rid] = replace(resource, type=known.type.resources[plural])
    return replace(known, collections=collections)


def _model_extension(registries: Sequence[Registry]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return what the registries' models add to ours, together."""
    extra: dict[str, Any] = {}
    problems: list[Diagnostic] = []
    for registry in registries:
        if registry.model is builtin():
            continue
        more = extract_extension({"modelsource": export_source(registry.model)})
        clash = next(_conflicting_attributes(extra, more), "")
        if clash:
            message = f'The model defines "{clash}" differently from another document or model.yaml.'
            problems.append(_error_at("different-model", registry.place.path, message, "Make the definitions equal."))
        extra = _unite(extra, more)
    return extra, problems


def _conflicting_attributes(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in (name for name in one if name in other):
        if isinstance(one[name], dict) and isinstance(other[name], dict):
            yield from (f"{name}.{inner}" for inner in _conflicting_attributes(one[name], other[name]))
        elif one[name] != other[name]:
            yield name


def _unite(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {name: _unite(one[name], other[name]) for name in one if isinstance(one[name], dict) and name in other}
    return {**other, **one, **both}


def _differing(whole: Registry, first: Mapping[str, EntitySource], again: Sequence[EntitySource]) -> list[Diagnostic]:
    stating = Serializer(whole, profile(SPECVERSION))
    found = []
    for source in again:
        other = first[source.entity.xid]
        if _content(stating, source.entity) != _content(stating, other.entity):
            message = f'"{source.entity.xid}" is not the same here and in "{other.entity.place.path}".'
            advice = "Make both the same, or give one of them another id."
            found.append(_diagnostic_at(source, "different-entity", message, advice))
    return found


def _content(stating: Serializer, entity: Group | Resource) -> Any:
    """Return all that an entity states, in one form whatever form it was written in."""
    if isinstance(entity, Group):
        return stating.of_group(entity)
    if entity.xref:
        return entity.xref
    versions = {vid: stating.of_version(entity, version) for vid, version in entity.versions.items()}
    return entity.defaultversionid, stating.of_meta(entity), versions


def _lookalikes(first: Mapping[str, EntitySource]) -> list[Diagnostic]:
    """Report ids that differ by case alone: on many disks they are one file."""
    seen: dict[str, str] = {}
    found = []
    for xid, source in first.items():
        other = seen.setdefault(xid.casefold(), xid)
        if other != xid and other.rsplit("/", 1)[0] == xid.rsplit("/", 1)[0]:
            message = f'"{xid}" and "{other}" differ by upper and lower case alone.'
            found.append(
                _diagnostic_at(
                    source, "ids-differ-only-in-case", message, "Ids are unique without regard to case; rename one."
                )
            )
    return found


def _diagnostic_at(source: EntitySource, rule: str, message: str, advice: str) -> Diagnostic:
    place = source.entity.place
    span = source.registry.origin.span(place, on_key=True)
    line = (span.line, span.column, span.endline, span.endcolumn)
    return Diagnostic(rule, Severity.ERROR, place.path, message, *line, xid=source.entity.xid, help=advice)


def _error_at(rule: str, path: str, message: str, advice: str) -> Diagnostic:
    return Diagnostic(rule, Severity.ERROR, path, message, help=advice)
