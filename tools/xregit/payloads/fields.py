"""The fields of payloads, the same for all languages: the record, the words for bounds, and how many there may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from xregit.payloads.base import PayloadError

# "integer" has no bounds and "number" no binary form; "timestamp" is a point in time, "localtimestamp" has no zone.
TYPES = (
    *("null", "boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer"),
    *("float32", "float64", "number", "decimal", "string", "bytes", "uuid", "uri"),
    *("date", "time", "timestamp", "localtimestamp", "duration"),
    *("enum", "record", "array", "map", "union", "any"),
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a payload, in the same terms for all languages.

    ``type`` is one of TYPES, ``native`` the type as its own language writes it, such as ``timestamp-millis``.
    ``fields`` are those of a record, the branches of a union, the one "item" of an array and the one "value" of a
    map. ``required`` says that the field is always there, ``nullable`` that its value may be null. ``values`` are
    those of an enumeration. ``recursive`` marks a type that holds itself; its fields stand where it is first met.
    ``limits`` are words for what else a value has to keep to, such as "1 to 5 characters".
    """

    name: str
    type: str
    native: str = ""
    required: bool = False
    nullable: bool = False
    description: str = ""
    fields: tuple[Field, ...] = ()
    values: tuple[Any, ...] = ()
    precision: int = 0
    scale: int = 0
    recursive: bool = False
    limits: tuple[str, ...] = ()


# What the items of a list and the values of a map, which have no name, add to the place of the fields in them.
INSIDE = {"array": "[]", "map": ".*"}


def has_item(field: Field) -> bool:
    """Whether a field is a list or map, which is described together with its items."""
    return field.type in INSIDE and len(field.fields) == 1


def type_text(field: Field) -> str:
    """Return a field's type as people read it, with that of its items, such as ``array of string``."""
    if has_item(field):
        return f"{field.type} of {type_text(field.fields[0])}"
    size = f"({field.precision}, {field.scale})" if field.precision else ""
    own_type = f" ({field.native})" if field.native and field.native.lower() != field.type else ""
    return f"{field.type}{size}{own_type}{', recursive' * field.recursive}"


#: Elements of any name, which an XML schema may allow.
WILDCARD = Field("*", "any", "any")
#: Stands for the fields beyond the budget.
MORE_FIELDS = Field("…", "any", "more fields than can be listed")

# A few lines of a schema can describe any number of fields and values; nobody looks at more than these.
MAX_FIELDS = 20_000
MAX_VALUES = 5_000
MAX_CHARACTERS = 10_000

Params = ParamSpec("Params")
Result = TypeVar("Result")
_remaining: ContextVar[int] = ContextVar("remaining", default=0)


class BudgetError(PayloadError):
    """An example that would have more values than anyone could look at."""

    def __init__(self) -> None:
        """State the limit."""
        super().__init__(f"an example would have more than {MAX_VALUES:,} values")


def with_budget(limit: int) -> Callable[[Callable[Params, Result]], Callable[Params, Result]]:
    """Return a decorator that gives each call of a function a budget of fields or values."""

    def decorate(function: Callable[Params, Result]) -> Callable[Params, Result]:
        @wraps(function)
        def call(*args: Params.args, **options: Params.kwargs) -> Result:
            token = _remaining.set(limit)
            try:
                return function(*args, **options)
            finally:
                _remaining.reset(token)

        return call

    return decorate


def has_budget() -> bool:
    """Take one field or value from the budget; return whether it had one."""
    remaining = _remaining.get()
    _remaining.set(remaining - 1)
    return remaining > 0


def spend() -> None:
    """Take one value from the budget.

    Raises:
        BudgetError: it is used up.
    """
    if not has_budget():
        raise BudgetError


MAX_PATTERN_CHARS = 120
_MATCHES = "matches "
_BITS = (8, 16, 32, 64, 128)
# What types of so many bits hold, which their names say already.
_TYPE_RANGES = {f"{-(2 ** (bits - 1))} to {2 ** (bits - 1) - 1}" for bits in _BITS} | {
    f"0 to {2**bits - 1}" for bits in _BITS
}


def range_text(low: Any, high: Any, *, above: bool = False, below: bool = False) -> str:
    """Return the words for a range, none where it has no end; ``above`` and ``below`` say that an end is outside."""
    if low is not None and high is not None and not above and not below:
        return f"{low}" if low == high else f"{low} to {high}"
    parts = [f"{'more than' if above else 'at least'} {low}"] if low is not None else []
    parts += [f"{'less than' if below else 'at most'} {high}"] if high is not None else []
    return " and ".join(parts)


def count_text(low: float | None, high: float | None, plural: str, singular: str) -> str:
    """Return the words for how many there are, such as "at least 1 character"."""
    low = low or None
    words = range_text(low, high)
    last = high if high is not None else low
    return f"{words} {singular if last == 1 else plural}" if words else ""


def pattern_texts(patterns: Iterable[Any]) -> tuple[str, ...]:
    """Return the words for regular expressions, each once; what is too long to be read is cut."""
    texts = dict.fromkeys(str(pattern) for pattern in patterns)
    return tuple(
        f"{_MATCHES}{text if len(text) <= MAX_PATTERN_CHARS else f'{text[:MAX_PATTERN_CHARS]}…'}" for text in texts
    )


def beyond_type(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words for what a type of a known form does not say itself: its range, and how it is written."""
    return tuple(text for text in words if text not in _TYPE_RANGES and not text.startswith(_MATCHES))
