"""Attributes to the JSON Schema of an object that has them: types, narrower forms, members, what a selector adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from xregit.model.datatypes import CONTAINERS, DATATYPES, PLACEHOLDER, PROPERTY_TYPES, SYNTAXES, Datatype
from xregit.model.language import AttributeModel
from xregit.model.names import names
from xregit.model.propertydefs import form_of

Schema = dict[str, Any]
Attributes = Mapping[str, AttributeModel]

#: What YAML takes for a number or boolean though a text is meant, by the JSON type that it becomes.
_SAMPLES = {"integer": ("1", "200"), "number": ("1.5",), "boolean": ("true",)}
PLACEHOLDER_SCHEMA: Schema = {"type": "string", "pattern": PLACEHOLDER.pattern}


def document(attributes: Attributes) -> Schema:
    """Return the schema of an object with these attributes."""
    schema: Schema = {"type": "object", "properties": properties(attributes)}
    required = [item.name for item in attributes.values() if _is_due(item)]
    if required:
        schema["required"] = required
    conditions = [condition for item in attributes.values() for condition in _conditions(item)]
    if conditions:
        schema["allOf"] = conditions
    further = attributes.get("*")
    schema["additionalProperties"] = schema_of(further) if further else False
    return schema


def properties(attributes: Attributes) -> Schema:
    """Return the schemas of the attributes by name; one that only a selector may add has just its description."""
    added = {
        name: {"description": sibling.description} if sibling.description else {}
        for item in attributes.values()
        for clause in item.ifvalues.values()
        for name, sibling in clause.items()
    }
    return {**{name: schema_of(item) for name, item in attributes.items() if name != "*"}, **added}


def _is_due(attribute: AttributeModel) -> bool:
    return attribute.required and attribute.default is None and not attribute.inheritable


def _conditions(selector: AttributeModel) -> Iterable[Schema]:
    """Yield what each value of a selector adds, and what any other value adds."""
    patterns = {key: _spellings(selector, key) for key in selector.ifvalues if key != "*"}
    for key, clause in selector.ifvalues.items():
        chosen: Schema = {"not": {"anyOf": list(patterns.values())}} if key == "*" else patterns[key]
        then: Schema = {"properties": {name: schema_of(item) for name, item in clause.items()}}
        required = [item.name for item in clause.values() if _is_due(item)]
        if required:
            then["required"] = required
        yield {"if": {"properties": {selector.name: chosen}, "required": [selector.name]}, "then": then}


def _spellings(selector: AttributeModel, key: str) -> Schema:
    """Return the schema of every spelling of a clause's key: its aliases, in any case, or the value it names."""
    if selector.type == "boolean":
        return {"const": key.casefold() == "true"}
    if DATATYPES[selector.type].schema.get("type") in {"integer", "number"}:
        return {"const": float(key)} if _is_number(key) else {"not": {}}
    name = names(selector.names).get(key) if selector.names else None
    spellings = [key, *name.aliases] if name else [key]
    pattern = "|".join(_any_case(spelling) for spelling in spellings)
    versions = "(?:/.*)?" if name and name.versions == "any" else ""
    return {"pattern": f"^(?:{pattern}){versions}$"} if "" not in spellings else {}


def _any_case(text: str) -> str:
    return "".join(f"[{c.upper()}{c.lower()}]" if c.isalpha() else re.escape(c) for c in text).replace("\\ ", " ")


def schema_of(attribute: AttributeModel) -> Schema:
    """Return the schema of an attribute's value."""
    if attribute.property:
        schema = _property(attribute)
    elif attribute.type in CONTAINERS:
        schema = _CONTAINERS[attribute.type](attribute)
    else:
        schema = _scalar(attribute)
    about = {"description": attribute.description} if attribute.description else {}
    if attribute.default is not None:
        about["default"] = attribute.default
    return {**about, **schema}


def _scalar(attribute: AttributeModel) -> Schema:
    if attribute.enum and attribute.strict:
        return {"enum": _choices(attribute.enum)}
    parts = [_lenient(DATATYPES[attribute.type])]
    if attribute.syntax:
        parts.append(_lenient(SYNTAXES[attribute.syntax]))
    if attribute.syntax == "nonempty":
        parts[-1] = {"minLength": 1, "minItems": 1}
    if attribute.targets or (attribute.target and attribute.type != "xid"):
        parts.append(_reference(attribute))
    listed = attribute.enum or (tuple(names(attribute.names)) if attribute.names else ())
    if listed:
        # Listing what is usual lets editors offer it, though anything else of the right form will do.
        parts.append({"anyOf": [{"enum": list(listed)}, {}]})
    return _all(parts)


def _all(parts: list[Schema]) -> Schema:
    filled = [part for part in parts if part]
    merged: Schema = {}
    for part in filled:
        if merged.keys() & part.keys():
            return {"allOf": filled}
        merged.update(part)
    return merged


def _choices(choices: Iterable[Any]) -> list[Any]:
    """Return the choices, and for text that YAML reads as a number that number too."""
    listed = list(choices)
    return listed + [float(choice) for choice in listed if isinstance(choice, str) and _is_decimal(choice)]


_is_number = re.compile(r"-?[0-9]+(?:\.[0-9]+)?").fullmatch
_is_decimal = re.compile("[0-9]+\\.[0-9]+").fullmatch


def _lenient(datatype: Datatype) -> Schema:
    """Return a data type's schema that lets through what becomes text of the right form when read."""
    schema = dict(datatype.schema)
    if schema.get("type") == "string":
        others = [kind for kind, samples in _SAMPLES.items() if any(map(datatype.test, samples))]
        schema["type"] = ["string", *others] if others else "string"
    return schema


def _reference(attribute: AttributeModel) -> Schema:
    identifier = "[A-Za-z0-9_][A-Za-z0-9_.\\-~:@]*"
    paths = []
    for target in attribute.targets or (attribute.target,):
        kinds = target.removesuffix("[/versions]").removesuffix("/versions").strip("/").split("/")
        path = "".join(f"/{kind}/{identifier}" for kind in kinds)
        version = f"/versions/{identifier}"
        paths.append(path + (f"(?:{version})?" if target.endswith("]") else version if "/versions" in target else ""))
    elsewhere = "|#/.*|[A-Za-z][A-Za-z0-9+.\\-]*:.+" if attribute.type != "xid" else ""
    return {"type": "string", "pattern": f"^(?:{'|'.join(paths)}{elsewhere})$"}


def _object(attribute: AttributeModel) -> Schema:
    schema = document(attribute.attributes)
    if "*" in attribute.attributes:
        charset = attribute.keys or ("extendedname" if attribute.namecharset == "extended" else "name")
        schema["propertyNames"] = {"pattern": SYNTAXES[charset].schema["pattern"]}
    if attribute.unwrap:
        nested = {"type": "object", "additionalProperties": {"type": "object"}}
        schema["properties"][attribute.unwrap] = {"anyOf": [schema["additionalProperties"], nested]}
    return schema


def _map(attribute: AttributeModel) -> Schema:
    keys = SYNTAXES[attribute.keys or "extendedname"].schema["pattern"]
    values = schema_of(attribute.item) if attribute.item else {}
    return {"type": "object", "propertyNames": {"pattern": keys}, "additionalProperties": values}


def _array(attribute: AttributeModel) -> Schema:
    item = schema_of(attribute.item) if attribute.item else {}
    schema: Schema = {"type": "array", "items": item}
    if attribute.syntax == "nonempty":
        schema["minItems"] = 1
    if attribute.fold == "item":
        return {"anyOf": [schema, item]}
    if attribute.fold == "pairs":
        pair = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "object"]}}
        return {"anyOf": [schema, pair]}
    return schema


_CONTAINERS = {"object": _object, "map": _map, "array": _array}


def _property(attribute: AttributeModel) -> Schema:
    """Return the schema of a property definition, or of a bare value where that may stand instead."""
    value = _property_value(attribute)
    if not attribute.attributes:
        return value
    definition = document(attribute.attributes)
    if not attribute.forms:
        held = definition["properties"]["value"]
        definition["properties"]["value"] = {**held, **_narrower(attribute, attribute.syntax)}
    media = attribute.syntax and attribute.property == "symbol"
    by_type = {"$ref": f"#/$defs/{'propertytext' if media else 'propertyvalue'}"}
    native = {"if": {"not": {"required": ["type"]}}, "then": {"properties": {"value": value}}}
    definition["allOf"] = [by_type, native, *_by_form(attribute)]
    if attribute.type == "object":
        return definition
    return {"anyOf": [definition, {**value, "not": {"type": ["object", "array"]}}]}


def _by_form(attribute: AttributeModel) -> Iterable[Schema]:
    """Yield, for each type that the property may state, the form that its value must have then."""
    for kind in attribute.attributes["type"].enum if attribute.forms else ():
        form = _narrower(attribute, form_of(attribute, kind))
        if form:
            stated = {"properties": {"type": {"const": kind}}, "required": ["type"]}
            yield {"if": stated, "then": {"properties": {"value": form}}}


def _property_value(attribute: AttributeModel) -> Schema:
    native = "string" if attribute.syntax and attribute.property == "symbol" else attribute.property
    if attribute.enum:
        return {"enum": [*attribute.enum, *map(str, attribute.enum)]}
    form = _narrower(attribute, form_of(attribute, attribute.property))
    return _all([_lenient(PROPERTY_TYPES[native]), form])


def _narrower(attribute: AttributeModel, syntax: str) -> Schema:
    """Return the schema of a property's narrower form, which text with placeholders need not have yet."""
    if attribute.enum:
        return {"anyOf": [{"enum": [*attribute.enum, *map(str, attribute.enum)]}, PLACEHOLDER_SCHEMA]}
    if not syntax:
        return {}
    if syntax == "nonempty":
        return {"minLength": 1}
    form = _lenient(SYNTAXES[syntax])
    numbers = [{"type": "string", "pattern": "^-?[0-9]+$"}] if form.get("type") == "integer" else []
    return {"anyOf": [form, PLACEHOLDER_SCHEMA, *numbers]}
