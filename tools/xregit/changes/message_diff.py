"""What differs between two states of a message: its envelope, its protocol options and its other attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from xregit.catalog.entities import Resource
from xregit.catalog.properties import PARTS, Property, placeholders_in, properties, texts
from xregit.catalog.references import SchemaReference, schema_of
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS
from xregit.changes.attribute_diff import (
    NARROWER,
    OTHER,
    SAME,
    WIDER,
    alike,
    allowed_value,
    canonical_selector,
    changes_type,
    constraint_relation,
    diff_leaves,
    placeholder_samples,
    same_value,
    selector_relation,
    template_samples,
    type_relation,
    value_relation,
)
from xregit.changes.change import Difference
from xregit.changes.verdict_table import load_table, quote_value
from xregit.json_pointer import NamePath
from xregit.messages.definition import property_type
from xregit.messages.template import Template
from xregit.model import siblings
from xregit.model.language import AttributeModel, ResourceModel

PropertyPair = tuple[Property | None, Property | None]
PropertiesByPath = Mapping[NamePath, list[Property]]

ABOUT = "message"
# Attributes of payloads; `schema_diff` compares these.
PAYLOAD = frozenset({"dataschema", "dataschemauri", "dataschemaxid", "dataschemaformat"})
# How a value without placeholders relates to the same one in another spelling.
RESTATED = "restated"
_OPTIONS = {"envelope": ("envelopemetadata", "envelopeoptions"), "protocol": ("protocoloptions",)}
_CONSTRAINTS = frozenset({"datacontenttype", "envelopeoptions"})


@dataclass(frozen=True, slots=True)
class MessageState:
    """A message in one of the two registries."""

    registry: Registry
    resource: Resource

    @property
    def type(self) -> ResourceModel:
        """The model of messages."""
        return self.resource.type

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes of the message, its base messages merged in."""
        return self.registry.resolved(self.resource.xid).attributes

    @property
    def chain(self) -> tuple[str, ...]:
        """The xids of its base messages, the nearest first, after the target of an alias."""
        target = self.registry.resource(self.resource.xref) if self.resource.xref else None
        chain = self.registry.resolved(self.resource.xid).chain
        return (target.xid, *chain) if target else chain

    @property
    def group(self) -> str:
        """The xid of the group that holds it."""
        return "/".join(self.resource.xid.split("/")[:3])

    @property
    def schema(self) -> SchemaReference | None:
        """The reference to its payload's schema."""
        return schema_of(self.registry, self.attributes)


def is_readable(registry: Registry, resource: Resource) -> bool:
    """Return whether a resource and all that it builds on could be read as a whole."""
    if not registry.broken:
        return True
    chain = registry.resolved(resource.xid).chain if resource.type.plural == "messages" else ()
    return not any(registry.unreadable(xid) for xid in (resource.xid, *chain))


def diff_message(xid: str, before: MessageState, after: MessageState) -> Iterator[Difference]:
    """Yield what differs between two states of a message, apart from its payload's schema."""
    if alike(before.attributes, after.attributes):
        return
    skipped = set(PARTS) | set(SELECTORS) | PAYLOAD | {BASE}
    parts = set(PARTS)
    for selector in SELECTORS:
        old, new = before.attributes.get(selector), after.attributes.get(selector)
        relation = selector_relation(selector, old, new)
        if old != new:
            yield Difference(xid, ABOUT, "attribute", relation, (selector,), old, new)
        if relation != SAME:
            skipped.update(_OPTIONS[selector])
            parts.difference_update(_OPTIONS[selector])
    yield from _diff_properties(xid, before, after, parts)
    for path, old, new in diff_leaves(before.attributes, after.attributes, skipped):
        relation = constraint_relation(path[-1], old, new) if path[0] in _CONSTRAINTS else OTHER
        yield Difference(xid, ABOUT, "attribute", relation, path, old, new)


def _diff_properties(
    xid: str, before: MessageState, after: MessageState, parts: Container[str]
) -> Iterator[Difference]:
    declared = tuple(_declared_properties(state, parts) for state in (before, after))
    pairs = list(pair_properties(*declared))
    earlier, model = (siblings(state.type.attributes, state.attributes) for state in (before, after))
    for (path, one, other), shared in zip(pairs, shared_placeholders([pair[1:] for pair in pairs]), strict=True):
        if (one is None or other is None) and not (_in_model(earlier, path) or _in_model(model, path)):
            continue  # a misspelled name, which is nowhere on the wire: `check` reports it
        models = _models_on_path(model, path)
        if any(attribute.delivery for attribute in models):
            yield from _diff_delivery(xid, path, one, other)
            continue
        # The envelope requires some properties though nobody declares them.
        required = models[-1].attributes.get("required") if models else None
        implied = models[-1] if required and required.default is True else None
        yield from _diff_presence(xid, path, one, other, implied=implied is not None)
        old = _implied_property(other, implied) if implied and other and not one else one
        new = _implied_property(one, implied) if implied and one and not other else other
        old, new = old or _alternative(declared[0], path), new or _alternative(declared[1], path)
        if old and new:
            separators = models[-1].separators if models else ""
            relation = value_relation(old, new, more=shared[0], less=shared[1], separators=separators)
            yield from _diff_definition(xid, path, old, new, relation)


def _in_model(model: Mapping[str, AttributeModel], path: NamePath) -> bool:
    """Return whether a model has a property of that name, or whatever name there may be."""
    part = model.get(path[0])
    return part is None or part.item is not None or not part.attributes.keys().isdisjoint((path[1], "*"))


def _diff_delivery(xid: str, path: NamePath, one: Property | None, other: Property | None) -> Iterator[Difference]:
    """Yield what differs in a property that only controls delivery; its value, presence and type are compatible."""
    if one is None or other is None:
        yield Difference(xid, ABOUT, "delivery", OTHER, path, _content(one), _content(other))
        return
    if not same_value(path[-1], one.value, other.value):
        yield Difference(xid, ABOUT, "delivery", OTHER, path, one.value, other.value)
    for member in ("required", "type"):
        old, new = getattr(one, member), getattr(other, member)
        if old != new:
            yield Difference(xid, ABOUT, "delivery", OTHER, (*path, member), old, new)


def _content(item: Property | None) -> Any:
    """Return what a definition says of a property: its value, if it has one."""
    return item and ({"type": item.type, "required": item.required} if item.value is None else item.value)


def _alternative(declared: PropertiesByPath, path: NamePath) -> Property | None:
    """Return an optional property of a repeated name, for which a reader may take one that comes alone."""
    return next((item for item in declared.get(path, ()) if not item.required and item.value is None), None)


def _declared_properties(state: MessageState, parts: Container[str]) -> PropertiesByPath:
    """Return the properties of some parts of a message, with the types by which messages are recognised."""
    protocol = canonical_selector("protocol", state.attributes.get("protocol"))
    items = (item for item in properties(state.type, state.attributes) if item.path[0] in parts)
    return properties_by_path((item._replace(type=property_type(item, protocol)) for item in items), protocol)


def properties_by_path(items: Iterable[Property], protocol: str) -> PropertiesByPath:
    """Return properties by a path in which an item of a list has its name; names may repeat there."""
    caseless = load_table().caseless_names.get(protocol.partition("/")[0], frozenset())
    result: dict[NamePath, list[Property]] = defaultdict(list)
    for item in items:
        section = item.path[:-1]
        name = item.name.lower() if section[-1] in caseless else item.name
        result[(*section, name)].append(item)
    return result


def pair_properties(
    before: PropertiesByPath, after: PropertiesByPath
) -> Iterator[tuple[NamePath, Property | None, Property | None]]:
    """Yield each path with its properties before and after; of those that share a name, equal ones go together."""
    for path in dict.fromkeys((*before, *after)):
        old, new = list(before.get(path, ())), list(after.get(path, ()))
        for item in tuple(old):
            twin = next((other for other in new if _property_content(other) == _property_content(item)), None)
            if twin is not None:
                old.remove(item)
                new.remove(twin)
                yield path, item, twin
        for one, other in zip_longest(old, new):
            yield path, one, other


def _property_content(item: Property) -> tuple[object, ...]:
    return item.type, item.required, repr(item.value), item.description, item.specurl


def shared_placeholders(pairs: Sequence[PropertyPair]) -> list[tuple[bool, bool]]:
    """Return for each pair whether shared placeholders let the new value allow all old messages, and the other way.

    Unchanged values come first, so that a conflict is reported at the value that has changed. Where a placeholder takes
    the place of another one, both answers are no: what stood there stands here now, though the texts look the same.
    """
    values = [(_template_text(one), _template_text(other)) for one, other in pairs]
    order = sorted(range(len(pairs)), key=lambda number: values[number][0] != values[number][1])
    more = _check_samples([values[number] for number in order])
    less = _check_samples([values[number][::-1] for number in order])
    answers = dict(zip(order, zip(more, less, strict=True), strict=True))
    names = {name for one, _ in values for name in placeholders_in(one)}
    return [
        (False, False) if all(answers[number]) and _moves_placeholder(*pair, names) else answers[number]
        for number, pair in enumerate(values)
    ]


def _template_text(item: Property | None) -> str:
    value = allowed_value(item) if item else None
    return value if isinstance(value, str) else ""


def _moves_placeholder(before: str, after: str, names: Container[str]) -> bool:
    """Return whether one of the message's placeholders takes the place of another one, and nothing else differs."""
    old, new = texts(before), texts(after)
    literals = [[part.text for part in parts if not part.placeholder] for parts in (old, new)]
    if len(old) != len(new) or literals[0] != literals[1]:
        return False
    if len(placeholders_in(before)) != len(placeholders_in(after)):
        return False
    exchanged = ((one.placeholder, other.placeholder) for one, other in zip(old, new, strict=True))
    return any(one != other and other in names for one, other in exchanged)


def _check_samples(values: Sequence[tuple[str, str]]) -> list[bool]:
    """Return for each pair whether its second value reads what the first one makes, given what all before it read.

    A value that can't read its samples even by itself counts as reading them: `value_relation` reports that.
    """
    samples = placeholder_samples(narrow for narrow, _ in values)
    contexts: tuple[dict[str, str], ...] = ({}, {})
    answers = []
    for narrow, wide in values:
        template = Template.parse(wide)
        # Both are read whatever comes of the first, as each says what placeholders stand for.
        fits = [
            _fits_template(template, sample, context)
            for sample, context in zip(template_samples(narrow, samples), contexts, strict=True)
        ]
        answers.append(all(fits))
    return answers


def _fits_template(template: Template, sample: str, context: dict[str, str]) -> bool:
    """Return whether the values of placeholders in the context let a text fit, and add those that it has."""
    values = dict(context)
    if template.read(sample, values):
        context.update(values)
        return True
    return not template.read(sample, {})


def _models_on_path(model: Mapping[str, AttributeModel], path: NamePath) -> list[AttributeModel]:
    """Return the models of a property and of everything that it stands in."""
    result: list[AttributeModel] = []
    for name in path:
        attribute = model.get(name)
        if attribute is None:
            break
        result.append(attribute)
        model = attribute.attributes
    return result


def _implied_property(declared: Property, implied: AttributeModel) -> Property:
    """Return the counterpart of a property that only one of two states declares, as the envelope has it anyway.

    To declare a type with more values than the envelope's own takes nothing back, nor brings anything.
    """
    kind, value = (implied.attributes[name] for name in ("type", "value"))
    result = declared._replace(type=kind.default, required=True, value=next(iter(value.enum), None))
    result = result._replace(type=property_type(result, ""))
    return result._replace(type=declared.type) if type_relation(result, declared) == WIDER else result


def _diff_presence(
    xid: str, path: NamePath, one: Property | None, other: Property | None, *, implied: bool
) -> Iterator[Difference]:
    """Yield what differs in whether a property is there; one with a value must be there to conform."""
    old, new = (implied or bool(item and (item.required or item.value is not None)) for item in (one, other))
    words = {"valued": _with_value(other), "wasvalued": _with_value(one)}
    if old != new:
        # A property that stays and loses its value may have any value, which implies that it may be missing.
        never_valued = _value(one) is None and _value(other) is None
        if one is None or other is None or never_valued or value_relation(one, other) == SAME:
            relation = NARROWER if new else WIDER
            yield Difference(xid, ABOUT, "presence", relation, path, _value(one), _value(other), words)
    elif (one is None) != (other is None):
        relation = SAME if old else "gained" if one is None else "lost"
        if not old or all(item is None or allowed_value(item) is None for item in (one, other)):
            yield Difference(xid, ABOUT, "presence", relation, path, _value(one), _value(other), words)
    elif one and other and one.required != other.required:
        # Matching demands a property with a value; who reads the definition may take it for optional all the same.
        relation = SAME if implied else "stated" if other.required else "unstated"
        yield Difference(xid, ABOUT, "presence", relation, path, one.required, other.required)


def _value(item: Property | None) -> Any:
    return item.value if item else None


def _with_value(item: Property | None) -> str:
    return f", with the value {quote_value(item.value)}" if item and item.value is not None else ""


def _diff_definition(xid: str, path: NamePath, one: Property, other: Property, relation: str) -> Iterator[Difference]:
    """Yield what differs in a property whose values relate in this way."""
    old, new = one.value, other.value
    restated = False
    if alike(old, new):  # what means now in a timestamp is a text elsewhere
        old, new = allowed_value(one), allowed_value(other)
    else:
        restated = relation == SAME and not (one.placeholders or other.placeholders)
    if not alike(old, new):
        words = {
            "wasallowed": "any value was allowed" if old is None else f"{quote_value(old)} was allowed",
            "nowallowed": "any value is allowed" if new is None else f"{quote_value(new)} is allowed",
        }
        yield Difference(xid, ABOUT, "value", RESTATED if restated else relation, path, old, new, words)
    if changes_type(one, other, relation):
        kind = type_relation(one, other)
        yield Difference(xid, ABOUT, "type", kind, (*path, "type"), one.type, other.type)
    if (one.description, one.specurl) != (other.description, other.specurl):
        yield Difference(xid, ABOUT, "text", OTHER, path)
