"""The jobs on other Sparks and other stores than the local ones: Delta's own classes, S3, a cluster, Connect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import xregit
from tests.clusters.standalone import conf, connect_server, object_store
from tests.spark.jars import DELTA_JARS
from tests.spark.repository import SAMPLE, CatalogRepository
from tests.spark.streams import GROUP as EVENTS
from tests.spark.streams import (
    assert_fields_kept_their_columns,
    definition,
    event,
    fields_that_come_and_go,
    registry_of,
    rows,
    write,
)
from tests.waiting import PATIENCE_SECONDS
from xregit.spark.session import LOCAL_DEFAULTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

WEAR = "messagegroups/brakes/messages/wear.yaml"
GROUP = "schemagroups/brakes/schemagroup.yaml"
# An attribute and a group type that the registry adds for a while.
WITH_DEPTH = {
    "model.yaml": "groups: {schemagroups: {attributes: {depth: {type: uinteger}}}, gadgets: {singular: gadget}}\n",
    GROUP: SAMPLE[GROUP] + "depth: 3\n",
    "gadgets/jack/gadget.yaml": "name: Jack\n",
}
NATIVE = {
    "spark.jars": ",".join(map(str, DELTA_JARS)),
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
LINK = "spark.hadoop.fs.viewfs.mounttable.cluster.link./lake"
IN_STORE = """
import json, sys, xregit
from pathlib import Path
from xregit.spark.session import session
repository, catalog, messages, checkpoint = sys.argv[1:]
running = session(name="store")
done = list(xregit.publish_history(Path(repository), "main", "s3://bucket/tables"))
done.append(xregit.publish(xregit.load(repository), "s3://bucket/tables"))
known = xregit.load(catalog)
for _ in range(2):
    routed = {}
    xregit.route(
        known, messages, "s3://bucket/routed", checkpoint=checkpoint, tell=lambda done: routed.update(done.rows)
    ).awaitTermination()
    print(json.dumps(routed))
print(json.dumps([each.changed for each in done]))
"""
CONNECTED = """
import sys, xregit
from pyspark.sql import SparkSession
from xregit.spark import write_batch
url, catalog, messages, routed, checkpoint, tables, *batches = sys.argv[1:]
spark = SparkSession.builder.remote(url).getOrCreate()
def routed_all():
    # Spark waits ten seconds for its own worker to come up, which no setting changes; a busy machine takes longer.
    for left in reversed(range(10)):
        try:
            xregit.route(
                xregit.load(catalog), messages, routed, spark=spark, checkpoint=checkpoint, app_id="connected",
                batch_files=1,
            ).awaitTermination()
            return
        except Exception as error:
            if not left or "connect back" not in str(error):
                raise
for _ in range(2):
    routed_all()
try:
    xregit.route(xregit.load(catalog), messages, routed, spark=spark, checkpoint=checkpoint + "2")
    raise AssertionError("a query without a name was begun")
except xregit.XregitError as error:
    assert "app_id" in str(error), error
for number, batch in enumerate(batches):
    for _ in range(2 if number in (1, len(batches) - 1) else 1):
        catalog, _, lines = batch.partition("=")
        result = write_batch(
            spark.read.text(lines), number, "batches", xregit.load(catalog), tables, compact=len(batches)
        )
        print(sorted(result.rows.items()))
"""

# A driver dies between two tables; before the next one writes the batch again, somebody gives the first other columns.
REPLACED = """
import json, sys, xregit
from pathlib import Path
from xregit.spark import write_batch
from xregit.spark.session import session
from xregit.spark.streams import delta, sink
catalog, messages, tables, conf = sys.argv[1:]
spark = session(name="replaced", conf=json.loads(conf))
lines, registry = spark.read.text(messages), xregit.load(catalog)
commit = delta.SparkTables.commit
def crash(made, mapping, content, transaction):
    if mapping.name == "unmatched":
        raise SystemExit
    return commit(made, mapping, content, transaction)
delta.SparkTables.commit = crash
sink.COMMITTERS = 1
try:
    write_batch(lines, 0, "mine", registry, tables)
except SystemExit:
    pass
delta.SparkTables.commit = commit
sink._sinks.clear()
spark.sql(f"CREATE OR REPLACE TABLE delta.`{tables}/g__one` USING delta AS SELECT 'x' AS value").collect()
for number in (0, 1):
    print(sorted(write_batch(lines, number, "mine", registry, tables).rows.items()))
"""

# Somebody gives a table a constraint that the next batch breaks, and then a feature that Delta does not know; at last
# the first batch is written again. In a schema there are a table that lacks columns, a view, and another format, too.
REFUSING = """
import json, sys, xregit
from pathlib import Path
from xregit.spark import write_batch
from xregit.spark.session import session
from xregit.spark.streams import sink
catalog, messages, folder, conf = sys.argv[1:]
spark = session(name="refusing", conf=json.loads(conf))
lines, registry = spark.read.text(messages), xregit.load(catalog)
feature = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["f"], "writerFeatures": ["f"]}
for statement in (
    "SCHEMA lake",
    "TABLE lake.g__one (ce_id STRING) USING delta",
    "VIEW lake.g__two AS SELECT 1 AS a",
    "TABLE lake.g__three (a INT) USING parquet",
):
    spark.sql("CREATE " + statement).collect()
for tables, place, numbers in (
    (folder, folder, (0, 1, 2, 0)),
    ("schema:spark_catalog.lake", f"{folder}/lake.db", (0, 2, 0)),
):
    log = Path(place, "g__one", "_delta_log")
    for number in numbers:
        if number == 1:
            last = spark.sql(f"SELECT CAST(max(_ingested) AS string) FROM delta.`{tables}/g__one`").first()[0]
            spark.sql(f"ALTER TABLE delta.`{tables}/g__one` ADD CONSTRAINT few CHECK (_ingested <= '{last}')").collect()
        if number == 2:
            version = len(list(log.glob("*.json")))
            (log / f"{version:020}.json").write_text(json.dumps({"protocol": feature}))
            sink._sinks.clear()
        done = write_batch(lines, number, "mine", registry, tables)
        reasons = (each.partition("]")[0].rpartition("[")[2] for each in done.quarantined.values())
        print(sorted(done.rows.items()), sorted(reasons))
try:
    write_batch(lines, 0, "mine", registry, "schema:absent")
except xregit.XregitError as error:
    print(error)
"""


@pytest.fixture
def sample(tmp_path: Path) -> CatalogRepository:
    """Return a repository with the sample registry."""
    result = CatalogRepository(tmp_path / "repository")
    result.commit(SAMPLE, "Begin")
    return result


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the file system ``viewfs://cluster/lake`` is."""
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="module")
def delta_server(lake: Path) -> Iterator[str]:
    """Give the URL of a Spark Connect server that has Delta's own classes, and calls times without zone so."""
    refuse_without_delta()
    settings = {LINK: lake.as_uri(), "spark.master": "local[2]", "spark.sql.timestampType": "TIMESTAMP_NTZ"}
    with connect_server({**LOCAL_DEFAULTS, **NATIVE, **settings}, lake, os.environ) as url:
        yield url


def refuse_without_delta() -> None:
    """Skip a test where Delta's own classes are not here."""
    if not DELTA_JARS:
        pytest.skip("Delta's own classes are not here; .ci/programs fetches them from Maven Central")


def run(at: Path, *arguments: str, **environment: str) -> str:
    """Run Python in a folder, and return what it prints."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=at,
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def publish(at: CatalogRepository, tables: Path | str, *more: str) -> str:
    """Run the command on a repository, and return what it prints."""
    return run(at.root, "-m", "xregit", "publish", "--tables", str(tables), *more)


def names(tables: Path | str, version: int | None = None, options: dict[str, str] | None = None) -> set[Any]:
    """Return the names of the messages in published tables, read by `deltalake`."""
    table = DeltaTable(f"{tables}/messages", version=version, storage_options=options)
    return {row["name"] for row in pa.table(table.scan()).to_pylist()}


def depths(tables: Path) -> list[int | None]:
    """Return what the schema groups in published tables have in a column that is theirs for a while."""
    return [row["depth"] for row in pa.table(DeltaTable(tables / "schemagroups").scan()).to_pylist()]


def rename(at: CatalogRepository, number: int) -> xregit.Registry:
    """Commit another name of a message, and return the registry."""
    return at.commit({WEAR: SAMPLE[WEAR].replace("Wear", f"Wear {number}")}, f"Rename {number}")


def assert_continued(tables: Path, publications: int) -> None:
    """Check that the last publication is one version with the rename as its only change of messages' names."""
    last = DeltaTable(tables / "messages")
    feed = pa.table(last.load_cdf(starting_version=last.version())).to_pylist()
    assert sorted((row["_change_type"], row["name"]) for row in feed if row["name"]) == [
        ("update_postimage", f"Wear {publications}"),
        ("update_preimage", f"Wear {publications - 1}"),
    ]
    assert last.metadata().description
    assert len(pa.table(DeltaTable(tables / "publications").scan())) == publications


def test_delta_continues_what_we_began(spark: SparkSession, sample: CatalogRepository, tmp_path: Path) -> None:
    """Our tables are taken on by a command with Delta's own classes, and these again by us."""
    refuse_without_delta()
    tables = tmp_path / "tables"
    sample.commit(WITH_DEPTH)
    xregit.publish(rename(sample, 1), tables, spark=spark)
    assert depths(tables) == [3]
    sample.commit({"model.yaml": None, GROUP: SAMPLE[GROUP], "gadgets/jack/gadget.yaml": None})
    rename(sample, 2)
    publish(sample, tables, *conf(NATIVE))
    assert_continued(tables, 2)
    assert (DeltaTable(tables / "gadgets").version(), DeltaTable(tables / "gadgets").count()) == (1, 0)
    assert depths(tables) == [None]
    xregit.publish(rename(sample, 3), tables, spark=spark)
    assert_continued(tables, 3)


def test_we_continue_what_delta_began(
    spark: SparkSession, sample: CatalogRepository, delta_server: str, lake: Path
) -> None:
    """Tables that Delta's own classes make on any file system that the session knows are continued by us."""
    rename(sample, 1)
    publish(sample, "viewfs://cluster/lake/tables", "--remote", delta_server)
    assert "nothing changed" in publish(sample, "viewfs://cluster/lake/tables", "--remote", delta_server)
    xregit.publish(rename(sample, 2), lake / "tables", spark=spark)
    assert_continued(lake / "tables", 2)


def test_classes_of_delta_take_each_message_once(delta_server: str, lake: Path, tmp_path: Path) -> None:
    """Over Spark Connect: a query that goes on, and batches whose fields come, go and change a type."""
    registry_of(tmp_path)
    for number in (1, 2):
        write(tmp_path / "in" / f"{number}.jsonl", event(number), event(number + 10, "t.none"))
    places = [tmp_path / "test.json", (tmp_path / "in").as_uri(), "viewfs://cluster/lake/routed"]
    places += [(lake / "checkpoint").as_uri(), "viewfs://cluster/lake/batches"]
    batches = [f"{tmp_path / name}.json={tmp_path / name}.jsonl" for name in fields_that_come_and_go(tmp_path)]
    lines = run(tmp_path, "-c", CONNECTED, delta_server, *map(str, places), *batches).splitlines()
    assert sorted(row["ce_id"] for row in rows(lake / "routed", "g__one")) == ["1", "2"]
    assert len(rows(lake / "routed", "unmatched")) == 2
    one = "[('g__one', 1)]"
    assert lines == [one, one, "[]", one, one, one, "[('quarantine', 1)]", "[]"]
    assert_fields_kept_their_columns(lake / "batches")
    assert [row["xid"] for row in rows(lake / "batches", "quarantine")] == [f"{EVENTS}one"]


def test_classes_of_delta_tell_what_a_broken_table_has(tmp_path: Path) -> None:
    """What a table had before it broke is not in quarantine too; what comes later is."""
    refuse_without_delta()
    registry_of(tmp_path)
    lines = write(tmp_path / "in" / "1.jsonl", event(1), event(2, "t.none"))
    places = (tmp_path / "test.json", lines, tmp_path / "tables")
    printed = run(tmp_path, "-c", REPLACED, *map(str, places), json.dumps(NATIVE)).splitlines()
    assert printed == ["[('unmatched', 1)]", "[('quarantine', 1), ('unmatched', 1)]"]


def test_classes_of_delta_refuse_one_table_alone(tmp_path: Path) -> None:
    """What Delta says against one table sends its rows to quarantine, and those of others to theirs, but none twice."""
    refuse_without_delta()
    names = ("one", "two", "three")
    registry_of(tmp_path, {name: definition(f"t.{name}") for name in names})
    lines = write(tmp_path / "in" / "1.jsonl", *(event(number, f"t.{name}") for number, name in enumerate(names)))
    places, settings = (tmp_path / "test.json", lines, tmp_path), {"spark.sql.warehouse.dir": str(tmp_path)}
    printed = run(tmp_path, "-c", REFUSING, *map(str, places), json.dumps(NATIVE | settings)).splitlines()
    others = ["EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "g__three is a table of parquet, and not of Delta"]
    assert printed[:-1] == [
        "[('g__one', 1), ('g__three', 1), ('g__two', 1)] []",
        "[('g__three', 1), ('g__two', 1), ('quarantine', 1)] ['DELTA_VIOLATE_CONSTRAINT_WITH_VALUES']",
        "[('g__three', 1), ('g__two', 1), ('quarantine', 1)] ['DELTA_UNSUPPORTED_FEATURES_FOR_READ']",
        "[] []",
        f"[('g__one', 1), ('quarantine', 2)] {others}",
        f"[('quarantine', 3)] {['DELTA_UNSUPPORTED_FEATURES_FOR_READ', *others]}",
        "[] []",
    ]
    assert printed[-1].startswith("can't write to schema:absent: [SCHEMA_NOT_FOUND]")


def test_cluster_behind_spark_connect_will_do(sample: CatalogRepository, tmp_path: Path) -> None:
    """A Spark that runs elsewhere is asked through its server; executors in processes of their own write the files."""
    with connect_server({"spark.master": "local-cluster[1,1,1024]"}, tmp_path, os.environ) as url:
        publish(sample, tmp_path / "tables", "--remote", url)
        assert "nothing changed" in publish(sample, tmp_path / "tables", "--remote", url)
    assert "Wear" in names(tmp_path / "tables")


def test_object_store_needs_no_more_than_pypi(sample: CatalogRepository, tmp_path: Path) -> None:
    """Tables in S3 are made, changed, left alone and routed to as those in a folder are."""
    registry_of(tmp_path)
    write(tmp_path / "in" / "1.jsonl", event(1), event(2, "t.two"), event(3, "t.none"))
    sample.commit({WEAR: SAMPLE[WEAR].replace("Wear", "Wear too")}, "Rename")
    places = [str(tmp_path / name) for name in ("repository/registry", "test.json", "in", "checkpoint")]
    with object_store(tmp_path / "data") as store:
        options = dict(store.options)
        lines = run(tmp_path, "-c", IN_STORE, *places, **options).splitlines()
        assert [json.loads(line) for line in lines] == [
            {"g__one": 1, "g__two": 1, "unmatched": 1},
            {},
            [True, True, False],
        ]
        assert (
            "Wear too" in names("s3://bucket/tables", None, options),
            "Wear" in names("s3://bucket/tables", 0, options),
        ) == (True, True)
        routed = DeltaTable("s3://bucket/routed/g__one", storage_options=options)
        assert [row["ce_id"] for row in pa.table(routed.scan()).to_pylist()] == ["1"]
