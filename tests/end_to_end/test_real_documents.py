"""A large registry of documents that others wrote: imported together, checked and built from the command line."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.programs import xregit

if TYPE_CHECKING:
    from pathlib import Path

# Every rule that is broken there, looked at by hand: each finding is true.
BROKEN = {"misplaced-placeholder"}


@pytest.fixture(scope="module")
def imported(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the registry that all documents of the real-time sources make together."""
    folder = tmp_path_factory.mktemp("real")
    documents = sorted(str(path) for path in (shared / "corpus/docs/real-time-sources").rglob("*") if path.is_file())
    done = xregit("import", *documents, at=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_findings_are_true(imported: Path) -> None:
    """Check reports what is wrong, each at a file of its own, and what to do; it does not fail."""
    done = xregit("check", "--format", "json", at=imported)
    assert done.returncode == 1
    found = json.loads(done.stdout)["diagnostics"]
    assert {item["rule"] for item in found if item["severity"] == "error"} == BROKEN
    assert all((imported / item["path"]).is_file() and item["line"] and item["help"] for item in found)
    places = Counter((item["path"], item["line"], item["column"]) for item in found if item["severity"] != "info")
    assert max(places.values()) == 1


def test_all_of_it_is_built(imported: Path) -> None:
    """Build stops at the errors; without the check it goes through, and each message has its page."""
    assert xregit("build", "--only", "check,document", at=imported).returncode == 1
    assert not (imported / "build").exists()
    done = xregit("build", "--only", "document,api,site", at=imported)
    assert done.returncode == 0, done.stderr
    document = json.loads((imported / "build/registry.json").read_bytes())
    messages = [
        f"{gid}/messages/{mid}" for gid, group in document["messagegroups"].items() for mid in group["messages"]
    ]
    assert len(messages) > 500
    for name in messages:
        assert (imported / "build/site/messagegroups" / name / "index.html").is_file()
