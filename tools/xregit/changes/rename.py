"""One entity under another id: the files that move, and every reference to it in the registry's YAML.

References are replaced where they stand, so that comments, order and the look of each file stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.layout import REGISTRY_FILE, path_of
from xregit.catalog.references import local_xid, schema_reference
from xregit.errors import XregitError
from xregit.source import file_tree, yaml_loader
from xregit.source.parse_result import UTF8_BOM
from xregit.xid import is_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from xregit.catalog.registry import Registry
    from xregit.diagnostics import Span
    from xregit.json_pointer import KeyPath


YAML = ".yaml"


@dataclass(frozen=True, slots=True)
class RenameResult:
    """What a rename does to the files below the registry's folder: their new bytes, and those that go.

    Both in an order in which the registry is whole after each step, so that a rename that was killed can be run again:
    what is new comes first, schema documents go before the file that speaks of them, and the file that defines the
    entity is the last that changes or goes. ``references`` counts the references that follow, ``xid`` is the new one.
    """

    xid: str
    files: Mapping[str, bytes]
    gone: tuple[str, ...]
    references: int


@dataclass(frozen=True, slots=True)
class Edit:
    """One word to replace by another, in the value at a path or in its key."""

    path: KeyPath
    on_key: bool
    old: str
    new: str


def rename(registry: Registry, xid: str, new_id: str) -> RenameResult:
    """Return the files of a registry after a rename of one of its groups or resources; its new xid does for an id, too.

    Raises:
        XregitError: the entity can't have that id, or something refers to it in a way that can't be edited.
    """
    entity = _resolve_entity(registry, xid)
    above = f"{xid.rpartition('/')[0]}/"
    name = new_id.removeprefix(above)
    _check_id(name)
    new, root = f"{above}{name}", registry.origin.root
    editing = _ReferenceEditor(registry, xid, new)
    own = entity.place.path.removeprefix(registry.place.path.removesuffix(REGISTRY_FILE))
    listed = file_tree.list_files(root).files
    moves = (
        {}
        if entity.place.pointer
        else dict(_file_moves(listed, path_of(registry.model, xid), path_of(registry.model, new)))
    )
    moved: dict[str, bytes] = {}
    changed: dict[str, bytes] = {}
    for path in listed:
        data = file_tree.read(root, path)
        result = editing.file(path, data, own=path == own) if path.endswith(YAML) else data
        if path in moves:
            moved[moves[path]] = result
        elif result != data:
            changed[path] = result
    _check_free(registry, xid, new, moved)
    written = {**moved, **{path: changed[path] for path in sorted(changed, key=own.__eq__)}}
    goes = sorted(moves, key=lambda path: (path != own, path), reverse=True)
    return RenameResult(new, written, tuple(goes), editing.references)


def _file_moves(listed: Iterable[str], old: str, new: str) -> Iterator[tuple[str, str]]:
    """Give the files that an entity has alone, by the path of the one that describes it, and where they go."""
    if old.rpartition("/")[2] == new.rpartition("/")[2]:  # a folder is named by the id, not the file in it
        old, new = (f"{path.rpartition('/')[0]}/" for path in (old, new))
    for path in listed:
        if path == old or (old.endswith("/") and path.startswith(old)):
            yield path, new + path.removeprefix(old)


def write_rename(root: Path, result: RenameResult) -> None:
    """Write the files of a rename, and remove those that moved.

    Raises:
        XregitError: they can't be written; nothing has changed then.
    """
    from xregit.source.atomic_write import write_files

    write_files(root, result.files)
    for path in result.gone:
        (root / path).unlink()
    folders = {parent for path in result.gone for parent in (root / path).parents if parent.is_relative_to(root)}
    for folder in sorted(folders, key=lambda item: len(item.parts), reverse=True):
        if folder != root and not any(folder.iterdir()):
            folder.rmdir()


def _resolve_entity(registry: Registry, xid: str) -> Group | Resource:
    if not registry.origin.root.is_dir():
        message = f'"{registry.origin.root.name}" is one document; only files of a registry folder can be edited'
        raise XregitError(message)
    entity = registry.entity(xid)
    if not isinstance(entity, Group | Resource):
        message = f'there is no group or resource "{xid}" to rename; write its xid as "xregit check" shows it'
        raise XregitError(message)
    return entity


def _check_id(name: str) -> None:
    if not is_id(name):
        message = f'"{name}" can\'t be an id: letters, digits and - . _ ~ : @, not beginning with a sign'
        raise XregitError(message)


def _check_free(registry: Registry, old: str, new: str, moved: Mapping[str, bytes]) -> None:
    """Stop where an entity has the new id, unless its files are those that a killed run of this rename has left."""
    taken = next((xid for xid in registry if xid.lower() == new.lower() and xid != old), None)
    if taken == new and moved and all(_has_content(registry.origin.root / path, data) for path, data in moved.items()):
        return
    if taken is not None or new == old:
        message = f'there is a "{taken or old}" already, and ids are unique without regard to case; choose another id'
        raise XregitError(message)


def _has_content(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


class _ReferenceEditor:
    """The replacement of one xid by another in texts; ``references`` counts them."""

    def __init__(self, registry: Registry, old: str, new: str) -> None:
        self.registry = registry
        self.old, self.new = old, new
        self.parts = old.split("/")
        self.references = 0

    def file(self, path: str, data: bytes, *, own: bool) -> bytes:
        """Return a YAML file with all references replaced, and the entity's own id where its file states it.

        Raises:
            XregitError: a value is written in a way that hides what it says.
        """
        data = data.removeprefix(UTF8_BOM)
        parsed = yaml_loader.parse(data) if self.parts[-1].encode() in data else None
        if parsed is None or not isinstance(parsed.value, dict):
            return data
        lines = data.decode().split("\n")
        positions = yaml_loader.positions(data)
        for edit in reversed(list(self.edits(parsed.value, own=own))):
            span = positions.span(edit.path, edit.on_key)
            if not _replace(lines, span, edit):
                where = f"{path}:{span.line}"
                message = f'{where}: "{edit.old}" is written in a way that can\'t be edited; write it on one line'
                raise XregitError(message)
        return "\n".join(lines).encode()

    def edits(self, value: dict[str, Any], *, own: bool) -> Iterator[Edit]:
        """Give what to edit, in the order of the file."""
        entity = self.registry.entity(self.old)
        pointer = entity.place.pointer if entity is not None else ()
        singular = entity.type.singular if isinstance(entity, Group | Resource) else ""
        stated = {((*pointer, f"{singular}id"), False), *([(pointer, True)] if pointer else [])} if own else set()
        for path, on_key, text in _iter_texts(value):
            if self.refers(text):
                self.references += 1
                yield Edit(path, on_key, self.old, self.new)
            elif (path, on_key) in stated:
                yield Edit(path, on_key, self.parts[-1], self.new.rpartition("/")[2])

    def refers(self, text: str) -> bool:
        """Tell whether a text is a reference to the entity, or to something in it."""
        if self.parts[-1] not in text:
            return False
        there = local_xid(text, self.registry.settings.baseurl).split("/")
        last = len(self.parts) - 1
        if there[:last] != self.parts[:last] or len(there) <= last:
            return False
        if there[last] == self.parts[last]:
            return True
        schema = schema_reference(self.registry, text).schema if there[last].startswith(self.parts[last]) else None
        return schema is not None and schema.xid == self.old


def _replace(lines: list[str], span: Span, edit: Edit) -> bool:
    """Replace a word within a value, on the line where that begins; tell whether it is there."""
    line = lines[span.line - 1]
    end = span.endcolumn - 1 if span.endline == span.line else len(line)
    written = line[span.column - 1 : end]
    lines[span.line - 1] = line[: span.column - 1] + written.replace(edit.old, edit.new, 1) + line[end:]
    return edit.old in written


def _iter_texts(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, bool, str]]:
    """Give every text in a value, keys too: its path, whether it is a key, and itself."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), True, key
            yield from _iter_texts(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _iter_texts(item, (*path, number))
    elif isinstance(value, str):
        yield path, False, value
