"""Random JSON values, with the texts that YAML readers stumble over."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NASTY = (
    "", " ", "no", "NO", "on", "y", "true", "True", "null", "~", "1", "1.0", "1.10", "012", "0x1F", "0o17", "1_000",
    "12:30:45", "190:20:30", "2024-01-01", "2024-01-01T00:00:00Z", "1e3", "-1", "+1", "-", "- a", "--- a", "...",
    ".5", ".inf", "-.INF", ".nan", "<<", "=", "=a", "? a", ":", "a:", "a: b", ":a", "a #b", "#a", "a#b", "{a}",
    "{vin}/x", "a/{vin}", "[a]", "a, b", "&a", "*a", "!a", "!!str a", "|", ">", ">-", "'", '"', "it's", 'say "hi"',
    "\\", "a\\nb", "%a", "@a", "`a`", "a\tb", "\ta", "a\t", " a", "a ", "\n", "\n\n", "a\n", "a\n\n", "a\n\n\n",
    "\na", "\n\na\n", " a\nb", "a\n b\n", "a\n\tb", "\ta\nb", "a \nb", "a\n \nb", "a\n  ", "a\r\nb", "a\rb",
    "a\x00b", "\x07", "\x7f", "\x85", "a\u2028b", "\u2029", "\ufeff", "\xa0", "é", "°C", "日本語", "😀", "\ufffe",
    "x" * 130, "word " * 40, "word  two " * 20, "#" + " long" * 30, "a: b " * 30, "\xa0 a" * 60,
    "héllo wörld " * 12 + "end", "https://example.com/" + "a/" * 60, "\n".join(["line"] * 5), "k" * 1100,
)  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    """Return texts, nasty ones first."""
    return st.sampled_from(NASTY) | st.text(max_size=12) | st.text(alphabet=" \n\ta#:-'\"{é", max_size=25)


def leaves() -> st.SearchStrategy[Any]:
    """Return single JSON values."""
    numbers = st.integers(min_value=-(10**38), max_value=10**38) | st.floats(allow_nan=False, allow_infinity=False)
    return st.none() | st.booleans() | numbers | texts()


def values() -> st.SearchStrategy[Any]:
    """Return JSON values of some depth."""
    return st.recursive(
        leaves(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts(), inner, max_size=4),
        max_leaves=25,
    )


def mappings() -> st.SearchStrategy[dict[str, Any]]:
    """Return JSON objects."""
    return st.dictionaries(texts(), values(), max_size=5)
