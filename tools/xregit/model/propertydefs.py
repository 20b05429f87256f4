"""A value against a message property: its type, its enumerated values and its narrower form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import PROPERTY_TYPES, SYNTAXES, follows, has_placeholders
from xregit.model.faults import either

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel


def fits_property(attribute: AttributeModel, kind: str, value: Any) -> str:
    """Return what the value should have been for a property of that type, or an empty text if it fits."""
    # message/spec.md types some media types as symbols, whose characters they don't keep to: their form decides.
    datatype = PROPERTY_TYPES["string" if kind == "symbol" and attribute.syntax else kind]
    if not datatype.test(value):
        return datatype.about
    if attribute.enum and str(value) not in map(str, attribute.enum) and not has_placeholders(value):
        return either(attribute.enum)
    if attribute.syntax and not follows(attribute.syntax, value):
        return SYNTAXES[attribute.syntax].about
    return ""
