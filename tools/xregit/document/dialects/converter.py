"""The converter of one entity's attributes between dialects, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from xregit.document.dialects import steps
from xregit.document.dialects.steps import Conversion, StepContext
from xregit.document.profiles import Step
from xregit.json_pointer import KeyPath


def convert(value: Mapping[str, Any], listed: Iterable[Step]) -> tuple[Mapping[str, Any], list[Conversion]]:
    """Return an entity's attributes after the steps, the same object where nothing changes, and the changes."""
    changes: list[Conversion] = []
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in listed:
        step_changes: list[Conversion] = []
        result = _apply_at(result, step.at, (), step, step_changes)
        if step.severity == "warning":
            changes += [replace(change, warns=True) for change in step_changes]
        elif step.severity == "info":
            changes += step_changes
    return result, changes


def apply_steps(listed: Iterable[Step], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity's attributes after the steps, the same object where nothing changes, without any note."""
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in listed:
        result = _apply_at(result, step.at, (), step, None)
    return result


def _apply_at(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Conversion] | None) -> Any:
    """Return a value after a step below a path, the same object where it does nothing, as nearly everywhere."""
    if not at:
        if value is None or (step.attributes and isinstance(value, dict) and value.keys().isdisjoint(step.attributes)):
            return value
        return getattr(steps, step.do)(value, step, StepContext(changes, path))
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
