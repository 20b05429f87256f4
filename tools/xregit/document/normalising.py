"""One entity's attributes in some dialect to our names, step by step, with a note of everything that was changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.document import declaring, naming, plain, selecting
from xregit.document.changes import Change, Here, Path

if TYPE_CHECKING:
    from xregit.document.tables import Step

# Where a step works while nobody asks what it changed.
_UNASKED = Here(None, ())


def normalised(value: Mapping[str, Any], steps: Iterable[Step]) -> tuple[Mapping[str, Any], list[Change]]:
    """Return an entity's attributes after the steps, the same object where nothing changes, and what changed."""
    changes: list[Change] = []
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        if _concerns(step, result):
            made: list[Change] = []
            result = _at(result, step.at, (), step, made)
            changes += _told(made, step)
    return result, changes


def after(steps: Iterable[Step], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity's attributes after the steps, the same object where nothing changes, without any note."""
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        if _concerns(step, result):
            result = _at(result, step.at, (), step, None)
    return result


def _concerns(step: Step, value: Any) -> bool:
    """Tell whether a step may do something to a value; nearly all do nothing to nearly every value."""
    for key in step.at:
        if key == "*":
            return True
        value = value.get(key) if isinstance(value, dict) else None
    return value is not None and not (step.about and isinstance(value, dict) and value.keys().isdisjoint(step.about))


def _told(made: list[Change], step: Step) -> Iterable[Change]:
    """Return the changes that a step made as loud as it says; a form that means the same is not worth a word."""
    if step.told == "warning":
        return [replace(change, warns=True) for change in made]
    return () if step.told == "" else made


def _at(value: Any, at: tuple[str, ...], path: Path, step: Step, changes: list[Change] | None) -> Any:
    if not at:
        if step.about and isinstance(value, dict) and value.keys().isdisjoint(step.about):
            return value
        return DOES[step.do](value, step, _UNASKED if changes is None else Here(changes, path))
    result = value
    for key in _keys(value, at[0]):
        inner = _at(value[key], at[1:], (*path, key), step, changes)
        if inner is not value[key]:
            if result is value:
                result = value.copy()
            result[key] = inner
    return result


def _keys(value: Any, wanted: str) -> list[Any]:
    if isinstance(value, dict):
        return list(value) if wanted == "*" else [wanted] if wanted in value else []
    return list(range(len(value))) if isinstance(value, list) and wanted == "*" else []


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
