"""Values as people write them to values as the model has them: unquoted text, shorter forms.

Attributes are compiled to functions once. A function returns the very object that it was given if nothing is to be
done, so that a value without shorter forms costs little more than reading it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from xregit.model.checking import siblings
from xregit.model.datatypes import TEXTS
from xregit.model.identity import once
from xregit.model.language import MAPPINGS, NOTHING, AttributeModel
from xregit.records import distinct

Attributes = Mapping[str, AttributeModel]
#: (value, what is inherited for it) → the value in the model's form
Normal = Callable[[Any, Any], Any]

_TEXT_PROPERTIES = frozenset({"binary", "duration", "string", "symbol", "timestamp", "uri", "uritemplate", "uuid"})


def normalised(
    attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """Return the value with text where text is due, and with its shorter forms written out.

    A number or boolean becomes the text that was written, and null is as if it were not there, as core/spec.md has it;
    what isn't understood stays as it is.
    """
    result = _members(_form(attributes), value, inherited)
    return result if isinstance(result, dict) else dict(result)


@distinct
class _Form:
    """Attributes made ready: functions for the members by name, and for ``other`` ones.

    ``folding`` are the names of members that a single text may stand for; ``selecting`` says that members add others.
    """

    attributes: Attributes
    members: Mapping[str, Normal]
    other: Normal | None
    folding: frozenset[str]
    selecting: bool
    variants: dict[int, _Form] = field(default_factory=dict)


@once(1024)
def _form(attributes: Attributes) -> _Form:
    functions = {name: _normal(item) for name, item in attributes.items()}
    return _Form(
        attributes=attributes,
        members={name: function for name, function in functions.items() if function is not None and name != "*"},
        other=functions.get("*"),
        folding=frozenset(name for name, item in attributes.items() if item.fold),
        selecting=any(item.ifvalues for item in attributes.values()),
    )


def _in_force(form: _Form, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> _Form:
    known = siblings(form.attributes, value, inherited)
    if known is form.attributes:
        return form
    variant = form.variants.get(id(known))
    if variant is None:
        variant = form.variants[id(known)] = _form(known)
    return variant


def _members(form: _Form, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> Mapping[str, Any]:
    if form.selecting:
        form = _in_force(form, value, inherited)
    members, folding = form.members, form.folding
    changed: dict[str, Any] | None = None
    nulls = False
    for name, member in value.items():
        if type(member) is str and name not in folding:
            continue
        if member is None:
            nulls = True
            continue
        one = members.get(name) if name in form.attributes else form.other
        if one is not None:
            new = one(member, inherited.get(name))
            if new is not member:
                changed = changed or {}
                changed[name] = new
    whole = {**value, **changed} if changed else value
    return _without_null(whole) if nulls else whole


def _without_null(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in value.items() if member is not None}


def _normal(attribute: AttributeModel) -> Normal | None:
    """Return what is to be done with an attribute's value, None for nothing."""
    if attribute.property:
        return _property(attribute)
    if attribute.type in TEXTS:
        return lambda value, _below: _text(value)
    builder = {"array": _array, "object": _object, "map": _map}.get(attribute.type)
    return builder(attribute) if builder else None


def _property(attribute: AttributeModel) -> Normal:
    form = _form(attribute.attributes)
    bare_text = attribute.property in _TEXT_PROPERTIES and attribute.type == "any"

    def normal(value: Any, below: Any) -> Any:
        if not isinstance(value, MAPPINGS):
            return _text(value) if bare_text else value
        whole = _members(form, value, NOTHING)
        written = whole.get("value")
        if written is None or isinstance(written, str):
            return whole
        stated = whole.get("type") or (below.get("type") if isinstance(below, MAPPINGS) else None)
        kind = stated or attribute.property
        text = _text(written) if isinstance(kind, str) and kind in _TEXT_PROPERTIES else written
        return whole if text is written else {**whole, "value": text}

    return normal


def _object(attribute: AttributeModel) -> Normal | None:
    form = _form(attribute.attributes)
    if not (form.members or form.other or form.selecting or attribute.unwrap):
        return None
    further = attribute.attributes.get("*")
    of_properties = further is not None and further.property != ""

    def normal(value: Any, below: Any) -> Any:
        if not isinstance(value, MAPPINGS):
            return value
        members = _unwrapped(value, attribute.unwrap, of_properties=of_properties) if attribute.unwrap else value
        return _members(form, members, below if isinstance(below, MAPPINGS) else NOTHING)

    return normal


def _map(attribute: AttributeModel) -> Normal | None:
    one = _normal(attribute.item) if attribute.item else None
    if one is None:
        return None

    def normal(value: Any, _below: Any) -> Any:
        if not isinstance(value, MAPPINGS):
            return value
        new = {name: member if member is None else one(member, None) for name, member in value.items()}
        whole = new if any(new[name] is not member for name, member in value.items()) else value
        return _without_null(whole) if None in whole.values() else whole

    return normal


def _array(attribute: AttributeModel) -> Normal | None:
    one = _normal(attribute.item) if attribute.item else None
    if one is None and not attribute.fold:
        return None

    def normal(value: Any, _below: Any) -> Any:
        listed = _folded(value, attribute.fold)
        if one is None or not isinstance(listed, list):
            return listed
        new = [item if item is None else one(item, None) for item in listed]
        return new if any(before is not after for before, after in zip(listed, new, strict=True)) else listed

    return normal


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return getattr(value, "text", None) or str(value)
    return value


def _unwrapped(value: Mapping[str, Any], name: str, *, of_properties: bool) -> Mapping[str, Any]:
    """Return the members with those under a name the prose puts between moved up, where it is no property itself.

    What is stated otherwise there stays where it is, to be reported.
    """
    inner = value.get(name)
    if not isinstance(inner, MAPPINGS):
        return value
    if of_properties and not all(isinstance(member, MAPPINGS) for member in inner.values()):
        return value
    outer = {key: member for key, member in value.items() if key != name}
    left = {key: member for key, member in inner.items() if key in outer and outer[key] != member}
    return {**inner, **outer, **({name: left} if left else {})}


def _folded(value: Any, fold: str) -> Any:
    if fold == "item" and not isinstance(value, (list, tuple)):
        return [value]
    if fold == "pairs" and isinstance(value, MAPPINGS):
        return [
            {"name": name, **member} if isinstance(member, MAPPINGS) else {"name": name, "value": member}
            for name, member in value.items()
        ]
    return list(value) if isinstance(value, tuple) else value
