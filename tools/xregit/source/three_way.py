"""The merge of a file that its source and people have changed: by the keys of YAML and JSON, of other texts by lines.

Where both changed the same, the file keeps what people wrote. Such a conflict is kept as what it was about: by JSON
Pointer what the file states (``ours``), what the source stated before (``base``), and what it states now
(``theirs``), each left out if there was nothing. The pointer of a whole text is empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from pathlib import PurePath
from typing import Any

from xregit.json_pointer import NamePath, escape, unescape
from xregit.source import json_loader, yaml_loader
from xregit.source.json_emitter import pretty_json
from xregit.source.parse_result import Parsed
from xregit.source.repository import merge_texts
from xregit.source.yaml_emitter import to_yaml
from xregit.source.yaml_formatter import Collection, Entry, UnformattableError, edit_yaml, parse_tree

#: The conflicts of a file by JSON Pointer.
Conflicts = dict[str, dict[str, Any]]
OURS, BASE, THEIRS = "ours", "base", "theirs"
CONFLICT_ADVICE = 'Edit it, or settle it with "xregit import --ours XID" or "--theirs XID".'
_GONE = object()
_YAML = ".yaml"
_PARSERS: Mapping[str, Callable[[bytes], Parsed]] = {_YAML: yaml_loader.parse, ".json": json_loader.parse}


def merge(name: str, sides: Mapping[str, bytes], unsettled: Conflicts) -> tuple[bytes, Conflicts]:
    """Return a file with what its source changed, and the conflicts; those that are unsettled stay.

    Raises:
        RepositoryError: Git is not installed, or fails.
    """
    values = {side: _mapping(name, data) for side, data in sides.items()}
    if "" in unsettled:
        sides = {**sides, BASE: str(unsettled[""].get(BASE, "")).encode()}
    by_lines, lines = merge_texts(sides[OURS], sides[BASE], sides[THEIRS])
    if all(value is not None for value in values.values()):
        edit(values[BASE], ((pointer, item.get(BASE, _GONE)) for pointer, item in unsettled.items() if pointer))
        changes = {_pointer(path): change for path, change in _changes(values)}
        both = {pointer: change for pointer, change in changes.items() if not _same(change, OURS, BASE)}
        edits = [(pointer, change[THEIRS]) for pointer, change in changes.items() if pointer not in both]
        conflicts = {
            pointer: {side: item for side, item in change.items() if item is not _GONE}
            for pointer, change in both.items()
        }
        wanted = edit(deepcopy(values[OURS]), edits)
        if by_lines and _text(_mapping(name, by_lines)) == _text(wanted):
            return by_lines, conflicts  # as people have laid it out
        try:
            return edit_text(name, sides[OURS], edits), conflicts
        except UnformattableError:
            pass
    texts = {side: data.decode(errors="replace") for side, data in sides.items()}
    return by_lines, {"": {**texts, OURS: by_lines.decode(errors="replace")}} if lines else {}


def unsettled_conflicts(name: str, data: bytes, conflicts: Any) -> Conflicts:
    """Return those conflicts of a file at which it still states what it did."""
    value = _mapping(name, data)
    return {
        pointer: item
        for pointer, item in (conflicts.items() if isinstance(conflicts, dict) else ())
        if isinstance(item, dict)
        and (not pointer or (pointer[0] == "/" and value is not None))
        and _text(item.get(OURS, _GONE)) == _text(_at(value, pointer) if pointer else data.decode(errors="replace"))
    }


def conflict_message(conflicts: Iterable[str]) -> str:
    """Return what to say of the conflicts of a file."""
    names = ", ".join(f'"{".".join(path_of(pointer))}"' for pointer in conflicts if pointer)
    return f"The source and this file changed {names or 'the same lines'} differently; the file keeps its own."


def path_of(pointer: str) -> NamePath:
    """Return the path that a JSON Pointer means."""
    return tuple(map(unescape, pointer.split("/")[1:]))


def edit_text(name: str, data: bytes, edits: Iterable[tuple[str, Any]]) -> bytes:
    """Return a YAML or JSON file, or another text as a whole, with other values at JSON Pointers.

    Raises:
        UnformattableError: the YAML has a form that can't be edited.
    """
    edits = list(edits)
    if edits and not edits[0][0]:
        return str(edits[0][1]).encode()
    if name.endswith(_YAML):
        return edit_yaml(data, partial(_edit_tree, edits=edits))
    return pretty_json(edit(_mapping(name, data), edits))


def theirs(conflicts: Conflicts) -> Iterator[tuple[str, Any]]:
    """Yield what the source states at each conflict."""
    yield from ((pointer, item.get(THEIRS, _GONE)) for pointer, item in conflicts.items())


def edit(value: Any, edits: Iterable[tuple[str, Any]]) -> Any:
    """Set or remove what is at JSON Pointers of a mapping, and return it."""
    for pointer, item in edits:
        *above, key = path_of(pointer)
        inner = value
        for step in above:
            if not isinstance(inner.get(step), dict):
                inner[step] = {}
            inner = inner[step]
        if item is _GONE:
            inner.pop(key, None)
        else:
            inner[key] = item
    return value


def _edit_tree(box: Collection, edits: Iterable[tuple[str, Any]]) -> None:
    for pointer, item in edits:
        *above, key = path_of(pointer)
        inner = box
        while above and isinstance(below := _entry(inner, above[0]).value, Collection):
            inner, above = below, above[1:]
        value = {key: item}
        for step in reversed(above):  # of which the file has nothing
            key, value = step, {step: value}
        entry = _entry(inner, key)
        if item is _GONE:
            inner.entries.remove(entry)
        else:
            entry.value = parse_tree(to_yaml(value)).entries[0].value


def _entry(box: Collection, key: str) -> Entry:
    """Return the entry of a key, which is added where it is missing."""
    entry = next((entry for entry in box.entries if entry.key == key), None)
    if entry is None:
        entry = Entry(key)
        box.entries.append(entry)
    return entry


def _changes(sides: Mapping[str, Any], path: NamePath = ()) -> Iterator[tuple[NamePath, dict[str, Any]]]:
    """Yield the deepest keys at which theirs differs from the base and from ours, each with what all three have."""
    for key in dict.fromkeys((*sides[THEIRS], *sides[BASE])):
        inner = {side: value.get(key, _GONE) for side, value in sides.items()}
        if _same(inner, THEIRS, BASE) or _same(inner, THEIRS, OURS):
            continue
        if isinstance(inner[OURS], dict) and isinstance(inner[THEIRS], dict):
            yield from _changes({**inner, BASE: inner[BASE] if isinstance(inner[BASE], dict) else {}}, (*path, key))
        else:
            yield (*path, key), inner


def _same(sides: Mapping[str, Any], one: str, other: str) -> bool:
    return _text(sides[one]) == _text(sides[other])


def _text(value: Any) -> str:
    """Return a value as a text that tells 1, 1.0 and true apart."""
    return json.dumps(value, sort_keys=True, default=repr)


def _at(value: Any, pointer: str) -> Any:
    for step in path_of(pointer):
        value = value.get(step, _GONE) if isinstance(value, dict) else _GONE
    return value


def _pointer(path: NamePath) -> str:
    return "".join(f"/{escape(name)}" for name in path)


def _mapping(name: str, data: bytes) -> Any:
    """Return the value of a YAML or JSON file that is a mapping, or None."""
    parser = _PARSERS.get(PurePath(name).suffix)
    parsed = parser(data) if parser is not None else None
    return parsed.value if parsed is not None and not parsed.problems and isinstance(parsed.value, dict) else None
