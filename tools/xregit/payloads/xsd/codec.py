"""The schema object of XML Schema, which validates, decodes and encodes payloads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import xmlschema

from xregit.model import canonical
from xregit.model.quoting import comma_list, cut_middle, quote
from xregit.payloads.base import PayloadError, Problem, SchemaError, error_text
from xregit.payloads.fields import MAX_VALUES, Field, with_budget
from xregit.payloads.xsd.fields import fields
from xregit.payloads.xsd.schema import ERRORS, XSD, Element, UncheckedError, load, parse_elements, pattern_problem
from xregit.payloads.xsd.values import ElementReader, example, to_element

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xregit.payloads.base import Document

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
            message = f"{reason}; only elements stand alone in a document"
            raise PayloadError(message)
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


def _doubts(elements: Sequence[Element]) -> Iterator[Problem]:
    """Yield patterns with anchors, which are ordinary characters there, and local elements in no namespace."""
    for item in elements:
        pattern = item.attributes.get("value", "") if item.name == f"{XSD} pattern" else ""
        if pattern.startswith("^") or (pattern.endswith("$") and not pattern.endswith("\\$")):
            message = f'{quote(pattern)} asks for the characters "^" and "$": a pattern is about the whole value'
            yield Problem("doubt", message, 'remove "^" and "$"', item.line, item.column)
    root = elements[0]
    if "targetNamespace" in root.attributes and "elementFormDefault" not in root.attributes:
        named = [item for item in elements[1:] if item.name == f"{XSD} element" and "name" in item.attributes]
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
