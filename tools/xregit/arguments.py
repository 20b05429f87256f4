"""Checks of the arguments of public functions: what can't be meant is refused in a sentence."""

from __future__ import annotations

import errno
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

from xregit.errors import XregitError

_MAX_SHOWN_CHARS = 60


def expect(kind: type, given: object, way: str) -> None:
    """Refuse a value of another type; ``way`` says how to come by one of the right type.

    Raises:
        XregitError: the value is of another type.
    """
    if not isinstance(given, kind):
        message = f"expected a {kind.__name__}, but {_shown(given)} is a {type(given).__name__}; {way}"
        raise XregitError(message)


def to_day(given: object) -> date:
    """Return a day that was handed over as one, or as a time, which is a date too but does not compare with one.

    Raises:
        XregitError: it is neither.
    """
    if isinstance(given, datetime):
        return given.date()
    expect(date, given, "datetime.date.today() gives one")
    return cast("date", given)


def to_path(given: Any) -> Path:
    """Return a path that was handed over as one or as a text.

    Raises:
        XregitError: it is neither, or no file can have that name.
    """
    try:
        path = Path(given)
    except TypeError:
        message = f"a path is a text or a Path, but {_shown(given)} is a {type(given).__name__}"
        raise XregitError(message) from None
    try:
        path.lstat()
    except ValueError:
        raise _no_name(path) from None
    except OSError as error:
        # What isn't there, or may not be looked at, is told where it is read or written.
        if error.errno == errno.ENAMETOOLONG:
            raise _no_name(path) from None
    return path


def _no_name(path: Path) -> XregitError:
    return XregitError(f"no file can be called {_shown(str(path))}; a name is too long, or has what no name may have")


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
