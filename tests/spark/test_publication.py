"""Publishing with Spark: tables that Delta and Spark read back, and what a second publication writes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from deltalake.schema import Field, PrimitiveType

from tests.spark.repository import SAMPLE, CatalogRepository
from xregit.catalog import Registry
from xregit.errors import XregitError
from xregit.spark import row_batches
from xregit.spark.publication import Publication, publish, tables_at
from xregit.spark.rows import rows
from xregit.spark.session import session
from xregit.spark.tables import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

WEAR = "/messagegroups/brakes/messages/wear"
WORN = "/messagegroups/brakes/messages/worn"
DEPTH = "groups: {endpoints: {attributes: {depth: {type: uinteger}}}}\n"


def _delta(folder: Path, name: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = pa.table(DeltaTable(folder / name).scan()).to_pylist()
    return result


def _spark(spark: SparkSession, folder: Path, name: str) -> DataFrame:
    return spark.read.parquet(*DeltaTable(folder / name).file_uris())


def _feed(folder: Path, name: str, version: int) -> set[tuple[str, str]]:
    table = pa.table(DeltaTable(folder / name).load_cdf(starting_version=version))
    return {(row["_change_type"], row["xid"]) for row in table.to_pylist()}


def _versions(found: Publication) -> dict[str, int | None]:
    return {table.name: table.version for table in found.tables}


def test_tables_are_read_back(spark: SparkSession, sample: Registry, tmp_path: Path) -> None:
    """Delta and Spark read from every table exactly the rows of the registry, with the types of the model."""
    folder = tmp_path / "tables"
    result = publish(sample, folder, spark=spark)
    expected = rows(sample)
    assert result.changed
    assert {table.name: table.rows for table in result.tables} == {
        **{name: len(some) for name, some in expected.items()},
        "publications": 1,
    }
    for name, table in tables(sample.model).items():
        by_delta = sorted(row["hash"] for row in _delta(folder, name))
        assert len(by_delta) == len(expected.get(name, [0]))
        if name in expected:
            assert by_delta == sorted(row["hash"] for row in expected[name])
        frame = _spark(spark, folder, name)
        assert sorted(row["hash"] for row in frame.collect()) == by_delta
        assert [field["type"] for field in json.loads(frame.schema.json())["fields"]] == [
            field["type"] for field in table.structure["fields"]
        ]
    worn = next(row for row in _delta(folder, "messages") if row["xid"] == WORN)
    assert worn["createdat"] == datetime(2026, 1, 1, 12, tzinfo=UTC)
    group = _spark(spark, folder, "messagegroups").first()
    assert group is not None
    assert group["labels"] == {"team": "chassis"}


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_large_catalog_is_written_in_several_jobs(
    spark: SparkSession, sample: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """No row is lost or doubled where tables have several parts, jobs several tasks, and a publication several jobs."""
    monkeypatch.setattr(row_batches, "ROWS_PER_PART", 2)
    monkeypatch.setattr(row_batches, "TASK_BYTES", 10_000)
    monkeypatch.setattr(row_batches, "JOB_BYTES", 20_000)
    result = publish(sample, tmp_path / "tables", format=form, spark=spark)
    assert sum(table.rows for table in result.tables) > 20
    for name, some in rows(sample).items():
        files = [str(path) for path in (tmp_path / "tables" / name).glob("*.parquet")]
        read = spark.read.parquet(*files).collect() if files else []
        assert sorted(row["hash"] for row in read) == sorted(row["hash"] for row in some)
    assert len([*(tmp_path / "tables" / "message_properties").glob("*.parquet")]) > 1


def test_same_commit_writes_nothing(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """Publishing again adds no version to any table, not even a publication."""
    first = publish(sample, tmp_path / "tables", spark=spark)
    again = publish(repository.read(), tmp_path / "tables", spark=spark)
    assert (first.changed, again.changed, again.number) == (True, False, 1)
    assert _versions(again) == _versions(first) == dict.fromkeys(_versions(first), 0)


def test_only_what_changed_is_written(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """A changed and a removed message change their own rows, tables without changes keep their version."""
    folder = tmp_path / "tables"
    publish(sample, folder, spark=spark)
    changes: dict[str, str | None] = {
        "messagegroups/brakes/messages/wear.yaml": SAMPLE["messagegroups/brakes/messages/wear.yaml"].replace(
            "Wear", "W"
        ),
        "messagegroups/brakes/messages/alias.yaml": None,
    }
    after = publish(repository.commit(changes, "Rename"), folder, spark=spark)
    alias = "/messagegroups/brakes/messages/alias"
    assert _feed(folder, "messages", 1) == {
        ("update_preimage", WEAR),
        ("update_postimage", WEAR),
        ("delete", alias),
    }
    assert _feed(folder, "changes", 1) == {("insert", WEAR), ("insert", alias)}
    assert [name for name, version in _versions(after).items() if version == 0] == [
        "registries", "messagegroups", "endpoints", "schemagroups", "schemas", "schemaversions",
    ]  # fmt: skip
    entry = DeltaTable(folder / "messages").history(1)[0]
    assert entry["gitCommit"] == after.commit
    assert json.loads(entry["userMetadata"])["subject"] == "Rename"


def test_publications_name_the_versions_of_a_commit(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """Each publication names its commit and, for every table, the version that has this commit's rows."""
    folder = tmp_path / "tables"
    first = publish(sample, folder, spark=spark)
    second = publish(repository.commit({"endpoints/garage/messages/only.yaml": None}), folder, spark=spark)
    third = publish(repository.commit({"../README.md": "text"}), folder, spark=spark)
    result = {row["commit"]: dict(row["versions"]) for row in _delta(folder, "publications")}
    assert result.keys() == {first.commit, second.commit, third.commit}
    for published in (first, second, third):
        named = {name: version for name, version in _versions(published).items() if name != "publications"}
        assert result[published.commit] == named
    before = DeltaTable(folder / "messages", version=result[first.commit]["messages"])
    assert len(pa.table(before.scan()).to_pylist()) == 4


def test_own_group_type_is_published(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """A group type that the registry's model adds gets its table, which is empty once the model has it no more."""
    folder = tmp_path / "tables"
    publish(sample, folder, spark=spark)
    model = """
        groups:
          gadgets:
            singular: gadget
            attributes: {weight: {type: decimal}}
          endpoints:
            attributes: {depth: {type: uinteger}}
        """
    extended = {
        "model.yaml": model,
        "gadgets/jack/gadget.yaml": "weight: 12.5\n",
        "endpoints/garage/endpoint.yaml": "usage: [consumer]\ndepth: 3\n",
    }
    publish(repository.commit(extended), folder, spark=spark)
    assert [(row["gadgetid"], row["weight"]) for row in _delta(folder, "gadgets")] == [("jack", 12.5)]
    assert [row["depth"] for row in _delta(folder, "endpoints")] == [3]
    without = {
        "model.yaml": None,
        "gadgets/jack/gadget.yaml": None,
        "endpoints/garage/endpoint.yaml": "usage: [consumer]",
    }
    last = publish(repository.commit(without), folder, spark=spark)
    assert [(table.name, table.rows, table.deleted) for table in last.tables if table.version is None] == [
        ("gadgets", 0, 1)
    ]
    assert (_delta(folder, "gadgets"), "gadgets" in tables_at(folder), "gadgets" in tables_at(folder, 2)) == (
        [],
        False,
        True,
    )
    assert _feed(folder, "gadgets", 1) == {("delete", "/gadgets/jack")}
    assert not publish(repository.read(), folder, spark=spark).changed
    publish(repository.commit(extended), folder, spark=spark)
    assert [(row["gadgetid"], row["weight"]) for row in _delta(folder, "gadgets")] == [("jack", 12.5)]
    assert DeltaTable(folder / "gadgets").version() == 2


def test_columns_of_others_keep_what_is_in_them(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """What somebody adds to our rows in columns of their own stays when rows change; what the model had does not."""
    folder = tmp_path / "tables"
    publish(sample, folder, spark=spark)
    extended = {"model.yaml": DEPTH, "endpoints/garage/endpoint.yaml": "usage: [consumer]\ndepth: 3\n"}
    publish(repository.commit(extended), folder, spark=spark)
    theirs = DeltaTable(folder / "endpoints")
    theirs.alter.add_columns([Field("cost", PrimitiveType("long"))])
    theirs.update({"cost": "7"})
    without = {"model.yaml": None, "endpoints/garage/endpoint.yaml": "usage: [producer]"}
    publish(repository.commit(without), folder, spark=spark)
    publish(repository.commit({"endpoints/garage/endpoint.yaml": "usage: [consumer]"}), folder, spark=spark)
    result = {row["endpointid"]: (row["depth"], row["cost"], row["usage"]) for row in _delta(folder, "endpoints")}
    assert result["garage"] == (None, 7, ["consumer"])
    columns = {row["number"]: dict(row["columns"] or ()) for row in _delta(folder, "publications")}
    assert [number for number, each in columns.items() if "depth" in each.get("endpoints", "")] == [2]
    assert columns[4] == {}


def test_active_session_is_used_as_it_is(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """Without a session given, the active one is used and not stopped; its time zone changes no time."""
    assert session(name="another") is spark
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    publish(sample, tmp_path / "tables")
    publish(repository.commit({"messagegroups/brakes/messages/wear.yaml": "name: Again\n"}), tmp_path / "tables")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    result = {row["xid"]: (row["createdat"], row["modifiedat"]) for row in _delta(tmp_path / "tables", "messages")}
    first, second = (datetime(2026, 1, day, 12, tzinfo=UTC) for day in (1, 2))
    assert (result[WORN], result[WEAR]) == ((first, first), (first, second))
    assert spark.range(3).count() == 3


def test_plain_parquet_replaces_the_whole_folder(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """Plain Parquet is one folder per table, read by Spark as it is, and swapped in as a whole."""
    folder = tmp_path / "tables"
    # Tables without rows have a file too, which tells their columns.
    fewer = repository.commit({path: None for path in SAMPLE if path.startswith(("schemagroups/", "endpoints/"))})
    for registry in (sample, fewer):
        result = publish(registry, folder, format="parquet", spark=spark)
        for table in result.tables:
            assert spark.read.parquet(str(folder / table.name)).count() == table.rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repository", "tables"]
    with pytest.raises(XregitError, match="something else than a Delta table"):
        publish(sample, folder, spark=spark)


def test_plain_parquet_replaces_nothing_else(spark: SparkSession, sample: Registry, tmp_path: Path) -> None:
    """A folder that holds anything else is not replaced."""
    (tmp_path / "notes.txt").write_text("text", encoding="utf-8")
    with pytest.raises(XregitError, match="is not replaced"):
        publish(sample, tmp_path, format="parquet", spark=spark)
    assert (tmp_path / "notes.txt").exists()


def test_unknown_format_is_named(sample: Registry, tmp_path: Path) -> None:
    """A format that we do not write is named, with those that we do."""
    with pytest.raises(XregitError, match='"iceberg" is unknown; the formats are "delta" and "parquet"'):
        publish(sample, tmp_path, format="iceberg")
