"""Rows in compressed Arrow batches, a tenth of their size, and their way to Spark.

Rows stay compressed on their way: Spark's own processes only pass them on, and executors decompress them in Python.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from xregit.spark import data_files
from xregit.spark.table_schema import Column, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from xregit.spark.location import Location
    from xregit.spark.rows import Row
    from xregit.spark.table_schema import Table

# A part becomes a file; whoever reads or writes one holds its rows in memory.
ROWS_PER_PART = 20_000
COMPRESSION = "zstd"
MAPS = frozenset({Type.TEXT_MAP, Type.LONG_MAP})


@dataclass(frozen=True, slots=True)
class RowBatches:
    """Rows of one table, so many in all."""

    rows: int = 0
    parts: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return self.rows > 0


@dataclass(slots=True)
class RowBatchBuilder:
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

    def packed(self) -> RowBatches:
        """Return all rows that it has taken."""
        if self.waiting:
            self._close()
        return RowBatches(self.rows, tuple(self.parts))

    def _close(self) -> None:
        self.parts.append(_compress(arrow_table(self.table, self.waiting)))
        self.rows += len(self.waiting)
        self.waiting.clear()


def pack(table: Table, rows: Iterable[Row]) -> RowBatches:
    """Return rows of a table in parts."""
    packing = RowBatchBuilder(table)
    for row in rows:
        packing.add(row)
    return packing.packed()


def unpack(table: Table, some: RowBatches) -> pa.Table:
    """Return packed rows as one Arrow table, which takes their whole size."""
    import pyarrow as pa

    parts = [pa.ipc.open_stream(part).read_all() for part in some.parts]
    return pa.concat_tables(parts) if parts else table.arrow_schema.empty_table()


def arrow_table(table: Table, rows: Iterable[Row]) -> pa.Table:
    """Return rows as an Arrow table; a column that a row does not have is null."""
    import pyarrow as pa

    some, schema = list(rows), table.arrow_schema
    columns = [
        pa.array(_column_values(column, some), kind) for column, kind in zip(table.columns, schema.types, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _column_values(column: Column, rows: list[Row]) -> list[Any]:
    """Return what the rows have in a column; maps as pairs, which is how Arrow takes them."""
    name = column.name
    found = [row.get(name) for row in rows]
    return [value if value is None else list(value.items()) for value in found] if column.type in MAPS else found


def _compress(rows: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=COMPRESSION)) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue().to_pybytes())


Item = TypeVar("Item")

ROWS_PER_FILE = 100_000
# The packed bytes that one task takes, and those that go through the memory of Spark's driver at once, which is small
# by default; each may be exceeded by one part.
TASK_BYTES, JOB_BYTES = 2**20, 32 * 2**20


def write_files(
    spark: SparkSession, tables: Mapping[Table, RowBatches], place: Location
) -> dict[str, list[dict[str, Any]]]:
    """Write the rows of each table to files in the folder of its name; return what describes the files, by table."""
    _pickle_by_value()
    found: dict[str, list[dict[str, Any]]] = {table.name: [] for table in tables}
    tasks = _group_by_size(_write_requests(tables, place), lambda part: len(part["rows"]), TASK_BYTES)
    for job in _group_by_size(map(_record_batch, tasks), lambda batch: batch.nbytes, JOB_BYTES):
        for row in _distribute(spark, job).mapInArrow(data_files.write_parts, data_files.FILE_COLUMNS).collect():
            found[row["table"]].append(row.asDict())
    return found


def to_dataframe(spark: SparkSession, table: Table, some: RowBatches) -> DataFrame:
    """Return rows as a data frame of the table's schema, few enough of them in one partition."""
    if not some:
        return arrow_to_dataframe(spark, table, table.arrow_schema.empty_table())
    _pickle_by_value()
    parts = [_record_batch([{"table": table.name, "folder": "", "rows": part}]) for part in some.parts]
    found = _distribute(spark, parts).mapInArrow(data_files.read_parts, _spark_schema(table))
    return found.coalesce(max(1, -(-some.rows // ROWS_PER_FILE)))


def arrow_to_dataframe(spark: SparkSession, table: Table, rows: pa.Table) -> DataFrame:
    """Return rows that go through the memory of Spark's driver as they are, in one partition."""
    return spark.createDataFrame(rows, _spark_schema(table)).coalesce(1)


def collect_arrow(frame: DataFrame, table: Table) -> pa.Table:
    """Return a data frame's rows with exactly the table's types, whatever the session's time zone is."""
    return frame.toArrow().cast(table.arrow_schema)


def _pickle_by_value() -> None:
    """Have functions of `files` shipped with all they need: by its name, executors would have to have the module."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(data_files)  # type: ignore[no-untyped-call]


def _write_requests(tables: Mapping[Table, RowBatches], place: Location) -> Iterator[dict[str, Any]]:
    for table, some in tables.items():
        for part in some.parts:
            yield {"table": table.name, "folder": (place / table.name).url, "rows": part}


def _record_batch(parts: list[dict[str, Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist(parts)


def _group_by_size(items: Iterable[Item], size: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Yield items in lists, each of which ends with the item that fills it."""
    found: list[Item] = []
    filled = 0
    for item in items:
        found.append(item)
        filled += size(item)
        if filled >= most:
            yield found
            found, filled = [], 0
    if found:
        yield found


def _distribute(spark: SparkSession, batches: list[pa.RecordBatch]) -> DataFrame:
    """Return parts as a data frame with a partition for each batch."""
    import pyarrow as pa

    return spark.createDataFrame(pa.Table.from_batches(batches))


def _spark_schema(table: Table) -> StructType:
    from pyspark.sql.types import StructType

    return StructType.fromJson(table.structure)
