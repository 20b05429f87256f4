"""One entity to its attributes as a document of a profile states them, before addresses and times are added.

Every view of a registry is made from these: what authors wrote, in the profile's names and the model's order, with
the group's envelope and protocol, defaults of the model, and on request the base messages merged in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.resolving import BASE, SELECTORS, base_xid, effective
from xregit.document.arranging import Arranger
from xregit.document.documents import carrier
from xregit.document.normalising import after
from xregit.document.referring import References
from xregit.document.tables import dialect
from xregit.document.times import FACTS, Facts, facts_of, stated_facts
from xregit.model import canonical
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Resource, Version
    from xregit.catalog.registry import Registry
    from xregit.document.tables import Profile, Step, Together
    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel
    from xregit.source.commits import FileHistory

USAGE = "usage"
# What compiling makes anew for every entity, whatever a file states.
MADE = frozenset({"self", "shortself", "xid", "epoch", "createdat", "modifiedat"})
MADE_OF_VERSIONS = frozenset({"versionid", "isdefault", "ancestor"})
MADE_OF_META = frozenset({"readonly", "defaultversionid", "defaultversionurl", "defaultversionsticky"})
MADE_OF_REGISTRIES = frozenset({"specversion", "registryid", "capabilities", "model", "modelsource"})


class Stating:
    """What entities of one registry state, in one profile."""

    def __init__(self, registry: Registry, profile: Profile, *, resolved: bool = False) -> None:
        """Work for one registry and one profile; ``resolved`` merges base messages in."""
        self.registry = _divided(registry, profile.together) if profile.together else registry
        self.profile = profile
        self.resolved = resolved
        self._known_steps: dict[tuple[str, ...], tuple[tuple[Step, ...], tuple[Step, ...]]] = {}
        self._arranger = Arranger(defaults=True)
        self._references = References(registry, resolved=resolved)

    def of_registry(self) -> dict[str, Any]:
        """Return the attributes of the registry itself."""
        model = self.registry.model
        return self._stated("registry", self.registry.attributes, model.attributes, registry_made(model))

    def of_group(self, group: Group) -> dict[str, Any]:
        """Return a group's attributes without its collections."""
        return self._stated(group.type.singular, group.attributes, group.type.attributes, group_made(group.type))

    def of_meta(self, resource: Resource) -> dict[str, Any]:
        """Return the attributes of a resource's meta entity."""
        if not resource.meta:
            return {}
        return self._stated("meta", resource.meta, resource.type.metaattributes, meta_made(resource.type))

    def of_version(self, resource: Resource, version: Version) -> dict[str, Any]:
        """Return a version's attributes with its document."""
        model = resource.type
        own, inherited = self._message(resource, effective(self.registry, resource, version.attributes))
        own = self._references.stated(resource.xid, own) if BASE in model.attributes else own
        result = self._stated(model.singular, own, model.attributes, version_made(model), inherited)
        if model.hasdocument:
            result.update(carrier(version, model.singular, objects=self.profile.plain))
        return result

    def _stated(
        self,
        kind: str,
        value: Mapping[str, Any],
        attributes: Mapping[str, AttributeModel],
        made: frozenset[str],
        inherited: Mapping[str, Any] | None = NOTHING,
    ) -> dict[str, Any]:
        strict, own = self._steps(kind, _selected(value, inherited or NOTHING))
        result = self._arranger.arranged(attributes, after(strict, value) if strict else value, inherited)
        for name in made.intersection(result):
            del result[name]
        return dict(after(own, result)) if own else result

    def _steps(self, kind: str, selected: Mapping[str, str]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """Return the steps for entities of a kind that have these selectors: to the strict form, to the profile's."""
        key = (kind, *selected.values())
        found = self._known_steps.get(key)
        if found is None:
            tables = (dialect("strict").entities, self.profile.steps)
            strict, renames = (tuple(step for step in table.get(kind, ()) if step.holds(selected)) for table in tables)
            found = self._known_steps[key] = (strict, renames)
        return found

    def facts(self, attributes: Mapping[str, Any], *paths: str) -> Facts | FileHistory:
        """Return an entity's epoch and times: those that it states, else those of its files' commits."""
        found = facts_of(self.registry, paths)
        return found if FACTS.isdisjoint(attributes) else stated_facts(attributes, found)

    def _message(
        self, resource: Resource, own: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
        """Return what to state, and what it builds on: nothing without a base, None where the base isn't known."""
        if not base_xid(own):
            return own, NOTHING
        full = self.registry.resolved(resource.xid)
        if full.missing or full.cycle:
            return own, None
        if self.resolved:
            return {name: value for name, value in full.attributes.items() if name != BASE}, NOTHING
        inherited = self.registry.resolved(base_xid(own)).attributes
        # Options belong to what selects them: a server knows those of an envelope only where the message states it.
        return {**{name: inherited[name] for name in SELECTORS if name in inherited}, **own}, inherited


def _selected(value: Mapping[str, Any], inherited: Mapping[str, Any]) -> dict[str, str]:
    """Return what steps depend on: selectors, spelled as their specification does, and usages with commas between."""
    usage = value.get(USAGE)
    selected = {USAGE: ",".join(map(str, usage)) if isinstance(usage, list) else str(usage or "")}
    for name in SELECTORS:
        written = value.get(name) or inherited.get(name)
        selected[name] = canonical(name, written) if isinstance(written, str) else ""
    return selected


@lru_cache(maxsize=8)
def registry_made(model: Model) -> frozenset[str]:
    """Return the registry attributes that compiling makes."""
    return MADE | MADE_OF_REGISTRIES | _collections(model.groups)


@lru_cache(maxsize=64)
def group_made(model: GroupModel) -> frozenset[str]:
    """Return the attributes of a group that compiling makes."""
    return MADE | {f"{model.singular}id"} | _collections(model.resources)


@lru_cache(maxsize=64)
def meta_made(model: ResourceModel) -> frozenset[str]:
    """Return the attributes of a meta entity that compiling makes."""
    return MADE | MADE_OF_META | {f"{model.singular}id"}


def _divided(registry: Registry, together: Together) -> Registry:
    from xregit.document.dividing import divided  # few profiles ask for it

    return divided(registry, together)


@lru_cache(maxsize=64)
def version_made(model: ResourceModel) -> frozenset[str]:
    """Return the attributes of a version that compiling makes, or that only a server can state."""
    served = {name for name, attribute in model.attributes.items() if attribute.core and attribute.readonly}
    carriers = {f"{model.singular}{ending}" for ending in ("", "url", "base64")} if model.hasdocument else frozenset()
    return MADE | MADE_OF_VERSIONS | served | carriers | {f"{model.singular}id"}


def _collections(types: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(f"{plural}{ending}" for plural in types for ending in ("", "url", "count"))
