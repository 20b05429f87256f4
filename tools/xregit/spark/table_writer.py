"""What all writers of Delta tables share: the snapshot of a table, the changes to it, and the checks before a write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from xregit.errors import XregitError
from xregit.spark.row_batches import RowBatchBuilder, RowBatches, pack, unpack
from xregit.spark.table_schema import HASH, Column

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from xregit.source.commit_log import History
    from xregit.spark.location import Location
    from xregit.spark.rows import Row
    from xregit.spark.table_schema import Table

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The changes that bring a table up to date, and how many rows stay; deleted rows have just their keys."""

    inserted: RowBatches = field(default_factory=RowBatches)
    updated: RowBatches = field(default_factory=RowBatches)
    deleted: RowBatches = field(default_factory=RowBatches)
    same: int = 0

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self.inserted or self.updated or self.deleted)

    @property
    def only_inserts(self) -> bool:
        """Whether nothing that is there changes."""
        return not (self.updated or self.deleted)

    @property
    def rows(self) -> int:
        """How many rows the table has once it is up to date."""
        return self.inserted.rows + self.updated.rows + self.same


def diff_rows(table: Table, rows: Iterable[Row], known: Mapping[Key, str]) -> TableChanges:
    """Return what is new, different and gone in rows, where ``known`` has the hash of each row that is there.

    No two rows have the same keys. Each row is taken once, and none is held longer than it takes to fill a part.
    """
    if not known:
        return TableChanges(pack(table, rows))
    inserted, updated, met = RowBatchBuilder(table), RowBatchBuilder(table), set()
    for row in rows:
        key = tuple(row[name] for name in table.keys)
        before = known.get(key)
        if before is None:
            inserted.add(row)
            continue
        met.add(key)
        if before != row["hash"]:
            updated.add(row)
    gone = pack(table, (dict(zip(table.keys, key, strict=True)) for key in known if key not in met))
    other = updated.packed()
    return TableChanges(inserted.packed(), other, gone, len(met) - other.rows)


# Row-level changes for those who follow the table, and a history long enough for "as of that commit".
PROPERTIES: Mapping[str, str | None] = {
    "delta.enableChangeDataFeed": "true",
    "delta.checkpointInterval": "10",
    "delta.logRetentionDuration": "interval 3650 days",
    "delta.deletedFileRetentionDuration": "interval 3650 days",
}
# Tables of a higher reader version may have deletion vectors or renamed columns, which we don't read.
MAX_READER = 1
# Tables of a lower writer version ask for no more than we can do, those of this one for a list of features.
FEATURES_WRITER = 7
FEATURES = frozenset({"appendOnly", "invariants", "changeDataFeed", "checkConstraints", "generatedColumns"})
# By what a table's settings, and what is said of its columns, make rules for its rows.
_CONSTRAINT = "delta.constraints."
_COLUMN_CONSTRAINTS = ("delta.invariants", "delta.generationExpression", "delta.identity.")

# What `deltalake` reads as another character.
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|\\")

CHANGE = Column("_change")
INSERT, UPDATE, DELETE = "insert", "update", "delete"


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """The state of a table when it was read: its version (-1 before the first) and the hash of each row by its keys.

    ``missing_columns`` are in the model and not yet in the table. ``removed_columns`` are in the table alone; for
    `TableWriter.write`, those alone that an earlier model had, which are set to null in rows that change. ``comments``
    are those that the model words otherwise by now, by column; that of the table has an empty name.
    """

    table: Table
    place: Location
    version: int = -1
    hashes: Mapping[tuple[Any, ...], str] = field(default_factory=dict)
    missing_columns: tuple[str, ...] = ()
    removed_columns: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What the Delta commits of one publication record: the Git commit, its time and the first line of its message."""

    commit: str
    time: str
    subject: str

    @property
    def as_json(self) -> str:
        """The same as JSON, which Delta calls ``userMetadata``."""
        return json.dumps({"commit": self.commit, "time": self.time, "subject": self.subject})


Updates = Mapping[str, tuple[TableSnapshot, TableChanges]]


class TableWriter(Protocol):
    """What reads and writes Delta tables in one folder."""

    def snapshot(self, table: Table) -> TableSnapshot:
        """Return the state of a table.

        Raises:
            XregitError: its folder holds something else than this table, or rows that are none of ours.
        """

    def read_rows(self, snapshot: TableSnapshot) -> list[Row]:
        """Return all rows of a table in the version that was looked at."""

    def write(self, work: Updates, info: CommitInfo) -> dict[str, int]:
        """Bring every table to what its difference says, in one transaction each; return the versions by name."""

    def append(self, snapshot: TableSnapshot, row: Row, info: CommitInfo) -> int:
        """Add one row to a table, which is created where there is none; return the table's new version."""

    def clear(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more, if there is one; return how many there were."""


def commit_info(history: History) -> CommitInfo:
    """Return what Delta commits record of a registry with that history."""
    subject = next((commit.subject for commit in history.commits if commit.sha == history.head), "")
    return CommitInfo(history.head, history.head_time, subject)


def not_a_delta_table(place: Location) -> XregitError:
    """Return the error that a folder holds something else than a Delta table."""
    return XregitError(
        f"{place} holds something else than a Delta table; name another folder, or move it out of the way"
    )


def refuse_file(place: Location) -> None:
    """Refuse a place where a file is in the way of the tables' folder.

    Raises:
        XregitError: one is.
    """
    if place.local and place.local.exists() and not place.local.is_dir():
        message = f"{place} is a file, and no folder for tables; name another folder, or move it out of the way"
        raise XregitError(message)


def refuse_escapes(place: Location) -> None:
    """Refuse a folder of this machine that `deltalake` would take for another one, whose name this one codes.

    Raises:
        XregitError: it is such a folder.
    """
    if place.local and _ESCAPE.search(place.local.as_posix()):
        message = f"Delta can't have tables in {place}: no percent sign may stand before two hexadecimal digits"
        raise XregitError(message + ", and no backslash; name another folder")


def concurrent_change(place: Location) -> XregitError:
    """Return the error that someone else wrote a table between our look and our commit."""
    return XregitError(f"{place} was changed by someone else in the meantime; publish again")


def refuse_newer_protocol(place: Location, reader: int, writer: int, features: Iterable[str]) -> None:
    """Refuse a table that asks more of its readers and writers than we can.

    Raises:
        XregitError: it does.
    """
    unknown = sorted(set(features) - FEATURES) if writer == FEATURES_WRITER else []
    if reader > MAX_READER or writer > FEATURES_WRITER or unknown:
        asked = f" with {', '.join(unknown)}" if unknown else ""
        message = (
            f"{place} needs a newer Delta writer than this one "
            f"(reader version {reader}, writer version {writer}{asked}); publish to another folder"
        )
        raise XregitError(message)


def refuse_constraints(
    place: Location, schema: Mapping[str, Any], partitions: Iterable[str], settings: Iterable[str]
) -> None:
    """Refuse a table with rules that nobody keeps who adds whole files to it: readers would find other values.

    Raises:
        XregitError: it has partitions, constraints, or columns that must not be null or are made of others.
    """
    found = [f"partitions by {name}" for name in partitions]
    found += [f"the constraint {name.removeprefix(_CONSTRAINT)}" for name in settings if name.startswith(_CONSTRAINT)]
    found += [f"a rule for the column {each['name']}" for each in schema["fields"] if _is_constrained(each)]
    if found:
        message = f"{place} has {', '.join(found)}, which we can't keep; take that away, or name another folder"
        raise XregitError(message)


def _is_constrained(column: Mapping[str, Any]) -> bool:
    return not column["nullable"] or any(name.startswith(_COLUMN_CONSTRAINTS) for name in column.get("metadata") or ())


def compare_schema(
    table: Table, place: Location, version: int, found: Mapping[str, Any], comment: str
) -> TableSnapshot:
    """Return the snapshot of a table by its schema, in Delta's JSON form, without the hashes of its rows.

    Raises:
        XregitError: it is another table.
    """
    there = {each["name"]: each for each in found["fields"]}
    wanted = {each["name"]: each for each in table.structure["fields"]}
    if any(name not in there for name in (*table.keys, HASH.name)):
        message = f"{place} is a Delta table, but not the {table.name} of a catalog; publish to another folder"
        raise XregitError(message)
    comments = {} if comment == table.comment else {"": table.comment}
    for name in (name for name in wanted if name in there):
        if _without_nullability(wanted[name]["type"]) != _without_nullability(there[name]["type"]):
            message = f'the column "{name}" of {place} has another type than the model says; publish to another folder'
            raise XregitError(message)
        said = wanted[name]["metadata"].get("comment", "")
        if said != (there[name].get("metadata") or {}).get("comment", ""):
            comments[name] = said
    missing_columns = tuple(name for name in wanted if name not in there)
    former = tuple(name for name in there if name not in wanted)
    return TableSnapshot(
        table, place, version, missing_columns=missing_columns, removed_columns=former, comments=comments
    )


def with_row_hashes(snapshot: TableSnapshot, keyed: Iterable[tuple[Any, ...]]) -> TableSnapshot:
    """Return the snapshot with the hashes of its rows, each given after the row's keys.

    Raises:
        XregitError: rows can't be told apart by their keys, so that they are none of ours.
    """
    hashes: dict[tuple[Any, ...], str] = {}
    rows = 0
    for *keys, hashed in keyed:
        hashes[tuple(keys)] = hashed
        rows += 1
    if len(hashes) < rows or any(None in each for each in hashes):
        message = (
            f"{snapshot.place} has rows with the same {' and '.join(snapshot.table.keys)}, or with none, which "
            "someone else has written; restore a version from before, or publish to another folder"
        )
        raise XregitError(message)
    return replace(snapshot, hashes=hashes)


def changes_table(table: Table) -> Table:
    """Return the form of a table's changes: its columns and what becomes of each row."""
    return replace(table, columns=(*table.columns, CHANGE))


def changes_to_arrow(table: Table, found: TableChanges) -> pa.Table:
    """Return the rows to insert, update and delete, each with what becomes of it."""
    import pyarrow as pa

    parts = ((INSERT, found.inserted), (UPDATE, found.updated), (DELETE, found.deleted))
    return pa.concat_tables(
        unpack(table, some).append_column(CHANGE.name, pa.array([change] * some.rows, pa.string()))
        for change, some in parts
    )


def _without_nullability(form: Any) -> Any:
    """Return a type without what writers differ in: whether a list's items or a map's values may be null."""
    if isinstance(form, Mapping):
        return {key: _without_nullability(value) for key, value in form.items() if not key.endswith("ContainsNull")}
    return form
