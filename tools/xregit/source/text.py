"""Records that every text reader shares: what was read, what is wrong in the text, and where each value stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DEPTH = 100
MAX_INTEGER_DIGITS = 40
UTF8_BOM = b"\xef\xbb\xbf"
NOWHERE = Span()
CONFLICT_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_CONFLICT = r"(?m)^(?:<{7}|\|{7}|>{7})(?: [^\r\n]*)?\r?$"  # as Git writes them


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file's text at one place, and what to do about it."""

    rule: str
    message: str
    help: str
    span: Span


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value that a file's text stands for; None, with at least one problem, where the text can't be read.

    A value that comes with problems is what could be read around them. ``plain`` says that it contains at least
    one ``PlainInt`` or ``PlainFloat``.
    """

    value: Any
    problems: tuple[Problem, ...] = ()
    plain: bool = False


@dataclass(slots=True)
class Spot:
    """Where one value and its key stand, and the same of everything inside it."""

    key: Span
    value: Span = NOWHERE
    inside: dict[str | int, Spot] = field(default_factory=dict)

    def mark(self) -> Span:
        """Return a short stretch that stands for the value: its key, else its first part, else itself."""
        if self.key.line:
            return self.key
        first = next(iter(self.inside.values()), None)
        return first.mark() if first else self.value


@dataclass(frozen=True, slots=True)
class Positions:
    """Where the parts of one file's value stand in its text."""

    root: Spot

    def span(self, path: Sequence[str | int], on_key: bool = False) -> Span:  # noqa: FBT002 - callers hand a finding's flag over
        """Return where the value at the path stands, or its key; for an unknown path its nearest known ancestor."""
        spot = self.root
        for part in path:
            inner = spot.inside.get(part)
            if inner is None:
                return spot.mark()
            spot = inner
        return spot.mark() if on_key else spot.value


def encoding_problem(data: bytes, rule: str) -> Problem | None:
    """Return a problem that names the first byte that isn't UTF-8, or None."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        message = f"the byte 0x{data[error.start]:02X} is not UTF-8"
        return Problem(rule, message, "save the file as UTF-8", character_span(data[: error.start].decode()))
    return None


def conflict_problem(data: bytes, rule: str) -> Problem | None:
    """Return a problem that names the first line by which Git marks the two sides of a conflict, or None."""
    text = data.decode(errors="replace")
    found = re.search(_CONFLICT, text)
    if not found:
        return None
    message = "a merge left both sides of a conflict here"
    advice = 'keep what is right, and remove the lines that begin with "<<<<<<<", "=======" and ">>>>>>>"'
    line = text.count("\n", 0, found.start()) + 1
    return Problem(rule, message, advice, Span(line, 1, line, 1 + len(found[0].rstrip())))


def character_span(before: str) -> Span:
    """Return the place of the one character that follows the text."""
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Span(line, column, line, column + 1)


def in_order(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the problems in the order of their places."""
    return tuple(sorted(problems, key=lambda problem: (problem.span.line, problem.span.column, problem.rule)))
