"""Column types and table schemas, in the JSON form that Spark and Delta share, as Arrow types and as SQL."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa
    from deltalake import Schema

# A type: the name of a scalar, or an object with "type" and what it is made of.
DataType = str | dict[str, Any]

TEXT, LONG, BOOLEAN, DOUBLE, TIMESTAMP = "string", "long", "boolean", "double", "timestamp"
_SQL = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}


def struct_type(fields: Iterable[tuple[str, DataType, str]]) -> dict[str, Any]:
    """Return the type of a record of named fields, each with a type and a comment."""
    return {"type": "struct", "fields": [struct_field(*each) for each in fields]}


def struct_field(name: str, form: DataType, comment: str = "") -> dict[str, Any]:
    """Return a field as a record has it; every field may be null."""
    return {"name": name, "type": form, "nullable": True, "metadata": {"comment": comment} if comment else {}}


def array_type(item: DataType) -> dict[str, Any]:
    """Return the type of an array."""
    return {"type": "array", "elementType": item, "containsNull": True}


def map_type(value: DataType) -> dict[str, Any]:
    """Return the type of a map from texts."""
    return {"type": "map", "keyType": TEXT, "valueType": value, "valueContainsNull": True}


def decimal_type(precision: int, scale: int) -> str:
    """Return the type of decimal numbers."""
    return f"decimal({precision},{scale})"


def sql_type(form: DataType) -> str:
    """Return a type as SQL writes it."""
    if isinstance(form, str):
        return _SQL.get(form, form.upper())
    if form["type"] == "array":
        return f"ARRAY<{sql_type(form['elementType'])}>"
    if form["type"] == "map":
        return f"MAP<{sql_type(form['keyType'])}, {sql_type(form['valueType'])}>"
    inside = ", ".join(f"`{name}`: {sql_type(each)}" for name, each in _field_types(form).items())
    return f"STRUCT<{inside}>"


def arrow_type(form: DataType) -> pa.DataType:
    """Return a type as Arrow has it; timestamps are in UTC, so that Delta calls them timestamps too."""
    import pyarrow as pa

    if isinstance(form, str):
        return _arrow_scalar(form)
    if form["type"] == "array":
        return pa.list_(arrow_type(form["elementType"]))
    if form["type"] == "map":
        return pa.map_(arrow_type(form["keyType"]), arrow_type(form["valueType"]))
    return pa.struct([(each["name"], arrow_type(each["type"])) for each in form["fields"]])


@cache
def _arrow_scalar(form: str) -> pa.DataType:
    import pyarrow as pa

    if form.startswith("decimal("):
        precision, _, scale = form[len("decimal(") : -1].partition(",")
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
    }[form]


def covers(have: DataType, want: DataType) -> bool:
    """Return whether a column of the type ``have`` holds every value of ``want``: the same type, or more fields."""
    if isinstance(have, str) or isinstance(want, str) or have["type"] == "map":
        return _normalized(have) == _normalized(want)
    if have["type"] != want["type"]:
        return False
    if have["type"] == "struct":
        there = _field_types(have)
        return all(each["name"] in there and covers(there[each["name"]], each["type"]) for each in want["fields"])
    return covers(have["elementType"], want["elementType"])


def type_conflict(have: DataType, want: DataType, path: str = "") -> tuple[str, str, str] | None:
    """Return the path of the first part whose types no column can hold both of, with the two types.

    Readers can't fill up the records in a map, and take names that differ only in case for the same.
    """
    if isinstance(have, str) or isinstance(want, str) or have["type"] != want["type"] or have["type"] == "map":
        return None if _normalized(have) == _normalized(want) else (path, sql_type(have), sql_type(want))
    if have["type"] == "array":
        return type_conflict(have["elementType"], want["elementType"], f"{path}.elementType" if path else "elementType")
    there = {name.casefold(): (name, form) for name, form in _field_types(have).items()}
    for name, form in _field_types(want).items():
        known, held = there.get(name.casefold(), (name, form))
        inner = f"{path}.{known}" if path else known
        found = type_conflict(held, form, inner) if known == name else (inner, f'called "{known}"', f'"{name}"')
        if found:
            return found
    return None


def _normalized(form: DataType) -> object:
    """Return a type as something that equals those that hold the same values: its fields in any order, uncommented."""
    if isinstance(form, str):
        return form
    if form["type"] == "struct":
        return {each["name"]: _normalized(each["type"]) for each in form["fields"]}
    return [form["type"], *(_normalized(form[key]) for key in ("keyType", "valueType", "elementType") if key in form)]


def _field_types(form: Mapping[str, Any]) -> dict[str, DataType]:
    """Return the types of a record's fields by their names."""
    return {each["name"]: each["type"] for each in form["fields"]}


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

    @property
    def data_type(self) -> DataType:
        """The type as Spark and Delta have it."""
        if self is Type.JSON:
            return TEXT
        if self is Type.TEXTS:
            return array_type(TEXT)
        return (
            map_type(LONG if self is Type.LONG_MAP else TEXT) if self in {Type.TEXT_MAP, Type.LONG_MAP} else self.value
        )


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    type: Type = Type.TEXT
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table; the values of the columns ``keys`` tell its rows apart."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = ("xid",)

    @property
    def structure(self) -> dict[str, Any]:
        """Spark's own JSON form of the table's schema, which is Delta's too; every column may be null."""
        return struct_type((column.name, column.type.data_type, column.comment) for column in self.columns)

    @property
    def arrow_schema(self) -> pa.Schema:
        """Arrow's form of the table's schema."""
        import pyarrow as pa

        return pa.schema([(column.name, arrow_type(column.type.data_type)) for column in self.columns])


HASH = Column("hash", comment="A digest of the row: rows with the same one are the same.")


def delta_schema(structure: Mapping[str, Any]) -> Schema:
    """Return the schema of a table as `deltalake` has it, from the form that Spark and Delta share."""
    from deltalake import Schema

    return Schema.from_json(json.dumps(structure))


def create_table(table: Table, name: str, properties: Mapping[str, str] | None = None) -> str:
    """Return the SQL statement that creates a table under a name, which is quoted already."""
    return create_table_sql(name, map(column_ddl, table.columns), table.comment, properties or {})


def create_table_sql(name: str, columns: Iterable[str], comment: str, properties: Mapping[str, str | None]) -> str:
    """Return the SQL statement that creates a table; ``columns`` are in SQL already."""
    listed = ",\n".join(f"  {column}" for column in columns)
    said = ", ".join(f"{sql_string(key)} = {sql_string(value or '')}" for key, value in properties.items())
    tail = f"\nTBLPROPERTIES ({said})" if said else ""
    about = f"\nCOMMENT {sql_string(comment)}" if comment else ""
    return f"CREATE TABLE {name} (\n{listed}\n) USING delta{about}{tail}"


def column_ddl(column: Column) -> str:
    """Return a column as SQL declares it."""
    kind = {"json": "string"}.get(column.type.value, column.type.value).replace("long", "bigint").upper()
    comment = f" COMMENT {sql_string(column.comment)}" if column.comment else ""
    return f"`{column.name}` {kind}{comment}"


def sql_string(value: str) -> str:
    """Return a text as an SQL literal."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
