"""Rows to compressed parts in Arrow's stream format, a tenth of their size, in which they wait and travel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xregit.records import record
from xregit.spark.columns import Column, Type

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table

# A part becomes a file; whoever reads or writes one holds its rows in memory.
ROWS_PER_PART = 20_000
COMPRESSION = "zstd"
MAPS = frozenset({Type.TEXT_MAP, Type.LONG_MAP})


@record
class Packed:
    """Rows of one table, so many in all."""

    rows: int = 0
    parts: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return self.rows > 0


@dataclass(slots=True)
class Packing:
    """Packs rows of a table one by one; at most one part's rows are unpacked at a time."""

    table: Table
    waiting: list[Row] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)
    rows: int = 0

    def add(self, row: Row) -> None:
        """Take one row."""
        self.waiting.append(row)
        if len(self.waiting) == ROWS_PER_PART:
            self._close()

    def packed(self) -> Packed:
        """Return all rows that it has taken."""
        if self.waiting:
            self._close()
        return Packed(self.rows, tuple(self.parts))

    def _close(self) -> None:
        self.parts.append(_part(arrow_table(self.table, self.waiting)))
        self.rows += len(self.waiting)
        self.waiting.clear()


def packed(table: Table, rows: Iterable[Row]) -> Packed:
    """Return rows of a table in parts."""
    packing = Packing(table)
    for row in rows:
        packing.add(row)
    return packing.packed()


def unpacked(table: Table, some: Packed) -> pa.Table:
    """Return packed rows as one Arrow table, which takes their whole size."""
    import pyarrow as pa

    parts = [pa.ipc.open_stream(part).read_all() for part in some.parts]
    return pa.concat_tables(parts) if parts else arrow_schema(table).empty_table()


def arrow_schema(table: Table) -> pa.Schema:
    """Return a table's schema as Arrow has it; timestamps are in UTC, so that Delta calls them timestamps too."""
    import pyarrow as pa

    types = {
        Type.LONG: pa.int64(),
        Type.BOOLEAN: pa.bool_(),
        Type.DOUBLE: pa.float64(),
        Type.TIMESTAMP: pa.timestamp("us", "UTC"),
        Type.TEXTS: pa.list_(pa.string()),
        Type.TEXT_MAP: pa.map_(pa.string(), pa.string()),
        Type.LONG_MAP: pa.map_(pa.string(), pa.int64()),
    }
    return pa.schema([(column.name, types.get(column.type, pa.string())) for column in table.columns])


def arrow_table(table: Table, rows: Iterable[Row]) -> pa.Table:
    """Return rows as an Arrow table; a column that a row does not have is null."""
    import pyarrow as pa

    some, schema = list(rows), arrow_schema(table)
    columns = [pa.array(_cells(column, some), kind) for column, kind in zip(table.columns, schema.types, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def _cells(column: Column, rows: list[Row]) -> list[Any]:
    """Return what the rows have in a column; maps as pairs, which is how Arrow takes them."""
    name = column.name
    found = [row.get(name) for row in rows]
    return [value if value is None else list(value.items()) for value in found] if column.type in MAPS else found


def _part(rows: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=COMPRESSION)) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue().to_pybytes())
