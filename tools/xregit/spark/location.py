"""Locations of tables, local folders or URLs of a store, and errors at a location as one line each."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from xregit.arguments import to_path
from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Iterator

# A single letter before a colon is a drive.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://?[^/]?|file:/")


@dataclass(frozen=True, slots=True)
class Location:
    """One folder; ``url`` is its absolute path, or the URL of a store's folder, without a slash at its end."""

    url: str

    @classmethod
    def of(cls, folder: Path | str) -> Location:
        """Return the place that a path or URL names; a ``file:`` URL is a path.

        Raises:
            XregitError: it is no path; or the path is no text, as in a process whose locale does not have its letters.
        """
        text = str(folder)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            message = f"the path {text!a} is no text here; name another, or set LC_ALL to a locale with UTF-8"
            raise XregitError(message) from error
        if isinstance(folder, str) and _URL.match(text):
            parts = urlsplit(text)
            if parts.scheme == "file":
                return cls(str(Path(unquote(parts.path)).resolve()))
            return cls(text.rstrip("/"))
        return cls(str(to_path(folder).resolve()))

    @property
    def local(self) -> Path | None:
        """The path on this machine, None for a store."""
        return None if "://" in self.url else Path(self.url)

    def __truediv__(self, name: str) -> Location:
        """Return the place of that name below this one."""
        return Location(f"{self.url}/{name}")

    def __str__(self) -> str:
        """Return the path or URL."""
        return self.url


CAUSE = "Caused by: "
MORE_MEMORY = "give Spark more memory, such as with --conf spark.driver.memory=4g"
_NO_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|^\[INVALID_DRIVER_MEMORY\]")
# What either writer says of a table that was made, or changed, since we looked.
_CONFLICT = re.compile(r"already exists at that location|\[DELTA_CONCURRENT_|\[DELTA_TABLE_ALREADY_EXISTS\]")
# Spark's messages begin with a name for their kind; what follows on lines of their own is advice or a query's plan.
_CLASS = re.compile(r"\[[A-Z][A-Z0-9_.]+\] ")
_ARROW = "↳"
# Of a stream that failed, what comes before and after the cause.
_STREAM = re.compile(
    r"\[STREAM_FAILED\].*?terminated with exception: (.*?)(?: SQLSTATE: \w+)?\s*(?:=== Streaming Query ===.*)?\Z",
    re.DOTALL,
)
# The file that could not be read, which the cause does not name.
_FILE = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (.*?)\.\s+SQLSTATE")
_ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def errors_at(path: Location, doing: str) -> Iterator[None]:
    """Turn what goes wrong while something is done with a table or folder into one line that names both.

    Raises:
        XregitError: something went wrong.
    """
    from deltalake.exceptions import CommitFailedError, DeltaError
    from py4j.protocol import Py4JError
    from pyarrow import ArrowException
    from pyspark.errors import PySparkException

    try:
        yield
    except (DeltaError, ArrowException, PySparkException, Py4JError, OSError) as error:
        why = error_summary(error)
        if isinstance(error, CommitFailedError) or _CONFLICT.search(why):
            message = f"{path} was changed by someone else in the meantime; run it again ({why})"
        else:
            message = f"can't {doing} {path}: {why}"
        raise XregitError(message) from error


@contextmanager
def read_errors_at(table: Location) -> Iterator[None]:
    """Turn what goes wrong while the log or the rows of a Delta table are read into one line that names the table.

    Raises:
        XregitError: something went wrong.
    """
    from deltalake.exceptions import DeltaError
    from pyarrow import ArrowException

    try:
        yield
    except (DeltaError, ArrowException) as error:
        way_out = "bring back its files if they are damaged, or name another folder"
        message = f"{table} can't be read: {error_summary(error)}; {way_out}"
        raise XregitError(message) from error


def error_summary(error: BaseException) -> str:
    """Return the innermost cause that an error's text tells of, without stack traces, as one line."""
    if _is_java_gone(error):
        return f"Spark's Java process has ended; {MORE_MEMORY}"
    text = _STREAM.sub(r"\1", _ANSI_COLOUR.sub("", str(error)))
    if _ARROW in text:  # a chain of causes, each on a line of its own
        chain = [" ".join(part.split()) for part in text.split(_ARROW)]
        return f"{chain[0]}: {chain[-1]}"
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\t", "  "))]
    causes = [line.removeprefix(CAUSE) for line in lines if line.startswith(CAUSE)]
    classed = [line[found.start() :] for line in lines if (found := _CLASS.search(line))]
    file = _FILE.search(text)
    told = (causes or classed[:1] or lines or [type(error).__name__])[-1].lstrip(": ")
    told = f"{file[1]}: {told}" if file and causes else told
    return f"{told.rstrip('.')}; {MORE_MEMORY}" if _NO_MEMORY.search(told) else told


def _is_java_gone(error: BaseException) -> bool:
    """Return whether Java no longer answers, the most likely because it had, or was given, too little memory."""
    from py4j.protocol import Py4JNetworkError

    return isinstance(error, Py4JNetworkError | ConnectionRefusedError | ConnectionResetError)
