"""Entities to the files in which a person would keep them: YAML, and each schema document in a file of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from xregit.catalog.resolving import BASE, SELECTORS, base_xid, effective, group_of, same
from xregit.catalog.resources import FIRST_VERSION, META, VERSIONS, meta_names
from xregit.document.arranging import Arranger
from xregit.document.documents import extension
from xregit.document.identifying import DESCRIBING, newest
from xregit.document.referring import References
from xregit.document.stating import MADE_OF_META, group_made
from xregit.model.language import NOTHING
from xregit.source.emitting import to_yaml
from xregit.source.files import id_to_filename

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Resource, Version
    from xregit.catalog.registry import Registry

TIMES = frozenset({"epoch", "createdat", "modifiedat"})


class Authoring:
    """The files of entities of one registry."""

    def __init__(self, registry: Registry) -> None:
        """Write entities of a registry, without what follows from the model, their group or their base message."""
        self.registry = registry
        self._arranger = Arranger(defaults=False)
        self._references = References(registry)

    def registry_file(self, attributes: Mapping[str, Any]) -> bytes:
        """Return the text of ``registry.yaml``."""
        return _text(self._arranger.arranged(self.registry.model.attributes, _timeless(attributes), NOTHING))

    def group_file(self, group: Group) -> tuple[str, bytes]:
        """Return path and text of a group's file."""
        value = self._arranger.arranged(group.type.attributes, _timeless(group.attributes), NOTHING)
        own = {name: item for name, item in value.items() if name not in group_made(group.type) or name in TIMES}
        return f"{_folder(group.type.plural, group.id)}/{group.type.singular}.yaml", _text(own)

    def resource_files(self, resource: Resource) -> Iterator[tuple[str, bytes]]:
        """Give path and bytes of a resource's files."""
        _, groups, gid, plural, rid = resource.xid.split("/", 4)
        folder, singular = f"{_folder(groups, gid)}/{plural}", resource.type.singular
        if not resource.type.hasdocument:
            yield f"{folder}/{id_to_filename(rid)}.yaml", _text(self._resource(resource))
            return
        folder = f"{folder}/{id_to_filename(rid)}"
        yield f"{folder}/{singular}.yaml", _text(self._resource(resource))
        for vid, version in resource.versions.items():
            if version.document is not None and version.document.data is not None:
                data = version.document.data
                ending = extension(str(version.attributes.get("format", "")), data)
                yield f"{folder}/{VERSIONS}/{id_to_filename(vid)}{ending}", data

    def _resource(self, resource: Resource) -> dict[str, Any]:
        meta, names = self._meta(resource), meta_names(resource.type)
        if resource.xref:
            own = next(iter(resource.versions.values()), None)
            return _top(own.attributes if own else NOTHING, meta, names)
        versions = dict(_natural(resource, partial(self._version, resource)))
        if list(versions) == [FIRST_VERSION] and _alone(resource):
            return _top(versions[FIRST_VERSION], meta, names)
        shared = _shared(list(versions.values()))
        listed = {
            vid: {name: item for name, item in own.items() if name not in shared} for vid, own in versions.items()
        }
        listed = {vid: own for vid, own in listed.items() if own or not _is_kept(resource.versions[vid])}
        return _top(shared, meta, names) | ({VERSIONS: listed} if listed else {})

    def _meta(self, resource: Resource) -> dict[str, Any]:
        """Return what a resource says across versions, as far as it doesn't follow from them."""
        last = newest(resource)
        stays = resource.type.maxversions != 1 and resource.defaultversionid != last
        follows = {"readonly": False, "defaultversionid": last, "defaultversionsticky": stays}
        stated = _timeless(resource.meta)
        value = self._arranger.arranged(resource.type.metaattributes, stated, NOTHING)
        return {name: item for name, item in value.items() if name not in MADE_OF_META or follows.get(name) != item}

    def _version(self, resource: Resource, version: Version) -> dict[str, Any]:
        own: Mapping[str, Any] = _timeless(version.attributes)
        if BASE in resource.type.attributes:
            own = self._references.written(resource.xid, effective(self.registry, resource, own))
        inherited: Mapping[str, Any] | None = NOTHING
        if base_xid(own):
            full = self.registry.resolved(resource.xid)
            known = not full.missing and not full.cycle
            inherited = self.registry.resolved(base_xid(own)).attributes if known else None
        value = self._arranger.arranged(resource.type.attributes, own, inherited)
        group = group_of(self.registry, resource)
        said = {**(inherited or NOTHING), **(group.attributes if group else NOTHING)}
        for name in SELECTORS:
            if name in value and name in said and same(name, value[name], said[name]):
                del value[name]
        return value


def _natural(resource: Resource, attributes: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the versions' attributes, without ancestors that follow from the versions' order."""
    before = ""
    for vid, version in resource.versions.items():
        own = attributes(version)
        if own.get("ancestor") == (before or vid):
            del own["ancestor"]
        yield vid, own
        before = vid


def _alone(resource: Resource) -> bool:
    """Tell whether the only version needs no entry in ``versions``."""
    version = resource.versions[FIRST_VERSION]
    return version.document is None or version.document.data is not None


def _is_kept(version: Version) -> bool:
    """Tell whether a version has a file of its own, so that it needs no entry to exist."""
    return version.document is not None and version.document.data is not None


def _shared(versions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return those attributes that all versions state alike, except URLs of documents, times and ancestors."""
    first = versions[0] if versions else {}
    names = [name for name in first if not name.endswith("url") and name not in {*TIMES, "ancestor"}]
    return {name: first[name] for name in names if all(_has(other, name, first[name]) for other in versions[1:])}


def _has(version: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in version and version[name] == value


def _top(attributes: Mapping[str, Any], meta: Mapping[str, Any], of_meta: frozenset[str]) -> dict[str, Any]:
    """Return what stands at the top of a resource's file: what it is, what holds across versions, the rest."""
    described = {name: attributes[name] for name in DESCRIBING if name in attributes}
    clear = {name: item for name, item in meta.items() if name in of_meta}
    # What a version may have too, such as labels, would be taken for a version's.
    doubtful = {name: item for name, item in meta.items() if name not in of_meta}
    return {**described, **clear, **({META: doubtful} if doubtful else {}), **attributes}


def _timeless(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Leave epoch and times to Git where a server stated them, which always states an epoch."""
    if "epoch" not in attributes:
        return dict(attributes)
    return {name: item for name, item in attributes.items() if name not in TIMES}


def _folder(plural: str, gid: str) -> str:
    return f"{plural}/{id_to_filename(gid)}"


def _text(value: Mapping[str, Any]) -> bytes:
    return to_yaml(value).encode()
