"""CODEOWNERS as Git hosts read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from xregit.catalog.owners import PLACES, Owners, read_owners

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
# all
* @all
/registry/ @catalog
/registry/messagegroups/fleet/ @fleet/team ops@example.com
/registry/endpoints/free/
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("README.md", ("@all",)),
        ("registry/registry.yaml", ("@catalog",)),
        ("registry/messagegroups/fleet/messages/a.yaml", ("@fleet/team", "ops@example.com")),
        ("registry/messagegroups/fleets/messagegroup.yaml", ("@catalog",)),
        ("registry/endpoints/free/endpoint.yaml", ()),
    ],
)
def test_last_line_that_matches_counts(path: str, owners: tuple[str, ...]) -> None:
    """A line for a folder holds for all below it, and a line without owners takes them away."""
    assert Owners("CODEOWNERS", TEXT).of(path) == owners


@pytest.mark.parametrize("place", PLACES)
def test_file_is_found_where_hosts_look(place: str, tmp_path: Path) -> None:
    """Each host has its own folder for it."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_bytes(b"* @me \xff\n")
    found = read_owners(tmp_path)
    assert (found.path, found.of("a")) == (place, ("@me",))


def test_nothing_is_owned_without_the_file(tmp_path: Path) -> None:
    """A repository need not name owners."""
    (tmp_path / "CODEOWNERS").mkdir()
    assert read_owners(tmp_path).of("a") == ()


def test_pattern_that_is_none_is_told() -> None:
    """A file that can't be used owns nothing, and says why."""
    owners = Owners("CODEOWNERS", "/a[b @me\n")
    assert owners.of("a") == ()
    assert "unterminated" in owners.reason
