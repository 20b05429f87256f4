"""An XML Schema document to the library's schema, with the documents that it includes and imports."""

from __future__ import annotations

import io
import warnings
from email.message import Message
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from urllib.request import BaseHandler, OpenerDirector, Request
from urllib.response import addinfourl
from xml.etree import ElementTree as ET

import xmlschema

from xregit.model import canonical
from xregit.payloads.documents import resolved
from xregit.payloads.shapes import Problem, SchemaError, too_far
from xregit.payloads.xsd.bounds import unbounded
from xregit.payloads.xsd.patterns import Schema10, Schema11, UncheckedError, unchecked
from xregit.payloads.xsd.places import XSD, Element, elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.documents import Document
    from xregit.payloads.shapes import Fetch

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
    missing = tuple(_missing(document.fetch, found, base, set()))
    if missing:
        raise SchemaError(*missing)
    schema = _built(document, text, base)
    if schema.all_errors:
        raise SchemaError(*(_problem(schema, found, error) for error in schema.all_errors[:_MAX_PROBLEMS]))
    wrong = next(unbounded(schema), "")
    if wrong:
        raise SchemaError(Problem("syntax", wrong, "use fewer groups within groups", 1, 1))
    return schema


def _missing(fetch: Fetch, found: tuple[Element, ...], base: str, seen: set[str]) -> Iterator[Problem]:
    """Give the references to other documents that lead nowhere, those inside such documents too."""
    for element in found:
        location = element.attributes.get("schemaLocation")
        namespace = element.attributes.get("namespace")
        if element.name not in _REFERRING or location is None or namespace in _BUILT_IN:
            continue
        address = resolved(base, location)
        if address in seen:
            continue
        seen.add(address)
        content = fetch(address.removeprefix(_HERE)) if len(seen) <= _MAX_DOCUMENTS else None
        if content is None:
            message = f'"{location}" is not in this registry'
            help_ = "add it as a schema and refer to it by its path, or put what it holds here"
            yield Problem("reference", message, help_, element.line, element.column)
        else:
            yield from _missing(fetch, elements(content), address, seen)


def _built(document: Document, text: bytes, base: str, validation: str = "lax") -> xmlschema.XMLSchemaBase:
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
        raise SchemaError(Problem("syntax", unchecked(error), "use fewer or smaller repetitions", 1, 1)) from error
    except (AttributeError, AssertionError) as error:  # the library's own, where it went on after a fault
        if validation == "lax":
            return _built(document, text, base, "strict")  # which ends at the first one
        raise SchemaError(Problem("syntax", "a type builds on one that is wrong or missing", _CORRECT, 1, 1)) from error
    except RecursionError:
        raise SchemaError(too_far(1, 1)) from None
    except (*ERRORS, OSError) as error:
        raise SchemaError(Problem("syntax", _reason(error), _CORRECT, 1, 1)) from error


def _problem(schema: xmlschema.XMLSchemaBase, found: tuple[Element, ...], error: Any) -> Problem:
    """Return a problem at the element that the library names."""
    places = {id(item): place for item, place in zip(schema.source.root.iter(), found, strict=False)}
    place = places.get(id(error.elem), found[0])
    return Problem("syntax", _reason(error), _CORRECT, place.line, place.column)


def _reason(error: Exception) -> str:
    text = str(getattr(error, "message", "") or error).strip()
    return text.partition("\n")[0].rstrip(":")
