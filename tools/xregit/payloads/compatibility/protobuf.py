"""Protobuf's binary form: why a message can't read what was written as another, by numbers and wire types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor

from xregit.model.excerpts import comma_list
from xregit.payloads.compatibility.base import ROOT, Answer, Budget, Reason
from xregit.payloads.protobuf.codec import Protobuf, is_map

# All values of the first are read as themselves by the others (Protobuf, "Updating A Message Type").
_WIDER: Mapping[str, frozenset[str]] = {
    "bool": frozenset(("int32", "uint32", "int64", "uint64")),
    "int32": frozenset(("int64",)),
    "uint32": frozenset(("int64", "uint64")),
    "enum": frozenset(("int32", "int64")),
    "sint32": frozenset(("sint64",)),
    "string": frozenset(("bytes",)),
}
# Numbers that an open enum takes, though it may have no name for them.
_NUMBERS = frozenset(("bool", "int32"))


# The types of the library and of its annotations differ, so fields are Any.


def reasons(writer: Protobuf, reader: Protobuf, budget: Budget) -> Iterator[Reason]:
    """Yield why the second message can't read what was written as the first."""
    yield from _Comparison(budget).of(writer.message, reader.message, "")


def reasons_of_all(pairs: Sequence[tuple[Protobuf, Protobuf]], budget: Budget) -> Iterator[Iterator[Reason]]:
    """Return for each pair of messages why the second can't read what was written as the first.

    A difference of a message that others hold counts for that message alone: each may hold all others.
    """
    return _Comparison.of_all(pairs, budget)


class MessageComparison(ABC):
    """One comparison; messages that hold themselves are compared once, and those ``compared`` before not at all."""

    def __init__(self, budget: Budget, compared: Iterable[tuple[str, str]] = ()) -> None:
        """Compare within a budget."""
        self.budget = budget
        self.compared = set(compared)

    def of(self, writer: Descriptor, reader: Descriptor, path: str) -> Iterator[Reason]:
        """Yield the reasons of two messages, unless they were compared before."""
        pair = pair_of(writer, reader)
        if pair not in self.compared:
            self.compared.add(pair)
            yield from self.members(writer, reader, path)

    @abstractmethod
    def members(self, writer: Descriptor, reader: Descriptor, path: str) -> Iterator[Reason]:
        """Yield the reasons of two messages, member by member."""

    @classmethod
    def of_all(cls, pairs: Sequence[tuple[Protobuf, Protobuf]], budget: Budget) -> Iterator[Iterator[Reason]]:
        """Yield the reasons of each pair; what stands in one and is such a pair itself is not told twice."""
        comparison = cls(budget, {pair_of(writer.message, reader.message) for writer, reader in pairs})
        for writer, reader in pairs:
            yield comparison.members(writer.message, reader.message, "")


class _Comparison(MessageComparison):
    """A comparison of the binary form."""

    def members(self, writer: Descriptor, reader: Descriptor, path: str) -> Iterator[Reason]:
        yield from _numbers(writer, reader, path)
        yield from _oneofs(writer, reader, path)
        sources = {field.number: field for field in fields_of(writer)}
        for field in fields_of(reader):
            self.budget.spend(20)
            here = join(path, name_of(field))
            source = sources.get(field.number)
            if source is not None:
                yield from self.of_field(source, field, here)
            elif field.is_required:
                yield Reason("required", here)

    def of_field(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        if reader.is_required and not writer.is_required:
            yield Reason("required", path)
        moved = {
            writer.name in reader.containing_type.fields_by_name,
            reader.name in writer.containing_type.fields_by_name,
        }
        if reader.name != writer.name and reader.json_name != writer.json_name and True not in moved:
            yield Reason("name", f"number {reader.number}", writer.name, reader.name)
        if writer.is_repeated and not reader.is_repeated:
            yield Reason("single", path)
        elif is_map(writer) != is_map(reader):
            yield Reason("map", path, _cardinality_text(writer), _cardinality_text(reader))
        answer = _wire_compatibility(writer, reader)
        if answer is not Answer.YES:
            yield Reason("type", path, type_name(writer), type_name(reader), answer=answer)
            return
        if writer.message_type is not None and reader.message_type is not None:
            yield from self.of(writer.message_type, reader.message_type, path)
        elif writer.enum_type is not None and reader.enum_type is not None:
            yield from _values(writer.enum_type, reader.enum_type, path)
        elif wire_type(reader) == "string" and _is_checked(reader) and not _is_checked(writer):
            yield Reason("type", path, "string", "string of valid UTF-8", answer=Answer.UNCLEAR)
        yield from default_reason(writer, reader, path)


def fields_of(message: Descriptor) -> list[Any]:
    """Return the fields of a message, and the extensions of it."""
    return [*message.fields, *message.file.pool.FindAllExtensions(message)]


def name_of(field: Any) -> str:
    """Return a field's name, or that of an extension as JSON writes it."""
    return f"[{field.full_name}]" if field.is_extension else str(field.name)


def _is_checked(field: Any) -> bool:
    """Return whether readers refuse a text that is not UTF-8."""
    features = field._GetFeatures()  # noqa: SLF001 - there is no other way to ask for it
    return bool(features.utf8_validation == descriptor_pb2.FeatureSet.VERIFY)


def default_reason(writer: Any, reader: Any, path: str, *, by_name: bool = False) -> Iterator[Reason]:
    """Yield that a field which is left out means something else; ``by_name`` says what an enum's values go by."""
    if writer.is_repeated or reader.is_repeated or writer.is_required:
        return
    if _default(writer, by_name=by_name) != _default(reader, by_name=by_name):
        one, other = (_default(field, by_name=True) or "empty" for field in (writer, reader))
        yield Reason("default", path, one, other)
    elif reader.has_presence and not writer.has_presence and not _is_alternative(reader):
        yield Reason("default", path, "zero or empty", "no value")


def _is_alternative(field: Any) -> bool:
    """Return whether a field is in a oneof of the schema; Protobuf makes one for each optional field of proto3."""
    return field.containing_oneof is not None and field.containing_oneof.name != f"_{field.name}"


def _default(field: Any, *, by_name: bool) -> str:
    """Return what a field means that is left out: nothing for zero, false, an empty text and messages."""
    value = None if field.message_type is not None else field.default_value
    if field.enum_type is not None and by_name:
        return str(field.enum_type.values_by_number[value].name)
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value or "")


def pair_of(writer: Descriptor, reader: Descriptor) -> tuple[str, str]:
    """Return what tells one pair of messages from another."""
    return writer.full_name, reader.full_name


def _cardinality_text(field: Any) -> str:
    return "a map" if is_map(field) else "repeated" if field.is_repeated else "a single value"


def _numbers(writer: Descriptor, reader: Descriptor, path: str) -> Iterator[Reason]:
    """Yield names that moved to another number, and numbers in use that the other message has reserved or freed."""
    sources, targets = ({name_of(field): field for field in fields_of(message)} for message in (writer, reader))
    written, read = ({field.number for field in fields.values()} for fields in (sources, targets))
    for name, field in targets.items():
        if name in sources and sources[name].number != field.number:
            yield Reason("number", join(path, name), str(sources[name].number), str(field.number))
        if field.number not in written and _reserved(writer, field):
            yield Reason("reserved", join(path, name), words={"number": str(field.number), "name": name})
    for name, field in sources.items():
        if field.number not in read and name not in targets and not _reserved(reader, field):
            yield Reason("freed", join(path, name), words={"number": str(field.number), "name": name})


def _reserved(message: Descriptor, field: Any) -> bool:
    # Where Protobuf is pure Python, only files can be asked for what they declare.
    proto = _declared(message.file)[message.full_name]
    return any(item.start <= field.number < item.end for item in proto.reserved_range)


@lru_cache(maxsize=2)
def _declared(file: Any) -> Mapping[str, Any]:
    """Return all messages of a file by their full names, those inside others too."""
    proto = descriptor_pb2.FileDescriptorProto.FromString(file.serialized_pb)
    pending = [(f"{proto.package}." if proto.package else "", item) for item in proto.message_type]
    messages = {}
    for prefix, item in pending:
        messages[f"{prefix}{item.name}"] = item
        pending += [(f"{prefix}{item.name}.", inner) for inner in item.nested_type]
    return messages


def _oneofs(writer: Descriptor, reader: Descriptor, path: str) -> Iterator[Reason]:
    numbers = {item.number: item for item in fields_of(writer)}
    sources = {item.name: numbers[item.number] for item in reader.fields if item.number in numbers}
    for name, names in exclusive_fields(reader, sources):
        yield Reason("oneof", join(path, name), words={"names": names})


def exclusive_fields(reader: Descriptor, sources: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each oneof with those of its fields that could be written together; ``sources`` are what fields read."""
    for group in reader.oneofs:
        members = [sources[item.name] for item in group.fields if item.name in sources]
        homes = {item.containing_oneof.name if item.containing_oneof else item.name for item in members}
        if len(members) > 1 and len(homes) > 1:
            yield group.name, ", ".join(item.name for item in members)


def _values(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    """Yield the values of an enum that a reader doesn't know, or knows under another name."""
    missing = [item.name for number, item in writer.values_by_number.items() if number not in reader.values_by_number]
    if missing:
        answer = Answer.NO if reader.is_closed else None
        yield Reason("value", path or ROOT, words={"values": comma_list(missing)}, answer=answer)
    names: dict[int, set[str]] = defaultdict(set)
    for value in reader.values:
        names[value.number].add(value.name)
    for value in writer.values:
        target = reader.values_by_name.get(value.name)
        if target is not None and target.number != value.number:
            yield Reason("valuenumber", f"{path}: {value.name}", str(value.number), str(target.number))
    for number, item in writer.values_by_number.items():
        if number in names and item.name not in names[number] and item.name not in reader.values_by_name:
            yield Reason("valuename", f"{path} = {number}", item.name, reader.values_by_number[number].name)


def join(path: str, name: str) -> str:
    """Return the place of a field in a message."""
    return f"{path}.{name}" if path else name


def _wire_compatibility(writer: Any, reader: Any) -> Answer:
    """Return whether every value of one field's type is read as itself by another's; open enums read any number."""
    one, other = wire_type(writer), wire_type(reader)
    if one == other or other in _WIDER.get(one, ()):
        return Answer.YES
    if (one, other) == ("message", "bytes"):
        # An empty message is no bytes, which a field without presence takes for one that is left out.
        return Answer.YES if reader.has_presence or reader.is_repeated else Answer.NO
    if one == "enum" and other in {"uint32", "uint64"}:
        return Answer.NO if any(number < 0 for number in writer.enum_type.values_by_number) else Answer.YES
    if one == "bool" and other == "enum" and {0, 1} <= set(reader.enum_type.values_by_number):
        return Answer.YES
    return Answer.UNCLEAR if one in _NUMBERS and other == "enum" and not reader.enum_type.is_closed else Answer.NO


def type_name(field: Any) -> str:
    """Return a field's type as a .proto file names it."""
    if is_map(field):
        return "map"
    declared = field.message_type or field.enum_type
    return str(declared.name) if declared is not None else wire_type(field)


def wire_type(field: Any) -> str:
    """Return the name of a field's type, such as ``sint32``, ``enum`` or ``message``."""
    return descriptor_pb2.FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
