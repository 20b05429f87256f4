"""Which messages say the same in two registries, seen from what is written, so that nobody has to resolve them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from xregit.catalog.resolving import SELECTORS, base_xid, group_of
from xregit.changes.alike import alike
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.entities import Resource
    from xregit.catalog.registry import Registry


@record
class Unchanged:
    """Two registries, and which of their messages are known to say the same or not."""

    before: Registry
    after: Registry
    known: dict[str, bool] = field(default_factory=dict)

    def holds(self, old: Resource, new: Resource) -> bool:
        """Tell whether a message, its group as far as it counts, and all that it builds on are written alike."""
        chain = []
        while new.xid not in self.known:
            self.known[new.xid] = False  # a cycle, or a message that differs, changes what builds on it
            chain.append(new.xid)
            if not self.is_written_alike(old, new):
                break
            below = new.xref or base_xid(new.attributes)
            old_base, new_base = self.before.resource(below), self.after.resource(below)
            if old_base is None or new_base is None:
                self.known[new.xid] = old_base is new_base
                break
            old, new = old_base, new_base
        result = self.known[new.xid]
        self.known.update(dict.fromkeys(chain, result))
        return result

    def is_written_alike(self, old: Resource, new: Resource) -> bool:
        """Tell whether two messages state the same, and their groups the same envelope and protocol."""
        groups = group_of(self.before, old), group_of(self.after, new)
        stated = [[group.attributes.get(name) for name in SELECTORS] if group else [] for group in groups]
        return old.xid == new.xid and alike(old.written, new.written) and stated[0] == stated[1]
