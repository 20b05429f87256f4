"""Tables as they were at a publication: which version of each holds a Git commit, and all of them opened at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from xregit.arguments import to_path
from xregit.catalog import read_commit
from xregit.errors import XregitError
from xregit.records import record
from xregit.source.history import ancestors, commits_of
from xregit.spark.derived import PUBLICATIONS
from xregit.spark.faults import errors_named
from xregit.spark.places import Place
from xregit.spark.publishing import Publication, publish_each
from xregit.spark.session import installed

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from pyspark.sql import SparkSession


@record
class Published:
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
) -> Iterator[Publication]:
    """Publish the registry in a folder as it was at each commit, the oldest first; give each publication when done.

    ``refs`` is a commit's name, or ``old..new`` for the commits after the first. Commits that did not touch the
    folder are left out, but for the last. Commits that are published already add nothing.

    Raises:
        XregitError: the folder is in no Git repository, there is no such commit, or the tables can't be written.
    """
    installed()
    folder = to_path(registry)
    commits = commits_of(folder, refs)
    known = {published.commit for published in _all(Place.of(tables))}
    # What is published stays; to publish an older commit after it would turn the tables back.
    todo = commits[max((number + 1 for number, sha in enumerate(commits) if sha in known), default=0) :]
    yield from publish_each((read_commit(folder, sha) for sha in todo), tables, spark=spark, conf=conf)


def published_at(registry: Path | str, ref: str, tables: Path | str) -> Published:
    """Return the publication that holds a Git commit: its own, else that of the newest published commit before it.

    Raises:
        XregitError: there is no such commit, no such tables, or nothing of that age was published.
    """
    installed()
    folder, place = to_path(registry), Place.of(tables)
    found = {published.commit: published for published in _all(place)}
    if not found:
        message = f"{place} holds no published tables; xregit publish makes them"
        raise XregitError(message)
    for sha in ancestors(folder, ref):
        if sha in found:
            return found[sha]
    message = f'neither "{ref}" nor a commit before it was published in {place}; xregit publish --history {ref} does'
    raise XregitError(message)


def tables_at(tables: Path | str, number: int | None = None) -> dict[str, DeltaTable]:
    """Return every table as it was at one publication, by default the newest, so that they agree with each other.

    Raises:
        XregitError: there are no such tables, or no such publication.
    """
    installed()
    place = Place.of(tables)
    found = {published.number: published for published in _all(place)}
    wanted = max(found, default=0) if number is None else number
    if wanted not in found:
        asked = f"no publication {number}, but 1 to {max(found)}" if found else "no published tables"
        message = f"{place} holds {asked}{'' if found else '; xregit publish makes them'}"
        raise XregitError(message)
    from deltalake import DeltaTable

    with errors_named(place, "read the tables in"):
        return {name: DeltaTable((place / name).url, version=at) for name, at in found[wanted].versions.items()}


def _all(place: Place) -> list[Published]:
    import pyarrow as pa
    from deltalake import DeltaTable

    log = (place / PUBLICATIONS.name).url
    with errors_named(place, "read the tables in"):
        if (place.local and not place.local.exists()) or not DeltaTable.is_deltatable(log):
            return []
        rows = pa.table(DeltaTable(log).scan(columns=["number", "commit", "versions"])).to_pylist()
    return [Published(row["number"], row["commit"], dict(row["versions"])) for row in rows]
