"""A schema document: its text or value, its format and address, and access to the documents that it refers to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from xregit.payloads.base import Fetch, Problem, SchemaError
from xregit.source import json_loader
from xregit.source.parse_result import MAX_DEPTH, NOWHERE
from xregit.source.scalars import without_text

if TYPE_CHECKING:
    from xregit.json_pointer import KeyPath
    from xregit.source.parse_result import Positions


def fetch_nothing(_reference: str) -> bytes | None:
    """Know no other document."""
    return None


@dataclass(frozen=True, slots=True)
class Document:
    """A schema document with its stated format, the part of it that is meant, its own address, and its neighbours."""

    format: str
    content: bytes | object
    fragment: str = ""
    uri: str = ""
    fetch: Fetch = fetch_nothing

    def value(self) -> Any:
        """Return the value of a document written in JSON.

        Raises:
            SchemaError: the text isn't JSON.
        """
        return json_value(self.content)

    def problem(self, kind: str, message: str, help_: str, path: KeyPath = ()) -> Problem:
        """Return a problem at the place in the document's JSON text that a path leads to."""
        span = _positions(self.content).span(path) if isinstance(self.content, bytes) else NOWHERE
        return Problem(kind, message, help_, span.line, span.column, path)

    def text(self) -> bytes:
        """Return the text of a document that isn't written in JSON.

        Raises:
            SchemaError: it is a value of another kind, or not UTF-8.
        """
        content = self.content.encode("utf-8", "replace") if isinstance(self.content, str) else self.content
        if not isinstance(content, bytes):
            raise SchemaError(Problem("syntax", "the schema must be a text", "write it as one block of text"))
        return content


@lru_cache(maxsize=1)
def _positions(content: bytes) -> Positions:
    """Return the places in a text, which may be asked for once for each of very many problems."""
    return json_loader.positions(content)


def resolve(base: str, reference: str) -> str:
    """Return a reference as it is seen from a URI (RFC 3986, 5.2); one that can't be a URI as it stands."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def json_value(content: bytes | object) -> Any:
    """Return the value of a JSON text, or the value itself with ordinary numbers and containers."""
    if isinstance(content, str):
        # JSON written into a text inside JSON or YAML.
        content = content.encode("utf-8", "replace")
    if not isinstance(content, bytes):
        return without_text(_to_builtin(content, 0))
    parsed = json_loader.parse(content)
    if parsed.problems:
        raise SchemaError(
            *(Problem("syntax", item.message, item.help, item.span.line, item.span.column) for item in parsed.problems)
        )
    return parsed.value


def _to_builtin(value: object, depth: int) -> object:
    """Return mappings and sequences of any kind as dicts and lists, as far down as documents may go."""
    if depth > MAX_DEPTH:
        raise SchemaError(Problem("syntax", f"the schema is more than {MAX_DEPTH} levels deep", "flatten it"))
    if isinstance(value, Mapping):
        return {str(key): _to_builtin(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_builtin(item, depth + 1) for item in value]
    return value
