"""Texts become files that are whole, whatever the system takes at a time and whatever was there before."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from xregit.pages.builder import write

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_file_is_whole_where_the_system_takes_it_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system may write less than it is given, and says how much."""
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[:3]))
    write(str(tmp_path), [("a/b/index.html", "grün und lang"), ("a/b/index.md", "")])
    assert (tmp_path / "a/b/index.html").read_bytes() == "grün und lang".encode()
    assert (tmp_path / "a/b/index.md").read_bytes() == b""


def test_file_takes_the_place_of_a_longer_one(tmp_path: Path) -> None:
    """Nothing of the former file stays, and lines end as they do in the text."""
    write(str(tmp_path), [("index.html", "a\nlong text\n"), ("index.html", "a\nb\n")])
    assert (tmp_path / "index.html").read_bytes() == b"a\nb\n"
