"""The loader of .proto documents, which Google's own compiler (protoc) compiles to descriptors."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock
from typing import Any

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.descriptor_pool import DescriptorPool

from xregit.model import canonical
from xregit.model.excerpts import comma_list
from xregit.payloads.base import Document, Problem, SchemaError, once_per_document, resolve
from xregit.payloads.protobuf.codec import Protobuf
from xregit.source.parse_result import encoding_problem

# No schema of a registry can have this name, so that no import means the document itself.
_ROOT = "this document.proto"
_GOOGLE = "google/protobuf/"
_STDERR = 2
_TAB = 8
_MAX_FILES = 100
_MAX_CHARACTERS = 1_000_000
_MAX_PROBLEMS = 100
# The numbers in the compiler's paths to what a file and a message hold (descriptor.proto).
_OF_FILE = {4: "message_type", 5: "enum_type"}
_OF_MESSAGE = {2: "field", 3: "nested_type", 4: "enum_type"}
_SYNTAX, _EDITION = (12,), (14,)
_VERSIONS = frozenset({"2", "3", "2023", "2024"})
# The compiler compares each reserved range with each other, and writes 15 microseconds at each pair that overlaps.
_MAX_RANGES = 20_000
_MAX_OVERLAPS = 20_000
_UNREAD = re.compile(rb"""//[^\n]*+|/\*.*?\*/|"(?>(?:[^"\\\n]|\\.)*)"|'(?>(?:[^'\\\n]|\\.)*)'""", re.DOTALL)
_RANGE = re.compile(rb"(-?\b\d\w*+)(?:\s+to\s+(\w++))?")
_SCOPES = re.compile(
    rb"\b(?:reserved|extensions)\b(?P<ranges>[^;{}]*+)|=\s*+(?P<number>-?\w++)|(?P<end>\})"
    rb"|(?P<type>\b(?:message|enum|group)\b[^;{}]*+)?\{"
)
# An import that can be a file below a folder: no absolute path, nothing that leads upwards or is hidden.
_MISSING = re.compile(
    r"^((?:[A-Za-z0-9_][\w.~:@+-]*/)*[A-Za-z0-9_][\w.~:@+-]*): File not found\.$", re.ASCII | re.MULTILINE
)
_FAULT = re.compile(rf"^{_ROOT}:(?:(\d+):(\d+):)? (?!warning: )(.*?)\.?$", re.MULTILINE)
_UNUSED = re.compile(rf"^{_ROOT}:(\d+):(\d+): warning: Import (.*) is unused\.$", re.MULTILINE)
_IMPORT = re.compile(r'Import "(.*)" was not found or had errors')
_UNKNOWN = re.compile(r'"(.*)" (?:is not defined|seems to be defined in)')
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
# The files of Protobuf's own messages.
_WELL_KNOWN: Mapping[str, str] = {
    **{name: name.lower() for name in ("Timestamp", "Duration", "Any", "Empty", "Struct")},
    **dict.fromkeys(("Value", "ListValue", "NullValue"), "struct"),
    "FieldMask": "field_mask",
    **dict.fromkeys(("StringValue", "BytesValue", "BoolValue", "DoubleValue", "FloatValue"), "wrappers"),
    **dict.fromkeys(("Int32Value", "Int64Value", "UInt32Value", "UInt64Value"), "wrappers"),
}
_ANY_HELP = "correct it by the language's specification (protobuf.dev/reference/protobuf)"
# The compiler writes to the standard error of the process, which one call at a time takes over. It doesn't let go of
# the interpreter while it runs, so that no other thread writes there.
_stderr_lock = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A document's descriptor, the comments of it and its imports by full name, and where it declares its version.

    ``unused`` has the line, column and name of each import that nothing uses.
    """

    descriptor: FileDescriptor
    docs: Mapping[str, str]
    version: str
    is_declared: bool
    line: int
    column: int
    unused: tuple[tuple[int, int, str], ...] = ()


def parse(document: Document) -> Protobuf:
    """Return the message of a name, full or from the package on; the only one of the file where there is no name.

    Raises:
        SchemaError: the document isn't a .proto file, or has no such message.
    """
    file = load(document)
    message = _select_message(file.descriptor, document.fragment.strip("/").replace("/", "."))
    return Protobuf(document.format, message, file.docs)


def messages(document: Document) -> dict[str, Protobuf]:
    """Return the messages at the top of a file by name.

    Raises:
        SchemaError: it isn't a .proto file.
    """
    file = load(document)
    descriptors = file.descriptor.message_types_by_name.items()
    return {name: Protobuf(document.format, message, file.docs) for name, message in descriptors}


def disagreements(document: Document) -> Iterator[Problem]:
    """Yield the problem of a syntax or edition other than the one of the format, and imports that nothing uses."""
    expected = canonical("format", document.format).partition("/")[2]
    file = load(document)
    version = file.version
    for line, column, name in file.unused:
        message = f'nothing in the file uses the import "{name}"'
        yield Problem("doubt", message, "use what it declares, or remove it", line, column)
    if expected in _VERSIONS and version != expected:
        word, value = ("syntax", f"proto{version}") if version in {"2", "3"} else ("edition", version)
        finding = f'the {word} is "{value}"' if file.is_declared else "a file without syntax is proto2"
        needed = f'syntax = "proto{expected}";' if expected in {"2", "3"} else f'edition = "{expected}";'
        message = f"{finding}, but the format is {document.format}"
        yield Problem("format", message, f'write "format: Protobuf/{version}", or {needed}', file.line, file.column)


@once_per_document
def load(document: Document) -> File:
    """Return a document's descriptors, with those of all that it imports from the registry.

    Raises:
        SchemaError: it isn't a .proto file, or refers to what isn't there.
    """
    text = document.text()
    fault = encoding_problem(text, "syntax")
    if fault is not None:
        raise SchemaError(Problem("syntax", fault.message, fault.help, fault.span.line, fault.span.column))
    compiled, warnings = _compile_all(document, text)
    docs = {name: doc for file in compiled if not file.name.startswith(_GOOGLE) for name, doc in _docs(file)}
    (root,) = (file for file in compiled if file.name == _ROOT)
    spans = {tuple(item.path): item.span for item in root.source_code_info.location if len(item.path) <= 1}
    declaration = spans.get(_SYNTAX) or spans.get(_EDITION)
    line, column = _position(text, *(declaration or spans[()])[:2])
    version = pb.Edition.Name(root.edition).removeprefix("EDITION_") if root.edition else root.syntax[5:] or "2"
    pool = DescriptorPool()
    try:
        for file in compiled:
            for message in file.message_type:
                _allow_json_conflicts(message)
            file.ClearField("source_code_info")
            pool.AddSerializedFile(file.SerializeToString())
        unused = tuple(
            (*_position(text, int(line) - 1, int(column) - 1), name) for line, column, name in _UNUSED.findall(warnings)
        )
        return File(pool.FindFileByName(_ROOT), docs, version, declaration is not None, line, column, unused)
    except (TypeError, KeyError, ValueError, IndexError) as error:  # of a library older than the compiler
        reason = str(error).partition("descriptor pool: ")[2] or str(error)
        raise SchemaError(Problem("syntax", reason, "correct the file")) from error


def _overlaps(text: bytes) -> tuple[int, int]:
    """Return how many reserved ranges a file has, and how many pairs of them, or of one and a number, overlap."""
    scope: tuple[list[tuple[int, int]], list[int]] = ([], [])
    scopes, enclosing = [scope], [scope]
    for match in _SCOPES.finditer(_UNREAD.sub(b" ", text)):
        if match["ranges"] is not None:
            scope[0].extend((_number(low), _number(high or low)) for low, high in _RANGE.findall(match["ranges"]))
        elif match["number"]:
            scope[1].append(_number(match["number"]))
        elif match["end"]:
            scope = enclosing.pop() if enclosing else scope
        else:
            enclosing.append(scope)
            if match["type"]:  # what else has braces, such as a oneof, is part of the type around it
                scope = ([], [])
                scopes.append(scope)
    pairs = 0
    for ranges, numbers in scopes:
        lows, highs = sorted(low for low, _ in ranges), sorted(high for _, high in ranges)
        pairs += sum(bisect_right(lows, high) - bisect_left(highs, low) - 1 for low, high in ranges) // 2
        pairs += sum(bisect_right(lows, number) - bisect_left(highs, number) for number in numbers)
    return sum(len(ranges) for ranges, _ in scopes), pairs


def _number(text: bytes) -> int:
    try:
        return int(text, 0)
    except ValueError:
        return 2**31  # "max", or a number that has no place in a descriptor


def _compile_all(document: Document, text: bytes) -> tuple[list[pb.FileDescriptorProto], str]:
    """Return the descriptors of a document and its imports, each after those that it imports itself, and warnings.

    The compiler says which imports it lacks, and runs again with those that the registry has.
    """
    sources = {_ROOT: text}
    while True:
        sizes = [_overlaps(content) for content in sources.values()]
        if any(ranges > _MAX_RANGES or pairs > _MAX_OVERLAPS for ranges, pairs in sizes):
            message = "the file, or one that it imports, reserves too many numbers one by one"
            raise SchemaError(Problem("syntax", message, "write ranges such as 1 to 1000, or split the file"))
        compiled, errors = _run_protoc(tuple(sources.items()))
        if compiled:
            return list(pb.FileDescriptorSet.FromString(compiled).file), errors
        missing = dict.fromkeys(name for name in _MISSING.findall(errors) if name not in sources)
        imports = {name: _fetch_import(document, name) for name in missing}
        sources |= {name: content for name, content in imports.items() if content is not None}
        if not any(name in sources for name in missing) or len(sources) > _MAX_FILES:
            raise SchemaError(*_problems(errors, text))


@lru_cache(maxsize=16)  # what is checked and then parsed, or parsed for several messages, is compiled once
def _run_protoc(sources: tuple[tuple[str, bytes], ...]) -> tuple[bytes, str]:
    """Return the descriptors of files, the first and its imports (nothing if it fails), and what the compiler says."""
    compiler = import_module("grpc_tools.protoc")
    with TemporaryDirectory(prefix="xregit-") as folder, TemporaryFile() as errors:
        for name, content in sources:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        root, out = Path(folder, _ROOT), Path(folder, "all descriptors")
        arguments = ("--include_imports", "--include_source_info", f"--descriptor_set_out={out}")
        with _stderr_lock:
            stderr = os.dup(_STDERR)
            os.dup2(errors.fileno(), _STDERR)
            try:
                compiler.main(["protoc", f"-I{folder}", f"-I{_google_files()}", *arguments, str(root)])
            finally:
                os.dup2(stderr, _STDERR)
                os.close(stderr)
        errors.seek(0)
        return out.read_bytes() if out.exists() else b"", errors.read(_MAX_CHARACTERS).decode(errors="replace").replace(
            f"{folder}{os.sep}", ""
        )


@cache
def _google_files() -> Path:
    """Return the folder of the files that come with Protobuf."""
    return Path(str(files("grpc_tools") / "_proto"))


def _fetch_import(document: Document, name: str) -> bytes | None:
    """Return an imported file: beside this document, or where its path leads from the registry's root."""
    plain = name.removesuffix(".proto")
    references = (f"../../{plain}", plain, f"/{plain}", f"../../{name}")
    uris = (*(resolve(document.uri, reference) for reference in references), name)
    return next((content for uri in uris if (content := document.fetch(uri)) is not None), None)


def _problems(errors: str, text: bytes) -> list[Problem]:
    """Return what the compiler finds wrong in the document itself, of each line the first: others follow from that.

    So do unknown names where an import is missing.
    """
    problems: dict[str, Problem] = {}
    faults = _FAULT.findall(errors)
    lacks_import = any(_IMPORT.fullmatch(message) for _, _, message in faults)
    for line, column, message in faults:
        follows = line in problems or (lacks_import and _UNKNOWN.match(message))
        if not follows and len(problems) < _MAX_PROBLEMS:
            position = _position(text, int(line) - 1, int(column) - 1) if line else (0, 0)
            problems[line] = _problem(message, errors, *position)
    return list(problems.values()) or [Problem("syntax", errors.partition("\n")[0], _ANY_HELP)]


def _problem(message: str, errors: str, line: int, column: int) -> Problem:
    imported = _IMPORT.fullmatch(message)
    if imported:
        name = imported[1]
        faults = re.findall(rf"^{re.escape(name)}:\d+:\d+: .*?(?=\.?$)", errors, re.MULTILINE)
        if faults:
            return Problem("reference", f'the import "{name}" is wrong: {faults[0]}', "correct that file", line, column)
        help_ = "add it as a schema of the same group, under this name, or put its messages here"
        return Problem("reference", f'the import "{name}" is not in this registry', help_, line, column)
    unknown = _UNKNOWN.match(message)
    kind = "reference" if unknown else "syntax"
    help_ = (_type_help(unknown[1]) if unknown else "") or next(
        (match.expand(help_) for pattern, help_ in _HELP if (match := pattern.search(message))), _ANY_HELP
    )
    # The first word is small in our messages, unless it is a name.
    words = message[:1].lower() + message[1:] if message[1:2].islower() else message
    return Problem(kind, words, help_, line, column)


def _type_help(name: str) -> str:
    """Return what to write for one of Protobuf's own messages; empty for any other type."""
    file = _WELL_KNOWN.get(name.rpartition(".")[2])
    if file and name.rpartition(".")[0] in {"", "google.protobuf"}:
        return f'write "google.protobuf.{name.rpartition(".")[2]}", and import "google/protobuf/{file}.proto"'
    return ""


def _position(text: bytes, line: int, column: int) -> tuple[int, int]:
    """Return a position of the compiler's, which counts from 0, in bytes, and has tabs of 8, as line and character."""
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
    """Yield the full name of each message, field and enum that has comments beside it, with those."""
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


def _select_message(file: FileDescriptor, name: str) -> Descriptor:
    messages = dict(_messages(file.message_types_by_name.values()))
    if not name and len(file.message_types_by_name) == 1:
        return next(iter(messages.values()))
    descriptor = messages.get(name.lstrip(".")) or messages.get(f"{file.package}.{name}")
    descriptor = descriptor or next((item for full, item in messages.items() if full.endswith(f".{name}")), None)
    if not name or descriptor is None:
        names = comma_list([full.removeprefix(f"{file.package}.") for full in messages]) or "none"
        message = f'the document has no message "{name}"' if name else "the document has several messages or none"
        raise SchemaError(Problem("selector", message, f"its messages are {names}"))
    return descriptor


def _messages(messages: Any) -> Iterator[tuple[str, Descriptor]]:
    for message in messages:
        if not message.GetOptions().map_entry:
            yield message.full_name, message
            yield from _messages(message.nested_types)
