"""Routing with Spark: batches and streams, what a second run does, and what stops a run with one clear line."""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

import xregit
from tests.spark.streams import CATALOG, GROUP, READING, definition, event, registry_of, rows, write
from xregit.catalog import Registry
from xregit.cli.commands import xregit as command
from xregit.errors import XregitError
from xregit.spark.location import Location
from xregit.spark.streams import router, sink
from xregit.spark.streams.checkpoint import BATCH
from xregit.spark.streams.job import RoutingResult
from xregit.spark.streams.plan import plan
from xregit.spark.streams.router import FEW_TABLES
from xregit.spark.streams.sink import Batch, DeltaSink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Return the catalog of these tests."""
    return registry_of(tmp_path)


def ids(tables: Path, name: str) -> list[int]:
    """Return the ids of the events in a table, in order."""
    return sorted(int(row["ce_id"]) for row in rows(tables, name))


@pytest.mark.parametrize("few", [FEW_TABLES, 0])
def test_files_are_taken_once(
    few: int, spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run takes what is new, in batches of so many files; a run with nothing new writes nothing."""
    monkeypatch.setattr(router, "FEW_TABLES", few)
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1), event(2, "t.two"), "", "no message")
    write(folder / "2.jsonl", event(3), event(4, "t.both"))
    told: list[int] = []
    first = xregit.route(
        registry, folder, tables, spark=spark, batch_files=1, tell=lambda done: told.append(done.batches)
    )
    assert (first.batches, told) == (2, [1, 1])
    assert first.rows == {"g__one": 2, "g__two": 1, "unmatched": 1, "ambiguous": 1}
    assert xregit.route(registry, folder, tables, spark=spark).rows == {}
    write(folder / "3.jsonl", event(5))
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 1}
    assert (ids(tables, "g__one"), ids(tables, "g__two")) == ([1, 3, 5], [2])
    result = DeltaTable(tables / "g__one")
    assert (result.version(), result.metadata().name) == (2, f"{GROUP}one")
    assert spark.read.parquet(*result.file_uris()).where("value > 2").count() == 2


def test_every_file_is_taken(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Files are taken wherever they lie in a folder of any name, however old; those whose names begin so are not."""
    folder, tables = tmp_path / "in[1] {a}, 50%=\\ü", tmp_path / "tables"
    for number, name in enumerate(("1", "day=1/2", "day=1/other/3", "value=x/4", "_hidden", ".hidden", "_h/5")):
        write(folder / name, event(number))
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 4}
    old = write(folder / "old", event(9))
    os.utime(old, (0, 0))
    (folder / "packed.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(event(10)).encode() + b"\r\n\r\n"))
    (folder / "empty").touch()
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 2}
    assert ids(tables, "g__one") == [0, 1, 2, 3, 9, 10]


def test_definition_that_gains_fields_gains_columns(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A new field, also one in a record, is a new column; a new definition is used from the next start."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1, data={"value": 1, "new": "x"}), event(2, "t.three"))
    xregit.route(registry, folder, tables, spark=spark)
    place = {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
    grown = {**READING, "properties": {**READING["properties"], "new": {"type": "string"}, "place": place}}
    later = registry_of(tmp_path, {**CATALOG, "one": definition("t.one", grown), "three": definition("t.three")})
    write(folder / "2.jsonl", event(3, data={"value": 1, "new": "y", "place": {"lon": 2}}), event(4, "t.three"))
    xregit.route(later, folder, tables, spark=spark)
    first, second = sorted(rows(tables, "g__one"), key=lambda row: str(row["ce_id"]))
    assert (first["new"], first["_rest"]) == (None, '{"/new":"x"}')
    assert (second["new"], second["place"]) == ("y", {"lat": None, "lon": 2.0})
    assert ids(tables, "g__three") == [4]


def test_definition_keeps_its_table(spark: SparkSession, tmp_path: Path) -> None:
    """Whichever definitions with names alike come and go, each has one table, in which nobody else's rows are."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    dotted, dashed, joined = ({name: definition(f"t.{name}")} for name in ("door.open", "door-open", "door_open"))
    held: dict[str, set[str]] = {}
    for number, messages in enumerate((dotted, dotted | dashed, dashed, dashed | joined, dotted)):
        lines = [event(number, f"t.{name}") for name in ("door.open", "door-open", "door_open")]
        write(folder / f"{number}.jsonl", *lines)
        registry = registry_of(tmp_path, messages)
        for name in xregit.route(registry, folder, tables, spark=spark).rows:
            result = rows(tables, name)
            held[name] = {str(row.get("ce_type")) for row in result}
    assert held.pop("unmatched") == {"None"}
    assert sorted(held.values(), key=str) == [{"t.door-open"}, {"t.door.open"}, {"t.door_open"}]
    assert held["g__door_open"] == {"t.door.open"}
    assert ids(tables, "g__door_open") == [0, 1, 4]


def test_column_of_another_type_is_refused(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Where a field changes its type, or only its case, one line says so, and each way out that it names is one."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1))
    xregit.route(registry, folder, tables, spark=spark)
    other = registry_of(
        tmp_path, {**CATALOG, "one": definition("t.one", {"properties": {"value": {"type": "string"}}})}
    )
    write(folder / "2.jsonl", event(2, data={"value": "x"}))
    with pytest.raises(XregitError, match=r'"value" of .*g__one is DOUBLE, and STRING in the catalog'):
        xregit.route(other, folder, tables, spark=spark)
    write(folder / "3.jsonl", event(3, "t.two"))
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__two": 1, "unmatched": 1}
    assert ids(tables, "g__one") == [1]
    elsewhere = xregit.route(other, folder, tmp_path / "elsewhere", spark=spark)
    assert elsewhere.rows == {"g__one": 1, "g__two": 1, "unmatched": 1}
    shouted = definition("t.one", {"properties": {"VALUE": {"type": "number"}}})
    with pytest.raises(XregitError, match=r'"value" of .*g__one is called "value", and "VALUE" in the catalog; move'):
        xregit.route(registry_of(tmp_path, {**CATALOG, "one": shouted}), folder, tables, spark=spark)
    (tables / "g__one").rename(tables / "before")
    write(folder / "4.jsonl", event(4, data={"value": "x"}))
    assert xregit.route(other, folder, tables, spark=spark).rows == {"g__one": 1}
    assert (ids(tables, "before"), ids(tables, "g__one")) == ([1], [4])


def test_few_files_and_open_tables_will_do(
    spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where few messages of each partition are for a table, one file has them all; tables needn't be kept open."""
    monkeypatch.setattr(router, "FEW_TABLES", 0)
    monkeypatch.setattr(sink, "MAX_OPEN_TABLES", 1)
    tables = tmp_path / "tables"
    for batch in range(3):
        lines = [(json.dumps(event(each + batch * 40, "t.two" if each % 2 else "t.one")),) for each in range(40)]
        frame = spark.createDataFrame(lines, "value string").repartition(4)
        assert xregit.route(registry, frame, tables).rows == {"g__one": 20, "g__two": 20}
    for name in ("g__one", "g__two"):
        assert len(ids(tables, name)) == 60
        assert len(DeltaTable(tables / name).file_uris()) == 3


class CrashError(Exception):
    """The machine stops here."""


def test_batch_is_sorted_again_as_it_was(
    spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch that ended in the middle of its commits goes on by the catalog that it began with."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1), event(2, "t.two"), event(3, "t.three"))
    commit = DeltaSink._commit_table  # noqa: SLF001 - where a crash does most harm

    def crash(delta_sink: DeltaSink, batch: Any, mapping: Any, files: Any) -> None:
        if mapping.name == "unmatched":
            raise CrashError
        commit(delta_sink, batch, mapping, files)

    monkeypatch.setattr(DeltaSink, "_commit_table", crash)
    with pytest.raises(CrashError):
        xregit.route(registry, folder, tables, spark=spark)
    monkeypatch.undo()
    assert (ids(tables, "g__one"), rows(tables, "unmatched")) == ([1], [])
    # By the new catalog, the event of the first table would be one of the last, and the other way round.
    changed = {**CATALOG, "one": definition("t.three"), "three": definition("t.one")}
    xregit.route(registry_of(tmp_path, changed), folder, tables, spark=spark)
    assert (ids(tables, "g__one"), ids(tables, "g__two"), ids(tables, "g__three")) == ([1], [2], [])
    assert [json.loads(row["message"])["id"] for row in rows(tables, "unmatched")] == ["3"]
    write(folder / "2.jsonl", event(4))
    xregit.route(registry_of(tmp_path, changed), folder, tables, spark=spark)
    assert ids(tables, "g__three") == [4]


@pytest.mark.parametrize("few", [FEW_TABLES, 0])
def test_data_frame_is_one_batch(
    few: int, spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a data frame are one batch, those of the next another; a column of text or of Kafka will do."""
    monkeypatch.setattr(router, "FEW_TABLES", few)
    tables = tmp_path / "tables"
    lines = spark.createDataFrame([(json.dumps(event(1)),), (json.dumps(event(2)),)], "value string")
    assert xregit.route(registry, lines, tables).rows == {"g__one": 2}
    given = {"ce_specversion": "1.0", "ce_id": "3", "ce_source": "/vehicles/V", "ce_type": "t.one"}
    headers = [(name, text.encode()) for name, text in given.items()]
    records = [(b"V", b'{"value":3}', "t", headers), (b"V", b"\xff", "readings", None)]
    form = "key binary, value binary, topic string, headers array<struct<key: string, value: binary>>"
    assert xregit.route(registry, spark.createDataFrame(records, form), tables).rows == {"g__one": 1, "g__record": 1}
    assert ids(tables, "g__one") == [1, 2, 3]
    (record,) = rows(tables, "g__record")
    assert (record["context_vin"], record["payload_base64"]) == ("V", base64.b64encode(b"\xff").decode())
    assert json.loads(record["_wire"])["topic"] == "readings"


def test_kafka_columns_may_be_texts(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Who has cast bytes to texts, as many do, gets the same rows; other types are named; empty headers say nothing."""
    header = [("ce_specversion", "1.0"), ("ce_id", "3"), ("ce_source", "/vehicles/V"), ("ce_type", "t.one")]
    records = [("V", "text", "readings", 3, [None, (None, "x"), ("x", None)]), (None, '{"value":3}', "t", 0, header)]
    headers = "headers array<struct<key: string, value: string>>"
    frame = spark.createDataFrame(records, f"key string, value string, topic string, partition long, {headers}")
    assert xregit.route(registry, frame, tmp_path / "tables").rows == {"g__one": 1, "g__record": 1}
    (record,) = rows(tmp_path / "tables", "g__record")
    assert (record["payload"], json.loads(record["_wire"])["partition"]) == ("text", 3)
    other = spark.createDataFrame([((1,), "t")], "value struct<a: int>, topic string")
    with pytest.raises(XregitError, match=r'"value" of the data frame is struct<a:int>; .* it is binary or string'):
        xregit.route(registry, other, tmp_path / "other")


@pytest.mark.parametrize("form", ["kafka-parquet", "kafka-json"])
def test_files_of_kafka_columns(form: str, spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Files with the columns of Spark's Kafka source are read as such; of JSON, what is none stays as it came."""
    body = json.dumps(event(1)).encode()
    headers = [("content-type", b"application/cloudevents+json")]
    form_of = "key binary, value binary, topic string, headers array<struct<key: string, value: binary>>"
    frame = spark.createDataFrame([(None, body, "t", headers)], form_of)
    frame.write.format(form.removeprefix("kafka-")).save(str(tmp_path / "in"))
    if form == "kafka-json":
        write(tmp_path / "in" / "bad", "not json")
    xregit.route(registry, tmp_path / "in", tmp_path / "tables", spark=spark, format=form)
    assert ids(tmp_path / "tables", "g__one") == [1]
    others = ["not json"] if form == "kafka-json" else []
    assert [row["message"] for row in rows(tmp_path / "tables", "unmatched")] == others


def test_stream_of_the_users_own(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A streaming data frame is followed with its own checkpoint; only the endpoint's messages are recognised."""
    write(tmp_path / "in" / "1.jsonl", event(1))
    frame = spark.readStream.text(str(tmp_path / "in"))
    done = xregit.route(registry, frame, tmp_path / "tables", checkpoint=tmp_path / "memory", endpoint="/endpoints/all")
    assert done.rows == {"g__one": 1}
    assert (tmp_path / "memory" / BATCH).exists()
    assert not (tmp_path / "tables" / "_checkpoint").exists()


def test_command_sorts_and_says_how_many(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """The command reads the catalog from a document, and says how many rows went where."""
    assert spark is not None
    assert registry.origin is not None
    write(tmp_path / "in.jsonl", event(1), "no message")
    options = ["--catalog", str(tmp_path / "test.json"), "--input", str(tmp_path / "in.jsonl")]
    tables = tmp_path / "tables"
    for expected in ("g__one 1, unmatched 1", "nothing new"):
        result = CliRunner().invoke(command, ["route", *options, "--tables", str(tables)])
        assert (result.exit_code, result.stdout) == (0, f"{tables}: {expected}\n"), result.output


@pytest.mark.parametrize("changed", ["name", "endpoint", "group"])
def test_checkpoint_of_another_job_is_refused(
    changed: str, spark: SparkSession, registry: Registry, tmp_path: Path
) -> None:
    """A checkpoint of another catalog, or of another part of it, is refused in one line."""
    write(tmp_path / "in" / "1.jsonl", event(1))
    xregit.route(registry, tmp_path / "in", tmp_path / "tables", spark=spark)
    again = registry_of(tmp_path, name="other") if changed == "name" else registry
    endpoint = "/endpoints/all" if changed == "endpoint" else ""
    group = "/messagegroups/g" if changed == "group" else ""
    with pytest.raises(XregitError, match=r"belongs to a job with the (catalog|endpoint|group) .* --checkpoint"):
        xregit.route(again, tmp_path / "in", tmp_path / "tables", spark=spark, endpoint=endpoint, group=group)


def test_tables_are_moved_with_their_checkpoint(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A folder of tables that is called otherwise by now goes on where it was; a checkpoint without its tables not."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1))
    xregit.route(registry, folder, tables, spark=spark)
    moved = tables.rename(tmp_path / "moved")
    write(folder / "2.jsonl", event(2))
    assert xregit.route(registry, folder, moved, spark=spark).rows == {"g__one": 1}
    assert ids(moved, "g__one") == [1, 2]
    with pytest.raises(XregitError, match="belongs to a job with the tables"):
        xregit.route(registry, folder, tables, spark=spark, checkpoint=moved / "_checkpoint")


def test_checkpoint_without_a_whole_first_batch_goes_on(
    spark: SparkSession, registry: Registry, tmp_path: Path
) -> None:
    """What Spark had half written of its first batch when it was killed stands in no later run's way."""
    tables, folder = tmp_path / "tables", tmp_path / "in"
    folder.mkdir()
    assert xregit.route(registry, folder, tables, spark=spark).rows == {}
    offsets = tables / "_checkpoint" / "spark" / "offsets"
    offsets.mkdir(exist_ok=True)
    (offsets / ".0.aba04679-1a1d-41ab-9ccb-f8ba7aafba6d.tmp").write_bytes(b"v1")
    write(folder / "1.jsonl", event(1))
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 1}


def test_damaged_checkpoint_is_refused(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Where Spark's part of a checkpoint is gone, or ours is no JSON, one line says so, and no row is lost unsaid."""
    tables = tmp_path / "tables"
    for number in (1, 2):
        write(tmp_path / "in" / f"{number}.jsonl", event(number))
        xregit.route(registry, tmp_path / "in", tables, spark=spark)
    shutil.rmtree(tables / "_checkpoint" / "spark")
    with pytest.raises(XregitError, match="is damaged: Spark begins batch 0, after batch 1"):
        xregit.route(registry, tmp_path / "in", tables, spark=spark)
    (tables / "_checkpoint" / "job.json").write_text("{", encoding="utf-8")
    with pytest.raises(XregitError, match=r"job\.json can't be read: .*; name another folder"):
        xregit.route(registry, tmp_path / "in", tables, spark=spark)
    write(tmp_path / "elsewhere" / "notes", "text")
    with pytest.raises(XregitError, match="holds something else than a checkpoint"):
        xregit.route(registry, tmp_path / "in", tables, spark=spark, checkpoint=tmp_path / "elsewhere")


def test_second_run_beside_the_first_is_refused(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """While one run has a job's memory, another of the same job ends with one line, and nothing is taken twice."""
    folder, tables = write(tmp_path / "in" / "1.jsonl", event(1)).parent, tmp_path / "tables"
    refused = []

    def begin_another(_done: RoutingResult) -> None:
        with pytest.raises(XregitError) as caught:
            xregit.route(registry, folder, tables, spark=spark)
        refused.append(str(caught.value))

    assert xregit.route(registry, folder, tables, spark=spark, tell=begin_another).rows == {"g__one": 1}
    assert refused == [f'another run is writing "{tables / "_checkpoint"}"; wait for its end']
    assert xregit.route(registry, folder, tables, spark=spark).rows == {}


def test_run_that_was_killed_before_it_had_a_job_is_no_hindrance(
    spark: SparkSession, registry: Registry, tmp_path: Path
) -> None:
    """What it had not named yet is not taken for somebody else's file."""
    folder, tables = write(tmp_path / "in" / "1.jsonl", event(1)).parent, tmp_path / "tables"
    write(tables / "_checkpoint" / ".job.json.new", "{")
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 1}


def test_folder_that_holds_something_else_is_refused(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A table's folder that is none, or another table, or one that needs a newer writer, is left alone."""
    write(tmp_path / "in" / "1.jsonl", event(1))
    faults = {"something else than a Delta": _notes, "a Delta table, but not": _table, "newer Delta writer": _newer}
    for number, (said, make) in enumerate(faults.items()):
        tables = tmp_path / f"tables{number}"
        make(tables / "g__one")
        with pytest.raises(XregitError, match=said):
            xregit.route(registry, tmp_path / "in", tables, spark=spark)
    (tmp_path / "file").write_text("text", encoding="utf-8")
    with pytest.raises(XregitError, match=r"file"):
        xregit.route(registry, tmp_path / "in", tmp_path / "file", spark=spark)


def _notes(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("text", encoding="utf-8")


def _table(folder: Path) -> None:
    write_deltalake(folder, pa.table({"a": [1]}))


def _newer(folder: Path) -> None:
    write_deltalake(
        folder, pa.table({"a": [1]}), name=f"{GROUP}one", configuration={"delta.enableDeletionVectors": "true"}
    )


def test_second_run_of_one_job_is_refused(registry: Registry, tmp_path: Path) -> None:
    """Of two runs that commit the same batch, one wins, and the other says so in one line."""
    mapping = plan(registry).table(f"{GROUP}one")
    stamp = {"path": "part-1.parquet", "size": 1, "modified": 0, "stats": None}
    batches = [Batch("job", number, {}) for number in (0, 1)]
    one, other = DeltaSink(Location.of(tmp_path)), DeltaSink(Location.of(tmp_path))
    one.commit(batches[0], [(mapping, [stamp])])
    stale = DeltaTable(tmp_path / mapping.name)
    one.commit(batches[1], [(mapping, [stamp])])
    one.commit(batches[1], [(mapping, [stamp])])
    assert DeltaTable(tmp_path / mapping.name).version() == 1
    other.open_tables[mapping.name] = Stale(stale)  # type: ignore[assignment]
    with pytest.raises(XregitError, match="g__one was changed by another run in the meantime; run one at a time"):
        other.commit(batches[1], [(mapping, [stamp])])


def test_comments_follow_the_catalog(registry: Registry, tmp_path: Path) -> None:
    """What is said of a table and its columns is what the catalog says by now, told once."""
    before = plan(registry).table(f"{GROUP}one")
    columns = tuple(replace(each, comment="Anew." if each.name == "value" else each.comment) for each in before.columns)
    stamp = {"path": "part-1.parquet", "size": 1, "modified": 0, "stats": None}
    delta_sink = DeltaSink(Location.of(tmp_path))
    for number, mapping in enumerate((before, *[replace(before, comment="Said anew.", columns=columns)] * 2)):
        delta_sink.commit(Batch("job", number, {}), [(mapping, [stamp | {"path": f"part-{number}.parquet"}])])
    result = DeltaTable(tmp_path / before.name)
    comments = {field.name: field.metadata.get("comment", "") for field in result.schema().fields}
    assert (result.metadata().description, comments["value"]) == ("Said anew.", "Anew.")
    assert comments["ce_id"] == "Identifies the event, with its source."
    assert result.version() == 4  # three batches, two comments


class Stale:
    """A table that does not see what others have committed since it was opened."""

    def __init__(self, table: DeltaTable) -> None:
        """Keep the table."""
        self.table = table

    def update_incremental(self) -> None:
        """Do nothing, as if the other run had not committed yet."""

    def __getattr__(self, name: str) -> Any:
        """Be the table in all else."""
        return getattr(self.table, name)


def test_what_can_not_be_read_is_one_line(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A path with nothing there, a format that we do not read, and a data frame of other columns are named."""
    folder = write(tmp_path / "in" / "_hidden", event(1)).parent
    with pytest.raises(XregitError, match=r'there is no ".*nowhere" to read messages from'):
        xregit.route(registry, tmp_path / "nowhere", tmp_path / "tables", spark=spark)
    with pytest.raises(XregitError, match=r'no file whose name begins with "_" or ".", such as .*; rename it'):
        xregit.route(registry, folder / "_hidden", tmp_path / "tables1", spark=spark)
    with pytest.raises(XregitError, match=r"all of .* is read as messages"):
        xregit.route(registry, folder, tmp_path / "tables1", spark=spark, checkpoint=folder / "checkpoint")
    with pytest.raises(XregitError, match="no percent sign"):
        xregit.route(registry, folder, tmp_path / "%20", spark=spark)
    assert not (tmp_path / "%20").exists()
    with pytest.raises(XregitError, match='the format "csv" is unknown; the formats are jsonl'):
        xregit.route(registry, folder, tmp_path / "tables2", spark=spark, format="csv")
    with pytest.raises(XregitError, match="the data frame has the columns id; messages are in one column of text"):
        xregit.route(registry, spark.range(3), tmp_path / "tables3")
    with pytest.raises(XregitError, match='there is no endpoint or message group "/endpoints/al"'):
        xregit.route(registry, folder, tmp_path / "tables4", spark=spark, endpoint="/endpoints/al")
    with pytest.raises(XregitError, match="can't be routed through Spark Connect"):
        xregit.route(registry, folder, tmp_path / "tables5", conf={"spark.remote": "sc://localhost"})
    with pytest.raises(XregitError, match=r"s3://bucket/tables is in a store; .* --checkpoint"):
        xregit.route(registry, folder, "s3://bucket/tables", spark=spark)


def test_file_that_can_not_be_read_is_named(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Half an archive is named, and not said to be a fault of the tables; once it is whole, its messages are taken."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    whole = gzip.compress("".join(f"{json.dumps(event(number))}\n" for number in range(200)).encode())
    folder.mkdir()
    (folder / "1.gz").write_bytes(whole[:-40])
    with pytest.raises(XregitError, match=rf"can't route to {tables}: .*{folder}/1\.gz: .*Unexpected end of") as caught:
        xregit.route(registry, folder, tables, spark=spark)
    assert "\n" not in str(caught.value)
    (folder / "1.gz").write_bytes(whole)
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 200}


def test_failing_disk_is_one_line(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Where executors can't write any more, one line says why; what was done stays, and the next run goes on."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1))

    write(folder / "2.jsonl", event(2), event(3, "t.two"))

    def spoil(_: Any) -> None:
        (tables / "g__two").write_text("in the way", encoding="utf-8")

    with pytest.raises(XregitError) as caught:
        xregit.route(registry, folder, tables, spark=spark, tell=spoil, batch_files=1)
    (tables / "g__two").unlink()
    text = f"can't route to {tables}: FileExistsError: [Errno 17] File exists: '{tables / 'g__two'}'"
    assert str(caught.value) == text
    assert xregit.route(registry, folder, tables, spark=spark).rows == {"g__one": 1, "g__two": 1}
