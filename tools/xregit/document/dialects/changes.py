"""Changes that a conversion makes in an entity of another dialect, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xregit.catalog.origin import original_pointer
from xregit.json_pointer import KeyPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xregit.document.profiles import Step


Move = tuple[KeyPath, KeyPath]
NOTHING_MOVED: Mapping[KeyPath, KeyPath] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was changed at a path of the entity; a ``conflict`` could not be resolved.

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
    """Where a step works, and all changes so far; None where nobody asks for them."""

    changes: list[Conversion] | None
    path: KeyPath

    def note(self, name: str | int, message: str, *moves: Move) -> None:
        """Remember what was changed; the paths of moves start here."""
        if self.changes is None:
            return
        moved = tuple(((*self.path, *new), (*self.path, *old)) for new, old in moves)
        self.changes.append(Conversion((*self.path, name), message, moves=moved))

    def conflict(self, name: str | int, message: str) -> None:
        """Remember what could not be changed."""
        if self.changes is not None:
            self.changes.append(Conversion((*self.path, name), message, conflict=True))


def trace_paths(changes: Iterable[Conversion]) -> tuple[list[Conversion], Mapping[KeyPath, KeyPath]]:
    """Return changes at the paths as written, and the path as written of everything that was moved."""
    places: dict[KeyPath, KeyPath] = {}
    found = []
    for change in changes:
        found.append(replace(change, path=original_pointer(change.path, places), moves=()) if places else change)
        places |= {new: original_pointer(old, places) for new, old in change.moves}
    return found, places


def note_join(here: StepContext, old: str, new: str, *, same: bool) -> None:
    """Say that an attribute is stated under two names, with the same value or not."""
    if same:
        here.note(old, f'"{old}" repeats "{new}" and is left out')
    else:
        here.conflict(old, f'"{old}" and "{new}" are two names of one attribute, and their values differ')


def hoist_members(target: dict[str, Any], name: str, inner: dict[str, Any], here: StepContext) -> dict[str, Any]:
    """Return an object with the members of an inner object in its place."""
    here.note(name, f'the members of "{name}" are moved out of it', *(((key,), (name, key)) for key in inner))
    result = {key: value for key, value in target.items() if key != name}
    for key, value in inner.items():
        if key in result:
            note_join(here, f"{name}.{key}", key, same=result[key] == value)
        else:
            result[key] = value
    return result


def convert_attributes(target: Any, step: Step, here: StepContext, read: Callable[[Any], Any], told: str) -> Any:
    """Return an object with the step's attributes as ``read`` returns them; ``told`` is the note on a changed one."""
    result = target
    for name in step.names:
        stated = target.get(name) if isinstance(target, dict) else None
        found = read(stated)
        if found != stated:
            here.note(name, told.format(name))
            result = {**result, name: found}
    return result
