"""The files of a registry as they stand, and what each of them has to do with others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import time_ns
from typing import TYPE_CHECKING

from xregit.catalog import read_files
from xregit.catalog.layout import SETTINGS_FILE
from xregit.catalog.origin import repository_of
from xregit.catalog.owners import read_owners
from xregit.catalog.parts import Traced
from xregit.catalog.settings import settings_of
from xregit.catalog.traces import Trace, group_of, is_document, trace_of_document, trace_of_value
from xregit.errors import XregitError
from xregit.model import builtin
from xregit.source import files
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from xregit.catalog.parts import Files
    from xregit.catalog.reading import Parse
    from xregit.catalog.registry import Registry
    from xregit.source.text import Parsed

YAML = ".yaml"
IGNORED = Trace((), (), None)
# A file that was changed shortly before it was looked at may change again without another time (as Git has it, "racy").
SHORTLY = 2_000_000_000
Status = list[int]


class WholeError(XregitError):
    """Nothing less than the whole registry can tell."""


@dataclass(frozen=True, slots=True)
class State:
    """The files of a registry at some time: Git's ids of them by their paths below its folder, and how to read one."""

    blobs: Mapping[str, str]
    read: Callable[[str], bytes]


@dataclass(frozen=True)
class Standing:
    """The files of a registry folder as they are now, by their paths below it; their bytes are read when asked for.

    A status is the number of a file, its size, and when its bytes, and all that is said of it, were changed;
    ``since`` is when that was asked for. All times are in nanoseconds.
    """

    root: Path
    statuses: Mapping[str, Status]
    since: int
    contents: dict[str, bytes] = field(default_factory=dict)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file, the same ones each time.

        Raises:
            WholeError: it can't be read.
        """
        if path not in self.contents:
            try:
                self.contents[path] = files.read(self.root, path)
            except files.FileError as error:
                raise WholeError from error
        return self.contents[path]

    @cached_property
    def prefix(self) -> str:
        """What the paths of the files begin with in the repository."""
        return f"{self.root.relative_to(repository_of(self.root)).as_posix()}/"

    @cached_property
    def context(self) -> str:
        """What findings depend on beside the files: where they are, and who owns what."""
        owners = read_owners(repository_of(self.root))
        return repr((str(self.root), self.prefix, owners.path, owners.unread, blob_id(owners.text.encode())))

    def registry(self, parse: Parse, paths: Iterable[str] | None = None) -> Registry:
        """Return the registry, or the part of it that is made of some files."""
        chosen = tuple(sorted(self.statuses if paths is None else paths))
        return read_files(self.root, files.Listing(chosen), self.read, parse)

    def baseurl(self, parse: Parse) -> str:
        """Return the base URL that the settings state, or an empty string."""
        return settings_of(parse(self.read(SETTINGS_FILE)).value).baseurl if SETTINGS_FILE in self.statuses else ""


def standing(folder: Path) -> Standing:
    """Return the files of a registry folder.

    Raises:
        WholeError: some are left out.
    """
    root, since = folder.resolve(), time_ns()
    listing, statuses = files.surveyed(root)
    if listing.problems:
        raise WholeError
    return Standing(root, {path: _status(statuses[path]) for path in listing.files}, since)


def _status(found: os.stat_result) -> Status:
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


@dataclass(slots=True)
class Tracing:
    """A way to parse files that keeps what they have to do with others."""

    given: Parse
    baseurl: str
    known: dict[bytes, Trace] = field(default_factory=dict)

    def parse(self, data: bytes) -> Parsed:
        """Return what the given way does."""
        parsed = self.given(data)
        if not parsed.problems and isinstance(parsed.value, dict):
            self.known[data] = trace_of_value(data, parsed.value, builtin().groups, self.baseurl)
        return parsed

    def present(self, now: Standing, earlier: Files, since: int) -> Files:
        """Return the files as they are now.

        Those of ``earlier`` that nobody has changed are not read again, unless they were new when they were looked at;
        that was after the time ``since``.

        Raises:
            WholeError: one of them can't be read, or not as a whole.
        """
        known = {path: file for group in earlier.values() for path, file in group.items()}
        found: defaultdict[str, dict[str, Traced]] = defaultdict(dict)
        settled = since - SHORTLY
        for path, status in now.statuses.items():
            old = known.get(path)
            if old is None or old.status != status or status[2] > settled or status[3] > settled:
                blob = blob_id(now.read(path)).decode()
                trace = old[2:] if old is not None and old.blob == blob else self._trace(path, now.read(path))
                old = Traced(blob, status, *trace)
            found[group_of(path)][path] = old
        return found

    def former(self, state: State, present: Files) -> Files:
        """Return the files of another state; those that are ``present`` with the same bytes are not looked at again.

        Raises:
            WholeError: one of them can't be read as a whole.
        """
        known = {path: (group, file) for group, paths in present.items() for path, file in paths.items()}
        found: defaultdict[str, dict[str, Traced]] = defaultdict(dict)
        for path, blob in state.blobs.items():
            group, old = known.get(path) or (group_of(path), None)
            same = old is not None and old.blob == blob
            found[group][path] = old if old and same else Traced(blob, (), *self._trace(path, state.read(path)))
        return found

    def _trace(self, path: str, data: bytes) -> Trace:
        if is_document(path):
            return trace_of_document(data)
        if not path.endswith(YAML):
            return IGNORED
        if data not in self.known:
            self.parse(data)
        if data not in self.known:
            raise WholeError
        return self.known[data]
