"""The attributes of entities as documents of a profile state them: names, order, defaults, references, times.

Addresses are up to the views of a document and the static API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from xregit.catalog.entities import VERSIONS, Group, Resource, Version
from xregit.catalog.references import schema_reference
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS, base_xid, effective
from xregit.document.dialects.converter import apply_steps
from xregit.document.profiles import Profile, Step, UsagePair, dialect, steps_for
from xregit.document.version_document import document_attribute
from xregit.model import canonical, siblings
from xregit.model.language import NOTHING, AttributeModel, GroupModel, Model, ResourceModel
from xregit.model.times import moment, timestamp
from xregit.source.commit_log import FileHistory

URI, XID, USAGE, ENDPOINTS = "dataschemauri", "dataschemaxid", "usage", "endpoints"
LIFECYCLE = frozenset({"epoch", "createdat", "modifiedat"})
# What every document states anew of an entity, whatever a file says.
GENERATED = LIFECYCLE | {"self", "shortself", "xid"}
GENERATED_OF_VERSIONS = frozenset({"versionid", "isdefault", "ancestor"})
GENERATED_OF_META = frozenset({"readonly", "defaultversionid", "defaultversionurl", "defaultversionsticky"})
GENERATED_OF_REGISTRIES = frozenset({"specversion", "registryid", "capabilities", "model", "modelsource"})


class Serializer:
    """The attributes of one registry's entities in one profile; ``resolved`` merges base messages in."""

    def __init__(self, registry: Registry, profile: Profile, *, resolved: bool = False) -> None:
        """Begin; a profile that allows endpoints one usage splits those that have several."""
        self.registry = split_by_usage(registry, profile.together) if profile.together else registry
        self.profile = profile
        self.resolved = resolved
        self._steps_by_kind: dict[tuple[str, ...], tuple[tuple[Step, ...], tuple[Step, ...]]] = {}
        self._arranger = Arranger(defaults=True)
        self._references = ReferenceWriter(registry, resolved=resolved)

    def registry_attributes(self) -> dict[str, Any]:
        """Return the attributes of the registry itself."""
        model = self.registry.model
        return self._serialize("registry", self.registry.attributes, model.attributes, registry_generated(model))

    def group_attributes(self, group: Group) -> dict[str, Any]:
        """Return a group's attributes without its collections."""
        model = group.type
        return self._serialize(model.singular, group.attributes, model.attributes, group_generated(model))

    def meta_attributes(self, resource: Resource) -> dict[str, Any]:
        """Return the attributes of a resource's meta entity."""
        if not resource.meta:
            return {}
        return self._serialize("meta", resource.meta, resource.type.metaattributes, meta_generated(resource.type))

    def version_attributes(self, resource: Resource, version: Version) -> dict[str, Any]:
        """Return a version's attributes with its document."""
        model = resource.type
        own, inherited = self._with_base(resource, effective(self.registry, resource, version.attributes))
        if BASE in model.attributes:
            own = self._references.with_schema_xid(resource.xid, own)
        result = self._serialize(model.singular, own, model.attributes, version_generated(model), inherited)
        if model.hasdocument:
            result |= document_attribute(version, model.singular, objects=self.profile.plain)
        return result

    def lifecycle(self, attributes: Mapping[str, Any], *paths: str) -> Lifecycle | FileHistory:
        """Return an entity's epoch and times: those that it states, else those of its files' commits."""
        history = lifecycle_of(self.registry, paths)
        return history if LIFECYCLE.isdisjoint(attributes) else stated_lifecycle(attributes, history)

    def _serialize(
        self,
        kind: str,
        value: Mapping[str, Any],
        attributes: Mapping[str, AttributeModel],
        generated: frozenset[str],
        inherited: Mapping[str, Any] | None = NOTHING,
    ) -> dict[str, Any]:
        strict, renames = self._steps(kind, _selector_values(value, inherited or NOTHING))
        result = self._arranger.arrange(attributes, apply_steps(strict, value) if strict else value, inherited)
        for name in generated.intersection(result):
            del result[name]
        return dict(apply_steps(renames, result)) if renames else result

    def _steps(self, kind: str, selectors: Mapping[str, str]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """Return the steps for entities of a kind that have these selectors: to the strict form, to the profile's."""
        key = (kind, *selectors.values())
        if key not in self._steps_by_kind:
            tables = (dialect("strict").entities, self.profile.steps)
            all_steps = (steps_for(table, kind) for table in tables)
            strict, renames = (tuple(step for step in steps if step.holds(selectors)) for steps in all_steps)
            self._steps_by_kind[key] = (strict, renames)
        return self._steps_by_kind[key]

    def _with_base(
        self, resource: Resource, own: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
        """Return what a message states and what it inherits: nothing without a base, None where the base is missing."""
        if not base_xid(own):
            return own, NOTHING
        resolved = self.registry.resolved(resource.xid)
        if resolved.missing or resolved.cycle:
            return own, None
        if self.resolved:
            return {name: value for name, value in resolved.attributes.items() if name != BASE}, NOTHING
        inherited = self.registry.resolved(base_xid(own)).attributes
        # Options belong to what selects them: a server knows those of an envelope only where the message states it.
        return {**{name: inherited[name] for name in SELECTORS if name in inherited}, **own}, inherited


def _selector_values(value: Mapping[str, Any], inherited: Mapping[str, Any]) -> dict[str, str]:
    """Return what steps depend on: selectors, spelled as their specification does, and usages with commas between."""
    usage = value.get(USAGE)
    selectors = {USAGE: ",".join(map(str, usage)) if isinstance(usage, list) else str(usage or "")}
    for name in SELECTORS:
        selector = value.get(name) or inherited.get(name)
        selectors[name] = canonical(name, selector) if isinstance(selector, str) else ""
    return selectors


@lru_cache(maxsize=8)
def registry_generated(model: Model) -> frozenset[str]:
    """Return the registry attributes that compiling generates."""
    return GENERATED | GENERATED_OF_REGISTRIES | _collections(model.groups)


@lru_cache(maxsize=64)
def group_generated(model: GroupModel) -> frozenset[str]:
    """Return the attributes of a group that compiling generates."""
    return GENERATED | {f"{model.singular}id"} | _collections(model.resources)


@lru_cache(maxsize=64)
def meta_generated(model: ResourceModel) -> frozenset[str]:
    """Return the attributes of a meta entity that compiling generates."""
    return GENERATED | GENERATED_OF_META | {f"{model.singular}id"}


@lru_cache(maxsize=64)
def version_generated(model: ResourceModel) -> frozenset[str]:
    """Return the attributes of a version that compiling generates, or that only a server can state."""
    served = {name for name, attribute in model.attributes.items() if attribute.core and attribute.readonly}
    carriers = {f"{model.singular}{ending}" for ending in ("", "url", "base64")} if model.hasdocument else frozenset()
    return GENERATED | GENERATED_OF_VERSIONS | served | carriers | {f"{model.singular}id"}


def _collections(types: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(f"{plural}{ending}" for plural in types for ending in ("", "url", "count"))


class Lifecycle(NamedTuple):
    """An entity's epoch and times."""

    epoch: int
    createdat: str
    modifiedat: str


def lifecycle_of(registry: Registry, paths: tuple[str, ...]) -> Lifecycle | FileHistory:
    """Return what Git knows of an entity that is kept in these files, relative to the repository."""
    history = registry.origin.history
    if len(paths) == 1:
        return history.of(paths[0])
    histories = [history.of(path) for path in dict.fromkeys(paths)]
    commits = {commit for history in histories for commit in history.commits}
    return Lifecycle(
        len(commits) or max(history.epoch for history in histories),
        min(history.createdat for history in histories),
        max(history.modifiedat for history in histories),
    )


def stated_lifecycle(attributes: Mapping[str, Any], fallback: Lifecycle | FileHistory) -> Lifecycle:
    """Return the epoch and times that an entity states, and the fallback's for those it doesn't."""
    epoch = attributes.get("epoch")
    return Lifecycle(
        epoch if isinstance(epoch, int) and not isinstance(epoch, bool) and epoch > 0 else fallback.epoch,
        _stated_time(attributes.get("createdat"), fallback.createdat),
        _stated_time(attributes.get("modifiedat"), fallback.modifiedat),
    )


def _stated_time(text: Any, fallback: str) -> str:
    """Return a time in UTC; one without a zone counts as UTC, one that can't be parsed stays as it is."""
    if not isinstance(text, str) or not text:
        return fallback
    time = None if text.endswith("Z") else moment(text)
    return timestamp(time) if time else text


class ReferenceWriter:
    """The references of one registry's messages: to their base messages, and to their schemas."""

    def __init__(self, registry: Registry, *, resolved: bool = False) -> None:
        """Find all base messages, whose references other messages inherit, unless ``resolved``."""
        self._registry = registry
        messages = () if resolved else registry.all_resources
        self._bases = frozenset(base_xid(resource.attributes) for resource in messages)

    def with_schema_xid(self, xid: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message's attributes with its base as the message itself, and with the xid of its schema."""
        attributes = name_base_message(self._registry, attributes)
        schema = "" if XID in attributes else self._schema_xid(xid, attributes)
        return {**attributes, XID: schema} if schema else attributes

    def without_schema_xid(self, xid: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the same as people write it: without the xid of the schema, where that follows from the URI."""
        attributes = name_base_message(self._registry, attributes)
        if XID not in attributes or attributes[XID] != self._schema_xid(xid, attributes):
            return attributes
        return {name: value for name, value in attributes.items() if name != XID}

    def _schema_xid(self, xid: str, attributes: Mapping[str, Any]) -> str:
        """Return the xid of the schema that a message's URI leads to; none for a base, whose messages inherit it."""
        uri = attributes.get(URI)
        if not isinstance(uri, str) or not uri.removeprefix("#").startswith("/") or xid in self._bases:
            return ""
        reference = schema_reference(self._registry, uri)
        return reference.xid if reference.version is not None else ""


def name_base_message(registry: Registry, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes with a base message in place of a reference to its default version."""
    reference = attributes.get(BASE)
    if not isinstance(reference, str):
        return attributes
    message, _, version = reference.removeprefix("#").partition(f"/{VERSIONS}/")
    target = registry.resource(message) if version else None
    if target is None or version != target.defaultversionid:
        return attributes
    return {**attributes, BASE: message}


Attributes = Mapping[str, "AttributeModel"]
ValueArranger = Callable[[Any, Any], Any]
_NO_DEFAULT = object()
_LAST = 1_000_000


@dataclass(frozen=True, slots=True)
class _ObjectShape:
    """What a model says of objects of one kind.

    ``ranks`` are the places of attributes, ``arrangers`` arrange their values, ``other`` those of unknown attributes.
    ``objects`` are attributes that must be there, but may be empty.
    """

    ranks: Mapping[str, int]
    arrangers: Mapping[str, ValueArranger | None]
    other: ValueArranger | None
    defaults: Mapping[str, Any]
    objects: tuple[str, ...]


class Arranger:
    """Puts attributes in the order of a model, and fills in defaults or leaves out values that equal them."""

    def __init__(self, *, defaults: bool) -> None:
        """Fill defaults in, or leave them out."""
        self._fills = defaults
        self._selectors: dict[int, tuple[Attributes, tuple[str, ...]]] = {}
        self._shapes: dict[tuple[Any, ...], _ObjectShape] = {}

    def arrange(
        self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Return the object with its attributes in the model's order, unknown ones last.

        ``inherited`` holds what a base message gives; None leaves all defaults alone, for a base that is missing.
        """
        shape = self._shape(attributes, value, inherited or NOTHING)
        if shape.defaults and inherited is not None:
            defaults = {name: inherited.get(name, default) for name, default in shape.defaults.items()}
            if self._fills:
                value = {**defaults, **value}
            else:
                value = {
                    name: item
                    for name, item in value.items()
                    if not _equals_default(item, defaults.get(name, _NO_DEFAULT))
                }
        if shape.objects and inherited is not None:
            value = {**{name: {} for name in shape.objects if name not in inherited}, **value}
        ranks, result = shape.ranks, {}
        for name in sorted(value, key=lambda name: ranks.get(name, _LAST)) if len(value) > 1 else value:
            arrange = shape.arrangers.get(name, shape.other)
            if arrange is None:
                result[name] = value[name]
            else:
                result[name] = arrange(value[name], None if inherited is None else inherited.get(name, NOTHING))
        return result

    def _shape(self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> _ObjectShape:
        # The attributes are remembered with their id, since an id is free for others once its object is gone.
        if id(attributes) not in self._selectors:
            self._selectors[id(attributes)] = (attributes, tuple(dict.fromkeys(_selectors(attributes))))
        selectors = self._selectors[id(attributes)][1]
        key = (id(attributes), *[str(value.get(name, inherited.get(name))) for name in selectors])
        if key not in self._shapes:
            in_force = siblings(attributes, value, inherited) if selectors else attributes
            names = _names_in_order(attributes, in_force)
            self._shapes[key] = _ObjectShape(
                ranks={name: rank for rank, name in enumerate(names)},
                arrangers={name: self._value_arranger(in_force[name]) for name in names},
                other=self._value_arranger(in_force["*"]) if "*" in in_force else None,
                defaults={name: in_force[name].default for name in names if _serves_default(in_force[name])},
                objects=tuple(name for name in names if _must_be_object(in_force[name])),
            )
        return self._shapes[key]

    def _value_arranger(self, model: AttributeModel) -> ValueArranger | None:
        """Return what arranges values of an attribute, or None where they stay as they are."""
        attributes = model.attributes
        if attributes:
            return lambda value, inherited: (
                self.arrange(attributes, value, inherited if isinstance(inherited, dict | None) else NOTHING)
                if isinstance(value, dict)
                else value
            )
        item = self._value_arranger(model.item) if model.item else None
        return (lambda value, inherited: _arrange_items(value, inherited, item)) if item else None


def _arrange_items(value: Any, inherited: Any, arrange: ValueArranger) -> Any:
    """Arrange each value of a map, or of an array, which replaces a base's array as a whole."""
    if isinstance(value, dict):
        if inherited is None:
            return {name: arrange(item, None) for name, item in value.items()}
        below = inherited if isinstance(inherited, dict) else NOTHING
        return {name: arrange(item, below.get(name, NOTHING)) for name, item in value.items()}
    if isinstance(value, list):
        return [arrange(item, NOTHING) for item in value]
    return value


def _names_in_order(attributes: Attributes, in_force: Attributes) -> list[str]:
    """Return the names of the attributes in force, each right after the one whose value brings it along."""
    order: dict[str, None] = {}
    pending = [*attributes][::-1]
    while pending:
        name = pending.pop()
        if name in order or name == "*" or name not in in_force:
            continue
        order[name] = None
        pending += reversed([sibling for clause in in_force[name].ifvalues.values() for sibling in clause])
    return list(order | dict.fromkeys(name for name in in_force if name != "*"))


def _serves_default(model: AttributeModel) -> bool:
    return model.required and model.default is not None


def _must_be_object(model: AttributeModel) -> bool:
    """Return whether an empty object stands for an attribute that must be there, but need not say anything."""
    return model.required and model.inheritable and model.type == "object"


def _equals_default(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _selectors(attributes: Attributes) -> Iterator[str]:
    """Yield the names of all attributes whose value brings others with it, at this level."""
    for name, model in attributes.items():
        if model.ifvalues:
            yield name
            for clause in model.ifvalues.values():
                yield from _selectors(clause)


def split_by_usage(registry: Registry, together: UsagePair) -> Registry:
    """Return the registry with one endpoint for each usage; the first of them keeps its id, and what refers to it.

    Source: endpoint specification 1.0-rc4, "usage": one value, but for pairs that some protocols serve together.
    """
    ids = {gid.casefold() for gid in registry.groups.get(ENDPOINTS, {})}
    endpoints: dict[str, Group] = {}
    for endpoint in registry.groups.get(ENDPOINTS, {}).values():
        usages = _usages(endpoint.attributes, together)
        if len(usages) <= 1:
            endpoints[endpoint.id] = endpoint
            continue
        shared = {**endpoint.attributes, "channel": endpoint.attributes.get("channel") or endpoint.id}
        endpoints[endpoint.id] = replace(endpoint, attributes={**shared, USAGE: usages[0]})
        for usage in usages[1:]:
            gid = f"{endpoint.id}.{'.'.join(usage)}"
            while gid.casefold() in ids:
                gid += "_"
            ids.add(gid.casefold())
            endpoints[gid] = _copy_endpoint(endpoint, gid, {**shared, USAGE: usage})
    return replace(registry, groups={**registry.groups, ENDPOINTS: endpoints}) if endpoints else registry


def _usages(attributes: Mapping[str, Any], together: UsagePair) -> list[list[str]]:
    """Return the usages of each endpoint, in the order in which they are stated."""
    usage, protocol = attributes.get(USAGE), attributes.get("protocol")
    remaining = [item for item in usage if isinstance(item, str)] if isinstance(usage, list) else []
    pairs_allowed = isinstance(protocol, str) and canonical("protocol", protocol) in together.protocols
    parts: list[list[str]] = []
    while remaining:
        paired = pairs_allowed and remaining[0] in together.usages
        part = [item for item in dict.fromkeys(remaining) if item in together.usages] if paired else remaining[:1]
        parts.append(part)
        remaining = [item for item in remaining if item not in part]
    return parts


def _copy_endpoint(endpoint: Group, gid: str, attributes: Mapping[str, Any]) -> Group:
    """Return an endpoint under another id, whose own messages are aliases of those of the first."""
    xid = f"/{ENDPOINTS}/{gid}"
    collections = {
        plural: {rid: _alias_of(resource, f"{xid}/{plural}/{rid}") for rid, resource in resources.items()}
        for plural, resources in endpoint.collections.items()
    }
    return replace(endpoint, xid=xid, id=gid, attributes=attributes, collections=collections)


def _alias_of(resource: Resource, xid: str) -> Resource:
    meta = {"xref": resource.xref or resource.xid}
    return replace(
        resource,
        xid=xid,
        meta=meta,
        versions=NOTHING,
        defaultversionid="",
        definition={"meta": meta},
        attributes=NOTHING,
    )
