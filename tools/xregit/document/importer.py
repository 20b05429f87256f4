"""The importer: xRegistry documents become the YAML files of one registry, all of them or none.

What is there already stays as it is; an entity with other content, or one that two documents state differently, is a
finding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_path
from xregit.catalog.entities import FIRST_VERSION, META, VERSIONS, Group, Resource, meta_names
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE
from xregit.catalog.loader import read_folder
from xregit.catalog.resolver import BASE, SELECTORS, base_xid, effective, group_of, same_selector
from xregit.diagnostics import Diagnostic, Severity, has_errors, ordered
from xregit.document.compiler import DEFAULT_REGISTRY_ID, DESCRIBING, newest_version
from xregit.document.loader import load_document
from xregit.document.model_document import extract_extension
from xregit.document.registry_merge import MergedRegistry, merge_registries
from xregit.document.serializer import MADE_OF_META, Arranger, ReferenceWriter, group_generated
from xregit.document.version_document import extension
from xregit.errors import Lines, no_lines
from xregit.model import export_source
from xregit.model.language import NOTHING
from xregit.source import atomic_write
from xregit.source.atomic_write import edit_lock
from xregit.source.file_tree import id_to_filename
from xregit.source.yaml_emitter import to_yaml
from xregit.xid import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.catalog.entities import Version
    from xregit.catalog.registry import Registry


TIMES = frozenset({"epoch", "createdat", "modifiedat"})


class YamlFiles:
    """The files of entities of one registry."""

    def __init__(self, registry: Registry) -> None:
        """Write entities of a registry, without what follows from the model, their group or their base message."""
        self.registry = registry
        self._arranger = Arranger(defaults=False)
        self._references = ReferenceWriter(registry)

    def registry_file(self, attributes: Mapping[str, Any]) -> bytes:
        """Return the text of ``registry.yaml``."""
        return _text(self._arranger.arranged(self.registry.model.attributes, _without_times(attributes), NOTHING))

    def group_file(self, group: Group) -> tuple[str, bytes]:
        """Return path and text of a group's file."""
        value = self._arranger.arranged(group.type.attributes, _without_times(group.attributes), NOTHING)
        own = {name: item for name, item in value.items() if name not in group_generated(group.type) or name in TIMES}
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
            return _resource_head(own.attributes if own else NOTHING, meta, names)
        versions = dict(_without_implied_ancestors(resource, partial(self._version, resource)))
        if list(versions) == [FIRST_VERSION] and _is_only_version(resource):
            return _resource_head(versions[FIRST_VERSION], meta, names)
        shared = _common_attributes(list(versions.values()))
        listed = {
            vid: {name: item for name, item in own.items() if name not in shared} for vid, own in versions.items()
        }
        listed = {vid: own for vid, own in listed.items() if own or not _has_own_file(resource.versions[vid])}
        return _resource_head(shared, meta, names) | ({VERSIONS: listed} if listed else {})

    def _meta(self, resource: Resource) -> dict[str, Any]:
        """Return what a resource says across versions, as far as it doesn't follow from them."""
        last = newest_version(resource)
        stays = resource.type.maxversions != 1 and resource.defaultversionid != last
        follows = {"readonly": False, "defaultversionid": last, "defaultversionsticky": stays}
        stated = _without_times(resource.meta)
        value = self._arranger.arranged(resource.type.metaattributes, stated, NOTHING)
        return {name: item for name, item in value.items() if name not in MADE_OF_META or follows.get(name) != item}

    def _version(self, resource: Resource, version: Version) -> dict[str, Any]:
        own: Mapping[str, Any] = _without_times(version.attributes)
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
            if name in value and name in said and same_selector(name, value[name], said[name]):
                del value[name]
        return value


def _without_implied_ancestors(resource: Resource, attributes: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the versions' attributes, without ancestors that follow from the versions' order."""
    before = ""
    for vid, version in resource.versions.items():
        own = attributes(version)
        if own.get("ancestor") == (before or vid):
            del own["ancestor"]
        yield vid, own
        before = vid


def _is_only_version(resource: Resource) -> bool:
    """Tell whether the only version needs no entry in ``versions``."""
    version = resource.versions[FIRST_VERSION]
    return version.document is None or version.document.data is not None


def _has_own_file(version: Version) -> bool:
    """Tell whether a version has a file of its own, so that it needs no entry to exist."""
    return version.document is not None and version.document.data is not None


def _common_attributes(versions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return those attributes that all versions state alike, except URLs of documents, times and ancestors."""
    first = versions[0] if versions else {}
    names = [name for name in first if not name.endswith("url") and name not in {*TIMES, "ancestor"}]
    return {name: first[name] for name in names if all(_states(other, name, first[name]) for other in versions[1:])}


def _states(version: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in version and version[name] == value


def _resource_head(attributes: Mapping[str, Any], meta: Mapping[str, Any], of_meta: frozenset[str]) -> dict[str, Any]:
    """Return what stands at the top of a resource's file: what it is, what holds across versions, the rest."""
    described = {name: attributes[name] for name in DESCRIBING if name in attributes}
    clear = {name: item for name, item in meta.items() if name in of_meta}
    # What a version may have too, such as labels, would be taken for a version's.
    doubtful = {name: item for name, item in meta.items() if name not in of_meta}
    return {**described, **clear, **({META: doubtful} if doubtful else {}), **attributes}


def _without_times(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Leave epoch and times to Git where a server stated them, which always states an epoch."""
    if "epoch" not in attributes:
        return dict(attributes)
    return {name: item for name, item in attributes.items() if name not in TIMES}


def _folder(plural: str, gid: str) -> str:
    return f"{plural}/{id_to_filename(gid)}"


def _text(value: Mapping[str, Any]) -> bytes:
    return to_yaml(value).encode()


LEFT_TO_GIT = frozenset({"epoch", "createdat", "modifiedat"})


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: ``files`` were written, relative to the registry folder; entities ``kept`` were there before.

    Nothing was written where ``diagnostics`` holds an error. ``writings`` say of each document that could be read as
    which release it is written, ``changes`` what of it was read under another name or in another form: one diagnostic
    for each place, while among ``diagnostics`` there is one for each kind of change. ``lines`` gives the text of the
    lines that they are about.
    """

    files: tuple[str, ...]
    kept: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    writings: tuple[tuple[str, str], ...] = ()
    changes: tuple[Diagnostic, ...] = ()
    lines: Lines = field(default=no_lines, compare=False)

    @property
    def failed(self) -> bool:
        """Whether nothing was imported because of an error."""
        return has_errors(self.diagnostics)


def import_documents(documents: Path | str | Sequence[Path | str], into: Path | str) -> ImportReport:
    """Write the entities of one or more documents as files of a registry folder, which is made if it is missing.

    Where a document has errors no file is written: the report has ``failed``, and ``diagnostics`` say why.

    Raises:
        XregitError: a document can't be opened, a file can't be written, or another run is editing that folder; then
            no file was.
    """
    folder = to_path(into)
    paths = [documents] if isinstance(documents, str | Path) else documents
    with edit_lock(folder):
        return _import([to_path(path) for path in paths], folder)


def _import(documents: Sequence[Path], into: Path) -> ImportReport:
    from xregit.rules import loading_diagnostics  # reading and compiling do without the rules

    there = read_folder(into) if (into / REGISTRY_FILE).is_file() else None
    closely = [load_document(path, there.model if there is not None else None) for path in documents]
    read = [document.registry for document in closely]
    registries = [there, *read] if there is not None else read
    diagnostics = [problem for registry in registries for problem in loading_diagnostics(registry)]
    writings = tuple((one.registry.place.path, one.writing.name) for one in closely if not one.registry.broken)
    changes = ordered([change for one in closely for change in one.changes])
    lines = partial(_source_line, registries)
    refused = partial(ImportReport, (), (), writings=writings, changes=changes, lines=lines)
    if not read or has_errors(diagnostics):
        return refused(ordered(diagnostics))
    whole = merge_registries(registries)
    diagnostics += [*whole.diagnostics, *_dropped_attributes(read, there), *_times_left_to_git(read)]
    files = {} if has_errors(diagnostics) else dict(_files(whole, read, there, into))
    diagnostics += [_existing_file(into, path) for path, data in files.items() if _differs(into / path, data)]
    diagnostics += _missing_model(whole, there)
    if has_errors(diagnostics):
        return refused(ordered(diagnostics))
    # Until the registry's own file is there, the next run begins anew, so it is the last.
    atomic_write.write_files(into, {path: files[path] for path in sorted(files, key=REGISTRY_FILE.__eq__)})
    kept = {source.entity.xid for source in whole.again if whole.first[source.entity.xid].registry is there}
    return ImportReport(tuple(files), tuple(sorted(kept)), ordered(diagnostics), writings, changes, lines)


def _files(
    whole: MergedRegistry, read: Sequence[Registry], there: Registry | None, into: Path
) -> Iterator[tuple[str, bytes]]:
    """Give the path and bytes of every file that is not there yet."""
    authoring = YamlFiles(whole.registry)
    if there is None:
        default = into.resolve().name
        own = read[0].attributes if len(read) == 1 else {}
        identified = {"registryid": default if is_id(default) else DEFAULT_REGISTRY_ID, **own}
        yield REGISTRY_FILE, authoring.registry_file(identified)
        if whole.extra:
            yield MODEL_FILE, to_yaml(whole.extra).encode()
    for xid, source in whole.first.items():
        if source.registry is there:
            continue
        entity = whole.registry.entity(xid)
        if isinstance(entity, Group):
            yield authoring.group_file(entity)
        elif isinstance(entity, Resource):
            yield from authoring.resource_files(entity)


def _source_line(registries: Sequence[Registry], path: str, number: int) -> str | None:
    """Return the text of a line of whatever was read."""
    found = (registry.origin.line(path, number) for registry in registries)
    return next((line for line in found if line is not None), None)


def _dropped_attributes(read: Sequence[Registry], there: Registry | None) -> Iterator[Diagnostic]:
    """Say which attributes of the documents themselves have no place in a registry made of more than one."""
    if there is None and len(read) == 1:
        return
    for registry in read:
        known = there.attributes if there is not None else {}
        git = LEFT_TO_GIT if "epoch" in registry.attributes else ()
        names = [name for name, value in registry.attributes.items() if known.get(name) != value and name not in git]
        if names:
            message = f"What the document says of itself is left out: {', '.join(names)}."
            advice = "A registry made of several documents has attributes of its own; see registry.yaml."
            yield Diagnostic("left-out", Severity.INFO, registry.place.path, message, help=advice)


def _times_left_to_git(read: Sequence[Registry]) -> Iterator[Diagnostic]:
    for registry in read:
        stated = [entity for entity in _all_attributes(registry) if "epoch" in entity]
        if stated:
            what = f"{len(stated)} entities" if len(stated) > 1 else "an entity"
            message = f"Epoch and times of {what} are left to Git."
            advice = "Nothing needs to be done: from the first commit on, the history of its file tells them."
            yield Diagnostic("left-out", Severity.INFO, registry.place.path, message, help=advice)


def _all_attributes(registry: Registry) -> Iterator[Mapping[str, object]]:
    yield registry.attributes
    for group in registry.all_groups:
        yield group.attributes
    for resource in registry.all_resources:
        yield from (version.attributes for version in resource.versions.values())


def _differs(path: Path, data: bytes) -> bool:
    """Tell whether something else is there than what is to be written; a file of the same bytes is as good as new."""
    return path.exists() and not (path.is_file() and path.read_bytes() == data)


def _existing_file(into: Path, path: str) -> Diagnostic:
    message = "The import would write this file, but it is there and holds something else."
    advice = "Move the file away, or give the entity another id."
    return Diagnostic("different-entity", Severity.ERROR, (into / path).as_posix(), message, help=advice)


def _missing_model(whole: MergedRegistry, there: Registry | None) -> Iterator[Diagnostic]:
    """Report that a registry which is there already has no model for what the documents bring."""
    if there is None or extract_extension({"modelsource": export_source(there.model)}) == whole.extra:
        return
    message = "A document's model defines group types or attributes that the registry's model.yaml does not."
    advice = f"Add them to {MODEL_FILE} first: {', '.join(_defined(whole))}."
    yield Diagnostic("different-model", Severity.ERROR, there.place.path, message, help=advice)


def _defined(whole: MergedRegistry) -> list[str]:
    extra = whole.extra
    return [*extra.get("groups", {}), *extra.get("attributes", {})]
