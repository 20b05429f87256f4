"""The findings in some files of a registry that was read as a whole, without checking all the rest.

A finding stands in a file of the group that it is about, though the rule may look at the whole registry from there.
Only rules about sound registries depend on findings elsewhere: if they find something, everything is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.layout import REGISTRY_FILE
from xregit.collecting import uncollected
from xregit.rules.listed import RULES
from xregit.rules.rule import SOUND
from xregit.rules.running import Report, examined, examined_part
from xregit.source.files import filename_to_id

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from xregit.catalog.registry import Registry
    from xregit.diagnostics import Diagnostic

_GROUP_PARTS = 2
_OF_SOUND = frozenset(item.name for item in RULES if item.about == SOUND)


def check_files(registry: Registry, paths: Collection[str], today: date | None = None) -> Report:
    """Return what is wrong with the files and folders at these paths, relative to the registry's folder."""
    with uncollected():
        found = _of_groups(registry, paths, today)
        if found is None:
            found = examined(registry, RULES, today).diagnostics
    return Report(tuple(item for item in found if _is_in(registry, item.path, paths)))


def _of_groups(registry: Registry, paths: Collection[str], today: date | None) -> tuple[Diagnostic, ...] | None:
    """Return what is wrong with the groups of these files; None where that depends on what is wrong elsewhere."""
    groups = frozenset(_group(registry, path) for path in paths)
    comments = [listed for file, listed in registry.directives.items() if _is_in(registry, file, paths)]
    accepted = any(name in item.text for listed in comments for item in listed for name in _OF_SOUND)
    if accepted or "" in groups or registry.problems:
        return None
    found = examined_part(registry, RULES, today, groups, sound=True).diagnostics
    depends = any(item.rule in _OF_SOUND and _is_in(registry, item.path, paths) for item in found)
    return None if depends else found


def _is_in(registry: Registry, file: str, paths: Collection[str]) -> bool:
    """Tell whether a file, by its path relative to the repository, is one of some files or in one of some folders.

    A folder in which any of them is counts as well: its path ends with a slash.
    """
    root = registry.place.path.removesuffix(REGISTRY_FILE)
    inside = any(f"{file}/".startswith(f"{root}{path}/" if path else root) for path in paths)
    return inside or (file.endswith("/") and any(f"{root}{path}".startswith(file) for path in paths))


def _group(registry: Registry, path: str) -> str:
    """Return the xid of the group in whose folder something is, empty where it is in none."""
    parts = path.split("/")
    xid = f"/{parts[0]}/{filename_to_id(parts[1])}" if len(parts) >= _GROUP_PARTS else ""
    return xid if registry.entity(xid) is not None else ""
