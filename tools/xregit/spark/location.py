"""Locations of tables, local folders or URLs of a store with its credentials, and errors there as one line each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from deltalake.exceptions import CommitFailedError, DeltaError
from pyarrow import ArrowException
from pyspark.errors import PySparkException

from xregit.arguments import to_path
from xregit.errors import XregitError
from xregit.spark import java
from xregit.spark.java import Py4JError, Py4JJavaError, Py4JNetworkError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A single letter before a colon is a drive.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://?[^/]?|file:/")


def is_connected(session: SparkSession) -> bool:
    """Return whether a session is one of Spark Connect."""
    return ".connect." in type(session).__module__


@dataclass(frozen=True, slots=True)
class Location:
    """One folder; ``url`` is its absolute path, or the URL of a store's folder, without a slash at its end.

    ``options`` are what `deltalake` has to know of the store besides the URL; `in_session` has them from Spark.
    """

    url: str
    options: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, folder: Path | str, session: SparkSession | None = None) -> Location:
        """Return the location at a path or URL; a ``file:`` URL is a path.

        For a session, it is what the same text is to Spark: a path without a scheme is one of its default file system,
        and it has the session's credentials. A ``Path`` is of this machine.

        Raises:
            XregitError: it is no path, or one with characters that the locale does not have.
        """
        text = str(folder)
        if not text:
            message = "a path is an empty text; name a folder or a URL"
            raise XregitError(message)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            message = f"the path {text!a} is no text here; name another, or set LC_ALL to a locale with UTF-8"
            raise XregitError(message) from error
        if session is not None and isinstance(folder, str):
            folder = text = _qualify(text, session)
        if isinstance(folder, str) and _URL.match(text):
            parts = urlsplit(text)
            if parts.scheme == "file":
                return cls(str(Path(unquote(parts.path)).resolve()))
            settings = _hadoop_settings(session) if session is not None else {}
            return cls(text.rstrip("/")).with_settings(settings)
        return cls(str(to_path(folder).resolve()))

    @property
    def local(self) -> Path | None:
        """The path on this machine, None for a store."""
        return None if "://" in self.url else Path(self.url)

    def __truediv__(self, name: str) -> Location:
        """Return the location of that name below this one."""
        return Location(f"{self.url}/{name}", self.options)

    def with_settings(self, settings: Mapping[str, str]) -> Location:
        """Return the location with the credentials that Spark's settings have for the store, or else the environment.

        Those of the environment go to executors, too, as they do from Spark itself.
        """
        return Location(self.url, _storage_options(self.url, settings))

    @property
    def hadoop_url(self) -> str:
        """The location as Spark takes it: one of this machine stays so, whatever the default file system is."""
        return f"file:{Path(self.url).as_posix()}" if self.local else self.url

    def __str__(self) -> str:
        """Return the path or URL."""
        return self.url


_SPARK_HADOOP = "spark.hadoop."
# Hadoop's settings that say where a store is and who we are there.
_SETTINGS = re.compile(
    r"fs\.s3a\.(?:bucket\..+\.)?(?:access\.key|secret\.key|session\.token|endpoint|endpoint\.region|"
    r"connection\.ssl\.enabled)$|dfs\.(?:nameservices|ha\.namenodes|namenode\.rpc-address)|fs\.viewfs\.mounttable\."
)
# What S3A's settings are called by `deltalake`, and the variables of the environment that say the same.
_S3A: Mapping[str, str] = {
    "access.key": "AWS_ACCESS_KEY_ID",
    "secret.key": "AWS_SECRET_ACCESS_KEY",
    "session.token": "AWS_SESSION_TOKEN",
    "endpoint.region": "AWS_REGION",
    "endpoint": "AWS_ENDPOINT_URL",
}
_S3_VARIABLES = (*_S3A.values(), "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_ALLOW_HTTP")
_S3_KEYS = frozenset({"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"})
_S3_SCHEMES = frozenset({"s3", "s3a", "s3n"})


def _hadoop_settings(session: SparkSession) -> Mapping[str, str]:
    if is_connected(session):
        return dict(session.conf.getAll)  # those that Spark was started with; Java has more
    settings: Mapping[str, str] = java.hadoop_conf(session).getValByRegex(_SETTINGS.pattern)
    return settings


def _qualify(text: str, session: SparkSession) -> str:
    """Return a path as the URL that Spark's default file system makes of it; where that is local, the text."""
    parts = urlsplit(text) if _URL.match(text) else None
    if is_connected(session) or (parts and (parts.netloc or parts.scheme == "file")):
        return text
    try:
        url = java.qualified_url(text, session)
    except Py4JJavaError as error:
        message = f"Spark has no file system for {text}: {error_summary(error)}"
        raise XregitError(message) from error
    return text if url.startswith("file:") else url


def _storage_options(url: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the options of `deltalake` for a store, by settings with or without the prefix of Spark."""
    parts = urlsplit(url)
    settings = {
        name: value for key, value in settings.items() if _SETTINGS.match(name := key.removeprefix(_SPARK_HADOOP))
    }
    if parts.scheme not in _S3_SCHEMES:
        return {
            key: value for key, value in settings.items() if parts.scheme in {"hdfs", "viewfs"} and "s3a" not in key
        }

    def setting(name: str) -> str:
        return settings.get(f"fs.s3a.bucket.{parts.netloc}.{name}") or settings.get(f"fs.s3a.{name}") or ""

    options = {name: os.environ[name] for name in _S3_VARIABLES if os.environ.get(name)}
    declared = {name: setting(key) for key, name in _S3A.items() if setting(key)}
    if _S3_KEYS & declared.keys():  # half of these and half of others open nothing
        options = {name: value for name, value in options.items() if name not in _S3_KEYS}
    options |= declared
    endpoint = options.get("AWS_ENDPOINT_URL", "")
    if endpoint and "://" not in endpoint:
        secure = setting("connection.ssl.enabled") != "false"
        endpoint = options["AWS_ENDPOINT_URL"] = f"{'https' if secure else 'http'}://{endpoint}"
    if endpoint.startswith("http://"):
        options.setdefault("AWS_ALLOW_HTTP", "true")
    return options


CAUSE = "Caused by: "
MORE_MEMORY = "give Spark more memory, such as with --conf spark.driver.memory=4g"
_NO_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|^\[INVALID_DRIVER_MEMORY\b")
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
# An error of Python on an executor: the last line of its traceback.
_PYTHON = re.compile(
    r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)+(?:RuntimeError: |xregit\.errors\.XregitError: )?(\w.*)"
)
_ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def errors_at(path: Location, action: str) -> Iterator[None]:
    """Turn errors of the work on a table or folder into one line with what was done and where.

    Raises:
        XregitError: something went wrong.
    """
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
    try:
        yield
    except (DeltaError, ArrowException) as error:
        advice = "bring back its files if they are damaged, or name another folder"
        message = f"{table} can't be read: {error_summary(error)}; {advice}"
        raise XregitError(message) from error


def error_summary(error: BaseException) -> str:
    """Return the innermost cause in an error's text, without stack traces, as one line."""
    if isinstance(error, Py4JNetworkError | ConnectionRefusedError | ConnectionResetError):
        # Java no longer answers, most likely because it had, or was given, too little memory.
        return f"Spark's Java process has ended; {MORE_MEMORY}"
    text = _STREAM.sub(r"\1", _ANSI_COLOUR.sub("", str(error)))
    if _ARROW in text:  # a chain of causes, each on a line of its own
        chain = [" ".join(part.split()) for part in text.split(_ARROW)]
        return f"{chain[0]}: {chain[-1]}"
    of_python = _PYTHON.findall(text)
    if of_python:
        return str(of_python[-1])
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\t", "  "))]
    causes = [line.removeprefix(CAUSE) for line in lines if line.startswith(CAUSE)]
    classed = [line[match.start() :] for line in lines if (match := _CLASS.search(line))]
    file = _FILE.search(text)
    summary = (causes or classed[:1] or lines or [type(error).__name__])[-1].lstrip(": ")
    summary = f"{file[1]}: {summary}" if file and causes else summary
    return f"{summary.rstrip('.')}; {MORE_MEMORY}" if _NO_MEMORY.search(summary) else summary
