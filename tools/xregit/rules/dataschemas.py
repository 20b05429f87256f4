"""What messages say of their payload's schema, held against the schema itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from xregit.catalog.references import schema_reference
from xregit.diagnostics import Finding, Severity
from xregit.payloads import SchemaError, language, parse
from xregit.payloads import problems as schema_problems
from xregit.rules.rule import found, rule
from xregit.rules.stated import text

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.schemas import SchemaDocuments
    from xregit.catalog.views import Message
    from xregit.payloads import Problem

_SCHEMA, _URI, _FORMAT = "dataschema", "dataschemauri", "dataschemaformat"
# Generated catalogs repeat one schema in many messages.
_CACHED = 1024


@rule(
    "message",
    Severity.ERROR,
    "The schema inside a message is not what its language asks for.",
    "MSG-41",
    "MSG-37",
    stated=(_SCHEMA,),
)
def invalid_dataschema(registry: Registry, message: Message) -> Iterator[Finding]:
    """Report what is wrong with an inline schema, at its place inside the message."""
    schema = message.entity.attributes.get(_SCHEMA)
    format_ = text(message.resolved.attributes, _FORMAT)
    if schema is None or not language(format_):
        return
    for item in _problems(format_, _text(schema), registry.schema_documents):
        inside = item.path if isinstance(schema, Mapping | list) else ()
        place = f" (line {item.line}, column {item.column})" if item.line and not inside else ""
        yield found(_SCHEMA, *inside, message=f"The schema is wrong: {item.message}{place}.", help=item.help)


@lru_cache(maxsize=_CACHED)
def _problems(format_: str, schema: bytes, documents: SchemaDocuments) -> tuple[Problem, ...]:
    return schema_problems(format_, schema, fetch=documents.get)


def _text(value: Any) -> bytes:
    """Return the text of a schema that stands there as a text or as values."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    try:
        return orjson.dumps(value, default=dict)
    except orjson.JSONEncodeError:
        # Integers of more than 64 bits, which orjson refuses.
        return json.dumps(value, default=dict).encode()


@rule(
    "message",
    Severity.ERROR,
    "A reference names an object that its schema document does not have.",
    "MSG-41",
    stated=(_URI,),
)
def schema_object_not_found(registry: Registry, message: Message) -> Iterator[Finding]:
    """Report a ``dataschemauri`` whose ``:Type`` or ``#/pointer`` leads to nothing inside the document."""
    stated = text(message.entity.attributes, _URI)
    reference = schema_reference(registry, stated)
    version = reference.version
    if not stated or version is None or version.document is None or version.document.data is None:
        return
    format_ = text(version.attributes, "format")
    if not reference.selector or not language(format_):
        return
    for item in _unselected(format_, version.document.data, reference.selector, version.xid, registry.schema_documents):
        text_ = f'In "{version.xid}", {item.message}.'
        yield found(_URI, message=text_, help=f"Correct the name behind the schema: {item.help}.")


@lru_cache(maxsize=_CACHED)
def _unselected(format_: str, data: bytes, selector: str, uri: str, documents: SchemaDocuments) -> tuple[Problem, ...]:
    """Return why a selector leads to nothing; faults of the document itself are reported there."""
    try:
        parse(format_, data, fragment=selector, uri=uri, fetch=documents.get)
    except SchemaError as error:
        return tuple(item for item in error.problems if item.kind == "selector")
    return ()
