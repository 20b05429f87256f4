"""The canonical form of YAML files: what stays, what changes, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.source.values import texts as keys
from tests.source.values import values
from xregit.source import yaml_loader
from xregit.source.yaml_emitter import to_yaml
from xregit.source.yaml_formatter import UnformattableError, format_yaml

CASES = pyyaml.safe_load((Path(__file__).parent / "cases" / "formatting.yaml").read_text(encoding="utf-8"))

WORDS = st.sampled_from(
    ["a", "b c", "'d'", '"e: f"', "1.10", "true", "null", "~", "", "https://x/{y}", "x#y", "[]", "{}"]
)
COMMENTS = st.sampled_from(["", "", "", "  # why", " #x", "\t# tab"])
LINES = st.sampled_from(["", "", "", "\n", "\n\n", "# above\n", "\n# apart\n\n", "   # deep\n"])
BLOCKS = st.sampled_from(
    [
        "|\n{}one\n{}  two\n",
        ">-\n{}one\n{}two\n\n{}three\n",
        "|+\n{}one\n\n\n",
        "[x, 'y',\n{}z]\n",
        "{{p: 1,\n{}q: {{r: s}}}}\n",
    ]
)


@st.composite
def texts(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> str:
    """Draw a mapping as all sorts of people might write it."""
    lines = []
    step = draw(st.integers(1, 5))
    for number in range(draw(st.integers(1, 3))):
        pad = " " * indent
        lines.append(draw(LINES).replace("# above", f"{pad}# above").replace("# apart", f"{pad}# apart"))
        key = f"{pad}k{number}:"
        kind = draw(st.integers(0, 5)) if depth < 3 else 0
        if kind < 3:
            lines.append(f"{key} {draw(WORDS)}{draw(COMMENTS)}\n")
        elif kind == 3:
            lines.append(f"{key} {draw(BLOCKS).replace('{}', pad + ' ' * step).replace('{{', '{').replace('}}', '}')}")
        elif kind == 4:
            lines.append(f"{key}{draw(COMMENTS)}\n{draw(texts(indent + step, depth + 1))}")
        else:
            items = [
                f"{pad}- {draw(WORDS)}{draw(COMMENTS)}\n",
                f"{pad}-   {draw(texts(indent + 4, depth + 1)).lstrip()}",
            ]
            lines.append(f"{key}{draw(COMMENTS)}\n" + "".join(items))
    return "".join(lines) + draw(LINES)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_text_gets_its_canonical_form(case: dict[str, str]) -> None:
    """And keeps it."""
    assert format_yaml(case["text"].encode()).decode() == case["canonical"]
    assert format_yaml(case["canonical"].encode()).decode() == case["canonical"]


@given(texts())
@example("k0: a\n")
def test_values_and_comments_stay_and_twice_is_as_once(text: str) -> None:
    """Whatever people write that can be read."""
    if yaml_loader.parse_mapping(text.encode()).problems:
        return
    once = format_yaml(text.encode())
    assert format_yaml(once) == once
    assert repr(yaml_loader.parse(once).value) == repr(yaml_loader.parse(text.encode()).value)
    assert once.count(b"#") == text.encode().count(b"#")


@given(st.dictionaries(keys().filter(lambda key: len(key) < 500), values(), max_size=4))
def test_what_we_write_ourselves_is_canonical(value: dict[str, Any]) -> None:
    """An import and a format agree."""
    text = to_yaml(value).encode()
    assert format_yaml(text) == text


@pytest.mark.parametrize("text", [b"- a\n", b"", b"a: &x b\n", b"a: [\n", b"\xff", b"a: !!str b\n"])
def test_what_cannot_be_read_is_not_formatted(text: bytes) -> None:
    """The fault is named instead."""
    with pytest.raises(UnformattableError):
        format_yaml(text)


def test_the_example_catalog_is_canonical(root: Path) -> None:
    """We keep to what we ask of others."""
    paths = sorted((root / "registry").rglob("*.yaml"))
    assert paths
    for path in paths:
        data = path.read_bytes()
        assert format_yaml(data) == data, path
