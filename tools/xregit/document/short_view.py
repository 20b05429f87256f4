"""A registry to the short, authoring form of a document, which people write and code generators read.

Attributes stand on the message itself, there is no ``meta``, and entities of the same document are referred to by
``#/…``. Schemas keep their ``versions``, each with its id and ``self``, by which generators name what they make of one
version, and messages state the format of their schema. Where base messages are merged in, aliases say what their
targets say.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.references import schema_of
from xregit.document.compiler import pointer, take_description
from xregit.document.model_document import modelsource
from xregit.document.profiles import data_file
from xregit.model import builtin, canonical

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Resource, Version
    from xregit.document.serializer import Serializer


FORMAT = "dataschemaformat"


def short_document(stating: Serializer) -> dict[str, Any]:
    """Return the registry in the short form."""
    registry = stating.registry
    result: dict[str, Any] = {"specversion": stating.profile.specversion}
    if "registryid" in registry.attributes:
        result["registryid"] = registry.attributes["registryid"]
    result |= stating.of_registry()
    if registry.model is not builtin():
        result["modelsource"] = modelsource(registry.model, stating.profile)
    for plural in registry.model.groups:
        groups = registry.groups.get(plural, {})
        if groups:
            result[plural] = {gid: _group(stating, group) for gid, group in groups.items()}
    return result


def _group(stating: Serializer, group: Group) -> dict[str, Any]:
    result = {f"{group.type.singular}id": group.id, **_pointed(stating.of_group(group), group.type.singular)}
    for plural in group.type.resources:
        resources = group.collections.get(plural, {})
        if resources:
            result[plural] = {rid: _resource(stating, resource) for rid, resource in resources.items()}
    return result


def _resource(stating: Serializer, resource: Resource) -> dict[str, Any]:
    result = {f"{resource.type.singular}id": resource.id}
    meta = _pointed(stating.of_meta(resource), "meta")
    if resource.xref:
        target = stating.registry.resource(resource.xref) if stating.resolved else None
        return result | ({"xref": meta["xref"]} if target is None or target.xref else _said(stating, target))
    return result | _said(stating, resource)


def _said(stating: Serializer, resource: Resource) -> dict[str, Any]:
    """Return what a resource says, without its id."""
    meta = _pointed(stating.of_meta(resource), "meta")
    versions = {vid: _version(stating, resource, version) for vid, version in resource.versions.items()}
    if not resource.type.hasdocument and list(versions) == ["1"]:
        own = versions["1"]
        return take_description(own) | meta | own
    default = versions.get(resource.defaultversionid, {})
    shown = {name: default[name] for name in ("name", "format") if name in default}
    identified = {vid: _identity(version) | versions[vid] for vid, version in resource.versions.items()}
    return shown | meta | {"defaultversionid": resource.defaultversionid, "versions": identified}


def _identity(version: Version) -> dict[str, Any]:
    return {"versionid": version.id, "self": pointer(version.xid)}


def _version(stating: Serializer, resource: Resource, version: Version) -> dict[str, Any]:
    result = _pointed(stating.of_version(resource, version), resource.type.singular)
    if "ancestor" in version.attributes:
        result["ancestor"] = version.attributes["ancestor"]
    return result | _schema_format(stating, resource, result)


def _schema_format(stating: Serializer, resource: Resource, said: dict[str, Any]) -> dict[str, Any]:
    """Return the format of the schema that a message refers to, where nothing says it.

    Source: message/spec.md, "dataschemaformat", which wants it beside every reference.
    """
    if "dataschemauri" not in said or FORMAT in stating.registry.resolved(resource.xid).attributes:
        return {}
    schema = schema_of(stating.registry, {"dataschemauri": said["dataschemauri"]})
    found = schema.version.attributes.get("format") if schema and schema.version else None
    return {FORMAT: canonical("format", found)} if isinstance(found, str) and found else {}


def _pointed(value: dict[str, Any], kind: str) -> dict[str, Any]:
    """Write references to entities of the same document as pointers into it."""
    for path in _references(kind):
        value = _at(value, path)
    return value


def _at(value: Any, path: tuple[str, ...]) -> Any:
    if not path:
        return _pointer(value)
    if not isinstance(value, dict) or path[0] not in value:
        return value
    return {**value, path[0]: _at(value[path[0]], path[1:])}


def _pointer(value: Any) -> Any:
    if isinstance(value, list):
        return [_pointer(item) for item in value]
    return pointer(value) if isinstance(value, str) and value.startswith("/") else value


@cache
def _references(kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the paths of the attributes by which entities of a kind refer to others."""
    return tuple(tuple(path) for path in data_file("references.yaml").get(kind, ()))
