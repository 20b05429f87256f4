"""The loader of XML Schema documents, with those that they include and import, and the positions of their elements.

Its patterns are matched in linear time in place of Python's backtracking; its unions keep the text of a value, since
``007`` may be a number or a text.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from email.message import Message
from itertools import islice
from typing import Any, NoReturn
from urllib.parse import urljoin
from urllib.request import BaseHandler, OpenerDirector, Request
from urllib.response import addinfourl
from xml.etree import ElementTree as ET
from xml.parsers import expat

import jsonschema_rs
import xmlschema
from xmlschema.validators import Xsd11Union, XsdComplexType, XsdGroup, XsdPatternFacets, XsdUnion
from xmlschema.validators.builders import XsdBuilders
from xmlschema.validators.exceptions import XMLSchemaModelDepthError

from xregit.model import canonical
from xregit.payloads.base import (
    LARGEST,
    Document,
    Fetch,
    Problem,
    SchemaError,
    once_per_document,
    pattern_size,
    resolve,
    too_deep,
)

Kinds = Mapping[type, type["LexicalValue"]]

XSD = "http://www.w3.org/2001/XMLSchema"
MAX_DEPTH = 100
# xmlschema takes quadratic time for them.
_MAX_ATTRIBUTES = 1000


@dataclass(frozen=True, slots=True)
class Element:
    """An element: its name and attributes as ``namespace name``, where its start tag stands, and how deep, from 1."""

    name: str
    attributes: dict[str, str]
    line: int
    column: int
    depth: int


@dataclass(slots=True)
class _PositionHandler:
    parser: expat.XMLParserType
    elements: list[Element] = field(default_factory=list)
    depth: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        if self.depth > MAX_DEPTH:
            message = f"elements are nested more than {MAX_DEPTH} levels deep"
            raise SchemaError(Problem("syntax", message, "use fewer levels", line, column))
        if len(attributes) > _MAX_ATTRIBUTES:
            message = f"an element has more than {_MAX_ATTRIBUTES} attributes"
            raise SchemaError(Problem("syntax", message, "use elements", line, column))
        self.elements.append(Element(name, attributes, line, column, self.depth))

    def end(self, _name: str) -> None:
        self.depth -= 1

    def entity(self, *_: object) -> NoReturn:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        message = "the document declares entities, which may stand for any amount of text"
        raise SchemaError(Problem("syntax", message, "write the text itself", line, column))


def parse_elements(text: bytes) -> tuple[Element, ...]:
    """Return the elements of an XML document in the order of their start tags.

    Raises:
        SchemaError: the text isn't XML, declares entities or is too deep.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    handler = _PositionHandler(parser)
    parser.StartElementHandler, parser.EndElementHandler = handler.start, handler.end
    parser.EntityDeclHandler = handler.entity
    try:
        parser.Parse(text, True)  # noqa: FBT003 - the last part of the text
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        problem = Problem("syntax", f"this is not XML: {message}", "correct the text", error.lineno, error.offset + 1)
        raise SchemaError(problem) from error
    except (ValueError, LookupError) as error:
        raise SchemaError(Problem("syntax", f"this is not XML: {error}", "save it as UTF-8", 1, 1)) from error
    return tuple(handler.elements)


class LexicalValue:
    """A value that is also what the document says; facets compare it by its value."""

    text: str

    def __str__(self) -> str:
        """Return the text."""
        return self.text


class LexicalInt(LexicalValue, int):
    """A whole number, or whether something is true."""


class LexicalDecimal(LexicalValue, Decimal):
    """A decimal number."""


class LexicalFloat(LexicalValue, float):
    """Any other number."""


_LEXICAL_KINDS: Kinds = {bool: LexicalInt, int: LexicalInt, Decimal: LexicalDecimal, float: LexicalFloat}


class _LexicalUnion(XsdUnion):
    """A union that keeps the text of a value beside it."""

    __slots__ = ()

    def raw_decode(self, obj: Any, validation: str, context: Any) -> Any:
        """Return the value of a text by the first member type that it fits, and the text with it."""
        value = super().raw_decode(obj, validation, context)
        kind: Any = _LEXICAL_KINDS.get(type(value))
        if kind is None or not isinstance(obj, str):
            return value
        lexical = kind(value)
        lexical.text = " ".join(obj.split())  # as all types but those of texts have it
        return lexical


class Union10(_LexicalUnion):
    """The union of version 1.0."""

    __slots__ = ()


class Union11(_LexicalUnion, Xsd11Union):
    """The union of version 1.1."""

    __slots__ = ()


# What xmlschema adds to each pattern so that Python's "$" doesn't match before a final newline.
_PYTHON_END = r"(?!\n\Z)"
_pattern_size: ContextVar[int] = ContextVar("pattern_size", default=LARGEST)


class UncheckedError(Exception):
    """A pattern that can't be matched in linear time."""


def pattern_problem(error: UncheckedError) -> str:
    """Return what is wrong with such a pattern."""
    return f'the pattern "{error}" can\'t be matched in bounded time'


@dataclass(frozen=True, slots=True)
class LinearPattern:
    """A pattern with the one method of Python's that xmlschema calls."""

    pattern: str
    validator: Any

    def match(self, text: str) -> bool | None:
        """Return True where the pattern matches, as a match object would count, else None."""
        if self.validator is None:
            raise UncheckedError(self.pattern)
        return True if self.validator.is_valid(text) else None


class LinearPatterns(XsdPatternFacets):
    """Pattern facets that are linear from the start, since types are checked with them while a schema is built."""

    def __repr__(self) -> str:
        """Name the patterns, as the library's messages do."""
        return f"the pattern {' or '.join(map(repr, self.regexps))}"

    def _parse_value(self, elem: Any) -> Any:
        return _to_linear(super()._parse_value(elem))


class Schema10(xmlschema.XMLSchema10):
    """XML Schema 1.0 with linear patterns and lexical unions."""

    builders = XsdBuilders("1.0", LinearPatterns, union_class=Union10)


class Schema11(xmlschema.XMLSchema11):
    """XML Schema 1.1 with linear patterns and lexical unions."""

    builders = XsdBuilders("1.1", LinearPatterns, union_class=Union11)


def _to_linear(pattern: re.Pattern[str]) -> LinearPattern:
    text = pattern.pattern.removesuffix(_PYTHON_END)
    options = jsonschema_rs.RegexOptions(size_limit=_pattern_size.get())
    try:
        return LinearPattern(
            text, jsonschema_rs.validator_for({"pattern": text}, pattern_options=options, offline=True)
        )
    except ValueError:
        if _pattern_size.get() < LARGEST:  # there are so many that trying each would take too long
            raise UncheckedError(text) from None
        return LinearPattern(text, None)


# What the library raises on texts that are no XML, on XML that it refuses, and on values that Python can't hold.
ERRORS = (xmlschema.XMLSchemaException, ET.ParseError, ValueError, TypeError, ArithmeticError, LookupError)
_HERE = "http://registry.invalid"
_REFERRING = frozenset(f"{XSD} {name}" for name in ("include", "import", "redefine", "override"))
# Namespaces whose schemas the library has itself.
_BUILT_IN = frozenset((XSD, "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2001/XMLSchema-instance"))
_MAX_DOCUMENTS = 100
_MAX_PROBLEMS = 20
_CORRECT = "correct the schema"


class _Registry(BaseHandler):
    """Opens what the registry holds, and nothing else: there is no handler for files or the network beside it."""

    def __init__(self, fetch: Fetch) -> None:
        self.fetch = fetch

    def http_open(self, request: Request) -> addinfourl:
        """Return the document at an address."""
        content = self.fetch(request.full_url.removeprefix(_HERE))
        if content is None:
            raise OSError(request.full_url)
        return addinfourl(io.BytesIO(content), Message(), request.full_url, 200)

    https_open = http_open


@once_per_document
def load(document: Document) -> xmlschema.XMLSchemaBase:
    """Return the schema that a document describes.

    Raises:
        SchemaError: it isn't XML Schema, or refers to what isn't there.
    """
    text = document.text()
    elements = parse_elements(text)
    if elements[0].name != f"{XSD} schema":
        message = f'the document is a "{elements[0].name.rpartition(" ")[2]}", not an XML schema'
        raise SchemaError(Problem("syntax", message, f'begin it with "xs:schema" of {XSD}', 1, 1))
    base = document.uri if ":" in document.uri.partition("/")[0] else f"{_HERE}/{document.uri.lstrip('/')}"
    missing = tuple(_missing_references(document.fetch, elements, base, set()))
    if missing:
        raise SchemaError(*missing)
    token = _pattern_size.set(pattern_size(text.count(b"pattern")))
    try:
        schema = _build(document, text, base)
    finally:
        _pattern_size.reset(token)
    if schema.all_errors:
        raise SchemaError(*(_problem(schema, elements, error) for error in schema.all_errors[:_MAX_PROBLEMS]))
    reason = next(find_unbounded(schema), "")
    if reason:
        raise SchemaError(Problem("syntax", reason, "use fewer groups within groups", 1, 1))
    return schema


def _missing_references(fetch: Fetch, elements: tuple[Element, ...], base: str, uris: set[str]) -> Iterator[Problem]:
    """Yield the references to other documents that lead nowhere, those inside such documents too."""
    for element in elements:
        location = element.attributes.get("schemaLocation")
        namespace = element.attributes.get("namespace")
        if element.name not in _REFERRING or location is None or namespace in _BUILT_IN:
            continue
        uri = resolve(base, location)
        if uri in uris:
            continue
        uris.add(uri)
        content = fetch(uri.removeprefix(_HERE)) if len(uris) <= _MAX_DOCUMENTS else None
        if content is None:
            message = f'"{location}" is not in this registry'
            help_ = "add it as a schema and refer to it by its path, or put what it holds here"
            yield Problem("reference", message, help_, element.line, element.column)
        else:
            yield from _missing_references(fetch, parse_elements(content), uri, uris)


def _build(document: Document, text: bytes, base: str, validation: str = "lax") -> xmlschema.XMLSchemaBase:
    opener = OpenerDirector()
    opener.add_handler(_Registry(document.fetch))
    version = canonical("format", document.format).partition("/")[2]
    schema_class: type[xmlschema.XMLSchemaBase] = Schema11 if version == "1.1" else Schema10
    options: dict[str, Any] = {"allow": "remote", "defuse": "always", "opener": opener, "validation": validation}
    try:
        with warnings.catch_warnings(action="ignore"):
            # The library takes the base for a folder.
            return schema_class(io.BytesIO(text), base_url=urljoin(base, "."), use_fallback=False, **options)
    except UncheckedError as error:
        raise SchemaError(
            Problem("syntax", pattern_problem(error), "use fewer or smaller repetitions", 1, 1)
        ) from error
    except (AttributeError, AssertionError) as error:  # the library's own, where it went on after a fault
        if validation == "lax":
            return _build(document, text, base, "strict")  # which ends at the first one
        raise SchemaError(Problem("syntax", "a type builds on one that is wrong or missing", _CORRECT, 1, 1)) from error
    except RecursionError:
        raise SchemaError(too_deep(1, 1)) from None
    except (*ERRORS, OSError) as error:
        raise SchemaError(Problem("syntax", _error_reason(error), _CORRECT, 1, 1)) from error


def _problem(schema: xmlschema.XMLSchemaBase, elements: tuple[Element, ...], error: Any) -> Problem:
    """Return a problem at the element that the library names."""
    places = {id(item): place for item, place in zip(schema.source.root.iter(), elements, strict=False)}
    place = places.get(id(error.elem), elements[0])
    reason = _error_reason(error)
    unknown = re.fullmatch(r"unknown type '(?:\w+:)?(\w+)'", reason)
    is_built_in = unknown is not None and f"{{{XSD}}}{unknown[1]}" in schema.maps.types
    help_ = f'write "xs:{unknown[1]}", with the prefix of {XSD}' if unknown and is_built_in else _CORRECT
    return Problem("syntax", reason, help_, place.line, place.column)


def _error_reason(error: Exception) -> str:
    text = str(getattr(error, "message", "") or error).strip()
    return text.partition("\n")[0].rstrip(":")


MAX_PARTICLES = 10_000


def find_unbounded(schema: xmlschema.XMLSchemaBase) -> Iterator[str]:
    """Yield why a complex type of a schema can't be walked through, for each such type."""
    for type_ in schema.iter_components(XsdComplexType):
        if not isinstance(type_, XsdComplexType) or not isinstance(content := type_.content, XsdGroup):
            continue
        name = f'the type "{type_.local_name}"' if type_.local_name else "a type"
        try:
            if next(islice(content.iter_elements(), MAX_PARTICLES, None), None) is not None:
                yield f"the groups of {name} stand for more than {MAX_PARTICLES:,} elements"
        except XMLSchemaModelDepthError:
            yield f"the groups of {name} are nested too deep"
