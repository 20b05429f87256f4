"""The one interpreter of the model language: checks values against attributes, and normalises them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from xregit.diagnostics import Finding
from xregit.json_pointer import KeyPath
from xregit.model import error_messages
from xregit.model.aliases import canonical
from xregit.model.constraints import Test, expected_property, property_tests, syntax_or_type, value_test
from xregit.model.datatypes import CONTAINERS, SYNTAXES, TEXTS, has_placeholders
from xregit.model.error_messages import Key, invalid_value
from xregit.model.identity import cache_by_identity
from xregit.model.language import MAPPINGS, NOTHING, AttributeModel
from xregit.model.quoting import either

Attributes = Mapping[str, AttributeModel]
Values = Mapping[str, Any]
#: (value, what is inherited for it, path of what holds it, its key there, findings so far)
Check = Callable[[Any, Any, KeyPath, Key, list[Finding]], None]

MAX_GUESSES = 100
#: Property types whose values have a form that no template keeps to.
PLAIN_TYPES = frozenset({"timestamp", "integer", "number", "boolean", "duration", "binary", "ulong", "uuid"})
_ANYTHING = AttributeModel("", "any")


def check(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> list[Finding]:
    """Return what is wrong with a value's attributes, one finding for one fault.

    ``inherited`` holds what a group or a base message contributes: it selects attributes and counts as present.
    """
    findings: list[Finding] = []
    _check_members(_shape(attributes), value, inherited, (), findings)
    return findings


def siblings(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> Attributes:
    """Return the attributes in force once the value's selectors, such as ``protocol``, have added theirs."""
    return _shape_in_force(_shape(attributes), value, inherited).attributes


class _NameRule(NamedTuple):
    """The form of names that aren't declared, and the requirement that lists those that are."""

    charset: str = "name"
    cited: str = ""


_ANY_OTHER = _NameRule()


@dataclass(frozen=True, eq=False, slots=True)
class _Shape:
    """Attributes made ready: tests of those that hold single values, and functions that check the others.

    ``names`` is the form of names that aren't declared, ``due`` the attributes that must be there. ``variants`` caches
    the shapes that follow from the selectors' values, ``origin`` holds the selectors that led to a variant.
    """

    attributes: Attributes
    fits: Mapping[str, Test]
    checks: Mapping[str, Check]
    wildcard: Check | None
    names: _NameRule
    due: tuple[AttributeModel, ...]
    selectors: tuple[Selector, ...]
    origin: tuple[Selector, ...] = ()
    variants: dict[tuple[str, ...], _Shape] = field(default_factory=dict)


def _shape(attributes: Attributes, names: _NameRule = _ANY_OTHER) -> _Shape:
    shapes = _shape_cache(attributes)
    found = shapes.get(names)
    if found is None:
        selectors = find_selectors(attributes)
        found = shapes[names] = _compile_shape(attributes, selectors, names, selectors)
    return found


@cache_by_identity(1024)
def _shape_cache(_attributes: Attributes) -> dict[_NameRule, _Shape]:
    """Return the cache of the shapes made of these attributes, by the form of undeclared names; it begins empty."""
    return {}


def _compile_shape(
    attributes: Attributes, selectors: tuple[Selector, ...], names: _NameRule, origin: tuple[Selector, ...]
) -> _Shape:
    single = {name: item for name, item in attributes.items() if name != "*" and _is_single(item)}
    return _Shape(
        attributes=attributes,
        fits={name: value_test(item) for name, item in single.items()},
        checks={name: compile_check(item) for name, item in attributes.items() if name != "*" and name not in single},
        wildcard=compile_check(attributes["*"]) if "*" in attributes else None,
        names=names,
        due=tuple(item for item in attributes.values() if item.required and item.default is None),
        selectors=selectors,
        origin=origin,
    )


def _is_single(attribute: AttributeModel) -> bool:
    return not attribute.property and attribute.type not in CONTAINERS


def _shape_in_force(shape: _Shape, value: Values, inherited: Values) -> _Shape:
    """Return the shape with the siblings that the value's selectors add, and that those add in turn."""
    while shape.selectors:
        keys = tuple([clause_key(selector, value, inherited) for selector in shape.selectors])
        variant = shape.variants.get(keys)
        if variant is None:
            variant = shape.variants[keys] = _variant(shape, keys)
        shape = variant
    return shape


def _variant(shape: _Shape, keys: tuple[str, ...]) -> _Shape:
    added: dict[str, AttributeModel] = {}
    for selector, key in zip(shape.selectors, keys, strict=True):
        added.update(selector.clauses.get(key, NOTHING))
    ordered = {**shape.attributes, **added}
    if "*" in shape.attributes:
        ordered["*"] = ordered.pop("*")
    selectors = find_selectors(added)
    return _compile_shape(MappingProxyType(ordered), selectors, shape.names, (*shape.origin, *selectors))


def _check_members(shape: _Shape, value: Values, inherited: Values, path: KeyPath, findings: list[Finding]) -> None:
    if shape.selectors:
        shape = _shape_in_force(shape, value, inherited)
    fits, checks = shape.fits, shape.checks
    for name, member in value.items():
        fit = fits.get(name)
        if fit is not None:
            if not fit(member) and member is not None:
                findings.append(invalid_value(shape.attributes[name], member, path, name))
        elif member is not None:
            one = checks.get(name)
            if one is not None:
                one(member, inherited.get(name), path, name, findings)
            else:
                _check_undeclared(shape, (name, member), inherited, path, findings)
    if not shape.due:
        return
    gone = [item for item in shape.due if value.get(item.name) is None and inherited.get(item.name) is None]
    if gone:
        findings.extend(_missing_findings(gone, shape, value, inherited, path))


def _is_valid_property(shape: _Shape, value: Values) -> bool:
    """Tell whether all members of a property are single values that fit, and none is missing.

    Nearly all properties are sound, and then the path need not be made.
    """
    fits = shape.fits
    for name, member in value.items():
        fit = fits.get(name)
        if fit is None or not fit(member):
            return False
    return not shape.due or None not in [value.get(item.name) for item in shape.due]


def _missing_findings(
    gone: Iterable[AttributeModel], shape: _Shape, value: Values, inherited: Values, path: KeyPath
) -> Iterator[Finding]:
    """Yield a finding for each attribute that is missing, except those that are there under a misspelled name."""
    for item in gone:
        if not error_messages.is_present_misspelled(item, shape.attributes, value):
            by = requiring_selector(shape.origin, item, value)
            if not by or selects(value[by]):
                yield error_messages.missing_attribute(
                    item, path, by, requiring_selector(shape.origin, item, inherited)
                )


def _check_undeclared(
    shape: _Shape, item: tuple[str, Any], inherited: Values, path: KeyPath, findings: list[Finding]
) -> None:
    """Check a member that the model does not name."""
    name, member = item
    charset = SYNTAXES[shape.names.charset]
    if shape.wildcard is None:
        # Guessing takes time, and a value with that many faults is no slip of the pen.
        known = shape.attributes if len(findings) < MAX_GUESSES else ()
        hint = selector_hint(shape.origin, name) or (
            error_messages.suggest_holder(name, shape.attributes) if known else ""
        )
        findings.append(error_messages.unknown_attribute(name, path, known, hint, shape.names.cited))
    elif not charset.test(name):
        findings.append(error_messages.invalid_name(name, path, charset, shape.attributes["*"].cited))
    else:
        shape.wildcard(member, inherited.get(name), path, name, findings)


def compile_check(attribute: AttributeModel) -> Check:
    """Return the function that checks an attribute's value, which is never null."""
    if attribute.property:
        return _property_check(attribute)
    return _CHECKS.get(attribute.type, _single_check)(attribute)


def _single_check(attribute: AttributeModel) -> Check:
    fits = value_test(attribute)

    def checked(value: Any, _below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not fits(value):
            findings.append(invalid_value(attribute, value, path, key))

    return checked


def _object_check(attribute: AttributeModel) -> Check:
    charset = attribute.keys or ("extendedname" if attribute.namecharset == "extended" else "name")
    shape = _shape(attribute.attributes, _NameRule(charset, attribute.listed))

    def checked(value: Any, below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, MAPPINGS):
            findings.append(error_messages.wrong_type(attribute, value, path, key, "a map of attributes"))
            return
        _check_members(shape, value, below if isinstance(below, MAPPINGS) else NOTHING, (*path, key), findings)

    return checked


def _map_check(attribute: AttributeModel) -> Check:
    item = compile_check(attribute.item or _ANYTHING)
    keys = SYNTAXES[attribute.keys or "extendedname"]

    def checked(value: Any, below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, MAPPINGS):
            findings.append(error_messages.wrong_type(attribute, value, path, key, "a map"))
            return
        inner, inherited = (*path, key), below if isinstance(below, MAPPINGS) else NOTHING
        for name, member in value.items():
            if not keys.test(name):
                findings.append(error_messages.invalid_name(name, inner, keys, attribute.cited))
            elif member is not None:
                item(member, inherited.get(name), inner, name, findings)

    return checked


def _array_check(attribute: AttributeModel) -> Check:
    item = compile_check(attribute.item or _ANYTHING)
    filled = attribute.syntax == "nonempty"

    def checked(value: Any, _below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, (list, tuple)) or (filled and not value):
            about = "a list that is not empty" if filled else "a list"
            findings.append(error_messages.wrong_type(attribute, value, path, key, about))
            return
        inner = (*path, key)
        for index, member in enumerate(value):
            if member is None:
                findings.append(error_messages.wrong_type(attribute, member, inner, index, "something"))
            else:
                item(member, None, inner, index, findings)

    return checked


def _property_check(attribute: AttributeModel) -> Check:
    """A property definition, or with type ``any`` the property's bare value too."""
    shape = _shape(attribute.attributes)
    tests, native = property_tests(attribute), attribute.property
    bare = tests.get(native) if attribute.type == "any" else None
    held_attribute = attribute.attributes["value"]
    holds = shape.fits["value"]

    def checked(value: Any, below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, MAPPINGS):
            if bare is None or not bare(value):
                about = expected_property(attribute, native, value) if bare else "a map such as {value: …}"
                findings.append(error_messages.wrong_type(attribute, value, path, key, about))
            return
        inherited = below if isinstance(below, MAPPINGS) else NOTHING
        if not _is_valid_property(shape, value):
            _check_members(shape, value, inherited, (*path, key), findings)
        held = value.get("value")
        kind = value.get("type") or inherited.get("type") or native
        test = tests.get(kind) if isinstance(kind, str) else None
        if held is None or test is None or test(held) or not holds(held):
            return
        inner = (*path, key)
        if isinstance(held, str) and kind in PLAIN_TYPES and has_placeholders(held):
            findings.append(error_messages.misplaced_placeholder(held_attribute, held, inner, kind))
        else:
            due = expected_property(attribute, kind, held)
            findings.append(error_messages.wrong_property(attribute, held, inner, due, syntax_or_type(attribute, kind)))

    return checked


_CHECKS: Mapping[str, Callable[[AttributeModel], Check]] = {
    "object": _object_check,
    "map": _map_check,
    "array": _array_check,
}


@dataclass(frozen=True, eq=False, slots=True)
class Selector:
    """An attribute whose value adds others: its clauses by their keys in lower case."""

    attribute: AttributeModel
    clauses: Mapping[str, Attributes]


def find_selectors(attributes: Attributes) -> tuple[Selector, ...]:
    """Return the attributes whose values add others."""
    return tuple(
        Selector(item, {key.casefold(): clause for key, clause in item.ifvalues.items()})
        for item in attributes.values()
        if item.ifvalues
    )


def clause_key(selector: Selector, value: Values, inherited: Values) -> str:
    """Return the key of the clause that applies, an empty text if none does."""
    attribute = selector.attribute
    chosen = value.get(attribute.name)
    if chosen is None:
        chosen = inherited.get(attribute.name)
        if chosen is None:
            chosen = attribute.default
    if chosen is None:
        return ""
    if isinstance(chosen, str):
        return _selects_name(selector, chosen)
    if isinstance(chosen, bool):
        chosen = "true" if chosen else "false"
    return _matching_clause(selector, str(chosen) if selects(chosen) else "")


@lru_cache(maxsize=1024)
def _selects_name(selector: Selector, chosen: str) -> str:
    names = selector.attribute.names
    return _matching_clause(selector, canonical(names, chosen) if names and chosen else chosen)


def _matching_clause(selector: Selector, text: str) -> str:
    """Return the key of the clause for a text; an empty one selects what other values do, as it is reported anyway."""
    key = text.casefold()
    if text and key in selector.clauses:
        return key
    return "*" if "*" in selector.clauses else ""


def selects(value: Any) -> bool:
    """Tell whether a selector's value selects something, however unknown."""
    return value != "" and not isinstance(value, (dict, list, tuple))


def requiring_selector(selectors: tuple[Selector, ...], attribute: AttributeModel, value: Values) -> str:
    """Return the selector in the value that makes the attribute necessary, or an empty text."""
    for selector in selectors:
        name = selector.attribute.name
        if value.get(name) is not None and any(attribute in clause.values() for clause in selector.clauses.values()):
            return name
    return ""


def selector_hint(selectors: tuple[Selector, ...], name: str) -> str:
    """Return a hint on the selector that an attribute needs, when the model has it elsewhere."""
    for selector in selectors:
        keys = [key for key, clause in selector.attribute.ifvalues.items() if name in clause and key != "*"]
        if keys:
            return f'It goes with "{selector.attribute.name}", which may be {either(keys)}.'
    return ""


#: (value, what is inherited for it) → the value in the model's form
Normal = Callable[[Any, Any], Any]

_TEXT_PROPERTIES = frozenset({"binary", "duration", "string", "symbol", "timestamp", "uri", "uritemplate", "uuid"})


def normalise(
    attributes: Attributes, value: Mapping[str, Any], inherited: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """Return the value with text where text is due, and with its shorter forms written out.

    A number or boolean becomes the text that was written, and null is as if it were not there, as core/spec.md has it;
    what isn't understood stays as it is.
    """
    result = _normalise_members(_normaliser(attributes), value, inherited)
    return result if isinstance(result, dict) else dict(result)


@dataclass(frozen=True, eq=False, slots=True)
class _Normaliser:
    """Attributes made ready: functions for the members by name, and for ``other`` ones.

    ``folding`` are the names of members that a single text may stand for; ``selectors`` says that members add others.
    """

    attributes: Attributes
    members: Mapping[str, Normal]
    other: Normal | None
    folding: frozenset[str]
    selecting: bool
    variants: dict[int, _Normaliser] = field(default_factory=dict)


@cache_by_identity(1024)
def _normaliser(attributes: Attributes) -> _Normaliser:
    functions = {name: _compile_normaliser(item) for name, item in attributes.items()}
    return _Normaliser(
        attributes=attributes,
        members={name: function for name, function in functions.items() if function is not None and name != "*"},
        other=functions.get("*"),
        folding=frozenset(name for name, item in attributes.items() if item.fold),
        selecting=any(item.ifvalues for item in attributes.values()),
    )


def _normaliser_in_force(form: _Normaliser, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> _Normaliser:
    known = siblings(form.attributes, value, inherited)
    if known is form.attributes:
        return form
    variant = form.variants.get(id(known))
    if variant is None:
        variant = form.variants[id(known)] = _normaliser(known)
    return variant


def _normalise_members(form: _Normaliser, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> Mapping[str, Any]:
    if form.selecting:
        form = _normaliser_in_force(form, value, inherited)
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


def _compile_normaliser(attribute: AttributeModel) -> Normal | None:
    """Return what is to be done with an attribute's value, None for nothing."""
    if attribute.property:
        return _normalise_property(attribute)
    if attribute.type in TEXTS:
        return lambda value, _below: _to_text(value)
    builder = {"array": _normalise_array, "object": _normalise_object, "map": _normalise_map}.get(attribute.type)
    return builder(attribute) if builder else None


def _normalise_property(attribute: AttributeModel) -> Normal:
    form = _normaliser(attribute.attributes)
    bare_text = attribute.property in _TEXT_PROPERTIES and attribute.type == "any"

    def normal(value: Any, below: Any) -> Any:
        if not isinstance(value, MAPPINGS):
            return _to_text(value) if bare_text else value
        whole = _normalise_members(form, value, NOTHING)
        written = whole.get("value")
        if written is None or isinstance(written, str):
            return whole
        stated = whole.get("type") or (below.get("type") if isinstance(below, MAPPINGS) else None)
        kind = stated or attribute.property
        text = _to_text(written) if isinstance(kind, str) and kind in _TEXT_PROPERTIES else written
        return whole if text is written else {**whole, "value": text}

    return normal


def _normalise_object(attribute: AttributeModel) -> Normal | None:
    form = _normaliser(attribute.attributes)
    if not (form.members or form.other or form.selecting or attribute.unwrap):
        return None
    further = attribute.attributes.get("*")
    of_properties = further is not None and further.property != ""

    def normal(value: Any, below: Any) -> Any:
        if not isinstance(value, MAPPINGS):
            return value
        members = _unwrap(value, attribute.unwrap, of_properties=of_properties) if attribute.unwrap else value
        return _normalise_members(form, members, below if isinstance(below, MAPPINGS) else NOTHING)

    return normal


def _normalise_map(attribute: AttributeModel) -> Normal | None:
    one = _compile_normaliser(attribute.item) if attribute.item else None
    if one is None:
        return None

    def normal(value: Any, _below: Any) -> Any:
        if not isinstance(value, MAPPINGS):
            return value
        new = {name: member if member is None else one(member, None) for name, member in value.items()}
        whole = new if any(new[name] is not member for name, member in value.items()) else value
        return _without_null(whole) if None in whole.values() else whole

    return normal


def _normalise_array(attribute: AttributeModel) -> Normal | None:
    one = _compile_normaliser(attribute.item) if attribute.item else None
    if one is None and not attribute.fold:
        return None

    def normal(value: Any, _below: Any) -> Any:
        listed = _unfold(value, attribute.fold)
        if one is None or not isinstance(listed, list):
            return listed
        new = [item if item is None else one(item, None) for item in listed]
        return new if any(before is not after for before, after in zip(listed, new, strict=True)) else listed

    return normal


def _to_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return getattr(value, "text", None) or str(value)
    return value


def _unwrap(value: Mapping[str, Any], name: str, *, of_properties: bool) -> Mapping[str, Any]:
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


def _unfold(value: Any, fold: str) -> Any:
    if fold == "item" and not isinstance(value, (list, tuple)):
        return [value]
    if fold == "pairs" and isinstance(value, MAPPINGS):
        return [
            {"name": name, **member} if isinstance(member, MAPPINGS) else {"name": name, "value": member}
            for name, member in value.items()
        ]
    return list(value) if isinstance(value, tuple) else value
