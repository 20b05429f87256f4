"""The text of a .proto file to its tokens, each with its place and the comments beside it (Protobuf language spec)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xregit.payloads.base import Problem, SchemaError
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]++)
      | (?P<line>\n)
      | (?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\\\n]|\\[^\n])*+')
      | (?P<number>(?:0[xX][0-9a-fA-F]++|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)(?![A-Za-z_]))
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*+)
      | (?P<sign>[{}\[\]()<>;:,=.+/-])
    """,
    re.VERBOSE,
)


@record
class Token:
    """One token, with what the comments before it and behind it on its line say."""

    kind: str
    text: str
    line: int
    column: int
    before: str = ""
    after: str = ""


def tokens(text: str) -> tuple[Token, ...]:
    """Return the tokens of a file, the last one of the kind "end".

    Raises:
        SchemaError: something is no token.
    """
    found: list[Token] = []
    comments: list[str] = []
    for match, line, column in _matches(text):
        kind = str(match.lastgroup)
        if kind == "comment":
            words = _words(match[0])
            if found and found[-1].line == line and not comments:
                last = found[-1]
                found[-1] = Token(last.kind, last.text, last.line, last.column, last.before, words)
            else:
                comments.append(words)
        else:
            found.append(Token(kind, match[0], line, column, " ".join(comments)))
            comments.clear()
    line = text.count("\n") + 1
    found.append(Token("end", "", line, len(text) - text.rfind("\n")))
    return tuple(found)


def _matches(text: str) -> Iterator[tuple[re.Match[str], int, int]]:
    at, line, start = 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise SchemaError(_odd(text, at, line, at - start + 1))
        if match.lastgroup == "line":
            line, start = line + 1, match.end()
        elif match.lastgroup != "space":
            yield match, line, at - start + 1
            line += match[0].count("\n")
            start = at + match[0].rfind("\n") + 1 if "\n" in match[0] else start
        at = match.end()


def _odd(text: str, at: int, line: int, column: int) -> Problem:
    if text.startswith("/*", at):
        return Problem("syntax", "the comment has no end", 'write "*/" behind it', line, column)
    if text[at] in "\"'":
        return Problem("syntax", "the text has no end on its line", f"write {text[at]} behind it", line, column)
    return Problem("syntax", f"{text[at]!a} has no meaning here", "remove it", line, column)


def _words(comment: str) -> str:
    """Return what a comment says, without its signs."""
    inner = comment[2:-2] if comment.startswith("/*") else comment.lstrip("/")
    return " ".join(line.strip().lstrip("*").strip() for line in inner.splitlines()).strip()
