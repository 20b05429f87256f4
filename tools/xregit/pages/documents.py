"""Documents and entities as source text, the way that pages show them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import orjson

from xregit.catalog.entities import Document
from xregit.source.json_loader import parse
from xregit.source.yaml_emitter import to_yaml

# What a message's page shows of its schema; the schema's own page shows more.
MAX_CHARS_BESIDE, MAX_CHARS = 12_000, 400_000
LANGUAGES = {".avsc": "json", ".json": "json", ".proto": "protobuf", ".xsd": "xml", ".xml": "xml", ".yaml": "yaml"}


class Source(NamedTuple):
    """A document's text; ``reason`` says why there is none."""

    text: str = ""
    language: str = ""
    reason: str = ""


def document_source(document: Document, limit: int = MAX_CHARS) -> Source:
    """Return the text of a document, indented if it is JSON on a single line."""
    if document.data is None:
        return Source(reason="The document is kept elsewhere.")
    try:
        text = document.data.decode()
    except UnicodeDecodeError:
        return Source(reason=f"The document is binary, {len(document.data):,} bytes.")
    if len(text) > limit:
        elsewhere = " The schema's page has it." * (limit < MAX_CHARS)
        return Source(reason=f"The document is long, {len(text):,} characters.{elsewhere}")
    if "\n" not in text.strip() and text.lstrip().startswith(("{", "[")):
        parsed = parse(text.encode())
        text = text if parsed.problems else json.dumps(parsed.value, indent=2, ensure_ascii=False)
    return Source(text, LANGUAGES.get(PurePosixPath(document.place.path).suffix, "text"))


def inline_snippet(value: object) -> Source:
    """Return the text of a document inside its entity."""
    return Source(value, "text") if isinstance(value, str) else Source(json_text(value), "json")


def entity_sources(file: Mapping[str, Any], attributes: Mapping[str, Any]) -> list[tuple[str, Source]]:
    """Return an entity as it is in its file, in YAML, and as it is in the compiled document, in JSON."""
    try:
        yaml = to_yaml(file)
    except (ValueError, TypeError):  # YAML has no form for it
        yaml = ""
    sources = [("YAML", Source(yaml, "yaml")), ("JSON", Source(json_text(attributes), "json"))]
    return [(title, source) for title, source in sources if 0 < len(source.text) <= MAX_CHARS_BESIDE]


def json_text(value: object, *, indent: bool = True) -> str:
    """Return a value as JSON, indented or on one line; what JSON has no form for becomes text."""
    option = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        return orjson.dumps(value, default=_plain, option=option).decode()
    except TypeError:  # integers of more than 64 bits, half characters
        return json.dumps(value, indent=2 if indent else None, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return dict(value) if isinstance(value, Mapping) else str(value)
