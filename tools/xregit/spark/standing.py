"""How a table stands before a publication, what is to become of it, and what its commit says; for any Delta writer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Protocol

from xregit.errors import XregitError
from xregit.records import record
from xregit.spark.columns import HASH, Column
from xregit.spark.packing import unpacked

if TYPE_CHECKING:
    import pyarrow as pa

    from xregit.source.history import History
    from xregit.spark.cells import Row
    from xregit.spark.columns import Table
    from xregit.spark.comparing import Difference
    from xregit.spark.places import Place

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
_RULES = ("delta.invariants", "delta.generationExpression", "delta.identity.")

# What `deltalake` reads as another character.
_CODED = re.compile(r"%[0-9A-Fa-f]{2}|\\")

CHANGE = Column("_change")
INSERT, UPDATE, DELETE = "insert", "update", "delete"


@record
class Stand:
    """A table as it stood when we looked: its version (-1 before the first) and the hash of each row by its keys.

    ``lacking`` names the columns that the model has by now and the table does not, ``former`` those that only the table
    has; as `Lake.write` is told of them, those alone that the model had, which must not go on telling of it.
    ``comments`` are those that the model words otherwise by now, by column, that of the table under an empty name.
    """

    table: Table
    place: Place
    version: int = -1
    hashes: Mapping[tuple[Any, ...], str] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)


@record
class CommitInfo:
    """What the Delta commits of one publication record: the Git commit, its time and the first line of its message."""

    commit: str
    time: str
    subject: str

    @property
    def as_json(self) -> str:
        """The same as JSON, which Delta calls ``userMetadata``."""
        return json.dumps({"commit": self.commit, "time": self.time, "subject": self.subject})


Work = Mapping[str, tuple[Stand, "Difference"]]


class Lake(Protocol):
    """What reads and writes Delta tables in one folder."""

    def look(self, table: Table) -> Stand:
        """Return how a table stands.

        Raises:
            XregitError: its folder holds something else than this table, or rows that are none of ours.
        """

    def rows(self, stand: Stand) -> list[Row]:
        """Return all rows of a table in the version that was looked at."""

    def write(self, work: Work, info: CommitInfo) -> dict[str, int]:
        """Bring every table to what its difference says, in one transaction each; return the versions by name."""

    def append(self, stand: Stand, row: Row, info: CommitInfo) -> int:
        """Add one row to a table, which is created where there is none; return the table's new version."""

    def empty(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more, if there is one; return how many there were."""


def commit_info(history: History) -> CommitInfo:
    """Return what Delta commits record of a registry with that history."""
    subject = next((commit.subject for commit in history.commits if commit.sha == history.head), "")
    return CommitInfo(history.head, history.head_time, subject)


def foreign(place: Place) -> XregitError:
    """Return the error that a folder holds something else than a Delta table."""
    return XregitError(
        f"{place} holds something else than a Delta table; name another folder, or move it out of the way"
    )


def refuse_file(place: Place) -> None:
    """Refuse a place where a file is in the way of the tables' folder.

    Raises:
        XregitError: one is.
    """
    if place.local and place.local.exists() and not place.local.is_dir():
        message = f"{place} is a file, and no folder for tables; name another folder, or move it out of the way"
        raise XregitError(message)


def refuse_coded(place: Place) -> None:
    """Refuse a folder of this machine that `deltalake` would take for another one, whose name this one codes.

    Raises:
        XregitError: it is such a folder.
    """
    if place.local and _CODED.search(place.local.as_posix()):
        message = f"Delta can't have tables in {place}: no percent sign may stand before two hexadecimal digits"
        raise XregitError(message + ", and no backslash; name another folder")


def changed_meanwhile(place: Place) -> XregitError:
    """Return the error that someone else wrote a table between our look and our commit."""
    return XregitError(f"{place} was changed by someone else in the meantime; publish again")


def refuse_newer(place: Place, reader: int, writer: int, features: Iterable[str]) -> None:
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


def refuse_ruled(place: Place, schema: Mapping[str, Any], partitions: Iterable[str], settings: Iterable[str]) -> None:
    """Refuse a table with rules that nobody keeps who adds whole files to it: readers would find other values.

    Raises:
        XregitError: it has partitions, constraints, or columns that must not be null or are made of others.
    """
    found = [f"partitions by {name}" for name in partitions]
    found += [f"the constraint {name.removeprefix(_CONSTRAINT)}" for name in settings if name.startswith(_CONSTRAINT)]
    found += [f"a rule for the column {each['name']}" for each in schema["fields"] if _is_ruled(each)]
    if found:
        message = f"{place} has {', '.join(found)}, which we can't keep; take that away, or name another folder"
        raise XregitError(message)


def _is_ruled(column: Mapping[str, Any]) -> bool:
    return not column["nullable"] or any(name.startswith(_RULES) for name in column.get("metadata") or ())


def compared(table: Table, place: Place, version: int, found: Mapping[str, Any], comment: str) -> Stand:
    """Return the stand of a table by its schema, in Delta's JSON form, without the hashes of its rows.

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
        if _loose(wanted[name]["type"]) != _loose(there[name]["type"]):
            message = f'the column "{name}" of {place} has another type than the model says; publish to another folder'
            raise XregitError(message)
        said = wanted[name]["metadata"].get("comment", "")
        if said != (there[name].get("metadata") or {}).get("comment", ""):
            comments[name] = said
    lacking = tuple(name for name in wanted if name not in there)
    former = tuple(name for name in there if name not in wanted)
    return Stand(table, place, version, lacking=lacking, former=former, comments=comments)


def standing(stand: Stand, keyed: Iterable[tuple[Any, ...]]) -> Stand:
    """Return the stand with the hashes of its rows, each given after the row's keys.

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
            f"{stand.place} has rows with the same {' and '.join(stand.table.keys)}, or with none, which someone else "
            "has written; restore a version from before, or publish to another folder"
        )
        raise XregitError(message)
    return replace(stand, hashes=hashes)


def changing(table: Table) -> Table:
    """Return the form of a table's changes: its columns and what becomes of each row."""
    return replace(table, columns=(*table.columns, CHANGE))


def changes(table: Table, found: Difference) -> pa.Table:
    """Return the rows to insert, update and delete, each with what becomes of it."""
    import pyarrow as pa

    parts = ((INSERT, found.inserted), (UPDATE, found.updated), (DELETE, found.deleted))
    return pa.concat_tables(
        unpacked(table, some).append_column(CHANGE.name, pa.array([change] * some.rows, pa.string()))
        for change, some in parts
    )


def _loose(form: Any) -> Any:
    """Return a type without what writers differ in: whether a list's items or a map's values may be null."""
    if isinstance(form, Mapping):
        return {key: _loose(value) for key, value in form.items() if not key.endswith("ContainsNull")}
    return form
