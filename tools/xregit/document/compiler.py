"""The compiler: a registry becomes one xRegistry document, in one of two views.

The document view is that of the core specification ("Doc Flag"); everything inside is addressed by a JSON Pointer.

The short view is an authoring form, which people write and code generators read. Attributes stand on the message
itself, there is no ``meta``, and entities of the same document are referred to by ``#/…``. Schemas keep their
``versions``, each with its id and ``self``, by which generators name what they make of one version, and messages state
the format of their schema. Where base messages are merged in, aliases have the attributes of their targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from xregit.catalog.entities import Group, Resource, Version
from xregit.catalog.references import schema_of
from xregit.catalog.registry import Registry, expect_registry
from xregit.document.model_document import modelsource
from xregit.document.profiles import data_file, profiles, short_profile
from xregit.document.profiles import profile as profile_named
from xregit.document.serializer import Lifecycle, Serializer
from xregit.errors import XregitError
from xregit.model import builtin, canonical
from xregit.model.files import SPECVERSION
from xregit.source.commit_log import FileHistory

DEFAULT_PROFILE = SPECVERSION
DEFAULT_REGISTRY_ID = "registry"
VIEWS = ("document", "short")
SCHEMA_FORMAT = "dataschemaformat"
# The attributes that stand right after those that every entity has, in the order of the core specification.
DESCRIBING = ("name", "description", "documentation", "icon", "labels")


def compile_document(
    registry: Registry, *, profile: str | None = None, view: str = "document", resolved: bool = False
) -> dict[str, Any]:
    """Return a registry as one document, of the types of JSON and in the order in which it is written.

    ``profile`` names the release whose names and forms it has, ``1.0-rc2`` or ``1.0-rc4``; by default it is that of the
    registry's settings. ``view`` is ``document`` (core/spec.md, "Doc Flag"), or ``short`` for the authoring form that
    code generators read; ``resolved`` merges base messages in (message/spec.md, "basemessage"). Problems of the
    registry stop nothing: `check` reports them.

    Raises:
        XregitError: there is no such profile or view, or the first argument is no registry.
    """
    expect_registry(registry)
    profile = registry.settings.profile if profile is None else profile
    for name, names, kind in ((profile, profiles(), "profile"), (view, VIEWS, "view")):
        if name not in names:
            message = f'there is no {kind} "{name}"; known: {", ".join(names)}'
            raise XregitError(message)
    if view == "short":
        return short_view(Serializer(registry, short_profile(profile_named(profile)), resolved=resolved))
    return document_view(Serializer(registry, profile_named(profile), resolved=resolved))


class EntityWriter:
    """The attributes of a registry's entities with their ids, addresses and times, without nested collections."""

    def __init__(self, serializer: Serializer, address: Callable[[str], str], details: str = "") -> None:
        """Take the address of an entity from its xid; ``details`` ends the addresses of what has a document."""
        self.serializer = serializer
        self.address = address
        self.details = details
        self.ancestor = serializer.profile.core.get("ancestor", "ancestor")

    def registry(self) -> dict[str, Any]:
        """Return the registry's own attributes."""
        registry = self.serializer.registry
        identity = {
            "specversion": self.serializer.profile.specversion,
            "registryid": registry.attributes.get("registryid", DEFAULT_REGISTRY_ID),
            "self": self.address("/"),
            "xid": "/",
        }
        lifecycle = self.serializer.lifecycle(registry.attributes, registry.place.path)
        return _entity(identity, lifecycle, self.serializer.registry_attributes())

    def group(self, group: Group) -> dict[str, Any]:
        """Return a group's own attributes."""
        identity = {f"{group.type.singular}id": group.id, "self": self.address(group.xid), "xid": group.xid}
        lifecycle = self.serializer.lifecycle(group.attributes, group.place.path)
        return _entity(identity, lifecycle, self.serializer.group_attributes(group))

    def resource(self, resource: Resource) -> dict[str, Any]:
        """Return a resource's id, address and xid."""
        return {
            f"{resource.type.singular}id": resource.id,
            "self": self.address(resource.xid) + self._details(resource),
            "xid": resource.xid,
        }

    def meta(self, resource: Resource, source: Resource | None = None) -> dict[str, Any]:
        """Return a resource's meta entity; its attributes are those of ``source``, if that is another resource."""
        source = source or resource
        lifecycle = self.serializer.lifecycle(source.meta, *_resource_files(source))
        default = f"{resource.xid}/versions/{source.defaultversionid}"
        return {
            **self._meta_identity(resource),
            "epoch": lifecycle.epoch,
            "createdat": lifecycle.createdat,
            "modifiedat": lifecycle.modifiedat,
            **self.serializer.meta_attributes(source),
            "readonly": source.meta.get("readonly") is True,
            "defaultversionid": source.defaultversionid,
            "defaultversionurl": self.address(default) + self._details(source),
            "defaultversionsticky": _is_sticky(source),
        }

    def alias(self, resource: Resource) -> dict[str, Any]:
        """Return the meta entity of an alias: its identity, and the xid of its target."""
        xref = self.serializer.meta_attributes(resource).get("xref", resource.xref)
        return {**self._meta_identity(resource), "xref": xref}

    def versions(self, resource: Resource, source: Resource | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield a resource's versions; their attributes are those of ``source``, if that is another resource."""
        source = source or resource
        previous = ""
        for vid, version in source.versions.items():
            xid = f"{resource.xid}/versions/{vid}"
            identity = {
                f"{resource.type.singular}id": resource.id,
                "versionid": vid,
                "self": self.address(xid) + self._details(source),
                "xid": xid,
            }
            ancestor = version.attributes.get("ancestor", previous or vid)
            body = {self.ancestor: ancestor, **self.serializer.version_attributes(source, version)}
            lifecycle = self.serializer.lifecycle(version.attributes, _version_file(version))
            yield vid, _entity(identity, lifecycle, body, isdefault=vid == source.defaultversionid)
            previous = vid

    def _meta_identity(self, resource: Resource) -> dict[str, Any]:
        xid = f"{resource.xid}/meta"
        return {f"{resource.type.singular}id": resource.id, "self": self.address(xid), "xid": xid}

    def _details(self, resource: Resource) -> str:
        return self.details if resource.type.hasdocument else ""


def _entity(
    identity: dict[str, Any], lifecycle: Lifecycle | FileHistory, body: dict[str, Any], **flags: bool
) -> dict[str, Any]:
    """Return an entity's attributes in the order of the core specification."""
    return {
        **identity,
        "epoch": lifecycle.epoch,
        **take_description(body),
        **flags,
        "createdat": lifecycle.createdat,
        "modifiedat": lifecycle.modifiedat,
        **body,
    }


def newest_version(resource: Resource) -> str:
    """Return the id of the version that comes last."""
    return [resource.defaultversionid, *resource.versions][-1]


def take_description(body: dict[str, Any]) -> dict[str, Any]:
    """Remove name, description and the like from an entity's attributes and return them."""
    return {name: body.pop(name) for name in DESCRIBING if name in body}


def pointer(xid: str) -> str:
    """Return the address of an entity inside the document, a JSON Pointer; ids have no slash to escape."""
    return f"#{xid.replace('~', '~0')}"


def _is_sticky(resource: Resource) -> bool:
    """Return whether the default version stays when a newer one is added: as stated, or since it isn't the newest."""
    if resource.type.maxversions == 1:
        return False
    sticky = resource.meta.get("defaultversionsticky")
    return sticky if isinstance(sticky, bool) else resource.defaultversionid != newest_version(resource)


def _version_file(version: Version) -> str:
    """Return the file that a version is kept in: that of its document, if it has one."""
    document = version.document
    return document.place.path if document and document.data is not None else version.place.path


def _resource_files(resource: Resource) -> tuple[str, ...]:
    """Return the files that make up a resource: its own and those of its documents."""
    documents = resource.versions.values() if resource.type.hasdocument else ()
    return tuple(dict.fromkeys([resource.place.path, *map(_version_file, documents)]))


def document_view(serializer: Serializer) -> dict[str, Any]:
    """Return the whole registry in the document view."""
    registry = serializer.registry
    entities = EntityWriter(serializer, pointer)
    document = entities.registry()
    document["capabilities"] = serializer.profile.capabilities
    document["modelsource"] = modelsource(registry.model, serializer.profile)
    for plural in registry.model.groups:
        groups = {gid: _group(entities, group) for gid, group in registry.groups.get(plural, {}).items()}
        _add_collection(entities, document, plural, groups)
    return document


def _group(entities: EntityWriter, group: Group) -> dict[str, Any]:
    result = entities.group(group)
    for plural in group.type.resources:
        resources = {rid: _resource(entities, item) for rid, item in group.collections.get(plural, {}).items()}
        _add_collection(entities, result, plural, resources)
    return result


def _resource(entities: EntityWriter, resource: Resource) -> dict[str, Any]:
    result = entities.resource(resource)
    result["metaurl"] = f"{result['self']}/meta"
    if resource.xref:
        result["meta"] = entities.alias(resource)
        return result
    result["meta"] = entities.meta(resource)
    _add_collection(entities, result, "versions", dict(entities.versions(resource)))
    return result


def _add_collection(entities: EntityWriter, owner: dict[str, Any], plural: str, members: Mapping[str, Any]) -> None:
    if entities.serializer.profile.collectionurls:
        owner[f"{plural}url"] = f"{owner['self'].removesuffix('/')}/{plural}"
    owner[f"{plural}count"] = len(members)
    owner[plural] = members


def short_view(serializer: Serializer) -> dict[str, Any]:
    """Return the whole registry in the short view."""
    registry = serializer.registry
    result: dict[str, Any] = {"specversion": serializer.profile.specversion}
    if "registryid" in registry.attributes:
        result["registryid"] = registry.attributes["registryid"]
    result |= serializer.registry_attributes()
    if registry.model is not builtin():
        result["modelsource"] = modelsource(registry.model, serializer.profile)
    for plural in registry.model.groups:
        groups = registry.groups.get(plural, {})
        if groups:
            result[plural] = {gid: _short_group(serializer, group) for gid, group in groups.items()}
    return result


def _short_group(serializer: Serializer, group: Group) -> dict[str, Any]:
    singular = group.type.singular
    result = {f"{singular}id": group.id, **_with_pointers(serializer.group_attributes(group), singular)}
    for plural in group.type.resources:
        resources = group.collections.get(plural, {})
        if resources:
            result[plural] = {rid: _short_resource(serializer, resource) for rid, resource in resources.items()}
    return result


def _short_resource(serializer: Serializer, resource: Resource) -> dict[str, Any]:
    identity = {f"{resource.type.singular}id": resource.id}
    if not resource.xref:
        return identity | _short_content(serializer, resource)
    target = serializer.registry.resource(resource.xref) if serializer.resolved else None
    if target is None or target.xref:
        meta = _with_pointers(serializer.meta_attributes(resource), "meta")
        return identity | {"xref": meta["xref"]}
    return identity | _short_content(serializer, target)


def _short_content(serializer: Serializer, resource: Resource) -> dict[str, Any]:
    """Return a resource without its id."""
    meta = _with_pointers(serializer.meta_attributes(resource), "meta")
    versions = {vid: _short_version(serializer, resource, version) for vid, version in resource.versions.items()}
    if not resource.type.hasdocument and list(versions) == ["1"]:
        own = versions["1"]
        return take_description(own) | meta | own
    default = versions.get(resource.defaultversionid, {})
    head = {name: default[name] for name in ("name", "format") if name in default}
    listed = {
        vid: {"versionid": version.id, "self": pointer(version.xid), **versions[vid]}
        for vid, version in resource.versions.items()
    }
    return head | meta | {"defaultversionid": resource.defaultversionid, "versions": listed}


def _short_version(serializer: Serializer, resource: Resource, version: Version) -> dict[str, Any]:
    """Return a version; a message states the format of its schema beside the reference to it.

    Source: message/spec.md, "dataschemaformat".
    """
    result = _with_pointers(serializer.version_attributes(resource, version), resource.type.singular)
    if "ancestor" in version.attributes:
        result["ancestor"] = version.attributes["ancestor"]
    registry, uri = serializer.registry, "dataschemauri"
    if uri in result and SCHEMA_FORMAT not in registry.resolved(resource.xid).attributes:
        schema = schema_of(registry, {uri: result[uri]})
        format_ = schema.version.attributes.get("format") if schema and schema.version else None
        if isinstance(format_, str) and format_:
            result[SCHEMA_FORMAT] = canonical("format", format_)
    return result


def _with_pointers(value: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return an entity with its references to entities of the same document as pointers into it."""
    for path in _reference_paths(kind):
        value = _with_pointer_at(value, path)
    return value


def _with_pointer_at(value: Any, path: tuple[str, ...]) -> Any:
    if path:
        if not isinstance(value, dict) or path[0] not in value:
            return value
        return {**value, path[0]: _with_pointer_at(value[path[0]], path[1:])}
    if isinstance(value, list):
        return [_with_pointer_at(item, ()) for item in value]
    return pointer(value) if isinstance(value, str) and value.startswith("/") else value


@cache
def _reference_paths(kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the paths of the attributes by which entities of a kind refer to others."""
    return tuple(tuple(path) for path in data_file("references.yaml").get(kind, ()))
