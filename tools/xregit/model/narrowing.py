"""An attribute to the test of its single value: type, enumerated values, narrower form, where a reference leads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import DATATYPES, SYNTAXES, is_filled_text

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel


Fits = Callable[[Any], bool]
_ANYTHING = DATATYPES["any"].test


def fits_of(attribute: AttributeModel) -> Fits:
    """Return the test of a single value: its type and whatever else the attribute says of it."""
    tests = [_type_test(attribute)]
    if attribute.enum and attribute.strict:
        tests.append(_is_listed(attribute.enum))
    if attribute.syntax:
        tests.append(_form_test(attribute))
    targets = kinds_of(attribute)
    if targets:
        leads = _names_type if attribute.type == "xid" else _leads_to
        tests.append(lambda value: leads(value, targets))
    return _both(tests)


def _type_test(attribute: AttributeModel) -> Fits:
    # Every form of text is text already, and so is what stands in a list of texts.
    if attribute.type == "string" and attribute.syntax:
        return _form_test(attribute)
    if attribute.type == "string" and attribute.strict and attribute.enum and _are_texts(attribute.enum):
        return _ANYTHING
    return DATATYPES[attribute.type].test


def _form_test(attribute: AttributeModel) -> Fits:
    nonempty = attribute.syntax == "nonempty"
    return is_filled_text if nonempty and attribute.type == "string" else SYNTAXES[attribute.syntax].test


def _are_texts(listed: tuple[Any, ...]) -> bool:
    return all(isinstance(item, str) for item in listed)


def _is_listed(listed: tuple[Any, ...]) -> Fits:
    if _are_texts(listed):
        texts = frozenset(listed)
        return lambda value: isinstance(value, str) and value in texts
    written = frozenset(map(repr, listed))  # true is not 1
    return lambda value: repr(value) in written


def _both(tests: list[Fits]) -> Fits:
    # A test that everything passes adds nothing to another one.
    first, *others = [test for test in dict.fromkeys(tests) if test is not _ANYTHING] or [_ANYTHING]
    if not others:
        return first
    if len(others) == 1:
        second = others[0]
        return lambda value: first(value) and second(value)
    return lambda value: first(value) and all(test(value) for test in others)


def kinds_of(attribute: AttributeModel) -> frozenset[str]:
    """Return the types that a reference may lead to, with "/versions" for those of versions."""
    kinds: set[str] = set()
    for target in attribute.targets or ((attribute.target,) if attribute.target else ()):
        plain = target.removesuffix("[/versions]")
        kinds |= {plain, f"{plain}/versions"} if plain != target else {plain}
    return frozenset(kinds)


def kind_of(xid: str) -> str:
    """Return the type of entity that a well-formed xid names, such as ``/messagegroups/messages``."""
    parts = xid.split("/")
    return "/" + "/".join(part for part in parts[1::2] if part)


def _names_type(xid: str, targets: frozenset[str]) -> bool:
    return kind_of(xid) in targets


def _leads_to(value: str, targets: frozenset[str]) -> bool:
    """Tell whether a URI is absolute, a JSON pointer into the document, or an xid of a right type."""
    if value.startswith("/"):
        return DATATYPES["xid"].test(value) and kind_of(value) in targets
    return value.startswith("#/") or SYNTAXES["absolute"].test(value)
