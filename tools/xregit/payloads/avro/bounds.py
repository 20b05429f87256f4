"""A walk through Avro bytes before they are decoded, which refuses lengths, indexes and depths that can't be right.

fastavro recurses without limit and believes any count, so that a few bytes may end the process or fill its memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.payloads.shapes import PayloadError

if TYPE_CHECKING:
    from xregit.payloads.avro.types import Type

_MAX_DEPTH = 100
# Items that take no bytes, such as nulls, could be of any number.
_MAX_EMPTY_ITEMS = 100_000
_VARINT_BITS = {"int": 32, "long": 64}
_WIDTHS = {"null": 0, "boolean": 1, "float": 4, "double": 8}
# Checked here because fastavro makes a time of numbers beyond the end of the day, and rounds decimals that have more
# digits than their type.
_DAY = {"time-millis": 86_400_000, "time-micros": 86_400_000_000}
_BITS_OF_A_DIGIT = 3


class _Walk:
    """A place in the bytes."""

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
            self.flat(kind)
        elif kind in _VARINT_BITS:
            self.whole(type_)
        elif kind in {"string", "bytes", "fixed"}:
            self.run(type_)
        elif kind == "enum":
            self.index(len(type_.symbols), "symbols")
        elif kind == "record":
            for member in type_.members:
                self.value(member.type, depth + 1)
        elif kind == "union":
            self.value(type_.inner[self.index(len(type_.inner), "branches")], depth + 1)
        else:
            self.blocks(type_, depth)

    def whole(self, type_: Type) -> None:
        """Walk over a whole number, and look at one that stands for a time of day."""
        start, number = self.at, self.number(type_.kind)
        if type_.logical in _DAY and not 0 <= number < _DAY[type_.logical]:
            message = f"byte {start}: {number} is no time of day, as the type {type_.logical} asks for"
            raise PayloadError(message)

    def run(self, type_: Type) -> None:
        """Walk over bytes, and look at those that stand for a decimal number."""
        count = type_.size if type_.kind == "fixed" else self.number()
        start = self.at
        self.skip(count)
        if type_.logical == "decimal" and count * 8 > type_.precision * _BITS_OF_A_DIGIT:
            number = int.from_bytes(self.body[start : self.at], "big", signed=True)
            if abs(number) >= 10**type_.precision:
                message = f"byte {start}: the decimal has more than the {type_.precision} digits of its type"
                raise PayloadError(message)

    def flat(self, kind: str) -> None:
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


def check(type_: Type, body: bytes) -> None:
    """Walk through a payload.

    Raises:
        PayloadError: the bytes aren't a value of the type, or more than one.
    """
    walk = _Walk(body)
    walk.value(type_, 0)
    if walk.at != len(body):
        message = f"byte {walk.at}: {len(body) - walk.at} bytes follow the value"
        raise PayloadError(message)
