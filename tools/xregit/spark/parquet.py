"""Tables as plain Parquet folders, all of them swapped in at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source import writing
from xregit.spark import files, frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table

# The empty file by which Spark says that a folder of Parquet files is complete.
COMPLETE = "_SUCCESS"


def refuse_others(folder: Path) -> None:
    """Refuse a folder that holds anything but tables in plain Parquet, because it would be replaced.

    Raises:
        XregitError: it does.
    """
    if not folder.exists():
        return
    if not folder.is_dir() or not all((entry / COMPLETE).is_file() for entry in folder.iterdir()):
        message = (
            f"{folder} holds something else than tables in plain Parquet, and is not replaced; name another folder"
        )
        raise XregitError(message)


def write(spark: SparkSession, tables: Mapping[Table, tuple[Row, ...]], folder: Path) -> None:
    """Write every table beside the folder, then put them in its place; until then it stays as it is.

    Raises:
        XregitError: they can't be written.
    """
    with writing.replacing(folder) as beside:
        for table in tables:
            (beside / table.name).mkdir(parents=True)
        frames.write(spark, tables, beside)
        for table, rows in tables.items():
            if not rows:
                files.written(table.name, str(beside / table.name), frames.arrow_schema(table), ())
            (beside / table.name / COMPLETE).touch()
