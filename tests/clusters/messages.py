"""What the jobs on clusters are about: a small catalog, numbered events in files, and what became of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

TABLES = {
    "g__tick": "ce_id",
    "g__tock": "ce_id",
    "unmatched": "message",
    "quarantine": "message",
    "ambiguous": "message",
}
TYPES = ("clock.tick", "clock.tock", "clock.unknown")


def _definition(name: str) -> dict[str, Any]:
    return {
        "messageid": name,
        "envelope": "CloudEvents/1.0",
        "envelopemetadata": {
            "type": {"value": f"clock.{name}"},
            "source": {"value": "/clocks/{clock}", "type": "uritemplate"},
        },
        "dataschemaformat": "JsonSchema/draft-07",
        "dataschema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }


def write_catalog(path: Path) -> Path:
    """Write the document of a catalog with the messages tick and tock."""
    messages = {name: _definition(name) for name in ("tick", "tock")}
    groups = {"g": {"messages": messages}}
    path.write_text(json.dumps({"specversion": "1.0-rc2", "registryid": "clocks", "messagegroups": groups}))
    return path


def event(number: int) -> dict[str, Any]:
    """Return an event whose id is the number; every third is of a type that nobody defined."""
    return {
        "specversion": "1.0",
        "id": str(number),
        "source": f"/clocks/{number % 5}",
        "type": TYPES[number % len(TYPES)],
        "data": {"n": number},
    }


def write_events(folder: Path, files: int, of_each: int, first: int = 0) -> Path:
    """Write so many files of events, which are numbered through."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in range(files):
        start = first + file * of_each
        lines = [json.dumps(event(number)) for number in range(start, start + of_each)]
        (folder / f"{start:08}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def routed(tables: Path | str, options: Mapping[str, str] | None = None) -> Counter[int]:
    """Return how often each event is in the tables."""
    counts: Counter[int] = Counter()
    for name, column in TABLES.items():
        place = f"{tables}/{name}"
        if DeltaTable.is_deltatable(place, dict(options or {})):
            table = pa.table(DeltaTable(place, storage_options=dict(options or {})).scan(columns=[column]))
            texts = table.column(column).to_pylist()
            counts.update(int(json.loads(text)["id"] if column == "message" else text) for text in texts)
    return counts


def once(number: int, first: int = 0) -> Counter[int]:
    """Return what `routed` has where nothing is lost and nothing doubled."""
    return Counter(range(first, first + number))
