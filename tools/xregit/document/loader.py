"""The loader: any xRegistry document, JSON or YAML, or a folder of YAML files, becomes a `Registry`.

Nothing is fetched. Names and forms of other releases become ours; each kind of change is reported once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from json import loads
from pathlib import Path
from typing import Any

from xregit.arguments import to_path
from xregit.catalog.entities import (
    FIRST_VERSION,
    META,
    VERSIONS,
    Document,
    Group,
    Place,
    Resource,
    build_resource,
    meta_names,
    normalise_resource,
)
from xregit.catalog.layout import normalize_registry_path
from xregit.catalog.loader import read_folder
from xregit.catalog.origin import Origin, original_pointer, repository_of
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.document.dialects.converter import convert
from xregit.document.dialects.steps import NO_MOVES, Conversion, trace_paths
from xregit.document.dialects.upgrade import (
    OLDEST,
    DialectMatch,
    SignMatch,
    UpgradedDocument,
    detect_dialect,
    detect_other,
    known_collections,
    upgrade,
)
from xregit.document.model_document import extension_names, extract_extension
from xregit.document.profiles import Step, dialect, steps_for
from xregit.document.version_document import inline_document
from xregit.errors import CatalogError, XregitError
from xregit.json_pointer import KeyPath
from xregit.model import builtin, canonical, extend
from xregit.model import normalise as model_normalised
from xregit.model.language import NOTHING, GroupModel, Model, ResourceModel
from xregit.source import json_loader, yaml_loader
from xregit.source.directives import directives
from xregit.source.scalars import without_text

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
    place = normalize_registry_path(to_path(path))
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
    return expect_readable(read(path))


def expect_readable(registry: Registry) -> Registry:
    """Return a registry that was read, if all of it could be.

    Raises:
        CatalogError: it could not, and the registry's settings keep that an error.
    """
    from xregit.rules import loading_diagnostics  # `read` does without them

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
        lines = ", ".join(str(self.span(other.path).line) for other in others[:MAX_LINES])
        if lines:
            more = f" and {len(others) - MAX_LINES:,} more" if len(others) > MAX_LINES else ""
            lines = f" (here and in line{'s' if len(others) > 1 else ''} {lines}{more})"
        message = f"{note.message[0].upper()}{note.message[1:]}{lines}."
        span = self.span(note.path)
        return Diagnostic(note.rule, note.severity, self.path, message, *span, xid=note.xid, help=note.help)

    def span(self, path: KeyPath) -> Span:
        return self.origin.span(Place(self.path), path, on_key=True)

    def error(self, rule: str, message: str, advice: str, span: Span, severity: Severity = Severity.ERROR) -> None:
        self.problems.append(Diagnostic(rule, severity, self.path, message, *span, help=advice))


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


DIALECT = "1.0"
MAX_BASES = 100
# The kind of entity whose steps hold for all types that a dialect doesn't know.
OF_SERVERS = frozenset({"specversion", "capabilities", "model", "modelsource"})
SERVED = frozenset({"self", "shortself", "xid"})
# What some documents have for a selector without a value.
_LEAKED = "None"
_XID_PARTS = 4


@dataclass(frozen=True, slots=True)
class Note:
    """A change or a fault at a path of the document."""

    rule: str
    severity: Severity
    path: KeyPath
    message: str
    help: str = ""
    xid: str = ""


def note_of(change: Conversion, path: KeyPath, xid: str = "") -> Note:
    """Return the note of a change to an entity, at a path of the document."""
    if change.conflict:
        return Note("conflicting-names", Severity.ERROR, path, change.message, "Keep one of the two.", xid)
    return Note("other-dialect", Severity.WARNING if change.warns else Severity.INFO, path, change.message)


class DocumentParser:
    """One pass over one document's value; ``notes`` collects changes and faults.

    ``moved`` maps the pointer of an attribute under our names to the pointer at which it was written.
    """

    def __init__(self, model: Model, file: str, places: Mapping[KeyPath, KeyPath] = NO_MOVES) -> None:
        """Parse entities of a model; ``places`` maps paths of the value to those at which they stand in the file."""
        self._model = model
        self._file = file
        self._places = places
        self._steps = dialect(DIALECT).entities
        self._steps_by_selectors: dict[tuple[Any, ...], tuple[Step, ...]] = {}
        self._document: Mapping[str, Any] = NOTHING
        self.notes: list[Note] = []
        self.moved: dict[KeyPath, KeyPath] = {}

    def registry(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the attributes of the registry itself."""
        own = _without_collections(value, self._model.groups)
        own = {name: item for name, item in own.items() if name not in OF_SERVERS}
        for name in [name for name, item in own.items() if name not in self._model.attributes and _is_collection(item)]:
            del own[name]
            advice = "Define the type in model.yaml, or in the document's modelsource."
            self._error("unknown-group-type", (name,), f'the model has no group type "{name}"', advice)
        attributes = self._entity("registry", own, (), SERVED)
        return self._as_text(attributes, model_normalised(self._model.attributes, attributes), ())

    def groups(self, value: Mapping[str, Any]) -> dict[str, dict[str, Group]]:
        """Return all groups by type and id."""
        self._document = value
        groups = {}
        for plural, model in self._model.groups.items():
            members = self._members(value.get(plural), (plural,))
            groups[plural] = {gid: self._group(model, gid, members[gid]) for gid in sorted(members)}
        return groups

    def _members(self, collection: Any, path: KeyPath) -> dict[str, Mapping[str, Any]]:
        """Return those members of a collection that are mappings and can have an xid, and report the others."""
        if collection is None:
            return {}
        if not isinstance(collection, Mapping):
            self._error("not-a-mapping", path, f'"{path[-1]}" must be a mapping of ids', 'Write it as {"id": {…}}.')
            return {}
        members = {}
        for key, value in collection.items():
            if not isinstance(value, Mapping):
                advice = "Write {} if there is nothing to say."
                self._error("not-a-mapping", (*path, key), f'"{key}" holds no attributes', advice)
            elif key == "" or "/" in key:
                why = 'because of the "/"' if key else "because it is empty"
                self._error("malformed-id", (*path, key), f'"{key}" can\'t be an id, {why}', "Rename it.")
            else:
                members[key] = value
        return members

    def _group(self, model: GroupModel, gid: str, value: Mapping[str, Any]) -> Group:
        path: KeyPath = (model.plural, gid)
        own = _without_collections(value, model.resources)
        selectors = inherit_selectors(self._document, value, NOTHING)
        attributes = self._entity(model.singular, own, path, SERVED, selectors)
        self._take_id(attributes, f"{model.singular}id", gid, path)
        attributes = self._as_text(attributes, model_normalised(model.attributes, attributes), path)
        collections = {}
        for plural, resource in model.resources.items():
            members = self._members(value.get(plural), (*path, plural))
            collections[plural] = {
                rid: self._resource(resource, rid, members[rid], (*path, plural), attributes) for rid in sorted(members)
            }
        place = Place(self._file, self._path_in_file(path))
        return Group(f"/{model.plural}/{gid}", gid, model, attributes, collections, place)

    def _resource(
        self, model: ResourceModel, rid: str, value: Mapping[str, Any], path: KeyPath, group: Mapping[str, Any]
    ) -> Resource:
        path = (*path, rid)
        selectors = {} if model.hasdocument else inherit_selectors(self._document, value, group)
        own = {name: item for name, item in value.items() if name not in {META, VERSIONS}}
        attributes = self._entity(model.singular, own, path, _server_attributes(model), selectors)
        self._take_id(attributes, f"{model.singular}id", rid, path)
        meta = value.get(META)
        if isinstance(meta, Mapping):
            attributes[META] = self._entity("meta", meta, (*path, META), _server_attributes(model))
            self._take_id(attributes[META], f"{model.singular}id", rid, (*path, META))
        versions = self._versions(model, rid, value.get(VERSIONS), path, selectors)
        if versions:
            if "versionid" in value or "isdefault" in value:  # the rest repeats the default version (API view)
                of_resource = {META, *meta_names(model)}
                attributes = {name: item for name, item in attributes.items() if name in of_resource}
            attributes = self._without_repeated(attributes, versions, path)
            if model.maxversions == 1:
                attributes |= self._take_meta(meta_names(model) - attributes.keys(), versions, path)
            attributes[VERSIONS] = versions
        attributes = self._as_text(attributes, normalise_resource(model, attributes, selectors), path)
        place = Place(self._file, self._path_in_file(path))
        documents = self._documents(model.singular, attributes, path) if model.hasdocument else {}
        return build_resource(_xid(path), model, attributes, place, documents)

    def _versions(
        self, model: ResourceModel, rid: str, collection: Any, path: KeyPath, selectors: Mapping[str, str]
    ) -> dict[str, dict[str, Any]]:
        kind = f"{model.singular} version" if f"{model.singular} version" in self._steps else model.singular
        versions = {}
        for vid, value in self._members(collection, (*path, VERSIONS)).items():
            version_path = (*path, VERSIONS, vid)
            versions[vid] = self._entity(kind, value, version_path, _server_attributes(model), selectors)
            self._take_id(versions[vid], "versionid", vid, version_path)
            self._take_id(versions[vid], f"{model.singular}id", rid, version_path)
        return versions

    def _take_meta(
        self, names: frozenset[str], versions: Mapping[str, dict[str, Any]], path: KeyPath
    ) -> Mapping[str, Any]:
        """Move attributes of a resource, such as that it is deprecated, out of its one version (1.0-rc1)."""
        meta = {}
        for vid, version in versions.items():
            for name in sorted(names & version.keys()):
                meta[name] = version.pop(name)
                change = Conversion((VERSIONS, vid, name), f'"{name}" of a version is read as that of all versions')
                self.notes.append(self._note(change, path))
        return meta

    def _without_repeated(
        self, attributes: dict[str, Any], versions: Mapping[str, Any], path: KeyPath
    ) -> dict[str, Any]:
        """Return the attributes beside the versions, without those that each of these states itself."""
        repeated = [name for name in attributes if all(name in version for version in versions.values())]
        for name in repeated:
            if any(version[name] != attributes[name] for version in versions.values()):
                message = f'"{name}" beside the versions is left out, since each version states another'
                self.notes.append(Note("left-out", Severity.INFO, self._path_in_file((*path, name)), message))
        return {name: item for name, item in attributes.items() if name not in repeated}

    def _documents(self, singular: str, attributes: dict[str, Any], path: KeyPath) -> dict[str, Document]:
        """Take the inline documents out of a resource's versions, or of the resource that has no versions."""
        only_version = {str(attributes.get("versionid", FIRST_VERSION)): attributes}
        documents = {}
        for vid, version in attributes.get(VERSIONS, only_version).items():
            version_path = (*path, VERSIONS, vid) if VERSIONS in attributes else path
            names = [name for name in (singular, f"{singular}base64", f"{singular}url") if name in version]
            if len(names) > 1:
                message = f"only one of {', '.join(names)} may be stated"
                self._error("two-documents", (*version_path, names[1]), message, "Keep one.")
            data = inline_document(version, singular)
            version.pop(singular, None)
            encoded = version.pop(f"{singular}base64", None)
            if data is not None:
                documents[vid] = Document(Place(self._file, (*self._path_in_file(version_path), names[0])), data)
            elif encoded is not None:
                message = f'"{singular}base64" is not base 64'
                advice = "Encode the bytes of the document by RFC 4648, section 4."
                self._error("invalid-attribute", (*version_path, f"{singular}base64"), message, advice)
        return documents

    def _entity(
        self,
        kind: str,
        value: Mapping[str, Any],
        path: KeyPath,
        served: frozenset[str],
        selectors: Mapping[str, str] = NOTHING,
    ) -> dict[str, Any]:
        """Return an entity's attributes under our names, without those that only a server states."""
        key = (kind, *sorted(selectors.items()))
        if key not in self._steps_by_selectors:
            steps = steps_for(self._steps, kind)
            self._steps_by_selectors[key] = tuple(step for step in steps if step.holds(selectors))
        own = {name: item for name, item in value.items() if name not in served}
        result, changes = convert(own, self._steps_by_selectors[key])
        traced, moved = trace_paths(changes)
        self.notes += [self._note(change, path) for change in traced]
        for new, old in moved.items():
            self.moved[*self._path_in_file(path), *new] = self._path_in_file((*path, *old))
        return dict(result)

    def _as_text(self, attributes: dict[str, Any], normal: dict[str, Any], path: KeyPath) -> dict[str, Any]:
        """Return the attributes in their normal form, with text where text is due, and note that if it differs."""
        if normal != attributes:
            message = "numbers or booleans that stand where text is due are read as text"
            self.notes.append(Note("other-dialect", Severity.INFO, self._path_in_file(path), message, xid=_xid(path)))
        result: dict[str, Any] = without_text(normal)
        return result

    def _take_id(self, attributes: dict[str, Any], name: str, key: str, path: KeyPath) -> None:
        """Take an id out of the attributes; it must be that of the key it stands under."""
        id_ = attributes.pop(name, key)
        if id_ != key:
            message = f'the {name} is "{id_}", but its key is "{key}"'
            self._error("mismatched-id", (*path, name), message, "Correct one of the two, or leave the id out.")

    def _error(self, rule: str, path: KeyPath, message: str, advice: str) -> None:
        self.notes.append(Note(rule, Severity.ERROR, self._path_in_file(path), message, advice, _xid(path)))

    def _note(self, change: Conversion, path: KeyPath) -> Note:
        return note_of(change, self._path_in_file((*path, *change.path)), _xid(path))

    def _path_in_file(self, path: KeyPath) -> KeyPath:
        """Return where in the file something stands, from its path under the names of 1.0."""
        return original_pointer(path, self._places)


def inherit_selectors(
    document: Mapping[str, Any], value: Mapping[str, Any], group: Mapping[str, Any]
) -> dict[str, str]:
    """Return the selectors of an entity as we spell them: its own, its group's, or those of a base message."""
    selectors: dict[str, str] = {}
    own = _with_last_version(value)
    for name in SELECTORS:
        for source in chain((own, group), _base_messages(document, own)):
            selector = source.get(name)
            if isinstance(selector, str) and selector != _LEAKED:
                selectors[name] = canonical(name, selector)
                break
    return selectors


def _base_messages(document: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a message's base messages in the document, the nearest first."""
    for _ in range(MAX_BASES):
        reference = next((value[name] for name in _base_names() if isinstance(value.get(name), str)), "")
        parts = reference.removeprefix("#").split("/")[1 : _XID_PARTS + 1]
        target: Any = document if len(parts) == _XID_PARTS else None
        for part in parts:
            target = target.get(part) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            return
        value = _with_last_version(target)
        yield value


@cache
def _base_names() -> tuple[str, ...]:
    """Return all names of the attribute that refers to a base message."""
    steps = dialect(DIALECT).entities["message"]
    return (BASE, *(old for step in steps if not step.at for old, new in step.names.items() if new == BASE))


def _with_last_version(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a resource's attributes with those of its last version, where it lists versions."""
    versions = value.get(VERSIONS)
    last = [*versions.values()][-1] if isinstance(versions, dict) and versions else None
    return {**value, **last} if isinstance(last, dict) else value


def _xid(path: KeyPath) -> str:
    """Return the xid of the entity that a path of the document leads to or into."""
    return "/" + "/".join(str(part) for part in path[:_XID_PARTS])


def _is_collection(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(item, dict) for item in value.values())


def _without_collections(value: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    names = {f"{plural}{ending}" for plural in types for ending in ("", "url", "count")}
    return {name: item for name, item in value.items() if name not in names}


@lru_cache(maxsize=64)
def _server_attributes(model: ResourceModel) -> frozenset[str]:
    """Return what only a server states of a resource, its versions and its meta entity; epochs are kept."""
    kinds = (model.resourceattributes, model.attributes, model.metaattributes)
    pairs = [pair for kind in kinds for pair in kind.items()]
    return frozenset(name for name, attribute in pairs if attribute.core and attribute.readonly) - {"epoch"}
