"""A registry to its tables: Spark writes what is new, Delta's logs take it in, and a last row holds it together."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.spark import delta, files, frames, parquet
from xregit.spark.cells import hashed, time_of
from xregit.spark.comparing import Difference, difference
from xregit.spark.derived import PUBLICATIONS
from xregit.spark.faults import told_of
from xregit.spark.rows import rows
from xregit.spark.session import borrowed, installed
from xregit.spark.tables import tables as tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa
    from deltalake import CommitProperties
    from pyspark.sql import SparkSession

    from xregit.catalog.registry import Registry
    from xregit.source.history import History
    from xregit.spark.cells import Row
    from xregit.spark.delta import Stand

APPLICATION = "xregit publish"
DELTA, PARQUET = "delta", "parquet"


@dataclass(frozen=True, slots=True)
class TablePublication:
    """What became of one table; ``version`` is its Delta version, None where the format has none."""

    name: str
    rows: int
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """What one run published; ``number`` is that of the newest row in the table ``publications``.

    ``changed`` is false where the tables said all this already, and nothing was written.
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
    tables: Path,
    *,
    format: str = DELTA,  # noqa: A002 - as the command's option is called
    spark: SparkSession | None = None,
) -> Publication:
    """Bring the tables in a folder to what the registry says; the same registry again writes nothing.

    ``spark`` is the session to use; else it is the active one, else one for the time being, which is started only
    if there is something to write. Plain Parquet is written anew each time, the whole folder at once.

    Raises:
        XregitError: Spark or Java is missing, or the tables can't be written.
    """
    installed()
    if format not in {DELTA, PARQUET}:
        message = f'the format "{format}" is unknown; the formats are "{DELTA}" and "{PARQUET}"'
        raise XregitError(message)
    folder = tables.resolve()
    with told_of(folder):
        return (_to_delta if format == DELTA else _to_parquet)(registry, folder, spark)


def _to_delta(registry: Registry, folder: Path, spark: SparkSession | None) -> Publication:
    history, found, known = registry.origin.history, rows(registry), tables_of(registry.model)
    stands = {name: delta.look(table, folder / name) for name, table in known.items()}
    log = stands.pop(PUBLICATIONS.name)
    todo = {name: difference(known[name].keys, some, stands[name].hashes) for name, some in found.items()}
    properties = _properties(history)
    prepared = _prepared(stands, todo, folder, spark) if any(todo.values()) else {}
    versions = {name: _committed(stand, prepared.get(name), properties) for name, stand in stands.items()}
    last = delta.newest(log)
    changed = last is None or (last["commit"], dict(last["versions"])) != (history.head, versions)
    number = (last["number"] if last else 0) + changed
    if changed:
        row = _publication(number, history, versions)
        versions[log.table.name] = _committed(log, _file(log, row), properties)
    told = [_told(name, len(found[name]), todo[name], versions[name]) for name in found]
    told.append(
        TablePublication(log.table.name, number, int(changed), version=versions.get(log.table.name, log.version))
    )
    return Publication(str(folder), DELTA, history.head, number, changed, tuple(told))


Prepared = list[dict[str, Any]]


def _prepared(
    stands: Mapping[str, Stand], todo: Mapping[str, Difference], folder: Path, spark: SparkSession | None
) -> dict[str, Prepared | pa.Table]:
    """Return what is to be committed, by table: files with new rows, or the changes where others change too."""
    fresh = {stands[name].table: some.inserted for name, some in todo.items() if some.only_inserts and some}
    for table in fresh:
        (folder / table.name).mkdir(parents=True, exist_ok=True)
    with borrowed(spark, name=APPLICATION) as session:
        prepared: dict[str, Prepared | pa.Table] = {**frames.write(session, fresh, folder)}
        for name, some in todo.items():
            if not some.only_inserts:
                table = delta.changing(stands[name].table)
                prepared[name] = frames.collected(frames.frame(session, table, delta.changes(some)), table)
    return prepared


def _file(stand: Stand, row: Row) -> Prepared:
    stand.path.mkdir(parents=True, exist_ok=True)
    batches = frames.arrow_table(stand.table, [row]).to_batches()
    return [files.written(stand.table.name, str(stand.path), frames.arrow_schema(stand.table), batches)]


def _committed(stand: Stand, prepared: Prepared | pa.Table | None, properties: CommitProperties) -> int:
    """Commit what is prepared for a table, in one transaction, and return the table's version."""
    now = delta.widen(stand, properties)
    if prepared is None:
        return now.version if now.version >= 0 else delta.add(now, (), properties)
    if isinstance(prepared, list):
        return delta.add(now, prepared, properties)
    return delta.merge(now, prepared, properties)


def _properties(history: History) -> CommitProperties:
    from deltalake import CommitProperties

    subject = next((commit.subject for commit in history.commits if commit.sha == history.head), "")
    told = {"commit": history.head, "time": history.head_time, "subject": subject}
    # Without retries, whoever commits second fails, instead of adding the same rows once more.
    metadata = {"gitCommit": history.head, "userMetadata": json.dumps(told)}
    return CommitProperties(custom_metadata=metadata, max_commit_retries=0)


def _publication(number: int, history: History, versions: Mapping[str, int]) -> Row:
    return hashed(
        {
            "number": number,
            "commit": history.head,
            "time": time_of(history.head_time),
            "versions": dict(versions),
            "publishedat": datetime.now(UTC),
        }
    )


def _told(name: str, count: int, some: Difference, version: int) -> TablePublication:
    return TablePublication(name, count, len(some.inserted), len(some.updated), len(some.deleted), version)


def _to_parquet(registry: Registry, folder: Path, spark: SparkSession | None) -> Publication:
    history, found, known = registry.origin.history, rows(registry), tables_of(registry.model)
    parquet.refuse_others(folder)
    found[PUBLICATIONS.name] = (_publication(1, history, {}),)
    with borrowed(spark, name=APPLICATION) as session:
        parquet.write(session, {known[name]: some for name, some in found.items()}, folder)
    told = tuple(TablePublication(name, len(some), len(some)) for name, some in found.items())
    return Publication(str(folder), PARQUET, history.head, 1, True, told)  # noqa: FBT003 - it is always written
