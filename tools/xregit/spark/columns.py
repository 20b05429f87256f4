"""What a table is made of: columns with a type and a comment, and the form in which Spark and Delta take them."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltalake import Schema


class Type(StrEnum):
    """What a column holds; JSON is text for Spark, and says that the text is a JSON value."""

    TEXT = "string"
    LONG = "long"
    BOOLEAN = "boolean"
    DOUBLE = "double"
    TIMESTAMP = "timestamp"
    TEXTS = "array<string>"
    TEXT_MAP = "map<string,string>"
    LONG_MAP = "map<string,long>"
    JSON = "json"


@record
class Column:
    """One column of a table."""

    name: str
    type: Type = Type.TEXT
    comment: str = ""


@record
class Table:
    """One table; the values of the columns ``keys`` tell its rows apart."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = ("xid",)

    @property
    def structure(self) -> dict[str, Any]:
        """Spark's own JSON form of the table's schema, which is Delta's too; every column may be null."""
        return {"type": "struct", "fields": [_field(column) for column in self.columns]}


HASH = Column("hash", comment="A digest of the row: rows with the same one are the same.")


def delta_schema(structure: Mapping[str, Any]) -> Schema:
    """Return the schema of a table as `deltalake` has it, from the form that Spark and Delta share."""
    from deltalake import Schema

    return Schema.from_json(json.dumps(structure))


def _map(values: str) -> dict[str, Any]:
    return {"type": "map", "keyType": "string", "valueType": values, "valueContainsNull": True}


_STRUCTURES: dict[Type, Any] = {
    Type.JSON: "string",
    Type.TEXTS: {"type": "array", "elementType": "string", "containsNull": True},
    Type.TEXT_MAP: _map("string"),
    Type.LONG_MAP: _map("long"),
}


def _field(column: Column) -> dict[str, Any]:
    comment = {"comment": column.comment} if column.comment else {}
    form = _STRUCTURES.get(column.type, column.type.value)
    return {"name": column.name, "type": form, "nullable": True, "metadata": comment}
