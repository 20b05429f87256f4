"""What reading a text yields: its value, what is wrong with it, and the position of every part.

Readers of YAML and of JSON share these records, and the builder that fills them part by part.
"""

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


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything that one slow pass over a text finds out."""

    value: Any
    problems: tuple[Problem, ...]
    positions: Positions
    plain: bool = False


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
        """Tell whether the next part is a key."""
        return self.keyed and not self.key_read


@dataclass(slots=True)
class ValueBuilder:
    """What is known of a text so far; ``language`` begins the names of its rules."""

    language: str
    frames: list[Frame] = field(default_factory=lambda: [Frame([], Spot(NOWHERE))])
    problems: list[Problem] = field(default_factory=list)
    plain: bool = False

    @property
    def frame(self) -> Frame:
        """The innermost mapping or list; at the top a list of the one value."""
        return self.frames[-1]

    def survey(self) -> Survey:
        """Return what has been found."""
        top = self.frames[0]
        root = top.spot.inside.get(0, Spot(NOWHERE))
        return Survey(top.box[0] if top.box else None, in_order(self.problems), Positions(root), self.plain)

    def report(self, rule: str, message: str, advice: str, span: Span) -> None:
        """Note a problem that the rest of the text can be read with."""
        self.problems.append(Problem(f"{self.language}-{rule}", message, advice, span))

    def unreadable(self, problem: Problem) -> None:
        """Note the problem that ends the reading; nothing of the value is kept."""
        self.problems.append(problem)
        self.frames[0].box = []

    def key(self, text: str, span: Span) -> None:
        """Take the key of the next value."""
        frame = self.frame
        first = frame.spot.inside.get(text)
        if first:
            message = f'the key "{text}" stands here again, after line {first.key.line}'
            self.report("duplicate-key", message, "keep one of the two", span)
        frame.key_read, frame.key, frame.key_span = True, text, span

    def no_key(self) -> None:
        """Take a key that can't be one, so that its value is dropped."""
        self.frame.key_read, self.frame.key = True, None

    def place(self, value: Any, span: Span) -> Spot:
        """Take a value and where it stands."""
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
        """Take the start of a mapping or list, which may stand where a key is due.

        Raises:
            StopError: it is nested too deeply; the problem is noted.
        """
        if len(self.frames) > MAX_DEPTH:
            message = f"the value is nested more than {MAX_DEPTH} levels deep"
            self.unreadable(Problem(f"{self.language}-depth", message, "use fewer levels", span))
            raise StopError
        box: Any = {} if keyed else []
        if self.frame.key_due:
            self.frames.append(Frame(box, Spot(NOWHERE, span), keyed, is_key=True))
        else:
            self.frames.append(Frame(box, self.place(box, span), keyed))

    def close(self, end: tuple[int, int]) -> None:
        """Take the end of the innermost mapping or list."""
        frame = self.frames.pop()
        start = frame.spot.value
        frame.spot.value = Span(start.line, start.column, *end)
        if frame.is_key:
            self.no_key()
