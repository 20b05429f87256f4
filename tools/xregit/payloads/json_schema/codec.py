"""The schema object of JSON Schema: payloads validated, decoded and encoded, and their fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import jsonschema_rs

from xregit.model.excerpts import comma_list
from xregit.payloads.base import Document, PayloadError, Problem, SchemaError, read_json, write_json
from xregit.payloads.fields import (
    MAX_FIELDS,
    MORE_FIELDS,
    Field,
    beyond_type,
    count_text,
    has_budget,
    pattern_texts,
    range_text,
    with_budget,
)
from xregit.payloads.json_schema.error_messages import error_message
from xregit.payloads.json_schema.examples import example
from xregit.payloads.json_schema.lint import doubts
from xregit.payloads.json_schema.nodes import Combined, Node, combine, root_node
from xregit.payloads.json_schema.schema import LATEST, Loaded, declared_draft, draft_of_format, load
from xregit.payloads.json_schema.subschemas import MAX_STEPS, StepBudget, max_branches

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


# The types that ``format`` alone implies (OpenAPI's format registry); JSON Structure's types have the same names here.
_FORMAT_TYPES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "int128": "integer",
    "uint128": "integer",
    "float": "float32",
    "double": "float64",
    "decimal": "decimal",
    "byte": "bytes",
    "local-time": "time",
}
# The types of strings by ``format``.
_FORMATS = {
    ("string", "date-time"): "timestamp",
    ("string", "date"): "date",
    ("string", "time"): "time",
    ("string", "duration"): "duration",
    ("string", "uuid"): "uuid",
    ("string", "uri"): "uri",
    ("string", "iri"): "uri",
    ("string", "uri-reference"): "uri",
}
# JSON Structure's keywords for decimals.
_DIGITS = ("precision", "scale")


@with_budget(MAX_FIELDS)
def fields(loaded: Loaded, pointer: str) -> tuple[Field, ...]:
    """Return the properties of an object schema; the one value without a name where it isn't an object."""
    root = _field("", (root_node(loaded, pointer),), required=True)
    return root.fields if root.type == "record" else (root,)


def _field(name: str, nodes: tuple[Node, ...], *, required: bool, cut: bool = False) -> Field:
    """Return a value's field; ``cut`` says that it is an alternative of what is reached again."""
    if not has_budget():
        return MORE_FIELDS
    schema = combine(*nodes)
    schema = replace(schema, cut=schema.cut or cut)
    types = [item for item in schema.types() if item != "null"]
    accepts_all = any(not node.schema for node in schema.branches())
    branches = [node for node in schema.branches() if _describes(node)] if not accepts_all else []
    nullable = "null" in schema.types() or any(_is_null(node) for node in schema.branches())
    attributes: dict[str, Any] = {"required": required, "nullable": nullable, "description": _description(schema)}
    alternatives = [node for node in branches if not _is_null(node)]
    if alternatives and schema.first("properties") is None:
        return _union_field(name, schema, alternatives, attributes)
    values = schema.first("enum") if schema.first("const") is None else [schema.first("const")]
    if isinstance(values, list):
        attributes["nullable"] = nullable or None in values
        return Field(
            name, "enum", _declared_type(schema, types), values=tuple(v for v in values if v is not None), **attributes
        )
    if schema.first("format") in _FORMAT_TYPES and types:
        attributes["limits"] = beyond_type(bound_texts(schema, *types))
        attributes |= {key: schema.first(key) for key in _DIGITS if type(schema.first(key)) is int}
        return Field(name, _FORMAT_TYPES[schema.first("format")], str(schema.first("format")), **attributes)
    if len(types) > 1:
        members = (_field_of_type(item, schema, item, {"required": True}) for item in types)
        return Field(name, "union", fields=tuple(members), **attributes)
    return _field_of_type(name, schema, types[0] if types else "any", attributes)


def _union_field(name: str, schema: Combined, alternatives: list[Node], attributes: dict[str, Any]) -> Field:
    if len(alternatives) == 1 and _is_recursive(alternatives[0]):
        return Field(name, "union", recursive=True, **attributes)
    if len(alternatives) > 1:
        return Field(
            name, "union", fields=tuple(_branch_field(node, cut=schema.cut) for node in alternatives), **attributes
        )
    inner = _field(name, (*_without_branches(schema), *alternatives), required=attributes["required"], cut=schema.cut)
    nullable, description = attributes["nullable"] or inner.nullable, attributes["description"] or inner.description
    return replace(inner, nullable=nullable, description=description)


def _without_branches(schema: Combined) -> tuple[Node, ...]:
    """Return the schemas of the layers without their alternatives, references and parts, which stand there too."""
    dropped = {"anyOf", "oneOf", "allOf", "$ref"}
    return tuple(node.at({k: v for k, v in node.schema.items() if k not in dropped}) for node in schema.nodes)


def _field_of_type(name: str, schema: Combined, type_: str, attributes: dict[str, Any]) -> Field:
    native = _declared_type(schema, [type_] if type_ != "any" else [])
    attributes = {**attributes, "limits": bound_texts(schema, type_)}
    if type_ == "object":
        return _object_field(name, schema, native, attributes)
    if type_ == "array":
        item = schema.inner("items")
        inner = _field("item", (item,), required=True) if item and not schema.cut else Field("item", "any")
        return Field(name, "array", native, fields=(inner,), recursive=schema.cut, **attributes)
    return Field(name, _FORMATS.get((type_, str(schema.first("format"))), type_), native, **attributes)


def _object_field(name: str, schema: Combined, native: str, attributes: dict[str, Any]) -> Field:
    properties = schema.properties()
    if schema.cut:
        return Field(name, "record", native, recursive=True, **attributes)
    if properties:
        required = schema.required()
        members = (_field(key, nodes, required=key in required) for key, nodes in properties.items())
        return Field(name, "record", native, fields=tuple(members), **attributes)
    value = schema.inner("additionalProperties")
    inner = _field("value", (value,), required=True) if value else Field("value", "any", required=True)
    return Field(name, "map", native, fields=(inner,), **attributes)


def _branch_field(node: Node, *, cut: bool) -> Field:
    schema = combine(node)
    name = schema.first("title") or node.schema.get("$ref", "").rpartition("/")[2] or "/".join(schema.types())
    if _is_recursive(node):
        return Field(str(name), "union", required=True, recursive=True)
    return _field(str(name), (node,), required=True, cut=cut)


def _is_recursive(node: Node) -> bool:
    """Return whether an alternative is nothing but the alternatives that it is one of."""
    schema = combine(node)
    return schema.cut and bool(schema.branches()) and schema.first("properties") is None


def _describes(node: Node) -> bool:
    """Return whether an alternative says what a value is, and not only which properties must be there."""
    schema = combine(node)
    return any(schema.first(key) is not None for key in ("type", "properties", "enum", "const", "items")) or schema.cut


def _is_null(node: Node) -> bool:
    schema = combine(node)
    return schema.types() == ("null",) or schema.first("enum") == [None] or node.schema.get("const", "") is None


def _declared_type(schema: Combined, types: list[str]) -> str:
    parts = ["/".join(types), *(str(schema.first(key)) for key in ("format", "contentEncoding") if schema.first(key))]
    return ", ".join(part for part in parts if part)


def _description(schema: Combined) -> str:
    return next((text for text in schema.every("description") if isinstance(text, str)), "")


def bound_texts(schema: Combined, *types: str) -> tuple[str, ...]:
    """Return the words for bounds, steps, patterns and lengths of these types in schemas that apply at once.

    An example is ("0 to 100", "steps of 5"). Keywords for other types are left out, unless the type is "any".
    """
    functions = [function for kind, function in _BOUNDS if not {*kind, "any"}.isdisjoint(types)]
    return tuple(words for function in functions for words in function(schema) if words)


def _number_bounds(schema: Combined) -> Iterator[str]:
    low, above = _end(schema, "minimum", "exclusiveMinimum", max)
    high, below = _end(schema, "maximum", "exclusiveMaximum", min)
    yield range_text(low, high, above=above, below=below)
    yield from (f"steps of {step}" for step in _numbers(schema, "multipleOf"))


def _text_bounds(schema: Combined) -> Iterator[str]:
    yield _count(schema, "Length", "characters", "character")
    yield from pattern_texts(schema.every("pattern"))


def _array_bounds(schema: Combined) -> Iterator[str]:
    yield _count(schema, "Items", "entries", "entry")
    yield "no entry twice" if True in schema.every("uniqueItems") else ""


def _object_bounds(schema: Combined) -> Iterator[str]:
    yield _count(schema, "Properties", "properties", "property")


_BOUNDS = (
    (("integer", "number"), _number_bounds),
    (("string",), _text_bounds),
    (("array",), _array_bounds),
    (("object",), _object_bounds),
)


def _count(schema: Combined, ending: str, plural: str, singular: str) -> str:
    least, most = _numbers(schema, f"min{ending}"), _numbers(schema, f"max{ending}")
    return count_text(max(least, default=None), min(most, default=None), plural, singular)


def _end(schema: Combined, keyword: str, exclusive: str, stricter: Any) -> tuple[Any, bool]:
    """Return one end of the range, and whether it is outside; draft 4 says the latter with true beside the former."""
    inner = stricter(_numbers(schema, keyword), default=None)
    outer = stricter(_numbers(schema, exclusive), default=None)
    if outer is None:
        return inner, inner is not None and True in schema.every(exclusive)
    if inner is None or stricter(inner, outer) == outer:
        return outer, True
    return inner, False


def _numbers(schema: Combined, keyword: str) -> list[int | float]:
    return [item for item in schema.every(keyword) if isinstance(item, int | float) and not isinstance(item, bool)]
