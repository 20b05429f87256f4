"""Folders of plain Parquet: which are replaced, and that the old one stays where the new one can't take its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from xregit.errors import XregitError
from xregit.spark import parquet

if TYPE_CHECKING:
    from pathlib import Path


def _table(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / parquet.COMPLETE).touch()


def test_swap_takes_the_old_folder_away(tmp_path: Path) -> None:
    """The new folder takes the place of the old one, which is gone."""
    _table(tmp_path / "tables", "old")
    _table(tmp_path / "beside", "new")
    parquet.swap(tmp_path / "beside", tmp_path / "tables")
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_failed_swap_leaves_the_old_folder(tmp_path: Path) -> None:
    """Where the new folder can't be put in place, the old one is there as it was."""
    _table(tmp_path / "tables", "old")
    with pytest.raises(FileNotFoundError):
        parquet.swap(tmp_path / "missing", tmp_path / "tables")
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["old"]


def test_only_our_own_folders_are_replaced(tmp_path: Path) -> None:
    """A missing folder, an empty one and one of ours are replaced, one with anything else is refused."""
    parquet.refuse_others(tmp_path / "missing")
    parquet.refuse_others(tmp_path)
    _table(tmp_path, "publications")
    parquet.refuse_others(tmp_path)
    (tmp_path / "notes").mkdir()
    with pytest.raises(XregitError, match="is not replaced"):
        parquet.refuse_others(tmp_path)
