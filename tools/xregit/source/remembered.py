"""The values of files, kept for later runs by Git's ids of their bytes, so that each file is parsed only once.

Only values without problems are kept, and only if JSON gives them back as they are. So the file that keeps them may be
lost, cut off or of another version, and no result is different.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import field
from functools import cache
from hashlib import sha1, sha256
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from xregit.errors import XregitError
from xregit.records import mutable
from xregit.source import yaml
from xregit.source.text import Parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES = 64 * 2**20
MAX_FILES = 16
_ID_DIGITS = 40
# Folders of the package on which no value, finding or document depends.
_UNASKED = frozenset({"__pycache__", "changes", "cli", "docs", "pages", "reports", "spark"})


@mutable
class Remembered:
    """Values as JSON by blob id; ``used`` are those that were asked for, ``known`` those of earlier runs."""

    known: dict[bytes, bytes] = field(default_factory=dict)
    used: dict[bytes, bytes] = field(default_factory=dict)

    def parse(self, data: bytes) -> Parsed:
        """Return what ``yaml.parse`` does; each time a value of its own, which the caller may change."""
        blob = blob_id(data)
        text = self.used.get(blob) or self.known.get(blob)
        if text is None:
            parsed = yaml.parse(data)
            text = _text(parsed)
            if text is not None:
                self.used[blob] = text
            return parsed
        self.used[blob] = text
        return Parsed(orjson.loads(text))


def blob_id(data: bytes) -> bytes:
    """Return the id under which Git keeps a file of these bytes, unless it uses SHA-256, in hexadecimal digits."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()


def recall(file: Path) -> Remembered:
    """Return what an earlier run has kept; nothing where the file is missing, damaged, or of another version."""
    try:
        lines = opened(file.read_bytes()) or ()
    except OSError:
        return Remembered()
    return Remembered({bytes(line[:_ID_DIGITS]): bytes(line[_ID_DIGITS:]) for line in lines if line})


def keep(file: Path, remembered: Remembered, *, max_bytes: int = MAX_BYTES) -> None:
    """Keep the values that this run used, and as many of earlier ones as fit; failing to write is no fault."""
    if remembered.used.keys() <= remembered.known.keys():
        return
    lines: list[bytes] = []
    left = max_bytes
    for blob, text in {**remembered.used, **remembered.known}.items():
        left -= _ID_DIGITS + len(text) + 1
        if left < 0:
            break
        lines.append(blob + text)
    put(file, sealed(b"\n".join(lines)))


def put(file: Path, data: bytes) -> None:
    """Write a file for later runs, and remove those that were used longest ago; where that fails, nothing is kept."""
    from xregit.source import writing  # most runs keep nothing

    with suppress(XregitError, OSError):
        writing.write(file, data, lasting=False)  # what is damaged is found so
        _forget_oldest(file.parent)


def sealed(body: bytes) -> bytes:
    """Return the bytes below a line with the tool's version and their digest, which `opened` checks."""
    return _head(body) + b"\n" + body


def opened(data: bytes) -> Sequence[memoryview] | None:
    """Return the lines of `sealed` bytes, uncopied; None if they are damaged or of another version."""
    view, start = memoryview(data), data.find(b"\n") + 1
    if data[:start] != _head(view[start:]) + b"\n":
        return None
    lines = []
    while (end := data.find(b"\n", start)) >= 0:
        lines.append(view[start:end])
        start = end + 1
    return [*lines, view[start:]]


def _forget_oldest(folder: Path) -> None:
    kept = (path for path in folder.glob("[!.]*") if path.is_file())  # hidden ones are being written by other runs
    files = sorted(kept, key=lambda path: path.stat().st_mtime)
    for path in files[:-MAX_FILES]:
        path.unlink(missing_ok=True)


def _text(parsed: Parsed) -> bytes | None:
    """Return a value as JSON on one line, or None where JSON could not tell all of it."""
    if parsed.problems or parsed.plain or not isinstance(parsed.value, dict):
        return None
    try:
        return orjson.dumps(parsed.value)
    except orjson.JSONEncodeError:  # an integer of more than 64 bits
        return None


def _head(body: bytes | memoryview) -> bytes:
    return f"xregit {_tool()} {sha256(body).hexdigest()}".encode()


@cache
def _tool() -> str:
    """Return a digest of the tool's code, of the packages installed beside it, and of Python's version."""
    package = Path(__file__).parent.parent
    found = sha256(sys.version.encode())
    for place in (Path(name) for name in sys.path if name.endswith("-packages")):
        # An installed package has a folder that is named after its version.
        if place.is_dir():
            names = sorted(path.name for path in place.iterdir())
            found.update(repr((str(place), place.stat().st_mtime_ns, names)).encode())
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(set(folders) - _UNASKED)
        for name in sorted(names):
            path = f"{folder}/{name}"
            status = os.stat(path)  # noqa: PTH116 - pathlib takes twice as long, and these are hundreds
            found.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()
