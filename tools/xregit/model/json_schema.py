"""JSON Schemas of a `Model`, with which editors complete and check YAML: one for each kind of file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from xregit.model.aliases import names
from xregit.model.datatypes import (
    CONTAINERS,
    DATATYPES,
    PLACEHOLDER,
    PROPERTY_TYPES,
    SYNTAXES,
    Datatype,
    property_syntax,
)
from xregit.model.extension import language_attributes
from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel, type_label

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ENDING = ".schema.json"


def json_schemas(
    model: Model,
    implied: Mapping[str, str] = MappingProxyType({}),
    rules: Iterable[str] = (),
    waivable: Iterable[str] = (),
) -> dict[str, Schema]:
    """Return the JSON Schemas by file name: ``message.schema.json`` is for the files of messages, and so on.

    ``implied`` is what selectors such as ``envelope`` have in every file of a resource that states none: an editor sees
    one file, and not the group that says so. ``rules`` are the names of rules that settings may be about, and
    ``waivable`` those that waivers may, if known.
    """
    settings = _list_rules(object_schema(model.settings), sorted(rules))
    waivers = _list_rules(object_schema(model.waivers), sorted(waivable))
    schemas = {
        f"registry{ENDING}": _file("registry.yaml: the registry itself", object_schema(model.attributes)),
        f"xregit{ENDING}": _file("xregit.yaml: settings of the tool", settings),
        f"waivers{ENDING}": _file("waivers.yaml: intended breaks that are accepted", waivers),
        f"model{ENDING}": _model_file(),
    }
    names = _file_names(model)
    for group in model.groups.values():
        schemas[f"{group.singular}{ENDING}"] = _group_schema(group, names)
        for kind in group.resources.values():
            schemas[names[kind]] = _resource_schema(kind, implied)
    return schemas


def _list_rules(schema: Any, rules: list[str]) -> Any:
    """Return a schema in which what must be the name of a rule lists them, so that editors offer no others."""
    if isinstance(schema, list):
        return [_list_rules(item, rules) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if rules and schema.get("pattern") == SYNTAXES["rulename"].schema["pattern"]:
        return {"enum": rules}
    return {name: _list_rules(item, rules) for name, item in schema.items()}


def _file_names(model: Model) -> Mapping[ResourceModel, str]:
    """Return each resource type's file name: its singular name, after its group's where several types share it."""
    used = {"registry", "xregit", "waivers", "model", *(group.singular for group in model.groups.values())}
    names: dict[ResourceModel, str] = {}
    for group in model.groups.values():
        for kind in group.resources.values():
            if kind not in names:
                name = kind.singular if kind.singular not in used else f"{group.singular}.{kind.singular}"
                used.add(name)
                names[kind] = name + ENDING
    return names


def _file(title: str, schema: Schema, **definitions: Schema) -> Schema:
    shared = {
        **definitions,
        "propertyvalue": _property_values(_TYPES),
        "propertytext": _property_values(_TYPES - {"symbol"}),
    }
    used = {name: shared[name] for name in shared if name in definitions or _refers(schema, f"#/$defs/{name}")}
    return {"$schema": DIALECT, "title": title, **schema, **({"$defs": used} if used else {})}


def _refers(schema: Any, reference: str) -> bool:
    if isinstance(schema, dict):
        return schema.get("$ref") == reference or any(_refers(item, reference) for item in schema.values())
    return isinstance(schema, list) and any(_refers(item, reference) for item in schema)


_TYPES = frozenset(PROPERTY_TYPES) - {"any"}


def _property_values(types: frozenset[str]) -> Schema:
    """Return what a property definition's value must be for each type that it may state."""
    return {
        "allOf": [
            {
                "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
                "then": {"properties": {"value": attribute_schema(AttributeModel("", type="any", property=name))}},
            }
            for name in sorted(types)
        ]
    }


def _group_schema(group: GroupModel, names: Mapping[ResourceModel, str]) -> Schema:
    schema = object_schema(group.attributes)
    for plural, kind in group.resources.items():
        inline = {"type": "object", "propertyNames": SYNTAXES["id"].schema}
        inline["additionalProperties"] = {"$ref": names[kind]}
        inline["description"] = f"The {plural} of this {type_label(group.singular)}, by their ids."
        schema["properties"][plural] = inline
    return _file(f"{group.singular}.yaml: {_language_definition(group)}", schema)


def _resource_schema(kind: ResourceModel, implied: Mapping[str, str]) -> Schema:
    """The attributes of a version, of the meta entity and of the resource stand side by side in its file."""
    schema = object_schema({**kind.resourceattributes, **kind.metaattributes, **kind.attributes})
    required = schema.pop("required", [])
    # What is required may come from a base message, from versions, or from the entity that this is an alias of.
    elsewhere = [{"required": [name]} for name in ("versions", "meta", "xref", "basemessage")]
    requirements = [{"if": {"not": {"anyOf": elsewhere}}, "then": {"required": required}}] if required else []
    clauses = [_implied_attributes(kind.attributes[name], implied[name]) for name in implied if name in kind.attributes]
    if conditions := [*schema.get("allOf", ()), *clauses, *requirements]:
        schema["allOf"] = conditions
    version = {"type": "object", "properties": property_schemas(kind.attributes)}
    schema["properties"]["versions"] = {
        "type": "object",
        "description": "The versions by their ids, where there are several.",
        "propertyNames": SYNTAXES["versionid"].schema,
        "additionalProperties": {**version, "additionalProperties": "*" in kind.attributes},
    }
    schema["properties"]["meta"] = {
        "type": "object",
        "description": "What holds for all versions. It may stand beside this as well.",
        "properties": property_schemas(kind.metaattributes),
        "additionalProperties": "*" in kind.metaattributes,
    }
    return _file(f"{kind.singular}.yaml: {_language_definition(kind)}", schema)


def _implied_attributes(selector: AttributeModel, value: str) -> Schema:
    """Return what holds where a selector isn't stated; nothing is due then, as the entity may have no such thing."""
    added = {name: attribute_schema(item) for name, item in selector.ifvalues[value].items()}
    return {"if": {"not": {"required": [selector.name]}}, "then": {"properties": added}}


def _language_definition(kind: GroupModel | ResourceModel) -> str:
    return kind.description or f"a {type_label(kind.singular)}"


def _model_file() -> Schema:
    """The model language, whose definitions of attributes nest without end."""
    attribute = {**_language_object("attribute"), "description": "An attribute; a text alone is its type."}
    types = language_attributes("attribute")["type"]
    shorthand = {"enum": list(types.enum), "description": types.description}
    return _file(
        "model.yaml: extension attributes and further types",
        _language_object("model"),
        group=_language_object("group"),
        resource=_language_object("resource"),
        attribute={"anyOf": [attribute, shorthand]},
        item=_language_object("item"),
        clause=_language_object("clause"),
    )


def _language_object(kind: str) -> Schema:
    attributes = language_attributes(kind)
    schema = object_schema(attributes)
    if kind in {"group", "resource"}:
        del schema["required"]  # types that exist already need not say their singular name again
    for name, aspect in attributes.items():
        if aspect.unwrap:
            schema["properties"][name] = {"description": aspect.description, **_NESTED[aspect.unwrap]}
    return schema


def _map_of(name: str, pattern: str = "") -> Schema:
    schema: Schema = {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{name}"}}
    return {**schema, "propertyNames": {"pattern": pattern}} if pattern else schema


_NAMES = f"^\\*$|{SYNTAXES['name'].schema['pattern']}|{SYNTAXES['extendedname'].schema['pattern']}"
_NESTED: Mapping[str, Schema] = {
    "groups": _map_of("group", SYNTAXES["plural"].schema["pattern"]),
    "resources": _map_of("resource", SYNTAXES["plural"].schema["pattern"]),
    "definitions": _map_of("attribute", _NAMES),
    "item": {"$ref": "#/$defs/item"},
    "clauses": _map_of("clause", "^[^^]"),
}


Attributes = Mapping[str, AttributeModel]

#: What YAML takes for a number or boolean though a text is meant, by the JSON type that it becomes.
_SAMPLES = {"integer": ("1", "200"), "number": ("1.5",), "boolean": ("true",)}
PLACEHOLDER_SCHEMA: Schema = {"type": "string", "pattern": PLACEHOLDER.pattern}


def object_schema(attributes: Attributes) -> Schema:
    """Return the schema of an object with these attributes."""
    schema: Schema = {"type": "object", "properties": property_schemas(attributes)}
    required = [item.name for item in attributes.values() if _is_required(item)]
    if required:
        schema["required"] = required
    conditions = [condition for item in attributes.values() for condition in _conditions(item)]
    if conditions:
        schema["allOf"] = conditions
    further = attributes.get("*")
    schema["additionalProperties"] = attribute_schema(further) if further else False
    return schema


def property_schemas(attributes: Attributes) -> Schema:
    """Return the schemas of the attributes by name; one that only a selector may add has just its description."""
    added = {
        name: {"description": sibling.description} if sibling.description else {}
        for item in attributes.values()
        for clause in item.ifvalues.values()
        for name, sibling in clause.items()
    }
    return {**{name: attribute_schema(item) for name, item in attributes.items() if name != "*"}, **added}


def _is_required(attribute: AttributeModel) -> bool:
    return attribute.required and attribute.default is None and not attribute.inheritable


def _conditions(selector: AttributeModel) -> Iterable[Schema]:
    """Yield what each value of a selector adds, and what any other value adds."""
    patterns = {key: _spellings(selector, key) for key in selector.ifvalues if key != "*"}
    for key, clause in selector.ifvalues.items():
        condition: Schema = {"not": {"anyOf": list(patterns.values())}} if key == "*" else patterns[key]
        then: Schema = {"properties": {name: attribute_schema(item) for name, item in clause.items()}}
        required = [item.name for item in clause.values() if _is_required(item)]
        if required:
            then["required"] = required
        yield {"if": {"properties": {selector.name: condition}, "required": [selector.name]}, "then": then}


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


def attribute_schema(attribute: AttributeModel) -> Schema:
    """Return the schema of an attribute's value."""
    if attribute.property:
        schema = _property_definition(attribute)
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
    choices = attribute.enum or (tuple(names(attribute.names)) if attribute.names else ())
    if choices:
        # Listing what is usual lets editors offer it, though anything else of the right form will do.
        parts.append({"anyOf": [{"enum": list(choices)}, {}]})
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
    values = list(choices)
    return values + [float(choice) for choice in values if isinstance(choice, str) and _is_decimal(choice)]


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


def _object_value(attribute: AttributeModel) -> Schema:
    schema = object_schema(attribute.attributes)
    if "*" in attribute.attributes:
        charset = attribute.keys or ("extendedname" if attribute.namecharset == "extended" else "name")
        schema["propertyNames"] = {"pattern": SYNTAXES[charset].schema["pattern"]}
    if attribute.unwrap:
        nested = {"type": "object", "additionalProperties": {"type": "object"}}
        schema["properties"][attribute.unwrap] = {"anyOf": [schema["additionalProperties"], nested]}
    return schema


def _map_value(attribute: AttributeModel) -> Schema:
    keys = SYNTAXES[attribute.keys or "extendedname"].schema["pattern"]
    values = attribute_schema(attribute.item) if attribute.item else {}
    return {"type": "object", "propertyNames": {"pattern": keys}, "additionalProperties": values}


def _array_value(attribute: AttributeModel) -> Schema:
    item = attribute_schema(attribute.item) if attribute.item else {}
    schema: Schema = {"type": "array", "items": item}
    if attribute.syntax == "nonempty":
        schema["minItems"] = 1
    if attribute.fold == "item":
        return {"anyOf": [schema, item]}
    if attribute.fold == "pairs":
        pair = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "object"]}}
        return {"anyOf": [schema, pair]}
    return schema


_CONTAINERS = {"object": _object_value, "map": _map_value, "array": _array_value}


def _property_definition(attribute: AttributeModel) -> Schema:
    """Return the schema of a property definition, or of a bare value where that may stand instead."""
    value = _property_value(attribute)
    if not attribute.attributes:
        return value
    definition = object_schema(attribute.attributes)
    if not attribute.forms:
        value_schema = definition["properties"]["value"]
        definition["properties"]["value"] = {**value_schema, **_narrower(attribute, attribute.syntax)}
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
        form = _narrower(attribute, property_syntax(attribute, kind))
        if form:
            condition = {"properties": {"type": {"const": kind}}, "required": ["type"]}
            yield {"if": condition, "then": {"properties": {"value": form}}}


def _property_value(attribute: AttributeModel) -> Schema:
    native = "string" if attribute.syntax and attribute.property == "symbol" else attribute.property
    if attribute.enum:
        return {"enum": [*attribute.enum, *map(str, attribute.enum)]}
    form = _narrower(attribute, property_syntax(attribute, attribute.property))
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
