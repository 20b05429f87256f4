"""The tables as SQL statements that would make them; nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.spark.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.model.language import Model
    from xregit.spark.columns import Column, Table


def statements(model: Model) -> Iterator[str]:
    """Give one statement for every table of a catalog."""
    return (statement(table, f"`{table.name}`") for table in tables(model).values())


def statement(table: Table, name: str, properties: Mapping[str, str] | None = None) -> str:
    """Return the statement that makes one table, ``name`` being what it is called in SQL."""
    return made(name, map(declared, table.columns), table.comment, properties or {})


def made(name: str, columns: Iterable[str], comment: str, properties: Mapping[str, str | None]) -> str:
    """Return the statement that makes a table of columns that are declared already."""
    listed = ",\n".join(f"  {column}" for column in columns)
    said = ", ".join(f"{text(key)} = {text(value or '')}" for key, value in properties.items())
    tail = f"\nTBLPROPERTIES ({said})" if said else ""
    about = f"\nCOMMENT {text(comment)}" if comment else ""
    return f"CREATE TABLE {name} (\n{listed}\n) USING delta{about}{tail}"


def declared(column: Column) -> str:
    """Return a column as a statement declares it."""
    kind = {"json": "string"}.get(column.type.value, column.type.value).replace("long", "bigint").upper()
    comment = f" COMMENT {text(column.comment)}" if column.comment else ""
    return f"`{column.name}` {kind}{comment}"


def text(value: str) -> str:
    """Return a text as SQL writes it."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
