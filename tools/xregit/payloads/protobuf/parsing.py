"""A .proto document to the schema object that validates, decodes and encodes payloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf import json_format, message_factory
from google.protobuf.message import DecodeError, EncodeError

from xregit.model import canonical
from xregit.payloads.base import Field, PayloadError, Problem, SchemaError, error_text
from xregit.payloads.body import is_json, read_json
from xregit.payloads.budget import MAX_VALUES, with_budget
from xregit.payloads.protobuf.fields import example, fields
from xregit.payloads.protobuf.linking import Linked, link
from xregit.payloads.protobuf.reading import read
from xregit.payloads.protobuf.values import to_json, to_value
from xregit.records import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from google.protobuf.descriptor import Descriptor

    from xregit.payloads.document import Document

_MAX_DEPTH = 100


@distinct
class Protobuf:
    """One Protobuf message; ``docs`` are the comments of its file by full name."""

    format: str
    message: Descriptor
    docs: Mapping[str, str]

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a payload in Protobuf's binary or JSON form."""
        try:
            self.decode(body, contenttype)
        except PayloadError as error:
            return error.problems
        return ()

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the values of a payload under the names of the .proto file."""
        return to_value(self._read(body, contenttype))

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of a value: JSON for a JSON media type, else binary."""
        message = self._from_json(to_json(value))
        if is_json(contenttype):
            return json_format.MessageToJson(message, indent=None).encode()
        try:
            return bytes(message.SerializeToString(deterministic=True))
        except (EncodeError, ValueError) as error:
            raise PayloadError(str(error)) from error

    @with_budget(MAX_VALUES)
    def example(self) -> Any:
        """Return a value with all fields, one of each oneof."""
        return example(self.message)

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the message."""
        return fields(self.message, self.docs)

    def _read(self, body: bytes, contenttype: str) -> Any:
        if is_json(contenttype):
            return self._from_json(read_json(body))
        message = message_factory.GetMessageClass(self.message)()
        try:
            message.ParseFromString(body)
        except DecodeError as error:
            reason = str(error).rpartition(": ")[2]
            problem = f'the bytes are no message of the type "{self.message.full_name}" ({reason})'
            raise PayloadError(problem) from error
        return _complete(message)

    def _from_json(self, value: Any) -> Any:
        if not isinstance(value, dict):
            problem = f'a value of "{self.message.full_name}" is an object'
            raise PayloadError(problem)
        try:
            made = message_factory.GetMessageClass(self.message)()
            pool = self.message.file.pool
            return _complete(json_format.ParseDict(value, made, descriptor_pool=pool, max_recursion_depth=_MAX_DEPTH))
        except (json_format.ParseError, ValueError, TypeError, RecursionError) as error:
            raise PayloadError(" ".join(error_text(error).split()).rstrip(".")) from error


def parse(document: Document) -> Protobuf:
    """Return the message of a name, full or from the package on; the only one of the file where none is stated.

    Raises:
        SchemaError: the document isn't a .proto file, or has no such message.
    """
    linked = link(document)
    return Protobuf(document.format, _selected(linked, document.fragment.strip("/").replace("/", ".")), linked.docs)


def messages(document: Document) -> dict[str, Protobuf]:
    """Return the messages at the top of a file by name.

    Raises:
        SchemaError: it isn't a .proto file.
    """
    linked = link(document)
    return {
        name: Protobuf(document.format, message, linked.docs)
        for name, message in linked.file.message_types_by_name.items()
    }


def disagreements(document: Document) -> Iterator[Problem]:
    """Give a syntax other than the one that the format states."""
    due = canonical("format", document.format).partition("/")[2]
    cursor = read(document.text().decode(), "")
    own = cursor.file.syntax.removeprefix("proto")
    if due in {"2", "3"} and own != due:
        said = f'the syntax is "proto{own}"' if cursor.tokens[0].text == "syntax" else "a file without syntax is proto2"
        message = f"{said}, but the format is {document.format}"
        help_ = f'write "format: Protobuf/{own}", or syntax = "proto{due}";'
        yield Problem("format", message, help_, cursor.tokens[0].line, cursor.tokens[0].column)


def _selected(linked: Linked, name: str) -> Descriptor:
    messages = dict(_messages(linked.file.message_types_by_name.values()))
    package = linked.file.package
    if not name and len(linked.file.message_types_by_name) == 1:
        return next(iter(messages.values()))
    found = messages.get(name.lstrip(".")) or messages.get(f"{package}.{name}")
    found = found or next((item for full, item in messages.items() if full.endswith(f".{name}")), None)
    if not name or found is None:
        known = ", ".join(full.removeprefix(f"{package}.") for full in messages) or "none"
        message = f'the document has no message "{name}"' if name else "the document has several messages or none"
        raise SchemaError(Problem("selector", message, f"its messages are {known}"))
    return found


def _messages(messages: Any) -> Iterator[tuple[str, Descriptor]]:
    for message in messages:
        if not message.GetOptions().map_entry:
            yield message.full_name, message
            yield from _messages(message.nested_types)


def _complete(message: Any) -> Any:
    missing = message.FindInitializationErrors()
    if missing:
        raise PayloadError(*(f'the required field "{name}" is missing' for name in missing))
    return message
