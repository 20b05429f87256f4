"""What a step changed in an entity of another dialect, and the place where it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


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


def join(here: Here, old: str, new: str, *, same: bool) -> None:
    """Say that an attribute is stated under two names, with the same value or not."""
    if same:
        here.note(old, f'"{old}" repeats "{new}" and is left out')
    else:
        here.conflict(old, f'"{old}" and "{new}" are two names of one attribute, and their values differ')


def hoisted(target: dict[str, Any], name: str, inner: dict[str, Any], here: Here) -> dict[str, Any]:
    """Return an object with the members of an inner object in its place."""
    here.note(name, f'the members of "{name}" are moved out of it')
    result = {key: value for key, value in target.items() if key != name}
    for key, value in inner.items():
        if key in result:
            join(here, f"{name}.{key}", key, same=result[key] == value)
        else:
            result[key] = value
    return result
