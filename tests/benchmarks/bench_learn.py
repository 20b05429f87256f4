"""What learning costs: a hundred thousand samples of several protocols and kinds, and a quarter of them.

pytest -s tests/benchmarks/bench_learn.py prints the figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measurement import Cost, cost

SMALL, LARGE = 25_000, 100_000


def samples(count: int) -> Iterator[dict[str, Any]]:
    """Yield events, topics with levels that vary, and a topic with three kinds of records."""
    for number in range(count):
        key = f"o{number * 7919 % 100_000:06}"
        time = f"2026-01-{number % 28 + 1:02}T10:00:00Z"
        lines = [{"sku": f"s{number:06}", "quantity": number % 5 + 1}]
        body = {"orderId": key, "at": time, "total": number / 7, "currency": ("EUR", "USD")[number % 2], "lines": lines}
        kind = ("OrderPlaced", "OrderPaid", "OrderShipped")[number % 3]
        event = {
            "specversion": "1.0",
            "id": str(number),
            "source": f"https://shop.example.com/shops/s{number % 900:04}",
        }
        yield (
            {**event, "type": f"shop.order.{kind[5:].lower()}", "time": time, "subject": key, "data": body},
            {"protocol": "MQTT/5.0", "topic_name": f"fleet/v{key}/position", "body": {"vin": f"v{key}", "lat": 48.2}},
            {"protocol": "KAFKA", "topic": "orders", "key": key, "body": {"eventType": kind, **body}},
            {
                "protocol": "NATS",
                "subject": f"belts.b{number % 90:03}.state",
                "body": {"state": ("on", "off")[number % 2]},
            },
        )[number % 4]


def _cost(folder: Path, count: int) -> Cost:
    with (folder / f"{count}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(sample)}\n" for sample in samples(count))
    program = ["-m", "xregit", "learn", f"{count}.jsonl", "--into", f"registry{count}"]
    result = cost(program, folder, {"XREGIT_PROGRESS": "never"})
    print(f"\nlearn: {count:,} samples, {result.seconds:.1f} s of CPU, {result.peak:,.0f} MiB", end="")
    return result


def test_learning(tmp_path: Path) -> None:
    """Learn from both numbers of samples."""
    small, large = _cost(tmp_path, SMALL), _cost(tmp_path, LARGE)
    growth = large.seconds / small.seconds
    print(f"\n{LARGE // SMALL} times the samples: {growth:.2f} times as long, {large.peak - small.peak:,.0f} MiB more")
