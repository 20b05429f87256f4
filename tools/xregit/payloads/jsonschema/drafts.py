"""The drafts of JSON Schema: how a format and ``$schema`` name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.model import canonical
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.documents import Document
    from xregit.payloads.shapes import Problem


@record
class Draft:
    """One draft: its metaschema's URI without fragment, the number that the library gives it, its keyword for ids."""

    name: str
    uri: str
    number: int
    idkeyword: str = "$id"


LATEST = Draft("draft/2020-12", "https://json-schema.org/draft/2020-12/schema", jsonschema_rs.Draft202012)
# Read as draft-04, in whose words `draft03` puts it.
DRAFT03 = Draft("draft-03", "http://json-schema.org/draft-03/schema", jsonschema_rs.Draft4, "id")
DRAFT04 = Draft("draft-04", "http://json-schema.org/draft-04/schema", jsonschema_rs.Draft4, "id")
DRAFTS = (
    DRAFT03,
    DRAFT04,
    Draft("draft-06", "http://json-schema.org/draft-06/schema", jsonschema_rs.Draft6),
    Draft("draft-07", "http://json-schema.org/draft-07/schema", jsonschema_rs.Draft7),
    Draft("draft/2019-09", "https://json-schema.org/draft/2019-09/schema", jsonschema_rs.Draft201909),
    LATEST,
)


def declared(schema: Any) -> Draft | None:
    """Return the draft that a schema's own ``$schema`` names, if it is one of those that are known."""
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(uri, str):
        return None
    plain = uri.removesuffix("#").replace("https://", "http://")
    return next((draft for draft in DRAFTS if draft.uri.replace("https://", "http://") == plain), None)


def stated(format: str) -> Draft | None:  # noqa: A002 - the attribute's own name
    """Return the draft that a format names, such as ``JsonSchema/draft-07``."""
    version = canonical("format", format).partition("/")[2].casefold()
    return next((draft for draft in DRAFTS if draft.name == version), None)


def disagreements(document: Document) -> Iterator[Problem]:
    """Give what ``$schema`` says other than the format does."""
    root = document.value()
    uri = root.get("$schema") if isinstance(root, dict) else None
    if not isinstance(uri, str):
        return
    own, due = declared(root), stated(document.format)
    if own is None:
        message = f'"$schema" is {uri}, which is none of the drafts that are understood'
        help_ = f"write {(due or LATEST).uri}, or leave it out"
        yield document.problem("format", message, help_, ("$schema",))
    elif due is not None and own is not due:
        message = f'"$schema" says {own.name}, but the format is {document.format}'
        yield document.problem("format", message, f'write "format: JsonSchema/{own.name}"', ("$schema",))
