"""The command on other Sparks and other stores than the local ones: Delta's own classes, S3, a cluster, Connect."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyspark
import pytest
from deltalake import DeltaTable
from pyarrow import fs

from tests.spark.repository import SAMPLE, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = pytest.mark.spark

WEAR = "messagegroups/brakes/messages/wear.yaml"
NATIVE = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
KEY = "xregit-tests"
START_SECONDS = 60


@pytest.fixture
def sample(tmp_path: Path) -> Repository:
    """Return a repository with the sample registry."""
    made = Repository(tmp_path / "repository")
    made.commit(SAMPLE, "Begin")
    return made


@pytest.fixture(scope="session")
def native(root: Path) -> dict[str, str]:
    """Return the settings of a Spark that has Delta's own classes."""
    jars = sorted((root / "build" / "clients" / "lake" / "jars").glob("delta-*.jar"))
    if len(jars) < 4:
        pytest.skip("Delta's own classes are not here; .ci/lake fetches them from Maven Central")
    return {**NATIVE, "spark.jars": ",".join(map(str, jars))}


def publish(at: Repository, tables: Path | str, *more: str, **environment: str) -> str:
    """Run the command on a repository, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "xregit", "publish", "--tables", str(tables), *more],
        cwd=at.root,
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def conf(settings: Mapping[str, str]) -> list[str]:
    """Return settings as arguments of the command."""
    return [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]


def names(tables: Path | str, version: int | None = None, options: dict[str, str] | None = None) -> set[Any]:
    """Return the names of the messages in published tables, read by `deltalake`."""
    table = DeltaTable(f"{tables}/messages", version=version, storage_options=options)
    return {row["name"] for row in pa.table(table.scan()).to_pylist()}


@pytest.mark.parametrize("begins", ["ours", "native"])
def test_either_writer_continues_what_the_other_began(
    begins: str, sample: Repository, native: dict[str, str], tmp_path: Path
) -> None:
    """Tables go from one writer to the other; versions, rows and row-level changes are as with one writer."""
    tables = tmp_path / "tables"
    turns = [[], conf(native), []] if begins == "ours" else [conf(native), []]
    for number, settings in enumerate(turns):
        sample.commit({WEAR: SAMPLE[WEAR].replace("Wear", f"Wear {number}")}, f"Rename {number}")
        publish(sample, tables, *settings)
        assert f"Wear {number}" in names(tables)
    assert "nothing changed" in publish(sample, tables, *turns[-1])
    last = DeltaTable(tables / "messages")
    feed = pa.table(last.load_cdf(starting_version=last.version())).to_pylist()
    assert sorted((row["_change_type"], row["name"]) for row in feed if row["name"]) == [
        ("update_postimage", f"Wear {len(turns) - 1}"),
        ("update_preimage", f"Wear {len(turns) - 2}"),
    ]
    assert last.metadata().description
    assert len(pa.table(DeltaTable(tables / "publications").scan())) == len(turns)


def test_any_file_system_of_hadoop_will_do(sample: Repository, native: dict[str, str], tmp_path: Path) -> None:
    """With Delta's own classes, tables are wherever the session finds a file system."""
    (tmp_path / "there").mkdir()
    link = {"spark.hadoop.fs.viewfs.mounttable.cluster.link./lake": (tmp_path / "there").as_uri()}
    publish(sample, "viewfs://cluster/lake/tables", *conf(native | link))
    assert "Wear" in names(tmp_path / "there" / "tables")


def test_cluster_of_several_processes_will_do(sample: Repository, tmp_path: Path) -> None:
    """Executors in processes of their own write the files."""
    publish(sample, tmp_path / "tables", "--master", "local-cluster[1,1,1024]")
    assert "Wear" in names(tmp_path / "tables")


def test_spark_connect_will_do(sample: Repository, tmp_path: Path) -> None:
    """A Spark that runs elsewhere is asked through its server."""
    with connect_server(tmp_path / "server.log") as port:
        publish(sample, tmp_path / "tables", "--remote", f"sc://127.0.0.1:{port}")
        assert "nothing changed" in publish(sample, tmp_path / "tables", "--remote", f"sc://127.0.0.1:{port}")
    assert "Wear" in names(tmp_path / "tables")


def test_object_store_needs_no_more_than_pypi(sample: Repository, root: Path, tmp_path: Path) -> None:
    """Tables in S3 are made, changed and left alone as those in a folder are."""
    with object_store(root, tmp_path / "data") as options:
        sample_tables = "s3://bucket/tables"
        publish(sample, sample_tables, **options)
        assert "nothing changed" in publish(sample, sample_tables, **options)
        sample.commit({WEAR: SAMPLE[WEAR].replace("Wear", "Wear too")}, "Rename")
        publish(sample, sample_tables, **options)
        assert "Wear too" in names(sample_tables, options=options)
        assert "Wear" in names(sample_tables, 0, options)


@contextmanager
def connect_server(log: Path) -> Iterator[int]:
    """Give the port of a Spark Connect server."""
    home, port = Path(pyspark.__file__).parent, free_port()
    settings = {"spark.ui.enabled": "false", "spark.connect.grpc.binding.port": str(port)}
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    submit = [str(home / "bin" / "spark-submit"), "--master", "local[2]", *conf(settings)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    if not shutil.which("java"):
        pytest.skip("no Java on the path to run a Spark Connect server with")
    with running([*submit, "--class", server, "spark-internal"], environment, log, port):
        yield port


@contextmanager
def object_store(root: Path, data: Path) -> Iterator[dict[str, str]]:
    """Give what clients of a server of object stores need to know; it has one bucket."""
    program, port = root / "build" / "clients" / "lake" / "minio", free_port()
    if not program.exists():
        pytest.skip("MinIO is not here; .ci/lake builds it with Go")
    at = f"127.0.0.1:{port}"
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
            deadline = time.monotonic() + START_SECONDS
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
        return client.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])
