"""A model's attributes to the same after a profile's steps, so that the model served fits the documents.

What a step does to values, it does here to the definitions of the same attributes; steps that only move or merge
values leave the model alone, and what they make of it is laid over as data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.document.tables import Step

Attributes = Mapping[str, Any]
# A selector of clauses must be an attribute of the model; usages are none, so both names stay.
UNCLAUSED = "usage"


def remodelled(attributes: Attributes, steps: Iterable[Step]) -> Attributes:
    """Return the definitions of an entity's attributes after the steps."""
    for step in steps:
        if step.do in CHANGES:
            attributes = _at(attributes, step)
    return attributes


def laid_over(value: Any, over: Any) -> Any:
    """Return a value with another laid over it; a null there takes an attribute away."""
    if not isinstance(value, Mapping) or not isinstance(over, Mapping):
        return over
    merged = {name: laid_over(value.get(name), item) if name in value else item for name, item in over.items()}
    return {name: item for name, item in {**value, **merged}.items() if item is not None}


def _at(attributes: Attributes, step: Step) -> Attributes:
    """Change the attributes to which the step's path leads, also in the clauses of the selectors it depends on."""
    result = {name: _in_clauses(attribute, step) for name, attribute in attributes.items()}
    if step.when.keys() - {UNCLAUSED}:
        return result
    if not step.at:
        return CHANGES[step.do](result, step)
    names = list(result) if step.at[0] == "*" else [step.at[0]]
    below = replace(step, at=step.at[1:])
    return {**result, **{name: _below(result[name], below) for name in names if name in result}}


def _below(attribute: Any, step: Step) -> Any:
    """Change what stands below an attribute: the members of an object, the items of a list or map."""
    if not isinstance(attribute, Mapping):
        return attribute
    if "attributes" in attribute:
        return {**attribute, "attributes": _at(attribute["attributes"], step)}
    if "item" in attribute and (not step.at or step.at[0] == "*"):
        return {**attribute, "item": _below(attribute["item"], replace(step, at=step.at[1:]))}
    return attribute


def _in_clauses(attribute: Any, step: Step) -> Any:
    """Change siblings in those clauses of an attribute for which the step holds."""
    clauses = attribute.get("ifvalues") if isinstance(attribute, Mapping) else None
    if not clauses:
        return attribute
    selecting = {name: values for name, values in step.when.items() if name != UNCLAUSED}
    wanted = set(chain.from_iterable(selecting.values())) or clauses.keys()
    left = {name: values for name, values in step.when.items() if name == UNCLAUSED}
    inner = replace(step, when=left or NOTHING)
    changed = {
        value: {**clause, "siblingattributes": _at(clause.get("siblingattributes", {}), inner)}
        for value, clause in clauses.items()
        if value in wanted
    }
    return {**attribute, "ifvalues": {**clauses, **changed}}


def _renamed(attributes: Attributes, step: Step) -> Attributes:
    """Rename, or have both where only some entities have the new name."""
    result: dict[str, Any] = {}
    for name, attribute in attributes.items():
        if name not in step.names or step.when:
            result[name] = attribute
        if name in step.names:
            result[step.names[name]] = attribute
    return result


def _bare(attributes: Attributes, step: Step) -> Attributes:
    """Give attributes that may be a value or a property the type of the value."""
    return {
        name: {**attribute, "type": step.names[name]}
        if name in step.names and attribute.get("type") == "any"
        else attribute
        for name, attribute in attributes.items()
    }


def _texts(attributes: Attributes, step: Step) -> Attributes:
    return {
        name: {**attribute, "type": "string"} if name in step.names else attribute
        for name, attribute in attributes.items()
    }


def _without(attributes: Attributes, step: Step) -> Attributes:
    return {name: attribute for name, attribute in attributes.items() if name not in step.names}


def _narrowed(attributes: Attributes, step: Step) -> Attributes:
    """Take the types that are written otherwise from those that a declaration may name, at any depth."""
    result = {name: _narrowed_below(attribute, step) for name, attribute in attributes.items()}
    kinds = result.get("type", {})
    if isinstance(kinds.get("enum"), list):
        result["type"] = {**kinds, "enum": [kind for kind in kinds["enum"] if kind not in step.names]}
    return result


def _narrowed_below(attribute: Mapping[str, Any], step: Step) -> Mapping[str, Any]:
    if "attributes" in attribute:
        return {**attribute, "attributes": _narrowed(attribute["attributes"], step)}
    if "item" in attribute:
        return {**attribute, "item": _narrowed_below(attribute["item"], step)}
    return attribute


CHANGES: Mapping[str, Callable[[Attributes, Step], Attributes]] = {
    "rename": _renamed,
    "bare-values": _bare,
    "texts": _texts,
    "drop": _without,
    "declarations": _narrowed,
}
