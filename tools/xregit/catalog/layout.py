"""A file's path below the registry folder to the entity that it holds (design, "The registry in Git")."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from xregit.model.language import display_name
from xregit.source.file_tree import filename_to_id, id_to_filename

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.model.language import GroupModel, Model, ResourceModel

REGISTRY_FILE, SETTINGS_FILE, MODEL_FILE = "registry.yaml", "xregit.yaml", "model.yaml"
WAIVERS_FILE = "waivers.yaml"
_HERE = (REGISTRY_FILE, SETTINGS_FILE, MODEL_FILE, WAIVERS_FILE)
ROOT_FILES = frozenset(_HERE)
YAML = ".yaml"
VERSIONS = "versions"
# Other tools let files of YAML end so.
YML = ".yml"
# Files that end otherwise may lie about.
_READ = (YAML, YML)
_GROUP_PARTS, _RESOURCE_PARTS = 2, 4
_GROUP_FILE, _RESOURCE_FILE, _RESOURCE_FOLDER_FILE, _DOCUMENT_FILE = 3, 4, 5, 6


class Kind(Enum):
    """What a file holds."""

    ROOT = auto()
    GROUP = auto()
    RESOURCE = auto()
    DOCUMENT = auto()
    IGNORED = auto()
    MISPLACED = auto()


_DESCRIBED = frozenset({Kind.ROOT, Kind.GROUP, Kind.RESOURCE})


class Spot(NamedTuple):
    """What a path stands for.

    Of what is misplaced, ``help`` says where it might belong, and ``folder`` is the path of the folder in which nothing
    is kept; it is empty where that is so of the file alone. ``named`` is the path that the file should have if nothing
    but its ending is wrong.
    """

    kind: Kind
    group: GroupModel | None = None
    gid: str = ""
    resource: ResourceModel | None = None
    rid: str = ""
    vid: str = ""
    help: str = ""
    folder: str = ""
    named: str = ""


def spot(model: Model, path: str) -> Spot:
    """Return what a path relative to the registry folder stands for."""
    if path.endswith(YML):
        named = path.removesuffix(YML) + YAML
        meant = _spot(model, named)
        if meant.kind in _DESCRIBED:
            help_ = f'Rename it to "{named.rpartition("/")[2]}".'
            return meant._replace(kind=Kind.MISPLACED, help=help_, named=named)
    return _spot(model, path)


def _spot(model: Model, path: str) -> Spot:
    parts = path.split("/")
    if path in model.groups or _names_collection(model, parts):
        return Spot(Kind.MISPLACED, help=f'"{parts[-1]}" is the name of a folder; rename the file.')
    if len(parts) == 1:
        return (
            Spot(Kind.ROOT) if path in ROOT_FILES else _other(path, f"beside the folders are {', '.join(_HERE)} alone")
        )
    group = model.groups.get(parts[0])
    if group is None:
        return _below(parts[:1], path, f"the group types are {', '.join(model.groups)}", model.groups)
    gid = filename_to_id(parts[1])
    if len(parts) == _GROUP_FILE and parts[2] == group.singular + YAML:
        return Spot(Kind.GROUP, group, gid)
    resource = group.resources.get(parts[2]) if len(parts) >= _RESOURCE_FILE else None
    if resource is None:
        inside = "".join(f", its {plural} below {plural}/" for plural in group.resources)
        where = f'the file of each {display_name(group.singular)} is "{parts[0]}/<id>/{group.singular}{YAML}"{inside}'
        return _below(parts[:3], path, where, group.resources) if len(parts) >= _RESOURCE_FILE else _other(path, where)
    return _in_collection(path, parts, Spot(Kind.RESOURCE, group, gid, resource))


def path_of(model: Model, xid: str) -> str:
    """Return the path, relative to the registry folder, at which an entity is or would be kept; empty if at none.

    A resource whose type has documents is kept in a folder; its path is that of the file that describes it.
    """
    parts = xid.split("/")[1:]
    group = model.groups.get(parts[0]) if len(parts) in {_GROUP_PARTS, _RESOURCE_PARTS} else None
    if group is None:
        return REGISTRY_FILE if xid == "/" else ""
    folder = f"{group.plural}/{id_to_filename(parts[1])}"
    if len(parts) == _GROUP_PARTS:
        return f"{folder}/{group.singular}{YAML}"
    resource = group.resources.get(parts[2])
    if resource is None:
        return ""
    name = id_to_filename(parts[3])
    ending = f"/{resource.singular}{YAML}" if resource.hasdocument else YAML
    return f"{folder}/{resource.plural}/{name}{ending}"


def xid_of(found: Spot) -> str:
    """Return the xid of what a path stands for; empty where it is no entity."""
    if found.group is None or found.named:
        return "/" if found.kind is Kind.ROOT else ""
    parts = [found.group.plural, found.gid]
    if found.resource is not None:
        parts += [found.resource.plural, found.rid]
        parts += [VERSIONS, found.vid] if found.kind is Kind.DOCUMENT else []
    return "/" + "/".join(parts)


def _names_collection(model: Model, parts: list[str]) -> bool:
    """Tell whether the path is that of a folder for resources."""
    group = model.groups.get(parts[0]) if len(parts) == _GROUP_FILE else None
    return group is not None and parts[2] in group.resources


def _in_collection(path: str, parts: list[str], found: Spot) -> Spot:
    resource = found.resource
    if resource is None:
        return found
    if not resource.hasdocument:
        return _in_one_file(path, parts, found, resource)
    if len(parts) == _RESOURCE_FOLDER_FILE and parts[4] == resource.singular + YAML:
        return _resource(found, parts[3])
    if len(parts) == _DOCUMENT_FILE and parts[4] == VERSIONS:
        inside = _resource(found, parts[3])
        return Spot(Kind.DOCUMENT, inside.group, inside.gid, resource, inside.rid, version_id(parts[5]))
    kept = f"{resource.plural}/<id>"
    where = (
        f'the files of each {display_name(resource.singular)} are "{kept}/{resource.singular}{YAML}" and '
        f'"{kept}/{VERSIONS}/<id>.<ext>"'
    )
    if len(parts) <= _RESOURCE_FOLDER_FILE:
        return _other(path, where)
    return _below(parts[:6], path, where) if parts[4] == VERSIONS else _beside_versions(path, parts, found, where)


def _beside_versions(path: str, parts: list[str], found: Spot, where: str) -> Spot:
    """Return what a file in another folder than that of the versions is: if that has nearly its name, a document."""
    near = _near(parts[4], (VERSIONS,))
    if not near:
        return _below(parts[:5], path, where)
    stray = _misplaced(parts[:5], where, near)
    document = _resource(found, parts[3])._replace(kind=Kind.MISPLACED, vid=version_id(parts[5]))
    return document._replace(help=stray.help, folder=stray.folder)


def _in_one_file(path: str, parts: list[str], found: Spot, resource: ResourceModel) -> Spot:
    direct = len(parts) == _RESOURCE_FILE
    if direct and path.endswith(YAML):
        return _resource(found, parts[3].removesuffix(YAML))
    where = f'the file of each {display_name(resource.singular)} is "{resource.plural}/<id>{YAML}"'
    if direct and path.endswith(".json"):
        return Spot(Kind.MISPLACED, help=f"{where}; JSON may stand in it, as it is YAML too.")
    return _other(path, where) if direct else _below(parts[:4], path, where)


def _resource(found: Spot, name: str) -> Spot:
    return Spot(Kind.RESOURCE, found.group, found.gid, found.resource, filename_to_id(name))


def version_id(filename: str) -> str:
    """Return the version id of a document's file name: what stands before the last dot."""
    return filename_to_id(filename.rpartition(".")[0] or filename)


def _other(path: str, where: str) -> Spot:
    """Return what a file is that no entity has."""
    if not path.endswith(_READ):
        return Spot(Kind.IGNORED)
    return Spot(Kind.MISPLACED, help=f"{where}.")


def _below(folder: list[str], path: str, where: str, folders: Iterable[str] = ()) -> Spot:
    """Return what a file is whose folder no entity has, but perhaps nearly the name of one of ``folders``."""
    if not path.endswith(_READ):
        return Spot(Kind.IGNORED)
    return _misplaced(folder, where, _near(folder[-1], folders))


def _misplaced(folder: list[str], where: str, near: str) -> Spot:
    help_ = f"{near} {where[:1].upper()}{where[1:]}." if near else f"{where}."
    return Spot(Kind.MISPLACED, help=help_, folder="/".join(folder) + "/")


def _near(folder: str, folders: Iterable[str]) -> str:
    from xregit.model.spelling import suggest_similar  # few files need it

    return suggest_similar(folder, folders)
