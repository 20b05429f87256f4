"""Folders of schema files as values of xRegistry documents: one schema group, a schema for each name.

Versions are told by a folder or the end of a file's name (``v2/order.avsc``, ``order-1.2.0.json``). References between
files are rewritten to where the documents stand in a registry; Avro, which has none, gets the types of other files.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from pathlib import Path, PurePosixPath
from posixpath import join, normpath
from typing import Any
from unicodedata import combining, normalize
from urllib.parse import urljoin

from xregit.catalog.origin import repository_of
from xregit.diagnostics import Diagnostic, Severity, sentence
from xregit.document.version_document import extension
from xregit.errors import XregitError
from xregit.payloads.avro.schema import PRIMITIVES
from xregit.payloads.json_schema.schema import declared_draft
from xregit.source import json_loader
from xregit.source.file_tree import FileError, read
from xregit.source.json_emitter import pretty_json
from xregit.xid import is_id

ENDINGS = (".avsc", ".proto", ".xsd", ".json")
_VERSION_FOLDER = re.compile(r"v?([0-9]+(?:[._][0-9]+)*)", re.IGNORECASE)
_VERSION_END = re.compile(r"(.+?)[-_.]v?([0-9]+(?:[._][0-9]+)*)", re.IGNORECASE)
# A number of a version, as far as one is read, and what stands before the next.
_PARTS = re.compile(r"(?=.)([0-9]{0,18})([^0-9]*)")
_NO_ID = re.compile(r"[^A-Za-z0-9._~-]+")
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_PROTO3 = re.compile(r"""(?m)^[ \t]*syntax\s*=\s*["']proto3""")
_XSD11 = re.compile(r"""\bminVersion\s*=\s*["']1\.1["']""")
_PACKAGE = re.compile(r"(?m)(?:^|;)[ \t]*package\s+([\w.]+)\s*;")
_MESSAGE = re.compile(r"(?m)(?:^|[;}])[ \t]*message\s+(\w+)")
_STRUCTURE = "json-structure.org"
# Where each language names another file: what comes before the name, the name, and what follows it.
_REFERENCES: Mapping[str, re.Pattern[str]] = {
    "JsonSchema": re.compile(r'("\$ref"\s*:\s*")([^"#:]+\.json)((?:#[^"]*)?")'),
    "Protobuf": re.compile(r'(?m)(^[ \t]*import\s+(?:public\s+|weak\s+)?")([^"]+)(")'),
    "XSD": re.compile(r"""(\bschemaLocation\s*=\s*["'])([^"':]+)(["'])"""),
}


@dataclass(frozen=True)
class SchemaFile:
    """One document: where it comes from, the id and version that follow from that, its format, and its text.

    ``references`` lead from the names by which it refers to others to their paths, where its source tells them.
    """

    path: str
    id: str
    version: str
    format: str
    text: str
    references: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def language(self) -> str:
        """The name of its schema language."""
        return self.format.partition("/")[0]


class SchemaSet:
    """Documents of one schema group, with the references among them rewritten."""

    def __init__(self, files: Sequence[SchemaFile]) -> None:
        """Take the documents."""
        self.files = files
        self.by_path = {file.path: file for file in files}

    @cached_property
    def _names(self) -> dict[str, Any]:
        """The types of all Avro files."""
        return _avro_names(self.files)

    def schemas(self) -> dict[str, Any]:
        """Return the schemas with their versions, as an xRegistry document has them.

        Raises:
            XregitError: two documents are the same version of one schema.
        """
        schemas: dict[str, dict[str, SchemaFile]] = {}
        for file in self.files:
            other = schemas.setdefault(file.id, {}).setdefault(file.version, file)
            if other is not file:
                message = (
                    f'"{file.path}" is version {file.version} of "{file.id}", and so is "{other.path}"; rename one'
                )
                raise XregitError(message)
        return {id_: {"versions": dict(self._versions(versions))} for id_, versions in schemas.items()}

    def missing(self) -> dict[str, SchemaFile]:
        """Return the imports that are none of the documents, nor Protobuf's own files, each with one that has it."""
        return {
            match[2]: file
            for file in self.files
            if file.language == "Protobuf"
            for match in _REFERENCES[file.language].finditer(file.text)
            if match[2] not in file.references
            and not match[2].startswith("google/protobuf/")
            and self._target(file, match[2]) is None
        }

    def _versions(self, versions: Mapping[str, SchemaFile]) -> Iterator[tuple[str, Any]]:
        previous = ""
        for vid in sorted(versions, key=_version_key):
            text = self._rewritten(versions[vid])
            file = versions[vid]
            labels = {"labels": dict(file.labels)} if file.labels else {}
            value = json_loader.parse(text.encode()).value if text.lstrip()[:1] == "{" else None
            head = {"ancestor": previous or vid, **stated_texts(value), **labels, "format": file.format}
            yield vid, {**head, "schema": text}
            previous = vid

    def _rewritten(self, file: SchemaFile) -> str:
        """Return the text of a document with references to where the others stand in the registry."""
        if file.language == "Avro":
            return _whole_avro(file, _avro_names(self._referenced(file)) if file.references else self._names)
        text = file.text
        for name, path in file.references.items():
            if path in self.by_path:
                quoted = re.compile(rf"""(["'])({re.escape(name)})((?:#[^"']*)?["'])""")
                text = quoted.sub(partial(self._rename, file, self.by_path[path]), text)
        pattern = _REFERENCES.get(file.language)
        text = pattern.sub(partial(self._reference, file), text) if pattern and not file.references else text
        if text != file.text and (own := self._own_ids.get(file.path)):
            # The references are now paths, which a base of its own would change.
            text = re.sub(rf'"\$id"(\s*:\s*"{re.escape(own)}")', r'"x-id"\1', text, count=1)
        return text

    @cached_property
    def _own_ids(self) -> dict[str, str]:
        """The identifiers that documents of JSON Schema state, by their paths."""
        values = {
            file.path: json_loader.parse(file.text.encode()).value
            for file in self.files
            if file.language == "JsonSchema"
        }
        ids = {path: value.get("$id") for path, value in values.items() if isinstance(value, Mapping)}
        return {path: id_ for path, id_ in ids.items() if isinstance(id_, str)}

    @cached_property
    def _counts(self) -> Counter[str]:
        """The number of versions by the ids of schemas."""
        return Counter(file.id for file in self.files)

    @cached_property
    def _ids(self) -> Counter[str]:
        return Counter(self._own_ids.values())

    def _resolves(self, file: SchemaFile, target: SchemaFile, name: str) -> bool:
        """Return whether a reference leads to its target by the identifiers of both, so that it may stay as it is."""
        own, other = self._own_ids.get(file.path), self._own_ids.get(target.path)
        return own is not None and other is not None and self._ids[other] == 1 and urljoin(own, name) == other

    def _referenced(self, file: SchemaFile) -> list[SchemaFile]:
        """Return the documents that one refers to, directly or not."""
        known: dict[str, SchemaFile] = {}
        pending = [file]
        while pending:
            paths = pending.pop().references.values()
            found = {path: self.by_path[path] for path in paths if path in self.by_path and path not in known}
            known |= found
            pending += found.values()
        return list(known.values())

    def _reference(self, file: SchemaFile, match: re.Match[str]) -> str:
        target = self._target(file, match[2])
        return match[0] if target is None else self._rename(file, target, match)

    def _rename(self, file: SchemaFile, target: SchemaFile, match: re.Match[str]) -> str:
        """Return a reference, of which the second part is the name, to the place of the target."""
        before, name, after = match.groups()
        if file.language == "Protobuf":
            place = f"{target.id}/versions/{target.version}" if self._counts[target.id] > 1 else target.id
            return f"{before}{place}.proto{after}"
        if self._resolves(file, target, name):
            return match[0]
        ending = extension(target.format, target.text.encode())
        return f"{before}../../{target.id}/versions/{target.version}{ending}{after}"

    def _target(self, file: SchemaFile, name: str) -> SchemaFile | None:
        """Return the file that a reference names; an import of Protobuf may begin at any folder above the file."""
        if file.language != "Protobuf":
            return self.by_path.get(normpath(join(PurePosixPath(file.path).parent.as_posix(), name)))
        others = [
            other for other in self.files if f"/{other.path}".endswith(f"/{name}") or name.endswith(f"/{other.path}")
        ]
        return max(others, key=lambda other: len(os.path.commonpath([f"/{file.path}", f"/{other.path}"])), default=None)


@dataclass
class DistinctIds:
    """Ids of one collection: of two that differ in case alone, which many disks take for one, the second is another."""

    _ids: dict[str, str] = field(default_factory=dict)
    _renamed: dict[str, str] = field(default_factory=dict)

    def distinct(self, id_: str, note: Callable[[str, str], object]) -> str:
        """Return an id, or what it becomes; then, the first time, note what there is to say and what to do."""
        if self._ids.setdefault(id_.casefold(), id_) == id_:
            return id_
        if id_ not in self._renamed:
            number = next(number for number in count(2) if f"{id_}-{number}".casefold() not in self._ids)
            self._renamed[id_] = self._ids[f"{id_}-{number}".casefold()] = f"{id_}-{number}"
            note(*case_note(id_, self._renamed[id_]))
        return self._renamed[id_]


@dataclass
class SchemaFolder:
    """A folder of schemas, read; ``diagnostics`` say what of it was passed over, ids that are ``known`` stay."""

    folder: Path
    name: str = ""
    known: Collection[str] = ()
    files: list[SchemaFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _ids: DistinctIds = field(default_factory=DistinctIds)

    @property
    def group(self) -> str:
        """The id of the group that it becomes: its name, or else that of the folder."""
        place = self.folder.resolve()
        return self.name or self._id((place.parent if place.is_file() else place).name).lower()

    def _id(self, text: str) -> str:
        return id_without_accents(schema_id, (text,), self.known)

    def read(self) -> SchemaFolder:
        """Read all files below the folder.

        Raises:
            XregitError: a file can't be read.
        """
        for path in sorted(_paths(self.folder)):
            name = path.relative_to(self.folder).as_posix() if path != self.folder else path.name
            try:
                text = read(self.folder if path != self.folder else path.parent.resolve(), name).decode("utf-8-sig")
            except FileError as error:
                if error.problem.rule == "file-unreadable":
                    raise
                self._pass_over(path, sentence(error.problem.message))
                continue
            except UnicodeDecodeError:
                self._pass_over(path, "The file is not UTF-8.")
                continue
            format_ = schema_format(name, text)
            if format_:
                stem, version = _name_and_version(name)
                distinct = self._ids.distinct(self._id(stem), partial(self._note, "ids-differ-only-in-case", path))
                self.files.append(SchemaFile(name, distinct, version, format_, text))
            else:
                self._pass_over(path, "The file is no schema that is understood.")
        return self

    def document(self) -> dict[str, Any]:
        """Return the xRegistry document of the schemas.

        Raises:
            XregitError: two files are the same version of one schema.
        """
        schemas = SchemaSet(self.files)
        for name, file in schemas.missing().items():
            message, advice = import_note(name)
            self._note("broken-reference", self.folder / file.path, message, advice, Severity.WARNING)
        return {"schemagroups": {self.group: {"name": self.group, "schemas": schemas.schemas()}}}

    def _pass_over(self, path: Path, message: str) -> None:
        advice = f'Schemas are files that end in {", ".join(ENDINGS)}; JSON Schema should state "$schema".'
        self._note("left-out", path, f"{message[:-1]}, and is left out.", advice)

    def _note(self, rule: str, path: Path, message: str, advice: str, severity: Severity = Severity.INFO) -> None:
        place = path.parent.resolve() / path.name
        name = place.relative_to(repository_of(place)).as_posix()
        self.diagnostics.append(Diagnostic(rule, severity, name, message, help=advice))


def import_note(name: str) -> tuple[str, str]:
    """Return what there is to say of an import that the source does not have, and what to do."""
    message = f'The import "{name}" is not in the source.'
    return message, "Add that file to the registry, as a schema of this name in the same group."


def case_note(stated: str, given: str) -> tuple[str, str]:
    """Return what there is to say of an id that differs from another one in case alone, and what to do."""
    message = f'The id "{stated}" differs from another one in case alone, and becomes "{given}".'
    return message, "Rename one of the two in the source, if they are not the same."


def _paths(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from (Path(top, name) for name in names if name.endswith(ENDINGS) and not name.startswith("."))


def schema_id(text: str) -> str:
    """Return a text as an id, which is the same for both Unicode forms of the text."""
    id_ = _NO_ID.sub("-", normalize("NFC", text)).strip("-._~")
    return id_ if is_id(id_) else "schemas"


def id_without_accents(to_id: Callable[[str], str], texts: Sequence[str], known: Collection[str]) -> str:
    """Return the id of the first text that has one, with plain letters for those with accents.

    An id that is ``known`` stays as it was made before, with hyphens for these letters.
    """
    with_hyphens = next(filter(None, map(to_id, texts)), "")
    if with_hyphens.casefold() in known:
        return with_hyphens
    plain = ("".join(char for char in normalize("NFKD", text) if not combining(char)) for text in texts)
    return next(filter(None, map(to_id, plain)), "")


def _name_and_version(path: str) -> tuple[str, str]:
    """Return a schema's name and version by the path of its file."""
    *folders, name = PurePosixPath(path).with_suffix("").parts
    name = name.removesuffix(".schema")
    match = _VERSION_END.fullmatch(name)
    version = ""
    if match:
        name, version = match.groups()
    elif folders and (match := _VERSION_FOLDER.fullmatch(folders[-1])):
        version = match[1]
        del folders[-1]
    return ".".join((*folders, name)), version.replace("_", ".") or "1"


def _version_key(version: str) -> tuple[Any, ...]:
    """Return what versions are ordered by: numbers as such, and 1.0-beta before 1.0."""
    main, _, rest = version.removeprefix("v").partition("-")
    return _parts(main), not rest, _parts(rest)


def _parts(text: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(digits or 0), rest) for digits, rest in _PARTS.findall(text))


def protobuf_types(text: str) -> list[str]:
    """Return the full names of the messages that a document of Protobuf defines, in their order."""
    package = _PACKAGE.search(text)
    return [f"{package[1]}.{name}" if package else name for name in _MESSAGE.findall(text)]


def only_type(format_: str, text: str) -> str:
    """Return what a reference to a schema ends in to mean its only message of Protobuf; else nothing."""
    types = protobuf_types(text) if format_.startswith("Protobuf/") else []
    return f":{types[0]}" if len(types) == 1 else ""


def schema_format(name: str, text: str) -> str:
    """Return the format of a schema, by the end of its name and its text; empty for a text that is none."""
    if name.endswith(".proto"):
        return "Protobuf/3" if _PROTO3.search(text) else "Protobuf/2"
    if name.endswith(".xsd"):
        return "XSD/1.1" if _XSD11.search(text) else "XSD/1.0"
    return _json_format(name, json_loader.parse(text.encode()).value)


def _json_format(name: str, value: Any) -> str:
    if name.endswith(".avsc") or (isinstance(value, Mapping) and value.get("type") == "record" and "fields" in value):
        return "Avro/1.11.3"
    draft = declared_draft(value)
    if draft is not None:
        return f"JsonSchema/{draft.name}"
    if not isinstance(value, Mapping):
        return ""
    if _STRUCTURE in str(value.get("$schema", "")):
        return "JsonStructure/draft-02"
    is_schema = name.endswith(".schema.json") or (value.get("type") == "object" and "properties" in value)
    return "JsonSchema/draft-07" if is_schema else ""


def stated_texts(document: Any) -> dict[str, str]:
    """Return name and description of a schema, as a JSON Schema or an Avro type states them itself."""
    names = {"title": "name", "description": "description", "doc": "description"}
    texts = (
        {ours: document.get(name) for name, ours in names.items() if name in document}
        if isinstance(document, Mapping)
        else {}
    )
    return {ours: text for ours, text in texts.items() if isinstance(text, str) and text.strip()}


def _avro_names(files: Sequence[SchemaFile]) -> dict[str, Any]:
    """Return the types that the Avro files define at their top, by their full names."""
    result = {}
    for file in files:
        value = json_loader.parse(file.text.encode()).value if file.language == "Avro" else None
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping) and isinstance(item.get("name"), str):
                result[_full_name(item["name"], item.get("namespace"))] = item
    return result


def _full_name(name: str, namespace: Any) -> str:
    return name if "." in name or not isinstance(namespace, str) or not namespace else f"{namespace}.{name}"


def _whole_avro(file: SchemaFile, names: Mapping[str, Any]) -> str:
    """Return an Avro document with the types of other files where they are first named."""
    value = json_loader.parse(file.text.encode()).value
    known: set[str] = set()
    try:
        whole = _with_types(value, "", names, known)
        return file.text if whole == value else pretty_json(whole).decode()
    except RecursionError as error:
        message = f'"{file.path}" needs types of other files, and these of others, hundreds of levels deep'
        raise XregitError(message) from error


def _with_types(value: Any, namespace: str, names: Mapping[str, Any], known: set[str]) -> Any:
    """Return an Avro type with the types of other files where they are first named; ``known`` grows."""
    if isinstance(value, list):
        return [_with_types(item, namespace, names, known) for item in value]
    if isinstance(value, str):
        name = next((item for item in (_full_name(value, namespace), value) if item in names), "")
        if value in PRIMITIVES or not name or name in known:
            return value
        own = names[name].get("namespace", "")
        return _with_types({**names[name], "namespace": own}, "", names, known)
    if not isinstance(value, dict):
        return value
    stated = value.get("name")
    if isinstance(stated, str):
        full = _full_name(stated, value.get("namespace", namespace))
        known.add(full)
        namespace = full.rpartition(".")[0]
    result = dict(value)
    for key in ("type", "items", "values"):
        if key in result:
            result[key] = _with_types(result[key], namespace, names, known)
    if isinstance(result.get("fields"), list):
        result["fields"] = [_with_field(item, namespace, names, known) for item in result["fields"]]
    return result


def _with_field(item: Any, namespace: str, names: Mapping[str, Any], known: set[str]) -> Any:
    """Return a field of a record with its type whole; its name is none of a type."""
    if not isinstance(item, dict) or "type" not in item:
        return item
    return {**item, "type": _with_types(item["type"], namespace, names, known)}
