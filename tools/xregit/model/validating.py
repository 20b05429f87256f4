"""A registry's own model, as its authors wrote it, against the model language: what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding
from xregit.model.building import attributes
from xregit.model.checking import check
from xregit.model.datatypes import CONTAINERS, DATATYPES, SYNTAXES, Datatype
from xregit.model.faults import guess
from xregit.model.hints import renamed
from xregit.model.language import NOTHING, AttributeModel, Model
from xregit.model.quoting import either
from xregit.model.reading import language_values

if TYPE_CHECKING:
    from xregit.keypaths import KeyPath

MODEL_ERROR, REQUIRED_TRUE, SCALAR_DEFAULT = "model-error", "model-required-true", "model-scalar-default"
MAX_DEPTH = 60
_TYPES = [*DATATYPES, *CONTAINERS]
_REFERENCES = frozenset({"uri", "uriabsolute", "urirelative", "url", "urlabsolute", "urlrelative", "xid"})


def model_findings(value: Mapping[str, Any], model: Model) -> list[Finding]:
    """Return what is wrong with a registry's own model; paths lead into it."""
    return [*_entity(value, "model", (), NOTHING), *_groups(value, model)]


@cache
def language(kind: str) -> Mapping[str, AttributeModel]:
    """Return what may be said of a model, group, resource, attribute, item or clause."""
    return attributes(language_values()[kind])


def _entity(value: Any, kind: str, path: KeyPath, given: Mapping[str, Any]) -> Iterator[Finding]:
    if not isinstance(value, Mapping):
        message = f'"{path[-1] if path else "model"}" must be a map.'
        yield Finding(MODEL_ERROR, path, message, 'Write "name: value" lines under it.')
    elif len(path) > MAX_DEPTH:
        yield Finding(MODEL_ERROR, path, "The model is nested too deeply.", "Use fewer levels.")
    else:
        findings = check(language(kind), value, given)
        yield from (replace(item, rule=MODEL_ERROR, path=(*path, *item.path)) for item in findings)
        faulty = {item.path for item in findings}
        for name, aspect in language(kind).items():
            if aspect.unwrap and value.get(name) is not None and (name,) not in faulty:
                yield from _NESTED[aspect.unwrap](value[name], (*path, name), value)


def _groups_of(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    for plural, group in value.items():
        # Whether a type exists already is seen later; its singular name may be left out then.
        yield from _entity(group, "group", (*path, plural), {"singular": plural})


def _resources_of(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    for plural, resource in value.items():
        yield from _entity(resource, "resource", (*path, plural), {"singular": plural})


def _definitions(value: Any, path: KeyPath, holder: Mapping[str, Any]) -> Iterator[Finding]:
    charset = SYNTAXES["extendedname" if holder.get("namecharset") == "extended" else "name"]
    for name, definition in value.items():
        where = (*path, name)
        if name != "*" and not charset.test(name):
            message = f'The name "{name}" must be {charset.about}.'
            yield Finding(MODEL_ERROR, where, message, renamed(name, charset.test), on_key=True)
        elif isinstance(definition, str):
            yield from _entity({"type": definition}, "attribute", where, NOTHING)
        else:
            yield from _attribute(name, definition, where)


def _attribute(name: str, value: Any, path: KeyPath) -> Iterator[Finding]:
    found = list(_entity(value, "attribute", path, NOTHING))
    yield from found
    if not found:
        for test in _ASPECTS:
            yield from (replace(item, path=(*path, *item.path)) for item in test(name, value))


def _item(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    found = list(_entity(value, "item", path, NOTHING))
    yield from found
    if not found:
        yield from (replace(item, path=(*path, *item.path)) for item in _parts("item", value))


def _clauses(value: Any, path: KeyPath, _holder: Mapping[str, Any]) -> Iterator[Finding]:
    for key, clause in value.items():
        if key.startswith("^"):
            message = f'A clause of ifvalues can\'t be for "{key}".'
            yield Finding(MODEL_ERROR, (*path, key), message, "Name one value of the attribute.", on_key=True)
        yield from _entity(clause, "clause", (*path, key), NOTHING)


_NESTED: Mapping[str, Callable[[Any, KeyPath, Mapping[str, Any]], Iterator[Finding]]] = {
    "groups": _groups_of,
    "resources": _resources_of,
    "definitions": _definitions,
    "item": _item,
    "clauses": _clauses,
}


def _naming(name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    if value.get("name", name) != name:
        message = f'The name is "{value["name"]}", but its key is "{name}".'
        yield Finding(MODEL_ERROR, ("name",), message, 'Remove "name"; the key is the name.')
    for aspect in ("ifvalues", "required", "readonly"):
        if name == "*" and value.get(aspect):
            message = f'"{aspect}" has no meaning for further attributes, "*".'
            yield Finding(MODEL_ERROR, (aspect,), message, "Remove it.", on_key=True)


def _parts(_name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    kind = value["type"]
    if kind in {"array", "map"} and not value.get("item"):
        message = f'"item" is missing: it says what the {kind} holds.'
        yield Finding(MODEL_ERROR, (), message, 'Add, for example, "item: {type: string}".', on_key=True)
    if kind not in {"array", "map"} and value.get("item"):
        yield _unfit("item", "arrays and maps", kind)
    if kind != "object" and value.get("attributes"):
        yield _unfit("attributes", "objects", kind)
    if kind not in _REFERENCES and value.get("target"):
        yield _unfit("target", "references (xid, uri, url)", kind)


def _unfit(aspect: str, about: str, kind: str) -> Finding:
    message = f'"{aspect}" is for {about}; the type is {kind}.'
    return Finding(MODEL_ERROR, (aspect,), message, "Remove it, or correct the type.", on_key=True)


def _values(_name: str, value: Mapping[str, Any]) -> Iterator[Finding]:
    kind, listed, default = value["type"], value.get("enum"), value.get("default")
    if kind in CONTAINERS or kind == "any":
        # The published models list the values of an array's items on the array.
        if listed and kind != "array":
            yield _unfit("enum", "single values", kind)
        if default is not None:
            message = f'"default" is for single values; the type is {kind}.'
            yield Finding(SCALAR_DEFAULT, ("default",), message, "Remove it.", on_key=True)
        if value.get("ifvalues"):
            yield _unfit("ifvalues", "single values", kind)
        return
    datatype = DATATYPES[kind]
    for index, choice in enumerate(listed or ()):
        if not datatype.test(choice):
            message = f"The value must be {datatype.about}, as the type says."
            yield Finding(MODEL_ERROR, ("enum", index), message, "Correct the value, or the type.")
    if default is not None:
        yield from _default(value, datatype)


def _default(value: Mapping[str, Any], datatype: Datatype) -> Iterator[Finding]:
    listed, default = value.get("enum"), value["default"]
    if not datatype.test(default):
        message = f"The default must be {datatype.about}, as the type says."
        yield Finding(MODEL_ERROR, ("default",), message, "Correct the default, or the type.")
    elif listed and value.get("strict", True) and default not in listed:
        message = "The default must be one of the values of enum."
        yield Finding(MODEL_ERROR, ("default",), message, f"It may be {either(listed)}.")
    elif not value.get("required"):
        message = "An attribute with a default is always there, so it must be required."
        yield Finding(REQUIRED_TRUE, ("default",), message, 'Add "required: true".', on_key=True)


_ASPECTS: tuple[Callable[[str, Mapping[str, Any]], Iterator[Finding]], ...] = (_naming, _parts, _values)


def _groups(value: Mapping[str, Any], model: Model) -> Iterator[Finding]:
    """Return what is wrong with group and resource types as part of the whole model."""
    own = value.get("groups")
    yield from _redefined(value.get("attributes"), model.attributes, ("attributes",))
    for plural, group in own.items() if isinstance(own, Mapping) else ():
        if isinstance(group, Mapping):
            yield from _group(plural, group, value, model)


def _group(plural: str, group: Mapping[str, Any], value: Mapping[str, Any], model: Model) -> Iterator[Finding]:
    known, path = model.groups.get(plural), ("groups", plural)
    yield from _identity(group, known, plural, path)
    if known is None and plural in model.attributes:
        message = f'A group type can\'t have the name "{plural}", which is an attribute of the registry.'
        yield Finding(MODEL_ERROR, path, message, "Give it another name.", on_key=True)
    if known is not None:
        yield from _redefined(group.get("attributes"), known.attributes, (*path, "attributes"))
    imported = group.get("ximportresources")
    for index, other in enumerate(imported if isinstance(imported, list) else ()):
        if SYNTAXES["imported"].test(other) and not _exists(other, value, model):
            message = f'There is no resource type "{other}".'
            help_ = guess(other, _resource_types(model)) or 'Write "/<group type>/<resource type>", both in the plural.'
            yield Finding(MODEL_ERROR, (*path, "ximportresources", index), message, help_)
    resources = group.get("resources")
    for name, resource in resources.items() if isinstance(resources, Mapping) else ():
        if isinstance(resource, Mapping):
            yield from _resource(name, resource, known.resources.get(name) if known else None, (*path, "resources"))


def _resource(name: str, resource: Mapping[str, Any], known: Any, path: KeyPath) -> Iterator[Finding]:
    yield from _identity(resource, known, name, (*path, name))
    if known is None:
        return
    for maps in ("attributes", "metaattributes", "resourceattributes"):
        yield from _redefined(resource.get(maps), getattr(known, maps), (*path, name, maps))
    for flag in ("maxversions", "hasdocument"):
        if flag in resource and resource[flag] != getattr(known, flag):
            message = f'"{flag}" of {name} is {getattr(known, flag)} and can\'t be changed.'
            yield Finding(MODEL_ERROR, (*path, name, flag), message, "Remove the line.")


def _identity(value: Mapping[str, Any], known: Any, plural: str, path: KeyPath) -> Iterator[Finding]:
    if known is None and value.get("singular") is None:
        message = f'"{plural}" is a new type and must say its "singular" name.'
        guessed = plural.removesuffix("s") if plural != plural.removesuffix("s") else "thing"
        yield Finding(MODEL_ERROR, path, message, f'Add, for example, "singular: {guessed}".', on_key=True)
    if known is not None and value.get("singular", known.singular) != known.singular:
        message = f'The singular name of "{plural}" is "{known.singular}" and can\'t be changed.'
        yield Finding(MODEL_ERROR, (*path, "singular"), message, "Remove the line.")
    if value.get("plural", plural) != plural:
        message = f'The plural name is "{value["plural"]}", its key "{plural}".'
        yield Finding(MODEL_ERROR, (*path, "plural"), message, 'Remove "plural"; the key is the name.')


def _redefined(value: Any, known: Mapping[str, AttributeModel], path: KeyPath) -> Iterator[Finding]:
    for name, definition in value.items() if isinstance(value, Mapping) else ():
        given = known.get(name)
        kind = definition.get("type") if isinstance(definition, Mapping) else definition
        if given is not None and name != "*" and kind in _TYPES and kind != given.type:
            message = f'The type of "{name}" is {given.type} and can\'t be changed to {kind}.'
            yield Finding(MODEL_ERROR, (*path, name, "type"), message, "Correct the type, or choose another name.")


def _resource_types(model: Model) -> list[str]:
    return [f"/{group.plural}/{plural}" for group in model.groups.values() for plural in group.resources]


def _exists(path: str, value: Mapping[str, Any], model: Model) -> bool:
    _, group, resource = path.split("/")
    known = model.groups.get(group)
    if known is not None and resource in known.resources:
        return True
    own: Any = value.get("groups")
    for part in (group, "resources", resource):
        own = own.get(part) if isinstance(own, Mapping) else None
    return isinstance(own, Mapping)
