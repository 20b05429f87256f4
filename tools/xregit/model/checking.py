"""A value against the attributes that the model gives it: the one interpreter of the model language.

Attributes are turned into functions once; a value without fault then costs little more than looking at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from xregit.diagnostics import Finding
from xregit.model import faults
from xregit.model.datatypes import DATATYPES, SYNTAXES
from xregit.model.faults import Key, Path
from xregit.model.language import NOTHING, AttributeModel
from xregit.model.names import canonical
from xregit.model.propertydefs import fits_property

Attributes = Mapping[str, AttributeModel]
Values = Mapping[str, Any]
#: (value, what is inherited for it, path of what holds it, its key there, findings so far)
Check = Callable[[Any, Any, Path, Key, list[Finding]], None]

MAX_GUESSES = 100


def check(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> list[Finding]:
    """Return what is wrong with a value's attributes, one finding for one fault.

    ``inherited`` holds what a group or a base message contributes: it selects attributes and counts as present.
    """
    findings: list[Finding] = []
    _members(_shape(_Same(attributes)), value, inherited, (), findings)
    return findings


def siblings(attributes: Attributes, value: Values, inherited: Values = NOTHING) -> Attributes:
    """Return the attributes in force once the value's selectors, such as ``protocol``, have added theirs."""
    return _in_force(_shape(_Same(attributes)), value, inherited).attributes


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A mapping that is equal to nothing but itself, and so can be a key."""

    attributes: Attributes
    keys: str = "name"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.attributes is other.attributes and self.keys == other.keys

    def __hash__(self) -> int:
        return id(self.attributes)


@dataclass(frozen=True, slots=True, eq=False)
class _Selector:
    """An attribute whose value adds others: its clauses by their keys in lower case."""

    attribute: AttributeModel
    clauses: Mapping[str, Attributes]


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """Attributes made ready: ``variants`` caches the shapes that follow from the selectors' values."""

    attributes: Attributes
    checks: Mapping[str, Check]
    wildcard: Check | None
    charset: str
    due: tuple[AttributeModel, ...]
    selectors: tuple[_Selector, ...]
    variants: dict[tuple[str, ...], _Shape] = field(default_factory=dict)


@lru_cache(maxsize=1024)
def _shape(same: _Same) -> _Shape:
    return _shaped(same.attributes, same.attributes, same.keys)


def _shaped(attributes: Attributes, selecting: Attributes, charset: str) -> _Shape:
    checks = {name: compiled(attribute) for name, attribute in attributes.items()}
    return _Shape(
        attributes=attributes,
        checks=checks,
        wildcard=checks.pop("*", None),
        charset=charset,
        due=tuple(item for item in attributes.values() if item.required and item.default is None),
        selectors=tuple(_selector(item) for item in selecting.values() if item.ifvalues),
    )


def _selector(attribute: AttributeModel) -> _Selector:
    return _Selector(attribute, {key.casefold(): clause for key, clause in attribute.ifvalues.items()})


def _in_force(shape: _Shape, value: Values, inherited: Values) -> _Shape:
    """Return the shape with the siblings that the value's selectors add, and that those add in turn."""
    while shape.selectors:
        keys = tuple([_clause(selector, value, inherited) for selector in shape.selectors])
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
    return _shaped(MappingProxyType(ordered), added, shape.charset)


def _clause(selector: _Selector, value: Values, inherited: Values) -> str:
    """Return the key of the clause that applies, an empty text if none does."""
    attribute = selector.attribute
    chosen = value.get(attribute.name)
    if chosen is None:
        chosen = inherited.get(attribute.name)
        if chosen is None:
            chosen = attribute.default
    if isinstance(chosen, bool):
        chosen = "true" if chosen else "false"
    if chosen is None or chosen == "" or isinstance(chosen, (dict, list)):
        return ""
    text = canonical(attribute.names, chosen) if attribute.names and isinstance(chosen, str) else str(chosen)
    key = text.casefold()
    if key in selector.clauses:
        return key
    return "*" if "*" in selector.clauses else ""


def _members(shape: _Shape, value: Values, inherited: Values, path: Path, findings: list[Finding]) -> None:
    if shape.selectors:
        base, shape = shape, _in_force(shape, value, inherited)
    else:
        base = shape
    checks = shape.checks
    for name, member in value.items():
        if member is None:
            continue
        one = checks.get(name)
        if one is not None:
            one(member, inherited.get(name), path, name, findings)
        else:
            _undeclared(base, shape, name, member, path, findings)
    for attribute in shape.due:
        if value.get(attribute.name) is None and inherited.get(attribute.name) is None:
            findings.append(faults.missing(attribute, path))


def _undeclared(base: _Shape, shape: _Shape, name: str, member: Any, path: Path, findings: list[Finding]) -> None:
    if shape.wildcard is None:
        # Guessing costs; a value with that many faults is no typing error.
        known = shape.attributes if len(findings) < MAX_GUESSES else ()
        findings.append(faults.unknown(name, path, known, _goes_with(base, name)))
    elif not SYNTAXES[shape.charset].test(name):
        findings.append(faults.misnamed(name, path, SYNTAXES[shape.charset].about, ""))
    else:
        shape.wildcard(member, None, path, name, findings)


def _goes_with(shape: _Shape, name: str) -> str:
    """Return a hint on the selector that an attribute needs, when the model has it elsewhere."""
    for selector in shape.selectors:
        keys = [key for key, clause in selector.attribute.ifvalues.items() if name in clause and key != "*"]
        if keys:
            return f'It goes with "{selector.attribute.name}", which may be {faults.either(keys)}.'
    return ""


def compiled(attribute: AttributeModel) -> Check:
    """Return the function that checks an attribute's value, which is never null."""
    if attribute.property:
        return _property(attribute)
    return _BUILDERS.get(attribute.type, _scalar)(attribute)


def _scalar(attribute: AttributeModel) -> Check:
    datatype = DATATYPES[attribute.type]
    test, about, narrowed = datatype.test, datatype.about, _narrowed(attribute)
    if attribute.type == "xid":
        return _xid(attribute, test)
    if narrowed is None:

        def plain(value: Any, _below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
            if not test(value):
                findings.append(faults.wrong(attribute, value, path, key, about))

        return plain

    def narrow(value: Any, _below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if not test(value):
            findings.append(faults.wrong(attribute, value, path, key, about))
        else:
            narrowed(value, path, key, findings)

    return narrow


def _xid(attribute: AttributeModel, test: Callable[[Any], bool]) -> Check:
    targets = _kinds(attribute)

    def checked(value: Any, _below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if not test(value) or (targets and kind_of(value) not in targets):
            findings.append(faults.malformed(attribute, value, path, key))

    return checked


def _narrowed(attribute: AttributeModel) -> Callable[[Any, Path, Key, list[Finding]], None] | None:
    """Return the test of what an attribute says beyond its type, or nothing if it says no more."""
    listed = frozenset(map(repr, attribute.enum)) if attribute.enum and attribute.strict else None
    syntax, targets = attribute.syntax, _kinds(attribute)
    if listed is None and not syntax and not targets:
        return None

    def narrowed(value: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if listed is not None and repr(value) not in listed:
            findings.append(faults.not_listed(attribute, value, path, key))
        elif syntax and not SYNTAXES[syntax].test(value):
            findings.append(faults.wrong(attribute, value, path, key, SYNTAXES[syntax].about))
        elif targets and not _leads_to(value, targets):
            findings.append(faults.malformed(attribute, value, path, key))

    return narrowed


def _kinds(attribute: AttributeModel) -> frozenset[str]:
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


def _leads_to(value: str, targets: frozenset[str]) -> bool:
    """Tell whether a URI is absolute, a JSON pointer into the document, or an xid of a right type."""
    if value.startswith("/"):
        return DATATYPES["xid"].test(value) and kind_of(value) in targets
    return value.startswith("#/") or SYNTAXES["absolute"].test(value)


def _object(attribute: AttributeModel) -> Check:
    charset = attribute.keys or ("extendedname" if attribute.namecharset == "extended" else "name")
    shape = _shape(_Same(attribute.attributes, charset))

    def checked(value: Any, below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, Mapping):
            findings.append(faults.wrong(attribute, value, path, key, "a map of attributes"))
            return
        _members(shape, value, below if isinstance(below, Mapping) else NOTHING, (*path, key), findings)

    return checked


def _map(attribute: AttributeModel) -> Check:
    item = compiled(attribute.item) if attribute.item else _anything(attribute)
    keys = SYNTAXES[attribute.keys or "extendedname"]

    def checked(value: Any, below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, Mapping):
            findings.append(faults.wrong(attribute, value, path, key, "a map"))
            return
        inner, inherited = (*path, key), below if isinstance(below, Mapping) else NOTHING
        for name, member in value.items():
            if not keys.test(name):
                findings.append(faults.misnamed(name, inner, keys.about, faults.requirement(attribute)))
            elif member is not None:
                item(member, inherited.get(name), inner, name, findings)

    return checked


def _array(attribute: AttributeModel) -> Check:
    item = compiled(attribute.item) if attribute.item else _anything(attribute)
    filled = attribute.syntax == "nonempty"

    def checked(value: Any, _below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
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


def _anything(attribute: AttributeModel) -> Check:
    narrowed = _narrowed(attribute)

    def checked(value: Any, _below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if narrowed is not None:
            narrowed(value, path, key, findings)

    return checked


def _property(attribute: AttributeModel) -> Check:
    """A property definition, or with type ``any`` the property's bare value too."""
    shape = _shape(_Same(attribute.attributes))
    kinds = attribute.attributes["type"].enum
    bare = attribute.type == "any"

    def checked(value: Any, below: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if not isinstance(value, Mapping):
            about = fits_property(attribute, attribute.property, value) if bare else "a map such as {value: …}"
            if about:
                findings.append(faults.wrong(attribute, value, path, key, about))
            return
        inner, inherited = (*path, key), below if isinstance(below, Mapping) else NOTHING
        _members(shape, value, inherited, inner, findings)
        held = value.get("value")
        kind = value.get("type") or inherited.get("type") or attribute.property
        if held is not None and isinstance(kind, str) and kind in kinds:
            about = fits_property(attribute, kind, held)
            if about and not any(finding.path == (*inner, "value") for finding in findings):
                findings.append(faults.wrong(attribute.attributes["value"], held, inner, "value", about))

    return checked


_BUILDERS: Mapping[str, Callable[[AttributeModel], Check]] = {
    "object": _object,
    "map": _map,
    "array": _array,
    "any": _anything,
}
