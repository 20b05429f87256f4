"""The jobs on other Sparks and other stores than the local ones: Delta's own classes, S3, a cluster, Connect."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyspark
import pytest
from deltalake import DeltaTable
from pyarrow import fs

import xregit
from tests.cache import CACHE
from tests.ports import HOST, next_port
from tests.spark.jars import DELTA_JARS
from tests.spark.repository import SAMPLE, CatalogRepository
from tests.spark.streams import event, registry_of, write
from xregit.spark.session import JVM_OPTIONS, LOCAL_DEFAULTS

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
KEY = "xregit-tests"
PATIENCE_SECONDS = 1_200
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
    routed = xregit.route(known, messages, "s3://bucket/routed", checkpoint=checkpoint)
    print(json.dumps(dict(routed.rows)))
print(json.dumps([each.changed for each in done]))
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
    settings = {LINK: lake.as_uri(), "spark.sql.timestampType": "TIMESTAMP_NTZ"}
    with connect_server("local[2]", lake / "server.log", NATIVE | settings) as url:
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


def conf(settings: Mapping[str, str]) -> list[str]:
    """Return settings as arguments of the command."""
    return [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]


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


def test_cluster_behind_spark_connect_will_do(sample: CatalogRepository, tmp_path: Path) -> None:
    """A Spark that runs elsewhere is asked through its server; executors in processes of their own write the files."""
    with connect_server("local-cluster[1,1,1024]", tmp_path / "server.log", {}) as url:
        publish(sample, tmp_path / "tables", "--remote", url)
        assert "nothing changed" in publish(sample, tmp_path / "tables", "--remote", url)
    assert "Wear" in names(tmp_path / "tables")


def test_object_store_needs_no_more_than_pypi(sample: CatalogRepository, tmp_path: Path) -> None:
    """Tables in S3 are made, changed, left alone and routed to as those in a folder are."""
    registry_of(tmp_path)
    write(tmp_path / "in" / "1.jsonl", event(1), event(2, "t.two"), event(3, "t.none"))
    sample.commit({WEAR: SAMPLE[WEAR].replace("Wear", "Wear too")}, "Rename")
    places = [str(tmp_path / name) for name in ("repository/registry", "test.json", "in", "checkpoint")]
    with object_store(tmp_path / "data") as options:
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


@contextmanager
def connect_server(master: str, log: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Give the URL of a Spark Connect server."""
    home, port = Path(pyspark.__file__).parent, next_port()
    own = {**LOCAL_DEFAULTS, "spark.ui.enabled": "false", "spark.connect.grpc.binding.port": str(port)}
    own["spark.connect.grpc.binding.address"] = HOST
    own |= {"spark.driver.extraJavaOptions": " ".join(JVM_OPTIONS)}
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    submit = [str(home / "bin" / "spark-submit"), "--master", master, *conf({**own, **settings})]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": HOST}
    if not shutil.which("java"):
        pytest.skip("no Java on the path to run a Spark Connect server with")
    with running([*submit, "--class", server, "spark-internal"], environment, log, port):
        yield f"sc://{HOST}:{port}"


@contextmanager
def object_store(data: Path) -> Iterator[dict[str, str]]:
    """Give what clients of a server of object stores need to know; it has one bucket."""
    program, port = CACHE / "minio" / "minio", next_port()
    if not program.exists():
        pytest.skip("MinIO is not here; .ci/programs builds it with Go")
    at = f"{HOST}:{port}"
    environment = {**os.environ, "MINIO_ROOT_USER": KEY, "MINIO_ROOT_PASSWORD": KEY}
    with running(
        [str(program), "server", "--quiet", "--address", at, str(data)], environment, data.with_suffix(".log"), port
    ):
        fs.S3FileSystem(
            access_key=KEY, secret_key=KEY, endpoint_override=at, scheme="http", allow_bucket_creation=True
        ).create_dir("bucket")
        yield {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_ENDPOINT_URL": f"http://{at}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }


@contextmanager
def running(command: list[str], environment: Mapping[str, str], log: Path, port: int) -> Iterator[None]:
    """Let a server run until the end of the block."""
    with log.open("wb") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as process:
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not answers(port):
                assert process.poll() is None, log.read_text(encoding="utf-8")
                assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
                time.sleep(0.2)
            yield
        finally:
            process.terminate()


def answers(port: int) -> bool:
    """Tell whether something listens on a port of this machine."""
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0
