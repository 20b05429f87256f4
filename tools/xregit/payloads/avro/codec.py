"""The schema object of Avro, which validates, decodes and encodes payloads.

fastavro recurses without limit and believes any count, so that a few bytes may end the process or fill its memory: the
bytes are checked before they are decoded. Dates and times in years that Python lacks, before 1 and after 9999, are read
as the numbers that they are: the largest number is a usual way to say "no end".
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import fastavro
from fastavro.read import LOGICAL_READERS

from xregit.model import canonical
from xregit.model.quoting import comma_list, quote
from xregit.payloads.avro.doubts import doubts
from xregit.payloads.avro.fields import example, fields
from xregit.payloads.avro.schema import Type, default_mismatch, find_faults, parse_types
from xregit.payloads.avro.values import Converter, without_branches
from xregit.payloads.base import PayloadError, Problem, SchemaError
from xregit.payloads.body import is_json, read_json
from xregit.payloads.fields import MAX_VALUES, Field, with_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xregit.payloads.base import Document

_MAX_DOUBTS = 20
_READ_ERRORS = (ValueError, OverflowError, EOFError, ArithmeticError)


@dataclass(frozen=True, eq=False, slots=True)
class Avro:
    """One Avro type; ``schema`` is fastavro's form of it."""

    format: str
    type: Type
    schema: Any

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a payload in Avro's binary or JSON encoding."""
        try:
            self.decode(body, contenttype)
        except PayloadError as error:
            return error.problems
        return ()

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the values of a payload; one in JSON may leave out the names of a union's branches."""
        if is_json(contenttype):
            return without_branches(self._convert(read_json(body), wire=True))
        check_binary(self.type, body)
        try:
            return fastavro.schemaless_reader(io.BytesIO(body), self.schema, None)
        except _READ_ERRORS:
            pass
        try:
            return fastavro.schemaless_reader(io.BytesIO(body), _far_schema(self.type), None)
        except _READ_ERRORS as error:
            message = f"the payload holds a value that its type doesn't: {error}"
            raise PayloadError(message) from error

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of a value: JSON for a JSON media type, else binary."""
        converted = self._convert(value, wire=False)
        try:
            if is_json(contenttype):
                text = io.StringIO()
                fastavro.json_writer(text, self.schema, [converted])
                return text.getvalue().encode()
            out = io.BytesIO()
            fastavro.schemaless_writer(out, self.schema, converted)
            return out.getvalue()
        except (ValueError, TypeError, OverflowError, ArithmeticError) as error:
            message = f"the value can't be written: {error}"
            raise PayloadError(message) from error

    @with_budget(MAX_VALUES)
    def example(self) -> Any:
        """Return a value with all fields."""
        return example(self.type)

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the record."""
        return fields(self.type)

    def _convert(self, value: Any, *, wire: bool) -> Any:
        converter = Converter(wire)
        converted = converter.convert(self.type, value, "")
        if converter.problems:
            raise PayloadError(*converter.problems)
        return converted


def parse(document: Document) -> Avro:
    """Return the root type of a document, or the type of a name.

    Raises:
        SchemaError: the document isn't an Avro schema, or has no such type.
    """
    root, parser = parse_types(document)
    type_ = _select(root, parser.types, document.fragment.lstrip("/")) if document.fragment else root
    try:
        return Avro(document.format, type_, fastavro.parse_schema(to_fastavro(type_)))
    except (ValueError, KeyError, TypeError) as error:
        raise SchemaError(Problem("syntax", str(error), "correct the schema")) from error


def disagreements(document: Document) -> Iterator[Problem]:
    """Yield names, orders and defaults that Avro doesn't allow, though complete payloads can be read, and doubts."""
    try:
        _, parser = parse_types(document)
    except SchemaError:
        return
    for path, message, help_ in find_faults(document.value()):
        yield document.problem("syntax", message, help_, path)
    for type_, default, path in parser.defaults:
        why = default_mismatch(type_, default)
        if why:
            message = f"the default {quote(default)} is {why}"
            yield document.problem("syntax", message, "write a value of the field's type, or leave it out", path)
    version = canonical("format", document.format).partition("/")[2]
    for path, message, help_ in islice(doubts(document.value(), parser.defaults, version), _MAX_DOUBTS):
        yield document.problem("doubt", message, help_, path)


def _select(root: Type, types: Mapping[str, Type], name: str) -> Type:
    """Return a type by its full name, or by the last part of it where that is enough."""
    type_ = types.get(name) or next((item for full, item in types.items() if full.rpartition(".")[2] == name), None)
    if type_ is None:
        names = comma_list(types) or root.kind
        raise SchemaError(Problem("selector", f'the document has no type "{name}"', f"its types are {names}"))
    return type_


_MAX_DEPTH = 100
# Items that take no bytes, such as nulls, could be of any number.
_MAX_EMPTY_ITEMS = 100_000
_VARINT_BITS = {"int": 32, "long": 64}
_WIDTHS = {"null": 0, "boolean": 1, "float": 4, "double": 8}
# Checked here because fastavro makes a time of numbers beyond the end of the day, and rounds decimals that have more
# digits than their type.
_DAY = {"time-millis": 86_400_000, "time-micros": 86_400_000_000}
_BITS_OF_A_DIGIT = 3


class _BinaryWalk:
    """A walk through the bytes of a payload, which checks them."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0
        self.items = 0

    def skip(self, count: int) -> None:
        if count < 0 or self.at + count > len(self.body):
            message = f"byte {self.at}: the payload ends before the value does"
            raise PayloadError(message)
        self.at += count

    def number(self, kind: str = "long") -> int:
        value = shift = 0
        start = self.at
        while True:
            self.skip(1)
            byte = self.body[self.at - 1]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
                break
            if shift > 63:  # noqa: PLR2004 - ten bytes hold 64 bits
                message = f"byte {start}: the number has more than 64 bits"
                raise PayloadError(message)
        if value >> _VARINT_BITS[kind]:
            message = f"byte {start}: the number doesn't fit the type {kind}"
            raise PayloadError(message)
        return (value >> 1) ^ -(value & 1)

    def value(self, type_: Type, depth: int) -> None:
        if depth > _MAX_DEPTH:
            message = f"byte {self.at}: the value is nested more than {_MAX_DEPTH} levels deep"
            raise PayloadError(message)
        kind = type_.kind
        if kind in _WIDTHS:
            self.fixed_width(kind)
        elif kind in _VARINT_BITS:
            self.integer(type_)
        elif kind in {"string", "bytes", "fixed"}:
            self.octets(type_)
        elif kind == "enum":
            self.index(len(type_.symbols), "symbols")
        elif kind == "record":
            for member in type_.members:
                self.value(member.type, depth + 1)
        elif kind == "union":
            self.value(type_.inner[self.index(len(type_.inner), "branches")], depth + 1)
        else:
            self.blocks(type_, depth)

    def integer(self, type_: Type) -> None:
        """Walk over a whole number, and check one that stands for a time of day."""
        start, number = self.at, self.number(type_.kind)
        if type_.logical in _DAY and not 0 <= number < _DAY[type_.logical]:
            message = f"byte {start}: {number} is no time of day, as the type {type_.logical} asks for"
            raise PayloadError(message)

    def octets(self, type_: Type) -> None:
        """Walk over bytes, and check those that stand for a decimal number."""
        count = type_.size if type_.kind == "fixed" else self.number()
        start = self.at
        self.skip(count)
        if type_.logical == "decimal" and count * 8 > type_.precision * _BITS_OF_A_DIGIT:
            number = int.from_bytes(self.body[start : self.at], "big", signed=True)
            if abs(number) >= 10**type_.precision:
                message = f"byte {start}: the decimal has more than the {type_.precision} digits of its type"
                raise PayloadError(message)

    def fixed_width(self, kind: str) -> None:
        self.skip(_WIDTHS[kind])
        if kind == "boolean" and self.body[self.at - 1] > 1:
            message = f"byte {self.at - 1}: a boolean is 0 or 1"
            raise PayloadError(message)

    def index(self, count: int, of: str) -> int:
        start, index = self.at, self.number()
        if not 0 <= index < count:
            message = f"byte {start}: the index {index} is none of the {count} {of}"
            raise PayloadError(message)
        return index

    def blocks(self, type_: Type, depth: int) -> None:
        """Walk through an array or map: blocks of items until one is empty."""
        while count := self.number():
            if count < 0:
                count = -count
                self.number()  # the block's size in bytes, for those that skip it
            for _ in range(count):
                start = self.at
                if type_.kind == "map":
                    self.skip(self.number())
                self.value(type_.inner[0], depth + 1)
                self.items += self.at == start
                if self.items > _MAX_EMPTY_ITEMS:
                    message = f"byte {start}: there are more than {_MAX_EMPTY_ITEMS} items without bytes"
                    raise PayloadError(message)


def check_binary(type_: Type, body: bytes) -> None:
    """Walk through a payload.

    Raises:
        PayloadError: the bytes aren't a value of the type, or more than one.
    """
    walk = _BinaryWalk(body)
    walk.value(type_, 0)
    if walk.at != len(body):
        message = f"byte {walk.at}: {len(body) - walk.at} bytes follow the value"
        raise PayloadError(message)


#: Stands before the logical types of dates and times whose numbers may be of any year; see `_far_schema`.
_FAR = "xregit far "


def to_fastavro(type_: Type, mark: str = "", defined: set[str] | None = None) -> Any:
    """Return the schema of a type and of all that it refers to, with a mark before logical types of dates and times.

    A type that is ``defined`` before is referred to by its name.
    """
    defined = set() if defined is None else defined
    if type_.kind == "union":
        return [to_fastavro(branch, mark, defined) for branch in type_.inner]
    if type_.name in defined:
        return type_.name
    schema: dict[str, Any] = {"type": type_.kind}
    if type_.name:
        defined.add(type_.name)
        schema["name"] = type_.name
    if type_.logical:
        schema["logicalType"] = (
            mark if "timestamp" in type_.logical or type_.logical == "date" else ""
        ) + type_.logical
    if type_.logical == "decimal":
        schema |= {"precision": type_.precision, "scale": type_.scale}
    if type_.kind == "record":
        schema["fields"] = [
            {"name": item.name, "type": to_fastavro(item.type, mark, defined)} for item in type_.members
        ]
    elif type_.kind in {"array", "map"}:
        schema["items" if type_.kind == "array" else "values"] = to_fastavro(type_.inner[0], mark, defined)
    elif type_.kind == "enum":
        schema["symbols"] = list(type_.symbols)
    elif type_.kind == "fixed":
        schema["size"] = type_.size
    return schema


@lru_cache(maxsize=256)
def _far_schema(type_: Type) -> Any:
    """Return fastavro's form of a type by which it reads such numbers, in more time than by the usual one."""
    return fastavro.parse_schema(to_fastavro(type_, mark=_FAR))


def _number_on_overflow(reader: Callable[..., Any]) -> Callable[..., Any]:
    def read(data: Any, *schemas: Any) -> Any:
        try:
            return reader(data, *schemas)
        except (OverflowError, ValueError):
            return data

    return read


# fastavro takes readers of further logical types here; no document can have their names.
for _name in ("date", "timestamp-millis", "timestamp-micros", "local-timestamp-millis", "local-timestamp-micros"):
    _key = f"{'int' if _name == 'date' else 'long'}-{_name}"
    LOGICAL_READERS[_key.replace(_name, _FAR + _name)] = _number_on_overflow(LOGICAL_READERS[_key])
