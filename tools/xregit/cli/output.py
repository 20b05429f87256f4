"""What a command says: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import re
import sys
from json import dumps
from typing import TYPE_CHECKING

import click

from xregit.cli.progress import hide_progress

if TYPE_CHECKING:
    from xregit.catalog import Registry
    from xregit.spark.publication import Publication


# What GitHub's runner takes for a command at the beginning of a line, and GitHub's, Azure's and TeamCity's anywhere.
_COMMAND = re.compile(r"^[ \t]*:(?=:)|#(?=#(?:vso|teamcity)?\[)", re.MULTILINE)
_NO_ANNOTATION = re.compile(rf"(?!::(?:error|warning|notice) )(?:{_COMMAND.pattern})", re.MULTILINE)


def print_result(text: str, *, color: bool | None = None, exact: bool = False, annotations: bool = False) -> None:
    """Print a result, unless there is none; what nobody would see, or a CI would obey, is escaped as JSON has it.

    An ``exact`` result is a document of which another program, or a file, gets each character as it is, and
    ``annotations`` are a report of commands such as ``::error file=…``. Colours are left out where the output is no
    terminal, unless ``color`` is set: what is unseen is escaped there already.
    """
    if text:
        hide_progress()
        printable = _printable(text.removesuffix("\n"))
        if color is not None:
            printable = _without_commands(printable)
        elif not exact or sys.stdout.isatty():
            printable = safe(printable, _NO_ANNOTATION if annotations else _COMMAND)
        click.echo(printable, color=color)


def wants_color(choice: str) -> bool:
    """Return whether standard output gets colours: as chosen, else on a terminal that takes them."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def note(text: str) -> None:
    """Print what is not the result: hints, warnings, errors."""
    if text:
        hide_progress()
        click.echo(safe(_printable(text)), err=True)


def note_uncertain_times(registry: Registry) -> None:
    """Note why epochs and times in the output may be wrong, where Git's history is incomplete."""
    if registry.origin.doubt:
        note(f"Note: {registry.origin.doubt}.")


def publication_summary(publication: Publication) -> str:
    """Return a summary of a publication, such as "13 tables, 812 rows, 3 of them changed"."""
    tables = publication.tables
    changes = sum(table.inserted + table.updated + table.deleted for table in tables)
    changed = f"{changes:,} changed" if publication.changed else "nothing changed"
    return f"{len(tables):,} tables, {sum(table.rows for table in tables):,} rows, {changed}"


def as_json(value: object) -> str:
    """Return a result for machines."""
    return dumps(value, indent=2, ensure_ascii=False, default=dict)


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def safe(text: str, commands: re.Pattern[str] = _COMMAND) -> str:
    """Return text with escapes for all characters but line breaks and tabs that nobody would see, and for CI commands.

    JSON stays the same value.
    """
    shown = "\n".join(line if line.isprintable() else "".join(map(_sign, line)) for line in text.split("\n"))
    return _without_commands(shown, commands)


def _without_commands(text: str, commands: re.Pattern[str] = _COMMAND) -> str:
    return commands.sub(lambda match: f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}", text)


def _sign(sign: str) -> str:
    if sign.isprintable() or sign == "\t":
        return sign
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
