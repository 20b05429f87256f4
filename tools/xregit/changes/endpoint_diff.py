"""What differs between two states of an endpoint: who may use it, where it is, and what it carries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group
from xregit.catalog.references import local_xid
from xregit.catalog.reverse_index import carried
from xregit.changes import attribute_diff
from xregit.changes.attribute_diff import OTHER, diff_leaves
from xregit.changes.change import Difference
from xregit.changes.equality import alike
from xregit.changes.verdicts import load_table, quote_value
from xregit.model import siblings

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


GROUPS, OPTIONS = "messagegroups", "protocoloptions"
_ENDPOINTS = "/endpoints/"
# What a part says as the whole does; the rest, such as a channel, is its own.
_COMMON = frozenset({"envelope", "envelopeoptions", "protocol", OPTIONS})


@dataclass(frozen=True, slots=True)
class SplitEndpoints:
    """The parts of endpoints in one registry of which another one has the whole: xids of both, by each other."""

    registry: Registry
    whole_of: Mapping[str, str]
    parts_of: Mapping[str, tuple[str, ...]]

    def together(self, endpoint: Group) -> Group:
        """Return an endpoint with the usages of its parts."""
        several = (endpoint, *(self.registry.entity(xid) for xid in self.parts_of.get(endpoint.xid, ())))
        usages = [usage for each in several if isinstance(each, Group) for usage in _usages(each)]
        if len(several) == 1:
            return endpoint
        return replace(endpoint, attributes={**endpoint.attributes, "usage": list(dict.fromkeys(usages))})


def split_endpoints(whole: Registry, divided: Registry, xids: Iterable[str]) -> SplitEndpoints:
    """Return which of some endpoints that only the divided registry has are parts of endpoints that both have."""
    found = {xid: name for xid in xids if xid.startswith(_ENDPOINTS) for name in _whole_candidates(whole, divided, xid)}
    parts_of: dict[str, list[str]] = defaultdict(list)
    for xid, name in found.items():
        parts_of[name].append(xid)
    return SplitEndpoints(divided, found, {name: tuple(several) for name, several in parts_of.items()})


def _whole_candidates(whole: Registry, divided: Registry, xid: str) -> Iterator[str]:
    """Give the endpoint of which another one is a part, if there is one: its id has the usages of the part after it."""
    part = divided.entity(xid)
    if not isinstance(part, Group):
        return
    name = xid.rstrip("_").removesuffix("." + ".".join(_usages(part)))
    one, other = whole.entity(name), divided.entity(name)
    if not isinstance(one, Group) or not isinstance(other, Group):
        return
    moved = set(_usages(part))
    if moved and moved <= set(_usages(one)) - set(_usages(other)) and _states_the_same(one, part):
        yield name


def _usages(endpoint: Group) -> list[str]:
    stated = endpoint.attributes.get("usage")
    return [usage for usage in stated if isinstance(usage, str)] if isinstance(stated, list | tuple) else []


def _states_the_same(one: Group, part: Group) -> bool:
    held = [sorted(message for members in group.collections.values() for message in members) for group in (one, part)]
    return (
        held[0] == held[1]
        and one.attributes.get(GROUPS) == part.attributes.get(GROUPS)
        and all(item.path[0] not in _COMMON for item in diff_attributes(one, part))
    )


ABOUT = "endpoint"
_SELECTORS = ("envelope", "protocol")


def diff_endpoint(
    registries: tuple[Registry, Registry], before: Group, after: Group, renamed: Mapping[str, str]
) -> Iterator[Difference]:
    """Give what differs between two states of an endpoint; ``renamed`` maps old xids to new ones."""
    yield from diff_attributes(before, after)
    yield from _diff_contract(registries, before, after, renamed)


def diff_attributes(before: Group, after: Group) -> Iterator[Difference]:
    """Give what differs in what two states of an endpoint say of it, apart from what it carries."""
    xid = after.xid
    old, new = (_with_our_names(group.attributes) for group in (before, after))
    for path, one, other in diff_leaves(old, new, {GROUPS, "deprecated"}):
        if (one is None and _is_default(before, path, other)) or (other is None and _is_default(after, path, one)):
            continue
        if ".".join(path) in load_table().lists:
            yield from _diff_list(xid, path, one, other)
        elif path[0] in _SELECTORS:
            yield Difference(
                xid, ABOUT, "attribute", attribute_diff.selector_relation(path[0], one, other), path, one, other
            )
        elif path[0] == "envelopeoptions":
            relation = attribute_diff.stated_relation(path[-1], one, other)
            yield Difference(xid, ABOUT, "attribute", relation, path, one, other)
        else:
            yield Difference(xid, ABOUT, "attribute", OTHER, path, one, other)


def _with_our_names(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an endpoint says, with our names of options that a release calls otherwise."""
    options = attributes.get(OPTIONS)
    others = load_table().other_names
    if not isinstance(options, Mapping) or others.keys().isdisjoint(options):
        return attributes
    ours = {others.get(name, name): value for name, value in options.items() if others.get(name) not in options}
    return {**attributes, OPTIONS: ours}


def _is_default(endpoint: Group, path: tuple[str, ...], value: Any) -> bool:
    """Tell whether an option that an endpoint leaves out has a value anyway, by its model."""
    model = siblings(endpoint.type.attributes, endpoint.attributes)
    for name in path if path[0] == OPTIONS else ():
        if name not in model:
            return False
        default, model = model[name].default, model[name].attributes
    return path[0] == OPTIONS and default is not None and alike(default, value)


def _diff_list(xid: str, path: tuple[str, ...], one: Any, other: Any) -> Iterator[Difference]:
    """Give the items of a list that are gone or new; those that stay may stand in another order."""
    names = load_table().lists[".".join(path)]
    old, new = (_items_by_key(value, names) for value in (one, other))
    for key in [*(key for key in old if key not in new), *(key for key in new if key not in old)]:
        relation = "removed" if key in old else "added" if old else "first"
        called = quote_value(loads(key))
        words = {"item": called.strip('"') if path == ("usage",) else called}
        yield Difference(xid, ABOUT, "item", relation, (*path, words["item"]), old.get(key), new.get(key), words)
    if not old.keys() ^ new.keys() and list(old) != list(new):
        yield Difference(xid, ABOUT, "order", OTHER, path, _key_names(old), _key_names(new))
    for key in [key for key in old if key in new]:
        was, now = (_without_keys(keyed[key], names) for keyed in (old, new))
        for below, before, after in diff_leaves(was, now, (), (*path, quote_value(loads(key)))):
            yield Difference(xid, ABOUT, "attribute", OTHER, below, before, after)


def _items_by_key(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the items of a list, each by what tells it from others, as JSON; an item of several is there for each."""
    items = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return {dumps(key, sort_keys=True, default=list): item for item in items for key in _item_keys(item, names)}


def _item_keys(item: Any, names: tuple[str, ...]) -> Iterator[Any]:
    if not names or not isinstance(item, Mapping):
        yield item
        return
    name = next((name for name in names if item.get(name) is not None), "")
    found = item[name] if name else item
    scheme = item.get(load_table().schemes.get(name, ""))
    for each in found if isinstance(found, list | tuple) else [found]:
        yield f"{scheme}://{each}" if isinstance(scheme, str) else each


def _without_keys(item: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return what an item says beside what tells it from others."""
    stated = item if names and isinstance(item, Mapping) else {}
    keys = {*names, *(load_table().schemes.get(name) for name in names if name in stated)}
    return {name: value for name, value in stated.items() if name not in keys}


def _key_names(keyed: Mapping[str, Any]) -> list[Any]:
    return [loads(key) for key in keyed]


def _diff_contract(
    registries: tuple[Registry, Registry], before: Group, after: Group, renamed: Mapping[str, str]
) -> Iterator[Difference]:
    """Give the messages that leave or join the contract, by what they come through, and groups kept elsewhere."""
    old, new = (carried(registry, group) for registry, group in zip(registries, (before, after), strict=True))
    was, now = {renamed.get(message, message) for message, _ in old}, {message for message, _ in new}
    left = [(message, via) for message, via in old if renamed.get(message, message) not in now]
    joined = [(message, via) for message, via in new if message not in was]
    # A message that is gone, or new, is told of as such; here it counts where it is there on both sides.
    left = [pair for pair in left if registries[1].resource(renamed.get(pair[0], pair[0])) is not None]
    joined = [pair for pair in joined if registries[0].resource(pair[0]) is not None]
    for relation, pairs in (("left", left), ("joined", joined)):
        for via, messages in _group_by_source(pairs).items():
            yield _contract_difference(after.xid, relation, via, messages)
    one, other = (
        _external_groups(registry, group) for registry, group in zip(registries, (before, after), strict=True)
    )
    for relation, groups in (("left", one - other), ("joined", other - one)):
        for group in sorted(groups):
            yield _contract_difference(after.xid, relation, group, [])
    yield from _diff_dangling_references(registries, before, after)


def _contract_difference(xid: str, relation: str, via: str, messages: list[str]) -> Difference:
    count = len(messages)
    what = f"{count} message{'' if count == 1 else 's'}" if count else "The messages"
    verb = "leave" if relation == "left" else "join"
    words = {"what": f"{what} {verb}{'s' if count == 1 else ''} the contract, which came"}
    if relation == "joined":
        words = {"what": f"{what} {verb}{'s' if count == 1 else ''} the contract"}
    before, after = (via, None) if relation == "left" else (None, via)
    return Difference(xid, ABOUT, "contract", relation, (GROUPS,), before, after, words, tuple(messages))


def _group_by_source(pairs: list[tuple[str, str]]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for message, via in pairs:
        found[via].append(message)
    return found


def _external_groups(registry: Registry, endpoint: Group) -> set[str]:
    """Return the message groups that an endpoint carries from other registries."""
    return {text for text in _group_references(endpoint) if not local_xid(text, registry.settings.baseurl)}


def _diff_dangling_references(
    registries: tuple[Registry, Registry], before: Group, after: Group
) -> Iterator[Difference]:
    """Give the references that come or go and lead to no message group, so that they carry nothing."""
    one, other = (
        {local_xid(text, registry.settings.baseurl) for text in _group_references(group)}
        for registry, group in zip(registries, (before, after), strict=True)
    )
    for group in sorted((one ^ other) - {""}):
        old, new = (group, None) if group in one else (None, group)
        if registries[group in other].entity(group) is None:
            yield Difference(after.xid, ABOUT, "item", OTHER, (GROUPS, group), old, new)


def _group_references(endpoint: Group) -> list[str]:
    named = endpoint.attributes.get(GROUPS)
    return [text for text in named if isinstance(text, str)] if isinstance(named, list | tuple) else []
