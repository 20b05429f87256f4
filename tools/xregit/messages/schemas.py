"""A message definition to the schema of its payload: where it is kept, and what it says of a body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.views import text_of
from xregit.model.mediatypes import comparable
from xregit.payloads import PayloadSchema, SchemaError, language, parse
from xregit.payloads.framing import explained
from xregit.records import record
from xregit.source.plain import without_text

if TYPE_CHECKING:
    from xregit.catalog import Message, Registry
    from xregit.catalog.schemas import SchemaDocuments
    from xregit.messages.definitions import Definition
    from xregit.messages.reading import IncomingMessage

MAX_SCHEMAS = 4096
# Found in every schema, of any language, that refers to another one, so that its own address matters.
_REFERRING = re.compile(rb"ref|import|include|extends|location|\\u00[4-7]", re.IGNORECASE)


@record
class SchemaSource:
    """A payload schema as it is kept: its language, the document, the part that is meant, and its own address."""

    format: str
    document: bytes
    fragment: str = ""
    uri: str = ""


@record
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

    def problems(self, xid: str, body: bytes | None, contenttype: str) -> tuple[str, ...]:
        """Return what is wrong with a payload, nothing where the message has no schema that can be used."""
        schema = self.schema(xid)
        if schema is None:
            return ()
        return ("there is no payload",) if body is None else explained(schema.validate(body, contenttype), body)

    def accepts(self, definition: Definition, message: IncomingMessage) -> bool:
        """Tell whether a message's payload is what a definition declares, where it declares nothing else."""
        stated = definition.contenttype
        if stated and comparable(message.contenttype) != comparable(stated):
            return False
        if self.schema(definition.xid) is None:
            return bool(stated)
        return not self.problems(definition.xid, message.body, message.contenttype)


def payload_schemas(registry: Registry, xids: Iterable[str]) -> PayloadSchemas:
    """Return the payload schemas of these messages, with all documents that they may refer to."""
    found = ((xid, schema_source(registry[xid])) for xid in xids)
    return PayloadSchemas({xid: item for xid, item in found if item is not None}, registry.schema_documents)


def payload_schema(registry: Registry, message: Message) -> PayloadSchema | None:
    """Return the schema of a message's payload, None where it has none in this registry or in a language we know.

    Raises:
        SchemaError: its document can't be used.
    """
    found = schema_source(message)
    return parse_schema(found, registry.schema_documents) if found is not None else None


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


def without_address(found: SchemaSource) -> SchemaSource:
    """Return a schema without its address if it refers to nothing, so that equal documents are parsed once."""
    return found if _REFERRING.search(found.document) else replace(found, uri="")


def parse_schema(found: SchemaSource, known: SchemaDocuments) -> PayloadSchema:
    """Return a payload schema that can be used, with the documents that it may refer to; remembered.

    Raises:
        SchemaError: its document can't be used.
    """
    return _parse(without_address(found), known)


@lru_cache(maxsize=MAX_SCHEMAS)
def _parse(found: SchemaSource, known: SchemaDocuments) -> PayloadSchema:
    return parse(found.format, found.document, fragment=found.fragment, uri=found.uri, fetch=known.get)
