"""The constraints on a single value: what an attribute's value may be, and a message property's."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES, Datatype, has_placeholders, matches_syntax
from xregit.model.quoting import either

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel


def is_valid(attribute: AttributeModel, value: Any) -> bool:
    """Return whether a single value is of its attribute's type, and fulfils whatever else the attribute demands."""
    if not DATATYPES[attribute.type].test(value):
        return False
    if attribute.enum and attribute.strict and not _is_listed(value, attribute.enum):
        return False
    if attribute.syntax and not SYNTAXES[attribute.syntax].test(value):
        return False
    return not (attribute.targets or attribute.target) or _has_target(attribute, value)


def _is_listed(value: Any, choices: tuple[Any, ...]) -> bool:
    # true is not 1
    return value in choices if isinstance(value, str) else repr(value) in map(repr, choices)


def _has_target(attribute: AttributeModel, value: str) -> bool:
    """Return whether a reference is to an entity of a right type; a URI may be absolute or a JSON pointer instead."""
    if attribute.type == "xid" or value.startswith("/"):
        return DATATYPES["xid"].test(value) and xid_type(value) in target_types(attribute)
    return value.startswith("#/") or SYNTAXES["absolute"].test(value)


@lru_cache(maxsize=256)
def target_types(attribute: AttributeModel) -> frozenset[str]:
    """Return the types that a reference may lead to, with "/versions" for those of versions."""
    types: set[str] = set()
    for target in attribute.targets or (attribute.target,):
        resource = target.removesuffix("[/versions]")
        types |= {resource, f"{resource}/versions"} if resource != target else {resource}
    return frozenset(types)


def xid_type(xid: str) -> str:
    """Return the type of entity that a well-formed xid names, such as ``/messagegroups/messages``."""
    parts = xid.split("/")
    return "/" + "/".join(part for part in parts[1::2] if part)


def expected_property(attribute: AttributeModel, type_: str, value: Any) -> str:
    """Return what the value should have been for a property of that type, or an empty text if it fits."""
    datatype = _property_datatype(attribute, type_)
    if not datatype.test(value):
        return datatype.about
    if attribute.enum and str(value) not in map(str, attribute.enum) and not has_placeholders(value):
        return either(attribute.enum)
    syntax = property_syntax(attribute, type_)
    if syntax and not matches_syntax(syntax, value):
        return SYNTAXES[syntax].about
    return ""


def property_syntax(attribute: AttributeModel, type_: str) -> str:
    """Return the narrower form of a property's value if the property is of that type; an empty text for none."""
    return attribute.forms.get(type_) or attribute.syntax


def syntax_or_type(attribute: AttributeModel, type_: str) -> str:
    """Return the name of what says most about a property's value: its narrower form, else the type of the property."""
    syntax = property_syntax(attribute, type_)
    return type_ if syntax in {"", "nonempty"} else syntax


def _property_datatype(attribute: AttributeModel, type_: str) -> Datatype:
    # message/spec.md types some media types as symbols, whose characters they don't keep to: their form decides.
    return PROPERTY_TYPES["string" if type_ == attribute.property == "symbol" and attribute.syntax else type_]
