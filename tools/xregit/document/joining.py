"""Several registries to one that holds the entities of all; what two of them state differently is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.diagnostics import Diagnostic, Severity
from xregit.document.models import added
from xregit.document.stating import Stating
from xregit.document.tables import profile
from xregit.model import builtin, export_source, extend
from xregit.model.files import SPECVERSION
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


@record
class Source:
    """An entity and the registry that it was found in."""

    registry: Registry
    entity: Group | Resource


@record
class Joined:
    """One registry made of several, what stands against it, and where each entity was found first."""

    registry: Registry
    extra: Mapping[str, Any]
    first: Mapping[str, Source]
    again: tuple[Source, ...]
    diagnostics: tuple[Diagnostic, ...]


def joined(registries: Sequence[Registry]) -> Joined:
    """Return the registries, at least one, as one; the first that has an entity gives it."""
    extra, problems = _extra(registries)
    model = extend(builtin(), extra)[0] if extra else builtin()
    first: dict[str, Source] = {}
    again: list[Source] = []
    groups: dict[str, dict[str, Group]] = {plural: {} for plural in model.groups}
    for registry in registries:
        for group in registry.all_groups:
            _add(Source(registry, group), first, again)
            kind = model.groups[group.type.plural]
            known = groups[kind.plural].get(group.id) or replace(group, type=kind, collections={})
            groups[kind.plural][group.id] = _grown(Source(registry, group), known, first, again)
    whole = replace(registries[0], model=model, groups=groups, problems=())
    problems += _differing(whole, first, again)
    problems += _lookalikes(first)
    return Joined(whole, extra, first, tuple(again), tuple(problems))


def _add(source: Source, first: dict[str, Source], again: list[Source]) -> bool:
    if source.entity.xid in first:
        again.append(source)
        return False
    first[source.entity.xid] = source
    return True


def _grown(source: Source, known: Group, first: dict[str, Source], again: list[Source]) -> Group:
    """Return a group with those resources of the same group elsewhere that it doesn't have."""
    group = source.entity
    collections = {plural: dict(resources) for plural, resources in known.collections.items()}
    for plural, resources in group.collections.items() if isinstance(group, Group) else ():
        for rid, resource in resources.items():
            if _add(Source(source.registry, resource), first, again):
                collections.setdefault(plural, {})[rid] = replace(resource, type=known.type.resources[plural])
    return replace(known, collections=collections)


def _extra(registries: Sequence[Registry]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return what the registries' models add to ours, together."""
    extra: dict[str, Any] = {}
    problems: list[Diagnostic] = []
    for registry in registries:
        if registry.model is builtin():
            continue
        more = added({"modelsource": export_source(registry.model)})
        clash = next(_clashes(extra, more), "")
        if clash:
            message = f'The model defines "{clash}" differently from another document or model.yaml.'
            problems.append(_error("different-model", registry.place.path, message, "Make the definitions equal."))
        extra = _united(extra, more)
    return extra, problems


def _clashes(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in (name for name in one if name in other):
        if isinstance(one[name], dict) and isinstance(other[name], dict):
            yield from (f"{name}.{inner}" for inner in _clashes(one[name], other[name]))
        elif one[name] != other[name]:
            yield name


def _united(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {name: _united(one[name], other[name]) for name in one if isinstance(one[name], dict) and name in other}
    return {**other, **one, **both}


def _differing(whole: Registry, first: Mapping[str, Source], again: Sequence[Source]) -> list[Diagnostic]:
    stating = Stating(whole, profile(SPECVERSION))
    found = []
    for source in again:
        other = first[source.entity.xid]
        if _content(stating, source.entity) != _content(stating, other.entity):
            message = f'"{source.entity.xid}" is not the same here and in "{other.entity.place.path}".'
            advice = "Make both the same, or give one of them another id."
            found.append(_at(source, "different-entity", message, advice))
    return found


def _content(stating: Stating, entity: Group | Resource) -> Any:
    """Return all that an entity states, in one form whatever form it was written in."""
    if isinstance(entity, Group):
        return stating.of_group(entity)
    if entity.xref:
        return entity.xref
    versions = {vid: stating.of_version(entity, version) for vid, version in entity.versions.items()}
    return entity.defaultversionid, stating.of_meta(entity), versions


def _lookalikes(first: Mapping[str, Source]) -> list[Diagnostic]:
    """Report ids that differ by case alone: on many disks they are one file."""
    seen: dict[str, str] = {}
    found = []
    for xid, source in first.items():
        other = seen.setdefault(xid.casefold(), xid)
        if other != xid and other.rsplit("/", 1)[0] == xid.rsplit("/", 1)[0]:
            message = f'"{xid}" and "{other}" differ by upper and lower case alone.'
            found.append(
                _at(source, "ids-differ-only-in-case", message, "Ids are unique without regard to case; rename one.")
            )
    return found


def _at(source: Source, rule: str, message: str, advice: str) -> Diagnostic:
    place = source.entity.place
    span = source.registry.origin.span(place, on_key=True)
    line = (span.line, span.column, span.endline, span.endcolumn)
    return Diagnostic(rule, Severity.ERROR, place.path, message, *line, xid=source.entity.xid, help=advice)


def _error(rule: str, path: str, message: str, advice: str) -> Diagnostic:
    return Diagnostic(rule, Severity.ERROR, path, message, help=advice)
