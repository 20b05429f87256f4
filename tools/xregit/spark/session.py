"""Spark sessions: a quiet local one that starts fast, or the one that is active, and what interrupts do to them."""

from __future__ import annotations

import codecs
import locale
import os
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from logging import LogRecord, NullHandler, getLogger
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from xregit.errors import XregitError
from xregit.spark import java
from xregit.spark.location import error_summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    from xregit.spark.java import Java

# The settings that say which Spark it is: one that runs the session, or one that is there already (Spark Connect).
MASTER, REMOTE = "spark.master", "spark.remote"

CONNECT_PORT = 15002
REACH_SECONDS = 10

# The module that asks Java. It tells of interrupts by the logger that is everybody's.
PY4J_MODULE = "java_gateway"

PACKAGES = ("pyspark", "deltalake", "pyarrow", "msgspec")
MISSING = "publishing tables needs Spark, which is not installed"

# Measured: compiling with C1 alone takes 40 % of the processor time off a short session (it costs long-running ones).
JVM_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
# A thread of Spark's that dies for lack of memory may be the one that Python waits for, to the end of time.
EXIT_ON_OUT_OF_MEMORY = "-XX:+ExitOnOutOfMemoryError"

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
    return active_session() or _start(name, conf or {})


@contextmanager
def use_session(
    given: SparkSession | None, *, name: str, conf: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """Yield the session at hand, or one for the time being: only a session that was started here is stopped."""
    found = given or active_session()
    with reraise_interrupts():
        if found is not None:
            yield found
            return
        started = _start(name, conf or {})
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
            retry_py4j(context._jsc.stop)  # noqa: SLF001 - see above
        session.stop()
    except (Py4JError, OSError):
        java.discard_gateway(context._gateway)  # noqa: SLF001 - Spark has no other way to ask


def active_session() -> SparkSession | None:
    """Return the session that is active in this process, if any; one whose Java process has ended is none.

    Raises:
        XregitError: Spark is not installed.
    """
    require_spark()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway  # noqa: SLF001 - Spark has no other way to ask
    if gateway is not None and java.has_exited(gateway):
        java.discard_gateway(gateway)
    found = retry_py4j(SparkSession.getActiveSession)
    if found is None and SparkContext._active_spark_context is not None:  # noqa: SLF001 - see above
        # Java knows one for each of its threads: another thread has none, and this one after an interrupt.
        return SparkSession.builder.getOrCreate()
    return found


def require_spark() -> None:
    """Refuse to go on without the packages of the extra "spark".

    Raises:
        XregitError: one of them is missing.
    """
    if any(find_spec(name) is None for name in PACKAGES):
        from xregit.installed import bringing  # only faults ask

        message = f"{MISSING}: {bringing('spark')}"
        raise XregitError(message)


def _start(name: str, conf: Mapping[str, str]) -> SparkSession:
    return _connect(name, conf) if REMOTE in conf else _launch(name, conf)


def _connect(name: str, conf: Mapping[str, str]) -> SparkSession:
    """Return a session of a Spark that runs already; its settings are its own but for those that are asked for."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    for key, value in {"spark.sql.session.timeZone": "UTC", **conf}.items():
        builder = builder.config(key, value)
    try:
        _check_reachable(conf[REMOTE])
        return builder.getOrCreate()
    except (PySparkException, ImportError, OSError, RuntimeError, ValueError) as error:
        raise XregitError(" ".join(f"no Spark answers at {conf[REMOTE]}: {error}".split())) from error


def _check_reachable(url: str) -> None:
    """Make sure that something listens there; Spark's own client would try for ten minutes.

    Raises:
        OSError: nothing does.
    """
    address = urlsplit(url)
    if address.scheme == "sc":
        with socket.create_connection((address.hostname or "", address.port or CONNECT_PORT), REACH_SECONDS):
            pass


def _launch(name: str, conf: Mapping[str, str]) -> SparkSession:
    import pyspark

    found = java.find_java(os.environ, spark=pyspark.__version__)
    _silence_py4j()
    local = conf.get(MASTER, DEFAULTS[MASTER]).startswith("local")
    with preserve_interrupt_handler(), _environment(found, local=local) as logging:
        settings = pyspark.SparkConf().setAppName(name).setAll(list(_settings(conf, logging, local=local).items()))
        try:
            return _create(settings)
        except java.LaunchError as error:
            message = f"Spark {pyspark.__version__} does not start with Java {found.version} in {found.home}: {error}"
            raise XregitError(message) from error


def _silence_py4j() -> None:
    """Let the bridge to Java print no stack traces, where one line or nothing tells that Java or we were ended.

    Handlers that somebody gave to its own logger still hear of it.
    """
    bridge = getLogger("py4j")
    # What it tells everybody's logger of an interrupt gives that one a handler, which would print the rest.
    bridge.propagate = False
    if not bridge.handlers:
        bridge.addHandler(NullHandler())
    getLogger().addFilter(_is_not_py4j)


def _is_not_py4j(record: LogRecord) -> bool:
    return record.module != PY4J_MODULE


def _create(settings: SparkConf) -> SparkSession:
    """Return the session of a Spark that is started in the Java process that an earlier one has left or in a new one.

    Raises:
        NotStartedError: Java or Spark does not start.
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway or java.start_gateway(settings)  # noqa: SLF001 - Spark has no other way to ask
    try:
        java.silence_accumulator_server(SparkContext(conf=settings, gateway=gateway))
        return SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError, OSError) as error:
        found = java.LaunchError(error_summary(error))  # asks Java
        java.discard_gateway(gateway)
        raise found from error
    except KeyboardInterrupt:
        java.discard_gateway(gateway)  # a Spark that is half begun would be in the way of the next session
        raise


def _settings(conf: Mapping[str, str], logging: Path, *, local: bool) -> dict[str, str]:
    options = (*JVM_OPTIONS, EXIT_ON_OUT_OF_MEMORY, f"-Dlog4j2.configurationFile={logging.as_uri()}")
    asked = conf.get("spark.driver.extraJavaOptions", "")
    defaults = {**DEFAULTS, **LOCAL_DEFAULTS} if local else DEFAULTS
    return {**defaults, **conf, "spark.driver.extraJavaOptions": " ".join((*options, asked)).strip()}


def _utf8_locale() -> dict[str, str]:
    """Return what lets Java find files with any letters in their names, where the locale has only those of ASCII."""
    is_ascii = codecs.lookup(locale.getencoding()).name == "ascii"
    return {"LC_ALL": "C.UTF-8"} if is_ascii else {}


@contextmanager
def _environment(found: Java, *, local: bool) -> Iterator[Path]:
    """Set what Spark reads from the environment as it starts, and give its logging file; undo it afterwards."""
    # Without PYSPARK_PYTHON workers run whatever "python3" comes first on PATH, which lacks our packages.
    ours = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    if local:
        ours |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"} | _utf8_locale()
    before = {key: os.environ.get(key) for key in ours}
    with TemporaryDirectory(prefix="xregit-spark-") as folder, java.launcher(found, os.environ):
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


Result = TypeVar("Result")

# How often Java is asked the same. One question fails, rarely two.
ATTEMPTS = 5


@contextmanager
def catch_interrupts() -> Iterator[Event]:
    """Yield what is set when the process is interrupted; the second interrupt is raised as usual.

    In other threads than the main one, nothing is ever set: only that one is interrupted.

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
    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def preserve_interrupt_handler() -> Iterator[None]:
    """Handle interrupts as before, whatever is begun meanwhile: Spark sets its own handler when it begins."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and current_thread() is main_thread():
            signal.signal(signal.SIGINT, before)


def retry_py4j(question: Callable[[], Result]) -> Result:
    """Return what Java answers: after an interrupt the first question may find its connection closed.

    Raises:
        Py4JError: it answers none of several times.
        OSError: the same, where its process has ended.
    """
    from py4j.protocol import Py4JError

    for _ in range(ATTEMPTS - 1):
        with suppress(Py4JError, OSError):
            return question()
    return question()


@contextmanager
def reraise_interrupts() -> Iterator[None]:
    """Raise an interrupt as one, where what Spark does on its way out failed: Java may have closed the connection.

    Raises:
        KeyboardInterrupt: something went wrong because of one.
    """
    outside = sys.exception()
    try:
        yield
    except Exception as error:
        if any(isinstance(each, KeyboardInterrupt) for each in _causes(error, outside)):
            raise KeyboardInterrupt from error
        raise


def _causes(error: BaseException, outside: BaseException | None) -> Iterator[BaseException]:
    """Yield what an error followed, the newest first, up to what was being handled outside."""
    before = error.__cause__ or error.__context__
    while before is not None and before is not outside:
        yield before
        before = before.__cause__ or before.__context__
