"""The rows of a table against the hashes of those that are there: what to insert, update and delete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.spark.cells import Row

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What brings a table up to date; of deleted rows only the keys are there."""

    inserted: tuple[Row, ...] = ()
    updated: tuple[Row, ...] = ()
    deleted: tuple[Row, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to do."""
        return bool(self.inserted or self.updated or self.deleted)

    @property
    def only_inserts(self) -> bool:
        """Whether nothing that is there changes."""
        return not (self.updated or self.deleted)


def difference(keys: tuple[str, ...], rows: tuple[Row, ...], known: Mapping[Key, str]) -> Difference:
    """Return what is new, different and gone in rows, where ``known`` has the hash of each row that is there."""
    wanted = {tuple(row[key] for key in keys): row for row in rows}
    return Difference(
        tuple(row for key, row in wanted.items() if key not in known),
        tuple(row for key, row in wanted.items() if key in known and known[key] != row["hash"]),
        tuple(dict(zip(keys, key, strict=True)) for key in known if key not in wanted),
    )
