"""Where a registry was read from: its texts, for positions, and its history, both fetched only when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from xregit.diagnostics import Span
from xregit.source import yaml_loader
from xregit.source.parse_result import UTF8_BOM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from xregit.catalog.entities import Place
    from xregit.json_pointer import KeyPath
    from xregit.source.commit_log import History
    from xregit.source.parse_result import Positions, Spot


CACHED_FILES = 64


def _nowhere() -> Mapping[KeyPath, KeyPath]:
    return {}


def written(path: KeyPath, moved: Mapping[KeyPath, KeyPath]) -> KeyPath:
    """Return the pointer at which a value was written, given the one under our names; parts move with the whole."""
    for length in range(len(path) if moved else 0, 0, -1):
        if path[:length] in moved:
            return moved[path[:length]] + path[length:]
    return path


def _nested(path: KeyPath, spot: Spot) -> KeyPath:
    """Return the path at which a value was written that stands one level higher in what was read."""
    for index, part in enumerate(path):
        if part not in spot.inside:
            around = (name for name in _BETWEEN if name in spot.inside and part in spot.inside[name].inside)
            return next(((*path[:index], name, *path[index:]) for name in around), path)
        spot = spot.inside[part]
    return path


CACHED_FILES_OF_LINES = 4
# What may stand between a value and its members, which normalising moves up ("unwrap" in the model's files).
_BETWEEN = ("options", "attributes")
_LINE_BREAK = re.compile("\r\n|\n|\r")


@dataclass(frozen=True, eq=False)
class Origin:
    """The folder that paths are relative to (a repository's root), and what was read below it.

    ``root`` is the registry's own folder, or the file of a registry that was read from one document. Of a registry
    that was read at a ``commit``, ``texts`` holds the files by their paths relative to the repository. Of a document in
    another dialect, ``moved`` leads from the pointer under our names to that of the document. ``dated`` is the history
    where it is known already.
    """

    repository: Path
    root: Path
    commit: str = ""
    texts: Mapping[str, bytes] | None = None
    moved: Mapping[KeyPath, KeyPath] = field(default_factory=_nowhere)
    dated: History | None = None

    @cached_property
    def history(self) -> History:
        """What Git knows of the files; empty, with a reason, where Git knows nothing."""
        if self.dated is not None:
            return self.dated
        from xregit.source.commit_log import read  # a check asks for none of it

        return read(self.root if self.root.is_dir() else self.root.parent, self.commit or "HEAD")

    @property
    def doubt(self) -> str:
        """Why epochs and times may not be those of the whole history, and what helps; empty if there is no doubt."""
        if self.root.is_file():
            return ""
        if self.history.reason:
            return f"every epoch is 1 and no time is known, since {self.history.reason}"
        if self.history.shallow:
            from xregit.source.repository import WHOLE_HISTORY  # as above

            return f"epochs and times may be wrong, since this clone is shallow; {WHOLE_HISTORY}"
        return ""

    def span(self, place: Place, path: KeyPath = (), *, on_key: bool = False) -> Span:
        """Return where a value, or its nearest ancestor, stands in its file; lines are 0 if the text can't be read."""
        positions = self._positions(place.path)
        if positions is None:
            return Span()
        return positions.span(_nested(written(place.pointer + path, self.moved), positions.root), on_key=on_key)

    def line(self, path: str, number: int) -> str | None:
        """Return the text of a file's line, counted from 1; None where there is none, or its file can't be read."""
        lines = self._lines(path)
        return lines[number - 1] if lines and 0 < number <= len(lines) else None

    def _lines(self, path: str) -> tuple[str, ...] | None:
        if self.texts is None:
            return _lines_on_disk(self.repository / path)
        data = self.texts.get(path)
        return None if data is None else _lines_in(data)

    def _positions(self, path: str) -> Positions | None:
        if self.texts is None:
            return _positions_on_disk(self.repository / path)
        data = self.texts.get(path)
        return None if data is None else _positions_in(data, is_json=path.endswith(".json"))


@lru_cache(maxsize=CACHED_FILES)
def _positions_on_disk(file: Path) -> Positions | None:
    try:
        data = file.read_bytes()
    except OSError:
        return None
    return _positions_in(data, is_json=file.suffix == ".json")


@lru_cache(maxsize=CACHED_FILES_OF_LINES)
def _lines_on_disk(file: Path) -> tuple[str, ...] | None:
    try:
        return _lines_in(file.read_bytes())
    except OSError:
        return None


def _lines_in(data: bytes) -> tuple[str, ...]:
    text = data.removeprefix(UTF8_BOM).decode(errors="replace")
    return tuple(_LINE_BREAK.split(text))


@lru_cache(maxsize=CACHED_FILES)
def _positions_in(data: bytes, *, is_json: bool) -> Positions:
    if not is_json:
        return yaml_loader.positions(data)
    from xregit.source import json_loader  # only documents are JSON

    return json_loader.positions(data)


def repository_of(folder: Path) -> Path:
    """Return the nearest folder above that Git calls a repository, else the folder's parent."""
    for candidate in folder.parents:
        if (candidate / ".git").exists():
            return candidate
    return folder.parent
