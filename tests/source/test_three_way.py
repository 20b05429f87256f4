"""The merge of a file that its source and people have changed."""

from __future__ import annotations

import pytest

from xregit.source.three_way import BASE, OURS, THEIRS, edit_text, merge, theirs, unsettled_conflicts

# What people made of the base, the base, what its source made of it; the result, and the conflicts.
CASES = {
    "neighbouring keys": ("a: 2\nb: 1\n", "a: 1\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 2\n", []),
    "keys of one line": ("m: {a: 2, b: 1}\n", "m: {a: 1, b: 1}\n", "m: {a: 1, b: 2}\n", "m: {a: 2, b: 2}\n", []),
    "the same change": ("a: 2\n", "a: 1\n", "a: 2\n", "a: 2\n", []),
    "one key, two values": ("a: 2  # why\nb: 1\n", "a: 1\nb: 1\n", "a: 3\nb: 2\n", "a: 2  # why\nb: 2\n", ["/a"]),
    "a comment on what the source changes": ("# why\na: 1  # so\n", "a: 1\n", "a: 2\n", "# why\na: 2  # so\n", []),
    "one key, added twice": ("m: {x: 1}\n", "{}\n", "m: {x: 2, z: 1}\n", "m: {x: 1, z: 1}\n", ["/m/x"]),
    "removed by the source": ("a: 1\nc: 1\n", "a: 1\nb: 1\nc: 1\n", "c: 1\n", "c: 1\n", []),
    "edited and removed": ("a: 2\nb: 1\n", "a: 1\nb: 1\n", "b: 1\n", "a: 2\nb: 1\n", ["/a"]),
    "removed and edited": ("b: 1\n", "m: {a: 1}\nb: 1\n", "m: {a: 2}\nb: 1\n", "b: 1\n", ["/m"]),
    "a number and a truth": ("a: 1\nb: 2\n", "a: 1\nb: 1\n", "a: true\nb: 1\n", "a: true\nb: 2\n", []),
    "keys with a slash": ("a/b: 2\n", "a/b: 1\n", "a/b: 3\n", "a/b: 2\n", ["/a~1b"]),
    "no mapping": ("- 2\n", "- 1\n", "- 3\n", "- 2\n", [""]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_merge(case: tuple[str, str, str, str, list[str]]) -> None:
    """What one side changed counts, what both did stays ours and is a conflict until it is edited or settled."""
    ours, base, other, merged, pointers = case
    sides = {OURS: ours.encode(), BASE: base.encode(), THEIRS: other.encode()}
    data, conflicts = merge("a.yaml", sides, {})
    assert list(conflicts) == pointers
    assert data.decode() == merged
    # The source says the same again.
    assert unsettled_conflicts("a.yaml", data, conflicts) == conflicts
    assert merge("a.yaml", {**sides, OURS: data, BASE: other.encode()}, conflicts) == (data, conflicts)
    # Somebody takes the source's side.
    settled = edit_text("a.yaml", data, theirs(conflicts))
    assert not unsettled_conflicts("a.yaml", settled, conflicts)
    assert merge("a.yaml", {**sides, OURS: settled}, {})[1] == {}


def test_json_and_texts() -> None:
    """JSON is merged by keys, too, and stays as people have laid it out if it can; other texts are merged by lines."""
    sides = {OURS: b'{"a": 2, "b": 1}', BASE: b'{"a": 1, "b": 1}', THEIRS: b'{"a": 1, "b": 2}'}
    assert merge("a.json", sides, {}) == (b'{\n  "a": 2,\n  "b": 2\n}\n', {})
    sides = {OURS: b'{\n"a": 2,\n\n"b": 1}', BASE: b'{\n"a": 1,\n\n"b": 1}', THEIRS: b'{\n"a": 1,\n\n"b": 2}'}
    assert merge("a.json", sides, {}) == (b'{\n"a": 2,\n\n"b": 2}', {})
    sides = {OURS: b"a\nx\nc\n", BASE: b"a\nb\nc\n", THEIRS: b"a\ny\nc\nd\n"}
    data, conflicts = merge("a.proto", sides, {})
    assert (data, list(conflicts)) == (b"a\nx\nc\nd\n", [""])
    assert edit_text("a.proto", data, theirs(conflicts)) == sides[THEIRS]


@pytest.mark.parametrize("conflicts", [None, 1, [], {"/a": 1}, {"a": {OURS: {"a": 1}}}, {"/a/b": {}, "/b": {OURS: 1}}])
def test_damaged_conflicts_count_for_nothing(conflicts: object) -> None:
    """The file of conflicts may have been edited, and merged, by anybody."""
    assert unsettled_conflicts("a.yaml", b"a: 1\n", conflicts) in ({}, {"/a/b": {}})
    assert unsettled_conflicts("a.json", b"[", conflicts) == {}
