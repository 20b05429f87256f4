"""A JSON Structure document to the schema object that validates payloads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.payloads.jsonschema import parsing as jsonschema
from xregit.payloads.jsonstructure.loading import load
from xregit.payloads.jsonstructure.translating import translated
from xregit.records import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.documents import Document
    from xregit.payloads.jsonschema.parsing import JsonSchema
    from xregit.payloads.shapes import Field, Problem

_METASCHEMAS = "https://json-structure.org/"


@distinct
class JsonStructure:
    """One JSON Structure, and the JSON Schema that says the same."""

    format: str
    schema: JsonSchema

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a JSON text."""
        return self.schema.validate(body, contenttype)

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the value of a JSON text."""
        return self.schema.decode(body, contenttype)

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return a value as JSON text."""
        return self.schema.encode(value, contenttype)

    def example(self) -> Any:
        """Return the simplest value that the schema accepts."""
        return self.schema.example()

    def fields(self) -> tuple[Field, ...]:
        """Return the properties that the schema describes."""
        return self.schema.fields()


def parse(document: Document) -> JsonStructure:
    """Return the type at a pointer or name in a document.

    Raises:
        SchemaError: the document isn't a JSON Structure, or has no such type.
    """
    same = replace(document, content=translated(load(document)), format="JsonSchema/draft/2020-12")
    return JsonStructure(document.format, jsonschema.parse(same, formats=True))


def disagreements(document: Document) -> Iterator[Problem]:
    """Give a ``$schema`` that is none of JSON Structure's."""
    uri = document.value().get("$schema")
    if isinstance(uri, str) and not uri.startswith(_METASCHEMAS):
        message = f'"$schema" is {uri}, but the format is {document.format}'
        yield document.problem("format", message, "correct the one that is wrong", ("$schema",))
