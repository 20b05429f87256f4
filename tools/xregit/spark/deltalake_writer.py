"""Delta tables by the library `deltalake`: executors write the data files, one transaction adds them to the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema
from deltalake.transaction import AddAction, create_table_with_add_actions

from xregit.spark import data_files, row_batches
from xregit.spark.location import Location, read_errors_at
from xregit.spark.table_schema import HASH, Table
from xregit.spark.table_writer import (
    CHANGE,
    DELETE,
    INSERT,
    UPDATE,
    CommitInfo,
    TableSnapshot,
    Updates,
    changes_to_arrow,
    compare_schema,
    not_a_delta_table,
    refuse_constraints,
    refuse_escapes,
    refuse_newer_protocol,
    with_row_hashes,
)
from xregit.spark.tables import PROPERTIES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from xregit.spark.rows import Row

DataFiles = list[dict[str, Any]]


@dataclass(frozen=True)
class DeltalakeWriter:
    """The tables in one folder, of this machine or of an object store that `deltalake` knows.

    ``session`` returns the session to use; it is called only when there is something to write.
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
        if snapshot.version < 0:
            return []
        rows: list[Row] = pa.table(_open(snapshot).scan()).to_pylist()
        return rows

    def write(self, updates: Updates, info: CommitInfo) -> dict[str, int]:
        """Make the changes of every table; see `TableWriter`."""
        properties = _commit_properties(info)
        content = self._write_content(updates) if any(changes for _, changes in updates.values()) else {}
        return {name: _commit(snapshot, content.get(name), properties) for name, (snapshot, _) in updates.items()}

    def append(self, snapshot: TableSnapshot, row: Row, info: CommitInfo) -> int:
        """Add one row to a table, written here and not by Spark; see `TableWriter`."""
        if snapshot.place.local:
            snapshot.place.local.mkdir(parents=True, exist_ok=True)
        rows, place = row_batches.arrow_table(snapshot.table, [row]), snapshot.place
        file = data_files.write_file(snapshot.table.name, place.url, rows.schema, rows.to_batches(), place.options)
        return _commit(snapshot, [file], _commit_properties(info))

    def clear(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more; see `TableWriter`."""
        url, options = (self.place / name).url, dict(self.place.options)
        if not DeltaTable.is_deltatable(url, options):
            return 0
        removed = DeltaTable(url, storage_options=options).delete(
            commit_properties=_commit_properties(info)
        )  # of no rows it makes no version
        return int(removed["num_deleted_rows"])

    def _write_content(self, updates: Updates) -> dict[str, DataFiles | pa.Table]:
        """Return what to commit, by table: files with new rows, or the changes where existing rows change too."""
        new = {
            snapshot.table: changes.inserted
            for snapshot, changes in updates.values()
            if changes.only_inserts and changes
        }
        if self.place.local:
            for table in new:
                (self.place.local / table.name).mkdir(parents=True, exist_ok=True)
        content: dict[str, DataFiles | pa.Table] = {}
        if new:
            content.update(row_batches.write_files(self.session(), new, self.place))
        for name, (snapshot, changes) in updates.items():
            if not changes.only_inserts:
                content[name] = changes_to_arrow(snapshot.table, changes)
        return content


def _snapshot(table: Table, place: Location) -> TableSnapshot:
    local = place.local
    if local and (not local.exists() or (local.is_dir() and all(_is_orphan(each.name) for each in local.iterdir()))):
        return TableSnapshot(table, place)
    if (local and not local.is_dir()) or not DeltaTable.is_deltatable(place.url, dict(place.options)):
        if local:
            raise not_a_delta_table(place)
        return TableSnapshot(table, place)
    delta = DeltaTable(place.url, storage_options=dict(place.options))
    protocol = delta.protocol()
    refuse_newer_protocol(
        place, protocol.min_reader_version, protocol.min_writer_version, protocol.writer_features or ()
    )
    schema, metadata = json.loads(delta.schema().to_json()), delta.metadata()
    snapshot = compare_schema(table, place, delta.version(), schema, metadata.description or "")
    refuse_constraints(place, schema, metadata.partition_columns, metadata.configuration)
    return with_row_hashes(snapshot, _keys_and_hashes(table, delta))


def _is_orphan(name: str) -> bool:
    """Return whether a file in a folder without log is one of ours, from a run that ended before its first commit."""
    return name.startswith("part-") and name.endswith(".parquet")


def _open(snapshot: TableSnapshot) -> DeltaTable:
    return DeltaTable(snapshot.place.url, version=snapshot.version, storage_options=dict(snapshot.place.options))


def _commit(snapshot: TableSnapshot, content: DataFiles | pa.Table | None, properties: CommitProperties) -> int:
    """Commit files or changes to a table, in one transaction, and return the table's version."""
    current = _update_comments(_add_columns(snapshot, properties), properties)
    if content is None:
        return current.version if current.version >= 0 else _add_files(current, (), properties)
    if isinstance(content, list):
        return _add_files(current, content, properties)
    return _merge(current, content, properties)


def _add_columns(snapshot: TableSnapshot, properties: CommitProperties) -> TableSnapshot:
    """Add the columns that the model has by now to an existing table; they are null in existing rows."""
    if not snapshot.missing_columns:
        return snapshot
    fields = [
        field for field in delta_schema(snapshot.table.structure).fields if field.name in snapshot.missing_columns
    ]
    _open(snapshot).alter.add_columns(fields, commit_properties=properties)
    return replace(snapshot, version=snapshot.version + 1, missing_columns=())


def _update_comments(snapshot: TableSnapshot, properties: CommitProperties) -> TableSnapshot:
    """Give an existing table the comments that the model has by now."""
    current = snapshot
    for name, text in snapshot.comments.items():
        alter = _open(current).alter
        if name:
            alter.set_column_metadata(name, {"comment": text}, commit_properties=properties)
        else:
            alter.set_table_description(text, commit_properties=properties)
        current = replace(current, version=current.version + 1)
    return replace(current, comments={})


def delta_schema(structure: Mapping[str, Any]) -> Schema:
    """Return the schema of `deltalake` for one in the form that Spark and Delta share."""
    return Schema.from_json(json.dumps(structure))


def _add_files(snapshot: TableSnapshot, files: Iterable[Mapping[str, Any]], properties: CommitProperties) -> int:
    """Add written files to a table, which is created if missing; return the table's new version."""
    table = _open(snapshot) if snapshot.version >= 0 else None
    made = {"name": snapshot.table.name, "description": snapshot.table.comment, "configuration": PROPERTIES}
    add_files(snapshot.place, table, snapshot.table.structure, files, properties, **made)
    return snapshot.version + 1


def add_files(
    place: Location,
    table: DeltaTable | None,
    structure: Mapping[str, Any],
    files: Iterable[Mapping[str, Any]],
    properties: CommitProperties,
    **made: Any,
) -> None:
    """Add written files to a table with this structure; where it is missing, it is ``made`` with these properties."""
    schema = delta_schema(structure)
    adds = [AddAction(file["path"], file["size"], {}, file["modified"], True, file["stats"]) for file in files]  # noqa: FBT003
    if table is not None:
        table.create_write_transaction([*adds], "append", schema, commit_properties=properties)
        return
    if place.local:
        place.local.mkdir(parents=True, exist_ok=True)
    options = dict(place.options)
    create_table_with_add_actions(
        place.url, schema, adds, storage_options=options, commit_properties=properties, **made
    )


def _merge(snapshot: TableSnapshot, rows: pa.Table, properties: CommitProperties) -> int:
    """Insert, update and delete rows, as the column ``_change`` says; return the table's new version."""
    same_row = " AND ".join(f"there.`{key}` = here.`{key}`" for key in snapshot.table.keys)
    columns = {f"`{column.name}`": f"here.`{column.name}`" for column in snapshot.table.columns}
    columns |= {f"`{name}`": "NULL" for name in snapshot.removed_columns}  # old values would be wrong in a changed row
    merger = _open(snapshot).merge(rows, same_row, "here", "there", commit_properties=properties)
    (
        merger.when_matched_delete(f"here.`{CHANGE.name}` = '{DELETE}'")
        .when_matched_update(columns, f"here.`{CHANGE.name}` = '{UPDATE}'")
        .when_not_matched_insert_all(f"here.`{CHANGE.name}` = '{INSERT}'", except_cols=[CHANGE.name])
        .execute()
    )
    return snapshot.version + 1


def _keys_and_hashes(table: Table, delta: DeltaTable) -> Iterator[tuple[Any, ...]]:
    """Yield the keys of each row and its hash."""
    names = [*table.keys, HASH.name]
    columns = pa.table(delta.scan(columns=names)).select(names)
    return zip(*(column.to_pylist() for column in columns.columns), strict=True)


def _commit_properties(info: CommitInfo) -> CommitProperties:
    # Without retries, whoever commits second fails, instead of adding the same rows once more.
    return CommitProperties(
        custom_metadata={"gitCommit": info.commit, "userMetadata": info.as_json}, max_commit_retries=0
    )
