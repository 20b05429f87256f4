"""The example of a JSON Schema: a simple value that it accepts, complete where possible, and always the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import jsonschema_rs

from xregit.payloads.base import PayloadError
from xregit.payloads.fields import MAX_VALUES, BudgetError, spend, with_budget
from xregit.payloads.json_schema.nodes import NEVER, Combined, Node, combine, root_node
from xregit.payloads.json_schema.schema import Loaded
from xregit.payloads.sample_texts import SAMPLE_TEXTS, matching_text, named_number, named_text

_MAX_DEPTH = 12
_BRANCHES = 6
_MAX_ITEMS = 1000
_LEAST_STEP = 1e-12


@dataclass(frozen=True, slots=True)
class _Strategy:
    """One way to make an example: what is taken from the author's examples and from names, how much, which alternative.

    ``name`` is that of the property whose value is made.
    """

    use_examples: bool
    use_names: bool
    complete: bool
    branch: int
    name: str = ""


def example(loaded: Loaded, pointer: str, validator: jsonschema_rs.Validator) -> Any:
    """Return the first of several candidates that the schema accepts.

    Raises:
        PayloadError: it accepts none of them, or what it accepts is too large.
    """
    start = root_node(loaded, pointer)
    strict = jsonschema_rs.validator_for(
        {"$schema": loaded.draft.uri, "$ref": f"{loaded.uri}#{pointer}"},
        registry=loaded.registry,
        validate_formats=True,
        offline=True,
    )
    for check in (strict, validator):
        for value in _candidates(start):
            if check.is_valid(value):
                return value
    raise PayloadError('no example could be made of the schema; give it one under "examples"')


def _candidates(start: Node) -> Iterator[Any]:
    """Yield values; one that has all parts is passed over where it would be too large.

    Raises:
        BudgetError: so would be one with only what must be there.
    """
    make_value = with_budget(MAX_VALUES)(_value)
    for branch, complete, examples, names in product(range(_BRANCHES), *((True, False),) * 3):
        try:
            yield make_value((start,), _Strategy(examples, names, complete, branch), 0, 0)
        except BudgetError:
            if not complete:
                raise


def _value(nodes: tuple[Node, ...], strategy: _Strategy, index: int, depth: int) -> Any:
    """Return a value that satisfies the schemas; values of different ``index`` differ where they can."""
    spend()
    schema = _with_branch(combine(*nodes), strategy)
    declared = list(_declared_values(schema, strategy))
    if declared:
        return declared[index % len(declared)]
    types = schema.types()
    type_ = next((item for item in types if item != "null"), "null" if types else "")
    if not type_ or depth > _MAX_DEPTH:
        return _untyped_value(schema) if not type_ else None
    if type_ in {"object", "array"}:
        return (_object_value if type_ == "object" else _array_value)(schema, strategy, index, depth)
    return _scalar(type_, schema, strategy.name if strategy.use_names and index == 0 else "", index)


def _with_branch(schema: Combined, strategy: _Strategy) -> Combined:
    """Return the layers with one of the alternatives, and with what an ``if`` asks for then."""
    branches = schema.branches()
    # Where one branch leads back to what the value is inside of, another one ends it.
    finite = [node for node in branches if not combine(node).cut] or branches
    added = [finite[strategy.branch % len(finite)]] if branches else []
    keywords = ("if", "then") if strategy.branch % 2 == 0 else ("else",)
    added += [
        node.at(node.schema[name])
        for node in schema.nodes
        for name in keywords
        if "if" in node.schema and name in node.schema
    ]
    added += schema.depending()
    return combine(*schema.nodes, *added) if added else schema


def _declared_values(schema: Combined, strategy: _Strategy) -> Iterator[Any]:
    """Yield the values that the schema itself has."""
    constants = list(schema.every("const"))
    if constants:
        yield constants[0]
    elif isinstance(schema.first("enum"), list):
        yield from schema.first("enum")
    elif strategy.use_examples:
        examples = schema.first("examples")
        yield from examples if isinstance(examples, list) else ()
        yield from schema.every("default")


def _untyped_value(schema: Combined) -> Any:
    """Return a value for a schema without a type."""
    if any(schema.first(keyword) is not None for keyword in ("pattern", "format", "minLength")):
        return _text(schema, "", 0)
    return _number(schema, "number", 0) if schema.first("minimum") is not None else "text"


def _object_value(schema: Combined, strategy: _Strategy, index: int, depth: int) -> dict[str, Any]:
    required = schema.required()
    values: dict[str, Any] = {}
    others = _undeclared(schema)
    for name, nodes in schema.properties().items():
        included = name in required or (strategy.complete and depth < _MAX_DEPTH // 2 and not combine(*nodes).cut)
        if included and all(node.schema != NEVER for node in nodes):
            values[name] = _value(nodes, replace(strategy, name=name), index, depth + 1)
    for name in sorted(required - values.keys()):
        values[name] = _value(_additional(schema), replace(strategy, name=name), index, depth + 1)
    for count in range(len(values), _to_int(schema.first("minProperties"), 0)):
        values[f"{others.name}{count + 1}"] = _value(others.nodes, strategy, count, depth + 1)
    if not values and strategy.complete and others.nodes and not schema.properties():
        values[others.name] = _value(others.nodes, strategy, index, depth + 1)
    return values


@dataclass(frozen=True, slots=True)
class _Undeclared:
    """The beginning of the names that undeclared properties may have, and the schemas of their values."""

    name: str
    nodes: tuple[Node, ...]


def _undeclared(schema: Combined) -> _Undeclared:
    names, table = schema.inner("propertyNames"), schema.inner("patternProperties")
    pattern = next(iter(table.schema), None) if table else None
    if table and pattern is not None:
        return _Undeclared(matching_text(pattern, 1, _MAX_ITEMS) or "key", (table.at(table.schema[pattern]),))
    pattern = names.schema.get("pattern") if names else None
    name = matching_text(pattern, 1, _MAX_ITEMS) if isinstance(pattern, str) else None
    return _Undeclared(name or "key", _additional(schema))


def _additional(schema: Combined) -> tuple[Node, ...]:
    inner = schema.inner("additionalProperties") or schema.inner("unevaluatedProperties")
    return (inner,) if inner else ()


def _array_value(schema: Combined, strategy: _Strategy, index: int, depth: int) -> list[Any]:
    item, contains = schema.inner("items"), schema.inner("contains")
    prefix = schema.first("prefixItems") or (schema.first("items") if isinstance(schema.first("items"), list) else [])
    minimum, maximum = _to_int(schema.first("minItems"), 0), _to_int(schema.first("maxItems"), _MAX_ITEMS)
    contained = _to_int(schema.first("minContains"), 1) if contains else 0
    optional = contained or 1 if strategy.complete and not schema.cut and (item or contains) else 0
    count = min(max(minimum, optional), maximum)
    base = schema.nodes[0]
    items: list[Node] = [*map(base.at, prefix), *([contains] * contained if contains else [])]
    items = items[: max(count, len(prefix))]
    items += [item or base.at({})] * (count - len(items))
    return [_value((node,), strategy, index + place, depth + 1) for place, node in enumerate(items)]


def _scalar(type_: str, schema: Combined, name: str, index: int) -> Any:
    if type_ == "string":
        return _text(schema, name, index)
    if type_ in {"integer", "number"}:
        named = _named_number(schema, type_, name)
        return _number(schema, type_, index) if named is None else named
    return index % 2 == 0 if type_ == "boolean" else None


def _text(schema: Combined, name: str, index: int) -> str:
    named = named_text(name) or ""
    minimum, maximum = _to_int(schema.first("minLength"), 0), _to_int(schema.first("maxLength"), _MAX_ITEMS)
    pattern = schema.first("pattern")
    if isinstance(pattern, str):
        return matching_text(pattern, minimum, maximum, named) or ""
    sample = SAMPLE_TEXTS.get(str(schema.first("format")))
    if sample is not None:
        return sample
    if named and minimum <= len(named) <= maximum:
        return named
    text = f"text{index or ''}"[:maximum]
    return text + "x" * (minimum - len(text))


def _named_number(schema: Combined, type_: str, name: str) -> float | None:
    """Return the number that a name stands for, if the bounds allow it."""
    number = named_number(name)
    if number is None or any(True for _ in schema.every("multipleOf")):
        return None
    low = max(_bounds(schema, "minimum", "exclusiveMinimum", 1), default=-math.inf)
    high = min(_bounds(schema, "maximum", "exclusiveMaximum", -1), default=math.inf)
    number = int(number) if type_ == "integer" else number
    return number if low <= number <= high else None


def _number(schema: Combined, type_: str, index: int) -> float:
    """Return the smallest number from 0 on that the bounds allow, or else the largest one."""
    step = next((item for item in schema.every("multipleOf") if item > _LEAST_STEP), 1)
    lows = _bounds(schema, "minimum", "exclusiveMinimum", step)
    highs = _bounds(schema, "maximum", "exclusiveMaximum", -step)
    low, high = max((0, *lows)), min(highs, default=math.inf)
    if type_ == "number" and lows and max(lows) > high:  # no whole number lies between the bounds
        return (
            float(
                max(_bounds(schema, "minimum", "exclusiveMinimum", 0))
                + min(_bounds(schema, "maximum", "exclusiveMaximum", 0))
            )
            / 2
        )
    start = min(low, high)
    number = math.ceil(start / step) * step + index * step
    if number > high:
        number = math.floor(high / step) * step
    if type_ == "integer" or step != 1:
        return number
    return float(start) if lows and number != start and index == 0 else number


def _bounds(schema: Combined, keyword: str, exclusive: str, step: float) -> list[float]:
    """Return the bounds of one side; draft-04 says with true that a bound is exclusive."""
    strict = schema.first(exclusive)
    bounds = [item + step if strict is True else item for item in schema.every(keyword)]
    return [*bounds, *(item + step for item in schema.every(exclusive) if not isinstance(item, bool))]


def _to_int(value: Any, default: int) -> int:
    return min(int(value), _MAX_ITEMS) if isinstance(value, int | float) and math.isfinite(value) else default
