"""What a reference to a group, message or schema points at: xids, document pointers, URIs with a type's name.

Source: message/spec.md "dataschemauri", schema/spec.md "Schema Formats": a schema reference may end in ``:Type``, the
concrete schema object inside the document; ids may hold ``:`` too, so the longest known id wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Resource, Version
    from xregit.catalog.registry import Registry

_T = TypeVar("_T")

_GROUP_PARTS, _VERSION_PARTS = 4, 6


@record
class SchemaReference:
    """A reference to a schema: ``schema`` and ``version`` are None where it leaves the registry or leads nowhere.

    ``selector`` is the name or pointer of the schema object inside the document; ``local`` says that the reference
    means this registry.
    """

    text: str
    local: bool
    schema: Resource | None = None
    version: Version | None = None
    selector: str = ""


def local_xid(text: str, baseurl: str = "") -> str:
    """Return the xid that a reference means, or an empty string where it leaves the registry.

    Read are ``/groups/…``, ``#/groups/…`` and absolute URLs below ``baseurl``.
    """
    if baseurl and text.startswith(baseurl.rstrip("/") + "/"):
        text = text[len(baseurl.rstrip("/")) :].replace("$details", "")
    text = text.removeprefix("#")
    return text if text.startswith("/") else ""


def schema_reference(registry: Registry, text: str) -> SchemaReference:
    """Return what a ``dataschemauri`` or ``dataschemaxid`` points at."""
    xid = local_xid(text, registry.settings.baseurl)
    if not xid:
        return SchemaReference(text, local=False)
    path, _, pointer = xid.partition("#")
    parts = path.split("/", _VERSION_PARTS)
    if len(parts) <= _GROUP_PARTS or not parts[1] or not parts[3]:
        return SchemaReference(text, local=True)
    group = registry.groups.get(parts[1], {}).get(parts[2])
    schemas = group.collections.get(parts[3], {}) if group else {}
    resource, selector = _longest(schemas, parts[4])
    if resource is not None and resource.xref:
        resource = registry.resource(resource.xref)
    if resource is None:
        return SchemaReference(text, local=True)
    if len(parts) <= _VERSION_PARTS:
        version = resource.versions.get(resource.defaultversionid)
    else:
        version, selector = _longest(resource.versions, parts[6])
    return SchemaReference(text, local=True, schema=resource, version=version, selector=pointer or selector)


def schema_of(registry: Registry, attributes: Mapping[str, object]) -> SchemaReference | None:
    """Return the schema that a message's attributes refer to by ``dataschemauri`` or else ``dataschemaxid``."""
    for name in ("dataschemauri", "dataschemaxid"):
        text = attributes.get(name)
        if isinstance(text, str) and text:
            return schema_reference(registry, text)
    return None


def _longest(known: Mapping[str, _T], text: str) -> tuple[_T | None, str]:
    end = len(text)
    while end > 0:
        if text[:end] in known:
            return known[text[:end]], text[end + 1 :]
        end = text.rfind(":", 0, end)
    return None, ""
