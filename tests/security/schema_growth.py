"""Schemas of a given size that hold very much of one thing: each keyword of each language, with each kind of value.

The keywords come from the metaschemas and from the SDK, so that a new one is drawn, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from json_structure import SchemaValidator
from jsonschema_specifications import REGISTRY as METASCHEMAS  # type: ignore[import-untyped]

from tests.security.growth import GROUP, HEAD, MESSAGE, Contents, Grow, many, repeated

JSON_SCHEMA, AVRO, XSD, PROTOBUF, STRUCTURE = (
    "JsonSchema/draft/2020-12",
    "Avro/1.11.1",
    "XSD/1.1",
    "Protobuf/3",
    "JSONStructure",
)
ENDINGS = {JSON_SCHEMA: "json", AVRO: "avsc", XSD: "xsd", PROTOBUF: "proto", STRUCTURE: "json"}


def schema_versions(format_: str, text: Callable[[int, str], str]) -> Grow:
    """Return what makes a schema of two versions, each half as large, that differ in a name at their end."""

    def grow(size: int) -> Contents:
        folder, ending = "schemagroups/s/schemas/x", ENDINGS[format_]
        schema = f"format: {format_}\ncompatibility: full\n"
        return {
            **GROUP,
            MESSAGE: f"{HEAD}dataschemaformat: {format_}\ndataschemauri: /schemagroups/s/schemas/x\n".encode(),
            "schemagroups/s/schemagroup.yaml": b"name: S\n",
            f"{folder}/schema.yaml": schema.encode(),
            **{f"{folder}/versions/{n}.{ending}": text(size // 2, name).encode() for n, name in ((1, "x"), (2, "y"))},
        }

    return grow


# A value of each kind that a keyword of JSON Schema or of JSON Structure may have; `!` differs between the versions.
_JSON_VALUES: Mapping[str, Callable[[int, str], str]] = {
    "texts": lambda size, last: "[" + many('"a@"', size) + f', "{last}"]',
    "a text": lambda size, last: json.dumps("a" * size + last),
    "a pattern": lambda size, last: json.dumps("(a|b)?" * (size // 6) + last),
    "schemas": lambda size, last: "[" + many('{"const": @}', size) + f', {{"const": "{last}"}}]',
    "objects": lambda size, last: "[" + many('{"a": @}', size) + f', {{"{last}": 1}}]',
    "conditions": lambda size, last: "[" + many('{"required": ["a@"]}', size) + f', {{"required": ["{last}"]}}]',
    "patterns": lambda size, last: "[" + many('{"pattern": "^a@+b*$"}', size) + f', {{"pattern": "{last}"}}]',
    "counts": lambda size, last: "[" + many('{"pattern": "a{@}"}', size) + f', {{"pattern": "{last}"}}]',
    "classes": lambda size, last: "[" + many(r'{"pattern": "^\\p{L}{90}@"}', size) + f', {{"pattern": "{last}"}}]',
    "long texts": lambda size, last: (
        "[" + many('{"pattern": "((a*)*)*@", "minLength": 9999}', size) + f', {{"pattern": "{last}"}}]'
    ),
    "properties": lambda size, last: "{" + many('"a@": {"type": "string"}', size) + f', "{last}": {{"type": "null"}}}}',
    "names": lambda size, last: "{" + many('"a@": ["b@"]', size) + f', "{last}": ["a"]}}',
    "levels": lambda size, last: _levels(lambda inner: f'{{"properties": {{"a": {inner}}}}}', size, last),
    "levels of lists": lambda size, last: _levels(lambda inner: f'{{"items": {inner}}}', size, last),
    "levels of cases": lambda size, last: _levels(
        lambda inner: f'{{"anyOf": [{{"type": "null"}}, {inner}]}}', size, last
    ),
    "levels of all": lambda size, last: _levels(lambda inner: f'{{"allOf": [{{"minimum": 1}}, {inner}]}}', size, last),
    "levels of not": lambda size, last: _levels(lambda inner: f'{{"not": {inner}}}', size, last),
    "alternatives of alternatives": lambda size, last: (
        "["
        + ",".join(['{"oneOf": [' + many('{"required": ["a@"]}', size // 20) + "]}"] * 20)
        + f', {{"const": "{last}"}}]'
    ),
    "a number": lambda size, last: "9" * size + str(ord(last)),
    "references": lambda size, last: "[" + many('{"$ref": "#/$defs/d"}', size) + f', {{"const": "{last}"}}]',
}
_MAX_LEVELS = 90


def _levels(around: Callable[[str], str], size: int, last: str) -> str:
    """Return levels, as many as are read."""
    inner = f'{{"const": "{last}"}}'
    for _ in range(min(_MAX_LEVELS // 3, size // 30)):
        inner = around(inner)
    return inner


def json_schemas() -> Iterator[tuple[str, Grow]]:
    """Yield each keyword of the drafts with each kind of value, as it stands and beside the keywords around it."""
    for keyword in json_keywords():
        for kind, value in _JSON_VALUES.items():

            def text(size: int, last: str, keyword: str = keyword, value: Callable[[int, str], str] = value) -> str:
                return f'{{"$defs": {{"d": {{"type": "string"}}}}, "{keyword}": {value(size, last)}}}'

            yield f"{keyword}: {kind}", schema_versions(JSON_SCHEMA, text)


def json_keywords() -> list[str]:
    """Return the keywords of JSON Schema, as the metaschemas of the drafts have them."""
    keywords = (name for uri in METASCHEMAS for name in METASCHEMAS[uri].contents.get("properties", ()))
    return list(dict.fromkeys(keywords))


def structure_keywords() -> list[str]:
    """Return the keywords of JSON Structure, as its SDK has them."""
    tables = (value for name, value in sorted(vars(SchemaValidator).items()) if name.endswith("_KEYWORDS"))
    return list(dict.fromkeys(name for table in tables for name in sorted(table)))


def structures() -> Iterator[tuple[str, Grow]]:
    """Yield each keyword of JSON Structure with each kind of value."""
    for keyword in structure_keywords():
        for kind, value in _JSON_VALUES.items():

            def text(size: int, last: str, keyword: str = keyword, value: Callable[[int, str], str] = value) -> str:
                head = (
                    '"$schema": "https://json-structure.org/meta/core/v0/#", "$id": "https://a.example/a", "name": "A"'
                )
                type_ = "" if keyword == "type" else ', "type": "object"'
                return f'{{{head}{type_}, "{keyword}": {value(size, last)}}}'

            yield f"{keyword}: {kind}", schema_versions(STRUCTURE, text)


def _record(fields: str) -> str:
    return f'{{"type": "record", "name": "R", "fields": [{fields}]}}'


AVROS: Mapping[str, Callable[[int, str], str]] = {
    "fields": lambda size, last: _record(
        many('{"name": "a@", "type": "int"}', size) + f', {{"name": "{last}", "type": "int"}}'
    ),
    "fields with defaults": lambda size, last: _record(
        many('{"name": "a@", "type": "int", "default": 1}', size) + f', {{"name": "{last}", "type": "int"}}'
    ),
    "fields with aliases": lambda size, last: _record(
        many('{"name": "a@", "type": "int", "aliases": ["b@"]}', size) + f', {{"name": "{last}", "type": "int"}}'
    ),
    "aliases of a field": lambda size, last: _record(
        f'{{"name": "{last}", "type": "int", "aliases": [{many(_q("a@"), size)}]}}'
    ),
    "symbols": lambda size, last: f'{{"type": "enum", "name": "E", "symbols": [{many(_q("A@"), size)}, "{last}"]}}',
    "wrong symbols": lambda size, last: (
        f'{{"type": "enum", "name": "E", "symbols": [{many(_q("@"), size)}, "{last}"]}}'
    ),
    "the same symbol": lambda size, last: (
        f'{{"type": "enum", "name": "E", "symbols": [{many(_q("A"), size)}, "{last}"]}}'
    ),
    "an enum in a union": lambda size, last: (
        f'["null", {{"type": "enum", "name": "E", "symbols": [{many(_q("A@"), size)}, "{last}"]}}]'
    ),
    "an enum in many unions": lambda size, last: _record(
        f'{{"name": "e", "type": {{"type": "enum", "name": "E", "symbols": [{many(_q("A@"), size // 2)}, "{last}"]}}}},'
        + many('{"name": "a@", "type": ["null", "E"]}', size // 2)
    ),
    "a record in many unions": lambda size, last: _record(
        '{"name": "r", "type": {"type": "record", "name": "S", "fields": ['
        + many('{"name": "a@", "type": "int"}', size // 2)
        + f', {{"name": "{last}", "type": "int"}}]}}}},'
        + many('{"name": "a@", "type": ["null", "S"]}', size // 2)
    ),
    "defaults of an enum": lambda size, last: _record(
        f'{{"name": "e", "type": {{"type": "enum", "name": "E", "symbols": [{many(_q("A@"), size // 2)}, "{last}"]}}}},'
        f'{{"name": "f", "type": {{"type": "array", "items": "E"}}, "default": [{many(_q("A@"), size // 2)}]}}'
    ),
    "branches": lambda size, last: (
        "["
        + many('{"type": "fixed", "name": "A@", "size": 1}', size)
        + f', {{"type": "fixed", "name": "{last}", "size": 1}}]'
    ),
    "records in a union": lambda size, last: (
        "["
        + many('{"type": "record", "name": "A@", "fields": []}', size)
        + f', {{"type": "enum", "name": "{last}", "symbols": []}}]'
    ),
    "the same branch": lambda size, last: "[" + many('"int"', size) + f', "{last}"]',
    "names that nobody defines": lambda size, last: "[" + many('"A@"', size) + f', "{last}"]',
    "aliases of a type": lambda size, last: (
        f'{{"type": "fixed", "name": "{last}", "size": 1, "aliases": [{many(_q("a@"), size)}]}}'
    ),
    "a long name": lambda size, last: f'{{"type": "fixed", "name": "{"a" * size}{last}", "size": 1}}',
    "a long namespace": lambda size, last: f'{{"type": "fixed", "name": "{"a." * (size // 2)}{last}", "size": 1}}',
    "unknown members": lambda size, last: '{"type": "int", ' + many('"a@": 1', size) + f', "{last}": 1}}',
    "a doc": lambda size, last: f'{{"type": "fixed", "name": "{last}", "size": 1, "doc": "{"a" * size}"}}',
    "records that double": lambda size, last: _record(
        ",".join(
            f'{{"name": "f{n}", "type": {{"type": "record", "name": "R{n}", "fields": ['
            f'{{"name": "a", "type": ["null", "R"]}}, {{"name": "b", "type": ["null", "R{max(n - 1, 0)}"]}}]}}}}'
            for n in range(size // 130)
        )
        + f', {{"name": "{last}", "type": "int"}}'
    ),
    "defaults of a union that doubles": lambda size, last: _record(
        f'{{"name": "{last}", "type": {{"type": "array", "items": ["null", "int"]}}, "default": [{many("1", size)}]}}'
    ),
}


def _q(text: str) -> str:
    return f'"{text}"'


def _proto(body: str) -> str:
    return f'syntax = "proto3";\n{body}\n'


PROTOBUFS: Mapping[str, Callable[[int, str], str]] = {
    "messages": lambda size, last: _proto(repeated("message M@ { int32 a = 1; }\n", size) + f"message {last} {{}}"),
    "fields": lambda size, last: _proto(
        "message M {" + "".join(f"int32 a{n} = {n};\n" for n in range(1, size // 18)) + f"string {last} = 18000; }}"
    ),
    "fields of messages": lambda size, last: _proto(
        "message M {" + "".join(f"M a{n} = {n};\n" for n in range(1, size // 14)) + f"string {last} = 18000; }}"
    ),
    "messages in messages": lambda size, last: _proto(
        "".join(f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }}\n" for n in range(size // 40))
        + f"message M{size // 40} {{ int32 {last} = 1; }}"
    ),
    "values": lambda size, last: _proto(
        "enum E {"
        + "".join(f"A{n} = {n};" for n in range(size // 12))
        + f"{last} = 100000; }} message M {{ E e = 1; }}"
    ),
    "aliases of values": lambda size, last: _proto(
        "enum E { option allow_alias = true; " + repeated("A@ = 0;", size) + f"{last} = 1; }} message M {{ E e = 1; }}"
    ),
    "reserved numbers": lambda size, last: _proto(
        f"message M {{ reserved {', '.join(str(2 * n) for n in range(1, size // 7))}; int32 {last} = 1; }}"
    ),
    "reserved names": lambda size, last: _proto(f"message M {{ reserved {many(_q('a@'), size)}; int32 {last} = 1; }}"),
    "a oneof": lambda size, last: _proto(
        "message M { oneof o {"
        + "".join(f"int32 a{n} = {n};\n" for n in range(1, size // 18))
        + f"}} int32 {last} = 18000; }}"
    ),
    "oneofs": lambda size, last: _proto(
        "message M {"
        + "".join(f"oneof o{n} {{ int32 a{n} = {n}; }}\n" for n in range(1, size // 32))
        + f"int32 {last} = 18000; }}"
    ),
    "maps": lambda size, last: _proto(
        "message M {"
        + "".join(f"map<int32, M> a{n} = {n};\n" for n in range(1, size // 26))
        + f"int32 {last} = 18000; }}"
    ),
    "imports": lambda size, last: _proto(repeated('import "a@.proto";\n', size) + f"message {last} {{}}"),
    "options": lambda size, last: _proto(repeated("option (a@) = 1;\n", size) + f"message {last} {{}}"),
    "levels": lambda size, last: _proto("message A {" * (size // 12) + "}" * (size // 12) + f"message {last} {{}}"),
    "comments": lambda size, last: _proto(repeated("// a@\n", size) + f"message {last} {{}}"),
    "an open comment": lambda size, last: _proto("/*" * (size // 2) + last),
    "no grammar": lambda size, last: _proto(repeated("a@ b;\n", size) + last),
    "unknown types": lambda size, last: _proto(
        "message M {" + "".join(f"T{n} a{n} = {n};\n" for n in range(1, size // 18)) + f"string {last} = 18000; }}"
    ),
    "services": lambda size, last: _proto(
        "message M {} service S {" + repeated("rpc A@ (M) returns (M);", size) + f"}} message {last} {{}}"
    ),
}


def _xsd(inside: str, beside: str = "", last: str = "") -> str:
    return (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{beside}<xs:element name="r"><xs:complexType>{inside}'
        f'<xs:attribute name="{last}"/></xs:complexType></xs:element></xs:schema>'
    )


def _simple(facets: str, base: str = "xs:string") -> str:
    return f'<xs:simpleType name="T"><xs:restriction base="{base}">{facets}</xs:restriction></xs:simpleType>'


_USE = '<xs:sequence><xs:element name="e" type="T"/></xs:sequence>'
_GROUPS = ("sequence", "choice", "all")


def _in_group(group: str, piece: str) -> Callable[[int, str], str]:
    return lambda size, last: _xsd(f"<xs:{group}>{repeated(piece, size)}</xs:{group}>", "", last)


XSDS: Mapping[str, Callable[[int, str], str]] = {
    **{
        f"{group} of elements{occurs}": _in_group(group, f'<xs:element name="a@" type="xs:int"{occurs}/>')
        for group in _GROUPS
        for occurs in ("", ' minOccurs="0"', ' minOccurs="0" maxOccurs="9"')
        if group != "all" or "9" not in occurs
    },
    **{
        f"{group} of the same element": _in_group(group, '<xs:element name="a" type="xs:int"/>')
        for group in _GROUPS[:2]
    },
    **{f"{group} of wildcards": _in_group(group, '<xs:any namespace="urn:a@"/>') for group in _GROUPS},
    "elements at the top": lambda size, last: _xsd("", repeated('<xs:element name="a@" type="xs:int"/>', size), last),
    "types": lambda size, last: _xsd(
        "", repeated('<xs:complexType name="a@"><xs:sequence/></xs:complexType>', size), last
    ),
    "extended types": lambda size, last: _xsd(
        "",
        '<xs:complexType name="T0"/>'
        + "".join(
            f'<xs:complexType name="T{n + 1}"><xs:complexContent><xs:extension base="T{n}"><xs:attribute name="a{n}"/>'
            "</xs:extension></xs:complexContent></xs:complexType>"
            for n in range(size // 160)
        ),
        last,
    ),
    "attributes": lambda size, last: _xsd(repeated('<xs:attribute name="a@"/>', size), "", last),
    "attribute groups": lambda size, last: _xsd(
        "", repeated('<xs:attributeGroup name="a@"><xs:attribute name="b"/></xs:attributeGroup>', size), last
    ),
    "enumeration": lambda size, last: _xsd(
        _USE, _simple(repeated('<xs:enumeration value="a@"/>', size) + f'<xs:enumeration value="{last}"/>')
    ),
    "enumerated numbers": lambda size, last: _xsd(
        _USE,
        _simple(repeated('<xs:enumeration value="@"/>', size) + f'<xs:enumeration value="{ord(last)}"/>', "xs:decimal"),
    ),
    "patterns": lambda size, last: _xsd(
        _USE, _simple(repeated('<xs:pattern value="a@"/>', size) + f'<xs:pattern value="{last}"/>')
    ),
    "large patterns": lambda size, last: _xsd(
        _USE, _simple(repeated(r'<xs:pattern value="\p{L}{90}@"/>', size) + f'<xs:pattern value="{last}"/>')
    ),
    "a pattern": lambda size, last: _xsd(_USE, _simple(f'<xs:pattern value="{"(a|b)?" * (size // 6)}{last}"/>')),
    "restricted types": lambda size, last: _xsd(
        "",
        '<xs:simpleType name="T0"><xs:restriction base="xs:string"/></xs:simpleType>'
        + "".join(
            f'<xs:simpleType name="T{n + 1}"><xs:restriction base="T{n}"><xs:pattern value="a*"/></xs:restriction>'
            "</xs:simpleType>"
            for n in range(size // 110)
        ),
        last,
    ),
    "a union": lambda size, last: _xsd(
        _USE,
        f'<xs:simpleType name="T"><xs:union memberTypes="{"xs:int " * (size // 7)}xs:string"/></xs:simpleType>',
        last,
    ),
    "a union of types": lambda size, last: _xsd(
        _USE,
        '<xs:simpleType name="T"><xs:union>'
        + repeated(
            '<xs:simpleType><xs:restriction base="xs:int"><xs:length value="@"/></xs:restriction></xs:simpleType>',
            size,
        )
        + "</xs:union></xs:simpleType>",
        last,
    ),
    "substitutes": lambda size, last: _xsd(
        '<xs:sequence><xs:element ref="h"/></xs:sequence>',
        '<xs:element name="h"/>' + repeated('<xs:element name="a@" substitutionGroup="h"/>', size),
        last,
    ),
    "references": lambda size, last: _xsd(
        "<xs:choice>" + '<xs:element ref="h"/>' * (size // 21) + "</xs:choice>", '<xs:element name="h"/>', last
    ),
    "groups": lambda size, last: _xsd(
        '<xs:group ref="g0"/>',
        "".join(
            f'<xs:group name="g{n}"><xs:sequence><xs:group ref="g{n + 1}"/></xs:sequence></xs:group>'
            for n in range(size // 90)
        )
        + f'<xs:group name="g{size // 90}"><xs:sequence/></xs:group>',
        last,
    ),
    "levels": lambda size, last: _xsd(
        '<xs:sequence><xs:element name="a"><xs:complexType>' * (size // 100)
        + "</xs:complexType></xs:element></xs:sequence>" * (size // 100),
        "",
        last,
    ),
    "keys": lambda size, last: _xsd("", "", last).replace(
        "</xs:complexType></xs:element>",
        "</xs:complexType>"
        + repeated('<xs:unique name="u@"><xs:selector xpath="a"/><xs:field xpath="."/></xs:unique>', size)
        + "</xs:element>",
    ),
    "a path": lambda size, last: _xsd("", "", last).replace(
        "</xs:complexType></xs:element>",
        f'</xs:complexType><xs:unique name="u"><xs:selector xpath="{"a/" * (size // 2)}a"/>'
        '<xs:field xpath="."/></xs:unique></xs:element>',
    ),
    "assertions": lambda size, last: _xsd("", "", last).replace(
        "</xs:complexType>", repeated('<xs:assert test="@ = 1"/>', size) + "</xs:complexType>"
    ),
    "an assertion": lambda size, last: _xsd("", "", last).replace(
        "</xs:complexType>", f'<xs:assert test="{"1 + " * (size // 4)}1"/></xs:complexType>'
    ),
    "annotations": lambda size, last: _xsd(
        "", repeated("<xs:annotation><xs:documentation>a</xs:documentation></xs:annotation>", size), last
    ),
    "imports": lambda size, last: _xsd("", repeated('<xs:import namespace="urn:a@" schemaLocation="a@"/>', size), last),
    "includes": lambda size, last: _xsd("", repeated('<xs:include schemaLocation="a@"/>', size), last),
    "namespaces": lambda size, last: (
        _xsd("", "", last)
        .replace("<xs:schema ", f"<xs:schema {repeated('xmlns:a@=%urn:a@% ', size)}")
        .replace("%", '"')
    ),
    "attributes of XML": lambda size, last: (
        _xsd("", "", last).replace("<xs:schema ", f"<xs:schema {repeated('a@=%1% ', size)}").replace("%", '"')
    ),
    "comments": lambda size, last: _xsd("", repeated("<!-- a@ -->", size), last),
    "a text": lambda size, last: _xsd("", "a" * size, last),
    "open elements": lambda size, last: "<a>" * (size // 3) + last,
    "wrong elements": lambda size, last: _xsd("", repeated("<xs:a@/>", size), last),
    "wrong types": lambda size, last: _xsd("", repeated('<xs:element name="a@" type="b@"/>', size), last),
}


def keywords() -> Iterator[tuple[str, Grow]]:
    """Yield each keyword of JSON Schema and of JSON Structure with each kind of value."""
    yield from ((f"JSON Schema: {name}", grow) for name, grow in json_schemas())
    yield from ((f"JSON Structure: {name}", grow) for name, grow in structures())


def languages() -> Iterator[tuple[str, Grow]]:
    """Yield what there may be much of in a schema of another language."""
    for format_, table in ((AVRO, AVROS), (PROTOBUF, PROTOBUFS), (XSD, XSDS)):
        for name, text in table.items():
            yield f"{format_.partition('/')[0]}: {name}", schema_versions(format_, text)
