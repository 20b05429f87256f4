"""Entities to their JSON objects: ids, addresses, epoch and times, and between these what the entity states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xregit.catalog.entities import Group, Resource, Version
    from xregit.document.stating import Stating

DEFAULT_REGISTRY_ID = "registry"
# The attributes that stand right after those that every entity has, in the order of the core specification.
DESCRIBING = ("name", "description", "documentation", "icon", "labels")


class Identifying:
    """Entities of one registry, without what is inside them."""

    def __init__(self, stating: Stating, address: Callable[[str], str], details: str = "") -> None:
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
            **describing(body),
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
            **describing(body),
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
        facts = self.stating.facts(said.meta, *_files(said))
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
            "defaultversionsticky": _sticky(said),
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
        facts = self.stating.facts(version.attributes, _file(version))
        body = self.stating.of_version(source, version)
        xid = f"{resource.xid}/versions/{version.id}"
        return {
            f"{resource.type.singular}id": resource.id,
            "versionid": version.id,
            "self": self.address(xid) + self._details(source),
            "xid": xid,
            "epoch": facts.epoch,
            **describing(body),
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


def newest(resource: Resource) -> str:
    """Return the id of the version that comes last."""
    return [resource.defaultversionid, *resource.versions][-1]


def describing(body: dict[str, Any]) -> dict[str, Any]:
    """Take name, description and the like out of an entity's attributes and return them."""
    return {name: body.pop(name) for name in DESCRIBING if name in body}


def pointer(xid: str) -> str:
    """Return the address of an entity inside the document, a JSON pointer; ids have no slash to escape."""
    return "#" + (xid.replace("~", "~0") if "~" in xid else xid)


def _sticky(resource: Resource) -> bool:
    """Tell whether the default version stays when a newer one is added: as stated, or since it isn't the newest."""
    if resource.type.maxversions == 1:
        return False
    stated = resource.meta.get("defaultversionsticky")
    if isinstance(stated, bool):
        return stated
    return resource.defaultversionid != newest(resource)


def _file(version: Version) -> str:
    """Return the file that a version is kept in: that of its document, if it has one."""
    document = version.document
    return document.place.path if document and document.data is not None else version.place.path


def _files(resource: Resource) -> tuple[str, ...]:
    """Return the files that make up a resource: its own and those of its documents."""
    if not resource.type.hasdocument:
        return (resource.place.path,)
    return tuple(dict.fromkeys([resource.place.path, *map(_file, resource.versions.values())]))
