"""The loader: any xRegistry document, JSON or YAML, or a folder of YAML files, becomes a `Registry`.

Nothing is fetched. Names and forms of other releases become ours; each kind of change is reported once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from json import loads
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_path
from xregit.catalog.entities import Place
from xregit.catalog.layout import registry_folder
from xregit.catalog.loader import read_folder
from xregit.catalog.origin import Origin, repository_of
from xregit.catalog.registry import Registry
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.document.dialects.detection import OLDEST, DialectMatch, SignMatch, detect_dialect, detect_other
from xregit.document.dialects.steps import NO_MOVES
from xregit.document.dialects.upgrade import UpgradedDocument, known_collections, upgrade
from xregit.document.model_document import extension_names, extract_extension
from xregit.document.parser import DocumentParser, Note, note_of
from xregit.errors import CatalogError, XregitError
from xregit.model import builtin, extend
from xregit.model.language import NOTHING, Model
from xregit.source import json_loader, yaml_loader
from xregit.source.directives import directives

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from xregit.catalog.entities import Group
    from xregit.json_pointer import KeyPath


DUPLICATE_KEY = "json-duplicate-key"
MAX_DOCUMENT_BYTES = 1024 * 1024 * 1024
# The number of further lines that are listed for each kind of change.
MAX_LINES = 20


def read(path: Path | str) -> Registry:
    """Return the registry of a folder or document; what is wrong with its files is in its ``problems``.

    A folder may be named by its ``registry.yaml``.

    Raises:
        XregitError: there is nothing at the path, or the folder is no registry.
    """
    place = registry_folder(to_path(path))
    if not place.exists():
        message = f'there is no registry at "{place}"; name a registry folder or an xRegistry document'
        raise XregitError(message)
    return read_folder(place) if place.is_dir() else read_document(place)


def load(path: Path | str) -> Registry:
    """Return the registry of a folder or document that can be read as a whole.

    Raises:
        CatalogError: some of its files can't be read as what they should be, and the registry's settings keep that an
            error; it holds the diagnostics.
        XregitError: there is nothing at the path, or the folder is no registry.
    """
    from xregit.rules import loading_diagnostics  # `read` does without them

    registry = read(path)
    errors = tuple(item for item in loading_diagnostics(registry) if item.severity is Severity.ERROR)
    if errors:
        raise CatalogError(errors, registry.origin.line)
    return registry


def read_document(path: Path, model: Model | None = None) -> Registry:
    """Return the registry that a document describes; one that can't be read is empty, with the reason as a problem.

    ``model`` is that of the registry it belongs to, if that is not the one of the specifications.

    Raises:
        XregitError: the file can't be read.
    """
    return load_document(path, model).registry


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """The registry of a document, the dialect in which it is written, and every change to its names and forms.

    ``changes`` are diagnostics, one for each place; among the registry's problems there is one for each kind.
    """

    registry: Registry
    dialect: DialectMatch
    changes: tuple[Diagnostic, ...]


def load_document(path: Path, model: Model | None = None) -> LoadedDocument:
    """Return what `read_document` does, with the document's dialect and the changes.

    Raises:
        XregitError: the file can't be read.
    """
    return _DocumentLoader(path.resolve(), model or builtin()).load()


def load_converted(path: Path, value: dict[str, Any], kind: str, diagnostics: Sequence[Diagnostic]) -> LoadedDocument:
    """Return what a document of another kind becomes, given the value and the diagnostics of its conversion.

    The path is that of a file, or the name of what is none.

    Raises:
        XregitError: the file can't be read.
    """
    loader = _DocumentLoader(path.resolve(), builtin(), None if path.is_file() else b"")
    loader.problems += diagnostics
    return replace(loader.load_value(value), dialect=DialectMatch((SignMatch((kind,), ()),)))


class _DocumentLoader:
    """The loading of one document; ``problems`` collects the diagnostics."""

    def __init__(self, path: Path, ours: Model, data: bytes | None = None) -> None:
        self.data = _read_bytes(path) if data is None else data
        self.ours = ours
        repository = repository_of(path)
        self.path = path.relative_to(repository).as_posix()
        self.origin = Origin(repository, path)
        self.language = json_loader if self.data.lstrip()[:1] in (b"{", b"[") else yaml_loader
        self.problems: list[Diagnostic] = []

    def load(self) -> LoadedDocument:
        value = self.parse()
        if value is None:
            return LoadedDocument(self.registry(self.ours, {}, {}, broken=True), DialectMatch(()), ())
        return self.load_value(value)

    def load_value(self, value: dict[str, Any]) -> LoadedDocument:
        """Return the registry of a document's value."""
        model = self.model(value)
        own = extension_names(model, self.ours)
        dialect = detect_dialect(value, own)
        upgraded = (
            upgrade(value, model, own) if dialect.has(OLDEST) else UpgradedDocument(value, (), NO_MOVES, NO_MOVES)
        )
        parser = DocumentParser(model, self.path, upgraded.places)
        attributes = parser.registry(upgraded.value)
        groups = parser.groups(upgraded.value)
        notes = [note_of(change, change.path) for change in upgraded.changes] + parser.notes
        if dialect.is_foreign:
            notes.insert(0, _dialect_note(dialect))
        self.report(notes)
        changes = tuple(self.diagnostic(note, ()) for note in notes if note.severity is not Severity.ERROR)
        # From here on, places are looked up under our names.
        self.origin = replace(self.origin, moved={**upgraded.moved, **parser.moved})
        return LoadedDocument(self.registry(model, attributes, groups, broken=False), dialect, changes)

    def parse(self) -> dict[str, Any] | None:
        """Return the document's value if it is an xRegistry document that we read."""
        parsed = self.language.parse(self.data)
        harmless = DUPLICATE_KEY if parsed.problems and _are_duplicates_equal(self.data) else ""
        for problem in parsed.problems:
            severity = Severity.WARNING if problem.rule == harmless else Severity.ERROR
            self.error(problem.rule, problem.message, problem.help, problem.span, severity)
        value = parsed.value
        if not isinstance(value, dict):
            if not parsed.problems:
                self.error("not-a-mapping", "The document holds no mapping of names to values.", "", Span(1, 1))
            return None
        other = detect_other(value, known_collections(self.ours), self.ours.attributes.keys())
        if other is not None:
            kind, path = other
            message = f'The document is {kind.name}, as "{"/".join(map(str, path))}" shows.'
            self.error("not-a-registry", message, kind.help, self.span(path))
            return None
        return value

    def model(self, value: Mapping[str, Any]) -> Model:
        """Return our model with what the document's own model adds to it."""
        extension = extract_extension(value, self.ours)
        if not extension:
            return self.ours
        model, problems = extend(self.ours, extension)
        for problem in problems:
            self.error(problem.rule, problem.message, problem.help, self.span(("modelsource", *problem.path)))
        return model

    def registry(
        self, model: Model, attributes: Mapping[str, Any], groups: Mapping[str, dict[str, Group]], *, broken: bool
    ) -> Registry:
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

    def report(self, notes: Sequence[Note]) -> None:
        """Report every error, and of each kind of change the first place and the lines of the others."""
        places: dict[str, list[Note]] = {}
        for note in notes:
            if note.severity is Severity.ERROR:
                self.problems.append(self.diagnostic(note, ()))
            else:
                places.setdefault(note.message, []).append(note)
        self.problems += [self.diagnostic(first, others) for first, *others in places.values()]

    def diagnostic(self, note: Note, others: Sequence[Note]) -> Diagnostic:
        """Return the diagnostic of a note; others of its kind add their lines to its message."""
        span = self.span(note.path)
        line = (span.line, span.column, span.endline, span.endcolumn)
        lines = ", ".join(str(self.span(other.path).line) for other in others[:MAX_LINES])
        if lines:
            more = f" and {len(others) - MAX_LINES:,} more" if len(others) > MAX_LINES else ""
            lines = f" (here and in line{'s' if len(others) > 1 else ''} {lines}{more})"
        message = f"{note.message[0].upper()}{note.message[1:]}{lines}."
        return Diagnostic(note.rule, note.severity, self.path, message, *line, xid=note.xid, help=note.help)

    def span(self, path: KeyPath) -> Span:
        return self.origin.span(Place(self.path), path, on_key=True)

    def error(self, rule: str, message: str, advice: str, span: Span, severity: Severity = Severity.ERROR) -> None:
        line = (span.line, span.column, span.endline, span.endcolumn)
        self.problems.append(Diagnostic(rule, severity, self.path, message, *line, help=advice))


def _dialect_note(dialect: DialectMatch) -> Note:
    """Return the note on a document that is not written as we write, at the first sign of that."""
    signs = [f'{match.name} ("{_last_name(match.path)}")' for match in dialect.matches]
    message = f"detected format: {', mixed with '.join(signs)}"
    return Note("other-dialect", Severity.INFO, dialect.matches[0].path, message)


def _last_name(path: KeyPath) -> str:
    """Return the last name on a path; a position in a list is none."""
    return next((name for name in reversed(path) if isinstance(name, str)), "")


def _are_duplicates_equal(data: bytes) -> bool:
    """Return whether keys that stand twice in one object of a JSON text have the same value each time."""
    differences: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        differences.extend(name for name, value in pairs if result.setdefault(name, value) != value)
        return result

    try:
        loads(data, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return False
    return not differences


def _read_bytes(path: Path) -> bytes:
    """Return the content of a file.

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
