"""The contract of a payload schema language: its schema object, its errors and its problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from xregit.errors import XregitError
from xregit.model.quoting import cut_middle

if TYPE_CHECKING:
    from xregit.json_pointer import KeyPath

# A reference, as absolute URI or as path below the registry's root, to the document there; None where there is none.
Fetch = Callable[[str], bytes | None]


# All libraries can read this many types that build on one another, from any depth of the call stack.
MAX_IN_A_ROW = 50
# A problem with a payload has at most so many characters, whatever it quotes of it.
MAX_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a schema document.

    Lines and columns count from 1, 0 where not known; ``path`` leads there in documents that are written in JSON.
    ``kind`` is "syntax" where the document can't be read, "selector" where it holds no such object, "reference"
    where it refers to what isn't in the registry, and "format" where it is written in another version or language.
    """

    kind: str
    message: str
    help: str = ""
    line: int = 0
    column: int = 0
    path: KeyPath = ()


def too_deep(line: int = 0, column: int = 0) -> Problem:
    """Return the problem of a document in which hundreds of parts lead each to the next."""
    message = "its types, groups or references lead too far, from each to the next"
    return Problem("syntax", message, f"let no more than {MAX_IN_A_ROW} stand in one row", line, column)


class SchemaError(XregitError):
    """A schema document that can't be used, with all that is wrong with it."""

    exit_code = 1

    def __init__(self, *problems: Problem) -> None:
        """Keep the problems, at least one."""
        self.problems = problems
        super().__init__("; ".join(problem.message for problem in problems))


class PayloadError(XregitError):
    """A payload that doesn't fit its schema, with all that is wrong with it, in sentences of bounded length."""

    exit_code = 1

    def __init__(self, *problems: str) -> None:
        """Keep the problems, at least one."""
        self.problems = tuple(cut_middle(problem, MAX_CHARACTERS) for problem in problems)
        super().__init__("; ".join(self.problems))


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a payload, in the same terms for all languages.

    ``type`` is one of TYPES, ``stated`` the type as its own language writes it, such as ``timestamp-millis``.
    ``fields`` are those of a record, the branches of a union, the one "item" of an array and the one "value" of a
    map. ``required`` says that the field is always there, ``nullable`` that its value may be null. ``values`` are
    those of an enumeration. ``recursive`` marks a type that holds itself; its fields stand where it is first met.
    ``limits`` are words for what else a value has to keep to, such as "1 to 5 characters".
    """

    name: str
    type: str
    stated: str = ""
    required: bool = False
    nullable: bool = False
    description: str = ""
    fields: tuple[Field, ...] = ()
    values: tuple[Any, ...] = ()
    precision: int = 0
    scale: int = 0
    recursive: bool = False
    limits: tuple[str, ...] = ()


#: Elements of any name, which an XML schema may allow.
WILDCARD = Field("*", "any", "any")
# "integer" has no bounds and "number" no binary form; "timestamp" is a point in time, "localtimestamp" has no zone.
TYPES = (
    *("null", "boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer"),
    *("float32", "float64", "number", "decimal", "string", "bytes", "uuid", "uri"),
    *("date", "time", "timestamp", "localtimestamp", "duration"),
    *("enum", "record", "array", "map", "union", "any"),
)


def error_text(error: Exception) -> str:
    """Return what a library's error says; of a `RecursionError`, what it means for the value."""
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)


class PayloadSchema(Protocol):
    """A concrete schema object, ready to be used on payloads; nothing that it does leaves the process."""

    @property
    def format(self) -> str:
        """The format as stated, such as ``Avro/1.11.0``."""

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a payload, nothing where it is valid; never raises."""

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the values of a payload, as JSON has them but for dates, decimals and bytes that a language knows.

        Raises:
            PayloadError: the bytes aren't in the schema's encoding.
        """

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of such values.

        Raises:
            PayloadError: the value doesn't fit the schema; it lists everything wrong.
        """

    def example(self) -> Any:
        """Return a value that the schema accepts, always the same one.

        Raises:
            PayloadError: no example could be made.
        """

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the payload; one without a name where it isn't a record."""
