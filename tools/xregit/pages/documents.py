"""The text of a resource version's document, such as a schema, as a page shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xregit.catalog.entities import Document

# What a message's page shows of its schema; the schema's own page shows more.
MAX_CHARS_BESIDE, MAX_CHARS = 12_000, 400_000
LANGUAGES = {".avsc": "json", ".json": "json", ".proto": "protobuf", ".xsd": "xml", ".xml": "xml", ".yaml": "yaml"}


@dataclass(frozen=True, slots=True)
class Source:
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
    return Source(json.dumps(value, indent=2, ensure_ascii=False, default=dict), "json")


def _laid_out(text: str) -> str:
    if "\n" in text.strip() or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
