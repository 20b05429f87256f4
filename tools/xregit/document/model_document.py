"""A registry's model as documents have it (``modelsource``), and what a document's model adds to ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from xregit.catalog.entities import VERSIONS
from xregit.document.profiles import Profile, Step, data_file, dialect, steps_for
from xregit.model import builtin, export_source
from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel

Attributes = Mapping[str, Any]
# A selector of clauses must be an attribute of the model; usages are none, so both names stay.
UNCLAUSED = "usage"
ATTRIBUTE_MAPS = frozenset({"attributes", "resourceattributes", "metaattributes"})


_source_form = lru_cache(maxsize=8)(export_source)


def modelsource(model: Model, profile: Profile) -> Mapping[str, Any]:
    """Return the model as its authors would write it, in the model language and the names of the profile."""
    source = _source_form(model)
    groups = {plural: _group_source(group, profile) for plural, group in source.get("groups", {}).items()}
    result: Mapping[str, Any] = overlay({**source, "groups": groups}, profile.model)
    return result


def transform_attributes(attributes: Attributes, steps: Iterable[Step]) -> Attributes:
    """Return the definitions of an entity's attributes after the steps."""
    for step in steps:
        if step.do in CHANGES:
            attributes = _apply_at(attributes, step)
    return attributes


def overlay(value: Any, over: Any) -> Any:
    """Return a value with another laid over it; a null there takes an attribute away."""
    if not isinstance(value, Mapping) or not isinstance(over, Mapping):
        return over
    merged = {name: overlay(value.get(name), item) if name in value else item for name, item in over.items()}
    return {name: item for name, item in {**value, **merged}.items() if item is not None}


def _apply_at(attributes: Attributes, step: Step) -> Attributes:
    """Change the attributes to which the step's path leads, also in the clauses of the selectors it depends on."""
    result = {name: _in_clauses(attribute, step) for name, attribute in attributes.items()}
    if step.when.keys() - {UNCLAUSED}:
        return result
    if not step.at:
        return CHANGES[step.do](result, step)
    names = list(result) if step.at[0] == "*" else [step.at[0]]
    below = replace(step, at=step.at[1:])
    return {**result, **{name: _apply_below(result[name], below) for name in names if name in result}}


def _apply_below(attribute: Any, step: Step) -> Any:
    """Change what stands below an attribute: the members of an object, the items of a list or map."""
    if not isinstance(attribute, Mapping):
        return attribute
    if "attributes" in attribute:
        return {**attribute, "attributes": _apply_at(attribute["attributes"], step)}
    if "item" in attribute and (not step.at or step.at[0] == "*"):
        return {**attribute, "item": _apply_below(attribute["item"], replace(step, at=step.at[1:]))}
    return attribute


def _in_clauses(attribute: Any, step: Step) -> Any:
    """Change siblings in those clauses of an attribute for which the step holds."""
    clauses = attribute.get("ifvalues") if isinstance(attribute, Mapping) else None
    if not clauses:
        return attribute
    selected = {value for name, values in step.when.items() if name != UNCLAUSED for value in values}
    inner = replace(step, when={name: values for name, values in step.when.items() if name == UNCLAUSED})
    changed = {
        value: {**clause, "siblingattributes": _apply_at(clause.get("siblingattributes", {}), inner)}
        for value, clause in clauses.items()
        if not selected or value in selected
    }
    return {**attribute, "ifvalues": {**clauses, **changed}}


def _rename(attributes: Attributes, step: Step) -> Attributes:
    """Rename, or have both where only some entities have the new name."""
    result: dict[str, Any] = {}
    for name, attribute in attributes.items():
        if name not in step.names or step.when:
            result[name] = attribute
        if name in step.names:
            result[step.names[name]] = attribute
    return result


def _allow_bare(attributes: Attributes, step: Step) -> Attributes:
    """Set the type of attributes that may be a value or a property to that of the value."""
    return {
        name: {**attribute, "type": step.names[name]}
        if name in step.names and attribute.get("type") == "any"
        else attribute
        for name, attribute in attributes.items()
    }


def _as_text(attributes: Attributes, step: Step) -> Attributes:
    return {
        name: {**attribute, "type": "string"} if name in step.names else attribute
        for name, attribute in attributes.items()
    }


def _drop(attributes: Attributes, step: Step) -> Attributes:
    return {name: attribute for name, attribute in attributes.items() if name not in step.names}


def _narrow(attributes: Attributes, step: Step) -> Attributes:
    """Take the types that are written otherwise from those that a declaration may name, at any depth."""
    result = {name: _narrow_below(attribute, step) for name, attribute in attributes.items()}
    kinds = result.get("type", {})
    if isinstance(kinds.get("enum"), list):
        result["type"] = {**kinds, "enum": [kind for kind in kinds["enum"] if kind not in step.names]}
    return result


def _narrow_below(attribute: Mapping[str, Any], step: Step) -> Mapping[str, Any]:
    if "attributes" in attribute:
        return {**attribute, "attributes": _narrow(attribute["attributes"], step)}
    if "item" in attribute:
        return {**attribute, "item": _narrow_below(attribute["item"], step)}
    return attribute


CHANGES: Mapping[str, Callable[[Attributes, Step], Attributes]] = {
    "rename": _rename,
    "unwrap_declarations": _allow_bare,
    "values_to_text": _as_text,
    "drop": _drop,
    "modernize_declarations": _narrow,
}


def extract_extension(document: Mapping[str, Any], ours: Model | None = None) -> dict[str, Any]:
    """Return what a document's own model adds to ours: group types, and attributes of types that we know."""
    source = document.get("modelsource") or document.get("model")
    if not isinstance(source, Mapping):
        return {}
    ours, groups = ours or builtin(), {}
    for plural, group in _mappings(source.get("groups")):
        our_group = ours.groups.get(plural)
        extension = _extension_group(group, our_group) if our_group else _new_group(group)
        if extension:
            groups[plural] = extension
    collections = _collection_names(name for name, _ in _mappings(source.get("groups")))
    own = _extension_attributes(source, {**ours.attributes, **dict.fromkeys(collections)})
    return {**({"attributes": own} if own else {}), **({"groups": groups} if groups else {})}


def extension_names(model: Model, ours: Model) -> frozenset[str]:
    """Return the names of all attributes that a model adds to ours, of any entity."""
    return frozenset(_names(model) - _names(ours))


def _names(model: Model) -> set[str]:
    return {name for attributes in _all_attributes(model) for name in attributes}


def _all_attributes(model: Model) -> Iterator[Mapping[str, AttributeModel]]:
    """Yield the attributes of all types of entities, without those of meta entities."""
    yield model.attributes
    for group in model.groups.values():
        yield group.attributes
        yield from (resource.attributes for resource in group.resources.values())


def _extension_group(group: Mapping[str, Any], ours: GroupModel) -> dict[str, Any]:
    resources = {}
    # A full model repeats the types that a group imports; the group that owns them says what they add.
    imported = {path.rsplit("/", 1)[1] for path in ours.ximportresources}
    for plural, resource in _mappings(group.get("resources")):
        our_resource = None if plural in imported else ours.resources.get(plural)
        attributes = _extension_attributes(resource, our_resource.attributes) if our_resource else {}
        if attributes:
            resources[plural] = {"attributes": attributes}
    own = _extension_attributes(group, ours.attributes)
    return {**({"attributes": own} if own else {}), **({"resources": resources} if resources else {})}


def _new_group(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return a group type that we don't have, without what every type has anyway."""
    resources = {
        plural: _own_attributes(resource, documents=resource.get("hasdocument") is not False)
        for plural, resource in _mappings(group.get("resources"))
    }
    return {**_own_attributes(group, documents=False), **({"resources": resources} if resources else {})}


def _own_attributes(kind: Mapping[str, Any], *, documents: bool) -> dict[str, Any]:
    """Return a type without what the core specification gives each: the full model of a server states all of that.

    ``documents`` says whether it is a resource type whose versions hold a document.
    """
    endings = ("id", "", "url", "base64", "proxyurl") if documents else ("id",)
    standard = _standard_names() | {f"{kind.get('singular', '')}{ending}" for ending in endings}
    standard |= _collection_names(name for name, _ in _mappings(kind.get("resources")))
    result: dict[str, Any] = {}
    for name, value in kind.items():
        if name in ATTRIBUTE_MAPS:
            core = standard | _meta_names() if name == "metaattributes" else standard
            own = {inner: definition for inner, definition in _mappings(value) if inner not in core}
            if own:
                result[name] = own
        elif name not in {"resources", "plural"} and data_file("core.yaml")["aspects"].get(name) != value:
            result[name] = value
    return result


@cache
def _meta_names() -> frozenset[str]:
    """Return the attributes that the core specification gives every meta entity."""
    kinds = (resource for group in builtin().groups.values() for resource in group.resources.values())
    return frozenset(name for kind in kinds for name, attribute in kind.metaattributes.items() if attribute.core)


def _collection_names(plurals: Iterable[str]) -> set[str]:
    """Return the names of the attributes that stand for collections."""
    return {f"{plural}{ending}" for plural in plurals for ending in data_file("core.yaml")["collection"]}


def _extension_attributes(kind: Mapping[str, Any], ours: Iterable[str]) -> dict[str, Any]:
    present = {*ours, *_standard_names(), "*"}
    return {name: value for name, value in _mappings(kind.get("attributes")) if name not in present}


def _mappings(value: Any) -> list[tuple[str, Mapping[str, Any]]]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return [(name, item) for name, item in pairs if isinstance(item, Mapping)]


@cache
def _standard_names() -> frozenset[str]:
    """Return attributes that no model needs to define: those of the core specification, and other names of ours."""
    ours = builtin()
    kinds = [*_all_attributes(ours)]
    kinds += [resource.resourceattributes for group in ours.groups.values() for resource in group.resources.values()]
    core = {name for attributes in kinds for name, attribute in attributes.items() if attribute.core}
    steps = [
        step for steps in dialect("1.0").entities.values() for step in steps if step.do == "rename" and not step.at
    ]
    return frozenset(core.union(data_file("core.yaml")["group"], *(step.names for step in steps)))


def _resource_source(resource: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    return {name: value for name, value in _entity_type(resource, profile).items() if name not in profile.modelflags}


def _group_source(group: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    resources = {plural: _resource_source(resource, profile) for plural, resource in group.get("resources", {}).items()}
    return {**_entity_type(group, profile), **({"resources": resources} if resources else {})}


def _entity_type(entity: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Return an entity's type with the attributes that entities have in the profile."""
    attributes = entity.get("attributes")
    if attributes is None:
        return dict(entity)
    return {**entity, "attributes": transform_attributes(attributes, profile.steps.get(entity.get("singular", ""), ()))}


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
