"""The keywords of JSON Schema: in which drafts each has a meaning, and which values it is about."""

from __future__ import annotations

from collections.abc import Mapping

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
