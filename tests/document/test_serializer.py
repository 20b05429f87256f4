"""Attributes in the model's order, with defaults filled in or left out."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from xregit.document.serializer import Arranger
from xregit.model.language import AttributeModel

LEVEL = AttributeModel("level", "integer", required=True, default=1)
INNER = {"level": LEVEL, "note": AttributeModel("note")}
KIND = AttributeModel("kind", ifvalues={"box": {"size": AttributeModel("size", "object", attributes=INNER)}})
ATTRIBUTES = {
    "kind": KIND,
    "level": LEVEL,
    "parts": AttributeModel("parts", "map", item=AttributeModel("", "object", attributes=INNER)),
    "list": AttributeModel("list", "array", item=AttributeModel("", "object", attributes=INNER)),
    "*": AttributeModel("*", "any"),
}
OBJECTS = st.fixed_dictionaries({}, optional={"level": st.sampled_from([1, 2, True]), "note": st.text(max_size=2)})
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "other": st.integers(),
        "list": st.lists(OBJECTS, max_size=2) | st.none(),
        "parts": st.dictionaries(st.sampled_from("ab"), OBJECTS, max_size=2),
        "size": OBJECTS | st.integers(),
        "level": st.sampled_from([1, 2]),
        "kind": st.sampled_from(["box", "bag"]),
    },
)


def filled(value: dict[str, Any], inherited: dict[str, Any] | None) -> dict[str, Any]:
    """Fill defaults in."""
    return Arranger(defaults=True).arrange(ATTRIBUTES, value, inherited)


def reduced(value: dict[str, Any], inherited: dict[str, Any] | None) -> dict[str, Any]:
    """Leave defaults out."""
    return Arranger(defaults=False).arrange(ATTRIBUTES, value, inherited)


def test_order_is_the_models() -> None:
    """Attributes stand in the model's order, those of a selector's value right after it, unknown ones last."""
    value = {"other": 1, "parts": {}, "size": {"note": "", "level": 2}, "level": 3, "kind": "box"}
    result = filled(value, {})
    assert list(result) == ["kind", "size", "level", "parts", "other"]
    assert list(result["size"]) == ["level", "note"]


def test_base_comes_before_the_default() -> None:
    """What the base message states is filled in, and left out, in the default's place."""
    base = {"level": 5, "parts": {"a": {"level": 7}}}
    value: dict[str, Any] = {"parts": {"a": {}, "b": {}}}
    whole = {"level": 5, "parts": {"a": {"level": 7}, "b": {"level": 1}}}
    assert filled(value, base) == whole
    assert reduced(whole, base) == value


def test_unknown_base_leaves_everything_alone() -> None:
    """Where the base is not known, nothing is filled in and nothing left out."""
    assert filled({"parts": {"a": {}}}, None) == {"parts": {"a": {}}}
    assert reduced({"level": 1}, None) == {"level": 1}


@given(VALUES, VALUES | st.none())
def test_filling_in_undoes_leaving_out(value: dict[str, Any], base: dict[str, Any] | None) -> None:
    """What was left out comes back, to the same value in the same order, whatever the value."""
    whole = filled(value, base)
    assert list(filled(reduced(whole, base), base).items()) == list(whole.items())
    assert filled(whole, base) == whole
