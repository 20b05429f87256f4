"""What is wrong with a value, as findings whose text names the attribute, what it is and what it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES
from xregit.model.narrowing import fits_of
from xregit.model.quoting import cut, either, shown, unquoted

if TYPE_CHECKING:
    from xregit.keypaths import KeyPath
    from xregit.model.datatypes import Datatype
    from xregit.model.language import AttributeModel

Key = str | int

INVALID, UNKNOWN, MISSING, XID, PLACEHOLDER = (
    "invalid-attribute",
    "unknown-attribute",
    "required-attribute-missing",
    "malformed-xid",
    "misplaced-placeholder",
)
MAX_LISTED = 16
MAX_GUESSED_CHARS = 80
# A shorter name is the beginning, or a shorter text one end, of too much.
MIN_BEGUN_CHARS, MIN_PART_CHARS = 3, 5
_DECLARE = "Remove it, or declare it in model.yaml."
MERGE_KEY = "Merge keys are none in YAML 1.2; write the attributes out, or let messages share them through basemessage."


def fault_of(attribute: AttributeModel, value: Any, path: KeyPath, key: Key) -> Finding:
    """Return the finding for a single value that doesn't fit."""
    datatype = DATATYPES[attribute.type]
    if attribute.type == "xid":
        return malformed(attribute, value, path, key, fits_of(attribute))
    if not datatype.test(value):
        return wrong(attribute, value, path, key, datatype.about)
    if attribute.enum and attribute.strict and value not in attribute.enum:
        return not_listed(attribute, value, path, key)
    if attribute.syntax and not SYNTAXES[attribute.syntax].test(value):
        return wrong(attribute, value, path, key, SYNTAXES[attribute.syntax].about)
    return malformed(attribute, value, path, key, fits_of(attribute))


def wrong(attribute: AttributeModel, value: Any, path: KeyPath, key: Key, about: str) -> Finding:
    """Return the finding for a value that isn't of its attribute's type or form."""
    from xregit.model.hints import instead  # only faults pay for it

    message = f"{label(path, key)} must be {about}, but is {shown(value)}."
    help_ = _as_template(value, key, about) or instead(attribute, value, key)
    return Finding(INVALID, (*path, key), message, help_, attribute.cited)


def wrong_property(definition: AttributeModel, value: Any, path: KeyPath, about: str, form: str) -> Finding:
    """Return the finding for the value in a property's definition that isn't of the property's type or form."""
    from xregit.model.hints import instead  # only faults pay for it

    attribute = definition.attributes["value"]
    message = f'"value" must be {about}, but is {shown(value)}.'
    help_ = _as_template(value, "value", about) or instead(attribute, value, "value", form, definition.example)
    return Finding(INVALID, (*path, "value"), message, help_, attribute.cited)


def _as_template(value: Any, key: Key, about: str) -> str:
    """Return what to do about a text that should be a URI template, but for its placeholders is none."""
    from xregit.model.repairing import template  # only faults pay for it

    if about != PROPERTY_TYPES["uritemplate"].about or not isinstance(value, str):
        return ""
    if value.count("{") != value.count("}"):
        return "Write each placeholder between two braces, as {name}."
    right = template(value) if "{" in value else ""
    quoted = f"'{right}'" if right.startswith("{") else right
    return f'Write "{key}: {quoted}".' if right else ""


def misplaced_placeholder(attribute: AttributeModel, value: Any, path: KeyPath, kind: str) -> Finding:
    """Return the finding for a template as the value of a property whose type has none."""
    message = f'A property of type "{kind}" takes no placeholders, but its value is {shown(value)}.'
    help_ = 'Remove the value; or, if the property may have another type, give it "uritemplate".'
    return Finding(PLACEHOLDER, (*path, "value"), message, help_, attribute.cited)


def not_listed(attribute: AttributeModel, value: Any, path: KeyPath, key: Key) -> Finding:
    """Return the finding for a value that isn't among those its attribute may have."""
    choices = [unquoted(choice) for choice in attribute.enum]
    message = f"{label(path, key)} can't be {shown(value)}."
    help_ = guess(str(value), choices) or f"It may be {either(choices)}."
    return Finding(INVALID, (*path, key), message, help_, attribute.cited)


def malformed(attribute: AttributeModel, value: Any, path: KeyPath, key: Key, fits: Callable[[Any], bool]) -> Finding:
    """Return the finding for an xid that has the wrong form or names the wrong type of entity."""
    from xregit.model.hints import of_xid  # only faults pay for it

    kinds = " or ".join(_example(target) for target in attribute.targets) or "/messagegroups/<id>/messages/<id>"
    message = f"{label(path, key)} must be an xid such as {kinds}, but is {shown(value)}."
    return Finding(XID, (*path, key), message, of_xid(attribute, value, key, fits), attribute.cited)


def missing(attribute: AttributeModel, path: KeyPath, asked_by: str = "", inherited: str = "") -> Finding:
    """Return the finding for an attribute that must be there, because of the one that asks for it if one does.

    That one is stated beside it, or inherited.
    """
    whose = _quoted(asked_by) if asked_by else f"the inherited {_quoted(inherited)}" if inherited else ""
    message = f'"{attribute.name}" is missing{f", which goes with {whose}" if whose else ""}.'
    at = (*path, asked_by) if asked_by else path
    said = attribute.description
    if said[1:2].islower():  # not an abbreviation
        said = said[0].lower() + said[1:]
    return Finding(MISSING, at, message, f"Add it: {said}" if said else "Add it.", attribute.cited)


def stands_misspelled(attribute: AttributeModel, known: Iterable[str], value: Mapping[str, Any]) -> bool:
    """Tell whether an attribute that is missing, or what belongs into it, is there under a name that is reported."""
    names = frozenset(known)
    others = [name for name, item in value.items() if item is not None and name not in names]
    return any(name in attribute.attributes or guess(name, (attribute.name,)) for name in others)


def unknown(name: str, path: KeyPath, known: Iterable[str], goes_with: str, requirement: str = "") -> Finding:
    """Return the finding for an attribute that the model doesn't have here, and the requirement that lists those."""
    names = [other for other in known if other != "*"]
    listed = f"Known here: {', '.join(names)}." if 0 < len(names) <= MAX_LISTED else _DECLARE
    help_ = MERGE_KEY if name == "<<" else goes_with or _meant(str(name), path, names) or listed
    message = f'The attribute "{cut(name)}" is not in the model.'
    return Finding(UNKNOWN, (*path, name), message, help_, requirement, on_key=True)


def _meant(name: str, path: KeyPath, known: Sequence[str]) -> str:
    """Return a hint on what an unknown name was to be: another one, one that it is the beginning of, or a value."""
    begun = [other for other in known if len(name) >= MIN_BEGUN_CHARS and other.startswith(name)]
    near = guess(name, known) or (f'Did you mean "{begun[0]}"?' if len(begun) == 1 else "")
    if near or "name" not in known or not path or not isinstance(path[-1], int):
        return near
    return f'Write "- name: {cut(name)}", and what it must be on lines of its own below.'


def belongs(name: str, known: Mapping[str, AttributeModel]) -> str:
    """Return a hint on the attribute inside which the model has a name, as where its line was indented too little."""
    holders = [f'"{other.name}"' for other in known.values() if name in other.attributes]
    return f"It belongs into {' or '.join(holders)}: indent it below that." if holders else ""


def misnamed(name: str, path: KeyPath, syntax: Datatype, requirement: str) -> Finding:
    """Return the finding for a name that has characters it can't have."""
    from xregit.model.hints import renamed  # only faults pay for it

    message = f'The name "{cut(name)}" must be {syntax.about}.'
    return Finding(INVALID, (*path, name), message, renamed(name, syntax.test), requirement, on_key=True)


def label(path: KeyPath, key: Key) -> str:
    """Return what to call the value under a key, or the item of a list."""
    if isinstance(key, int):
        return f'Item {key + 1} of "{path[-1]}"' if path else f"Item {key + 1}"
    return f'"{cut(key)}"'


def guess(text: str, choices: Iterable[str]) -> str:
    """Return a question that offers the choice most like the text, or the only one that has it at an end."""
    if len(text) > MAX_GUESSED_CHARS:
        return ""
    import difflib  # only faults pay for it

    folded = {choice.casefold(): choice for choice in choices}
    given = text.casefold()
    near = difflib.get_close_matches(given, folded, n=1, cutoff=0.7)
    if not near and len(given) >= MIN_PART_CHARS:
        near = [each for each in folded if each.startswith(given)] or [each for each in folded if each.endswith(given)]
    return f'Did you mean "{folded[near[0]]}"?' if len(near) == 1 else ""


def _quoted(name: str) -> str:
    return f'"{cut(name)}"'


def _example(target: str) -> str:
    parts = target.removesuffix("[/versions]").strip("/").split("/")
    return "".join(f"/{part}/<id>" for part in parts)
