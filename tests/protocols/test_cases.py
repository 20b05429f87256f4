"""What messages carry, and how events are carried, case by case as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from xregit.protocols import Event, WireError, bind, extract, read_event, read_wire

CASES = Path(__file__).parents[1] / "cases" / "protocols"


def cases(name: str) -> list[Any]:
    """Return the cases of a file, each with the marks of the requirements that it shows."""
    return [
        pytest.param(case, id=case["about"], marks=pytest.mark.requirement(*case.get("requirements", ())))
        for case in yaml.safe_load((CASES / name).read_bytes())
    ]


def as_case(event: Event) -> dict[str, Any]:
    """Return an event as the cases write it."""
    if event.data is None:
        return dict(event.attributes)
    try:
        return {**event.attributes, "data": event.data.decode()}
    except UnicodeDecodeError:
        return {**event.attributes, "data": event.data}


def as_written(event: dict[str, Any]) -> dict[str, Any]:
    """Return what a case expects; bytes that are text are compared as text."""
    data = event.get("data")
    return {**event, "data": as_case(Event({}, data))["data"]} if isinstance(data, bytes) else event


@pytest.mark.parametrize("case", cases("received.yaml"))
def test_a_message_carries_what_its_case_says(case: dict[str, Any]) -> None:
    """The mode, the events and all that is wrong with them."""
    result = extract(read_wire(case["wire"]))
    expected = case.get("events", [case["event"]] if "event" in case else None)
    assert result.mode == case["mode"]
    assert list(result.problems) == case.get("problems", [])
    if expected is not None:
        assert [as_case(event) for event in result.events] == [as_written(event) for event in expected]
    elif "problems" not in case:
        assert result.events == ()


@pytest.mark.parametrize("case", cases("sent.yaml"))
def test_an_event_is_sent_as_its_case_says(case: dict[str, Any]) -> None:
    """The message in its JSON shape, or every reason why there is none."""
    event, protocol, mode = read_event(case["event"]), case["protocol"], case.get("mode", "")
    if "problems" in case:
        with pytest.raises(WireError) as error:
            bind(event, protocol, mode, case.get("fields", {}))
        assert list(error.value.problems) == case["problems"]
    else:
        assert bind(event, protocol, mode, case.get("fields", {})).as_json() == case["wire"]
