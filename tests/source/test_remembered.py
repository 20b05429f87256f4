"""Files that are remembered are what they would be if they were parsed, whatever became of the memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.synthetic import files
from tests.source.repositories import new_repository
from xregit.catalog import read_contents
from xregit.document import compile_document
from xregit.rules import check
from xregit.source import yaml
from xregit.source.remembered import MAX_FILES, Remembered, blob_id, keep, recall

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = Path("/nowhere/registry")  # in no Git repository, which would take the time
REGISTRY = {path: text.encode() for path, text in files(12)}
SCALARS = [
    "text",
    '"quoted"',
    "1",
    "-0.0",
    "1.10",
    "0x1F",
    "1e3",
    "3" * 30,
    "true",
    "~",
    "",
    "!tag x",
    "&a b",
    "{}",
    "[1, ~]",
]
LINES = st.one_of(
    st.builds(
        "{}: {}".format, st.sampled_from(["name", "description", "labels", "envelope"]), st.sampled_from(SCALARS)
    ),
    st.sampled_from(["  a: b", "- c", "\tx: y", "protocol: KAFKA", "basemessage: /messagegroups/plant0/messages/none"]),
)
TEXTS = st.lists(LINES, max_size=5).map(lambda lines: "\n".join(lines).encode())
# What may happen to the file between two runs.
DAMAGE: list[Callable[[bytes], bytes]] = [
    lambda data: data,
    lambda data: data[: len(data) // 2],
    lambda data: data[:-1] + b"?",
    lambda data: data.replace(b"xregit ", b"xregit 0", 1),
    lambda _: b"",
]
damaged = st.sampled_from(DAMAGE)


def again(remembered: Remembered, damage: Callable[[bytes], bytes] = DAMAGE[0]) -> Remembered:
    """Return what another run recalls."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "values")
        keep(file, remembered)
        if file.exists():
            file.write_bytes(damage(file.read_bytes()))
        return recall(file)


@given(st.lists(TEXTS, max_size=4), damaged)
def test_value_is_that_of_the_text(texts: list[bytes], damage: Callable[[bytes], bytes]) -> None:
    """Parsed, remembered, and recalled in another run, a text has the same value, types and problems."""
    first = Remembered()
    due = [repr(yaml.parse(text)) for text in texts]
    assert [repr(first.parse(text)) for text in texts] == due
    assert [repr(first.parse(text)) for text in texts] == due
    second = again(first, damage)
    assert [repr(second.parse(text)) for text in texts] == due


@given(st.lists(st.tuples(st.sampled_from(sorted(REGISTRY)), TEXTS), min_size=1, max_size=3), damaged)
def test_results_are_the_same_with_and_without(
    edits: list[tuple[str, bytes]], damage: Callable[[bytes], bytes]
) -> None:
    """However a registry is edited after a run, check and document are those of a run that remembers nothing."""
    before = Remembered()
    read_contents(NOWHERE, REGISTRY, parse=before.parse)
    contents = {**REGISTRY, **{path: REGISTRY[path] + b"\n" + text for path, text in edits}}
    found = read_contents(NOWHERE, contents, parse=again(before, damage).parse)
    due = read_contents(NOWHERE, contents)
    assert check(found) == check(due)
    assert compile_document(found) == compile_document(due)


def test_value_may_be_changed() -> None:
    """Whoever gets a value may change it; the next one gets it as it was written."""
    remembered = Remembered()
    for _ in range(3):
        value = remembered.parse(b"a: {b: [c]}\n").value
        assert value == {"a": {"b": ["c"]}}
        value["a"].clear()


def test_ids_are_those_of_git(tmp_path: Path) -> None:
    """A file has the id under which Git keeps it."""
    repository = new_repository(tmp_path / "repository")
    repository.write({"file.yaml": "name: Ä\n"})
    assert blob_id("name: Ä\n".encode()).decode() == repository.git("hash-object", "file.yaml")


def test_only_so_much_is_kept(tmp_path: Path) -> None:
    """What was used last stays; old values, and files of registries that are long gone, make room."""
    for number in range(MAX_FILES + 3):
        remembered = Remembered()
        remembered.parse(b"number: %d\n" % number)
        keep(tmp_path / f"registry{number}", remembered)
    assert len(list(tmp_path.iterdir())) == MAX_FILES
    old = Remembered({blob_id(b"old: 1\n"): b'{"old":1}'})
    old.parse(b"new: 1\n")
    keep(tmp_path / "small", old, max_bytes=60)
    assert list(recall(tmp_path / "small").known.values()) == [b'{"new":1}']


def test_place_that_takes_nothing_is_no_fault(tmp_path: Path) -> None:
    """Where nothing can be kept, nothing is."""
    (tmp_path / "file").touch()
    remembered = Remembered()
    remembered.parse(b"a: 1\n")
    keep(tmp_path / "file" / "values", remembered)
    assert recall(tmp_path / "file" / "values") == Remembered()


@pytest.mark.parametrize("text", [b"a: 1.10\n", b"a: 1\na: 2\n", b"- a\n", b"a: " + b"3" * 30])
def test_what_json_cannot_tell_is_parsed_again(text: bytes) -> None:
    """Numbers that know their text, large integers, and texts with problems are not remembered."""
    remembered = Remembered()
    remembered.parse(text)
    assert not remembered.used
