"""The routing job: messages to the tables of their definitions, batch by batch, each in exactly one row, once."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from xregit.catalog.registry import expect_registry
from xregit.errors import XregitError
from xregit.progress import task
from xregit.spark.location import Location, errors_at
from xregit.spark.session import REMOTE, catch_interrupts, require_spark, use_session
from xregit.spark.streams.checkpoint import TABLES, Checkpoint, PinnedBatch, freeze_catalog, open_checkpoint
from xregit.spark.streams.sink import Batch, DeltaSink
from xregit.spark.streams.source import LINES, Source, from_dataframe, from_files, refuse_overlap
from xregit.spark.table_writer import refuse_escapes, refuse_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from xregit.catalog import Registry
    from xregit.spark.streams.plan import PackedPlan


APPLICATION = "xregit route"
CHECKPOINT = "_checkpoint"
BATCH_FILES = 1000
TRIGGER = "1 second"
# How often a waiting job looks whether somebody has interrupted it.
WAIT_SECONDS = 1
# A job that runs for hours gains by the better of Java's compilers, which takes longer to get going.
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
FULL_COMPILER = "-XX:TieredStopAtLevel=4"


@dataclass(frozen=True, slots=True)
class RoutingResult:
    """How many batches a run routed, and how many rows went to each table."""

    batches: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: RoutingResult) -> RoutingResult:
        """Return both together."""
        return RoutingResult(self.batches + other.batches, dict(Counter(self.rows) + Counter(other.rows)))


class Options(TypedDict, total=False):
    """The other options of `route`.

    ``endpoint`` or ``group`` is the xid of the endpoint or group with the definitions to match. ``format`` is that of
    files: "jsonl", the default, "kafka-parquet" or "kafka-json". ``continuous`` means to go on until interrupted, and
    not only until all present messages are routed. ``checkpoint`` is the folder of the job's checkpoint, by default in
    that of the tables. ``batch_files`` is the most files in one batch, and ``tell`` is called after each batch.
    """

    endpoint: str
    group: str
    format: str
    continuous: bool
    checkpoint: Path | str | None
    batch_files: int
    tell: Callable[[RoutingResult], None]


def route(
    registry: Registry,
    messages: DataFrame | Path | str,
    tables: Path | str,
    *,
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> RoutingResult:
    """Route messages to the tables of their definitions; those that were routed before are not routed again.

    ``messages`` is a file or a folder, of which each file is read once, those in its folders too, or a data frame,
    streaming or not, with one column of text or the columns of Spark's Kafka source; the rows of one that is not
    streaming are one batch. ``tables`` is a path outside of that folder, or a URL that `deltalake` knows. ``spark`` is
    the session to use; else it is that of the data frame, or the active one, or a temporary one with the settings
    ``conf``. `xregit.spark.streams.job.Options` has the others.

    Raises:
        XregitError: Spark or Java is missing, the messages can't be read or the tables not be written, or the
            checkpoint is of another job or in use, or Spark is behind Spark Connect. A batch that was begun is finished
            by the next run.
    """
    expect_registry(registry)
    require_spark()
    from xregit.spark.streams.plan import pack_plan, plan

    conf = conf or {}
    frame_session = None if isinstance(messages, Path | str) else messages.sparkSession
    if REMOTE in conf or (frame_session is not None and ".connect." in type(frame_session).__module__):
        # Its server would have to commit the tables.
        message = "messages can't be routed through Spark Connect; run the job where Spark's driver is"
        raise XregitError(message)
    place = Location.of(tables)
    refuse_file(place)
    refuse_escapes(place)
    endpoint, group = options.get("endpoint", ""), options.get("group", "")
    original = plan(registry, endpoint, group)
    folder = _checkpoint_folder(place, options.get("checkpoint"))
    if isinstance(messages, Path | str):
        refuse_overlap(messages, place, Location.of(folder))
    identity = {
        "catalog": str(registry.attributes.get("registryid", "")),
        "input": str(Location.of(messages)) if isinstance(messages, Path | str) else "a data frame",
        TABLES: str(place),
        "endpoint": endpoint,
        "group": group,
    }
    sink = DeltaSink(place)
    settings = {**conf, JAVA_OPTIONS: f"{FULL_COMPILER} {conf.get(JAVA_OPTIONS, '')}".strip()}
    with open_checkpoint(folder, identity) as checkpoint, errors_at(place, "route to"):
        packed = pack_plan(sink.adopt_tables(original))
        commit, catalog = registry.origin.history.head, freeze_catalog(registry)
        job = RoutingJob(commit, catalog, packed, checkpoint, sink, options.get("tell"))
        with use_session(frame_session or spark, name=APPLICATION, conf=settings) as session:
            if isinstance(messages, Path | str):
                message_format, batch_files = options.get("format", LINES), options.get("batch_files", BATCH_FILES)
                source = from_files(session, messages, message_format, batch_files)
            else:
                source = from_dataframe(messages)
            with task("sorting messages"):
                if source.frame.isStreaming:
                    job.run_stream(source, continuous=options.get("continuous", False))
                else:
                    job.run_batch(source)
    return job.result


def _checkpoint_folder(place: Location, checkpoint: Path | str | None) -> Path:
    if checkpoint is not None:
        return Path(checkpoint).resolve()
    if place.local is None:
        message = f"{place} is in a store; name a folder of this machine for the checkpoint with --checkpoint"
        raise XregitError(message)
    return place.local / CHECKPOINT


@dataclass
class RoutingJob:
    """Routes one batch after the other; ``result`` is that of all batches so far."""

    commit: str
    catalog: tuple[str, bytes]
    packed: PackedPlan
    checkpoint: Checkpoint
    sink: DeltaSink
    tell: Callable[[RoutingResult], None] | None = None
    result: RoutingResult = field(default_factory=RoutingResult)
    failure: Exception | None = None

    def run_batch(self, source: Source) -> None:
        """Route the rows of a data frame as one batch: the one that was begun and not finished, or a new one."""
        last = self.checkpoint.last_batch
        self._route(source, 0 if last is None else last.number + last.done)
        last = self.checkpoint.last_batch
        if last is not None:
            self.checkpoint.pin(replace(last, done=True), self.catalog[1])

    def run_stream(self, source: Source, *, continuous: bool) -> None:
        """Route batches as they come, or all that are there already."""
        writer = source.frame.writeStream.option("checkpointLocation", self.checkpoint.spark).foreachBatch(
            lambda frame, number: self._route_guarded(replace(source, frame=frame), number)
        )
        writer = writer.trigger(processingTime=TRIGGER) if continuous else writer.trigger(availableNow=True)
        self.checkpoint.remove_incomplete_logs()
        query = writer.start()
        with catch_interrupts() as interrupted, self._raise_failure():
            while not query.awaitTermination(WAIT_SECONDS):
                if interrupted.is_set():
                    query.stop()  # a batch that was begun is finished by the next run
                    if not continuous:
                        raise KeyboardInterrupt
                    return

    def _route_guarded(self, source: Source, number: int) -> None:
        try:
            self._route(source, number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the stream is waited for
            self.failure = error
            # Spark passes it on as a text, and in a long one looks for causes until its stack is full.
            message = "the batch was not finished"
            raise RuntimeError(message) from None

    @contextmanager
    def _raise_failure(self) -> Iterator[None]:
        try:
            yield
        except Exception:
            if self.failure is not None:
                raise self.failure from None
            raise

    def _route(self, source: Source, number: int) -> None:
        from xregit.spark.streams.router import FILE_ROWS, KEY, ROUTED_ROWS, RoutingTask

        packed = self._pinned_plan(number)
        task = RoutingTask.of(packed, self.sink.place.url, source.format)
        frame = source.frame.mapInArrow(task.route, ROUTED_ROWS)
        if task.min_rows:
            frame = frame.repartition(KEY).sortWithinPartitions(KEY).mapInArrow(task.gather, FILE_ROWS)
        rows: Counter[str] = Counter()
        files: dict[str, list[Mapping[str, Any]]] = {}
        for row in frame.collect():
            files.setdefault(row[KEY], []).append(row.asDict())
            rows[row["table"]] += row["records"]
        batch = Batch(self.checkpoint.application, number, {"gitCommit": self.commit})
        self.sink.commit(batch, [(packed.plan.table(key), some) for key, some in files.items()])
        result = RoutingResult(1, dict(rows))
        self.result += result
        if self.tell is not None:
            self.tell(result)

    def _pinned_plan(self, number: int) -> PackedPlan:
        """Return the plan of a batch: for a batch that is repeated that of its first time, for a new one ours."""
        from xregit.spark.streams.plan import pack_plan, plan

        last = self.checkpoint.last_batch
        digest, document = self.catalog
        if last is None or number > last.number:
            self.checkpoint.pin(PinnedBatch(number, digest), document)
            return self.packed
        if number < last.number:
            message = (
                f"the checkpoint {self.checkpoint.folder} is damaged: Spark begins batch {number}, after batch "
                f"{last.number} was sorted; name another folder with --checkpoint"
            )
            raise XregitError(message)
        if last.catalog == digest:
            return self.packed
        job = self.checkpoint.job
        original = plan(self.checkpoint.catalog(last.catalog), job["endpoint"], job["group"])
        return pack_plan(self.sink.adopt_tables(original))
