"""The run of a command: its exit code is 0 if fine, 1 with findings, 2 for wrong usage, 3 for an internal error."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import NoReturn

import click

from xregit.cli.commands import xregit
from xregit.cli.output import note
from xregit.cli.progress import progress_display
from xregit.errors import CatalogError, XregitError

# What the system's loader says where a library does not fit into the memory that is left, and Python where it has lost
# the error that said so.
NO_MEMORY = (
    "failed to map segment",
    "cannot allocate memory",
    "Cannot allocate memory",
    "error return without exception set",
    "returned NULL without setting an exception",
)
USAGE, INTERNAL, INTERRUPTED, PIPE_CLOSED = 2, 3, 130, 141


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command, by default with the program's own arguments, and leave with its exit code."""
    _open_outputs()
    gc.set_threshold(500_000)  # most of what a command makes stays alive, and would be looked at in vain
    try:
        code = run(arguments)
    except (MemoryError, SystemError) as error:  # not even enough memory to report it
        code = _report(error)
    _close_output()
    gc.freeze()  # else the collector goes through all that is left several times before the interpreter ends
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors go to standard error."""
    stdout = sys.stdout
    try:
        with progress_display(sys.stderr):
            code = xregit.main(args=arguments, prog_name="xregit", standalone_mode=False)
    except SystemExit:
        if sys.stdout is stdout:
            raise
        return PIPE_CLOSED  # where click has replaced standard output
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place where every error becomes a line and a code
        return _report(error)
    return code if isinstance(code, int) else 0


def _report(error: Exception) -> int:
    """Print the error in as few lines as help, and return its exit code."""
    if isinstance(error, MemoryError):
        # They hold all objects made until then, which leaves no memory for the report.
        error.__traceback__ = error.__context__ = None
    match error:
        case click.ClickException():
            message = StringIO()
            error.show(message)
            note(message.getvalue().removesuffix("\n"))
            return USAGE
        case CatalogError():
            _print_findings(error)
            return error.exit_code
        case XregitError():
            note(f"xregit: error: {error}")
            return error.exit_code
        case MemoryError() | ImportError() | SystemError() if _lacks_memory(error):
            note("xregit: error: there is not enough memory for this; what was written before is unchanged")
            return USAGE
        case OSError():
            note(f"xregit: error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
            return USAGE
    note(f"xregit: internal error: {type(error).__name__}: {error} ({_where(error)})")
    note("This is a bug in xregit. Please report the line above and the command to the maintainers of this tool.")
    return INTERNAL


def _lacks_memory(error: Exception) -> bool:
    """Return whether the error means that memory ran out, also while a library was loaded."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in NO_MEMORY)


def _print_findings(error: CatalogError) -> None:
    from xregit.reports.text import text  # it brings all rules, 0.15 s that "xregit --help" need not take

    note(text(error.diagnostics, error.lines))
    note(error.outcome)


def _where(error: Exception) -> str:
    """Return the innermost place in our own code that the error passed through."""
    package, where = Path(__file__).parents[1], ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if (path := Path(code.co_filename)).is_relative_to(package):
            where = f"{path.relative_to(package).as_posix()}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next
    return where


def _open_outputs() -> None:
    """Discard output if the program was started with stdout or stderr closed.

    Python has no stream then, and the next file to be opened would get its number, and with it the output.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - it is open until the end


def _close_output() -> None:
    """Keep the interpreter's last flush from reporting an output that has failed before."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
