"""A Spark session for work of a command's size: local, quiet, started fast and without regard to the surroundings."""

from __future__ import annotations

import codecs
import locale
import os
import socket
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from logging import LogRecord, NullHandler, getLogger
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from xregit.errors import XregitError
from xregit.spark import java, launching
from xregit.spark.faults import reason
from xregit.spark.interrupting import asked, interrupts_as_before, interrupts_kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    from xregit.spark.java import Java

# The settings that say which Spark it is: one that runs the session, or one that is there already (Spark Connect).
MASTER, REMOTE = "spark.master", "spark.remote"

CONNECT_PORT = 15002
REACH_SECONDS = 10

# The module that asks Java. It tells of interrupts by the logger that is everybody's.
BRIDGE = "java_gateway"

PACKAGES = ("pyspark", "deltalake", "pyarrow", "msgspec")
MISSING = "publishing tables needs Spark, which is not installed"

# Measured: compiling with C1 alone takes 40 % of the processor time off a short session (it costs long-running ones).
JVM_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
# A thread of Spark's that dies for lack of memory may be the one that Python waits for, to the end of time.
MORTAL = "-XX:+ExitOnOutOfMemoryError"

DEFAULTS: Mapping[str, str] = {
    MASTER: "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.catalogImplementation": "in-memory",
}
# A cluster has a network, and knows better than we how many parts a shuffle has.
LOCAL_DEFAULTS: Mapping[str, str] = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}

# Faults come back as exceptions; what Spark logs besides would only repeat them, with stack traces. Spark announces a
# change of level on standard error unless its gateway's logger has the root's level.
_LOGGING = """\
rootLogger.level = fatal
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %p %c: %m%n
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = fatal
"""


def session(*, name: str, conf: Mapping[str, str] | None = None) -> SparkSession:
    """Return the session that is active, as it is, or a new one; ``conf`` adds to a new one's settings.

    A new one is local unless ``conf`` has a ``spark.master``, or a ``spark.remote`` (Spark Connect).

    Raises:
        XregitError: Spark or Java is missing, or Spark does not start.
    """
    return active() or _started(name, conf or {})


@contextmanager
def borrowed(given: SparkSession | None, *, name: str, conf: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """Give the session at hand, or one for the time being: only a session that was started here is stopped."""
    found = given or active()
    with interrupts_kept():
        if found is not None:
            yield found
            return
        started = _started(name, conf or {})
        try:
            yield started
        finally:
            _stop(started)


def _stop(session: SparkSession) -> None:
    """Stop a session, and forget its Java where that is gone: it would be in the way of the next session."""
    if ".connect." in type(session).__module__:
        session.stop()
        return
    from py4j.protocol import Py4JError

    context = session.sparkContext
    try:
        if context._jsc is not None:  # noqa: SLF001 - Spark asks only once
            asked(context._jsc.stop)  # noqa: SLF001 - see above
        session.stop()
    except (Py4JError, OSError):
        launching.ended(context._gateway)  # noqa: SLF001 - Spark has no other way to ask


def active() -> SparkSession | None:
    """Return the session that is active in this process, if any; one whose Java process has ended is none.

    Raises:
        XregitError: Spark is not installed.
    """
    installed()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway  # noqa: SLF001 - Spark has no other way to ask
    if gateway is not None and launching.has_ended(gateway):
        launching.ended(gateway)
    found = asked(SparkSession.getActiveSession)
    if found is None and SparkContext._active_spark_context is not None:  # noqa: SLF001 - see above
        # Java knows one for each of its threads: another thread has none, and this one after an interrupt.
        return SparkSession.builder.getOrCreate()
    return found


def installed() -> None:
    """Refuse to go on without the packages of the extra "spark".

    Raises:
        XregitError: one of them is missing.
    """
    if any(find_spec(name) is None for name in PACKAGES):
        from xregit.installed import bringing  # only faults ask

        message = f"{MISSING}: {bringing('spark')}"
        raise XregitError(message)


def _started(name: str, conf: Mapping[str, str]) -> SparkSession:
    return _connected(name, conf) if REMOTE in conf else _launched(name, conf)


def _connected(name: str, conf: Mapping[str, str]) -> SparkSession:
    """Return a session of a Spark that runs already; its settings are its own but for those that are asked for."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    for key, value in {"spark.sql.session.timeZone": "UTC", **conf}.items():
        builder = builder.config(key, value)
    try:
        _reach(conf[REMOTE])
        return builder.getOrCreate()
    except (PySparkException, ImportError, OSError, RuntimeError, ValueError) as error:
        raise XregitError(" ".join(f"no Spark answers at {conf[REMOTE]}: {error}".split())) from error


def _reach(url: str) -> None:
    """Make sure that something listens there; Spark's own client would try for ten minutes.

    Raises:
        OSError: nothing does.
    """
    address = urlsplit(url)
    if address.scheme == "sc":
        with socket.create_connection((address.hostname or "", address.port or CONNECT_PORT), REACH_SECONDS):
            pass


def _launched(name: str, conf: Mapping[str, str]) -> SparkSession:
    import pyspark

    found = java.find(os.environ, spark=pyspark.__version__)
    _quieten()
    local = conf.get(MASTER, DEFAULTS[MASTER]).startswith("local")
    with interrupts_as_before(), _surroundings(found, local=local) as logging:
        settings = pyspark.SparkConf().setAppName(name).setAll(list(_settings(conf, logging, local=local).items()))
        try:
            return _begun(settings)
        except launching.NotStartedError as error:
            message = f"Spark {pyspark.__version__} does not start with Java {found.version} in {found.home}: {error}"
            raise XregitError(message) from error


def _quieten() -> None:
    """Let the bridge to Java print no stack traces, where one line or nothing tells that Java or we were ended.

    Handlers that somebody gave to its own logger still hear of it.
    """
    bridge = getLogger("py4j")
    # What it tells everybody's logger of an interrupt gives that one a handler, which would print the rest.
    bridge.propagate = False
    if not bridge.handlers:
        bridge.addHandler(NullHandler())
    getLogger().addFilter(_is_not_of_the_bridge)


def _is_not_of_the_bridge(record: LogRecord) -> bool:
    return record.module != BRIDGE


def _begun(settings: SparkConf) -> SparkSession:
    """Return the session of a Spark that is started in the Java process that an earlier one has left or in a new one.

    Raises:
        NotStartedError: Java or Spark does not start.
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway or launching.launched(settings)  # noqa: SLF001 - Spark has no other way to ask
    try:
        launching.quieten(SparkContext(conf=settings, gateway=gateway))
        return SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError, OSError) as error:
        found = launching.NotStartedError(reason(error))  # asks Java
        launching.ended(gateway)
        raise found from error
    except KeyboardInterrupt:
        launching.ended(gateway)  # a Spark that is half begun would be in the way of the next session
        raise


def _settings(conf: Mapping[str, str], logging: Path, *, local: bool) -> dict[str, str]:
    options = (*JVM_OPTIONS, MORTAL, f"-Dlog4j2.configurationFile={logging.as_uri()}")
    asked = conf.get("spark.driver.extraJavaOptions", "")
    defaults = {**DEFAULTS, **LOCAL_DEFAULTS} if local else DEFAULTS
    return {**defaults, **conf, "spark.driver.extraJavaOptions": " ".join((*options, asked)).strip()}


def _letters() -> dict[str, str]:
    """Return what lets Java find files with any letters in their names, where the locale has only those of ASCII."""
    is_ascii = codecs.lookup(locale.getencoding()).name == "ascii"
    return {"LC_ALL": "C.UTF-8"} if is_ascii else {}


@contextmanager
def _surroundings(found: Java, *, local: bool) -> Iterator[Path]:
    """Set what Spark reads from the environment as it starts, and give its logging file; undo it afterwards."""
    # Without PYSPARK_PYTHON workers run whatever "python3" comes first on PATH, which lacks our packages.
    ours = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    if local:
        ours |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} | _letters()
    before = {key: os.environ.get(key) for key in ours}
    with TemporaryDirectory(prefix="xregit-spark-") as folder, java.launching(found, os.environ):
        logging = Path(folder) / "log4j2.properties"
        logging.write_text(_LOGGING, encoding="utf-8")
        os.environ.update(ours)
        try:
            yield logging
        finally:
            for key, value in before.items():
                if value is None:
                    del os.environ[key]
                else:
                    os.environ[key] = value
