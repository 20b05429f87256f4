"""A version's own document to what is wrong with its text, where the document's language is written in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.model import named

if TYPE_CHECKING:
    from xregit.catalog.entities import Version
    from xregit.source.text import Problem


def problems(version: Version) -> tuple[Problem, ...]:
    """Return what is wrong with the text of a version's document; nothing where it isn't kept here as JSON."""
    document = version.document
    language = version.attributes.get("format")
    if document is None or document.data is None or not isinstance(language, str):
        return ()
    name = named("format", language)
    if name is None or not name.document.endswith("json"):
        return ()
    from xregit.source import json  # only documents are JSON

    return json.parse(document.data).problems
