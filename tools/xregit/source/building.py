"""The parts of a YAML or JSON text, in their order, to its value and every part's place: what both surveys share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xregit.diagnostics import Span
from xregit.source.text import MAX_DEPTH, NOWHERE, Positions, Problem, Spot, in_order


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
class Building:
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
