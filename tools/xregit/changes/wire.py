"""Two states of one message, base messages merged in, to what differs in its envelope, its protocol and beside them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import PARTS, properties
from xregit.catalog.resolving import BASE, SELECTORS
from xregit.changes import relating
from xregit.changes.alike import alike
from xregit.changes.change import Difference
from xregit.changes.leaves import leaves
from xregit.changes.pairing import Named, named_apart, pairs
from xregit.changes.relating import NARROWER, OTHER, SAME, WIDER
from xregit.changes.sharing import shared
from xregit.changes.verdicts import shown
from xregit.messages.definition import property_type
from xregit.model import siblings

if TYPE_CHECKING:
    from xregit.catalog.properties import Property
    from xregit.changes.sides import Side
    from xregit.keypaths import NamePath
    from xregit.model.language import AttributeModel

ABOUT = "message"
# Said of payloads; `payloads` compares these.
PAYLOAD = frozenset({"dataschema", "dataschemauri", "dataschemaxid", "dataschemaformat"})
_OPTIONS = {"envelope": ("envelopemetadata", "envelopeoptions"), "protocol": ("protocoloptions",)}
_TEXTS = ("description", "specurl")
_CONSTRAINTS = frozenset({"datacontenttype"})
# Said of a value without placeholders that is written in another way.
RESTATED = "restated"


def differences(xid: str, before: Side, after: Side) -> Iterator[Difference]:
    """Give what differs between two states of a message, apart from its payload's schema."""
    if alike(before.attributes, after.attributes):
        return
    skipped = set(PARTS) | set(SELECTORS) | PAYLOAD | {BASE}
    parts = set(PARTS)
    for selector in SELECTORS:
        old, new = before.attributes.get(selector), after.attributes.get(selector)
        if old != new:
            yield Difference(xid, ABOUT, "attribute", relating.selected(selector, old, new), (selector,), old, new)
        if relating.selected(selector, old, new) != SAME:
            skipped.update(_OPTIONS[selector])
            parts.difference_update(_OPTIONS[selector])
    yield from _properties(xid, before, after, parts)
    for path, old, new in leaves(before.attributes, after.attributes, skipped):
        yield Difference(xid, ABOUT, "attribute", _constraint(path, old, new), path, old, new)


def _constraint(path: NamePath, old: Any, new: Any) -> str:
    if path[0] in _CONSTRAINTS or path[0] == "envelopeoptions":
        return relating.stated_relation(path[-1], old, new)
    return OTHER


def _properties(xid: str, before: Side, after: Side, parts: Container[str]) -> Iterator[Difference]:
    old, new = (_declared(side, parts) for side in (before, after))
    model = siblings(after.type.attributes, after.attributes)
    paired = list(pairs(old, new))
    for (path, one, other), together in zip(paired, shared([pair[1:] for pair in paired]), strict=True):
        described = _described(model, path)
        if (one is None or other is None) and not _is_known(model, path):
            continue  # a slip, which is nowhere on the wire: `check` reports it
        if any(attribute.delivery for attribute in described):
            yield from _delivered(xid, path, one, other)
        else:
            yield from _compared(xid, path, (one, other), together, _implied(described))


def _declared(side: Side, parts: Container[str]) -> Named:
    """Return the properties of some parts of a message, with the types by which messages are recognised."""
    protocol = relating.meaning("protocol", side.attributes.get("protocol"))
    found = (item for item in properties(side.type, side.attributes) if item.path[0] in parts)
    return named_apart((item._replace(type=property_type(item, protocol)) for item in found), protocol)


def _described(model: Mapping[str, AttributeModel], path: NamePath) -> list[AttributeModel]:
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


def _implied(described: list[AttributeModel]) -> AttributeModel | None:
    """Return what is said of a property that the envelope requires though nobody declares it; None for all others."""
    required = described[-1].attributes.get("required") if described else None
    return described[-1] if required and required.default is True else None


def _delivered(xid: str, path: NamePath, one: Property | None, other: Property | None) -> Iterator[Difference]:
    old, new = (item.value if item else None for item in (one, other))
    if not relating.same_value(path[-1], old, new):
        yield Difference(xid, ABOUT, "delivery", OTHER, path, old, new)


def _compared(
    xid: str,
    path: NamePath,
    states: tuple[Property | None, Property | None],
    together: tuple[bool, bool],
    implied: AttributeModel | None,
) -> Iterator[Difference]:
    """Give what differs in a property; ``together`` is what the placeholders that it shares with others allow.

    ``implied`` is what the envelope says of one that is there even where it is not declared.
    """
    yield from _presence(xid, path, *states, implied=implied is not None)
    one, other = (_undeclared(states, implied) if implied and not item else item for item in states)
    if one is None or other is None:
        return
    values = relating.value_relation(one, other, more=together[0], less=together[1])
    if not alike(one.value, other.value):
        restated = values == SAME and not (one.placeholders or other.placeholders)
        yield _valued(xid, path, one.value, other.value, RESTATED if restated else values)
    elif not alike(relating.allowed(one), relating.allowed(other)):  # what means now in a timestamp is a text elsewhere
        yield _valued(xid, path, relating.allowed(one), relating.allowed(other), values)
    if relating.is_retyped(one, other, values):
        yield Difference(xid, ABOUT, "type", relating.type_relation(one, other), (*path, "type"), one.type, other.type)
    if any(getattr(one, name) != getattr(other, name) for name in _TEXTS):
        yield Difference(xid, ABOUT, "text", OTHER, path)


def _undeclared(states: tuple[Property | None, Property | None], implied: AttributeModel) -> Property:
    """Return the counterpart of a property that only one of two states declares, as the envelope has it anyway.

    To declare a type with more values than the envelope's own takes nothing back, nor brings anything.
    """
    declared = next(item for item in states if item)
    kind, value = (implied.attributes[name] for name in ("type", "value"))
    found = declared._replace(type=kind.default, required=True, value=next(iter(value.enum), None))
    found = found._replace(type=property_type(found, ""))
    return found._replace(type=declared.type) if relating.type_relation(found, declared) == WIDER else found


def _presence(
    xid: str, path: NamePath, one: Property | None, other: Property | None, *, implied: bool
) -> Iterator[Difference]:
    """Give what differs in whether a property is there; one that states a value must be there to conform."""
    was, now = (implied or bool(item and (item.required or item.value is not None)) for item in (one, other))
    words = {"valued": _with(other), "wasvalued": _with(one)}
    if was != now:
        # A property that stays and loses its value is said to have any value, which implies that it may be missing.
        if one is None or other is None or relating.value_relation(one, other) == SAME or _is_bare(one, other):
            relation = NARROWER if now else WIDER
            yield Difference(xid, ABOUT, "presence", relation, path, _value(one), _value(other), words)
    elif (one is None) != (other is None):
        relation = SAME if was else "gained" if one is None else "lost"
        if not was or all(item is None or relating.allowed(item) is None for item in (one, other)):
            yield Difference(xid, ABOUT, "presence", relation, path, _value(one), _value(other), words)
    elif one and other and one.required != other.required:
        yield Difference(xid, ABOUT, "presence", SAME, path, one.required, other.required)


def _is_bare(one: Property, other: Property) -> bool:
    return one.value is None and other.value is None


def _valued(xid: str, path: NamePath, old: Any, new: Any, relation: str) -> Difference:
    words = {
        "wasallowed": "any value would do" if old is None else f"{shown(old)} was allowed",
        "nowallowed": "any value will do" if new is None else f"{shown(new)} is allowed",
    }
    return Difference(xid, ABOUT, "value", relation, path, old, new, words)


def _value(item: Property | None) -> Any:
    return item.value if item else None


def _with(item: Property | None) -> str:
    return f", with the value {shown(item.value)}" if item and item.value is not None else ""
