"""Checks of the arguments of public functions, which refuse mistakes in a sentence."""

from __future__ import annotations

import errno
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

from xregit.errors import XregitError

_MAX_SHOWN_CHARS = 60
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# The part between scheme and host. A password may have any character that somebody forgot to encode; a port is none.
_CREDENTIALS = re.compile(r"(?<=://)(?:[^@\s:/]*:(?![0-9]{1,5}[/,?#])[^\s]*|[^@\s/]*)@")


def expect(kind: type, value: object, hint: str) -> None:
    """Refuse a value of another type; ``hint`` says how to get one of the right type.

    Raises:
        XregitError: the value is of another type.
    """
    if not isinstance(value, kind):
        raise XregitError(f"expected a {kind.__name__}, but {_excerpt(value)} is a {type(value).__name__}; {hint}")


def to_day(value: object) -> date:
    """Return the date of a date or datetime; the latter is a date, too, but does not compare with one.

    Raises:
        XregitError: it is neither.
    """
    if isinstance(value, datetime):
        return value.date()
    expect(date, value, "datetime.date.today() gives one")
    return cast("date", value)


def to_path(value: Any) -> Path:
    """Return the path of a `Path` or a text.

    Raises:
        XregitError: it is neither, or no file can have that name.
    """
    try:
        path = Path(value)
    except TypeError:
        raise XregitError(f"a path is a text or a Path, but {_excerpt(value)} is a {type(value).__name__}") from None
    try:
        path.lstat()
    except ValueError:
        raise _no_name(path) from None
    except OSError as error:
        # What isn't there, or may not be looked at, is told where it is read or written.
        if error.errno == errno.ENAMETOOLONG:
            raise _no_name(path) from None
    return path


def without_credentials(source: object) -> str:
    """Return a source as messages show it: an address has no user name and no password."""
    return _CREDENTIALS.sub("", str(source))


def _no_name(path: Path) -> XregitError:
    return XregitError(f"no file can be called {_excerpt(str(path))}; a name is too long, or has what no name may have")


def _excerpt(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
