"""Avro's dates and times in years that Python has not."""

from __future__ import annotations

import json
from datetime import time
from decimal import Decimal

import pytest

from xregit.payloads import PayloadError, parse

FAR_TIMES = [
    ("int", "date", 2_932_897),
    ("int", "date", -719_163),
    ("int", "date", 2**31 - 1),
    ("long", "timestamp-millis", 2**63 - 1),
    ("long", "timestamp-millis", 253_402_300_800_000),
    ("long", "timestamp-micros", -(2**63)),
    ("long", "local-timestamp-millis", 2**63 - 1),
    ("long", "local-timestamp-micros", 2**63 - 1),
]


@pytest.mark.parametrize(("kind", "logical", "number"), FAR_TIMES)
def test_times_in_years_that_python_has_not_are_numbers(kind: str, logical: str, number: int) -> None:
    """A payload that says "for ever" by the largest number is valid, and what stands beside it is read as ever."""
    fields = [
        {"name": "far", "type": ["null", {"type": kind, "logicalType": logical}]},
        {"name": "near", "type": {"type": kind, "logicalType": logical}},
        {"name": "decimal", "type": {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}},
        {"name": "hour", "type": {"type": "int", "logicalType": "time-millis"}},
    ]
    schema = parse("Avro/1.12.0", json.dumps({"type": "record", "name": "R", "fields": fields}).encode())
    near = schema.decode(schema.encode({"far": 0, "near": 0, "decimal": "1.50", "hour": 0}))
    said = {"far": number, "near": near["near"], "decimal": Decimal("1.50"), "hour": time(0)}
    assert not isinstance(near["near"], int)
    assert schema.decode(schema.encode(said)) == said
    text = json.dumps({"far": {kind: number}, "near": 0, "decimal": "\u0000\u0096", "hour": 0}).encode()
    assert schema.decode(text, "application/json") == said
    too_large = json.dumps({"far": {kind: 2**70}, "near": 0, "decimal": "\u0096", "hour": 0}).encode()
    assert schema.validate(too_large, "application/json")


def test_truth_is_no_time() -> None:
    """Python takes it for a number."""
    schema = parse("Avro/1.12.0", b'{"type": "long", "logicalType": "timestamp-millis"}')
    with pytest.raises(PayloadError, match="timestamp-millis"):
        schema.encode(True)  # noqa: FBT003
