"""The files of a registry as they stand, and what each of them has to do with others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from xregit.catalog import read_files
from xregit.catalog.layout import SETTINGS_FILE
from xregit.catalog.origin import repository_of
from xregit.catalog.owners import read_owners
from xregit.catalog.parts import Traced
from xregit.catalog.settings import settings_of
from xregit.catalog.traces import Trace, group_of, trace_of_document, trace_of_value
from xregit.errors import XregitError
from xregit.model import builtin
from xregit.source import files
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog.parts import Files
    from xregit.catalog.reading import Parse
    from xregit.catalog.registry import Registry
    from xregit.source.text import Parsed

YAML, VERSIONS = ".yaml", "/versions/"
IGNORED = Trace((), (), "")


class WholeError(XregitError):
    """Nothing less than the whole registry can tell."""


@dataclass(frozen=True, slots=True)
class State:
    """The files of a registry at some time, by their paths below its folder: Git's ids of them, and how to read one."""

    blobs: Mapping[str, str]
    read: Callable[[str], bytes]


@dataclass(frozen=True)
class Standing:
    """The files of a registry folder as they are now, by their paths below it."""

    root: Path
    contents: Mapping[str, bytes]

    @cached_property
    def state(self) -> State:
        """The files with the ids under which Git keeps, or would keep, them."""
        return State({path: blob_id(data).decode() for path, data in self.contents.items()}, self.contents.__getitem__)

    @cached_property
    def prefix(self) -> str:
        """What the paths of the files begin with in the repository."""
        return f"{self.root.relative_to(repository_of(self.root)).as_posix()}/"

    @cached_property
    def context(self) -> str:
        """What findings depend on beside the files: where they are, and who owns what."""
        owners = read_owners(repository_of(self.root))
        return repr((str(self.root), self.prefix, owners.path, owners.unread, blob_id(owners.text.encode())))

    def registry(self, parse: Parse, groups: Collection[str] | None = None) -> Registry:
        """Return the registry, or the part of it that is made of groups of these xids."""
        paths = tuple(path for path in self.contents if groups is None or group_of(path) in {"", *groups})
        return read_files(self.root, files.Listing(paths), self.contents.__getitem__, parse)

    def baseurl(self, parse: Parse) -> str:
        """Return the base URL that the settings state, or an empty string."""
        data = self.contents.get(SETTINGS_FILE)
        return settings_of(parse(data).value).baseurl if data is not None else ""


def standing(folder: Path) -> Standing:
    """Return the files of a registry folder.

    Raises:
        WholeError: one of them can't be read.
    """
    root = folder.resolve()
    listing = files.listing(root)
    if listing.problems:
        raise WholeError
    try:
        return Standing(root, {path: files.read(root, path) for path in listing.files})
    except files.FileError as error:
        raise WholeError from error


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

    def files(self, state: State, earlier: Files) -> Files:
        """Return what files have to do with others; those of ``earlier`` that are the same are not looked at again.

        Raises:
            WholeError: one of them holds no attributes, or is not read as a whole.
        """
        found = {}
        for path, blob in state.blobs.items():
            old = earlier.get(path)
            found[path] = old if old and old.blob == blob else Traced(blob, self._trace(path, state.read(path)))
        return found

    def _trace(self, path: str, data: bytes) -> Trace:
        if VERSIONS in path:
            return trace_of_document(data)
        if not path.endswith(YAML):
            return IGNORED
        if data not in self.known:
            self.parse(data)
        if data not in self.known:
            raise WholeError
        return self.known[data]
