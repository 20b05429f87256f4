"""Jobs on YARN, in client and in cluster mode, with all that they read and write in HDFS, the default file system."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clusters.hadoop import Hadoop, hadoop_cluster
from tests.clusters.messages import once, routed, write_catalog, write_events
from tests.clusters.standalone import (
    QUICK_JAVA,
    SPARK,
    bare_environment,
    conf,
    driver_environment,
)
from tests.waiting import PATIENCE_SECONDS
from xregit.spark.executors import write_archive

pytestmark = pytest.mark.spark

ROUTE = """
import sys, xregit
query = xregit.route(xregit.load("clocks.json"), "/in", sys.argv[1])
query.awaitTermination()
"""


@dataclass(frozen=True, slots=True)
class Yarn:
    """A cluster, and what jobs bring along to it."""

    hadoop: Hadoop
    archive: Path

    def settings(self) -> dict[str, str]:
        """Return the settings of a job; those of Spark's own archives only spare it their upload."""
        return {
            "spark.yarn.jars": f"local:{SPARK}/jars/*",
            "spark.yarn.populateHadoopClasspath": "false",
            "spark.executor.instances": "1",
            "spark.executor.memory": "512m",
            "spark.driver.memory": "512m",
            "spark.executor.extraJavaOptions": QUICK_JAVA,
            "spark.driver.extraJavaOptions": QUICK_JAVA,
            "spark.yarn.submit.waitAppCompletion": "true",
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
            # A Python without any package: PySpark comes with the job, all else with the archive.
            "spark.pyspark.python": str(Path(sys.base_prefix) / "bin" / "python3"),
            "spark.yarn.appMasterEnv.PYTHONPATH": "xregit",
            "spark.executorEnv.PYTHONPATH": "xregit",
        }

    def submit(self, home: Path, mode: str, tables: str, environment: Mapping[str, str], **more: str) -> None:
        """Run the job."""
        (home / "job.py").write_text(ROUTE)
        submit = [str(SPARK / "bin" / "spark-submit"), "--master", "yarn", "--deploy-mode", mode]
        files = ["--archives", f"{self.archive}#xregit", "--files", str(home / "clocks.json")]
        ran = subprocess.run(
            [*submit, *files, *conf(self.settings() | more), str(home / "job.py"), tables],
            cwd=home,
            env={**environment, "HADOOP_CONF_DIR": str(self.hadoop.settings)},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        logs = "".join(path.read_text() for path in self.hadoop.settings.parent.glob("yarn/**/stdout"))
        assert ran.returncode == 0, ran.stderr[-4000:] + logs + "".join(self.hadoop.lines)


@pytest.fixture(scope="module")
def yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    """Return a cluster, and the archive for it."""
    folder = tmp_path_factory.mktemp("hadoop")
    with hadoop_cluster(folder) as hadoop:
        yield Yarn(hadoop, write_archive(folder / "xregit.tar.gz", complete=True))


def test_job_goes_on_in_whatever_mode_it_is_submitted(yarn: Yarn, tmp_path: Path) -> None:
    """A driver on the cluster, which has the archive alone, begins; one on this machine goes on, with all in HDFS."""
    write_catalog(tmp_path / "clocks.json")
    yarn.hadoop.put(write_events(tmp_path / "a", 1, 60), "/in/a")
    yarn.submit(tmp_path, "cluster", "/lake/tables", bare_environment())
    url = f"{yarn.hadoop.url}/lake/tables"
    assert routed(url) == once(60)
    assert yarn.hadoop.exists("/lake/tables/_checkpoint/offsets/0")
    yarn.hadoop.put(write_events(tmp_path / "b", 1, 60, 60), "/in/b")
    driver = {"spark.pyspark.driver.python": sys.executable}
    yarn.submit(tmp_path, "client", "/lake/tables", driver_environment(tmp_path), **driver)
    assert routed(url) == once(120)
    assert not Path("/lake").exists()
