"""Where a registry was read from: its texts, for positions, and its history, both read on demand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from xregit.catalog.entities import Place
from xregit.diagnostics import Span
from xregit.json_pointer import KeyPath
from xregit.source import json_loader, yaml_loader
from xregit.source.commit_log import History
from xregit.source.parse_result import UTF8_BOM, Positions, Spot

# What may stand between a value and its members, which normalising moves up ("unwrap" in the model's files).
_WRAPPERS = ("options", "attributes")
_LINE_BREAK = re.compile("\r\n|\n|\r")


@dataclass(frozen=True, eq=False)
class Origin:
    """The folder that paths are relative to (a repository's root), and what was read below it.

    ``root`` is the registry's own folder, or the file of a registry that was read from one document. Of a registry
    that was read at a ``commit``, ``texts`` holds the files by their paths relative to the repository. Of a document in
    another dialect, ``moved`` leads from the pointer under our names to that of the document.
    """

    repository: Path
    root: Path
    commit: str = ""
    texts: Mapping[str, bytes] | None = None
    moved: Mapping[KeyPath, KeyPath] = field(default_factory=dict)

    @cached_property
    def history(self) -> History:
        """The history of the files in Git; empty, with a reason, where there is none."""
        from xregit.source.commit_log import read  # a check needs no history

        return read(self.root if self.root.is_dir() else self.root.parent, self.commit or "HEAD")

    @property
    def doubt(self) -> str:
        """Why epochs and times may not be those of the whole history, and what helps; empty if there is no doubt."""
        if self.root.is_file():
            return ""
        if self.history.reason:
            return f"every epoch is 1 and no time is known, since {self.history.reason}"
        if self.history.shallow:
            from xregit.source.repository import WHOLE_HISTORY

            return f"epochs and times may be wrong, since this clone is shallow; {WHOLE_HISTORY}"
        return ""

    def span(self, place: Place, path: KeyPath = (), *, on_key: bool = False) -> Span:
        """Return where a value, or its nearest ancestor, stands in its file; lines are 0 if the text can't be read."""
        data = self._read(place.path)
        if data is None:
            return Span()
        positions = _positions(data, is_json=place.path.endswith(".json"))
        return positions.span(
            _nested(original_pointer(place.pointer + path, self.moved), positions.root), on_key=on_key
        )

    def line(self, path: str, number: int) -> str | None:
        """Return the text of a file's line, counted from 1; None where there is none, or its file can't be read."""
        data = self._read(path)
        if data is None:
            return None
        lines = _lines(data)
        return lines[number - 1] if 0 < number <= len(lines) else None

    def _read(self, path: str) -> bytes | None:
        if self.texts is not None:
            return self.texts.get(path)
        if path not in self._files:
            try:
                self._files[path] = (self.repository / path).read_bytes()
            except OSError:
                self._files[path] = None
        return self._files[path]

    @cached_property
    def _files(self) -> dict[str, bytes | None]:
        return {}


@lru_cache(maxsize=4)
def _lines(data: bytes) -> list[str]:
    return _LINE_BREAK.split(data.removeprefix(UTF8_BOM).decode(errors="replace"))


@lru_cache(maxsize=64)
def _positions(data: bytes, *, is_json: bool) -> Positions:
    return json_loader.positions(data) if is_json else yaml_loader.positions(data)


def original_pointer(path: KeyPath, moved: Mapping[KeyPath, KeyPath]) -> KeyPath:
    """Return the pointer in a document, given the one under our names; parts move with the whole."""
    for length in range(len(path) if moved else 0, 0, -1):
        if path[:length] in moved:
            return moved[path[:length]] + path[length:]
    return path


def _nested(path: KeyPath, spot: Spot) -> KeyPath:
    """Return the path in the text of a value that normalising has moved one level up."""
    for index, part in enumerate(path):
        if part not in spot.inside:
            names = (name for name in _WRAPPERS if name in spot.inside and part in spot.inside[name].inside)
            return next(((*path[:index], name, *path[index:]) for name in names), path)
        spot = spot.inside[part]
    return path


def repository_of(folder: Path) -> Path:
    """Return the folder itself or the nearest above it that Git calls a repository, else the folder's parent."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return folder.parent


def prefix_of(root: Path, repository: Path) -> str:
    """Return what paths below a folder begin with in its repository: its own path and a slash, nothing at the top."""
    return "" if root == repository else f"{root.relative_to(repository).as_posix()}/"
