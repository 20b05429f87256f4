"""The types of Protobuf's fields: which bytes of one type are read as the same value by another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.payloads.compatibility.verdicts import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """Tell whether every value of one field's type is read as itself by another's; numbers become any enum's values."""
    one, other = _name(written), _name(read)
    if one == other or other in _WIDER.get(one, ()):
        return Answer.YES
    return Answer.UNCLEAR if (one, other) == ("int32", "enum") and not read.enum_type.is_closed else Answer.NO


def shown(field: Any) -> str:
    """Return a field's type as a .proto file names it."""
    named = field.message_type or field.enum_type
    return str(named.name) if named is not None else _name(field)


def _name(field: Any) -> str:
    return _TYPES[field.type - 1]
