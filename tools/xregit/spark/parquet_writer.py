"""Tables as plain Parquet folders: on this machine all of them are swapped in at once, in a store one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source import atomic_write
from xregit.spark import data_files, row_batches
from xregit.spark.location import Location
from xregit.spark.row_batches import RowBatches
from xregit.spark.table_schema import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The empty file with which Spark marks a folder of Parquet files as complete.
COMPLETE = "_SUCCESS"


def refuse_other_content(place: Location) -> None:
    """Refuse a folder of this machine that holds anything but tables in plain Parquet, because it would be replaced.

    Raises:
        XregitError: the folder holds something else, or is a file.
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

    In a store, Spark's own writer writes the tables one by one; the last, the publications, completes them.

    Raises:
        XregitError: they can't be written.
    """
    if place.local is None:
        for table, batches in tables.items():
            row_batches.to_dataframe(spark, table, batches).write.mode("overwrite").parquet((place / table.name).url)
        return
    with atomic_write.replace_folder(place.local) as folder:
        for table in tables:
            (folder / table.name).mkdir(parents=True)
        row_batches.write_files(spark, tables, Location.of(folder))
        for table, batches in tables.items():
            if not batches:
                data_files.write_file(table.name, str(folder / table.name), table.arrow_schema, ())
            (folder / table.name / COMPLETE).touch()
