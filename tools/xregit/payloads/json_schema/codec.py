"""The schema object of JSON Schema, which validates, decodes and encodes payloads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.model.quoting import comma_list
from xregit.payloads.base import PayloadError, Problem, SchemaError
from xregit.payloads.body import read_json, write_json
from xregit.payloads.json_schema.doubts import doubts
from xregit.payloads.json_schema.error_messages import error_message
from xregit.payloads.json_schema.examples import example
from xregit.payloads.json_schema.fields import fields
from xregit.payloads.json_schema.schema import LATEST, Loaded, declared_draft, draft_of_format, load
from xregit.payloads.json_schema.subschemas import MAX_STEPS, StepBudget, max_branches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.base import Document
    from xregit.payloads.fields import Field

# What most patterns need is linear; what needs backtracking gives up after this many steps, well below a second.
_MAX_BACKTRACKS = 100_000
_NO_PATTERN = ' is not a "regex"'
_MAX_PROBLEMS = 20
# While errors are collected, `StepBudget` does not limit the work.
_MAX_COMPARISONS = 10_000


@dataclass(frozen=True, eq=False, slots=True)
class JsonSchema:
    """One JSON Schema, the root of its document or a part of it; ``formats`` says whether "format" refuses values."""

    format: str
    loaded: Loaded
    pointer: str
    formats: bool
    validator: jsonschema_rs.Validator
    steps: StepBudget

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a JSON text."""
        try:
            value = self.decode(body, contenttype)
        except PayloadError as error:
            return error.problems
        return self.faults(value)

    def accepts(self, value: Any) -> bool:
        """Return whether a value fits; one of more than 255 levels does not."""
        self.steps.remaining = MAX_STEPS
        try:
            return self.validator.is_valid(value)
        except ValueError:
            return False

    def faults(self, value: Any) -> tuple[str, ...]:
        """Return what is wrong with a value; if the schema leads back to itself, only as far as the work is bounded."""
        if not self.loaded.recurs:
            return _find_problems(self.validator, value)
        if self.accepts(value):
            return ()
        if self.steps.remaining < 0:
            return (f"the value would be compared with more than {MAX_STEPS} subschemas",)
        if max_branches(self.loaded.root) ** _depth(value) > _MAX_COMPARISONS:
            return ("the schema doesn't accept the value, which is nested too deeply to say where",)
        return _find_problems(self.validator, value)

    def decode(self, body: bytes, contenttype: str = "") -> Any:  # noqa: ARG002 - JSON whatever its media type
        """Return the value of a JSON text."""
        return read_json(body)

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return a value as JSON text."""
        body = write_json(value)
        problems = self.validate(body, contenttype)
        if problems:
            raise PayloadError(*problems)
        return body

    def example(self) -> Any:
        """Return the simplest value that the schema accepts."""
        return example(self.loaded, self.pointer, self.validator)

    def fields(self) -> tuple[Field, ...]:
        """Return the properties that the schema describes."""
        return fields(self.loaded, self.pointer)


def parse(document: Document, *, formats: bool | None = None) -> JsonSchema:
    """Return the schema at a pointer or name in a document; ``formats`` says whether "format" refuses values.

    None leaves that to the draft: up to draft-07 it does, in later ones it is an annotation.

    Raises:
        SchemaError: the document isn't a schema, or has none there.
    """
    loaded = load(document)
    pointer = _pointer(document, loaded)
    steps = StepBudget()
    formats = loaded.draft.number <= jsonschema_rs.Draft7 if formats is None else formats
    try:
        validator = jsonschema_rs.validator_for(
            {"$schema": loaded.draft.uri, "$ref": f"{loaded.uri}#{pointer}"},
            registry=loaded.registry,
            pattern_options=jsonschema_rs.FancyRegexOptions(_MAX_BACKTRACKS, size_limit=loaded.patternsize),
            validate_formats=formats,
            keywords=steps.keywords() if loaded.recurs else None,
            offline=True,
        )
    except jsonschema_rs.ValidationError as error:
        path = tuple(error.instance_path)
        place = f' at "{"/".join(map(str, path))}"' if path else ""
        message = error.message.replace(_NO_PATTERN, " is no pattern, or too large a one to be compiled")
        raise SchemaError(document.problem("syntax", f"{message}{place}", "correct the schema", path)) from error
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise SchemaError(Problem("syntax", str(error), "correct the schema")) from error
    return JsonSchema(document.format, loaded, pointer, formats, validator, steps)


def disagreements(document: Document) -> Iterator[Problem]:
    """Yield the problem of a ``$schema`` that is of another draft than the format, and all doubts."""
    root = document.value()
    uri = root.get("$schema") if isinstance(root, dict) else None
    declared, expected = declared_draft(root), draft_of_format(document.format)
    if isinstance(uri, str) and declared is None:
        message = f'"$schema" is {uri}, which is none of the drafts that are understood'
        help_ = f"write {(expected or LATEST).uri}, or leave it out"
        yield document.problem("format", message, help_, ("$schema",))
        return
    if expected is not None and declared not in {None, expected}:
        message = f'"$schema" says {declared.name}, but the format is {document.format}'
        yield document.problem("format", message, f'write "format: JsonSchema/{declared.name}"', ("$schema",))
    for path, message, help_ in islice(doubts(root, declared or expected or LATEST), _MAX_PROBLEMS):
        yield document.problem("doubt", message, help_, path)


def _pointer(document: Document, loaded: Loaded) -> str:
    """Return the fragment that a selector means: itself, or the place of a definition of that name."""
    selector = document.fragment
    if not selector:
        return ""
    resolver = loaded.registry.resolver(loaded.uri)
    # schema/spec.md shows "messages/STATEBirth": a pointer without its first slash.
    by_name = (f"/$defs/{selector}", f"/definitions/{selector}", f"/{selector}", selector)
    for fragment in (selector,) if selector.startswith("/") else by_name:
        try:
            contents = loaded.lookup(f"#{fragment}", resolver).contents
        except LookupError:
            continue
        if isinstance(contents, dict | bool):
            return fragment
    message = f'the document has no schema "{selector}"'
    tables = [loaded.root.get(name) for name in ("$defs", "definitions")] if isinstance(loaded.root, dict) else []
    names = [name for table in tables if isinstance(table, dict) for name in table]
    help_ = f"its definitions are {comma_list(names)}" if names else "it has no definitions; leave the name out"
    raise SchemaError(Problem("selector", message, help_))


def _find_problems(validator: jsonschema_rs.Validator, value: Any) -> tuple[str, ...]:
    """Return what is wrong with a value, each with its place."""
    try:
        return tuple(map(error_message, islice(validator.iter_errors(value), _MAX_PROBLEMS)))
    except ValueError:  # more than 255 levels
        return ("must not nest that deep",)


def _depth(value: Any) -> int:
    """Return how many levels a value has; bodies have few enough to go down."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)
