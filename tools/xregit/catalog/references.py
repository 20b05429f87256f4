"""What a reference to a group, message or schema points at: xids, document pointers, URIs with a type's name.

Source: message/spec.md "dataschemauri", schema/spec.md "Schema Formats": a schema reference may end in ``:Type`` or,
behind a version, in a JSON pointer, the concrete schema object inside the document; ids may hold ``:`` too, so the
longest known id wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from xregit.model.datatypes import SYNTAXES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Resource, Version
    from xregit.catalog.registry import Registry

_T = TypeVar("_T")
_is_absolute = SYNTAXES["absolute"].test

_GROUP_PARTS = 4
_SCHEMA = "schema"
_VERSIONS = "/versions/"


@dataclass(frozen=True, slots=True)
class SchemaReference:
    """A reference to a schema: ``schema`` and ``version`` are None where it leaves the registry or leads nowhere.

    ``selector`` is the name or pointer of the schema object inside the document; ``local`` says that the reference
    means this registry; ``xid`` is what it names there, the alias where ``schema`` is its target.
    """

    text: str
    local: bool
    schema: Resource | None = None
    version: Version | None = None
    selector: str = ""
    xid: str = ""


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
        # A path without a slash before it has no place from which it could be followed, so it leads nowhere.
        return SchemaReference(text, local=not _is_absolute(text))
    path, _, pointer = xid.partition("#")
    parts = path.split("/", _GROUP_PARTS)
    if len(parts) <= _GROUP_PARTS or not parts[1] or not parts[3]:
        return SchemaReference(text, local=True)
    group = registry.groups.get(parts[1], {}).get(parts[2])
    schemas = group.collections.get(parts[3], {}) if group else {}
    named, behind = _longest(schemas, parts[4])
    resource = registry.resource(named.xref) if named is not None and named.xref else named
    if named is None or resource is None or resource.type.singular != _SCHEMA:
        return SchemaReference(text, local=True)
    version, selector = _version(resource, behind)
    stated = f"{_VERSIONS}{version.id}" if version is not None and behind.startswith(_VERSIONS) else ""
    return SchemaReference(
        text, local=True, schema=resource, version=version, selector=pointer or selector, xid=named.xid + stated
    )


def schema_of(registry: Registry, attributes: Mapping[str, object]) -> SchemaReference | None:
    """Return the schema that a message's attributes refer to by ``dataschemauri`` or else ``dataschemaxid``."""
    for name in ("dataschemauri", "dataschemaxid"):
        text = attributes.get(name)
        if isinstance(text, str) and text:
            return schema_reference(registry, text)
    return None


def _version(resource: Resource, behind: str) -> tuple[Version | None, str]:
    """Return the version that stands behind a schema's id, else the default one, and the selector behind it."""
    if not behind.startswith("/"):
        return resource.versions.get(resource.defaultversionid), behind[1:]
    if not behind.startswith(_VERSIONS):
        return None, ""
    version, behind = _longest(resource.versions, behind.removeprefix(_VERSIONS))
    return version, behind.removeprefix(":")


def _longest(known: Mapping[str, _T], text: str) -> tuple[_T | None, str]:
    """Return what has the longest id that a text begins with, and what stands behind it, from a colon or slash on."""
    end = (text + "/").index("/")
    while end > 0:
        if text[:end] in known:
            return known[text[:end]], text[end:]
        end = text.rfind(":", 0, end)
    return None, ""
