"""A standalone cluster of Spark on this machine: a master, two workers whose Python has PySpark and pyarrow alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pyspark
import pytest

from tests.cache import CACHE
from tests.ports import HOST, next_port
from tests.waiting import PATIENCE_SECONDS, wait_until
from xregit.spark.executors import write_archive

SPARK = Path(pyspark.__file__).parent
S3A_JARS = sorted((CACHE / "s3a").glob("*.jar"))
SHARED = ("pyspark", "py4j", "pyarrow")
QUICK_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
# Each job has unpacked some 300 MB for each executor, which go when it ends.
TIDY = "-Dspark.worker.cleanup.enabled=true -Dspark.worker.cleanup.interval=2 -Dspark.worker.cleanup.appDataTtl=1"
# A worker sees a folder of its own where the driver has another: nothing is shared below it.
IN_OWN_FOLDER = 'mount -t tmpfs none "$0" && exec "$@"'


def bare_python(folder: Path) -> Path:
    """Return a Python that has PySpark and pyarrow and nothing else: no xregit, no orjson, no deltalake."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    for name in SHARED:
        (packages / name).symlink_to(SPARK.parent / name)
    return folder / "bin" / "python"


@dataclass
class Cluster:
    """A running cluster; ``private`` is a folder that each worker has for itself."""

    folder: Path
    url: str
    status_url: str
    python: Path
    archive: Path
    private: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def settings(self, **more: str) -> dict[str, str]:
        """Return the settings of a job on this cluster, with the archive and the workers' Python."""
        return {
            "spark.master": self.url,
            "spark.pyspark.python": str(self.python),
            "spark.pyspark.driver.python": sys.executable,
            "spark.archives": f"{self.archive}#xregit",
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.cores.max": "2",
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
            "spark.driver.extraJavaOptions": QUICK_JAVA,
            "spark.executor.extraJavaOptions": QUICK_JAVA,
            "spark.sql.shuffle.partitions": "2",
            **more,
        }

    def submit(
        self, program: str, *arguments: str, settings: Mapping[str, str] | None = None, **environment: str
    ) -> subprocess.Popen[str]:
        """Start a program with spark-submit, in a folder of its own as on another machine."""
        home = self.folder / f"driver-{time.monotonic_ns()}"
        home.mkdir()
        (home / "job.py").write_text(program, encoding="utf-8")
        return subprocess.Popen(
            [
                SPARK / "bin" / "spark-submit",
                *conf(self.settings() if settings is None else settings),
                str(home / "job.py"),
                *arguments,
            ],
            cwd=home,
            env=driver_environment(home) | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(
        self, program: str, *arguments: str, settings: Mapping[str, str] | None = None, **environment: str
    ) -> tuple[int, str, str]:
        """Run a program with spark-submit; return its exit code and what it printed."""
        process = self.submit(program, *arguments, settings=settings, **environment)
        try:
            output, errors = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            kill(process)
        return process.returncode, output, errors

    def status(self) -> Any:
        """Return what the master knows."""
        with urlopen(self.status_url, timeout=10) as response:  # noqa: S310 - our own master
            return json.load(response)

    def executors(self) -> list[int]:
        """Return the process ids of the executors that run now."""
        found = subprocess.run(
            ["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True, check=False
        )
        mine = {str(worker.pid) for worker in self.workers}
        return [int(pid) for pid in found.stdout.split() if _ancestors(int(pid)) & mine]

    def start_worker(self) -> None:
        """Start one more worker."""
        number, port = len(self.workers), next_port()
        work = self.folder / f"worker-{number}"
        work.mkdir()
        spark = [str(SPARK / "bin" / "spark-class"), "org.apache.spark.deploy.worker.Worker"]
        own = ["--host", HOST, "--port", str(port), "--webui-port", str(next_port()), "--work-dir", str(work)]
        command = ["unshare", "--map-root-user", "--mount", "sh", "-c", IN_OWN_FOLDER, str(self.private), *spark, *own]
        with (self.folder / f"worker-{number}.log").open("wb") as log:
            worker = subprocess.Popen(
                [*command, "--cores", "1", "--memory", "700m", self.url],
                cwd=work,
                env=bare_environment() | {"SPARK_WORKER_OPTS": TIDY, "SPARK_LOCAL_DIRS": str(self.folder / "local")},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers.append(worker)

    def stop_workers(self) -> None:
        """Kill all workers."""
        for worker in self.workers:
            kill(worker)

    def wait(self, workers: int) -> None:
        """Wait until so many workers are there."""
        wait_until(lambda: self.status()["aliveworkers"] == workers)


def _ancestors(pid: int) -> set[str]:
    found: set[str] = set()
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            break
        found.add(str(pid))
    return found


def kill(process: subprocess.Popen[Any]) -> None:
    """Kill a process and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in filter(None, (process.stdout, process.stderr)):
        pipe.close()


def conf(settings: Mapping[str, str]) -> list[str]:
    """Return settings as arguments of spark-submit."""
    return [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]


def bare_environment() -> dict[str, str]:
    """Return an environment in which nothing leads to this clone, or to a store."""
    hidden = ("PYTHON", "AWS_", "SPARK_", "PYSPARK_", "HADOOP_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return kept | {"SPARK_LOCAL_IP": HOST, "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA}


def driver_environment(home: Path) -> dict[str, str]:
    """Return the environment of a driver that has xregit, with a temporary folder of its own."""
    (home / "tmp").mkdir(exist_ok=True)
    return bare_environment() | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TMPDIR": str(home / "tmp"),
        "XREGIT_PROGRESS": "never",
    }


@contextmanager
def standalone_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Give a cluster with so many workers, of one core each."""
    if not shutil.which("java"):
        pytest.skip("no Java on the path to run a cluster with")
    if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no right to give a worker a folder of its own")
    port, status = next_port(), next_port()
    private = folder / "private"
    private.mkdir()
    archive, python = write_archive(folder / "xregit.tar.gz"), bare_python(folder / "python")
    cluster = Cluster(folder, f"spark://{HOST}:{port}", f"http://{HOST}:{status}/json/", python, archive, private)
    master = ["--host", HOST, "--port", str(port), "--webui-port", str(status)]
    with ExitStack() as stack, (folder / "master.log").open("wb") as log:
        process = subprocess.Popen(
            [SPARK / "bin" / "spark-class", "org.apache.spark.deploy.master.Master", *master],
            env=bare_environment(),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        stack.callback(kill, process)
        wait_until(cluster.status, process, told=(folder / "master.log").read_text)
        stack.callback(cluster.stop_workers)
        for _ in range(workers):
            cluster.start_worker()
        cluster.wait(workers)
        yield cluster


STARTED = re.compile(r"Spark Connect server started at: .*:(\d+)\n")


@contextmanager
def connect_server(settings: Mapping[str, str], home: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Give the URL of a Spark Connect server, whose folder is ``home``."""
    if not shutil.which("java"):
        pytest.skip("no Java on the path to run a Spark Connect server with")
    server, place = "org.apache.spark.sql.connect.service.SparkConnectServer", home / "server.log"
    own = {"spark.ui.enabled": "false", "spark.driver.extraJavaOptions": QUICK_JAVA, **settings}
    # Its own Python, which runs foreachBatch, looks for it at localhost; it takes a free port, and logs which.
    own |= {"spark.connect.grpc.binding.address": "localhost", "spark.connect.grpc.binding.port": "0"}
    own |= {"spark.log.level": "INFO"}
    with place.open("wb") as log:
        process = subprocess.Popen(
            [SPARK / "bin" / "spark-submit", *conf(own), "--class", server, "spark-internal"],
            env={"PYSPARK_PYTHON": sys.executable, **environment, "SPARK_LOCAL_IP": HOST},
            cwd=home,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_until(lambda: STARTED.search(place.read_text()), process, told=place.read_text)
            yield f"sc://localhost:{STARTED.findall(place.read_text())[0]}"
        finally:
            kill(process)


KEY = "xregit-tests"


@dataclass(frozen=True, slots=True)
class Store:
    """A store of objects with one bucket; ``options`` are `deltalake`'s."""

    options: Mapping[str, str]

    @property
    def settings(self) -> dict[str, str]:
        """The settings of Spark that lead there."""
        return {
            "spark.jars": ",".join(map(str, S3A_JARS)),
            "spark.hadoop.fs.s3a.endpoint": self.options["AWS_ENDPOINT_URL"],
            "spark.hadoop.fs.s3a.endpoint.region": self.options["AWS_REGION"],
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.access.key": KEY,
            "spark.hadoop.fs.s3a.secret.key": KEY,
        }


@contextmanager
def object_store(folder: Path) -> Iterator[Store]:
    """Give a MinIO with a bucket called "bucket"."""
    program, address = CACHE / "minio" / "minio", f"{HOST}:{next_port()}"
    if not program.exists() or not S3A_JARS:
        pytest.skip("MinIO or Hadoop's classes for S3 are not here; .ci/programs fetches them")
    (folder / "bucket").mkdir(parents=True)  # a folder of MinIO's is a bucket
    command: Sequence[str] = [str(program), "server", "--quiet", "--address", address, str(folder)]
    keys = {"MINIO_ROOT_USER": KEY, "MINIO_ROOT_PASSWORD": KEY}
    with folder.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, env=os.environ | keys, stdout=log, stderr=log, start_new_session=True)
        try:
            wait_until(lambda: urlopen(f"http://{address}/minio/health/live", timeout=5), process)
            yield Store(
                {
                    "AWS_ACCESS_KEY_ID": KEY,
                    "AWS_SECRET_ACCESS_KEY": KEY,
                    "AWS_ENDPOINT_URL": f"http://{address}",
                    "AWS_ALLOW_HTTP": "true",
                    "AWS_REGION": "us-east-1",
                }
            )
        finally:
            kill(process)
