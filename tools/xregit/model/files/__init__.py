"""The model files, one folder per specification version, as plain values.

Where xregit is installed, what a folder's files hold stands beside it as JSON (``tools/hatch_build.py``): nearly every
command needs it, and it is read thirty times as fast. It counts as long as the files are those that it was made of.
"""

from __future__ import annotations

import os
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE = Path(__file__).parent
_YAML = ".yaml"


@cache
def content(specversion: str) -> Mapping[str, Any]:
    """Return the values of a specification version's files by their path, such as ``protocols/mqtt.yaml``.

    Raises:
        XregitError: there are no files for that version.
    """
    known = [item.name for item in folders()]
    if specversion not in known:
        message = f'there is no model for the specification version "{specversion}"; known: {", ".join(known)}'
        raise XregitError(message)
    return held(_HERE / specversion)


def folders() -> list[Path]:
    """Return the folder of each specification version."""
    return sorted(item for item in _HERE.iterdir() if (item / "core.yaml").is_file())


def held(folder: Path) -> Mapping[str, Any]:
    """Return what the files in a folder hold, by their paths: what was made of them, if they still are the same."""
    texts = _texts(folder)
    try:
        made = orjson.loads(_json_of(folder).read_bytes())
    except (OSError, ValueError):  # not installed, or cut off while it was
        made = {}
    values: Mapping[str, Any] = made["files"] if made.get("digest") == _digest(texts) else _values(texts)
    return values


def write_json(folder: Path) -> Path:
    """Write beside a folder what its files hold, and a digest of their texts; return where."""
    texts, place = _texts(folder), _json_of(folder)
    place.write_bytes(orjson.dumps({"digest": _digest(texts), "files": _values(texts)}))
    return place


def _json_of(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.json"


def _texts(folder: Path) -> Mapping[str, bytes]:
    folders = ((os.path.relpath(place, folder), names) for place, _, names in os.walk(folder))
    paths = (f"{place}/{name}".removeprefix("./") for place, names in folders for name in names if name.endswith(_YAML))
    return {path: (folder / path).read_bytes() for path in sorted(paths)}


def _digest(texts: Mapping[str, bytes]) -> str:
    return sha256(repr(texts).encode()).hexdigest()


def _values(texts: Mapping[str, bytes]) -> Mapping[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {path: yaml.load(text, Loader=loader) for path, text in texts.items()}  # noqa: S506 - a safe loader
