"""An entity marked as deprecated in its own file: what takes its place, from when, and when it goes away."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import local_xid
from xregit.errors import XregitError
from xregit.rules.references import alternatives
from xregit.source.yaml_formatter import Collection, Entry, Scalar, UnformattableError, edit_yaml

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.json_pointer import KeyPath


DEPRECATED = "deprecated"
# What people write at the top of a file; a deprecation comes next.
_FIRST = frozenset({"name", "description", "documentation", "icon", "labels", "messageid", "xref"})


def deprecate(registry: Registry, xid: str, terms: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the path, relative to the repository, and the new bytes of an entity's file.

    ``terms`` are members of ``deprecated``, such as ``alternative`` and ``removal``; those that are there already and
    not named stay.

    Raises:
        XregitError: there is no such group or resource, or its file can't be edited.
    """
    entity = registry.entity(xid)
    if not isinstance(entity, Group | Resource) or not registry.origin.root.is_dir():
        message = f'there is no group or resource "{xid}" with a file of its own to deprecate; correct the xid'
        raise XregitError(message)
    other = registry.entity(local_xid(terms.get("alternative", ""), registry.settings.baseurl))
    if isinstance(other, Group | Resource) and xid in (other.xid, *alternatives(registry, other)):
        message = f'"{other.xid}" can\'t take the place of "{xid}", as its own place is taken by that one'
        raise XregitError(message if other is not entity else f'"{xid}" can\'t take its own place; name another one')
    in_meta = isinstance(entity, Resource) and DEPRECATED in _mapping(entity.written.get("meta"))
    pointer = (*entity.place.pointer, *(("meta",) if in_meta else ()))
    data = (registry.origin.repository / entity.place.path).read_bytes()
    try:
        return entity.place.path, edit_yaml(data, partial(_write_terms, pointer=pointer, terms=terms))
    except UnformattableError as error:
        message = f"{entity.place.path} can't be edited: {error}"
        raise XregitError(message) from error


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _write_terms(root: Collection, *, pointer: KeyPath, terms: Mapping[str, str]) -> None:
    """Add the terms to what is said of a deprecation below a pointer."""
    box = root
    for name in pointer:
        box = _ensure_mapping(_ensure_entry(box, str(name)))
    stated = _ensure_mapping(_ensure_entry(box, DEPRECATED))
    stated.flow = not terms and not stated.entries
    for name, text in terms.items():
        _ensure_entry(stated, name).value = Scalar(text, None, is_plain=False, raw=text)


def _ensure_entry(box: Collection, name: str) -> Entry:
    """Return the entry of a name, which is added where it is missing."""
    known = next((entry for entry in box.entries if entry.key == name), None)
    if known is None:
        known = Entry(name)
        last = max((number for number, entry in enumerate(box.entries) if entry.key in _FIRST), default=-1)
        place = last + 1 if name == DEPRECATED and last >= 0 else len(box.entries)
        box.entries.insert(place, known)
    return known


def _ensure_mapping(entry: Entry) -> Collection:
    """Return the mapping that an entry holds; anything else there gives way to one."""
    if not isinstance(entry.value, Collection) or not entry.value.keyed:
        entry.value = Collection(keyed=True, flow=False, indent=0)
    return entry.value
