"""Column types and table schemas, in the JSON form that Spark and Delta share, as Arrow types and as SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from typing import Any

import pyarrow as pa

# A type: the name of a scalar, or an object with "type" and what it is made of.
DataType = str | dict[str, Any]

#: The metadata of a column that says what it stands for.
ORIGIN = "xregit.origin"
TEXT, LONG, BOOLEAN, DOUBLE, TIMESTAMP = "string", "long", "boolean", "double", "timestamp"
_SQL = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}


def struct_type(fields: Iterable[tuple[str, DataType, str] | tuple[str, DataType, str, str]]) -> dict[str, Any]:
    """Return the type of a record with these fields, each with a type, a comment, and possibly what it stands for."""
    return {
        "type": "struct",
        "fields": [
            {
                "name": name,
                "type": data_type,
                "nullable": True,
                "metadata": ({"comment": comment} if comment else {}) | ({ORIGIN: origin[0]} if origin else {}),
            }
            for name, data_type, comment, *origin in fields
        ],
    }


def array_type(item: DataType) -> dict[str, Any]:
    """Return the type of an array."""
    return {"type": "array", "elementType": item, "containsNull": True}


def map_type(value: DataType) -> dict[str, Any]:
    """Return the type of a map from texts."""
    return {"type": "map", "keyType": TEXT, "valueType": value, "valueContainsNull": True}


def decimal_type(precision: int, scale: int) -> str:
    """Return the type of decimal numbers."""
    return f"decimal({precision},{scale})"


def sql_type(data_type: DataType, timestamp: str = "TIMESTAMP") -> str:
    """Return a type in SQL; ``timestamp`` is what to call a point in time, as a session may call something else so."""
    if isinstance(data_type, str):
        return timestamp if data_type == TIMESTAMP else _SQL.get(data_type, data_type.upper())
    inner = partial(sql_type, timestamp=timestamp)
    if data_type["type"] == "array":
        return f"ARRAY<{inner(data_type['elementType'])}>"
    if data_type["type"] == "map":
        return f"MAP<{inner(data_type['keyType'])}, {inner(data_type['valueType'])}>"
    fields = ", ".join(f"`{name}`: {inner(each)}" for name, each in _field_types(data_type).items())
    return f"STRUCT<{fields}>"


def arrow_type(data_type: DataType) -> pa.DataType:
    """Return a type of Arrow; timestamps are in UTC, so that they are timestamps in Delta too."""
    if isinstance(data_type, str):
        return _arrow_scalar(data_type)
    if data_type["type"] == "array":
        return pa.list_(arrow_type(data_type["elementType"]))
    if data_type["type"] == "map":
        return pa.map_(arrow_type(data_type["keyType"]), arrow_type(data_type["valueType"]))
    return pa.struct([(each["name"], arrow_type(each["type"])) for each in data_type["fields"]])


@cache
def _arrow_scalar(name: str) -> pa.DataType:
    if name.startswith("decimal("):
        precision, _, scale = name[len("decimal(") : -1].partition(",")
        return pa.decimal128(int(precision), int(scale))
    return {
        TEXT: pa.string(),
        BOOLEAN: pa.bool_(),
        "byte": pa.int8(),
        "short": pa.int16(),
        "integer": pa.int32(),
        LONG: pa.int64(),
        "float": pa.float32(),
        DOUBLE: pa.float64(),
        "binary": pa.binary(),
        "date": pa.date32(),
        TIMESTAMP: pa.timestamp("us", "UTC"),
    }[name]


def covers(actual: DataType, expected: DataType) -> bool:
    """Return whether a column of the actual type, with the same or more fields, can have all values of the expected."""
    if isinstance(actual, str) or isinstance(expected, str) or actual["type"] == "map":
        return _normalized(actual) == _normalized(expected)
    if actual["type"] != expected["type"]:
        return False
    if actual["type"] == "struct":
        types = _field_types(actual)
        return all(each["name"] in types and covers(types[each["name"]], each["type"]) for each in expected["fields"])
    return covers(actual["elementType"], expected["elementType"])


_WIDER = {
    each: family[place:]
    for family in (("byte", "short", "integer", LONG), ("float", DOUBLE))
    for place, each in enumerate(family)
}


def widen(wanted: DataType, actual: DataType) -> DataType | None:
    """Return the type for values of the wanted type in a column that has the actual one, None if it can't hold them.

    Records may have other members than the column has by now; in maps they may not, as few readers can add some there.
    """
    if isinstance(wanted, str) or isinstance(actual, str):
        return (
            actual if wanted == actual or actual in _WIDER.get(str(wanted), ()) or _is_wider(wanted, actual) else None
        )
    if wanted["type"] != actual["type"]:
        return None
    if wanted["type"] == "map":
        return wanted if _normalized(wanted) == _normalized(actual) else None
    if wanted["type"] == "array":
        item = widen(wanted["elementType"], actual["elementType"])
        return None if item is None else {**wanted, "elementType": item}
    types = _field_types(actual)
    members = [(each, widen(each["type"], types.get(each["name"], each["type"]))) for each in wanted["fields"]]
    if any(data_type is None for _, data_type in members):
        return None
    return {**wanted, "fields": [{**each, "type": data_type} for each, data_type in members]}


def _is_wider(wanted: DataType, actual: DataType) -> bool:
    """Return whether both are decimals, of which the actual one has room for more digits."""
    sizes = [re.fullmatch(r"decimal\((\d+),(\d+)\)", str(each)) for each in (wanted, actual)]
    if None in sizes:
        return False
    (precision, scale), (most, places) = ([int(number) for number in each.groups()] for each in sizes if each)
    return places >= scale and most - places >= precision - scale


def _normalized(data_type: DataType) -> object:
    """Return an object that equals that of types with the same values: fields in any order, without comments."""
    if isinstance(data_type, str):
        return data_type
    if data_type["type"] == "struct":
        return {name: _normalized(each) for name, each in _field_types(data_type).items()}
    inner = [data_type[key] for key in ("keyType", "valueType", "elementType") if key in data_type]
    return [data_type["type"], *map(_normalized, inner)]


def _field_types(struct: Mapping[str, Any]) -> dict[str, DataType]:
    """Return the types of a record's fields by their names."""
    return {each["name"]: each["type"] for each in struct["fields"]}


class Type(StrEnum):
    """The type of a column; JSON is text for Spark, and means that the text is a JSON value."""

    TEXT = "string"
    LONG = "long"
    BOOLEAN = "boolean"
    DOUBLE = "double"
    TIMESTAMP = "timestamp"
    TEXTS = "array<string>"
    TEXT_MAP = "map<string,string>"
    LONG_MAP = "map<string,long>"
    JSON = "json"

    @property
    def data_type(self) -> DataType:
        """The type in Spark and Delta."""
        if self is Type.JSON:
            return TEXT
        if self is Type.TEXTS:
            return array_type(TEXT)
        if self in {Type.TEXT_MAP, Type.LONG_MAP}:
            return map_type(LONG if self is Type.LONG_MAP else TEXT)
        return self.value


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    type: Type = Type.TEXT
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table; no two rows have the same values in the columns ``keys``."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = ("xid",)

    @property
    def structure(self) -> dict[str, Any]:
        """The table's schema in the JSON form that Spark and Delta share; every column may be null."""
        return struct_type((column.name, column.type.data_type, column.comment) for column in self.columns)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The table's schema in Arrow."""
        return pa.schema([(column.name, arrow_type(column.type.data_type)) for column in self.columns])


HASH = Column("hash", comment="A digest of the row: rows with the same one are the same.")


def create_table(table: Table, name: str, properties: Mapping[str, str | None]) -> str:
    """Return the SQL statement that creates a table; ``name`` is quoted."""
    return create_table_sql(name, map(column_ddl, table.columns), table.comment, properties)


def create_table_sql(name: str, columns: Iterable[str], comment: str, properties: Mapping[str, str | None]) -> str:
    """Return the SQL statement that creates a table; ``name`` is quoted, and ``columns`` are in SQL."""
    statement = f"CREATE TABLE {name} (\n" + ",\n".join(f"  {column}" for column in columns) + "\n) USING delta"
    if comment:
        statement += f"\nCOMMENT {sql_string(comment)}"
    if properties:
        pairs = ", ".join(f"{sql_string(key)} = {sql_string(value or '')}" for key, value in properties.items())
        statement += f"\nTBLPROPERTIES ({pairs})"
    return statement


def column_ddl(column: Column) -> str:
    """Return the declaration of a column in SQL."""
    kind = {"json": "string"}.get(column.type.value, column.type.value).replace("long", "bigint").upper()
    comment = f" COMMENT {sql_string(column.comment)}" if column.comment else ""
    return f"`{column.name}` {kind}{comment}"


def sql_string(value: str) -> str:
    """Return a text as a literal of SQL."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
