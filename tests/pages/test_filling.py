"""Texts become files, whatever was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.pages.builder import write_files

if TYPE_CHECKING:
    from pathlib import Path


def test_files_get_their_folders(tmp_path: Path) -> None:
    """A file may be in folders that are not there yet, and may be empty."""
    write_files(tmp_path, [("a/b/index.html", "grün und lang"), ("a/b/index.md", "")])
    assert (tmp_path / "a/b/index.html").read_bytes() == "grün und lang".encode()
    assert (tmp_path / "a/b/index.md").read_bytes() == b""


def test_file_takes_the_place_of_a_longer_one(tmp_path: Path) -> None:
    """Nothing of the former file stays, and lines end as they do in the text."""
    write_files(tmp_path, [("index.html", "a\nlong text\n"), ("index.html", "a\nb\n")])
    assert (tmp_path / "index.html").read_bytes() == b"a\nb\n"
