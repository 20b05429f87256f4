"""Folders of schema files as registries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

import xregit
from tests.steps import at_most
from xregit.diagnostics import Severity
from xregit.document.foreign import load_foreign

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/document/schema_folder/cases.yaml").read_text())


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    """The files become the schemas of the case, whose documents keep their text, and check finds no error."""
    folder = _write(tmp_path / "Team Schemas", case["files"])
    report = xregit.import_documents(folder, tmp_path / "registry")
    assert [Path(item.path).name for item in report.diagnostics] == case.get("left", [])
    registry = xregit.load(tmp_path / "registry")
    found = {
        schema.id: {version.id: version.document.data.decode() for version in schema.versions if version.document}
        for schema in registry["/schemagroups/team-schemas"].schemas
    }
    assert found == case["schemas"]
    assert [item for item in xregit.check(registry).diagnostics if item.severity is Severity.ERROR] == []


def test_links_and_pipes_are_passed_over(tmp_path: Path) -> None:
    """What lies outside of the folder is not taken for a schema, and nothing waits for the other end of a pipe."""
    folder = _write(tmp_path / "s", {"a.avsc": '"int"', "../secret": "secret"})
    (folder / "b.proto").symlink_to("../secret")
    os.mkfifo(folder / "c.avsc")
    report = xregit.import_documents(folder, tmp_path / "registry")
    assert [Path(item.path).name for item in report.diagnostics] == ["b.proto", "c.avsc"]
    assert [schema.id for schema in xregit.load(tmp_path / "registry").schemas] == ["a"]


def test_many_empty_lines_are_read_at_once(tmp_path: Path) -> None:
    """The steps do not grow with the square of a file's length."""
    (tmp_path / "a.proto").write_text("\n" * 300_000)
    with at_most(1_000_000):
        load_foreign(tmp_path / "a.proto")


def test_newest_version_is_the_default(tmp_path: Path) -> None:
    """Versions follow each other by number."""
    _write(tmp_path / "s", {f"v{number}/a.avsc": '"int"' for number in (1, 2, 10)})
    xregit.import_documents(tmp_path / "s", tmp_path / "registry")
    schema = xregit.compile(xregit.load(tmp_path / "registry"))["schemagroups"]["s"]["schemas"]["a"]
    assert schema["meta"]["defaultversionid"] == "10"
    assert {vid: version["ancestor"] for vid, version in schema["versions"].items()} == {"1": "1", "2": "1", "10": "2"}


def test_new_version_is_added(tmp_path: Path) -> None:
    """Importing the folder again brings what is new."""
    folder = _write(tmp_path / "s", {"v1/a.avsc": '"int"'})
    xregit.import_documents(folder, tmp_path / "registry")
    _write(folder, {"v2/a.avsc": '"long"'})
    report = xregit.import_documents(folder, tmp_path / "registry")
    assert "schemagroups/s/schemas/a/versions/2.avsc" in report.files
    assert "schemagroups/s/schemas/a/versions/1.avsc" in report.kept


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.txt": ""}, "there is no schema in"),
        (
            {
                f"{n}.avsc": f'{{"type": "record", "name": "r{n}", "fields": [{{"name": "f", "type": "r{n + 1}"}}]}}'
                for n in range(400)
            },
            "needs types of other files",
        ),
        ({"v1/a.avsc": '"int"', "a-1.avsc": '"int"'}, 'is version 1 of "a", and so is "a-1.avsc"'),
    ],
)
def test_fault_is_told(files: dict[str, str], message: str, tmp_path: Path) -> None:
    """A folder that can't be a catalog is refused, and nothing is written."""
    with pytest.raises(xregit.XregitError, match=message):
        xregit.import_documents(_write(tmp_path / "s", files), tmp_path / "registry")
    assert not (tmp_path / "registry").exists()


def test_group_of_another_folder_is_left_alone(tmp_path: Path) -> None:
    """Two folders that are given one group would each remove the files of the other."""
    first, second = (_write(tmp_path / name, {f"{name}.avsc": '"int"'}) for name in ("s1", "s2"))
    assert not xregit.import_documents(first, tmp_path / "registry", group="g").failed
    with pytest.raises(xregit.XregitError, match=r'the group "g" belongs to "../s1"'):
        xregit.import_documents(second, tmp_path / "registry", group="g")
    assert [schema.id for schema in xregit.load(tmp_path / "registry").schemas] == ["s1"]
