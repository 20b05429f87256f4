"""A file to its trace: the names that it mentions, and those by which other files mean it.

From the traces follows which groups a change may concern (`catalog.parts`). A name is the xid of a group, the type of
an event, or the id of a schema. A name too many only costs time, but one too few would hide a change; so a file that is
written in an unusual way mentions all schemas.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
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
VERSIONS = "versions"
# What says something of a resource across its versions.
_ACROSS = ("meta", "xref")


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
    escaped = b"\\" in data
    nested = VERSIONS in value or not value.keys().isdisjoint(terms.resources)
    stated = list(_stated(value)) if nested else [value]
    types = {f"{TYPE}{kind}" for kind in map(_event_type, stated) if kind is not None}
    if _names_itself(data):
        types.add(NAMED)
    ties: list[Tie] = [(name, "", "") for name in types]
    if _fetches(data):
        ties += [(name, "", "") for name in _in_document(data) - types]
    # Splitting at slashes is faster than searching for each type's name between two.
    if escaped or not _encoded(tuple(terms.groups)).isdisjoint(data.split(b"/")[1:-1]):
        base = value.get(BASE) if len(stated) == 1 and value.keys().isdisjoint(_ACROSS) else None
        ties += [(name, BASE if text == base else "", text) for text, name in _named(value, terms).items()]
    if len(stated) > 1:
        ties += [("", "", name) for name in _ids(stated)]
    return Trace(tuple(types), ties, escaped or b"deprecated" in data)


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
    return names | {NAMED} if _fetches(data) else names


def _names_itself(data: bytes) -> bool:
    return b"\\" in data or (b"$" in data and b"$id" in data)


@lru_cache(maxsize=16)
def _encoded(names: tuple[str, ...]) -> frozenset[bytes]:
    return frozenset(name.encode() for name in names)


def _fetches(data: bytes) -> bool:
    """Tell whether a file may fetch a schema.

    A single character is found ten times as fast as a word: XML Schema has tags for it, Protocol Buffers a semicolon.
    """
    if b"$" in data or b"\\" in data:
        return True
    return (b"<" in data or b";" in data) and (b"import" in data or b"include" in data or b"schemaLocation" in data)


def _named(value: Any, terms: Terms) -> dict[str, str]:
    """Return the texts inside a value that are references, each with the xid of the group that it names.

    Nothing is nested more deeply than files may be.
    """
    groups, baseurl = terms.groups, terms.baseurl
    found: dict[str, str] = {}
    pending = [value]
    while pending:
        here = pending.pop()
        for inner in here.values() if isinstance(here, dict) else here:
            if isinstance(inner, str):
                if "/" in inner:
                    parts = ((baseurl and local_xid(inner, baseurl)) or inner).split("/", _GROUP_PARTS)
                    if len(parts) >= _GROUP_PARTS and parts[1] in groups:
                        found[inner] = f"/{parts[1]}/{parts[2]}"
            elif isinstance(inner, (dict, list)):
                pending.append(inner)
    return found


def _event_type(stated: Any) -> str | None:
    """Return the type of the events that a message states."""
    for name in ("envelopemetadata", "type", "value"):
        stated = stated.get(name) if isinstance(stated, dict) else None
    # A number stands for the text that was written.
    return stated if stated is None or isinstance(stated, str) else "?"


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
