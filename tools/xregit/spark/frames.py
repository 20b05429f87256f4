"""Packed rows to Spark: to Parquet files, all tables in few jobs, or to data frames with explicit schemas.

Rows stay packed on their way: Spark's own processes only pass them on, and executors unpack them in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from xregit.spark import files
from xregit.spark.packing import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from xregit.spark.columns import Table
    from xregit.spark.packing import Packed
    from xregit.spark.places import Place

Item = TypeVar("Item")

ROWS_PER_FILE = 100_000
# The packed bytes that one task takes, and those that go through the memory of Spark's driver at once, which is small
# by default; each may be exceeded by one part.
TASK_BYTES, JOB_BYTES = 2**20, 32 * 2**20


def write(spark: SparkSession, tables: Mapping[Table, Packed], place: Place) -> dict[str, list[dict[str, Any]]]:
    """Write the rows of each table to files in the folder of its name; return what describes the files, by table."""
    _ship_files()
    found: dict[str, list[dict[str, Any]]] = {table.name: [] for table in tables}
    tasks = _filled(_parts(tables, place), lambda part: len(part["rows"]), TASK_BYTES)
    for job in _filled(map(_batch, tasks), lambda batch: batch.nbytes, JOB_BYTES):
        for row in _sent(spark, job).mapInArrow(files.writing, files.WRITTEN).collect():
            found[row["table"]].append(row.asDict())
    return found


def frame(spark: SparkSession, table: Table, some: Packed) -> DataFrame:
    """Return rows as a data frame of the table's schema, few enough of them in one partition."""
    if not some:
        return whole(spark, table, arrow_schema(table).empty_table())
    _ship_files()
    parts = [_batch([{"table": table.name, "folder": "", "rows": part}]) for part in some.parts]
    found = _sent(spark, parts).mapInArrow(files.reading, _structure(table))
    return found.coalesce(max(1, -(-some.rows // ROWS_PER_FILE)))


def whole(spark: SparkSession, table: Table, rows: pa.Table) -> DataFrame:
    """Return rows that go through the memory of Spark's driver as they are, in one partition."""
    return spark.createDataFrame(rows, _structure(table)).coalesce(1)


def collected(frame: DataFrame, table: Table) -> pa.Table:
    """Return a data frame's rows with exactly the table's types, whatever the session's time zone is."""
    return frame.toArrow().cast(arrow_schema(table))


def _ship_files() -> None:
    """Have functions of `files` shipped with all they need: by its name, executors would have to have the module."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(files)  # type: ignore[no-untyped-call]


def _parts(tables: Mapping[Table, Packed], place: Place) -> Iterator[dict[str, Any]]:
    for table, some in tables.items():
        for part in some.parts:
            yield {"table": table.name, "folder": (place / table.name).url, "rows": part}


def _batch(parts: list[dict[str, Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist(parts)


def _filled(items: Iterable[Item], size: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Give items in lists, each of which ends with the item that fills it."""
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


def _sent(spark: SparkSession, batches: list[pa.RecordBatch]) -> DataFrame:
    """Return parts as a data frame with a partition for each batch."""
    import pyarrow as pa

    return spark.createDataFrame(pa.Table.from_batches(batches))


def _structure(table: Table) -> StructType:
    from pyspark.sql.types import StructType

    return StructType.fromJson(table.structure)
