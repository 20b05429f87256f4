"""The conversion of JSON-like values to those of an Avro type, with every misfit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from uuid import UUID

from xregit.model.quoting import comma_list, cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.payloads.avro.schema import Type

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
        raise ValueError(f"it has {len(octets)} bytes")  # noqa: EM102, TRY003 - shown inside a sentence
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
