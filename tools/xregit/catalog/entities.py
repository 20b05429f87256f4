"""What a registry holds, as immutable values: groups, resources, their versions and documents.

These say what a person wrote, possibly wrong, with the place where it stands; `catalog.views` says what it means.
An entity is equal to itself alone, so that it can be a key, whatever it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.json_pointer import KeyPath
    from xregit.model.language import GroupModel, ResourceModel


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was written: a file relative to the repository, and the keys that lead to it inside."""

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


@dataclass(frozen=True, eq=False, slots=True)
class Resource:
    """One resource, such as a message or a schema; ``meta`` holds what is said of it across versions.

    ``attributes`` are the default version's as written; an alias has none. ``written`` is all of it as its file states
    it, ``meta`` and ``versions`` included; it is made by `catalog.resources.resource_from`.
    """

    xid: str
    id: str
    type: ResourceModel = field(repr=False)
    meta: Mapping[str, Any]
    versions: Mapping[str, Version]
    defaultversionid: str
    place: Place
    written: Mapping[str, Any]
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
