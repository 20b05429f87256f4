"""Messages with the attributes of their base messages, and the entity on which each attribute was written.

Source: message/spec.md, "basemessage": bases are followed to the end of the chain, then merged back, deeply; a base
that can't be found is no error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.json_pointer import NamePath
from xregit.model import canonical
from xregit.model.language import MAPPINGS, NOTHING, ResourceModel
from xregit.xid import parent

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


# Core attributes that a message takes over from its base besides all that the message specification defines.
INHERITED_CORE = frozenset({"description", "documentation", "icon", "labels"})
# Selectors that a group states for all of its messages.
SELECTORS = ("envelope", "protocol")
BASE = "basemessage"
# Stands for the envelope or protocol of a base message that can't be found.
UNKNOWN_VALUE = "?"


@dataclass(frozen=True)
class Resolved:
    """A message with its base messages merged in.

    ``base`` is the nearest base message and ``base_xid`` its xid. ``cycle`` is the chain of xids, if bases lead back to
    the message, ``missing`` the first base that is not in the registry. ``message`` is the message itself and ``own``
    its attributes with those that only its group states. They are merged over those attributes of ``below``, its base,
    whose names are ``inherited``; unlike ``base``, ``below`` is there in a cycle too.
    """

    attributes: Mapping[str, Any]
    base: Resolved | None = None
    base_xid: str = ""
    cycle: tuple[str, ...] = ()
    missing: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    message: Resource | None = None
    below: Resolved | None = None
    inherited: tuple[str, ...] = ()

    @cached_property
    def origins(self) -> Mapping[NamePath, str]:
        """The xid of the message or group on which each value was written, by the value's path.

        A path that is not there has its nearest ancestor's. A check asks for none of them, and they are many.
        """
        if self.message is None:
            return {}
        xid = self.message.xid
        authors = {name: xid if name in self.message.attributes else parent(xid) for name in self.own}
        if self.below is None:
            return {(name,): author for name, author in authors.items()}
        origins = {path: author for path, author in _origins(self.below).items() if path[0] in self.inherited}
        for name, value in self.own.items():
            old = self.below.attributes.get(name) if name in self.inherited else None
            _trace(old, value, (name,), authors[name], origins)
        return origins

    @property
    def chain(self) -> tuple[str, ...]:
        """The xids of all base messages, the nearest first."""
        xids = []
        message: Resolved | None = self
        while message is not None and message.base_xid:
            xids.append(message.base_xid)
            message = message.base
        return tuple(xids)

    def origin(self, path: NamePath) -> str:
        """Return the xid of the entity on which the value at a path was written, or an empty string."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return ""


def effective(registry: Registry, resource: Resource, attributes: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return a message's own attributes with the envelope and protocol that only its group states filled in.

    ``attributes`` are those of another version than the default one.
    """
    own = resource.attributes if attributes is None else attributes
    group = group_of(registry, resource)
    if group is None:
        return own
    selectors = {name: group.attributes[name] for name in SELECTORS if name in group.attributes}
    added = {name: value for name, value in selectors.items() if name not in own and name in resource.type.attributes}
    return {**added, **own} if added else own


def group_of(registry: Registry, resource: Resource) -> Group | None:
    """Return the group that holds a resource."""
    _, groups, group, _ = resource.xid.split("/", 3)
    return registry.groups.get(groups, {}).get(group)


def resolve(registry: Registry, xid: str, resolved: dict[str, Resolved]) -> None:
    """Add a message and its bases to those that are ``resolved`` already; an alias resolves as its target.

    Raises:
        KeyError: there is no such resource.
    """
    message = _target(registry, xid)
    if message is None:
        raise KeyError(xid)
    pending: dict[str, Resource] = {}
    base = Resolved(NOTHING)
    while message is not None:
        if message.xid in resolved:
            base = resolved[message.xid]
            break
        if message.xid in pending:
            xids = [*pending]
            base = Resolved(NOTHING, cycle=(*xids[xids.index(message.xid) :], message.xid))
            break
        pending[message.xid] = message
        next_xid = base_xid(message.attributes)
        message = _target(registry, next_xid)
        if message is None:
            base = Resolved(NOTHING, missing=next_xid)
    for resource in reversed(pending.values()):
        base = resolved[resource.xid] = _merge_base(registry, resource, base)
    resolved[xid] = base


def base_xid(attributes: Mapping[str, Any]) -> str:
    """Return the xid or absolute URI of the base message, a leading ``#`` left out; empty where there is none."""
    value = attributes.get(BASE)
    return value.removeprefix("#") if isinstance(value, str) else ""


def _target(registry: Registry, xid: str) -> Resource | None:
    resource = registry.resource(xid)
    if resource is not None and resource.xref:
        return registry.resource(resource.xref) or resource
    return resource


def _merge_base(registry: Registry, resource: Resource, base: Resolved) -> Resolved:
    own, model = effective(registry, resource), resource.type
    dropped = {
        option
        for selector, options in options_by_selector(model).items()
        if selector in own and selector in base.attributes
        if not same_selector(selector, own[selector], base.attributes[selector])
        for option in options
    }
    names = inherited_names(model) - dropped
    inherited = {name: value for name, value in base.attributes.items() if name in names}
    attributes, below = (_merge(inherited, own), base) if inherited else (own, None)
    target = _target(registry, base_xid(own)) if not base.cycle else None
    nearest, xid = (base, target.xid) if target else (None, "")
    return Resolved(attributes, nearest, xid, base.cycle, base.missing, own, resource, below, tuple(inherited))


def same_selector(selector: str, one: object, other: object) -> bool:
    """Return whether two values of ``envelope`` or ``protocol`` mean the same, without regard to case and alias."""
    if not isinstance(one, str) or not isinstance(other, str):
        return one == other
    return canonical(selector, one) == canonical(selector, other)


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    result = {**old, **new}
    for name, value in new.items():
        if isinstance(value, MAPPINGS) and isinstance(old.get(name), MAPPINGS):
            result[name] = _merge(old[name], value)
    return result


def _origins(resolved: Resolved) -> Mapping[NamePath, str]:
    """Return a base message's origins; those of the farthest base come first, since chains may be long."""
    chain = [resolved]
    while (below := chain[-1].below) is not None and "origins" not in vars(below):
        chain.append(below)
    for message in reversed(chain):
        origins = message.origins
    return origins


def _trace(old: Any, new: Any, path: NamePath, author: str, origins: dict[NamePath, str]) -> None:
    """Add the origin of what is merged over an older value at a path."""
    if isinstance(old, MAPPINGS) and isinstance(new, MAPPINGS):
        for name, value in new.items():
            _trace(old.get(name), value, (*path, name), author, origins)
        return
    if isinstance(old, MAPPINGS):
        for inner in [other for other in origins if other[: len(path)] == path]:
            del origins[inner]
    origins[path] = author


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
def unknown_base_attributes(model: ResourceModel) -> Mapping[str, Any]:
    """Return what a base message that can't be found may have: any envelope and protocol, any options.

    Source: message/spec.md "basemessage": that a base can't be found is no error, so what it may have is no fault.
    """
    options = options_by_selector(model)
    attributes: dict[str, Any] = {option: {} for names in options.values() for option in names}
    return {**attributes, **dict.fromkeys(options, UNKNOWN_VALUE)}
