"""The schema object of Avro: payloads checked, decoded and encoded, their fields, and an example.

fastavro recurses without limit and believes any count, so that a few bytes may end the process or fill its memory: the
bytes are checked before they are decoded. Dates and times in years that Python lacks, before 1 and after 9999, are read
as the numbers that they are: the largest number is a usual way to say "no end".
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import islice
from typing import Any
from uuid import UUID

import fastavro
from fastavro.read import LOGICAL_READERS

from xregit.model import canonical
from xregit.model.excerpts import comma_list, cut, quote
from xregit.payloads.avro.schema import Type, default_mismatch, doubts, parse_types, type_faults
from xregit.payloads.base import Document, PayloadError, Problem, SchemaError, is_json, read_json
from xregit.payloads.fields import (
    MAX_CHARACTERS,
    MAX_FIELDS,
    MAX_VALUES,
    MORE_FIELDS,
    BudgetError,
    Field,
    has_budget,
    spend,
    with_budget,
)
from xregit.payloads.sample_texts import SAMPLE_TEXTS, named_number, named_text

_MAX_DOUBTS = 20
_READ_ERRORS = (ValueError, OverflowError, EOFError, ArithmeticError)
_LAST = {"name": "last", "type": "null"}


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
            raise PayloadError(f"the payload holds a value that its type doesn't: {error}") from error

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of a value: JSON for a JSON media type, else binary."""
        converted = self._convert(value, wire=False)
        try:
            if is_json(contenttype):
                # fastavro fails if a record without fields ends the text, so the value is written before another one.
                whole = {"type": "record", "name": "_", "fields": [{"name": "value", "type": self.schema}, _LAST]}
                text = io.StringIO()
                fastavro.json_writer(text, whole, [{"value": converted, "last": None}])
                return text.getvalue().removeprefix('{"value": ').removesuffix(', "last": null}').encode()
            out = io.BytesIO()
            fastavro.schemaless_writer(out, self.schema, converted)
            return out.getvalue()
        except (ValueError, TypeError, OverflowError, ArithmeticError) as error:
            raise PayloadError(f"the value can't be written: {error}") from error

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
    for place, schema in parser.objects:
        for path, message, help_ in type_faults(schema, place):
            yield document.problem("syntax", message, help_, path)
    for type_, default, path in parser.defaults:
        why = default_mismatch(type_, default)
        if why:
            message = f"the default {quote(default)} is {why}"
            yield document.problem("syntax", message, "write a value of the field's type, or leave it out", path)
    version = canonical("format", document.format).partition("/")[2]
    for path, message, help_ in islice(doubts(parser, version), _MAX_DOUBTS):
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
            raise PayloadError(f"byte {self.at}: the payload ends before the value does")
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
                raise PayloadError(f"byte {start}: the number has more than 64 bits")
        if value >> _VARINT_BITS[kind]:
            raise PayloadError(f"byte {start}: the number doesn't fit the type {kind}")
        return (value >> 1) ^ -(value & 1)

    def value(self, type_: Type, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise PayloadError(f"byte {self.at}: the value is nested more than {_MAX_DEPTH} levels deep")
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
            raise PayloadError(f"byte {start}: {number} is no time of day, as the type {type_.logical} asks for")

    def octets(self, type_: Type) -> None:
        """Walk over bytes, and check those that stand for a decimal number."""
        count = type_.size if type_.kind == "fixed" else self.number()
        start = self.at
        self.skip(count)
        if type_.logical == "decimal" and count * 8 > type_.precision * _BITS_OF_A_DIGIT:
            number = int.from_bytes(self.body[start : self.at], "big", signed=True)
            if abs(number) >= 10**type_.precision:
                raise PayloadError(f"byte {start}: the decimal has more than the {type_.precision} digits of its type")

    def fixed_width(self, kind: str) -> None:
        self.skip(_WIDTHS[kind])
        if kind == "boolean" and self.body[self.at - 1] > 1:
            raise PayloadError(f"byte {self.at - 1}: a boolean is 0 or 1")

    def index(self, count: int, of: str) -> int:
        start, index = self.at, self.number()
        if not 0 <= index < count:
            raise PayloadError(f"byte {start}: the index {index} is none of the {count} {of}")
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
                    raise PayloadError(f"byte {start}: there are more than {_MAX_EMPTY_ITEMS} items without bytes")


def check_binary(type_: Type, body: bytes) -> None:
    """Walk through a payload.

    Raises:
        PayloadError: the bytes aren't a value of the type, or more than one.
    """
    walk = _BinaryWalk(body)
    walk.value(type_, 0)
    if walk.at != len(body):
        raise PayloadError(f"byte {walk.at}: {len(body) - walk.at} bytes follow the value")


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


_RANGES = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}
_PYTHON_TYPES: dict[str, Any] = {
    "null": type(None),
    "boolean": bool,
    "float": int | float,
    "double": int | float,
    "string": str,
    "enum": str,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"millis": 1_000, "micros": 1_000_000}
_MAX_PROBLEMS = 20
# How badly a branch of a union suits a Python value: text may stand for bytes, and a float may round a number. What is
# not listed suits as well as can be.
_RANKS: dict[type, dict[str, int]] = {
    str: {"bytes": 1, "fixed": 1},
    int: {"double": 1, "float": 2},
    float: {"float": 1},
}


@dataclass(slots=True)
class Converter:
    """One walk through a value; ``wire`` says that it comes from Avro's JSON encoding, where bytes are Latin-1 text."""

    wire: bool
    problems: list[str] = field(default_factory=list)

    def convert(self, type_: Type, value: Any, path: str) -> Any:
        """Return the value as the type holds it; what doesn't fit is returned unchanged, with a problem added."""
        if len(self.problems) >= _MAX_PROBLEMS:
            return value
        converters: dict[str, Callable[[Type, Any, str], Any]] = {
            "record": self.record,
            "array": self.array,
            "map": self.map,
            "union": self.union,
        }
        if type_.kind in converters:
            return converters[type_.kind](type_, value, path)
        try:
            return _scalar(type_, value, wire=self.wire)
        except (ValueError, TypeError, OverflowError, InvalidOperation) as error:
            reason = f": {cut(str(error))}" if str(error) and not isinstance(error, InvalidOperation) else ""
            self.report(path, f"{cut(repr(value))} is not {_expected(type_)}{reason}")
            return value

    def report(self, path: str, text: str) -> None:
        """Add what doesn't fit."""
        self.problems.append(f"{path}: {text}" if path else text)

    def record(self, type_: Type, value: Any, path: str) -> Any:
        """Convert an object; a field that is missing takes its default."""
        if not isinstance(value, dict):
            self.report(path, f'{cut(repr(value))} is not an object, as the record "{type_.name}" asks for')
            return value
        fields: dict[str, Any] = {}
        for member in type_.members:
            if member.name in value:
                fields[member.name] = self.convert(member.type, value[member.name], f"{path}/{member.name}")
            elif member.has_default:
                fields[member.name] = convert_default(member.type, member.default)
            else:
                self.report(path, f'the field "{member.name}" is missing')
        members = {member.name for member in type_.members}
        for name in (name for name in value if name not in members):
            self.report(path, f'there is no field "{name}" in "{type_.name}"')
        return fields

    def array(self, type_: Type, value: Any, path: str) -> Any:
        """Convert a list."""
        if not isinstance(value, list | tuple):
            self.report(path, f"{cut(repr(value))} is not an array")
            return value
        return [self.convert(type_.inner[0], item, f"{path}/{index}") for index, item in enumerate(value)]

    def map(self, type_: Type, value: Any, path: str) -> Any:
        """Convert a mapping."""
        if not isinstance(value, dict):
            self.report(path, f"{cut(repr(value))} is not a map")
            return value
        return {str(key): self.convert(type_.inner[0], item, f"{path}/{key}") for key, item in value.items()}

    def union(self, type_: Type, value: Any, path: str) -> Any:
        """Convert a value to the branch that JSON names, ``{"string": "text"}``, else to the first that keeps it.

        Avro's JSON encoding always names the branch (specification, "JSON Encoding"); people often leave that out.
        """
        tag = _read_tag(type_, value)
        if tag:
            branch, inner = tag
            attempt = Converter(self.wire)
            converted = attempt.convert(branch, inner, path)
            if not attempt.problems:
                return _tag_branch(branch, converted)
        nearest: list[str] = []
        ranks = _RANKS.get(type(value), {})
        for branch in sorted(type_.inner, key=lambda item: ranks.get(item.kind, 0)):
            attempt = Converter(self.wire)
            converted = attempt.convert(branch, value, path)
            if not attempt.problems:
                return _tag_branch(branch, converted)
            nearest = attempt.problems if branch.kind != "null" else nearest
        single = len([branch for branch in type_.inner if branch.kind != "null"]) == 1
        names = comma_list([branch.label for branch in type_.inner])
        self.problems += nearest if single and nearest else [f"{path or '/'}: {cut(repr(value))} is none of {names}"]
        return value


def _read_tag(type_: Type, value: Any) -> tuple[Type, Any] | None:
    if isinstance(value, dict) and len(value) == 1:
        ((label, inner),) = value.items()
        return next(((branch, inner) for branch in type_.inner if branch.label == label), None)
    return None


def _tag_branch(branch: Type, value: Any) -> Any:
    """Return a value of a union with its branch, so that fastavro doesn't look for one itself."""
    return branch.label, value


def without_branches(value: Any) -> Any:
    """Return a converted value without the names of its branches."""
    if isinstance(value, tuple):
        return without_branches(value[1])
    if isinstance(value, dict):
        return {key: without_branches(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_branches(item) for item in value]
    return value


def convert_default(type_: Type, default: Any) -> Any:
    """Return a field's default as the type holds it: of a union it is the first branch that it fits."""
    if type_.kind != "union":
        return Converter(wire=True).convert(type_, default, "")
    for branch in type_.inner:
        attempt = Converter(wire=True)
        converted = attempt.convert(branch, default, "")
        if not attempt.problems:
            return _tag_branch(branch, converted)
    return default


def _scalar(type_: Type, value: Any, *, wire: bool) -> Any:
    if type_.logical:
        return _LOGICAL_CONVERTERS[type_.logical.rpartition("-")[0] or type_.logical](type_, value, wire)
    if type_.kind in _RANGES:
        return _integer(type_, value)
    if type_.kind in {"bytes", "fixed"}:
        return _bytes(type_, value)
    if isinstance(value, bool) != (type_.kind == "boolean") or not isinstance(value, _PYTHON_TYPES[type_.kind]):
        raise TypeError
    if isinstance(value, str):
        value.encode()  # which lone surrogates can't be
    if type_.kind == "enum" and value not in type_.symbols:
        raise ValueError
    return float(value) if type_.kind in {"float", "double"} else value


def _integer(type_: Type, value: Any) -> int:
    low, high = _RANGES[type_.kind]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError
    return value


def _bytes(type_: Type, value: Any) -> bytes:
    octets = value.encode("latin-1") if isinstance(value, str) else bytes(memoryview(value))
    if type_.kind == "fixed" and len(octets) != type_.size:
        raise ValueError(f"it has {len(octets)} bytes")
    return octets


def _decimal(type_: Type, value: Any, wire: bool) -> Decimal:
    if isinstance(value, bool):
        raise TypeError
    if isinstance(value, bytes) or (wire and isinstance(value, str)):
        unscaled = int.from_bytes(_bytes(type_, value), "big", signed=True)
        number = Decimal(unscaled).scaleb(-type_.scale)
    else:
        number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    _, digits, exponent = number.as_tuple()
    if (
        not isinstance(exponent, int)
        or -exponent > type_.scale
        or len(digits) + exponent > type_.precision - type_.scale
    ):
        raise ValueError
    return number


def _uuid(_type: Type, value: Any, _wire: bool) -> UUID:
    return value if isinstance(value, UUID) else UUID(bytes=value) if isinstance(value, bytes) else UUID(str(value))


def _date(type_: Type, value: Any, _wire: bool) -> date | int:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return date(1970, 1, 1) + timedelta(days=value)
        except OverflowError:  # a year that Python has not
            return _integer(type_, value)
    return value if isinstance(value, date) else date.fromisoformat(value)


def _time(type_: Type, value: Any, _wire: bool) -> time:
    if isinstance(value, int) and not isinstance(value, bool):
        return (_EPOCH + timedelta(microseconds=_micros(type_, value))).time()
    return value if isinstance(value, time) else time.fromisoformat(value)


def _timestamp(type_: Type, value: Any, _wire: bool) -> datetime | int:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            moment = _EPOCH + timedelta(microseconds=_micros(type_, value))
        except OverflowError:
            return _integer(type_, value)
    else:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    if type_.logical.startswith("local"):
        return moment.replace(tzinfo=None)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _micros(type_: Type, value: int) -> int:
    return value * _UNITS["micros"] // _UNITS[type_.logical.rpartition("-")[2]]


_LOGICAL_CONVERTERS: dict[str, Callable[[Type, Any, bool], Any]] = {
    "decimal": _decimal,
    "uuid": _uuid,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "local-timestamp": _timestamp,
    "duration": lambda type_, value, _: _bytes(type_, value),
}


def _expected(type_: Type) -> str:
    if type_.kind == "enum":
        return f"one of {comma_list(type_.symbols)}"
    return f"of the type {type_.logical or type_.label}"


_FIELD_TYPES = {"int": "int32", "long": "int64", "float": "float32", "double": "float64", "fixed": "bytes"}
_LOGICAL_FIELD_TYPES = {
    "decimal": "decimal",
    "uuid": "uuid",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "local-timestamp": "localtimestamp",
    "duration": "duration",
}


@with_budget(MAX_FIELDS)
def fields(type_: Type) -> tuple[Field, ...]:
    """Return the fields of a record; the one value without a name where it isn't one."""
    root = _field("", type_, ())
    return root.fields if root.type == "record" else (root,)


def _field(name: str, type_: Type, trail: tuple[str, ...], doc: str = "") -> Field:
    """Return a field of a type; ``trail`` holds the records around it, ``doc`` what the record says of the field."""
    if not has_budget():
        return MORE_FIELDS
    if type_.kind == "union":
        return _union(name, type_, trail, doc)
    logical = type_.logical.rpartition("-")[0] or type_.logical
    kind = _LOGICAL_FIELD_TYPES.get(logical) or _FIELD_TYPES.get(type_.kind, type_.kind)
    field = Field(
        name,
        kind,
        type_.logical or type_.label,
        required=True,
        description=doc or type_.doc,
        values=type_.symbols,
        precision=type_.precision,
        scale=type_.scale,
        recursive=bool(type_.name) and type_.name in trail,
    )
    trail = (*trail, type_.name) if type_.name else trail
    if type_.kind == "record" and not field.recursive:
        return replace(field, fields=tuple(_field(item.name, item.type, trail, item.doc) for item in type_.members))
    if type_.kind in {"array", "map"}:
        return replace(field, fields=(_field("item" if kind == "array" else "value", type_.inner[0], trail),))
    return field


def _union(name: str, type_: Type, trail: tuple[str, ...], doc: str) -> Field:
    """Return a nullable field for a union with null and one branch more, else a union."""
    others = [branch for branch in type_.inner if branch.kind != "null"]
    nullable = len(others) < len(type_.inner)
    if len(others) == 1:
        return replace(_field(name, others[0], trail, doc), nullable=nullable)
    if not others:
        return Field(name, "null", "null", required=True, nullable=True, description=doc)
    branches = tuple(_field(branch.label, branch, trail) for branch in others)
    return Field(name, "union", required=True, nullable=nullable, description=doc, fields=branches)


MAX_INT = 2**31 - 1
_MOMENT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
_VALUES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "int": 1,
    "long": 1,
    "float": 1.5,
    "double": 1.5,
    "bytes": b"bytes",
    "string": "text",
    "uuid": UUID(SAMPLE_TEXTS["uuid"]),
    "date": date(2026, 1, 31),
    "time": time(9, 30),
    "timestamp": _MOMENT,
    "local-timestamp": _MOMENT.replace(tzinfo=None),
}


def example(type_: Type, trail: tuple[str, ...] = (), name: str = "") -> Any:
    """Return a value with all fields, but for those that would hold their own record again.

    ``name`` is that of the field whose value it is.

    Raises:
        PayloadError: the record must hold itself without end, or the value would be too large.
    """
    spend()
    if type_.kind == "union":
        for branch in sorted(type_.inner, key=lambda item: item.kind == "null"):
            with suppress(PayloadError):
                return example(branch, trail, name)
        raise PayloadError("no value ends the recursion of the union")
    if type_.name and type_.name in trail:
        raise PayloadError(f'the record "{type_.name}" must hold itself; no value can')
    trail = (*trail, type_.name) if type_.name else trail
    if type_.kind == "record":
        return {member.name: example(member.type, trail, member.name) for member in type_.members}
    if type_.kind in {"array", "map"}:
        with suppress(PayloadError):  # an item that would recur is left out
            item = example(type_.inner[0], trail, name)
            return [item] if type_.kind == "array" else {"key1": item}
        return [] if type_.kind == "array" else {}
    return _scalar_example(type_, name)


def _scalar_example(type_: Type, name: str) -> Any:
    if type_.logical == "decimal":
        return Decimal((0, (1,), -type_.scale))
    if type_.size > MAX_CHARACTERS:
        raise BudgetError
    if type_.kind == "fixed" and type_.logical != "uuid":
        return b"0" * type_.size
    if type_.kind == "enum":
        return type_.symbols[0]
    kind = type_.logical.rpartition("-")[0] or type_.logical or type_.kind
    if kind == "string":
        return named_text(name) or _VALUES[kind]
    number = named_number(name) if kind in {"int", "long", "float", "double"} else None
    if number is None or (kind == "int" and number > MAX_INT):
        return _VALUES[kind]
    return int(number) if kind in {"int", "long"} else float(number)
