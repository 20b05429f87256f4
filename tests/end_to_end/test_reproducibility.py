"""The document is the same to the byte whatever surrounds the program that writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.programs import cloned, python, xregit

SURROUNDINGS = {
    "hash seed": {"PYTHONHASHSEED": "4711"},
    "time zone": {"TZ": "Pacific/Kiritimati"},
    "language": {"LANG": "tr_TR.UTF-8", "LC_ALL": "C", "LANGUAGE": "tr"},
    "encoding": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "LC_ALL": "POSIX"},
}
# Folders are listed the other way round than the file system does it.
BACKWARDS = """
import os, sys
forwards = os.scandir
class Backwards:
    def __init__(self, path="."):
        with forwards(path) as entries:
            self.entries = iter(sorted(entries, key=lambda entry: entry.name, reverse=True))
    def __iter__(self):
        return self.entries
    def __next__(self):
        return next(self.entries)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass
    close = __exit__
os.scandir = Backwards
from xregit.cli import main
main()
"""


@pytest.fixture(scope="module")
def clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a clone with one compiled document, ``first.json``."""
    folder = cloned(root, tmp_path_factory.mktemp("surroundings") / "clone").root
    xregit("compile", "-o", "first.json", at=folder, PYTHONHASHSEED="1", TZ="UTC")
    return folder


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_document_does_not_depend_on(name: str, clone: Path) -> None:
    """Hash seed, time zone, language and encoding make no difference."""
    process = xregit("compile", "-o", "again.json", at=clone, **SURROUNDINGS[name])
    assert process.returncode == 0, process.stderr
    assert (clone / "again.json").read_bytes() == (clone / "first.json").read_bytes()


def test_document_does_not_depend_on_the_order_of_files(clone: Path) -> None:
    """Nor does the order in which the file system names the files."""
    process = python("-c", BACKWARDS, "compile", "-o", "backwards.json", at=clone)
    assert process.returncode == 0, process.stderr
    assert (clone / "backwards.json").read_bytes() == (clone / "first.json").read_bytes()


def test_document_does_not_depend_on_where_it_is_made(root: Path, clone: Path, tmp_path: Path) -> None:
    """A clone in another folder, with a long name, has the same commit and gives the same bytes."""
    other = cloned(root, tmp_path / "a clone with blanks and ünïcode").root
    process = xregit("compile", "-o", "elsewhere.json", at=other)
    assert process.returncode == 0, process.stderr
    assert (other / "elsewhere.json").read_bytes() == (clone / "first.json").read_bytes()
