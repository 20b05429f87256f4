"""The protocol of batches, on real Delta tables and without Spark: whatever crashes, and whoever writes besides.

Runs go from batch to batch as queries do: one begins with the first batch that nobody has finished. At any step a run
may crash, or another one, which may have another catalog, may do all its work. In the end each message is in the log of
exactly one table, once, and all messages of a batch are where one catalog has them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from uuid import uuid4

import pytest
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import sample, some
from tests.spark.streams import definition, registry_of
from xregit.catalog import Registry
from xregit.errors import XregitError
from xregit.spark.location import Location
from xregit.spark.streams.delta import DeltalakeTables
from xregit.spark.streams.message_tables import QUARANTINE, UNMATCHED
from xregit.spark.streams.router import Plan
from xregit.spark.streams.sink import Batch, Scope, Sink

BATCHES = 2
TYPES = ("t.one", "t.two", "t.none")
TEXT = {"type": "object", "properties": {"value": {"type": "string"}}}
CATALOGS: Mapping[str, Mapping[str, Any]] = {
    "plain": {"one": definition("t.one"), "two": definition("t.two")},
    "turned": {"one": definition("t.two"), "two": definition("t.one")},
    "fewer": {"one": definition("t.one")},
    "conflicting": {"one": definition("t.one", TEXT), "two": definition("t.two")},
}


@cache
def catalog(name: str) -> Registry:
    """Return one of the catalogs."""
    return registry_of(Path(mkdtemp()), CATALOGS[name])


@dataclass(frozen=True)
class Run:
    """A run with a catalog: the step at which it crashes, if any, and the runs that go through within a step."""

    catalog: str
    crash: int | None = None
    others: Mapping[int, Run] = field(default_factory=dict)


class CrashError(Exception):
    """The driver is no more."""


class SteppedTables(DeltalakeTables):
    """Tables that say when they look at a table, and when they are about to commit to one."""

    step: Callable[[], None]

    def state(self, name: str) -> Any:
        """Look at a table."""
        self.step()
        return super().state(name)

    def _add(self, *arguments: Any) -> None:
        self.step()
        super()._add(*arguments)
        self.step()


class FileSink(Sink):
    """A sink whose messages are files of their own, which are only in the logs, so that each log says what it has."""

    @contextmanager
    def content(self, batch: Batch, only: Iterable[str] | None) -> Iterator[dict[str, tuple[int, Any]]]:
        """Yield the messages of each table by the plan."""
        found: dict[str, list[dict[str, Any]]] = {}
        for type_ in TYPES:
            key = where(batch.plan, type_)
            if only is None or key in only:
                key = f"{QUARANTINE} {key}" if key in self.blocked else key
                path = f"{batch.number} {type_} {uuid4()}"
                found.setdefault(key, []).append({"path": path, "size": 1, "modified": 0, "stats": None})
        yield {key: (len(files), files) for key, files in found.items()}

    def each(self, work: Callable[[str], Any], names: Iterable[str]) -> list[tuple[str, Any]]:
        """Do one after the other."""
        return [(name, work(name)) for name in names]


def where(plan: Plan, type_: str) -> str:
    """Return the key of the table for events of a type."""
    value = {"specversion": "1.0", "id": "1", "source": "/vehicles/1", "type": type_, "data": {}}
    matches = plan.matcher.match(json.dumps(value), payloads=False).matches
    return matches[0].xid if matches else UNMATCHED


class Job:
    """All runs of one application on one folder, and what the checkpoint has of them."""

    def __init__(self, folder: Path) -> None:
        """Begin with no batch."""
        self.folder, self.done = folder, 0

    def run(self, run: Run, until: int = BATCHES) -> None:
        """Write the batches that are not finished, until the run crashes."""
        count = 0

        def step() -> None:
            nonlocal count
            count += 1
            if count in run.others:
                self.run(run.others[count])
            if count == run.crash:
                raise CrashError

        tables = SteppedTables(Location.of(self.folder))
        object.__setattr__(tables, "step", step)
        sink, registry = FileSink("app", tables), catalog(run.catalog)
        try:
            for number in range(self.done, until):
                pin = sink.pin(number, registry, Scope(), "query")
                plan = sink.plan(pin, [])
                sink.write(Batch(number, pin, "", plan, None, None, ()))  # type: ignore[arg-type]
                sink.next_batch = number + 1
                self.done = max(self.done, number + 1)
        except CrashError:
            return


RUNS = st.recursive(
    st.builds(Run, st.sampled_from(sorted(CATALOGS)), st.none() | st.integers(1, 40)),
    lambda inner: st.builds(
        Run,
        st.sampled_from(sorted(CATALOGS)),
        st.none() | st.integers(1, 40),
        st.dictionaries(st.integers(1, 30), inner, max_size=2),
    ),
    max_leaves=3,
)


@settings(max_examples=some(100), deadline=None)
@given(st.lists(RUNS, max_size=4))
def test_each_message_is_in_one_table_once(runs: list[Run]) -> None:
    """However runs crash and overlap, and whichever catalogs they have, nothing is lost, doubled or split."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        job = Job(folder)
        for run in (*runs, Run("plain")):
            job.run(run)
        assert_once(folder)


def assert_once(folder: Path) -> None:
    """Check that each message is in one table, once, and all of a batch where one catalog has them."""
    found: Counter[str] = Counter()
    tables: dict[str, str] = {}
    for table in (each for each in folder.iterdir() if each.name != "_batches"):
        for uri in DeltaTable(table).file_uris():
            message = Path(uri).name.replace("%20", " ").rpartition(" ")[0]
            found[message] += 1
            tables[message] = table.name
    assert found == Counter(f"{number} {type_}" for number in range(BATCHES) for type_ in TYPES)
    for number in range(BATCHES):
        assert tuple(tables[f"{number} {type_}"] for type_ in TYPES) in PLACES


#: Where a catalog has the three types of event, where all its tables can be written or that of the first one not.
PLACES = {
    ("g__one", "g__two", "unmatched"),
    ("g__two", "g__one", "unmatched"),
    ("g__one", "unmatched", "unmatched"),
    ("quarantine", "g__two", "unmatched"),
    ("g__two", "quarantine", "unmatched"),
    ("quarantine", "unmatched", "unmatched"),
}


@pytest.mark.parametrize("second", ["turned", "conflicting"])
@pytest.mark.parametrize("first", ["plain", "conflicting"])
def test_all_places_of_a_crash(first: str, second: str, tmp_path: Path) -> None:
    """A run that crashes at any of its steps in a batch is finished by the next, which may have another catalog."""
    for crash in sample(range(1, 26)):
        job = Job(tmp_path / str(crash))
        job.run(Run("plain"), until=1)
        job.run(Run(first, crash))
        job.run(Run(second))
        assert_once(job.folder)


def test_two_checkpoints_that_begin_at_once_are_told_apart(tmp_path: Path) -> None:
    """Of two queries with one application, the second is refused, even if it looked before the first had begun."""
    tables = SteppedTables(Location.of(tmp_path))
    registry, steps = catalog("plain"), 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == 2:  # the second has looked, and is about to begin
            Sink("app", DeltalakeTables(tables.place)).pin(0, registry, Scope(), "first")

    object.__setattr__(tables, "step", step)
    with pytest.raises(XregitError, match="another checkpoint"):
        Sink("app", tables).pin(0, registry, Scope(), "second")
