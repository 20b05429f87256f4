"""CODEOWNERS as Git hosts read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from xregit.catalog.codeowners import MAX_BYTES, MAX_LINE_CHARS, PLACES, Owners, read_owners

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
    result = read_owners(tmp_path)
    assert (result.path, result.of("a")) == (place, ("@me",))


def test_nothing_is_owned_without_the_file(tmp_path: Path) -> None:
    """A repository need not name owners."""
    (tmp_path / "CODEOWNERS").mkdir()
    assert read_owners(tmp_path).of("a") == ()


@pytest.mark.parametrize(
    ("line", "column", "word"),
    [
        ("/a[b @me", 1, "/a[b"),
        ("/b/  me @you", 6, "me"),
        ("/c/ @me  team/you # said so", 10, "team/you"),
    ],
)
def test_line_that_cannot_be_used_is_told(line: str, column: int, word: str) -> None:
    """What is wrong is named at its place."""
    (problem,) = Owners("CODEOWNERS", f"* @all\n{line}\n").problems
    assert (problem.path, problem.line, problem.column) == ("CODEOWNERS", 2, column)
    assert problem.message.startswith(f'"{word}" is not a')


def test_owners_in_a_comment_are_none() -> None:
    """A comment behind a line may name whom nobody asks."""
    owners = Owners("CODEOWNERS", "* @all # not @me\n/a/ # nobody, though @you asked\n")
    assert (owners.of("b"), owners.of("a/b"), owners.problems) == (("@all",), (), ())


def test_conflict_that_a_merge_left_is_told_as_one() -> None:
    """It is one finding, at its first line; all other lines count."""
    text = "* @all\n<<<<<<< HEAD\n/a/ @a\n=======\n/a/ @b me\n>>>>>>> other branch\n"
    owners = Owners("CODEOWNERS", text)
    assert [(item.line, item.message) for item in owners.problems] == [
        (2, "A merge left both sides of a conflict here."),
        (5, '"me" is not an owner.'),
    ]
    assert owners.of("a/b") == ("@b",)


def test_address_that_ends_too_early_is_told() -> None:
    """An @ with nothing behind it asks nobody."""
    (problem,) = Owners("CODEOWNERS", "* @ @all\n").problems
    assert (problem.line, problem.column, problem.message) == (1, 3, '"@" is not an owner.')


def test_lines_that_hosts_take_are_no_problem() -> None:
    """Escaped spaces, comments, sections, email addresses and lines without owners are fine."""
    text = "# all\n* @all # everybody\n[Section] @team\n^[Other]\n/a\\ b/ a@example.com\n/c/\n\n"
    assert Owners("CODEOWNERS", text).problems == ()


def test_file_with_a_pattern_that_is_none_owns_nothing() -> None:
    """What a host would make of the other lines is not guessed."""
    owners = Owners("CODEOWNERS", "* @all\n/a[b @me\n")
    assert not owners.usable
    assert owners.of("a") == ()


def test_file_that_hosts_do_not_read_is_told(tmp_path: Path) -> None:
    """A file that is too large owns nothing, and that is said."""
    (tmp_path / "CODEOWNERS").write_text("* @all\n" * (MAX_BYTES // 7 + 1), encoding="utf-8")
    result = read_owners(tmp_path)
    assert not result.usable
    assert [problem.message for problem in result.problems] == ["The file is larger than 3 MiB."]


@pytest.mark.parametrize("line", ["[", "[Section @me", "^[Section"])
def test_heading_that_is_not_closed_is_told(line: str) -> None:
    """A file that can't be used never goes without a word."""
    owners = Owners("CODEOWNERS", f"* @all\n{line}\n")
    assert not owners.usable
    assert [problem.line for problem in owners.problems] == [2]


def test_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    """What stands elsewhere on the machine is not shown as a line that is wrong."""
    (tmp_path / "secret").write_text("token\n", encoding="utf-8")
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "CODEOWNERS").symlink_to("../secret")
    result = read_owners(repository)
    assert [problem.message for problem in result.problems] == ["The file is a link that leads out of the repository."]


@pytest.mark.parametrize("line", ["[Some section][2] @me", "^[Texts and pictures] @me", "[Docs]", " [a]"])
def test_headings_of_gitlab_are_passed_over(line: str) -> None:
    """A heading may hold blanks, and say how many have to approve."""
    owners = Owners("CODEOWNERS", f"* @all\n{line}\n/b/ @b\n")
    assert owners.problems == ()
    assert owners.of("b/c") == ("@b",)


def test_line_without_end_is_passed_over(tmp_path: Path) -> None:
    """A line that no host would take, of which an expression would take minutes, is told and owns nothing."""
    (tmp_path / "CODEOWNERS").write_text("/a @team\n" + "*" * (MAX_BYTES - 99) + " @all\n", encoding="utf-8")
    result = read_owners(tmp_path)
    assert [(item.line, item.message) for item in result.problems] == [
        (2, f"The line has more than {MAX_LINE_CHARS} characters, so it is ignored.")
    ]
    assert result.of("a") == ("@team",)
    assert result.of("b") == ()
