"""The small registry, in a folder that Git knows nothing of, so that its times are always the same."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

from xregit.catalog import Registry, read_folder
from xregit.source import yaml_loader

CASES = Path(__file__).parents[1] / "cases" / "document"


def small_folder(root: Path) -> Path:
    """Copy the small registry below a folder."""
    return copytree(CASES / "small", root / "registry")


def small_registry(root: Path) -> Registry:
    """Return the small registry."""
    return read_folder(small_folder(root))


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    result: list[dict[str, Any]] = yaml_loader.parse((CASES / f"{name}.yaml").read_bytes()).value
    return result


def tree(folder: Path) -> dict[str, str]:
    """Return the text of all files below a folder, by relative path; bytes that are no text stand escaped."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode(errors="backslashreplace") for path in files}
