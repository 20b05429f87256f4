"""Typed views of schemas, for readers of a checked registry, and their documents (schema/spec.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.references import local_xid
from xregit.catalog.views import ResourceView, messages_of, text_of
from xregit.model import canonical
from xregit.records import distinct, record
from xregit.source import json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Resource, Version
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message


@distinct
class SchemaDocuments:
    """The schema documents of a registry by the xids of their versions, plain data; a schema stands for its default."""

    by_xid: Mapping[str, bytes]
    baseurl: str = ""

    def get(self, reference: str) -> bytes | None:
        """Return the document of a schema or version by xid, by the path of its file, by URL, or by its own ``$id``."""
        xid = local_xid(reference, self.baseurl)
        found = self.by_xid.get(xid)
        if found is None:
            found = self.by_xid.get(xid.rpartition(".")[0])
        if found is not None or "://" not in reference:
            return found
        return next((data for data in self.by_xid.values() if _id(data, reference) == reference), None)


@record
class Schema(ResourceView):
    """A payload schema with its versions; what it says of itself is its default version's (schema/spec.md)."""

    registry: Registry
    entity: Resource

    @property
    def format(self) -> str:
        """The default version's schema format in its canonical spelling, or an empty string."""
        return canonical("format", text_of(self.entity.attributes, "format"))

    @property
    def versions(self) -> tuple[Version, ...]:
        """All versions, the oldest first."""
        return tuple(self.entity.versions.values())

    @property
    def default(self) -> Version | None:
        """The default version."""
        return self.entity.versions.get(self.entity.defaultversionid)

    @property
    def users(self) -> tuple[Message, ...]:
        """The messages whose payload it describes."""
        return messages_of(self.registry, self.registry.indexes.schema_users.get(self.xid, ()))


def schema_documents(registry: Registry) -> SchemaDocuments:
    """Return all schema documents that are in a registry itself."""
    found: dict[str, bytes] = {}
    for schema in registry.schemas:
        for version in schema.versions:
            if version.document is not None and version.document.data is not None:
                found[version.xid] = version.document.data
                if version is schema.default:
                    found[schema.xid] = version.document.data
    return SchemaDocuments(found, registry.settings.baseurl)


def _id(data: bytes, sought: str) -> str:
    """Return the ``$id`` of a document that is written in JSON, if it can be the one that is sought."""
    if sought.encode() not in data:
        return ""
    value = json.parse(data).value
    return text_of(value, "$id") if isinstance(value, dict) else ""
