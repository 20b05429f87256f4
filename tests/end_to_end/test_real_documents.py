"""A large registry of documents that others wrote: imported together, checked and built from the command line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.end_to_end.programs import xregit

# Every rule that is broken there, looked at by hand: each finding is true.
BROKEN = {"misplaced-placeholder"}


@pytest.fixture(scope="module")
def imported(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the registry that all documents of the real-time sources make together."""
    folder = tmp_path_factory.mktemp("real")
    documents = sorted(str(path) for path in (shared / "corpus/docs/real-time-sources").rglob("*") if path.is_file())
    process = xregit("import", *documents, at=folder)
    assert process.returncode == 0, process.stderr
    return folder


def test_findings_are_true(imported: Path) -> None:
    """Check reports what is wrong, each at a file of its own, and what to do; it does not fail."""
    process = xregit("check", "--format", "json", at=imported)
    assert process.returncode == 1
    result = json.loads(process.stdout)["diagnostics"]
    assert {item["rule"] for item in result if item["severity"] == "error"} == BROKEN
    assert all((imported / item["path"]).is_file() and item["line"] and item["help"] for item in result)
    places = Counter((item["path"], item["line"], item["column"]) for item in result if item["severity"] != "info")
    assert max(places.values()) == 1


def test_all_of_it_is_built(imported: Path) -> None:
    """Build stops at the errors; without the check it goes through, and each message has its page."""
    assert xregit("build", "--only", "check,document", at=imported).returncode == 1
    assert not (imported / "build").exists()
    process = xregit("build", "--only", "document,api,site", at=imported)
    assert process.returncode == 0, process.stderr
    document = json.loads((imported / "build/registry.json").read_bytes())
    messages = [
        f"{gid}/messages/{mid}" for gid, group in document["messagegroups"].items() for mid in group["messages"]
    ]
    assert len(messages) > 500
    for name in messages:
        assert (imported / "build/site/messagegroups" / name / "index.html").is_file()
