"""The conversion of JSON-like values to those of an Avro type, with every misfit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from uuid import UUID

from xregit.model.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.payloads.avro.schema import Type

_RANGES = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}
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

    def fit(self, type_: Type, value: Any, path: str) -> Any:
        """Return the value as the type holds it; what doesn't fit is noted and returned as it is."""
        if len(self.problems) >= _MAX_PROBLEMS:
            return value
        makers: dict[str, Callable[[Type, Any, str], Any]] = {
            "record": self.record,
            "array": self.array,
            "map": self.map,
            "union": self.union,
        }
        if type_.kind in makers:
            return makers[type_.kind](type_, value, path)
        try:
            return _scalar(type_, value, wire=self.wire)
        except (ValueError, TypeError, OverflowError, InvalidOperation) as error:
            reason = f": {cut(str(error))}" if str(error) and not isinstance(error, InvalidOperation) else ""
            self.wrong(path, f"{cut(repr(value))} is not {_expected(type_)}{reason}")
            return value

    def wrong(self, path: str, text: str) -> None:
        """Note what doesn't fit."""
        self.problems.append(f"{path}: {text}" if path else text)

    def record(self, type_: Type, value: Any, path: str) -> Any:
        """Fit an object; a field that is missing takes its default."""
        if not isinstance(value, dict):
            self.wrong(path, f'{cut(repr(value))} is not an object, as the record "{type_.name}" asks for')
            return value
        found: dict[str, Any] = {}
        for member in type_.members:
            if member.name in value:
                found[member.name] = self.fit(member.type, value[member.name], f"{path}/{member.name}")
            elif member.has_default:
                found[member.name] = convert_default(member.type, member.default)
            else:
                self.wrong(path, f'the field "{member.name}" is missing')
        members = {member.name for member in type_.members}
        for name in (name for name in value if name not in members):
            self.wrong(path, f'there is no field "{name}" in "{type_.name}"')
        return found

    def array(self, type_: Type, value: Any, path: str) -> Any:
        """Fit a list."""
        if not isinstance(value, list | tuple):
            self.wrong(path, f"{cut(repr(value))} is not an array")
            return value
        return [self.fit(type_.inner[0], item, f"{path}/{index}") for index, item in enumerate(value)]

    def map(self, type_: Type, value: Any, path: str) -> Any:
        """Fit a mapping."""
        if not isinstance(value, dict):
            self.wrong(path, f"{cut(repr(value))} is not a map")
            return value
        return {str(key): self.fit(type_.inner[0], item, f"{path}/{key}") for key, item in value.items()}

    def union(self, type_: Type, value: Any, path: str) -> Any:
        """Fit a value to the branch that JSON names, ``{"string": "text"}``, else to the first that keeps it as it is.

        Avro's JSON encoding always names the branch (specification, "JSON Encoding"); people often leave that out.
        """
        tagged = _read_tag(type_, value)
        if tagged:
            branch, inner = tagged
            attempt = Converter(self.wire)
            fitted = attempt.fit(branch, inner, path)
            if not attempt.problems:
                return _tag_branch(branch, fitted)
        nearest: list[str] = []
        stands_in = _RANKS.get(type(value), {})
        for branch in sorted(type_.inner, key=lambda item: stands_in.get(item.kind, 0)):
            attempt = Converter(self.wire)
            fitted = attempt.fit(branch, value, path)
            if not attempt.problems:
                return _tag_branch(branch, fitted)
            nearest = attempt.problems if branch.kind != "null" else nearest
        one = len([branch for branch in type_.inner if branch.kind != "null"]) == 1
        names = ", ".join(branch.label for branch in type_.inner)
        self.problems += nearest if one and nearest else [f"{path or '/'}: {cut(repr(value))} is none of {names}"]
        return value


def _read_tag(type_: Type, value: Any) -> tuple[Type, Any] | None:
    if isinstance(value, dict) and len(value) == 1:
        ((label, inner),) = value.items()
        return next(((branch, inner) for branch in type_.inner if branch.label == label), None)
    return None


def _tag_branch(branch: Type, value: Any) -> Any:
    """Return a value of a union so that fastavro takes the branch that was found and doesn't look for one itself."""
    return branch.label, value


def without_branches(value: Any) -> Any:
    """Return a fitted value without the names of its branches."""
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
        return Converter(wire=True).fit(type_, default, "")
    for branch in type_.inner:
        attempt = Converter(wire=True)
        fitted = attempt.fit(branch, default, "")
        if not attempt.problems:
            return _tag_branch(branch, fitted)
    return default


def _scalar(type_: Type, value: Any, *, wire: bool) -> Any:
    if type_.logical:
        return _LOGICAL_CONVERTERS[type_.logical.rpartition("-")[0] or type_.logical](type_, value, wire)
    return _CONVERTERS[type_.kind](type_, value, wire)


def _null(_type: Type, value: Any, _wire: bool) -> None:
    if value is not None:
        raise ValueError


def _boolean(_type: Type, value: Any, _wire: bool) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _integer(type_: Type, value: Any, _wire: bool) -> int:
    least, most = _RANGES[type_.kind]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError
    return value


def _float(_type: Type, value: Any, _wire: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _text(_type: Type, value: Any, _wire: bool) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()
    return value


def _bytes(type_: Type, value: Any, _wire: bool) -> bytes:
    found = value.encode("latin-1") if isinstance(value, str) else bytes(memoryview(value))
    if type_.kind == "fixed" and len(found) != type_.size:
        raise ValueError(f"it has {len(found)} bytes")  # noqa: EM102, TRY003 - shown inside a sentence
    return found


def _symbol(type_: Type, value: Any, _wire: bool) -> str:
    if value not in type_.symbols:
        raise ValueError
    return str(value)


def _decimal(type_: Type, value: Any, wire: bool) -> Decimal:
    if isinstance(value, bool):
        raise TypeError
    if isinstance(value, bytes) or (wire and isinstance(value, str)):
        unscaled = int.from_bytes(_bytes(type_, value, wire), "big", signed=True)
        number = Decimal(unscaled).scaleb(-type_.scale)
    else:
        number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    sign, digits, exponent = number.as_tuple()
    del sign
    if (
        not isinstance(exponent, int)
        or -exponent > type_.scale
        or len(digits) + exponent > type_.precision - type_.scale
    ):
        raise ValueError
    return number


def _uuid(_type: Type, value: Any, _wire: bool) -> UUID:
    return value if isinstance(value, UUID) else UUID(bytes=value) if isinstance(value, bytes) else UUID(str(value))


def _date(type_: Type, value: Any, wire: bool) -> date | int:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return date(1970, 1, 1) + timedelta(days=value)
        except OverflowError:  # a year that Python has not
            return _integer(type_, value, wire)
    return value if isinstance(value, date) else date.fromisoformat(value)


def _time(type_: Type, value: Any, _wire: bool) -> time:
    if isinstance(value, int) and not isinstance(value, bool):
        return (_EPOCH + timedelta(microseconds=_micros(type_, value))).time()
    return value if isinstance(value, time) else time.fromisoformat(value)


def _timestamp(type_: Type, value: Any, wire: bool) -> datetime | int:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            moment = _EPOCH + timedelta(microseconds=_micros(type_, value))
        except OverflowError:
            return _integer(type_, value, wire)
    else:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    if type_.logical.startswith("local"):
        return moment.replace(tzinfo=None)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _micros(type_: Type, value: int) -> int:
    return value * _UNITS["micros"] // _UNITS[type_.logical.rpartition("-")[2]]


_CONVERTERS: dict[str, Callable[[Type, Any, bool], Any]] = {
    "null": _null,
    "boolean": _boolean,
    "int": _integer,
    "long": _integer,
    "float": _float,
    "double": _float,
    "string": _text,
    "bytes": _bytes,
    "fixed": _bytes,
    "enum": _symbol,
}
_LOGICAL_CONVERTERS: dict[str, Callable[[Type, Any, bool], Any]] = {
    "decimal": _decimal,
    "uuid": _uuid,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "local-timestamp": _timestamp,
    "duration": _bytes,
}


def _expected(type_: Type) -> str:
    if type_.kind == "enum":
        return f"one of {', '.join(type_.symbols)}"
    return f"of the type {type_.logical or type_.label}"
