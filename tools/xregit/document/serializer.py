"""What an entity states as a document of a profile has it: names, order, defaults and references, without addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import VERSIONS
from xregit.catalog.references import schema_reference
from xregit.catalog.resolver import BASE, SELECTORS, base_xid, effective
from xregit.document.dialects.converter import apply_steps
from xregit.document.profiles import dialect
from xregit.document.timestamps import FACTS, Lifecycle, lifecycle_of, with_stated
from xregit.document.version_document import document_attribute
from xregit.model import canonical, siblings
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Resource, Version
    from xregit.catalog.registry import Registry
    from xregit.document.profiles import Profile, Step, UsagePair
    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel
    from xregit.source.commit_log import FileHistory


URI, XID = "dataschemauri", "dataschemaxid"


class ReferenceWriter:
    """The references of one registry's messages."""

    def __init__(self, registry: Registry, *, resolved: bool = False) -> None:
        """Look at all messages once, since a base's references are those of other messages too, unless ``resolved``."""
        self._registry = registry
        messages = () if resolved else registry.all_resources
        self._bases = frozenset(base_xid(resource.attributes) for resource in messages)

    def stated(self, xid: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message's attributes with its base as the message itself, and with the xid of its schema."""
        found = name_base_message(self._registry, attributes)
        schema = self._schema(xid, attributes)
        return {**found, XID: schema} if schema and XID not in found else found

    def written(self, xid: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the same as people write it: without the xid of the schema, where that follows from the URI."""
        found = name_base_message(self._registry, attributes)
        if XID not in found or found[XID] != self._schema(xid, attributes):
            return found
        return {name: value for name, value in found.items() if name != XID}

    def _schema(self, xid: str, attributes: Mapping[str, Any]) -> str:
        """Return the xid of the schema that a message's URI leads to; none for a base, from which it would pass on."""
        uri = attributes.get(URI)
        if not isinstance(uri, str) or not uri.removeprefix("#").startswith("/") or xid in self._bases:
            return ""
        reference = schema_reference(self._registry, uri)
        return reference.xid if reference.version is not None else ""


def name_base_message(registry: Registry, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes with a base that is named by its default version as the message."""
    written = attributes.get(BASE)
    if not isinstance(written, str):
        return attributes
    message, _, version = written.removeprefix("#").partition(f"/{VERSIONS}/")
    target = registry.resource(message) if version else None
    if target is None or version != target.defaultversionid:
        return attributes
    return {**attributes, BASE: message}


Attributes = Mapping[str, "AttributeModel"]
Inner = Callable[[Any, Any], Any]
Plan = tuple[tuple[str, "Inner | None"], ...]
_NO = object()
_LAST = 1_000_000
_MOST_ORDERS = 1_000


class _AttributeOrder:
    """The places of an object's attributes; unknown ones come last, as they were written."""

    def __init__(self, names: Iterable[str]) -> None:
        """Begin without known orders: entities state few attributes, and most of them the same ones."""
        self._ranks = {name: rank for rank, name in enumerate(names)}
        self._known: dict[tuple[str, ...], tuple[str, ...] | None] = {}

    def other(self, names: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the names of an object's members in order; None where they are that already."""
        try:
            return self._known[names]
        except KeyError:
            if len(self._known) >= _MOST_ORDERS:
                self._known.clear()
            order = self.of(names)
            found = self._known[names] = None if order == names else order
            return found

    def of(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of an object's members in order."""
        return tuple(sorted(names, key=lambda name: self._ranks.get(name, _LAST)))


@dataclass(frozen=True, slots=True)
class _ObjectShape:
    """What a model says of objects of one kind: order, how to arrange members, defaults, objects that are due.

    ``plans`` remember, for the names of the members that an object states, the same names in order, each with the
    function that arranges its value.
    """

    order: _AttributeOrder
    inner: Mapping[str, Inner | None]
    defaults: Mapping[str, Any]
    owed: tuple[str, ...]
    other: Inner | None
    plans: dict[tuple[str, ...], Plan] = field(default_factory=dict)

    def plan(self, names: tuple[str, ...]) -> Plan:
        """Return the names of an object's members in order, each with what arranges it."""
        found = self.plans.get(names)
        if found is None:
            if len(self.plans) >= _MOST_ORDERS:
                self.plans.clear()
            found = tuple((name, self.inner.get(name, self.other)) for name in self.order.of(names))
            self.plans[names] = found
        return found


class Arranger:
    """Arranges values by the attributes of a model; what the model says is worked out once and kept."""

    def __init__(self, *, defaults: bool) -> None:
        """Fill defaults in, or leave out values that equal the default."""
        self._fills = defaults
        self._selectors: dict[int, tuple[str, ...]] = {}
        self._shapes: dict[tuple[Any, ...], _ObjectShape] = {}
        self._kept: list[Attributes] = []

    def arranged(
        self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Return the object with its attributes in the model's order, unknown ones last.

        ``inherited`` holds what a base message gives; None leaves all defaults alone, for a base that isn't known.
        """
        shape = self._shape(attributes, value, NOTHING if inherited is None else inherited)
        if shape.defaults and inherited is not None:
            value = self._completed(shape, value, inherited)
        if shape.owed and inherited is not None:
            owed: dict[str, Any] = {name: {} for name in shape.owed if name not in value and name not in inherited}
            value = {**value, **owed} if owed else value
        result: dict[str, Any] = {}
        for name, inner in shape.plan(tuple(value)):
            if inner is None:
                result[name] = value[name]
            else:
                result[name] = inner(value[name], None if inherited is None else inherited.get(name, NOTHING))
        return result

    def _completed(
        self, shape: _ObjectShape, value: Mapping[str, Any], inherited: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the object with defaults filled in or left out."""
        due = {name: inherited.get(name, default) for name, default in shape.defaults.items()}
        if self._fills:
            return {**due, **value}
        return {name: item for name, item in value.items() if not _equals_default(item, due.get(name, _NO))}

    def _shape(self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> _ObjectShape:
        selectors = self._selectors.get(id(attributes))
        if selectors is None:
            selectors = self._selectors[id(attributes)] = tuple(_selectors(attributes))
            self._kept.append(attributes)
        key = (id(attributes), *[str(value.get(name, inherited.get(name))) for name in selectors])
        found = self._shapes.get(key)
        if found is None:
            found = self._shapes[key] = self._worked_out(attributes, value, inherited)
        return found

    def _worked_out(
        self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any]
    ) -> _ObjectShape:
        force = siblings(attributes, value, inherited) if _selectors(attributes) else attributes
        names = _names_in_order(attributes, force)
        other = force.get("*")
        return _ObjectShape(
            order=_AttributeOrder(names),
            inner={name: self._inner(force[name]) for name in names},
            defaults={name: force[name].default for name in names if _serves_default(force[name])},
            owed=tuple(name for name in names if _is_owed(force[name])),
            other=self._inner(other) if other else None,
        )

    def _inner(self, model: AttributeModel) -> Inner | None:
        """Return what arranges values of an attribute, or nothing where they stay as they are."""
        if model.attributes:
            attributes = model.attributes
            if not _selectors(attributes):
                shape = self._worked_out(attributes, NOTHING, NOTHING)
                if not (any(shape.inner.values()) or shape.other or shape.defaults):
                    return partial(_arrange_open, shape.order.other)
            return lambda value, inherited: self._object(attributes, value, inherited)
        item = self._inner(model.item) if model.item else None
        if item is None:
            return None
        return lambda value, inherited: _arrange_items(value, inherited, item)

    def _object(self, attributes: Attributes, value: Any, inherited: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return self.arranged(
            attributes, value, inherited if isinstance(inherited, dict) or inherited is None else NOTHING
        )


def _names_in_order(attributes: Attributes, force: Attributes) -> list[str]:
    """Return the names of the attributes in force, each right after the one whose value brings it along."""
    order: dict[str, None] = {}
    pending = [*attributes][::-1]
    while pending:
        name = pending.pop()
        if name in order or name == "*" or name not in force:
            continue
        order[name] = None
        brought = [sibling for clause in force[name].ifvalues.values() for sibling in clause]
        pending += reversed(brought)
    return list(order | dict.fromkeys(name for name in force if name != "*"))


def _serves_default(model: AttributeModel) -> bool:
    return model.required and model.default is not None


def _is_owed(model: AttributeModel) -> bool:
    """Tell whether an empty object stands for an attribute that must be there, but need not say anything."""
    return model.required and model.inheritable and model.type == "object"


def _equals_default(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _arrange_open(other: Callable[[tuple[str, ...]], tuple[str, ...] | None], value: Any, _inherited: Any) -> Any:
    """Return an object whose members stay as they are, in order; the same one where that is so."""
    if not isinstance(value, dict) or len(value) <= 1:
        return value
    order = other(tuple(value))
    return value if order is None else {name: value[name] for name in order}


def _inherited_member(inherited: Mapping[str, Any] | None, name: str) -> Any:
    return None if inherited is None else inherited.get(name, NOTHING)


def _arrange_items(value: Any, inherited: Any, item: Inner) -> Any:
    """Arrange each value of a map, or of an array, which replaces a base's array as a whole."""
    if isinstance(value, dict):
        below = inherited if isinstance(inherited, dict) or inherited is None else NOTHING
        return {name: item(found, _inherited_member(below, name)) for name, found in value.items()}
    if isinstance(value, list):
        return [item(found, NOTHING) for found in value]
    return value


def _selectors(attributes: Attributes) -> list[str]:
    """Return the names of all attributes whose value brings others with it, at this level."""
    found: list[str] = []
    for name, model in attributes.items():
        if model.ifvalues:
            found.append(name)
            for clause in model.ifvalues.values():
                found += _selectors(clause)
    return list(dict.fromkeys(found))


USAGE = "usage"
# What compiling makes anew for every entity, whatever a file states.
MADE = frozenset({"self", "shortself", "xid", "epoch", "createdat", "modifiedat"})
MADE_OF_VERSIONS = frozenset({"versionid", "isdefault", "ancestor"})
MADE_OF_META = frozenset({"readonly", "defaultversionid", "defaultversionurl", "defaultversionsticky"})
MADE_OF_REGISTRIES = frozenset({"specversion", "registryid", "capabilities", "model", "modelsource"})


class Serializer:
    """What entities of one registry state, in one profile."""

    def __init__(self, registry: Registry, profile: Profile, *, resolved: bool = False) -> None:
        """Work for one registry and one profile; ``resolved`` merges base messages in."""
        self.registry = _split(registry, profile.together) if profile.together else registry
        self.profile = profile
        self.resolved = resolved
        self._known_steps: dict[tuple[str, ...], tuple[tuple[Step, ...], tuple[Step, ...]]] = {}
        self._arranger = Arranger(defaults=True)
        self._references = ReferenceWriter(registry, resolved=resolved)

    def of_registry(self) -> dict[str, Any]:
        """Return the attributes of the registry itself."""
        model = self.registry.model
        return self._stated("registry", self.registry.attributes, model.attributes, registry_generated(model))

    def of_group(self, group: Group) -> dict[str, Any]:
        """Return a group's attributes without its collections."""
        return self._stated(group.type.singular, group.attributes, group.type.attributes, group_generated(group.type))

    def of_meta(self, resource: Resource) -> dict[str, Any]:
        """Return the attributes of a resource's meta entity."""
        if not resource.meta:
            return {}
        return self._stated("meta", resource.meta, resource.type.metaattributes, meta_generated(resource.type))

    def of_version(self, resource: Resource, version: Version) -> dict[str, Any]:
        """Return a version's attributes with its document."""
        model = resource.type
        own, inherited = self._message(resource, effective(self.registry, resource, version.attributes))
        own = self._references.stated(resource.xid, own) if BASE in model.attributes else own
        result = self._stated(model.singular, own, model.attributes, version_generated(model), inherited)
        if model.hasdocument:
            result.update(document_attribute(version, model.singular, objects=self.profile.plain))
        return result

    def _stated(
        self,
        kind: str,
        value: Mapping[str, Any],
        attributes: Mapping[str, AttributeModel],
        made: frozenset[str],
        inherited: Mapping[str, Any] | None = NOTHING,
    ) -> dict[str, Any]:
        strict, own = self._steps(kind, _selector_values(value, inherited or NOTHING))
        result = self._arranger.arranged(attributes, apply_steps(strict, value) if strict else value, inherited)
        for name in made.intersection(result):
            del result[name]
        return dict(apply_steps(own, result)) if own else result

    def _steps(self, kind: str, selected: Mapping[str, str]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """Return the steps for entities of a kind that have these selectors: to the strict form, to the profile's."""
        key = (kind, *selected.values())
        found = self._known_steps.get(key)
        if found is None:
            tables = (dialect("strict").entities, self.profile.steps)
            strict, renames = (tuple(step for step in table.get(kind, ()) if step.holds(selected)) for table in tables)
            found = self._known_steps[key] = (strict, renames)
        return found

    def facts(self, attributes: Mapping[str, Any], *paths: str) -> Lifecycle | FileHistory:
        """Return an entity's epoch and times: those that it states, else those of its files' commits."""
        found = lifecycle_of(self.registry, paths)
        return found if FACTS.isdisjoint(attributes) else with_stated(attributes, found)

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


def _selector_values(value: Mapping[str, Any], inherited: Mapping[str, Any]) -> dict[str, str]:
    """Return what steps depend on: selectors, spelled as their specification does, and usages with commas between."""
    usage = value.get(USAGE)
    selected = {USAGE: ",".join(map(str, usage)) if isinstance(usage, list) else str(usage or "")}
    for name in SELECTORS:
        written = value.get(name) or inherited.get(name)
        selected[name] = canonical(name, written) if isinstance(written, str) else ""
    return selected


@lru_cache(maxsize=8)
def registry_generated(model: Model) -> frozenset[str]:
    """Return the registry attributes that compiling makes."""
    return MADE | MADE_OF_REGISTRIES | _collections(model.groups)


@lru_cache(maxsize=64)
def group_generated(model: GroupModel) -> frozenset[str]:
    """Return the attributes of a group that compiling makes."""
    return MADE | {f"{model.singular}id"} | _collections(model.resources)


@lru_cache(maxsize=64)
def meta_generated(model: ResourceModel) -> frozenset[str]:
    """Return the attributes of a meta entity that compiling makes."""
    return MADE | MADE_OF_META | {f"{model.singular}id"}


def _split(registry: Registry, together: UsagePair) -> Registry:
    from xregit.document.dialects.selectors import split_by_usage  # few profiles ask for it

    return split_by_usage(registry, together)


@lru_cache(maxsize=64)
def version_generated(model: ResourceModel) -> frozenset[str]:
    """Return the attributes of a version that compiling makes, or that only a server can state."""
    served = {name for name, attribute in model.attributes.items() if attribute.core and attribute.readonly}
    carriers = {f"{model.singular}{ending}" for ending in ("", "url", "base64")} if model.hasdocument else frozenset()
    return MADE | MADE_OF_VERSIONS | served | carriers | {f"{model.singular}id"}


def _collections(types: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(f"{plural}{ending}" for plural in types for ending in ("", "url", "count"))
