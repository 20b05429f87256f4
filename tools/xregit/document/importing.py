"""xRegistry documents to the YAML files of one registry: all of it, or nothing at all.

What is there already stays as it is; an entity that is there with other content, or differs between two documents, is
an error that names both places. So an import that was killed is simply run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from xregit.arguments import to_path
from xregit.catalog.entities import Group, Resource
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE
from xregit.catalog.reading import read_folder
from xregit.diagnostics import Diagnostic, Severity, has_errors, ordered
from xregit.document.authoring import Authoring
from xregit.document.identifying import DEFAULT_REGISTRY_ID
from xregit.document.joining import Joined, joined
from xregit.document.models import added
from xregit.document.reading import read_closely
from xregit.errors import Lines, no_lines
from xregit.model import export_source
from xregit.records import record
from xregit.source import writing
from xregit.source.emitting import to_yaml
from xregit.source.locking import editing
from xregit.xid import is_id

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


LEFT_TO_GIT = frozenset({"epoch", "createdat", "modifiedat"})


@record
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

    Raises:
        XregitError: a document can't be opened, a file can't be written, or another run is editing that folder; then
            no file was.
    """
    folder = to_path(into)
    paths = [documents] if isinstance(documents, str | Path) else documents
    with editing(folder):
        return _imported([to_path(path) for path in paths], folder)


def _imported(documents: Sequence[Path], into: Path) -> ImportReport:
    from xregit.rules import found_in_reading  # reading and compiling do without the rules

    there = read_folder(into) if (into / REGISTRY_FILE).is_file() else None
    closely = [read_closely(path, there.model if there is not None else None) for path in documents]
    read = [document.registry for document in closely]
    registries = [there, *read] if there is not None else read
    diagnostics = [problem for registry in registries for problem in found_in_reading(registry)]
    writings = tuple((one.registry.place.path, one.writing.name) for one in closely if not one.registry.broken)
    changes = ordered([change for one in closely for change in one.changes])
    lines = partial(_line, registries)
    refused = partial(ImportReport, (), (), writings=writings, changes=changes, lines=lines)
    if not read or has_errors(diagnostics):
        return refused(ordered(diagnostics))
    whole = joined(registries)
    diagnostics += [*whole.diagnostics, *_left_out(read, there), *_left_to_git(read)]
    files = {} if has_errors(diagnostics) else dict(_files(whole, read, there, into))
    diagnostics += [_taken(into, path) for path, data in files.items() if _differs(into / path, data)]
    diagnostics += _unlike_model(whole, there)
    if has_errors(diagnostics):
        return refused(ordered(diagnostics))
    # Until the registry's own file is there, the next run begins anew, so it is the last.
    writing.write_files(into, {path: files[path] for path in sorted(files, key=REGISTRY_FILE.__eq__)})
    kept = {source.entity.xid for source in whole.again if whole.first[source.entity.xid].registry is there}
    return ImportReport(tuple(files), tuple(sorted(kept)), ordered(diagnostics), writings, changes, lines)


def _files(whole: Joined, read: Sequence[Registry], there: Registry | None, into: Path) -> Iterator[tuple[str, bytes]]:
    """Give the path and bytes of every file that is not there yet."""
    authoring = Authoring(whole.registry)
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


def _line(registries: Sequence[Registry], path: str, number: int) -> str | None:
    """Return the text of a line of whatever was read."""
    found = (registry.origin.line(path, number) for registry in registries)
    return next((line for line in found if line is not None), None)


def _left_out(read: Sequence[Registry], there: Registry | None) -> Iterator[Diagnostic]:
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


def _left_to_git(read: Sequence[Registry]) -> Iterator[Diagnostic]:
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


def _taken(into: Path, path: str) -> Diagnostic:
    message = "The import would write this file, but it is there and holds something else."
    advice = "Move the file away, or give the entity another id."
    return Diagnostic("different-entity", Severity.ERROR, (into / path).as_posix(), message, help=advice)


def _unlike_model(whole: Joined, there: Registry | None) -> Iterator[Diagnostic]:
    """Report that a registry which is there already has no model for what the documents bring."""
    if there is None or added({"modelsource": export_source(there.model)}) == whole.extra:
        return
    message = "A document's model defines group types or attributes that the registry's model.yaml does not."
    advice = f"Add them to {MODEL_FILE} first: {', '.join(_defined(whole))}."
    yield Diagnostic("different-model", Severity.ERROR, there.place.path, message, help=advice)


def _defined(whole: Joined) -> list[str]:
    extra = whole.extra
    return [*extra.get("groups", {}), *extra.get("attributes", {})]
