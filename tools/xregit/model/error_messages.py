"""The findings of the interpreter: each names the attribute, quotes its value and says what is expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from xregit.diagnostics import Finding
from xregit.json_pointer import KeyPath
from xregit.model import odd_characters
from xregit.model.aliases import known_synonym
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES, Datatype, is_valid
from xregit.model.excerpts import cut, either, quote, unquoted
from xregit.model.language import AttributeModel
from xregit.model.similarity import suggest_similar
from xregit.model.suggestions import repair_template, suggest_name, suggest_value, suggest_xid

Key = str | int

INVALID, UNKNOWN_ATTRIBUTE, MISSING, XID, PLACEHOLDER = (
    "invalid-attribute",
    "unknown-attribute",
    "required-attribute-missing",
    "malformed-xid",
    "misplaced-placeholder",
)
MAX_LISTED = 16
# A shorter name is the beginning of too many others.
MIN_BEGUN_CHARS = 3
_DECLARE = "Remove it, or declare it in model.yaml."
MERGE_KEY = "YAML 1.2 has no merge keys; write the attributes out, or share them through basemessage."


def invalid_value(attribute: AttributeModel, value: Any, path: KeyPath, key: Key) -> Finding:
    """Return the finding for a single value that doesn't fit."""
    datatype = DATATYPES[attribute.type]
    if attribute.type == "xid":
        return malformed_xid(attribute, value, path, key, partial(is_valid, attribute))
    if not datatype.test(value):
        return wrong_type(attribute, value, path, key, datatype.about)
    if attribute.enum and attribute.strict and value not in attribute.enum:
        return not_listed(attribute, value, path, key)
    if attribute.syntax and not SYNTAXES[attribute.syntax].test(value):
        return wrong_type(attribute, value, path, key, SYNTAXES[attribute.syntax].about)
    return malformed_xid(attribute, value, path, key, partial(is_valid, attribute))


def wrong_type(attribute: AttributeModel, value: Any, path: KeyPath, key: Key, about: str) -> Finding:
    """Return the finding for a value that isn't of its attribute's type or form."""
    message = f"{label(path, key)} must be {about}, but is {quote(value)}."
    help_ = _suggest_template(value, key, about) or suggest_value(attribute, value, key)
    return Finding(INVALID, (*path, key), message, help_, attribute.cited)


def wrong_property(definition: AttributeModel, value: Any, path: KeyPath, about: str, form: str) -> Finding:
    """Return the finding for the value in a property's definition that isn't of the property's type or form."""
    attribute = definition.attributes["value"]
    message = f'"value" must be {about}, but is {quote(value)}.'
    help_ = _suggest_template(value, "value", about) or suggest_value(
        attribute, value, "value", form, definition.example
    )
    return Finding(INVALID, (*path, "value"), message, help_, attribute.cited)


def _suggest_template(value: Any, key: Key, about: str) -> str:
    """Return how to repair the placeholders of a text that should be a URI template."""
    if about != PROPERTY_TYPES["uritemplate"].about or not isinstance(value, str):
        return ""
    if value.count("{") != value.count("}"):
        return "Write each placeholder between two braces, as {name}."
    right = repair_template(value) if "{" in value else ""
    quoted = f"'{right}'" if right.startswith("{") else right
    return f'Write "{key}: {quoted}".' if right else ""


def misplaced_placeholder(attribute: AttributeModel, value: Any, path: KeyPath, kind: str) -> Finding:
    """Return the finding for a template as the value of a property whose type has none."""
    message = f'A property of type "{kind}" takes no placeholders, but its value is {quote(value)}.'
    help_ = 'Remove the value; or, if the property may have another type, give it "uritemplate".'
    return Finding(PLACEHOLDER, (*path, "value"), message, help_, attribute.cited)


def not_listed(attribute: AttributeModel, value: Any, path: KeyPath, key: Key) -> Finding:
    """Return the finding for a value that isn't among those its attribute may have."""
    choices = [unquoted(choice) for choice in attribute.enum]
    message = f"{label(path, key)} can't be {quote(value)}."
    name = next((part for part in (key, *reversed(path)) if isinstance(part, str)), "")
    meant = known_synonym(name, str(value))
    near = f'Write "{meant}".' if meant in choices else suggest_similar(str(value), choices)
    help_ = near or f"It may be {either(choices)}."
    return Finding(INVALID, (*path, key), message, help_, attribute.cited)


def malformed_xid(
    attribute: AttributeModel, value: Any, path: KeyPath, key: Key, fits: Callable[[Any], bool]
) -> Finding:
    """Return the finding for an xid that has the wrong form or names the wrong type of entity."""
    kinds = " or ".join(_example_xid(target) for target in attribute.targets) or "/messagegroups/<id>/messages/<id>"
    message = f"{label(path, key)} must be an xid such as {kinds}, but is {quote(value)}."
    return Finding(XID, (*path, key), message, suggest_xid(attribute, value, key, fits), attribute.cited)


def missing_attribute(
    attribute: AttributeModel, path: KeyPath, selector: str = "", inherited_selector: str = ""
) -> Finding:
    """Return the finding for an attribute that must be there, perhaps because of a selector, its own or inherited."""
    whose = _quoted(selector) if selector else ""
    if inherited_selector and not selector:
        whose = f"the inherited {_quoted(inherited_selector)}"
    message = f'"{attribute.name}" is missing{f", which goes with {whose}" if whose else ""}.'
    at = (*path, selector) if selector else path
    description = attribute.description
    if description[1:2].islower():  # not an abbreviation
        description = description[0].lower() + description[1:]
    return Finding(MISSING, at, message, f"Add it: {description}" if description else "Add it.", attribute.cited)


def is_present_misspelled(attribute: AttributeModel, attributes: Iterable[str], value: Mapping[str, Any]) -> bool:
    """Return whether an attribute that is missing, or what belongs into it, is there under a name that is reported."""
    names = frozenset(attributes)
    others = [odd_characters.repair(name) for name, item in value.items() if item is not None and name not in names]
    return any(name in attribute.attributes or suggest_similar(name, (attribute.name,)) for name in others)


def unknown_attribute(name: str, path: KeyPath, attributes: Iterable[str], hint: str, requirement: str = "") -> Finding:
    """Return the finding for an attribute that the model doesn't have here, and the requirement that lists those."""
    names = [other for other in attributes if other != "*"]
    choices = f"Known here: {', '.join(names)}." if 0 < len(names) <= MAX_LISTED else _DECLARE
    help_ = MERGE_KEY if name == "<<" else hint or _suggest_attribute(str(name), path, names) or choices
    message = f'There is no attribute "{cut(name)}" here.'
    character = odd_characters.describe(str(name))
    if character:
        message = f"There is no attribute {quote(str(name))} here: its name has {character}."
        indented = ", indented with ordinary spaces" if str(name)[:1].isspace() else ""
        help_ = f'Write "{cut(odd_characters.repair(str(name)))}"{indented}.'
    return Finding(UNKNOWN_ATTRIBUTE, (*path, name), message, help_, requirement, on_key=True)


def _suggest_attribute(name: str, path: KeyPath, names: Sequence[str]) -> str:
    """Return a hint on what an unknown name may mean: another name, one that it begins, or a value."""
    prefixed = [other for other in names if len(name) >= MIN_BEGUN_CHARS and other.startswith(name)]
    near = suggest_similar(name, names) or (f'Did you mean "{prefixed[0]}"?' if len(prefixed) == 1 else "")
    if near or "name" not in names or not path or not isinstance(path[-1], int):
        return near
    return f'Write "- name: {cut(name)}", and what it must be on lines of its own below.'


def suggest_holder(name: str, attributes: Mapping[str, AttributeModel]) -> str:
    """Return a hint on the attribute inside which the model has a name, as where its line was indented too little."""
    holders = [f'"{other.name}"' for other in attributes.values() if name in other.attributes]
    return f"Move it into {' or '.join(holders)}: indent it below that." if holders else ""


def invalid_name(name: str, path: KeyPath, syntax: Datatype, requirement: str) -> Finding:
    """Return the finding for a name that has characters it can't have."""
    message = f'The name "{cut(name)}" must be {syntax.about}.'
    return Finding(INVALID, (*path, name), message, suggest_name(name, syntax.test), requirement, on_key=True)


def label(path: KeyPath, key: Key) -> str:
    """Return what to call the value under a key, or the item of a list."""
    if isinstance(key, int):
        return f'Item {key + 1} of "{path[-1]}"' if path else f"Item {key + 1}"
    return f'"{cut(key)}"'


def _quoted(name: str) -> str:
    return f'"{cut(name)}"'


def _example_xid(target: str) -> str:
    parts = target.removesuffix("[/versions]").strip("/").split("/")
    return "".join(f"/{part}/<id>" for part in parts)
