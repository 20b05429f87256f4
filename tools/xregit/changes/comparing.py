"""Two states of a registry to all changes between them, the worst first, each said once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.registry import expect_registry
from xregit.changes import endpoints, payloads, wire
from xregit.changes.change import Change, Difference, worst_first
from xregit.changes.drafts import LABEL, is_draft
from xregit.changes.leaves import leaves
from xregit.changes.matching import Matched, matched, members
from xregit.changes.parts import parts
from xregit.changes.reaching import said_once
from xregit.changes.sides import Side, is_readable
from xregit.changes.unchanged import Unchanged
from xregit.changes.verdicts import judged, shown
from xregit.collecting import uncollected
from xregit.model.language import NOTHING
from xregit.xid import parent

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

# Attributes of schemas that are compared elsewhere: by `payloads`, and as deprecations.
_DOCUMENTS = frozenset({"deprecated", "schema", "schemabase64", "schemaurl", "versions"})
REGISTRY_ID = ("registryid",)
_SELECTORS = frozenset({"envelope", "protocol", "deprecated"})


def diff(before: Registry, after: Registry, renamed: Mapping[str, str] = NOTHING) -> tuple[Change, ...]:
    """Return what changed between two states of a registry, resolved, and what that does to whom; the worst first.

    ``renamed`` maps the old xids to the new ones of what is known to be the same, whatever it says now. What can't be
    read in either state, or builds on what can't be, is left out: `check` reports it.

    Raises:
        XregitError: one of the two is no registry.
    """
    for state in (before, after):
        expect_registry(state)
    with uncollected():
        found = _Comparing(before, after, renamed)
        return tuple(sorted((judged(item) for item in found.differences()), key=worst_first))


class _Comparing:
    """One comparison; ``matched`` says which entities belong together."""

    def __init__(self, before: Registry, after: Registry, renamed: Mapping[str, str]) -> None:
        self.before, self.after = before, after
        self.matched: Matched = matched(before, after, renamed)
        self.unchanged = Unchanged(before, after)
        self.divided = parts(before, after, self.matched.added)
        self.joined = parts(after, before, self.matched.removed)
        self.old_name = {new: old for old, new in self.matched.renamed.items()}

    def differences(self) -> Iterator[Difference]:
        yield from self.of_registry()
        yield from self.come_and_gone()
        yield from self.moved()
        messages: dict[str, list[Difference]] = {}
        pairs: dict[str, tuple[Side, Side]] = {}
        for xid in self.after:
            old, new = self.before.entity(self.old_name.get(xid, xid)), self.after.entity(xid)
            if isinstance(old, Group) and isinstance(new, Group):
                if not (self.before.unreadable(old.xid) or self.after.unreadable(xid)):
                    yield from self.of_group(old, new)
            elif isinstance(old, Resource) and isinstance(new, Resource) and self.readable(old, new):
                yield from _of_meta(new.xid, new.type.singular, old.meta, new.meta)
                if new.type.plural == "messages" and not self.unchanged.holds(old, new):
                    pairs[xid] = (Side(self.before, old), Side(self.after, new))
                    messages[xid] = [*wire.differences(xid, *pairs[xid]), *payloads.of_message(xid, *pairs[xid])]
                elif new.type.plural != "messages":
                    yield from self.of_other(old, new)
        yield from said_once(messages, pairs)

    def readable(self, old: Resource, new: Resource) -> bool:
        return is_readable(self.before, old) and is_readable(self.after, new)

    def of_registry(self) -> Iterator[Difference]:
        """Give what the registry says otherwise of itself."""
        if any(state.place.path in state.broken for state in (self.before, self.after)):
            return
        for path, one, other in leaves(self.before.attributes, self.after.attributes):
            if path == REGISTRY_ID and (one is None or other is None):
                continue  # compiling and importing give a registry an id if it has none
            yield Difference("/", "registry", "attribute", "other", path, one, other)

    def come_and_gone(self) -> Iterator[Difference]:
        """Give the entities that are new or gone; for a group and all in it, the group alone."""
        for registry, xids, relation in (
            (self.before, self.matched.removed, "removed"),
            (self.after, self.matched.added, "added"),
        ):
            inside = {member for xid in xids for member in members(registry, xid)}
            for xid in xids:
                if xid in self.joined.whole_of:
                    yield Difference(xid, "endpoint", "entity", "joined", (), xid, self.joined.whole_of[xid])
                elif xid not in inside:
                    reaches = tuple(member for member in members(registry, xid) if member in xids)
                    reaches += tuple(carrier for carrier, _ in registry.indexes.carriers.get(xid, ()))
                    yield Difference(xid, _about(registry, xid), "entity", relation, reaches=reaches)

    def moved(self) -> Iterator[Difference]:
        """Give the entities with another xid; for a group and all that kept its id in it, the group alone."""
        renamed = self.matched.renamed
        for old, new in renamed.items():
            group = parent(old)
            with_group = renamed.get(group) == parent(new) and old.rsplit("/", 1)[1] == new.rsplit("/", 1)[1]
            if group and with_group:
                continue
            about = _about(self.after, new)
            same = "what it says stays the same" if about != "message" else "on the wire nothing changes by that"
            reaches = tuple(members(self.after, new))
            yield Difference(new, about, "entity", "renamed", (), old, new, {"same": same}, reaches)

    def of_group(self, old: Group, new: Group) -> Iterator[Difference]:
        about = new.type.singular
        yield from _of_meta(new.xid, about, old.attributes, new.attributes)
        if is_draft(old) != is_draft(new):
            yield Difference(new.xid, about, "draft", "removed" if is_draft(old) else "added", ("labels", LABEL))
        if about == "endpoint":
            whole = self.joined.together(old), self.divided.together(new)
            yield from endpoints.differences((self.before, self.after), *whole, self.matched.renamed)
        else:
            empty = not (old.collections.get("messages") and new.collections.get("messages"))
            skipped = {"deprecated"} if empty else _SELECTORS
            for path, one, other in leaves(old.attributes, new.attributes, skipped):
                if path != ("labels", LABEL) or is_draft(old) == is_draft(new):
                    yield Difference(new.xid, "group", "attribute", "other", path, one, other)

    def of_other(self, old: Resource, new: Resource) -> Iterator[Difference]:
        about = new.type.singular
        if new.type.hasdocument:
            yield from payloads.of_schema(new.xid, old, new, (self.before, self.after))
        for path, one, other in leaves(_said(old), _said(new), _DOCUMENTS):
            yield Difference(new.xid, about, "attribute", "other", path, one, other)


def _said(resource: Resource) -> Mapping[str, Any]:
    return {**resource.attributes, **resource.meta}


def _about(registry: Registry, xid: str) -> str:
    entity = registry.entity(xid)
    return entity.type.singular if isinstance(entity, Group | Resource) else ""


def _of_meta(xid: str, about: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Give what differs in an entity's deprecation."""
    old, new = before.get("deprecated"), after.get("deprecated")
    if old == new:
        return
    relation = "added" if old is None else "removed" if new is None else "changed"
    yield Difference(xid, about, "deprecation", relation, ("deprecated",), old, new, {"terms": _terms(new)})


def _terms(deprecated: Any) -> str:
    """Return what a deprecation announces, as the end of a sentence."""
    said = deprecated if isinstance(deprecated, dict) else {}
    parts = [
        f"{word} {shown(said[name]).strip(chr(34))}"
        for name, word in (("effective", "from"), ("removal", "will be removed at"), ("alternative", "in favour of"))
        if isinstance(said.get(name), str)
    ]
    return ": " + ", ".join(parts) if parts else ""
