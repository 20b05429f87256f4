"""Delta tables: what a folder holds now, and one transaction that brings a table to what its rows say."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.spark.columns import HASH, Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from arro3.core.types import ArrowStreamExportable
    from deltalake import CommitProperties, DeltaTable, Schema

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table
    from xregit.spark.comparing import Difference

# Row-level changes for those who follow the table, and a history long enough for "as of that commit".
PROPERTIES: Mapping[str, str | None] = {
    "delta.enableChangeDataFeed": "true",
    "delta.checkpointInterval": "10",
    "delta.logRetentionDuration": "interval 3650 days",
    "delta.deletedFileRetentionDuration": "interval 3650 days",
}
# Tables of a higher protocol version may have deletion vectors or renamed columns, which we do not write.
MAX_READER, MAX_WRITER = 1, 6

CHANGE = Column("_change")
INSERT, UPDATE, DELETE = "insert", "update", "delete"


@dataclass(frozen=True, slots=True)
class Stand:
    """A table as it stood when we looked: its version (-1 before the first) and the hash of each row by its keys.

    ``lacking`` names the columns that the model has by now and the table does not.
    """

    table: Table
    path: Path
    version: int = -1
    hashes: Mapping[tuple[Any, ...], str] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()


def look(table: Table, path: Path) -> Stand:
    """Return how a table stands.

    Raises:
        XregitError: the folder holds something else than this table.
    """
    from deltalake import DeltaTable

    if not path.exists() or (path.is_dir() and all(map(_is_left_over, path.iterdir()))):
        return Stand(table, path)
    if not path.is_dir() or not DeltaTable.is_deltatable(str(path)):
        message = f"{path} holds something else than a Delta table; name another folder, or move it out of the way"
        raise XregitError(message)
    found = DeltaTable(path)
    lacking = _lacking(table, path, found)
    return Stand(table, path, found.version(), _hashes(table, found), lacking)


def _is_left_over(file: Path) -> bool:
    """Tell whether a file in a folder without log is one of ours, from a run that ended before its first commit."""
    return file.name.startswith("part-") and file.name.endswith(".parquet")


def newest(stand: Stand) -> Row | None:
    """Return the row with the highest number of the table of publications."""
    import pyarrow as pa
    from deltalake import DeltaTable

    if not stand.hashes:
        return None
    last = max(number for (number,) in stand.hashes)
    reader = DeltaTable(stand.path, version=stand.version).scan(predicate=f"number = {last}")
    return dict(pa.table(reader).to_pylist()[0])


def widen(stand: Stand, properties: CommitProperties) -> Stand:
    """Give an existing table the columns that the model has by now; the rows that are there have nothing in them."""
    from deltalake import DeltaTable

    if not stand.lacking:
        return stand
    fields = [field for field in _schema(stand.table).fields if field.name in stand.lacking]
    DeltaTable(stand.path, version=stand.version).alter.add_columns(fields, commit_properties=properties)
    return replace(stand, version=stand.version + 1, lacking=())


def add(stand: Stand, files: Iterable[Mapping[str, Any]], properties: CommitProperties) -> int:
    """Add written files to a table, which is created where there is none; return the table's new version."""
    from deltalake import DeltaTable
    from deltalake.transaction import AddAction, create_table_with_add_actions

    schema = _schema(stand.table)
    adds = [AddAction(file["path"], file["size"], {}, file["modified"], True, file["stats"]) for file in files]  # noqa: FBT003
    if stand.version >= 0:
        delta = DeltaTable(stand.path, version=stand.version)
        delta.create_write_transaction([*adds], "append", schema, commit_properties=properties)
        return stand.version + 1
    create_table_with_add_actions(
        str(stand.path),
        schema,
        adds,
        name=stand.table.name,
        description=stand.table.comment,
        configuration=PROPERTIES,
        commit_properties=properties,
    )
    return 0


def merge(stand: Stand, changes: ArrowStreamExportable, properties: CommitProperties) -> int:
    """Insert, update and delete rows, as the column ``_change`` says; return the table's new version."""
    from deltalake import DeltaTable

    same = " AND ".join(f"there.`{key}` = here.`{key}`" for key in stand.table.keys)
    delta = DeltaTable(stand.path, version=stand.version)
    merger = delta.merge(changes, same, "here", "there", commit_properties=properties)
    (
        merger.when_matched_delete(f"here.`{CHANGE.name}` = '{DELETE}'")
        .when_matched_update_all(f"here.`{CHANGE.name}` = '{UPDATE}'", except_cols=[CHANGE.name])
        .when_not_matched_insert_all(f"here.`{CHANGE.name}` = '{INSERT}'", except_cols=[CHANGE.name])
        .execute()
    )
    return stand.version + 1


def changing(table: Table) -> Table:
    """Return the form of a table's changes: its columns and what becomes of each row."""
    return replace(table, columns=(*table.columns, CHANGE))


def changes(found: Difference) -> tuple[Row, ...]:
    """Return the rows to insert, update and delete, each with what becomes of it."""
    parts = ((INSERT, found.inserted), (UPDATE, found.updated), (DELETE, found.deleted))
    return tuple(row | {CHANGE.name: change} for change, rows in parts for row in rows)


def _schema(table: Table) -> Schema:
    from deltalake import Schema

    return Schema.from_json(json.dumps(table.structure))


def _lacking(table: Table, path: Path, found: DeltaTable) -> tuple[str, ...]:
    protocol = found.protocol()
    if protocol.min_reader_version > MAX_READER or protocol.min_writer_version > MAX_WRITER:
        message = (
            f"{path} needs a newer Delta writer than this one (reader version {protocol.min_reader_version}, writer "
            f"version {protocol.min_writer_version}); publish to another folder"
        )
        raise XregitError(message)
    there = {field.name: field.type for field in found.schema().fields}
    wanted = {field.name: field.type for field in _schema(table).fields}
    if any(name not in there for name in (*table.keys, HASH.name)):
        message = f"{path} is a Delta table, but not the {table.name} of a catalog; publish to another folder"
        raise XregitError(message)
    for name in wanted.keys() & there.keys():
        if wanted[name] != there[name]:
            message = f'the column "{name}" of {path} has another type than the model says; publish to another folder'
            raise XregitError(message)
    return tuple(name for name in wanted if name not in there)


def _hashes(table: Table, found: DeltaTable) -> dict[tuple[Any, ...], str]:
    import pyarrow as pa

    names = [*table.keys, HASH.name]
    columns = pa.table(found.scan(columns=names)).select(names)
    *keys, hashes = (column.to_pylist() for column in columns.columns)
    return dict(zip(zip(*keys, strict=True), hashes, strict=True))
