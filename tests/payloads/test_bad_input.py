"""Hostile documents and payloads: an answer within bounded time, no crash, and nothing is opened or fetched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from json import dumps
from typing import Any

import pytest

from tests.sizes import sample, some
from tests.steps import at_most
from xregit.payloads import PayloadSchema, SchemaError, parse
from xregit.payloads.base import MAX_IN_A_ROW, Document
from xregit.payloads.compatibility import compare_documents

# Without bounds it would be billions.
MAX_STEPS = 30_000_000
XSD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{}</xs:schema>'
PATTERN = (
    '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="{}"/>'
    "</xs:restriction></xs:simpleType></xs:element>"
)
STRUCTURE = (
    '{"$schema": "https://json-structure.org/meta/extended/v0/#", "$id": "https://example.com/a", "name": "A", '
    '"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}'
)
BRANCHING = (
    '{"anyOf": [{"$ref": "#/definitions/b"}, {"$ref": "#/definitions/c"}], "definitions": {'
    '"b": {"properties": {"a": {"$ref": "#"}}, "required": ["b"]},'
    '"c": {"properties": {"a": {"$ref": "#"}}, "required": ["c"]}}}'
)
SCHEMAS: dict[str, tuple[str, str]] = {
    "JsonSchema": (
        "JsonSchema/draft-07",
        '{"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}',
    ),
    "lookahead": ("JsonSchema/draft-07", '{"properties": {"a": {"pattern": "^(a|aa)+(?!b)$"}}}'),
    "recursive": ("JsonSchema/draft-07", '{"properties": {"a": {"$ref": "#"}}}'),
    "branching": ("JsonSchema/draft-07", BRANCHING),
    "JsonStructure": ("JsonStructure/draft-02", STRUCTURE),
    "Avro": ("Avro", '{"type": "record", "name": "L", "fields": [{"name": "n", "type": ["null", "L"]}]}'),
    "Avro nulls": ("Avro", '{"type": "array", "items": "null"}'),
    "Avro JSON": ("Avro", '{"type": "map", "values": {"type": "long", "logicalType": "timestamp-millis"}}'),
    "Protobuf": ("Protobuf/3", 'syntax = "proto3"; message A { A next = 1; string s = 2; }'),
    "XSD": ("XSD/1.0", XSD.format(PATTERN.format("(a+)+"))),
}
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
BODIES: dict[str, bytes] = {
    "braces": b"{" * 2**20,
    "brackets": b"[" * 2**20,
    "somewhat deep": b'{"a":' * 90 + b"1" + b"}" * 90,
    "hardly deep": b'{"a":' * 9 + b"1" + b"}" * 9,
    "deep": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "backtracking": b'{"a": "' + b"a" * 50_000 + b'!"}',
    "backtracking in XML": b"<a>" + b"a" * 50_000 + b"!</a>",
    "long integer": b'{"a": ' + b"9" * 2**20 + b"}",
    "beyond 64 bits": b'{"a": 123456789012345678901234567890}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "bad UTF-8": b'{"a": "\xff"}',
    "surrogate": b'{"a": "\\ud800"}',
    "nothing": b"",
    "NUL": b"\0" * 1000,
    "linked list": b"\x02" * 2**20,
    "many nulls": b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f",
    "nested messages": b"\x0a\x7f" * 100_000,
    "laughs": f'<!DOCTYPE a [<!ENTITY e0 "ha">{ENTITIES}]><a>&e9;</a>'.encode(),
    "external entity": b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
    "external DTD": b'<!DOCTYPE a SYSTEM "http://example.com/a.dtd"><a>a</a>',
    "schema location": b'<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    b'xsi:noNamespaceSchemaLocation="http://example.com/a.xsd">aaa</a>',
    "deep XML": b"<a>" * 100_000,
    "attributes": b"<a " + b" ".join(b'x%d=""' % n for n in range(50_000)) + b"/>",
}
DEFINITIONS = (
    ", ".join(
        f'"d{n}": {{"allOf": [{{"$ref": "#/definitions/d{n + 1}"}}, {{"not": {{"$ref": "#/definitions/d{n + 1}"}}}}]}}'
        for n in range(40)
    )
    + ', "d40": {}'
)
BOMBS: dict[str, tuple[str, str]] = {
    "references": (
        "JsonSchema/draft-07",
        f'{{"$ref": "#/definitions/d0", "definitions": {{{DEFINITIONS}, "d40": {{}}}}}}',
    ),
    "references in a row": (
        "JsonSchema/draft-07",
        dumps(
            {"$ref": "#/$defs/0", "$defs": {f"{n}": {"$ref": f"#/$defs/{n + 1}"} for n in range(5_000)} | {"5000": {}}}
        ),
    ),
    "deep JSON": ("JsonSchema/draft-07", '{"not":' * 100_000),
    "deep Avro": ("Avro", '{"type":"array","items":' * 5_000 + '"int"' + "}" * 5_000),
    "deep Protobuf": ("Protobuf/3", "message A {" * 100_000),
    "deep option": ("Protobuf/3", "option a = {" + "b: {" * 100_000),
    "deep XSD": ("XSD/1.0", "<xs:schema>" * 100_000),
    "laughs": ("XSD/1.0", f'<!DOCTYPE a [<!ENTITY e0 "ha">{ENTITIES}]><a>&e9;</a>'),
    "pattern": ("JsonSchema/draft-07", '{"pattern": "(a{1000}){1000}"}'),
    "id that is no URI": ("JsonSchema/draft-07", '{"$id": "http://[::1", "$ref": "http://[::1"}'),
    "numbers reserved again and again": (
        "Protobuf/3",
        f'syntax = "proto3"; message A {{ {"reserved /*;*/ 1;" * 8_000} }}',
    ),
    "import that is no URI": ("Protobuf/3", 'syntax = "proto3"; import "http://[::1";'),
    "location that is no URI": ("XSD/1.0", XSD.format('<xs:include schemaLocation="http://[::1"/>')),
    "field number of 10,000 digits": ("Protobuf/3", f'syntax = "proto3"; message A {{ int32 a = 0x{"f" * 10_000}; }}'),
    "date of a year that no calendar has": (
        "XSD/1.0",
        XSD.format('<xs:element name="a" type="xs:date" default="-99999999999-01-01"/>'),
    ),
    "duration without end": (
        "XSD/1.0",
        XSD.format(f'<xs:element name="a" type="xs:duration" default="P{"9" * 30}Y"/>'),
    ),
}

STRUCTURE_HEAD = {
    "$schema": "https://json-structure.org/meta/extended/v0/#",
    "$id": "https://example.com/a",
    "name": "A",
}
XSD_TYPE = '<xs:simpleType name="t{}"><xs:restriction base="{}"/></xs:simpleType>'


def row(language_: str, length: int) -> tuple[str, str]:
    """Return a document with so many types in a row, each of which builds on the next."""
    if language_ == "XSD":
        types = [XSD_TYPE.format(n, f"t{n + 1}") for n in range(length)] + [XSD_TYPE.format(length, "xs:string")]
        return "XSD/1.0", XSD.format("".join(['<xs:element name="a" type="t0"/>', *types]))
    if language_ == "JsonSchema":
        rows = {f"{n}": {"$ref": f"#/$defs/{n + 1}"} for n in range(length)} | {f"{length}": {}}
        return "JsonSchema/draft-07", dumps({"$ref": "#/$defs/0", "$defs": rows})
    bases = {f"T{n}": {"$extends": f"#/definitions/T{n + 1}"} for n in range(length)} | {f"T{length}": {}}
    named = {name: {"name": name, "type": "object", "properties": {name: {"type": "string"}}} for name in bases}
    types_ = {name: {**named[name], **base} for name, base in bases.items()}
    return "JsonStructure/draft-02", dumps({**STRUCTURE_HEAD, "$root": "#/definitions/T0", "definitions": types_})


_watching: list[list[str]] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event in {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "urllib.Request"}:
        _watching[-1].append(f"{event} {arguments!r}")
    if _watching and event == "open" and str(arguments[0]).endswith(("passwd", ".dtd", ".xsd")):
        _watching[-1].append(f"{event} {arguments[0]}")


sys.addaudithook(_audit)


@contextmanager
def bounded() -> Iterator[None]:
    """Run something that must take few steps and must not reach out."""
    _watching.append([])
    try:
        with at_most(MAX_STEPS):
            yield
    finally:
        seen = _watching.pop()
    assert seen == []


@pytest.fixture(scope="module", autouse=True)
def _languages() -> None:
    """Load what reads each language, which may open schemas of its own."""
    for format_, document in SCHEMAS.values():
        parse(format_, document.encode())


@pytest.fixture(scope="module", params=SCHEMAS)
def schema(request: pytest.FixtureRequest) -> PayloadSchema:
    """Return each of the schemas that hostile payloads meet."""
    format_, document = SCHEMAS[request.param]
    return parse(format_, document.encode())


@pytest.mark.parametrize("name", sample([*BODIES]))
@pytest.mark.parametrize("contenttype", ["", "application/json"])
def test_hostile_payload_is_answered_in_bounded_time(schema: PayloadSchema, name: str, contenttype: str) -> None:
    """Whatever arrives, validation says in bounded time whether it is a payload, without opening anything."""
    with bounded():
        result = schema.validate(BODIES[name], contenttype)
    assert sum(map(len, result)) < 20_000


@pytest.mark.parametrize("name", BOMBS)
def test_hostile_document_is_refused_in_bounded_time(name: str) -> None:
    """A document that would take ages, or the process with it, is an error."""
    format_, document = BOMBS[name]
    with bounded(), pytest.raises(SchemaError):
        parse(format_, document.encode())


@pytest.mark.parametrize("length", sample([1_000, 3_000]))
@pytest.mark.parametrize("language_", ["JsonSchema", "JsonStructure", "XSD"])
def test_too_many_types_in_a_row_are_refused_in_our_words(language_: str, length: int) -> None:
    """What Python says of calls within calls helps nobody; how many may stand in a row is told, and may stand there."""
    format_, document = row(language_, length)
    with bounded(), pytest.raises(SchemaError, match="lead too far, from each to the next") as caught:
        parse(format_, document.encode())
    assert caught.value.problems[0].help == f"let no more than {MAX_IN_A_ROW} stand in one row"
    format_, document = row(language_, MAX_IN_A_ROW)
    assert parse(format_, document.encode()).example() is not None


def test_messages_that_hold_each_other_are_compared_in_bounded_time() -> None:
    """Each of many messages leads to all others; what differs is told of the message where it does."""
    count = some(3_000)
    with bounded():
        result = compare_documents(*(Document("Protobuf/3", circle(count, kind)) for kind in ("int32", "string")))
    assert [f"A{n}: c" for n in range(count)] == [verdict.where for verdict in result.verdicts]


def circle(length: int, kind: str) -> bytes:
    """Return messages of which each leads to all others, with a field of a type."""
    line = "message A{n} {{ A{next} a = 1; A{far} b = 2; {kind} c = 3; }}"
    lines = (line.format(n=n, next=(n + 1) % length, far=(n * 7 + 3) % length, kind=kind) for n in range(length))
    return "\n".join(['syntax = "proto3";', *lines]).encode()


def test_pattern_that_nothing_can_match_quickly_is_said() -> None:
    """An XML pattern too large for linear matching makes the schema one that can't be used, and that is said."""
    with bounded(), pytest.raises(SchemaError, match="bounded time"):
        parse("XSD/1.0", XSD.format(PATTERN.format("((a{1000}){1000}){1000}")).encode())


def test_what_is_wrong_with_a_long_value_is_said() -> None:
    """Of a long value some is left out, of the fault nothing."""
    schema = parse("JsonSchema/draft-07", b'{"properties": {"a": {"pattern": "^x$"}}}')
    (problem,) = schema.validate(b'{"a": "' + b"a" * 50_000 + b'"}')
    assert problem.startswith('/a: "aaa')
    assert problem.endswith('aaa" does not match "^x$"')
    assert len(problem) < 400


@pytest.mark.parametrize(("body", "contenttype"), [(b"\x08", ""), (b'{"x": 1}', "application/json")])
def test_what_is_wrong_is_one_line(body: bytes, contenttype: str) -> None:
    """What the library of Protocol Buffers says in several lines is told in one."""
    (problem,) = parse(SCHEMAS["Protobuf"][0], SCHEMAS["Protobuf"][1].encode()).validate(body, contenttype)
    assert '"A"' in problem
    assert "\n" not in problem
    assert not problem.endswith(".")
