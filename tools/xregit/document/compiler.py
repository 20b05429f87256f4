"""The compiler: a registry becomes one xRegistry document in the document view (core specification, "Doc Flag").

Everything inside the document is addressed by a pointer into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.registry import expect_registry
from xregit.document.model_document import modelsource
from xregit.document.profiles import plain_profile, profiles
from xregit.document.profiles import profile as profile_of
from xregit.document.serializer import Serializer
from xregit.errors import XregitError
from xregit.model.files import SPECVERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xregit.catalog.entities import Group, Resource, Version
    from xregit.catalog.registry import Registry


DEFAULT_REGISTRY_ID = "registry"
# The attributes that stand right after those that every entity has, in the order of the core specification.
DESCRIBING = ("name", "description", "documentation", "icon", "labels")


class EntityIdentities:
    """Entities of one registry, without what is inside them."""

    def __init__(self, stating: Serializer, address: Callable[[str], str], details: str = "") -> None:
        """Take the address of an entity from its xid; ``details`` ends the addresses of what has a document."""
        self.stating = stating
        self.address = address
        self.details = details
        self.ancestor = stating.profile.core.get("ancestor", "ancestor")

    def registry(self) -> dict[str, Any]:
        """Return the registry's own attributes."""
        registry = self.stating.registry
        facts = self.stating.facts(registry.attributes, registry.place.path)
        body = self.stating.of_registry()
        return {
            "specversion": self.stating.profile.specversion,
            "registryid": registry.attributes.get("registryid", DEFAULT_REGISTRY_ID),
            "self": self.address("/"),
            "xid": "/",
            "epoch": facts.epoch,
            **take_description(body),
            "createdat": facts.createdat,
            "modifiedat": facts.modifiedat,
            **body,
        }

    def group(self, group: Group) -> dict[str, Any]:
        """Return a group's own attributes."""
        facts = self.stating.facts(group.attributes, group.place.path)
        body = self.stating.of_group(group)
        return {
            f"{group.type.singular}id": group.id,
            "self": self.address(group.xid),
            "xid": group.xid,
            "epoch": facts.epoch,
            **take_description(body),
            "createdat": facts.createdat,
            "modifiedat": facts.modifiedat,
            **body,
        }

    def resource(self, resource: Resource) -> dict[str, Any]:
        """Return what identifies a resource."""
        return {
            f"{resource.type.singular}id": resource.id,
            "self": self.address(resource.xid) + self._details(resource),
            "xid": resource.xid,
        }

    def meta(self, resource: Resource, source: Resource | None = None) -> dict[str, Any]:
        """Return a resource's meta entity; what it says comes from ``source``, if that is another resource."""
        said = source or resource
        facts = self.stating.facts(said.meta, *_resource_files(said))
        default = f"{resource.xid}/versions/{said.defaultversionid}"
        return {
            **self._meta_identity(resource),
            "epoch": facts.epoch,
            "createdat": facts.createdat,
            "modifiedat": facts.modifiedat,
            **self.stating.of_meta(said),
            "readonly": said.meta.get("readonly") is True,
            "defaultversionid": said.defaultversionid,
            "defaultversionurl": self.address(default) + self._details(said),
            "defaultversionsticky": _is_sticky(said),
        }

    def alias(self, resource: Resource) -> dict[str, Any]:
        """Return the meta entity of an alias: what it is called and where it leads."""
        return {**self._meta_identity(resource), "xref": self.stating.of_meta(resource).get("xref", resource.xref)}

    def versions(self, resource: Resource, source: Resource | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give a resource's versions; what they say comes from ``source``, if that is another resource."""
        said = source or resource
        before = ""
        for vid, version in said.versions.items():
            yield vid, self._version(resource, said, version, before or vid)
            before = vid

    def _version(self, resource: Resource, source: Resource, version: Version, before: str) -> dict[str, Any]:
        facts = self.stating.facts(version.attributes, _version_file(version))
        body = self.stating.of_version(source, version)
        xid = f"{resource.xid}/versions/{version.id}"
        return {
            f"{resource.type.singular}id": resource.id,
            "versionid": version.id,
            "self": self.address(xid) + self._details(source),
            "xid": xid,
            "epoch": facts.epoch,
            **take_description(body),
            "isdefault": version.id == source.defaultversionid,
            "createdat": facts.createdat,
            "modifiedat": facts.modifiedat,
            self.ancestor: version.attributes.get("ancestor", before),
            **body,
        }

    def _meta_identity(self, resource: Resource) -> dict[str, Any]:
        xid = f"{resource.xid}/meta"
        return {f"{resource.type.singular}id": resource.id, "self": self.address(xid), "xid": xid}

    def _details(self, resource: Resource) -> str:
        return self.details if resource.type.hasdocument else ""


def newest_version(resource: Resource) -> str:
    """Return the id of the version that comes last."""
    return [resource.defaultversionid, *resource.versions][-1]


def take_description(body: dict[str, Any]) -> dict[str, Any]:
    """Take name, description and the like out of an entity's attributes and return them."""
    return {name: body.pop(name) for name in DESCRIBING if name in body}


def pointer(xid: str) -> str:
    """Return the address of an entity inside the document, a JSON pointer; ids have no slash to escape."""
    return "#" + (xid.replace("~", "~0") if "~" in xid else xid)


def _is_sticky(resource: Resource) -> bool:
    """Tell whether the default version stays when a newer one is added: as stated, or since it isn't the newest."""
    if resource.type.maxversions == 1:
        return False
    stated = resource.meta.get("defaultversionsticky")
    if isinstance(stated, bool):
        return stated
    return resource.defaultversionid != newest_version(resource)


def _version_file(version: Version) -> str:
    """Return the file that a version is kept in: that of its document, if it has one."""
    document = version.document
    return document.place.path if document and document.data is not None else version.place.path


def _resource_files(resource: Resource) -> tuple[str, ...]:
    """Return the files that make up a resource: its own and those of its documents."""
    if not resource.type.hasdocument:
        return (resource.place.path,)
    return tuple(dict.fromkeys([resource.place.path, *map(_version_file, resource.versions.values())]))


DEFAULT_PROFILE = SPECVERSION
VIEWS = ("document", "short")


def compile_document(
    registry: Registry, *, profile: str | None = None, view: str = "document", resolved: bool = False
) -> dict[str, Any]:
    """Return a registry as one document, of the types of JSON and in the order in which it is written.

    ``profile`` names the release whose names and forms it has, ``1.0-rc2`` or ``1.0-rc4``; by default it is that of the
    registry's settings. ``view`` is ``document`` (core/spec.md, "Doc Flag"), or ``short`` for the authoring form that
    code generators read; ``resolved`` merges base messages in (message/spec.md, "basemessage"). Problems of the
    registry stop nothing: `check` reports them.

    Raises:
        XregitError: there is no such profile or view, or what is given is no registry.
    """
    expect_registry(registry)
    name = registry.settings.profile if profile is None else profile
    refuse_unknown(name, view)
    written = profile_of(name)
    if view == "short":
        from xregit.document.short_view import short_document  # few ask for it

        return short_document(Serializer(registry, plain_profile(written), resolved=resolved))
    return document_view(Serializer(registry, written, resolved=resolved))


def refuse_unknown(profile: str, view: str = "document") -> None:
    """Stop where there is no such profile or view.

    Raises:
        XregitError: so it is.
    """
    for given, known, what in ((profile, profiles(), "profile"), (view, VIEWS, "view")):
        if given not in known:
            message = f'there is no {what} "{given}"; known: {", ".join(known)}'
            raise XregitError(message)


def document_view(stating: Serializer) -> dict[str, Any]:
    """Return the whole registry in the document view."""
    registry = stating.registry
    entities = EntityIdentities(stating, pointer)
    document = entities.registry()
    document["capabilities"] = stating.profile.capabilities
    document["modelsource"] = modelsource(registry.model, stating.profile)
    for plural in registry.model.groups:
        groups = registry.groups.get(plural, {})
        _collection(entities, document, plural, {gid: _group(entities, group) for gid, group in groups.items()})
    return document


def _group(entities: EntityIdentities, group: Group) -> dict[str, Any]:
    result = entities.group(group)
    for plural in group.type.resources:
        resources = group.collections.get(plural, {})
        members = {rid: _resource(entities, resource) for rid, resource in resources.items()}
        _collection(entities, result, plural, members)
    return result


def _resource(entities: EntityIdentities, resource: Resource) -> dict[str, Any]:
    result = entities.resource(resource)
    result["metaurl"] = f"{result['self']}/meta"
    if resource.xref:
        result["meta"] = entities.alias(resource)
        return result
    result["meta"] = entities.meta(resource)
    _collection(entities, result, "versions", dict(entities.versions(resource)))
    return result


def _collection(entities: EntityIdentities, owner: dict[str, Any], plural: str, members: Mapping[str, Any]) -> None:
    if entities.stating.profile.collectionurls:
        owner[f"{plural}url"] = f"{owner['self'].removesuffix('/')}/{plural}"
    owner[f"{plural}count"] = len(members)
    owner[plural] = members
