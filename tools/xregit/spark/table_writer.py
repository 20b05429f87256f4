"""The contract of all writers of Delta tables: a table's snapshot, the changes to it, and the checks before a write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from xregit.errors import XregitError
from xregit.source.commit_log import History
from xregit.spark.row_batches import RowBatchBuilder, RowBatches, pack, unpack
from xregit.spark.table_schema import HASH, Column, Table

if TYPE_CHECKING:
    from xregit.spark.location import Location
    from xregit.spark.rows import Row

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The changes that bring a table up to date, and how many rows are unchanged; deleted rows have just their keys."""

    inserted: RowBatches = field(default_factory=RowBatches)
    updated: RowBatches = field(default_factory=RowBatches)
    deleted: RowBatches = field(default_factory=RowBatches)
    unchanged: int = 0

    def __bool__(self) -> bool:
        """Return whether there are any changes."""
        return bool(self.inserted or self.updated or self.deleted)

    @property
    def only_inserts(self) -> bool:
        """Whether no existing row changes."""
        return not (self.updated or self.deleted)

    @property
    def rows(self) -> int:
        """How many rows the up-to-date table has."""
        return self.inserted.rows + self.updated.rows + self.unchanged


def diff_rows(table: Table, rows: Iterable[Row], hashes: Mapping[Key, str]) -> TableChanges:
    """Return the changes from a table, of which ``hashes`` has the hash of each row by its keys, to new rows.

    No two rows have the same keys. The rows are consumed once, and are in memory until they fill a part.
    """
    if not hashes:
        return TableChanges(pack(table, rows))
    inserted, updated, present = RowBatchBuilder(table), RowBatchBuilder(table), set()
    for row in rows:
        key = tuple(row[name] for name in table.keys)
        if key not in hashes:
            inserted.add(row)
            continue
        present.add(key)
        if hashes[key] != row["hash"]:
            updated.add(row)
    deleted = pack(table, (dict(zip(table.keys, key, strict=True)) for key in hashes if key not in present))
    updates = updated.finish()
    return TableChanges(inserted.finish(), updates, deleted, len(present) - updates.rows)


# Tables of a higher reader version may have deletion vectors or renamed columns, which we can't read.
MAX_READER = 1
# Tables of a lower writer version need no feature that we lack; those of this one list the features that they need.
FEATURES_WRITER = 7
FEATURES = frozenset({"appendOnly", "invariants", "changeDataFeed", "checkConstraints", "generatedColumns"})
# The prefixes of a table's settings, and of its columns' metadata, that are rules for its rows.
_CONSTRAINT = "delta.constraints."
_COLUMN_CONSTRAINTS = ("delta.invariants", "delta.generationExpression", "delta.identity.")

# What `deltalake` decodes into another character.
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|\\")

CHANGE = Column("_change")
INSERT, UPDATE, DELETE = "insert", "update", "delete"


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """The state of a table when it was read: its version (-1 before the first) and the hash of each row by its keys.

    ``missing_columns`` are in the model and not yet in the table. ``removed_columns`` are in the table alone; for
    `TableWriter.write`, only those that an earlier model had, which are set to null in rows that change. ``comments``
    are those of the model that differ from the table's, by column; that of the table has an empty name.
    """

    table: Table
    place: Location
    version: int = -1
    hashes: Mapping[Key, str] = field(default_factory=dict)
    missing_columns: tuple[str, ...] = ()
    removed_columns: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """The metadata of one publication's Delta commits: the Git commit, its time and the first line of its message."""

    commit: str
    time: str
    subject: str

    @property
    def as_json(self) -> str:
        """The same as JSON, which Delta calls ``userMetadata``."""
        return json.dumps({"commit": self.commit, "time": self.time, "subject": self.subject})


Updates = Mapping[str, tuple[TableSnapshot, TableChanges]]


class TableWriter(Protocol):
    """A reader and writer of the Delta tables in one folder."""

    def snapshot(self, table: Table) -> TableSnapshot:
        """Return the state of a table.

        Raises:
            XregitError: its folder holds something else than this table, or somebody else's rows.
        """

    def read_rows(self, snapshot: TableSnapshot) -> list[Row]:
        """Return all rows of a table in the version of the snapshot."""

    def write(self, updates: Updates, info: CommitInfo) -> dict[str, int]:
        """Make the changes of every table, in one transaction each; return the versions by name."""

    def append(self, snapshot: TableSnapshot, row: Row, info: CommitInfo) -> int:
        """Add one row to a table, which is created if missing; return the table's new version."""

    def clear(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more, if it exists; return how many there were."""


def commit_info(history: History) -> CommitInfo:
    """Return the metadata of Delta commits for a registry with that history."""
    subject = next((commit.subject for commit in history.commits if commit.sha == history.head), "")
    return CommitInfo(history.head, history.head_time, subject)


def not_a_delta_table(place: Location) -> XregitError:
    """Return the error for a folder that holds something else than a Delta table."""
    return XregitError(
        f"{place} holds something else than a Delta table; name another folder, or move it out of the way"
    )


def refuse_file(place: Location) -> None:
    """Refuse the path of a file for the tables' folder.

    Raises:
        XregitError: it is a file.
    """
    if place.local and place.local.exists() and not place.local.is_dir():
        message = f"{place} is a file, and no folder for tables; name another folder, or move it out of the way"
        raise XregitError(message)


def refuse_escapes(place: Location) -> None:
    """Refuse a folder of this machine whose name `deltalake` would decode into another one.

    Raises:
        XregitError: it is such a folder.
    """
    if place.local and _ESCAPE.search(place.local.as_posix()):
        message = f"Delta can't have tables in {place}: no percent sign may stand before two hexadecimal digits"
        raise XregitError(message + ", and no backslash; name another folder")


def concurrent_change(place: Location) -> XregitError:
    """Return the error for a table that someone else wrote between our snapshot and our commit."""
    return XregitError(f"{place} was changed by someone else in the meantime; publish again")


def refuse_newer_protocol(place: Location, reader: int, writer: int, features: Iterable[str]) -> None:
    """Refuse a table that needs a newer reader or writer.

    Raises:
        XregitError: it needs one.
    """
    unknown = sorted(set(features) - FEATURES) if writer == FEATURES_WRITER else []
    if reader > MAX_READER or writer > FEATURES_WRITER or unknown:
        needed = f" with {', '.join(unknown)}" if unknown else ""
        message = (
            f"{place} needs a newer Delta writer than this one (reader version {reader}, "
            f"writer version {writer}{needed}); move it out of the way, or name another folder"
        )
        raise XregitError(message)


def refuse_constraints(
    place: Location, schema: Mapping[str, Any], partitions: Iterable[str], settings: Iterable[str]
) -> None:
    """Refuse a table with rules that a writer of whole files does not enforce: readers would rely on them.

    Raises:
        XregitError: it has partitions, constraints, or columns that must not be null or are made of others.
    """
    rules = [f"partitions by {name}" for name in partitions]
    rules += [f"the constraint {name.removeprefix(_CONSTRAINT)}" for name in settings if name.startswith(_CONSTRAINT)]
    rules += [f"a rule for the column {each['name']}" for each in schema["fields"] if _is_constrained(each)]
    if rules:
        message = f"{place} has {', '.join(rules)}, which we can't keep; take that away, or name another folder"
        raise XregitError(message)


def _is_constrained(column: Mapping[str, Any]) -> bool:
    return not column["nullable"] or any(name.startswith(_COLUMN_CONSTRAINTS) for name in column.get("metadata") or ())


def compare_schema(
    table: Table, place: Location, version: int, schema: Mapping[str, Any], comment: str
) -> TableSnapshot:
    """Return the snapshot of an existing table by its schema, in Delta's JSON form, without the hashes of its rows.

    Raises:
        XregitError: it is another table.
    """
    actual = {each["name"]: each for each in schema["fields"]}
    expected = {each["name"]: each for each in table.structure["fields"]}
    if any(name not in actual for name in (*table.keys, HASH.name)):
        message = f"{place} is a Delta table, but not the {table.name} of a catalog; publish to another folder"
        raise XregitError(message)
    comments = {} if comment == table.comment else {"": table.comment}
    for name in (name for name in expected if name in actual):
        if _without_nullability(expected[name]["type"]) != _without_nullability(actual[name]["type"]):
            message = f'the column "{name}" of {place} has another type than the model says; publish to another folder'
            raise XregitError(message)
        text = expected[name]["metadata"].get("comment", "")
        if text != (actual[name].get("metadata") or {}).get("comment", ""):
            comments[name] = text
    missing = tuple(name for name in expected if name not in actual)
    removed = tuple(name for name in actual if name not in expected)
    return TableSnapshot(table, place, version, missing_columns=missing, removed_columns=removed, comments=comments)


def _without_nullability(data_type: Any) -> Any:
    """Return a type without what writers differ in: whether a list's items or a map's values may be null."""
    if isinstance(data_type, Mapping):
        return {key: _without_nullability(each) for key, each in data_type.items() if not key.endswith("ContainsNull")}
    return data_type


def with_row_hashes(snapshot: TableSnapshot, keyed: Iterable[Key]) -> TableSnapshot:
    """Return the snapshot with the hashes of its rows, each given after the row's keys.

    Raises:
        XregitError: rows have the same keys, or none, so that they are somebody else's.
    """
    hashes: dict[Key, str] = {}
    rows = 0
    for *keys, row_hash in keyed:
        hashes[tuple(keys)] = row_hash
        rows += 1
    if len(hashes) < rows or any(None in each for each in hashes):
        message = (
            f"{snapshot.place} has rows with the same {' and '.join(snapshot.table.keys)}, or with none, which "
            "someone else has written; restore a version from before, or publish to another folder"
        )
        raise XregitError(message)
    return replace(snapshot, hashes=hashes)


def changes_table(table: Table) -> Table:
    """Return the table of a table's changes: its columns and the kind of change to each row."""
    return replace(table, columns=(*table.columns, CHANGE))


def changes_to_arrow(table: Table, changes: TableChanges) -> pa.Table:
    """Return the rows to insert, update and delete, each with its kind of change."""
    parts = ((INSERT, changes.inserted), (UPDATE, changes.updated), (DELETE, changes.deleted))
    return pa.concat_tables(
        unpack(table, batches).append_column(CHANGE.name, pa.array([change] * batches.rows, pa.string()))
        for change, batches in parts
    )
