"""Tables as plain Parquet folders: on this machine all of them are swapped in at once, in a store one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source import writing
from xregit.spark import files, frames, packing
from xregit.spark.places import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from xregit.spark.columns import Table
    from xregit.spark.packing import Packed

# The empty file by which Spark says that a folder of Parquet files is complete.
COMPLETE = "_SUCCESS"


def refuse_others(place: Place) -> None:
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


def write(spark: SparkSession, tables: Mapping[Table, Packed], place: Place) -> None:
    """Write every table; a folder of this machine stays as it is until all of them are written.

    Raises:
        XregitError: they can't be written.
    """
    if place.local is None:
        _to_store(spark, tables, place)
    else:
        _to_folder(spark, tables, place.local)


def _to_folder(spark: SparkSession, tables: Mapping[Table, Packed], folder: Path) -> None:
    with writing.replacing(folder) as beside:
        for table in tables:
            (beside / table.name).mkdir(parents=True)
        frames.write(spark, tables, Place.of(beside))
        for table, some in tables.items():
            if not some:
                files.written(table.name, str(beside / table.name), packing.arrow_schema(table), ())
            (beside / table.name / COMPLETE).touch()


def _to_store(spark: SparkSession, tables: Mapping[Table, Packed], place: Place) -> None:
    """Write with Spark's own writer, which knows the store; the last table, the publications, says that it is whole."""
    for table, some in tables.items():
        frames.frame(spark, table, some).write.mode("overwrite").parquet((place / table.name).url)
