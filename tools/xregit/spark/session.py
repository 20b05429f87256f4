"""Spark sessions: the caller's, as it is, or a quiet local one that starts fast, and the handling of interrupts."""

from __future__ import annotations

import codecs
import locale
import os
import signal
import socket
import sys
from contextlib import contextmanager, nullcontext, suppress
from logging import LogRecord, NullHandler, getLogger
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.util import is_remote_only

from xregit.errors import XregitError
from xregit.progress import task
from xregit.spark import java
from xregit.spark.java import Py4JError
from xregit.spark.location import error_summary, is_connected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType


# The settings that choose the Spark: one that is started for the session, or one that runs already (Spark Connect).
MASTER, REMOTE = "spark.master", "spark.remote"
# The variable by which spark-submit tells the program that it runs where its Java process is.
SUBMITTED = "PYSPARK_GATEWAY_PORT"

CONNECT_PORT = 15002
REACH_SECONDS = 10

# The module that calls Java. It reports interrupts to the root logger.
PY4J_MODULE = "java_gateway"


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

# Faults come back as exceptions; Spark's log would only repeat them, with stack traces. Spark announces a change of
# level on standard error unless its gateway's logger has the root's level.
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
    with reraise_interrupts():
        if existing is not None:
            yield existing
            return
        temporary = _start(name, conf or {})
        try:
            yield temporary
        finally:
            _stop(temporary)


def _stop(session: SparkSession) -> None:
    """Stop a session, and discard its Java if that has ended: it would be in the way of the next session."""
    if is_connected(session):
        session.stop()
        return
    context = session.sparkContext
    try:
        if context._jsc is not None:  # noqa: SLF001 - Spark calls it only once
            retry_py4j(context._jsc.stop)  # noqa: SLF001 - see above
        session.stop()
    except (Py4JError, OSError):
        java.discard_gateway(context._gateway)  # noqa: SLF001 - Spark has no public name for it


def active_session() -> SparkSession | None:
    """Return the session that is active in this process, if any; one whose Java process has ended is none."""
    if is_remote_only():
        return SparkSession.getActiveSession()
    gateway = java.SparkContext._gateway  # noqa: SLF001 - Spark has no public name for it
    if gateway is not None and java.has_exited(gateway):
        java.discard_gateway(gateway)
    session = retry_py4j(SparkSession.getActiveSession)
    if session is None and java.SparkContext._active_spark_context is not None:  # noqa: SLF001 - see above
        # Java has one for each of its threads: another thread has none, nor has this one after an interrupt.
        return SparkSession.builder.getOrCreate()
    return session


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
    _silence_py4j()
    local = not configured and conf.get(MASTER, DEFAULTS[MASTER]).startswith("local")
    with (
        preserve_interrupt_handler(),
        java.launcher(runtime, os.environ) if runtime else nullcontext(),
        _environment(local=local) as logging,
    ):
        settings = pyspark.SparkConf()
        settings.setAll(list((conf if configured else _settings(conf, logging, local=local)).items()))
        if runtime:
            settings.setAppName(name)
        try:
            return _create(settings)
        except java.LaunchError as error:
            on = f" with Java {runtime.version} in {runtime.home}" if runtime else ""
            message = f"Spark {pyspark.__version__} does not start{on}: {error}"
            raise XregitError(message) from error


def is_configured() -> bool:
    """Return whether a Spark is configured that is not ours to choose: by ``spark-submit`` or in Spark's own ways."""
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    defaults = Path(os.environ.get("SPARK_CONF_DIR") or home / "conf") / "spark-defaults.conf"
    return any(os.environ.get(name) for name in (SUBMITTED, "PYSPARK_SUBMIT_ARGS", "MASTER")) or defaults.is_file()


def _silence_py4j() -> None:
    """Keep the bridge to Java from printing stack traces when Java or we end: one line reports that.

    Handlers that somebody added to its own logger still get its records.
    """
    bridge = getLogger("py4j")
    # A record of an interrupt to the root logger gives that one a handler, which would print the rest.
    bridge.propagate = False
    if not bridge.handlers:
        bridge.addHandler(NullHandler())
    getLogger().addFilter(_is_not_py4j)


def _is_not_py4j(record: LogRecord) -> bool:
    return record.module != PY4J_MODULE


def _create(settings: pyspark.SparkConf) -> SparkSession:
    """Start Spark in the Java process of an earlier session, or in a new one, and return its session.

    Raises:
        LaunchError: Java or Spark does not start.
    """
    gateway = java.SparkContext._gateway or java.start_gateway(settings)  # noqa: SLF001 - Spark has no public name for it
    try:
        # Spark itself minds this setting only where it starts Python, as spark-submit does.
        python = pyspark.SparkConf(_jvm=gateway.jvm).get("spark.pyspark.python")
        if python:
            os.environ["PYSPARK_PYTHON"] = python
        java.silence_accumulator_server(java.SparkContext(conf=settings, gateway=gateway))
        return SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError, OSError) as error:
        launch_error = java.LaunchError(error_summary(error))  # the summary calls Java
        java.discard_gateway(gateway)
        raise launch_error from error
    except KeyboardInterrupt:
        java.discard_gateway(gateway)  # a Spark that is half started would be in the way of the next session
        raise


def _settings(conf: Mapping[str, str], logging: Path, *, local: bool) -> dict[str, str]:
    options = (*JVM_OPTIONS, EXIT_ON_OUT_OF_MEMORY, f"-Dlog4j2.configurationFile={logging.as_uri()}")
    java_options = " ".join((*options, conf.get("spark.driver.extraJavaOptions", ""))).strip()
    defaults = {**DEFAULTS, **LOCAL_DEFAULTS} if local else DEFAULTS
    return {**defaults, **conf, "spark.driver.extraJavaOptions": java_options}


def _utf8_locale() -> dict[str, str]:
    """Return the variables with which Java finds files with any letters in their names, even in a locale of ASCII."""
    is_ascii = codecs.lookup(locale.getencoding()).name == "ascii"
    return {"LC_ALL": "C.UTF-8"} if is_ascii else {}


@contextmanager
def _environment(*, local: bool) -> Iterator[Path]:
    """Set the environment in which Spark starts, and yield its logging file; restore the environment afterwards."""
    # Without PYSPARK_PYTHON workers run whatever "python3" comes first on PATH, which lacks our packages.
    variables = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    if local:
        variables |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} | _utf8_locale()
    before = {key: os.environ.get(key) for key in {*variables, "PYSPARK_PYTHON"}}
    with TemporaryDirectory(prefix="xregit-spark-") as folder:
        logging = Path(folder) / "log4j2.properties"
        logging.write_text(_LOGGING, encoding="utf-8")
        os.environ.update(variables)
        try:
            yield logging
        finally:
            for key, value in before.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value


Result = TypeVar("Result")

# How often Java is called again. One call fails, rarely two.
ATTEMPTS = 5


@contextmanager
def catch_interrupts() -> Iterator[Event]:
    """Yield an event that is set when the process is interrupted, or asked to terminate; the second is raised as usual.

    In other threads than the main one, it is never set: only that one is interrupted.

    Raises:
        KeyboardInterrupt: it is the second.
    """
    interrupted = Event()

    def note(_signal: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    if current_thread() is not main_thread():
        yield interrupted
        return
    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupted
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def preserve_interrupt_handler() -> Iterator[None]:
    """Restore the handler of interrupts afterwards: Spark sets its own when it starts."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and current_thread() is main_thread():
            signal.signal(signal.SIGINT, before)


def retry_py4j(call: Callable[[], Result]) -> Result:
    """Call Java, again if that fails: after an interrupt the first call may find its connection closed.

    Raises:
        Py4JError: it fails each time.
        OSError: the same, where its process has ended.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(Py4JError, OSError):
            return call()
    return call()


@contextmanager
def reraise_interrupts() -> Iterator[None]:
    """Raise an interrupt as one, where it makes Spark fail as it stops: Java may have closed the connection.

    Raises:
        KeyboardInterrupt: an error followed from one.
    """
    outside = sys.exception()
    try:
        yield
    except Exception as error:
        if any(isinstance(each, KeyboardInterrupt) for each in _causes(error, outside)):
            raise KeyboardInterrupt from error
        raise


def _causes(error: BaseException, outside: BaseException | None) -> Iterator[BaseException]:
    """Yield the causes of an error, the newest first, up to the one that was being handled outside."""
    cause = error.__cause__ or error.__context__
    while cause is not None and cause is not outside:
        yield cause
        cause = cause.__cause__ or cause.__context__
