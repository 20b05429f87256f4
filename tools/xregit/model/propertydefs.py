"""A value against a message property: its type, its enumerated values and its narrower form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import PROPERTY_TYPES, SYNTAXES, Datatype, follows, has_placeholders
from xregit.model.quoting import either

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel


def property_tests(attribute: AttributeModel) -> Mapping[str, Callable[[Any], bool]]:
    """Return the test of a property's value for each type that its definition may state."""
    return {kind: _test(attribute, kind) for kind in attribute.attributes["type"].enum}


def _test(attribute: AttributeModel, kind: str) -> Callable[[Any], bool]:
    if attribute.enum:
        return lambda value: property_due(attribute, kind, value) == ""
    test, form = _datatype(attribute, kind).test, form_of(attribute, kind)
    if not form:
        return test
    narrower = SYNTAXES[form].test
    # Most values have the form as they are; every form of text is text already.
    if test is PROPERTY_TYPES["string"].test and SYNTAXES[form].schema.get("type") == "string":
        return lambda value: narrower(value) or (test(value) and follows(form, value))
    return lambda value: test(value) and (narrower(value) or follows(form, value))


def property_due(attribute: AttributeModel, kind: str, value: Any) -> str:
    """Return what the value should have been for a property of that type, or an empty text if it fits."""
    datatype = _datatype(attribute, kind)
    if not datatype.test(value):
        return datatype.about
    if attribute.enum and str(value) not in map(str, attribute.enum) and not has_placeholders(value):
        return either(attribute.enum)
    form = form_of(attribute, kind)
    if form and not follows(form, value):
        return SYNTAXES[form].about
    return ""


def form_of(attribute: AttributeModel, kind: str) -> str:
    """Return the narrower form that a property's value has if the property is of that type, none as an empty text."""
    return attribute.forms.get(kind) or attribute.syntax


def shape_of(attribute: AttributeModel, kind: str) -> str:
    """Return the name of what tells most of how a value looks: its narrower form, else the type of its property."""
    form = form_of(attribute, kind)
    return kind if form in {"", "nonempty"} else form


def _datatype(attribute: AttributeModel, kind: str) -> Datatype:
    # message/spec.md types some media types as symbols, whose characters they don't keep to: their form decides.
    return PROPERTY_TYPES["string" if kind == attribute.property == "symbol" and attribute.syntax else kind]
