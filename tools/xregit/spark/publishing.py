"""A registry to its tables: Spark writes what is new, Delta's logs take it in, and a last row holds it together."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.registry import expect_registry
from xregit.collecting import uncollected
from xregit.errors import XregitError
from xregit.model.times import moment
from xregit.records import record
from xregit.spark import native, parquet
from xregit.spark.cells import hashed
from xregit.spark.comparing import Difference, difference
from xregit.spark.delta import RustLake
from xregit.spark.derived import PUBLICATIONS
from xregit.spark.faults import errors_named
from xregit.spark.native import NativeLake
from xregit.spark.packing import packed
from xregit.spark.places import Place
from xregit.spark.rows import table_rows
from xregit.spark.session import REMOTE, active, borrowed, installed
from xregit.spark.standing import commit_info, refuse_file
from xregit.spark.tables import tables as tables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from xregit.catalog.registry import Registry
    from xregit.source.history import History
    from xregit.spark.cells import Row
    from xregit.spark.standing import Lake, Work

APPLICATION = "xregit publish"
DELTA, PARQUET = "delta", "parquet"
# Where these settings are asked for, Spark has Delta's classes on its class path, or is meant to have them.
CLASS_PATH = ("spark.jars", "spark.jars.packages", "spark.driver.extraClassPath")


@record
class TablePublication:
    """What became of one table; ``version`` is its Delta version.

    It is None where the format has none, and for a table that is emptied since the model has no such type any more.
    """

    name: str
    rows: int
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    version: int | None = None


@record
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
    tables: Path | str,
    *,
    format: str = DELTA,  # noqa: A002 - as the command's option is called
    spark: SparkSession | None = None,
    conf: Mapping[str, str] | None = None,
) -> Publication:
    """Bring the tables in a folder to what the registry says; the same registry again writes nothing.

    ``tables`` is a path, or the URL of a folder in a store: with Delta's own classes on Spark's class path any store
    that the session knows, else any that `deltalake` knows. ``spark`` is the session to use; else it is the active
    one, else one for the time being with the settings ``conf``, such as ``spark.master`` or ``spark.remote``. Plain
    Parquet is written anew each time.

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
    installed()
    if format not in {DELTA, PARQUET}:
        message = f'the format "{format}" is unknown; the formats are "{DELTA}" and "{PARQUET}"'
        raise XregitError(message)
    place = Place.of(tables)
    refuse_file(place)
    with errors_named(place, "publish to"), _lake(place, spark, conf or {}) as lake:
        for registry in registries:
            if format == DELTA:
                yield _to_delta(registry, lake)
            else:
                yield _to_parquet(registry, place, spark, conf or {})


@contextmanager
def _lake(place: Place, spark: SparkSession | None, conf: Mapping[str, str]) -> Iterator[Lake]:
    """Give what writes the tables: Delta's own classes where Spark has them, else `deltalake`."""
    at_hand = spark or active()
    with ExitStack() as stack:

        @cache
        def session() -> SparkSession:
            return stack.enter_context(borrowed(at_hand, name=APPLICATION, conf=conf))

        # Starting Spark to ask it takes seconds, which are lost where there is nothing to publish.
        may_be_native = at_hand is not None or any(name in conf for name in (*CLASS_PATH, *native.SETTINGS, REMOTE))
        yield (
            NativeLake(place, session()) if may_be_native and native.available(session()) else RustLake(place, session)
        )


def _to_delta(registry: Registry, lake: Lake) -> Publication:
    history, log = registry.origin.history, lake.look(PUBLICATIONS)
    published = sorted(lake.rows(log), key=lambda row: int(row["number"]))
    last = published[-1] if published else None
    had = next((dict(row["columns"]) for row in reversed(published) if row.get("columns")), {})
    work = _work(registry, lake, had)
    versions = lake.write(work, commit_info(history))
    former = _emptied(lake, last, history, work)
    changed = last is None or (last["commit"], _versions(last)) != (history.head, versions)
    number = (last["number"] if last else 0) + changed
    logged = log.version
    if changed:
        logged = lake.append(log, _publication(number, history, versions, _columns(work, had)), commit_info(history))
    of_tables = [*(_table_publication(name, some, versions[name]) for name, (_, some) in work.items()), *former]
    of_tables.append(TablePublication(log.table.name, number, int(changed), version=logged))
    return Publication(
        str(log.place).removesuffix(f"/{log.table.name}"), DELTA, history.head, number, changed, tuple(of_tables)
    )


def _work(registry: Registry, lake: Lake, had: Mapping[str, str]) -> Work:
    """Return how each table stands and what brings it up to date; rows and hashes of one table at a time are held.

    ``had`` says which columns each table had from the model: what else the model does not have is somebody's own.
    """
    known, work = tables_of(registry.model), {}
    with uncollected():  # the collector would look at the whole registry again and again
        for name, rows in table_rows(registry).items():
            stand, ours = lake.look(known[name]), had.get(name, "").split(",")
            former = tuple(each for each in stand.former if each in ours)
            work[name] = (replace(stand, hashes={}, former=former), difference(stand.table, rows, stand.hashes))
    return work


def _columns(work: Work, had: Mapping[str, str]) -> Mapping[str, str] | None:
    """Return which columns each table has from the model, None if they are as before."""
    found = {name: ",".join(column.name for column in stand.table.columns) for name, (stand, _) in work.items()}
    return found if found != had else None


def _emptied(lake: Lake, last: Row | None, history: History, work: Work) -> list[TablePublication]:
    """Remove the rows of what the model has no more: who reads such a table alone would take them for the catalog's."""
    gone = _versions(last).keys() - work.keys() if last is not None else ()
    removed = {name: lake.empty(name, commit_info(history)) for name in sorted(gone)}
    return [TablePublication(name, 0, deleted=rows) for name, rows in removed.items() if rows]


def _versions(publication: Row) -> dict[str, int]:
    return dict(publication["versions"])


def _publication(
    number: int, history: History, versions: Mapping[str, int], columns: Mapping[str, str] | None = None
) -> Row:
    return hashed(
        {
            "number": number,
            "commit": history.head,
            "time": moment(history.head_time),
            "versions": dict(versions),
            "columns": dict(columns) if columns is not None else None,
            "publishedat": datetime.now(UTC),
        }
    )


def _table_publication(name: str, some: Difference, version: int) -> TablePublication:
    return TablePublication(name, some.rows, some.inserted.rows, some.updated.rows, some.deleted.rows, version)


def _to_parquet(registry: Registry, place: Place, spark: SparkSession | None, conf: Mapping[str, str]) -> Publication:
    history, known = registry.origin.history, tables_of(registry.model)
    parquet.refuse_others(place)
    with uncollected():
        found = {known[name]: packed(known[name], rows) for name, rows in table_rows(registry).items()}
    found[PUBLICATIONS] = packed(PUBLICATIONS, [_publication(1, history, {})])
    with borrowed(spark, name=APPLICATION, conf=conf) as session:
        parquet.write(session, found, place)
    of_tables = tuple(TablePublication(table.name, some.rows, some.rows) for table, some in found.items())
    return Publication(str(place), PARQUET, history.head, 1, True, of_tables)  # noqa: FBT003 - it is always written
