"""Edits of entities in their files: a rename, with every reference to the entity, and a deprecation.

Values are replaced where they stand, so that comments, order and the look of each file stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.layout import REGISTRY_FILE, YAML, path_of
from xregit.catalog.references import local_xid, schema_reference
from xregit.catalog.registry import Registry
from xregit.errors import XregitError
from xregit.json_pointer import KeyPath
from xregit.rules.references import alternatives
from xregit.source import file_tree, yaml_loader
from xregit.source.parse_result import UTF8_BOM
from xregit.source.yaml_formatter import Collection, Entry, Scalar, UnformattableError, edit_yaml
from xregit.xid import is_id

DEPRECATED = "deprecated"
# What people write at the top of a file; a deprecation comes next.
_FIRST = frozenset({"name", "description", "documentation", "icon", "labels", "messageid", "xref"})


@dataclass(frozen=True, slots=True)
class RenameResult:
    """What a rename does to the files below the registry's folder: their new bytes, and the files to remove.

    Both in an order in which the registry is whole after each step, so that an interrupted rename can be run again: new
    files come first, schema documents go before the file that describes them, and the file that defines the entity is
    the last that changes or goes. ``references`` counts the references that follow, ``xid`` is the new one.
    """

    xid: str
    files: Mapping[str, bytes]
    removals: tuple[str, ...]
    references: int


def rename(registry: Registry, xid: str, new_id: str) -> RenameResult:
    """Return the files of a registry after a rename of one of its groups or resources; its new xid does for an id, too.

    Raises:
        XregitError: the entity can't have that id, or something refers to it in a way that can't be edited.
    """
    root = registry.origin.root
    if not root.is_dir():
        raise XregitError(f'"{root.name}" is one document; only files of a registry folder can be edited')
    entity = registry.entity(xid)
    if not isinstance(entity, Group | Resource):
        raise XregitError(f'there is no group or resource "{xid}" to rename; write its xid as "xregit check" shows it')
    above = f"{xid.rpartition('/')[0]}/"
    name = new_id.removeprefix(above)
    if not is_id(name):
        raise XregitError(f'"{name}" can\'t be an id: letters, digits and - . _ ~ : @, not beginning with a sign')
    editor = _ReferenceEditor(registry, entity, above + name)
    own = entity.place.path.removeprefix(registry.place.path.removesuffix(REGISTRY_FILE))
    paths = file_tree.list_files(root).files
    moves: dict[str, str] = {}
    if not entity.place.pointer:
        moves = _file_moves(paths, path_of(registry.model, xid), path_of(registry.model, above + name))
    moved: dict[str, bytes] = {}
    changed: dict[str, bytes] = {}
    for path in paths:
        data = file_tree.read(root, path)
        result = editor.edit_file(path, data, is_own=path == own) if path.endswith(YAML) else data
        if path in moves:
            moved[moves[path]] = result
        elif result != data:
            changed[path] = result
    _check_free(registry, xid, above + name, moved)
    files = {**moved, **{path: changed[path] for path in sorted(changed, key=own.__eq__)}}
    removals = sorted(moves, key=lambda path: (path != own, path), reverse=True)
    return RenameResult(above + name, files, tuple(removals), editor.references)


def _file_moves(paths: tuple[str, ...], old: str, new: str) -> dict[str, str]:
    """Return the files that are an entity's alone, by the path of the one that describes it, and their new paths."""
    if old.rpartition("/")[2] == new.rpartition("/")[2]:  # a folder is named by the id, not the file in it
        old, new = (f"{path.rpartition('/')[0]}/" for path in (old, new))
    own = (path for path in paths if path == old or (old.endswith("/") and path.startswith(old)))
    return {path: new + path.removeprefix(old) for path in own}


def _check_free(registry: Registry, old: str, new: str, moved: Mapping[str, bytes]) -> None:
    """Stop where an entity has the new id, unless its files are those that an interrupted rename has left."""
    other = next((xid for xid in registry if xid.lower() == new.lower() and xid != old), None)
    root = registry.origin.root
    if (
        other == new
        and moved
        and all((root / path).is_file() and (root / path).read_bytes() == data for path, data in moved.items())
    ):
        return
    if other is not None or new == old:
        message = f'there is a "{other or old}" already, and ids are unique without regard to case; choose another id'
        raise XregitError(message)


class _ReferenceEditor:
    """The replacement of one xid by another in texts; ``references`` counts them."""

    def __init__(self, registry: Registry, entity: Group | Resource, new: str) -> None:
        self.registry = registry
        self.entity, self.new = entity, new
        self.parts = entity.xid.split("/")
        self.references = 0

    def edit_file(self, path: str, data: bytes, *, is_own: bool) -> bytes:
        """Return a YAML file with all references replaced, and the entity's own id where its file states it.

        Raises:
            XregitError: a value is written in a way that hides its text.
        """
        data = data.removeprefix(UTF8_BOM)
        parsed = yaml_loader.parse(data) if self.parts[-1].encode() in data else None
        if parsed is None or not isinstance(parsed.value, dict):
            return data
        lines = data.decode().split("\n")
        positions = yaml_loader.positions(data)
        for key_path, on_key, old, new in reversed(list(self.edits(parsed.value, is_own=is_own))):
            span = positions.span(key_path, on_key)
            line = lines[span.line - 1]
            end = span.endcolumn - 1 if span.endline == span.line else len(line)
            text = line[span.column - 1 : end]
            if old not in text:
                where = f"{path}:{span.line}"
                raise XregitError(f'{where}: "{old}" is written in a way that can\'t be edited; write it on one line')
            lines[span.line - 1] = line[: span.column - 1] + text.replace(old, new, 1) + line[end:]
        return "\n".join(lines).encode()

    def edits(self, value: dict[str, Any], *, is_own: bool) -> Iterator[tuple[KeyPath, bool, str, str]]:
        """Yield what to edit, in the order of the file: a path, whether its key is meant, the old text and the new."""
        pointer = self.entity.place.pointer
        own_ids = {((*pointer, f"{self.entity.type.singular}id"), False), (pointer, True)} if is_own else set()
        for path, on_key, text in _texts(value):
            if self.refers(text):
                self.references += 1
                yield path, on_key, self.entity.xid, self.new
            elif (path, on_key) in own_ids:
                yield path, on_key, self.parts[-1], self.new.rpartition("/")[2]

    def refers(self, text: str) -> bool:
        """Return whether a text is a reference to the entity, or to something in it."""
        if self.parts[-1] not in text:
            return False
        parts = local_xid(text, self.registry.settings.baseurl).split("/")
        last = len(self.parts) - 1
        if parts[:last] != self.parts[:last] or len(parts) <= last:
            return False
        if parts[last] == self.parts[last]:
            return True
        schema = schema_reference(self.registry, text).schema if parts[last].startswith(self.parts[last]) else None
        return schema is not None and schema.xid == self.entity.xid


def _texts(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, bool, str]]:
    """Yield every text in a value, keys too: its path, whether it is a key, and itself."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), True, key
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, (*path, number))
    elif isinstance(value, str):
        yield path, False, value


def deprecate(registry: Registry, xid: str, terms: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the path, relative to the repository, and the new bytes of the file of a deprecated entity.

    ``terms`` are members of ``deprecated``, such as ``alternative`` and ``removal``; others that the file has stay.

    Raises:
        XregitError: there is no such group or resource, or its file can't be edited.
    """
    entity = registry.entity(xid)
    if not isinstance(entity, Group | Resource) or not registry.origin.root.is_dir():
        raise XregitError(f'there is no group or resource "{xid}" with a file of its own to deprecate; correct the xid')
    other = registry.entity(local_xid(terms.get("alternative", ""), registry.settings.baseurl))
    if isinstance(other, Group | Resource) and xid in (other.xid, *alternatives(registry, other)):
        message = f'"{other.xid}" can\'t take the place of "{xid}", as its own place is taken by that one'
        raise XregitError(message if other is not entity else f'"{xid}" can\'t take its own place; name another one')
    pointer = entity.place.pointer
    meta = entity.definition.get("meta") if isinstance(entity, Resource) else None
    if isinstance(meta, Mapping) and DEPRECATED in meta:
        pointer = (*pointer, "meta")
    data = (registry.origin.repository / entity.place.path).read_bytes()
    try:
        return entity.place.path, edit_yaml(data, partial(_write_terms, pointer=pointer, terms=terms))
    except UnformattableError as error:
        raise XregitError(f"{entity.place.path} can't be edited: {error}") from error


def _write_terms(root: Collection, *, pointer: KeyPath, terms: Mapping[str, str]) -> None:
    """Add terms to the deprecation below a pointer."""
    mapping = root
    for name in (*pointer, DEPRECATED):
        mapping = _ensure_mapping(_ensure_entry(mapping, str(name)))
    mapping.flow = not terms and not mapping.entries
    for name, text in terms.items():
        _ensure_entry(mapping, name).value = Scalar(text, None, is_plain=False, raw=text)


def _ensure_entry(mapping: Collection, name: str) -> Entry:
    """Return the entry of a name, which is added where it is missing."""
    entry = next((entry for entry in mapping.entries if entry.key == name), None)
    if entry is None:
        entry = Entry(name)
        last = max((number for number, other in enumerate(mapping.entries) if other.key in _FIRST), default=-1)
        number = last + 1 if name == DEPRECATED and last >= 0 else len(mapping.entries)
        mapping.entries.insert(number, entry)
    return entry


def _ensure_mapping(entry: Entry) -> Collection:
    """Return the mapping in an entry, which replaces anything else there."""
    if not isinstance(entry.value, Collection) or not entry.value.keyed:
        entry.value = Collection(keyed=True, flow=False, indent=0)
    return entry.value
