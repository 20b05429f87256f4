"""The main operations on registries of a given size."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import xregit
from tests.benchmarks.synthetic import PREFIX, write_registry

# What Git tidies behind the back of a commit would be charged to what is measured next.
AUTHOR = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.com", "-c", "gc.auto=0")
# One file in so many is changed where two states are compared.
CHANGED = 100
# Events that are routed for each message: one starts no slower when there is little to sort.
EVENTS = 20

MAKE_ALL = """
import sys, orjson, xregit
from datetime import UTC, datetime
values = {"plant": "p1", "line": "7", "sensor": "s17", "time": "2026-05-22T10:30:00Z"}
with open(sys.argv[2], "wb") as out:
    for message in xregit.read(sys.argv[1]).messages:
        more = {"number": "1"} if "{number}" in str(message.resolved.attributes) else {}
        wire = xregit.new(message, values | more, {"value": 3.5}, now=datetime.now(UTC), new_id="1")
        out.write(orjson.dumps(wire.as_json()))
"""
MATCH_ALL = """
import sys, orjson, xregit
matcher = xregit.Matcher(xregit.read(sys.argv[1]))
with open(sys.argv[2], "rb") as lines, open(sys.argv[3], "wb") as out:
    for line in lines:
        result = matcher.match(line)
        assert result.outcome == "one", result
        out.write(orjson.dumps(result.as_json()))
"""
# Programs of Python, with arguments of which ``@name`` is what a registry has of that name.
REGISTRY, DOCUMENT = ("-m", "xregit", "--registry", "@folder"), ("-m", "xregit", "--registry", "@document")
OPERATIONS = {
    "check": (*REGISTRY, "check"),
    "compile": (*REGISTRY, "compile", "-o", "@out"),
    "import": ("-m", "xregit", "import", "@document", "--into", "@out"),
    "match": ("-c", MATCH_ALL, "@document", "@lines", "@out"),
    "new": ("-c", MAKE_ALL, "@document", "@out"),
    "diff": (*REGISTRY, "diff", "main"),
    "pages": (*REGISTRY, "site", "--pages", "@out"),
    "site": (*REGISTRY, "site", "-o", "@out"),
    "publish": (*DOCUMENT, "publish", "--tables", "@out"),
    "route": ("-m", "xregit", "route", "--catalog", "@document", "--input", "@events", "--tables", "@out"),
}


@dataclass(frozen=True)
class SizedRegistry:
    """A registry of that many messages, in a folder, and what operations read of it, each made when it is needed."""

    root: Path
    messages: int

    @cached_property
    def files(self) -> Path:
        """The registry's files."""
        return write_registry(self.root / "registry", self.messages)

    @cached_property
    def folder(self) -> Path:
        """The registry's files, in a repository in which some of them have been changed since."""
        folder = self.files
        for arguments in (
            ("init", "-q", "-b", "main"),
            ("add", "."),
            (*AUTHOR, "commit", "-q", "-m", "All messages"),
        ):
            subprocess.run(["git", "-C", self.root, *arguments], check=True)
        for path in sorted(folder.glob("messagegroups/*/messages/*.yaml"))[::CHANGED]:
            path.write_text(path.read_text(encoding="utf-8").replace("A sensor", "One sensor"), encoding="utf-8")
        return folder

    @cached_property
    def document(self) -> Path:
        """The compiled document."""
        path = self.root / "document.json"
        path.write_text(json.dumps(xregit.compile(xregit.read(self.files))), encoding="utf-8")
        return path

    @cached_property
    def lines(self) -> Path:
        """A CloudEvent of each message, one in a line."""
        path = self.root / "lines.jsonl"
        path.write_bytes(b"".join(map(event, range(self.messages))))
        return path

    @cached_property
    def events(self) -> Path:
        """More events, in files that Spark reads side by side."""
        folder = self.root / "events"
        folder.mkdir()
        for part in range(EVENTS):
            (folder / f"{part}.jsonl").write_bytes(self.lines.read_bytes())
        return folder

    @property
    def out(self) -> Path:
        """A path at which nothing is yet."""
        number = sum(1 for _ in self.root.glob("out*"))
        return self.root / f"out{number}"

    def program(self, arguments: tuple[str, ...]) -> list[str]:
        """Return a program's arguments with the paths of what they name."""
        return [str(getattr(self, each[1:])) if each.startswith("@") else each for each in arguments]


def event(number: int) -> bytes:
    """Return an event of the message with that number, as a line."""
    value = {
        "specversion": "1.0",
        "id": f"{number:032x}",
        "source": "https://plants.example.com/p1/lines/7",
        "type": f"{PREFIX}{number}",
        "subject": "s17",
        "time": "2026-05-22T10:30:00.123Z",
        "dataschema": f"https://schemas.example.com/plants/readings/{number}",
        "datacontenttype": "application/json",
        "data": {"value": number / 8, "unit": "millimetres per second"},
    }
    return json.dumps(value).encode() + b"\n"
