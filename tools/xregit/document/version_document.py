"""The document of a version, such as a schema, and the attribute that carries it.

A document that is JSON is carried as a JSON value, other text as a string, anything else in base 64 (core
specification, "Resource Attributes": ``<RESOURCE>``, ``<RESOURCE>base64``, ``<RESOURCE>url``).
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any

import orjson

from xregit.catalog.entities import Version
from xregit.catalog.views import text_of
from xregit.model.aliases import find_name
from xregit.source.json_emitter import pretty_json

JSON, TEXT, BYTES = "application/json", "text/plain", "application/octet-stream"
_LONG_NUMBER = re.compile(r"[0-9]{19}")
_NO_JSON = object()


def document_attribute(version: Version, singular: str, *, objects: bool = False) -> dict[str, Any]:
    """Return the one attribute that carries a version's document, or nothing where it has none.

    With ``objects``, JSON that is no object goes in base 64: the published document schemas don't accept it.
    """
    document = version.document
    if document is None or document.data is None:
        url = version.attributes.get(f"{singular}url", document.url if document else "")
        return {f"{singular}url": url} if url else {}
    result = attribute_for(document.data, text_of(version.attributes, "format"), singular)
    if objects and not isinstance(result.get(singular, ""), dict | str):
        return {f"{singular}base64": b64encode(document.data).decode()}
    return result


def attribute_for(data: bytes, format: str, singular: str) -> dict[str, Any]:  # noqa: A002 - the attribute's name
    """Return the one attribute that carries a document of some format."""
    if not data:
        return {f"{singular}base64": ""}
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {f"{singular}base64": b64encode(data).decode()}
    if is_json(format) or text.lstrip()[:1] in {"{", "["}:
        value = _json(text)
        if value is not _NO_JSON:
            return {singular: value}
    return {singular: text}


def inline_document(value: Mapping[str, Any], singular: str) -> bytes | None:
    """Return the document that a version's attributes carry inline, or nothing."""
    if singular in value:
        inline = value[singular]
        return inline.encode(errors="surrogatepass") if isinstance(inline, str) else pretty_json(inline)
    encoded = value.get(f"{singular}base64")
    try:
        return b64decode(encoded, validate=True) if isinstance(encoded, str) else None
    except NotBase64:
        return None


def is_json(format: str) -> bool:  # noqa: A002 - the attribute's name
    """Return whether documents of that format are JSON."""
    name = find_name("format", format) if format else None
    return name is not None and name.document.endswith("json")


def extension(format: str, data: bytes) -> str:  # noqa: A002 - the attribute's name
    """Return the ending, with its dot, of the file that keeps a document."""
    name = find_name("format", format) if format else None
    if name and name.extensions:
        return f".{name.extensions[0]}"
    return {JSON: ".json", TEXT: ".txt"}.get(_sniff(data), ".bin")


def media_type(version: Version) -> str:
    """Return the media type of a version's document: the stated one, else that of its format or its bytes."""
    contenttype = version.attributes.get("contenttype")
    if isinstance(contenttype, str) and contenttype:
        return contenttype
    name = find_name("format", text_of(version.attributes, "format"))
    return name.document if name and name.document else _sniff(version.data or b"")


def _sniff(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return BYTES
    return JSON if text.lstrip()[:1] in {"{", "["} and _json(text) is not _NO_JSON else TEXT


def _json(text: str) -> Any:
    """Return the value of JSON text; orjson is fast, but rounds integers that need more than 64 bits."""
    try:
        return json.loads(text, parse_constant=_refuse) if _LONG_NUMBER.search(text) else orjson.loads(text)
    except (ValueError, RecursionError):
        return _NO_JSON


def _refuse(name: str) -> Any:
    message = f"{name} is not JSON"
    raise ValueError(message)
