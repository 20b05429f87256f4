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
        """Return the location at a path or URL; a ``file:`` URL is a path.

        Raises:
            XregitError: it is no path, or one with characters that the locale does not have.
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
        """Return the location of that name below this one."""
        return Location(f"{self.url}/{name}")

    def __str__(self) -> str:
        """Return the path or URL."""
        return self.url


CAUSE = "Caused by: "
MORE_MEMORY = "give Spark more memory, such as with --conf spark.driver.memory=4g"
_NO_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|^\[INVALID_DRIVER_MEMORY\]")
# The errors of both writers for a table that was created, or changed, since our snapshot.
_CONFLICT = re.compile(r"already exists at that location|\[DELTA_CONCURRENT_|\[DELTA_TABLE_ALREADY_EXISTS\]")
# Spark's messages begin with an error class; the following lines are advice or a query's plan.
_CLASS = re.compile(r"\[[A-Z][A-Z0-9_.]+\] ")
_ARROW = "↳"
# The error of a stream that failed, around its cause.
_STREAM = re.compile(
    r"\[STREAM_FAILED\].*?terminated with exception: (.*?)(?: SQLSTATE: \w+)?\s*(?:=== Streaming Query ===.*)?\Z",
    re.DOTALL,
)
# The file that could not be read, which is not in the cause.
_FILE = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (.*?)\.\s+SQLSTATE")
_ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def errors_at(path: Location, action: str) -> Iterator[None]:
    """Turn errors of the work on a table or folder into one line with what was done and where.

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
        summary = error_summary(error)
        if isinstance(error, CommitFailedError) or _CONFLICT.search(summary):
            message = f"{path} was changed by someone else in the meantime; run it again ({summary})"
        else:
            message = f"can't {action} {path}: {summary}"
        raise XregitError(message) from error


@contextmanager
def read_errors_at(table: Location) -> Iterator[None]:
    """Turn errors of reading the log or the rows of a Delta table into one line with the table.

    Raises:
        XregitError: something went wrong.
    """
    from deltalake.exceptions import DeltaError
    from pyarrow import ArrowException

    try:
        yield
    except (DeltaError, ArrowException) as error:
        advice = "bring back its files if they are damaged, or name another folder"
        message = f"{table} can't be read: {error_summary(error)}; {advice}"
        raise XregitError(message) from error


def error_summary(error: BaseException) -> str:
    """Return the innermost cause in an error's text, without stack traces, as one line."""
    from py4j.protocol import Py4JNetworkError

    if isinstance(error, Py4JNetworkError | ConnectionRefusedError | ConnectionResetError):
        # Java no longer answers, most likely because it had, or was given, too little memory.
        return f"Spark's Java process has ended; {MORE_MEMORY}"
    text = _STREAM.sub(r"\1", _ANSI_COLOUR.sub("", str(error)))
    if _ARROW in text:  # a chain of causes, each on a line of its own
        chain = [" ".join(part.split()) for part in text.split(_ARROW)]
        return f"{chain[0]}: {chain[-1]}"
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\t", "  "))]
    causes = [line.removeprefix(CAUSE) for line in lines if line.startswith(CAUSE)]
    classed = [line[match.start() :] for line in lines if (match := _CLASS.search(line))]
    file = _FILE.search(text)
    summary = (causes or classed[:1] or lines or [type(error).__name__])[-1].lstrip(": ")
    summary = f"{file[1]}: {summary}" if file and causes else summary
    return f"{summary.rstrip('.')}; {MORE_MEMORY}" if _NO_MEMORY.search(summary) else summary
