"""A check of some files finds what a check of everything finds there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.rules.test_again import EDITS, FIRST, edited, in_bytes
from xregit.catalog import read_contents, read_folder
from xregit.rules import check
from xregit.rules.partly import check_files

if TYPE_CHECKING:
    from xregit.catalog import Registry
    from xregit.diagnostics import Diagnostic

FOLDERS = ["", "messagegroups", "messagegroups/a", "messagegroups/a/messages", "endpoints/e", "schemagroups/none"]


@settings(max_examples=60)
@given(EDITS, st.data())
def test_some_files_have_the_findings_that_they_have_in_all(
    edits: list[tuple[str, str | None]], data: st.DataObject
) -> None:
    """Whatever is wrong in some files and elsewhere, and whoever depends on whom, no finding is lost or added."""
    files = edited(FIRST, edits)
    registry = read_contents(Path("/nowhere/registry"), in_bytes(files))
    paths = data.draw(
        st.lists(st.sampled_from([*files, *(path for path, _ in edits), *FOLDERS]), min_size=1, max_size=3)
    )
    note(f"{edits} {paths}")
    assert check_files(registry, paths).diagnostics == those_in(registry, check(registry).diagnostics, paths)


@pytest.mark.parametrize("group", ["messagegroups/fleet.charging", "schemagroups/fleet.energy", "endpoints"])
def test_the_example_catalog_in_parts(root: Path, group: str) -> None:
    """In a catalog with types of its own and comments that accept findings, parts say the same too."""
    registry = read_folder(root / "registry")
    due = those_in(registry, check(registry).diagnostics, [group])
    assert check_files(registry, [group]).diagnostics == due


def those_in(registry: Registry, found: tuple[Diagnostic, ...], paths: list[str]) -> tuple[Diagnostic, ...]:
    """Return the findings in some files and folders."""
    top = Path(registry.place.path).parent
    return tuple(item for item in found if any(Path(item.path).is_relative_to(top / path) for path in paths))
