"""The rows of a table against the hashes of those that are there: what to insert, update and delete."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from xregit.records import record
from xregit.spark.packing import Packed, Packing, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table

Key = tuple[Any, ...]


@record
class Difference:
    """The changes that bring a table up to date, and how many rows stay; deleted rows have just their keys."""

    inserted: Packed = field(default_factory=Packed)
    updated: Packed = field(default_factory=Packed)
    deleted: Packed = field(default_factory=Packed)
    same: int = 0

    def __bool__(self) -> bool:
        """Tell whether there is anything to do."""
        return bool(self.inserted or self.updated or self.deleted)

    @property
    def only_inserts(self) -> bool:
        """Whether nothing that is there changes."""
        return not (self.updated or self.deleted)

    @property
    def rows(self) -> int:
        """How many rows the table has once it is up to date."""
        return self.inserted.rows + self.updated.rows + self.same


def difference(table: Table, rows: Iterable[Row], known: Mapping[Key, str]) -> Difference:
    """Return what is new, different and gone in rows, where ``known`` has the hash of each row that is there.

    No two rows have the same keys. Each row is taken once, and none is held longer than it takes to fill a part.
    """
    if not known:
        return Difference(packed(table, rows))
    inserted, updated, met = Packing(table), Packing(table), set()
    for row in rows:
        key = tuple(row[name] for name in table.keys)
        before = known.get(key)
        if before is None:
            inserted.add(row)
            continue
        met.add(key)
        if before != row["hash"]:
            updated.add(row)
    gone = packed(table, (dict(zip(table.keys, key, strict=True)) for key in known if key not in met))
    other = updated.packed()
    return Difference(inserted.packed(), other, gone, len(met) - other.rows)
