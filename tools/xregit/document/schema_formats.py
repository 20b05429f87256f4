"""The formats of schemas in the messages that refer to them, where a document leaves them to the schemas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.catalog.references import schema_reference
from xregit.catalog.views import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Group, Resource
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message

FORMAT, URI = "dataschemaformat", "dataschemauri"


def add_schema_formats(registry: Registry) -> tuple[Registry, int]:
    """Return a registry whose messages state the format of the schema that they refer to, and how many lacked it.

    A schema that is not in the registry, or doesn't state its own format, leaves a message as it is.
    """
    formats = {message.xid: format_ for message in registry.messages if (format_ := _missing_format(registry, message))}
    if not formats:
        return registry, 0
    groups = {
        plural: {gid: _complete_group(group, formats) for gid, group in members.items()}
        for plural, members in registry.groups.items()
    }
    return replace(registry, groups=groups), len(formats)


def _missing_format(registry: Registry, message: Message) -> str:
    uri = text_of(message.entity.attributes, URI)
    if not uri or message.resolved.attributes.get(FORMAT) is not None:
        return ""
    version = schema_reference(registry, uri).version
    return text_of(version.attributes, "format") if version is not None else ""


def _complete_group(group: Group, formats: Mapping[str, str]) -> Group:
    collections = {
        plural: {rid: _complete(item, formats.get(item.xid, "")) for rid, item in resources.items()}
        for plural, resources in group.collections.items()
    }
    return replace(group, collections=collections)


def _complete(resource: Resource, format_: str) -> Resource:
    if not format_:
        return resource
    version = resource.versions[resource.defaultversionid]
    attributes = {**version.attributes, FORMAT: format_}
    versions = {**resource.versions, version.id: replace(version, attributes=attributes)}
    return replace(resource, versions=versions, attributes=attributes)
