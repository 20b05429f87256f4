"""Environments that hold certain packages and nothing else, made of links to those that are installed here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def environment(wheel: Path, folder: Path, extras: Iterable[str] = ()) -> Path:
    """Return a folder with the wheel unpacked, and all that it needs with these extras."""
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    (unpacked,) = Distribution.discover(name="xregit", path=[str(folder)])
    for found in needed(unpacked, frozenset(extras)).values():
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (folder / name).exists():
                (folder / name).symlink_to(str(found.locate_file(name)))
    return folder


def needed(of: Distribution, extras: frozenset[str]) -> dict[str, Distribution]:
    """Return the distributions that one needs with some extras, by their names, without itself."""
    result: dict[str, Distribution] = {}
    pending = [(of, extras)]
    while pending:
        parent, wanted = pending.pop()
        for line in parent.requires or ():
            requirement = Requirement(line)
            name = canonicalize_name(requirement.name)
            chosen = (
                any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *wanted))
                if (requirement.marker)
                else True
            )
            if not chosen or (name in result and not requirement.extras):
                continue
            known = of if name == "xregit" else distribution(name)
            if name != "xregit":
                result[name] = known
            pending.append((known, frozenset(requirement.extras)))
    return result


def python(packages: Path, *arguments: str, at: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder with these packages alone."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, "-S", *arguments],
        cwd=at,
        env=surroundings | {"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
