"""YAML files of this package to their values, read from a JSON file that ``tools/hatch_build.py`` makes of them.

JSON is read thirty times as fast. The JSON file holds a digest of the YAML files and counts only while that is right,
so an edit of a YAML file takes effect at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from pathlib import Path

_YAML = ".yaml"

Parse = Callable[[bytes], Any]


def read_prepared(folder: Path, place: Path, parse: Parse) -> Mapping[str, Any]:
    """Return the values of the YAML files below a folder, by path; ``place`` is where the JSON made of them may be.

    Paths are relative, with slashes. ``parse`` takes a file's bytes and returns plain values.

    Raises:
        OSError: a YAML file can't be read.
    """
    texts = _texts(folder)
    try:
        made = orjson.loads(place.read_bytes())
    except (OSError, ValueError):  # never made, or cut off while it was written
        made = {}
    values: Mapping[str, Any] = made["files"] if made.get("digest") == _digest(texts) else _values(texts, parse)
    return values


def write_prepared(folder: Path, place: Path, parse: Parse) -> Path:
    """Write the JSON file with the values of the YAML files and the digest of their texts; return its place.

    A file that holds them already stays as it is, since what runs keep counts only while the package is the same.

    Raises:
        OSError: a YAML file can't be read, or the place not be written to.
    """
    texts = _texts(folder)
    made = orjson.dumps({"digest": _digest(texts), "files": _values(texts, parse)})
    if not place.is_file() or place.read_bytes() != made:
        place.write_bytes(made)
    return place


def _texts(folder: Path) -> Mapping[str, bytes]:
    folders = ((os.path.relpath(place, folder), names) for place, _, names in os.walk(folder))
    paths = (f"{place}/{name}".removeprefix("./") for place, names in folders for name in names if name.endswith(_YAML))
    return {path: (folder / path).read_bytes() for path in sorted(paths)}


def _digest(texts: Mapping[str, bytes]) -> str:
    return sha256(repr(texts).encode()).hexdigest()


def _values(texts: Mapping[str, bytes], parse: Parse) -> Mapping[str, Any]:
    return {path: parse(text) for path, text in texts.items()}
