"""The routing job: messages to the tables of their definitions, batch by batch, each in exactly one row, once."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from xregit.catalog.registry import expect_registry
from xregit.errors import XregitError
from xregit.spark.location import Location, errors_at
from xregit.spark.session import REMOTE, catch_interrupts, require_spark, use_session
from xregit.spark.streams.checkpoint import TABLES, Checkpoint, Pinned, freeze, open_checkpoint
from xregit.spark.streams.sink import Batch, DeltaSink
from xregit.spark.streams.source import LINES, Source, files, refuse_overlap, source
from xregit.spark.table_writer import refuse_escapes, refuse_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from xregit.catalog import Registry
    from xregit.spark.streams.plan import Packed


APPLICATION = "xregit route"
CHECKPOINT = "_checkpoint"
BATCH_FILES = 1000
TRIGGER = "1 second"
# How long a stream is waited for until it is looked whether somebody has interrupted it.
PATIENCE_SECONDS = 1
# A job that runs for hours gains by the better of Java's compilers, which takes longer to get going.
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
LASTING = "-XX:TieredStopAtLevel=4"


@dataclass(frozen=True, slots=True)
class Routed:
    """What one run did: how many batches it sorted, and how many rows went to each table."""

    batches: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Routed) -> Routed:
        """Return both together."""
        return Routed(self.batches + other.batches, dict(Counter(self.rows) + Counter(other.rows)))


class Options(TypedDict, total=False):
    """What else `route` can be told.

    ``endpoint`` or ``group`` is the xid of what holds the definitions that messages are recognised by. ``format`` is
    that of files, "jsonl" if left out, else "kafka-parquet" or "kafka-json". ``continuous`` says to go on until
    interrupted, and not only until all that is there is sorted. ``checkpoint`` is the folder where the job keeps what
    it has done, by default in that of the tables. ``batch_files`` is the most files that one batch takes, and ``tell``
    is called after each batch.
    """

    endpoint: str
    group: str
    format: str
    continuous: bool
    checkpoint: Path | str | None
    batch_files: int
    tell: Callable[[Routed], None]


def route(
    registry: Registry,
    messages: DataFrame | Path | str,
    tables: Path | str,
    *,
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> Routed:
    """Sort messages into the tables of their definitions; those that were sorted before are not sorted again.

    ``messages`` is a file or a folder, of which each file is taken once, those in its folders too, or a data frame,
    streaming or not, with one column of text or the columns of Spark's Kafka source; the rows of one that is not
    streaming are one batch. ``tables`` is a path outside of that folder, or a URL that `deltalake` knows. ``spark`` is
    the session to use; else it is that of the data frame, or the active one, or one for the time being with the
    settings ``conf``. `xregit.spark.streams.job.Options` names the others.

    Raises:
        XregitError: Spark or Java is missing, the messages can't be read or the tables not be written, or the
            checkpoint is of another job or in use, or Spark is behind Spark Connect. What was begun is finished by the
            next run.
    """
    expect_registry(registry)
    require_spark()
    from xregit.spark.streams.plan import packed, plan

    _refuse_remote(messages, conf or {})
    place = Location.of(tables)
    refuse_file(place)
    refuse_escapes(place)
    endpoint, group = options.get("endpoint", ""), options.get("group", "")
    made = plan(registry, endpoint, group)
    job = _identity(registry, messages, place) | {"endpoint": endpoint, "group": group}
    folder = _memory(place, options.get("checkpoint"))
    if isinstance(messages, Path | str):
        refuse_overlap(messages, place, Location.of(folder))
    ledger = DeltaSink(place)
    with open_checkpoint(folder, job) as memory, errors_at(place, "route to"):
        fitted = packed(ledger.fitted(made))
        router = RoutingJob(registry.origin.history.head, freeze(registry), fitted, memory, ledger, options.get("tell"))
        with use_session(_session(messages) or spark, name=APPLICATION, conf=_settings(conf or {})) as session:
            given = _source(session, messages, options)
            if given.frame.isStreaming:
                router.follow(given, continuous=options.get("continuous", False))
            else:
                router.sort_all(given)
    return router.routed


def _source(session: SparkSession, messages: DataFrame | Path | str, options: Options) -> Source:
    if not isinstance(messages, Path | str):
        return source(messages)
    return files(session, messages, options.get("format", LINES), options.get("batch_files", BATCH_FILES))


@dataclass
class RoutingJob:
    """Sorts one batch after the other; ``routed`` is what it has done."""

    commit: str
    catalog: tuple[str, bytes]
    packed: Packed
    memory: Checkpoint
    ledger: DeltaSink
    tell: Callable[[Routed], None] | None = None
    routed: Routed = field(default_factory=Routed)
    failure: Exception | None = None

    def sort_all(self, given: Source) -> None:
        """Sort the rows that are there as one batch: the one that was begun and not finished, or a new one."""
        last = self.memory.pinned
        number = 0 if last is None else last.number + last.done
        self._sort(given, number)
        pinned = self.memory.pinned
        if pinned is not None:
            self.memory.pin(replace(pinned, done=True), self.catalog[1])

    def follow(self, given: Source, *, continuous: bool) -> None:
        """Sort batches as they come, or all that is there already."""
        writer = given.frame.writeStream.option("checkpointLocation", self.memory.spark).foreachBatch(
            lambda frame, number: self._guarded(replace(given, frame=frame), number)
        )
        writer = writer.trigger(processingTime=TRIGGER) if continuous else writer.trigger(availableNow=True)
        self.memory.forget_half_begun()
        query = writer.start()
        with catch_interrupts() as interrupted, self._failures():
            while not query.awaitTermination(PATIENCE_SECONDS):
                if interrupted.is_set():
                    query.stop()  # a batch that was begun is finished by the next run
                    if not continuous:
                        raise KeyboardInterrupt
                    return

    def _guarded(self, given: Source, number: int) -> None:
        try:
            self._sort(given, number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the stream is waited for
            self.failure = error
            # Spark hands it on as a text, and in a long one looks for causes until its stack is full.
            message = "the batch was not finished"
            raise RuntimeError(message) from None

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except Exception:
            if self.failure is not None:
                raise self.failure from None
            raise

    def _sort(self, given: Source, number: int) -> None:
        from xregit.spark.streams.router import SORTED, TABLE, WRITTEN, Task

        packed = self._pinned(number)
        job = Task.of(packed, self.ledger.place.url, given.form)
        written = given.frame.mapInArrow(job.sort, SORTED)
        if job.fewest:
            written = written.repartition(TABLE).sortWithinPartitions(TABLE).mapInArrow(job.gather, WRITTEN)
        rows: Counter[str] = Counter()
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in written.collect():
            found.setdefault(row["about"], []).append(row.asDict())
            rows[row["table"]] += row["records"]
        said = {"gitCommit": self.commit}
        self.ledger.take(
            Batch(self.memory.application, number, said),
            [(packed.plan.landing(about), files) for about, files in found.items()],
        )
        done = Routed(1, dict(rows))
        self.routed += done
        if self.tell is not None:
            self.tell(done)

    def _pinned(self, number: int) -> Packed:
        """Return the plan by which a batch is sorted: that of its first time, or for a new one ours."""
        last = self.memory.pinned
        digest, document = self.catalog
        if last is None or number > last.number:
            self.memory.pin(Pinned(number, digest), document)
            return self.packed
        if number < last.number:
            message = (
                f"the checkpoint {self.memory.folder} is damaged: Spark begins batch {number}, after batch "
                f"{last.number} was sorted; name another folder with --checkpoint"
            )
            raise XregitError(message)
        if last.catalog == digest:
            return self.packed
        job = self.memory.job
        from xregit.spark.streams.plan import packed, plan

        made = plan(self.memory.catalog(last.catalog), job["endpoint"], job["group"])
        return packed(self.ledger.fitted(made))


def _identity(registry: Registry, messages: DataFrame | Path | str, place: Location) -> dict[str, str]:
    """Return what tells one job from another."""
    given = str(Location.of(messages)) if isinstance(messages, Path | str) else "a data frame"
    return {"catalog": str(registry.attributes.get("registryid", "")), "input": given, TABLES: str(place)}


def _memory(place: Location, checkpoint: Path | str | None) -> Path:
    if checkpoint is not None:
        return Path(checkpoint).resolve()
    if place.local is None:
        message = f"{place} is in a store; name a folder of this machine for the checkpoint with --checkpoint"
        raise XregitError(message)
    return place.local / CHECKPOINT


def _refuse_remote(messages: DataFrame | Path | str, conf: Mapping[str, str]) -> None:
    """Refuse Spark Connect, whose server would have to commit the tables.

    Raises:
        XregitError: it is asked for.
    """
    given = _session(messages)
    if REMOTE in conf or (given is not None and ".connect." in type(given).__module__):
        message = "messages can't be routed through Spark Connect; run the job where Spark's driver is"
        raise XregitError(message)


def _settings(conf: Mapping[str, str]) -> dict[str, str]:
    return {**conf, JAVA_OPTIONS: f"{LASTING} {conf.get(JAVA_OPTIONS, '')}".strip()}


def _session(messages: DataFrame | Path | str) -> SparkSession | None:
    return None if isinstance(messages, Path | str) else messages.sparkSession
