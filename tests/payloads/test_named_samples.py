"""Sample values by name: which names have which, and that schemas decide whether these will do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from xregit.payloads import parse
from xregit.payloads.sample_texts import matching_text, named_number, named_text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("city", "Munich"),
        ("arrivalAirport", "MUC"),
        ("departureairport", "MUC"),
        ("number_plate", "MAB1234"),
        ("postal-code", "80331"),
        ("orderId", "order-1"),
        ("start_date", "2026-01-31"),
        ("update", None),
        ("capacity", None),
        ("grid", None),
        ("", None),
    ],
)
def test_name_has_a_text(name: str, text: str | None) -> None:
    """The longest ending of its words counts, in any spelling."""
    assert named_text(name) == text


@pytest.mark.parametrize(
    ("name", "number"), [("lat", 48.375), ("speedKmh", 42), ("heading_deg", 90), ("batteryPct", 80), ("size", None)]
)
def test_name_has_a_number(name: str, number: float | None) -> None:
    """A unit behind it is passed over."""
    assert named_number(name) == number


@pytest.mark.parametrize(
    ("pattern", "text"), [("^[A-Z]{3}$", "MUC"), ("^[A-Z]+$", "MUC"), ("^[0-9]{3}$", "123"), ("^[a-z]+$", "a")]
)
def test_wish_is_the_text_where_the_pattern_allows(pattern: str, text: str) -> None:
    """Otherwise it is what the pattern alone gives."""
    assert matching_text(pattern, wish="MUC") == text


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "Munich"),
        ({"type": "string", "maxLength": 3}, "tex"),
        ({"type": "string", "enum": ["Rome"]}, "Rome"),
        ({"type": "string", "not": {"const": "Munich"}}, "text"),
        ({"type": "string", "format": "date"}, "2026-01-31"),
    ],
)
def test_example_is_valid_first_and_likely_second(schema: dict[str, Any], value: str) -> None:
    """What the schema says counts more than a name."""
    document = json.dumps({"type": "object", "properties": {"city": schema}})
    assert parse("JsonSchema/2020-12", document.encode()).example() == {"city": value}
