"""The full model: all that a registry's entities may hold, with what the core specification gives each of them.

Source: model specification, "Retrieving the Registry Model".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import VERSIONS
from xregit.document.model_document import modelsource, transform_attributes
from xregit.document.profiles import data_file, dialect, steps_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xregit.document.profiles import Profile
    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel


REGISTRY, META = "registry", "meta"
PARTS = frozenset({"attributes", "resources", "ximportresources"})


def full_model(model: Model, profile: Profile) -> dict[str, Any]:
    """Return the model with all aspects, names and core attributes, as ``/model`` serves it."""
    source = modelsource(model, profile)
    sources = source.get("groups", {})
    resources = {name: item for group in sources.values() for name, item in group.get("resources", {}).items()}
    core = _core(REGISTRY, REGISTRY, model.attributes, profile)
    core["specversion"]["default"] = profile.specversion
    attributes = {**core, **_collections(model.groups), **source.get("attributes", {})}
    groups = {plural: _group(model.groups[plural], group, resources, profile) for plural, group in sources.items()}
    return {"attributes": _with_names(attributes), "groups": groups}


def _group(
    model: GroupModel, source: Mapping[str, Any], resources: Mapping[str, Any], profile: Profile
) -> dict[str, Any]:
    """Return a group type; ``resources`` are the sources of all resource types, as it may import some."""
    rest = {
        name: value for name, value in source.items() if name not in {"attributes", "resources", "ximportresources"}
    }
    core = {**_core(model.singular, model.singular, model.attributes, profile), **data_file("core.yaml")["group"]}
    return {
        "plural": model.plural,
        **rest,
        "attributes": _with_names({**core, **_collections(model.resources), **source.get("attributes", {})}),
        "resources": {
            plural: _resource(resource, resources[plural], profile) for plural, resource in model.resources.items()
        },
    }


def _resource(model: ResourceModel, source: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Return a resource type with all aspects; its versions stand in a collection of their own."""
    name = model.singular
    core = {
        "attributes": _core(name, name, model.attributes, profile),
        "resourceattributes": _core(name, name, model.resourceattributes, profile) | _collections([VERSIONS]),
        "metaattributes": _core(META, name, model.metaattributes, profile),
    }
    aspects = {"plural": model.plural, **data_file("core.yaml")["aspects"], **source}
    return aspects | {part: _with_names({**own, **source.get(part, {})}) for part, own in core.items()}


def _core(kind: str, singular: str, attributes: Mapping[str, AttributeModel], profile: Profile) -> dict[str, Any]:
    """Return the attributes of the core specification in the model language and the names of the profile."""
    facts, own_id = data_file("core.yaml"), f"{singular}id"
    result: dict[str, Any] = {}
    for name, attribute in attributes.items():
        if attribute.core:
            flags = {flag: True for flag in ("readonly", "immutable", "required") if name in facts[flag]}
            own = {"required": True} if name == own_id else {}
            default = {"default": facts["defaults"][name]} if name in facts["defaults"] else {}
            result[profile.core.get(name, name)] = {**_definition(attribute), **flags, **own, **default}
    for steps in (dialect("strict").entities, profile.steps):
        result = dict(transform_attributes(result, steps_for(steps, kind)))
    return result


def _definition(attribute: AttributeModel) -> dict[str, Any]:
    definition: dict[str, Any] = {"type": attribute.type}
    if attribute.enum:
        definition |= {"enum": list(attribute.enum), "strict": attribute.strict}
    definition |= {flag: True for flag in ("readonly", "immutable", "required") if getattr(attribute, flag)}
    if attribute.item is not None:
        definition["item"] = _definition(attribute.item)
    if attribute.attributes:
        definition["attributes"] = {name: _definition(inner) for name, inner in attribute.attributes.items()}
    return definition


def _collections(plurals: Iterable[str]) -> dict[str, Any]:
    """Return the attributes of collections with these names."""
    endings = data_file("core.yaml")["collection"]
    return {f"{plural}{ending}": definition for plural in plurals for ending, definition in endings.items()}


def _with_names(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return definitions that repeat the name of each attribute, at any depth (model specification, "name")."""
    return {name: {"name": name, **_with_inner_names(attribute)} for name, attribute in attributes.items()}


def _with_inner_names(attribute: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(attribute)
    if "attributes" in result:
        result["attributes"] = _with_names(result["attributes"])
    if "item" in result:
        result["item"] = _with_inner_names(result["item"])
    for value, clause in result.get("ifvalues", {}).items():
        siblings = _with_names(clause.get("siblingattributes", {}))
        result["ifvalues"] = {**result["ifvalues"], value: {**clause, "siblingattributes": siblings}}
    return result
