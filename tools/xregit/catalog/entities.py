"""The entities of a registry as immutable values: groups, resources, their versions and documents.

They hold what a person wrote, possibly wrong, and where it stands; `catalog.views` says what it means. An entity is
equal to itself alone, so that it can be a key.

What belongs to a resource across versions (``deprecated``, ``xref``, ``compatibility`` …) stands in its file beside the
default version's attributes, or under ``meta``. Where ``versions`` are listed, the attributes beside them count for
each version that does not say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from xregit.json_pointer import KeyPath
from xregit.model import find_name, normalise
from xregit.model.language import NOTHING, AttributeModel, GroupModel, ResourceModel
from xregit.source.parse_result import UTF8_BOM

Values = Mapping[str, Any]
FIRST_VERSION = "1"
META, VERSIONS, VERSIONID = "meta", "versions", "versionid"
_DIGITS = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: a file relative to the repository, and the keys that lead to it inside."""

    path: str
    pointer: KeyPath = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A resource version's own document, such as a schema.

    One of ``data`` (the document's bytes, as stored but for a byte order mark) and ``url`` (where it is kept instead)
    is set, neither where its file can't be read.
    """

    place: Place
    data: bytes | None = None
    url: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Version:
    """One version of a resource: its id, its attributes as written and, if its type has one, its document."""

    xid: str
    id: str
    attributes: Mapping[str, Any]
    place: Place
    document: Document | None = None

    @property
    def data(self) -> bytes | None:
        """The document's bytes; None where it is elsewhere, or there is none."""
        return self.document.data if self.document else None


@dataclass(frozen=True, eq=False, slots=True)
class Resource:
    """One resource, such as a message or a schema; ``meta`` holds its attributes across versions.

    ``attributes`` are the default version's as written; an alias has none. ``definition`` is all that its file states,
    ``meta`` and ``versions`` included.
    """

    xid: str
    id: str
    type: ResourceModel = field(repr=False)
    meta: Mapping[str, Any]
    versions: Mapping[str, Version]
    defaultversionid: str
    place: Place
    definition: Mapping[str, Any]
    attributes: Mapping[str, Any]

    @property
    def xref(self) -> str:
        """The xid of the resource that this one is an alias of, or an empty string."""
        return str(self.meta.get("xref", "")) if self.meta else ""


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """One group, such as a message group or an endpoint, with its resources by plural name and id."""

    xid: str
    id: str
    type: GroupModel = field(repr=False)
    attributes: Mapping[str, Any]
    collections: Mapping[str, Mapping[str, Resource]]
    place: Place


def build_resource(
    xid: str,
    model: ResourceModel,
    definition: Mapping[str, Any],
    place: Place,
    documents: Mapping[str, Document] = NOTHING,
) -> Resource:
    """Return a resource; ``definition`` holds its attributes as written, without its own id."""
    rid = xid.rsplit("/", 1)[1]
    meta, own, listed = _split_definition(model, definition)
    if meta.get("xref"):
        versions = _only_version(xid, own, place) if own else NOTHING
        return Resource(xid, rid, model, meta, versions, "", place, definition, NOTHING)
    versions = _versions(xid, own, listed, documents, place)
    if model.hasdocument:
        for vid, version in versions.items():
            url = version.attributes.get(f"{model.singular}url")
            if version.document is None and isinstance(url, str):
                versions[vid] = replace(version, document=Document(version.place, url=url))
    default = meta.get("defaultversionid")
    if not isinstance(default, str) or default not in versions:
        default = next(reversed(versions))
    return Resource(xid, rid, model, meta, versions, default, place, definition, versions[default].attributes)


def _split_definition(model: ResourceModel, definition: Values) -> tuple[Values, Values, Values]:
    """Return the attributes of the meta entity, those of all versions, and those of each; mostly only the second."""
    names = meta_names(model)
    if names.isdisjoint(definition) and META not in definition and VERSIONS not in definition:
        return {}, definition, NOTHING
    nested, listed = definition.get(META), definition.get(VERSIONS)
    meta = {name: item for name, item in definition.items() if name in names}
    own = {name: item for name, item in definition.items() if name not in names and name not in {META, VERSIONS}}
    meta = {**nested, **meta} if isinstance(nested, Mapping) else meta
    return meta, own, listed if isinstance(listed, Mapping) else NOTHING


def _only_version(xid: str, own: Values, place: Place) -> dict[str, Version]:
    vid = str(own.get(VERSIONID, FIRST_VERSION))
    return {vid: Version(f"{xid}/versions/{vid}", vid, _without_id(own), place)}


def _without_id(own: Values) -> Values:
    return {name: item for name, item in own.items() if name != VERSIONID} if VERSIONID in own else own


def _versions(
    xid: str, own: Values, listed: Values, documents: Mapping[str, Document], place: Place
) -> dict[str, Version]:
    if not listed and not documents:
        return _only_version(xid, own, place)
    own = _without_id(own)
    versions = {}
    for vid in sorted({*listed, *documents}, key=_version_key):
        item = listed.get(vid)
        attributes = {**own, **item} if isinstance(item, Mapping) else {**own}
        version_place = Place(place.path, (*place.pointer, VERSIONS, vid)) if vid in listed else place
        document = documents.get(vid)
        if document is not None and document.data is not None and document.data.startswith(UTF8_BOM):
            format_ = attributes.get("format")
            # The documents of languages that are text need no byte order mark in UTF-8.
            if isinstance(format_, str) and find_name("format", format_) is not None:
                document = replace(document, data=document.data.removeprefix(UTF8_BOM))
        versions[vid] = Version(f"{xid}/versions/{vid}", vid, attributes, version_place, document)
    return versions


def _version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts version ids as people count: 2 before 10, 1.9 before 1.10."""
    parts = _DIGITS.split(version)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def normalise_resource(model: ResourceModel, value: Values, selectors: Values) -> dict[str, Any]:
    """Return a resource's attributes with text where text is due, those of its versions and meta entity too.

    ``selectors`` are the selectors, such as ``protocol``, of its group or base message.
    """
    meta, versions = value.get(META), value.get(VERSIONS)
    if meta is None and versions is None:
        return normalise(file_attributes(model), value, selectors)
    result = normalise(
        file_attributes(model), {key: item for key, item in value.items() if key not in {META, VERSIONS}}
    )
    if meta is not None:
        result[META] = normalise(model.metaattributes, meta) if isinstance(meta, Mapping) else meta
    if isinstance(versions, Mapping):
        versions = {
            vid: normalise(model.attributes, item, selectors) if isinstance(item, Mapping) else item
            for vid, item in versions.items()
        }
    if versions is not None:
        result[VERSIONS] = versions
    return result


@lru_cache(maxsize=64)
def file_attributes(model: ResourceModel) -> Mapping[str, AttributeModel]:
    """Return the attributes at the top of a resource's file: those of its versions and of its meta entity."""
    return {**model.metaattributes, **model.attributes}


@lru_cache(maxsize=64)
def meta_names(model: ResourceModel) -> frozenset[str]:
    """Return the attributes that belong to a resource's meta entity and to no version of it."""
    return frozenset(name for name in model.metaattributes if name not in model.attributes and name != "*")
