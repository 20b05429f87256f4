"""Tables from the model: what they are called, their columns and types, and what a registry's own model adds."""

from __future__ import annotations

from typing import Any

import pytest

from xregit.model import builtin, extend
from xregit.spark.table_schema import Table, Type
from xregit.spark.tables import table_names, tables

DESIGNED = {
    "registries", "messagegroups", "messages", "message_properties", "endpoints", "endpoint_messages", "schemagroups",
    "schemas", "schemaversions", "commits", "changes", "publications",
}  # fmt: skip
GADGETS: dict[str, Any] = {
    "groups": {
        "gadgets": {
            "singular": "gadget",
            "description": "A thing.",
            "attributes": {
                "weight": {"type": "decimal"},
                "serial": {"type": "string", "readonly": True},
                "resolved": {"type": "string"},
                "hash": {"type": "string"},
            },
            "resources": {
                "parts": {
                    "singular": "part",
                    "maxversions": 1,
                    "hasdocument": False,
                    "attributes": {"count": "integer"},
                },
                "changes": {
                    "singular": "change",
                    "attributes": {"tags": {"type": "array", "item": {"type": "string"}}},
                },
            },
        },
        "tools": {
            "singular": "tool",
            "resources": {"parts": {"singular": "piece", "maxversions": 1, "attributes": {"size": "integer"}}},
        },
    }
}


def _types(table: Table) -> dict[str, Type]:
    return {column.name: column.type for column in table.columns}


def _extended(value: dict[str, Any]) -> dict[str, Table]:
    model, findings = extend(builtin(), value)
    assert findings == []
    return tables(model)


def test_tables_are_those_of_the_design() -> None:
    """The built-in model gives exactly the tables that the design names."""
    assert tables(builtin()).keys() == DESIGNED


@pytest.mark.parametrize("table", tables(builtin()).values(), ids=lambda table: table.name)
def test_table_is_described(table: Table) -> None:
    """Every table and column has a comment, its keys are columns, and each row has its hash."""
    columns = _types(table)
    assert table.comment
    assert [column.name for column in table.columns if not column.comment] == []
    assert {*table.keys, "hash"} <= columns.keys()
    assert len(columns) == len(table.columns)


@pytest.mark.parametrize(
    ("table", "column", "expected"),
    [
        ("messages", "messageid", Type.TEXT),
        ("messages", "labels", Type.TEXT_MAP),
        ("messages", "envelopemetadata", Type.JSON),
        ("messages", "dataschema", Type.JSON),
        ("messages", "xref", Type.TEXT),
        ("messages", "epoch", Type.LONG),
        ("messages", "createdat", Type.TIMESTAMP),
        ("endpoints", "usage", Type.TEXTS),
        ("endpoints", "protocoloptions", Type.JSON),
        ("schemas", "defaultversionsticky", Type.BOOLEAN),
        ("schemaversions", "schemaurl", Type.TEXT),
        ("publications", "versions", Type.LONG_MAP),
    ],
)
def test_column_has_the_type_of_its_attribute(table: str, column: str, expected: Type) -> None:
    """Scalars keep their type, lists and maps of text too, and everything else is JSON."""
    assert _types(tables(builtin())[table])[column] == expected


@pytest.mark.parametrize("name", ["self", "xid", "metaurl", "versionscount", "messagesurl", "isdefault", "*", "meta"])
def test_what_is_made_when_compiling_is_no_column(name: str) -> None:
    """Addresses and counts have no column; an xid has one, once."""
    for table in tables(builtin()).values():
        assert [column.name for column in table.columns].count(name) <= (name == "xid")


def test_versions_have_what_is_theirs() -> None:
    """What is said of a resource as a whole is with the resource alone, a document with its versions alone."""
    result = tables(builtin())
    whole, version = (set(_types(result[name])) for name in ("schemas", "schemaversions"))
    assert whole - version == {
        "xref",
        "readonly",
        "compatibility",
        "defaultversionid",
        "defaultversionsticky",
        "deprecated",
    }
    assert version - whole == {"versionid", "schema", "schemabase64", "schemaurl"}


def test_own_group_type_has_tables() -> None:
    """A group type of the registry's own model has tables as any other, and its attributes are typed columns."""
    result = _extended(GADGETS)
    own = {"gadgets", "parts", "gadgets_changes", "changeversions", "tools", "tools_parts"}
    assert result.keys() - DESIGNED == own
    assert (_types(result["gadgets"])["weight"], _types(result["gadgets"])["serial"]) == (Type.DOUBLE, Type.TEXT)
    assert {"partid", "count"} <= _types(result["parts"]).keys()
    assert {"pieceid", "size"} <= _types(result["tools_parts"]).keys()
    assert _types(result["parts"])["count"] == Type.LONG
    assert _types(result["gadgets_changes"])["tags"] == Type.TEXTS


def test_attribute_does_not_displace_a_column_of_ours() -> None:
    """An attribute called as one of our own columns is among the extensions."""
    assert [column.name for column in _extended(GADGETS)["gadgets"].columns].count("hash") == 1


def test_shared_resources_have_one_table() -> None:
    """Messages of endpoints and of message groups are in one table."""
    result = table_names(builtin())
    assert result["endpoints", "messages"] == result["messagegroups", "messages"] == "messages"


def test_own_attribute_is_a_column() -> None:
    """An attribute that the registry's model adds to messages is a column of its type."""
    added = {"groups": {"messagegroups": {"resources": {"messages": {"attributes": {"retention": "uinteger"}}}}}}
    assert _types(_extended(added)["messages"])["retention"] == Type.LONG


def test_column_of_many_protocols_is_told_for_all_of_them() -> None:
    """An attribute that each protocol describes in its own words is not told in those of the first, AMQP."""
    said = {column.name: column.comment for column in tables(builtin())["messages"].columns}
    assert said["protocoloptions"] == "What the message must look like in its protocol."
    said = {column.name: column.comment for column in tables(builtin())["endpoints"].columns}
    assert said["protocoloptions"] == "How to reach the endpoint."
