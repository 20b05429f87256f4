"""Jobs on a standalone cluster with two workers, which have PySpark and pyarrow alone, and a folder each of their own.

The cases are those in which jobs once lost or doubled rows.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clusters.messages import once, routed, write_catalog, write_events
from tests.clusters.standalone import (
    Cluster,
    Store,
    conf,
    connect_server,
    driver_environment,
    kill,
    object_store,
    standalone_cluster,
)
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.spark

ROUTE = """
import json, sys, xregit
from pyspark.sql import SparkSession
catalog, messages, tables, options = sys.argv[1:]
query = xregit.route(xregit.load(catalog), messages, tables, **json.loads(options))
query.awaitTermination()
print(SparkSession.getActiveSession().sparkContext.master)
"""
# A stream of somebody's own, which begins each batch again after it is done, and a batch of somebody's own.
OWN = """
import sys, xregit, xregit.spark
from pyspark.sql import SparkSession
catalog, messages, tables, checkpoint = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
registry = xregit.load(catalog)
stream = spark.readStream.text(messages)
def write(frame, number):
    for _ in range(2):
        result = xregit.spark.write_batch(frame, number, "own", registry, tables)
        print(sum(result.rows.values()))
stream.writeStream.option("checkpointLocation", checkpoint).foreachBatch(write).trigger(
    availableNow=True
).start().awaitTermination()
found = xregit.spark.classify(spark.read.text(messages), registry)
print(sorted((row["outcome"], row["count"]) for row in found.groupBy("outcome").count().collect()))
"""
BATCH = """
import sys, xregit, xregit.spark
from pyspark.sql import SparkSession
catalog, tables, *batches = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
registry = xregit.load(catalog)
print("ready", flush=True)
for batch in batches:
    number, _, messages = batch.partition("=")
    xregit.spark.write_batch(spark.read.text(messages), int(number), "batches", registry, tables)
"""
CONNECTED = """
import sys, xregit, xregit.spark
from pyspark.sql import SparkSession
url, archive, catalog, messages, tables = sys.argv[1:]
spark = SparkSession.builder.remote(url).getOrCreate()
registry = xregit.load(catalog)
try:
    xregit.spark.write_batch(spark.read.text(messages), 0, "connected", registry, tables)
except xregit.XregitError as error:
    print(error)
spark.addArtifacts(f"{archive}#xregit", archive=True)
found = xregit.spark.classify(spark.read.text(messages), registry)
print(sorted((row["outcome"], row["count"]) for row in found.groupBy("outcome").count().collect()))
for _ in range(2):
    result = xregit.spark.write_batch(spark.read.text(messages), 0, "connected", registry, tables)
    print(sum(result.rows.values()))
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return the cluster that all tests share."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return the store that all tests share."""
    with object_store(tmp_path_factory.mktemp("store") / "data") as running:
        yield running


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """Return the document of the catalog."""
    return write_catalog(tmp_path / "clocks.json")


def command(cluster: Cluster, home: Path, *words: str, **settings: str | None) -> tuple[int, str, str]:
    """Run ``xregit route`` on the cluster; return its exit code and what it printed."""
    chosen = cluster.settings() | {"spark.log.level": None} | settings
    arguments = conf({name: value for name, value in chosen.items() if value is not None})
    ran = subprocess.run(
        [sys.executable, "-m", "xregit", "route", *words, *arguments],
        cwd=home,
        env=driver_environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_submitted_script_runs_on_the_cluster_it_is_submitted_to(
    cluster: Cluster, catalog: Path, tmp_path: Path
) -> None:
    """The master is that of spark-submit, and the archive is all that executors need."""
    messages = write_events(tmp_path / "in", 2, 60)
    code, output, errors = cluster.run(ROUTE, str(catalog), str(messages), str(tmp_path / "tables"), "{}")
    assert code == 0, errors
    assert output.splitlines()[-1] == cluster.url
    assert routed(tmp_path / "tables") == once(120)


BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_page_on_clusters_runs_as_it_stands(cluster: Cluster, root: Path, tmp_path: Path) -> None:
    """Its commands and its job, with the settings of the cluster where Spark looks for them."""
    page = (root / "site" / "manual" / "clusters.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    (tmp_path / "job.py").write_text("".join(text for language, text in blocks if language == "python"))
    chosen = {
        name: value for name, value in cluster.settings().items() if name not in {"spark.master", "spark.archives"}
    }
    (tmp_path / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in chosen.items()))
    write_events(tmp_path / "in", 1, 30)
    paths = {"MESSAGES": str(tmp_path / "in"), "TABLES": str(tmp_path / "tables"), "MASTER": cluster.url}
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = driver_environment(tmp_path) | paths | {"SPARK_CONF_DIR": str(tmp_path), "PATH": programs}
    write_catalog(tmp_path / "clocks.json")
    commands = "".join(text for language, text in blocks if language == "sh")
    commands = commands.replace("xregit compile", "python -m xregit --registry clocks.json compile", 1)
    commands = commands.replace("xregit spark-archive", "python -m xregit spark-archive", 1)
    ran = subprocess.run(
        ["sh", "-e", "-c", commands], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert routed(tmp_path / "tables") == once(30)


def test_executors_without_packages_are_one_line(cluster: Cluster, catalog: Path, tmp_path: Path) -> None:
    """Without the archive, the command says what is missing and how to ship it, and no row is taken."""
    messages = write_events(tmp_path / "in", 1, 10)
    words = ("--catalog", str(catalog), "--input", str(messages), "--tables", str(tmp_path / "tables"))
    code, output, errors = command(cluster, tmp_path, *words, **{"spark.archives": None})
    assert (code, output, errors.count("\n")) == (2, "", 1), errors
    assert "No module named" in errors
    assert "--archives xregit.tar.gz#xregit" in errors
    assert not routed(tmp_path / "tables")


def test_folder_that_workers_do_not_share_is_found_before_a_row_is_read(
    cluster: Cluster, catalog: Path, tmp_path: Path
) -> None:
    """The folder is there for all of them, and another one for each; nothing is taken, so that nothing is lost."""
    messages = write_events(tmp_path / "in", 1, 10)
    tables, checkpoint = cluster.private / "tables", tmp_path / "checkpoint"
    words = ["--catalog", str(catalog), "--input", str(messages), "--checkpoint", str(checkpoint)]
    code, output, errors = command(cluster, tmp_path, *words, "--tables", str(tables))
    assert (code, output, errors.count("\n")) == (2, "", 1), errors
    assert str(tables) in errors
    assert "share" in errors
    assert not routed(tables)
    code, output, errors = command(cluster, tmp_path, *words, "--tables", str(tmp_path / "tables"))
    assert code == 0, errors
    assert routed(tmp_path / "tables") == once(10)


def test_second_machine_goes_on_where_the_first_one_stopped(
    cluster: Cluster, store: Store, catalog: Path, tmp_path: Path
) -> None:
    """All that a job remembers is in the store; the credentials are those of Spark, on the driver and on executors."""
    messages = write_events(tmp_path / "in", 2, 30)
    words = (str(catalog), str(messages), "s3a://bucket/tables")
    options = json.dumps({"checkpoint": "s3a://bucket/checkpoint"})
    for first in (0, 60):
        write_events(tmp_path / "in", 2, 30, first)
        settings = cluster.settings() | store.settings
        code, _, errors = cluster.run(ROUTE, *words, options, settings=settings)
        assert code == 0, errors
        assert routed("s3://bucket/tables", store.options) == once(first + 60)
    homes = [path for path in cluster.folder.iterdir() if path.name.startswith("driver-")]
    left = [path for home in homes for path in home.rglob("*") if path.is_dir() and path.name.startswith("s3")]
    assert left == []


def test_store_that_is_closed_to_us_is_one_line(cluster: Cluster, store: Store, catalog: Path, tmp_path: Path) -> None:
    """Wrong keys end the job, with the store's name, before a row is read."""
    messages = write_events(tmp_path / "in", 1, 10)
    words = ("--catalog", str(catalog), "--input", str(messages), "--tables", "s3a://bucket/closed")
    wrong = {**store.settings, "spark.hadoop.fs.s3a.secret.key": "wrong", "spark.hadoop.fs.s3a.attempts.maximum": "1"}
    code, output, errors = command(cluster, tmp_path, *words, **wrong)
    assert (code, output, errors.count("\n")) == (2, "", 1), errors
    assert "s3a://bucket/closed" in errors
    assert len(errors) < 1_000


def test_own_stream_and_batches_are_written_once_however_often(cluster: Cluster, catalog: Path, tmp_path: Path) -> None:
    """A batch of somebody's own foreachBatch that is begun again adds nothing, and classify leaves all rows in."""
    messages = write_events(tmp_path / "in", 1, 90)
    words = (str(catalog), str(messages), str(tmp_path / "tables"), str(tmp_path / "checkpoint"))
    code, output, errors = cluster.run(OWN, *words)
    assert code == 0, errors
    assert output.splitlines()[-3:] == ["90", "0", "[('none', 30), ('one', 60)]"]
    assert routed(tmp_path / "tables") == once(90)


def test_data_frame_after_a_crash_loses_nothing(cluster: Cluster, catalog: Path, tmp_path: Path) -> None:
    """A driver dies in the middle of a batch; the next may not begin another one before that is written again."""
    first, second = write_events(tmp_path / "a", 4, 500), write_events(tmp_path / "b", 1, 100, 2_000)
    tables = tmp_path / "tables"
    crashing = cluster.submit(BATCH, str(catalog), str(tables), f"0={first}")
    begun = tables / "_batches" / "_delta_log" / "00000000000000000001.json"  # the first version has the catalog
    wait_until(begun.exists, crashing)
    kill(crashing)
    code, output, _ = cluster.run(BATCH, str(catalog), str(tables), f"1={second}")  # Python's errors are output there
    assert code == 1
    assert 'batch 0 of "batches" was begun and not finished' in output
    code, _, errors = cluster.run(BATCH, str(catalog), str(tables), f"0={first}", f"1={second}", f"0={first}")
    assert code == 0, errors
    assert routed(tables) == once(2_100)


def test_two_runs_of_one_job_add_each_row_once(cluster: Cluster, catalog: Path, tmp_path: Path) -> None:
    """Whichever of two drivers with the same checkpoint is faster; the other one fails, or has nothing to do."""
    messages, tables = write_events(tmp_path / "in", 8, 25), tmp_path / "tables"
    words = (str(catalog), str(messages), str(tables), json.dumps({"batch_files": 1}))
    settings = cluster.settings() | {"spark.cores.max": "1"}
    both = [cluster.submit(ROUTE, *words, settings=settings) for _ in range(2)]
    try:
        for process in both:
            process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        for process in both:
            kill(process)
    if any(process.returncode for process in both):
        code, _, errors = cluster.run(ROUTE, *words)
        assert code == 0, errors
    assert routed(tables) == once(200)


def test_nothing_is_lost_or_doubled_whatever_is_killed(cluster: Cluster, catalog: Path, tmp_path: Path) -> None:
    """A driver, then an executor and a worker are killed at any moment of a stream; what is next goes on."""
    seed = int(os.environ.get("XREGIT_SEED", "0")) or random.SystemRandom().randrange(2**32)
    draw = random.Random(seed)  # noqa: S311 - a moment to kill at
    messages, tables = write_events(tmp_path / "in", 8, 100), tmp_path / "tables"
    words = (str(catalog), str(messages), str(tables), json.dumps({"batch_files": 1}))
    driver = cluster.submit(ROUTE, *words)
    wait_until(lambda: list(tables.glob("*/_delta_log/*.json")), driver)
    time.sleep(draw.uniform(0, 4))
    kill(driver)
    driver = cluster.submit(ROUTE, *words)
    try:
        wait_until(cluster.executors, driver)
        time.sleep(draw.uniform(2, 8))
        for executor in cluster.executors()[:1]:
            os.kill(executor, signal.SIGKILL)
        time.sleep(draw.uniform(0, 4))
        kill(cluster.workers[0])
        cluster.start_worker()
        _, errors = driver.communicate(timeout=PATIENCE_SECONDS)
    finally:
        kill(driver)
    if driver.returncode:
        code, _, errors = cluster.run(ROUTE, *words)
        assert code == 0, f"seed {seed}: {errors}"
    assert routed(tables) == once(800), f"seed {seed}"


def test_spark_connect_needs_the_archive_alone(cluster: Cluster, catalog: Path, tmp_path: Path) -> None:
    """A client uploads the archive, classifies and writes; neither the server nor its executors know of xregit."""
    messages, home = write_events(tmp_path / "in", 1, 90), tmp_path / "home"
    home.mkdir()
    own = cluster.settings()
    del own["spark.archives"], own["spark.pyspark.driver.python"]
    bare = {name: value for name, value in driver_environment(home).items() if name != "PYTHONPATH"}
    bare |= {"PYSPARK_PYTHON": str(cluster.python), "SPARK_DAEMON_MEMORY": "1g"}
    with connect_server(own, home, bare) as url:
        words = (url, str(cluster.archive), str(catalog), str(messages), str(tmp_path / "tables"))
        ran = subprocess.run(
            [sys.executable, "-c", CONNECTED, *words],
            env=driver_environment(home),
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
    assert ran.returncode == 0, ran.stderr
    lacking, *results = ran.stdout.splitlines()
    assert "a package is missing for the executor" in lacking
    assert results == ["[('none', 30), ('one', 60)]", "90", "0"]
    assert routed(tmp_path / "tables") == once(90)
