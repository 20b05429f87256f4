"""Which file below the registry folder has which entity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from xregit.model.aliases import names
from xregit.model.language import GroupModel, Model, ResourceModel, type_label
from xregit.model.similarity import suggest_similar
from xregit.source.file_tree import filename_to_id, id_to_filename
from xregit.xid import is_id

REGISTRY_FILE, SETTINGS_FILE, MODEL_FILE = "registry.yaml", "xregit.yaml", "model.yaml"
WAIVERS_FILE = "waivers.yaml"
_ROOT_FILES = (REGISTRY_FILE, SETTINGS_FILE, MODEL_FILE, WAIVERS_FILE)
# What imports keep of their sources, and what of it people have changed differently.
STATES = "imports"
CONFLICTS_FILE = f"{STATES}/conflicts.yaml"
ROOT_FILES = frozenset({*_ROOT_FILES, CONFLICTS_FILE})
# Beside these, a registry.yaml is that of a folder, even where model.yaml adds other group types.
_OF_FOLDERS = ("messagegroups", "endpoints", "schemagroups")
VERSIONS = "versions"
# What people keep beside a schema that is none, though its name ends as one.
_SAMPLES = ("example", "sample", "test")
_SCHEMAS = 'a schema belongs to "schemagroups/<id>/schemas/<id>/versions/<id>.<ext>"'
# The second is the ending of YAML files for other tools; files with any other ending may lie about.
YAML, YML = ".yaml", ".yml"
_GROUP_PARTS, _RESOURCE_PARTS = 2, 4
_GROUP_FILE, _RESOURCE_FILE, _RESOURCE_FOLDER_FILE, _DOCUMENT_FILE = 3, 4, 5, 6


class Kind(Enum):
    """What a file contains."""

    ROOT = auto()
    GROUP = auto()
    RESOURCE = auto()
    DOCUMENT = auto()
    IGNORED = auto()
    MISPLACED = auto()


class EntityPath(NamedTuple):
    """What a path is the file of.

    For a misplaced file, ``help`` says where it might belong, ``folder`` is the path of a folder that no file belongs
    in, if it is in one, and ``corrected`` is the path that it should have if nothing but its ending, or the spelling of
    an id, is wrong.
    """

    kind: Kind
    group: GroupModel | None = None
    gid: str = ""
    resource: ResourceModel | None = None
    rid: str = ""
    vid: str = ""
    help: str = ""
    folder: str = ""
    corrected: str = ""


def parse_path(model: Model, path: str) -> EntityPath:
    """Return what a path relative to the registry folder is the file of."""
    if path.endswith(YML):
        corrected = path.removesuffix(YML) + YAML
        result = _parse_path(model, corrected)
        if result.kind in {Kind.ROOT, Kind.GROUP, Kind.RESOURCE}:
            help_ = f'Rename it to "{corrected.rpartition("/")[2]}".'
            return result._replace(kind=Kind.MISPLACED, help=help_, corrected=corrected)
    result = _parse_path(model, path)
    return _expect_canonical_names(path, result) if result.group is not None else result


def _expect_canonical_names(path: str, entity: EntityPath) -> EntityPath:
    """Return what a path is, which is misplaced if an id is not spelled as `id_to_filename` does.

    A name that is no valid id is left to a rule.
    """
    parts = path.split("/")
    for number, part in enumerate(parts):
        slash = "/" if number < len(parts) - 1 else ""
        stem, dot, ending = (part, "", "") if slash or "." not in part else part.rpartition(".")
        id_ = filename_to_id(stem)
        right = id_to_filename(id_) + dot + ending
        if part != right and is_id(id_):
            folder, corrected = ("/".join((*parts[:number], name)) + slash for name in (part, right))
            help_ = f'Rename it to "{right}".'
            return entity._replace(kind=Kind.MISPLACED, help=help_, folder=slash and folder, corrected=corrected)
    return entity


def normalize_registry_path(path: Path) -> Path:
    """Return the folder whose ``registry.yaml`` a path names, else the path: a document may have that name, too."""
    if path.name != REGISTRY_FILE or not path.is_file():
        return path
    others = (*_OF_FOLDERS, SETTINGS_FILE, MODEL_FILE, WAIVERS_FILE)
    return path.parent if any((path.parent / name).exists() for name in others) else path


def path_of(model: Model, xid: str) -> str:
    """Return the path, relative to the registry folder, of an entity's file; empty if it has none of its own.

    A resource whose type has documents has a folder; its path is that of the file that describes it.
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
    ending = f"/{resource.singular}{YAML}" if resource.hasdocument else YAML
    return f"{folder}/{resource.plural}/{id_to_filename(parts[3])}{ending}"


def xid_of(path: EntityPath) -> str:
    """Return the xid of the entity that a path is the file of; empty where it is none's."""
    if path.group is None or path.corrected:
        return "/" if path.kind is Kind.ROOT else ""
    parts = [path.group.plural, path.gid]
    if path.resource is not None:
        parts += [path.resource.plural, path.rid]
        parts += [VERSIONS, path.vid] if path.kind is Kind.DOCUMENT else []
    return "/" + "/".join(parts)


def _parse_path(model: Model, path: str) -> EntityPath:
    parts = path.split("/")
    group = model.groups.get(parts[0])
    if path in model.groups or (group is not None and len(parts) == _GROUP_FILE and parts[2] in group.resources):
        return EntityPath(Kind.MISPLACED, help=f'"{parts[-1]}" is the name of a folder; rename the file.')
    if path in ROOT_FILES or len(parts) == 1:
        where = f"beside the folders are {', '.join(_ROOT_FILES)} alone"
        return EntityPath(Kind.ROOT) if path in ROOT_FILES else _misplaced(path, where)
    if group is None:
        where = f"the group types are {', '.join(model.groups)}"
        is_schema = _is_schema_document(path) and bool(suggest_similar(parts[0], model.groups))
        return _misplaced(
            path, f"{where}; {_SCHEMAS}" if is_schema else where, parts[:1], model.groups, always=is_schema
        )
    entity = EntityPath(Kind.GROUP, group, filename_to_id(parts[1]))
    if len(parts) == _GROUP_FILE and parts[2] == group.singular + YAML:
        return entity
    resource = group.resources.get(parts[2]) if len(parts) >= _RESOURCE_FILE else None
    if resource is None:
        inside = "".join(f", its {plural} below {plural}/" for plural in group.resources)
        where = f'the file of each {type_label(group.singular)} is "{parts[0]}/<id>/{group.singular}{YAML}"{inside}'
        folder = parts[:3] if len(parts) >= _RESOURCE_FILE else ()
        # A schema's document, beside the folder of schemas or in one whose name is misspelled.
        has_documents = any(each.hasdocument for each in group.resources.values())
        is_lost = has_documents and _is_schema_document(path) and not parts[-1].startswith(_SAMPLES)
        is_lost = is_lost and (not folder or bool(suggest_similar(parts[2], group.resources)))
        return _misplaced(path, f"{where}; {_SCHEMAS}" if is_lost else where, folder, group.resources, always=is_lost)
    entity = entity._replace(kind=Kind.RESOURCE, resource=resource)
    return _parse_folder(path, entity, resource) if resource.hasdocument else _parse_file(path, entity, resource)


def _parse_file(path: str, entity: EntityPath, resource: ResourceModel) -> EntityPath:
    """Return what a path is among resources of one file each."""
    parts = path.split("/")
    where = f'the file of each {type_label(resource.singular)} is "{resource.plural}/<id>{YAML}"'
    if len(parts) > _RESOURCE_FILE:
        return _misplaced(path, where, parts[:4])
    if path.endswith(YAML):
        return entity._replace(rid=filename_to_id(parts[3].removesuffix(YAML)))
    if path.endswith(".json"):
        return EntityPath(Kind.MISPLACED, help=f"{where}; it may contain JSON, which is also YAML.")
    return _misplaced(
        path, f"{where}; {_SCHEMAS}" if _is_schema_document(path) else where, always=_is_schema_document(path)
    )


def _parse_folder(path: str, entity: EntityPath, resource: ResourceModel) -> EntityPath:
    """Return what a path is among resources with documents, which have a folder each."""
    parts = path.split("/")
    entity = entity._replace(rid=filename_to_id(parts[3]))
    folder = f"{resource.plural}/<id>"
    where = (
        f'the files of each {type_label(resource.singular)} are "{folder}/{resource.singular}{YAML}" and '
        f'"{folder}/{VERSIONS}/<id>.<ext>"'
    )
    if len(parts) <= _RESOURCE_FOLDER_FILE:
        if len(parts) == _RESOURCE_FOLDER_FILE and parts[4] == resource.singular + YAML:
            return entity
        if _is_schema_document(path) and not parts[-1].startswith(_SAMPLES):
            return _misplaced_document(entity, parts)
        return _misplaced(path, where)
    # The version id of a document is what stands before the last dot.
    document = entity._replace(kind=Kind.DOCUMENT, vid=filename_to_id(parts[5].rpartition(".")[0] or parts[5]))
    if parts[4] == VERSIONS:
        return document if len(parts) == _DOCUMENT_FILE else _misplaced(path, where, parts[:6])
    misplaced = _misplaced(path, where, parts[:5], (VERSIONS,), always=True)
    if suggest_similar(parts[4], (VERSIONS,)):
        return document._replace(kind=Kind.MISPLACED, help=misplaced.help, folder=misplaced.folder)
    return misplaced if path.endswith((YAML, YML)) else EntityPath(Kind.IGNORED)


def _misplaced_document(entity: EntityPath, parts: Sequence[str]) -> EntityPath:
    """Return what the document of a version is that stands beside the folder of versions, or beside the schema's."""
    name, _, ending = parts[-1].rpartition(".")
    if len(parts) < _RESOURCE_FOLDER_FILE:
        return EntityPath(Kind.MISPLACED, help=f'move it to "{parts[2]}/{name}/{VERSIONS}/1.{ending}"')
    help_ = f'move it to "{"/".join((*parts[2:4], VERSIONS, parts[4]))}"'
    return entity._replace(kind=Kind.MISPLACED, vid=filename_to_id(name), help=help_)


def _is_schema_document(path: str) -> bool:
    """Return whether a file has the ending of the documents of some schema language."""
    return any(path.endswith(f".{ending}") for name in names("format").values() for ending in name.extensions)


def _misplaced(
    path: str, where: str, folder: Sequence[str] = (), folders: Iterable[str] = (), *, always: bool = False
) -> EntityPath:
    """Return what the file of no entity is: misplaced if it is YAML, else one that may lie about.

    The last part of its ``folder`` is perhaps nearly the name of one of ``folders``.
    """
    if not always and not path.endswith((YAML, YML)):
        return EntityPath(Kind.IGNORED)
    similar = suggest_similar(folder[-1], folders) if folder else ""
    help_ = f"{similar} {where[:1].upper()}{where[1:]}." if similar else f"{where}."
    return EntityPath(Kind.MISPLACED, help=help_, folder="/".join(folder) + "/" if folder else "")
