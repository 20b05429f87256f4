"""Folders of schema files as values of xRegistry documents: one schema group, a schema for each name.

Versions are told by a folder or the end of a file's name (``v2/order.avsc``, ``order-1.2.0.json``). References between
files are rewritten to where the documents stand in a registry; Avro, which has none, gets the types of other files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from posixpath import join, normpath
from typing import Any

from xregit.catalog.origin import repository_of
from xregit.diagnostics import Diagnostic, Severity
from xregit.document.version_document import extension
from xregit.errors import XregitError
from xregit.payloads.avro.schema import PRIMITIVES
from xregit.payloads.json_schema.schema import declared_draft
from xregit.source import json_loader
from xregit.source.json_emitter import pretty_json
from xregit.xid import is_id

ENDINGS = (".avsc", ".proto", ".xsd", ".json")
_VERSION_FOLDER = re.compile(r"v?([0-9]+(?:[._][0-9]+)*)", re.IGNORECASE)
_VERSION_END = re.compile(r"(.+?)[-_.]v?([0-9]+(?:[._][0-9]+)*)", re.IGNORECASE)
_NO_ID = re.compile(r"[^A-Za-z0-9._~-]+")
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_PROTO3 = re.compile(r"""(?m)^\s*syntax\s*=\s*["']proto3""")
_XSD11 = re.compile(r"""\bminVersion\s*=\s*["']1\.1["']""")
_STRUCTURE = "json-structure.org"
# Where each language names another file: what comes before the name, the name, and what follows it.
_REFERENCES: Mapping[str, re.Pattern[str]] = {
    "JsonSchema": re.compile(r'("\$ref"\s*:\s*")([^"#:]+\.json)((?:#[^"]*)?")'),
    "Protobuf": re.compile(r'(?m)(^\s*import\s+(?:public\s+|weak\s+)?")([^"]+)(")'),
    "XSD": re.compile(r"""(\bschemaLocation\s*=\s*["'])([^"':]+)(["'])"""),
}


@dataclass(frozen=True)
class SchemaFile:
    """One file: its path below the folder, the id and version that follow from it, its format, and its text."""

    path: str
    id: str
    version: str
    format: str
    text: str

    def place(self, folder: Path) -> Path:
        """Return the path of the file, given the folder that was read, or the file itself."""
        return folder if folder.is_file() else folder / self.path

    @property
    def language(self) -> str:
        """The name of its schema language."""
        return self.format.partition("/")[0]


@dataclass
class SchemaFolder:
    """A folder of schemas, read; ``diagnostics`` say what of it was passed over."""

    folder: Path
    files: list[SchemaFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def group(self) -> str:
        """The id of the group that it becomes."""
        place = self.folder.resolve()
        return _id((place.parent if place.is_file() else place).name).lower()

    def read(self) -> SchemaFolder:
        """Read all files below the folder.

        Raises:
            XregitError: a file can't be read.
        """
        for path in sorted(_paths(self.folder)):
            name = path.relative_to(self.folder).as_posix() if path != self.folder else path.name
            try:
                text = path.read_bytes().decode("utf-8-sig")
            except OSError as error:
                message = f'"{path}" can\'t be read: {error.strerror}'
                raise XregitError(message) from error
            except UnicodeDecodeError:
                self._pass_over(path, "The file is not UTF-8.")
                continue
            format_ = _format(path, text)
            if format_:
                self.files.append(SchemaFile(name, *_id_and_version(name), format_, text))
            else:
                self._pass_over(path, "The file is no schema that is understood.")
        return self

    def document(self) -> dict[str, Any]:
        """Return the xRegistry document of the schemas."""
        names = _avro_names(self.files)
        schemas: dict[str, Any] = {}
        for file in self.files:
            text = self._rewritten(file) if file.language != "Avro" else _whole_avro(file, names)
            version = {**_description(text), "format": file.format, "schema": text}
            versions = schemas.setdefault(file.id, {"versions": {}})["versions"]
            if file.version in versions:
                message = f'"{file.path}" is version {file.version} of "{file.id}", and so is another file; rename one'
                raise XregitError(message)
            versions[file.version] = version
        for schema in schemas.values():
            ordered = sorted(schema["versions"], key=_version_key)
            schema["versions"] = {
                vid: {**schema["versions"][vid], "ancestor": ordered[max(number - 1, 0)]}
                for number, vid in enumerate(ordered)
            }
        return {"schemagroups": {self.group: {"name": self.group, "schemas": schemas}}}

    def _rewritten(self, file: SchemaFile) -> str:
        """Return the text of a file with references to where the other documents stand in the registry."""
        pattern = _REFERENCES.get(file.language)
        return pattern.sub(partial(self._reference, file), file.text) if pattern else file.text

    def _reference(self, file: SchemaFile, match: re.Match[str]) -> str:
        before, name, after = match.groups()
        target = self._target(file, name)
        if target is None:
            return match[0]
        if file.language == "Protobuf":
            return f"{before}{target.id}.proto{after}"
        ending = extension(target.format, target.text.encode())
        return f"{before}../../{target.id}/versions/{target.version}{ending}{after}"

    def _target(self, file: SchemaFile, name: str) -> SchemaFile | None:
        """Return the file that a reference names; an import of Protobuf may begin at any folder above the file."""
        if file.language != "Protobuf":
            path = normpath(join(PurePosixPath(file.path).parent.as_posix(), name))
            return next((other for other in self.files if other.path == path), None)
        others = [
            other for other in self.files if f"/{other.path}".endswith(f"/{name}") or name.endswith(f"/{other.path}")
        ]
        return max(others, key=lambda other: len(os.path.commonpath([f"/{file.path}", f"/{other.path}"])), default=None)

    def _pass_over(self, path: Path, message: str) -> None:
        place = path.resolve()
        name = place.relative_to(repository_of(place)).as_posix()
        advice = f'Schemas are files that end in {", ".join(ENDINGS)}; JSON Schema should state "$schema".'
        self.diagnostics.append(
            Diagnostic("left-out", Severity.INFO, name, f"{message[:-1]}, and is left out.", help=advice)
        )


def _paths(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from (Path(top, name) for name in names if name.endswith(ENDINGS) and not name.startswith("."))


def _id(text: str) -> str:
    id_ = _NO_ID.sub("-", text).strip("-._~")
    return id_ if is_id(id_) else "schemas"


def _id_and_version(path: str) -> tuple[str, str]:
    """Return a schema's id and version by the path of its file."""
    *folders, name = PurePosixPath(path).with_suffix("").parts
    name = name.removesuffix(".schema")
    match = _VERSION_END.fullmatch(name)
    version = ""
    if match:
        name, version = match.groups()
    elif folders and (match := _VERSION_FOLDER.fullmatch(folders[-1])):
        version = match[1]
        del folders[-1]
    return _id(".".join((*folders, name))), version.replace("_", ".") or "1"


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _format(path: Path, text: str) -> str:
    """Return the format of a schema, by its ending and text; empty for a file that is none."""
    if path.suffix == ".proto":
        return "Protobuf/3" if _PROTO3.search(text) else "Protobuf/2"
    if path.suffix == ".xsd":
        return "XSD/1.1" if _XSD11.search(text) else "XSD/1.0"
    return _json_format(path, json_loader.parse(text.encode()).value)


def _json_format(path: Path, value: Any) -> str:
    if path.suffix == ".avsc" or (isinstance(value, Mapping) and value.get("type") == "record" and "fields" in value):
        return "Avro/1.11.3"
    draft = declared_draft(value)
    if draft is not None:
        return f"JsonSchema/{draft.name}"
    if not isinstance(value, Mapping):
        return ""
    if _STRUCTURE in str(value.get("$schema", "")):
        return "JsonStructure/draft-02"
    is_schema = path.name.endswith(".schema.json") or (value.get("type") == "object" and "properties" in value)
    return "JsonSchema/draft-07" if is_schema else ""


def _description(text: str) -> dict[str, str]:
    """Return what a JSON Schema or an Avro type says of itself."""
    value = json_loader.parse(text.encode()).value if text.lstrip()[:1] == "{" else None
    texts = (value.get(name) for name in ("description", "doc")) if isinstance(value, Mapping) else ()
    return next(({"description": item} for item in texts if isinstance(item, str) and item), {})


def _avro_names(files: list[SchemaFile]) -> dict[str, Any]:
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
    whole = _with_types(value, "", names, known)
    return file.text if whole == value else pretty_json(whole).decode()


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
