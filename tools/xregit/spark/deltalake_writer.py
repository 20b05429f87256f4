"""Delta tables by the library `deltalake`: executors write the data files, one transaction adds them to the log."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xregit.spark import data_files, row_batches
from xregit.spark.location import read_errors_at
from xregit.spark.schema import HASH, delta_schema
from xregit.spark.table_writer import (
    CHANGE,
    DELETE,
    INSERT,
    PROPERTIES,
    UPDATE,
    TableSnapshot,
    changes_to_arrow,
    compare_schema,
    not_a_delta_table,
    refuse_constraints,
    refuse_escapes,
    refuse_newer_protocol,
    with_row_hashes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa
    from deltalake import CommitProperties, DeltaTable
    from pyspark.sql import SparkSession

    from xregit.spark.location import Location
    from xregit.spark.rows import Row
    from xregit.spark.schema import Table
    from xregit.spark.table_writer import CommitInfo, Updates

DataFiles = list[dict[str, Any]]


@dataclass(frozen=True)
class DeltalakeWriter:
    """The tables in one folder, of this machine or of an object store that `deltalake` knows.

    ``session`` gives the session to use; it is asked only when there is something to write.
    """

    place: Location
    session: Callable[[], SparkSession]

    def snapshot(self, table: Table) -> TableSnapshot:
        """Return the state of a table; see `TableWriter`."""
        place = self.place / table.name
        refuse_escapes(place)
        with read_errors_at(place):
            return _snapshot(table, place)

    def read_rows(self, snapshot: TableSnapshot) -> list[Row]:
        """Return all rows of a table; see `TableWriter`."""
        import pyarrow as pa

        if snapshot.version < 0:
            return []
        found: list[Row] = pa.table(_open(snapshot).scan()).to_pylist()
        return found

    def write(self, work: Updates, info: CommitInfo) -> dict[str, int]:
        """Bring every table to what its difference says; see `TableWriter`."""
        properties = _commit_properties(info)
        prepared = self._prepared(work) if any(some for _, some in work.values()) else {}
        return {name: _commit(snapshot, prepared.get(name), properties) for name, (snapshot, _) in work.items()}

    def append(self, snapshot: TableSnapshot, row: Row, info: CommitInfo) -> int:
        """Add one row to a table, written here and not by Spark; see `TableWriter`."""
        if snapshot.place.local:
            snapshot.place.local.mkdir(parents=True, exist_ok=True)
        form = snapshot.table.arrow_schema
        batches = row_batches.arrow_table(snapshot.table, [row]).to_batches()
        return _commit(
            snapshot,
            [data_files.write_file(snapshot.table.name, snapshot.place.url, form, batches)],
            _commit_properties(info),
        )

    def clear(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more; see `TableWriter`."""
        from deltalake import DeltaTable

        url = (self.place / name).url
        if not DeltaTable.is_deltatable(url):
            return 0
        removed = DeltaTable(url).delete(commit_properties=_commit_properties(info))  # of no rows it makes no version
        return int(removed["num_deleted_rows"])

    def _prepared(self, work: Updates) -> dict[str, DataFiles | pa.Table]:
        """Return what is to be committed, by table: files with new rows, or the changes where others change too."""
        fresh = {snapshot.table: some.inserted for snapshot, some in work.values() if some.only_inserts and some}
        if self.place.local:
            for table in fresh:
                (self.place.local / table.name).mkdir(parents=True, exist_ok=True)
        prepared: dict[str, DataFiles | pa.Table] = {}
        if fresh:
            prepared.update(row_batches.write_files(self.session(), fresh, self.place))
        for name, (snapshot, some) in work.items():
            if not some.only_inserts:
                prepared[name] = changes_to_arrow(snapshot.table, some)
        return prepared


def _snapshot(table: Table, place: Location) -> TableSnapshot:
    from deltalake import DeltaTable

    local = place.local
    if local and (not local.exists() or (local.is_dir() and all(_is_orphan(each.name) for each in local.iterdir()))):
        return TableSnapshot(table, place)
    if (local and not local.is_dir()) or not DeltaTable.is_deltatable(place.url):
        if local:
            raise not_a_delta_table(place)
        return TableSnapshot(table, place)
    found = DeltaTable(place.url)
    asked = found.protocol()
    refuse_newer_protocol(place, asked.min_reader_version, asked.min_writer_version, asked.writer_features or ())
    schema, about = json.loads(found.schema().to_json()), found.metadata()
    snapshot = compare_schema(table, place, found.version(), schema, about.description or "")
    refuse_constraints(place, schema, about.partition_columns, about.configuration)
    return with_row_hashes(snapshot, _keys_and_hashes(table, found))


def _is_orphan(name: str) -> bool:
    """Return whether a file in a folder without log is one of ours, from a run that ended before its first commit."""
    return name.startswith("part-") and name.endswith(".parquet")


def _open(snapshot: TableSnapshot) -> DeltaTable:
    from deltalake import DeltaTable

    return DeltaTable(snapshot.place.url, version=snapshot.version)


def _commit(snapshot: TableSnapshot, prepared: DataFiles | pa.Table | None, properties: CommitProperties) -> int:
    """Commit what is prepared for a table, in one transaction, and return the table's version."""
    now = _update_comments(_add_columns(snapshot, properties), properties)
    if prepared is None:
        return now.version if now.version >= 0 else _add_files(now, (), properties)
    if isinstance(prepared, list):
        return _add_files(now, prepared, properties)
    return _merge(now, prepared, properties)


def _add_columns(snapshot: TableSnapshot, properties: CommitProperties) -> TableSnapshot:
    """Give an existing table the columns that the model has by now; the rows that are there have nothing in them."""
    if not snapshot.missing_columns:
        return snapshot
    fields = [
        field for field in delta_schema(snapshot.table.structure).fields if field.name in snapshot.missing_columns
    ]
    _open(snapshot).alter.add_columns(fields, commit_properties=properties)
    return replace(snapshot, version=snapshot.version + 1, missing_columns=())


def _update_comments(snapshot: TableSnapshot, properties: CommitProperties) -> TableSnapshot:
    """Give an existing table the comments that the model has by now."""
    now = snapshot
    for name, text in snapshot.comments.items():
        alter = _open(now).alter
        if name:
            alter.set_column_metadata(name, {"comment": text}, commit_properties=properties)
        else:
            alter.set_table_description(text, commit_properties=properties)
        now = replace(now, version=now.version + 1)
    return replace(now, comments={})


def _add_files(snapshot: TableSnapshot, files: Iterable[Mapping[str, Any]], properties: CommitProperties) -> int:
    """Add written files to a table, which is created where there is none; return the table's new version."""
    from deltalake.transaction import AddAction, create_table_with_add_actions

    schema = delta_schema(snapshot.table.structure)
    adds = [AddAction(file["path"], file["size"], {}, file["modified"], True, file["stats"]) for file in files]  # noqa: FBT003
    if snapshot.version >= 0:
        _open(snapshot).create_write_transaction([*adds], "append", schema, commit_properties=properties)
        return snapshot.version + 1
    if snapshot.place.local:
        snapshot.place.local.mkdir(parents=True, exist_ok=True)
    create_table_with_add_actions(
        snapshot.place.url,
        schema,
        adds,
        name=snapshot.table.name,
        description=snapshot.table.comment,
        configuration=PROPERTIES,
        commit_properties=properties,
    )
    return 0


def _merge(snapshot: TableSnapshot, rows: pa.Table, properties: CommitProperties) -> int:
    """Insert, update and delete rows, as the column ``_change`` says; return the table's new version."""
    same = " AND ".join(f"there.`{key}` = here.`{key}`" for key in snapshot.table.keys)
    merger = _open(snapshot).merge(rows, same, "here", "there", commit_properties=properties)
    (
        merger.when_matched_delete(f"here.`{CHANGE.name}` = '{DELETE}'")
        .when_matched_update(_column_updates(snapshot), f"here.`{CHANGE.name}` = '{UPDATE}'")
        .when_not_matched_insert_all(f"here.`{CHANGE.name}` = '{INSERT}'", except_cols=[CHANGE.name])
        .execute()
    )
    return snapshot.version + 1


def _column_updates(snapshot: TableSnapshot) -> dict[str, str]:
    """Return what each column of a row becomes; what the model no longer has must not go on telling of it."""
    there = {f"`{column.name}`": f"here.`{column.name}`" for column in snapshot.table.columns}
    return there | {f"`{name}`": "NULL" for name in snapshot.removed_columns}


def _keys_and_hashes(table: Table, found: DeltaTable) -> Iterator[tuple[Any, ...]]:
    """Yield the keys of each row and its hash."""
    import pyarrow as pa

    names = [*table.keys, HASH.name]
    columns = pa.table(found.scan(columns=names)).select(names)
    return zip(*(column.to_pylist() for column in columns.columns), strict=True)


def _commit_properties(info: CommitInfo) -> CommitProperties:
    from deltalake import CommitProperties

    # Without retries, whoever commits second fails, instead of adding the same rows once more.
    return CommitProperties(
        custom_metadata={"gitCommit": info.commit, "userMetadata": info.as_json}, max_commit_retries=0
    )
