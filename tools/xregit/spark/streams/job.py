"""The routing job: a reader, `classify` and `write_batch`, and a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from time import sleep
from traceback import format_exception
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from xregit.catalog import Registry
from xregit.catalog.registry import expect_registry
from xregit.errors import XregitError
from xregit.messages.matcher import scope
from xregit.spark.java import Py4JError
from xregit.spark.location import Location, error_summary, errors_at, is_connected
from xregit.spark.session import is_configured, session, use_session
from xregit.spark.streams.delta import SCHEMA
from xregit.spark.streams.sink import BatchResult, find_tables, query_id, write_batch
from xregit.spark.streams.source import message_columns, read_files, refuse_overlap

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# Our errors in the text that Spark makes of them.
_OURS = re.compile(r"^(?:xregit\.errors\.XregitError: |(?=\w[\w.]*Error\b))(.+)", re.MULTILINE)
# What Spark takes for an interrupt of a query that is stopped, and not for its failure.
_NAMELESS = "Spark does not name the query here, as over Spark Connect; name the application with app_id"
_INTERRUPT = "py4j.protocol.Py4JJavaError: An error occurred while calling a batch: java.lang.InterruptedException"
APPLICATION = "xregit route"
CHECKPOINT = "_checkpoint"
BATCH_FILES = 1000
# How often a waiting job looks whether the query has ended.
WAIT_SECONDS = 0.2
# A job that runs for hours gains by the better of Java's compilers, which takes longer to get going.
_JAVA_OPTIONS, _FULL_COMPILER = "spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=4"


def route(  # noqa: PLR0913 - by name
    registry: Registry,
    messages: DataFrame | Path | str,
    tables: Path | str,
    *,
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
    checkpoint: Path | str | None = None,
    app_id: str = "",
    trigger: str = "",
    batch_files: int = BATCH_FILES,
    tell: Callable[[BatchResult], None] | None = None,
    endpoint: str = "",
    group: str = "",
    format: str = "",  # noqa: A002 - the word of Spark's readers
    columns: Mapping[str, str] | None = None,
    compact: int = 0,
) -> StreamingQuery:
    """Begin to route messages to the tables of their definitions, and return the query, which runs by itself.

    ``query.awaitTermination()`` waits for it, ``query.stop()`` ends it; what it had begun, the next one finishes.

    Args:
        registry: the catalog.
        messages: a file or a folder, path or URL, of which each file is read once; or a streaming data frame, with
            messages where `classify` says. Rows of one that is not streaming are for `write_batch`.
        tables: a folder outside of that of the messages, a URL, or "schema:CATALOG.SCHEMA"; see `write_batch`.
        spark: the session; else that of the data frame, the active one, or a new one with the settings ``conf``.
        conf: settings of Spark for a new session.
        checkpoint: Spark's ``checkpointLocation``, on any file system that Spark reaches; "_checkpoint" in the folder
            of the tables if left out. Whoever goes on with it, on whichever machine, goes on with this job.
        app_id: the application; by default the id of the query, which is in the checkpoint. Spark Connect does not
            tell that id, so there it has to be given.
        trigger: how often to look for messages, such as "10 seconds"; by default all that there is are routed once.
        batch_files: the most files in one batch.
        tell: is called after each batch with what it did, in a thread of Spark's.
        endpoint: the xid of the endpoint whose definitions are compared, if not all.
        group: the xid of the group whose definitions are compared.
        format: that of files, "jsonl", "kafka-parquet" or "kafka-json", or of the data frame; see `classify`.
        columns: which columns the parts of a message are in; see `classify`.
        compact: after every so many batches, small files of the tables that got rows become large ones.

    Raises:
        XregitError: Spark or Java is missing, or there is nothing to read. What goes wrong later, the query has.
    """
    expect_registry(registry)
    scope(registry, endpoint, group)
    existing = spark or (messages.sparkSession if not isinstance(messages, Path | str) else None)
    running = existing or session(name=APPLICATION, conf=settings(conf or {}))
    place = find_tables(tables, running)
    if checkpoint is None and place.url.startswith(SCHEMA):
        message = f"name a folder for the checkpoint, as {place} is none: --checkpoint"
        raise XregitError(message)
    folder = Location.of(checkpoint, running) if checkpoint is not None else place / CHECKPOINT
    if folder.local and (folder.local / "job.json").is_file():
        message = (
            f"{folder} is the checkpoint of an earlier version of xregit, with which this one can't go on; choose "
            "another folder for the tables, and for the checkpoint, and route all messages again"
        )
        raise XregitError(message)
    if isinstance(messages, Path | str):
        refuse_overlap(messages, place, folder)
        frame = read_files(running, messages, format, batch_files)
    else:
        frame = messages
    if not frame.isStreaming:
        message = "the data frame is not streaming; write its rows with xregit.spark.write_batch, which asks for a name"
        raise XregitError(message)
    message_columns(frame, format, columns)
    if not app_id and is_connected(running):
        raise XregitError(_NAMELESS)

    def write(batch: DataFrame, number: int) -> None:
        options: dict[str, Any] = {"endpoint": endpoint, "group": group, "format": format, "columns": columns}
        query = query_id(batch.sparkSession)
        if not app_id and not query:
            raise XregitError(_NAMELESS)
        name = app_id or f"xregit {query}"
        with _short_interrupts():
            result = write_batch(batch, number, name, registry, tables, compact=compact, **options)
        if tell is not None:
            tell(result)

    writer = frame.writeStream.option("checkpointLocation", folder.hadoop_url).foreachBatch(write)
    with errors_at(folder, "begin a query with the checkpoint"):
        writer = writer.trigger(processingTime=trigger) if trigger else writer.trigger(availableNow=True)
        return writer.start()


def settings(conf: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a new session for a job; those of a Spark that is configured are left alone."""
    if is_configured():
        return dict(conf)
    return {**conf, _JAVA_OPTIONS: f"{_FULL_COMPILER} {conf.get(_JAVA_OPTIONS, '')}".strip()}


def use_job_session(conf: Mapping[str, str]) -> AbstractContextManager[SparkSession]:
    """Return the active session as a context, or a new one, which ends with it."""
    return use_session(None, name=APPLICATION, conf=settings(conf))


@contextmanager
def _short_interrupts() -> Iterator[None]:
    """Shorten the text of an interrupt, in which Spark looks for it by a pattern that overflows at a long one."""
    try:
        yield
    except Exception as error:
        if "InterruptedException" in "".join(format_exception(error)):
            raise XregitError(_INTERRUPT) from None
        raise


@contextmanager
def _one_line() -> Iterator[None]:
    """Turn the error of a query into one line: ours, which Spark has as a text, or its own cause."""
    try:
        yield
    except (PySparkException, Py4JError, OSError) as error:
        ours = _OURS.findall(str(error))
        message = ours[-1].strip() if ours else f"can't route: {error_summary(error)}"
        raise XregitError(message) from error


def wait_for(query: StreamingQuery, *, endless: bool) -> None:
    """Wait until a query ends; an interrupt ends it in order.

    Raises:
        XregitError: it has failed.
        KeyboardInterrupt: it was interrupted before all was routed.
    """
    try:
        with _one_line():
            while query.isActive:
                sleep(WAIT_SECONDS)  # and not in a call of Java, which does not survive an interrupt
            query.awaitTermination()
    except KeyboardInterrupt:
        with suppress(PySparkException, Py4JError, OSError):  # Java may have been interrupted, too
            query.stop()  # a batch that was begun is finished by the next run
        if not endless:
            raise
