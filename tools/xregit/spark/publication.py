"""Publishes a registry as tables, at one commit or at each of many, and finds the versions that hold a commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import DeltaTable

from xregit.arguments import to_path
from xregit.catalog import read_commit
from xregit.catalog.registry import Registry, expect_registry
from xregit.errors import XregitError
from xregit.model.times import moment
from xregit.progress import task, track
from xregit.source.commit_log import History
from xregit.source.repository import ancestors, list_commits
from xregit.spark import delta_spark_writer, parquet_writer
from xregit.spark.delta_spark_writer import DeltaSparkWriter
from xregit.spark.deltalake_writer import DeltalakeWriter
from xregit.spark.location import Location, errors_at
from xregit.spark.row_batches import pack
from xregit.spark.rows import Row, iter_rows, with_hash
from xregit.spark.session import REMOTE, active_session, use_session
from xregit.spark.table_writer import TableWriter, Updates, commit_info, diff_rows, refuse_file
from xregit.spark.tables import PUBLICATIONS
from xregit.spark.tables import tables as tables_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APPLICATION = "xregit publish"
DELTA, PARQUET = "delta", "parquet"
# With one of these settings, Spark has Delta's classes on its class path, or is meant to have them.
CLASS_PATH = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")


@dataclass(frozen=True, slots=True)
class TablePublication:
    """The changes to one table; ``version`` is its Delta version.

    It is None for plain Parquet, and for a table that is emptied because the model has no such type any more.
    """

    name: str
    rows: int
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """What one run published; ``number`` is that of the newest row in the table ``publications``.

    ``changed`` is false where the tables were up to date, and nothing was written.
    """

    folder: str
    format: str
    commit: str
    number: int
    changed: bool
    tables: tuple[TablePublication, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the record with the keys of the JSON report."""
        return asdict(self)


def publish(
    registry: Registry,
    tables: Path | str,
    *,
    format: str = DELTA,  # noqa: A002 - as the command's option is called
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
) -> Publication:
    """Bring the tables in a folder up to date with the registry; the same registry again writes nothing.

    ``tables`` is a path, or the URL of a folder in a store: with Delta's own classes on Spark's class path any store
    that the session knows, else any that `deltalake` knows. ``spark`` is the session to use; else it is the active
    one, else a temporary one with the settings ``conf``, such as ``spark.master`` or ``spark.remote``. Plain Parquet
    is written anew each time.

    Raises:
        XregitError: Spark or Java is missing, or the tables can't be written.
    """
    expect_registry(registry)
    return next(iter(publish_each((registry,), tables, format=format, spark=spark, conf=conf)))


def publish_each(
    registries: Iterable[Registry],
    tables: Path | str,
    *,
    format: str = DELTA,  # noqa: A002 - as the command's option is called
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
) -> Iterator[Publication]:
    """Publish one registry after the other, such as the same one at several commits, with one session.

    Raises:
        XregitError: as `publish` does; those before are published then.
    """
    if format not in {DELTA, PARQUET}:
        message = f'the format "{format}" is unknown; the formats are "{DELTA}" and "{PARQUET}"'
        raise XregitError(message)
    existing = spark or active_session()
    place = Location.of(tables, existing) if existing else Location.of(tables).with_settings(conf or {})
    refuse_file(place)
    with errors_at(place, "publish to"), _open_writer(place, existing, conf or {}) as writer:
        for registry in registries:
            if format == DELTA:
                yield _publish_delta(registry, writer)
            else:
                yield _publish_parquet(registry, place, spark, conf or {})


@contextmanager
def _open_writer(place: Location, existing: SparkSession | None, conf: Mapping[str, str]) -> Iterator[TableWriter]:
    """Yield the writer of the tables: that with Delta's own classes where Spark has them, else that by `deltalake`."""
    with ExitStack() as stack:

        @cache
        def session() -> SparkSession:
            return stack.enter_context(use_session(existing, name=APPLICATION, conf=conf))

        # Starting Spark to ask it takes seconds, which are lost where there is nothing to publish.
        may_have_delta = existing is not None or any(
            name in conf for name in (*CLASS_PATH, *delta_spark_writer.SETTINGS, REMOTE)
        )
        yield (
            DeltaSparkWriter(place, session())
            if may_have_delta and delta_spark_writer.is_available(session())
            else DeltalakeWriter(place, session)
        )


def _publish_delta(registry: Registry, writer: TableWriter) -> Publication:
    history, log = registry.origin.history, writer.snapshot(PUBLICATIONS)
    info = commit_info(history)
    published = sorted(writer.read_rows(log), key=lambda row: int(row["number"]))
    last = published[-1] if published else None
    last_versions = dict(last["versions"]) if last else {}
    last_columns = next((dict(row["columns"]) for row in reversed(published) if row.get("columns")), {})
    updates = _compute_updates(registry, writer, last_columns)
    with task("writing tables"):
        versions = writer.write(updates, info)
    publications = [
        TablePublication(
            name, changes.rows, changes.inserted.rows, changes.updated.rows, changes.deleted.rows, versions[name]
        )
        for name, (_, changes) in updates.items()
    ]
    # Whoever reads the table of a type that the model has no more would take its rows for the catalog's.
    for name in sorted(last_versions.keys() - updates.keys()):
        rows = writer.clear(name, info)
        if rows:
            publications.append(TablePublication(name, 0, deleted=rows))
    changed = last is None or (last["commit"], last_versions) != (history.head, versions)
    number = (last["number"] if last else 0) + changed
    log_version = log.version
    if changed:
        columns = {
            name: ",".join(column.name for column in snapshot.table.columns) for name, (snapshot, _) in updates.items()
        }
        row = _publication_row(number, history, versions, columns if columns != last_columns else None)
        log_version = writer.append(log, row, info)
    publications.append(TablePublication(log.table.name, number, int(changed), version=log_version))
    folder = str(log.place).removesuffix(f"/{log.table.name}")
    return Publication(folder, DELTA, history.head, number, changed, tuple(publications))


def _compute_updates(registry: Registry, writer: TableWriter, last_columns: Mapping[str, str]) -> Updates:
    """Return the snapshot of each table and its changes; rows and hashes of one table at a time are in memory.

    ``last_columns`` are those that the model gave each table: of the columns that the model does not have, the others
    are somebody's own.
    """
    all_tables, updates = tables_of(registry.model), {}
    for name, rows in track(iter_rows(registry).items(), "comparing tables"):
        snapshot, columns = writer.snapshot(all_tables[name]), last_columns.get(name, "").split(",")
        removed = tuple(each for each in snapshot.removed_columns if each in columns)
        updates[name] = (
            replace(snapshot, hashes={}, removed_columns=removed),
            diff_rows(snapshot.table, rows, snapshot.hashes),
        )
    return updates


def _publication_row(
    number: int, history: History, versions: Mapping[str, int], columns: Mapping[str, str] | None = None
) -> Row:
    return with_hash(
        {
            "number": number,
            "commit": history.head,
            "time": moment(history.head_time),
            "versions": dict(versions),
            "columns": columns,
            "publishedat": datetime.now(UTC),
        }
    )


def _publish_parquet(
    registry: Registry, place: Location, spark: SparkSession | None, conf: Mapping[str, str]
) -> Publication:
    history, all_tables = registry.origin.history, tables_of(registry.model)
    parquet_writer.refuse_other_content(place)
    batches = {all_tables[name]: pack(all_tables[name], rows) for name, rows in iter_rows(registry).items()}
    batches[PUBLICATIONS] = pack(PUBLICATIONS, [_publication_row(1, history, {})])
    with use_session(spark, name=APPLICATION, conf=conf) as session, task("writing tables"):
        parquet_writer.write(session, batches, place)
    publications = tuple(TablePublication(table.name, each.rows, each.rows) for table, each in batches.items())
    return Publication(str(place), PARQUET, history.head, 1, changed=True, tables=publications)


@dataclass(frozen=True, slots=True)
class PublishedVersions:
    """One row of the table of publications: a Git commit, and the version of every table that holds it."""

    number: int
    commit: str
    versions: Mapping[str, int]


def publish_history(
    registry: Path | str,
    refs: str,
    tables: Path | str,
    *,
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
) -> tuple[Publication, ...]:
    """Publish the registry in a folder as it was at each commit, the oldest first.

    ``refs`` is a commit's name, or ``old..new`` for the commits after the first. Commits that did not touch the
    folder are left out, except the last. Commits that are published already add nothing.

    Raises:
        XregitError: the folder is in no Git repository, there is no such commit, or the tables can't be written; what
            was published before stays.
    """
    return tuple(iter_history(registry, refs, tables, spark=spark, conf=conf))


def iter_history(
    registry: Path | str,
    refs: str,
    tables: Path | str,
    *,
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
) -> Iterator[Publication]:
    """Publish as `publish_history` does, and yield each publication when it is done, to show progress.

    Raises:
        XregitError: as `publish_history`.
    """
    folder = to_path(registry)
    commits = list_commits(folder, refs)
    published = {each.commit for each in _read_publications(Location.of(tables, active_session()))}
    # To publish an older commit after a newer one would turn the tables back.
    start = max((number + 1 for number, sha in enumerate(commits) if sha in published), default=0)
    states = (read_commit(folder, sha) for sha in commits[start:])
    total = len(commits) - start
    yield from track(publish_each(states, tables, spark=spark, conf=conf), "publishing commits", total)


def published_at(registry: Path | str, ref: str, tables: Path | str) -> PublishedVersions:
    """Return the publication that holds a Git commit: its own, else that of the newest published commit before it.

    Raises:
        XregitError: there is no such commit, no such tables, or nothing of that age was published.
    """
    folder, place = to_path(registry), Location.of(tables, active_session())
    publications = {each.commit: each for each in _read_publications(place)}
    if not publications:
        message = f"{place} holds no published tables; xregit publish makes them"
        raise XregitError(message)
    for sha in ancestors(folder, ref):
        if sha in publications:
            return publications[sha]
    message = f'neither "{ref}" nor a commit before it was published in {place}; xregit publish --history {ref} does'
    raise XregitError(message)


def tables_at(tables: Path | str, number: int | None = None) -> dict[str, DeltaTable]:
    """Return every table as it was at one publication, by default the newest, so that they agree with each other.

    Raises:
        XregitError: there are no such tables, or no such publication.
    """
    place = Location.of(tables, active_session())
    publications = {each.number: each for each in _read_publications(place)}
    if not publications:
        message = f"{place} holds no published tables; xregit publish makes them"
        raise XregitError(message)
    newest = max(publications)
    publication = publications.get(newest if number is None else number)
    if publication is None:
        message = f"{place} holds no publication {number}, but 1 to {newest}"
        raise XregitError(message)
    with errors_at(place, "read the tables in"):
        return {
            name: DeltaTable((place / name).url, at, dict(place.options)) for name, at in publication.versions.items()
        }


def _read_publications(place: Location) -> list[PublishedVersions]:
    log, options = (place / PUBLICATIONS.name).url, dict(place.options)
    with errors_at(place, "read the tables in"):
        if (place.local and not place.local.exists()) or not DeltaTable.is_deltatable(log, options):
            return []
        rows = pa.table(
            DeltaTable(log, storage_options=options).scan(columns=["number", "commit", "versions"])
        ).to_pylist()
    return [PublishedVersions(row["number"], row["commit"], dict(row["versions"])) for row in rows]
