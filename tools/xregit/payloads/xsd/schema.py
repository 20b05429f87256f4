"""The loader of XML Schema documents, with those that they include and import.

Its patterns are matched in linear time in place of Python's backtracking; its unions keep the text of a value, since
``007`` may be a number or a text.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from decimal import Decimal
from email.message import Message
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from urllib.request import BaseHandler, OpenerDirector, Request
from urllib.response import addinfourl
from xml.etree import ElementTree as ET

import jsonschema_rs
import xmlschema
from xmlschema.validators import Xsd11Union, XsdComplexType, XsdGroup, XsdPatternFacets, XsdUnion
from xmlschema.validators.builders import XsdBuilders
from xmlschema.validators.exceptions import XMLSchemaModelDepthError

from xregit.model import canonical
from xregit.payloads.base import Problem, SchemaError, too_deep
from xregit.payloads.document import resolve
from xregit.payloads.xsd.positions import XSD, Element, elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Kinds = Mapping[type, type["LexicalValue"]]
    import re

    from xregit.payloads.base import Fetch
    from xregit.payloads.document import Document


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
    """What unions of both versions do."""

    __slots__ = ()

    def raw_decode(self, obj: Any, validation: str, context: Any) -> Any:
        """Return the value of a text by the first member type that it fits, and the text with it."""
        found = super().raw_decode(obj, validation, context)
        kind: Any = _LEXICAL_KINDS.get(type(found))
        if kind is None or not isinstance(obj, str):
            return found
        made = kind(found)
        made.text = " ".join(obj.split())  # as all types but those of texts have it
        return made


class Union10(_LexicalUnion):
    """The union of version 1.0."""

    __slots__ = ()


class Union11(_LexicalUnion, Xsd11Union):
    """The union of version 1.1."""

    __slots__ = ()


# What xmlschema adds to each pattern so that Python's "$" doesn't match before a final newline.
_PYTHON_END = r"(?!\n\Z)"
_SIZE = 50_000_000


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
    """XML Schema 1.0 with such patterns, and with unions that keep texts."""

    builders = XsdBuilders("1.0", LinearPatterns, union_class=Union10)


class Schema11(xmlschema.XMLSchema11):
    """XML Schema 1.1 with the same."""

    builders = XsdBuilders("1.1", LinearPatterns, union_class=Union11)


def _to_linear(pattern: re.Pattern[str]) -> LinearPattern:
    text = pattern.pattern.removesuffix(_PYTHON_END)
    options = jsonschema_rs.RegexOptions(size_limit=_SIZE)
    try:
        return LinearPattern(
            text, jsonschema_rs.validator_for({"pattern": text}, pattern_options=options, offline=True)
        )
    except ValueError:
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


def load(document: Document) -> xmlschema.XMLSchemaBase:
    """Return the schema that a document describes.

    Raises:
        SchemaError: it isn't XML Schema, or refers to what isn't there.
    """
    text = document.text()
    found = elements(text)
    if found[0].name != f"{XSD} schema":
        message = f'the document is a "{found[0].name.rpartition(" ")[2]}", not an XML schema'
        raise SchemaError(Problem("syntax", message, f'begin it with "xs:schema" of {XSD}', 1, 1))
    base = document.uri if ":" in document.uri.partition("/")[0] else f"{_HERE}/{document.uri.lstrip('/')}"
    missing = tuple(_missing_references(document.fetch, found, base, set()))
    if missing:
        raise SchemaError(*missing)
    schema = _build(document, text, base)
    if schema.all_errors:
        raise SchemaError(*(_problem(schema, found, error) for error in schema.all_errors[:_MAX_PROBLEMS]))
    wrong = next(find_unbounded(schema), "")
    if wrong:
        raise SchemaError(Problem("syntax", wrong, "use fewer groups within groups", 1, 1))
    return schema


def _missing_references(fetch: Fetch, found: tuple[Element, ...], base: str, seen: set[str]) -> Iterator[Problem]:
    """Give the references to other documents that lead nowhere, those inside such documents too."""
    for element in found:
        location = element.attributes.get("schemaLocation")
        namespace = element.attributes.get("namespace")
        if element.name not in _REFERRING or location is None or namespace in _BUILT_IN:
            continue
        address = resolve(base, location)
        if address in seen:
            continue
        seen.add(address)
        content = fetch(address.removeprefix(_HERE)) if len(seen) <= _MAX_DOCUMENTS else None
        if content is None:
            message = f'"{location}" is not in this registry'
            help_ = "add it as a schema and refer to it by its path, or put what it holds here"
            yield Problem("reference", message, help_, element.line, element.column)
        else:
            yield from _missing_references(fetch, elements(content), address, seen)


def _build(document: Document, text: bytes, base: str, validation: str = "lax") -> xmlschema.XMLSchemaBase:
    opener = OpenerDirector()
    opener.add_handler(_Registry(document.fetch))
    version = canonical("format", document.format).partition("/")[2]
    made: type[xmlschema.XMLSchemaBase] = Schema11 if version == "1.1" else Schema10
    said: dict[str, Any] = {"allow": "remote", "defuse": "always", "opener": opener, "validation": validation}
    try:
        with warnings.catch_warnings(action="ignore"):
            # The library takes the base for a folder.
            return made(io.BytesIO(text), base_url=urljoin(base, "."), use_fallback=False, **said)
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


def _problem(schema: xmlschema.XMLSchemaBase, found: tuple[Element, ...], error: Any) -> Problem:
    """Return a problem at the element that the library names."""
    places = {id(item): place for item, place in zip(schema.source.root.iter(), found, strict=False)}
    place = places.get(id(error.elem), found[0])
    return Problem("syntax", _error_reason(error), _CORRECT, place.line, place.column)


def _error_reason(error: Exception) -> str:
    text = str(getattr(error, "message", "") or error).strip()
    return text.partition("\n")[0].rstrip(":")


MAX_PARTICLES = 10_000


def find_unbounded(schema: xmlschema.XMLSchemaBase) -> Iterator[str]:
    """Say of each complex type of a schema why it can't be gone through, if it can't."""
    for type_ in schema.iter_components(XsdComplexType):
        if not isinstance(type_, XsdComplexType) or not isinstance(content := type_.content, XsdGroup):
            continue
        name = f'the type "{type_.local_name}"' if type_.local_name else "a type"
        try:
            if next(islice(content.iter_elements(), MAX_PARTICLES, None), None) is not None:
                yield f"the groups of {name} stand for more than {MAX_PARTICLES:,} elements"
        except XMLSchemaModelDepthError:
            yield f"the groups of {name} are nested too deep"
