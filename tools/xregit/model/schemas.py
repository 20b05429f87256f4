"""A `Model` to the JSON Schemas with which editors complete and check YAML, one for each kind of file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from xregit.model.aspects import document, properties, schema_of
from xregit.model.datatypes import PROPERTY_TYPES, SYNTAXES
from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel
from xregit.model.validating import language

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
    settings = _listing(document(model.settings), sorted(rules))
    waivers = _listing(document(model.waivers), sorted(waivable))
    schemas = {
        f"registry{ENDING}": _file("registry.yaml: the registry itself", document(model.attributes)),
        f"xregit{ENDING}": _file("xregit.yaml: settings of the tool", settings),
        f"waivers{ENDING}": _file("waivers.yaml: intended breaks that are let through", waivers),
        f"model{ENDING}": _model(),
    }
    names = _names(model)
    for group in model.groups.values():
        schemas[f"{group.singular}{ENDING}"] = _group(group, names)
        for kind in group.resources.values():
            schemas[names[kind]] = _resource(kind, implied)
    return schemas


def _listing(schema: Any, rules: list[str]) -> Any:
    """Return a schema in which what must be the name of a rule lists them, so that editors offer no others."""
    if isinstance(schema, list):
        return [_listing(item, rules) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if rules and schema.get("pattern") == SYNTAXES["rulename"].schema["pattern"]:
        return {"enum": rules}
    return {name: _listing(item, rules) for name, item in schema.items()}


def _names(model: Model) -> Mapping[ResourceModel, str]:
    """Return each resource type's file name: its singular name, after its group's where several types share it."""
    taken = {"registry", "xregit", "waivers", "model", *(group.singular for group in model.groups.values())}
    names: dict[ResourceModel, str] = {}
    for group in model.groups.values():
        for kind in group.resources.values():
            if kind not in names:
                name = kind.singular if kind.singular not in taken else f"{group.singular}.{kind.singular}"
                taken.add(name)
                names[kind] = name + ENDING
    return names


def _file(title: str, schema: Schema, **definitions: Schema) -> Schema:
    shared = {**definitions, "propertyvalue": _by_type(_TYPES), "propertytext": _by_type(_TYPES - {"symbol"})}
    used = {name: shared[name] for name in shared if name in definitions or _refers(schema, f"#/$defs/{name}")}
    return {"$schema": DIALECT, "title": title, **schema, **({"$defs": used} if used else {})}


def _refers(schema: Any, reference: str) -> bool:
    if isinstance(schema, dict):
        return schema.get("$ref") == reference or any(_refers(item, reference) for item in schema.values())
    return isinstance(schema, list) and any(_refers(item, reference) for item in schema)


_TYPES = frozenset(PROPERTY_TYPES) - {"any"}


def _by_type(types: frozenset[str]) -> Schema:
    """Return what a property definition's value must be for each type that it may state."""
    return {
        "allOf": [
            {
                "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
                "then": {"properties": {"value": schema_of(AttributeModel("", type="any", property=name))}},
            }
            for name in sorted(types)
        ]
    }


def _group(group: GroupModel, names: Mapping[ResourceModel, str]) -> Schema:
    schema = document(group.attributes)
    for plural, kind in group.resources.items():
        inline = {"type": "object", "propertyNames": SYNTAXES["id"].schema}
        inline["additionalProperties"] = {"$ref": names[kind]}
        inline["description"] = f"The {plural} of this {group.singular}, by their ids."
        schema["properties"][plural] = inline
    return _file(f"{group.singular}.yaml: {_about(group)}", schema)


def _resource(kind: ResourceModel, implied: Mapping[str, str]) -> Schema:
    """The attributes of a version, of the meta entity and of the resource stand side by side in its file."""
    schema = document({**kind.resourceattributes, **kind.metaattributes, **kind.attributes})
    required = schema.pop("required", [])
    # What is required may come from a base message, from versions, or from the entity that this is an alias of.
    elsewhere = [{"required": [name]} for name in ("versions", "meta", "xref", "basemessage")]
    due = [{"if": {"not": {"anyOf": elsewhere}}, "then": {"required": required}}] if required else []
    clauses = [_implied(kind.attributes[name], implied[name]) for name in implied if name in kind.attributes]
    if conditions := [*schema.get("allOf", ()), *clauses, *due]:
        schema["allOf"] = conditions
    version = {"type": "object", "properties": properties(kind.attributes)}
    schema["properties"]["versions"] = {
        "type": "object",
        "description": "The versions by their ids, where there are several.",
        "propertyNames": SYNTAXES["versionid"].schema,
        "additionalProperties": {**version, "additionalProperties": "*" in kind.attributes},
    }
    schema["properties"]["meta"] = {
        "type": "object",
        "description": "What holds for all versions. It may stand beside this as well.",
        "properties": properties(kind.metaattributes),
        "additionalProperties": "*" in kind.metaattributes,
    }
    return _file(f"{kind.singular}.yaml: {_about(kind)}", schema)


def _implied(selector: AttributeModel, value: str) -> Schema:
    """Return what holds where a selector isn't stated; nothing is due then, as the entity may have no such thing."""
    added = {name: schema_of(item) for name, item in selector.ifvalues[value].items()}
    return {"if": {"not": {"required": [selector.name]}}, "then": {"properties": added}}


def _about(kind: GroupModel | ResourceModel) -> str:
    return kind.description or f"a {kind.singular}"


def _model() -> Schema:
    """The model language, whose definitions of attributes nest without end."""
    attribute = {**_language("attribute"), "description": "An attribute; a text alone is its type."}
    types = language("attribute")["type"]
    shorthand = {"enum": list(types.enum), "description": types.description}
    return _file(
        "model.yaml: extension attributes and further types",
        _language("model"),
        group=_language("group"),
        resource=_language("resource"),
        attribute={"anyOf": [attribute, shorthand]},
        item=_language("item"),
        clause=_language("clause"),
    )


def _language(kind: str) -> Schema:
    attributes = language(kind)
    schema = document(attributes)
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
