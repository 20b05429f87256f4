"""Protobuf: why a message can't read what was written as another, by numbers, wire types and what is reserved."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.payloads.compatibility.verdicts import ROOT, Answer, Reason
from xregit.payloads.protobuf.fields import is_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from google.protobuf.descriptor import Descriptor

    from xregit.payloads.protobuf.codec import Protobuf


# The types of the library and of its annotations differ, so fields are Any.


def reasons(written: Protobuf, read: Protobuf) -> Iterator[Reason]:
    """Yield why the second message can't read what was written as the first."""
    yield from _Reading().of(written.message, read.message, "")


def reasons_of_all(pairs: Sequence[tuple[Protobuf, Protobuf]]) -> Iterator[list[Reason]]:
    """Yield for each pair of messages why the second can't read what was written as the first.

    What differs in a message that others hold is told of that message alone: each may hold all others.
    """
    reading = _Reading({_pair(written.message, read.message) for written, read in pairs})
    for written, read in pairs:
        yield list(reading.inside(written.message, read.message, ""))


class _Reading:
    """One comparison; messages that hold themselves are compared once, and those that were ``seen`` not at all."""

    def __init__(self, seen: Iterable[tuple[str, str]] = ()) -> None:
        self.seen = set(seen)

    def of(self, written: Descriptor, read: Descriptor, path: str) -> Iterator[Reason]:
        pair = _pair(written, read)
        if pair not in self.seen:
            self.seen.add(pair)
            yield from self.inside(written, read, path)

    def inside(self, written: Descriptor, read: Descriptor, path: str) -> Iterator[Reason]:
        yield from _numbers(written, read, path)
        yield from _oneofs(written, read, path)
        known: dict[int, Any] = dict(written.fields_by_number)
        for field in read.fields:
            here = _joined(path, field.name)
            source = known.get(field.number)
            if source is not None:
                yield from self.of_field(source, field, here)
            elif field.is_required:
                yield Reason("required", here)

    def of_field(self, written: Any, read: Any, path: str) -> Iterator[Reason]:
        if read.is_required and not written.is_required:
            yield Reason("required", path)
        if read.name != written.name and read.json_name != written.json_name:
            yield Reason("name", f"number {read.number}", written.name, read.name)
        if written.is_repeated != read.is_repeated or is_map(written) != is_map(read):
            yield from _counted(written, read, path)
            return
        answer = relation(written, read)
        if answer is not Answer.YES:
            yield Reason("type", path, _type_name(written), _type_name(read), answer=answer)
        elif written.message_type is not None and read.message_type is not None:
            yield from self.of(written.message_type, read.message_type, path)
        elif written.enum_type is not None and read.enum_type is not None:
            yield from _values(written.enum_type, read.enum_type, path)
        if not read.is_repeated and read.has_default_value and written.default_value != read.default_value:
            yield Reason("default", path, str(written.default_value), str(read.default_value))


def _pair(written: Descriptor, read: Descriptor) -> tuple[str, str]:
    return written.full_name, read.full_name


def _counted(written: Any, read: Any, path: str) -> Iterator[Reason]:
    """Yield what comes of reading one value as several or the other way; a map is a list of keys and values."""
    if is_map(written) != is_map(read):
        yield Reason("map", path, _counts(written), _counts(read))
    elif written.is_repeated:
        yield Reason("single", path)
    elif relation(written, read) is not Answer.YES:
        yield Reason("type", path, _type_name(written), f"repeated {_type_name(read)}", answer=relation(written, read))


def _counts(field: Any) -> str:
    return "a map" if is_map(field) else "repeated" if field.is_repeated else "a single value"


def _numbers(written: Descriptor, read: Descriptor, path: str) -> Iterator[Reason]:
    """Yield names that moved to another number, and numbers in use that the other message has reserved or freed."""
    for field in read.fields:
        here = _joined(path, field.name)
        source = written.fields_by_name.get(field.name)
        if source is not None and source.number != field.number and field.number not in written.fields_by_number:
            yield Reason("number", here, str(source.number), str(field.number))
        if field.number not in written.fields_by_number and _reserved(written, field):
            yield Reason("reserved", here, words={"number": str(field.number), "name": field.name})
    for field in written.fields:
        gone = field.number not in read.fields_by_number and field.name not in read.fields_by_name
        if gone and not _reserved(read, field):
            words = {"number": str(field.number), "name": field.name}
            yield Reason("freed", _joined(path, field.name), words=words)


def _reserved(message: Descriptor, field: Any) -> bool:
    proto = _proto(message)
    return any(item.start <= field.number < item.end for item in proto.reserved_range)


def _proto(message: Descriptor) -> Any:
    """Return a message as its file declares it; where Protobuf is pure Python, only files can be asked for that."""
    return _declared(message.file)[message.full_name]


@lru_cache(maxsize=2)
def _declared(file: Any) -> Mapping[str, Any]:
    """Return all messages of a file by their full names, those inside others too."""
    from google.protobuf import descriptor_pb2

    proto = descriptor_pb2.FileDescriptorProto.FromString(file.serialized_pb)
    pending = [(f"{proto.package}." if proto.package else "", item) for item in proto.message_type]
    found = {}
    for prefix, item in pending:
        found[f"{prefix}{item.name}"] = item
        pending += [(f"{prefix}{item.name}.", inner) for inner in item.nested_type]
    return found


def _oneofs(written: Descriptor, read: Descriptor, path: str) -> Iterator[Reason]:
    """Yield fields that exclude each other when they are read and could be written together."""
    for group in read.oneofs:
        numbers: dict[int, Any] = dict(written.fields_by_number)
        known = [numbers[item.number] for item in group.fields if item.number in numbers]
        homes = {item.containing_oneof.name if item.containing_oneof else item.name for item in known}
        if len(known) > 1 and len(homes) > 1:
            names = ", ".join(item.name for item in known)
            yield Reason("oneof", _joined(path, group.name), words={"names": names})


def _values(written: Any, read: Any, path: str) -> Iterator[Reason]:
    """Yield the values of an enum that a reader doesn't know, or knows under another name."""
    missing = [item.name for number, item in written.values_by_number.items() if number not in read.values_by_number]
    if missing:
        answer = Answer.NO if read.is_closed else None
        yield Reason("value", path or ROOT, words={"values": ", ".join(missing)}, answer=answer)
    for number, item in written.values_by_number.items():
        if number in read.values_by_number and item.name not in _names(read, number):
            yield Reason("valuename", f"{path} = {number}", item.name, read.values_by_number[number].name)


def _names(enum: Any, number: int) -> list[str]:
    return [item.name for item in enum.values if item.number == number]


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# In the order of the numbers that descriptors have for them, from 1 on.
_TYPES = (
    *("double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group"),
    *("message", "bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64"),
)
# All values of the first are read as themselves by the others (Protobuf, "Updating A Message Type").
_WIDER: Mapping[str, frozenset[str]] = {
    "bool": frozenset(("int32", "uint32", "int64", "uint64")),
    "int32": frozenset(("int64",)),
    "uint32": frozenset(("int64", "uint64")),
    "enum": frozenset(("int32", "int64")),
    "sint32": frozenset(("sint64",)),
    "string": frozenset(("bytes",)),
    "message": frozenset(("bytes",)),
}


def relation(written: Any, read: Any) -> Answer:
    """Return whether every value of one field's type is read as itself by another's; numbers become any enum's values."""
    one, other = _wire_type(written), _wire_type(read)
    if one == other or other in _WIDER.get(one, ()):
        return Answer.YES
    return Answer.UNCLEAR if (one, other) == ("int32", "enum") and not read.enum_type.is_closed else Answer.NO


def _type_name(field: Any) -> str:
    """Return a field's type as a .proto file names it."""
    named = field.message_type or field.enum_type
    return str(named.name) if named is not None else _wire_type(field)


def _wire_type(field: Any) -> str:
    return _TYPES[field.type - 1]
