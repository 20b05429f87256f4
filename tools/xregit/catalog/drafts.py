"""What the files of a folder state, gathered before it is known how they belong together."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Document, Place
from xregit.catalog.resolving import BASE, SELECTORS, base_xid
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.model.language import NOTHING
from xregit.records import mutable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.origin import Origin
    from xregit.model.language import GroupModel, ResourceModel
    from xregit.source.directives import Directive

NOWHERE = Place("")
# A longer chain may leave a number where text was due; `check` then says so.
MAX_BASES_FOR_SELECTORS = 32
_GROUP_PARTS, _RESOURCE_PARTS = 2, 4


@mutable
class Draft:
    """A resource while its files are still being read."""

    type: ResourceModel
    value: dict[str, Any] | None = None
    place: Place = NOWHERE
    documents: dict[str, Document] = field(default_factory=dict)


@mutable
class GroupDraft:
    """A group while its files are still being read; ``drafts`` are its resources by plural name and id."""

    type: GroupModel
    attributes: dict[str, Any] | None = None
    place: Place = NOWHERE
    drafts: dict[str, dict[str, Draft]] = field(default_factory=dict)


@mutable
class Drafts:
    """All groups of a folder by plural name and id, and the faults found so far.

    ``broken`` are the files of which nothing could be read, ``numbered`` those with numbers that know their text;
    ``directives`` are the comments for this tool, by file.
    """

    origin: Origin
    prefix: str
    groups: dict[str, dict[str, GroupDraft]] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    numbered: set[str] = field(default_factory=set)
    directives: dict[str, tuple[Directive, ...]] = field(default_factory=dict)

    def place(self, path: str) -> Place:
        """Return the place of a file that is named relative to the registry folder."""
        return Place(self.prefix + path)

    def report(self, place: Place, rule: str, message: str, remedy: str, span: Span | None = None) -> None:
        """Add a diagnostic about a file, at a span of it where that is known."""
        where = span or Span()
        line = (where.line, where.column, where.endline, where.endcolumn)
        self.problems.append(Diagnostic(rule, Severity.ERROR, place.path, message, *line, help=remedy))

    def report_key(self, place: Place, rule: str, message: str, remedy: str) -> None:
        """Add a diagnostic about the key at a place."""
        self.report(place, rule, message, remedy, self.origin.span(place, on_key=True))

    def group(self, xid: str) -> GroupDraft | None:
        """Return the group in which an entity is, or would be."""
        parts = xid.split("/", 3)
        return self.groups.get(parts[1], {}).get(parts[2]) if len(parts) > _GROUP_PARTS else None

    def resource(self, xid: str) -> Draft | None:
        """Return the resource of an xid, or the one whose version it names."""
        group = self.group(xid)
        parts = xid.split("/")
        return group.drafts.get(parts[3], {}).get(parts[4]) if group and len(parts) > _RESOURCE_PARTS else None

    def selectors(self, xid: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the envelope and protocol that a message's group or bases state, as far as the message does not."""
        found: dict[str, Any] = {}
        for _ in range(MAX_BASES_FOR_SELECTORS):
            group = self.group(xid)
            for stated in (value, (group.attributes if group else None) or NOTHING):
                for name in SELECTORS:
                    if name in stated:
                        found.setdefault(name, stated[name])
            if BASE not in value or len(found) == len(SELECTORS):
                break
            xid = base_xid(value)
            draft = self.resource(xid)
            if draft is None or draft.value is None:
                break
            value = draft.value
        return found
