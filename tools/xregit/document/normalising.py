"""One entity's attributes in some dialect to our names, step by step, with a note of everything that was changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.document import declaring, naming, plain, selecting
from xregit.document.changes import Change, Here

if TYPE_CHECKING:
    from xregit.document.tables import Step
    from xregit.keypaths import KeyPath

# For steps whose changes nobody asks for.
_UNASKED = Here(None, ())


def normalised(value: Mapping[str, Any], steps: Iterable[Step]) -> tuple[Mapping[str, Any], list[Change]]:
    """Return an entity's attributes after the steps, the same object where nothing changes, and what changed."""
    changes: list[Change] = []
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        made: list[Change] = []
        result = _at(result, step.at, (), step, made)
        changes += _told(made, step)
    return result, changes


def after(steps: Iterable[Step], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity's attributes after the steps, the same object where nothing changes, without any note."""
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        result = _at(result, step.at, (), step, None)
    return result


def _told(made: list[Change], step: Step) -> Iterable[Change]:
    """Return the changes of a step as warnings or remarks, as the step says; none if it only changes the form."""
    if step.told == "warning":
        return [replace(change, warns=True) for change in made]
    return () if step.told == "" else made


def _at(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Change] | None) -> Any:
    """Return a value after a step below a path, the same object where it does nothing, as nearly everywhere."""
    if not at:
        if value is None or (step.about and isinstance(value, dict) and value.keys().isdisjoint(step.about)):
            return value
        return DOES[step.do](value, step, _UNASKED if changes is None else Here(changes, path))
    key, below = at[0], at[1:]
    if key == "*":
        return _at_each(value, below, path, step, changes)
    if not isinstance(value, dict) or key not in value:
        return value
    inner = _at(value[key], below, (*path, key), step, changes)
    return value if inner is value[key] else {**value, key: inner}


def _at_each(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Change] | None) -> Any:
    result = value
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        inner = _at(value[key], at, (*path, key), step, changes)
        if inner is not value[key]:
            if result is value:
                result = value.copy()
            result[key] = inner
    return result


DOES: Mapping[str, Callable[[Any, Step, Here], Any]] = {
    "rename": naming.renamed,
    "drop": naming.dropped,
    "canonical": naming.canonically,
    "list": naming.listed,
    "move": naming.moved,
    "hoist": naming.hoisted_members,
    "hoist-declarations": declaring.hoisted_declarations,
    "move-declarations": declaring.moved_declarations,
    "reference": naming.references,
    "borrow": naming.borrowed,
    "object": declaring.objects,
    "scatter": declaring.scattered,
    "typed": declaring.typed,
    "bare": declaring.bare,
    "lower": naming.lowered,
    "address": naming.addressed,
    "select": selecting.selected,
    "unkey": selecting.unkeyed,
    "lift": selecting.lifted,
    "assume": selecting.assumed,
    "unfit": selecting.left_out_beside,
    "template": declaring.templates,
    "spread": declaring.spread,
    "entries": declaring.entries,
    "keyed": declaring.keyed,
    "named": declaring.named,
    "unnamed": declaring.unnamed,
    "declarations": declaring.declarations,
    "bare-values": plain.bare_values,
    "texts": plain.texts,
    "servers": plain.servers,
}
