"""A JSON Structure document to its value, judged by the SDK, with what it imports in place."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import json_structure

from xregit.payloads.documents import json_value, resolved
from xregit.payloads.jsonstructure.constants import misfits
from xregit.payloads.shapes import Problem, SchemaError, too_far

if TYPE_CHECKING:
    from xregit.keypaths import KeyPath
    from xregit.payloads.documents import Document

# Keywords that describe and don't constrain. The SDK asks that a unit stands with a numeric type, and knows no
# "number or null"; half of all real documents have that.
_ANNOTATIONS = frozenset(("unit", "symbol", "currency", "altnames", "altenums", "descriptions"))
# Published documents leave these out, and the meaning is clear without them.
_MISMATCH = json_structure.error_codes.SCHEMA_CONSTRAINT_TYPE_MISMATCH
_LENIENT = frozenset(("SCHEMA_ROOT_MISSING_ID", "SCHEMA_EXTENSION_KEYWORD_NOT_ENABLED"))
# The SDK takes a number for the value of a wide type, which is a text; `constants` looks at these itself.
_OF_TYPE = re.compile(r"/enum\[\d+\]$")
_MAX_PROBLEMS = 20


def load(document: Document) -> Any:
    """Return a document's value, with imported definitions in it.

    Raises:
        SchemaError: it isn't a JSON Structure, or imports what isn't there.
    """
    value = document.value()
    if not isinstance(value, dict):
        raise SchemaError(document.problem("syntax", "a JSON Structure is an object", "write a type in braces"))
    missing: list[Problem] = []
    external = list(_imported(document, value, missing))
    if missing:
        raise SchemaError(*missing)
    made = copy.deepcopy(value)
    judge = json_structure.SchemaValidator(extended=True, allow_import=True, external_schemas=external)
    try:
        errors = [error for error in judge.validate(made) if _counts(error)]
    except RecursionError:
        raise SchemaError(too_far()) from None
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        problem = document.problem("syntax", f"the document is no JSON Structure: {error}", "correct it")
        raise SchemaError(problem) from error
    if errors:
        # The SDK tells some of them twice.
        raise SchemaError(*dict.fromkeys(_problem(document, error) for error in errors[:_MAX_PROBLEMS]))
    wrong = tuple(islice(misfits(document, value), _MAX_PROBLEMS))
    if wrong:
        raise SchemaError(*wrong)
    return made


def _imported(document: Document, value: Any, missing: list[Problem]) -> Iterator[dict[str, Any]]:
    for path, reference in _imports(value, ()):
        content = document.fetch(resolved(document.uri, reference))
        if content is None:
            message = f'"{reference}" is imported, but not in this registry'
            help_ = "add it as a schema, or put its definitions here"
            missing.append(document.problem("reference", message, help_, path))
            continue
        found = json_value(content)
        yield {**(found if isinstance(found, dict) else {}), "$id": reference}


def _imports(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in {"$import", "$importdefs"} and isinstance(item, str):
                yield (*path, key), item
            else:
                yield from _imports(item, (*path, key))


def _counts(error: Any) -> bool:
    last = str(error.path).rpartition("/")[2]
    return error.severity is json_structure.ValidationSeverity.ERROR and not (
        last in _ANNOTATIONS or error.code in _LENIENT or (error.code == _MISMATCH and _OF_TYPE.search(str(error.path)))
    )


def _problem(document: Document, error: Any) -> Problem:
    parts = str(error.path).removeprefix("#").split("/")[1:]
    path = tuple(int(part) if part.isdecimal() else part for part in parts)
    return document.problem("syntax", str(error.message), "write what JSON Structure allows there", path)
