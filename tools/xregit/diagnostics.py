"""Findings about a value, and diagnostics about a place in a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from xregit.json_pointer import KeyPath


class Severity(StrEnum):
    """How bad a finding is; only ERROR stops a build."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Span(NamedTuple):
    """A stretch of text; lines and columns count from 1, the end is exclusive, 0 means not known."""

    line: int = 0
    column: int = 0
    endline: int = 0
    endcolumn: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong at one path inside one value, before anyone knows the file it stands in.

    ``path`` holds the keys and indexes that lead to the value; ``on_key`` points at its key instead.
    """

    rule: str
    path: KeyPath
    message: str
    help: str = ""
    requirement: str = ""
    on_key: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding at its place, in the shape that ``check --format json`` prints.

    ``path`` is relative to the repository; lines and columns count from 1, 0 where not known.
    """

    rule: str
    severity: Severity
    path: str
    message: str
    line: int = 0
    column: int = 0
    endline: int = 0
    endcolumn: int = 0
    xid: str = ""
    help: str = ""
    requirement: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the record with the keys of the JSON report."""
        return asdict(self)


def sentence(text: str) -> str:
    """Return the text with a capital at its beginning and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) or not text else '.'}"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of the diagnostics is an error."""
    return any(item.severity is Severity.ERROR for item in diagnostics)


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics without duplicates, in the order of file, place, rule, xid and message."""
    return tuple(
        sorted(
            set(diagnostics), key=lambda item: (item.path, item.line, item.column, item.rule, item.xid, item.message)
        )
    )
