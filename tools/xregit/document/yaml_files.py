"""The YAML files of a registry's entities, as an author writes them.

They leave out what follows from the model, from an entity's group, or from its base message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xregit.catalog.entities import FIRST_VERSION, META, VERSIONS, Group, Resource, Version, meta_names
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS, base_xid, effective, group_of, same_selector
from xregit.document.compiler import DESCRIBING, newest_version
from xregit.document.serializer import GENERATED_OF_META, LIFECYCLE, Arranger, ReferenceWriter, group_generated
from xregit.document.version_document import extension
from xregit.model.language import NOTHING
from xregit.source.file_tree import id_to_filename
from xregit.source.yaml_emitter import to_yaml


class YamlFiles:
    """The files of one registry's entities."""

    def __init__(self, registry: Registry) -> None:
        """Write entities of a registry."""
        self.registry = registry
        self._arranger = Arranger(defaults=False)
        self._references = ReferenceWriter(registry)

    def registry_file(self, attributes: Mapping[str, Any]) -> bytes:
        """Return the text of ``registry.yaml``."""
        model = self.registry.model
        return to_yaml(self._arranger.arrange(model.attributes, _without_times(attributes), NOTHING)).encode()

    def group_file(self, group: Group) -> tuple[str, bytes]:
        """Return path and text of a group's file."""
        value = self._arranger.arrange(group.type.attributes, _without_times(group.attributes), NOTHING)
        generated = group_generated(group.type) - LIFECYCLE
        own = {name: item for name, item in value.items() if name not in generated}
        return f"{group.type.plural}/{id_to_filename(group.id)}/{group.type.singular}.yaml", to_yaml(own).encode()

    def resource_files(self, resource: Resource) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of a resource's files."""
        _, groups, gid, plural, rid = resource.xid.split("/", 4)
        path = f"{groups}/{id_to_filename(gid)}/{plural}/{id_to_filename(rid)}"
        text = to_yaml(self._resource(resource)).encode()
        if not resource.type.hasdocument:
            yield f"{path}.yaml", text
            return
        yield f"{path}/{resource.type.singular}.yaml", text
        for vid, version in resource.versions.items():
            if version.data is not None:
                ending = extension(str(version.attributes.get("format", "")), version.data)
                yield f"{path}/{VERSIONS}/{id_to_filename(vid)}{ending}", version.data

    def _resource(self, resource: Resource) -> dict[str, Any]:
        meta, names = self._meta(resource), meta_names(resource.type)
        if resource.xref:
            version = next(iter(resource.versions.values()), None)
            return _resource_head(version.attributes if version else NOTHING, meta, names)
        versions: dict[str, dict[str, Any]] = {}
        previous = ""
        for vid in resource.versions:
            versions[vid] = self._version(resource, resource.versions[vid])
            if versions[vid].get("ancestor") == (previous or vid):  # it follows from the versions' order
                del versions[vid]["ancestor"]
            previous = vid
        first = resource.versions.get(FIRST_VERSION)
        if list(versions) == [FIRST_VERSION] and first and (first.document is None or _has_own_file(first)):
            return _resource_head(versions[FIRST_VERSION], meta, names)
        shared = _shared_attributes(list(versions.values()))
        listed = {}
        for vid, own in versions.items():
            rest = {name: item for name, item in own.items() if name not in shared}
            if rest or not _has_own_file(resource.versions[vid]):
                listed[vid] = rest
        return _resource_head(shared, meta, names) | ({VERSIONS: listed} if listed else {})

    def _meta(self, resource: Resource) -> dict[str, Any]:
        """Return the attributes of a resource across versions, as far as they don't follow from these."""
        last = newest_version(resource)
        sticky = resource.type.maxversions != 1 and resource.defaultversionid != last
        implied = {"readonly": False, "defaultversionid": last, "defaultversionsticky": sticky}
        value = self._arranger.arrange(resource.type.metaattributes, _without_times(resource.meta), NOTHING)
        return {
            name: item for name, item in value.items() if name not in GENERATED_OF_META or implied.get(name) != item
        }

    def _version(self, resource: Resource, version: Version) -> dict[str, Any]:
        own: Mapping[str, Any] = _without_times(version.attributes)
        if BASE in resource.type.attributes:
            own = self._references.without_schema_xid(resource.xid, effective(self.registry, resource, own))
        inherited: Mapping[str, Any] | None = NOTHING
        if base_xid(own):
            resolved = self.registry.resolved(resource.xid)
            is_complete = not resolved.missing and not resolved.cycle
            inherited = self.registry.resolved(base_xid(own)).attributes if is_complete else None
        value = self._arranger.arrange(resource.type.attributes, own, inherited)
        group = group_of(self.registry, resource)
        implied = {**(inherited or NOTHING), **(group.attributes if group else NOTHING)}
        for name in SELECTORS:
            if name in value and name in implied and same_selector(name, value[name], implied[name]):
                del value[name]
        return value


def _has_own_file(version: Version) -> bool:
    """Return whether a version has a file of its own, so that it needs no entry to exist."""
    return version.data is not None


def _shared_attributes(versions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return those attributes that all versions have alike, except URLs of documents, times and ancestors."""
    first = versions[0] if versions else {}
    names = [name for name in first if not name.endswith("url") and name not in {*LIFECYCLE, "ancestor"}]
    return {
        name: first[name] for name in names if all(name in other and other[name] == first[name] for other in versions)
    }


def _resource_head(attributes: Mapping[str, Any], meta: Mapping[str, Any], of_meta: frozenset[str]) -> dict[str, Any]:
    """Return the top of a resource's file: its description, then what holds across versions, then the rest."""
    description = {name: attributes[name] for name in DESCRIBING if name in attributes}
    clear = {name: item for name, item in meta.items() if name in of_meta}
    # What a version may have too, such as labels, would count as a version's.
    ambiguous = {name: item for name, item in meta.items() if name not in of_meta}
    return {**description, **clear, **({META: ambiguous} if ambiguous else {}), **attributes}


def _without_times(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Leave epoch and times to Git where a server stated them, which always states an epoch."""
    if "epoch" not in attributes:
        return dict(attributes)
    return {name: item for name, item in attributes.items() if name not in LIFECYCLE}
