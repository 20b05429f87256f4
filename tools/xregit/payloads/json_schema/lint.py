"""A linter of JSON Schema: what a draft allows, and ignores or can never fulfil, so that nobody can mean it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeGuard

import jsonschema_rs

from xregit.json_pointer import KeyPath
from xregit.model.excerpts import cut, quote
from xregit.model.similarity import fold_name, is_misspelled, is_near
from xregit.payloads.json_schema.schema import Draft
from xregit.payloads.json_schema.subschemas import SAME_VALUE, subschemas

_FIRST, _LAST = "draft-03", "draft/2020-12"
_ORDER = ("draft-03", "draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12")
# By type, the keywords that say something about its values alone.
OF_TYPE: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy"}),
    "array": frozenset(
        {"items", "prefixItems", "additionalItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems"}
        | {"contains", "minContains", "maxContains"}
    ),
    "object": frozenset(
        {"properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"}
        | {"required", "minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas"}
    ),
}
# Keywords that not all drafts know, with the first and the last one that does.
_DRAFTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("disallow", "divisibleBy", "extends"), (_FIRST, _FIRST)),
    "dependencies": (_FIRST, "draft-07"),
    "additionalItems": (_FIRST, "draft/2019-09"),
    **dict.fromkeys(("multipleOf", "minProperties", "maxProperties"), ("draft-04", _LAST)),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "not"), ("draft-04", _LAST)),
    **dict.fromkeys(("const", "contains", "propertyNames"), ("draft-06", _LAST)),
    **dict.fromkeys(("if", "then", "else"), ("draft-07", _LAST)),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "minContains", "maxContains"), ("draft/2019-09", _LAST)),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), ("draft/2019-09", _LAST)),
    **dict.fromkeys(("$recursiveRef", "$recursiveAnchor"), ("draft/2019-09", "draft/2019-09")),
    **dict.fromkeys(("prefixItems", "$dynamicRef", "$dynamicAnchor"), (_LAST, _LAST)),
}
# What refuses values, and holds no schemas.
_SINGLE = OF_TYPE["string"] | OF_TYPE["number"] | {"minItems", "maxItems", "uniqueItems", "required"}
# What refuses values; all else describes, names or holds schemas for others.
ASSERTIONS = frozenset({"type", "enum", *_DRAFTS}).union(*OF_TYPE.values()) - {"$recursiveAnchor", "$dynamicAnchor"}
_OTHERS = frozenset(
    {"$schema", "$id", "id", "$ref", "$anchor", "$comment", "$vocabulary", "$defs", "definitions", "title"}
    | {"description", "default", "examples", "readOnly", "writeOnly", "deprecated", "format", "contentEncoding"}
    | {"contentMediaType", "contentSchema"}
)
KEYWORDS = ASSERTIONS | _OTHERS | _DRAFTS.keys()
# What other languages, or people, call a keyword, and what to do.
HABITS: Mapping[str, str] = {
    "nullable": 'write "type": ["{type}", "null"]',
    "optional": 'leave it out: what is not in "required" is optional',
    "mandatory": 'write the property\'s name into "required" of the object around it',
    "min": 'write "minimum" for numbers, "minLength" for texts or "minItems" for lists',
    "max": 'write "maximum" for numbers, "maxLength" for texts or "maxItems" for lists',
    "length": 'write "minLength" and "maxLength"',
    "requiredProperties": 'write "required"',
    "allowedValues": 'write "enum"',
    "regex": 'write "pattern"',
    "regexp": 'write "pattern"',
    "ref": 'write "$ref"',
    "$refs": 'write "$ref"',
}
#: Formats that the drafts and OpenAPI's registry of formats define.
FORMATS = frozenset(
    {"date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri"}
    | {"uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer"}
    | {"regex", "color", "style", "phone", "host-name", "ip-address", "utc-millisec", "int8", "int16", "int32"}
    | {"int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "decimal", "decimal128", "byte", "binary"}
    | {"password", "char", "base64url", "html", "media-range", "commonmark", "sf-string", "sf-token", "sf-binary"}
    | {"sf-boolean", "sf-decimal", "sf-integer", "single-quoted", "unixtime", "idn", "currency", "url", "guid"}
)
FORMAT_HABITS: Mapping[str, str] = {
    **dict.fromkeys(("datetime", "iso8601", "rfc3339", "date-time-iso", "timestamp"), "date-time"),
    "guid": "uuid",
    "url": "uri",
    "mail": "email",
    "ip": "ipv4",
    "yyyy-mm-dd": "date",
}
# Formats that are about texts, as those of numbers are about numbers.
TEXT_FORMATS = FORMATS - {"utc-millisec", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} - {
    *("float", "double", "decimal", "decimal128", "byte", "unixtime", "sf-boolean", "sf-decimal", "sf-integer"),
    "currency",
}  # fmt: skip


def is_known(keyword: str, draft: str) -> bool:
    """Return whether a keyword has a meaning in a draft, such as ``draft-07``."""
    first, last = _DRAFTS.get(keyword, (_FIRST, _LAST))
    return _ORDER.index(first) <= _ORDER.index(draft) <= _ORDER.index(last)


def drafts_of(keyword: str) -> str:
    """Return the drafts that know a keyword which not all of them do."""
    first, last = _DRAFTS[keyword]
    return (
        f"{first} and later" if last == _LAST and first != _LAST else first if first == last else f"{first} to {last}"
    )


# Where a doubt is, what it is about and what to do.
Doubt = tuple[KeyPath, str, str]

_BOUNDS = (
    *(("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")),
    *(("minProperties", "maxProperties"), ("minContains", "maxContains")),
)
_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
# With one of these, an array says what its items are, or another schema may.
_OF_ITEMS = frozenset({"items", "prefixItems", "contains", "unevaluatedItems", "maxItems", "const", "enum"}).union(
    SAME_VALUE, _REFERENCES
)
_EXTENSIONS = ("x-", "X-")
_SIBLINGS_COUNT = ("draft/2019-09", "draft/2020-12")
# With more pairs of names, looking for those that were meant takes too long.
_MAX_PAIRS = 40_000
# It describes, so nothing depends on it.
_OPENAPI_EXAMPLE = "example"
# Below these, a name that must be there may be one that nothing should have.
_CONDITIONS = frozenset({"not", "if"})
_DELIMITED = re.compile(r"/\^.*\$/[a-z]*", re.DOTALL)
_ESCAPED_TWICE = re.compile(r"(?<!\\)\\\\[dwsDWS](?=[+*?{\])$]|$)")


def doubts(root: Any, draft: Draft) -> Iterator[Doubt]:
    """Yield what is doubtful in a schema that its draft allows, from its top."""
    pending: list[tuple[KeyPath, Any, bool]] = [((), root, False)]
    while pending:
        path, schema, is_part = pending.pop()
        if not isinstance(schema, dict):
            continue
        for step, message, help_ in _doubts_of(schema, draft):
            yield (*path, *step), message, help_
        if not is_part:
            yield from _required_doubts(schema, path)
            if schema.get("type") == "array" and not _OF_ITEMS & schema.keys():
                yield path, 'the array has no "items", so they may be anything', 'write "items", or "items": {}'
        inner = [((*path, *step), item, keyword in SAME_VALUE) for keyword, step, item in subschemas(schema)]
        pending.extend(reversed(inner))


def _doubts_of(schema: dict[str, Any], draft: Draft) -> Iterator[Doubt]:
    """Yield what is doubtful in one schema, whatever is around it and inside it."""
    types = _types(schema)
    yield from _keyword_doubts(schema, draft.name)
    if "$ref" in schema and draft.name not in _SIBLINGS_COUNT:
        return
    yield from _type_doubts(schema, types)
    yield from _bound_doubts(schema)
    yield from _value_doubts(schema, types, draft)
    yield from _text_doubts(schema, types)
    properties = schema.get("properties")
    names: dict[str, str] = {}
    for name, value in properties.items() if isinstance(properties, dict) else ():
        other = names.setdefault(name.casefold(), name)
        if other != name:
            message = f'"{cut(name)}" and "{cut(other)}" differ only in case'
            yield ("properties", name), message, "remove one, or give it a name of its own"
        if isinstance(value, bool) and name in OF_TYPE["object"]:
            message = f'"{name}" counts as the name of a property here'
            yield ("properties", name), message, 'move it out of "properties", beside it'


def _keyword_doubts(schema: dict[str, Any], draft: str) -> Iterator[Doubt]:
    """Yield names that are no keywords but nearly, that another draft has, or that count for nothing beside others."""
    for name, value in schema.items():
        if name in KEYWORDS:
            if name in ASSERTIONS and not is_known(name, draft):
                message = f'{draft} has no "{name}", so it is ignored'
                yield (
                    (name,),
                    message,
                    f"write what {draft} has for it, or state a draft that has it: {drafts_of(name)}",
                )
        elif name in HABITS:
            if value is False or (name == "nullable" and "null" in _types(schema)):
                continue
            help_ = HABITS[name].format(type=next(iter(_types(schema)), "string"))
            yield (name,), f'JSON Schema has no "{name}", so it is ignored', help_
        elif near := _nearest_keyword(name, schema):
            yield (name,), f'JSON Schema has no "{cut(name)}", so it is ignored', f'did you mean "{near}"'
        elif _is_property(value) and "properties" in schema and not name.startswith(_EXTENSIONS):
            message = f'the property "{cut(name)}" stands beside "properties", so it is ignored'
            yield (name,), message, 'move it into "properties"'
    if "$ref" in schema and draft not in _SIBLINGS_COUNT:
        names = [name for name in schema if name in ASSERTIONS - {"type"} and is_known(name, draft)]
        if names:
            message = f'{draft} ignores all that stands beside "$ref", such as "{names[0]}"'
            yield (names[0],), message, 'write both into "allOf", as a list of two schemas'


def _is_property(value: Any) -> bool:
    """Return whether the value of an unknown keyword is a schema, so that it seems to be the one of a property."""
    type_ = value.get("type") if isinstance(value, dict) else None
    return isinstance(type_, str) and type_ in _PYTHON_TYPES


def _nearest_keyword(name: str, schema: dict[str, Any]) -> str:
    if name.startswith(_EXTENSIONS) or name == _OPENAPI_EXAMPLE or len(name) > max(map(len, KEYWORDS)) + 1:
        return ""
    length = len(fold_name(name))
    choices = (keyword for keyword in KEYWORDS if abs(len(keyword) - length) <= 1 and keyword not in schema)
    near = [keyword for keyword in choices if is_near(name, keyword)]
    return min(near, key=lambda keyword: (fold_name(keyword) != fold_name(name), keyword), default="")


def _types(schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema states, none where it states none, or one by a schema as draft-03 may."""
    type_ = schema.get("type")
    types = tuple(type_) if isinstance(type_, list) else (type_,)
    return types if all(isinstance(item, str) and item in _PYTHON_TYPES for item in types) else ()


def _type_doubts(schema: dict[str, Any], types: tuple[str, ...]) -> Iterator[Doubt]:
    """Yield the keywords about values of a type that the values don't have."""
    for type_, keywords in OF_TYPE.items() if types else ():
        if type_ in types or (type_ == "number" and "integer" in types):
            continue
        for name in schema:
            if name in keywords:
                message = f'"{name}" is about values of type {type_}, but the type is {" or ".join(types)}'
                yield (name,), message, f'remove it, or write "type": "{type_}"'
                break


def _bound_doubts(schema: dict[str, Any]) -> Iterator[Doubt]:
    for low, high in _BOUNDS:
        least, most = schema.get(low), schema.get(high)
        if is_number(least) and is_number(most) and least > most:
            message = f'no value is valid: "{low}" is {least}, but "{high}" is {most}'
            yield (low,), message, "exchange the two, or correct one"


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a number, which in Python true and false are too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def frozen(value: Any) -> Hashable:
    """Return what is equal for two values that are equal as JSON, and not for others; 1 is 1.0, and not true."""
    if isinstance(value, dict):
        return frozenset((name, frozen(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(map(frozen, value))
    return (bool, value) if isinstance(value, bool) else value


def _value_doubts(schema: dict[str, Any], types: tuple[str, ...], draft: Draft) -> Iterator[Doubt]:
    """Yield values in the schema that it doesn't accept itself."""
    expected = " or ".join(types)
    lists = {name: schema[name] for name in ("enum", "examples") if isinstance(schema.get(name), list)}
    values: list[tuple[KeyPath, Any]] = [((name,), schema[name]) for name in ("const", "default") if name in schema]
    values += [((name, index), item) for name, items in lists.items() for index, item in enumerate(items)]
    others = []
    for path, value in values:
        if types and not any(_has_type(value, type_) for type_ in types):
            message = f'{quote(value)} in "{path[0]}" is not of type {expected}'
            yield path, message, f"write a value of type {expected}, or correct the type"
        elif path[0] != "enum" and not (path[0] == "default" and isinstance(value, dict)):  # one that is filled in
            others.append((path, value))
    yield from _refused_values(schema, draft, others)
    texts: set[str] = set()
    for path, value in values:
        if path[0] != "enum" or not isinstance(value, str):
            continue
        if value in texts:
            yield path, f'{quote(value)} is in "enum" twice', "remove one"
        elif value.strip() not in {value, ""}:
            yield path, f"{quote(value)} has spaces around it, which are part of the value", "remove the spaces"
        texts.add(value)


def _refused_values(schema: dict[str, Any], draft: Draft, values: list[tuple[KeyPath, Any]]) -> Iterator[Doubt]:
    """Yield the values that a keyword refuses which holds no schemas; their types are right."""
    keywords = {name: schema[name] for name in _SINGLE if name in schema}
    if not values or draft.name == _FIRST:
        return
    enum = schema.get("enum")
    listed = {frozen(item) for item in enum} if isinstance(enum, list) else None
    try:
        linear = jsonschema_rs.RegexOptions()
        validator = jsonschema_rs.validator_for(
            {"$schema": draft.uri, **keywords}, pattern_options=linear, offline=True
        )
    except jsonschema_rs.ValidationError:  # a pattern that needs backtracking, and so perhaps very long
        return
    for path, value in values:
        error = next(validator.iter_errors(value), None)
        keyword = error.schema_path[0] if error else "" if listed is None or frozen(value) in listed else "enum"
        if keyword:
            message = f'{quote(value)} in "{path[0]}" is refused by "{keyword}"'
            yield path, message, "write a value that the schema accepts, or correct the schema"


def _has_type(value: Any, type_: str) -> bool:
    if isinstance(value, bool):
        return type_ == "boolean"
    return isinstance(value, _PYTHON_TYPES[type_]) or (
        type_ == "integer" and isinstance(value, float) and value % 1 == 0
    )


def _text_doubts(schema: dict[str, Any], types: tuple[str, ...]) -> Iterator[Doubt]:
    """Yield patterns and formats that are nearly others."""
    tables = schema.get("patternProperties")
    patterns: list[tuple[KeyPath, Any]] = [(("pattern",), schema.get("pattern"))]
    patterns += [(("patternProperties", name), name) for name in (tables if isinstance(tables, dict) else ())]
    for path, pattern in patterns:
        if isinstance(pattern, str) and _DELIMITED.fullmatch(pattern):
            yield path, f"{quote(pattern)} has slashes around it, so no text matches", "remove the slashes"
        elif isinstance(pattern, str) and _ESCAPED_TWICE.search(pattern):
            yield path, f"{quote(pattern)} asks for a backslash in the text", "halve the number of backslashes"
    format_ = schema.get("format")
    if not isinstance(format_, str):
        return
    if format_ in TEXT_FORMATS and types and "string" not in types and "object" not in types:
        message = f'the format "{format_}" is about texts, but the type is {" or ".join(types)}'
        yield ("format",), message, 'write "type": "string", or remove the format'
    elif format_ not in FORMATS and "string" in types:
        meant = FORMAT_HABITS.get(format_.casefold()) or next(
            (item for item in sorted(FORMATS) if is_misspelled(format_, item)), ""
        )
        if meant:
            yield ("format",), f'unknown format "{cut(format_)}"', f'did you mean "{meant}"'


def _required_doubts(schema: dict[str, Any], path: KeyPath) -> Iterator[Doubt]:
    """Yield names that must be there, but that no property has; other schemas about the same value may have them."""
    parts = list(_parts(schema, ()))
    names = {name for _, part in parts if isinstance(part.get("properties"), dict) for name in part["properties"]}
    if not names:
        return
    is_open = any(not part.keys().isdisjoint((*_REFERENCES, "patternProperties")) for _, part in parts)
    required_count = sum(len(part["required"]) for _, part in parts if isinstance(part.get("required"), list))
    is_comparable = len(names) * required_count <= _MAX_PAIRS
    is_open = is_open or any(part.get("additionalProperties", False) is not False for _, part in parts)
    for step, part in parts:
        if not _CONDITIONS.isdisjoint(step):
            continue
        required = part.get("required")
        for index, name in enumerate(required if isinstance(required, list) else ()):
            if not isinstance(name, str) or name in names:
                continue
            near = next((other for other in names if is_misspelled(name, other)), "") if is_comparable else ""
            if near or not is_open:
                help_ = f'did you mean "{near}"' if near else 'describe it in "properties", or remove it'
                yield (
                    (*path, *step, "required", index),
                    f'"{cut(name)}" is required, but no property has that name',
                    help_,
                )


def _parts(schema: dict[str, Any], path: KeyPath) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """Yield a schema and those inside it that are about the same value, with their paths."""
    pending = [(path, schema)]
    while pending:
        at, part = pending.pop()
        yield at, part
        for keyword, step, item in subschemas(part):
            if keyword in SAME_VALUE and isinstance(item, dict):
                pending.append(((*at, *step), item))
