"""A value against a message property: its type, its enumerated values and its narrower form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import PROPERTY_TYPES, SYNTAXES, Datatype, follows, has_placeholders
from xregit.model.faults import either

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel


def property_tests(attribute: AttributeModel) -> Mapping[str, Callable[[Any], bool]]:
    """Return the test of a property's value for each type that its definition may state."""
    return {kind: _test(attribute, kind) for kind in attribute.attributes["type"].enum}


def _test(attribute: AttributeModel, kind: str) -> Callable[[Any], bool]:
    if not attribute.enum and not attribute.syntax:
        return _datatype(attribute, kind).test
    return lambda value: property_due(attribute, kind, value) == ""


def property_due(attribute: AttributeModel, kind: str, value: Any) -> str:
    """Return what the value should have been for a property of that type, or an empty text if it fits."""
    datatype = _datatype(attribute, kind)
    if not datatype.test(value):
        return datatype.about
    if attribute.enum and str(value) not in map(str, attribute.enum) and not has_placeholders(value):
        return either(attribute.enum)
    if attribute.syntax and not follows(attribute.syntax, value):
        return SYNTAXES[attribute.syntax].about
    return ""


def _datatype(attribute: AttributeModel, kind: str) -> Datatype:
    # message/spec.md types some media types as symbols, whose characters they don't keep to: their form decides.
    return PROPERTY_TYPES["string" if kind == "symbol" and attribute.syntax else kind]
