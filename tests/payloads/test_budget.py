"""Comparisons end: what would take more than the budget is said to be too large, and what was found before counts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.payloads.compatibility_page import Case
from tests.payloads.compatibility_page import cases as table_cases
from tests.sizes import some
from xregit.payloads import problems
from xregit.payloads.compatibility import Answer, Compatibility, breaches, compatible
from xregit.payloads.compatibility.base import MAX_PAIRS, MAX_STEPS, Budget, TooLargeError

JSON, AVRO, XSD = "JsonSchema/draft/2020-12", "Avro/1.11.1", "XSD/1.0"
FRAME = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType>{}</xs:complexType>'
    "</xs:element></xs:schema>"
)


def cases(count: int, last: str) -> dict[str, Any]:
    """Return a schema of alternatives that apply together."""
    alternatives = [
        {"anyOf": [{"properties": {f"p{group}": {"const": number}}} for number in range(count)]} for group in range(6)
    ]
    return {"allOf": alternatives, "properties": {last: {}}, "unevaluatedProperties": False}


def patterns(count: int, last: str) -> dict[str, Any]:
    """Return a schema of many patterns."""
    return {"anyOf": [{"pattern": f"^a{number}b*$"} for number in range(count)] + [{"pattern": last}]}


def objects(count: int, last: str) -> dict[str, Any]:
    """Return a schema that lists objects."""
    return {"enum": [{"a": number} for number in range(count)] + [{last: 0}]}


def records(count: int, last: str) -> list[Any]:
    """Return a union of records."""
    return [{"type": "record", "name": f"R{number}", "fields": []} for number in range(count)] + [
        {"type": "enum", "name": last, "symbols": ["S"]}
    ]


def elements(count: int, last: str) -> str:
    """Return an XML schema of many elements in any order."""
    inner = "".join(f'<xs:element name="e{number}" minOccurs="0"/>' for number in range(count))
    return FRAME.format(f'<xs:all>{inner}<xs:element name="{last}"/></xs:all>')


@pytest.mark.parametrize(
    ("format_", "schema", "count"),
    [
        (JSON, cases, 20),
        (JSON, patterns, 3_000),
        (JSON, objects, some(8_000)),
        (AVRO, records, 1_500),
        (XSD, elements, 300),
    ],
)
def test_comparison_ends(format_: str, schema: Any, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two schemas of many parts, of which one differs, are compared; without a budget it would take hours."""
    monkeypatch.setattr(Budget.__init__, "__defaults__", (some(MAX_STEPS),))
    old, new = (schema(count, last) for last in ("x", "y"))
    documents = [item.encode() if isinstance(item, str) else json.dumps(item).encode() for item in (old, new)]
    assert compatible(format_, *documents).backward is not Answer.YES


@given(case=st.sampled_from(tuple(table_cases())), steps=st.integers(0, 3_000))
def test_fewer_steps_never_make_a_verdict_milder(case: Case, steps: int) -> None:
    """Whatever is not compared because the budget is used up is not said to be compatible."""
    with pytest.MonkeyPatch.context() as patch:
        results = []
        for budget in (MAX_STEPS, steps):
            patch.setattr(Budget.__init__, "__defaults__", (budget,))
            options = {"newformat": case.newformat, "selector": case.selector, "contenttype": case.contenttype}
            results.append(compatible(case.format, case.before, case.after, **options).described)
    for direction in ("backward", "forward"):
        whole, part = (getattr(result, direction) for result in results)
        assert whole is Answer.YES or part is not Answer.YES


def json_padding(kind: str, groups: int, branches: int) -> Any:
    """Return a schema of one property whose type matters, and of groups of alternatives."""
    names = [
        [{"properties": {f"p{group}": {"pattern": f"^a{{{item},}}$"}}} for item in range(branches)]
        for group in range(groups)
    ]
    return {
        "type": "object",
        "properties": {"n": {"type": kind}},
        "required": ["n"],
        "allOf": [{}, *({"oneOf": item} for item in names if item)],
    }


def avro_padding(kind: str, groups: int, branches: int) -> Any:
    """Return a record of one field whose type matters, behind fields of unions."""
    union = [{"type": "enum", "name": f"E{item}", "symbols": ["S"]} for item in range(branches)]
    fields = [{"name": f"p{group}", "type": union if group == 0 else "string"} for group in range(groups) if union]
    return {"type": "record", "name": "R", "fields": [*fields, {"name": "n", "type": kind}]}


def protobuf_padding(kind: str, groups: int, branches: int) -> str:
    """Return a message of one field whose type matters, behind others."""
    fields = "".join(f"int32 p{item} = {item + 2};" for item in range(groups * branches))
    return f'syntax = "proto3"; message R {{ {fields} {kind} n = 1; }}'


def xsd_padding(kind: str, groups: int, branches: int) -> str:
    """Return an element of one child whose type matters, before optional others."""
    others = "".join(f'<xs:element name="p{item}" type="xs:int" minOccurs="0"/>' for item in range(groups * branches))
    return FRAME.format(f'<xs:sequence><xs:element name="n" type="xs:{kind}"/>{others}</xs:sequence>')


@pytest.mark.parametrize(
    ("format_", "padded", "kinds"),
    [
        (JSON, json_padding, ("integer", "string")),
        (AVRO, avro_padding, ("int", "string")),
        ("Protobuf/3", protobuf_padding, ("int32", "string")),
        (XSD, xsd_padding, ("int", "date")),
    ],
)
@settings(max_examples=some(20), deadline=None)
@given(size=st.tuples(st.integers(0, 5), st.integers(0, 30)), steps=st.sampled_from([1_000, 20_000, 100_000]))
def test_no_padding_makes_a_break_milder(
    format_: str, padded: Any, kinds: tuple[str, str], size: tuple[int, int], steps: int
) -> None:
    """What breaks is never said to be compatible, whatever stands around it."""
    schemas = [padded(kind, *size) for kind in kinds]
    documents = [item.encode() if isinstance(item, str) else json.dumps(item).encode() for item in schemas]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Budget.__init__, "__defaults__", (steps,))
        result = compatible(format_, *documents).described
    assert Answer.YES not in {result.backward, result.forward}


def test_no_steps_are_left() -> None:
    """What is used up is used up."""
    budget = Budget(2)
    budget.spend(2)
    with pytest.raises(TooLargeError):
        budget.spend()


def test_no_verdict_hides_behind_others() -> None:
    """A change that breaks is told, however many stand before it that only may."""
    names = [f"p{number}" for number in range(300)]
    old = {"properties": {"z": {"type": "string"}}}
    new = {"properties": {**{name: {"type": "integer"} for name in names}, "z": {"type": "integer"}}}
    assert compatible(JSON, json.dumps(old).encode(), json.dumps(new).encode()).described.backward is Answer.NO


def test_very_many_versions_are_compared_with_the_nearest() -> None:
    """Of many versions that all count, the nearest pairs are compared, each version at least with the one before."""
    parents = {str(number): str(number - 1) for number in range(200)}
    pairs: list[tuple[str, str]] = []

    def relate(older: str, newer: str) -> Compatibility:
        pairs.append((older, newer))
        return Compatibility()

    (rest,) = breaches("backward_transitive", parents, relate)
    assert rest.answer is Answer.UNCLEAR
    assert len(pairs) == MAX_PAIRS
    assert {(parent, vid) for vid, parent in parents.items() if parent in parents} <= set(pairs)


@pytest.mark.parametrize("count", [1, 100])
def test_large_patterns_are_few(count: int) -> None:
    """A pattern of megabytes may stand alone; with many others it is refused."""
    patterns = [{"pattern": rf"^\p{{L}}{{90}}{number}"} for number in range(count)]
    found = [item.message for item in problems(JSON, json.dumps({"anyOf": patterns}).encode())]
    assert [item for item in found if "too large a one" in item] == found
    assert bool(found) == (count > 1)
