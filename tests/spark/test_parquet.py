"""Folders of plain Parquet: which are replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from xregit.errors import XregitError
from xregit.spark import parquet
from xregit.spark.places import Place

if TYPE_CHECKING:
    from pathlib import Path


def _table(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / parquet.COMPLETE).touch()


def test_only_our_own_folders_are_replaced(tmp_path: Path) -> None:
    """A missing folder, an empty one and one of ours are replaced, one with anything else is refused."""
    parquet.refuse_others(Place.of(tmp_path / "missing"))
    parquet.refuse_others(Place.of(tmp_path))
    _table(tmp_path, "publications")
    parquet.refuse_others(Place.of(tmp_path))
    (tmp_path / "notes").mkdir()
    with pytest.raises(XregitError, match="is not replaced"):
        parquet.refuse_others(Place.of(tmp_path))
