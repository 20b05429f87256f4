"""The model files, one folder per specification version, as plain values; nearly every command needs them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.prepared import read_prepared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.prepared import Parse

#: The specification version whose names we write.
SPECVERSION = "1.0-rc2"
_HERE = Path(__file__).parent


@cache
def content(specversion: str) -> Mapping[str, Any]:
    """Return the values of a specification version's files by their path, such as ``protocols/mqtt.yaml``.

    Raises:
        XregitError: there are no files for that version.
    """
    known = sources()
    if specversion not in known:
        message = f'there is no model for the specification version "{specversion}"; known: {", ".join(known)}'
        raise XregitError(message)
    return read_prepared(*known[specversion])


def sources() -> Mapping[str, tuple[Path, Path, Parse]]:
    """Return for each specification version its folder, the place of the JSON made of its files, and their parser."""
    folders = sorted(item for item in _HERE.iterdir() if (item / "core.yaml").is_file())
    return {folder.name: (folder, _HERE / f"{folder.name}.json", _parse) for folder in folders}


def _parse(text: bytes) -> Any:
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
