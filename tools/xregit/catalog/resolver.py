"""A message and its chain of base messages to its resolved attributes, and to who wrote which of them.

Source: message/spec.md, "basemessage": bases are followed to the end of the chain, then merged back, deeply; a base
that can't be found is no error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from xregit.model import canonical
from xregit.model.language import MAPPINGS, NOTHING
from xregit.xid import parent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Group, Resource
    from xregit.catalog.registry import Registry
    from xregit.json_pointer import NamePath
    from xregit.model.language import ResourceModel


# Core attributes that a message takes over from its base besides all that the message specification defines.
INHERITED_CORE = frozenset({"description", "documentation", "icon", "labels"})
# Selectors that a group states for all of its messages.
SELECTORS = ("envelope", "protocol")
BASE = "basemessage"
# The name of an envelope or protocol that is not known.
UNKNOWN = "?"


@dataclass(frozen=True)
class Resolved:
    """A message with its base messages merged in.

    ``base`` is the nearest base message and ``base_xid`` its xid. ``cycle`` is the chain of xids, if bases lead back to
    the message, ``missing`` the first base that is not in the registry. ``written`` is the message itself and ``own``
    its attributes with those that only its group states. They are laid over those attributes of ``below``, its base,
    whose names are ``inherited``; unlike ``base``, ``below`` is there in a cycle too.
    """

    attributes: Mapping[str, Any]
    base: Resolved | None = None
    base_xid: str = ""
    cycle: tuple[str, ...] = ()
    missing: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    written: Resource | None = None
    below: Resolved | None = None
    inherited: tuple[str, ...] = ()

    @cached_property
    def origins(self) -> Mapping[NamePath, str]:
        """The xid of the message or group on which each value was written, by the value's path.

        A path that is not there has its nearest ancestor's. A check asks for none of them, and they are many.
        """
        if self.written is None:
            return {}
        message, stated = self.written.xid, self.written.attributes
        by = {name: message if name in stated else parent(message) for name in self.own}
        if self.below is None:
            return {(name,): xid for name, xid in by.items()}
        origins = {path: xid for path, xid in _origins(self.below).items() if path[0] in self.inherited}
        for name, value in self.own.items():
            old = self.below.attributes.get(name) if name in self.inherited else None
            _trace(old, value, (name,), by[name], origins)
        return origins

    @property
    def chain(self) -> tuple[str, ...]:
        """The xids of all base messages, the nearest first."""
        xids = []
        here: Resolved | None = self
        while here is not None and here.base_xid:
            xids.append(here.base_xid)
            here = here.base
        return tuple(xids)

    def origin(self, path: NamePath) -> str:
        """Return the xid of the entity on which the value at a path was written, or an empty string."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return ""


# What a message without a base is laid over.
_NOTHING_BELOW = Resolved(NOTHING)


def effective(registry: Registry, resource: Resource, attributes: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return a message's own attributes with the envelope and protocol that only its group states filled in.

    ``attributes`` are those of another version than the default one.
    """
    own = resource.attributes if attributes is None else attributes
    group = group_of(registry, resource)
    if group is None:
        return own
    known, stated = resource.type.attributes, group.attributes
    filled = {name: stated[name] for name in SELECTORS if name in stated and name not in own and name in known}
    return {**filled, **own} if filled else own


def group_of(registry: Registry, resource: Resource) -> Group | None:
    """Return the group that holds a resource."""
    _, groups, group, _ = resource.xid.split("/", 3)
    return registry.groups.get(groups, {}).get(group)


def resolve(registry: Registry, xid: str, known: dict[str, Resolved]) -> Resolved:
    """Return a message in full, and remember it and its bases in ``known``.

    The cost is that of the message itself plus its bases that are not yet known. An alias resolves as its target.

    Raises:
        KeyError: there is no such resource.
    """
    target = _target(registry, xid)
    if target is None:
        raise KeyError(xid)
    pending, base = _pending(registry, target, known)
    for resource in reversed(pending):
        base = known[resource.xid] = _overlaid(registry, resource, base)
    known[xid] = base
    return base


def base_xid(attributes: Mapping[str, Any]) -> str:
    """Return the xid or absolute URI of the base message, a leading ``#`` left out; empty where there is none."""
    value = attributes.get(BASE)
    return value.removeprefix("#") if isinstance(value, str) else ""


def _pending(registry: Registry, here: Resource, known: Mapping[str, Resolved]) -> tuple[list[Resource], Resolved]:
    """Return a message and its bases that are not yet known, the nearest first, and what the last builds on."""
    pending: dict[str, Resource] = {}
    while here.xid not in known:
        if here.xid in pending:
            xids = [*pending]
            cycle = (*xids[xids.index(here.xid) :], here.xid)
            return [*pending.values()], Resolved(NOTHING, cycle=cycle)
        pending[here.xid] = here
        following = base_xid(here.attributes)
        target = _target(registry, following) if following else None
        if target is None:
            return [*pending.values()], Resolved(NOTHING, missing=following) if following else _NOTHING_BELOW
        here = target
    return [*pending.values()], known[here.xid]


def _target(registry: Registry, xid: str) -> Resource | None:
    resource = registry.resource(xid)
    if resource is not None and resource.xref:
        return registry.resource(resource.xref) or resource
    return resource


def _overlaid(registry: Registry, resource: Resource, base: Resolved) -> Resolved:
    own = effective(registry, resource)
    following = base_xid(own)
    nearest = _target(registry, following) if following and not base.cycle else None
    above, above_xid = (base, nearest.xid) if nearest else (None, "")
    inherited = _heritage(base.attributes, own, resource.type)
    merged, below = (_merged(inherited, own), base) if inherited else (own, None)
    return Resolved(merged, above, above_xid, base.cycle, base.missing, own, resource, below, tuple(inherited))


def _heritage(base: Mapping[str, Any], own: Mapping[str, Any], model: ResourceModel) -> dict[str, Any]:
    if not base:
        return {}
    dropped = {
        option
        for selector, options in options_by_selector(model).items()
        if selector in own and selector in base and not same(selector, own[selector], base[selector])
        for option in options
    }
    inheritable = inherited_names(model)
    return {name: value for name, value in base.items() if name in inheritable and name not in dropped}


def same(selector: str, one: object, other: object) -> bool:
    """Tell whether two values of ``envelope`` or ``protocol`` mean the same, without regard to case and alias."""
    if not isinstance(one, str) or not isinstance(other, str):
        return one == other
    return canonical(selector, one) == canonical(selector, other)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    result = {**old, **new}
    for name, value in new.items():
        if isinstance(value, MAPPINGS):
            known = old.get(name)
            if isinstance(known, MAPPINGS):
                result[name] = _merged(known, value)
    return result


def _origins(resolved: Resolved) -> Mapping[NamePath, str]:
    """Return a base message's origins; those of the farthest base come first, since chains may be long."""
    chain = [resolved]
    while (below := chain[-1].below) is not None and "origins" not in vars(below):
        chain.append(below)
    for each in reversed(chain):
        known = each.origins
    return known


def _trace(old: Any, new: Any, path: NamePath, by: str, origins: dict[NamePath, str]) -> None:
    """Note who wrote what is laid over an older value at a path."""
    if isinstance(old, MAPPINGS) and isinstance(new, MAPPINGS):
        for name, value in new.items():
            _trace(old.get(name), value, (*path, name), by, origins)
        return
    if isinstance(old, MAPPINGS):
        for inner in [known for known in origins if known[: len(path)] == path]:
            del origins[inner]
    origins[path] = by


@lru_cache(maxsize=64)
def options_by_selector(model: ResourceModel) -> Mapping[str, frozenset[str]]:
    """Return which attributes exist only for certain values of which selector, from the model's ``ifvalues``."""
    return {
        name: frozenset(option for clause in attribute.ifvalues.values() for option in clause)
        for name, attribute in model.attributes.items()
        if attribute.ifvalues
    }


@lru_cache(maxsize=64)
def inherited_names(model: ResourceModel) -> frozenset[str]:
    """Return the names of the attributes that pass from a base message to those that derive from it."""
    own = {name for name, attribute in model.attributes.items() if not attribute.core and name not in {BASE, "*"}}
    return frozenset(own | INHERITED_CORE).union(*options_by_selector(model).values())


@lru_cache(maxsize=64)
def brought_by_unknown(model: ResourceModel) -> Mapping[str, Any]:
    """Return what a base message that can't be found may have brought: any envelope and protocol, any options.

    Source: message/spec.md "basemessage": that a base can't be found is no error, so what it may have said is no fault.
    """
    options = options_by_selector(model)
    brought: dict[str, Any] = {option: {} for names in options.values() for option in names}
    return {**brought, **dict.fromkeys(options, UNKNOWN)}
