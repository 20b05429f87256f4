"""A JSON Schema to what it says of a value beyond its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.payloads.limits import between, counted, matching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.jsonschema.layers import Layers


def limits(all_: Layers, *types: str) -> tuple[str, ...]:
    """Return what schemas that apply at once say of values of these types: bounds, steps, patterns, lengths.

    An example is ("0 to 100", "steps of 5"). What is said of other types is left out, unless the type is "any".
    """
    asked = [say for kind, say in _SAYING if not {*kind, "any"}.isdisjoint(types)]
    return tuple(words for say in asked for words in say(all_) if words)


def _of_numbers(all_: Layers) -> Iterator[str]:
    low, above = _end(all_, "minimum", "exclusiveMinimum", max)
    high, below = _end(all_, "maximum", "exclusiveMaximum", min)
    yield between(low, high, above=above, below=below)
    yield from (f"steps of {step}" for step in _numbers(all_, "multipleOf"))


def _of_texts(all_: Layers) -> Iterator[str]:
    yield _count(all_, "Length", "characters", "character")
    yield from matching(all_.every("pattern"))


def _of_lists(all_: Layers) -> Iterator[str]:
    yield _count(all_, "Items", "entries", "entry")
    yield "no entry twice" if True in all_.every("uniqueItems") else ""


def _of_objects(all_: Layers) -> Iterator[str]:
    yield _count(all_, "Properties", "properties", "property")


_SAYING = (
    (("integer", "number"), _of_numbers),
    (("string",), _of_texts),
    (("array",), _of_lists),
    (("object",), _of_objects),
)


def _count(all_: Layers, ending: str, what: str, one: str) -> str:
    least, most = _numbers(all_, f"min{ending}"), _numbers(all_, f"max{ending}")
    return counted(max(least, default=None), min(most, default=None), what, one)


def _end(all_: Layers, keyword: str, exclusive: str, stricter: Any) -> tuple[Any, bool]:
    """Return one end of the range, and whether it is outside; draft 4 says the latter with true beside the former."""
    inside = stricter(_numbers(all_, keyword), default=None)
    outside = stricter(_numbers(all_, exclusive), default=None)
    if outside is None:
        return inside, inside is not None and True in all_.every(exclusive)
    if inside is None or stricter(inside, outside) == outside:
        return outside, True
    return inside, False


def _numbers(all_: Layers, keyword: str) -> list[int | float]:
    return [found for found in all_.every(keyword) if isinstance(found, int | float) and not isinstance(found, bool)]
