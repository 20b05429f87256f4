"""The constraints on a single value: the test of an attribute's value, and of a message property's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import (
    DATATYPES,
    PROPERTY_TYPES,
    SYNTAXES,
    Datatype,
    has_placeholders,
    is_nonempty_text,
    matches_syntax,
)
from xregit.model.quoting import either

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel

Test = Callable[[Any], bool]
_ANY_VALUE = DATATYPES["any"].test


def value_test(attribute: AttributeModel) -> Test:
    """Return the test of a single value: its type and whatever else the attribute says of it."""
    tests = [_type_test(attribute)]
    if attribute.enum and attribute.strict:
        tests.append(_enum_test(attribute.enum))
    if attribute.syntax:
        tests.append(_form_test(attribute))
    targets = target_types(attribute)
    if targets:
        leads = _matches_target if attribute.type == "xid" else _is_reference_to
        tests.append(lambda value: leads(value, targets))
    return _all_tests(tests)


def _type_test(attribute: AttributeModel) -> Test:
    # Every form of text is text already, and so is what stands in a list of texts.
    if attribute.type == "string" and attribute.syntax:
        return _form_test(attribute)
    if attribute.type == "string" and attribute.strict and attribute.enum and _are_texts(attribute.enum):
        return _ANY_VALUE
    return DATATYPES[attribute.type].test


def _form_test(attribute: AttributeModel) -> Test:
    nonempty = attribute.syntax == "nonempty"
    return is_nonempty_text if nonempty and attribute.type == "string" else SYNTAXES[attribute.syntax].test


def _are_texts(listed: tuple[Any, ...]) -> bool:
    return all(isinstance(item, str) for item in listed)


def _enum_test(listed: tuple[Any, ...]) -> Test:
    if _are_texts(listed):
        texts = frozenset(listed)
        return lambda value: isinstance(value, str) and value in texts
    written = frozenset(map(repr, listed))  # true is not 1
    return lambda value: repr(value) in written


def _all_tests(tests: list[Test]) -> Test:
    # A test that everything passes adds nothing to another one.
    first, *others = [test for test in dict.fromkeys(tests) if test is not _ANY_VALUE] or [_ANY_VALUE]
    if not others:
        return first
    if len(others) == 1:
        second = others[0]
        return lambda value: first(value) and second(value)
    return lambda value: first(value) and all(test(value) for test in others)


def target_types(attribute: AttributeModel) -> frozenset[str]:
    """Return the types that a reference may lead to, with "/versions" for those of versions."""
    kinds: set[str] = set()
    for target in attribute.targets or ((attribute.target,) if attribute.target else ()):
        plain = target.removesuffix("[/versions]")
        kinds |= {plain, f"{plain}/versions"} if plain != target else {plain}
    return frozenset(kinds)


def xid_type(xid: str) -> str:
    """Return the type of entity that a well-formed xid names, such as ``/messagegroups/messages``."""
    parts = xid.split("/")
    return "/" + "/".join(part for part in parts[1::2] if part)


def _matches_target(xid: str, targets: frozenset[str]) -> bool:
    return xid_type(xid) in targets


def _is_reference_to(value: str, targets: frozenset[str]) -> bool:
    """Tell whether a URI is absolute, a JSON pointer into the document, or an xid of a right type."""
    if value.startswith("/"):
        return DATATYPES["xid"].test(value) and xid_type(value) in targets
    return value.startswith("#/") or SYNTAXES["absolute"].test(value)


def property_tests(attribute: AttributeModel) -> Mapping[str, Callable[[Any], bool]]:
    """Return the test of a property's value for each type that its definition may state."""
    return {kind: _property_test(attribute, kind) for kind in attribute.attributes["type"].enum}


def _property_test(attribute: AttributeModel, kind: str) -> Callable[[Any], bool]:
    if attribute.enum:
        return lambda value: expected_property(attribute, kind, value) == ""
    test, form = _property_datatype(attribute, kind).test, property_syntax(attribute, kind)
    if not form:
        return test
    narrower = SYNTAXES[form].test
    # Most values have the form as they are; every form of text is text already.
    if test is PROPERTY_TYPES["string"].test and SYNTAXES[form].schema.get("type") == "string":
        return lambda value: narrower(value) or (test(value) and matches_syntax(form, value))
    return lambda value: test(value) and (narrower(value) or matches_syntax(form, value))


def expected_property(attribute: AttributeModel, kind: str, value: Any) -> str:
    """Return what the value should have been for a property of that type, or an empty text if it fits."""
    datatype = _property_datatype(attribute, kind)
    if not datatype.test(value):
        return datatype.about
    if attribute.enum and str(value) not in map(str, attribute.enum) and not has_placeholders(value):
        return either(attribute.enum)
    form = property_syntax(attribute, kind)
    if form and not matches_syntax(form, value):
        return SYNTAXES[form].about
    return ""


def property_syntax(attribute: AttributeModel, kind: str) -> str:
    """Return the narrower form that a property's value has if the property is of that type, none as an empty text."""
    return attribute.forms.get(kind) or attribute.syntax


def syntax_or_type(attribute: AttributeModel, kind: str) -> str:
    """Return the name of what tells most of how a value looks: its narrower form, else the type of its property."""
    form = property_syntax(attribute, kind)
    return kind if form in {"", "nonempty"} else form


def _property_datatype(attribute: AttributeModel, kind: str) -> Datatype:
    # message/spec.md types some media types as symbols, whose characters they don't keep to: their form decides.
    return PROPERTY_TYPES["string" if kind == attribute.property == "symbol" and attribute.syntax else kind]
