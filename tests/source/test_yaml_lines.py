"""Ordinary YAML line by line: whatever it reads, libyaml reads as the same value and without a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xregit.source import yaml_lines
from xregit.source.events import PARSER
from xregit.source.yaml_lines import NotOrdinaryError
from xregit.source.yaml_survey import survey

if TYPE_CHECKING:
    from pathlib import Path

ORDINARY = [
    "a: 1\nb: two words\n",
    "# first\na:\n  # inside\n  b: true\n\n  c:\nd: null\n",
    "a:\n- 1\n- 2\nb:\n  - c: x\n    d: y\n  -   e: z\n      f:\n      - g\n",
    "a: >-\n  one\n  two\n\n  three\nb: |\n  one\n   # no comment\n\n\nc: >\n  x\n",
    "a: \"\"\nb: 'x: y #z'\n\"1.0\": 1.10\n$ref: '#/a'\n",
    "a: [b, true, 1]\nb: []\nc: http://example.com/a#b\n",
    "a: [\"b: c\", 'd, e', /f/g, two words]\nb: [x]\nc: [x]\n",
    "a: {b: c, d: \"{e}\", f: true, g: 1, $h: 'i: j'}\nb: {}\nc: {b: 1}\nd: {b: 1}\n",
    "a:\n  - {name: b, value: application/json+c}\n  - {}\n",
    "{}\n",
]
OTHERS = [
    "",
    "# only\n",
    "a: b",
    "a: b\r\n",
    "a: &x b\n",
    "a: !t b\n",
    "a: b # c\n",
    "a: b\n  c\n",
    "a: b\na: c\n",
    "a: {b: c, b: d}\n",
    "a: {b: c,}\n",
    "a: {b: [c]}\n",
    "a: {b: {c: d}}\n",
    "a: {b: 1.10}\n",
    "a: {b:c}\n",
    "a: {b: }\n",
    "a: {b}\n",
    "a: {b: c: d}\n",
    "a: {b: c #d}\n",
    'a: {b: "c\\n"}\n',
    "a: {b: c\n  }\n",
    "a: [b,\n  c]\n",
    "a: [1.10]\n",
    "a: >\n  b\x07\n",
    "# \x07\na: b\n",
    "{}\n{}\n",
    "a:\n- \n",
    "a:\n- \n  b\n- c: d\n",
    'a: "\\n"\n',
    "- a\n",
    "a: - b\n",
    "a: b: c\n",
    "a:\n  b: c\n d: e\n",
    "a: >\n  b\n   c\n",
    "a: >\n",
    "a: |\n\n  b\n",
    "a: |\n  b\n \n   \n",
    "---\na: b\n",
    "a:\tb\n",
    "a: \x07\n",
    "".join(f"{' ' * level}a:\n" for level in range(60)),
]
BEGINNINGS = st.tuples(st.integers(0, 6), st.sampled_from(["", "", "- ", "-  "]))
KEYS = st.sampled_from(["a: ", "b:", "c:  ", "$d: ", '"e": ', "'f': ", "g :", ""])
VALUES = st.sampled_from(
    ["x", "x y", "1.0", "~", "'x'", '"x"', "[x, 1]", "[1.0]", ">-", ">", "|", "|-", "-x", "x:", ": x", "{a: x, b: 1}"]
)
# What may stand between brackets and braces, and what may not.
WORDS = st.sampled_from(["a", "a b", "1", "1.10", "true", "null", "/g", "h/i+j", '"c"', "'d, e'", '"f: {g}"'])
OTHER_WORDS = st.sampled_from(["", " ", "a:", "k:l", "m #n", "o#", '"p', "q ", "{}", "[r]", "é", "-1", "~", "*s"])
MEMBERS = st.builds(str.__add__, st.sampled_from(["", "a: ", "b: ", "$c:  ", "'d': ", "e:"]), WORDS | OTHER_WORDS)
ITEMS = st.lists(WORDS | MEMBERS, max_size=4)
IN_ONE_LINE = st.builds(
    lambda signs, items, between: signs[0] + between.join(items) + signs[1],
    st.sampled_from(["{}", "[]"]),
    ITEMS,
    st.sampled_from([", ", ", ", ",", " ,"]),
)
LINES = st.builds(
    lambda beginning, key, value: " " * beginning[0] + beginning[1] + key + value,
    BEGINNINGS,
    KEYS,
    VALUES | IN_ONE_LINE,
)
TEXTS = st.lists(LINES | st.text(" \t-:#'\"[]{}>|&*!?%@`,.\\ab1é\n", max_size=8) | st.just(""), max_size=8).map(
    "\n".join
)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_read(text: str) -> None:
    """What files of a catalog are made of needs no other reader."""
    value, plain = yaml_lines.mapping(text)
    due = survey(text.encode(), PARSER)
    assert repr((value, plain, ())) == repr((due.value, due.plain, due.problems))


@pytest.mark.parametrize("text", OTHERS)
def test_other_text_is_left_to_others(text: str) -> None:
    """What is wrong, or only unusual, isn't judged here."""
    with pytest.raises(NotOrdinaryError):
        yaml_lines.mapping(text)


@given(TEXTS.map(lambda text: text + "\n"))
@settings(max_examples=500, deadline=None)
def test_whatever_is_read_is_read_as_others_do(text: str) -> None:
    """No text has another value here than for libyaml, or a value where libyaml finds fault."""
    assert_same(text)


@given(st.lists(IN_ONE_LINE, min_size=1, max_size=3))
@settings(max_examples=500, deadline=None)
def test_lists_and_mappings_in_one_line_are_read_as_others_do(values: list[str]) -> None:
    """The same holds for what stands between brackets and braces."""
    assert_same("".join(f"k{place}: {value}\n" for place, value in enumerate(values)))


@given(st.data())
@settings(deadline=None)
def test_changed_lines_are_read_as_others_do(data: st.DataObject) -> None:
    """The same holds for ordinary texts with a line put in, taken out or set off."""
    lines = data.draw(st.sampled_from(ORDINARY)).split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        with_it = data.draw(LINES | st.just("") | st.just(" " + lines[place]) | st.just(lines[place][1:]))
        lines[place : place + data.draw(st.integers(0, 1))] = [with_it]
    assert_same("\n".join(lines))


def test_what_is_read_twice_is_not_the_same_object() -> None:
    """Lines are remembered, but who changes a list or mapping changes no other file's."""
    text = "a: [b]\nc: {d: e}\n"
    first, _ = yaml_lines.mapping(text)
    first["a"].append("x")
    first["c"]["d"] = "x"
    assert yaml_lines.mapping(text)[0] == {"a": ["b"], "c": {"d": "e"}}


def test_few_lines_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than a number of lines is remembered, and what is forgotten is looked at again."""
    memories: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, memory in zip(("_lines", "_heads"), memories, strict=True):
        monkeypatch.setattr(yaml_lines, name, memory)
    monkeypatch.setattr(yaml_lines, "REMEMBERED_LINES", 2)
    for text in ORDINARY + ORDINARY:
        assert_same(text)
        assert [len(memory) <= 2 for memory in memories] == [True, True]
    assert all(memories)


def test_the_example_catalog_is_ordinary(root: Path) -> None:
    """Nearly all files that people wrote are read here, as others read them."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / "registry").rglob("*.yaml"))]
    assert sum(map(assert_same, texts)) > 0.95 * len(texts)


def assert_same(text: str) -> bool:
    """Tell whether a text is read here; if it is, then as libyaml does."""
    try:
        value, plain = yaml_lines.mapping(text)
    except (NotOrdinaryError, ValueError):
        return False
    due = survey(text.encode(), PARSER)
    assert repr((value, plain, ())) == repr((due.value, due.plain, due.problems))
    return True
