"""A value against the attributes that the model gives it: the one interpreter of the model language.

Attributes are compiled to functions once; checking a value without faults then costs little more than reading it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, NamedTuple

from xregit.diagnostics import Finding
from xregit.keypaths import KeyPath
from xregit.model import faults
from xregit.model.datatypes import CONTAINERS, SYNTAXES, has_placeholders
from xregit.model.faults import Key, fault_of
from xregit.model.identity import once
from xregit.model.language import MAPPINGS, NOTHING, AttributeModel
from xregit.model.narrowing import Fits, fits_of
from xregit.model.propertydefs import property_due, property_tests, shape_of
from xregit.model.selecting import Selector, asking, clause_of, goes_with, is_proper, selectors_of
from xregit.records import distinct

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
    _members(_shape(attributes), value, inherited, (), findings)
    return findings


def siblings(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> Attributes:
    """Return the attributes in force once the value's selectors, such as ``protocol``, have added theirs."""
    return _in_force(_shape(attributes), value, inherited).attributes


class _Names(NamedTuple):
    """The form of names that aren't declared, and the requirement that lists those that are."""

    charset: str = "name"
    cited: str = ""


_ANY_OTHER = _Names()


@distinct
class _Shape:
    """Attributes made ready: tests of those that hold single values, and functions that check the others.

    ``names`` is the form of names that aren't declared, ``due`` the attributes that must be there. ``variants`` caches
    the shapes that follow from the selectors' values, ``origin`` holds the selectors that led to a variant.
    """

    attributes: Attributes
    fits: Mapping[str, Fits]
    checks: Mapping[str, Check]
    wildcard: Check | None
    names: _Names
    due: tuple[AttributeModel, ...]
    selectors: tuple[Selector, ...]
    origin: tuple[Selector, ...] = ()
    variants: dict[tuple[str, ...], _Shape] = field(default_factory=dict)


def _shape(attributes: Attributes, names: _Names = _ANY_OTHER) -> _Shape:
    shapes = _shapes(attributes)
    found = shapes.get(names)
    if found is None:
        selectors = selectors_of(attributes)
        found = shapes[names] = _shaped(attributes, selectors, names, selectors)
    return found


@once(1024)
def _shapes(_attributes: Attributes) -> dict[_Names, _Shape]:
    """Return the cache of the shapes made of these attributes, by the form of undeclared names; it begins empty."""
    return {}


def _shaped(
    attributes: Attributes, selectors: tuple[Selector, ...], names: _Names, origin: tuple[Selector, ...]
) -> _Shape:
    single = {name: item for name, item in attributes.items() if name != "*" and _is_single(item)}
    return _Shape(
        attributes=attributes,
        fits={name: fits_of(item) for name, item in single.items()},
        checks={name: compiled(item) for name, item in attributes.items() if name != "*" and name not in single},
        wildcard=compiled(attributes["*"]) if "*" in attributes else None,
        names=names,
        due=tuple(item for item in attributes.values() if item.required and item.default is None),
        selectors=selectors,
        origin=origin,
    )


def _is_single(attribute: AttributeModel) -> bool:
    return not attribute.property and attribute.type not in CONTAINERS


def _in_force(shape: _Shape, value: Values, inherited: Values) -> _Shape:
    """Return the shape with the siblings that the value's selectors add, and that those add in turn."""
    while shape.selectors:
        keys = tuple([clause_of(selector, value, inherited) for selector in shape.selectors])
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
    selectors = selectors_of(added)
    return _shaped(MappingProxyType(ordered), selectors, shape.names, (*shape.origin, *selectors))


def _members(shape: _Shape, value: Values, inherited: Values, path: KeyPath, findings: list[Finding]) -> None:
    if shape.selectors:
        shape = _in_force(shape, value, inherited)
    fits, checks = shape.fits, shape.checks
    for name, member in value.items():
        fit = fits.get(name)
        if fit is not None:
            if not fit(member) and member is not None:
                findings.append(fault_of(shape.attributes[name], member, path, name))
        elif member is not None:
            one = checks.get(name)
            if one is not None:
                one(member, inherited.get(name), path, name, findings)
            else:
                _unnamed(shape, (name, member), inherited, path, findings)
    if not shape.due:
        return
    gone = [item for item in shape.due if value.get(item.name) is None and inherited.get(item.name) is None]
    if gone:
        findings.extend(_missing(gone, shape, value, inherited, path))


def _is_sound(shape: _Shape, value: Values) -> bool:
    """Tell whether all members of a property are single values that fit, and none is missing.

    Nearly all properties are sound, and then the path need not be made.
    """
    fits = shape.fits
    for name, member in value.items():
        fit = fits.get(name)
        if fit is None or not fit(member):
            return False
    return not shape.due or None not in [value.get(item.name) for item in shape.due]


def _missing(
    gone: Iterable[AttributeModel], shape: _Shape, value: Values, inherited: Values, path: KeyPath
) -> Iterator[Finding]:
    """Yield a finding for each attribute that is missing, except those that are there under a misspelled name."""
    for item in gone:
        if not faults.stands_misspelled(item, shape.attributes, value):
            by = asking(shape.origin, item, value)
            if not by or is_proper(value[by]):
                yield faults.missing(item, path, by, asking(shape.origin, item, inherited))


def _unnamed(shape: _Shape, item: tuple[str, Any], inherited: Values, path: KeyPath, findings: list[Finding]) -> None:
    """Check a member that the model does not name."""
    name, member = item
    charset = SYNTAXES[shape.names.charset]
    if shape.wildcard is None:
        # Guessing takes time, and a value with that many faults is no slip of the pen.
        known = shape.attributes if len(findings) < MAX_GUESSES else ()
        hint = goes_with(shape.origin, name) or (faults.belongs(name, shape.attributes) if known else "")
        findings.append(faults.unknown(name, path, known, hint, shape.names.cited))
    elif not charset.test(name):
        findings.append(faults.misnamed(name, path, charset, shape.attributes["*"].cited))
    else:
        shape.wildcard(member, inherited.get(name), path, name, findings)


def compiled(attribute: AttributeModel) -> Check:
    """Return the function that checks an attribute's value, which is never null."""
    if attribute.property:
        return _property(attribute)
    return _BUILDERS.get(attribute.type, _single)(attribute)


def _single(attribute: AttributeModel) -> Check:
    fits = fits_of(attribute)

    def checked(value: Any, _below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not fits(value):
            findings.append(fault_of(attribute, value, path, key))

    return checked


def _object(attribute: AttributeModel) -> Check:
    charset = attribute.keys or ("extendedname" if attribute.namecharset == "extended" else "name")
    shape = _shape(attribute.attributes, _Names(charset, attribute.listed))

    def checked(value: Any, below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, MAPPINGS):
            findings.append(faults.wrong(attribute, value, path, key, "a map of attributes"))
            return
        _members(shape, value, below if isinstance(below, MAPPINGS) else NOTHING, (*path, key), findings)

    return checked


def _map(attribute: AttributeModel) -> Check:
    item = compiled(attribute.item or _ANYTHING)
    keys = SYNTAXES[attribute.keys or "extendedname"]

    def checked(value: Any, below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, MAPPINGS):
            findings.append(faults.wrong(attribute, value, path, key, "a map"))
            return
        inner, inherited = (*path, key), below if isinstance(below, MAPPINGS) else NOTHING
        for name, member in value.items():
            if not keys.test(name):
                findings.append(faults.misnamed(name, inner, keys, attribute.cited))
            elif member is not None:
                item(member, inherited.get(name), inner, name, findings)

    return checked


def _array(attribute: AttributeModel) -> Check:
    item = compiled(attribute.item or _ANYTHING)
    filled = attribute.syntax == "nonempty"

    def checked(value: Any, _below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, (list, tuple)) or (filled and not value):
            about = "a list that is not empty" if filled else "a list"
            findings.append(faults.wrong(attribute, value, path, key, about))
            return
        inner = (*path, key)
        for index, member in enumerate(value):
            if member is None:
                findings.append(faults.wrong(attribute, member, inner, index, "something"))
            else:
                item(member, None, inner, index, findings)

    return checked


def _property(attribute: AttributeModel) -> Check:
    """A property definition, or with type ``any`` the property's bare value too."""
    shape = _shape(attribute.attributes)
    tests, native = property_tests(attribute), attribute.property
    bare = tests.get(native) if attribute.type == "any" else None
    held_attribute = attribute.attributes["value"]
    holds = shape.fits["value"]

    def checked(value: Any, below: Any, path: KeyPath, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, MAPPINGS):
            if bare is None or not bare(value):
                about = property_due(attribute, native, value) if bare else "a map such as {value: …}"
                findings.append(faults.wrong(attribute, value, path, key, about))
            return
        inherited = below if isinstance(below, MAPPINGS) else NOTHING
        if not _is_sound(shape, value):
            _members(shape, value, inherited, (*path, key), findings)
        held = value.get("value")
        kind = value.get("type") or inherited.get("type") or native
        test = tests.get(kind) if isinstance(kind, str) else None
        if held is None or test is None or test(held) or not holds(held):
            return
        inner = (*path, key)
        if isinstance(held, str) and kind in PLAIN_TYPES and has_placeholders(held):
            findings.append(faults.misplaced_placeholder(held_attribute, held, inner, kind))
        else:
            due = property_due(attribute, kind, held)
            findings.append(faults.wrong_property(attribute, held, inner, due, shape_of(attribute, kind)))

    return checked


_BUILDERS: Mapping[str, Callable[[AttributeModel], Check]] = {"object": _object, "map": _map, "array": _array}
