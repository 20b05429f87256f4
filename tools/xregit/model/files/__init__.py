"""The model files, one folder per specification version, as plain values."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE = Path(__file__).parent


@cache
def content(specversion: str) -> Mapping[str, Any]:
    """Return the values of a specification version's files by their path, such as ``protocols/mqtt.yaml``.

    Raises:
        XregitError: there are no files for that version.
    """
    import yaml

    folder = _HERE / specversion
    known = sorted(item.name for item in _HERE.iterdir() if (item / "core.yaml").is_file())
    if specversion not in known:
        message = f'there is no model for the specification version "{specversion}"; known: {", ".join(known)}'
        raise XregitError(message)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {
        path.relative_to(folder).as_posix(): yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 - a safe loader
        for path in sorted(folder.rglob("*.yaml"))
    }
