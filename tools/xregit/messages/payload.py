"""The payload of a message: the schema that its definition names, and the encoding of a value by it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from xregit.catalog import Message, Registry
from xregit.catalog.views import SchemaDocuments, text_of
from xregit.messages.decoder import IncomingMessage
from xregit.messages.definition import Definition, target
from xregit.model import find_name
from xregit.model.aliases import EVENTS
from xregit.model.media_types import comparable
from xregit.payloads import PayloadError, PayloadSchema, SchemaError, language, parse
from xregit.payloads.base import explain_framing, is_json
from xregit.protocols import WireError
from xregit.protocols.cloudevents import payload_bytes
from xregit.source.scalars import without_text

MAX_SCHEMAS = 4096
# Found in every schema, of any language, that refers to another one, so that its own address matters.
_REFERRING = re.compile(rb"ref|import|include|extends|location|\\u00[4-7]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """A payload schema as it is kept: its language, the document, the part that is meant, and its own address."""

    format: str
    document: bytes
    fragment: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class PayloadSchemas:
    """The payload schemas of messages by their xids, and the documents that they may refer to; plain data."""

    sources: Mapping[str, SchemaSource]
    documents: SchemaDocuments

    def schema(self, xid: str) -> PayloadSchema | None:
        """Return the schema of a message's payload, None where it has none that can be used."""
        if xid not in self.sources:
            return None
        try:
            return parse_schema(self.sources[xid], self.documents)
        except SchemaError:
            return None

    def problems(self, xid: str, message: IncomingMessage) -> tuple[str, ...]:
        """Return what is wrong with a message's payload; without a schema that can be used, any that can be read."""
        try:
            body = message.body
        except WireError as error:  # it nests too deep
            return error.problems
        schema = self.schema(xid)
        if schema is None:
            return ()
        if body is None:
            return ("there is no payload",)
        return explain_framing(schema.validate(body, message.contenttype), body)

    def accepts(self, definition: Definition, message: IncomingMessage) -> bool:
        """Return whether a message's payload is what a definition declares, where it declares nothing else."""
        contenttype = definition.contenttype
        if contenttype and comparable(message.contenttype) != comparable(contenttype):
            return False
        if self.schema(definition.xid) is None:
            return bool(contenttype)
        return not self.problems(definition.xid, message)


def payload_schemas(registry: Registry, messages: Iterable[Message]) -> PayloadSchemas:
    """Return the payload schemas of these messages, with all documents that they may refer to."""
    sources = ((message.xid, schema_source(message)) for message in messages)
    return PayloadSchemas({xid: item for xid, item in sources if item is not None}, registry.schema_documents)


def payload_schema(registry: Registry, message: Message) -> PayloadSchema | None:
    """Return the schema of a message's payload, None where it has none in this registry or in a language we know.

    Raises:
        SchemaError: its document can't be used.
    """
    source = schema_source(message)
    return parse_schema(source, registry.schema_documents) if source is not None else None


def schema_source(message: Message) -> SchemaSource | None:
    """Return where the schema of a message's payload is kept, None where that is not in this registry."""
    attributes = message.resolved.attributes
    form = text_of(attributes, "dataschemaformat")
    inline = attributes.get("dataschema")
    if inline is not None:
        return SchemaSource(form, _document(inline), uri=message.xid) if language(form) else None
    reference = message.schema
    if reference is None or reference.version is None or reference.version.document is None:
        return None
    data = reference.version.document.data
    form = form or text_of(reference.version.attributes, "format")
    if data is None or not language(form):
        return None
    return SchemaSource(form, data, reference.selector, reference.version.xid)


def _document(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    return json.dumps(without_text(value), default=dict).encode("utf-8", "replace")


def without_address(source: SchemaSource) -> SchemaSource:
    """Return a schema without its address if it refers to nothing, so that equal documents are parsed once."""
    return source if _REFERRING.search(source.document) else replace(source, uri="")


def parse_schema(source: SchemaSource, documents: SchemaDocuments) -> PayloadSchema:
    """Return a payload schema that can be used, with the documents that it may refer to; remembered.

    Raises:
        SchemaError: its document can't be used.
    """
    return _parse(without_address(source), documents)


@lru_cache(maxsize=MAX_SCHEMAS)
def _parse(source: SchemaSource, documents: SchemaDocuments) -> PayloadSchema:
    return parse(source.format, source.document, fragment=source.fragment, uri=source.uri, fetch=documents.get)


class _NoData:
    """Has a name where a signature shows it."""

    def __repr__(self) -> str:
        return "NO_DATA"


#: Says that there is no payload, which is something else than a payload of ``null``.
NO_DATA: Final = _NoData()
NO_PAYLOAD = "the payload is missing, as there is a schema for it"


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload's bytes, None where there is none, and its media type as far as one is known."""

    body: bytes | None
    contenttype: str = ""
    problems: tuple[str, ...] = ()


def encode_payload(message: Message, data: Any) -> Payload:
    """Return the payload of a message: bytes as they are, any other value in the encoding of the schema.

    Without a schema a text is its bytes, and any other value is written as JSON.
    """
    contenttype = payload_media_type(message)
    try:
        schema = payload_schema(message.registry, target(message))
    except SchemaError as error:
        return Payload(None, contenttype, (f"the payload's schema can't be used: {error}",))
    if data is NO_DATA:
        return Payload(None, contenttype, (NO_PAYLOAD,) if schema is not None else ())
    try:
        body = _encode(schema, data, contenttype)
    except PayloadError as error:
        return Payload(None, contenttype, _schema_problems(error.problems))
    except ValueError as error:
        return Payload(None, contenttype, (f"the payload {error}",))
    except RecursionError:
        return Payload(None, contenttype, ("the payload must not nest that deep",))
    problems = schema.validate(body, contenttype) if schema is not None else ()
    return Payload(body, contenttype, _schema_problems(problems))


def _schema_problems(problems: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is wrong with a payload, the first of it as a sentence that the others go on with."""
    return (f"the payload does not fit its schema: {problems[0]}", *problems[1:]) if problems else ()


def payload_media_type(message: Message) -> str:
    """Return the media type of a message's payload, not of its envelope (message/spec.md "datacontenttype")."""
    attributes = message.resolved.attributes
    metadata = attributes.get("envelopemetadata") if message.envelope else None
    inner = metadata.get("datacontenttype") if isinstance(metadata, Mapping) else None
    value = text_of(inner, "value") if isinstance(inner, Mapping) else ""
    outer = text_of(attributes, "datacontenttype")
    if value or (outer and not outer.casefold().startswith(EVENTS)):
        return value or outer
    language_name = find_name("format", text_of(attributes, "dataschemaformat"))
    return language_name.payload if language_name else ""


def json_form(message: Message) -> str:
    """Return the media type of a payload that is Protobuf in JSON, which is compared by names; else an empty text."""
    contenttype = payload_media_type(message)
    is_protobuf = language(text_of(message.resolved.attributes, "dataschemaformat")) == "Protobuf"
    return contenttype if is_protobuf and is_json(contenttype) else ""


def _encode(schema: PayloadSchema | None, data: Any, contenttype: str) -> bytes:
    if isinstance(data, bytes | bytearray):
        return bytes(data)
    if schema is not None:
        return schema.encode(data, contenttype)
    if not isinstance(data, str) and _has_infinite(data):
        raise ValueError("must not have numbers that JSON can't write, such as NaN")
    return payload_bytes(data)


def _has_infinite(data: Any) -> bool:
    """Return whether a value has infinite numbers or what is no number, which would become null without a word."""
    if isinstance(data, float):
        return not isfinite(data)
    inner = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
    return any(map(_has_infinite, inner))
