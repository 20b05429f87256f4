"""The JSON that is read instead of data files holds what they hold."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from xregit.document import profiles
from xregit.model.files import SPECVERSION, sources
from xregit.prepared import read_prepared, write_prepared

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = {"model": sources()[SPECVERSION], "document": profiles.SOURCE}


@pytest.mark.parametrize("name", SOURCES)
def test_json_holds_what_the_files_hold(tmp_path: Path, name: str) -> None:
    """Whether it was made at installation or is missing makes no difference."""
    folder, _, parse = SOURCES[name]
    plain = read_prepared(folder, tmp_path / "missing", parse)
    assert plain == {path.relative_to(folder).as_posix(): parse(path.read_bytes()) for path in folder.rglob("*.yaml")}
    assert read_prepared(folder, write_prepared(folder, tmp_path / "made.json", parse), parse) == plain


def test_files_count_where_they_are_not_as_the_json_has_them(tmp_path: Path) -> None:
    """What was made at installation counts for the files that it was made of, and for no others."""
    source, _, parse = SOURCES["model"]
    folder = tmp_path / "files"
    shutil.copytree(source, folder)
    made = write_prepared(folder, tmp_path / "made.json", parse)
    plain = read_prepared(folder, made, parse)
    marked = json.loads(made.read_bytes())
    marked["files"]["registry.yaml"] = "from JSON"
    made.write_text(json.dumps(marked), encoding="utf-8")
    assert read_prepared(folder, made, parse)["registry.yaml"] == "from JSON"
    (folder / "registry.yaml").write_text("attributes: {owner: string}\n", encoding="utf-8")
    assert read_prepared(folder, made, parse) == {**plain, "registry.yaml": {"attributes": {"owner": "string"}}}
    made.write_bytes(made.read_bytes()[:1000])
    assert read_prepared(folder, made, parse) == {**plain, "registry.yaml": {"attributes": {"owner": "string"}}}


def test_json_that_is_right_is_not_written_again(tmp_path: Path) -> None:
    """Building the package once more changes no file of it, at which runs would forget what they have kept."""
    folder, _, parse = SOURCES["model"]
    made = write_prepared(folder, tmp_path / "made.json", parse)
    os.utime(made, ns=(0, 0))
    right = made.read_bytes()
    write_prepared(folder, made, parse)
    assert made.stat().st_mtime_ns == 0
    made.write_bytes(right[:1000])
    assert write_prepared(folder, made, parse).read_bytes() == right
