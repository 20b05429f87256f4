"""What Git says about files, in one pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.errors import XregitError
from xregit.source.commit_log import FileChange, FileHistory, History, parse, read
from xregit.source.repository import GitFailureError, merge_base, read_files, resolve_commit

LONG = "some lines\nthat stay\nthe same when\na file is renamed\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return an empty repository, out of reach of the user's configuration and of a hook that runs the tests."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return new_repository(tmp_path / "repository")


def test_epoch_and_times_come_from_the_commits_of_a_file(repository: Repository) -> None:
    """The committer's time counts, in UTC; an empty commit touches nothing."""
    first = repository.commit("one", a="1", b="1")
    second = repository.commit("two", a="2")
    last = repository.commit("")
    known = read(repository.root)
    assert (known.repository, known.head, known.head_time) == (repository.root, last, "2023-11-14T22:15:20Z")
    assert (known.shallow, known.reason) == (False, "")
    assert known.of("a") == FileHistory(2, "2023-11-14T22:13:20Z", "2023-11-14T22:14:20Z", (second, first))
    assert known.of("b") == FileHistory(1, "2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z", (first,))
    assert [(commit.subject, commit.author) for commit in known.commits] == [
        ("", "Ada"),
        ("two", "Ada"),
        ("one", "Ada"),
    ]
    assert known.commits[1].files == (FileChange("M", "a"),)


def test_a_file_that_was_never_committed_has_the_time_of_head(repository: Repository, tmp_path: Path) -> None:
    """Without any commit it is the beginning of time, so that nothing depends on a clock."""
    repository.commit("one", a="1")
    assert read(repository.root).of("new") == FileHistory(1, "2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z")
    assert read(tmp_path).of("new") == FileHistory(1, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z")


def test_renames_are_followed(repository: Repository) -> None:
    """A file keeps its history through two renames; what took its old name begins anew."""
    one = repository.commit("one", a=LONG)
    repository.git("mv", "a", "b")
    two = repository.commit("two")
    three = repository.commit("three", a="something quite different")
    repository.git("mv", "b", "c")
    four = repository.commit("four", c=LONG + "one more\n")
    known = read(repository.root)
    assert known.of("c").commits == (four, two, one)
    assert known.of("a").commits == (three,)
    assert known.commits[0].files == (FileChange("R", "c", "b"),)


def test_what_a_branch_did_to_an_old_name_counts(repository: Repository) -> None:
    """A change made beside a rename, and merged later, belongs to the renamed file."""
    one = repository.commit("one", a=LONG)
    repository.git("branch", "side")
    repository.git("mv", "a", "b")
    two = repository.commit("two")
    repository.git("checkout", "-q", "side")
    three = repository.commit("three", a=LONG + "more\n")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-edit", "side")
    known = read(repository.root)
    assert set(known.of("b").commits) == {one, two, three}
    assert known.of("b").epoch == 3
    assert "a" not in known.files


def test_a_merge_touches_what_nobody_had_written_so(repository: Repository) -> None:
    """A conflict that is resolved counts, and so do edits, names and removals that come with the merge alone."""
    one = repository.commit("one", a="1\n", b="b\n", c="c\n", gone="x\n")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit("side", a="side\n", b="b of side\n", d=LONG)
    repository.git("checkout", "-q", "main")
    two = repository.commit("two", a="main\n")
    repository.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    (repository.root / "gone").unlink()
    merge = repository.commit("merge", a="both\n", b="b of side\n", renamed=LONG)
    known = read(repository.root)
    assert known.commits[0].files == (FileChange("M", "a"), FileChange("D", "gone"), FileChange("A", "renamed"))
    assert known.of("a").commits == (merge, two, side, one)
    assert known.of("renamed").commits == (merge,)
    assert (known.of("b").commits, known.of("c").commits) == ((side, one), (one,))


def test_a_file_that_came_back_keeps_its_first_life(repository: Repository) -> None:
    """As ``git log`` of its path would say."""
    one = repository.commit("one", a="x")
    (repository.root / "a").unlink()
    two = repository.commit("two")
    three = repository.commit("three", a="y")
    assert read(repository.root).of("a").commits == (three, two, one)


@pytest.mark.parametrize("name", ['ü "q".yaml', "a\nb", "\x01x", "M", "tab\there", os.fsdecode(b"\xff")])
def test_odd_names_are_names(repository: Repository, name: str) -> None:
    """Nothing in a path is mistaken for Git's own words."""
    repository.write({"before": "1"})
    (repository.root / name).write_text(LONG)
    one = repository.commit("a subject\x01 with \U0001f600")
    (repository.root / name).rename(repository.root / (name + "2"))
    two = repository.commit("two")
    known = read(repository.root)
    assert known.of(name + "2").commits == (two, one)
    assert read_files(repository.root, one)[name] == LONG.encode()


def test_the_end_of_a_shallow_clone_is_not_a_beginning(repository: Repository, tmp_path: Path) -> None:
    """What ends there is marked; what lies above it is known."""
    repository.commit("one", a="1", b="1", new="")
    repository.commit("two", a="2")
    (repository.root / "new").unlink()
    repository.commit("three", b="2")
    repository.commit("four", new="1")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth=3", repository.root.as_uri(), str(clone))
    known = read(clone)
    assert known.shallow
    assert [(path, known.of(path).epoch, known.of(path).complete) for path in "ab"] == [
        ("a", 1, False),
        ("b", 2, False),
    ]
    assert [len(commit.files) for commit in known.commits] == [1, 2, 0]


def test_a_folder_inside_is_in_the_repository(repository: Repository) -> None:
    """Paths are always relative to the repository, wherever reading starts, and in a linked work tree too."""
    repository.commit("one", registry__a="1")
    repository.git("worktree", "add", "-q", "../tree")
    for folder in (repository.root / "registry", repository.root.parent / "tree" / "registry"):
        assert read(folder).of("registry/a").epoch == 1


def test_the_users_configuration_changes_nothing(repository: Repository) -> None:
    """The same commit says the same everywhere."""
    repository.commit("one", sub__a=LONG, b="1")
    repository.git("mv", "sub/a", "sub/c")
    repository.commit("two")
    before = read(repository.root / "sub")
    others = repository.root.parent / "mailmap"
    others.write_text("Another <another@example.com> <ada@example.com>\n", encoding="utf-8")
    for name, value in {
        "diff.renames": "false", "diff.renameLimit": "1", "diff.relative": "true", "log.showSignature": "true",
        "log.date": "relative", "log.decorate": "full", "i18n.logOutputEncoding": "latin1", "core.quotePath": "true",
        "color.ui": "always", "log.follow": "true", "format.pretty": "oneline", "diff.noprefix": "true",
        "log.showRoot": "false", "diff.orderFile": "nowhere", "mailmap.file": str(others),
    }.items():  # fmt: skip
        repository.git("config", name, value)
    assert read(repository.root / "sub") == before


@pytest.mark.parametrize("case", ["missing", "outside", "no commits", "bare", "copy"])
def test_without_a_usable_repository_there_is_a_reason(repository: Repository, tmp_path: Path, case: str) -> None:
    """Nothing raises; the reason is one line."""
    folder, words = tmp_path / case, "not in a Git repository"
    if case == "outside":
        folder.mkdir()
    elif case == "no commits":
        folder, words = repository.root, "no commits yet"
    elif case == "bare":
        repository.git("init", "-q", "--bare", str(folder))
    elif case == "copy":  # of a worktree alone, as into a container
        folder.mkdir()
        (folder / ".git").write_text("gitdir: /nowhere/.git/worktrees/a\n")
        words = "does not lead to a Git repository"
    known = read(folder)
    assert words in known.reason
    assert known == History(reason=known.reason)
    assert "\n" not in known.reason


@pytest.mark.parametrize(
    ("file", "content"),
    {"refs/heads/main": b"0" * 39 + b"1\n", "config": b"no section\n", "shallow": b"\xff\n"}.items(),
)
def test_damaged_repository_is_an_error(repository: Repository, file: str, content: bytes) -> None:
    """It could hide commits, so that a document with wrong epochs were published."""
    repository.commit("one", a="1")
    (repository.root / ".git" / file).write_bytes(content)
    with pytest.raises(GitFailureError, match=r"Git failed: [^\n]+$"):
        read(repository.root)


@pytest.mark.parametrize("command", ["rev-parse", "log", "cat-file", "merge-base", "ls-tree"])
@pytest.mark.parametrize("answer", ["kill -9 $$", "echo garbage"])
def test_git_that_breaks_off_is_an_error(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, answer: str
) -> None:
    """No answer is taken for an empty one: without history each epoch would be 1, without files nothing compared."""
    repository.commit("one", a="1")
    script = f'#!/bin/sh\ncase " $* " in *" {command} "*) {answer};; *) exec {which("git")} "$@";; esac\n'
    (tmp_path / "git").write_text(script, encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(XregitError, match=r"signal 9|unexpected output|has no commit") as error:
        read_files(repository.root, merge_base(repository.root, read(repository.root).head))
    assert "\n" not in str(error.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_someone_else_has_a_reason(repository: Repository) -> None:
    """Git refuses to read it, and the way out is named."""
    repository.commit("one", a="1")
    for path in (repository.root, repository.root / ".git"):
        os.chown(path, 65534, 65534)
    with pytest.raises(XregitError, match=f'"git config --global --add safe.directory {repository.root}" lets Git'):
        read(repository.root)  # a document would have wrong epochs
    for question in (resolve_commit, merge_base, read_files):
        with pytest.raises(XregitError, match=r"can't be read: .* belongs to another user; .*safe\.directory"):
            question(repository.root, "HEAD")


def test_repository_of_a_newer_git_is_an_error(repository: Repository) -> None:
    """The extension that this Git does not know is named."""
    repository.commit("one", a="1")
    repository.git("config", "core.repositoryformatversion", "1")
    repository.git("config", "extensions.fromthefuture", "yes")
    with pytest.raises(XregitError, match='does not support repositories with "fromthefuture"; install a newer one'):
        read(repository.root)


def test_without_git_there_is_a_reason(tmp_path: Path) -> None:
    """A machine without Git can still check a catalog."""
    code = (
        "from pathlib import Path; from xregit.source import commit_log, repository\n"
        "print(commit_log.read(Path('.')).reason)\n"
        "try: repository.read_files(Path('.'), 'HEAD')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parents[2] / "tools"), "PATH": str(tmp_path)}
    process = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    reason = "Git is not installed, or not on PATH"
    assert process.stdout.splitlines() == [reason, f"RepositoryError {reason}"]


def test_the_log_may_be_empty_or_hold_strange_times() -> None:
    """Times beyond year 9999 are cut, bytes that aren't UTF-8 are replaced."""
    assert list(parse(b"")) == []
    (commit,) = parse(b"\x01abc\x00def 012\x00999999999999999\x00\xff\x00x\x00\nM\x00a\x00\x00T\x00b\x00")
    assert (commit.time, commit.author) == ("9999-12-31T23:59:59Z", "\ufffd")
    assert commit.files == (FileChange("M", "a"), FileChange("T", "b"))
    assert commit.parents == ("def", "012")
