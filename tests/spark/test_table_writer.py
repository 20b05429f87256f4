"""Tables that others made or changed: which of them are ours to go on with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deltalake import DeltaTable, Schema

from tests.spark.streams import GROUP, registry_of
from xregit.errors import XregitError
from xregit.spark.deltalake_writer import DeltalakeWriter
from xregit.spark.location import Location
from xregit.spark.streams.delta import DeltalakeTables
from xregit.spark.streams.router import make_plan
from xregit.spark.table_schema import HASH, Column, Table, Type
from xregit.spark.table_writer import compare_schema, refuse_newer_protocol

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLACE = Location("/lake/things")
TABLE = Table("things", "Some.", (Column("xid", comment="Which."), Column("labels", Type.TEXT_MAP), HASH))


def refused(said: str) -> Any:
    """Return a context in which that is an error, or nothing if nothing is said."""
    return pytest.raises(XregitError, match=said) if said else nullcontext()


@pytest.mark.parametrize(
    ("reader", "writer", "features", "said"),
    [
        (1, 2, (), ""),
        (1, 6, ("deletionVectors",), ""),  # what a writer of that version need not know
        (1, 7, ("appendOnly", "changeDataFeed"), ""),
        (1, 7, ("appendOnly", "rowTracking", "domainMetadata"), "writer version 7 with domainMetadata, rowTracking"),
        (1, 8, (), r"writer version 8\); move it out of the way"),
        (2, 5, (), "reader version 2, writer version 5"),
    ],
)
def test_tables_that_ask_more_are_refused(reader: int, writer: int, features: tuple[str, ...], said: str) -> None:
    """A table whose log asks for what we can't do is told, with what that is."""
    with refused(said):
        refuse_newer_protocol(PLACE, reader, writer, features)


def field(name: str, form: Any, comment: str = "") -> dict[str, Any]:
    """Return a column in Delta's JSON form."""
    return {"name": name, "type": form, "nullable": True, "metadata": {"comment": comment} if comment else {}}


def map_of(values: str, *, null: bool = True) -> dict[str, Any]:
    """Return the type of a map from texts."""
    return {"type": "map", "keyType": "string", "valueType": values, "valueContainsNull": null}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (map_of("string"), ""),
        (map_of("string", null=False), ""),  # in which writers differ
        (map_of("long"), 'the column "labels" of .* has another type'),
        ({"type": "array", "elementType": "string", "containsNull": True}, 'the column "labels" of .* has another'),
        ("string", 'the column "labels" of .* has another type'),
    ],
)
def test_columns_of_another_type_are_refused(form: Any, said: str) -> None:
    """A column is the one that the model says, or the table is none of ours."""
    there = [field("xid", "string", "Which."), field("labels", form), field("hash", "string", HASH.comment)]
    with refused(said):
        result = compare_schema(TABLE, PLACE, 3, {"fields": there}, "Some.")
        assert (result.version, result.missing_columns, result.removed_columns, result.comments) == (3, (), (), {})


def test_what_differs_is_told() -> None:
    """Columns that only one side has, and what is said of others in other words, are what is to be changed."""
    there = [field("xid", "string", "Other."), {**field("hash", "string"), "metadata": None}, field("old", "long")]
    result = compare_schema(TABLE, PLACE, 3, {"fields": there}, "")
    assert (result.missing_columns, result.removed_columns) == (("labels",), ("old",))
    assert result.comments == {"": "Some.", "xid": "Which.", "hash": HASH.comment}
    with pytest.raises(XregitError, match="but not the things of a catalog"):
        compare_schema(TABLE, PLACE, 3, {"fields": there[:1]}, "")


CHECK = {"delta.invariants": '{"expression":{"expression":"hash > 1"}}'}
MADE = {"delta.generationExpression": "hash"}
# What whoever makes a table beforehand may add, and what is said of it.
RULES: list[tuple[Mapping[str, Any], Mapping[str, Any], str]] = [
    ({}, {}, ""),
    ({}, {"configuration": {"delta.appendOnly": "false"}}, ""),
    ({"metadata": {"comment": "Any."}}, {}, ""),
    ({}, {"partition_by": ["last"]}, "has partitions by last, which we can't keep; take that away, or name another"),
    ({"nullable": False}, {}, "has a rule for the column last, which"),
    ({"metadata": CHECK}, {}, "has a rule for the column last, which"),
    ({"metadata": MADE}, {}, "has a rule for the column last, which"),
    ({}, {"constraint": {"large": "last > 'a'"}}, "has the constraint large, which"),
]


def make(folder: Path, structure: Mapping[str, Any], column: Mapping[str, Any], more: Mapping[str, Any]) -> None:
    """Make a table of that structure and one more column, as somebody may who knows what it will hold."""
    fields = [*structure["fields"], field("last", "string") | dict(column)]
    options = {name: value for name, value in more.items() if name != "constraint"}
    schema = Schema.from_json(json.dumps({"type": "struct", "fields": fields}))
    result = DeltaTable.create(folder, schema, **options)
    if "constraint" in more:
        result.alter.add_constraint(more["constraint"])


def no_session() -> SparkSession:
    """Return no session, as none is asked for to look at tables."""
    raise AssertionError


@pytest.mark.parametrize(("column", "more", "said"), RULES)
def test_rules_that_we_can_not_keep_are_refused(
    column: Mapping[str, Any], more: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    """A table made with partitions or rules for its rows would be read with other values than it was given."""
    make(tmp_path / "things", TABLE.structure, column, more)
    with refused(said):
        assert DeltalakeWriter(Location.of(tmp_path), no_session).snapshot(TABLE).version >= 0
    make(tmp_path / "g__one", make_plan(registry_of(tmp_path)).table(f"{GROUP}one").structure, column, more)
    state = DeltalakeTables(Location.of(tmp_path)).state("g__one")
    assert state is not None
    assert bool(state.problem) == bool(said)
    assert said in state.problem
