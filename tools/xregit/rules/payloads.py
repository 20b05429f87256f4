"""What messages say of the schema of their payload, compared with the schema itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from xregit.catalog.references import SchemaReference, local_xid, schema_reference
from xregit.catalog.registry import Registry
from xregit.catalog.views import Message, SchemaDocuments
from xregit.diagnostics import Finding, Severity, sentence
from xregit.json_pointer import KeyPath
from xregit.model import canonical, find_name
from xregit.model.aliases import has_known_version
from xregit.model.excerpts import comma_list
from xregit.payloads import Problem, SchemaError, language, parse
from xregit.payloads import problems as schema_problems
from xregit.rules.attributes import in_another_language, text
from xregit.rules.references import hint
from xregit.rules.rule import finding, rule

SCHEMA, URI, XID, FORMAT = "dataschema", "dataschemauri", "dataschemaxid", "dataschemaformat"
_PROTOBUF_MESSAGE = rb"(?m)^[ \t]*message[ \t]+([A-Za-z_][A-Za-z0-9_]*)"
_DOUBT = "doubt"
# An xid that begins otherwise is reported as malformed.
_SCHEMAS = "/schemagroups/"
_CORRECT = 'Write "format: {}" in the schema, if that is its language; its current format is unknown.'
_FORMS = "Write the xid of a schema, such as /schemagroups/<id>/schemas/<id>, or an absolute URI."
# Generated catalogs repeat one schema in many messages.
_CACHED = 1024


@rule("message", Severity.ERROR, "MSG-41", "MSG-37", attributes=(SCHEMA,))
def invalid_dataschema(registry: Registry, message: Message) -> Iterator[Finding]:
    """The schema inside a message breaks the rules of its language."""
    # What is wrong with an inline schema, at its place inside the message.
    for item, inside, place in _inline_problems(registry, message):
        if item.kind != _DOUBT:
            yield finding(SCHEMA, *inside, message=f"The schema is not valid: {item.message}{place}.", help=item.help)


@rule("message", Severity.WARNING, "MSG-41", attributes=(SCHEMA,))
def doubtful_dataschema(registry: Registry, message: Message) -> Iterator[Finding]:
    """The schema inside a message is valid, but probably not as intended."""
    # What an inline schema may hold, but nobody can mean, at its place inside the message.
    for item, inside, place in _inline_problems(registry, message):
        if item.kind == _DOUBT:
            text_ = sentence(f"{item.message}{place}")
            yield finding(SCHEMA, *inside, message=text_, help=sentence(item.help))


def _inline_problems(registry: Registry, message: Message) -> Iterator[tuple[Problem, KeyPath, str]]:
    """Yield the problems of an inline schema, each with its path in there or, inside a text, its place in words."""
    schema = message.entity.attributes.get(SCHEMA)
    format_ = text(message.resolved.attributes, FORMAT)
    if schema is None or not language(format_):
        return
    for item in _problems(format_, _document_bytes(schema), registry.schema_documents):
        inside = item.path if isinstance(schema, Mapping | list) else ()
        yield item, inside, f" (line {item.line}, column {item.column})" if item.line and not inside else ""


@lru_cache(maxsize=_CACHED)
def _problems(format_: str, schema: bytes, documents: SchemaDocuments) -> tuple[Problem, ...]:
    return schema_problems(format_, schema, fetch=documents.get)


def _document_bytes(value: Any) -> bytes:
    """Return the text of a schema that stands there as a text or as values."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    try:
        return orjson.dumps(value, default=dict)
    except orjson.JSONEncodeError:
        # Integers of more than 64 bits, which orjson refuses.
        return json.dumps(value, default=dict).encode()


@rule("message", Severity.ERROR, "MSG-41", attributes=(URI,))
def schema_object_not_found(registry: Registry, message: Message) -> Iterator[Finding]:
    """A reference names an object that its schema document does not have."""
    # A "dataschemauri" whose ":Type" or "#/pointer" leads to nothing inside the document.
    uri = text(message.entity.attributes, URI)
    reference = schema_reference(registry, uri)
    version = reference.version
    if not uri or version is None or version.data is None:
        return
    format_ = text(version.attributes, "format")
    if not reference.selector or not language(format_):
        return
    for item in _selector_problems(format_, version.data, reference.selector, version.xid, registry.schema_documents):
        text_ = f'In "{version.xid}", {item.message}.'
        yield finding(URI, message=text_, help=f"Correct the name behind the schema: {item.help}.")


@lru_cache(maxsize=_CACHED)
def _selector_problems(
    format_: str, data: bytes, selector: str, uri: str, documents: SchemaDocuments
) -> tuple[Problem, ...]:
    """Return why a selector leads to nothing; faults of the document itself are reported there."""
    try:
        parse(format_, data, fragment=selector, uri=uri, fetch=documents.get)
    except SchemaError as error:
        return tuple(item for item in error.problems if item.kind == "selector")
    return ()


@rule("message", Severity.ERROR, "MSG-38", attributes=(SCHEMA, URI))
def dataschema_and_dataschemauri(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A message has a schema of its own and a reference to another."""
    own, attributes = message.entity.attributes, message.resolved.attributes
    if attributes.get(SCHEMA) is not None and attributes.get(URI) is not None:
        text_ = '"dataschema" and "dataschemauri" exclude each other: a payload has one schema.'
        yield finding(URI if URI in own else SCHEMA, message=text_, help="Remove one of the two.", on_key=True)


@rule("message", Severity.ERROR, "MSG-40", "MSG-39", attributes=(SCHEMA, URI))
def dataschemaformat_missing(registry: Registry, message: Message) -> Iterator[Finding]:
    """A message has a schema without a language."""
    own = message.entity.attributes
    if message.resolved.attributes.get(FORMAT) is None and FORMAT not in registry.doubtful(message.xid):
        name = URI if own.get(URI) is not None else SCHEMA
        if own.get(name) is None:
            return
        reference = schema_reference(registry, text(own, URI))
        format_ = text(reference.version.attributes, "format") if reference.version else ""
        advice = (
            f'Write "dataschemaformat: {format_}".'
            if "/" in format_
            else "Write, for example, dataschemaformat: Avro/1.11.0."
        )
        text_ = f'"dataschemaformat" is missing; it names the language of the schema in "{name}".'
        yield finding(name, message=text_, help=advice, on_key=True)


@rule("message", Severity.ERROR, "MSG-41", attributes=(URI,))
def dataschemauri_not_found(registry: Registry, message: Message) -> Iterator[Finding]:
    """The schema at dataschemauri is not in this registry."""
    # References into this registry that lead nowhere; absolute URIs of others are never looked at.
    return _not_found(registry, message, URI)


@rule("message", Severity.ERROR, "MSG-42", attributes=(XID,))
def dataschemaxid_not_found(registry: Registry, message: Message) -> Iterator[Finding]:
    """The schema at dataschemaxid is not in this registry."""
    return _not_found(registry, message, XID)


def _not_found(registry: Registry, message: Message, name: str) -> Iterator[Finding]:
    value = message.entity.attributes.get(name)
    if not isinstance(value, str) or not value or (name == XID and not value.startswith(_SCHEMAS)):
        return
    reference = schema_reference(registry, value)
    if not reference.local or reference.version is not None:
        return
    xid = local_xid(value, registry.settings.baseurl)
    if registry.unreadable(xid):
        return
    right = _repaired_xid(registry, value)
    if right:
        text_, help_ = f'There is no schema "{value}" in this registry.', f'Write "{name}: {right}".'
    elif reference.schema is None:
        text_ = f'There is no schema "{value}" in this registry.'
        help_ = hint(registry, xid, "the schema") if xid else _FORMS
    else:
        text_ = f'The schema "{reference.schema.xid}" has no such version: "{value}".'
        versions, last = reference.schema.versions, value.rpartition("/")[2]
        choices = f"{'Its versions are' if len(versions) > 1 else 'Its only version is'} {comma_list(versions)}."
        version_xid = f"{reference.schema.xid}/versions/{last}" if last in versions else ""
        help_ = (
            f'Write "{name}: {version_xid}".'
            if version_xid
            else f"Add the version, or correct the reference. {choices}"
        )
    yield finding(name, message=text_, help=help_)


def _repaired_xid(registry: Registry, reference: str) -> str:
    """Return the xid of the schema that is meant by an xid without its slash, or by the path of a file; or nothing.

    The file is that of a version or, in the folder of the schema, the one that describes it.
    """
    _, is_path, path = reference.rpartition(_SCHEMAS[1:])
    xid = f"{_SCHEMAS}{path}"
    candidates = (xid, xid.rpartition(".")[0], xid.removesuffix("/schema.yaml"))
    return next((xid_ for xid_ in candidates if is_path and schema_reference(registry, xid_).version is not None), "")


@rule("message", Severity.ERROR, "MSG-43", attributes=(URI, XID))
def dataschemauri_differs_from_dataschemaxid(registry: Registry, message: Message) -> Iterator[Finding]:
    """The URI and the xid of a payload's schema name different schemas."""
    own, attributes = message.entity.attributes, message.resolved.attributes
    uri, xid = text(attributes, URI), text(attributes, XID)
    if uri and xid and not _same_schema(schema_reference(registry, uri), schema_reference(registry, xid)):
        text_ = f'"dataschemauri" is {uri}, but "dataschemaxid" is {xid}.'
        help_ = 'Name the same schema in both, or remove "dataschemaxid".'
        yield finding(URI if URI in own else XID, message=text_, help=help_)


def _same_schema(uri: SchemaReference, xid: SchemaReference) -> bool:
    """Compare without regard to how each is written; what leads nowhere is reported as that."""
    if not uri.local:
        return xid.text.partition("/versions/")[0] in uri.text
    if uri.version is None or xid.version is None:
        return True
    return uri.version.xid == xid.version.xid


@rule("message", Severity.ERROR, "MSG-36", "MSG-37", attributes=(FORMAT, URI, XID))
def dataschemaformat_differs_from_schema(registry: Registry, message: Message) -> Iterator[Finding]:
    """The language of a payload's schema differs from the message's."""
    for format_, expected, item in _contradictions(registry, message):
        if _language(format_) != _language(expected):
            # Nothing knows what to do with a format that nobody has heard of; the message's may be meant.
            is_own = find_name("format", expected) is None and find_name("format", format_) is not None
            yield replace(item, help=_CORRECT.format(format_)) if is_own else item


@rule("message", Severity.WARNING, "MSG-36", "MSG-37", attributes=(FORMAT, URI, XID))
def dataschemaformat_of_another_version(registry: Registry, message: Message) -> Iterator[Finding]:
    """The language version of a payload's schema differs from the message's."""
    # A "dataschemaformat" with another version than the schema's; one without a version is reported there.
    for format_, expected, item in _contradictions(registry, message):
        if _language(format_) == _language(expected) and has_known_version(format_) and has_known_version(expected):
            yield item


def _contradictions(registry: Registry, message: Message) -> Iterator[tuple[str, str, Finding]]:
    """Yield the format that a message states where its schema has another one, that one, and the finding."""
    own = message.entity.attributes
    reference = message.schema
    format_ = text(message.resolved.attributes, FORMAT)
    if reference is None or reference.version is None or not format_ or FORMAT in registry.doubtful(message.xid):
        return
    if reference.schema is not None and "format" in registry.doubtful(reference.schema.xid):
        return
    # That a message names two schemas is reported by another rule.
    uri, xid = (text(message.resolved.attributes, name) for name in (URI, XID))
    if uri and xid and not _same_schema(schema_reference(registry, uri), schema_reference(registry, xid)):
        return
    expected = text(reference.version.attributes, "format")
    if expected and canonical("format", expected).casefold() != canonical("format", format_).casefold():
        text_ = f'"dataschemaformat" is {format_}, but the format of "{reference.version.xid}" is {expected}.'
        name = FORMAT if FORMAT in own else URI if URI in own else XID
        help_ = f'Write "{FORMAT}: {expected}"; or, if the schema is written in {format_}, correct its "format".'
        yield format_, expected, finding(name, message=text_, help=help_)


def _language(format_: str) -> str:
    return canonical("format", format_).partition("/")[0].casefold()


@rule("message", Severity.ERROR, "MSG-41", attributes=(URI,))
def schema_object_missing(registry: Registry, message: Message) -> Iterator[Finding]:
    """A reference to a Protobuf schema does not name a message in it."""
    own = message.entity.attributes
    uri = text(own, URI)
    if not uri:
        return
    language = canonical("format", text(message.resolved.attributes, FORMAT)).partition("/")[0]
    if language != "Protobuf" or in_another_language(message):
        return
    reference = schema_reference(registry, uri)
    selector = reference.selector if reference.local else "#" in uri
    if not selector and not (reference.local and reference.version is None):
        text_ = "A Protobuf document may define several messages; the reference doesn't name the payload's."
        document = reference.version.document if reference.version else None
        name = re.search(_PROTOBUF_MESSAGE, document.data) if document and document.data else None
        example = name[1].decode() if name else "MessageName"
        help_ = f'Add its name, as in "{uri}{":" if reference.local else "#"}{example}".'
        yield finding(URI, message=text_, help=help_)
