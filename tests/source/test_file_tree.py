"""Folders to listings, and ids to file names."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.source.file_tree import (
    MAX_FILE_BYTES,
    FileError,
    Listing,
    filename_to_id,
    id_to_filename,
    list_contents,
    list_files,
    read,
)

WINDOWS_REFUSES = frozenset('<>:"/\\|?*')


def _write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def _rules(root: Path) -> dict[str, str]:
    return {problem.path: problem.rule for problem in list_files(root).problems}


def test_a_listing_is_sorted_and_relative(tmp_path: Path) -> None:
    """Files come in the order of their paths, folders are no entries."""
    _write(tmp_path, "b/c.yaml", "b.yaml", "a.yaml", "b/a/x.json")
    (tmp_path / "empty").mkdir()
    assert list_files(tmp_path) == Listing(("a.yaml", "b.yaml", "b/a/x.json", "b/c.yaml"))
    assert read(tmp_path, "b/c.yaml") == b"b/c.yaml"


def test_hidden_files_and_backups_are_passed_over(tmp_path: Path) -> None:
    """What editors and Git leave around is neither a file nor a problem; a folder may end in a tilde."""
    _write(
        tmp_path, ".git/config", ".a.yaml.new", "a.yaml~", "#a.yaml#", "a.yaml.bak", "a.orig", "Thumbs.db", "x~/a.yaml"
    )
    assert list_files(tmp_path) == Listing(("x~/a.yaml",))


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Wherever it leads, a link is a problem, and its target is not read."""
    root = tmp_path / "registry"
    _write(root, "a.yaml", "folder/b.yaml", ".git/token")
    _write(tmp_path, "secret")
    links = {
        "in": "a.yaml", "out": "../secret", "far": "/etc/hostname", "dir": "folder", "gone": "nowhere", "loop": "loop",
        "hidden": ".git/token", "up": "..", "whole": f"{root}/a.yaml", "waivers.yaml": "folder/b.yaml",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    assert list_files(root).files == ("a.yaml", "folder/b.yaml")
    unreadable = dict.fromkeys(("gone", "loop"), "file-unreadable")
    assert _rules(root) == dict.fromkeys(links, "file-link") | unreadable
    for name in ("in", "out", "loop", "../secret", "/etc/hostname", "folder/../../secret", "a\0"):
        with pytest.raises(FileError):
            read(root, name)


def test_pointer_of_git_lfs_is_no_file(tmp_path: Path) -> None:
    """In the checkout it is called one, and the remedy is named."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 151\n"
    (tmp_path / "1.avsc").write_bytes(pointer)
    with pytest.raises(FileError, match=r"a pointer of Git LFS, not the file itself; .*git lfs pull"):
        read(tmp_path, "1.avsc")


def test_a_registry_may_itself_be_reached_through_a_link(tmp_path: Path) -> None:
    """The folder's own name is nobody's business."""
    _write(tmp_path / "real", "a.yaml")
    (tmp_path / "link").symlink_to("real")
    assert list_files(tmp_path / "link").files == ("a.yaml",)
    assert read(tmp_path / "link", "a.yaml") == b"a.yaml"


def test_pipes_devices_and_folders_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a pipe's other end."""
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert _rules(tmp_path) == {"pipe": "file-kind", "socket": "file-kind"}
    (tmp_path / "folder.yaml").mkdir()
    for name, rule in {"pipe": "file-kind", "folder.yaml": "file-kind", "missing": "file-unreadable"}.items():
        with pytest.raises(FileError) as raised:
            read(tmp_path, name)
        assert raised.value.problem.rule == rule
        assert "\n" not in str(raised.value)


def test_large_files_are_not_read(tmp_path: Path) -> None:
    """A limit keeps a stray dump from filling the memory."""
    for name, size in {
        "fits": MAX_FILE_BYTES,
        "large": MAX_FILE_BYTES + 1,
        "dump": 100 * 2**20,
    }.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    assert list_files(tmp_path).files == ("fits",)
    assert [(problem.path, problem.message) for problem in list_files(tmp_path).problems] == [
        ("dump", "the file has about 100 MiB, but at most 8 MiB are read"),
        ("large", "the file has about 9 MiB, but at most 8 MiB are read"),
    ]
    with pytest.raises(FileError, match="8 MiB"):
        read(tmp_path, "large")


def test_what_may_not_be_read_is_a_problem(tmp_path: Path) -> None:
    """A missing folder, a file in its place and a path beyond the system's limits are said, not raised."""
    _write(tmp_path, "file")
    assert _rules(tmp_path / "missing") == {".": "file-unreadable"}
    assert _rules(tmp_path / "file") == {".": "file-unreadable"}
    with pytest.raises(FileError, match="can't be read"):
        read(tmp_path, "x" * 300)


def test_permissions_are_respected(nobodys_folder: Path) -> None:
    """A folder that may not be listed and a file that may not be read are said."""
    _write(nobodys_folder, "closed/a.yaml", "b.yaml")
    (nobodys_folder / "closed").chmod(0)
    (nobodys_folder / "b.yaml").chmod(0)
    assert _rules(nobodys_folder) == {"closed/": "file-unreadable"}
    with pytest.raises(FileError, match="Permission denied"):
        read(nobodys_folder, "b.yaml")
    (nobodys_folder / "closed").chmod(0o700)


def test_repositories_inside_are_not_looked_into(tmp_path: Path) -> None:
    """With a worktree or without one, from disk or memory; half of one is none, nor is its own .git."""
    bare = ("HEAD", "config", "objects/a", "refs/a")
    names = (".git/HEAD", "a/b.yaml", "half/HEAD", "half/refs/x", *(f"a/bare/{name}" for name in bare))
    _write(tmp_path, *names)
    assert _rules(tmp_path) == {"a/bare/": "nested-repository"}
    contents = dict.fromkeys(names, b"")
    assert list_contents(contents) == list_files(tmp_path)
    _write(tmp_path, "module/.git", "module/c.yaml")
    assert _rules(tmp_path) == {"a/bare/": "nested-repository", "module/": "nested-repository"}
    assert list_files(tmp_path).files == ("a/b.yaml", "half/HEAD", "half/refs/x")
    (own := tmp_path / "own").mkdir()
    _write(own, "b.yaml", *bare)
    assert list_contents(dict.fromkeys(("b.yaml", *bare), b"")) == list_files(own)
    assert (_rules(own), len(list_files(own).files)) == ({"objects/": "nested-repository"}, 5)


def test_names_that_no_terminal_should_print_are_problems(tmp_path: Path) -> None:
    """Control characters and bytes that aren't UTF-8 are shown escaped."""
    _write(tmp_path, "a\nb.yaml", "ü.yaml")
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text("x")
    assert list_files(tmp_path).files == ("ü.yaml",)
    assert _rules(tmp_path) == {"a\\nb.yaml": "file-name", "\\udcff.yaml": "file-name"}


@pytest.mark.parametrize(
    ("name", "filename"),
    [
        ("fleet.position", "fleet.position"),
        ("a-b_c~d@e", "a-b_c~d@e"),
        ("urn:x:1", "urn%3Ax%3A1"),
        ("1.0.", "1.0%2E"),
        ("con", "%63on"),
        ("Com1.v2", "%43om1.v2"),
        ("console", "console"),
        ("..", "%2E%2E"),
        ("a%b", "a%25b"),
        ("a/b", "a%2Fb"),
        ("é", "%C3%A9"),
    ],
)
def test_ids_become_names_that_every_file_system_takes(name: str, filename: str) -> None:
    """Only what Windows or POSIX may refuse is percent-encoded."""
    assert id_to_filename(name) == filename
    assert filename_to_id(filename) == name


@given(st.text(min_size=1, max_size=20) | st.from_regex(r"(con|nul|com1|\.+|a\.)[.:%~a]*", fullmatch=True))
def test_names_lead_back_to_ids(name: str) -> None:
    """Every id survives, and its name is safe."""
    filename = id_to_filename(name)
    assert filename_to_id(filename) == name
    assert not WINDOWS_REFUSES & set(filename)
    assert filename[0] != "."
    assert filename[-1] not in ". "
    assert filename.split(".")[0].casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}
