"""HDFS and YARN in one Java process, with the folder of settings that leads to them."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from tests.cache import CACHE
from tests.clusters.standalone import QUICK_JAVA, SPARK

JARS = CACHE / "hadoop"
RESOURCE_MANAGER = ("yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address")


@dataclass(frozen=True, slots=True)
class Hadoop:
    """``settings`` is the folder for ``HADOOP_CONF_DIR``, ``url`` that of the file system, ``lines`` its last words."""

    settings: Path
    url: str
    java: Any
    files: Any
    lines: deque[str]

    def put(self, source: Path, target: str) -> None:
        """Copy a file or folder of this machine."""
        path = self.java.org.apache.hadoop.fs.Path
        self.files.copyFromLocalFile(path(str(source)), path(target))

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder."""
        return bool(self.files.exists(self.java.org.apache.hadoop.fs.Path(path)))


@contextmanager
def hadoop_cluster(folder: Path) -> Iterator[Hadoop]:
    """Give a cluster with one node, whose file system is the default one."""
    java = shutil.which("java")
    if not java or not (JARS / "complete").exists():
        pytest.skip("Java, or HDFS and YARN, are not here; .ci/programs fetches them from Maven Central")
    py4j = next((SPARK / "jars").glob("py4j-*.jar"))
    lines: deque[str] = deque(maxlen=50)  # a file could be closed before the thread that writes to it has ended
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "JAVA_HOME", str(Path(java).resolve().parents[1]))
        port, token, process = launch_gateway(
            classpath=os.pathsep.join([f"{JARS}/*", f"{SPARK}/jars/*"]),
            jarpath=str(py4j),
            javaopts=["-Xmx512m", f"-Dtest.build.data={folder / 'yarn'}", *QUICK_JAVA.split()],
            die_on_exit=True,
            enable_auth=True,
            redirect_stdout=lines,
            redirect_stderr=lines,
            return_proc=True,
        )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))
    try:
        yield _start(gateway.jvm, folder, lines)
    finally:
        gateway.shutdown()
        process.kill()
        process.wait()
        process.stdin.close()


def _start(java: Any, folder: Path, lines: deque[str]) -> Hadoop:
    settings = java.org.apache.hadoop.yarn.conf.YarnConfiguration()
    for name, value in {
        "hdfs.minidfs.basedir": str(folder / "dfs"),
        "dfs.replication": "1",
        "yarn.nodemanager.vmem-check-enabled": "false",
        # A disk that is nine tenths full is none to it, without a word, even where its checks are switched off.
        "yarn.nodemanager.disk-health-checker.enable": "false",
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
        # What a job has brought along goes when the job does.
        "yarn.nodemanager.localizer.cache.target-size-mb": "0",
        "yarn.nodemanager.localizer.cache.cleanup.interval-ms": "1000",
        "yarn.scheduler.minimum-allocation-mb": "256",
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
    }.items():
        settings.set(name, value)
    files = java.org.apache.hadoop.hdfs.MiniDFSCluster.Builder(settings).numDataNodes(1).build().getFileSystem()
    url = str(files.getUri().toString())
    settings.set("fs.defaultFS", url)
    yarn = java.org.apache.hadoop.yarn.server.MiniYARNCluster("yarn", 1, 1, 1)
    yarn.init(settings)
    yarn.start()
    place = folder / "settings"
    place.mkdir()
    known = {name: str(yarn.getConfig().get(name)) for name in RESOURCE_MANAGER} | {"fs.defaultFS": url}
    rows = [f"<property><name>{name}</name><value>{value}</value></property>" for name, value in known.items()]
    for file in ("core-site.xml", "yarn-site.xml"):
        (place / file).write_text(f"<configuration>{''.join(rows)}</configuration>")
    return Hadoop(place, url, java, files, lines)
