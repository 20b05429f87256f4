"""The conversion of values to XML elements and back, and examples of values."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import xmlschema

from xregit.payloads.base import PayloadError
from xregit.payloads.fields import MAX_CHARACTERS, BudgetError, spend
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
from xregit.payloads.xsd.schema import XSD, LexicalValue

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
_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
_NIL = f"{_XSI}nil"
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Context:
    """Where an element stands: its path, its namespace, and the list that problems are added to."""

    path: str
    namespace: str
    problems: list[str]


def to_element(element: Any, value: Any) -> ET.Element:
    """Return the XML element of a value.

    Raises:
        PayloadError: the value names what the schema doesn't have.
    """
    problems: list[str] = []
    root = _make_element(element, value, _Context("", "", problems))
    if problems:
        raise PayloadError(*problems)
    return root


def _make_element(element: Any, value: Any, parent: _Context) -> ET.Element:
    namespace = element.name[1:].partition("}")[0] if element.name[:1] == "{" else ""
    context = _Context(f"{parent.path}/{element.local_name}", namespace, parent.problems)
    node = ET.Element(element.local_name, {} if namespace == parent.namespace else {"xmlns": namespace})
    if value is None and element.nillable:
        node.set(_NIL, "true")
    elif isinstance(value, dict) and element.type.is_complex():
        remaining = dict(value)
        _set_attributes(node, element.type, remaining)
        if element.type.has_simple_content() and element.nillable and TEXT_FIELD not in remaining:
            node.set(_NIL, "true")
        elif element.type.has_simple_content():
            node.text = text_of(remaining.pop(TEXT_FIELD, ""), element.type)
        else:
            _fill_children(node, element.type, remaining, context)
        context.problems.extend(f'{context.path}: the schema has no "{name}" here' for name in remaining)
    elif isinstance(value, dict):
        context.problems.append(f"{context.path}: the schema has a single value here")
    else:
        node.text = text_of(value, element.type)
    return node


def _set_attributes(node: ET.Element, type_: Any, remaining: dict[str, Any]) -> None:
    for attribute in (item for key, item in type_.attributes.items() if key is not None):
        text = remaining.pop(f"@{attribute.local_name}", None)
        if text is not None:
            node.set(attribute.name, text_of(text, attribute.type))


def _fill_children(node: ET.Element, type_: Any, remaining: dict[str, Any], context: _Context) -> None:
    """Add the child elements in the schema's order, and take from ``left`` what was added."""
    repeated = repeated_names(type_)
    for child in type_.content.iter_elements():
        if child.name is None or child.local_name not in remaining:
            continue
        value = remaining.pop(child.local_name)
        is_single = not isinstance(value, list) or (child.type.is_list() and child.name not in repeated)
        for item in [value] if is_single else value:
            node.append(_make_element(child, item, context))
    if type_.mixed and TEXT_FIELD in remaining:
        node.text = text_of(remaining.pop(TEXT_FIELD), type_)


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
        BudgetError: it would be too large.
    """
    spend()
    type_ = getattr(component, "type", component)
    if type_.is_simple():
        return simple_example(type_)
    values = {
        f"@{item.local_name}": item.fixed or simple_example(item.type)
        for key, item in type_.attributes.items()
        if key is not None and item.use != "prohibited" and (complete or item.use == "required")
    }
    if type_.has_simple_content():
        text = simple_example(type_.content)
        return {**values, TEXT_FIELD: text} if values else text
    trail = (*trail, type_.name) if type_.name else trail
    for child in _required_elements(type_.content):
        recurs = child.type.name is not None and child.type.name in trail
        if depth < _MAX_DEPTH and (child.min_occurs > 0 or (complete and not recurs)):
            items = [
                child.fixed or example(child, complete=complete, depth=depth + 1, trail=trail)
                for _ in range(1 if child.is_single() else max(1, child.min_occurs))
            ]
            values[child.local_name] = items[0] if child.is_single() else items
    return values or None


def _required_elements(group: Any) -> list[Any]:
    """Return the elements of a group: all of a sequence, the first of a choice; none where any element may stand."""
    elements: list[Any] = []
    for part in group:
        is_element = getattr(part, "type", None) is not None
        inner = _required_elements(part) if hasattr(part, "model") else [part] if is_element else []
        if group.model == "choice" and inner:
            return inner
        elements += inner
    return elements


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
        match = matching_text(type_.patterns.regexps[0], length or least or 0, length or most)
        if match is not None:
            return match
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


class ElementReader(xmlschema.XMLSchemaConverter):
    """Makes the values of elements, the inner ones first."""

    __slots__ = ()

    def element_decode(self, data: Any, xsd_element: Any, xsd_type: Any = None, level: int = 0) -> Any:  # noqa: ARG002
        """Return the value of an element, whose attributes and content have been read."""
        type_ = xsd_type or xsd_element.type
        attributes = dict(data.attributes or ())
        values = _read_attributes(attributes, type_)
        if str(attributes.get(_NIL)).strip() in {"true", "1"}:  # Structures, 2.6.2: it has attributes at most
            return values or None
        if type_.is_simple() or type_.has_simple_content():
            text = _read_value(data.text, type_)
            return text if is_text_only(type_) and not values else {**values, TEXT_FIELD: text}
        content = data.content or ()
        texts = [data.text, *(value for name, value, _ in content if isinstance(name, int))]
        text = " ".join(filter(None, texts))
        values |= _read_children(
            ((name, value) for name, value, _ in content if not isinstance(name, int)), repeated_names(type_)
        )
        if type_.name == f"{{{XSD}}}anyType" and not values:
            return text
        return {**values, TEXT_FIELD: text} if text else values


def _read_attributes(attributes: dict[str, Any], type_: Any) -> dict[str, Any]:
    """Return the attributes but those that say where the schema is, or which type is meant, by their local names."""
    declared = type_.attributes if type_.is_complex() else {}
    values = {
        name: _read_value(value, declared[name].type if name in declared else None)
        for name, value in attributes.items()
        if not name.startswith(_XSI)
    }
    counts = Counter(map(local_name, values))
    return {f"@{local_name(name) if counts[local_name(name)] == 1 else name}": value for name, value in values.items()}


def _read_children(content: Iterable[tuple[str, Any]], repeated: frozenset[str]) -> dict[str, Any]:
    """Return the values of child elements by their local names, lists where more than one may stand there, or does."""
    values_by_name: dict[str, list[Any]] = {}
    lists = set()
    for name, value in content:
        values_by_name.setdefault(local_name(name), []).append(value)
        if name in repeated:
            lists.add(local_name(name))
    return {name: items if name in lists or len(items) > 1 else items[0] for name, items in values_by_name.items()}


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
