"""Readers of schema documents, of payloads by a schema, and of two schemas that are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from xregit.payloads import PayloadError, PayloadSchema, SchemaError, parse, problems
from xregit.payloads.compatibility import compatible

CASES = Path(__file__).parents[1] / "payloads" / "cases"
PAIRS = Path(__file__).parents[1] / "cases" / "compatibility"
FORMATS = {
    "JsonSchema": "JsonSchema/draft-07",
    "Avro": "Avro/1.11.1",
    "Protobuf": "Protobuf/3",
    "XSD": "XSD/1.0",
    "JsonStructure": "JsonStructure/draft-02",
}
LANGUAGES = tuple(FORMATS)
BODIES = (b"{}", b"[]", b'"a"', b"1", b"null", b"", b"\x02a", b"\x08\x01", b"<a/>", b'{"a": 1, "b": "x"}')


def reader(language: str) -> Callable[[bytes], None]:
    """Return the reader of documents of a language."""

    def read(data: bytes) -> None:
        """Read a schema: it has fields and perhaps an example, which it accepts, and judges any payload."""
        stated = FORMATS[language]
        with suppress(SchemaError):
            problems(stated, data)
        try:
            schema = parse(stated, data)
        except SchemaError:
            return
        schema.fields()
        with suppress(PayloadError):
            assert schema.validate(schema.encode(schema.example())) == ()
        for body in BODIES:
            schema.validate(body)
            _decoded(schema, body, "")

    return read


def payload(data: bytes) -> None:
    """Read a payload by the schema that its first byte selects, in the encoding that the second does."""
    number, kind, body = (data[0], data[1], data[2:]) if len(data) > 1 else (0, 0, b"")
    schemas = _schemas()
    schema = schemas[number % len(schemas)]
    contenttype = ("", "application/json")[kind % 2]
    result = schema.validate(body, contenttype)
    assert sum(map(len, result)) < 20_000
    if _decoded(schema, body, contenttype) is None and not result:
        raise AssertionError(body, "is valid, but can't be decoded")


def compared(data: bytes) -> None:
    """Compare two schemas, with a line of dashes between them, in the language that the first byte selects."""
    language = LANGUAGES[data[0] % len(LANGUAGES)] if data else LANGUAGES[0]
    before, _, after = data[1:].partition(b"\n---\n")
    with suppress(SchemaError):
        compatible(FORMATS[language], before, after)


def seeds(language: str) -> Callable[[], Iterator[bytes]]:
    """Return what gives the documents of a language's cases."""

    def given() -> Iterator[bytes]:
        for case in _cases(language):
            yield case["document"].encode()

    return given


def payload_seeds() -> Iterator[bytes]:
    """Give valid payloads, each with the number of its schema."""
    number = 0
    for language in LANGUAGES:
        for case in _cases(language):
            for text in case.get("valid", ()):
                yield bytes([number % 256, "contenttype" in case]) + text.encode()
            for digits in case.get("valid_hex", ()):
                yield bytes([number % 256, 0]) + bytes.fromhex(digits)
            number += 1


def compared_seeds() -> Iterator[bytes]:
    """Give the pairs of the cases of compatibility."""
    for number, language in enumerate(LANGUAGES):
        page = yaml.safe_load((PAIRS / f"{language.lower()}.yaml").read_text(encoding="utf-8"))
        for case in page["cases"]:
            frame = case.get("frame", page.get("frame", "@"))
            pair = [frame.replace("@", str(case[side])) for side in ("before", "after")]
            yield bytes([number]) + "\n---\n".join(pair).encode()


def _decoded(schema: PayloadSchema, body: bytes, contenttype: str) -> list[Any] | None:
    try:
        return [schema.decode(body, contenttype)]
    except PayloadError:
        return None


@cache
def _schemas() -> tuple[PayloadSchema, ...]:
    every = (case for language in LANGUAGES for case in _cases(language))
    return tuple(parse(case["format"], case["document"].encode(), fragment=case.get("fragment", "")) for case in every)


@cache
def _cases(language: str) -> tuple[dict[str, Any], ...]:
    return tuple(yaml.safe_load((CASES / f"{language.lower()}.yaml").read_text(encoding="utf-8")))
