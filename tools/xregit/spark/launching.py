"""The start of Spark's Java process; if it fails, the reason, which Java writes to standard error only."""

from __future__ import annotations

import os
import sys
from dataclasses import field
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from xregit.records import record

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway
    from pyspark import SparkConf, SparkContext

STANDARD_ERROR = 2
LISTEN_SECONDS = 5
MAX_CHARS = 300
# What Spark's script says of itself when Java has given it nothing.
NOISE = "bad array subscript"


@record
class Listener:
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


class NotStartedError(Exception):
    """Java does not start; the text is what it said."""


def launched(conf: SparkConf) -> JavaGateway:
    """Return the gateway to a new Java process for Spark.

    Raises:
        NotStartedError: it does not start.
    """
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    ear, mouth = os.pipe()
    listener = Listener(ear)
    thread = Thread(target=listener.listen, daemon=True)
    thread.start()
    try:
        gateway = launch_gateway(conf, {"stdout": mouth, "stderr": mouth})  # type: ignore[no-untyped-call]
    except PySparkRuntimeError as error:
        os.close(mouth)
        thread.join(LISTEN_SECONDS)
        raise NotStartedError(listener.complaint or str(error)) from error
    os.close(mouth)
    listener.running.set()
    return gateway


def quieten(context: SparkContext) -> None:
    """Let Spark print no trace of its server for counters, whose connection ends with Java: one line tells of that."""
    server: Any = context._accumulatorServer  # noqa: SLF001 - Spark has no other way to ask
    told = server.handle_error

    def handle_error(request: Any, address: Any) -> None:
        if not isinstance(sys.exception(), EOFError | OSError):
            told(request, address)

    server.handle_error = handle_error


def has_ended(gateway: JavaGateway) -> bool:
    """Tell whether a Java process is gone, such as for lack of memory; of one that we did not start nobody knows."""
    return gateway.proc is not None and gateway.proc.poll() is not None


def ended(gateway: JavaGateway) -> None:
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
