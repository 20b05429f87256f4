"""The schema object of XML Schema: payloads validated, decoded and encoded, and an example."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import Any
from xml.etree import ElementTree as ET

import xmlschema

from xregit.model import canonical
from xregit.model.excerpts import comma_list, cut_middle, quote
from xregit.payloads.base import Document, PayloadError, Problem, SchemaError, error_text
from xregit.payloads.fields import MAX_CHARACTERS, MAX_VALUES, BudgetError, Field, spend, with_budget
from xregit.payloads.sample_texts import SAMPLE_TEXTS, matching_text, named_text
from xregit.payloads.xsd.fields import (
    TEXT_FIELD,
    built_in,
    facet,
    fields,
    is_text_only,
    item_type,
    reads_as_text,
    repeated_names,
)
from xregit.payloads.xsd.schema import (
    ERRORS,
    XSD,
    Element,
    LexicalValue,
    UncheckedError,
    load,
    parse_elements,
    pattern_problem,
)

_NAME_IN_XPATH = re.compile(r"""@name\s*=\s*['"]([^'"]+)['"]""")
_MIN_VERSION = "http://www.w3.org/2007/XMLSchema-versioning minVersion"
_MAX_PROBLEMS = _MAX_DOUBTS = 20
_MAX_CHARACTERS = 300
# How deep the elements stand that are the schema's own components.
_TOP = 2


@dataclass(frozen=True, eq=False, slots=True)
class Xsd:
    """An XML schema; ``component`` is the element or type of payloads, None where any of its elements will do."""

    format: str
    schema: xmlschema.XMLSchemaBase
    component: Any

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:  # noqa: ARG002 - XML, whatever it says
        """Return what is wrong with an XML document."""
        try:
            return tuple(islice(self._problems(*_parse_body(body)), _MAX_PROBLEMS))
        except PayloadError as error:
            return error.problems
        except UncheckedError as error:
            return (pattern_problem(error),)
        except (*ERRORS, RecursionError) as error:
            return (_shorten(error_text(error)),)

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the content of the root element: attributes with ``@``, child elements by name, text as ``$``."""
        problems = self.validate(body, contenttype)
        if problems:
            raise PayloadError(*problems)
        return self._read(body, binary_types=True)

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return a value as XML document."""
        root = to_element(self._element(), value)
        body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
        problems = self.validate(body, contenttype)
        if problems:
            raise PayloadError(*problems)
        return body

    def example(self) -> Any:
        """Return a value with all parts, or else with those that must be there."""
        problems: tuple[str, ...] = ()
        make = with_budget(MAX_VALUES)(example)
        for complete in (True, False):
            try:
                return self._read(self.encode(make(self._element(), complete=complete)))  # bytes as people write them
            except PayloadError as error:
                problems = error.problems
        problem = "no example could be made of the schema"
        raise PayloadError(problem, *problems)

    def fields(self) -> tuple[Field, ...]:
        """Return the attributes and child elements of the root; none where no element can be one."""
        if self.component is None and not self.schema.elements:
            return ()
        return fields(self.component or self._element())

    def _read(self, body: bytes, *, binary_types: bool = False) -> Any:
        """Return the content of a valid document, with bytes as such or as it writes them."""
        component = self.component if isinstance(self.component, xmlschema.XsdElement) else self.schema
        try:
            root, namespaces = _parse_body(body)
            return component.decode(
                root, namespaces=namespaces, binary_types=binary_types, converter=ElementReader, keep_empty=True
            )
        except (*ERRORS, RecursionError) as error:
            raise PayloadError(_shorten(error_text(error))) from error

    def _problems(self, root: ET.Element, namespaces: dict[str, str]) -> Iterator[str]:
        errors = (self.component or self.schema).iter_errors(root, namespaces=namespaces)
        if isinstance(self.component, xmlschema.XsdElement) and root.tag != self.component.name:
            yield f'the root element is "{root.tag}", not "{self.component.name}"'
            return
        yield from (_shorten(f"{error.path}: {_value_error(error)}") for error in errors)

    def _element(self) -> Any:
        if isinstance(self.component, xmlschema.XsdElement):
            return self.component
        if self.component is not None or not self.schema.elements:
            reason = "the schema object is a type" if self.component is not None else "the schema has no element"
            raise PayloadError(f"{reason}; only elements stand alone in a document")
        return root_elements(self.schema)[0]


def _value_error(error: Any) -> str:
    """Return why a value is wrong; for one that is none of its type, the library has words of Python's."""
    reason = str(error.reason)
    kind = getattr(error.validator, "prefixed_name", None)
    if not isinstance(error, xmlschema.XMLSchemaDecodeError) or kind is None:
        return reason
    place = f"{reason.partition('=')[0]}: " if reason.startswith("attribute ") else ""
    return f'{place}"{error.obj}" is no value of the type {kind}'


def parse(document: Document) -> Xsd:
    """Return the schema of a document, for the element or type that the fragment names.

    Raises:
        SchemaError: the document isn't an XML schema, or has no such element or type.
    """
    schema = load(document)
    return Xsd(document.format, schema, _select(schema, document.fragment) if document.fragment else None)


def disagreements(document: Document) -> Iterator[Problem]:
    """Yield the problem of a ``vc:minVersion`` above the version of the format, and doubts."""
    elements = parse_elements(document.text())
    root = elements[0]
    version = root.attributes.get(_MIN_VERSION, "1.0")
    required_version = canonical("format", document.format).partition("/")[2]
    if version == "1.1" and required_version == "1.0":
        message = f'"vc:minVersion" is {version}, but the format is {document.format}'
        yield Problem("format", message, 'write "format: XSD/1.1"', root.line, root.column)
    yield from islice(_doubts(elements), _MAX_DOUBTS)


_TYPES = frozenset({f"{XSD} complexType", f"{XSD} simpleType", f"{XSD} alternative"})
_TYPED = frozenset({"type", "abstract", "substitutionGroup"})


def _doubts(elements: Sequence[Element]) -> Iterator[Problem]:
    """Yield patterns with anchors, which are ordinary characters there, and local elements in no namespace."""
    for item in elements:
        pattern = item.attributes.get("value", "") if item.name == f"{XSD} pattern" else ""
        if pattern.startswith("^") or (pattern.endswith("$") and not pattern.endswith("\\$")):
            message = f'{quote(pattern)} asks for the characters "^" and "$": a pattern is about the whole value'
            yield Problem("doubt", message, 'remove "^" and "$"', item.line, item.column)
    parents: dict[int, Element] = {}
    with_type = set()
    for item in elements:
        parents[item.depth] = item
        if item.name in _TYPES:
            with_type.add(id(parents[item.depth - 1]))
    named = [item for item in elements[1:] if item.name == f"{XSD} element" and "name" in item.attributes]
    for item in named:
        if id(item) not in with_type and not item.attributes.keys() & _TYPED:
            message = f'the element "{item.attributes["name"]}" has no type, so it may hold anything'
            yield Problem("doubt", message, 'write its type, or type="xs:anyType"', item.line, item.column)
    root = elements[0]
    if "targetNamespace" in root.attributes and "elementFormDefault" not in root.attributes:
        local = next((item for item in named if item.depth > _TOP and "form" not in item.attributes), None)
        if local is not None:
            name = local.attributes["name"]
            message = f'the element "{name}" is in no namespace, since nothing says "elementFormDefault"'
            help_ = 'write elementFormDefault="qualified" in the first element, or "unqualified" if that is meant'
            yield Problem("doubt", message, help_, local.line, local.column)


def _select(schema: xmlschema.XMLSchemaBase, selector: str) -> Any:
    """Return what a selector names: by name, or by an XPath that ends in one."""
    steps = _NAME_IN_XPATH.findall(selector)
    name = steps[-1] if steps else selector.rstrip("/").rpartition("/")[2].rpartition(":")[2]
    full = f"{{{schema.target_namespace}}}{name}" if schema.target_namespace else name
    component = schema.elements.get(full) if full in schema.elements else schema.types.get(full)
    if component is None:
        names = comma_list([item.local_name for item in schema.elements.values()]) or "none"
        message = f'the document has no element or type "{selector}"'
        raise SchemaError(Problem("selector", message, f"its elements are {names}"))
    return component


def root_elements(schema: xmlschema.XMLSchemaBase) -> list[Any]:
    """Return the elements that no other refers to first: those that stand at the top of documents."""
    used = referenced_names(schema)
    return sorted(schema.elements.values(), key=lambda item: item.name in used)


def referenced_names(schema: xmlschema.XMLSchemaBase) -> frozenset[str | None]:
    """Return the names of the elements that others refer to."""
    elements = schema.iter_components(xmlschema.XsdElement)
    return frozenset(item.name for item in elements if getattr(item, "ref", None) is not None)


def _parse_body(body: bytes) -> tuple[ET.Element, dict[str, str]]:
    """Return the root of an XML document that declares no entities and isn't too deep, and its prefixes' namespaces."""
    try:
        parse_elements(body)
    except SchemaError as error:
        problems = (f"line {item.line}, column {item.column}: {item.message}" for item in error.problems)
        raise PayloadError(*problems) from error
    builder = _NamespaceBuilder()
    parser = ET.XMLParser(target=builder)  # noqa: S314 - the survey has refused what could be an attack
    parser.feed(body)
    root = parser.close()
    if not root.tag.startswith(f"{{{builder.namespaces.get('')}}}"):
        builder.namespaces.pop("", None)
    return root, builder.namespaces


class _NamespaceBuilder(ET.TreeBuilder):
    """Builds a document's tree, and keeps the namespaces of prefixes; of one in several senses, the first."""

    def __init__(self) -> None:
        super().__init__()
        self.namespaces: dict[str, str] = {}

    def start_ns(self, prefix: str, namespace: str) -> None:
        """Keep the namespace of a prefix."""
        self.namespaces.setdefault(prefix or "", namespace)


def _shorten(text: str) -> str:
    return cut_middle(" ".join(text.split()), _MAX_CHARACTERS)


# The built-in types that any text is one of, but for its white space.
_TEXTS = frozenset({"string", "normalizedString", "token"})
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
    name = getattr(component, "local_name", None) or ""
    if type_.is_simple():
        return simple_example(type_, name)
    values = {
        f"@{item.local_name}": item.fixed or simple_example(item.type, item.local_name)
        for key, item in type_.attributes.items()
        if key is not None and item.use != "prohibited" and (complete or item.use == "required")
    }
    if type_.has_simple_content():
        text = simple_example(type_.content, name)
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


def simple_example(type_: Any, name: str = "") -> str:
    """Return the text of a simple type: of its enumeration, by its pattern or a name, or a sample of its type."""
    if type_.enumeration:
        return str(type_.enumeration[0])
    if type_.is_list():
        count = facet(type_, "length") or facet(type_, "minLength") or 1
        if count > MAX_CHARACTERS:
            raise BudgetError
        return " ".join([simple_example(item_type(type_), name)] * count)
    if getattr(type_, "member_types", None):
        return simple_example(type_.member_types[0], name)
    if type_.is_decimal() and type_.patterns is None:
        return _number(type_)
    return _SAMPLES.get(type_.local_name or "") or _text_example(type_, name)


def _text_example(type_: Any, name: str) -> str:
    """Return a text by the pattern of a type, or a sample of its built-in type or of a name."""
    named = (named_text(name) if built_in(type_) in _TEXTS else None) or ""
    length, least, most = (facet(type_, name) for name in ("length", "minLength", "maxLength"))
    if type_.patterns is not None:
        match = matching_text(type_.patterns.regexps[0], length or least or 0, length or most, named)
        if match is not None:
            return match
    if (length or least or 0) > MAX_CHARACTERS:
        raise BudgetError
    octets = bytes(length or least or 0)
    if octets and built_in(type_) in _BINARY:
        return _BINARY[built_in(type_)](octets)
    if built_in(type_) in _SAMPLES:
        return _SAMPLES[built_in(type_)]
    if named and length in {None, len(named)} and (least or 0) <= len(named) <= (most or len(named)):
        return named
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
