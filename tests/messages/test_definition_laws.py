"""What holds for definitions of any kind: what is made of one is recognised, or it is said why nothing is made."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings

import xregit
from tests.messages.catalogs import GROUP, registry_of
from tests.messages.strategies import NAMES, definitions
from tests.sizes import some
from xregit.messages.definition import to_definition
from xregit.messages.encoder import MessageError

NOW = datetime(2026, 5, 22, 10, 30, tzinfo=UTC)
VALUES = dict(zip(NAMES, ("Q0Q", "W1W", "R3R"), strict=True))
OPEN = {
    "binary": b"\1",
    "boolean": True,
    "duration": "PT1S",
    "integer": 3,
    "number": 1.5,
    "symbol": "s",
    "timestamp": "2026-05-22T10:30:00Z",
    "ulong": 4,
    "uuid": "6f1b0f53-2f61-4d8a-b5a8-9b8d0b3f4a55",
}
WITHOUT_PROTOCOL = {
    "envelope": "CloudEvents/1.0",
    "envelopemetadata": {"subject": {"value": "{b_1}"}},
    "protocoloptions": {"topic_name": {"value": "{a}"}},
}
UNITS = {"qos": 1, "method": "PUT", "status": "201", "content-encoding": "gzip"}


@pytest.mark.requirement("MSG-59", "MSG-63", "MSG-64", "MSG-65")
@settings(max_examples=some(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(messages=definitions())
@example(messages={"m": WITHOUT_PROTOCOL})
def test_what_is_made_is_recognised(messages: dict[str, Any], tmp_path: Path) -> None:
    """It is recognised as a message of its definition, with the context it was made with; else it is not made."""
    registry = registry_of(tmp_path, messages)
    xregit.check(registry)
    message = registry.messages[[item.xid for item in registry.messages].index(f"{GROUP}m")]
    asked = to_definition(message)
    carried = asked.constraints if asked.protocol else asked.envelope  # options of no protocol are on no message
    read_back = {name for item in carried if item.compared and item.template for name in item.template.placeholders}
    needed = [item for item in asked.constraints if item.required and item.constant is None and item.template is None]
    stated = {item.attribute: UNITS.get(item.key, OPEN.get(item.type, "a/b")) for item in needed if not item.now}
    implied = {"type": "t", "source": "/s"} if asked.enveloped else {}
    context = {**implied, **stated, **{name: VALUES[name] for name in asked.placeholders}}
    bound = "" if asked.enveloped or asked.protocol else "HTTP"
    try:
        wire = xregit.new(message, context, now=NOW, new_id="new-id", protocol=bound)
    except MessageError:
        return
    for received in (wire, orjson.dumps(wire.as_json())):
        result = {item.xid: item.context for item in xregit.Matcher(registry).match(received).matches}
        assert result[message.xid] == {name: VALUES[name] for name in read_back}
