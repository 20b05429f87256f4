from __future__ import annotations

from pathlib import Path

import xregit
from tests.benchmarks.synthetic import write_registry


def test_synthetic_registry_is_right(tmp_path: Path) -> None:
    """What the benchmarks measure has no findings, all protocols, and messages that build on others."""
    registry = xregit.read(write_registry(tmp_path, 300))
    assert xregit.check(registry).diagnostics == ()
    assert {message.protocol for message in registry.messages} >= {"HTTP", "AMQP/1.0", "MQTT/5.0", "KAFKA", "NATS"}
    assert len(registry.messages) == 300
    assert any(len(message.resolved.chain) > 1 for message in registry.messages)
