"""Rows to Spark's data frames with explicit schemas, and data frames to Parquet files, all tables in one job."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from xregit.spark import files
from xregit.spark.columns import Type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table
    from xregit.spark.places import Place

ROWS_PER_FILE = 100_000
# A job's rows go through the memory of Spark's driver, which is small unless someone has asked for more.
ROWS_PER_PART, MAX_JOB_BYTES = 20_000, 64 * 2**20


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

    maps = [column.name for column in table.columns if column.type in {Type.TEXT_MAP, Type.LONG_MAP}]
    return pa.Table.from_pylist([_paired(row, maps) for row in rows], schema=arrow_schema(table))


def frame(spark: SparkSession, table: Table, rows: tuple[Row, ...]) -> DataFrame:
    """Return rows as a data frame of the table's schema, few enough of them in one partition."""
    return _framed(spark, table, arrow_table(table, rows), max(1, -(-len(rows) // ROWS_PER_FILE)))


def collected(frame: DataFrame, table: Table) -> pa.Table:
    """Return a data frame's rows with exactly the table's types, whatever the session's time zone is."""
    return frame.toArrow().cast(arrow_schema(table))


def write(
    spark: SparkSession, tables: Mapping[Table, tuple[Row, ...]], place: Place
) -> dict[str, list[dict[str, Any]]]:
    """Write the rows of each table to files in the folder of its name; return what describes the files, by table."""
    from pyspark import cloudpickle

    # Sent by its name, the module would have to be installed on every executor.
    cloudpickle.register_pickle_by_value(files)  # type: ignore[no-untyped-call]
    found: dict[str, list[dict[str, Any]]] = {table.name: [] for table in tables}
    for job in _jobs(tables):
        parts = [
            _framed(spark, table, part, 1).mapInArrow(
                files.writer(table.name, (place / table.name).url, part.schema), files.WRITTEN
            )
            for table, part in job
        ]
        for row in reduce(lambda one, other: one.unionAll(other), parts).collect():
            found[row["table"]].append(row.asDict())
    return found


def _jobs(tables: Mapping[Table, tuple[Row, ...]]) -> Iterator[list[tuple[Table, pa.Table]]]:
    """Give all rows in jobs that the driver's memory holds; a small catalog is one."""
    job: list[tuple[Table, pa.Table]] = []
    for table, rows in tables.items():
        for first in range(0, len(rows), ROWS_PER_PART):
            job.append((table, arrow_table(table, rows[first : first + ROWS_PER_PART])))
            if sum(part.nbytes for _, part in job) >= MAX_JOB_BYTES:
                yield job
                job = []
    if job:
        yield job


def _framed(spark: SparkSession, table: Table, rows: pa.Table, partitions: int) -> DataFrame:
    from pyspark.sql.types import StructType

    return spark.createDataFrame(rows, StructType.fromJson(table.structure)).coalesce(partitions)


def _paired(row: Row, maps: list[str]) -> Row:
    """Return the row with its maps as pairs, which is how Arrow takes them."""
    return row | {name: list(row[name].items()) for name in maps if row.get(name) is not None}
