"""The converter of one entity's attributes between dialects, step by step, with a note of every change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.document.dialects import declaration_steps, steps
from xregit.document.dialects.steps import Conversion, StepContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xregit.document.profiles import Step
    from xregit.json_pointer import KeyPath


def convert(value: Mapping[str, Any], steps: Iterable[Step]) -> tuple[Mapping[str, Any], list[Conversion]]:
    """Return an entity's attributes after the steps, the same object where nothing changes, and the changes."""
    changes: list[Conversion] = []
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        step_changes: list[Conversion] = []
        result = _apply_at(result, step.at, (), step, step_changes)
        if step.severity == "warning":
            changes += [replace(change, warns=True) for change in step_changes]
        elif step.severity == "info":
            changes += step_changes
    return result, changes


def apply_steps(steps: Iterable[Step], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity's attributes after the steps, the same object where nothing changes, without any note."""
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        result = _apply_at(result, step.at, (), step, None)
    return result


def _apply_at(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Conversion] | None) -> Any:
    """Return a value after a step below a path, the same object where it does nothing, as nearly everywhere."""
    if not at:
        if value is None or (step.attributes and isinstance(value, dict) and value.keys().isdisjoint(step.attributes)):
            return value
        return STEPS[step.do](value, step, StepContext(changes, path))
    name, below = at[0], at[1:]
    if name != "*":
        if not isinstance(value, dict) or name not in value:
            return value
        inner = _apply_at(value[name], below, (*path, name), step, changes)
        return value if inner is value[name] else {**value, name: inner}
    result = value
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        inner = _apply_at(value[key], below, (*path, key), step, changes)
        if inner is not value[key]:
            result = value.copy() if result is value else result
            result[key] = inner
    return result


STEPS: Mapping[str, Callable[[Any, Step, StepContext], Any]] = {
    "rename": steps.rename,
    "drop": steps.drop,
    "canonical": steps.spell_selectors,
    "list": steps.wrap_in_list,
    "move": steps.move,
    "copy-out": steps.copy_out,
    "copy-into": steps.copy_into,
    "hoist": steps.hoist,
    "hoist-declarations": declaration_steps.hoist_declarations,
    "move-declarations": declaration_steps.move_declarations,
    "reference": steps.pointers_to_xids,
    "borrow": steps.borrow_pointer,
    "object": declaration_steps.strings_to_objects,
    "scatter": declaration_steps.split_hosts,
    "typed": declaration_steps.rename_types,
    "bare": declaration_steps.unwrap_values,
    "lower": steps.lower_names,
    "address": steps.update_collections,
    "select": steps.split_selector,
    "unkey": steps.lift_key,
    "lift": steps.lift,
    "assume": steps.add_defaults,
    "unfit": steps.drop_unfit,
    "template": declaration_steps.add_template_types,
    "spread": declaration_steps.objects_to_entries,
    "entries": declaration_steps.map_to_entries,
    "keyed": declaration_steps.list_to_map,
    "named": declaration_steps.add_names,
    "unnamed": declaration_steps.drop_names,
    "declarations": declaration_steps.modernize_declarations,
    "bare-values": declaration_steps.unwrap_declarations,
    "texts": declaration_steps.values_to_text,
    "servers": declaration_steps.join_hosts,
}
