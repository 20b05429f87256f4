"""The main operations on registries of a given size, each with its floor: the least that any program would do."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import xregit
from tests.benchmarks.synthetic import PREFIX, write_registry

if TYPE_CHECKING:
    from pathlib import Path

# What Git tidies behind the back of a commit would be charged to what is measured next.
AUTHOR = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.com", "-c", "gc.auto=0")
# One file in so many is changed where two states are compared.
CHANGED = 100
# Events that are routed for each message: one starts no slower when there is little to sort.
EVENTS = 20

COMPOSE = """
import sys, yaml
from pathlib import Path
for path in Path(sys.argv[1]).rglob("*.yaml"):
    yaml.compose(path.read_bytes(), Loader=yaml.CSafeLoader)
"""
COMPOSE_AND_WRITE = f"""{COMPOSE}
import orjson
Path(sys.argv[3]).write_bytes(orjson.dumps(orjson.loads(Path(sys.argv[2]).read_bytes())))
"""
LOAD_AND_COPY = """
import sys, orjson
from pathlib import Path
orjson.loads(Path(sys.argv[1]).read_bytes())
for path in Path(sys.argv[2]).rglob("*.yaml"):
    target = Path(sys.argv[3], path.relative_to(sys.argv[2]))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(path.read_bytes())
"""
LOAD_AND_ECHO = """
import sys, orjson
from pathlib import Path
orjson.loads(Path(sys.argv[1]).read_bytes())
with open(sys.argv[2], "rb") as lines, open(sys.argv[3], "wb") as out:
    for line in lines:
        out.write(orjson.dumps(orjson.loads(line)))
"""
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
        found = matcher.match(line)
        assert found.outcome == "one", found
        out.write(orjson.dumps(found.as_json()))
"""
# Writes the files of what was built last time anew, each through the same template of Jinja.
TEMPLATED = """
import sys
from pathlib import Path
from jinja2 import Template
built, out, template = Path(sys.argv[1]), Path(sys.argv[2]), Template("{{ text }}")
for path in built.rglob("*.*"):
    if path.is_file():
        target = out / path.relative_to(built)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(template.render(text=path.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
"""
# Both have the settings of our own session.
ROWS = """
import sys
from xregit.spark.session import session
spark = session(name="floor")
spark.range(int(sys.argv[1])).selectExpr("id", "repeat('message', 60) AS text").write.parquet(sys.argv[2])
spark.stop()
"""
PARSED = """
import sys
from xregit.spark.session import session
spark = session(name="floor")
known = "specversion string, id string, source string, type string, subject string, data struct<value: double>"
spark.read.schema(known).json(sys.argv[1]).write.parquet(sys.argv[2])
spark.stop()
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """What is measured: programs of Python, with arguments of which ``@name`` is what a registry has of that name."""

    name: str
    run: tuple[str, ...]
    floor: tuple[str, ...]


OPERATIONS = (
    Operation("check", ("-m", "xregit", "--registry", "@folder", "check"), ("-c", COMPOSE, "@folder")),
    Operation(
        "compile",
        ("-m", "xregit", "--registry", "@folder", "compile", "-o", "@out"),
        ("-c", COMPOSE_AND_WRITE, "@folder", "@document", "@out"),
    ),
    Operation(
        "import",
        ("-m", "xregit", "import", "@document", "--into", "@out"),
        ("-c", LOAD_AND_COPY, "@document", "@folder", "@out"),
    ),
    Operation(
        "match", ("-c", MATCH_ALL, "@document", "@lines", "@out"), ("-c", LOAD_AND_ECHO, "@document", "@lines", "@out")
    ),
    Operation("new", ("-c", MAKE_ALL, "@document", "@out"), ("-c", LOAD_AND_ECHO, "@document", "@lines", "@out")),
    Operation("diff", ("-m", "xregit", "--registry", "@folder", "diff", "main"), ("-c", COMPOSE, "@folder")),
    Operation(
        "pages",
        ("-m", "xregit", "--registry", "@folder", "site", "--pages", "@built/pages"),
        ("-c", TEMPLATED, "@built/pages", "@out"),
    ),
    Operation(
        "site",
        ("-m", "xregit", "--registry", "@folder", "site", "-o", "@built/site"),
        ("-c", TEMPLATED, "@built/site", "@out"),
    ),
    Operation(
        "publish",
        ("-m", "xregit", "--registry", "@document", "publish", "--tables", "@out"),
        ("-c", ROWS, "@messages", "@out"),
    ),
    Operation(
        "route",
        ("-m", "xregit", "route", "--catalog", "@document", "--input", "@events", "--tables", "@out"),
        ("-c", PARSED, "@events", "@out"),
    ),
)


@dataclass(frozen=True)
class Sized:
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
    def built(self) -> Path:
        """Where the pages are written that the floor writes anew."""
        return self.root / "built"

    @property
    def out(self) -> Path:
        """A path at which nothing is yet."""
        number = sum(1 for _ in self.root.glob("out*"))
        return self.root / f"out{number}"

    def program(self, texts: tuple[str, ...]) -> list[str]:
        """Return a program's arguments with the paths of what they name."""
        return [self._place(text) if text.startswith("@") else text for text in texts]

    def _place(self, text: str) -> str:
        name, slash, rest = text.removeprefix("@").partition("/")
        return f"{getattr(self, name)}{slash}{rest}"


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
