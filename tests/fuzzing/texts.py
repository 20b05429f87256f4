"""Readers of texts: YAML, JSON, Git's log, CODEOWNERS and the Markdown of descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.source.values import NASTY
from xregit.catalog.codeowners import PLACES, Owners
from xregit.pages import prose as markdown
from xregit.source import json_loader as json_source
from xregit.source import yaml_loader as yaml_source
from xregit.source.commit_log import file_histories, parse
from xregit.source.directives import directives
from xregit.source.parse_result import UTF8_BOM
from xregit.source.yaml_formatter import UnformattableError, format_yaml
from xregit.source.yaml_loader import PARSER, survey

ROOT = Path(__file__).parents[2]
_ACTIVE = re.compile(
    r"<\s*(?:script|style|img|svg|iframe|object|embed|form|input|meta|link|base)\b|<[^>]*\son\w+\s*=", re.IGNORECASE
)


def yaml(data: bytes) -> None:
    """Read YAML, in the fast way and the slow one: each key of one that has no problems has a place."""
    parsed = yaml_source.parse(data)
    slowly = survey(data.removeprefix(UTF8_BOM), PARSER)
    assert (repr(parsed.value), parsed.problems, parsed.plain) == (repr(slowly.value), slowly.problems, slowly.plain)
    places = yaml_source.positions(data)
    yaml_source.parse_mapping(data)
    directives(data)
    if isinstance(parsed.value, dict) and not parsed.problems:
        assert all(places.span((key,)).line for key in parsed.value)
    _formatted(data)


def _formatted(data: bytes) -> None:
    """Format YAML: twice is the same as once, and the values stay."""
    try:
        once = format_yaml(data)
    except UnformattableError:
        return
    assert format_yaml(once) == once
    assert repr(yaml_source.parse(once).value) == repr(yaml_source.parse(data).value)


def json(data: bytes) -> None:
    """Read JSON, and find the places of what is in it."""
    parsed = json_source.parse(data)
    places = json_source.positions(data)
    if isinstance(parsed.value, dict) and not parsed.problems:
        assert all(places.span((key,)).line for key in parsed.value)


def log(data: bytes) -> None:
    """Read what Git's log prints, which holds what anyone may write into names and subjects of commits."""
    kept = tuple(parse(_as_git_prints(data)))
    file_histories(kept, frozenset())


def _as_git_prints(data: bytes) -> bytes:
    """Return a log with these bytes as the texts in it, as Git itself sees to the rest."""
    texts = [text.replace(b"\0", b"") for text in data.split(b"\n")] + [b"", b"", b""]
    head = b"\x01" + b"a" * 40 + b"\0" + b"b" * 40 + b"\x001700000000\0" + texts[0] + b"\0" + texts[1] + b"\0\n"
    files = b"".join(b"M\0" + (name or b"x") + b"\0" for name in texts[2:])
    return head + files + b"R100\0" + (texts[2] or b"x") + b"\0y\0"


def owners(data: bytes) -> None:
    """Read CODEOWNERS, and ask who owns something."""
    result = Owners(PLACES[0], data.decode(errors="replace"))
    assert result.usable or result.problems
    result.of("registry/messagegroups/fleet/messages/fleet.position.yaml")


def prose(data: bytes) -> None:
    """Render a description: nothing in it acts."""
    text = data.decode(errors="replace")
    html = str(markdown.prose(text, lambda link: link if link.startswith("https://") else ""))
    assert not _ACTIVE.search(html), html
    assert "javascript:" not in re.sub(r">[^<]*", ">", html).casefold(), html
    markdown.summary(text)
    markdown.plain(text)


def yaml_seeds() -> Iterator[bytes]:
    """Give the files of the example catalog and every text that YAML readers stumble over."""
    for path in sorted((ROOT / "registry").rglob("*.yaml"))[::6]:
        yield path.read_bytes()
    for text in NASTY:
        yield f"a: {text}\nb:\n- {text}\n".encode()
        yield f"? {text}\n: |\n  {text}\n# {text}\n".encode(errors="replace")


def json_seeds() -> Iterator[bytes]:
    """Give a schema, and JSON with all kinds of values."""
    yield b'{"a": [1, -0.5e3, true, null, "\\u00e9\\n"], "a": {}, "b": [[], {}]}'
    yield from (path.read_bytes() for path in sorted((ROOT / "registry").rglob("*.json"))[:8])


def log_seeds() -> Iterator[bytes]:
    """Give names, subjects and paths."""
    yield b"Ada\nA subject\na/b.yaml\nc\n"
    yield b"\x01\nR100\n\x01\nM\nA\n"


def owners_seeds() -> Iterator[bytes]:
    """Give files as both Git hosts take them."""
    yield b"* @a/b\n/registry/ @c d@e.f # remark\n**/messages/*.yaml @g\n"
    yield b"[Section][2] @a\n^[Optional]\nregistry\\ x/ @b\n*.md\n"


def prose_seeds() -> Iterator[bytes]:
    """Give Markdown, good and bad."""
    yield b"# A\n\nSome *text* with [a link](https://example.com) and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    yield b'<script>alert(1)</script>\n\n<a href="javascript:alert(1)" onclick=x>a</a>\n\n[a](javascript:x)\n'
    yield b"1. a\n\n    ```\n    x\n    ```\n\n* b\n  > c\n"
