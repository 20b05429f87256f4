"""The converter of one entity's attributes to our names, step by step, with a note of every change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.document.dialects import declarations, names, selectors
from xregit.document.dialects.changes import Conversion, StepContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xregit.document.profiles import Step
    from xregit.json_pointer import KeyPath


# For steps whose changes nobody asks for.
_UNASKED = StepContext(None, ())


def convert(value: Mapping[str, Any], steps: Iterable[Step]) -> tuple[Mapping[str, Any], list[Conversion]]:
    """Return an entity's attributes after the steps, the same object where nothing changes, and what changed."""
    changes: list[Conversion] = []
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        made: list[Conversion] = []
        result = _apply_at(result, step.at, (), step, made)
        changes += _changes_of_step(made, step)
    return result, changes


def apply_steps(steps: Iterable[Step], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity's attributes after the steps, the same object where nothing changes, without any note."""
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        result = _apply_at(result, step.at, (), step, None)
    return result


def _changes_of_step(made: list[Conversion], step: Step) -> Iterable[Conversion]:
    """Return the changes of a step as warnings or remarks, as the step says; none if it only changes the form."""
    if step.told == "warning":
        return [replace(change, warns=True) for change in made]
    return () if step.told == "" else made


def _apply_at(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Conversion] | None) -> Any:
    """Return a value after a step below a path, the same object where it does nothing, as nearly everywhere."""
    if not at:
        if value is None or (step.about and isinstance(value, dict) and value.keys().isdisjoint(step.about)):
            return value
        return DOES[step.do](value, step, _UNASKED if changes is None else StepContext(changes, path))
    key, below = at[0], at[1:]
    if key == "*":
        return _apply_at_each(value, below, path, step, changes)
    if not isinstance(value, dict) or key not in value:
        return value
    inner = _apply_at(value[key], below, (*path, key), step, changes)
    return value if inner is value[key] else {**value, key: inner}


def _apply_at_each(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Conversion] | None) -> Any:
    result = value
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        inner = _apply_at(value[key], at, (*path, key), step, changes)
        if inner is not value[key]:
            if result is value:
                result = value.copy()
            result[key] = inner
    return result


DOES: Mapping[str, Callable[[Any, Step, StepContext], Any]] = {
    "rename": names.rename,
    "drop": names.drop,
    "canonical": names.spell_selectors,
    "list": names.wrap_in_list,
    "move": names.move,
    "hoist": names.hoist,
    "hoist-declarations": declarations.hoist_declarations,
    "move-declarations": declarations.move_declarations,
    "reference": names.pointers_to_xids,
    "borrow": names.borrow_pointer,
    "object": declarations.strings_to_objects,
    "scatter": declarations.split_hosts,
    "typed": declarations.rename_types,
    "bare": declarations.unwrap_values,
    "lower": names.lower_names,
    "address": names.update_collections,
    "select": selectors.split_selector,
    "unkey": selectors.lift_key,
    "lift": selectors.lift,
    "assume": selectors.add_defaults,
    "unfit": selectors.drop_unfit,
    "template": declarations.add_template_types,
    "spread": declarations.objects_to_entries,
    "entries": declarations.map_to_entries,
    "keyed": declarations.list_to_map,
    "named": declarations.add_names,
    "unnamed": declarations.drop_names,
    "declarations": declarations.modernize_declarations,
    "bare-values": declarations.bare_values,
    "texts": declarations.values_to_text,
    "servers": declarations.join_hosts,
}
