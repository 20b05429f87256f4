"""Diagnostics → workflow commands, which GitHub shows as annotations on the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.diagnostics import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xregit.diagnostics import Diagnostic

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
# A command is one line; its message ends there, and its properties end at a colon or comma too.
IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTY = IN_MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def github(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one workflow command for each diagnostic, a line each."""
    return "\n".join(map(_command, diagnostics))


def _command(item: Diagnostic) -> str:
    properties = ",".join(f"{name}={value.translate(IN_PROPERTY)}" for name, value in _properties(item).items())
    message = f"{item.message}\n{item.help}" if item.help else item.message
    return f"::{COMMANDS[item.severity]} {properties}::{message.translate(IN_MESSAGE)}"


def _properties(item: Diagnostic) -> Mapping[str, str]:
    """Return the place, with columns only where GitHub takes them: when the finding is within one line."""
    values: dict[str, str | int] = {"file": item.path, "line": item.line, "endLine": item.endline}
    if item.endline in {0, item.line}:
        values |= {"col": item.column, "endColumn": max(item.column, item.endcolumn - 1)}
    return {name: str(value) for name, value in (values | {"title": item.rule}).items() if value}
