"""Folders of plain Parquet: which are replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from xregit.errors import XregitError
from xregit.spark import parquet_writer
from xregit.spark.location import Location


def _table(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / parquet_writer.COMPLETE).touch()


def test_only_our_own_folders_are_replaced(tmp_path: Path) -> None:
    """A missing folder, an empty one and one of ours are replaced, one with anything else is refused."""
    parquet_writer.refuse_other_content(Location.of(tmp_path / "missing"))
    parquet_writer.refuse_other_content(Location.of(tmp_path))
    _table(tmp_path, "publications")
    parquet_writer.refuse_other_content(Location.of(tmp_path))
    (tmp_path / "notes").mkdir()
    with pytest.raises(XregitError, match="is not replaced"):
        parquet_writer.refuse_other_content(Location.of(tmp_path))
