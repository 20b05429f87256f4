"""What the message specification 0.5-wip requires holds for its documents, in their own names."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import xregit
from tests.document.small import cases
from xregit.diagnostics import Severity

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PARAMETERS = [
    pytest.param(
        case, id=f"{case['requirement']} {number}", marks=pytest.mark.requirement(*case["requirement"].split())
    )
    for number, case in enumerate(cases("draft"))
]


def _read(given: dict[str, Any], folder: Path) -> xregit.Registry:
    file = folder / "draft.json"
    file.write_text(json.dumps({"specversion": "0.5-wip", "id": "draft", **given}), encoding="utf-8")
    return xregit.read(file)


@pytest.mark.parametrize("case", PARAMETERS)
def test_requirement_is_checked(case: dict[str, Any], tmp_path: Path) -> None:
    """A document that breaks a requirement of the draft gives the finding that one of 1.0 gives, and no other."""
    wrong = [item.rule for item in xregit.check(_read(case["given"], tmp_path)).diagnostics if _counts(item)]
    assert wrong == case.get("finds", [])


@pytest.mark.requirement("M05-20", "M05-21", "M05-22", "M05-23")
def test_definitions_make_and_recognise_messages(tmp_path: Path) -> None:
    """Values stand as they are, one placeholder is one value, and the draft's timestamp becomes the current time."""
    attributes = {
        "type": {"value": "a.b"},
        "source": {"type": "uritemplate", "value": "/vehicles/{vin}"},
        "subject": {"type": "uritemplate", "value": "{vin}"},
        "time": {"type": "timestamp", "value": "01-01-0000T00:00:00Z"},
    }
    definition = {"format": "CloudEvents/1.0", "metadata": {"attributes": attributes}}
    registry = _read({"definitionGroups": {"g": {"definitions": {"m": definition}}}}, tmp_path)
    message = registry["/messagegroups/g/messages/m"]
    wire = xregit.new(message, {"vin": "W1"}, now=NOW, new_id=lambda: "1").as_json()
    assert (wire["type"], wire["source"], wire["subject"]) == ("a.b", "/vehicles/W1", "W1")
    assert wire["time"] == "2026-11-21T12:00:00Z"
    matcher = xregit.Matcher(registry)
    assert matcher.match(wire).outcome == "one"
    assert matcher.match({**wire, "subject": "W2"}).outcome == "none"
    assert matcher.match({**wire, "type": "a.c"}).outcome == "none"


def _counts(item: xregit.Diagnostic) -> bool:
    """Leave out what is said of the dialect, and the advice that isn't about the draft."""
    return item.severity is Severity.ERROR or item.rule in {
        "basemessage-not-found",
        "id-with-value",
        "time-with-value",
        "misspelled-name",
        "unusual-amqp-name",
    }
