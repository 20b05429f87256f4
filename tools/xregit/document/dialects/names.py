"""Conversion steps that name and place attributes.

Each returns the object as it becomes, the same one where nothing changes. The steps are data (``*.yaml``); nothing here
knows an attribute by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.document.dialects.changes import StepContext, convert_attributes, hoist_members, note_join
from xregit.json_pointer import unescape
from xregit.model import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.document.profiles import Step


def rename(target: Any, step: Step, here: StepContext) -> Any:
    """Give an attribute its name; said twice with the same value it is said once."""
    if not isinstance(target, dict) or step.names.keys().isdisjoint(target):
        return target
    result = dict(target)
    for old, new in step.names.items():
        if old not in result:
            continue
        if new not in result:
            result = with_name(result, old, new)
            here.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
        else:
            note_join(here, old, new, same=result.pop(old) == result[new])
    return result


def with_name(target: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return an object with one attribute under another name, in its place."""
    return {new if name == old else name: value for name, value in target.items()}


def lower_names(target: Any, step: Step, here: StepContext) -> Any:
    """Write names in lower case that a release wrote in camel case."""
    result = target
    for name in [name for name in target if name not in step.names and name.lower() in step.names]:
        lower = name.lower()
        if lower in result:
            note_join(here, name, lower, same=result[name] == result[lower])
            result = {key: value for key, value in result.items() if key != name}
        else:
            here.note(name, f'"{name}" is read as "{lower}"', ((lower,), (name,)))
            result = with_name(result, name, lower)
    return result


def drop(target: Any, step: Step, here: StepContext) -> Any:
    """Leave out attributes, always or where they have one of the values."""
    if not isinstance(target, dict):
        return target
    gone = [name for name in step.names if name in target]
    gone += [name for name, values in step.values.items() if name in target and target[name] in values]
    for name in gone:
        here.note(name, f'"{name}" is left out')
    return {name: value for name, value in target.items() if name not in gone} if gone else target


def spell_selectors(target: Any, step: Step, here: StepContext) -> Any:
    """Spell selectors as their specification does."""
    result = target
    for name, selector in step.names.items():
        written = target.get(name) if isinstance(target, dict) else None
        if isinstance(written, str) and canonical(selector, written) != written:
            here.note(name, f'the {name} "{written}" is read as "{canonical(selector, written)}"')
            result = {**result, name: canonical(selector, written)}
    return result


def wrap_in_list(target: Any, step: Step, here: StepContext) -> Any:
    """Make a list of a value that stands alone."""
    alone = [name for name in step.names if isinstance(target, dict) and name in target]
    alone = [name for name in alone if not isinstance(target[name], list) and target[name] is not None]
    for name in alone:
        here.note(name, f'"{name}" is read as a list')
    return {**target, **{name: [target[name]] for name in alone}} if alone else target


def move(target: Any, step: Step, here: StepContext) -> Any:
    """Move an attribute into an object beside it."""
    result = target
    for name, into in step.names.items():
        if not isinstance(result, dict) or name not in result:
            continue
        inner = result.get(into, {})
        if not isinstance(inner, dict):
            continue
        if name in inner:
            note_join(here, name, f"{into}.{name}", same=inner[name] == result[name])
        else:
            here.note(name, f'"{name}" is moved into "{into}"', ((into, name), (name,)))
        moved = {into: {name: result[name], **inner}}
        result = {key: value for key, value in {**result, **moved}.items() if key != name}
    return result


def hoist(target: Any, step: Step, here: StepContext) -> Any:
    """Put the members of an inner object in its place."""
    result = target
    for name in step.names:
        inner = result.get(name) if isinstance(result, dict) else None
        if isinstance(inner, dict):
            result = hoist_members(result, name, inner, here)
    return result


def pointers_to_xids(target: Any, step: Step, here: StepContext) -> Any:
    """Write a pointer into the document as the xid that it means."""
    return convert_attributes(
        target,
        step,
        here,
        lambda written: _map_values(written, _pointer_xid),
        'a "#/" reference in "{}" is read as an xid',
    )


def update_collections(target: Any, step: Step, here: StepContext) -> Any:
    """Write references with the present names of collections; ``values`` holds the former names of each."""
    told = 'a reference in "{}" is read with the present names of collections'
    return convert_attributes(
        target, step, here, lambda written: _map_values(written, lambda item: _with_collections(item, step)), told
    )


def _map_values(written: Any, read: Callable[[Any], Any]) -> Any:
    return [read(item) for item in written] if isinstance(written, list) else read(written)


def _with_collections(written: Any, step: Step) -> Any:
    """Return a reference ``/<GROUPS>/<GID>/<RESOURCES>/…``, or the same with ``#``, with its collections renamed."""
    if not isinstance(written, str) or not written.removeprefix("#").startswith("/"):
        return written
    parts = written.split("/")
    for place in (1, 3):
        if place < len(parts):
            lower = parts[place].lower()
            parts[place] = next((new for new, olds in step.values.items() if lower in (new, *olds)), parts[place])
    return "/".join(parts)


def _pointer_xid(written: Any) -> Any:
    if not isinstance(written, str) or not written.startswith("#/"):
        return written
    return unescape(written[1:])


def borrow_pointer(target: Any, step: Step, here: StepContext) -> Any:
    """Read a lone pointer as what stands for another entity."""
    for old, new in step.names.items():
        pointer = target.get(old) if isinstance(target, dict) else None
        if isinstance(pointer, str) and pointer.startswith("#/") and new not in target:
            here.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
            return {new if name == old else name: value for name, value in target.items()}
    return target
