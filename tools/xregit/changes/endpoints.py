"""Two states of an endpoint to what differs: who may use it, where it is, and what it carries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from xregit.catalog.indexes import carried
from xregit.catalog.references import local_xid
from xregit.changes import relating
from xregit.changes.alike import alike
from xregit.changes.change import Difference
from xregit.changes.leaves import leaves
from xregit.changes.relating import OTHER
from xregit.changes.table import table
from xregit.changes.verdicts import shown
from xregit.model import siblings

if TYPE_CHECKING:
    from xregit.catalog.entities import Group
    from xregit.catalog.registry import Registry

ABOUT = "endpoint"
_SELECTORS = ("envelope", "protocol")
GROUPS, OPTIONS = "messagegroups", "protocoloptions"


def differences(
    registries: tuple[Registry, Registry], before: Group, after: Group, renamed: Mapping[str, str]
) -> Iterator[Difference]:
    """Give what differs between two states of an endpoint; ``renamed`` maps old xids to new ones."""
    yield from stated(before, after)
    yield from _contract(registries, before, after, renamed)


def stated(before: Group, after: Group) -> Iterator[Difference]:
    """Give what differs in what two states of an endpoint say of it, apart from what it carries."""
    xid = after.xid
    old, new = (_renamed(group.attributes) for group in (before, after))
    for path, one, other in leaves(old, new, {GROUPS, "deprecated"}):
        if (one is None and _is_default(before, path, other)) or (other is None and _is_default(after, path, one)):
            continue
        if ".".join(path) in table().lists:
            yield from _items(xid, path, one, other)
        elif path[0] in _SELECTORS:
            yield Difference(xid, ABOUT, "attribute", relating.selected(path[0], one, other), path, one, other)
        elif path[0] == "envelopeoptions":
            relation = relating.stated_relation(path[-1], one, other)
            yield Difference(xid, ABOUT, "attribute", relation, path, one, other)
        else:
            yield Difference(xid, ABOUT, "attribute", OTHER, path, one, other)


def _renamed(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an endpoint says, with our names of options that a release calls otherwise."""
    options = attributes.get(OPTIONS)
    others = table().other_names
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


def _items(xid: str, path: tuple[str, ...], one: Any, other: Any) -> Iterator[Difference]:
    """Give the items of a list that are gone or new; those that stay may stand in another order."""
    names = table().lists[".".join(path)]
    old, new = (_keyed(value, names) for value in (one, other))
    for key in [*(key for key in old if key not in new), *(key for key in new if key not in old)]:
        relation = "removed" if key in old else "added" if old else "first"
        called = shown(loads(key))
        words = {"item": called.strip('"') if path == ("usage",) else called}
        yield Difference(xid, ABOUT, "item", relation, (*path, words["item"]), old.get(key), new.get(key), words)
    if not old.keys() ^ new.keys() and list(old) != list(new):
        yield Difference(xid, ABOUT, "order", OTHER, path, _named_by(old), _named_by(new))
    for key in [key for key in old if key in new]:
        was, now = (_beside(keyed[key], names) for keyed in (old, new))
        for below, before, after in leaves(was, now, (), (*path, shown(loads(key)))):
            yield Difference(xid, ABOUT, "attribute", OTHER, below, before, after)


def _keyed(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the items of a list, each by what tells it from others, as JSON; an item of several is there for each."""
    items = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return {dumps(key, sort_keys=True, default=list): item for item in items for key in _keys(item, names)}


def _keys(item: Any, names: tuple[str, ...]) -> Iterator[Any]:
    if not names or not isinstance(item, Mapping):
        yield item
        return
    name = next((name for name in names if item.get(name) is not None), "")
    found = item[name] if name else item
    scheme = item.get(table().schemes.get(name, ""))
    for each in found if isinstance(found, list | tuple) else [found]:
        yield f"{scheme}://{each}" if isinstance(scheme, str) else each


def _beside(item: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return what an item says beside what tells it from others."""
    stated = item if names and isinstance(item, Mapping) else {}
    keys = {*names, *(table().schemes.get(name) for name in names if name in stated)}
    return {name: value for name, value in stated.items() if name not in keys}


def _named_by(keyed: Mapping[str, Any]) -> list[Any]:
    return [loads(key) for key in keyed]


def _contract(
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
        for via, messages in _by_via(pairs).items():
            yield _moved(after.xid, relation, via, messages)
    one, other = (_elsewhere(registry, group) for registry, group in zip(registries, (before, after), strict=True))
    for relation, groups in (("left", one - other), ("joined", other - one)):
        for group in sorted(groups):
            yield _moved(after.xid, relation, group, [])
    yield from _dangling(registries, before, after)


def _moved(xid: str, relation: str, via: str, messages: list[str]) -> Difference:
    count = len(messages)
    what = f"{count} message{'' if count == 1 else 's'}" if count else "The messages"
    verb = "leave" if relation == "left" else "join"
    words = {"what": f"{what} {verb}{'s' if count == 1 else ''} the contract, which came"}
    if relation == "joined":
        words = {"what": f"{what} {verb}{'s' if count == 1 else ''} the contract"}
    before, after = (via, None) if relation == "left" else (None, via)
    return Difference(xid, ABOUT, "contract", relation, (GROUPS,), before, after, words, tuple(messages))


def _by_via(pairs: list[tuple[str, str]]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for message, via in pairs:
        found[via].append(message)
    return found


def _elsewhere(registry: Registry, endpoint: Group) -> set[str]:
    """Return the message groups that an endpoint carries from other registries."""
    return {text for text in _named(endpoint) if not local_xid(text, registry.settings.baseurl)}


def _dangling(registries: tuple[Registry, Registry], before: Group, after: Group) -> Iterator[Difference]:
    """Give the references that come or go and lead to no message group, so that they carry nothing."""
    one, other = (
        {local_xid(text, registry.settings.baseurl) for text in _named(group)}
        for registry, group in zip(registries, (before, after), strict=True)
    )
    for group in sorted((one ^ other) - {""}):
        old, new = (group, None) if group in one else (None, group)
        if registries[group in other].entity(group) is None:
            yield Difference(after.xid, ABOUT, "item", OTHER, (GROUPS, group), old, new)


def _named(endpoint: Group) -> list[str]:
    named = endpoint.attributes.get(GROUPS)
    return [text for text in named if isinstance(text, str)] if isinstance(named, list | tuple) else []
