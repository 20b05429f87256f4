"""All changes between two states of a registry, the worst first, each reported once."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import PARTS
from xregit.catalog.references import local_xid
from xregit.catalog.registry import Registry, expect_registry
from xregit.catalog.resolver import BASE, SELECTORS, group_of
from xregit.changes.attribute_diff import alike, diff_leaves
from xregit.changes.change import Change, Difference, worst_first
from xregit.changes.endpoint_diff import diff_endpoint, split_endpoints
from xregit.changes.message_diff import PAYLOAD, MessageState, diff_message, is_readable
from xregit.changes.review import LABEL, in_draft, is_draft
from xregit.changes.schema_diff import Registries, diff_message_schema, diff_schema
from xregit.changes.verdict_table import judge, quote_value
from xregit.json_pointer import NamePath
from xregit.model.language import NOTHING
from xregit.xid import parent

# What tells an entity from others of its type.
_MESSAGE_CONTENT = ("envelope", "protocol", "envelopeoptions", "datacontenttype", *PARTS, *sorted(PAYLOAD))
_ENDPOINT_CONTENT = ("usage", "channel", "envelope", "protocol", "protocoloptions", "messagegroups")
# What a timestamp that names no more than a day has behind it.
MIDNIGHT = "T00:00:00Z"
# Attributes of schemas that are compared elsewhere: by `schema_diff`, and as deprecations.
_COMPARED_ELSEWHERE = frozenset({"deprecated", "schema", "schemabase64", "schemaurl", "versions"})


def diff(before: Registry, after: Registry, renamed: Mapping[str, str] = NOTHING) -> tuple[Change, ...]:
    """Return what changed between two states of a registry, resolved, and what that does to whom; the worst first.

    ``renamed`` maps old xids to new ones of entities that are the same whatever their content. What can't be read in
    either state, or builds on what can't be, is left out: `check` reports it.

    Raises:
        XregitError: one of the two is no registry.
    """
    for state in (before, after):
        expect_registry(state)
    differences = _Comparison(before, after, renamed).differences()
    return tuple(sorted(map(judge, differences), key=worst_first))


class _Comparison:
    """One comparison; ``match`` says which entities belong together."""

    def __init__(self, before: Registry, after: Registry, renamed: Mapping[str, str]) -> None:
        self.before, self.after = before, after
        self.match = match_entities(before, after, renamed)
        self.split = split_endpoints(before, after, self.match.added)
        self.joined = split_endpoints(after, before, self.match.removed)
        documents = [(state.schema_documents.by_xid, state.schema_documents.baseurl) for state in (before, after)]
        self.schemas_changed = documents[0] != documents[1]
        self.targets_changed = _schema_ids(before) != _schema_ids(after)

    def differences(self) -> Iterator[Difference]:
        yield from self.diff_attributes()
        yield from self.added_and_removed()
        yield from self.renamed()
        old_xids = {new: old for old, new in self.match.renamed.items()}
        messages: dict[str, list[Difference]] = {}
        states: dict[str, tuple[MessageState, MessageState]] = {}
        for xid in self.after:
            old, new = self.before.entity(old_xids.get(xid, xid)), self.after.entity(xid)
            if isinstance(old, Group) and isinstance(new, Group):
                if not (self.before.unreadable(old.xid) or self.after.unreadable(xid)):
                    yield from self.diff_group(old, new)
            elif isinstance(old, Resource) and isinstance(new, Resource):
                if not (is_readable(self.before, old) and is_readable(self.after, new)):
                    continue
                yield from _diff_deprecation(new, old.meta, new.meta)
                if new.type.plural != "messages":
                    yield from self.diff_resource(old, new)
                    continue
                pair = MessageState(self.before, old), MessageState(self.after, new)
                inline = self.schemas_changed and pair[0].attributes.get("dataschema") is not None
                leads_elsewhere = self.targets_changed and self.leads_elsewhere(*pair)
                if inline or leads_elsewhere or not alike(pair[0].attributes, pair[1].attributes):
                    states[xid] = pair
                    payload = diff_message_schema(
                        xid, *pair, others_changed=self.schemas_changed, leads_elsewhere=leads_elsewhere
                    )
                    messages[xid] = [*diff_message(xid, *pair), *payload]
        yield from deduplicate(messages, states)
        yield from self.dangling_references()

    def leads_elsewhere(self, before: MessageState, after: MessageState) -> bool:
        """Return whether the reference to a schema means another schema, version or type than before."""
        old, new = before.schema, after.schema
        if not (old and new and old.schema and new.schema and old.version and new.version):
            return False
        was = self.match.renamed.get(old.schema.xid, old.schema.xid), old.pinned, old.selector
        return was != (new.schema.xid, new.pinned, new.selector)

    def dangling_references(self) -> Iterator[Difference]:
        """Yield the messages whose schema has another xid now, to which they don't refer."""
        for old, new in self.match.renamed.items():
            for xid in self.before.indexes.schema_users.get(old, ()):
                now = self.match.renamed.get(xid, xid)
                message = self.after.entity(now)
                if not isinstance(message, Resource) or not is_readable(self.after, message):
                    continue
                reference = MessageState(self.after, message).schema
                # Where the message has another reference, `diff_message_schema` reports that.
                text = reference.text if reference is not None and reference.schema is None else ""
                if local_xid(text, self.after.settings.baseurl).startswith(old):
                    yield Difference(now, "message", "payload", "dangling", ("dataschemauri",), old, new)

    def diff_attributes(self) -> Iterator[Difference]:
        """Yield what differs in the attributes of the registry itself."""
        if any(state.place.path in state.broken for state in (self.before, self.after)):
            return
        for path, old, new in diff_leaves(self.before.attributes, self.after.attributes):
            # Compiling and importing give a registry an id if it has none.
            if path != ("registryid",) or (old is not None and new is not None):
                yield Difference("/", "registry", "attribute", "other", path, old, new)

    def added_and_removed(self) -> Iterator[Difference]:
        """Yield the entities that are new or gone; for a group and all in it, the group alone."""
        for registry, xids, relation in (
            (self.before, self.match.removed, "removed"),
            (self.after, self.match.added, "added"),
        ):
            inside = {member for xid in xids for member in resource_xids(registry, xid)}
            for xid in xids:
                if xid in self.joined.whole_of:
                    yield Difference(xid, "endpoint", "entity", "joined", (), xid, self.joined.whole_of[xid])
                elif xid not in inside:
                    reaches = tuple(member for member in resource_xids(registry, xid) if member in xids)
                    reaches += tuple(carrier for carrier, _ in registry.indexes.carriers.get(xid, ()))
                    yield Difference(xid, _type_name(registry, xid), "entity", relation, reaches=reaches)

    def renamed(self) -> Iterator[Difference]:
        """Yield the entities with another xid; for a group and all that kept its id in it, the group alone."""
        renamed = self.match.renamed
        for old, new in renamed.items():
            if parent(old) and renamed.get(parent(old)) == parent(new) and _last_id(old) == _last_id(new):
                continue
            about = _type_name(self.after, new)
            same = "its content stays the same" if about != "message" else "nothing changes on the wire"
            reaches = tuple(resource_xids(self.after, new))
            yield Difference(new, about, "entity", "renamed", (), old, new, {"same": same}, reaches)
            if (
                isinstance(self.after.entity(new), Resource)
                and in_draft(self.after, new)
                and not in_draft(self.before, old)
            ):
                yield Difference(new, about, "draft", "added")

    def diff_group(self, old: Group, new: Group) -> Iterator[Difference]:
        about = new.type.singular
        yield from _diff_deprecation(new, old.attributes, new.attributes)
        if is_draft(old) != is_draft(new):
            yield Difference(new.xid, about, "draft", "removed" if is_draft(old) else "added", ("labels", LABEL))
        if about == "endpoint":
            endpoints = self.joined.join(old), self.split.join(new)
            yield from diff_endpoint((self.before, self.after), *endpoints, self.match.renamed)
            return
        # With messages on both sides, `diff_message` reports a new envelope or protocol.
        has_messages = old.collections.get("messages") and new.collections.get("messages")
        skipped = {*SELECTORS, "deprecated"} if has_messages else {"deprecated"}
        for path, one, other in diff_leaves(old.attributes, new.attributes, skipped):
            if path != ("labels", LABEL) or is_draft(old) == is_draft(new):
                yield Difference(new.xid, "group", "attribute", "other", path, one, other)

    def diff_resource(self, old: Resource, new: Resource) -> Iterator[Difference]:
        if new.type.hasdocument:
            yield from diff_schema(new.xid, old, new, Registries(self.before, self.after, self.schemas_changed))
        before, after = ({**resource.attributes, **resource.meta} for resource in (old, new))
        for path, one, other in diff_leaves(before, after, _COMPARED_ELSEWHERE):
            yield Difference(new.xid, new.type.singular, "attribute", "other", path, one, other)


def _schema_ids(registry: Registry) -> list[tuple[str, ...]]:
    """Return what decides on where references to schemas lead: the xids, targets and versions of all schemas."""
    schemas = (resource for resource in registry.all_resources if resource.type.hasdocument)
    return [(schema.xid, schema.xref, *schema.versions) for schema in schemas]


def _type_name(registry: Registry, xid: str) -> str:
    entity = registry.entity(xid)
    return entity.type.singular if isinstance(entity, Group | Resource) else ""


def _diff_deprecation(
    entity: Group | Resource, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Difference]:
    """Yield what differs in an entity's deprecation; the words end a sentence about it."""
    old, new = before.get("deprecated"), after.get("deprecated")
    if old == new:
        return
    members = new if isinstance(new, dict) else {}
    parts = [
        f"{word} {quote_value(members[name]).strip(chr(34)).removesuffix(MIDNIGHT)}"
        for name, word in (("effective", "from"), ("removal", "will be removed on"), ("alternative", "in favour of"))
        if isinstance(members.get(name), str) and not (isinstance(old, dict) and old.get(name) == members[name])
    ]
    words = {"terms": ": " + ", ".join(parts) if parts else ""}
    relation = "added" if old is None else "removed" if new is None else "changed"
    yield Difference(entity.xid, entity.type.singular, "deprecation", relation, ("deprecated",), old, new, words)


Key = tuple[object, ...]
States = Mapping[str, tuple[MessageState, MessageState]]


def deduplicate(messages: Mapping[str, list[Difference]], states: States) -> Iterator[Difference]:
    """Yield each difference with the entity that causes it, and with all other messages that it reaches."""
    keys = {xid: {_cause_key(item) for item in differences} for xid, differences in messages.items()}
    first: dict[tuple[str, Key], Difference] = {}
    reaches: dict[tuple[str, Key], list[str]] = defaultdict(list)
    for xid, differences in messages.items():
        for item in differences:
            cause = _cause_of(xid, item, keys, states), _cause_key(item)
            first.setdefault(cause, item)
            if cause[0] != xid:
                reaches[cause].append(xid)
    for cause, item in first.items():
        about = item.about if cause[0] in messages else "messagegroup"
        yield replace(item, xid=cause[0], about=about, reaches=tuple(sorted(reaches[cause])))


def _cause_key(item: Difference) -> Key:
    """Return what a difference and those that it causes have in common, what they do to whom included."""
    change = judge(item)
    return (
        item.kind,
        item.relation,
        item.path,
        repr(item.before),
        repr(item.after),
        change.rule,
        change.producer,
        change.consumer,
    )


def _cause_of(xid: str, item: Difference, keys: Mapping[str, set[Key]], states: States) -> str:
    """Return the farthest base message that differs in the same way, or the group that brings the difference.

    What an entity's own file says otherwise than before, it causes itself.
    """
    key = _cause_key(item)
    cause = xid
    for base in states[xid][1].chain:
        if _is_own(states[cause], item) or base not in keys or key not in keys[base]:
            break
        cause = base
    if item.path[0] in SELECTORS and not _is_own(states[cause], item):
        groups = (group_of(state.registry, state.resource) for state in states[cause])
        if tuple(group.attributes.get(item.path[0]) if group else None for group in groups) == (
            item.before,
            item.after,
        ):
            return states[cause][1].group
    return cause


def _is_own(states: tuple[MessageState, MessageState], item: Difference) -> bool:
    """Return whether the entity itself states the attribute, or what it builds on, otherwise than before."""
    old, new = (state.resource for state in states)
    paths = [(BASE,), item.path, *((name,) for name in (PAYLOAD if item.kind == "payload" else ()))]
    stated = (tuple(_at(resource.attributes, path) for path in paths) for resource in (old, new))
    return old.xref != new.xref or not alike(*stated)


def _at(value: Any, path: NamePath) -> Any:
    """Return what a path leads to, or the list on it; None where it leads nowhere."""
    for name in path:
        if isinstance(value, Mapping):
            value = value.get(name)
    return value


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """Old xids to new ones of renamed entities, and the xids that are gone or new altogether."""

    renamed: Mapping[str, str]
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Unmatched:
    """One of two registries, and the xids of its entities that have no counterpart yet."""

    registry: Registry
    xids: list[str]

    def without(self, xids: Iterable[str]) -> _Unmatched:
        matched = set(xids)
        return _Unmatched(self.registry, [xid for xid in self.xids if xid not in matched])

    def is_group(self, xid: str) -> bool:
        return isinstance(self.registry.entity(xid), Group)


def match_entities(before: Registry, after: Registry, renamed: Mapping[str, str]) -> EntityMatch:
    """Return how the entities of two registries belong together; a file that can't be read hides nothing.

    ``renamed`` maps old xids to new ones of entities that are the same for sure.
    """
    old_xids, new_xids = set(before), set(after)
    old = _Unmatched(before, [xid for xid in before if xid not in new_xids and not after.unreadable(xid)])
    new = _Unmatched(after, [xid for xid in after if xid not in old_xids and not before.unreadable(xid)])
    added = set(new.xids)
    matches = {xid: renamed[xid] for xid in old.xids if renamed.get(xid) in added}
    for step in (_match_by_content, _match_groups, _match_within_groups, _match_by_id):
        matches |= step(old.without(matches), new.without(matches.values()), matches)
    return EntityMatch(matches, tuple(old.without(matches).xids), tuple(new.without(matches.values()).xids))


def _match_by_content(before: _Unmatched, after: _Unmatched, _: Mapping[str, str]) -> dict[str, str]:
    """Return those with the same content under another xid; of several, the same id goes first."""
    new = [(content, xid) for xid in after.xids if (content := _content_key(after.registry, xid)) is not None]
    old = [(content, xid) for xid in before.xids if (content := _content_key(before.registry, xid)) is not None]
    twins = {(content, _last_id(xid)): xid for content, xid in new}
    matches = {xid: twin for content, xid in old if (twin := twins.pop((content, _last_id(xid)), None)) is not None}
    matched = set(matches.values())
    others: dict[str, deque[str]] = defaultdict(deque)
    for content, xid in new:
        if xid not in matched:
            others[content].append(xid)
    for content, xid in old:
        if xid not in matches and others[content]:
            matches[xid] = others[content].popleft()
    return matches


def _match_groups(before: _Unmatched, after: _Unmatched, resources: Mapping[str, str]) -> dict[str, str]:
    """Return groups under other ids: most of their resources are in the other one, or all ids in it are the same."""
    candidates = {xid: _member_ids(after.registry, xid) for xid in after.xids if after.is_group(xid)}
    matches: dict[str, str] = {}
    for xid in filter(before.is_group, before.xids):
        ids = _member_ids(before.registry, xid)
        members = resource_xids(before.registry, xid)
        targets = Counter(_group_xid(resources[member]) for member in members if member in resources)
        targets.update(other for other, other_ids in candidates.items() if ids and ids == other_ids)
        likely = next((other for other, _ in targets.most_common() if other in candidates), None)
        if likely is not None:
            matches[xid] = likely
            del candidates[likely]
    return matches


def _match_within_groups(before: _Unmatched, after: _Unmatched, matches: Mapping[str, str]) -> dict[str, str]:
    """Return the resources of groups under other ids that kept their own."""
    candidates = set(after.xids)
    pairs = ((xid, f"{matches.get(_group_xid(xid), '')}/{xid.split('/', 3)[-1]}") for xid in before.xids)
    return {xid: other for xid, other in pairs if other in candidates}


def _match_by_id(before: _Unmatched, after: _Unmatched, _: Mapping[str, str]) -> dict[str, str]:
    """Return resources that are in another group under the same id, where only one is."""
    old = [xid for xid in before.xids if not before.is_group(xid)]
    new = [xid for xid in after.xids if not after.is_group(xid)]
    old_counts, new_counts = Counter(map(_last_id, old)), Counter(map(_last_id, new))
    unique = {_last_id(xid): xid for xid in new if old_counts[_last_id(xid)] == new_counts[_last_id(xid)] == 1}
    return {xid: unique[_last_id(xid)] for xid in old if _last_id(xid) in unique}


def _content_key(registry: Registry, xid: str) -> str | None:
    """Return a text that is the same for entities with the same content; None for those that can't be recognised."""
    entity = registry.entity(xid)
    if isinstance(entity, Resource):
        if entity.type.plural == "messages":
            attributes = registry.resolved(xid).attributes
            content = {name: attributes[name] for name in _MESSAGE_CONTENT if name in attributes}
            return repr((entity.xref, content)) if content or entity.xref else None
        documents = {vid: item.document.data for vid, item in entity.versions.items() if item.document}
        return repr((entity.type.plural, documents)) if any(documents.values()) else None
    if isinstance(entity, Group) and entity.type.plural == "endpoints":
        content = {name: entity.attributes[name] for name in _ENDPOINT_CONTENT if name in entity.attributes}
        return repr(("endpoint", content)) if "protocoloptions" in content else None
    return None


def resource_xids(registry: Registry, xid: str) -> Iterator[str]:
    """Yield the xids of a group's resources."""
    group = registry.entity(xid)
    if isinstance(group, Group):
        yield from (resource.xid for collection in group.collections.values() for resource in collection.values())


def _member_ids(registry: Registry, xid: str) -> frozenset[str]:
    return frozenset(map(_last_id, resource_xids(registry, xid)))


def _last_id(xid: str) -> str:
    return xid.rsplit("/", 1)[1]


def _group_xid(xid: str) -> str:
    return "/".join(xid.split("/")[:3])
