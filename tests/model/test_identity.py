"""What follows from a value, by the value itself and not by what it is equal to."""

from __future__ import annotations

from xregit.model.identity import cache_by_identity


def test_each_value_is_looked_at_once() -> None:
    """Equal mappings are two, and the same one is one."""
    calls: list[int] = []

    @cache_by_identity(2)
    def size(mapping: dict[str, int]) -> int:
        calls.append(id(mapping))
        return len(mapping)

    one, other = {"a": 1}, {"a": 1}
    assert [size(one), size(other), size(one), size(other)] == [1, 1, 1, 1]
    assert calls == [id(one), id(other)]


def test_no_more_values_are_kept_than_stated() -> None:
    """A function that has seen many values forgets them, and a new one is never taken for an old one."""

    @cache_by_identity(2)
    def text(listed: list[int]) -> str:
        return str(listed)

    assert [text([number]) for number in range(100)] == [f"[{number}]" for number in range(100)]
