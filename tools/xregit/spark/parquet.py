"""Tables as plain Parquet folders, all of them swapped in at once."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from xregit.errors import XregitError
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
    """Write every table beside the folder, then put them in its place; until then it stays as it is."""
    beside = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    try:
        for table in tables:
            (beside / table.name).mkdir(parents=True)
        frames.write(spark, tables, beside)
        for table, rows in tables.items():
            if not rows:
                files.written(table.name, str(beside / table.name), frames.arrow_schema(table), ())
            (beside / table.name / COMPLETE).touch()
        swap(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def swap(beside: Path, folder: Path) -> None:
    """Put a folder in the place of another one, which stays where it is if that fails."""
    old = folder.with_name(f".{folder.name}.old-{os.getpid()}")
    if folder.exists():
        folder.rename(old)
    try:
        beside.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
