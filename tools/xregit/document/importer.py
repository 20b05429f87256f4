"""The importer: documents become the YAML files of one registry, all of them or none.

Of xRegistry documents, files that are there stay as they are; an entity with other content, or one that two documents
state differently, is reported. Documents of other kinds may be imported again, as a merge of three sides, file by file:
the base is what the source said last time, which the registry keeps in ``imports/``. What the source changed since is
taken over, what people have edited stays, and what both changed is left as people have it, and told until that is
settled.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

from xregit.arguments import ADDRESS, to_path, without_credentials
from xregit.catalog.entities import Group, Resource
from xregit.catalog.layout import CONFLICTS_FILE, MODEL_FILE, REGISTRY_FILE, STATES, parse_path, xid_of
from xregit.catalog.loader import read_folder
from xregit.catalog.references import schema_reference
from xregit.catalog.registry import Registry
from xregit.catalog.views import Message, text_of
from xregit.diagnostics import Diagnostic, Severity, has_errors, ordered
from xregit.document.compiler import DEFAULT_REGISTRY_ID
from xregit.document.foreign import ForeignDocument, load_foreign
from xregit.document.loader import load_document
from xregit.document.model_document import extract_extension
from xregit.document.profiles import profile
from xregit.document.serializer import LIFECYCLE, Serializer
from xregit.document.yaml_files import YamlFiles
from xregit.errors import Lines, XregitError, no_lines
from xregit.model import builtin, export_source, extend
from xregit.model.files import SPECVERSION
from xregit.progress import task, track
from xregit.source import atomic_write, yaml_loader
from xregit.source.file_tree import MAX_FILE_BYTES, id_to_filename, list_files, read
from xregit.source.json_emitter import pretty_json
from xregit.source.three_way import (
    BASE,
    CONFLICT_ADVICE,
    OURS,
    THEIRS,
    Conflicts,
    conflict_message,
    edit_text,
    merge,
    theirs,
    unsettled_conflicts,
)
from xregit.source.yaml_emitter import to_yaml
from xregit.source.yaml_formatter import UnformattableError
from xregit.xid import is_id

_FORMAT, _URI = "dataschemaformat", "dataschemauri"
_ORIGIN = "importedfrom"  # in what is kept of a source: its path from the registry's folder, or its host
# The version in the name of a file, which is not a part of its identity: events-1.2.yaml follows events-1.1.yaml. A
# number alone is no version: events1.yaml and events2.yaml are two sources.
_VERSION = re.compile(r"(?i)[-_.]v?[0-9]+(\.[0-9]+)+(?=\.[a-z]+$)")
_ID = re.compile(r'"([A-Za-z0-9._~-]+)":')
# Where the document of learnt messages keeps what their samples have in common.
_SAMPLES = "samples"
_ASKED = ("https://", "http://")
_CONFLICTS = "What an import and people have changed differently. Settle it with xregit import --ours or --theirs."


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: ``files`` were written, relative to the registry folder; entities ``kept`` were there.

    Files ``removed`` are those of what left the source.

    Nothing was written where ``diagnostics`` holds an error. ``writings`` name for each document that could be read
    the release as which it is written, ``changes`` what of it was read under another name or in another form: one
    diagnostic for each place, while among ``diagnostics`` there is one for each kind of change. ``lines`` gives the
    text of the lines that they are about.
    """

    files: tuple[str, ...]
    kept: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    writings: tuple[tuple[str, str], ...] = ()
    changes: tuple[Diagnostic, ...] = ()
    lines: Lines = field(default=no_lines, compare=False)
    removed: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether nothing was imported because of an error."""
        return has_errors(self.diagnostics)

    def joined(self, other: ImportReport) -> ImportReport:
        """Return this report with what another one adds."""
        return replace(
            other,
            changes=self.changes + other.changes,
            lines=lambda path, number: self.lines(path, number) or other.lines(path, number),
            files=self.files + other.files,
            removed=self.removed + other.removed,
            kept=self.kept + other.kept,
            diagnostics=self.diagnostics + other.diagnostics,
            writings=self.writings + other.writings,
        )


def import_documents(  # noqa: PLR0913 - by name
    documents: Path | str | Sequence[Path | str],
    into: Path | str,
    kind: str = "",
    *,
    group: str = "",
    protocol: str = "",
    prune: bool = False,
    home: Path | None = None,
) -> ImportReport:
    """Write the entities of one or more documents as files of a registry folder, which is made if it is missing.

    Documents are xRegistry's or AsyncAPI's; a folder holds schemas, and an address is that of a schema registry, the
    only thing that is ever asked. What isn't xRegistry's and was imported before
    updates its entities: what it changed is taken over, what people have edited since stays. ``kind`` says what the
    documents are, as ``--from`` does, where their content can't tell. ``group`` is the id of the groups that one source
    of another kind becomes, ``protocol`` that of messages whose source names none. ``prune`` lets an import remove more
    files than it writes. ``home`` is where the files will be, if the caller moves them there.

    Where a document has errors no file is written: the report has ``failed``, and ``diagnostics`` say why.

    Raises:
        XregitError: a document can't be opened, a file can't be written, or another run is editing that folder; then
            no file was.
    """
    folder = to_path(into)
    paths = [documents] if isinstance(documents, str | Path) else documents
    if group and len(paths) != 1:
        message = "one group is for one source; import each with its own"
        raise XregitError(message)
    with atomic_write.edit_lock(folder):
        load = partial(load_foreign, kind=kind, group=group, protocol=protocol, known=_known_ids(folder))
        foreign = {source: load(source) for source in map(_source, paths)}
        used = {place for document in foreign.values() if document is not None for place in document.used}
        for source in [source for source in foreign if isinstance(source, Path)]:
            if any(path == source.resolve() for path, _ in used):
                foreign[source] = load(source, elsewhere=used)
        documents_ = [source for source, document in foreign.items() if document is None and isinstance(source, Path)]
        sources = [document for document in foreign.values() if document is not None]
        plans = [_plan_sources(sources, folder, home or folder, prune=prune)] if sources else []
        plans += [_plan_documents(documents_, folder)] if documents_ else []
        return _write(plans, folder)


def _known_ids(folder: Path) -> frozenset[str]:
    """Return the ids of what was imported into a folder before, without their case."""
    states = [path for path in (folder / STATES).glob("*.json") if path.is_file()]
    texts = [path.stem for path in states]
    texts += [id_ for path in states for id_ in _ID.findall(path.read_text(encoding="utf-8", errors="replace"))]
    return frozenset(map(str.casefold, texts))


@dataclass
class _Plan:
    """What an import will write and remove, and its report once that is done; nothing if the report has an error."""

    report: ImportReport
    files: dict[str, bytes] = field(default_factory=dict)


def _write(plans: Sequence[_Plan], into: Path) -> ImportReport:
    """Write what is planned, all of it or none, and return the report.

    Raises:
        XregitError: a file can't be written; then none was.
    """
    report = reduce(ImportReport.joined, (plan.report for plan in plans), ImportReport((), (), ()))
    files: dict[str, bytes] = {}
    clashes = []
    for plan in plans:
        clashes += [
            path
            for path in plan.files
            if path != REGISTRY_FILE and files.get(path, plan.files[path]) != plan.files[path]
        ]
        files |= plan.files
    if clashes or report.failed:
        diagnostics = (*report.diagnostics, *(_existing_file(into, path) for path in clashes))
        return replace(report, files=(), removed=(), kept=(), diagnostics=diagnostics)
    # Until the registry's own file is there, the next run begins anew, so it is the last.
    with task("writing files"):
        ordered_files = {path: files[path] for path in sorted(files, key=REGISTRY_FILE.__eq__)}
        atomic_write.write_and_remove(into, ordered_files, report.removed)
    return replace(report, files=tuple(dict.fromkeys(report.files)))


def _missing_protocols(registries: Sequence[Registry]) -> Iterator[Diagnostic]:
    """Report each source that leaves messages without a protocol, and so without topics or paths."""
    for registry in registries:
        count = sum(not message.protocol for message in registry.messages)
        if count:
            message = f"No server or channel names a protocol for {count} of {len(registry.messages)} messages."
            advice = (
                'Import it again with --protocol NAME, such as KAFKA; or write "protocol" and its options yourself.'
            )
            yield Diagnostic("protocol-missing", Severity.INFO, registry.place.path, message, help=advice)


def _empty(registries: Sequence[Registry]) -> Iterator[Diagnostic]:
    """Report each source that gives nothing."""
    for registry in registries:
        if not any(registry.all_groups):
            message = "The source has no messages, endpoints or schemas."
            advice = "Check that it is the right file or folder; --from says what kind it is."
            yield Diagnostic("empty-source", Severity.ERROR, registry.place.path, message, help=advice)


def _source(document: Path | str) -> Path | str:
    """Return an address as it is, anything else as a path.

    Raises:
        XregitError: it is an address that nothing is imported from.
    """
    scheme = ADDRESS.match(document) if isinstance(document, str) else None
    if scheme is None:
        return to_path(document)
    address = f"{scheme[0].lower()}{str(document)[scheme.end() :]}"
    if not address.startswith(_ASKED):
        message = (
            f'"{without_credentials(document)}" can\'t be imported; name a file, a folder, or the address of a schema '
            "registry, which begins with https:// or http://"
        )
        raise XregitError(message)
    return address


def update_registry(source: ForeignDocument, into: Path) -> ImportReport:
    """Bring the files of a registry folder up to date with a document of another kind.

    Raises:
        XregitError: a file can't be written, or another source has the same name.
    """
    return _write([_plan_sources([source], into, into, prune=True)], into)


def _plan_sources(sources: Sequence[ForeignDocument], into: Path, home: Path, *, prune: bool) -> _Plan:
    """Plan to bring the files of a registry folder up to date with documents of other kinds."""
    _check_names(sources, into, home)
    registries = [source.loaded.registry for source in sources]
    folders = _folders(registries)
    parts = {path for source in sources for path, _ in source.used}  # which need to hold nothing of their own
    diagnostics: list[Diagnostic] = []
    for folder, source in zip(folders, sources, strict=True):
        registry = source.loaded.registry
        found = [*_loading_diagnostics([registry]), *_missing_protocols([registry])]
        found += [] if has_errors(found) or source.origin in parts else _empty([registry])
        diagnostics += [replace(item, path=folder + item.path) for item in found]
    writings = tuple(
        (folder + source.loaded.registry.place.path, source.loaded.dialect.name)
        for folder, source in zip(folders, sources, strict=True)
    )
    failure = partial(ImportReport, (), (), writings=writings, lines=partial(_source_line, registries, folders=folders))
    if has_errors(diagnostics):
        return _Plan(failure(ordered(diagnostics)))
    base: dict[str, bytes] = {}
    new: dict[str, bytes] = {}
    for source in sources:
        state = f"{STATES}/{id_to_filename(source.name)}.json"
        if (into / state).is_file():
            base |= _entity_files(load_document(into / state).registry)
        new |= _entity_files(source.loaded.registry)
        origin = _origin_of(source, home)
        new[state] = pretty_json({**source.value, **({_ORIGIN: origin} if origin else {})})
    update = plan_update(into, base, new)
    known = _known_conflicts(into)
    written = sum(not path.startswith(f"{STATES}/") for path in update.files)
    if not prune and len(update.removed) > written:
        update.refuse_removal(into)
    if update.conflicts != known:
        _keep_conflicts(update.conflicts, update.files, update.removed)
    if not (into / REGISTRY_FILE).is_file():
        files = YamlFiles(registries[0])
        update.files[REGISTRY_FILE] = files.registry_file({"registryid": _registry_id(into)})
    diagnostics += [*update.diagnostics, *_large_files(into, update.files)]
    report = failure(ordered(diagnostics))
    report = replace(report, files=tuple(update.files), removed=tuple(update.removed), kept=tuple(update.kept))
    return _Plan(report, update.files)


def _folders(registries: Sequence[Registry]) -> list[str]:
    """Return what the paths of each source begin with: nothing, unless those of several repositories would be one."""
    roots = [registry.origin.repository for registry in registries]
    if len({registry.place.path for registry in registries}) == len(registries):
        return [""] * len(registries)
    top = os.path.commonpath(roots)
    return [f"{Path(os.path.relpath(root, top)).as_posix()}/".removeprefix("./") for root in roots]


def _check_names(sources: Sequence[ForeignDocument], into: Path, home: Path) -> None:
    """Refuse sources of one name, of which one would take the place of the other."""
    names: set[str] = set()
    for source in sources:
        path = into / STATES / f"{id_to_filename(source.name)}.json"
        known, learnt = _origin(path)
        learnt = learnt and _SAMPLES not in source.value
        origin = _origin_of(source, home)
        same = known == origin or (isinstance(source.origin, Path) and _unversioned(known) == _unversioned(origin))
        moved = bool(known and origin) and not same
        if learnt or source.name in names or moved:
            other = "learnt messages" if learnt else f'"{known}"' if moved else "another source of this import"
            advice = f'; if the source has moved, set "{_ORIGIN}" in {path} to "{origin}"' if moved else ""
            message = f'the group "{source.name}" belongs to {other}; choose another one with --group{advice}'
            raise XregitError(message)
        names.add(source.name)


def _unversioned(path: str) -> str:
    return _VERSION.sub("", path)


def _origin_of(source: ForeignDocument, home: Path) -> str:
    """Return what identifies a source: its path from the registry's folder, or its host."""
    if isinstance(source.origin, str):
        return source.origin
    return Path(os.path.relpath(source.origin, home.resolve())).as_posix()


def _origin(state: Path) -> tuple[str, bool]:
    """Return the source that a group came from, if it is known, and whether it was learnt from samples.

    Raises:
        XregitError: the file can't be read.
    """
    if not state.is_file():
        return "", False
    try:
        value = json.loads(state.read_bytes())
        return str(value.get(_ORIGIN, "")), _SAMPLES in value
    except (ValueError, AttributeError) as error:
        message = f"{state} is not what an import keeps of a source; restore the file from Git"
        raise XregitError(message) from error


def _loading_diagnostics(registries: Sequence[Registry]) -> list[Diagnostic]:
    from xregit.rules import loading_diagnostics  # `read` does without them, which are a sixth of its start

    return [problem for registry in registries for problem in loading_diagnostics(registry)]


def _entity_files(registry: Registry) -> dict[str, bytes]:
    """Return the files of all entities of a registry by their paths."""
    files = YamlFiles(registry)
    resources = chain.from_iterable(map(files.resource_files, registry.all_resources))
    return dict(chain(map(files.group_file, registry.all_groups), resources))


def _registry_id(into: Path) -> str:
    name = into.resolve().name
    return name if is_id(name) else DEFAULT_REGISTRY_ID


def _plan_documents(documents: Sequence[Path], into: Path) -> _Plan:
    """Plan to add the entities of xRegistry documents to a registry folder."""
    target = read_folder(into) if (into / REGISTRY_FILE).is_file() else None
    model = target.model if target is not None else None
    loaded = [load_document(path, model) for path in track(documents, "reading documents")]
    sources = [document.registry for document in loaded]
    registries = [target, *sources] if target is not None else sources
    diagnostics = _loading_diagnostics(registries)
    writings = tuple((item.registry.place.path, item.dialect.name) for item in loaded if not item.registry.broken)
    changes = ordered([change for item in loaded for change in item.changes])
    lines = partial(_source_line, registries)
    failure = partial(ImportReport, (), (), writings=writings, changes=changes, lines=lines)
    if has_errors(diagnostics):
        return _Plan(failure(ordered(diagnostics)))
    sources, additions = _with_schema_formats(sources)
    with task("merging documents"):
        merged = merge_registries([target, *sources] if target is not None else sources)
    diagnostics += [*merged.diagnostics, *additions, *_dropped_attributes(sources, target), *_dropped_times(sources)]
    files = {} if has_errors(diagnostics) else dict(_new_files(merged, sources, target, into))
    diagnostics += [_existing_file(into, path) for path, data in files.items() if _differs(into / path, data)]
    diagnostics += [*_large_files(into, files), *_missing_model(merged, target)]
    kept = {item.entity.xid for item in merged.duplicates if merged.entities[item.entity.xid].registry is target}
    return _Plan(ImportReport(tuple(files), tuple(sorted(kept)), ordered(diagnostics), writings, changes, lines), files)


def _new_files(
    merged: MergedRegistry, sources: Sequence[Registry], target: Registry | None, into: Path
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of the files of all entities that the target doesn't have."""
    yaml_files = YamlFiles(merged.registry)
    if target is None:
        own = sources[0].attributes if len(sources) == 1 else {}
        attributes = {"registryid": _registry_id(into), **own}
        yield REGISTRY_FILE, yaml_files.registry_file(attributes)
        if merged.extension:
            yield MODEL_FILE, to_yaml(merged.extension).encode()
    for xid, source in merged.entities.items():
        if source.registry is target:
            continue
        entity = merged.registry.entity(xid)
        if isinstance(entity, Group):
            yield yaml_files.group_file(entity)
        elif isinstance(entity, Resource):
            yield from yaml_files.resource_files(entity)


def _source_line(
    registries: Sequence[Registry], path: str, number: int, folders: Sequence[str] | None = None
) -> str | None:
    """Return the text of a line of a file or document."""
    places = zip(folders or [""] * len(registries), registries, strict=True)
    lines = (
        registry.origin.line(path.removeprefix(folder), number)
        for folder, registry in places
        if path.startswith(folder)
    )
    return next((line for line in lines if line is not None), None)


def _with_schema_formats(sources: Sequence[Registry]) -> tuple[list[Registry], list[Diagnostic]]:
    """Return the documents with the formats that their messages leave to the schemas, and how many each gained.

    A schema that is not in the registry, or doesn't state its own format, leaves a message as it is.
    """
    registries, diagnostics = [], []
    for source in sources:
        formats = {message.xid: format_ for message in source.messages if (format_ := _missing_format(source, message))}
        groups = {
            plural: {gid: _complete_group(group, formats) for gid, group in members.items()}
            for plural, members in source.groups.items()
        }
        registries.append(replace(source, groups=groups) if formats else source)
        if formats:
            messages = f"{len(formats)} message{'' if len(formats) == 1 else 's'}"
            message = f'"{_FORMAT}" is added to {messages}, as the schema has it.'
            advice = "Nothing needs to be done: it is required where a message refers to a schema."
            diagnostics.append(Diagnostic("filled-in", Severity.INFO, source.place.path, message, help=advice))
    return registries, diagnostics


def _missing_format(registry: Registry, message: Message) -> str:
    uri = text_of(message.entity.attributes, _URI)
    if not uri or message.resolved.attributes.get(_FORMAT) is not None:
        return ""
    version = schema_reference(registry, uri).version
    return text_of(version.attributes, "format") if version is not None else ""


def _complete_group(group: Group, formats: Mapping[str, str]) -> Group:
    collections = {
        plural: {rid: _complete(item, formats) for rid, item in resources.items()}
        for plural, resources in group.collections.items()
    }
    return replace(group, collections=collections)


def _complete(resource: Resource, formats: Mapping[str, str]) -> Resource:
    if resource.xid not in formats:
        return resource
    version = resource.versions[resource.defaultversionid]
    attributes = {**version.attributes, _FORMAT: formats[resource.xid]}
    versions = {**resource.versions, version.id: replace(version, attributes=attributes)}
    return replace(resource, versions=versions, attributes=attributes)


def _dropped_attributes(sources: Sequence[Registry], target: Registry | None) -> Iterator[Diagnostic]:
    """Report the documents' own attributes that have no place in a registry made of more than one."""
    if target is None and len(sources) == 1:
        return
    present = target.attributes if target is not None else {}
    for source in sources:
        left_to_git = LIFECYCLE if "epoch" in source.attributes else ()
        attributes = source.attributes.items()
        names = [name for name, value in attributes if present.get(name) != value and name not in left_to_git]
        if names:
            message = f"What the document says of itself is left out: {', '.join(names)}."
            advice = "A registry made of several documents has attributes of its own; see registry.yaml."
            yield Diagnostic("left-out", Severity.INFO, source.place.path, message, help=advice)


def _dropped_times(sources: Sequence[Registry]) -> Iterator[Diagnostic]:
    """Report how many entities of each document have their epoch and times from Git from now on."""
    for source in sources:
        count = sum("epoch" in attributes for attributes in _all_attributes(source))
        if count:
            entities = f"{count} entities" if count > 1 else "an entity"
            message = f"Epoch and times of {entities} are left to Git."
            advice = "Nothing needs to be done: from the first commit on, the history of its file tells them."
            yield Diagnostic("left-out", Severity.INFO, source.place.path, message, help=advice)


def _all_attributes(registry: Registry) -> Iterator[Mapping[str, object]]:
    yield registry.attributes
    for group in registry.all_groups:
        yield group.attributes
    for resource in registry.all_resources:
        yield from (version.attributes for version in resource.versions.values())


def _differs(path: Path, data: bytes) -> bool:
    """Return whether something else is there than what is to be written; the same bytes may be written again."""
    return path.exists() and not (path.is_file() and path.read_bytes() == data)


def _existing_file(into: Path, path: str) -> Diagnostic:
    message = "The import would write this file, but it is there and holds something else."
    advice = "Move the file away, or give the entity another id."
    return Diagnostic("different-entity", Severity.ERROR, (into / path).as_posix(), message, help=advice)


def _large_files(into: Path, files: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    """Report the files that would be too large to be read again."""
    for path, data in files.items():
        if len(data) > MAX_FILE_BYTES and not path.startswith(f"{STATES}/"):
            message = (
                f"The import would write {len(data):,} bytes here, but at most {MAX_FILE_BYTES:,} are read of a file."
            )
            advice = "Make the entity smaller, or leave it out."
            yield Diagnostic("file-size", Severity.ERROR, (into / path).as_posix(), message, help=advice)


def _missing_model(merged: MergedRegistry, target: Registry | None) -> Iterator[Diagnostic]:
    """Report that the target's model lacks what the documents' models add."""
    extension = merged.extension
    if target is None or extract_extension({"modelsource": export_source(target.model)}) == extension:
        return
    message = "A document's model defines group types or attributes that the registry's model.yaml does not."
    names = [*extension.get("groups", {}), *extension.get("attributes", {})]
    advice = f"Add them to {MODEL_FILE} first: {', '.join(names)}."
    yield Diagnostic("different-model", Severity.ERROR, target.place.path, message, help=advice)


@dataclass(frozen=True, slots=True)
class EntitySource:
    """An entity and the registry that it comes from."""

    registry: Registry
    entity: Group | Resource


@dataclass(frozen=True, slots=True)
class MergedRegistry:
    """One registry made of several, what their models add to ours, and what is wrong.

    ``entities`` are those of the first registry that has them, by xid; the ``duplicates`` are those of the others.
    """

    registry: Registry
    extension: Mapping[str, Any]
    entities: Mapping[str, EntitySource]
    duplicates: tuple[EntitySource, ...]
    diagnostics: tuple[Diagnostic, ...]


def merge_registries(registries: Sequence[Registry]) -> MergedRegistry:
    """Return the registries, at least one, as one; of an entity that several have, the first counts."""
    extension, diagnostics = _model_extension(registries)
    model = extend(builtin(), extension)[0] if extension else builtin()
    entities: dict[str, EntitySource] = {}
    duplicates: list[EntitySource] = []

    def add(source: EntitySource) -> bool:
        is_new = entities.setdefault(source.entity.xid, source) is source
        if not is_new:
            duplicates.append(source)
        return is_new

    groups: dict[str, dict[str, Group]] = {plural: {} for plural in model.groups}
    for registry in registries:
        for group in registry.all_groups:
            add(EntitySource(registry, group))
            kind = model.groups[group.type.plural]
            merged = groups[kind.plural].get(group.id) or replace(group, type=kind, collections={})
            collections = {plural: dict(resources) for plural, resources in merged.collections.items()}
            for plural, resources in group.collections.items():
                for rid, resource in resources.items():
                    if add(EntitySource(registry, resource)):
                        collections.setdefault(plural, {})[rid] = replace(resource, type=kind.resources[plural])
            groups[kind.plural][group.id] = replace(merged, collections=collections)
    whole = replace(registries[0], model=model, groups=groups, problems=())
    diagnostics += _differences(Serializer(whole, profile(SPECVERSION)), entities, duplicates)
    diagnostics += _ids_differing_in_case(entities)
    return MergedRegistry(whole, extension, entities, tuple(duplicates), tuple(diagnostics))


def _model_extension(registries: Sequence[Registry]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return what the registries' models add to ours, together, and where they contradict each other."""
    extension: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    for registry in registries:
        if registry.model is builtin():
            continue
        other = extract_extension({"modelsource": export_source(registry.model)})
        conflict = next(_conflicts(extension, other), "")
        if conflict:
            message = f'The model defines "{conflict}" differently from another document or model.yaml.'
            advice = "Make the definitions equal."
            path = registry.place.path
            diagnostics.append(Diagnostic("different-model", Severity.ERROR, path, message, help=advice))
        extension = _unite(extension, other)
    return extension, diagnostics


def _conflicts(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in (name for name in one if name in other):
        if isinstance(one[name], dict) and isinstance(other[name], dict):
            yield from (f"{name}.{inner}" for inner in _conflicts(one[name], other[name]))
        elif one[name] != other[name]:
            yield name


def _unite(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {name: _unite(one[name], other[name]) for name in one if isinstance(one[name], dict) and name in other}
    return {**other, **one, **both}


def _differences(
    serializer: Serializer, entities: Mapping[str, EntitySource], duplicates: Sequence[EntitySource]
) -> Iterator[Diagnostic]:
    for source in duplicates:
        other = entities[source.entity.xid].entity
        if _content(serializer, source.entity) != _content(serializer, other):
            message = f'"{other.xid}" is not the same here and in "{other.place.path}".'
            yield _diagnostic(
                source, "different-entity", message, "Make both the same, or give one of them another id."
            )


def _content(serializer: Serializer, entity: Group | Resource) -> Any:
    """Return all attributes of an entity, in one form whatever form it was written in."""
    if isinstance(entity, Group):
        return serializer.group_attributes(entity)
    if entity.xref:
        return entity.xref
    versions = {vid: serializer.version_attributes(entity, version) for vid, version in entity.versions.items()}
    return entity.defaultversionid, serializer.meta_attributes(entity), versions


def _ids_differing_in_case(entities: Mapping[str, EntitySource]) -> Iterator[Diagnostic]:
    """Report ids that differ by case alone: on many disks they are one file."""
    xids: dict[str, str] = {}
    for xid, source in entities.items():
        other = xids.setdefault(xid.casefold(), xid)
        if other != xid and other.rsplit("/", 1)[0] == xid.rsplit("/", 1)[0]:
            message = f'"{xid}" and "{other}" differ by upper and lower case alone.'
            advice = "Ids are unique without regard to case; rename one."
            yield _diagnostic(source, "ids-differ-only-in-case", message, advice)


def _diagnostic(source: EntitySource, rule: str, message: str, advice: str) -> Diagnostic:
    place = source.entity.place
    span = source.registry.origin.span(place, on_key=True)
    return Diagnostic(rule, Severity.ERROR, place.path, message, *span, xid=source.entity.xid, help=advice)


@dataclass
class Update:
    """What changes below the registry's folder: the new bytes of files, the files to remove, and what was decided.

    ``conflicts`` are those of all files that are there, by their paths.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    conflicts: dict[str, Conflicts] = field(default_factory=dict)

    def note(self, rule: str, path: Path, message: str, advice: str, severity: Severity = Severity.WARNING) -> None:
        """Add what a person should look at."""
        self.diagnostics.append(Diagnostic(rule, severity, path.as_posix(), message, help=advice))

    def refuse_removal(self, into: Path) -> None:
        """Report the files that would be removed, as an error."""
        advice = "Import it with --prune if they should go; else check that it is the right source, and complete."
        for name in self.removed:
            message = "The source no longer has this, and the import would remove more files than it writes."
            self.note("many-removals", into / name, message, advice, Severity.ERROR)


def plan_update(into: Path, base: Mapping[str, bytes], new: Mapping[str, bytes]) -> Update:
    """Return what to do so that the files of a folder follow a source; nothing is written.

    ``base`` holds the files as the source made them last time, ``new`` as it makes them now, by their paths.
    """
    update = Update(conflicts=_known_conflicts(into))
    for name in sorted({*base, *new}):
        path = into / name
        current = path.read_bytes() if path.is_file() else None
        unsettled = unsettled_conflicts(name, current or b"", update.conflicts.pop(name, None))
        if name.startswith(f"{STATES}/"):
            update.files |= {name: new[name]} if name in new and current != new[name] else {}
            continue
        if name not in new:
            _remove(update, path, name, current, base[name])
        elif current is None and not path.exists():
            _add(update, path, name, base.get(name), new[name])
        elif current == new[name] or (base.get(name) == new[name] and not unsettled):
            update.kept.append(name)
        elif name not in base or current is None:
            message = "The import would write this file, but it is there and holds something else."
            update.note(
                "different-entity", path, message, "Move the file away, or rename it in the source.", Severity.ERROR
            )
        else:
            _merge(update, path, name, {OURS: current, BASE: base[name], THEIRS: new[name]}, unsettled)
    return update


def _merge(update: Update, path: Path, name: str, sides: Mapping[str, bytes], unsettled: Conflicts) -> None:
    data, conflicts = merge(name, sides, unsettled)
    if data != sides[OURS]:
        update.files[name] = data
    else:
        update.kept.append(name)
    if conflicts:
        update.conflicts[name] = conflicts
        update.note("edited-here-and-there", path, conflict_message(conflicts), CONFLICT_ADVICE)


def _known_conflicts(into: Path) -> dict[str, Conflicts]:
    path = into / CONFLICTS_FILE
    value = yaml_loader.parse(path.read_bytes()).value if path.is_file() else None
    return value if isinstance(value, dict) else {}


def _keep_conflicts(conflicts: Mapping[str, Conflicts], files: dict[str, bytes], removed: list[str]) -> None:
    """Add the file of conflicts to those to write, or to those to remove once all are settled."""
    if conflicts:
        files[CONFLICTS_FILE] = to_yaml(conflicts, comment=_CONFLICTS).encode()
    else:
        removed.append(CONFLICTS_FILE)


def settle_conflicts(into: Path | str, xids: Mapping[str, bool]) -> None:
    """Settle the conflicts of entities, by xid, in favour of the source where that is true, or else of their files.

    Raises:
        XregitError: an entity has no conflict, or a file can't be read or written; then none was.
    """
    folder = to_path(into)
    with atomic_write.edit_lock(folder):
        model, conflicts, files = read_folder(folder).model, _known_conflicts(folder), {}
        there = set(list_files(folder).files)
        texts = {name: read(folder, name) for name in conflicts if name in there}
        unsettled = {name: unsettled_conflicts(name, data, conflicts[name]) for name, data in texts.items()}
        owners = {name: xid_of(parse_path(model, name)) for name, items in unsettled.items() if items}
        for xid, for_source in xids.items():
            own = [name for name, owner in owners.items() if owner == xid or owner.startswith(f"{xid}/versions/")]
            if not own:
                others = ", ".join(sorted(set(owners.values())))
                message = f'"{xid}" has no conflict' + (f"; these entities have one: {others}" if others else "")
                raise XregitError(message)
            for name in own:
                del conflicts[name]
                if for_source:
                    files[name] = _settled(name, texts[name], unsettled[name])
        removed: list[str] = []
        _keep_conflicts(conflicts, files, removed)
        atomic_write.write_and_remove(folder, files, removed)


def _settled(name: str, data: bytes, conflicts: Conflicts) -> bytes:
    try:
        return edit_text(name, data, theirs(conflicts))
    except UnformattableError as error:
        message = f"{name} can't be edited: {error}"
        raise XregitError(message) from error


def _remove(update: Update, path: Path, name: str, current: bytes | None, base: bytes) -> None:
    if current == base:
        update.removed.append(name)
    elif current is not None:
        message = "The source no longer has this; the file is kept, since it was edited here."
        update.note("gone-from-source", path, message, "Delete it if nobody needs it.")


def _add(update: Update, path: Path, name: str, base: bytes | None, new: bytes) -> None:
    if base is None:
        update.files[name] = new
    elif base != new:
        message = "The file was deleted here, and the source has changed it since; it stays deleted."
        update.note("deleted-here", path, message, f"To have it again, delete its entry from {STATES}/ and import.")
    else:
        update.kept.append(name)
