"""What `route` says of a run: where rows went, in a line that can be read."""

from __future__ import annotations

from xregit.cli.spark import MAX_LISTED, row_counts


def test_each_table_of_a_few_is_told() -> None:
    """They stand in the order of their names."""
    assert row_counts({"unmatched": 2, "fleet__position": 1000}) == "fleet__position 1,000, unmatched 2"
    assert row_counts({}) == "nothing new"


def test_of_many_tables_the_largest_are_told_and_what_was_not_recognised() -> None:
    """The others are counted."""
    rows = {f"table{number:05}": number for number in range(10_000)} | {"unmatched": 1}
    line = row_counts(rows)
    names = [f"table{number:05} {number:,}" for number in range(10_001 - MAX_LISTED, 10_000)]
    rest = f" and {10_001 - MAX_LISTED:,} more tables: {sum(rows.values()):,} rows in all"
    assert line == ", ".join([*names, "unmatched 1"]) + rest
