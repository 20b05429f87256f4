"""A specification's model and a registry's own model on top of it, to one model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xregit.model.building import attributes, group, linked, resource
from xregit.model.datatypes import SYNTAXES
from xregit.model.reading import core_values
from xregit.model.validating import model_findings

if TYPE_CHECKING:
    from xregit.diagnostics import Finding
    from xregit.keypaths import KeyPath
    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel

_DEFINITIONS = frozenset({"attributes", "metaattributes", "resourceattributes", "siblingattributes"})
_TYPES = frozenset({"groups", "resources"})


def extended(model: Model, value: Mapping[str, Any]) -> tuple[Model, list[Finding]]:
    """Return the model with a registry's own model on top, and what is wrong with that.

    A faulty attribute counts as one of any type, a faulty group or resource type is left out.
    """
    findings = model_findings(value, model)
    sound: Any = value
    for finding in findings:
        sound = _without(sound, finding.path)
    core = core_values(model.specversion)
    groups = dict(model.groups)
    for plural, said in (sound.get("groups") or {}).items():
        known = groups.get(plural)
        groups[plural] = _grown(known, said, core) if known else group(plural, said, core)
    return replace(
        model,
        attributes=_merged(model.attributes, sound.get("attributes")),
        groups=linked(groups, core),
    ), findings


def _without(value: Any, path: KeyPath) -> Any:
    """Return the value with what stands at the path taken out, or made harmless where it is an attribute."""
    if not isinstance(value, Mapping) or not path:
        return {}
    head, rest = path[0], path[1:]
    inner = value.get(head)
    if head in _DEFINITIONS and rest and isinstance(inner, Mapping):
        return {**value, head: _harmless(inner, str(rest[0]))}
    if head in _TYPES and len(rest) > 1 and rest[1] != "singular" and isinstance(inner, Mapping) and rest[0] in inner:
        return {**value, head: {**inner, rest[0]: _without(inner[rest[0]], rest[1:])}}
    if head in _TYPES and rest and isinstance(inner, Mapping):
        return {**value, head: {name: item for name, item in inner.items() if name != rest[0]}}
    return {name: item for name, item in value.items() if name != head}


def _harmless(definitions: Mapping[str, Any], name: str) -> dict[str, Any]:
    if name == "*" or SYNTAXES["name"].test(name):
        return {**definitions, name: {"type": "any"}}
    return {other: item for other, item in definitions.items() if other != name}


def _grown(known: GroupModel, said: Mapping[str, Any], core: Mapping[str, Any]) -> GroupModel:
    resources = dict(known.resources)
    for plural, value in (said.get("resources") or {}).items():
        kind = resources.get(plural)
        resources[plural] = _grown_resource(kind, value) if kind else resource(plural, value, core)
    imported = [path for path in said.get("ximportresources") or () if path not in known.ximportresources]
    return replace(
        known,
        description=said.get("description") or known.description,
        attributes=_merged(known.attributes, said.get("attributes")),
        resources=MappingProxyType(resources),
        ximportresources=(*known.ximportresources, *imported),
    )


def _grown_resource(known: ResourceModel, said: Mapping[str, Any]) -> ResourceModel:
    return replace(
        known,
        description=said.get("description") or known.description,
        attributes=_merged(known.attributes, said.get("attributes")),
        metaattributes=_merged(known.metaattributes, said.get("metaattributes")),
        resourceattributes=_merged(known.resourceattributes, said.get("resourceattributes")),
    )


def _merged(known: Mapping[str, AttributeModel], said: Mapping[str, Any] | None) -> Mapping[str, AttributeModel]:
    """Return the known attributes and the new ones; of one that is both, what is not stated anew is kept."""
    merged = dict(known)
    for name, value in (said or {}).items():
        new = attributes({name: value})[name]
        merged[name] = _renewed(known[name], new, value) if name in known and name != "*" else new
    if "*" in merged:
        merged["*"] = merged.pop("*")
    return MappingProxyType(merged)


def _renewed(known: AttributeModel, new: AttributeModel, value: Mapping[str, Any] | str) -> AttributeModel:
    if isinstance(value, str) or known.type != new.type:
        return known
    stated = {name: getattr(new, name) for name in _RENEWABLE if name in value}
    return replace(
        known,
        **stated,
        core=False,
        attributes=MappingProxyType({**known.attributes, **new.attributes}),
        ifvalues=MappingProxyType({**known.ifvalues, **new.ifvalues}),
    )


_RENEWABLE = ("description", "enum", "strict", "required", "default", "immutable", "target")
