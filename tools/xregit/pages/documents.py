"""The text of a resource version's document, such as a schema, as a page shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.source.json_loader import parse
from xregit.source.yaml_emitter import to_yaml

if TYPE_CHECKING:
    from xregit.catalog.entities import Document

# What a message's page shows of its schema; the schema's own page shows more.
MAX_CHARS_BESIDE, MAX_CHARS = 12_000, 400_000
LANGUAGES = {".avsc": "json", ".json": "json", ".proto": "protobuf", ".xsd": "xml", ".xml": "xml", ".yaml": "yaml"}


class Source(NamedTuple):
    """A document's text; ``reason`` says why there is none."""

    text: str = ""
    language: str = ""
    reason: str = ""


def source(document: Document, limit: int = MAX_CHARS) -> Source:
    """Return the text of a document, laid out if it is JSON on a single line."""
    if document.data is None:
        return Source(reason="The document is kept elsewhere.")
    try:
        text = document.data.decode()
    except UnicodeDecodeError:
        return Source(reason=f"The document is binary, {len(document.data):,} bytes.")
    if len(text) > limit:
        return Source(reason=f"The document is long, {len(text):,} characters.")
    language = LANGUAGES.get(PurePosixPath(document.place.path).suffix, "text")
    return Source(_laid_out(text), language)


def of_value(value: object) -> Source:
    """Return the text of a document that stands inside its entity."""
    if isinstance(value, str):
        return Source(value, "text")
    return Source(json_text(value), "json")


def json_text(value: object, *, spread: bool = True) -> str:
    """Return a value as JSON, laid out or on one line; what JSON has no form for is written as text."""
    import orjson

    option = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS | (orjson.OPT_INDENT_2 if spread else 0)
    try:
        return orjson.dumps(value, default=_plain, option=option).decode()
    except TypeError:  # integers of more than 64 bits, half characters
        return json.dumps(value, indent=2 if spread else None, default=_plain)


def yaml_text(value: Mapping[str, Any]) -> str:
    """Return what a file says as YAML in its canonical form; nothing where YAML has no form for it."""
    try:
        return to_yaml(value)
    except (ValueError, TypeError):
        return ""


def texts(written: Mapping[str, Any], stated: Mapping[str, Any]) -> list[tuple[str, Source]]:
    """Return an entity as its file says it, in YAML, and as it is in the compiled document, in JSON."""
    found = [("YAML", Source(yaml_text(written), "yaml")), ("JSON", Source(json_text(stated), "json"))]
    return [(title, each) for title, each in found if 0 < len(each.text) <= MAX_CHARS_BESIDE]


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return dict(value) if isinstance(value, Mapping) else str(value)


def _laid_out(text: str) -> str:
    if "\n" in text.strip() or not text.lstrip().startswith(("{", "[")):
        return text
    read = parse(text.encode())
    return text if read.problems else json.dumps(read.value, indent=2, ensure_ascii=False)
