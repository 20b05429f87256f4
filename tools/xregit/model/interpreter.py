"""The interpreter of the model language: it checks values against attributes, and normalises them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding
from xregit.json_pointer import KeyPath
from xregit.model import error_messages
from xregit.model.aliases import canonical
from xregit.model.datatypes import (
    CONTAINERS,
    SYNTAXES,
    TEXTS,
    expected_property,
    has_placeholders,
    is_valid,
    syntax_or_type,
)
from xregit.model.excerpts import either
from xregit.model.language import MAPPINGS, NOTHING, AttributeModel

if TYPE_CHECKING:
    from xregit.model.error_messages import Key

Attributes = Mapping[str, AttributeModel]
Values = Mapping[str, Any]

MAX_GUESSES = 100
#: Property types whose values have a form that no template keeps to.
PLAIN_TYPES = frozenset({"timestamp", "integer", "number", "boolean", "duration", "binary", "ulong", "uuid"})
_TEXT_PROPERTIES = frozenset({"binary", "duration", "string", "symbol", "timestamp", "uri", "uritemplate", "uuid"})
_ANYTHING = AttributeModel("", "any")


def check(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> list[Finding]:
    """Return what is wrong with a value's attributes, one finding for one fault.

    ``inherited`` holds what a group or a base message contributes: it selects attributes and counts as present.
    """
    checker = _Checker()
    checker.check_object(AttributeModel("", "object", attributes=attributes), value, inherited, ())
    return checker.findings


def siblings(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> Attributes:
    """Return the attributes in force once the value's selectors, such as ``protocol``, have added theirs."""
    return _resolve_siblings(attributes, value, inherited)[0]


def normalise(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> dict[str, Any]:
    """Return the value with text where text is due, and with its shorter forms written out.

    A number or boolean becomes the text that was written, and null is as if it were not there, as core/spec.md has it;
    what isn't understood stays as it is.
    """
    in_force = siblings(attributes, value, inherited)
    other = in_force.get("*")
    return {
        name: _normalise_value(in_force.get(name, other), member, inherited.get(name))
        for name, member in value.items()
        if member is not None
    }


def _resolve_siblings(
    attributes: Attributes, value: Values, inherited: Values
) -> tuple[Attributes, list[AttributeModel]]:
    """Return the attributes in force, and the selectors among them, whose values add others."""
    selectors = pending = [item for item in attributes.values() if item.ifvalues]
    while pending:
        added: dict[str, AttributeModel] = {}
        for selector in pending:
            added.update(_added_attributes(selector, value, inherited))
        attributes = {**attributes, **added}
        if "*" in attributes:
            attributes["*"] = attributes.pop("*")
        pending = [item for item in added.values() if item.ifvalues]
        selectors = [*selectors, *pending]
    return attributes, selectors


def _added_attributes(selector: AttributeModel, value: Values, inherited: Values) -> Attributes:
    choices = (value.get(selector.name), inherited.get(selector.name), selector.default)
    choice = next((choice for choice in choices if choice is not None), None)
    if choice is None:
        return NOTHING
    if isinstance(choice, bool):
        choice = "true" if choice else "false"
    # What is no single value selects what other values do, as it is reported anyway.
    return clause_of(selector, str(choice) if _selects(choice) else "")


@lru_cache(maxsize=1024)
def clause_of(selector: AttributeModel, text: str) -> Attributes:
    """Return the attributes that a selector adds for a value; ``*`` is for all that have no clause of their own."""
    return selector.ifvalues.get(clause_key(selector, text), selector.ifvalues.get("*", NOTHING))


def clause_key(selector: AttributeModel, text: str) -> str:
    """Return a selector's value as its clauses spell it: the case doesn't count, and an alias is the same value."""
    key = canonical(selector.names, text) if selector.names and text else text
    return next((name for name in selector.ifvalues if name.casefold() == key.casefold()), key)


def _selects(value: Any) -> bool:
    """Return whether a selector's value selects something, however unknown."""
    return value != "" and not isinstance(value, (dict, list, tuple))


class _Checker:
    """One check, which collects its findings.

    Values are never null. A value comes with what is inherited for it, the path of what holds it, and its key there.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def check_value(self, attribute: AttributeModel, value: Any, inherited: Any, path: KeyPath, key: Key) -> None:
        if attribute.property:
            self.check_property(attribute, value, inherited, path, key)
        elif attribute.type == "array":
            self.check_array(attribute, value, path, key)
        elif attribute.type in CONTAINERS:
            if isinstance(value, MAPPINGS):
                check_members = self.check_object if attribute.type == "object" else self.check_map
                check_members(attribute, value, inherited if isinstance(inherited, MAPPINGS) else NOTHING, (*path, key))
            else:
                about = "a map of attributes" if attribute.type == "object" else "a map"
                self.findings.append(error_messages.wrong_type(attribute, value, path, key, about))
        elif not is_valid(attribute, value):
            self.findings.append(error_messages.invalid_value(attribute, value, path, key))

    def check_object(self, model: AttributeModel, value: Values, inherited: Values, path: KeyPath) -> None:
        attributes, selectors = _resolve_siblings(model.attributes, value, inherited)
        other = attributes.get("*")
        for name, member in value.items():
            if member is None:
                continue
            if name in attributes and name != "*":
                self.check_value(attributes[name], member, inherited.get(name), path, name)
            elif other is None:
                # Guessing takes time, and a value with that many faults is no slip of the pen.
                choices = attributes if len(self.findings) < MAX_GUESSES else NOTHING
                hint = _selector_hint(selectors, name) or error_messages.suggest_holder(name, choices)
                self.findings.append(error_messages.unknown_attribute(name, path, choices, hint, model.listed))
            else:
                charset = SYNTAXES[model.keys or ("extendedname" if model.namecharset == "extended" else "name")]
                if charset.test(name):
                    self.check_value(other, member, inherited.get(name), path, name)
                else:
                    self.findings.append(error_messages.invalid_name(name, path, charset, other.cited))
        for item in attributes.values():
            if item.required and item.default is None and value.get(item.name) is None:
                self.check_absence(item, attributes, selectors, (value, inherited), path)

    def check_map(self, model: AttributeModel, value: Values, inherited: Values, path: KeyPath) -> None:
        item, keys = model.item or _ANYTHING, SYNTAXES[model.keys or "extendedname"]
        for name, member in value.items():
            if not keys.test(name):
                self.findings.append(error_messages.invalid_name(name, path, keys, model.cited))
            elif member is not None:
                self.check_value(item, member, inherited.get(name), path, name)

    def check_array(self, model: AttributeModel, value: Any, path: KeyPath, key: Key) -> None:
        item, nonempty = model.item or _ANYTHING, model.syntax == "nonempty"
        if not isinstance(value, (list, tuple)) or (nonempty and not value):
            about = "a list that is not empty" if nonempty else "a list"
            self.findings.append(error_messages.wrong_type(model, value, path, key, about))
            return
        for index, member in enumerate(value):
            if member is None:
                self.findings.append(error_messages.wrong_type(model, member, (*path, key), index, "something"))
            else:
                self.check_value(item, member, None, (*path, key), index)

    def check_property(self, model: AttributeModel, value: Any, inherited: Any, path: KeyPath, key: Key) -> None:
        """Check a property definition, or with type ``any`` the property's bare value too."""
        types, native = model.attributes["type"].enum, model.property
        if not isinstance(value, MAPPINGS):
            bare = model.type == "any" and native in types
            about = expected_property(model, native, value) if bare else "a map such as {value: …}"
            if about:
                self.findings.append(error_messages.wrong_type(model, value, path, key, about))
            return
        inherited = inherited if isinstance(inherited, MAPPINGS) else NOTHING
        self.check_object(model, value, inherited, (*path, key))
        constant, definition = value.get("value"), model.attributes["value"]
        type_ = value.get("type") or inherited.get("type") or native
        if constant is None or type_ not in types or not is_valid(definition, constant):
            return
        about = expected_property(model, type_, constant)
        if about and isinstance(constant, str) and type_ in PLAIN_TYPES and has_placeholders(constant):
            self.findings.append(error_messages.misplaced_placeholder(definition, constant, (*path, key), type_))
        elif about:
            syntax = syntax_or_type(model, type_)
            self.findings.append(error_messages.wrong_property(model, constant, (*path, key), about, syntax))

    def check_absence(
        self,
        attribute: AttributeModel,
        attributes: Attributes,
        selectors: list[AttributeModel],
        values: tuple[Values, Values],
        path: KeyPath,
    ) -> None:
        """Report a required attribute that isn't inherited either, unless it is there under a misspelled name."""
        value, inherited = values
        if inherited.get(attribute.name) is None and not error_messages.is_present_misspelled(
            attribute, attributes, value
        ):
            selector = _requiring_selector(selectors, attribute, value)
            if not selector or _selects(value[selector]):
                inherited_selector = _requiring_selector(selectors, attribute, inherited)
                self.findings.append(error_messages.missing_attribute(attribute, path, selector, inherited_selector))


def _requiring_selector(selectors: list[AttributeModel], attribute: AttributeModel, value: Values) -> str:
    """Return the name of the selector in the value that makes the attribute necessary, or an empty text."""
    for selector in selectors:
        clauses = selector.ifvalues.values()
        if value.get(selector.name) is not None and any(attribute in clause.values() for clause in clauses):
            return selector.name
    return ""


def _selector_hint(selectors: list[AttributeModel], name: str) -> str:
    """Return a hint on the selector that an attribute needs, when the model has it elsewhere."""
    for selector in selectors:
        keys = [key for key, clause in selector.ifvalues.items() if name in clause and key != "*"]
        if len(keys) == 1:
            return f'It goes with the line "{selector.name}: {keys[0]}", which is missing.'
        if keys:
            return f'It goes with "{selector.name}", which may be {either(keys)}.'
    return ""


def _normalise_value(attribute: AttributeModel | None, value: Any, inherited: Any) -> Any:
    if attribute is None or value is None or (isinstance(value, str) and not attribute.fold):
        return value
    inherited = inherited if isinstance(inherited, MAPPINGS) else NOTHING
    if attribute.property:
        return _normalise_property(attribute, value, inherited)
    if attribute.type in CONTAINERS:
        return _normalise_container(attribute, value, inherited)
    return _to_text(value) if attribute.type in TEXTS else value


def _normalise_container(attribute: AttributeModel, value: Any, inherited: Values) -> Any:
    if attribute.type == "array":
        items = _unfold(value, attribute.fold)
        return [_normalise_value(attribute.item, item, None) for item in items] if isinstance(items, list) else items
    if not isinstance(value, MAPPINGS):
        return value
    if attribute.type == "object":
        return normalise(attribute.attributes, _unwrap(attribute, value), inherited)
    return {name: _normalise_value(attribute.item, item, None) for name, item in value.items() if item is not None}


def _normalise_property(attribute: AttributeModel, value: Any, inherited: Values) -> Any:
    if not isinstance(value, MAPPINGS):
        return _to_text(value) if attribute.type == "any" and attribute.property in _TEXT_PROPERTIES else value
    definition = normalise(attribute.attributes, value)
    type_ = definition.get("type") or inherited.get("type") or attribute.property
    if "value" in definition and isinstance(type_, str) and type_ in _TEXT_PROPERTIES:
        definition["value"] = _to_text(definition["value"])
    return definition


def _to_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return getattr(value, "text", None) or str(value)
    return value


def _unwrap(attribute: AttributeModel, value: Values) -> Values:
    """Return the members with those under a name the prose puts between moved up, where it is no property itself.

    A member that is there twice, with two values, stays where it is too, to be reported.
    """
    inner = value.get(attribute.unwrap) if attribute.unwrap else None
    if not isinstance(inner, MAPPINGS):
        return value
    other = attribute.attributes.get("*")
    if other and other.property and not all(isinstance(member, MAPPINGS) for member in inner.values()):
        return value
    outer = {name: member for name, member in value.items() if name != attribute.unwrap}
    conflicts = {name: member for name, member in inner.items() if name in outer and outer[name] != member}
    return {**inner, **outer, **({attribute.unwrap: conflicts} if conflicts else {})}


def _unfold(value: Any, fold: str) -> Any:
    """Return the list that a single item, or a map of names to values, is short for."""
    if fold == "item" and not isinstance(value, (list, tuple)):
        return [value]
    if fold == "pairs" and isinstance(value, MAPPINGS):
        return [
            {"name": name, **member} if isinstance(member, MAPPINGS) else {"name": name, "value": member}
            for name, member in value.items()
        ]
    return list(value) if isinstance(value, tuple) else value
