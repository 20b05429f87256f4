"""Spark sessions: the caller's, as it is, or a quiet local one that starts fast."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from urllib.parse import urlsplit

import pyspark
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession
from pyspark.util import is_remote_only

from xregit.errors import XregitError
from xregit.progress import task
from xregit.spark import java
from xregit.spark.location import error_summary, is_connected

# The settings that choose the Spark: one that is started for the session, or one that runs already (Spark Connect).
MASTER, REMOTE = "spark.master", "spark.remote"
# The variable by which spark-submit tells the program that it runs where its Java process is.
SUBMITTED = "PYSPARK_GATEWAY_PORT"

CONNECT_PORT = 15002
REACH_SECONDS = 10

# Measured: compiling with C1 alone takes 40 % of the processor time off a short session (it costs long-running ones).
JVM_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
# A thread of Spark that dies for lack of memory may be the one that Python waits for, which it would do forever.
EXIT_ON_OUT_OF_MEMORY = "-XX:+ExitOnOutOfMemoryError"

DEFAULTS: Mapping[str, str] = {
    MASTER: "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.catalogImplementation": "in-memory",
    # A query that was killed as it began leaves a file behind, for which Spark would refuse its checkpoint.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
}
# A cluster has a network, and its own number of partitions for a shuffle.
LOCAL_DEFAULTS: Mapping[str, str] = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}


def session(*, name: str, conf: Mapping[str, str] | None = None) -> SparkSession:
    """Return the session that is active, as it is, or a new one; ``conf`` adds to a new one's settings.

    A new one is that of ``spark-submit``, or of the Spark that the environment configures, with no other settings
    than theirs and ``conf``. Where there is neither, it is local unless ``conf`` has a ``spark.master`` or a
    ``spark.remote`` (Spark Connect).

    Raises:
        XregitError: Spark or Java is missing, or Spark does not start.
    """
    return active_session() or _start(name, conf or {})


@contextmanager
def use_session(
    session: SparkSession | None, *, name: str, conf: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """Yield this session, the active one, or a temporary one, which is stopped afterwards."""
    existing = session or active_session()
    if existing is not None:
        yield existing
        return
    temporary = _start(name, conf or {})
    try:
        yield temporary
    finally:
        _stop(temporary)


def _stop(session: SparkSession) -> None:
    """Stop a session; where Java does not answer, as after an interrupt or for lack of memory, its process is ended."""
    try:
        if is_connected(session) or not java.has_exited():
            session.stop()
            return
    except (java.Py4JError, OSError):
        pass
    java.end()


def active_session() -> SparkSession | None:
    """Return the session that is active in this process, if any; one whose Java process has ended is none."""
    if not is_remote_only() and java.has_exited():
        java.end()
    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


def _start(name: str, conf: Mapping[str, str]) -> SparkSession:
    remote = conf.get(REMOTE) or os.environ.get("SPARK_REMOTE", "")
    with task("starting Spark"):
        return _connect(name, remote, conf) if remote else _launch(name, conf)


def _connect(name: str, remote: str, conf: Mapping[str, str]) -> SparkSession:
    """Return a session of a Spark that runs already, with these settings besides its own."""
    builder = SparkSession.builder.appName(name)
    for key, value in {"spark.sql.session.timeZone": "UTC", **conf, REMOTE: remote}.items():
        builder = builder.config(key, value)
    try:
        _check_reachable(remote)
        return builder.getOrCreate()
    except (PySparkException, ImportError, OSError, RuntimeError, ValueError) as error:
        raise XregitError(" ".join(f"no Spark answers at {remote}: {error}".split())) from error


def _check_reachable(url: str) -> None:
    """Check that something listens at the URL; Spark's own client would try for ten minutes.

    Raises:
        OSError: nothing listens.
    """
    address = urlsplit(url)
    if address.scheme == "sc":
        with socket.create_connection((address.hostname or "", address.port or CONNECT_PORT), REACH_SECONDS):
            pass


def _launch(name: str, conf: Mapping[str, str]) -> SparkSession:
    configured = is_configured()
    # Of what spark-submit has started, Java runs already.
    runtime = None if SUBMITTED in os.environ else java.find_java(os.environ, spark=pyspark.__version__)
    local = not configured and conf.get(MASTER, DEFAULTS[MASTER]).startswith("local")
    settings = pyspark.SparkConf()
    settings.setAll(list((conf if configured else _settings(conf, local=local)).items()))
    if runtime:
        settings.setAppName(name)
    handler = signal.getsignal(signal.SIGINT)
    try:
        java.context(settings, runtime, local=local)
        return SparkSession.builder.getOrCreate()
    except (PySparkException, java.Py4JError, OSError) as error:
        on = f" with Java {runtime.version} in {runtime.home}" if runtime else ""
        message = f"Spark {pyspark.__version__} does not start{on}: {error_summary(error)}"
        java.end()  # a Spark that is half started would be in the way of the next one
        raise XregitError(message) from error
    except KeyboardInterrupt:
        java.end()
        raise
    finally:
        if current_thread() is main_thread():  # Spark has set a handler of its own
            signal.signal(signal.SIGINT, handler)


def is_configured() -> bool:
    """Return whether a Spark is configured that is not ours to choose: by ``spark-submit`` or in Spark's own ways."""
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    defaults = Path(os.environ.get("SPARK_CONF_DIR") or home / "conf") / "spark-defaults.conf"
    return any(os.environ.get(name) for name in (SUBMITTED, "PYSPARK_SUBMIT_ARGS", "MASTER")) or defaults.is_file()


def _settings(conf: Mapping[str, str], *, local: bool) -> dict[str, str]:
    logging = Path(__file__).with_name("log4j2.properties").as_uri()
    options = (*JVM_OPTIONS, EXIT_ON_OUT_OF_MEMORY, f"-Dlog4j2.configurationFile={logging}")
    java_options = " ".join((*options, conf.get("spark.driver.extraJavaOptions", ""))).strip()
    defaults = {**DEFAULTS, **LOCAL_DEFAULTS} if local else DEFAULTS
    return {**defaults, **conf, "spark.driver.extraJavaOptions": java_options}
