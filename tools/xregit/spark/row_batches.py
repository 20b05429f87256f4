"""Rows in compressed Arrow batches, a tenth of their size, and their transfer to Spark.

Rows stay compressed on their way: Spark's own processes only pass them on, and executors decompress them in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from xregit.spark import data_files
from xregit.spark.table_schema import Table, Type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from xregit.spark.location import Location
    from xregit.spark.rows import Row

# A part becomes a file; whoever reads or writes one has its rows in memory.
ROWS_PER_PART = 20_000
COMPRESSION = "zstd"
MAPS = frozenset({Type.TEXT_MAP, Type.LONG_MAP})


@dataclass(frozen=True, slots=True)
class RowBatches:
    """Rows of one table in compressed parts, and their number."""

    rows: int = 0
    parts: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return self.rows > 0


@dataclass(slots=True)
class RowBatchBuilder:
    """Packs rows of a table one by one; at most one part's rows are unpacked at a time."""

    table: Table
    unpacked: list[Row] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)
    rows: int = 0

    def add(self, row: Row) -> None:
        """Add one row."""
        self.unpacked.append(row)
        if len(self.unpacked) == ROWS_PER_PART:
            self._pack()

    def finish(self) -> RowBatches:
        """Return all rows that were added."""
        if self.unpacked:
            self._pack()
        return RowBatches(self.rows, tuple(self.parts))

    def _pack(self) -> None:
        rows, sink = arrow_table(self.table, self.unpacked), pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=COMPRESSION)) as stream:
            stream.write_table(rows)
        self.parts.append(bytes(sink.getvalue().to_pybytes()))
        self.rows += len(self.unpacked)
        self.unpacked.clear()


def pack(table: Table, rows: Iterable[Row]) -> RowBatches:
    """Return rows of a table in parts."""
    builder = RowBatchBuilder(table)
    for row in rows:
        builder.add(row)
    return builder.finish()


def unpack(table: Table, batches: RowBatches) -> pa.Table:
    """Return packed rows as one Arrow table, which has their whole size."""
    parts = [pa.ipc.open_stream(part).read_all() for part in batches.parts]
    return pa.concat_tables(parts) if parts else table.arrow_schema.empty_table()


def arrow_table(table: Table, rows: Sequence[Row]) -> pa.Table:
    """Return rows as an Arrow table; a column that a row does not have is null."""
    schema, arrays = table.arrow_schema, []
    for column, kind in zip(table.columns, schema.types, strict=True):
        values = [row.get(column.name) for row in rows]
        if column.type in MAPS:  # Arrow expects maps as pairs
            values = [value if value is None else list(value.items()) for value in values]
        arrays.append(pa.array(values, kind))
    return pa.Table.from_arrays(arrays, schema=schema)


Item = TypeVar("Item")

ROWS_PER_FILE = 100_000
# The packed bytes of one task, and those that go through the memory of Spark's driver at once, which is small by
# default; each may be exceeded by one part.
TASK_BYTES, JOB_BYTES = 2**20, 32 * 2**20


def write_files(
    spark: SparkSession, tables: Mapping[Table, RowBatches], place: Location
) -> dict[str, list[dict[str, Any]]]:
    """Write the rows of each table to files in the folder of its name; return the descriptions of the files."""
    _pickle_by_value()
    write = partial(data_files.write_parts, options=dict(place.options))
    files: dict[str, list[dict[str, Any]]] = {table.name: [] for table in tables}
    parts = (
        {"table": table.name, "folder": (place / table.name).url, "rows": part}
        for table, batches in tables.items()
        for part in batches.parts
    )
    tasks = map(pa.RecordBatch.from_pylist, _group_by_size(parts, lambda part: len(part["rows"]), TASK_BYTES))
    for job in _group_by_size(tasks, lambda batch: batch.nbytes, JOB_BYTES):
        for row in _distribute(spark, job).mapInArrow(write, data_files.FILE_COLUMNS).collect():
            files[row["table"]].append(row.asDict())
    return files


def to_dataframe(spark: SparkSession, table: Table, batches: RowBatches) -> DataFrame:
    """Return rows as a data frame of the table's schema, with up to 100,000 in a partition."""
    if not batches:
        return arrow_to_dataframe(spark, table, table.arrow_schema.empty_table())
    _pickle_by_value()
    parts = [pa.RecordBatch.from_pylist([{"table": table.name, "folder": "", "rows": part}]) for part in batches.parts]
    frame = _distribute(spark, parts).mapInArrow(data_files.read_parts, _spark_schema(table))
    return frame.coalesce(ceil(batches.rows / ROWS_PER_FILE))


def arrow_to_dataframe(spark: SparkSession, table: Table, rows: pa.Table) -> DataFrame:
    """Return rows as a data frame in one partition; they go uncompressed through the memory of Spark's driver."""
    return spark.createDataFrame(rows, _spark_schema(table)).coalesce(1)


def collect_arrow(frame: DataFrame, table: Table) -> pa.Table:
    """Return a data frame's rows with exactly the table's types, whatever the session's time zone is."""
    return frame.toArrow().cast(table.arrow_schema)


def _pickle_by_value() -> None:
    """Have the functions of `data_files` sent by value: by name, executors would need the module installed."""
    from pyspark import cloudpickle  # rows are packed where there is no Spark, too

    cloudpickle.register_pickle_by_value(data_files)  # type: ignore[no-untyped-call]


def _group_by_size(items: Iterable[Item], size: Callable[[Item], int], limit: int) -> Iterator[list[Item]]:
    """Yield items in lists, each of which ends with the item that reaches the limit."""
    group: list[Item] = []
    total = 0
    for item in items:
        group.append(item)
        total += size(item)
        if total >= limit:
            yield group
            group, total = [], 0
    if group:
        yield group


def _distribute(spark: SparkSession, batches: list[pa.RecordBatch]) -> DataFrame:
    """Return parts as a data frame with a partition for each batch."""
    return spark.createDataFrame(pa.Table.from_batches(batches))


def _spark_schema(table: Table) -> StructType:
    from pyspark.sql.types import StructType

    return StructType.fromJson(table.structure)
