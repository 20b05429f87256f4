"""What differs between two states of a message: its envelope, its protocol options and its other attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import PARTS, placeholders_in, properties, texts
from xregit.catalog.references import schema_of
from xregit.catalog.resolver import BASE, SELECTORS
from xregit.changes import attribute_diff
from xregit.changes.attribute_diff import NARROWER, OTHER, SAME, WIDER, diff_leaves
from xregit.changes.change import Difference
from xregit.changes.equality import alike
from xregit.changes.verdicts import load_table, quote_value
from xregit.messages.definition import property_type
from xregit.messages.template import Template
from xregit.model import siblings

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from xregit.catalog.entities import Resource
    from xregit.catalog.properties import Property
    from xregit.catalog.references import SchemaReference
    from xregit.catalog.registry import Registry
    from xregit.json_pointer import NamePath
    from xregit.model.language import AttributeModel, ResourceModel


@dataclass(frozen=True, slots=True)
class MessageState:
    """A message in one of the two registries; ``chain`` are its bases, the nearest first, after an alias' target."""

    registry: Registry
    resource: Resource

    @property
    def type(self) -> ResourceModel:
        """The model of messages."""
        return self.resource.type

    @property
    def attributes(self) -> Mapping[str, Any]:
        """All that the message says, its base messages merged in."""
        return self.registry.resolved(self.resource.xid).attributes

    @property
    def chain(self) -> tuple[str, ...]:
        """What it builds on, the nearest first."""
        target = self.registry.resource(self.resource.xref) if self.resource.xref else None
        chain = self.registry.resolved(self.resource.xid).chain
        return (target.xid, *chain) if target else chain

    @property
    def group(self) -> str:
        """The xid of the group that holds it."""
        return "/".join(self.resource.xid.split("/")[:3])

    @property
    def schema(self) -> SchemaReference | None:
        """What it refers to as its payload's schema."""
        return schema_of(self.registry, self.attributes)


def is_readable(registry: Registry, resource: Resource) -> bool:
    """Tell whether a resource and all that it builds on could be read as a whole."""
    if not registry.broken:
        return True
    chain = registry.resolved(resource.xid).chain if resource.type.plural == "messages" else ()
    return not any(registry.unreadable(xid) for xid in (resource.xid, *chain))


Named = Mapping["NamePath", list["Property"]]


def properties_by_path(items: Iterable[Property], protocol: str) -> Named:
    """Return properties by a path in which an item of a list has its name; names may repeat there."""
    caseless = load_table().caseless_names.get(protocol.partition("/")[0], frozenset())
    found: dict[NamePath, list[Property]] = defaultdict(list)
    for item in items:
        section = item.path[:-1]
        name = item.name.lower() if section[-1] in caseless else item.name
        found[(*section, name)].append(item)
    return found


def pair_properties(before: Named, after: Named) -> Iterator[tuple[NamePath, Property | None, Property | None]]:
    """Give each path with its properties before and after; of those that share a name, equal ones go together."""
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


def shared_placeholders(pairs: Sequence[tuple[Property | None, Property | None]]) -> list[tuple[bool, bool]]:
    """Return for each pair whether shared placeholders let the new value allow all old messages, and the other way.

    What stays as it is comes first, so that the value that has changed is the one that is told of. Where a placeholder
    goes to the place of another one, neither is: what stood here stands there now, though the texts look the same.
    """
    values = [(_template_text(one), _template_text(other)) for one, other in pairs]
    order = sorted(range(len(pairs)), key=lambda number: values[number][0] != values[number][1])
    more = _check_samples([values[number] for number in order])
    less = _check_samples([values[number][::-1] for number in order])
    found = dict(zip(order, zip(more, less, strict=True), strict=True))
    names = {name for one, _ in values for name in placeholders_in(one)}
    return [
        (False, False) if all(found[number]) and _moves_placeholder(*pair, names) else found[number]
        for number, pair in enumerate(values)
    ]


def _moves_placeholder(before: str, after: str, names: Container[str]) -> bool:
    """Tell whether one of the message's placeholders stands in the place of another one, and nothing else differs."""
    old, new = texts(before), texts(after)
    literals = [[part.text for part in parts if not part.placeholder] for parts in (old, new)]
    exchanged = [(one.placeholder, other.placeholder) for one, other in zip(old, new, strict=False)]
    alike = (
        len(old) == len(new)
        and literals[0] == literals[1]
        and len(placeholders_in(before)) == len(placeholders_in(after))
    )
    return alike and any(one != other and other in names for one, other in exchanged)


def _template_text(item: Property | None) -> str:
    value = attribute_diff.allowed_value(item) if item else None
    return value if isinstance(value, str) else ""


def _check_samples(values: Sequence[tuple[str, str]]) -> list[bool]:
    """Tell of each pair whether the second value, if it reads what the first makes, reads it after all before it."""
    stand_ins = attribute_diff.placeholder_samples(narrow for narrow, _ in values)
    known: tuple[dict[str, str], ...] = ({}, {})
    found = []
    for narrow, wide in values:
        # Both are read whatever comes of the first, as each tells what placeholders stand for.
        least, most = map(
            _fits_template, [Template.parse(wide)] * 2, attribute_diff.template_samples(narrow, stand_ins), known
        )
        found.append(least and most)
    return found


def _fits_template(template: Template, sample: str, known: dict[str, str]) -> bool:
    """Tell whether nothing that is known keeps a text from fitting, and note what it tells."""
    context = dict(known)
    if template.read(sample, context):
        known.update(context)
        return True
    return not template.read(sample, {})


ABOUT = "message"
# Said of payloads; `payloads` compares these.
PAYLOAD = frozenset({"dataschema", "dataschemauri", "dataschemaxid", "dataschemaformat"})
_OPTIONS = {"envelope": ("envelopemetadata", "envelopeoptions"), "protocol": ("protocoloptions",)}
_TEXTS = ("description", "specurl")
_CONSTRAINTS = frozenset({"datacontenttype"})
# Said of a value without placeholders that is written in another way.
RESTATED = "restated"


def diff_message(xid: str, before: MessageState, after: MessageState) -> Iterator[Difference]:
    """Give what differs between two states of a message, apart from its payload's schema."""
    if alike(before.attributes, after.attributes):
        return
    skipped = set(PARTS) | set(SELECTORS) | PAYLOAD | {BASE}
    parts = set(PARTS)
    for selector in SELECTORS:
        old, new = before.attributes.get(selector), after.attributes.get(selector)
        if old != new:
            yield Difference(
                xid, ABOUT, "attribute", attribute_diff.selector_relation(selector, old, new), (selector,), old, new
            )
        if attribute_diff.selector_relation(selector, old, new) != SAME:
            skipped.update(_OPTIONS[selector])
            parts.difference_update(_OPTIONS[selector])
    yield from _diff_properties(xid, before, after, parts)
    for path, old, new in diff_leaves(before.attributes, after.attributes, skipped):
        yield Difference(xid, ABOUT, "attribute", _diff_constraint(path, old, new), path, old, new)


def _diff_constraint(path: NamePath, old: Any, new: Any) -> str:
    if path[0] in _CONSTRAINTS or path[0] == "envelopeoptions":
        return attribute_diff.stated_relation(path[-1], old, new)
    return OTHER


def _diff_properties(
    xid: str, before: MessageState, after: MessageState, parts: Container[str]
) -> Iterator[Difference]:
    old, new = (_declared_properties(side, parts) for side in (before, after))
    model = siblings(after.type.attributes, after.attributes)
    paired = list(pair_properties(old, new))
    for (path, one, other), together in zip(paired, shared_placeholders([pair[1:] for pair in paired]), strict=True):
        described = _model_constraints(model, path)
        if (one is None or other is None) and not _is_known(model, path):
            continue  # a slip, which is nowhere on the wire: `check` reports it
        if any(attribute.delivery for attribute in described):
            yield from _diff_delivery(xid, path, one, other)
        else:
            yield from _diff_property(xid, path, (one, other), together, _implied_property(described))


def _declared_properties(side: MessageState, parts: Container[str]) -> Named:
    """Return the properties of some parts of a message, with the types by which messages are recognised."""
    protocol = attribute_diff.canonical_selector("protocol", side.attributes.get("protocol"))
    found = (item for item in properties(side.type, side.attributes) if item.path[0] in parts)
    return properties_by_path((item._replace(type=property_type(item, protocol)) for item in found), protocol)


def _model_constraints(model: Mapping[str, AttributeModel], path: NamePath) -> list[AttributeModel]:
    """Return what the model says of a property and of everything that it stands in."""
    found: list[AttributeModel] = []
    for name in path:
        attribute = model.get(name)
        if attribute is None:
            break
        found.append(attribute)
        model = attribute.attributes
    return found


def _is_known(model: Mapping[str, AttributeModel], path: NamePath) -> bool:
    """Tell whether the model has a property, or leaves it open what there is."""
    part = model.get(path[0])
    return part is None or part.item is not None or not part.attributes.keys().isdisjoint((path[1], "*"))


def _implied_property(described: list[AttributeModel]) -> AttributeModel | None:
    """Return what is said of a property that the envelope requires though nobody declares it; None for all others."""
    required = described[-1].attributes.get("required") if described else None
    return described[-1] if required and required.default is True else None


def _diff_delivery(xid: str, path: NamePath, one: Property | None, other: Property | None) -> Iterator[Difference]:
    old, new = (item.value if item else None for item in (one, other))
    if not attribute_diff.same_value(path[-1], old, new):
        yield Difference(xid, ABOUT, "delivery", OTHER, path, old, new)


def _diff_property(
    xid: str,
    path: NamePath,
    states: tuple[Property | None, Property | None],
    together: tuple[bool, bool],
    implied: AttributeModel | None,
) -> Iterator[Difference]:
    """Give what differs in a property; ``together`` is what the placeholders that it shares with others allow.

    ``implied`` is what the envelope says of one that is there even where it is not declared.
    """
    yield from _diff_presence(xid, path, *states, implied=implied is not None)
    one, other = (_counterpart(states, implied) if implied and not item else item for item in states)
    if one is None or other is None:
        return
    values = attribute_diff.value_relation(one, other, more=together[0], less=together[1])
    if not alike(one.value, other.value):
        restated = values == SAME and not (one.placeholders or other.placeholders)
        yield _value_difference(xid, path, one.value, other.value, RESTATED if restated else values)
    elif not alike(
        attribute_diff.allowed_value(one), attribute_diff.allowed_value(other)
    ):  # what means now in a timestamp is a text elsewhere
        yield _value_difference(
            xid, path, attribute_diff.allowed_value(one), attribute_diff.allowed_value(other), values
        )
    if attribute_diff.changes_type(one, other, values):
        yield Difference(
            xid, ABOUT, "type", attribute_diff.type_relation(one, other), (*path, "type"), one.type, other.type
        )
    if any(getattr(one, name) != getattr(other, name) for name in _TEXTS):
        yield Difference(xid, ABOUT, "text", OTHER, path)


def _counterpart(states: tuple[Property | None, Property | None], implied: AttributeModel) -> Property:
    """Return the counterpart of a property that only one of two states declares, as the envelope has it anyway.

    To declare a type with more values than the envelope's own takes nothing back, nor brings anything.
    """
    declared = next(item for item in states if item)
    kind, value = (implied.attributes[name] for name in ("type", "value"))
    found = declared._replace(type=kind.default, required=True, value=next(iter(value.enum), None))
    found = found._replace(type=property_type(found, ""))
    return found._replace(type=declared.type) if attribute_diff.type_relation(found, declared) == WIDER else found


def _diff_presence(
    xid: str, path: NamePath, one: Property | None, other: Property | None, *, implied: bool
) -> Iterator[Difference]:
    """Give what differs in whether a property is there; one that states a value must be there to conform."""
    was, now = (implied or bool(item and (item.required or item.value is not None)) for item in (one, other))
    words = {"valued": _with_requirement(other), "wasvalued": _with_requirement(one)}
    if was != now:
        # A property that stays and loses its value is said to have any value, which implies that it may be missing.
        if (
            one is None
            or other is None
            or attribute_diff.value_relation(one, other) == SAME
            or _is_valueless(one, other)
        ):
            relation = NARROWER if now else WIDER
            yield Difference(
                xid, ABOUT, "presence", relation, path, _property_value(one), _property_value(other), words
            )
    elif (one is None) != (other is None):
        relation = SAME if was else "gained" if one is None else "lost"
        if not was or all(item is None or attribute_diff.allowed_value(item) is None for item in (one, other)):
            yield Difference(
                xid, ABOUT, "presence", relation, path, _property_value(one), _property_value(other), words
            )
    elif one and other and one.required != other.required:
        yield Difference(xid, ABOUT, "presence", SAME, path, one.required, other.required)


def _is_valueless(one: Property, other: Property) -> bool:
    return one.value is None and other.value is None


def _value_difference(xid: str, path: NamePath, old: Any, new: Any, relation: str) -> Difference:
    words = {
        "wasallowed": "any value would do" if old is None else f"{quote_value(old)} was allowed",
        "nowallowed": "any value will do" if new is None else f"{quote_value(new)} is allowed",
    }
    return Difference(xid, ABOUT, "value", relation, path, old, new, words)


def _property_value(item: Property | None) -> Any:
    return item.value if item else None


def _with_requirement(item: Property | None) -> str:
    return f", with the value {quote_value(item.value)}" if item and item.value is not None else ""
