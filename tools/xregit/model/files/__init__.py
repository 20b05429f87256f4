"""The model files, one folder per specification version, as plain values; nearly every command needs them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from xregit.errors import XregitError

#: The specification version whose names we write.
SPECVERSION = "1.0-rc2"
_HERE = Path(__file__).parent


@cache
def content(specversion: str) -> Mapping[str, Any]:
    """Return the values of a specification version's files by their path, such as ``protocols/mqtt.yaml``.

    Raises:
        XregitError: there are no files for that version.
    """
    folders = {item.name: item for item in _HERE.iterdir() if (item / "core.yaml").is_file()}
    if specversion not in folders:
        versions = ", ".join(sorted(folders))
        raise XregitError(f'there is no model for the specification version "{specversion}"; known: {versions}')
    folder = folders[specversion]
    return {path.relative_to(folder).as_posix(): load_data(path) for path in sorted(folder.rglob("*.yaml"))}


def load_data(path: Path) -> Any:
    """Return the value of a YAML file of this package; those of users are read by `source.yaml_loader`."""
    return yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
