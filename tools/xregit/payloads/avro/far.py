"""Dates and times of Avro in years that Python has not, before 1 and after 9999: the numbers that they are.

Who has no end in mind writes the largest number, and a payload that holds it is as valid as any other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import fastavro
from fastavro.read import LOGICAL_READERS

from xregit.payloads.avro.plain import FAR, plain_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.payloads.avro.types import Type

_REMEMBERED = 256


@lru_cache(maxsize=_REMEMBERED)
def far_schema(type_: Type) -> Any:
    """Return fastavro's form of a type by which it reads such numbers, in more time than by the usual one."""
    return fastavro.parse_schema(plain_schema(type_, mark=FAR))


def _lenient(reader: Callable[..., Any]) -> Callable[..., Any]:
    def read(data: Any, *schemas: Any) -> Any:
        try:
            return reader(data, *schemas)
        except (OverflowError, ValueError):
            return data

    return read


# fastavro takes readers of further logical types here; no document can have their names.
for _name in ("date", "timestamp-millis", "timestamp-micros", "local-timestamp-millis", "local-timestamp-micros"):
    _key = f"{'int' if _name == 'date' else 'long'}-{_name}"
    LOGICAL_READERS[_key.replace(_name, FAR + _name)] = _lenient(LOGICAL_READERS[_key])
