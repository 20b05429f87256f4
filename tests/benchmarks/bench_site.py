"""What a page of the docs site costs; how a site grows with its registry is in bench_growth.py."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.measurement import cost
from tests.benchmarks.synthetic import write_registry

MESSAGES, MAX_PAGE_MILLISECONDS, MAX_PAGE_BYTES = 10_000, 3.0, 60_000


def test_a_page_costs_milliseconds(tmp_path: Path) -> None:
    """A page of 10,000 messages takes at most three milliseconds of CPU, and a message's has at most 60 kB."""
    registry, out = write_registry(tmp_path / "registry", MESSAGES), tmp_path / "site"
    seconds = cost(("-m", "xregit", "--registry", str(registry), "site", "-o", str(out)), tmp_path, {}).seconds
    pages = list(out.rglob("index.html"))
    largest = max(path.stat().st_size for path in pages if "messages" in path.parts)
    print(f"\n{1000 * seconds / len(pages):.2f} ms a page; the largest page of a message has {largest:,} bytes")
    assert 1000 * seconds / len(pages) <= MAX_PAGE_MILLISECONDS
    assert largest < MAX_PAGE_BYTES
