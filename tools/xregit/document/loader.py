"""The loader: any xRegistry document, JSON or YAML, or a folder of YAML files, becomes a `Registry`.

Nothing is fetched. Names and forms of other releases become ours; each kind of change is noted once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from json import loads
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_path
from xregit.catalog.entities import Place
from xregit.catalog.loader import read_folder
from xregit.catalog.origin import Origin, repository_of
from xregit.catalog.registry import Registry
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.document.dialects.changes import NOTHING_MOVED
from xregit.document.dialects.detection import OLDEST, DialectMatch, detect_dialect, detect_other
from xregit.document.dialects.upgrade import UpgradedDocument, known_collections, upgrade
from xregit.document.model_document import extension_names, extract_extension
from xregit.document.parser import DocumentParser, Note, note_of
from xregit.errors import CatalogError, XregitError
from xregit.model import builtin, extend
from xregit.model.language import NOTHING, Model
from xregit.source import json_loader, yaml_loader
from xregit.source.directives import directives

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from xregit.json_pointer import KeyPath


DOUBLES = "json-duplicate-key"
MAX_DOCUMENT_BYTES = 1024 * 1024 * 1024
# The number of further lines that are listed for each kind of change.
MAX_LINES = 20


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A registry that was read from a document, how the document is written, and every change to its names and forms.

    ``changes`` are diagnostics, one for each place; among the registry's problems they stand once for each kind.
    """

    registry: Registry
    writing: DialectMatch
    changes: tuple[Diagnostic, ...]


def read_document(path: Path, model: Model | None = None) -> Registry:
    """Return the registry that a document describes; one that can't be read is empty, with the reason as a problem.

    ``model`` is that of the registry it belongs to, if that is not the one of the specifications.

    Raises:
        XregitError: the file can't be read.
    """
    return load_document(path, model).registry


def load_document(path: Path, model: Model | None = None) -> LoadedDocument:
    """Return the same with how the document is written.

    Raises:
        XregitError: the file can't be read.
    """
    return _DocumentLoader(path.resolve(), model or builtin()).read()


class _DocumentLoader:
    """The reading of one document."""

    def __init__(self, path: Path, ours: Model) -> None:
        self.data = _bytes(path)
        self.ours = ours
        repository = repository_of(path)
        self.path = path.relative_to(repository).as_posix()
        self.origin = Origin(repository, path)
        self.language = json_loader if self.data.lstrip()[:1] in (b"{", b"[") else yaml_loader
        self.problems: list[Diagnostic] = []

    def read(self) -> LoadedDocument:
        value = self.value()
        if value is None:
            return LoadedDocument(self.finished(self.ours, NOTHING, {}, broken=True), DialectMatch(()), ())
        model = self.model(value)
        own = extension_names(model, self.ours)
        written = detect_dialect(value, own)
        up = (
            upgrade(value, model, own)
            if written.has(OLDEST)
            else UpgradedDocument(value, (), NOTHING_MOVED, NOTHING_MOVED)
        )
        gathering = DocumentParser(model, self.path, up.places)
        attributes = gathering.registry(up.value)
        groups = gathering.groups(up.value)
        notes = [*self.written(written), *(note_of(change, change.path) for change in up.changes), *gathering.notes]
        self.tell(notes)
        changes = tuple(self.diagnostic(note, ()) for note in notes if note.severity is not Severity.ERROR)
        # From here on, places are asked for under our names.
        self.origin = replace(self.origin, moved={**up.moved, **gathering.moved})
        return LoadedDocument(self.finished(model, attributes, groups, broken=False), written, changes)

    def finished(self, model: Model, attributes: Mapping[str, Any], groups: Any, *, broken: bool) -> Registry:
        return Registry(
            model=model,
            attributes=attributes,
            groups={plural: groups.get(plural, {}) for plural in model.groups},
            place=Place(self.path),
            origin=self.origin,
            problems=tuple(self.problems),
            broken=frozenset({self.path}) if broken else frozenset(),
            directives={self.path: directives(self.data)} if self.language is yaml_loader else NOTHING,
        )

    def value(self) -> dict[str, Any] | None:
        """Return the document's value if it is an xRegistry document that we read."""
        parsed = self.language.parse(self.data)
        harmless = DOUBLES if parsed.problems and _are_duplicates_equal(self.data) else ""
        for problem in parsed.problems:
            severity = Severity.WARNING if problem.rule == harmless else Severity.ERROR
            self.error(problem.rule, problem.message, problem.help, problem.span, severity)
        value = parsed.value
        if not isinstance(value, dict):
            if not parsed.problems:
                self.error("not-a-mapping", "The document holds no mapping of names to values.", "", Span(1, 1))
            return None
        piece = detect_other(value, known_collections(self.ours))
        if piece is not None:
            what, path = piece
            message = f'The document is {what.name}, as "{"/".join(map(str, path))}" shows.'
            self.error("not-a-registry", message, what.help, self.span(path))
            return None
        return value

    def model(self, value: Mapping[str, Any]) -> Model:
        """Return our model with what the document's own model adds to it."""
        extra = extract_extension(value, self.ours)
        if not extra:
            return self.ours
        model, findings = extend(self.ours, extra)
        for finding in findings:
            self.error(finding.rule, finding.message, finding.help, self.span(("modelsource", *finding.path)))
        return model

    def written(self, written: DialectMatch) -> Iterator[Note]:
        """Say how the document is written, where that is not as we write."""
        if written.is_foreign:
            shown = [f'{item.name} ("{_name(item.path)}")' for item in written.shown]
            message = f"the document is written as {', mixed with '.join(shown)}"
            path = next(item.path for item in written.shown)
            yield Note("other-dialect", Severity.INFO, path, message)

    def tell(self, notes: Sequence[Note]) -> None:
        """Report every error, and of each kind of change the first place and the lines of the others."""
        places: dict[str, list[Note]] = {}
        for note in notes:
            if note.severity is Severity.ERROR:
                self.problems.append(self.diagnostic(note, ()))
            else:
                places.setdefault(note.message, []).append(note)
        self.problems += [self.diagnostic(first, others) for first, *others in places.values()]

    def diagnostic(self, note: Note, others: Sequence[Note]) -> Diagnostic:
        span = self.span(note.path)
        line = (span.line, span.column, span.endline, span.endcolumn)
        lines = [self.span(other.path).line for other in others[:MAX_LINES]]
        message = f"{note.message[0].upper()}{note.message[1:]}{_other_lines(lines, len(others))}."
        return Diagnostic(note.rule, note.severity, self.path, message, *line, xid=note.xid, help=note.help)

    def span(self, path: KeyPath) -> Span:
        return self.origin.span(Place(self.path), path, on_key=True)

    def error(self, rule: str, message: str, advice: str, span: Span, severity: Severity = Severity.ERROR) -> None:
        line = (span.line, span.column, span.endline, span.endcolumn)
        self.problems.append(Diagnostic(rule, severity, self.path, message, *line, help=advice))


def _name(path: KeyPath) -> str:
    """Return the last name on a path; a position in a list is none."""
    return next((name for name in reversed(path) if isinstance(name, str)), "")


def _other_lines(lines: Sequence[int], count: int) -> str:
    """Say in which other lines something is so."""
    if not lines:
        return ""
    more = f" and {count - len(lines):,} more" if count > len(lines) else ""
    return f" (here and in line{'s' if count > 1 else ''} {', '.join(map(str, lines))}{more})"


def _are_duplicates_equal(data: bytes) -> bool:
    """Tell whether keys that stand twice in one object of a JSON text have the same value each time."""
    differing: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        differing.extend(name for name, value in pairs if found.setdefault(name, value) != value)
        return found

    try:
        loads(data, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return False
    return not differing


def _bytes(path: Path) -> bytes:
    """Return what a file holds.

    Raises:
        XregitError: it isn't there, no file, too large, or can't be read.
    """
    try:
        if path.is_dir():
            message = f'"{path}" is a folder, but a document is expected; "xregit compile" makes one of a registry'
            raise XregitError(message)
        if not path.is_file():
            message = f'"{path}" is no file; expected a registry folder or an xRegistry document'
            raise XregitError(message)
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            message = f'"{path}" is larger than {MAX_DOCUMENT_BYTES // 2**30} GiB, the most that is read; divide it'
            raise XregitError(message)
        return path.read_bytes()
    except OSError as error:
        message = f'"{path}" can\'t be read: {error.strerror}'
        raise XregitError(message) from error


def read(path: Path | str) -> Registry:
    """Return the registry of a folder or document; what is wrong with its files stands in ``problems``.

    Raises:
        XregitError: there is nothing at the path, it is none, or the folder is no registry.
    """
    place = to_path(path)
    if not place.exists():
        message = f'there is no registry at "{place}"; name a registry folder or an xRegistry document'
        raise XregitError(message)
    if place.is_dir():
        return read_folder(place)
    # most registries are folders

    return read_document(place)


def load(path: Path | str) -> Registry:
    """Return the registry of a folder or document that can be read as a whole.

    Raises:
        CatalogError: some of its files can't be read as what they should be, and the registry's settings don't make
            light of it; it holds the diagnostics.
        XregitError: there is nothing at the path, or the folder is no registry.
    """
    registry = read(path)
    refuse_unread(registry)
    return registry


def refuse_unread(registry: Registry) -> None:
    """Stop where some files can't be read as what they should be.

    Raises:
        CatalogError: some can't, and the registry's settings don't make light of it; it holds the diagnostics.
    """
    from xregit.rules import loading_diagnostics

    errors = tuple(item for item in loading_diagnostics(registry) if item.severity is Severity.ERROR)
    if errors:
        raise CatalogError(errors, registry.origin.line)
