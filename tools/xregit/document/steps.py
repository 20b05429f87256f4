"""What each kind of step does to one object: the object as it becomes, the same one where nothing changes.

The steps are data (``dialects/*.yaml``); nothing here knows an attribute by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.model import canonical

if TYPE_CHECKING:
    from xregit.document.tables import Step

Path = tuple[str | int, ...]
Object = dict[str, Any]
DECLARATION = frozenset({"name", "description", "required", "specurl", "type", "value"})


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed at a path of the entity as it was written; a ``conflict`` could not be resolved."""

    path: Path
    message: str
    conflict: bool = False


@dataclass(frozen=True, slots=True)
class Here:
    """Where a step works, and all changes so far."""

    changes: list[Change]
    path: Path

    def note(self, name: str | int, message: str) -> None:
        """Remember what was changed."""
        self.changes.append(Change((*self.path, name), message))

    def conflict(self, name: str | int, message: str) -> None:
        """Remember what could not be changed."""
        self.changes.append(Change((*self.path, name), message, conflict=True))


def _rename(target: Any, step: Step, here: Here) -> Any:
    """Give an attribute its name; said twice with the same value it is said once."""
    if not isinstance(target, dict) or step.names.keys().isdisjoint(target):
        return target
    result = dict(target)
    for old, new in step.names.items():
        if old not in result:
            continue
        if new not in result:
            result = {new if name == old else name: value for name, value in result.items()}
            here.note(old, f'"{old}" is read as "{new}"')
        else:
            _join(here, old, new, same=result.pop(old) == result[new])
    return result


def _join(here: Here, old: str, new: str, *, same: bool) -> None:
    if same:
        here.note(old, f'"{old}" repeats "{new}" and is left out')
    else:
        here.conflict(old, f'"{old}" and "{new}" are two names of one attribute, and their values differ')


def _drop(target: Any, step: Step, here: Here) -> Any:
    """Leave out attributes, always or where they have one of the values."""
    if not isinstance(target, dict):
        return target
    gone = [name for name in step.names if name in target]
    gone += [name for name, values in step.values.items() if name in target and target[name] in values]
    for name in gone:
        here.note(name, f'"{name}" is left out')
    return {name: value for name, value in target.items() if name not in gone} if gone else target


def _canonical(target: Any, step: Step, here: Here) -> Any:
    """Spell selectors as their specification does."""
    result = target
    for name, selector in step.names.items():
        written = target.get(name) if isinstance(target, dict) else None
        if isinstance(written, str) and canonical(selector, written) != written:
            here.note(name, f'the {name} "{written}" is read as "{canonical(selector, written)}"')
            result = {**result, name: canonical(selector, written)}
    return result


def _list(target: Any, step: Step, here: Here) -> Any:
    """Make a list of a value that stands alone."""
    alone = [name for name in step.names if isinstance(target, dict) and name in target]
    alone = [name for name in alone if not isinstance(target[name], list) and target[name] is not None]
    for name in alone:
        here.note(name, f'"{name}" is read as a list')
    return {**target, **{name: [target[name]] for name in alone}} if alone else target


def _move(target: Any, step: Step, here: Here) -> Any:
    """Move an attribute into an object beside it."""
    result = target
    for name, into in step.names.items():
        if not isinstance(result, dict) or name not in result:
            continue
        inner = result.get(into, {})
        if not isinstance(inner, dict):
            continue
        if name in inner:
            _join(here, name, f"{into}.{name}", same=inner[name] == result[name])
        else:
            here.note(name, f'"{name}" is moved into "{into}"')
        moved = {into: {name: result[name], **inner}}
        result = {key: value for key, value in {**result, **moved}.items() if key != name}
    return result


def _hoist(target: Any, step: Step, here: Here) -> Any:
    """Put the members of an inner object in its place."""
    result = target
    for name in step.names:
        inner = result.get(name) if isinstance(result, dict) else None
        if isinstance(inner, dict):
            result = _hoisted(result, name, inner, here)
    return result


def _hoisted(target: Mapping[str, Any], name: str, inner: Mapping[str, Any], here: Here) -> Object:
    here.note(name, f'the members of "{name}" are moved out of it')
    result = {key: value for key, value in target.items() if key != name}
    for key, value in inner.items():
        if key in result:
            _join(here, f"{name}.{key}", key, same=result[key] == value)
        else:
            result[key] = value
    return result


def _hoist_declarations(target: Any, step: Step, here: Here) -> Any:
    """Hoist an inner object only where all of its members are objects; else it may be an attribute of that name."""
    for name in step.names:
        inner = target.get(name) if isinstance(target, dict) else None
        if isinstance(inner, dict) and inner and all(isinstance(item, dict) for item in inner.values()):
            return _hoisted(target, name, inner, here)
    return target


def _move_declarations(target: Any, step: Step, here: Here) -> Any:
    """Move property declarations that stand among options to where properties are declared."""
    result = target
    for name, into in step.names.items():
        options = result.get(name) if isinstance(result, dict) else None
        declared = _declarations(options)
        if not isinstance(options, dict) or not declared:
            continue
        for key in declared:
            here.note(name, f'"{key}" is moved from "{name}" to "{into}"')
        left = {key: value for key, value in options.items() if key not in declared}
        moved = {into: {**declared, **(result.get(into) or {})}}
        result = {key: value for key, value in {**result, name: left, **moved}.items() if key != name or left}
    return result


def _declarations(options: Any) -> Object:
    members = options.items() if isinstance(options, dict) else ()
    return {key: value for key, value in members if isinstance(value, dict) and value and DECLARATION.issuperset(value)}


def _reference(target: Any, step: Step, here: Here) -> Any:
    """Write a pointer into the document as the xid that it means."""
    result = target
    for name in step.names:
        written = target.get(name) if isinstance(target, dict) else None
        read = [_xid(item) for item in written] if isinstance(written, list) else _xid(written)
        if read != written:
            here.note(name, f'a "#/" reference in "{name}" is read as an xid')
            result = {**result, name: read}
    return result


def _xid(written: Any) -> Any:
    if not isinstance(written, str) or not written.startswith("#/"):
        return written
    return written[1:].replace("~1", "/").replace("~0", "~")


def _borrow(target: Any, step: Step, here: Here) -> Any:
    """Read a lone pointer as what stands for another entity."""
    for old, new in step.names.items():
        pointer = target.get(old) if isinstance(target, dict) else None
        if isinstance(pointer, str) and pointer.startswith("#/") and new not in target:
            here.note(old, f'"{old}" is read as "{new}"')
            return {new if name == old else name: value for name, value in target.items()}
    return target


def _object(target: Any, step: Step, here: Here) -> Any:
    """Make objects of a list's bare strings."""
    if not isinstance(target, list) or not any(isinstance(item, str) for item in target):
        return target
    (name,) = step.names
    here.note(0, f'an address is read as the "{name}" of an object')
    return [{name: item} if isinstance(item, str) else item for item in target]


def _bare(target: Any, step: Step, here: Here) -> Any:
    """Take a value out of a declaration that says nothing else."""
    result = target
    for name, kind in step.names.items():
        declared = target.get(name) if isinstance(target, dict) else None
        if isinstance(declared, dict) and {"type": kind, **declared} == {"type": kind, "value": declared.get("value")}:
            here.note(name, f'"{name}" is read as a plain value')
            result = {**result, name: declared["value"]}
    return result


def _entries(target: Any, step: Step, here: Here) -> Any:
    """Make a list of named entries of a map."""
    result = target
    for name in step.names:
        written = target.get(name) if isinstance(target, dict) else None
        if isinstance(written, dict):
            here.note(name, f'"{name}" is read as a list')
            entries = [{"name": key, **_declared(value)} for key, value in written.items()]
            result = {**result, name: entries}
    return result


def _keyed(target: Any, step: Step, here: Here) -> Any:
    """Make a map by name of a list of named entries, and declarations of plain values."""
    result = target
    for name in step.names:
        written = target.get(name) if isinstance(target, dict) else None
        read = _by_name(written) if isinstance(written, list) else written
        if isinstance(read, dict) and any(isinstance(item, str) for item in read.values()):
            read = {key: {"name": key, **_declared(item)} for key, item in read.items()}
        if read is not written:
            here.note(name, f'"{name}" is read as a map')
            result = {**result, name: read}
    return result


def _by_name(entries: list[Any]) -> Any:
    named = [item for item in entries if isinstance(item, dict) and isinstance(item.get("name"), str)]
    found = {item["name"]: item for item in named}
    return found if len(found) == len(entries) else entries


def _declared(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {"value": value}


def _declarations_within(target: Any, step: Step, here: Here) -> Any:
    """Give property types and the sign for "now" their present names, at any depth."""
    if isinstance(target, list):
        items = [_declarations_within(item, step, Here(here.changes, (*here.path, i))) for i, item in enumerate(target)]
        return items if any(new is not old for new, old in zip(items, target, strict=True)) else target
    if not isinstance(target, dict):
        return target
    result = target
    for name, value in target.items():
        read = _declarations_within(value, step, Here(here.changes, (*here.path, name)))
        if isinstance(value, str) and name == "type" and value in step.names:
            read = step.names[value]
        if isinstance(value, str) and name == "value":
            read = next((new for new, olds in step.values.items() if value in olds), value)
        if read is not value:
            result = {**result, name: read}
            if isinstance(value, str):
                here.note(name, f'the {name} "{value}" is read as "{read}"')
    return result


DOES: Mapping[str, Callable[[Any, Step, Here], Any]] = {
    "rename": _rename,
    "drop": _drop,
    "canonical": _canonical,
    "list": _list,
    "move": _move,
    "hoist": _hoist,
    "hoist-declarations": _hoist_declarations,
    "move-declarations": _move_declarations,
    "reference": _reference,
    "borrow": _borrow,
    "object": _object,
    "bare": _bare,
    "entries": _entries,
    "keyed": _keyed,
    "declarations": _declarations_within,
}
