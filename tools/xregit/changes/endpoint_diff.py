"""What differs between two states of an endpoint: who may use it, where it is, and what it carries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from json import dumps
from typing import Any

from xregit.catalog.entities import Group
from xregit.catalog.properties import Property
from xregit.catalog.references import contract_of, local_xid
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import SELECTORS
from xregit.changes.attribute_diff import (
    NARROWER,
    OTHER,
    SAME,
    alike,
    canonical_selector,
    constraint_relation,
    diff_leaves,
    selector_relation,
    value_relation,
)
from xregit.changes.change import Difference, Impact
from xregit.changes.message_diff import MessageState, diff_message, shared_placeholders
from xregit.changes.schema_diff import diff_message_schema
from xregit.changes.verdict_table import judge, load_table, quote_value
from xregit.json_pointer import NamePath
from xregit.model import siblings
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.language import NOTHING
from xregit.model.protocols import facts

ABOUT = "endpoint"
GROUPS, OPTIONS = "messagegroups", "protocoloptions"
_WILL = (OPTIONS, "willmessage")
# What a part of an endpoint has in common with the whole; the rest, such as a channel, is its own.
_COMMON = frozenset({"envelope", "envelopeoptions", "protocol", OPTIONS})


@dataclass(frozen=True, slots=True)
class SplitEndpoints:
    """The parts of endpoints in one registry of which another one has the whole: xids of both, by each other."""

    registry: Registry
    whole_of: Mapping[str, str]
    parts_of: Mapping[str, tuple[str, ...]]

    def join(self, endpoint: Group) -> Group:
        """Return an endpoint with the usages of its parts."""
        parts = [self.registry.entity(xid) for xid in self.parts_of.get(endpoint.xid, ())]
        if not parts:
            return endpoint
        usages = [usage for item in (endpoint, *parts) if isinstance(item, Group) for usage in _texts(item, "usage")]
        return replace(endpoint, attributes={**endpoint.attributes, "usage": list(dict.fromkeys(usages))})


def split_endpoints(whole: Registry, divided: Registry, xids: Iterable[str]) -> SplitEndpoints:
    """Return which of some endpoints that only the divided registry has are parts of endpoints that both have.

    The id of a part is the id of the whole, followed by the part's usages.
    """
    whole_of: dict[str, str] = {}
    parts_of: dict[str, list[str]] = defaultdict(list)
    for xid in xids:
        part = divided.entity(xid) if xid.startswith("/endpoints/") else None
        if not isinstance(part, Group):
            continue
        usages = _texts(part, "usage")
        name = xid.rstrip("_").removesuffix("." + ".".join(usages))
        one, other = whole.entity(name), divided.entity(name)
        if not isinstance(one, Group) or not isinstance(other, Group):
            continue
        moved = set(usages)
        is_part = bool(moved) and moved <= set(_texts(one, "usage")) - set(_texts(other, "usage"))
        if is_part and _has_same_content((whole, divided), (one, part)):
            whole_of[xid] = name
            parts_of[name].append(xid)
    return SplitEndpoints(divided, whole_of, {name: tuple(parts) for name, parts in parts_of.items()})


def _texts(endpoint: Group, name: str) -> list[str]:
    return _items_of(endpoint.attributes.get(name))


def _items_of(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list | tuple) else []


def _has_same_content(registries: tuple[Registry, Registry], groups: tuple[Group, Group]) -> bool:
    """Return whether two endpoints carry the same, and messages of their own that say the same."""
    one, part = groups
    ids = [{(plural, rid) for plural, items in group.collections.items() for rid in items} for group in groups]
    if ids[0] != ids[1] or one.attributes.get(GROUPS) != part.attributes.get(GROUPS):
        return False
    if any(item.path[0] in _COMMON for item in diff_attributes(one, part)):
        return False
    for rid in one.collections.get("messages", {}):
        old, new = (
            MessageState(registry, group.collections["messages"][rid])
            for registry, group in zip(registries, groups, strict=True)
        )
        differences = (*diff_message(rid, old, new), *diff_message_schema(rid, old, new))
        if any(judge(item).impact is not Impact.COSMETIC for item in differences):
            return False
    return True


def diff_endpoint(
    registries: tuple[Registry, Registry], before: Group, after: Group, renamed: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield what differs between two states of an endpoint; ``renamed`` maps old xids to new ones."""
    groups = zip(registries, (before, after), strict=True)
    wills = [local_xid(_will(group), registry.settings.baseurl) for registry, group in groups]
    follows = bool(wills[0]) and renamed.get(wills[0], wills[0]) == wills[1]
    yield from (item for item in diff_attributes(before, after) if item.path != _WILL or not follows)
    if wills[0] in renamed and wills[0] == wills[1]:
        yield Difference(after.xid, ABOUT, "attribute", "dangling", _WILL, wills[0], renamed[wills[0]])
    yield from _diff_contract(registries, before, after, renamed)
    yield from _diff_references(registries, before, after)


def _will(endpoint: Group) -> str:
    """Return the reference to the message that an endpoint's broken connections leave."""
    options = endpoint.attributes.get(OPTIONS)
    text = options.get(_WILL[-1]) if isinstance(options, Mapping) else None
    return text if isinstance(text, str) else ""


def diff_attributes(before: Group, after: Group) -> Iterator[Difference]:
    """Yield what differs in the attributes of an endpoint, apart from what it carries."""
    old_attributes, new_attributes = (_with_canonical_options(group.attributes) for group in (before, after))
    templates = _template_relations(old_attributes, new_attributes)
    fixed = _fixed_placeholders(old_attributes, new_attributes)
    for path, old, new in diff_leaves(old_attributes, new_attributes, {GROUPS, "deprecated"}):
        if (old is None and _is_default(before, path, new)) or (new is None and _is_default(after, path, old)):
            continue
        if ".".join(path) in load_table().lists:
            yield from _diff_list(after.xid, path, old, new, fixed)
            continue
        relation = OTHER
        if path[0] in SELECTORS:
            relation = selector_relation(path[0], old, new)
        elif path[0] == "envelopeoptions":
            relation = constraint_relation(path[-1], old, new)
        elif path in templates:
            relation = templates[path]
        yield Difference(after.xid, ABOUT, "attribute", relation, path, old, new)


def _template_relations(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[NamePath, str]:
    """Return how the texts relate that the options of two states allow, by the path of each that is a text in both.

    Whoever uses an endpoint fills in its placeholders, so that a consumer misses each value that is no longer allowed;
    what a subscriber's wildcards take in is not compared.
    """
    leaves = [dict(_text_leaves(attributes.get(OPTIONS), (OPTIONS,))) for attributes in (before, after)]
    pairs = {
        path: (_option_property(path, leaves[0][path]), _option_property(path, leaves[1][path]))
        for path in leaves[0].keys() & leaves[1].keys()
    }
    if all(one.value == other.value for one, other in pairs.values()):
        return {}
    for_consumers = not {"consumer", "subscriber"}.isdisjoint(_items_of(before.get("usage")))
    wildcards = facts("client").get(canonical_selector("protocol", after.get("protocol")), {}).get("wildcards", {})
    result: dict[NamePath, str] = {}
    for (path, pair), shared in zip(pairs.items(), shared_placeholders(list(pairs.values())), strict=True):
        relation = value_relation(*pair, more=shared[0], less=shared[1])
        signs = wildcards.get(path[-1], "")
        has_wildcard = any(sign in str(item.value) for item in pair for sign in signs)
        result[path] = OTHER if has_wildcard or (relation == NARROWER and for_consumers) else relation
    return result


def _text_leaves(value: Any, path: NamePath) -> Iterator[tuple[NamePath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _text_leaves(item, (*path, str(name)))


def _fixed_placeholders(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the placeholders of options whose names count: both states have them, or one has them more than once."""
    texts = (dumps(attributes.get(OPTIONS), default=str) for attributes in (before, after))
    old, new = (Counter(PLACEHOLDER.findall(text)) for text in texts)
    return sorted({name for name, count in (old + new).items() if count > 1})


def _option_property(path: NamePath, value: str) -> Property:
    return Property(path, path[-1], "string", required=False, value=value)


def _with_canonical_options(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes of an endpoint, with our names of options that a release calls otherwise."""
    options = attributes.get(OPTIONS)
    others = load_table().other_names
    if not isinstance(options, Mapping) or others.keys().isdisjoint(options):
        return attributes
    renamed = {others.get(name, name): value for name, value in options.items() if others.get(name) not in options}
    return {**attributes, OPTIONS: renamed}


def _is_default(endpoint: Group, path: NamePath, value: Any) -> bool:
    """Return whether an option that an endpoint leaves out has a value anyway, by its model."""
    if path[0] != OPTIONS:
        return False
    default = None
    model = siblings(endpoint.type.attributes, endpoint.attributes)
    for name in path:
        if name not in model:
            return False
        default, model = model[name].default, model[name].attributes
    return default is not None and alike(default, value)


def _diff_list(xid: str, path: NamePath, before: Any, after: Any, fixed: Sequence[str]) -> Iterator[Difference]:
    """Yield the items of a list that are gone or new, a new order, and what changed in items that stay."""
    names = load_table().lists[".".join(path)]
    old, new = (_items_by_key(value, names, fixed) for value in (before, after))
    for key in [key for key in old if key not in new]:
        item = _quote_item(path, old[key][0][0])
        yield Difference(xid, ABOUT, "item", "removed", (*path, item), old[key][0][1], None, {"item": item})
    for key in [key for key in new if key not in old]:
        item = _quote_item(path, new[key][0][0])
        relation = "added" if old else "first"
        yield Difference(xid, ABOUT, "item", relation, (*path, item), None, new[key][0][1], {"item": item})
    if old.keys() == new.keys() and list(old) != list(new):
        orders = [[same[0][0] for same in items.values()] for items in (old, new)]
        yield Difference(xid, ABOUT, "order", OTHER, path, orders[0], orders[1])
    for key in [key for key in old if key in new]:
        was, shown = old[key][0][0], new[key][0][0]
        below = (*path, _quote_item(path, shown))
        if was != shown:
            yield Difference(xid, ABOUT, "attribute", SAME, below, was, shown)
        members, new_members = (_members_of_items(items[key], names) for items in (old, new))
        gone = [members[text] for text in members if text not in new_members]
        came = [new_members[text] for text in new_members if text not in members]
        for one, other in zip_longest(gone, came, fillvalue=NOTHING):
            for member, was_value, value in diff_leaves(one, other, (), below):
                yield Difference(xid, ABOUT, "attribute", OTHER, member, was_value, value)


def _members_of_items(items: Iterable[tuple[Any, Any]], names: tuple[str, ...]) -> dict[str, Mapping[str, Any]]:
    """Return the members beside the keys of items, by themselves as JSON."""
    members = (_other_members(item, names) for _, item in items)
    return {dumps(each, sort_keys=True, default=list): each for each in members}


def _quote_item(path: NamePath, shown: Any) -> str:
    return str(shown) if path == ("usage",) and isinstance(shown, str) else quote_value(shown)


def _items_by_key(value: Any, names: tuple[str, ...], fixed: Sequence[str]) -> dict[str, list[tuple[Any, Any]]]:
    """Return the items of a list, with their keys as they are written, by those keys in one form as JSON.

    An item with several keys is there for each.
    """
    items = value if isinstance(value, list | tuple) else [] if value is None else [value]
    result: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
    for item in items:
        for key in _item_keys(item, names):
            canonical = dumps(_canonical_key(key, names, fixed), sort_keys=True, default=list)
            result[canonical].append((_shown(key), item))
    return result


def _shown(key: Any) -> Any:
    """Return a key as a sentence shows it: a header in one line."""
    is_header = isinstance(key, Mapping) and key.keys() == {"name", "value"}
    return f"{key['name']}: {key['value']}" if is_header else key


def _canonical_key(key: Any, names: tuple[str, ...], fixed: Sequence[str]) -> Any:
    if isinstance(key, Mapping) and isinstance(key.get("name"), str):  # a header
        return {**key, "name": key["name"].lower()}
    return _canonical_address(key, fixed) if isinstance(key, str) and "uri" in names else key


def _canonical_address(address: str, fixed: Sequence[str]) -> str:
    """Return the canonical form of an address; equivalent addresses have the same one (RFC 3986, section 6.2).

    Scheme and host compare without case, and the usual port may be left out. A placeholder may have any name that is
    not ``fixed``.
    """
    address = PLACEHOLDER.sub(lambda match: f"{{{fixed.index(match[0]) if match[0] in fixed else ''}}}", address)
    before, separator, after = address.partition("://")
    scheme, after = (before.lower(), after) if separator else ("", before)
    end = min(place for sign in "/?#" if (place := (after + sign).index(sign)) >= 0)
    user, at, host = after[:end].rpartition("@")
    port = load_table().ports.get(scheme)
    host = host.lower().removesuffix(f":{port}") if port else host.lower()
    rest = "" if after[end:] == "/" and scheme in _WITH_ROOT else after[end:]
    return f"{scheme}{separator}{user}{at}{host}{rest}"


# Where an empty path is the same as "/" (RFC 9110, section 4.2.3).
_WITH_ROOT = frozenset({"http", "https", "ws", "wss"})


def _item_keys(item: Any, names: tuple[str, ...]) -> Iterator[Any]:
    if not names or not isinstance(item, Mapping):
        yield item
        return
    name = next((name for name in names if item.get(name) is not None), "")
    value = item[name] if name else item
    scheme = item.get(load_table().schemes.get(name, ""))
    for key in value if isinstance(value, list | tuple) else [value]:
        yield f"{scheme}://{key}" if isinstance(scheme, str) else key


def _other_members(item: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the members of an item beside its key."""
    members = item if names and isinstance(item, Mapping) else {}
    keys = {*names, *(load_table().schemes.get(name) for name in names if name in members)}
    return {name: value for name, value in members.items() if name not in keys}


def _diff_contract(
    registries: tuple[Registry, Registry], before: Group, after: Group, renamed: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the messages that leave or join the contract, by what they come through.

    A message that is gone or new as a whole is reported as such; here it counts where both registries have it.
    """
    old, new = (contract_of(registry, group) for registry, group in zip(registries, (before, after), strict=True))
    old_xids, new_xids = {renamed.get(xid, xid) for xid, _ in old}, {xid for xid, _ in new}
    leaving = [
        (xid, via) for xid, via in old if (now := renamed.get(xid, xid)) not in new_xids and now in registries[1]
    ]
    joining = [(xid, via) for xid, via in new if xid not in old_xids and xid in registries[0]]
    for relation, pairs in (("left", leaving), ("joined", joining)):
        by_source: dict[str, list[str]] = defaultdict(list)
        for xid, via in pairs:
            by_source[via].append(xid)
        for via, xids in by_source.items():
            yield _contract_difference(after.xid, relation, via, xids)


def _diff_references(registries: tuple[Registry, Registry], before: Group, after: Group) -> Iterator[Difference]:
    """Yield the message groups of other registries that come or go, and references that lead to no group."""
    external: list[set[str]] = []
    local: list[set[str]] = []
    for registry, group in zip(registries, (before, after), strict=True):
        xids = {text: local_xid(text, registry.settings.baseurl) for text in _texts(group, GROUPS)}
        external.append({text for text, xid in xids.items() if not xid})
        local.append({xid for xid in xids.values() if xid})
    for relation, references in (("left", external[0] - external[1]), ("joined", external[1] - external[0])):
        for reference in sorted(references):
            yield _contract_difference(after.xid, relation, reference, [])
    for xid in sorted(local[0] ^ local[1]):
        old, new = (xid, None) if xid in local[0] else (None, xid)
        if registries[xid in local[1]].entity(xid) is None:
            yield Difference(after.xid, ABOUT, "item", OTHER, (GROUPS, xid), old, new)


def _contract_difference(xid: str, relation: str, via: str, messages: list[str]) -> Difference:
    count = len(messages)
    subject = f"{count} message{'' if count == 1 else 's'}" if count else "The messages"
    verb = ("leave" if relation == "left" else "join") + ("s" if count == 1 else "")
    words = {"what": f"{subject} {verb} the contract{', which came' if relation == 'left' else ''}"}
    before, after = (via, None) if relation == "left" else (None, via)
    return Difference(xid, ABOUT, "contract", relation, (GROUPS,), before, after, words, tuple(messages))
