"""A file to its trace: the names that it mentions, and those by which other files mean it.

From the traces follows which groups a change may concern (`catalog.parts`). A name is the xid of a group, the type of
an event, or the id of a schema. A name too many only costs time, but one too few would hide a change; so a file that is
written in an unusual way mentions all schemas.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from xregit.catalog.references import local_xid
from xregit.catalog.resolving import BASE

if TYPE_CHECKING:
    from xregit.model.language import Model

# Names: of all schemas, of schema documents with an ``$id`` of their own; and what names of event types begin with.
ANY, NAMED, TYPE = "id:*", "$id", "type:"
_GROUP_PARTS, _RESOURCE_PARTS, _DOCUMENT_PARTS = 3, 4, 6
# How a schema's document names another one: by the path or xid of it, or of one of its versions.
_IN_DOCUMENT = re.compile(rb"(?:schemas/|\.\./)(?!\.\.?/)([A-Za-z0-9_.\-~:@]*)")
# What may hide a reference: escapes, and an "id" of the document's own, to which references are relative then.
_DISGUISED = re.compile(rb'\\[/uUx]|%|&#|\bid"?\s*:\s*"?(?!https?://|[\s{"])')
_FETCHING = (b"$", b"import", b"include", b"schemaLocation", b"\\")
VERSIONS = "versions"
# What says something of a resource across its versions.
_ACROSS = ("meta", "xref")
_DATED = (b"deprecated", b"\\")


Tie = Sequence[str]


class Trace(NamedTuple):
    """How a file depends on others, and others on it.

    ``shows`` are the names by which others mean it, besides its group's xid. ``ties`` are all references and ids in it:
    the name mentioned, the attribute if it matters, and the text as written; None if the file is about no entity.
    ``dated`` says that the findings in it may depend on today's date.
    """

    shows: Sequence[str]
    ties: Sequence[Tie] | None
    dated: bool = False


class Terms(NamedTuple):
    """What the traces of all files of a registry depend on.

    ``groups`` and ``resources`` are the plural names of its types, ``baseurl`` is that of its settings.
    """

    groups: Sequence[str]
    resources: Sequence[str]
    baseurl: str = ""


def terms_of(model: Model, own: Any = None, baseurl: str = "") -> Terms:
    """Return the terms of a registry with a model, and with one of its ``own`` on top, as its file states it."""
    types = {plural: [*known.resources] for plural, known in model.groups.items()}
    for plural, said in _mapping(_mapping(own).get("groups")).items():
        types.setdefault(plural, []).extend(_mapping(_mapping(said).get("resources")))
    groups = [plural for plural in types if plural.isascii()]  # others are faults of a model
    return Terms(groups, [*dict.fromkeys(chain(*types.values()))], baseurl)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def group_of(path: str) -> str:
    """Return the xid of the group whose file has a path relative to the registry folder; empty if there is none."""
    parts = path.split("/", _GROUP_PARTS - 1)
    if len(parts) < _GROUP_PARTS:
        return ""
    return f"/{parts[0]}/{unquote(parts[1]) if '%' in parts[1] else parts[1]}"


def schema_of(path: str) -> str:
    """Return the id of the schema that a path stands for, or an empty string."""
    parts = path.split("/")
    return unquote(parts[_RESOURCE_PARTS - 1]) if len(parts) > _RESOURCE_PARTS else ""


def is_document(path: str) -> bool:
    """Tell whether a path stands for the document of a schema's version."""
    parts = path.split("/")
    return len(parts) == _DOCUMENT_PARTS and parts[_RESOURCE_PARTS] == VERSIONS


def trace_of_value(data: bytes, value: Any, terms: Terms) -> Trace:
    """Return what a YAML file of a registry has to do with others."""
    names: dict[str, str] = {}
    # Splitting at slashes is faster than searching for each type's name between two.
    if b"\\" in data or not _encoded(tuple(terms.groups)).isdisjoint(data.split(b"/")[1:-1]):
        for text in _texts(value):
            parts = (local_xid(text, terms.baseurl) or text).split("/", _GROUP_PARTS)
            if len(parts) >= _GROUP_PARTS and parts[1] in terms.groups:
                names[text] = f"/{parts[1]}/{parts[2]}"
    nested = VERSIONS in value or not value.keys().isdisjoint(terms.resources)
    stated = list(_stated(value)) if nested else [value]
    base = value.get(BASE) if len(stated) == 1 and value.keys().isdisjoint(_ACROSS) else None
    ties = [(name, BASE if text == base else "", text) for text, name in names.items()]
    types = {f"{TYPE}{kind}" for item in stated for kind in _event_type(item)}
    if _names_itself(data):
        types.add(NAMED)
    fetched = _in_document(data) if _has(data, _FETCHING) else set()
    ties += [(name, "", "") for name in (*types, *fetched)]
    if len(stated) > 1:
        ties += [("", "", name) for name in _ids(stated)]
    return Trace(tuple(types), ties, _has(data, _DATED))


def trace_of_document(data: bytes) -> Trace:
    """Return what the document of a schema has to do with others."""
    names = _in_document(data)
    shows = (NAMED,) if _names_itself(data) else ()
    return Trace(shows, [(name, "", "") for name in (*names, *shows)])


def _in_document(data: bytes) -> set[str]:
    """Return the names in a document of a schema, whatever its language."""
    found = {name.decode() for name in _IN_DOCUMENT.findall(data)}
    names = {f"id:{name}" for name in found if name}
    if "" in found or _DISGUISED.search(data):
        names.add(ANY)
    return names | {NAMED} if _has(data, _FETCHING) else names


def _names_itself(data: bytes) -> bool:
    return b"\\" in data or (b"$" in data and b"$id" in data)


@lru_cache(maxsize=16)
def _encoded(names: tuple[str, ...]) -> frozenset[bytes]:
    return frozenset(name.encode() for name in names)


def _has(data: bytes, words: Iterable[bytes]) -> bool:
    return any(map(data.__contains__, words))


def _texts(value: Any) -> Iterator[str]:
    """Give the texts inside a value that may be references; nothing is nested more deeply than files may be."""
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, str):
            if "/" in here:
                yield here
        elif isinstance(here, dict):
            pending.extend(here.values())
        elif isinstance(here, list):
            pending.extend(here)


def _event_type(stated: Any) -> Iterator[str]:
    """Give the type of the events that a message states."""
    for name in ("envelopemetadata", "type", "value"):
        stated = stated.get(name) if isinstance(stated, dict) else None
    if stated is not None:
        yield stated if isinstance(stated, str) else "?"  # a number, which stands for the text that was written


def _ids(stated: Collection[dict[str, Any]]) -> Iterator[str]:
    """Give the ids that stand in what a file states."""
    for item in stated:
        for name, inner in item.items():
            if isinstance(inner, dict):
                yield from (f"{name}/{key}" for key, value in inner.items() if isinstance(value, dict))


def _stated(value: Any) -> Iterator[dict[str, Any]]:
    """Give what a file states of its entity, of the resources inside it, and of the versions of all of these."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            if isinstance(inner, dict):
                for item in inner.values():
                    if isinstance(item, dict):
                        yield from _with_versions(item)


def _with_versions(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield value
    versions = value.get(VERSIONS)
    yield from (item for item in versions.values() if isinstance(item, dict)) if isinstance(versions, dict) else ()
