"""The merge of several registries into one with the entities of all; what two state differently is an error."""

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
    """An entity and the registry that it comes from."""

    registry: Registry
    entity: Group | Resource


@dataclass(frozen=True, slots=True)
class MergedRegistry:
    """One registry made of several, what their models add to ours, and what is wrong.

    ``entities`` are those of the first registry that has them, by xid; the ``duplicates`` are those of the others.
    """

    registry: Registry
    extension: Mapping[str, Any]
    entities: Mapping[str, EntitySource]
    duplicates: tuple[EntitySource, ...]
    diagnostics: tuple[Diagnostic, ...]


def merge_registries(registries: Sequence[Registry]) -> MergedRegistry:
    """Return the registries, at least one, as one; of an entity that several have, the first counts."""
    extension, diagnostics = _model_extension(registries)
    model = extend(builtin(), extension)[0] if extension else builtin()
    entities: dict[str, EntitySource] = {}
    duplicates: list[EntitySource] = []

    def add(source: EntitySource) -> bool:
        is_new = entities.setdefault(source.entity.xid, source) is source
        if not is_new:
            duplicates.append(source)
        return is_new

    groups: dict[str, dict[str, Group]] = {plural: {} for plural in model.groups}
    for registry in registries:
        for group in registry.all_groups:
            add(EntitySource(registry, group))
            kind = model.groups[group.type.plural]
            merged = groups[kind.plural].get(group.id) or replace(group, type=kind, collections={})
            collections = {plural: dict(resources) for plural, resources in merged.collections.items()}
            for plural, resources in group.collections.items():
                for rid, resource in resources.items():
                    if add(EntitySource(registry, resource)):
                        collections.setdefault(plural, {})[rid] = replace(resource, type=kind.resources[plural])
            groups[kind.plural][group.id] = replace(merged, collections=collections)
    whole = replace(registries[0], model=model, groups=groups, problems=())
    diagnostics += _differences(Serializer(whole, profile(SPECVERSION)), entities, duplicates)
    diagnostics += _ids_differing_in_case(entities)
    return MergedRegistry(whole, extension, entities, tuple(duplicates), tuple(diagnostics))


def _model_extension(registries: Sequence[Registry]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return what the registries' models add to ours, together, and where they contradict each other."""
    extension: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    for registry in registries:
        if registry.model is builtin():
            continue
        other = extract_extension({"modelsource": export_source(registry.model)})
        conflict = next(_conflicts(extension, other), "")
        if conflict:
            message = f'The model defines "{conflict}" differently from another document or model.yaml.'
            advice = "Make the definitions equal."
            path = registry.place.path
            diagnostics.append(Diagnostic("different-model", Severity.ERROR, path, message, help=advice))
        extension = _unite(extension, other)
    return extension, diagnostics


def _conflicts(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in (name for name in one if name in other):
        if isinstance(one[name], dict) and isinstance(other[name], dict):
            yield from (f"{name}.{inner}" for inner in _conflicts(one[name], other[name]))
        elif one[name] != other[name]:
            yield name


def _unite(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {name: _unite(one[name], other[name]) for name in one if isinstance(one[name], dict) and name in other}
    return {**other, **one, **both}


def _differences(
    serializer: Serializer, entities: Mapping[str, EntitySource], duplicates: Sequence[EntitySource]
) -> Iterator[Diagnostic]:
    for source in duplicates:
        other = entities[source.entity.xid].entity
        if _content(serializer, source.entity) != _content(serializer, other):
            message = f'"{other.xid}" is not the same here and in "{other.place.path}".'
            yield _diagnostic(
                source, "different-entity", message, "Make both the same, or give one of them another id."
            )


def _content(serializer: Serializer, entity: Group | Resource) -> Any:
    """Return all attributes of an entity, in one form whatever form it was written in."""
    if isinstance(entity, Group):
        return serializer.group_attributes(entity)
    if entity.xref:
        return entity.xref
    versions = {vid: serializer.version_attributes(entity, version) for vid, version in entity.versions.items()}
    return entity.defaultversionid, serializer.meta_attributes(entity), versions


def _ids_differing_in_case(entities: Mapping[str, EntitySource]) -> Iterator[Diagnostic]:
    """Report ids that differ by case alone: on many disks they are one file."""
    xids: dict[str, str] = {}
    for xid, source in entities.items():
        other = xids.setdefault(xid.casefold(), xid)
        if other != xid and other.rsplit("/", 1)[0] == xid.rsplit("/", 1)[0]:
            message = f'"{xid}" and "{other}" differ by upper and lower case alone.'
            advice = "Ids are unique without regard to case; rename one."
            yield _diagnostic(source, "ids-differ-only-in-case", message, advice)


def _diagnostic(source: EntitySource, rule: str, message: str, advice: str) -> Diagnostic:
    place = source.entity.place
    span = source.registry.origin.span(place, on_key=True)
    line = (span.line, span.column, span.endline, span.endcolumn)
    return Diagnostic(rule, Severity.ERROR, place.path, message, *line, xid=source.entity.xid, help=advice)
