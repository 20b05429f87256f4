"""The loader of model files: plain values in the model language become a `Model`.

The values must be valid: `extension` checks what a registry's authors wrote before it is built here.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from xregit.model.files import SPECVERSION, content
from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel
from xregit.model.protocols import protocol_files

_OTHERWISE = "*"


def export_source(model: Model) -> dict[str, Any]:
    """Return the model as authors of the model language would write it, for servers to take.

    Defaults that a specification only describes are left out, so that a document needn't state them.
    """
    own = _attributes(model.attributes)
    groups = {plural: _group(group) for plural, group in model.groups.items()}
    return {**({"attributes": own} if own else {}), "groups": groups}


def _group(group: GroupModel) -> dict[str, Any]:
    imported = {path.rsplit("/", 1)[1] for path in group.ximportresources}
    resources = {plural: _resource(kind) for plural, kind in group.resources.items() if plural not in imported}
    parts = {
        "description": group.description,
        "attributes": _attributes(group.attributes),
        "ximportresources": list(group.ximportresources),
        "resources": resources,
    }
    return {"singular": group.singular, **{name: part for name, part in parts.items() if part}}


def _resource(kind: ResourceModel) -> dict[str, Any]:
    source: dict[str, Any] = {"singular": kind.singular}
    if kind.description:
        source["description"] = kind.description
    if kind.maxversions:
        source["maxversions"] = kind.maxversions
    if not kind.hasdocument:
        source["hasdocument"] = False
    if not kind.setdefaultversionsticky:
        source["setdefaultversionsticky"] = False
    source.update(kind.flags)
    for name in ("attributes", "resourceattributes", "metaattributes"):
        own = _attributes(getattr(kind, name))
        if own:
            source[name] = own
    return source


def _attributes(attributes: Mapping[str, AttributeModel]) -> dict[str, Any]:
    return {name: _attribute(item) for name, item in attributes.items() if not item.core}


def _attribute(attribute: AttributeModel) -> dict[str, Any]:
    source = _type_and_members(attribute)
    if attribute.description:
        source["description"] = attribute.description
    # In the language an enum stands on single values; the published models put that of items on their array.
    holder = attribute if attribute.enum or attribute.item is None else attribute.item
    if holder.enum and not attribute.property and attribute.type not in {"any", "map"}:
        source["enum"] = list(holder.enum)
        if not holder.strict:
            source["strict"] = False
    for flag in ("readonly", "immutable"):
        if getattr(attribute, flag):
            source[flag] = True
    if attribute.required and not attribute.inheritable:
        source["required"] = True
        if attribute.default is not None:
            source["default"] = attribute.default
    clauses = {key: clause for key, clause in attribute.ifvalues.items() if key != _OTHERWISE}
    if clauses:
        source["ifvalues"] = {key: {"siblingattributes": _attributes(clause)} for key, clause in clauses.items()}
    return source


def _type_and_members(attribute: AttributeModel) -> dict[str, Any]:
    """Return what attributes and items both state: the type and what it consists of."""
    source: dict[str, Any] = {"type": attribute.type}
    if attribute.target:
        source["target"] = attribute.target
    if attribute.namecharset != "strict":
        source["namecharset"] = attribute.namecharset
    if attribute.item is not None:
        source["item"] = _type_and_members(attribute.item)
    if attribute.type == "object" and attribute.attributes:
        source["attributes"] = _members(attribute)
    return source


def _members(attribute: AttributeModel) -> dict[str, Any]:
    members = _attributes(attribute.attributes)
    if attribute.property:
        # The members of a property are the same everywhere: saying each time what they mean only adds weight.
        for member in members.values():
            member.pop("description", None)
    return members


_INCLUDE, _PROTOCOLS = "$include", "$protocols"


@cache
def builtin(specversion: str = SPECVERSION) -> Model:
    """Return the model that xregit brings for a specification version.

    Raises:
        XregitError: there are no model files for that version.
    """
    groups = dict(_load_groups(specversion))
    core = core_values(specversion)
    registry = _file(specversion, "registry.yaml")
    own = build_attributes(registry["attributes"])
    built = {
        plural: build_group(plural, groups[plural], core) for plural in dict.fromkeys((*registry["order"], *groups))
    }
    return Model(
        specversion=specversion,
        attributes=MappingProxyType({**build_attributes(core["registry"], core=True), **own}),
        groups=link_groups(built, core),
        settings=build_attributes(_file(specversion, "settings.yaml")["settings"]),
        waivers=build_attributes(_file(specversion, "waivers.yaml")["file"]),
    )


@cache
def core_values(specversion: str) -> Mapping[str, Any]:
    """Return the core specification's attributes as the files have them, by the kind of entity."""
    return _file(specversion, "core.yaml")


@cache
def language_values(specversion: str = SPECVERSION) -> Mapping[str, Any]:
    """Return the description of the model language as the files have it, by what it describes."""
    return _file(specversion, "language.yaml")


def _load_groups(specversion: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, values in content(specversion).items():
        if "groups" in values:
            yield from _file(specversion, path)["groups"].items()


def _file(specversion: str, path: str) -> Mapping[str, Any]:
    files = content(specversion)
    definition = files["properties.yaml"]["definition"]
    whole: Mapping[str, Any] = _expand(files[path], path, files, definition)
    return whole


def _expand(value: Any, path: str, files: Mapping[str, Any], definition: Mapping[str, Any]) -> Any:
    """Return the value with what "$include" and "$protocols" stand for, and with property definitions filled in."""
    if isinstance(value, list):
        return [_expand(item, path, files, definition) for item in value]
    if not isinstance(value, dict):
        return value
    whole: dict[str, Any] = {}
    for key, item in value.items():
        if key == _INCLUDE:
            for reference in [item] if isinstance(item, str) else item:
                whole |= {**_expand_reference(reference, path, files, definition), **whole}
        elif key == _PROTOCOLS:
            whole |= _protocol_clauses(item, files, definition)
        else:
            whole[key] = _expand(item, path, files, definition)
    return {"definition": definition, **whole} if "property" in whole else whole


def _expand_reference(reference: str, path: str, files: Mapping[str, Any], definition: Mapping[str, Any]) -> Any:
    file, _, pointer = reference.partition("#")
    other = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
    return _expand(_at_pointer(files[other], pointer), other, files, definition)


def _protocol_clauses(part: str, files: Mapping[str, Any], definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each protocol adds to the entities that a part of its file is about."""
    protocols = ((name, path, files[path]["protocols"][name]) for name, path in protocol_files(files).items())
    return {
        name: {"siblingattributes": _expand(values[part], path, files, definition)}
        for name, path, values in protocols
        if part in values
    }


def _at_pointer(value: Any, pointer: str) -> Any:
    for part in pointer.strip("/").split("/"):
        value = value[part]
    return value


Attributes = Mapping[str, AttributeModel]
Values = Mapping[str, Any]

_SCALAR_ASPECTS = frozenset(
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


def build_attributes(values: Values | None, *, core: bool = False, cited: str = "") -> Attributes:
    """Return the attributes that a map of definitions describes, in its order; ``core`` are those of every entity."""
    items = (values or {}).items()
    return MappingProxyType({name: build_attribute(name, value, core=core, cited=cited) for name, value in items})


def build_attribute(name: str, value: Values | str, *, core: bool = False, cited: str = "") -> AttributeModel:
    """Return one attribute; a text alone is its type. ``cited`` is the requirement that holds for all around it."""
    if isinstance(value, str):
        return AttributeModel(name, value, core=core, cited=cited)
    if "property" in value:
        value = {**_property_definition(value), **value}
    requirements = tuple(value.get("requirements") or ())
    cited = requirements[0] if requirements else cited
    listed = (value.get("cites") or {}).get("*", "")
    within = listed or cited
    plain = {key: item for key, item in value.items() if key in _SCALAR_ASPECTS and item is not None}
    return AttributeModel(
        name=name,
        **plain,
        enum=tuple(value.get("enum") or ()),
        attributes=build_attributes(value.get("attributes"), core=core, cited=within),
        item=build_attribute("", value["item"], core=core, cited=within) if value.get("item") else None,
        ifvalues=MappingProxyType(
            {
                key: build_attributes(each.get("siblingattributes"))
                for key, each in (value.get("ifvalues") or {}).items()
            }
        ),
        requirements=requirements,
        cited=cited,
        listed=listed,
        core=core,
    )


def _property_definition(value: Values) -> Values:
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
        constant = {"enum": [always], "required": True, "inheritable": True, "description": f"It is always {always}."}
        members["value"] = {**members["value"], **constant}
    for name, requirement in (value.get("cites") or {}).items():
        members[name] = {**members[name], "requirements": [requirement]}
    return {"type": "any" if value.get("bare") else "object", "attributes": members}


def build_resource(plural: str, value: Values, core: Values) -> ResourceModel:
    """Return one resource type with the core attributes of its resources, meta entities and versions."""
    words = {"resource": value["singular"], "resources": plural}
    hasdocument = value.get("hasdocument", True)
    version = _core_attributes(core["version"], words)
    if hasdocument:
        version = {**version, **_core_attributes(core["document"], words)}
    return ResourceModel(
        plural=plural,
        singular=value["singular"],
        description=value.get("description") or "",
        attributes=_join(version, build_attributes(value.get("attributes"))),
        metaattributes=_join(_core_attributes(core["meta"], words), build_attributes(value.get("metaattributes"))),
        resourceattributes=_join(
            _core_attributes(core["resource"], words), build_attributes(value.get("resourceattributes"))
        ),
        maxversions=value.get("maxversions", 0),
        hasdocument=hasdocument,
        setdefaultversionsticky=value.get("setdefaultversionsticky", True),
        flags=MappingProxyType({key: flag for key, flag in value.items() if key not in _RESOURCE_KEYS}),
        source=value.get("source", ""),
    )


def build_group(plural: str, value: Values, core: Values) -> GroupModel:
    """Return one group type, without the resource types that it imports."""
    kinds = {
        name: build_resource(name, definition, core) for name, definition in (value.get("resources") or {}).items()
    }
    core_attributes = _core_attributes(core["group"], {"group": value["singular"]})
    return GroupModel(
        plural=plural,
        singular=value["singular"],
        description=value.get("description") or "",
        attributes=_join(core_attributes, build_attributes(value.get("attributes"))),
        resources=MappingProxyType(kinds),
        ximportresources=tuple(value.get("ximportresources") or ()),
        source=value.get("source", ""),
    )


def link_groups(groups: Mapping[str, GroupModel], core: Values) -> Mapping[str, GroupModel]:
    """Return the group types with the resource types they import, their collections, and the targets of references."""
    whole = {plural: _import_resources(model, groups) for plural, model in groups.items()}
    shared = _shared_paths(whole)
    # A type that several groups have stays one object, so that it is one type for all who compare.
    kinds = {kind: _add_sibling_targets(kind, shared) for model in whole.values() for kind in model.resources.values()}
    return MappingProxyType({plural: _with_targets(model, shared, kinds, core) for plural, model in whole.items()})


def _import_resources(model: GroupModel, groups: Mapping[str, GroupModel]) -> GroupModel:
    resources = dict(model.resources)
    for path in model.ximportresources:
        _, owner, plural = path.split("/")
        resources[plural] = groups[owner].resources[plural]
    return replace(model, resources=MappingProxyType(resources))


def _shared_paths(groups: Mapping[str, GroupModel]) -> Mapping[str, tuple[str, ...]]:
    """Return for each path of a resource type the paths of all groups that have that type."""
    owners: dict[ResourceModel, list[str]] = {}
    for plural, model in groups.items():
        for kind in model.resources.values():
            owners.setdefault(kind, []).append(f"/{plural}/{kind.plural}")
    return {path: tuple(paths) for paths in owners.values() for path in paths}


def _with_targets(
    model: GroupModel,
    shared: Mapping[str, tuple[str, ...]],
    kinds: Mapping[ResourceModel, ResourceModel],
    core: Values,
) -> GroupModel:
    collections: dict[str, AttributeModel] = {}
    for kind in model.resources.values():
        collections |= _core_attributes(core["collection"], {"resources": kind.plural})
    return replace(
        model,
        attributes=_retarget_all({**model.attributes, **collections}, shared),
        resources=MappingProxyType({plural: kinds[kind] for plural, kind in model.resources.items()}),
    )


def _add_sibling_targets(kind: ResourceModel, shared: Mapping[str, tuple[str, ...]]) -> ResourceModel:
    return replace(
        kind,
        attributes=_retarget_all(kind.attributes, shared),
        metaattributes=_retarget_all(kind.metaattributes, shared),
        resourceattributes=_retarget_all(kind.resourceattributes, shared),
    )


def _retarget_all(values: Attributes, shared: Mapping[str, tuple[str, ...]]) -> Attributes:
    return MappingProxyType({name: _retarget(value, shared) for name, value in values.items()})


def _retarget(value: AttributeModel, shared: Mapping[str, tuple[str, ...]]) -> AttributeModel:
    if not _has_reference(value):
        return value
    path, suffix = _split_target(value.target)
    return replace(
        value,
        targets=tuple(other + suffix for other in shared.get(path, (path,))) if path else (),
        attributes=_retarget_all(value.attributes, shared),
        item=_retarget(value.item, shared) if value.item else None,
        ifvalues=MappingProxyType({key: _retarget_all(clause, shared) for key, clause in value.ifvalues.items()}),
    )


def _has_reference(value: AttributeModel) -> bool:
    """Return whether an attribute, or one below it, leads to other entities."""
    members = [*value.attributes.values(), *([value.item] if value.item else [])]
    members += [sibling for clause in value.ifvalues.values() for sibling in clause.values()]
    return bool(value.target) or any(map(_has_reference, members))


def _split_target(target: str) -> tuple[str, str]:
    for suffix in ("[/versions]", "/versions"):
        if target.endswith(suffix):
            return target.removesuffix(suffix), suffix
    return target, ""


def _core_attributes(values: Values, words: Mapping[str, str]) -> Attributes:
    definitions = {name.format_map(words): value for name, value in values.items()}
    return build_attributes(definitions, core=True)


def _join(core: Attributes, own: Attributes) -> Attributes:
    """Return core attributes, then a type's own; one that redefines a core attribute takes its place in the order."""
    return MappingProxyType({**core, **own})
