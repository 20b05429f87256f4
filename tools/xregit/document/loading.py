"""A path to the registry that is there: a folder of YAML files, or any xRegistry document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.arguments import to_path
from xregit.catalog.reading import read_folder
from xregit.diagnostics import Severity
from xregit.errors import CatalogError, XregitError

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog.registry import Registry


def read(path: Path | str) -> Registry:
    """Return the registry of a folder or document; what is wrong with its files stands in ``problems``.

    Raises:
        XregitError: there is nothing at the path, it is none, or the folder is no registry.
    """
    place = to_path(path)
    if not place.exists():
        message = f'there is no registry at "{place}"; name a registry folder or an xRegistry document'
        raise XregitError(message)
    if place.is_dir():
        return read_folder(place)
    from xregit.document.reading import read_document  # most registries are folders

    return read_document(place)


def load(path: Path | str) -> Registry:
    """Return the registry of a folder or document that can be read as a whole.

    Raises:
        CatalogError: some of its files can't be read as what they should be, and the registry's settings don't make
            light of it; it holds the diagnostics.
        XregitError: there is nothing at the path, or the folder is no registry.
    """
    registry = read(path)
    refuse_unread(registry)
    return registry


def refuse_unread(registry: Registry) -> None:
    """Stop where some files can't be read as what they should be.

    Raises:
        CatalogError: some can't, and the registry's settings don't make light of it; it holds the diagnostics.
    """
    from xregit.rules import found_in_reading

    errors = tuple(item for item in found_in_reading(registry) if item.severity is Severity.ERROR)
    if errors:
        raise CatalogError(errors, registry.origin.line)
