"""Patterns of files name what they always named, and many wildcards take no longer than one."""

from __future__ import annotations

import re

import pytest
from codeowners import path_to_regex
from hypothesis import given
from hypothesis import strategies as st

from tests.steps import steps
from xregit.catalog.codeowners import PatternIndex, codeowners_regex, is_codeowners_pattern, settings_regex

PATHS = st.text("ab/", max_size=12)
FILES = st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=5).map("/".join)
PATTERNS = st.lists(st.sampled_from(["a", "b", "/", "*", "**", "**/", "/**", "?"]), min_size=1, max_size=7).map("".join)


@given(PATTERNS, PATHS)
def test_settings_name_what_plain_expressions_name(pattern: str, path: str) -> None:
    """The same as an expression that tries every way."""
    simple = re.sub(r"\*\*|\*|\?", lambda found: {"**": ".*", "*": "[^/]*", "?": "[^/]"}[found[0]], pattern.rstrip("/"))
    assert bool(settings_regex(pattern).fullmatch(path)) == bool(re.fullmatch(f"{simple}(?:/.*)?", path, re.DOTALL))


@given(PATTERNS | st.sampled_from(["/[ab]/*", "\\a*", "a[b", "[a]b?", "*.a"]), PATHS)
def test_owners_are_those_of_the_reference(pattern: str, path: str) -> None:
    """The same as the library that reads CODEOWNERS says, where it takes the pattern."""
    try:
        reference = path_to_regex(pattern)
    except ValueError:
        return
    assert bool(codeowners_regex(pattern).search(path)) == bool(reference.search(path))


@given(st.lists(PATTERNS | st.sampled_from(["/[ab]/*", "\\a*", "a/", "/a/", "/b", "/a/b", "b"]), max_size=5), FILES)
def test_last_owner_is_that_of_one_pattern_after_another(patterns: list[str], path: str) -> None:
    """Patterns that are looked up, or left out, by what they begin with are those that name the path."""
    naming = [number for number, pattern in enumerate(patterns) if codeowners_regex(pattern).search(path)]
    assert max(naming, default=-1) == PatternIndex(patterns).last_match(path)


@pytest.mark.parametrize(("pattern", "is_one"), [("/a[b", False), ("a[]", False), ("a[bc]/", True), ("/a\\[b", True)])
def test_brackets_are_closed(pattern: str, is_one: bool) -> None:
    """What begins a set of characters ends it, and has some."""
    assert is_codeowners_pattern(pattern) == is_one


def test_many_patterns_take_linear_steps() -> None:
    """Reading the lines of a file and looking a path up take steps in proportion to the number of lines."""

    def work(count: int) -> tuple[int, int]:
        patterns = [f"/registry/messagegroups/group{number}/{'*' * (number % 2)}" for number in range(count)]
        index = PatternIndex(patterns)
        return (
            steps(lambda: PatternIndex([item for item in patterns if is_codeowners_pattern(item)]), 100 * count),
            steps(lambda: index.last_match("registry/messagegroups/group77/messagegroup.yaml"), 100 * count),
        )

    for half, whole in zip(work(2_000), work(4_000), strict=True):
        assert whole < 2.2 * half


@pytest.mark.parametrize("wildcard", ["*", "**", "**/", "/**/*"])
def test_many_wildcards_end(wildcard: str) -> None:
    """What never fits ends; an expression that goes back would try all ways not to fit for years."""
    pattern, path = f"{wildcard}a" * 30 + "!", "a" * 250 + "/a" * 1000
    assert not settings_regex(pattern).fullmatch(path)
    assert not codeowners_regex(pattern).search(path)
