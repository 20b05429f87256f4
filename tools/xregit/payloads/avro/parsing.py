"""An Avro schema document to the schema object that validates, decodes and encodes payloads."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import fastavro

from xregit.model.quoting import quote
from xregit.payloads.avro.bounds import check
from xregit.payloads.avro.defaults import misfit
from xregit.payloads.avro.examples import example
from xregit.payloads.avro.far import far_schema
from xregit.payloads.avro.fields import fields
from xregit.payloads.avro.naming import faults
from xregit.payloads.avro.plain import plain_schema
from xregit.payloads.avro.types import Type, read
from xregit.payloads.avro.values import Fitting, plain
from xregit.payloads.bodies import is_json, read_json
from xregit.payloads.room import MAX_VALUES, bounded
from xregit.payloads.shapes import Field, PayloadError, Problem, SchemaError
from xregit.records import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.payloads.documents import Document

_ERRORS = (ValueError, OverflowError, EOFError, ArithmeticError)


@distinct
class Avro:
    """One Avro type; ``schema`` is fastavro's form of it."""

    format: str
    type: Type
    schema: Any

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a payload in Avro's binary or JSON encoding."""
        try:
            self.decode(body, contenttype)
        except PayloadError as error:
            return error.problems
        return ()

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the values of a payload; one in JSON may leave out the names of a union's branches."""
        if is_json(contenttype):
            return plain(self._fitted(read_json(body), wire=True))
        check(self.type, body)
        try:
            return fastavro.schemaless_reader(io.BytesIO(body), self.schema, None)
        except _ERRORS:
            pass
        try:
            return fastavro.schemaless_reader(io.BytesIO(body), far_schema(self.type), None)
        except _ERRORS as error:
            message = f"the payload holds a value that its type doesn't: {error}"
            raise PayloadError(message) from error

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of a value: JSON for a JSON media type, else binary."""
        fitted = self._fitted(value, wire=False)
        try:
            if is_json(contenttype):
                text = io.StringIO()
                fastavro.json_writer(text, self.schema, [fitted])
                return text.getvalue().encode()
            out = io.BytesIO()
            fastavro.schemaless_writer(out, self.schema, fitted)
            return out.getvalue()
        except (ValueError, TypeError, OverflowError, ArithmeticError) as error:
            message = f"the value can't be written: {error}"
            raise PayloadError(message) from error

    @bounded(MAX_VALUES)
    def example(self) -> Any:
        """Return a value with all fields."""
        return example(self.type)

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the record."""
        return fields(self.type)

    def _fitted(self, value: Any, *, wire: bool) -> Any:
        fitting = Fitting(wire)
        fitted = fitting.fit(self.type, value, "")
        if fitting.problems:
            raise PayloadError(*fitting.problems)
        return fitted


def parse(document: Document) -> Avro:
    """Return the root type of a document, or the type of a name.

    Raises:
        SchemaError: the document isn't an Avro schema, or has no such type.
    """
    root, reading = read(document)
    type_ = _selected(root, reading.named, document.fragment.lstrip("/")) if document.fragment else root
    try:
        return Avro(document.format, type_, fastavro.parse_schema(plain_schema(type_)))
    except (ValueError, KeyError, TypeError) as error:
        raise SchemaError(Problem("syntax", str(error), "correct the schema")) from error


def disagreements(document: Document) -> Iterator[Problem]:
    """Give names, orders and defaults that Avro doesn't allow, though complete payloads can still be read."""
    try:
        _, reading = read(document)
    except SchemaError:
        return
    for path, message, help_ in faults(document.value()):
        yield document.problem("syntax", message, help_, path)
    for type_, default, path in reading.defaults:
        why = misfit(type_, default)
        if why:
            message = f"the default {quote(default)} is {why}"
            yield document.problem("syntax", message, "write a value of the field's type, or leave it out", path)


def _selected(root: Type, named: Mapping[str, Type], name: str) -> Type:
    """Return a type by its full name, or by the last part of it where that is enough."""
    found = named.get(name) or next((item for full, item in named.items() if full.rpartition(".")[2] == name), None)
    if found is None:
        known = ", ".join(named) or root.kind
        raise SchemaError(Problem("selector", f'the document has no type "{name}"', f"its types are {known}"))
    return found
