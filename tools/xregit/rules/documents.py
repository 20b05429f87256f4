"""The documents of schema versions: whether they are what their format says, and what they refer to is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.diagnostics import Severity, Span
from xregit.model import find_name
from xregit.payloads import language
from xregit.payloads import problems as schema_problems
from xregit.rules.rule import Rule
from xregit.source.text import Problem, conflict_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.entities import Document, Version
    from xregit.catalog.registry import Registry
    from xregit.payloads import Problem as SchemaProblem

_INVALID, _NOT_FOUND, _OTHER = "invalid-schema", "schema-reference-not-found", "format-differs-from-document"
_RULES = {"syntax": _INVALID, "reference": _NOT_FOUND, "format": _OTHER}

DOCUMENTS = (
    Rule(_INVALID, "text", Severity.ERROR, "A schema document is not what its language asks for.", ("MSG-41",)),
    Rule(_NOT_FOUND, "text", Severity.ERROR, "A schema document refers to what is not in this registry.", ("MSG-41",)),
    Rule(_OTHER, "text", Severity.WARNING, "A schema document is written in another version of its language."),
)


def problems(registry: Registry, version: Version) -> Iterator[Problem]:
    """Give what is wrong with a version's document: with its text, else with the schema that it is."""
    document, format_ = version.document, version.attributes.get("format")
    if document is None or document.data is None or not isinstance(format_, str):
        return
    own = document.place.path != version.place.path
    wrong = _of_text(document, format_) if own else ()
    yield from wrong
    if wrong or not language(format_):
        return
    found = schema_problems(format_, document.data, uri=version.xid, fetch=registry.schema_documents.get)
    left = conflict_problem(document.data, _INVALID) if found and own else None
    if left:
        yield left
        return
    for item in found:
        span = _span(item) if own else registry.origin.span(document.place, item.path)
        yield Problem(_RULES[item.kind], item.message, item.help, span)


def _of_text(document: Document, format_: str) -> tuple[Problem, ...]:
    """Return what is wrong with the text of a document whose language is written in JSON."""
    name = find_name("format", format_)
    if name is None or not name.document.endswith("json"):
        return ()
    from xregit.source import json  # only documents are JSON

    found = json.parse(document.data or b"").problems
    if found and document.place.path.endswith((".yaml", ".yml")):
        message = f"the file's name says that it is YAML, but {name.name} is read as JSON here"
        return (Problem(found[0].rule, message, "write it as JSON, and name the file so", Span(1, 1)),)
    return found


def _span(problem: SchemaProblem) -> Span:
    return Span(problem.line, problem.column, problem.line, problem.column + 1)
