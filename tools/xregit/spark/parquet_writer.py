"""Tables as plain Parquet folders: on this machine all of them are swapped in at once, in a store one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source import atomic_write
from xregit.spark import data_files, row_batches
from xregit.spark.location import Location

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from xregit.spark.row_batches import RowBatches
    from xregit.spark.table_schema import Table

# The empty file by which Spark says that a folder of Parquet files is complete.
COMPLETE = "_SUCCESS"


def refuse_other_content(place: Location) -> None:
    """Refuse a folder of this machine that holds anything but tables in plain Parquet, because it would be replaced.

    Raises:
        XregitError: it does.
    """
    folder = place.local
    if folder is None or not folder.exists():
        return
    if not folder.is_dir() or not all((entry / COMPLETE).is_file() for entry in folder.iterdir()):
        message = (
            f"{folder} holds something else than tables in plain Parquet, and is not replaced; name another folder"
        )
        raise XregitError(message)


def write(spark: SparkSession, tables: Mapping[Table, RowBatches], place: Location) -> None:
    """Write every table; a folder of this machine stays as it is until all of them are written.

    Raises:
        XregitError: they can't be written.
    """
    if place.local is None:
        _write_store(spark, tables, place)
    else:
        _write_folder(spark, tables, place.local)


def _write_folder(spark: SparkSession, tables: Mapping[Table, RowBatches], folder: Path) -> None:
    with atomic_write.replace_folder(folder) as beside:
        for table in tables:
            (beside / table.name).mkdir(parents=True)
        row_batches.write_files(spark, tables, Location.of(beside))
        for table, some in tables.items():
            if not some:
                data_files.write_file(table.name, str(beside / table.name), table.arrow_schema, ())
            (beside / table.name / COMPLETE).touch()


def _write_store(spark: SparkSession, tables: Mapping[Table, RowBatches], place: Location) -> None:
    """Write with Spark's own writer, which knows the store; the last table, the publications, says that it is whole."""
    for table, some in tables.items():
        row_batches.to_dataframe(spark, table, some).write.mode("overwrite").parquet((place / table.name).url)
