"""The payload languages: which one a format names, and the schema objects of its documents."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from xregit.model import canonical
from xregit.payloads.base import Document, Fetch, Problem, SchemaError, fetch_nothing
from xregit.payloads.fields import Field

# Each module has ``parse`` and is imported with the first document of its language: their libraries take time to load.
_MODULES = {
    "JsonSchema": "xregit.payloads.json_schema.codec",
    "JsonStructure": "xregit.payloads.json_structure.schema",
    "Avro": "xregit.payloads.avro.codec",
    "Protobuf": "xregit.payloads.protobuf.schema",
    "XSD": "xregit.payloads.xsd.codec",
}


class PayloadSchema(Protocol):
    """A concrete schema object, ready to be used on payloads; nothing that it does leaves the process."""

    @property
    def format(self) -> str:
        """The format of the document, such as ``Avro/1.11.0``."""

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a payload, nothing where it is valid; never raises."""

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the values of a payload, as JSON has them but for dates, decimals and bytes that a language knows.

        Raises:
            PayloadError: the bytes aren't in the schema's encoding.
        """

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of such values.

        Raises:
            PayloadError: the value doesn't fit the schema; it lists everything wrong.
        """

    def example(self) -> Any:
        """Return a value that the schema accepts, always the same one.

        Raises:
            PayloadError: no example could be made.
        """

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the payload; one without a name where it isn't a record."""


def language(format: str) -> str:  # noqa: A002 - the attribute's own name
    """Return the language that a format names, such as ``Avro`` for ``AVRO/1.11.1``, or an empty string."""
    name = canonical("format", format).partition("/")[0]
    return name if name in _MODULES else ""


def parse(
    format: str,  # noqa: A002 - the attribute's own name
    document: bytes | object,
    *,
    fragment: str = "",
    uri: str = "",
    fetch: Fetch = fetch_nothing,
) -> PayloadSchema:
    """Return the schema object of a document: its root, or what ``fragment`` names or points at.

    ``document`` is the text, or its value where that stood inside another document. References are resolved against
    ``uri``, the document's own xid or URI, and given to ``fetch``; nothing else is ever read.

    Raises:
        SchemaError: the document isn't a schema of that language, lacks the object or refers to what isn't there.
    """
    module = _MODULES.get(language(format))
    if module is None:
        languages = ", ".join(_MODULES)
        raise SchemaError(
            Problem("format", f'"{format}" is not a language that is understood', f"it can be {languages}")
        )
    schema: PayloadSchema = import_module(module).parse(Document(format, document, fragment, uri, fetch))
    return schema


def parse_types(document: Document) -> dict[str, PayloadSchema]:
    """Return the schema objects of a document by name: each message of Protobuf if none is named, else the one meant.

    Raises:
        SchemaError: the document isn't a schema of its language, or lacks the object.
    """
    if language(document.format) == "Protobuf" and not document.fragment:
        from xregit.payloads.protobuf.schema import messages

        types: dict[str, PayloadSchema] = dict(messages(document))
        if types:
            return types
    schema = parse(
        document.format, document.content, fragment=document.fragment, uri=document.uri, fetch=document.fetch
    )
    return {document.fragment: schema}


def problems(
    format: str,  # noqa: A002 - the attribute's own name
    document: bytes | object,
    *,
    uri: str = "",
    fetch: Fetch = fetch_nothing,
) -> tuple[Problem, ...]:
    """Return what is wrong with a document as a whole; nothing for a language that isn't understood.

    A document that is right by itself may still be of another version than its format.
    """
    name = _MODULES.get(language(format))
    if name is None:
        return ()
    module, content = import_module(name), Document(format, document, "", uri, fetch)
    try:
        module.parse(content)
    except SchemaError as error:
        # Which of several objects is meant is up to those who refer to the document.
        others = tuple(problem for problem in error.problems if problem.kind != "selector")
        if others:
            return others
    return tuple(module.disagreements(content))
