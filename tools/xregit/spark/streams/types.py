"""Column types of any depth, in the JSON form that Spark and Delta share, as Arrow and as SQL call them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

# A type: the name of a scalar, or an object with "type" and what it is made of.
Form = str | dict[str, Any]

TEXT, LONG, BOOLEAN, DOUBLE, TIMESTAMP = "string", "long", "boolean", "double", "timestamp"
_SQL = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}


def struct(fields: Iterable[tuple[str, Form, str]]) -> dict[str, Any]:
    """Return the type of a record of named fields, each with a type and a comment."""
    return {"type": "struct", "fields": [field(*each) for each in fields]}


def field(name: str, form: Form, comment: str = "") -> dict[str, Any]:
    """Return a field as a record has it; every field may be null."""
    return {"name": name, "type": form, "nullable": True, "metadata": {"comment": comment} if comment else {}}


def array(item: Form) -> dict[str, Any]:
    """Return the type of an array."""
    return {"type": "array", "elementType": item, "containsNull": True}


def map_of(value: Form) -> dict[str, Any]:
    """Return the type of a map from texts."""
    return {"type": "map", "keyType": TEXT, "valueType": value, "valueContainsNull": True}


def decimal(precision: int, scale: int) -> str:
    """Return the type of decimal numbers."""
    return f"decimal({precision},{scale})"


def sql(form: Form) -> str:
    """Return a type as SQL writes it."""
    if isinstance(form, str):
        return _SQL.get(form, form.upper())
    if form["type"] == "array":
        return f"ARRAY<{sql(form['elementType'])}>"
    if form["type"] == "map":
        return f"MAP<{sql(form['keyType'])}, {sql(form['valueType'])}>"
    inside = ", ".join(f"`{name}`: {sql(each)}" for name, each in by_name(form).items())
    return f"STRUCT<{inside}>"


def arrow(form: Form) -> pa.DataType:
    """Return a type as Arrow has it; timestamps are in UTC, so that Delta calls them timestamps too."""
    import pyarrow as pa

    if isinstance(form, str):
        return _arrow_scalar(form)
    if form["type"] == "array":
        return pa.list_(arrow(form["elementType"]))
    if form["type"] == "map":
        return pa.map_(arrow(form["keyType"]), arrow(form["valueType"]))
    return pa.struct([(each["name"], arrow(each["type"])) for each in form["fields"]])


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


def covers(have: Form, want: Form) -> bool:
    """Tell whether a column of the type ``have`` holds every value of ``want``: the same type, or more fields."""
    if isinstance(have, str) or isinstance(want, str) or have["type"] == "map":
        return alike(have) == alike(want)
    if have["type"] != want["type"]:
        return False
    if have["type"] == "struct":
        there = by_name(have)
        return all(each["name"] in there and covers(there[each["name"]], each["type"]) for each in want["fields"])
    return covers(have["elementType"], want["elementType"])


def clashes(have: Form, want: Form, path: str = "") -> tuple[str, str, str] | None:
    """Return the path of the first part whose types no column can hold both of, with the two types.

    Readers can't fill up the records in a map, and take names that differ only in case for the same.
    """
    if isinstance(have, str) or isinstance(want, str) or have["type"] != want["type"] or have["type"] == "map":
        return None if alike(have) == alike(want) else (path, sql(have), sql(want))
    if have["type"] == "array":
        return clashes(have["elementType"], want["elementType"], f"{path}.elementType" if path else "elementType")
    there = {name.casefold(): (name, form) for name, form in by_name(have).items()}
    for name, form in by_name(want).items():
        known, held = there.get(name.casefold(), (name, form))
        inner = f"{path}.{known}" if path else known
        found = clashes(held, form, inner) if known == name else (inner, f'called "{known}"', f'"{name}"')
        if found:
            return found
    return None


def alike(form: Form) -> object:
    """Return a type as something that equals those that hold the same values: its fields in any order, uncommented."""
    if isinstance(form, str):
        return form
    if form["type"] == "struct":
        return {each["name"]: alike(each["type"]) for each in form["fields"]}
    return [form["type"], *(alike(form[key]) for key in ("keyType", "valueType", "elementType") if key in form)]


def by_name(form: Mapping[str, Any]) -> dict[str, Form]:
    """Return the types of a record's fields by their names."""
    return {each["name"]: each["type"] for each in form["fields"]}
