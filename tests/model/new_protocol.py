"""What xregit makes of a catalog that speaks a protocol which was added as a file; prints it as JSON.

It runs by itself, on a package of its own: ``newprotocol.py REGISTRY``.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import xregit
from xregit.model import json_schemas
from xregit.pages import pages

XID = "/messagegroups/climate/messages/home.temperature"
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def main(folder: Path) -> dict[str, object]:
    """Return what each way to use a catalog gives."""
    registry = xregit.load(folder)
    message = registry[XID]
    assert isinstance(message, xregit.Message)
    wire = xregit.new(message, {"room": "k1"}, data={"kelvin": 293}, now=NOW, new_id=lambda: "1")
    with TemporaryDirectory() as other:
        faults, breaks = (
            changed(folder, Path(other) / "faults", FAULTS),
            changed(folder, Path(other) / "breaks", BREAKS),
        )
        return {
            "check": [item.rule for item in xregit.check(registry).diagnostics],
            "faults": {item.rule: item.message for item in xregit.check(faults).diagnostics},
            "document": xregit.compile(registry),
            "asyncapi": xregit.export_asyncapi(registry),
            "schemas": json_schemas(registry.model),
            "new": wire.as_json(),
            "match": xregit.Matcher(registry).match(wire).as_json(),
            "diff": [[item.attribute, item.impact] for item in xregit.diff(registry, breaks)],
            "page": next(page.html for page in pages(registry) if page.address == f"{XID[1:]}/"),
        }


FAULTS = {"0.02": "two words", "coap://gateway.example.com:5683": "coaps://gateway.example.com"}
BREAKS = {"/rooms/{room}/temperature": "/homes/{room}/temperature", "max_age: 60": "max_age: 61"}


def changed(folder: Path, place: Path, texts: dict[str, str]) -> xregit.Registry:
    """Return the registry with other texts in place of some."""
    for path in folder.rglob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        for old, new in texts.items():
            text = text.replace(old, new)
        target = place / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return xregit.load(place)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1])), default=str))  # noqa: T201 - what it finds
