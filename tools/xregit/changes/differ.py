"""All changes between two states of a registry, the worst first, each reported once."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import PARTS
from xregit.catalog.registry import expect_registry
from xregit.catalog.resolver import SELECTORS, base_xid, group_of
from xregit.changes import endpoint_diff, message_diff, schema_diff
from xregit.changes.attribute_diff import diff_leaves
from xregit.changes.change import Change, Difference, worst_first
from xregit.changes.endpoint_diff import split_endpoints
from xregit.changes.equality import alike
from xregit.changes.message_diff import PAYLOAD, MessageState, is_readable
from xregit.changes.policy import LABEL, is_draft
from xregit.changes.verdicts import judge, quote_value
from xregit.model.language import NOTHING
from xregit.xid import parent

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


# What tells a message from others beside its properties.
_OF_MESSAGES = ("envelope", "protocol", "envelopeoptions", "datacontenttype", *PARTS, *sorted(PAYLOAD))
_OF_ENDPOINTS = ("usage", "channel", "envelope", "protocol", "protocoloptions", "messagegroups")


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """Old xids to new ones of what has another name now, and what is gone or new altogether."""

    renamed: Mapping[str, str]
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """One of two registries, and those of its entities whose counterparts are still sought."""

    registry: Registry
    xids: list[str]


def match_entities(before: Registry, after: Registry, known: Mapping[str, str]) -> EntityMatch:
    """Return how the entities of two registries belong together; a file that can't be read hides nothing.

    ``known`` maps old xids to new ones of what is the same for sure.
    """
    old, new = set(before), set(after)
    gone = [xid for xid in before if xid not in new and not after.unreadable(xid)]
    come = [xid for xid in after if xid not in old and not before.unreadable(xid)]
    fresh = set(come)
    renamed = {xid: known[xid] for xid in gone if known.get(xid) in fresh}
    for step in (_match_by_content, _match_groups, _match_within_groups, _match_by_id):
        sides = Unmatched(before, _remaining(gone, renamed)), Unmatched(after, _remaining(come, renamed.values()))
        renamed |= step(*sides, renamed)
    return EntityMatch(renamed, tuple(_remaining(gone, renamed)), tuple(_remaining(come, renamed.values())))


def _remaining(xids: Iterable[str], taken: Iterable[str]) -> list[str]:
    without = set(taken)
    return [xid for xid in xids if xid not in without]


def _match_by_content(before: Unmatched, after: Unmatched, _: Mapping[str, str]) -> dict[str, str]:
    """Return those with the same content under another xid; of several, the same id goes first."""
    new = [(content, xid) for xid in after.xids if (content := _content_key(after.registry, xid)) is not None]
    old = [(content, xid) for xid in before.xids if (content := _content_key(before.registry, xid)) is not None]
    twins = {(content, _id_of(xid)): xid for content, xid in new}
    found = {xid: twin for content, xid in old if (twin := twins.pop((content, _id_of(xid)), None)) is not None}
    taken = set(found.values())
    others: dict[str, deque[str]] = defaultdict(deque)
    for content, xid in new:
        if xid not in taken:
            others[content].append(xid)
    for content, xid in old:
        if xid not in found and others[content]:
            found[xid] = others[content].popleft()
    return found


def _match_groups(before: Unmatched, after: Unmatched, known: Mapping[str, str]) -> dict[str, str]:
    """Return groups under other ids: most of what they held stands in the other, or all ids in it are the same."""
    free = {
        xid: frozenset(map(_id_of, resource_xids(after.registry, xid))) for xid in after.xids if _is_group(after, xid)
    }
    found: dict[str, str] = {}
    for xid in before.xids:
        if not _is_group(before, xid):
            continue
        held = list(resource_xids(before.registry, xid))
        ids = frozenset(map(_id_of, held))
        targets = Counter(_group_of(known[member]) for member in held if member in known)
        targets.update(other for other, others in free.items() if ids and ids == others)
        likely = next((other for other, _ in targets.most_common() if other in free), None)
        if likely is not None:
            found[xid] = likely
            del free[likely]
    return found


def _match_within_groups(before: Unmatched, after: Unmatched, known: Mapping[str, str]) -> dict[str, str]:
    """Return the resources of groups under other ids that kept their own."""
    free = set(after.xids)
    pairs = ((xid, f"{known.get(_group_of(xid), '')}/{xid.split('/', 3)[-1]}") for xid in before.xids)
    return {xid: other for xid, other in pairs if other in free}


def _match_by_id(before: Unmatched, after: Unmatched, _: Mapping[str, str]) -> dict[str, str]:
    """Return resources that stand in another group under the same id, where only one does."""
    left = [xid for xid in before.xids if not _is_group(before, xid)]
    free = [xid for xid in after.xids if not _is_group(after, xid)]
    counts = Counter(map(_id_of, left)), Counter(map(_id_of, free))
    alone = {_id_of(xid): xid for xid in free if counts[0][_id_of(xid)] == counts[1][_id_of(xid)] == 1}
    return {xid: alone[_id_of(xid)] for xid in left if _id_of(xid) in alone}


def _is_group(side: Unmatched, xid: str) -> bool:
    return isinstance(side.registry.entity(xid), Group)


def _content_key(registry: Registry, xid: str) -> str | None:
    """Return a text that is the same for entities with the same content; None for those that can't be recognised."""
    entity = registry.entity(xid)
    if isinstance(entity, Resource):
        if entity.type.plural == "messages":
            attributes = registry.resolved(xid).attributes
            said = {name: attributes[name] for name in _OF_MESSAGES if name in attributes}
            return repr((entity.xref, said)) if said or entity.xref else None
        documents = {vid: item.document.data for vid, item in entity.versions.items() if item.document}
        return repr((entity.type.plural, documents)) if any(documents.values()) else None
    if isinstance(entity, Group) and entity.type.plural == "endpoints":
        said = {name: entity.attributes[name] for name in _OF_ENDPOINTS if name in entity.attributes}
        return repr(("endpoint", said)) if "protocoloptions" in said else None
    return None


def resource_xids(registry: Registry, xid: str) -> Iterator[str]:
    """Give the xids of a group's resources."""
    group = registry.entity(xid)
    if isinstance(group, Group):
        yield from (resource.xid for held in group.collections.values() for resource in held.values())


def _id_of(xid: str) -> str:
    return xid.rsplit("/", 1)[1]


def _group_of(xid: str) -> str:
    return "/".join(xid.split("/")[:3])


@dataclass(frozen=True, slots=True)
class UnchangedMessages:
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


Pairs = Mapping[str, "tuple[MessageState, MessageState]"]
Key = tuple[object, ...]


def deduplicate(messages: Mapping[str, list[Difference]], pairs: Pairs) -> Iterator[Difference]:
    """Give each difference with the entity that causes it, and with all other messages that it reaches."""
    keys = {xid: {_cause_key(item) for item in found} for xid, found in messages.items()}
    first: dict[tuple[str, Key], Difference] = {}
    reached: dict[tuple[str, Key], list[str]] = defaultdict(list)
    for xid, found in messages.items():
        for item in found:
            owner = _cause_of(xid, item, keys, pairs)
            first.setdefault((owner, _cause_key(item)), item)
            if owner != xid:
                reached[owner, _cause_key(item)].append(xid)
    for (owner, key), item in first.items():
        about = item.about if owner in messages else "messagegroup"
        yield replace(item, xid=owner, about=about, reaches=tuple(sorted(reached[owner, key])))


def _cause_key(item: Difference) -> Key:
    """Return what a difference and those that it causes have in common, what they do to whom included."""
    change = judge(item)
    return (*item.key, change.rule, change.producer, change.consumer)


def _cause_of(xid: str, item: Difference, keys: Mapping[str, set[Key]], pairs: Pairs) -> str:
    """Return the farthest base message that differs in the same way, or the group that brings the difference."""
    key = _cause_key(item)
    owner = xid
    for base in pairs[xid][1].chain:
        if base not in keys or key not in keys[base]:
            break
        owner = base
    sides = pairs[owner]
    if item.path[0] in SELECTORS:
        groups = (group_of(side.registry, side.resource) for side in sides)
        stated = tuple(group.attributes.get(item.path[0]) if group else None for group in groups)
        if stated == (item.before, item.after):
            return sides[1].group
    return owner


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
    found = _Comparison(before, after, renamed)
    return tuple(sorted((judge(item) for item in found.differences()), key=worst_first))


class _Comparison:
    """One comparison; ``matched`` says which entities belong together."""

    def __init__(self, before: Registry, after: Registry, renamed: Mapping[str, str]) -> None:
        self.before, self.after = before, after
        self.matched: EntityMatch = match_entities(before, after, renamed)
        self.unchanged = UnchangedMessages(before, after)
        self.divided = split_endpoints(before, after, self.matched.added)
        self.joined = split_endpoints(after, before, self.matched.removed)
        self.old_name = {new: old for old, new in self.matched.renamed.items()}

    def differences(self) -> Iterator[Difference]:
        yield from self.of_registry()
        yield from self.come_and_gone()
        yield from self.moved()
        messages: dict[str, list[Difference]] = {}
        pairs: dict[str, tuple[MessageState, MessageState]] = {}
        for xid in self.after:
            old, new = self.before.entity(self.old_name.get(xid, xid)), self.after.entity(xid)
            if isinstance(old, Group) and isinstance(new, Group):
                if not (self.before.unreadable(old.xid) or self.after.unreadable(xid)):
                    yield from self.of_group(old, new)
            elif isinstance(old, Resource) and isinstance(new, Resource) and self.readable(old, new):
                yield from _diff_deprecation(new.xid, new.type.singular, old.meta, new.meta)
                if new.type.plural == "messages" and not self.unchanged.holds(old, new):
                    pairs[xid] = (MessageState(self.before, old), MessageState(self.after, new))
                    messages[xid] = [
                        *message_diff.diff_message(xid, *pairs[xid]),
                        *schema_diff.diff_message_schema(xid, *pairs[xid]),
                    ]
                elif new.type.plural != "messages":
                    yield from self.of_other(old, new)
        yield from deduplicate(messages, pairs)

    def readable(self, old: Resource, new: Resource) -> bool:
        return is_readable(self.before, old) and is_readable(self.after, new)

    def of_registry(self) -> Iterator[Difference]:
        """Give what the registry says otherwise of itself."""
        if any(state.place.path in state.broken for state in (self.before, self.after)):
            return
        for path, one, other in diff_leaves(self.before.attributes, self.after.attributes):
            if path == REGISTRY_ID and (one is None or other is None):
                continue  # compiling and importing give a registry an id if it has none
            yield Difference("/", "registry", "attribute", "other", path, one, other)

    def come_and_gone(self) -> Iterator[Difference]:
        """Give the entities that are new or gone; for a group and all in it, the group alone."""
        for registry, xids, relation in (
            (self.before, self.matched.removed, "removed"),
            (self.after, self.matched.added, "added"),
        ):
            inside = {member for xid in xids for member in resource_xids(registry, xid)}
            for xid in xids:
                if xid in self.joined.whole_of:
                    yield Difference(xid, "endpoint", "entity", "joined", (), xid, self.joined.whole_of[xid])
                elif xid not in inside:
                    reaches = tuple(member for member in resource_xids(registry, xid) if member in xids)
                    reaches += tuple(carrier for carrier, _ in registry.indexes.carriers.get(xid, ()))
                    yield Difference(xid, _entity_kind(registry, xid), "entity", relation, reaches=reaches)

    def moved(self) -> Iterator[Difference]:
        """Give the entities with another xid; for a group and all that kept its id in it, the group alone."""
        renamed = self.matched.renamed
        for old, new in renamed.items():
            group = parent(old)
            with_group = renamed.get(group) == parent(new) and old.rsplit("/", 1)[1] == new.rsplit("/", 1)[1]
            if group and with_group:
                continue
            about = _entity_kind(self.after, new)
            same = "what it says stays the same" if about != "message" else "on the wire nothing changes by that"
            reaches = tuple(resource_xids(self.after, new))
            yield Difference(new, about, "entity", "renamed", (), old, new, {"same": same}, reaches)

    def of_group(self, old: Group, new: Group) -> Iterator[Difference]:
        about = new.type.singular
        yield from _diff_deprecation(new.xid, about, old.attributes, new.attributes)
        if is_draft(old) != is_draft(new):
            yield Difference(new.xid, about, "draft", "removed" if is_draft(old) else "added", ("labels", LABEL))
        if about == "endpoint":
            whole = self.joined.together(old), self.divided.together(new)
            yield from endpoint_diff.diff_endpoint((self.before, self.after), *whole, self.matched.renamed)
        else:
            empty = not (old.collections.get("messages") and new.collections.get("messages"))
            skipped = {"deprecated"} if empty else _SELECTORS
            for path, one, other in diff_leaves(old.attributes, new.attributes, skipped):
                if path != ("labels", LABEL) or is_draft(old) == is_draft(new):
                    yield Difference(new.xid, "group", "attribute", "other", path, one, other)

    def of_other(self, old: Resource, new: Resource) -> Iterator[Difference]:
        about = new.type.singular
        if new.type.hasdocument:
            yield from schema_diff.diff_schema(new.xid, old, new, (self.before, self.after))
        for path, one, other in diff_leaves(_label(old), _label(new), _DOCUMENTS):
            yield Difference(new.xid, about, "attribute", "other", path, one, other)


def _label(resource: Resource) -> Mapping[str, Any]:
    return {**resource.attributes, **resource.meta}


def _entity_kind(registry: Registry, xid: str) -> str:
    entity = registry.entity(xid)
    return entity.type.singular if isinstance(entity, Group | Resource) else ""


def _diff_deprecation(
    xid: str, about: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Difference]:
    """Give what differs in an entity's deprecation."""
    old, new = before.get("deprecated"), after.get("deprecated")
    if old == new:
        return
    relation = "added" if old is None else "removed" if new is None else "changed"
    yield Difference(xid, about, "deprecation", relation, ("deprecated",), old, new, {"terms": _deprecation_terms(new)})


def _deprecation_terms(deprecated: Any) -> str:
    """Return what a deprecation announces, as the end of a sentence."""
    said = deprecated if isinstance(deprecated, dict) else {}
    parts = [
        f"{word} {quote_value(said[name]).strip(chr(34))}"
        for name, word in (("effective", "from"), ("removal", "will be removed at"), ("alternative", "in favour of"))
        if isinstance(said.get(name), str)
    ]
    return ": " + ", ".join(parts) if parts else ""
