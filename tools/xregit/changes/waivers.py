"""``registry/waivers.yaml`` to the breaks that are let through: which, why, by whom, until when.

What has the wrong form is left out; `check` reports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change


@record
class Waiver:
    """One intended break; ``index`` is its place in the file. A wildcard in ``xid`` stands for any part of it."""

    index: int
    xid: str
    rule: str
    attribute: str
    reason: str
    approvedby: str
    until: date

    def covers(self, change: Change) -> bool:
        """Tell whether it is about a change; without an attribute it is about all of an entity."""
        return (
            self.rule == change.rule and self.attribute in {"", change.attribute} and fnmatchcase(change.xid, self.xid)
        )


def waivers(registry: Registry) -> Iterator[Waiver]:
    """Give the waivers of a registry, in their order."""
    stated = registry.waivers.get("waivers")
    for index, item in enumerate(stated if isinstance(stated, list) else ()):
        found = _waiver(index, item) if isinstance(item, Mapping) else None
        if found is not None:
            yield found


def _waiver(index: int, item: Mapping[str, Any]) -> Waiver | None:
    texts = [item.get(name, "") for name in ("xid", "rule", "attribute", "reason", "approvedby", "until")]
    if not all(isinstance(text, str) for text in texts) or not all(texts[:2] + texts[3:]):
        return None
    try:
        until = date.fromisoformat(texts[5])
    except ValueError:
        return None
    return Waiver(index, texts[0], texts[1], texts[2], texts[3], texts[4], until)
