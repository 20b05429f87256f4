"""Every language: what a document accepts and refuses, its example, and its table of fields, as cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from xregit.payloads import Field, PayloadError, PayloadSchema, parse

FOLDER = Path(__file__).parent / "cases"


def cases() -> Iterator[Any]:
    """Give all cases of all languages."""
    for file in sorted(FOLDER.glob("*.yaml")):
        for case in yaml.safe_load(file.read_text(encoding="utf-8")):
            yield pytest.param(case, id=f"{file.stem}: {case['title']}")


every_case = pytest.mark.parametrize("case", list(cases()))


def schema_of(case: dict[str, Any]) -> PayloadSchema:
    """Return the schema that a case describes."""
    return parse(case["format"], case["document"].encode(), fragment=case.get("fragment", ""))


def lines(fields: tuple[Field, ...], indent: str = "") -> Iterator[str]:
    """Write fields as lines, which are easier to compare and to review."""
    for field in fields:
        size = f"({field.precision}, {field.scale})" if field.precision else ""
        other = field.native and field.native.split("-")[0] not in {field.type, ""}
        native = f" ({field.native})" if other or "-" in field.native else ""
        marks = [name for name in ("required", "nullable", "recursive") if getattr(field, name)]
        values = f" = {' | '.join(map(str, field.values))}" if field.values else ""
        values += f" ({'; '.join(field.limits)})" if field.limits else ""
        said = f" -- {field.description}" if field.description else ""
        yield f"{indent}{field.name}: {', '.join([field.type + size + native, *marks])}{values}{said}"
        yield from lines(field.fields, indent + "  ")


@every_case
def test_payloads_are_accepted_and_refused(case: dict[str, Any]) -> None:
    """What is valid is accepted and decoded, what isn't is refused with a reason and by an error that lists it."""
    schema, kind = schema_of(case), case.get("contenttype", "")
    for body in bodies(case, "valid"):
        assert schema.validate(body, kind) == ()
        schema.decode(body, kind)
    for body in bodies(case, "invalid"):
        problems = schema.validate(body, kind)
        assert problems
        assert all(0 < len(problem) < 500 for problem in problems)


def bodies(case: dict[str, Any], name: str) -> list[bytes]:
    """Return the payloads of a case, written as text or as hexadecimal digits."""
    return [*(text.encode() for text in case.get(name, ())), *map(bytes.fromhex, case.get(f"{name}_hex", ()))]


@every_case
def test_example_is_valid_and_always_the_same(case: dict[str, Any]) -> None:
    """An example can be encoded, is valid, decodes to itself, and doesn't change."""
    schema = schema_of(case)
    if case.get("no_example"):
        with pytest.raises(PayloadError):
            schema.example()
        return
    value = schema.example()
    assert value == schema_of(case).example()
    for kind in ("", "application/json"):
        body = schema.encode(value, kind)
        assert schema.validate(body, kind) == ()
        assert schema.decode(body, kind) == value


@every_case
def test_fields_are_those_of_the_document(case: dict[str, Any]) -> None:
    """All languages show their fields in one shape."""
    assert "\n".join(lines(schema_of(case).fields())) == case["fields"].rstrip()


@every_case
def test_value_that_does_not_fit_is_refused(case: dict[str, Any]) -> None:
    """Encoding anything else is one error that says what is wrong."""
    with pytest.raises(PayloadError) as caught:
        schema_of(case).encode({"nothing like it": object()})
    assert caught.value.problems


def test_example_of_a_map_has_an_entry() -> None:
    """An object that names no members is shown with one that it allows, not as nothing."""
    schema = (
        '{"type": "object", "properties": {"prices": {"type": "object", "additionalProperties": {"type": "number"}}}}'
    )
    (entry,) = parse("JsonSchema/draft-07", schema).example()["prices"].values()
    assert isinstance(entry, (int, float))


def test_members_that_avro_does_not_know_are_told_in_their_order() -> None:
    """Whatever order a set has in this run."""
    schema = parse("Avro/1.11.0", '{"type": "record", "name": "Empty", "fields": []}')
    names = [f"a{number}" for number in range(20)]
    with pytest.raises(PayloadError) as caught:
        schema.encode(dict.fromkeys(names, 1))
    assert [problem.split('"')[1] for problem in caught.value.problems] == names


def test_keys_of_maps_are_those_of_json() -> None:
    """Protobuf's JSON writes truth values as JSON does, and what was read can be written again."""
    schema = parse("Protobuf/3", 'syntax = "proto3"; message M { map<bool, int32> a = 1; map<int64, int32> b = 2; }')
    value = {"a": {"false": 1, "true": 2}, "b": {"-1": 3}}
    assert schema.decode(schema.encode(value)) == value
