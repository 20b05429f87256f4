"""The conversion of values to XML elements and back, and examples of values."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import xmlschema

from xregit.payloads.base import PayloadError
from xregit.payloads.budget import MAX_CHARACTERS, BudgetError, spend
from xregit.payloads.sample_texts import SAMPLE_TEXTS, matching_text
from xregit.payloads.xsd.fields import (
    TEXT_FIELD,
    built_in,
    facet,
    is_text_only,
    item_type,
    reads_as_text,
    repeated_names,
)
from xregit.payloads.xsd.positions import XSD
from xregit.payloads.xsd.schema import LexicalValue

if TYPE_CHECKING:
    from collections.abc import Iterable

_SAMPLES = {
    "boolean": "true",
    "float": "1.5",
    "double": "1.5",
    "date": SAMPLE_TEXTS["date"],
    "time": SAMPLE_TEXTS["time"],
    "dateTime": SAMPLE_TEXTS["date-time"],
    "dateTimeStamp": SAMPLE_TEXTS["date-time"],
    "duration": SAMPLE_TEXTS["duration"],
    "anyURI": SAMPLE_TEXTS["uri"],
    "hexBinary": "00",
    "base64Binary": "Ynl0ZXM=",
    "language": "en",
    "gYear": "2026",
    "gYearMonth": "2026-01",
    "gMonthDay": "--01-31",
    "gDay": "---31",
    "gMonth": "--01",
}
_BINARY = {"hexBinary": bytes.hex, "base64Binary": lambda octets: b64encode(octets).decode()}
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Context:
    """Where an element is made: its path, the namespace around it, and where problems are noted."""

    path: str
    namespace: str
    problems: list[str]


def to_element(element: Any, value: Any) -> ET.Element:
    """Return the XML element of a value.

    Raises:
        PayloadError: the value names what the schema doesn't have.
    """
    problems: list[str] = []
    made = _make_element(element, value, _Context("", "", problems))
    if problems:
        raise PayloadError(*problems)
    return made


def _make_element(element: Any, value: Any, around: _Context) -> ET.Element:
    namespace = element.name[1:].partition("}")[0] if element.name[:1] == "{" else ""
    here = _Context(f"{around.path}/{element.local_name}", namespace, around.problems)
    made = ET.Element(element.local_name, {} if namespace == around.namespace else {"xmlns": namespace})
    if value is None and element.nillable:
        made.set(_NIL, "true")
    elif isinstance(value, dict) and element.type.is_complex():
        left = dict(value)
        _set_attributes(made, element.type, left)
        if element.type.has_simple_content() and element.nillable and TEXT_FIELD not in left:
            made.set(_NIL, "true")
        elif element.type.has_simple_content():
            made.text = text_of(left.pop(TEXT_FIELD, ""), element.type)
        else:
            _fill_children(made, element.type, left, here)
        here.problems.extend(f'{here.path}: the schema has no "{name}" here' for name in left)
    elif isinstance(value, dict):
        here.problems.append(f"{here.path}: the schema has a single value here")
    else:
        made.text = text_of(value, element.type)
    return made


def _set_attributes(made: ET.Element, type_: Any, left: dict[str, Any]) -> None:
    for attribute in (item for key, item in type_.attributes.items() if key is not None):
        stated = left.pop(f"@{attribute.local_name}", None)
        if stated is not None:
            made.set(attribute.name, text_of(stated, attribute.type))


def _fill_children(made: ET.Element, type_: Any, left: dict[str, Any], here: _Context) -> None:
    """Add the child elements in the schema's order, and take from ``left`` what was added."""
    several = repeated_names(type_)
    for child in type_.content.iter_elements():
        if child.name is None or child.local_name not in left:
            continue
        stated = left.pop(child.local_name)
        is_one = not isinstance(stated, list) or (child.type.is_list() and child.name not in several)
        for item in [stated] if is_one else stated:
            made.append(_make_element(child, item, here))
    if type_.mixed and TEXT_FIELD in left:
        made.text = text_of(left.pop(TEXT_FIELD), type_)


def text_of(value: Any, type_: Any) -> str:
    """Return a single value, or a list of such, as a document has it."""
    if isinstance(value, LexicalValue):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return " ".join(text_of(item, type_) for item in value)
    if isinstance(value, bytes):
        return _BINARY.get(built_in(type_), str)(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value.isoformat() if isinstance(value, date | datetime | time) else "" if value is None else str(value)


def example(component: Any, *, complete: bool, depth: int = 0, trail: tuple[str, ...] = ()) -> Any:
    """Return a value of an element: all of its parts, or those that must be there.

    Raises:
        LargeError: it would be too large.
    """
    spend()
    type_ = getattr(component, "type", component)
    if type_.is_simple():
        return simple_example(type_)
    found = {
        f"@{item.local_name}": item.fixed or simple_example(item.type)
        for key, item in type_.attributes.items()
        if key is not None and item.use != "prohibited" and (complete or item.use == "required")
    }
    if type_.has_simple_content():
        text = simple_example(type_.content)
        return {**found, TEXT_FIELD: text} if found else text
    inside = (*trail, type_.name) if type_.name else trail
    for child in _required_elements(type_.content):
        recurs = child.type.name is not None and child.type.name in inside
        if depth < _MAX_DEPTH and (child.min_occurs > 0 or (complete and not recurs)):
            make = partial(_child_example, child, complete=complete, depth=depth + 1, trail=inside)
            found[child.local_name] = make() if child.is_single() else [make() for _ in range(max(1, child.min_occurs))]
    return found or None


def _child_example(child: Any, *, complete: bool, depth: int, trail: tuple[str, ...]) -> Any:
    return child.fixed or example(child, complete=complete, depth=depth, trail=trail)


def _required_elements(group: Any) -> list[Any]:
    """Return the elements of a group: all of a sequence, the first of a choice; none where any element may stand."""
    found: list[Any] = []
    for part in group:
        inner = (
            _required_elements(part)
            if hasattr(part, "model")
            else [part]
            if getattr(part, "type", None) is not None
            else []
        )
        if group.model == "choice" and inner:
            return inner
        found += inner
    return found


def simple_example(type_: Any) -> str:
    """Return the text of a simple type: of its enumeration, by its pattern, or a sample of its built-in type."""
    if type_.enumeration:
        return str(type_.enumeration[0])
    if type_.is_list():
        count = facet(type_, "length") or facet(type_, "minLength") or 1
        if count > MAX_CHARACTERS:
            raise BudgetError
        return " ".join([simple_example(item_type(type_))] * count)
    if getattr(type_, "member_types", None):
        return simple_example(type_.member_types[0])
    if type_.is_decimal() and type_.patterns is None:
        return _number(type_)
    return _SAMPLES.get(type_.local_name or "") or _text_example(type_)


def _text_example(type_: Any) -> str:
    """Return a text by the pattern of a type, or a sample of its built-in type."""
    length, least, most = (facet(type_, name) for name in ("length", "minLength", "maxLength"))
    if type_.patterns is not None:
        made = matching_text(type_.patterns.regexps[0], length or least or 0, length or most)
        if made is not None:
            return made
    if (length or least or 0) > MAX_CHARACTERS:
        raise BudgetError
    octets = bytes(length or least or 0)
    if octets and built_in(type_) in _BINARY:
        return _BINARY[built_in(type_)](octets)
    if built_in(type_) in _SAMPLES:
        return _SAMPLES[built_in(type_)]
    text = "text"[: length or most]
    return text + "x" * ((length or least or 0) - len(text))


def _number(type_: Any) -> str:
    """Return 1, or the bound that is nearest to it."""
    lowest, highest = type_.min_value, type_.max_value
    number = Decimal(1)
    if lowest is not None:
        number = max(number, Decimal(str(lowest)) + (1 if facet(type_, "minExclusive") is not None else 0))
    if highest is not None:
        number = min(number, Decimal(str(highest)) - (1 if facet(type_, "maxExclusive") is not None else 0))
    return f"{number:f}"


XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
# So many types are remembered with those of their elements that may stand there more than once.
CACHED_TYPES = 4096
_repeated_children = lru_cache(maxsize=CACHED_TYPES)(repeated_names)


class ElementReader(xmlschema.XMLSchemaConverter):
    """Makes the values of elements, the inner ones first."""

    __slots__ = ()

    def element_decode(self, data: Any, xsd_element: Any, xsd_type: Any = None, level: int = 0) -> Any:  # noqa: ARG002
        """Return the value of an element, whose attributes and content have been read."""
        type_ = xsd_type or xsd_element.type
        stated = dict(data.attributes or ())
        found = _read_attributes(stated, type_)
        if str(stated.get(f"{XSI}nil")).strip() in {"true", "1"}:  # Structures, 2.6.2: it has attributes at most
            return found or None
        if type_.is_simple() or type_.has_simple_content():
            text = _read_value(data.text, type_)
            return text if is_text_only(type_) and not found else {**found, TEXT_FIELD: text}
        content = data.content or ()
        texts = [data.text, *(value for name, value, _ in content if isinstance(name, int))]
        said = " ".join(filter(None, texts))
        found |= _read_children(
            ((name, value) for name, value, _ in content if not isinstance(name, int)), _repeated_children(type_)
        )
        if type_.name == f"{{{XSD}}}anyType" and not found:
            return said
        return {**found, TEXT_FIELD: said} if said else found


def _read_attributes(stated: dict[str, Any], type_: Any) -> dict[str, Any]:
    """Return the attributes but those that say where the schema is, or which type is meant, by their local names."""
    declared = type_.attributes if type_.is_complex() else {}
    own = {
        name: _read_value(value, declared[name].type if name in declared else None)
        for name, value in stated.items()
        if not name.startswith(XSI)
    }
    alike = Counter(map(local_name, own))
    return {f"@{local_name(name) if alike[local_name(name)] == 1 else name}": value for name, value in own.items()}


def _read_children(content: Iterable[tuple[str, Any]], several: frozenset[str]) -> dict[str, Any]:
    """Return the values of child elements by their local names, lists where more than one may stand there, or does."""
    met: dict[str, list[Any]] = {}
    lists = set()
    for name, value in content:
        met.setdefault(local_name(name), []).append(value)
        if name in several:
            lists.add(local_name(name))
    return {name: values if name in lists or len(values) > 1 else values[0] for name, values in met.items()}


def local_name(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def _read_value(value: Any, type_: Any) -> Any:
    """Return a single value, bytes as such, and as text what a union or an enumeration may have beside texts."""
    simple = type_.content if type_ is not None and type_.is_complex() else type_
    if isinstance(value, list):
        inner = item_type(simple) if simple is not None and simple.is_list() else None
        return [_read_value(each, inner) for each in value]
    # Of all values, those of xs:hexBinary and xs:base64Binary alone can be decoded; their texts look alike.
    plain = value.decode() if hasattr(value, "decode") else value
    return text_of(plain, simple) if simple is not None and reads_as_text(simple) else plain
