"""A folder that any writer fills, put in the place of the one before only if all goes well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from xregit.errors import XregitError
from xregit.source.writing import replacing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one file."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    return tmp_path / "out"


def test_folder_is_replaced_as_a_whole(folder: Path) -> None:
    """What was there before is gone, and nothing is left beside."""
    with replacing(folder) as beside:
        (beside / "new").touch()
        assert [path.name for path in folder.iterdir()] == ["old"]
    assert [path.name for path in folder.iterdir()] == ["new"]
    assert [path.name for path in folder.parent.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("error", "raised"), [(ValueError("a bug"), ValueError), (OSError(28, "No space left on device"), XregitError)]
)
def test_failing_writer_leaves_the_old_folder(folder: Path, error: Exception, raised: type[Exception]) -> None:
    """A full disk is a line, a bug stays what it is, and either way the old folder is there as it was."""
    with pytest.raises(raised, match=str(error.args[-1])), replacing(folder):
        raise error
    assert [path.name for path in folder.iterdir()] == ["old"]
    assert [path.name for path in folder.parent.iterdir()] == ["out"]
