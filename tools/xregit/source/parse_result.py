"""The result of parsing a text: its value, its problems, and the position of every part.

The loaders of YAML and of JSON share these records, and the builder that fills them part by part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from xregit.diagnostics import Span

MAX_DEPTH = 100
MAX_INTEGER_DIGITS = 40
UTF8_BOM = b"\xef\xbb\xbf"
NOWHERE = Span()
CONFLICT_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_CONFLICT = r"(?m)^(?:<{7}|\|{7}|>{7})(?: [^\r\n]*)?\r?$"  # as Git writes them


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file, or with its text at one place, and what to do about it.

    ``path`` is relative to the folder that was listed; only what is wrong with a file as a whole has one.
    """

    rule: str
    message: str
    help: str
    span: Span = NOWHERE
    path: str = ""


@dataclass(slots=True)
class Spot:
    """Where one value and its key stand, and the same of everything inside it."""

    key: Span
    value: Span = NOWHERE
    inside: dict[str | int, Spot] = field(default_factory=dict)

    def mark(self) -> Span:
        """Return the span by which a message points to the value: its key, else its first part, else itself."""
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


UNKNOWN_POSITIONS = Positions(Spot(NOWHERE))


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value that a file's text stands for; None, with at least one problem, where the text can't be read.

    A value that comes with problems is what could be read around them. ``plain`` says that it contains at least
    one ``PlainInt`` or ``PlainFloat``. A fast pass over sound text leaves ``positions`` unknown.
    """

    value: Any
    problems: tuple[Problem, ...] = ()
    plain: bool = False
    positions: Positions = UNKNOWN_POSITIONS


def depth_problem(language: str, span: Span) -> Problem:
    """Return the problem of a value in which too many others are nested."""
    return Problem(
        f"{language}-depth", f"the value is nested more than {MAX_DEPTH} levels deep", "use fewer levels", span
    )


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
    match = re.search(_CONFLICT, text)
    if not match:
        return None
    message = "a merge left both sides of a conflict here"
    advice = 'keep what is right, and remove the lines that begin with "<<<<<<<", "=======" and ">>>>>>>"'
    line = text.count("\n", 0, match.start()) + 1
    return Problem(rule, message, advice, Span(line, 1, line, 1 + len(match[0].rstrip())))


def character_span(before: str) -> Span:
    """Return the place of the one character that follows the text."""
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Span(line, column, line, column + 1)


class StopError(Exception):
    """The rest of the text isn't worth reading."""


@dataclass(slots=True)
class Frame:
    """One mapping or list that is still being read. A value whose ``key`` is None is dropped, as its key was faulty."""

    box: Any
    spot: Spot
    keyed: bool = False
    key_read: bool = False
    key: str | None = None
    key_span: Span = NOWHERE
    is_key: bool = False

    @property
    def key_due(self) -> bool:
        """Whether the next part is a key."""
        return self.keyed and not self.key_read


@dataclass(slots=True)
class ValueBuilder:
    """The value and the problems of a text so far; ``language`` begins the names of its rules."""

    language: str
    frames: list[Frame] = field(default_factory=lambda: [Frame([], Spot(NOWHERE))])
    problems: list[Problem] = field(default_factory=list)
    plain: bool = False

    @property
    def frame(self) -> Frame:
        """The innermost mapping or list; at the top a list of the one value."""
        return self.frames[-1]

    def result(self) -> Parsed:
        """Return the value as far as it was read, and the problems in the order of their places."""
        top = self.frames[0]
        root = top.spot.inside.get(0, Spot(NOWHERE))
        problems = sorted(self.problems, key=lambda problem: (problem.span.line, problem.span.column, problem.rule))
        return Parsed(top.box[0] if top.box else None, tuple(problems), self.plain, Positions(root))

    def report(self, rule: str, message: str, advice: str, span: Span) -> None:
        """Add a problem; the rest of the text can be read."""
        self.problems.append(Problem(f"{self.language}-{rule}", message, advice, span))

    def unreadable(self, problem: Problem) -> None:
        """Add the problem that ends the reading, and drop the value."""
        self.problems.append(problem)
        self.frames[0].box = []

    def key(self, text: str, span: Span) -> None:
        """Set the key of the next value."""
        frame = self.frame
        first = frame.spot.inside.get(text)
        if first:
            message = f'the key "{text}" is already in line {first.key.line}'
            self.report("duplicate-key", message, "keep one of the two", span)
        frame.key_read, frame.key, frame.key_span = True, text, span

    def no_key(self) -> None:
        """Mark the key of the next value as faulty, so that the value is dropped."""
        self.frame.key_read, self.frame.key = True, None

    def place(self, value: Any, span: Span) -> Spot:
        """Add a value at a place."""
        frame = self.frame
        part: str | int | None = frame.key if frame.keyed else len(frame.box)
        spot = Spot(frame.key_span if frame.keyed else NOWHERE, span)
        frame.key_read = False
        if part is None:
            return spot
        if frame.keyed:
            frame.box[part] = value
        else:
            frame.box.append(value)
        frame.spot.inside[part] = spot
        return spot

    def open(self, *, keyed: bool, span: Span) -> None:
        """Begin a mapping or list, which may stand where a key is due.

        Raises:
            StopError: it is nested too deeply; the problem is added.
        """
        if len(self.frames) > MAX_DEPTH:
            self.unreadable(depth_problem(self.language, span))
            raise StopError
        box: Any = {} if keyed else []
        if self.frame.key_due:
            self.frames.append(Frame(box, Spot(NOWHERE, span), keyed, is_key=True))
        else:
            self.frames.append(Frame(box, self.place(box, span), keyed))

    def close(self, end: tuple[int, int]) -> None:
        """End the innermost mapping or list."""
        frame = self.frames.pop()
        start = frame.spot.value
        frame.spot.value = Span(start.line, start.column, *end)
        if frame.is_key:
            self.no_key()
