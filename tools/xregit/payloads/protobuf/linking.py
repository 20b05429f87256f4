"""A .proto file and those that it imports to descriptors, with every type name found."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor_pool import DescriptorPool

from xregit.payloads.base import Problem, SchemaError
from xregit.payloads.document import resolve
from xregit.payloads.protobuf.cursor import Cursor, joined
from xregit.payloads.protobuf.reading import read
from xregit.records import distinct
from xregit.source.text import encoding_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from google.protobuf.descriptor import FileDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    from xregit.payloads.document import Document

# The files that come with Protobuf itself; the library has them as modules of these names.
_OWN = "google/protobuf/"
_OWN_NAMES = frozenset(
    ("any", "api", "descriptor", "duration", "empty", "field_mask", "source_context", "struct", "timestamp", "type")
) | {"wrappers"}
_ROOT = "document.proto"
_MAX_FILES = 100
_MESSAGE, _ENUM = pb.FieldDescriptorProto.TYPE_MESSAGE, pb.FieldDescriptorProto.TYPE_ENUM


@distinct
class Linked:
    """A file's descriptor, the pool that holds it with all imports, and the comments by full name."""

    file: FileDescriptor
    pool: DescriptorPool
    docs: Mapping[str, str]


@dataclass(slots=True)
class _Linking:
    """The files read so far, by the names under which they are imported."""

    document: Document
    files: dict[str, FileDescriptorProto]
    docs: dict[str, str]

    def add(self, text: bytes, name: str) -> None:
        """Read a file and, before it, all that it imports."""
        cursor = read(_decoded(text), name)
        for imported, token in cursor.imports.items():
            if imported in self.files:
                continue
            content = own(imported)
            if content is not None:
                self.add_own(content)
                continue
            found = self.found(imported)
            if found is None or len(self.files) > _MAX_FILES:
                message = f'the import "{imported}" is not in this registry'
                help_ = "add it as a schema of the same group, under this name, or put its messages here"
                raise SchemaError(Problem("reference", message, help_, token.line, token.column))
            self.files[imported] = pb.FileDescriptorProto()  # a file that imports itself in the end is found once
            self.add(found, imported)
        self.link(cursor)
        self.docs |= cursor.docs
        self.files.pop(name, None)
        self.files[name] = cursor.file

    def add_own(self, file: FileDescriptorProto) -> None:
        for name in file.dependency:
            inner = own(name)
            if inner is not None and name not in self.files:
                self.add_own(inner)
        self.files[file.name] = file

    def found(self, name: str) -> bytes | None:
        """Return an imported file: beside this document, or where its path leads from the registry's root."""
        plain = name.removesuffix(".proto")
        uri = self.document.uri
        references = (f"../../{plain}", plain, f"/{plain}", f"../../{name}")
        places = (*(resolve(uri, reference) for reference in references), name)
        return next((content for place in places if (content := self.document.fetch(place)) is not None), None)

    def link(self, cursor: Cursor) -> None:
        """Find the message or enum that each field's type names, from the innermost scope outwards."""
        files = (*self.files.values(), cursor.file)
        known = dict(item for file in files for item in declared(file))
        enums = dict(item for file in files for item in _enums(file, file.package)) if cursor.of_maps else {}
        problems = []
        for field, token, scope in cursor.uses:
            full = next((name for name in _scoped(field.type_name, scope) if name in known), None)
            if full is None:
                message = f'there is no message or enum "{field.type_name}"'
                help_ = "declare it, import the file that does, or use a type such as string or int32"
                problems.append(Problem("reference", message, help_, token.line, token.column))
                continue
            field.type_name = f".{full}"
            field.type = known[full]
            if token in cursor.of_maps and full in enums and all(each.number for each in enums[full].value):
                message = f'the enum "{field.type_name[1:]}" has no value 0, so that no map can have its values'
                help_ = "put a value with 0 first, or use a repeated message in place of the map"
                problems.append(Problem("syntax", message, help_, token.line, token.column))
        if problems:
            raise SchemaError(*problems)


def link(document: Document) -> Linked:
    """Return a document's descriptors.

    Raises:
        SchemaError: it isn't a .proto file, or names what isn't there.
    """
    linking = _Linking(document, {}, {})
    linking.add(document.text(), _ROOT)
    pool = DescriptorPool()
    try:
        for file in linking.files.values():
            pool.AddSerializedFile(file.SerializeToString())
        return Linked(pool.FindFileByName(_ROOT), pool, linking.docs)
    except (TypeError, KeyError, ValueError, IndexError) as error:  # the last where Protobuf is pure Python
        reason = str(error).partition("descriptor pool: ")[2] or str(error)
        raise SchemaError(Problem("syntax", reason, "correct the file")) from error


def own(name: str) -> FileDescriptorProto | None:
    """Return one of the files that come with Protobuf."""
    plain = name.removeprefix(_OWN).removesuffix(".proto")
    if not name.startswith(_OWN) or plain not in _OWN_NAMES:
        return None
    module = import_module(f"google.protobuf.{plain}_pb2")
    return pb.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)


def declared(file: FileDescriptorProto) -> Iterator[tuple[str, Any]]:
    """Give the full name of each message and enum of a file, with the type of fields that hold it."""
    yield from ((joined(file.package, item.name), _ENUM) for item in file.enum_type)
    for message in file.message_type:
        yield from _inside(message, joined(file.package, message.name))


def _inside(message: pb.DescriptorProto, full: str) -> Iterator[tuple[str, Any]]:
    yield full, _MESSAGE
    yield from ((joined(full, item.name), _ENUM) for item in message.enum_type)
    for nested in message.nested_type:
        yield from _inside(nested, joined(full, nested.name))


def _enums(
    inside: FileDescriptorProto | pb.DescriptorProto, scope: str
) -> Iterator[tuple[str, pb.EnumDescriptorProto]]:
    """Give the full name of each enum inside a file or message, with the enum."""
    yield from ((joined(scope, item.name), item) for item in inside.enum_type)
    for message in inside.message_type if isinstance(inside, pb.FileDescriptorProto) else inside.nested_type:
        yield from _enums(message, joined(scope, message.name))


def _scoped(name: str, scope: str) -> Iterator[str]:
    if name.startswith("."):
        yield name[1:]
        return
    parts = scope.split(".")
    for count in range(len(parts), -1, -1):
        yield joined(".".join(parts[:count]), name)


def _decoded(text: bytes) -> str:
    wrong = encoding_problem(text, "syntax")
    if wrong is not None:
        raise SchemaError(Problem("syntax", wrong.message, wrong.help, wrong.span.line, wrong.span.column))
    return text.decode()
