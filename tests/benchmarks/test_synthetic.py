from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import xregit
from tests.benchmarks import bench_catalog, bench_startup
from tests.benchmarks.synthetic import files, write_registry

if TYPE_CHECKING:
    from pathlib import Path


def test_synthetic_registry_is_right(tmp_path: Path) -> None:
    """What the benchmarks measure has no findings, all protocols, and messages that build on others."""
    registry = xregit.read(write_registry(tmp_path, 300))
    assert xregit.check(registry).diagnostics == ()
    assert {message.protocol for message in registry.messages} >= {"HTTP", "AMQP/1.0", "MQTT/5.0", "KAFKA", "NATS"}
    assert len(registry.messages) == 300
    assert any(len(message.resolved.chain) > 1 for message in registry.messages)


def test_synthetic_messages_have_the_size_of_real_ones() -> None:
    """A message takes about 51 lines, the size for which the numbers were agreed."""
    assert 49 <= mean(text.count("\n") for path, text in files(600) if "/messages/" in path) <= 53


def test_benchmarks_hold_the_agreed_limits() -> None:
    """The limits are those of the project's numbers: half as much again for starting, less than twice for checking."""
    assert (bench_startup.LIMIT, bench_catalog.LIMIT, bench_catalog.MESSAGES) == (1.5, 1.6, 10_000)
