"""Values to XML elements, by the order and names that the schema gives; examples of such values."""

from __future__ import annotations

from base64 import b64encode
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Any
from xml.etree import ElementTree as ET

from xregit.payloads.patterns import text_for
from xregit.payloads.room import MAX_CHARACTERS, LargeError, take_room
from xregit.payloads.samples import TEXTS
from xregit.payloads.shapes import PayloadError
from xregit.payloads.xsd.fields import TEXT, built_in, facet, item_type, many
from xregit.payloads.xsd.unions import Stated
from xregit.records import record

_SAMPLES = {
    "boolean": "true",
    "float": "1.5",
    "double": "1.5",
    "date": TEXTS["date"],
    "time": TEXTS["time"],
    "dateTime": TEXTS["date-time"],
    "dateTimeStamp": TEXTS["date-time"],
    "duration": TEXTS["duration"],
    "anyURI": TEXTS["uri"],
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


@record
class _Place:
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
    made = _made(element, value, _Place("", "", problems))
    if problems:
        raise PayloadError(*problems)
    return made


def _made(element: Any, value: Any, around: _Place) -> ET.Element:
    namespace = element.name[1:].partition("}")[0] if element.name[:1] == "{" else ""
    here = _Place(f"{around.path}/{element.local_name}", namespace, around.problems)
    made = ET.Element(element.local_name, {} if namespace == around.namespace else {"xmlns": namespace})
    if value is None and element.nillable:
        made.set(_NIL, "true")
    elif isinstance(value, dict) and element.type.is_complex():
        left = dict(value)
        _set_attributes(made, element.type, left)
        if element.type.has_simple_content() and element.nillable and TEXT not in left:
            made.set(_NIL, "true")
        elif element.type.has_simple_content():
            made.text = text_of(left.pop(TEXT, ""), element.type)
        else:
            _fill(made, element.type, left, here)
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


def _fill(made: ET.Element, type_: Any, left: dict[str, Any], here: _Place) -> None:
    """Add the child elements in the schema's order, and take from ``left`` what was added."""
    several = many(type_)
    for child in type_.content.iter_elements():
        if child.name is None or child.local_name not in left:
            continue
        stated = left.pop(child.local_name)
        is_one = not isinstance(stated, list) or (child.type.is_list() and child.name not in several)
        for item in [stated] if is_one else stated:
            made.append(_made(child, item, here))
    if type_.mixed and TEXT in left:
        made.text = text_of(left.pop(TEXT), type_)


def text_of(value: Any, type_: Any) -> str:
    """Return a single value, or a list of such, as a document has it."""
    if isinstance(value, Stated):
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
    take_room()
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
        return {**found, TEXT: text} if found else text
    inside = (*trail, type_.name) if type_.name else trail
    for child in _chosen(type_.content):
        recurs = child.type.name is not None and child.type.name in inside
        if depth < _MAX_DEPTH and (child.min_occurs > 0 or (complete and not recurs)):
            make = partial(_child_example, child, complete=complete, depth=depth + 1, trail=inside)
            found[child.local_name] = make() if child.is_single() else [make() for _ in range(max(1, child.min_occurs))]
    return found or None


def _child_example(child: Any, *, complete: bool, depth: int, trail: tuple[str, ...]) -> Any:
    return child.fixed or example(child, complete=complete, depth=depth, trail=trail)


def _chosen(group: Any) -> list[Any]:
    """Return the elements of a group: all of a sequence, the first of a choice; none where any element may stand."""
    found: list[Any] = []
    for part in group:
        inner = _chosen(part) if hasattr(part, "model") else [part] if getattr(part, "type", None) is not None else []
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
            raise LargeError
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
        made = text_for(type_.patterns.regexps[0], length or least or 0, length or most)
        if made is not None:
            return made
    if (length or least or 0) > MAX_CHARACTERS:
        raise LargeError
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
