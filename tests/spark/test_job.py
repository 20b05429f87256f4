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
from tests.spark.streams import (
    CATALOG,
    GROUP,
    READING,
    assert_fields_kept_their_columns,
    definition,
    event,
    fields_that_come_and_go,
    registry_of,
    route,
    rows,
    write,
)
from xregit.catalog import Registry
from xregit.cli.commands import xregit as command
from xregit.errors import XregitError
from xregit.spark import classify, write_batch
from xregit.spark.location import Location
from xregit.spark.streams.delta import DeltalakeTables, Transaction
from xregit.spark.streams.router import make_plan
from xregit.spark.streams.sink import Sink

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


def test_files_are_taken_once(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Each run takes what is new, in batches of so many files; a run with nothing new writes nothing."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1), event(2, "t.two"), "", "no message")
    write(folder / "2.jsonl", event(3), event(4, "t.both"))
    told: list[int] = []
    first = route(registry, folder, tables, spark=spark, batch_files=1, tell=lambda done: told.append(done.batch_id))
    assert (first.batches, told) == (2, [0, 1])
    assert first.rows == {"g__one": 2, "g__two": 1, "unmatched": 1, "ambiguous": 1}
    assert route(registry, folder, tables, spark=spark).rows == {}
    write(folder / "3.jsonl", event(5))
    assert route(registry, folder, tables, spark=spark).rows == {"g__one": 1}
    assert (ids(tables, "g__one"), ids(tables, "g__two")) == ([1, 3, 5], [2])
    result = DeltaTable(tables / "g__one")
    assert (result.version(), result.metadata().name) == (2, f"{GROUP}one")
    assert spark.read.parquet(*result.file_uris()).where("value > 2").count() == 2


def test_every_file_is_taken(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Files are taken wherever they lie in a folder of any name, however old; those whose names begin so are not."""
    folder, tables = tmp_path / "in[1] {a}, 50%=\\ü", tmp_path / "tables"
    for number, name in enumerate(("1", "day=1/2", "day=1/other/3", "value=x/4", "_hidden", ".hidden", "_h/5")):
        write(folder / name, event(number))
    assert route(registry, folder, tables, spark=spark).rows == {"g__one": 4}
    old = write(folder / "old", event(9))
    os.utime(old, (0, 0))
    (folder / "packed.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(event(10)).encode() + b"\r\n\r\n"))
    (folder / "empty").touch()
    assert route(registry, folder, tables, spark=spark).rows == {"g__one": 2}
    assert ids(tables, "g__one") == [0, 1, 2, 3, 9, 10]


def test_definition_that_gains_fields_gains_columns(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A new field, also one in a record, is a new column; a new definition is used from the next start."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1, data={"value": 1, "new": "x"}), event(2, "t.three"))
    route(registry, folder, tables, spark=spark)
    place = {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
    grown = {**READING, "properties": {**READING["properties"], "new": {"type": "string"}, "place": place}}
    later = registry_of(tmp_path, {**CATALOG, "one": definition("t.one", grown), "three": definition("t.three")})
    write(folder / "2.jsonl", event(3, data={"value": 1, "new": "y", "place": {"lon": 2}}), event(4, "t.three"))
    route(later, folder, tables, spark=spark)
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
        for name in route(registry, folder, tables, spark=spark).rows:
            result = rows(tables, name)
            held[name] = {str(row.get("ce_type")) for row in result}
    assert held.pop("unmatched") == {"None"}
    assert sorted(held.values(), key=str) == [{"t.door-open"}, {"t.door.open"}, {"t.door_open"}]
    assert held["g__door_open"] == {"t.door.open"}
    assert ids(tables, "g__door_open") == [0, 1, 4]


def test_what_changes_its_type_waits_in_quarantine(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Where a field changes its type, its definition's rows wait with the reason, and no others; they can be taken."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1))
    route(registry, folder, tables, spark=spark)
    text = definition("t.one", {"properties": {"value": {"type": "string"}}})
    other = registry_of(tmp_path, {**CATALOG, "one": text})
    write(folder / "2.jsonl", event(2, data={"value": "x"}), event(3, "t.two"))
    result = route(other, folder, tables, spark=spark)
    assert result.rows == {"quarantine": 1, "g__two": 1}
    assert result.quarantined == {f"{GROUP}one": 'g__one: the column "value" is DOUBLE, and STRING by now'}
    assert ids(tables, "g__one") == [1]
    (tables / "g__one").rename(tables / "before")
    waiting = spark.createDataFrame([(row["message"],) for row in rows(tables, "quarantine")], "value string")
    assert write_batch(waiting, 0, "after the move", other, tables).rows == {"g__one": 1}
    assert (ids(tables, "before"), ids(tables, "g__one")) == ([1], [2])


class CrashError(Exception):
    """The machine stops here."""


def test_batch_is_sorted_again_as_it_was(
    spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch that ended in the middle of its commits goes on by the catalog that it began with."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1), event(2, "t.two"), event(3, "t.three"))
    commit = DeltalakeTables.commit

    def crash(made: DeltalakeTables, mapping: Any, content: Any, transaction: Any) -> bool:
        if mapping.name == "unmatched":
            raise CrashError
        return commit(made, mapping, content, transaction)

    monkeypatch.setattr(DeltalakeTables, "commit", crash)
    with pytest.raises(XregitError, match="CrashError"):
        route(registry, folder, tables, spark=spark)
    monkeypatch.undo()
    assert (ids(tables, "g__one"), rows(tables, "unmatched")) == ([1], [])
    # By the new catalog, the event of the first table would be one of the last, and the other way round.
    changed = {**CATALOG, "one": definition("t.three"), "three": definition("t.one")}
    route(registry_of(tmp_path, changed), folder, tables, spark=spark)
    assert (ids(tables, "g__one"), ids(tables, "g__two"), ids(tables, "g__three")) == ([1], [2], [])
    assert [json.loads(row["message"])["id"] for row in rows(tables, "unmatched")] == ["3"]
    write(folder / "2.jsonl", event(4))
    route(registry_of(tmp_path, changed), folder, tables, spark=spark)
    assert ids(tables, "g__three") == [4]


def test_batches_of_ones_own_are_written_once(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A batch that is written again adds nothing, whether it is classified or not; another one does."""
    tables = tmp_path / "tables"
    lines = spark.createDataFrame(
        [(json.dumps(event(1)), 7), (json.dumps([event(2), event(3)]), 8)], "text string, n int"
    )
    where = {"value": "text"}
    result = write_batch(lines, 0, "mine", registry, tables, columns=where)
    assert result.rows == {"g__one": 3}
    assert write_batch(lines, 0, "mine", registry, tables, columns=where).rows == {}
    classified = classify(lines, registry, columns=where)
    assert write_batch(classified, 0, "mine", registry, tables, columns=where).rows == {}
    assert write_batch(classified, 1, "mine", registry, tables, columns=where).rows == {"g__one": 3}
    history = DeltaTable(tables / "g__one").history()
    marks = [json.loads(each["userMetadata"]) for each in history if "userMetadata" in each]
    assert [(each["application"], each["batch"]) for each in marks] == [("mine", 1), ("mine", 0)]
    given = {"ce_specversion": "1.0", "ce_id": "9", "ce_source": "/vehicles/V", "ce_type": "t.one"}
    headers = [(name, text.encode()) for name, text in given.items()]
    records = [(b"V", b'{"value":3}', "t", 5, headers), (b"V", b"\xff", "readings", 6, None)]
    form = "key binary, value binary, topic string, offset long, headers array<struct<key: string, value: binary>>"
    kafka = spark.createDataFrame(records, form)
    assert write_batch(kafka, 0, "other", registry, tables).rows == {"g__one": 1, "g__record": 1}
    assert ids(tables, "g__one") == [1, 1, 2, 2, 3, 3, 9]
    assert [row["_n"] for row in rows(tables, "g__one") if row["ce_id"] == "2"] == [8, 8]
    (record,) = rows(tables, "g__record")
    assert (record["context_vin"], record["payload_base64"]) == ("V", base64.b64encode(b"\xff").decode())
    assert (record["_topic"], record["_offset"], record["_key"]) == ("readings", 6, b"V")
    assert record["_ingested"].tzinfo is not None


def test_classified_batch_is_written_by_the_catalog_of_its_first_time(
    spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a newer catalog has classified is classified anew where the batch was begun by an older one."""
    tables = tmp_path / "tables"
    lines = spark.createDataFrame([(json.dumps([event(1), event(2, "t.two")]),)], "value string")
    monkeypatch.setattr(Sink, "write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_batch(lines, 0, "mine", registry, tables)
    monkeypatch.undo()
    other = registry_of(tmp_path, {"one": definition("t.two"), "two": definition("t.one")})
    assert write_batch(classify(lines, other), 0, "mine", other, tables).rows == {"g__one": 1, "g__two": 1}
    assert (ids(tables, "g__one"), ids(tables, "g__two")) == ([1], [2])
    without = registry_of(tmp_path, {"one": definition("t.one")})
    with pytest.raises(XregitError, match="classified with another catalog, which has /messagegroups/g/messages/two"):
        write_batch(classify(lines, other), 1, "mine", without, tables)


def test_batch_keeps_the_part_of_the_catalog_that_it_began_with(
    spark: SparkSession, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun with the definitions of one group goes on with these, whichever are compared by now."""
    tables = tmp_path / "tables"
    lines = spark.createDataFrame([(json.dumps([event(1), event(2, "t.two")]),)], "value string")
    monkeypatch.setattr(Sink, "write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_batch(lines, 0, "mine", registry, tables, group="/endpoints/all")  # which has no message of its own
    monkeypatch.undo()
    assert write_batch(classify(lines, registry), 0, "mine", registry, tables).rows == {"unmatched": 2}
    assert write_batch(lines, 1, "mine", registry, tables).rows == {"g__one": 1, "g__two": 1}


def test_table_may_be_moved_away_between_batches(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """The batch that misses a table fails; written again, also by the same process, it makes another one."""
    tables = tmp_path / "tables"
    lines = spark.createDataFrame([(json.dumps(event(1)),), ("x",)], "value string")
    for number in range(2):
        write_batch(lines, number, "mine", registry, tables)
    (tables / "g__one").rename(tmp_path / "moved")
    with pytest.raises(XregitError, match="g__one"):
        write_batch(lines, 2, "mine", registry, tables)
    write_batch(lines, 2, "mine", registry, tables)
    assert (ids(tables, "g__one"), len(rows(tables, "unmatched"))) == ([1], 3)


def test_name_of_an_application_is_that_of_one_checkpoint(
    spark: SparkSession, registry: Registry, tmp_path: Path
) -> None:
    """With a new checkpoint, batches are counted anew: under the old name their rows would be taken for written."""
    folder, tables = write(tmp_path / "in" / "1.jsonl", event(1)).parent, tmp_path / "tables"
    route(registry, folder, tables, spark=spark, app_id="mine")
    shutil.rmtree(tables / "_checkpoint")
    with pytest.raises(XregitError, match='"mine" has written batches of another checkpoint'):
        route(registry, folder, tables, spark=spark, app_id="mine")
    assert ids(tables, "g__one") == [1]


def test_kafka_columns_may_be_texts(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Who has cast bytes to texts, as many do, gets the same rows; other types are named; empty headers say nothing."""
    header = [("ce_specversion", "1.0"), ("ce_id", "3"), ("ce_source", "/vehicles/V"), ("ce_type", "t.one")]
    records = [("V", "text", "readings", 3, [None, (None, "x"), ("x", None)]), (None, '{"value":3}', "t", 0, header)]
    headers = "headers array<struct<key: string, value: string>>"
    frame = spark.createDataFrame(records, f"key string, value string, topic string, partition long, {headers}")
    assert write_batch(frame, 0, "mine", registry, tmp_path / "tables").rows == {"g__one": 1, "g__record": 1}
    (record,) = rows(tmp_path / "tables", "g__record")
    assert (record["payload"], json.loads(record["_wire"])["partition"]) == ("text", 3)
    other = spark.createDataFrame([((1,), "t")], "value struct<a: int>, topic string")
    with pytest.raises(XregitError, match=r'"value" of the data frame is struct<a:int>; .* it is binary or string'):
        write_batch(other, 0, "mine", registry, tmp_path / "other")


def test_tombstone_has_its_definition(spark: SparkSession, registry: Registry) -> None:
    """A record without value has an outcome of its own, and the definition whose key it has."""
    headers = [("ce_specversion", "1.0"), ("ce_id", "3"), ("ce_source", "/vehicles/V"), ("ce_type", "t.one")]
    form = "value string, topic string, headers array<struct<key: string, value: string>>"
    found = classify(spark.createDataFrame([(None, "t", headers)], form), registry).collect()
    assert [(row["outcome"], row["xid"], row["context"]) for row in found] == [
        ("tombstone", f"{GROUP}one", {"vin": "V"})
    ]


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
    route(registry, tmp_path / "in", tmp_path / "tables", spark=spark, format=form)
    assert ids(tmp_path / "tables", "g__one") == [1]
    others = ["not json"] if form == "kafka-json" else []
    assert [row["message"] for row in rows(tmp_path / "tables", "unmatched")] == others


def test_stream_of_the_users_own(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A streaming data frame is followed with its own checkpoint; only the endpoint's messages are recognised."""
    write(tmp_path / "in" / "1.jsonl", event(1))
    frame = spark.readStream.text(str(tmp_path / "in"))
    done = route(registry, frame, tmp_path / "tables", checkpoint=tmp_path / "memory", endpoint="/endpoints/all")
    assert done.rows == {"g__one": 1}
    assert (tmp_path / "memory" / "offsets").exists()
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


def test_tables_are_moved_with_their_checkpoint(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A folder of tables that is called otherwise by now goes on where it was."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1))
    route(registry, folder, tables, spark=spark)
    moved = tables.rename(tmp_path / "moved")
    write(folder / "2.jsonl", event(2))
    assert route(registry, folder, moved, spark=spark).rows == {"g__one": 1}
    assert ids(moved, "g__one") == [1, 2]


def test_checkpoint_without_a_whole_first_batch_goes_on(
    spark: SparkSession, registry: Registry, tmp_path: Path
) -> None:
    """What Spark had half written of its first batch when it was killed stands in no later run's way."""
    tables, folder = tmp_path / "tables", tmp_path / "in"
    folder.mkdir()
    assert route(registry, folder, tables, spark=spark).rows == {}
    offsets = tables / "_checkpoint" / "offsets"
    offsets.mkdir(exist_ok=True)
    (offsets / ".0.aba04679-1a1d-41ab-9ccb-f8ba7aafba6d.tmp").write_bytes(b"v1")
    write(folder / "1.jsonl", event(1))
    assert route(registry, folder, tables, spark=spark).rows == {"g__one": 1}


def test_table_that_is_no_good_stops_its_definition_alone(
    spark: SparkSession, registry: Registry, tmp_path: Path
) -> None:
    """A folder that is no table, or another one, or one that needs a newer writer, is left alone; its rows wait."""
    write(tmp_path / "in" / "1.jsonl", event(1), event(2, "t.two"))
    faults = {"something else than a Delta": _notes, "newer Delta writer": _newer, "newer Delta reader": _newest}
    for number, (said, make) in enumerate(faults.items()):
        tables = tmp_path / f"tables{number}"
        make(tables / "g__one")
        result = route(registry, tmp_path / "in", tables, spark=spark)
        assert result.rows == {"quarantine": 1, "g__two": 1}
        assert said in result.quarantined[f"{GROUP}one"]
        (row,) = rows(tables, "quarantine")
        assert json.loads(row["message"])["id"] == "1"
        assert (row["xid"], row["reasons"]) == (f"{GROUP}one", result.quarantined[f"{GROUP}one"])
    _newer(tmp_path / "tables" / "unmatched")
    with pytest.raises(XregitError, match=f"unmatched is the table of {GROUP}one"):
        route(registry, tmp_path / "in", tmp_path / "tables", spark=spark)
    (tmp_path / "file").write_text("text", encoding="utf-8")
    with pytest.raises(XregitError, match=r"file"):
        route(registry, tmp_path / "in", tmp_path / "file", spark=spark)


def _notes(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("text", encoding="utf-8")


def _newer(folder: Path) -> None:
    write_deltalake(
        folder, pa.table({"a": [1]}), name=f"{GROUP}one", configuration={"delta.enableDeletionVectors": "true"}
    )


def _newest(folder: Path) -> None:
    _newer(folder)
    log = folder / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text(encoding="utf-8").replace('"deletionVectors"', '"telepathy"'), encoding="utf-8")


def test_table_that_a_job_needs_stops_it_before_a_row(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Of its own tables each one that is no good is one line, and when it is gone all messages are taken, once."""
    write(tmp_path / "in" / "1.jsonl", event(1), event(2, "t.none"), event(3, "t.both"))
    tables = tmp_path / "tables"
    for name in ("_batches", "quarantine", "unmatched", "ambiguous"):
        for make in (_notes, _newest):
            make(tables / name)
            with pytest.raises(XregitError, match=rf"{name} .*; repair or move it before you route messages") as caught:
                route(registry, tmp_path / "in", tables, spark=spark)
            assert "\n" not in str(caught.value)
            assert not (tables / "g__one").exists()
            shutil.rmtree(tables / name)
    assert route(registry, tmp_path / "in", tables, spark=spark).rows == {"g__one": 1, "unmatched": 1, "ambiguous": 1}


def test_checkpoint_of_an_earlier_version_is_refused(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Its job would begin anew, and add all rows again."""
    write(tmp_path / "in" / "1.jsonl", event(1))
    write(tmp_path / "tables" / "_checkpoint" / "job.json", {"application": "xregit 1"})
    with pytest.raises(XregitError, match="_checkpoint is the checkpoint of an earlier version of xregit"):
        route(registry, tmp_path / "in", tmp_path / "tables", spark=spark)
    assert not (tmp_path / "tables" / "g__one").exists()


def test_small_files_become_large_ones(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """After every second batch, so that what four batches wrote is one file, with all rows."""
    for number in range(1, 5):
        write(tmp_path / "in" / f"{number}.jsonl", event(number))
    route(registry, tmp_path / "in", tmp_path / "tables", spark=spark, batch_files=1, compact=2)
    assert ids(tmp_path / "tables", "g__one") == [1, 2, 3, 4]
    assert len(DeltaTable(tmp_path / "tables" / "g__one").file_uris()) == 1


def test_files_are_bounded_by_tables_however_many_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """Messages for many tables, which are in all partitions, are about a file for each."""
    tables, partitions = 30, 200
    registry = registry_of(tmp_path, {f"m{number}": definition(f"t.{number}") for number in range(tables)})
    lines = [(json.dumps(event(each, f"t.{each % tables}")),) for each in range(tables * 20)]
    frame = spark.createDataFrame(lines, "value string").repartition(partitions)
    result = write_batch(frame, 0, "many", registry, tmp_path / "tables")
    assert result.rows == {f"g__m{number}": 20 for number in range(tables)}
    files = [DeltaTable(tmp_path / "tables" / name).file_uris() for name in result.rows]
    assert sum(map(len, files)) <= 2 * tables


def test_column_stands_for_one_field_whatever_else_comes(spark: SparkSession, tmp_path: Path) -> None:
    """Of fields whose columns would be called alike, each keeps its name, also when it has been away."""
    for number, name in enumerate(fields_that_come_and_go(tmp_path)):
        lines, catalog = spark.read.text(str(tmp_path / f"{name}.jsonl")), xregit.read(tmp_path / f"{name}.json")
        result = write_batch(lines, number, "fields", catalog, tmp_path / "tables")
    assert result.rows == {"quarantine": 1}
    assert_fields_kept_their_columns(tmp_path / "tables")


STAMP = {"path": "part-1.parquet", "size": 1, "modified": 0, "stats": None}


def test_comments_follow_the_catalog(registry: Registry, tmp_path: Path) -> None:
    """What is said of a table and its columns is what the catalog says by now, told once."""
    before = make_plan(registry).table(f"{GROUP}one")
    columns = tuple(replace(each, comment="Anew." if each.name == "value" else each.comment) for each in before.columns)
    tables = DeltalakeTables(Location.of(tmp_path))
    for number, mapping in enumerate((before, *[replace(before, comment="Said anew.", columns=columns)] * 2)):
        tables.commit(mapping, [STAMP | {"path": f"part-{number}.parquet"}], Transaction("job", number, {}))
    result = DeltaTable(tmp_path / before.name)
    comments = {field.name: field.metadata.get("comment", "") for field in result.schema().fields}
    assert (result.metadata().description, comments["value"]) == ("Said anew.", "Anew.")
    assert comments["ce_id"] == "Identifies the event, with its source."
    assert result.version() == 4  # three batches, two comments


def test_what_can_not_be_read_is_one_line(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """A path with nothing there, a format that we do not read, and a data frame of other columns are named."""
    folder = write(tmp_path / "in" / "_hidden", event(1)).parent
    with pytest.raises(XregitError, match=r'there is no ".*nowhere" to read messages from'):
        route(registry, tmp_path / "nowhere", tmp_path / "tables", spark=spark)
    with pytest.raises(XregitError, match=r'no file whose name begins with "_" or ".", such as .*; rename it'):
        route(registry, folder / "_hidden", tmp_path / "tables1", spark=spark)
    with pytest.raises(XregitError, match=r"all of .* is read as messages"):
        route(registry, folder, tmp_path / "tables1", spark=spark, checkpoint=folder / "checkpoint")
    with pytest.raises(XregitError, match="no percent sign"):
        route(registry, folder, tmp_path / "%20", spark=spark)
    assert not (tmp_path / "%20").exists()
    with pytest.raises(XregitError, match='the format "csv" is unknown; the formats are jsonl'):
        route(registry, folder, tmp_path / "tables2", spark=spark, format="csv")
    with pytest.raises(XregitError, match="a batch has at least one file, not 0"):
        route(registry, folder, tmp_path / "tables2", spark=spark, batch_files=0)
    with pytest.raises(XregitError, match="a path is an empty text"):
        route(registry, folder, "", spark=spark)
    for app_id, number in (("", 0), ("a", -1), ("a finished", 0)):
        with pytest.raises(XregitError, match=f'they are "{app_id}" and {number}'):
            write_batch(spark.range(3), number, app_id, registry, tmp_path / "tables2")
    with pytest.raises(XregitError, match="expected a DataFrame, but"):
        write_batch([], 0, "a", registry, tmp_path / "tables2")  # type: ignore[arg-type]
    with pytest.raises(XregitError, match="the data frame has the columns id; messages are in one column of text"):
        classify(spark.range(3), registry)
    with pytest.raises(XregitError, match=r"is not streaming; write its rows with xregit\.spark\.write_batch"):
        route(registry, spark.range(3), tmp_path / "tables3")
    with pytest.raises(XregitError, match='there is no endpoint or message group "/endpoints/al"'):
        route(registry, folder, tmp_path / "tables4", spark=spark, endpoint="/endpoints/al")
    with pytest.raises(XregitError, match=r"begin a query with the checkpoint .*: .*'often'"):
        route(registry, folder, tmp_path / "tables5", spark=spark, trigger="often")
    with pytest.raises(XregitError, match=r'read none://a/b: .*No FileSystem for scheme "none"'):
        route(registry, "none://a/b", tmp_path / "tables6", spark=spark)
    with pytest.raises(XregitError, match="has columns called XID, as those that would be added; rename them"):
        classify(spark.createDataFrame([("x", "y")], "value string, XID string"), registry)
    ntz = spark.sql("SELECT 'x' AS value, timestamp_ntz'2026-01-01' AS at")
    with pytest.raises(XregitError, match="the column \"at\" has the type 'timestamp_ntz', which no table has"):
        write_batch(ntz, 0, "a", registry, tmp_path / "tables7")
    with pytest.raises(XregitError, match=r"schema:main\.bronze need Delta's own classes"):
        write_batch(spark.createDataFrame([("x",)], "value string"), 0, "a", registry, "schema:main.bronze")


def test_file_that_can_not_be_read_is_named(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Half an archive is named, and not said to be a fault of the tables; once it is whole, its messages are taken."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    whole = gzip.compress("".join(f"{json.dumps(event(number))}\n" for number in range(200)).encode())
    folder.mkdir()
    (folder / "1.gz").write_bytes(whole[:-40])
    with pytest.raises(XregitError, match=rf"can't write to {tables}: .*{folder}/1\.gz: .*Unexpected end of") as caught:
        route(registry, folder, tables, spark=spark)
    assert "\n" not in str(caught.value)
    (folder / "1.gz").write_bytes(whole)
    assert route(registry, folder, tables, spark=spark).rows == {"g__one": 200}


def test_failing_disk_is_one_line(spark: SparkSession, registry: Registry, tmp_path: Path) -> None:
    """Where executors can't write any more, one line says why; what was done stays, and the next run goes on."""
    folder, tables = tmp_path / "in", tmp_path / "tables"
    write(folder / "1.jsonl", event(1))

    write(folder / "2.jsonl", event(2), event(3, "t.two"))

    def spoil(_: Any) -> None:
        (tables / "g__two").write_text("in the way", encoding="utf-8")

    with pytest.raises(XregitError) as caught:
        route(registry, folder, tables, spark=spark, tell=spoil, batch_files=1)
    (tables / "g__two").unlink()
    text = f"can't write to {tables}: FileExistsError: [Errno 17] File exists: '{tables / 'g__two'}'"
    assert str(caught.value) == text
    assert route(registry, folder, tables, spark=spark).rows == {"g__one": 1, "g__two": 1}
