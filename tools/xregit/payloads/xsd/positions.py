"""The elements of an XML document with their positions, or what is wrong with its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from xregit.payloads.base import Problem, SchemaError

XSD = "http://www.w3.org/2001/XMLSchema"
MAX_DEPTH = 100
# xmlschema takes quadratic time for them.
_MAX_ATTRIBUTES = 1000


@dataclass(frozen=True, slots=True)
class Element:
    """An element: its name and attributes as ``namespace name``, and where its start tag stands."""

    name: str
    attributes: dict[str, str]
    line: int
    column: int


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
        self.elements.append(Element(name, attributes, line, column))

    def end(self, _name: str) -> None:
        self.depth -= 1

    def entity(self, *_: object) -> NoReturn:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        message = "the document declares entities, which may stand for any amount of text"
        raise SchemaError(Problem("syntax", message, "write the text itself", line, column))


def elements(text: bytes) -> tuple[Element, ...]:
    """Return the elements of an XML document in the order of their start tags.

    Raises:
        SchemaError: the text isn't XML, declares entities or is too deep.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    survey = _PositionHandler(parser)
    parser.StartElementHandler, parser.EndElementHandler = survey.start, survey.end
    parser.EntityDeclHandler = survey.entity
    try:
        parser.Parse(text, True)  # noqa: FBT003 - the last part of the text
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        problem = Problem("syntax", f"this is not XML: {message}", "correct the text", error.lineno, error.offset + 1)
        raise SchemaError(problem) from error
    except (ValueError, LookupError) as error:
        raise SchemaError(Problem("syntax", f"this is not XML: {error}", "save it as UTF-8", 1, 1)) from error
    return tuple(survey.elements)
