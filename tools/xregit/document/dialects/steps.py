"""Conversion steps for attributes and selectors, and the changes that steps record.

Each step returns the object after the step, the same one where nothing changes. The steps are data (``*.yaml``);
nothing here knows an attribute by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from xregit.catalog.origin import original_pointer
from xregit.document.profiles import Step
from xregit.json_pointer import KeyPath, unescape
from xregit.model import canonical, find_name

Move = tuple[KeyPath, KeyPath]
NO_MOVES: Mapping[KeyPath, KeyPath] = MappingProxyType({})
FORMAT = "format"


@dataclass(frozen=True, slots=True)
class Conversion:
    """A change at a path of the entity; a ``conflict`` could not be resolved.

    ``moves`` are pairs of a new path and the one from which its value was moved; a change that ``warns`` may not be
    what the author meant.
    """

    path: KeyPath
    message: str
    conflict: bool = False
    moves: tuple[Move, ...] = ()
    warns: bool = False


@dataclass(frozen=True, slots=True)
class StepContext:
    """The path at which a step works, and all changes so far; None where nobody needs them."""

    changes: list[Conversion] | None
    path: KeyPath

    def note(self, name: str | int, message: str, *moves: Move) -> None:
        """Record a change; the paths of moves start here."""
        if self.changes is None:
            return
        absolute = tuple(((*self.path, *new), (*self.path, *old)) for new, old in moves)
        self.changes.append(Conversion((*self.path, name), message, moves=absolute))

    def note_duplicate(self, old: str, new: str, *, same: bool) -> None:
        """Record that an attribute is stated under two names, with the same value or not."""
        if same:
            self.note(old, f'"{old}" repeats "{new}" and is left out')
        elif self.changes is not None:
            message = f'"{old}" and "{new}" are two names of one attribute, and their values differ'
            self.changes.append(Conversion((*self.path, old), message, conflict=True))


def trace_paths(changes: Iterable[Conversion]) -> tuple[list[Conversion], Mapping[KeyPath, KeyPath]]:
    """Return changes at the paths as written, and the path as written of everything that was moved."""
    places: dict[KeyPath, KeyPath] = {}
    traced = []
    for change in changes:
        traced.append(replace(change, path=original_pointer(change.path, places), moves=()) if places else change)
        places |= {new: original_pointer(old, places) for new, old in change.moves}
    return traced, places


def without(target: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return an object without some of its members."""
    return {name: value for name, value in target.items() if name not in names}


def with_name(target: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return an object with one attribute under another name, in its place."""
    return {new if name == old else name: value for name, value in target.items()}


def hoist_members(target: dict[str, Any], name: str, inner: dict[str, Any], context: StepContext) -> dict[str, Any]:
    """Return an object with the members of an inner object in its place."""
    context.note(name, f'the members of "{name}" are moved out of it', *(((key,), (name, key)) for key in inner))
    result = without(target, name)
    for key, value in inner.items():
        if key in result:
            context.note_duplicate(f"{name}.{key}", key, same=result[key] == value)
        else:
            result[key] = value
    return result


def convert_attributes(
    target: Any, step: Step, context: StepContext, function: Callable[[Any], Any], message: str
) -> Any:
    """Return an object with the function applied to the step's attributes; the message is noted for each change."""
    result = target
    for name in step.names:
        old = target.get(name) if isinstance(target, dict) else None
        new = function(old)
        if new != old:
            context.note(name, message.format(name))
            result = {**result, name: new}
    return result


def rename(target: Any, step: Step, context: StepContext) -> Any:
    """Rename attributes; one that is stated under both names with the same value is stated once."""
    if not isinstance(target, dict) or step.names.keys().isdisjoint(target):
        return target
    result = dict(target)
    for old, new in step.names.items():
        if old not in result:
            continue
        if new not in result:
            result = with_name(result, old, new)
            context.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
        else:
            context.note_duplicate(old, new, same=result.pop(old) == result[new])
    return result


def lower_names(target: Any, step: Step, context: StepContext) -> Any:
    """Write names in lower case that a release wrote in camel case."""
    result = target
    for name in [name for name in target if name not in step.names and name.lower() in step.names]:
        lower = name.lower()
        if lower in result:
            context.note_duplicate(name, lower, same=result[name] == result[lower])
            result = without(result, name)
        else:
            context.note(name, f'"{name}" is read as "{lower}"', ((lower,), (name,)))
            result = with_name(result, name, lower)
    return result


def drop(target: Any, step: Step, context: StepContext) -> Any:
    """Leave out attributes, always or where they have one of the values."""
    if not isinstance(target, dict):
        return target
    names = [name for name in step.names if name in target]
    names += [name for name, values in step.values.items() if name in target and target[name] in values]
    for name in names:
        context.note(name, f'"{name}" is left out')
    return without(target, *names) if names else target


def drop_unfit(target: Any, step: Step, context: StepContext) -> Any:
    """Leave out an attribute where another one beside it has a value that it doesn't fit."""
    result = target
    for name, other in step.names.items():
        if isinstance(result, dict) and name in result and result.get(other) in step.values.get(other, ()):
            context.note(name, f'"{name}" is left out, since "{other}" is {result[other]}')
            result = without(result, name)
    return result


def wrap_in_list(target: Any, step: Step, context: StepContext) -> Any:
    """Make a list of a value that stands alone."""
    names = [name for name in step.names if isinstance(target, dict) and target.get(name) is not None]
    names = [name for name in names if not isinstance(target[name], list)]
    for name in names:
        context.note(name, f'"{name}" is read as a list')
    return {**target, **{name: [target[name]] for name in names}} if names else target


def move(target: Any, step: Step, context: StepContext) -> Any:
    """Move an attribute into an object beside it."""
    result = target
    for name, into in step.names.items():
        inner = result.get(into, {}) if isinstance(result, dict) and name in result else None
        if not isinstance(inner, dict):
            continue
        if name in inner:
            context.note_duplicate(name, f"{into}.{name}", same=inner[name] == result[name])
        else:
            context.note(name, f'"{name}" is moved into "{into}"', ((into, name), (name,)))
        result = without({**result, into: {name: result[name], **inner}}, name)
    return result


def copy_out(target: Any, step: Step, context: StepContext) -> Any:  # noqa: ARG001 - steps have one signature
    """State an attribute of an object beside that object too."""
    result = target
    for name, holder in step.names.items():
        inner = target.get(holder)
        if isinstance(inner, dict) and name in inner and name not in result:
            result = {**result, name: inner[name]}
    return result


def copy_into(target: Any, step: Step, context: StepContext) -> Any:  # noqa: ARG001 - steps have one signature
    """State an attribute in an object beside it too."""
    result = target
    for name, into in step.names.items():
        inner = result.get(into, {})
        if name in target and isinstance(inner, dict) and name not in inner:
            result = {**result, into: {**inner, name: target[name]}}
    return result


def hoist(target: Any, step: Step, context: StepContext) -> Any:
    """Put the members of an inner object in its place."""
    result = target
    for name in step.names:
        inner = result.get(name) if isinstance(result, dict) else None
        if isinstance(inner, dict):
            result = hoist_members(result, name, inner, context)
    return result


def lift(target: Any, step: Step, context: StepContext) -> Any:
    """Take an attribute out of the object in which it stands."""
    result = target
    for name, holder in step.names.items():
        inner = result.get(holder)
        if not isinstance(inner, dict) or name not in inner:
            continue
        if name in result:
            same = canonical(name, str(result[name])) == canonical(name, str(inner[name]))
            context.note_duplicate(f"{holder}.{name}", name, same=same)
        else:
            context.note(holder, f'"{name}" is moved out of "{holder}"', ((name,), (holder, name)))
        result = {name: inner[name], **result, holder: without(inner, name)}
    return result


def pointers_to_xids(target: Any, step: Step, context: StepContext) -> Any:
    """Write a pointer into the document as the xid that it stands for."""

    def xid(reference: Any) -> Any:
        is_pointer = isinstance(reference, str) and reference.startswith("#/")
        return unescape(reference[1:]) if is_pointer else reference

    message = 'a "#/" reference in "{}" is read as an xid'
    return convert_attributes(target, step, context, lambda value: _map_items(value, xid), message)


def update_collections(target: Any, step: Step, context: StepContext) -> Any:
    """Write references with the present names of collections; ``values`` holds the former names of each.

    A reference is ``/<GROUPS>/<GID>/<RESOURCES>/…``, or the same with ``#``.
    """

    def with_collections(reference: Any) -> Any:
        if not isinstance(reference, str) or not reference.removeprefix("#").startswith("/"):
            return reference
        parts = reference.split("/")
        for place in (1, 3):
            if place < len(parts):
                lower = parts[place].lower()
                parts[place] = next((new for new, olds in step.values.items() if lower in (new, *olds)), parts[place])
        return "/".join(parts)

    message = 'a reference in "{}" is read with the present names of collections'
    return convert_attributes(target, step, context, lambda value: _map_items(value, with_collections), message)


def _map_items(value: Any, function: Callable[[Any], Any]) -> Any:
    return [function(item) for item in value] if isinstance(value, list) else function(value)


def borrow_pointer(target: Any, step: Step, context: StepContext) -> Any:
    """Read a lone pointer as a reference to another entity that stands in this one's place."""
    for old, new in step.names.items():
        pointer = target.get(old) if isinstance(target, dict) else None
        if isinstance(pointer, str) and pointer.startswith("#/") and new not in target:
            context.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
            return with_name(target, old, new)
    return target


def spell_selectors(target: Any, step: Step, context: StepContext) -> Any:
    """Spell selectors as their specification does."""
    result = target
    for name, selector in step.names.items():
        value = target.get(name) if isinstance(target, dict) else None
        if isinstance(value, str) and canonical(selector, value) != value:
            context.note(name, f'the {name} "{value}" is read as "{canonical(selector, value)}"')
            result = {**result, name: canonical(selector, value)}
    return result


def split_selector(target: Any, step: Step, context: StepContext) -> Any:
    """Rename a selector by its value: ``format`` was an envelope, a protocol or a format."""
    result = target
    for name, usual in step.names.items():
        value = target.get(name)
        if not isinstance(value, str) or find_name(FORMAT, value) is not None:
            continue
        new = next((other for other in step.values.get(name, ()) if find_name(other, value) is not None), usual)
        if new in result:
            same = isinstance(result[new], str) and canonical(new, result[new]) == canonical(new, value)
            context.note_duplicate(name, new, same=same)
            result = without(result, name)
        else:
            context.note(name, f'"{name}" is read as "{new}"', ((new,), (name,)))
            result = with_name(result, name, new)
    return result


def lift_key(target: Any, step: Step, context: StepContext) -> Any:
    """Take the one key of an object as a selector's value, and its value as what is selected."""
    result = target
    for name, selector in step.names.items():
        inner = result.get(name)
        if not isinstance(inner, dict) or len(inner) != 1 or selector in result:
            continue
        ((key, members),) = inner.items()
        into = next(iter(step.values.get(name, ())), "")
        if not isinstance(members, dict) or into in result:
            continue
        context.note(name, f'"{key}" in "{name}" is read as the {selector}', ((into or name,), (name, key)))
        result = {**without(result, name), selector: key, **({into: members} if into else {})}
        if not into:
            result = hoist_members({**result, name: members}, name, members, context)
    return result


def add_defaults(target: Any, step: Step, context: StepContext) -> Any:
    """State an option that is left out by the release's default, which depends on whether ``names`` is a text or list.

    ``values`` has the default of each option beside a text, then that beside a list.
    """
    result = target
    for name, holder in step.names.items():
        options = result.get(holder)
        if not isinstance(target.get(name), str | list) or not isinstance(options, dict):
            continue
        is_list = isinstance(target[name], list)
        defaults = {key: values[is_list] for key, values in step.values.items() if key not in options}
        if defaults:
            text = ", ".join(f'"{key}": {str(value).lower()}' for key, value in defaults.items())
            context.note(holder, f'what is not said in "{holder}" is read as {text}')
            result = {**result, holder: {**options, **defaults}}
    return result
