"""The example of a JSON Schema: a simple value that it accepts, complete where possible, and always the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.payloads.base import PayloadError
from xregit.payloads.budget import MAX_VALUES, BudgetError, spend, with_budget
from xregit.payloads.json_schema.subschemas import Combined, Node, combine, root_node
from xregit.payloads.sample_texts import SAMPLE_TEXTS, matching_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.json_schema.schema import Loaded

_MAX_DEPTH = 12
_BRANCHES = 6
_MAX_ITEMS = 1000
_LEAST_STEP = 1e-12


@dataclass(frozen=True, slots=True)
class _Strategy:
    """One way to make an example: from the author's examples or not, with all properties or few, which alternative."""

    stated: bool
    complete: bool
    branch: int


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
    message = 'no example could be made of the schema; give it one under "examples"'
    raise PayloadError(message)


def _candidates(start: Node) -> Iterator[Any]:
    """Give values; one that has all parts is passed over where it would be too large.

    Raises:
        LargeError: so would be one with only what must be there.
    """
    make = with_budget(MAX_VALUES)(_value)
    for branch, complete, stated in product(range(_BRANCHES), (True, False), (True, False)):
        try:
            yield make((start,), _Strategy(stated, complete, branch), 0, 0)
        except BudgetError:
            if not complete:
                raise


def _value(nodes: tuple[Node, ...], way: _Strategy, index: int, depth: int) -> Any:
    """Return a value that satisfies the schemas; values of different ``index`` differ where they can."""
    spend()
    all_ = _with_branch(combine(*nodes), way)
    chosen = list(_declared_values(all_, way))
    if chosen:
        return chosen[index % len(chosen)]
    types = all_.types()
    type_ = next((item for item in types if item != "null"), "null" if types else "")
    if not type_ or depth > _MAX_DEPTH:
        return _untyped_value(all_) if not type_ else None
    makers: dict[str, Any] = {"object": _object_value, "array": _array_value}
    if type_ in makers:
        return makers[type_](all_, way, index, depth)
    return _scalar(type_, all_, index)


def _with_branch(all_: Combined, way: _Strategy) -> Combined:
    """Return the layers with one of the alternatives, and with what an ``if`` asks for then."""
    branches = all_.branches()
    # Where one branch leads back to what the value is inside of, another one ends it.
    ending = [node for node in branches if not combine(node).cut] or branches
    more = [ending[way.branch % len(ending)]] if branches else []
    told = ("if", "then") if way.branch % 2 == 0 else ("else",)
    more += [
        node.at(node.schema[name])
        for node in all_.nodes
        for name in told
        if "if" in node.schema and name in node.schema
    ]
    more += all_.depending()
    return combine(*all_.nodes, *more) if more else all_


def _declared_values(all_: Combined, way: _Strategy) -> Iterator[Any]:
    """Give the values that the schema itself names."""
    constants = list(all_.every("const"))
    if constants:
        yield constants[0]
    elif isinstance(all_.first("enum"), list):
        yield from all_.first("enum")
    elif way.stated:
        examples = all_.first("examples")
        yield from examples if isinstance(examples, list) else ()
        yield from all_.every("default")


def _untyped_value(all_: Combined) -> Any:
    """Return a value for a schema that states no type."""
    if all_.first("pattern") is not None or all_.first("format") is not None or all_.first("minLength") is not None:
        return _scalar("string", all_, 0)
    return _scalar("number", all_, 0) if all_.first("minimum") is not None else "text"


def _object_value(all_: Combined, way: _Strategy, index: int, depth: int) -> dict[str, Any]:
    required = all_.required()
    found: dict[str, Any] = {}
    others = _undeclared(all_)
    for name, node in all_.properties().items():
        wanted = name in required or (way.complete and depth < _MAX_DEPTH // 2 and not combine(node).cut)
        if wanted and node.schema is not False:
            found[name] = _value((node,), way, index, depth + 1)
    for name in sorted(required - found.keys()):
        found[name] = _value(_additional(all_), way, index, depth + 1)
    for count in range(len(found), _to_int(all_.first("minProperties"), 0)):
        found[f"{others.name}{count + 1}"] = _value(others.nodes, way, count, depth + 1)
    if not found and way.complete and others.nodes and not all_.properties():
        found[others.name] = _value(others.nodes, way, index, depth + 1)
    return found


@dataclass(frozen=True, slots=True)
class _Undeclared:
    """What names properties may have that nobody listed begin with, and the schemas of their values."""

    name: str
    nodes: tuple[Node, ...]


def _undeclared(all_: Combined) -> _Undeclared:
    names, table = all_.inner("propertyNames"), all_.inner("patternProperties")
    pattern = next(iter(table.schema), None) if table else None
    if table and pattern is not None:
        return _Undeclared(matching_text(pattern, 1, _MAX_ITEMS) or "key", (table.at(table.schema[pattern]),))
    stated = names.schema.get("pattern") if names else None
    name = matching_text(stated, 1, _MAX_ITEMS) if isinstance(stated, str) else None
    return _Undeclared(name or "key", _additional(all_))


def _additional(all_: Combined) -> tuple[Node, ...]:
    inner = all_.inner("additionalProperties") or all_.inner("unevaluatedProperties")
    return (inner,) if inner else ()


def _array_value(all_: Combined, way: _Strategy, index: int, depth: int) -> list[Any]:
    item, contains = all_.inner("items"), all_.inner("contains")
    first = all_.first("prefixItems") or (all_.first("items") if isinstance(all_.first("items"), list) else [])
    most, least = _to_int(all_.first("maxItems"), _MAX_ITEMS), _to_int(all_.first("minItems"), 0)
    held = _to_int(all_.first("minContains"), 1) if contains else 0
    count = min(max(least, held or 1 if way.complete and not all_.cut and (item or contains) else 0), most)
    nodes = [all_.nodes[0].at(schema) for schema in first]
    wanted: list[Node] = [*nodes, *([contains] * held if contains else [])][: max(count, len(nodes))]
    wanted += [item or all_.nodes[0].at({})] * (count - len(wanted))
    return [_value((node,), way, index + place, depth + 1) for place, node in enumerate(wanted)]


def _scalar(type_: str, all_: Combined, index: int) -> Any:
    if type_ == "string":
        return _text(all_, index)
    if type_ in {"integer", "number"}:
        return _number(all_, type_, index)
    return {"boolean": index % 2 == 0}.get(type_)


def _text(all_: Combined, index: int) -> str:
    least, most = _to_int(all_.first("minLength"), 0), _to_int(all_.first("maxLength"), _MAX_ITEMS)
    pattern = all_.first("pattern")
    if isinstance(pattern, str):
        return matching_text(pattern, least, most) or ""
    sample = SAMPLE_TEXTS.get(str(all_.first("format")))
    if sample is not None:
        return sample
    text = f"text{index or ''}"[:most]
    return text + "x" * (least - len(text))


def _number(all_: Combined, type_: str, index: int) -> float:
    """Return the smallest number from 0 on that the bounds allow, or else the largest one."""
    step = next((item for item in all_.every("multipleOf") if item > _LEAST_STEP), 1)
    least, most = _bound(all_, "minimum", "exclusiveMinimum", step), _bound(all_, "maximum", "exclusiveMaximum", -step)
    start = max((0, *least))
    if type_ == "number" and least and most and max(least) > min(most):
        return _number_between(all_)
    if most and start > min(most):
        start = min(most)
    number = math.ceil(start / step) * step + index * step
    if most and number > min(most):
        number = math.floor(min(most) / step) * step
    if type_ == "integer" or step != 1:
        return number
    return float(start) if least and number != start and index == 0 else number


def _number_between(all_: Combined) -> float:
    """Return a number between bounds that leave no whole one."""
    low = [*all_.every("minimum"), *(item for item in all_.every("exclusiveMinimum") if not isinstance(item, bool))]
    high = [*all_.every("maximum"), *(item for item in all_.every("exclusiveMaximum") if not isinstance(item, bool))]
    return float(max(low) + min(high)) / 2


def _bound(all_: Combined, keyword: str, exclusive: str, step: float) -> list[float]:
    """Return the bounds of one side; draft-04 says with true that a bound is exclusive."""
    strict = all_.first(exclusive)
    found = [item + step if strict is True else item for item in all_.every(keyword)]
    return [*found, *(item + step for item in all_.every(exclusive) if not isinstance(item, bool))]


def _to_int(value: Any, otherwise: int) -> int:
    return min(int(value), _MAX_ITEMS) if isinstance(value, int | float) and math.isfinite(value) else otherwise
