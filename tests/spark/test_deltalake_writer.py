"""Delta tables by `deltalake`: what a folder holds, rows that are added and merged, and refusals."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from xregit.errors import XregitError
from xregit.spark.deltalake_writer import DeltalakeWriter
from xregit.spark.location import MORE_MEMORY, Location, error_summary, errors_at
from xregit.spark.row_batches import pack
from xregit.spark.rows import Row, with_hash
from xregit.spark.table_schema import HASH, Column, Table, Type
from xregit.spark.table_writer import CommitInfo, TableChanges, TableSnapshot, diff_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

XID, COUNT = Column("xid", comment="Which one."), Column("count", Type.LONG)
TIME, LABELS = Column("time", Type.TIMESTAMP), Column("labels", Type.TEXT_MAP)
TABLE = Table("things", "Some things.", (XID, COUNT, TIME, LABELS, HASH))
NOW = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
DOUBLED = "changed by someone else in the meantime; run it again"
INFO = CommitInfo("c0ffee", "2026-01-02T03:04:05Z", "Begin")


def _row(xid: str, count: int) -> Row:
    return with_hash({"xid": xid, "count": count, "time": NOW, "labels": {"a": xid}})


def _write(lake: DeltalakeWriter, stand: TableSnapshot, wanted: tuple[Row, ...]) -> int:
    """Bring the table to these rows, and return its version."""
    return lake.write({stand.table.name: (stand, diff_rows(TABLE, wanted, stand.hashes))}, INFO)["things"]


def _rows(path: Path) -> dict[str, Any]:
    return {row["xid"]: row["count"] for row in pa.table(DeltaTable(path).scan()).to_pylist()}


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> DeltalakeWriter:
    """Return the tables of a folder."""
    return DeltalakeWriter(Location.of(tmp_path), lambda: spark)


@pytest.fixture
def path(tmp_path: Path, lake: DeltalakeWriter) -> Path:
    """Return the folder of a table with two rows."""
    assert _write(lake, lake.snapshot(TABLE), (_row("a", 1), _row("b", 2))) == 0
    return tmp_path / "things"


def test_difference_is_what_is_new_other_and_gone() -> None:
    """Rows are told apart by their keys and compared by their hash."""
    known = {("a",): _row("a", 1)["hash"], ("b",): _row("b", 2)["hash"], ("c",): _row("c", 3)["hash"]}
    result = diff_rows(TABLE, (_row("a", 1), _row("b", 5), _row("d", 4)), known)
    expected = (pack(TABLE, [_row("d", 4)]), pack(TABLE, [_row("b", 5)]), pack(TABLE, [{"xid": "c"}]))
    assert result == TableChanges(*expected, unchanged=1)
    assert (result.rows, result.only_inserts) == (3, False)
    assert not diff_rows(TABLE, (_row("a", 1),), {("a",): _row("a", 1)["hash"]})


@pytest.mark.parametrize("made", [True, False])
def test_folder_without_table_stands_before_its_first_version(
    lake: DeltalakeWriter, tmp_path: Path, made: bool
) -> None:
    """A missing or empty folder is a table that has yet to be made; so is what a killed first run left there."""
    folder = tmp_path / "things"
    if made:
        folder.mkdir()
        (folder / "part-1.snappy.parquet").touch()
    assert lake.snapshot(TABLE) == TableSnapshot(TABLE, Location.of(folder))


def test_table_has_comments_properties_and_statistics(path: Path) -> None:
    """A new table carries its comments, the change data feed, UTC timestamps and statistics of its files."""
    table = DeltaTable(path)
    assert (table.metadata().name, table.metadata().description) == ("things", "Some things.")
    assert table.metadata().configuration["delta.enableChangeDataFeed"] == "true"
    assert (table.protocol().min_reader_version, table.protocol().min_writer_version) == (1, 4)
    columns = {field["name"]: field for field in json.loads(table.schema().to_json())["fields"]}
    assert columns["xid"]["metadata"] == {"comment": "Which one."}
    assert columns["time"]["type"] == "timestamp"
    action = pa.table(table.get_add_actions(flatten=True)).to_pylist()[0]
    assert (action["num_records"], action["min.xid"], action["max.count"]) == (2, "a", 2)
    assert action["min.time"] == action["max.time"] == NOW


@pytest.mark.usefixtures("path")
def test_look_finds_the_rows_that_are_there(lake: DeltalakeWriter) -> None:
    """A table that is there stands at its version, with the hash of each row."""
    result = lake.snapshot(TABLE)
    assert (result.version, result.missing_columns, result.comments) == (0, (), {})
    assert result.hashes == {("a",): _row("a", 1)["hash"], ("b",): _row("b", 2)["hash"]}


def test_merge_changes_rows_in_one_version(lake: DeltalakeWriter, path: Path) -> None:
    """Insert, update and delete are one version, and the change feed has these rows and no others."""
    assert _write(lake, lake.snapshot(TABLE), (_row("a", 7), _row("c", 3))) == 1
    assert _rows(path) == {"a": 7, "c": 3}
    feed = pa.table(DeltaTable(path).load_cdf(starting_version=1)).to_pylist()
    assert sorted((row["_change_type"], row["xid"], row["count"]) for row in feed) == [
        ("delete", "b", 2),
        ("insert", "c", 3),
        ("update_postimage", "a", 7),
        ("update_preimage", "a", 1),
    ]
    assert DeltaTable(path).version() == 1


def test_second_writer_fails(lake: DeltalakeWriter, path: Path) -> None:
    """Of two that looked at the same version, the second to commit is told so, and nothing is doubled."""
    stand = lake.snapshot(TABLE)
    wanted = (_row("a", 1), _row("b", 2), _row("c", 3))
    assert _write(lake, stand, wanted) == 1
    with pytest.raises(XregitError, match=DOUBLED), errors_at(lake.place, "publish to"):
        _write(lake, stand, wanted)
    with pytest.raises(XregitError, match=DOUBLED), errors_at(lake.place, "publish to"):
        _write(lake, stand, ())
    assert _rows(path) == {"a": 1, "b": 2, "c": 3}


def test_second_creator_fails(lake: DeltalakeWriter, tmp_path: Path) -> None:
    """Of two that make the same table, one fails in one line."""
    stand = lake.snapshot(TABLE)
    _write(lake, stand, (_row("a", 1),))
    with pytest.raises(XregitError) as caught, errors_at(lake.place, "publish to"):
        _write(lake, stand, (_row("a", 1),))
    assert "\n" not in str(caught.value)
    assert _rows(tmp_path / "things") == {"a": 1}


def test_new_attribute_is_a_new_column(lake: DeltalakeWriter, path: Path) -> None:
    """A column that the model has by now is added; rows that are there have nothing in it and stay as they are."""
    wider = Table("things", TABLE.comment, (*TABLE.columns, Column("colour", comment="Its colour.")))
    stand = lake.snapshot(wider)
    assert stand.missing_columns == ("colour",)
    row = with_hash({"xid": "c", "colour": "red"})
    assert lake.write({"things": (stand, TableChanges(pack(wider, [row])))}, INFO) == {"things": 2}
    assert lake.snapshot(wider).missing_columns == ()
    result = {row["xid"]: row["colour"] for row in pa.table(DeltaTable(path).scan()).to_pylist()}
    assert result == {"a": None, "b": None, "c": "red"}


def test_former_attribute_tells_nothing_any_more(lake: DeltalakeWriter, path: Path) -> None:
    """A column that the model has no more is null in each row that had something in it."""
    fewer = Table("things", TABLE.comment, (XID, HASH))
    wanted = (with_hash({"xid": "a"}), with_hash({"xid": "d"}))
    stand = lake.snapshot(fewer)
    assert stand.removed_columns == ("count", "time", "labels")
    assert lake.write({"things": (stand, diff_rows(fewer, wanted, stand.hashes))}, INFO) == {"things": 1}
    assert _rows(path) == {"a": None, "d": None}


def test_comments_follow_the_model(lake: DeltalakeWriter, path: Path) -> None:
    """What the model says in other words by now, the table says too; the rows stay as they are."""
    reworded = Table("things", "All things.", (Column("xid", comment="Its id."), *TABLE.columns[1:]))
    stand = lake.snapshot(reworded)
    assert stand.comments == {"": "All things.", "xid": "Its id."}
    lake.write({"things": (stand, TableChanges())}, INFO)
    assert lake.snapshot(reworded).comments == {}
    assert DeltaTable(path).metadata().description == "All things."
    assert _rows(path) == {"a": 1, "b": 2}


def test_rows_are_read_whole(lake: DeltalakeWriter) -> None:
    """A row that is appended comes back as it was."""
    assert lake.read_rows(lake.snapshot(TABLE)) == []
    assert lake.append(lake.snapshot(TABLE), _row("a", 1), INFO) == 0
    assert [dict(row, labels=dict(row["labels"])) for row in lake.read_rows(lake.snapshot(TABLE))] == [_row("a", 1)]


def _some_file(path: Path) -> None:
    path.write_text("text", encoding="utf-8")


def _some_folder(path: Path) -> None:
    path.mkdir()
    _some_file(path / "notes.txt")


def _other_delta_table(path: Path) -> None:
    write_deltalake(path, pa.table({"id": [1]}))


def _other_type(path: Path) -> None:
    write_deltalake(path, pa.table({"xid": ["a"], "hash": ["h"], "count": ["many"]}))


def _newer_table(path: Path) -> None:
    timestamps = pa.table({"xid": ["a"], "hash": ["h"], "local": pa.array([NOW.replace(tzinfo=None)])})
    write_deltalake(path, timestamps)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_some_file, "holds something else than a Delta table"),
        (_some_folder, "holds something else than a Delta table"),
        (_other_delta_table, "not the things of a catalog"),
        (_other_type, 'the column "count"'),
        (_newer_table, "needs a newer Delta writer"),
    ],
)
def test_something_else_is_left_alone(lake: DeltalakeWriter, tmp_path: Path, make: Any, said: str) -> None:
    """A folder that holds something else is refused in one line."""
    folder = tmp_path / "things"
    make(folder)
    with pytest.raises(XregitError, match=said) as caught:
        lake.snapshot(TABLE)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("xid", ["a", None])
def test_rows_of_others_are_refused(lake: DeltalakeWriter, path: Path, xid: str | None) -> None:
    """A row that someone else has added, which can't be told apart or has no key, is told and not built upon."""
    rows = pa.table({"xid": pa.array([xid], pa.string()), "hash": ["h"]})
    write_deltalake(path, rows, mode="append", schema_mode="merge")
    with pytest.raises(XregitError, match="rows with the same xid, or with none, which someone else has written"):
        lake.snapshot(TABLE)


@pytest.mark.parametrize("spoiled", ["_delta_log/00000000000000000000.json", "part-*"])
def test_damaged_table_is_named(lake: DeltalakeWriter, path: Path, spoiled: str) -> None:
    """A log or a file of rows that can't be read is told in one line that names the table and the way out."""
    for file in path.glob(spoiled):
        file.write_bytes(b"{damaged")
    with pytest.raises(XregitError, match=r"things can't be read: .*; bring back its files if they") as caught:
        lake.snapshot(TABLE)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a%20b", "%2e%2E", "a\\b"])
def test_folder_that_delta_takes_for_another_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Where `deltalake` would write to another folder than the one that is named, nothing is written."""
    with pytest.raises(XregitError, match="no percent sign may stand before two hexadecimal digits"):
        DeltalakeWriter(Location.of(tmp_path / name), lambda: spark).snapshot(TABLE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("disk full", "disk full"),
        (
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/a.  SQLSTATE: K\nCaused by: E: end",
            "file:/a: E: end",
        ),
        (
            "[PYTHON_EXCEPTION] Traceback (most recent call last):\n  File x\n    y\nRuntimeError: no package\n",
            "no package",
        ),
        ("An exception was thrown:\nTraceback (most):\n  File x\n    y\nOSError: disk full", "OSError: disk full"),
        (
            "o1.\n: A: Job aborted\n\tat x\n\nDriver stacktrace:\n\tat y\nCaused by: B: disk full\n\tat z",
            "B: disk full",
        ),
        (
            "o1.\n: a.B: [TOO_SMALL] Memory 1 is less than 2.\nMake it more.\n\tat x",
            "[TOO_SMALL] Memory 1 is less than 2.",
        ),
        ("o1.\n: java.lang.OutOfMemoryError: heap\n\tat x", f"java.lang.OutOfMemoryError: heap; {MORE_MEMORY}"),
        ("Store\n \x1b[31m↳\x1b[0m get x\n  ↳ refused", "Store: refused"),
        ("", "ValueError"),
    ],
)
def test_reason_is_the_innermost_cause(text: str, expected: str) -> None:
    """Of a stack trace of Python or Java, only the cause is told."""
    assert error_summary(ValueError(text)) == expected
