"""Attributes to the order of the model, with its defaults filled in or, the other way round, left out.

A default is served only where the attribute is required and its object is there (model specification, "default").
An attribute that a base message states passes to those that derive from it, so there the base's value takes the
default's place: what is filled in never changes what a message means once its base is merged in. An object that is
required, but may be empty or come from a base, is stated in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from xregit.model import siblings
from xregit.model.language import NOTHING
from xregit.records import record

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel

Attributes = Mapping[str, "AttributeModel"]
Inner = Callable[[Any, Any], Any]
Plan = tuple[tuple[str, "Inner | None"], ...]
_NO = object()
_LAST = 1_000_000
_MOST_ORDERS = 1_000


class _Order:
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


@record
class _Shape:
    """What a model says of objects of one kind: order, how to arrange members, defaults, objects that are due.

    ``plans`` remember, for the names of the members that an object states, the same names in order, each with the
    function that arranges its value.
    """

    order: _Order
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
        self._shapes: dict[tuple[Any, ...], _Shape] = {}
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

    def _completed(self, shape: _Shape, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the object with defaults filled in or left out."""
        due = {name: inherited.get(name, default) for name, default in shape.defaults.items()}
        if self._fills:
            return {**due, **value}
        return {name: item for name, item in value.items() if not _is(item, due.get(name, _NO))}

    def _shape(self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> _Shape:
        selectors = self._selectors.get(id(attributes))
        if selectors is None:
            selectors = self._selectors[id(attributes)] = tuple(_selectors(attributes))
            self._kept.append(attributes)
        key = (id(attributes), *[str(value.get(name, inherited.get(name))) for name in selectors])
        found = self._shapes.get(key)
        if found is None:
            found = self._shapes[key] = self._worked_out(attributes, value, inherited)
        return found

    def _worked_out(self, attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> _Shape:
        force = siblings(attributes, value, inherited) if _selectors(attributes) else attributes
        names = _in_place(attributes, force)
        other = force.get("*")
        return _Shape(
            order=_Order(names),
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
                    return partial(_ordered, shape.order.other)
            return lambda value, inherited: self._object(attributes, value, inherited)
        item = self._inner(model.item) if model.item else None
        if item is None:
            return None
        return lambda value, inherited: _items(value, inherited, item)

    def _object(self, attributes: Attributes, value: Any, inherited: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return self.arranged(
            attributes, value, inherited if isinstance(inherited, dict) or inherited is None else NOTHING
        )


def _in_place(attributes: Attributes, force: Attributes) -> list[str]:
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


def _is(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _ordered(other: Callable[[tuple[str, ...]], tuple[str, ...] | None], value: Any, _inherited: Any) -> Any:
    """Return an object whose members stay as they are, in order; the same one where that is so."""
    if not isinstance(value, dict) or len(value) <= 1:
        return value
    order = other(tuple(value))
    return value if order is None else {name: value[name] for name in order}


def _below(inherited: Mapping[str, Any] | None, name: str) -> Any:
    return None if inherited is None else inherited.get(name, NOTHING)


def _items(value: Any, inherited: Any, item: Inner) -> Any:
    """Arrange each value of a map, or of an array, which replaces a base's array as a whole."""
    if isinstance(value, dict):
        below = inherited if isinstance(inherited, dict) or inherited is None else NOTHING
        return {name: item(found, _below(below, name)) for name, found in value.items()}
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
