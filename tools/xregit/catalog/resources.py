"""The attributes of one resource, as a file or document states them, to its meta entity and its versions.

What belongs to the resource across versions (``deprecated``, ``xref``, ``compatibility`` …) stands beside the default
version's attributes, or under ``meta``. Where ``versions`` are listed, the attributes beside them count for each
version that does not say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Document, Place, Resource, Version
from xregit.model import find_name, normalise
from xregit.model.language import NOTHING
from xregit.source.parse_result import UTF8_BOM

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel, ResourceModel

Values = Mapping[str, Any]
FIRST_VERSION = "1"
META, VERSIONS, VERSIONID = "meta", "versions", "versionid"
_DIGITS = re.compile(r"([0-9]+)")


def resource_from(
    xid: str,
    model: ResourceModel,
    value: Mapping[str, Any],
    place: Place,
    documents: Mapping[str, Document] = NOTHING,
) -> Resource:
    """Return a resource; ``value`` holds its attributes as written, without its own id."""
    rid = xid.rsplit("/", 1)[1]
    meta, own, listed = _divided(model, value)
    if meta.get("xref"):
        versions = _single(xid, own, place) if own else NOTHING
        return Resource(xid, rid, model, meta, versions, "", place, value, NOTHING)
    found = _versions(xid, own, listed, documents, place)
    if model.hasdocument:
        found = {vid: _linked(version, f"{model.singular}url") for vid, version in found.items()}
    default = meta.get("defaultversionid")
    if not isinstance(default, str) or default not in found:
        default = next(reversed(found))
    return Resource(xid, rid, model, meta, found, default, place, value, found[default].attributes)


@lru_cache(maxsize=64)
def authored(model: ResourceModel) -> Mapping[str, AttributeModel]:
    """Return what may stand at the top of a resource's file: attributes of its versions and of its meta entity."""
    return {**model.metaattributes, **model.attributes}


def normal_form(model: ResourceModel, value: Mapping[str, Any], inherited: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource's attributes with text where text is due, those of its versions and meta entity too.

    ``inherited`` holds the selectors, such as ``protocol``, that its group or base message states.
    """
    meta, versions = value.get(META), value.get(VERSIONS)
    if meta is None and versions is None:
        return normalise(authored(model), value, inherited)
    whole = normalise(authored(model), {key: item for key, item in value.items() if key not in {META, VERSIONS}})
    if isinstance(meta, Mapping):
        whole[META] = normalise(model.metaattributes, meta)
    elif meta is not None:
        whole[META] = meta
    if isinstance(versions, Mapping):
        whole[VERSIONS] = {
            vid: normalise(model.attributes, item, inherited) if isinstance(item, Mapping) else item
            for vid, item in versions.items()
        }
    elif versions is not None:
        whole[VERSIONS] = versions
    return whole


@lru_cache(maxsize=64)
def meta_names(model: ResourceModel) -> frozenset[str]:
    """Return the attributes that belong to a resource's meta entity and to no version of it."""
    return frozenset(name for name in model.metaattributes if name not in model.attributes and name != "*")


def natural(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts version ids as people count: 2 before 10, 1.9 before 1.10."""
    parts = _DIGITS.split(version)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def _divided(model: ResourceModel, value: Mapping[str, Any]) -> tuple[Values, Values, Values]:
    """Return the attributes of the meta entity, those of all versions, and those of each; mostly only the second."""
    metanames = meta_names(model)
    if metanames.isdisjoint(value) and META not in value and VERSIONS not in value:
        return {}, value, NOTHING
    nested, listed = value.get(META), value.get(VERSIONS)
    meta = {name: item for name, item in value.items() if name in metanames}
    own = {name: item for name, item in value.items() if name not in metanames and name not in {META, VERSIONS}}
    whole = {**nested, **meta} if isinstance(nested, Mapping) else meta
    return whole, own, listed if isinstance(listed, Mapping) else NOTHING


def _single(xid: str, own: Values, place: Place) -> dict[str, Version]:
    vid = own.get(VERSIONID, FIRST_VERSION)
    vid = vid if isinstance(vid, str) else str(vid)
    return {vid: Version(f"{xid}/versions/{vid}", vid, _without_id(own), place)}


def _without_id(own: Values) -> Values:
    return {name: item for name, item in own.items() if name != VERSIONID} if VERSIONID in own else own


def _versions(
    xid: str, own: Values, listed: Values, documents: Mapping[str, Document], place: Place
) -> dict[str, Version]:
    if not listed and not documents:
        return _single(xid, own, place)
    own = _without_id(own)
    found = {}
    for vid in sorted({*listed, *documents}, key=natural):
        said = listed.get(vid)
        stated = said if isinstance(said, Mapping) else NOTHING
        at = Place(place.path, (*place.pointer, VERSIONS, vid)) if vid in listed else place
        attributes = {**own, **stated}
        document = _unmarked(documents.get(vid), attributes.get("format"))
        found[vid] = Version(f"{xid}/versions/{vid}", vid, attributes, at, document)
    return found


def _unmarked(document: Document | None, stated: object) -> Document | None:
    """Return a document of a language that is text without its byte order mark, which no text needs in UTF-8."""
    if document is None or document.data is None or not document.data.startswith(UTF8_BOM):
        return document
    if not isinstance(stated, str) or find_name("format", stated) is None:
        return document
    return replace(document, data=document.data.removeprefix(UTF8_BOM))


def _linked(version: Version, name: str) -> Version:
    """Return a version with the document that it has elsewhere, if it has none here."""
    url = version.attributes.get(name)
    if version.document is not None or not isinstance(url, str):
        return version
    return replace(version, document=Document(version.place, url=url))
