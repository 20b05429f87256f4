"""The files of a registry folder as they stand now, and their traces (`catalog.traces`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from time import time_ns
from typing import TYPE_CHECKING

from xregit.catalog import read_files
from xregit.catalog.layout import MODEL_FILE, SETTINGS_FILE
from xregit.catalog.origin import repository_of
from xregit.catalog.owners import read_owners
from xregit.catalog.parts import Traced, folder, mark_of
from xregit.catalog.settings import settings_of
from xregit.catalog.traces import Trace, group_of, is_document, terms_of, trace_of_document, trace_of_value
from xregit.errors import XregitError
from xregit.model import builtin
from xregit.records import mutable, record
from xregit.source import files
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog.parts import Folders
    from xregit.catalog.reading import Parse
    from xregit.catalog.registry import Registry
    from xregit.catalog.traces import Terms
    from xregit.source.files import Status
    from xregit.source.text import Parsed

YAML = ".yaml"
GROUP_FOLDERS = 2
IGNORED = Trace((), None)
# In nanoseconds. A file that was changed just before it was read may change again without another time ("racy" in Git).
SHORTLY = 2_000_000_000


class WholeError(XregitError):
    """A part of the registry can't tell what is asked; everything must be read and checked."""


@record
class State:
    """The files of a registry at some time: Git's ids of them by their paths below its folder, and how to read one."""

    blobs: Mapping[str, str]
    read: Callable[[str], bytes]


@record
class Standing:
    """The files of a registry folder as they are now, by their paths below it; their bytes are read when asked for.

    ``since`` is when they were listed, in nanoseconds since 1970. Files are in the order of their paths.
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
                self.contents[path] = files.read(self.folder, path, self.statuses[path][1])
            except files.FileError as error:
                raise WholeError from error
        return self.contents[path]

    @cached_property
    def folder(self) -> str:
        """The folder as text, which a path makes anew each time."""
        return str(self.root)

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

    def terms(self, parse: Parse) -> Terms:
        """Return what the settings and the registry's own model say that traces depend on."""
        settings, model = (
            parse(self.read(path)).value if path in self.statuses else None for path in (SETTINGS_FILE, MODEL_FILE)
        )
        return terms_of(builtin(), model, settings_of(settings).baseurl if settings else "")

    def is_settled(self, status: Status) -> bool:
        """Tell whether a file can't have changed since without another status."""
        _, _, *times = status
        return max(times) <= self.since - SHORTLY

    def by_group(self) -> Mapping[str, Mapping[str, Status]]:
        """Return the statuses of the files of each group, by its xid and by path."""
        found: defaultdict[str, dict[str, Status]] = defaultdict(dict)
        inside, of_group = "", found[""]
        for path, status in self.statuses.items():
            if not inside or not path.startswith(inside):
                inside, of_group = "/".join((*path.split("/")[:GROUP_FOLDERS], "")), found[group_of(path)]
            of_group[path] = status
        return found


def standing(folder: Path) -> Standing:
    """Return the files of a registry folder.

    Raises:
        WholeError: some are left out.
    """
    root, since = folder.resolve(), time_ns()
    listing, statuses = files.surveyed(root)
    if listing.problems:
        raise WholeError
    return Standing(root, statuses, since)


@mutable
class Tracing:
    """A parser that keeps the traces of the files that it parses."""

    given: Parse
    terms: Terms
    known: dict[bytes, Trace] = field(default_factory=dict)

    def parse(self, data: bytes) -> Parsed:
        """Return what the given parser returns, and keep the trace."""
        parsed = self.given(data)
        if not parsed.problems and isinstance(parsed.value, dict):
            self.known[data] = trace_of_value(data, parsed.value, self.terms)
        return parsed

    def present(self, now: Standing, earlier: Folders) -> Folders:
        """Return the files as they are now.

        Groups of ``earlier`` that nobody has changed are not read again, unless they were new when they were looked at.

        Raises:
            WholeError: one of them can't be read, or not as a whole.
        """
        found = {}
        for group, statuses in now.by_group().items():
            old, mark = earlier.get(group), mark_of(statuses)
            if old is None or old.mark != mark:
                known = old.files if old else {}
                files = {path: self._present(now, path, known.get(path)) for path in statuses}
                old = folder(group, files, mark if all(map(now.is_settled, statuses.values())) else "")
            found[group] = old
        return found

    def _present(self, now: Standing, path: str, old: Traced | None) -> Traced:
        blob = blob_id(now.read(path)).decode()
        if old is not None and old.blob == blob:
            return old
        return Traced(blob, *self._trace(path, now.read(path)))

    def former(self, state: State, present: Folders) -> Folders:
        """Return the files of another state; those that are ``present`` with the same bytes are not looked at again.

        Raises:
            WholeError: one of them can't be read as a whole.
        """
        blobs: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for path, blob in state.blobs.items():
            blobs[group_of(path)][path] = blob
        found = {}
        for group, paths in blobs.items():
            now = present.get(group)
            known = now.files if now else {}
            if now is None or paths != {path: file.blob for path, file in known.items()}:
                files = {path: self._former(state, path, blob, known.get(path)) for path, blob in paths.items()}
                now = folder(group, files)
            found[group] = now
        return found

    def _former(self, state: State, path: str, blob: str, old: Traced | None) -> Traced:
        if old is not None and old.blob == blob:
            return old
        return Traced(blob, *self._trace(path, state.read(path)))

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
