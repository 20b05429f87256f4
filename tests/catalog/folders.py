"""Registry folders for tests, written from a mapping of relative path to text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from xregit.catalog import Registry, read_folder


def folder(root: Path, files: Mapping[str, str]) -> Path:
    """Write the files, and the registry and group files that are left out."""
    registry = root / "registry"
    described = {path.rpartition("/")[0] for path in files if path.count("/") == 2}
    for path in files:
        parts = path.split("/")
        if len(parts) > 2 and "/".join(parts[:2]) not in described:
            singular = parts[0].removesuffix("s")
            _write(registry / parts[0] / parts[1] / f"{singular}.yaml", "description: A group.\n")
    for path, text in {"registry.yaml": "registryid: test\n", **files}.items():
        _write(registry / path, dedent(text).lstrip("\n"))
    return registry


def registry_of(root: Path, files: Mapping[str, str]) -> Registry:
    """Write the files and read them back."""
    return read_folder(folder(root, files))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
