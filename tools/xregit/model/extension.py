"""A registry's own model on top of a specification's: validation of what its authors wrote, and the merge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from xregit.diagnostics import Finding
from xregit.json_pointer import KeyPath
from xregit.model.datatypes import CONTAINERS, DATATYPES, SYNTAXES, Datatype
from xregit.model.excerpts import either
from xregit.model.interpreter import check, clause_key, clause_of
from xregit.model.language import NOTHING, AttributeModel, GroupModel, Model, ResourceModel
from xregit.model.loader import build_attributes, build_group, build_resource, core_values, language_values, link_groups
from xregit.model.similarity import suggest_similar
from xregit.model.suggestions import suggest_name

_DEFINITION_MAPS = frozenset({"attributes", "metaattributes", "resourceattributes", "siblingattributes"})
_TYPE_KINDS = frozenset({"groups", "resources"})


def extend(model: Model, value: Mapping[str, Any]) -> tuple[Model, list[Finding]]:
    """Return the model with a registry's own model on top, and what is wrong with that.

    A faulty attribute counts as one of any type, a faulty group or resource type is left out.
    """
    findings = [*_check_entity(value, "model", (), NOTHING), *_check_groups(value, model)]
    sound: Any = value
    for finding in findings:
        sound = _remove(sound, finding.path)
    core = core_values(model.specversion)
    groups = dict(model.groups)
    for plural, definition in (sound.get("groups") or {}).items():
        group = groups.get(plural)
        groups[plural] = _extend_group(group, definition, core) if group else build_group(plural, definition, core)
    return replace(
        model,
        attributes=_merge_attributes(model.attributes, sound.get("attributes")),
        groups=link_groups(groups, core),
    ), findings


def _remove(value: Any, path: KeyPath) -> Any:
    """Return the value with what stands at the path taken out, or made harmless where it is an attribute."""
    if not isinstance(value, Mapping) or not path:
        return {}
    head, rest = path[0], path[1:]
    inner = value.get(head)
    if head in _DEFINITION_MAPS and rest and isinstance(inner, Mapping):
        return {**value, head: _neutralise(inner, str(rest[0]))}
    if (
        head in _TYPE_KINDS
        and len(rest) > 1
        and rest[1] != "singular"
        and isinstance(inner, Mapping)
        and rest[0] in inner
    ):
        return {**value, head: {**inner, rest[0]: _remove(inner[rest[0]], rest[1:])}}
    if head in _TYPE_KINDS and rest and isinstance(inner, Mapping):
        return {**value, head: {name: item for name, item in inner.items() if name != rest[0]}}
    return {name: item for name, item in value.items() if name != head}


def _neutralise(definitions: Mapping[str, Any], name: str) -> dict[str, Any]:
    if name == "*" or SYNTAXES["name"].test(name):
        return {**definitions, name: {"type": "any"}}
    return {other: item for other, item in definitions.items() if other != name}


def _extend_group(group: GroupModel, definition: Mapping[str, Any], core: Mapping[str, Any]) -> GroupModel:
    resources = dict(group.resources)
    for plural, value in (definition.get("resources") or {}).items():
        kind = resources.get(plural)
        resources[plural] = _extend_resource(kind, value) if kind else build_resource(plural, value, core)
    imported = [path for path in definition.get("ximportresources") or () if path not in group.ximportresources]
    return replace(
        group,
        description=definition.get("description") or group.description,
        attributes=_merge_attributes(group.attributes, definition.get("attributes")),
        resources=MappingProxyType(resources),
        ximportresources=(*group.ximportresources, *imported),
    )


def _extend_resource(resource: ResourceModel, definition: Mapping[str, Any]) -> ResourceModel:
    return replace(
        resource,
        description=definition.get("description") or resource.description,
        attributes=_merge_attributes(resource.attributes, definition.get("attributes")),
        metaattributes=_merge_attributes(resource.metaattributes, definition.get("metaattributes")),
        resourceattributes=_merge_attributes(resource.resourceattributes, definition.get("resourceattributes")),
    )


def _merge_attributes(
    attributes: Mapping[str, AttributeModel], definitions: Mapping[str, Any] | None
) -> Mapping[str, AttributeModel]:
    """Return the known attributes and the new ones; of one that is both, what is not stated anew is kept."""
    merged = dict(attributes)
    for name, value in (definitions or {}).items():
        new = build_attributes({name: value})[name]
        merged[name] = _redefine(attributes[name], new, value) if name in attributes and name != "*" else new
    if "*" in merged:
        merged["*"] = merged.pop("*")
    return MappingProxyType(merged)


def _redefine(attribute: AttributeModel, new: AttributeModel, value: Mapping[str, Any] | str) -> AttributeModel:
    if isinstance(value, str) or attribute.type != new.type:
        return attribute
    changes = {name: getattr(new, name) for name in _REDEFINABLE if name in value}
    return replace(
        attribute,
        **changes,
        core=False,
        attributes=_merge_attributes(attribute.attributes, value.get("attributes")),
        ifvalues=_merge_clauses(attribute, value.get("ifvalues")),
    )


def _merge_clauses(
    attribute: AttributeModel, definitions: Mapping[str, Any] | None
) -> Mapping[str, Mapping[str, AttributeModel]]:
    """Return the known clauses with the new siblings in them, and the clauses of other values."""
    merged = dict(attribute.ifvalues)
    for name, value in (definitions or {}).items():
        key = clause_key(attribute, name)
        merged[key] = _merge_attributes(merged.get(key, NOTHING), value.get("siblingattributes"))
    return MappingProxyType(merged)


_REDEFINABLE = ("description", "enum", "strict", "required", "immutable", "target")


MODEL_ERROR, REQUIRED_TRUE, SCALAR_DEFAULT = "model-error", "model-required-true", "model-scalar-default"
MAX_DEPTH = 60
_TYPES = [*DATATYPES, *CONTAINERS]
_REFERENCES = frozenset({"uri", "uriabsolute", "urirelative", "url", "urlabsolute", "urlrelative", "xid"})


@cache
def language_attributes(kind: str) -> Mapping[str, AttributeModel]:
    """Return what may be said of a model, group, resource, attribute, item or clause."""
    return build_attributes(language_values()[kind])


def _check_entity(value: Any, kind: str, path: KeyPath, inherited: Mapping[str, Any]) -> Iterator[Finding]:
    if not isinstance(value, Mapping):
        message = f'"{path[-1] if path else "model"}" must be a map.'
        yield Finding(MODEL_ERROR, path, message, 'Write "name: value" lines under it.')
    elif len(path) > MAX_DEPTH:
        yield Finding(MODEL_ERROR, path, "The model is nested too deeply.", "Use fewer levels.")
    else:
        findings = check(language_attributes(kind), value, inherited)
        yield from (replace(item, rule=MODEL_ERROR, path=(*path, *item.path)) for item in findings)
        faulty = {item.path for item in findings}
        for name, aspect in language_attributes(kind).items():
            if aspect.unwrap and value.get(name) is not None and (name,) not in faulty:
                yield from _NESTED[aspect.unwrap](value[name], (*path, name), value)


def _check_group_map(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    for plural, group in value.items():
        # Whether a type exists already is seen later; its singular name may be left out then.
        yield from _check_entity(group, "group", (*path, plural), {"singular": plural})


def _check_resource_map(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    for plural, resource in value.items():
        yield from _check_entity(resource, "resource", (*path, plural), {"singular": plural})


def _check_definitions(value: Any, path: KeyPath, holder: Mapping[str, Any]) -> Iterator[Finding]:
    charset = SYNTAXES["extendedname" if holder.get("namecharset") == "extended" else "name"]
    for name, definition in value.items():
        where = (*path, name)
        if name != "*" and not charset.test(name):
            message = f'The name "{name}" must be {charset.about}.'
            yield Finding(MODEL_ERROR, where, message, suggest_name(name, charset.test), on_key=True)
        elif isinstance(definition, str):
            yield from _check_entity({"type": definition}, "attribute", where, NOTHING)
        else:
            yield from _check_attribute(name, definition, where)


def _check_attribute(name: str, value: Any, path: KeyPath) -> Iterator[Finding]:
    findings = list(_check_entity(value, "attribute", path, NOTHING))
    yield from findings
    if not findings:
        for test in _ASPECTS:
            yield from (replace(item, path=(*path, *item.path)) for item in test(name, value))


def _check_item(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    findings = list(_check_entity(value, "item", path, NOTHING))
    yield from findings
    if not findings:
        yield from (replace(item, path=(*path, *item.path)) for item in _check_parts("item", value))


def _check_clauses(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    for key, clause in value.items():
        if key.startswith("^"):
            message = f'ifvalues can\'t have a clause for "{key}".'
            yield Finding(MODEL_ERROR, (*path, key), message, "Name one value of the attribute.", on_key=True)
        yield from _check_entity(clause, "clause", (*path, key), NOTHING)


_NESTED: Mapping[str, Callable[[Any, KeyPath, Mapping[str, Any]], Iterator[Finding]]] = {
    "groups": _check_group_map,
    "resources": _check_resource_map,
    "definitions": _check_definitions,
    "item": _check_item,
    "clauses": _check_clauses,
}


def _check_name(name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    if value.get("name", name) != name:
        message = f'The name is "{value["name"]}", but its key is "{name}".'
        yield Finding(MODEL_ERROR, ("name",), message, 'Remove "name"; the key is the name.')
    for aspect in ("ifvalues", "required", "readonly"):
        if name == "*" and value.get(aspect):
            message = f'"{aspect}" has no meaning for further attributes, "*".'
            yield Finding(MODEL_ERROR, (aspect,), message, "Remove it.", on_key=True)


def _check_parts(_name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    kind = value["type"]
    if kind in {"array", "map"} and not value.get("item"):
        message = f'"item" is missing: it says what the {kind} holds.'
        yield Finding(MODEL_ERROR, (), message, 'Add, for example, "item: {type: string}".', on_key=True)
    if kind not in {"array", "map"} and value.get("item"):
        yield _misplaced_aspect("item", "arrays and maps", kind)
    if kind != "object" and value.get("attributes"):
        yield _misplaced_aspect("attributes", "objects", kind)
    if kind not in _REFERENCES and value.get("target"):
        yield _misplaced_aspect("target", "references (xid, uri, url)", kind)


def _misplaced_aspect(aspect: str, about: str, kind: str) -> Finding:
    message = f'"{aspect}" is for {about}; the type is {kind}.'
    return Finding(MODEL_ERROR, (aspect,), message, "Remove it, or correct the type.", on_key=True)


def _check_values(_name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    kind, choices, default = value["type"], value.get("enum"), value.get("default")
    if kind in CONTAINERS or kind == "any":
        # The published models list the values of an array's items on the array.
        if choices and kind != "array":
            yield _misplaced_aspect("enum", "single values", kind)
        if default is not None:
            message = f'"default" is for single values; the type is {kind}.'
            yield Finding(SCALAR_DEFAULT, ("default",), message, "Remove it.", on_key=True)
        if value.get("ifvalues"):
            yield _misplaced_aspect("ifvalues", "single values", kind)
        return
    datatype = DATATYPES[kind]
    for index, choice in enumerate(choices or ()):
        if not datatype.test(choice):
            message = f"The value must be {datatype.about}, as the type says."
            yield Finding(MODEL_ERROR, ("enum", index), message, "Correct the value, or the type.")
    if default is not None:
        yield from _check_default(value, datatype)


def _check_default(value: Mapping[str, Any], datatype: Datatype) -> Iterator[Finding]:
    choices, default = value.get("enum"), value["default"]
    if not datatype.test(default):
        message = f"The default must be {datatype.about}, as the type says."
        yield Finding(MODEL_ERROR, ("default",), message, "Correct the default, or the type.")
    elif choices and value.get("strict", True) and default not in choices:
        message = "The default must be one of the values of enum."
        yield Finding(MODEL_ERROR, ("default",), message, f"It may be {either(choices)}.")
    elif not value.get("required"):
        message = "An attribute with a default is always there, so it must be required."
        yield Finding(REQUIRED_TRUE, ("default",), message, 'Add "required: true".', on_key=True)


_ASPECTS: tuple[Callable[[str, Mapping[str, Any]], Iterator[Finding]], ...] = (_check_name, _check_parts, _check_values)


def _check_groups(value: Mapping[str, Any], model: Model) -> Iterator[Finding]:
    """Return what is wrong with group and resource types as part of the whole model."""
    own = value.get("groups")
    yield from _check_redefinitions(value.get("attributes"), model.attributes, ("attributes",))
    for plural, group in own.items() if isinstance(own, Mapping) else ():
        if isinstance(group, Mapping):
            yield from _check_group(plural, group, value, model)


def _check_group(plural: str, group: Mapping[str, Any], value: Mapping[str, Any], model: Model) -> Iterator[Finding]:
    builtin, path = model.groups.get(plural), ("groups", plural)
    yield from _check_type_names(group, builtin, plural, path)
    if builtin is None and plural in model.attributes:
        message = f'A group type can\'t have the name "{plural}", which is an attribute of the registry.'
        yield Finding(MODEL_ERROR, path, message, "Give it another name.", on_key=True)
    if builtin is not None:
        yield from _check_redefinitions(group.get("attributes"), builtin.attributes, (*path, "attributes"))
    imported = group.get("ximportresources")
    for index, other in enumerate(imported if isinstance(imported, list) else ()):
        if SYNTAXES["imported"].test(other) and not _exists(other, value, model):
            message = f'There is no resource type "{other}".'
            help_ = (
                suggest_similar(
                    other, [f"/{group.plural}/{kind}" for group in model.groups.values() for kind in group.resources]
                )
                or 'Write "/<group type>/<resource type>", both in the plural.'
            )
            yield Finding(MODEL_ERROR, (*path, "ximportresources", index), message, help_)
    resources = group.get("resources")
    for name, resource in resources.items() if isinstance(resources, Mapping) else ():
        if isinstance(resource, Mapping):
            yield from _check_resource(
                name, resource, builtin.resources.get(name) if builtin else None, (*path, "resources")
            )


def _check_resource(name: str, resource: Mapping[str, Any], builtin: Any, path: KeyPath) -> Iterator[Finding]:
    yield from _check_type_names(resource, builtin, name, (*path, name))
    if builtin is None:
        return
    for maps in ("attributes", "metaattributes", "resourceattributes"):
        yield from _check_redefinitions(resource.get(maps), getattr(builtin, maps), (*path, name, maps))
    for flag in ("maxversions", "hasdocument"):
        if flag in resource and resource[flag] != getattr(builtin, flag):
            message = f'"{flag}" of {name} is {getattr(builtin, flag)} and can\'t be changed.'
            yield Finding(MODEL_ERROR, (*path, name, flag), message, "Remove the line.")


def _check_type_names(value: Mapping[str, Any], builtin: Any, plural: str, path: KeyPath) -> Iterator[Finding]:
    if builtin is None and value.get("singular") is None:
        message = f'"{plural}" is a new type and must say its "singular" name.'
        singular = plural.removesuffix("s") if plural != plural.removesuffix("s") else "thing"
        yield Finding(MODEL_ERROR, path, message, f'Add, for example, "singular: {singular}".', on_key=True)
    if builtin is not None and value.get("singular", builtin.singular) != builtin.singular:
        message = f'The singular name of "{plural}" is "{builtin.singular}" and can\'t be changed.'
        yield Finding(MODEL_ERROR, (*path, "singular"), message, "Remove the line.")
    if value.get("plural", plural) != plural:
        message = f'The plural name is "{value["plural"]}", its key "{plural}".'
        yield Finding(MODEL_ERROR, (*path, "plural"), message, 'Remove "plural"; the key is the name.')


def _check_redefinitions(
    value: Any, attributes: Mapping[str, AttributeModel], path: KeyPath, taken: frozenset[str] = frozenset()
) -> Iterator[Finding]:
    """Yield what a model may not change of known attributes: their types, and their defaults, which are published.

    ``taken`` are the names of attributes that are there without the selector that the value depends on.
    """
    for name, definition in value.items() if isinstance(value, Mapping) else ():
        where = (*path, name)
        attribute = attributes.get(name) if name != "*" else None
        if attribute is None and name in taken:
            message = f'The specification defines "{name}" already, so a model can\'t define it for "{path[-4]}".'
            yield Finding(MODEL_ERROR, where, message, "Choose another name.", on_key=True)
            continue
        kind = definition.get("type") if isinstance(definition, Mapping) else definition
        if attribute is not None and kind in _TYPES and kind != attribute.type:
            message = f'The type of "{name}" is {attribute.type} and can\'t be changed to {kind}.'
            yield Finding(MODEL_ERROR, (*where, "type"), message, "Correct the type, or choose another name.")
        if not isinstance(definition, Mapping):
            continue
        if attribute is not None:
            default = definition.get("default", attribute.default)
            if repr(default) != repr(attribute.default):
                message = f'The specification defines "{name}", so a model can\'t give it a default.'
                yield Finding(MODEL_ERROR, (*where, "default"), message, "State the value in each file instead.")
            yield from _check_redefinitions(definition.get("attributes"), attribute.attributes, (*where, "attributes"))
        clauses = definition.get("ifvalues")
        for key, each in clauses.items() if isinstance(clauses, Mapping) else ():
            siblings = each.get("siblingattributes") if isinstance(each, Mapping) else None
            known = clause_of(attribute, str(key)) if attribute else NOTHING
            others = taken | _names_without(name, attributes)
            yield from _check_redefinitions(siblings, known, (*where, "ifvalues", key, "siblingattributes"), others)


def _names_without(selector: str, attributes: Mapping[str, AttributeModel]) -> frozenset[str]:
    """Return the names of attributes and of what their values add, but for what one selector adds."""
    others = (attribute for name, attribute in attributes.items() if name != selector)
    siblings = {name for attribute in others for each in attribute.ifvalues.values() for name in each}
    return frozenset(attributes.keys() | siblings) - {"*"}


def _exists(path: str, value: Mapping[str, Any], model: Model) -> bool:
    _, group, resource = path.split("/")
    builtin = model.groups.get(group)
    if builtin is not None and resource in builtin.resources:
        return True
    own: Any = value.get("groups")
    for part in (group, "resources", resource):
        own = own.get(part) if isinstance(own, Mapping) else None
    return isinstance(own, Mapping)
