"""The addresses of the site's pages that no entity has, and the ids of headings and pages for names of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.pages.renderer import anchor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.model.language import Model

ALL_MESSAGES = "all-messages/"
RULES = "check-rules/"
MODEL = "model-reference/"
PLACEHOLDERS = "all-placeholders/"
LABELS = "all-labels/"
OWNERS = "all-owners/"
DEPRECATIONS = "all-deprecations/"
CHANGES = "all-changes/"
NAMES = "all-fields/"
# The name of a group type has no hyphen, so that only these two may be those of one.
MAP = "map/"
RECOGNISE = "recognise/"


def own(model: Model, page: str) -> str:
    """Return the address of a page of ours, another one where the groups of a type stand at that."""
    return f"the-{page}" if page.rstrip("/") in model.groups else page


def caseless(name: str) -> tuple[str, str]:
    """Return what names are put in order by, as people look for them: whatever their case."""
    return name.lower(), name


def ids(titles: Iterable[str]) -> dict[str, str]:
    """Return an id for each title; of those that differ only in case or signs, all but the first get numbers."""
    found: dict[str, str] = {}
    taken: dict[str, int] = {}  # how often each has been asked for
    for title in titles:
        base = free = anchor(title) or "entry"
        while free in taken:  # another title may end in that number
            taken[base] += 1
            free = f"{base}-{taken[base]}"
        taken[free] = 1
        found[title] = free
    return found
