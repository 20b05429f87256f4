"""Comparisons end: what would take more than the budget is said to be too large, and what was found before counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
