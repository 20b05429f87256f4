"""Delta tables without Delta's own classes: executors write the files, `deltalake` takes them into the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xregit.spark import files, frames, packing
from xregit.spark.columns import HASH, delta_schema
from xregit.spark.faults import reading_errors_named
from xregit.spark.standing import (
    CHANGE,
    DELETE,
    INSERT,
    PROPERTIES,
    UPDATE,
    Stand,
    changes,
    compared,
    foreign,
    refuse_coded,
    refuse_newer,
    refuse_ruled,
    standing,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import CommitProperties, DeltaTable
    from pyspark.sql import SparkSession

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table
    from xregit.spark.places import Place
    from xregit.spark.standing import CommitInfo, Work

Written = list[dict[str, Any]]


@dataclass(frozen=True)
class RustLake:
    """The tables in one folder, of this machine or of an object store that `deltalake` knows.

    ``session`` gives the session to use; it is asked only when there is something to write.
    """

    place: Place
    session: Callable[[], SparkSession]

    def look(self, table: Table) -> Stand:
        """Return how a table stands; see `standing.Lake`."""
        place = self.place / table.name
        refuse_coded(place)
        with reading_errors_named(place):
            return _stand(table, place)

    def rows(self, stand: Stand) -> list[Row]:
        """Return all rows of a table; see `standing.Lake`."""
        import pyarrow as pa

        if stand.version < 0:
            return []
        found: list[Row] = pa.table(_opened(stand).scan()).to_pylist()
        return found

    def write(self, work: Work, info: CommitInfo) -> dict[str, int]:
        """Bring every table to what its difference says; see `standing.Lake`."""
        properties = _properties(info)
        prepared = self._prepared(work) if any(some for _, some in work.values()) else {}
        return {name: _committed(stand, prepared.get(name), properties) for name, (stand, _) in work.items()}

    def append(self, stand: Stand, row: Row, info: CommitInfo) -> int:
        """Add one row to a table, written here and not by Spark; see `standing.Lake`."""
        if stand.place.local:
            stand.place.local.mkdir(parents=True, exist_ok=True)
        form = packing.arrow_schema(stand.table)
        batches = packing.arrow_table(stand.table, [row]).to_batches()
        return _committed(stand, [files.written(stand.table.name, stand.place.url, form, batches)], _properties(info))

    def empty(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more; see `standing.Lake`."""
        from deltalake import DeltaTable

        url = (self.place / name).url
        if not DeltaTable.is_deltatable(url):
            return 0
        removed = DeltaTable(url).delete(commit_properties=_properties(info))  # of no rows it makes no version
        return int(removed["num_deleted_rows"])

    def _prepared(self, work: Work) -> dict[str, Written | pa.Table]:
        """Return what is to be committed, by table: files with new rows, or the changes where others change too."""
        fresh = {stand.table: some.inserted for stand, some in work.values() if some.only_inserts and some}
        if self.place.local:
            for table in fresh:
                (self.place.local / table.name).mkdir(parents=True, exist_ok=True)
        prepared: dict[str, Written | pa.Table] = {}
        if fresh:
            prepared.update(frames.write(self.session(), fresh, self.place))
        for name, (stand, some) in work.items():
            if not some.only_inserts:
                prepared[name] = changes(stand.table, some)
        return prepared


def _stand(table: Table, place: Place) -> Stand:
    from deltalake import DeltaTable

    local = place.local
    if local and (not local.exists() or (local.is_dir() and all(_is_left_over(each.name) for each in local.iterdir()))):
        return Stand(table, place)
    if (local and not local.is_dir()) or not DeltaTable.is_deltatable(place.url):
        if local:
            raise foreign(place)
        return Stand(table, place)
    found = DeltaTable(place.url)
    asked = found.protocol()
    refuse_newer(place, asked.min_reader_version, asked.min_writer_version, asked.writer_features or ())
    schema, about = json.loads(found.schema().to_json()), found.metadata()
    stand = compared(table, place, found.version(), schema, about.description or "")
    refuse_ruled(place, schema, about.partition_columns, about.configuration)
    return standing(stand, _keyed(table, found))


def _is_left_over(name: str) -> bool:
    """Tell whether a file in a folder without log is one of ours, from a run that ended before its first commit."""
    return name.startswith("part-") and name.endswith(".parquet")


def _opened(stand: Stand) -> DeltaTable:
    from deltalake import DeltaTable

    return DeltaTable(stand.place.url, version=stand.version)


def _committed(stand: Stand, prepared: Written | pa.Table | None, properties: CommitProperties) -> int:
    """Commit what is prepared for a table, in one transaction, and return the table's version."""
    now = _worded(_widened(stand, properties), properties)
    if prepared is None:
        return now.version if now.version >= 0 else _added(now, (), properties)
    if isinstance(prepared, list):
        return _added(now, prepared, properties)
    return _merged(now, prepared, properties)


def _widened(stand: Stand, properties: CommitProperties) -> Stand:
    """Give an existing table the columns that the model has by now; the rows that are there have nothing in them."""
    if not stand.lacking:
        return stand
    fields = [field for field in delta_schema(stand.table.structure).fields if field.name in stand.lacking]
    _opened(stand).alter.add_columns(fields, commit_properties=properties)
    return replace(stand, version=stand.version + 1, lacking=())


def _worded(stand: Stand, properties: CommitProperties) -> Stand:
    """Give an existing table the comments that the model has by now."""
    now = stand
    for name, text in stand.comments.items():
        alter = _opened(now).alter
        if name:
            alter.set_column_metadata(name, {"comment": text}, commit_properties=properties)
        else:
            alter.set_table_description(text, commit_properties=properties)
        now = replace(now, version=now.version + 1)
    return replace(now, comments={})


def _added(stand: Stand, files: Iterable[Mapping[str, Any]], properties: CommitProperties) -> int:
    """Add written files to a table, which is created where there is none; return the table's new version."""
    from deltalake.transaction import AddAction, create_table_with_add_actions

    schema = delta_schema(stand.table.structure)
    adds = [AddAction(file["path"], file["size"], {}, file["modified"], True, file["stats"]) for file in files]  # noqa: FBT003
    if stand.version >= 0:
        _opened(stand).create_write_transaction([*adds], "append", schema, commit_properties=properties)
        return stand.version + 1
    if stand.place.local:
        stand.place.local.mkdir(parents=True, exist_ok=True)
    create_table_with_add_actions(
        stand.place.url,
        schema,
        adds,
        name=stand.table.name,
        description=stand.table.comment,
        configuration=PROPERTIES,
        commit_properties=properties,
    )
    return 0


def _merged(stand: Stand, rows: pa.Table, properties: CommitProperties) -> int:
    """Insert, update and delete rows, as the column ``_change`` says; return the table's new version."""
    same = " AND ".join(f"there.`{key}` = here.`{key}`" for key in stand.table.keys)
    merger = _opened(stand).merge(rows, same, "here", "there", commit_properties=properties)
    (
        merger.when_matched_delete(f"here.`{CHANGE.name}` = '{DELETE}'")
        .when_matched_update(_updates(stand), f"here.`{CHANGE.name}` = '{UPDATE}'")
        .when_not_matched_insert_all(f"here.`{CHANGE.name}` = '{INSERT}'", except_cols=[CHANGE.name])
        .execute()
    )
    return stand.version + 1


def _updates(stand: Stand) -> dict[str, str]:
    """Return what each column of a row becomes; what the model no longer has must not go on telling of it."""
    there = {f"`{column.name}`": f"here.`{column.name}`" for column in stand.table.columns}
    return there | {f"`{name}`": "NULL" for name in stand.former}


def _keyed(table: Table, found: DeltaTable) -> Iterator[tuple[Any, ...]]:
    """Give the keys of each row and its hash."""
    import pyarrow as pa

    names = [*table.keys, HASH.name]
    columns = pa.table(found.scan(columns=names)).select(names)
    return zip(*(column.to_pylist() for column in columns.columns), strict=True)


def _properties(info: CommitInfo) -> CommitProperties:
    from deltalake import CommitProperties

    # Without retries, whoever commits second fails, instead of adding the same rows once more.
    return CommitProperties(
        custom_metadata={"gitCommit": info.commit, "userMetadata": info.as_json}, max_commit_retries=0
    )
