"""A registry's model to ``modelsource`` and ``model`` as served, and a document's model to what it adds to ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from xregit.document.remodelling import laid_over, remodelled
from xregit.document.tables import dialect
from xregit.model import builtin, export_source

if TYPE_CHECKING:
    from xregit.document.tables import Profile
    from xregit.model.language import AttributeModel, GroupModel, Model


def added(document: Mapping[str, Any], ours: Model | None = None) -> dict[str, Any]:
    """Return what a document's own model adds to ours: group types, and attributes of types that we know."""
    source = document.get("modelsource") or document.get("model")
    if not isinstance(source, Mapping):
        return {}
    ours, groups = ours or builtin(), {}
    for plural, group in _mappings(source.get("groups")):
        known = ours.groups.get(plural)
        extra = _further_group(group, known) if known else _whole_group(group)
        if extra:
            groups[plural] = extra
    own = _further(source, ours.attributes)
    return {**({"attributes": own} if own else {}), **({"groups": groups} if groups else {})}


def added_names(model: Model, ours: Model) -> frozenset[str]:
    """Return the attributes that a model adds to entities of our types, by whatever entity."""
    if model is ours:
        return frozenset()
    return frozenset(_names(model) - _names(ours))


def _names(model: Model) -> set[str]:
    kinds = [model.attributes]
    for group in model.groups.values():
        kinds += [group.attributes, *(resource.attributes for resource in group.resources.values())]
    return {name for kind in kinds for name in kind}


def _further_group(group: Mapping[str, Any], known: GroupModel) -> dict[str, Any]:
    resources = {}
    for plural, resource in _mappings(group.get("resources")):
        attributes = _further(resource, known.resources[plural].attributes) if plural in known.resources else {}
        if attributes:
            resources[plural] = {"attributes": attributes}
    own = _further(group, known.attributes)
    return {**({"attributes": own} if own else {}), **({"resources": resources} if resources else {})}


def _whole_group(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return a group type that we don't have, without what every type has anyway."""
    resources = {plural: _own(resource) for plural, resource in _mappings(group.get("resources"))}
    return {**_own(group), **({"resources": resources} if resources else {})}


def _own(kind: Mapping[str, Any]) -> dict[str, Any]:
    given = _given_names() | {f"{kind.get('singular', '')}id"}
    attributes = {name: value for name, value in _mappings(kind.get("attributes")) if name not in given}
    rest = {name: value for name, value in kind.items() if name not in {"attributes", "resources", "plural"}}
    return {**rest, **({"attributes": attributes} if attributes else {})}


def _further(kind: Mapping[str, Any], known: Mapping[str, AttributeModel]) -> dict[str, Any]:
    given = _given_names()
    pairs = _mappings(kind.get("attributes"))
    return {name: value for name, value in pairs if name not in known and name not in given and name != "*"}


def _mappings(value: Any) -> list[tuple[str, Mapping[str, Any]]]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return [(name, item) for name, item in pairs if isinstance(item, Mapping)]


@cache
def _given_names() -> frozenset[str]:
    """Return attributes that no model needs to define: those of the core specification, and other names of ours."""
    ours = builtin()
    kinds = [ours.attributes]
    for group in ours.groups.values():
        kinds += [group.attributes, *(resource.attributes for resource in group.resources.values())]
        kinds += [resource.resourceattributes for resource in group.resources.values()]
    core = {name for kind in kinds for name, attribute in kind.items() if attribute.core}
    steps = [
        step for steps in dialect("1.0").entities.values() for step in steps if step.do == "rename" and not step.at
    ]
    return frozenset(core.union(*(step.names for step in steps)))


@lru_cache(maxsize=8)
def _source_form(model: Model) -> Mapping[str, Any]:
    return export_source(model)


def modelsource(model: Model, profile: Profile) -> Mapping[str, Any]:
    """Return the model as its authors would write it, in the model language and the names of the profile."""
    source = _source_form(model)
    groups = {plural: _group(group, profile) for plural, group in source.get("groups", {}).items()}
    result: Mapping[str, Any] = laid_over({**source, "groups": groups}, profile.model)
    return result


def full_model(model: Model, profile: Profile) -> dict[str, Any]:
    """Return the model with all names and the core attributes that every entity has, as ``/model`` serves it."""
    source = modelsource(model, profile)
    groups = {plural: _whole(plural, group, model, profile) for plural, group in source.get("groups", {}).items()}
    own = {**_core(model.attributes, profile), **source.get("attributes", {})}
    return {"attributes": _all_named(own), "groups": groups}


def _whole(plural: str, group: Mapping[str, Any], model: Model, profile: Profile) -> dict[str, Any]:
    known = model.groups[plural]
    source = _source_form(model)["groups"]
    resources = {}
    for name, resource in known.resources.items():
        said = next(other["resources"][name] for other in source.values() if name in other.get("resources", {}))
        own = _resource(said, profile)
        resources[name] = {"plural": name, **own}
        for part in ("attributes", "resourceattributes", "metaattributes"):
            given = _core(getattr(resource, part), profile)
            resources[name][part] = _all_named({**given, **own.get(part, {})})
    rest = {name: value for name, value in group.items() if name not in {"attributes", "resources", "ximportresources"}}
    attributes = {**_core(known.attributes, profile), **group.get("attributes", {})}
    return {"plural": plural, **rest, "attributes": _all_named(attributes), "resources": resources}


def _all_named(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Say the name of each attribute in its definition too, at any depth (model specification, "name")."""
    return {name: {"name": name, **_inside_named(attribute)} for name, attribute in attributes.items()}


def _inside_named(attribute: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(attribute)
    if "attributes" in result:
        result["attributes"] = _all_named(result["attributes"])
    if "item" in result:
        result["item"] = _inside_named(result["item"])
    for value, clause in result.get("ifvalues", {}).items():
        named = {**clause, "siblingattributes": _all_named(clause.get("siblingattributes", {}))}
        result["ifvalues"] = {**result["ifvalues"], value: named}
    return result


def _core(attributes: Mapping[str, AttributeModel], profile: Profile) -> dict[str, Any]:
    """Return the attributes of the core specification in the model language."""
    return {
        profile.core.get(name, name): _language(attribute) for name, attribute in attributes.items() if attribute.core
    }


def _language(attribute: AttributeModel) -> dict[str, Any]:
    said: dict[str, Any] = {"type": attribute.type}
    said |= {flag: True for flag in ("readonly", "immutable", "required") if getattr(attribute, flag)}
    if attribute.item is not None:
        said["item"] = _language(attribute.item)
    if attribute.attributes:
        said["attributes"] = {name: _language(inner) for name, inner in attribute.attributes.items()}
    return said


def _resource(resource: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    return {name: value for name, value in _restated(resource, profile).items() if name not in profile.modelflags}


def _group(group: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    resources = {plural: _resource(resource, profile) for plural, resource in group.get("resources", {}).items()}
    return {**_restated(group, profile), **({"resources": resources} if resources else {})}


def _restated(entity: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Return an entity's type with the attributes that entities have in the profile."""
    attributes = entity.get("attributes")
    if attributes is None:
        return dict(entity)
    return {**entity, "attributes": remodelled(attributes, profile.steps.get(entity.get("singular", ""), ()))}
