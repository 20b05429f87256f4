"""Texts as pages show them: where the lines of long ids and addresses end."""

from __future__ import annotations

import pytest

from xregit.pages.renderer import breakable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fleet.position.reported", "fleet. position. reported"),
        ("/messagegroups/fleet/messages/m", "/ messagegroups/ fleet/ messages/ m"),
        ("mqtts://gateway.example.com:8883/a", "mqtts://gateway. example. com:8883/ a"),
        ("fleet/{vin}/", "fleet/ {vin}/ "),
        ("Gateway for MQTT/3.1.1, v1.next", "Gateway for MQTT/ 3.1.1, v1. next"),
        ("amqps://10.0.0.1", "amqps://10.0.0.1"),
    ],
)
def test_lines_end_between_the_parts_of_a_name(text: str, expected: str) -> None:
    """A line may end after a dot or a slash, but not within the beginning of an address or a number."""
    assert breakable(text) == expected.replace(". ", ".<wbr>").replace("/ ", "/<wbr>")
