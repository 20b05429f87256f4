"""Plain values in the model language to `AttributeModel`, `ResourceModel` and `GroupModel`.

The values must be right: `validating` checks what a registry's authors wrote before it comes here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from xregit.model.language import AttributeModel, GroupModel, ResourceModel
from xregit.records import replace

Attributes = Mapping[str, AttributeModel]
Values = Mapping[str, Any]

_PLAIN = frozenset(
    {
        "type", "description", "strict", "required", "default", "readonly", "immutable", "target", "namecharset",
        "source", "delivery", "separators", "refused", "allowed", "property", "syntax", "forms", "keys", "names",
        "inheritable", "fold", "unwrap", "example",
    }
)  # fmt: skip
_RESOURCE_KEYS = frozenset(
    {
        "plural", "singular", "description", "attributes", "metaattributes", "resourceattributes",
        "maxversions", "hasdocument", "setdefaultversionsticky", "source", "requirements",
    }
)  # fmt: skip


def attributes(values: Values | None, *, core: bool = False, cited: str = "") -> Attributes:
    """Return the attributes that a map of definitions describes, in its order; ``core`` are those of every entity."""
    items = (values or {}).items()
    return MappingProxyType({name: attribute(name, value, core=core, cited=cited) for name, value in items})


def attribute(name: str, value: Values | str, *, core: bool = False, cited: str = "") -> AttributeModel:
    """Return one attribute; a text alone is its type. ``cited`` is the requirement that holds for all around it."""
    if isinstance(value, str):
        return AttributeModel(name, value, core=core, cited=cited)
    if "property" in value:
        value = {**_definition(value), **value}
    requirements = tuple(value.get("requirements") or ())
    cited = requirements[0] if requirements else cited
    listed = (value.get("cites") or {}).get("*", "")
    within = listed or cited
    plain = {key: item for key, item in value.items() if key in _PLAIN and item is not None}
    return AttributeModel(
        name=name,
        **plain,
        enum=tuple(value.get("enum") or ()),
        attributes=attributes(value.get("attributes"), core=core, cited=within),
        item=attribute("", value["item"], core=core, cited=within) if value.get("item") else None,
        ifvalues=_ifvalues(value.get("ifvalues") or {}),
        requirements=requirements,
        cited=cited,
        listed=listed,
        core=core,
    )


def _ifvalues(values: Values) -> Mapping[str, Attributes]:
    return MappingProxyType({key: attributes(clause.get("siblingattributes")) for key, clause in values.items()})


def _definition(value: Values) -> Values:
    """Return the type and attributes that "property: <type>" stands for: an object, or with "bare" any value."""
    members: dict[str, Any] = dict(value["definition"])
    if not value.get("named") and not value.get("inner"):
        del members["name"]
    elif value.get("named"):
        members["name"] = {**members["name"], "required": True, "syntax": value.get("namesyntax", "nonempty")}
    types = value.get("types") or members["type"]["enum"]
    members["type"] = {**members["type"], "enum": types, "default": value["property"]}
    if value.get("implied"):
        members["required"] = {**members["required"], "enum": [True], "default": True}
    if "constant" in value:
        always = value["constant"]
        stated = {"enum": [always], "required": True, "inheritable": True, "description": f"It is always {always}."}
        members["value"] = {**members["value"], **stated}
    for name, requirement in (value.get("cites") or {}).items():
        members[name] = {**members[name], "requirements": [requirement]}
    return {"type": "any" if value.get("bare") else "object", "attributes": members}


def resource(plural: str, value: Values, core: Values) -> ResourceModel:
    """Return one resource type with the core attributes of its resources, meta entities and versions."""
    words = {"resource": value["singular"], "resources": plural}
    hasdocument = value.get("hasdocument", True)
    version = _core(core["version"], words)
    if hasdocument:
        version = {**version, **_core(core["document"], words)}
    return ResourceModel(
        plural=plural,
        singular=value["singular"],
        description=value.get("description") or "",
        attributes=_joined(version, attributes(value.get("attributes"))),
        metaattributes=_joined(_core(core["meta"], words), attributes(value.get("metaattributes"))),
        resourceattributes=_joined(_core(core["resource"], words), attributes(value.get("resourceattributes"))),
        maxversions=value.get("maxversions", 0),
        hasdocument=hasdocument,
        setdefaultversionsticky=value.get("setdefaultversionsticky", True),
        flags=MappingProxyType({key: flag for key, flag in value.items() if key not in _RESOURCE_KEYS}),
        source=value.get("source", ""),
    )


def group(plural: str, value: Values, core: Values) -> GroupModel:
    """Return one group type, without the resource types that it imports."""
    kinds = {name: resource(name, said, core) for name, said in (value.get("resources") or {}).items()}
    given = _core(core["group"], {"group": value["singular"]})
    return GroupModel(
        plural=plural,
        singular=value["singular"],
        description=value.get("description") or "",
        attributes=_joined(given, attributes(value.get("attributes"))),
        resources=MappingProxyType(kinds),
        ximportresources=tuple(value.get("ximportresources") or ()),
        source=value.get("source", ""),
    )


def linked(groups: Mapping[str, GroupModel], core: Values) -> Mapping[str, GroupModel]:
    """Return the group types with the resource types they import, their collections, and the targets of references."""
    whole = {plural: _importing(model, groups) for plural, model in groups.items()}
    shared = _shared(whole)
    # A type that several groups have stays one object, so that it is one type for all who compare.
    kinds = {kind: _kind(kind, shared) for model in whole.values() for kind in model.resources.values()}
    return MappingProxyType({plural: _targeted(model, shared, kinds, core) for plural, model in whole.items()})


def _importing(model: GroupModel, groups: Mapping[str, GroupModel]) -> GroupModel:
    resources = dict(model.resources)
    for path in model.ximportresources:
        _, owner, plural = path.split("/")
        resources[plural] = groups[owner].resources[plural]
    return replace(model, resources=MappingProxyType(resources))


def _shared(groups: Mapping[str, GroupModel]) -> Mapping[str, tuple[str, ...]]:
    """Return for each path of a resource type the paths of all groups that have that type."""
    owners: dict[ResourceModel, list[str]] = {}
    for plural, model in groups.items():
        for kind in model.resources.values():
            owners.setdefault(kind, []).append(f"/{plural}/{kind.plural}")
    return {path: tuple(paths) for paths in owners.values() for path in paths}


def _targeted(
    model: GroupModel,
    shared: Mapping[str, tuple[str, ...]],
    kinds: Mapping[ResourceModel, ResourceModel],
    core: Values,
) -> GroupModel:
    collections: dict[str, AttributeModel] = {}
    for kind in model.resources.values():
        collections |= _core(core["collection"], {"resources": kind.plural})
    return replace(
        model,
        attributes=_retargeted({**model.attributes, **collections}, shared),
        resources=MappingProxyType({plural: kinds[kind] for plural, kind in model.resources.items()}),
    )


def _kind(kind: ResourceModel, shared: Mapping[str, tuple[str, ...]]) -> ResourceModel:
    return replace(
        kind,
        attributes=_retargeted(kind.attributes, shared),
        metaattributes=_retargeted(kind.metaattributes, shared),
        resourceattributes=_retargeted(kind.resourceattributes, shared),
    )


def _retargeted(values: Attributes, shared: Mapping[str, tuple[str, ...]]) -> Attributes:
    return MappingProxyType({name: _retarget(value, shared) for name, value in values.items()})


def _retarget(value: AttributeModel, shared: Mapping[str, tuple[str, ...]]) -> AttributeModel:
    if not _refers(value):
        return value
    path, suffix = _split(value.target)
    return replace(
        value,
        targets=tuple(other + suffix for other in shared.get(path, (path,))) if path else (),
        attributes=_retargeted(value.attributes, shared),
        item=_retarget(value.item, shared) if value.item else None,
        ifvalues=MappingProxyType({key: _retargeted(clause, shared) for key, clause in value.ifvalues.items()}),
    )


def _refers(value: AttributeModel) -> bool:
    """Tell whether an attribute, or one below it, leads to other entities."""
    below = [*value.attributes.values(), *([value.item] if value.item else [])]
    below += [sibling for clause in value.ifvalues.values() for sibling in clause.values()]
    return bool(value.target) or any(map(_refers, below))


def _split(target: str) -> tuple[str, str]:
    for suffix in ("[/versions]", "/versions"):
        if target.endswith(suffix):
            return target.removesuffix(suffix), suffix
    return target, ""


def _core(values: Values, words: Mapping[str, str]) -> Attributes:
    named = {name.format_map(words): value for name, value in values.items()}
    return attributes(named, core=True)


def _joined(given: Attributes, own: Attributes) -> Attributes:
    """Return core attributes, then a type's own; one that redefines a core attribute takes its place in the order."""
    return MappingProxyType({**given, **own})
