"""The importer: documents become the YAML files of one registry, all of them or none.

Of xRegistry documents, files that are there stay as they are; an entity with other content, or one that two documents
state differently, is reported. Documents of other kinds may be imported again: see `updates`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from xregit.arguments import to_path
from xregit.catalog.entities import Group, Resource
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE
from xregit.catalog.loader import read_folder
from xregit.diagnostics import Diagnostic, Severity, has_errors, ordered
from xregit.document.compiler import DEFAULT_REGISTRY_ID
from xregit.document.foreign import load_foreign
from xregit.document.loader import load_document
from xregit.document.model_document import extract_extension
from xregit.document.registry_merge import MergedRegistry, merge_registries
from xregit.document.schema_formats import add_schema_formats
from xregit.document.serializer import LIFECYCLE
from xregit.document.updates import STATES, plan_update
from xregit.document.yaml_files import YamlFiles
from xregit.errors import Lines, no_lines
from xregit.model import export_source
from xregit.progress import task, track
from xregit.source import atomic_write
from xregit.source.file_tree import MAX_FILE_BYTES, id_to_filename
from xregit.source.json_emitter import pretty_json
from xregit.source.yaml_emitter import to_yaml
from xregit.xid import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.catalog.registry import Registry
    from xregit.document.foreign import ForeignDocument


ADDRESSES = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: ``files`` were written, relative to the registry folder; entities ``kept`` were there.

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

    @property
    def failed(self) -> bool:
        """Whether nothing was imported because of an error."""
        return has_errors(self.diagnostics)

    def joined(self, other: ImportReport) -> ImportReport:
        """Return this report with what another one adds; lines are the other's."""
        return replace(
            other,
            files=self.files + other.files,
            kept=self.kept + other.kept,
            diagnostics=self.diagnostics + other.diagnostics,
            writings=self.writings + other.writings,
        )


def import_documents(documents: Path | str | Sequence[Path | str], into: Path | str) -> ImportReport:
    """Write the entities of one or more documents as files of a registry folder, which is made if it is missing.

    Documents are xRegistry's or AsyncAPI's; a folder holds schemas, and an address is that of a schema registry, the
    only thing that is ever asked. What isn't xRegistry's and was imported before
    updates its entities: what it changed is taken over, what people have edited since stays.

    Where a document has errors no file is written: the report has ``failed``, and ``diagnostics`` say why.

    Raises:
        XregitError: a document can't be opened, a file can't be written, or another run is editing that folder; then
            no file was.
    """
    folder = to_path(into)
    paths = [documents] if isinstance(documents, str | Path) else documents
    with atomic_write.edit_lock(folder):
        foreign = {source: load_foreign(source) for source in map(_source, paths)}
        documents_ = [source for source, document in foreign.items() if document is None and isinstance(source, Path)]
        sources = [document for document in foreign.values() if document is not None]
        if not sources:
            return _import(documents_, folder)
        report = update_registry(sources, folder)
        if not documents_ or report.failed:
            return report
        return report.joined(_import(documents_, folder))


def _source(document: Path | str) -> Path | str:
    """Return an address as it is, anything else as a path."""
    return document if isinstance(document, str) and document.startswith(ADDRESSES) else to_path(document)


def update_registry(sources: Sequence[ForeignDocument], into: Path) -> ImportReport:
    """Bring the files of a registry folder up to date with documents of other kinds.

    Raises:
        XregitError: a file can't be written.
    """
    from xregit.rules import loading_diagnostics  # `read` does without them

    registries = [source.loaded.registry for source in sources]
    diagnostics = [problem for registry in registries for problem in loading_diagnostics(registry)]
    writings = tuple((item.registry.place.path, item.dialect.name) for item in (source.loaded for source in sources))
    failure = partial(ImportReport, (), (), writings=writings, lines=partial(_source_line, registries))
    if has_errors(diagnostics):
        return failure(ordered(diagnostics))
    base: dict[str, bytes] = {}
    new: dict[str, bytes] = {}
    for source in sources:
        state = f"{STATES}/{id_to_filename(source.name)}.json"
        if (into / state).is_file():
            base |= _entity_files(load_document(into / state).registry)
        new |= _entity_files(source.loaded.registry)
        new[state] = pretty_json(source.value)
    update = plan_update(into, base, new)
    if not (into / REGISTRY_FILE).is_file():
        files = YamlFiles(registries[0])
        update.files[REGISTRY_FILE] = files.registry_file({"registryid": _registry_id(into)})
    diagnostics += [*update.diagnostics, *_large_files(into, update.files)]
    if has_errors(diagnostics):
        return failure(ordered(diagnostics))
    atomic_write.write_and_remove(into, update.files, update.removed)
    return replace(failure(ordered(diagnostics)), files=tuple(update.files), kept=tuple(update.kept))


def _entity_files(registry: Registry) -> dict[str, bytes]:
    """Return the files of all entities of a registry by their paths."""
    files = YamlFiles(registry)
    resources = chain.from_iterable(map(files.resource_files, registry.all_resources))
    return dict(chain(map(files.group_file, registry.all_groups), resources))


def _registry_id(into: Path) -> str:
    name = into.resolve().name
    return name if is_id(name) else DEFAULT_REGISTRY_ID


def _import(documents: Sequence[Path], into: Path) -> ImportReport:
    from xregit.rules import loading_diagnostics  # `read` does without them

    target = read_folder(into) if (into / REGISTRY_FILE).is_file() else None
    model = target.model if target is not None else None
    loaded = [load_document(path, model) for path in track(documents, "reading documents")]
    sources = [document.registry for document in loaded]
    registries = [target, *sources] if target is not None else sources
    diagnostics = [problem for registry in registries for problem in loading_diagnostics(registry)]
    writings = tuple((item.registry.place.path, item.dialect.name) for item in loaded if not item.registry.broken)
    changes = ordered([change for item in loaded for change in item.changes])
    lines = partial(_source_line, registries)
    failure = partial(ImportReport, (), (), writings=writings, changes=changes, lines=lines)
    if not sources or has_errors(diagnostics):
        return failure(ordered(diagnostics))
    sources, additions = _with_schema_formats(sources)
    with task("merging documents"):
        merged = merge_registries([target, *sources] if target is not None else sources)
    diagnostics += [*merged.diagnostics, *additions, *_dropped_attributes(sources, target), *_dropped_times(sources)]
    files = {} if has_errors(diagnostics) else dict(_new_files(merged, sources, target, into))
    diagnostics += [_existing_file(into, path) for path, data in files.items() if _differs(into / path, data)]
    diagnostics += [*_large_files(into, files), *_missing_model(merged, target)]
    if has_errors(diagnostics):
        return failure(ordered(diagnostics))
    # Until the registry's own file is there, the next run begins anew, so it is the last.
    with task("writing files"):
        atomic_write.write_files(into, {path: files[path] for path in sorted(files, key=REGISTRY_FILE.__eq__)})
    kept = {item.entity.xid for item in merged.duplicates if merged.entities[item.entity.xid].registry is target}
    return ImportReport(tuple(files), tuple(sorted(kept)), ordered(diagnostics), writings, changes, lines)


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


def _source_line(registries: Sequence[Registry], path: str, number: int) -> str | None:
    """Return the text of a line of a file or document."""
    lines = (registry.origin.line(path, number) for registry in registries)
    return next((line for line in lines if line is not None), None)


def _with_schema_formats(sources: Sequence[Registry]) -> tuple[list[Registry], list[Diagnostic]]:
    """Return the documents with the formats that their messages leave to the schemas, and how many each gained."""
    registries, diagnostics = [], []
    for source in sources:
        registry, count = add_schema_formats(source)
        registries.append(registry)
        if count:
            message = (
                f'"dataschemaformat" is added to {count} message{"" if count == 1 else "s"}, as the schema has it.'
            )
            advice = "Nothing needs to be done: it is required where a message refers to a schema."
            diagnostics.append(Diagnostic("filled-in", Severity.INFO, source.place.path, message, help=advice))
    return registries, diagnostics


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
