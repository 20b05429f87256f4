"""Changes that a merge commit makes itself: lines and changes that come from none of its parents.

A branch's changes are reported at the commits that made them, so a merge that only joins branches has none.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xregit.changes.change import Change


Range = tuple[int, int]


def has_own_changes(
    after: Mapping[str, bytes], befores: Sequence[Mapping[str, bytes]], names: Mapping[str, Iterable[str]] = NOTHING
) -> bool:
    """Tell whether any file of a merge has, or lacks, lines where it differs from all parents; all are by their paths.

    ``names`` has the other names of files, under which a parent may have them.
    """
    return any(
        _is_own_change(
            after.get(path),
            [_parent_lines(files, path, names.get(path, ()) if path in after else ()) for files in befores],
        )
        for path in dict.fromkeys((*after, *(path for files in befores for path in files)))
    )


def _parent_lines(files: Mapping[str, bytes], path: str, names: Iterable[str]) -> bytes | None:
    return next((files[name] for name in (path, *names) if name in files), None)


def _is_own_change(after: bytes | None, befores: Sequence[bytes | None]) -> bool:
    if after in befores:
        return False
    lines = (after or b"").splitlines()
    own: list[Range] = [(0, len(lines))]
    for before in befores:
        ranges = _changed_ranges((before or b"").splitlines(), lines)
        own = [found for one in own for other in ranges if (found := _overlap(one, other)) is not None]
    return bool(own)


def _changed_ranges(before: Sequence[bytes], after: Sequence[bytes]) -> list[Range]:
    """Return the ranges of lines that are new; an empty one is where lines are gone."""
    found = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(start, end) for tag, _, _, start, end in found if tag != "equal"]


def _overlap(one: Range, other: Range) -> Range | None:
    start, end = max(one[0], other[0]), min(one[1], other[1])
    empty = one[0] == one[1] or other[0] == other[1]
    return (start, end) if start < end or (empty and start == end) else None


def changes_in_all(first: Iterable[Change], others: Iterable[Iterable[Change]]) -> tuple[Change, ...]:
    """Return the changes since a merge's first parent of what has changed since all its other parents, too."""
    changed = [{(change.xid, change.path) for change in changes} for changes in others]
    return tuple(change for change in first if all((change.xid, change.path) in places for places in changed))
