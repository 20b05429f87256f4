"""Protobuf's JSON form: why a message can't read what was written as another, by names and types of JSON.

Source: https://protobuf.dev/programming-guides/json/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xregit.payloads.compatibility.base import ROOT, Answer, Budget, Reason
from xregit.payloads.compatibility.protobuf import (
    MessageComparison,
    default_reason,
    exclusive_fields,
    fields_of,
    join,
    name_of,
    type_name,
    wire_type,
)
from xregit.payloads.protobuf.codec import Protobuf, is_map

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

# Types that JSON writes alike, and those that read all of another's values.
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), "int32"),
    **dict.fromkeys(("uint32", "fixed32"), "uint32"),
    **dict.fromkeys(("int64", "sint64", "sfixed64"), "int64"),
    **dict.fromkeys(("uint64", "fixed64"), "uint64"),
    "group": "message",
}
_WIDER: Mapping[str, frozenset[str]] = {
    "int32": frozenset(("int64", "double")),
    "uint32": frozenset(("int64", "uint64", "double")),
}
# The digits are the same, the number need not be; an enum takes numbers, though it may have no name for them.
_UNCLEAR = frozenset((("float", "double"), ("int32", "enum")))
# Messages of this package have forms of their own in JSON.
_SPECIAL = "google.protobuf."


def reasons(writer: Protobuf, reader: Protobuf, budget: Budget) -> Iterator[Reason]:
    """Yield why the second message can't read what was written as the first."""
    yield from _Comparison(budget).of(writer.message, reader.message, "")


def reasons_of_all(pairs: Sequence[tuple[Protobuf, Protobuf]], budget: Budget) -> Iterator[Iterator[Reason]]:
    """Return the reasons of each pair of messages; what stands in one and is such a pair itself is not told twice."""
    return _Comparison.of_all(pairs, budget)


class _Comparison(MessageComparison):
    """A comparison of the JSON form."""

    def members(self, writer: Descriptor, reader: Descriptor, path: str) -> Iterator[Reason]:
        # Writers use the name in JSON, readers take that of the file as well.
        fields = fields_of(reader)
        names = {name: field for field in fields for name in (name_of(field), _json_name(field))}
        names |= {_json_name(field): field for field in fields}
        written = {_json_name(field): field for field in fields_of(writer)}
        sources = {name_of(names[name]): field for name, field in written.items() if name in names}
        numbers = {field.number: field for field in fields}
        for name, field in written.items():
            self.budget.spend(20)
            target = numbers.get(field.number)
            if name not in names and target is not None and name_of(target) not in sources:
                yield Reason("name", f"number {field.number}", name, _json_name(target))
            elif name not in names:
                yield Reason("unknown", join(path, name_of(field)), words={"name": name})
        for group, names_of_group in exclusive_fields(reader, sources):
            yield Reason("oneof", join(path, group), words={"names": names_of_group})
        for field in fields:
            here, source = join(path, name_of(field)), sources.get(name_of(field))
            if source is not None:
                yield from self.of_field(source, field, here)
            if field.is_required and not (source is not None and source.is_required):
                yield Reason("required", here)

    def of_field(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        shapes = _shape(writer), _shape(reader)
        if shapes[0] != shapes[1]:
            yield Reason("shape", path, *shapes)
        elif is_map(writer):
            entries = [field.message_type.fields_by_name for field in (writer, reader)]
            for part, here in (("key", f"{path} key"), ("value", f"{path}[]")):
                yield from self.of_value(entries[0][part], entries[1][part], here)
        else:
            yield from self.of_value(writer, reader, path)
            yield from default_reason(writer, reader, path, by_name=True)

    def of_value(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        one, other = writer.message_type, reader.message_type
        kinds = [_KINDS.get(wire_type(field), wire_type(field)) for field in (writer, reader)]
        special = [item is not None and item.full_name.startswith(_SPECIAL) for item in (one, other)]
        if kinds[0] != kinds[1] or any(special):
            if any(special) and kinds[0] == kinds[1] and one.full_name == other.full_name:
                return
            unclear = (kinds[0], kinds[1]) in _UNCLEAR
            if unclear or kinds[1] not in _WIDER.get(kinds[0], ()):
                answer = Answer.UNCLEAR if unclear else None
                yield Reason("type", path, type_name(writer), type_name(reader), answer=answer)
        elif one is not None and other is not None:
            yield from self.of(one, other, path)
        elif writer.enum_type is not None and reader.enum_type is not None:
            known = {item.name for item in reader.enum_type.values}
            missing = [item.name for item in writer.enum_type.values if item.name not in known]
            if missing:
                yield Reason("value", path or ROOT, words={"values": ", ".join(missing)})


def _json_name(field: Any) -> str:
    return name_of(field) if field.is_extension else str(field.json_name)


def _shape(field: Any) -> str:
    return "a map" if is_map(field) else "repeated" if field.is_repeated else "a single value"
