"""Examples: `new(message, example=True)` fills what is left out as the docs site does."""

from __future__ import annotations

from pathlib import Path

import pytest

import xregit
from tests.messages.catalogs import GROUP, registry_of
from xregit.messages.definition import to_definition
from xregit.messages.example import EXAMPLE_ID, EXAMPLE_TIME, example_context, example_data
from xregit.pages.context import SiteContext
from xregit.pages.examples import wire_examples

TRIP = "/messagegroups/fleet.trips/messages/fleet.trip.started"


@pytest.fixture(scope="module")
def registry(root: Path) -> xregit.Registry:
    """Return the example catalog."""
    return xregit.load(root / "registry")


def test_example_is_that_of_the_site(registry: xregit.Registry) -> None:
    """At the site's time and with its id, each message of the catalog gets the example that its page shows first."""
    book = SiteContext(registry)
    for message in registry.messages:
        values = example_context(to_definition(message), example_data(message))
        shown = next(sample for sample in wire_examples(book, message, values) if sample.wire is not None)
        wire = xregit.new(message, example=True, now=EXAMPLE_TIME, new_id=EXAMPLE_ID, mode=shown.mode)
        assert wire == shown.wire, message.xid


def test_example_is_recognised(registry: xregit.Registry) -> None:
    """An example fits the definition that it was made from."""
    matcher = xregit.Matcher(registry)
    result = matcher.match(xregit.new(registry[TRIP], example=True))
    assert [item.xid for item in result.matches] == [TRIP]


def test_example_keeps_what_is_given(registry: xregit.Registry) -> None:
    """Values and payload of the caller go before those of the example."""
    result = xregit.Matcher(registry).match(xregit.new(registry[TRIP], {"vin": "WDB1"}, example=True))
    assert result.matches[0].context["vin"] == "WDB1"


def test_example_of_an_open_message_goes_by_its_endpoints_protocol(tmp_path: Path) -> None:
    """Without envelope, protocol and endpoint there is nothing to send an example by."""
    message = registry_of(tmp_path, {"m": {"datacontenttype": "text/plain"}})[f"{GROUP}m"]
    with pytest.raises(xregit.XregitError, match="a protocol must be named"):
        xregit.new(message, example=True)
    assert xregit.new(message, data="x", example=True, protocol="http").protocol == "HTTP"


def test_placeholder_is_what_the_payload_says(registry: xregit.Registry) -> None:
    """What stands in the payload under a placeholder's name is its value, in whatever spelling; else it is made up."""
    wire = xregit.new(registry["/messagegroups/luggage.handling/messages/luggage.bag.loaded"], example=True).as_json()
    data = wire["data"]
    assert wire["subject"] == data["bagtag"] == "0220473124"
    airport, flight = data["location"]["airport"], data["flightid"]
    assert wire["source"] == f"https://luggage.example.com/airports/{airport}/flights/{flight}"
    definition = to_definition(registry[TRIP])
    assert example_context(definition, {"VIN": "WDB/1", "trip": [{"vin": "WDB1"}]})["vin"] == "WDB1"
    assert example_context(definition, {"vin": "text"})["vin"] == "WDB9634031L123456"
    assert example_context(definition, {"vin": True}) == example_context(definition)
    assert example_context(definition)["tripid"] == "trip-1"
