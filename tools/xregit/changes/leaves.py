"""Two states of an entity's attributes to the single values in which they differ."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.changes.alike import alike
from xregit.changes.table import table

if TYPE_CHECKING:
    from xregit.keypaths import NamePath


def leaves(
    before: Mapping[str, Any], after: Mapping[str, Any], skipped: Container[str] = (), path: NamePath = ()
) -> Iterator[tuple[NamePath, Any, Any]]:
    """Give each path whose value differs, with both values; None stands for what is not there, lists are values.

    At the top, ``skipped`` attributes and those that keep the books of a registry are left out.
    """
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if alike(old, new) or (not path and (name in skipped or name in table().bookkeeping)):
            continue
        inside = tuple(value for value in (old, new) if isinstance(value, Mapping))
        here = (*path, str(name))
        if inside and all(value is None or isinstance(value, Mapping) for value in (old, new)):
            yield from leaves(old or {}, new or {}, (), here)
            if not any(inside):
                yield here, old, new
        else:
            yield here, old, new
