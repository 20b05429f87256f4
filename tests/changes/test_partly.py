"""The files that a registry's folder had at a commit, of which those are read that differ from the present ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.source.repositories import new_repository
from xregit.catalog.layout import REGISTRY_FILE
from xregit.changes.partly import base_of, state_at
from xregit.rules.standing import standing
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "messagegroups/doors/messagegroup.yaml"


@pytest.mark.parametrize("ids", ["sha1", "sha256"])
def test_only_what_has_changed_differs_from_the_present(tmp_path: Path, ids: str) -> None:
    """However Git makes its ids, files with the same bytes have the same one then and now."""
    repository = new_repository(tmp_path / "repository", ids)
    before = {REGISTRY_FILE: "name: Doors\n", GROUP: "description: All doors.\n"}
    repository.commit("Begin", **{f"registry/{path}": text for path, text in before.items()})
    root = repository.root / "registry"
    (root / GROUP).write_text("description: Most doors.\n", encoding="utf-8")
    now = standing(root)
    present = {path: blob_id(now.read(path)).decode() for path in before}
    found = state_at(now, base_of(now, "main"), present)
    assert {path for path in before if found.blobs[path] != present[path]} == {GROUP}
    assert {path: found.read(path).decode() for path in found.blobs} == before
