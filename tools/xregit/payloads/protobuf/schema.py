"""A .proto document to its descriptors and the schema object of a message, by Google's own compiler (protoc)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor_pool import DescriptorPool

from xregit.model import canonical
from xregit.payloads.base import Problem, SchemaError
from xregit.payloads.document import resolve
from xregit.payloads.protobuf.codec import Protobuf
from xregit.source.parse_result import encoding_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from google.protobuf.descriptor import Descriptor, FileDescriptor

    from xregit.payloads.document import Document

# No schema of a registry can have this name, so that no import means the document itself.
_ROOT = "this document.proto"
_OWN = "google/protobuf/"
_STDERR = 2
_TAB = 8
_MAX_FILES = 100
_MAX_CHARACTERS = 1_000_000
_MAX_PROBLEMS = 100
# What is checked and then read, or read for several messages, is compiled once.
_REMEMBERED = 16
# The numbers in the compiler's paths to what a file and a message hold (descriptor.proto).
_OF_FILE = {4: "message_type", 5: "enum_type"}
_OF_MESSAGE = {2: "field", 3: "nested_type", 4: "enum_type"}
_SYNTAX, _EDITION = (12,), (14,)
_VERSIONS = frozenset({"2", "3", "2023", "2024"})
# The compiler names each reserved range with each other and each field that it overlaps: 10 seconds for a million.
_MAX_OVERLAPS = 1_000_000
_UNREAD = re.compile(rb"""//[^\n]*+|/\*.*?\*/|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
_RANGES = re.compile(rb"\b(?:reserved|extensions)\b[^;]*+")
# An import that can be a file below a folder: no absolute path, nothing that leads upwards or is hidden.
_MISSING = re.compile(
    r"^((?:[A-Za-z0-9_][\w.~:@+-]*/)*[A-Za-z0-9_][\w.~:@+-]*): File not found\.$", re.ASCII | re.MULTILINE
)
_FAULT = re.compile(rf"^{_ROOT}:(?:(\d+):(\d+):)? (?!warning: )(.*?)\.?$", re.MULTILINE)
_IMPORT = re.compile(r'Import "(.*)" was not found or had errors')
_UNKNOWN = re.compile(r'".*" (?:is not defined|seems to be defined in)')
_HELP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), help_)
    for pattern, help_ in (
        (_UNKNOWN.pattern, "declare it, import the file that does, or use a type such as string or int32"),
        (
            'Expected "required", "optional", or "repeated"',
            'begin the file with syntax = "proto3"; or write "optional" before the field',
        ),
        (r"Expected (\".*?\")", r"write \1 there"),
        ("already defined", "rename or remove one of the two"),
        ("already been used", "use another number"),
        ("same enum value|uses the same", "use another number, or write option allow_alias = true;"),
        ("JSON name", "rename one of the fields, or state another json_name"),
        ("ecursively imports", "remove one of the imports"),
        ("maximum recursion limit", "use fewer levels"),
        ("reserved|Suggested field numbers", "use another number or name"),
    )
)
_ANY_HELP = "correct it by the language's specification (protobuf.dev/reference/protobuf)"
# The compiler writes to the standard error of the process, which one call at a time takes over. It doesn't let go of
# the interpreter while it runs, so that no other thread writes there.
_alone = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A document's descriptor, the comments of it and its imports by full name, and its syntax or edition."""

    descriptor: FileDescriptor
    docs: Mapping[str, str]
    version: str
    stated: bool
    line: int
    column: int


def parse(document: Document) -> Protobuf:
    """Return the message of a name, full or from the package on; the only one of the file where none is stated.

    Raises:
        SchemaError: the document isn't a .proto file, or has no such message.
    """
    file = load(document)
    message = _selected(file.descriptor, document.fragment.strip("/").replace("/", "."))
    return Protobuf(document.format, message, file.docs)


def messages(document: Document) -> dict[str, Protobuf]:
    """Return the messages at the top of a file by name.

    Raises:
        SchemaError: it isn't a .proto file.
    """
    file = load(document)
    found = file.descriptor.message_types_by_name.items()
    return {name: Protobuf(document.format, message, file.docs) for name, message in found}


def disagreements(document: Document) -> Iterator[Problem]:
    """Give a syntax or edition other than the one that the format states."""
    due = canonical("format", document.format).partition("/")[2]
    if due not in _VERSIONS:
        return
    file = load(document)
    own = file.version
    if own != due:
        word, value = ("syntax", f"proto{own}") if own in {"2", "3"} else ("edition", own)
        found = f'the {word} is "{value}"' if file.stated else "a file without syntax is proto2"
        needed = f'syntax = "proto{due}";' if due in {"2", "3"} else f'edition = "{due}";'
        message = f"{found}, but the format is {document.format}"
        yield Problem("format", message, f'write "format: Protobuf/{own}", or {needed}', file.line, file.column)


def load(document: Document) -> File:
    """Return a document's descriptors, with those of all that it imports from the registry.

    Raises:
        SchemaError: it isn't a .proto file, or names what isn't there.
    """
    text = document.text()
    wrong = encoding_problem(text, "syntax")
    if wrong is not None:
        raise SchemaError(Problem("syntax", wrong.message, wrong.help, wrong.span.line, wrong.span.column))
    compiled = _compiled(document, text)
    pool, docs = DescriptorPool(), dict[str, str]()
    for file in compiled:
        if not file.name.startswith(_OWN):
            docs.update(_docs(file))
    (root,) = (file for file in compiled if file.name == _ROOT)
    places = {tuple(item.path): item.span for item in root.source_code_info.location if len(item.path) <= 1}
    stated = places.get(_SYNTAX) or places.get(_EDITION)
    line, column = _place(text, *(stated or places[()])[:2])
    version = pb.Edition.Name(root.edition).removeprefix("EDITION_") if root.edition else root.syntax[5:] or "2"
    try:
        for file in compiled:
            for each in file.message_type:
                _allow_json_conflicts(each)
            file.ClearField("source_code_info")
            pool.AddSerializedFile(file.SerializeToString())
        return File(pool.FindFileByName(_ROOT), docs, version, stated is not None, line, column)
    except (TypeError, KeyError, ValueError, IndexError) as error:  # of a library older than the compiler
        reason = str(error).partition("descriptor pool: ")[2] or str(error)
        raise SchemaError(Problem("syntax", reason, "correct the file")) from error


def _overlaps(text: bytes) -> int:
    """Return how many pairs of reserved ranges, and of such a range and a field or value, a file can have at most."""
    code = _UNREAD.sub(b" ", text)
    ranges = sum(1 + statement.count(b",") for statement in _RANGES.findall(code))
    return ranges * (ranges // 2 + code.count(b"=")) if ranges else 0


def _compiled(document: Document, text: bytes) -> list[pb.FileDescriptorProto]:
    """Return the descriptors of a document and its imports, each after those that it imports itself.

    The compiler says which imports it lacks, and runs again with those that the registry has.
    """
    known = {_ROOT: text}
    while True:
        if any(_overlaps(content) > _MAX_OVERLAPS for content in known.values()):
            message = "the file, or one that it imports, reserves too many numbers one by one"
            raise SchemaError(Problem("syntax", message, "write ranges such as 1 to 1000, or split the file"))
        compiled, errors = _compile(tuple(known.items()))
        if compiled:
            return list(pb.FileDescriptorSet.FromString(compiled).file)
        missing = dict.fromkeys(name for name in _MISSING.findall(errors) if name not in known)
        found = {name: _imported(document, name) for name in missing}
        known |= {name: content for name, content in found.items() if content is not None}
        if not any(name in known for name in missing) or len(known) > _MAX_FILES:
            raise SchemaError(*_problems(errors, text))


@lru_cache(maxsize=_REMEMBERED)
def _compile(sources: tuple[tuple[str, bytes], ...]) -> tuple[bytes, str]:
    """Return the descriptors of files, of which the first is meant; else no bytes, and what the compiler says."""
    compiler = import_module("grpc_tools.protoc")
    with TemporaryDirectory(prefix="xregit-") as folder, TemporaryFile() as errors:
        for name, content in sources:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        root, out = Path(folder, _ROOT), Path(folder, "all descriptors")
        arguments = ("--include_imports", "--include_source_info", f"--descriptor_set_out={out}")
        with _alone:
            stderr = os.dup(_STDERR)
            os.dup2(errors.fileno(), _STDERR)
            try:
                compiler.main(["protoc", f"-I{folder}", f"-I{_own_files()}", *arguments, str(root)])
            finally:
                os.dup2(stderr, _STDERR)
                os.close(stderr)
        if out.exists():
            return out.read_bytes(), ""
        errors.seek(0)
        return b"", errors.read(_MAX_CHARACTERS).decode(errors="replace").replace(f"{folder}{os.sep}", "")


@cache
def _own_files() -> Path:
    """Return the folder of the files that come with Protobuf itself."""
    return Path(str(files("grpc_tools") / "_proto"))


def _imported(document: Document, name: str) -> bytes | None:
    """Return an imported file: beside this document, or where its path leads from the registry's root."""
    plain = name.removesuffix(".proto")
    references = (f"../../{plain}", plain, f"/{plain}", f"../../{name}")
    places = (*(resolve(document.uri, reference) for reference in references), name)
    return next((content for place in places if (content := document.fetch(place)) is not None), None)


def _problems(errors: str, text: bytes) -> list[Problem]:
    """Return what the compiler finds wrong in the document itself, of each line the first: others follow from that."""
    found: dict[str, Problem] = {}
    for line, column, message in _FAULT.findall(errors):
        if line not in found and len(found) < _MAX_PROBLEMS:
            place = _place(text, int(line) - 1, int(column) - 1) if line else (0, 0)
            found[line] = _problem(message, errors, *place)
    return list(found.values()) or [Problem("syntax", errors.partition("\n")[0], _ANY_HELP)]


def _problem(message: str, errors: str, line: int, column: int) -> Problem:
    imported = _IMPORT.fullmatch(message)
    if imported:
        name = imported[1]
        faults = re.findall(rf"^{re.escape(name)}:\d+:\d+: .*?(?=\.?$)", errors, re.MULTILINE)
        if faults:
            return Problem("reference", f'the import "{name}" is wrong: {faults[0]}', "correct that file", line, column)
        help_ = "add it as a schema of the same group, under this name, or put its messages here"
        return Problem("reference", f'the import "{name}" is not in this registry', help_, line, column)
    kind = "reference" if _UNKNOWN.match(message) else "syntax"
    help_ = next((match.expand(help_) for pattern, help_ in _HELP if (match := pattern.search(message))), _ANY_HELP)
    # The first word is small in our messages, unless it is a name.
    words = message[:1].lower() + message[1:] if message[1:2].islower() else message
    return Problem(kind, words, help_, line, column)


def _place(text: bytes, line: int, column: int) -> tuple[int, int]:
    """Return a place of the compiler's, which counts from 0, in bytes, and has tabs of 8, as line and character."""
    lines = text.split(b"\n", line + 1)
    at = 0
    characters = lines[line].decode() if line < len(lines) else ""
    for index, character in enumerate(characters):
        if at >= column:
            return line + 1, index + 1
        at += _TAB - at % _TAB if character == "\t" else len(character.encode())
    return line + 1, len(characters) + 1


def _allow_json_conflicts(message: pb.DescriptorProto) -> None:
    """Mark messages with two fields of one JSON name: proto2 may have them, but the library wants to see the mark."""
    if len({field.json_name for field in message.field}) < len(message.field):
        message.options.deprecated_legacy_json_field_conflicts = True
    for inner in message.nested_type:
        _allow_json_conflicts(inner)


def _docs(file: pb.FileDescriptorProto) -> Iterator[tuple[str, str]]:
    """Give the full name of each message, field and enum that has comments right before or behind it, with those."""
    for location in file.source_code_info.location:
        if location.leading_comments or location.trailing_comments:
            name = _full_name(file, location.path)
            comments = f"{location.leading_comments}\n{location.trailing_comments}".splitlines()
            # The compiler takes one "//", "/*" or "*" off each line; there may be more, as in "///".
            yield name, " ".join(filter(None, (line.lstrip("/*").strip() for line in comments)))


def _full_name(file: pb.FileDescriptorProto, path: Any) -> str:
    """Return the full name of what a path of field numbers and indexes leads to; an empty one for other parts."""
    part: Any = file
    names = [file.package] if file.package else []
    for at in range(0, len(path), 2):
        parts = getattr(part, (_OF_MESSAGE if at else _OF_FILE).get(path[at], ""), None)
        if parts is None or at + 1 == len(path):
            return ""
        part = parts[path[at + 1]]
        names.append(part.name)
    return ".".join(names)


def _selected(file: FileDescriptor, name: str) -> Descriptor:
    known = dict(_messages(file.message_types_by_name.values()))
    if not name and len(file.message_types_by_name) == 1:
        return next(iter(known.values()))
    found = known.get(name.lstrip(".")) or known.get(f"{file.package}.{name}")
    found = found or next((item for full, item in known.items() if full.endswith(f".{name}")), None)
    if not name or found is None:
        names = ", ".join(full.removeprefix(f"{file.package}.") for full in known) or "none"
        message = f'the document has no message "{name}"' if name else "the document has several messages or none"
        raise SchemaError(Problem("selector", message, f"its messages are {names}"))
    return found


def _messages(messages: Any) -> Iterator[tuple[str, Descriptor]]:
    for message in messages:
        if not message.GetOptions().map_entry:
            yield message.full_name, message
            yield from _messages(message.nested_types)
