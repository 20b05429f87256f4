"""What all payload languages share: the schema document, bodies and their errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Any, TypeVar
from urllib.parse import urljoin

from xregit.errors import XregitError
from xregit.json_pointer import KeyPath
from xregit.model.excerpts import cut_middle
from xregit.model.media_types import without_parameters
from xregit.source import json_loader
from xregit.source.parse_result import MAX_DEPTH, NOWHERE, Positions
from xregit.source.scalars import without_text

#: What all patterns of one document may take together, and a single one, in bytes.
TOTAL, LARGEST = 200_000_000, 10_000_000


def pattern_size(count: int) -> int:
    """Return how many bytes each of so many patterns may take."""
    return min(LARGEST, TOTAL // max(count, 1))


# A reference, as absolute URI or as path below the registry's root, to the document there; None where there is none.
Fetch = Callable[[str], bytes | None]
# All libraries can read this many types that build on one another, from any depth of the call stack.
MAX_IN_A_ROW = 50
# A problem with a payload has at most so many characters, whatever it quotes of it.
MAX_MESSAGE_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a schema document.

    Lines and columns count from 1, 0 where not known; ``path`` leads there in documents that are written in JSON.
    ``kind`` is "syntax" where the document can't be read, "selector" where it holds no such object, "reference"
    where it refers to what isn't in the registry, "format" where it is written in another version or language, and
    "doubt" where it is right, but probably not what is meant.
    """

    kind: str
    message: str
    help: str = ""
    line: int = 0
    column: int = 0
    path: KeyPath = ()


class SchemaError(XregitError):
    """A schema document that can't be used, with all that is wrong with it."""

    exit_code = 1

    def __init__(self, *problems: Problem) -> None:
        """Keep the problems, at least one."""
        self.problems = problems
        super().__init__("; ".join(problem.message for problem in problems))


class PayloadError(XregitError):
    """A payload that doesn't fit its schema, with all that is wrong with it, in sentences of bounded length."""

    exit_code = 1

    def __init__(self, *problems: str) -> None:
        """Keep the problems, at least one."""
        self.problems = tuple(cut_middle(problem, MAX_MESSAGE_CHARACTERS) for problem in problems)
        super().__init__("; ".join(self.problems))


def too_deep(line: int = 0, column: int = 0) -> Problem:
    """Return the problem of a document in which hundreds of parts lead each to the next."""
    message = "its types, groups or references lead too far, from each to the next"
    return Problem("syntax", message, f"let no more than {MAX_IN_A_ROW} stand in one row", line, column)


def error_text(error: Exception) -> str:
    """Return the text of a library's error; of a `RecursionError`, what it means for the value."""
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)


def fetch_nothing(_reference: str) -> bytes | None:
    """Return None: there are no other documents."""
    return None


@dataclass(frozen=True, slots=True)
class Document:
    """A schema document: its format, its text or value, the part that is meant, its own address, its neighbours."""

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
    """Return the positions in a text; very many problems may ask for those of the same one."""
    return json_loader.positions(content)


def resolve(base: str, reference: str) -> str:
    """Return a reference as it is seen from a URI (RFC 3986, 5.2); one that can't be a URI stays the same."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def json_value(content: bytes | object) -> Any:
    """Return the value of a JSON text, or the value itself with ordinary numbers and containers.

    Raises:
        SchemaError: the text isn't JSON.
    """
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


Read = TypeVar("Read")


def once_per_document(read: Callable[[Document], Read]) -> Callable[[Document], Read]:
    """Return a reader of texts that reads each of the last few once: hundreds of messages may name a part of one."""

    @lru_cache(maxsize=4)
    def outcome(document: Document) -> Read | SchemaError:
        try:
            return read(document)
        except SchemaError as error:
            return SchemaError(*error.problems)

    @wraps(read)
    def load(document: Document) -> Read:
        result = outcome(replace(document, content=document.text(), fragment=""))
        if isinstance(result, SchemaError):
            raise SchemaError(*result.problems)
        return result

    return load


def read_json(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        PayloadError: it isn't JSON, too deep, or holds a number that no one can use.
    """
    parsed = json_loader.parse(body)
    if parsed.problems:
        raise PayloadError(
            *(f"line {item.span.line}, column {item.span.column}: {item.message}" for item in parsed.problems)
        )
    return parsed.value


def write_json(value: Any) -> bytes:
    """Return the value as JSON text without blanks.

    Raises:
        PayloadError: it holds what JSON can't say, such as NaN, bytes or a date.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise PayloadError(f"the value can't be written as JSON: {error_text(error)}") from error


_REMOVE_IT = "whoever hands messages on has to take that off"


def is_json(contenttype: str) -> bool:
    """Return whether a media type says JSON: ``application/json``, ``avro/json``, anything with ``+json``."""
    return without_parameters(contenttype).endswith(("/json", "+json"))


def explain_framing(problems: tuple[str, ...], body: bytes) -> tuple[str, ...]:
    """Return the problems of a payload, with one more where framing before it explains them."""
    if body[:1] == b"\x00" and len(body) > 5:  # noqa: PLR2004 - the zero byte and the id
        framing = f"Confluent's wire format, with the schema id {int.from_bytes(body[1:5])} before the payload"
    elif body[:2] == b"\xc3\x01":
        framing = "Avro's single-object encoding, with a fingerprint of the schema before the payload"
    elif body[:4] == b"Obj\x01":
        framing = "a file of Avro objects, with the schema before the payload"
    else:
        return problems
    return (*problems, f"it begins like {framing}, and {_REMOVE_IT}") if problems else problems
