"""Rows from a registry: one per entity, what authors wrote beside what follows from it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalog.folders import registry_of
from tests.spark.repository import SAMPLE, CatalogRepository
from xregit.catalog import Registry
from xregit.spark.rows import rows, to_cell, to_text, with_hash
from xregit.spark.table_schema import Type
from xregit.spark.tables import tables

WORN = "/messagegroups/brakes/messages/worn"


WEAR = "/messagegroups/brakes/messages/wear"


ONLY = "/endpoints/garage/messages/only"


FIRST = datetime(2026, 1, 1, 12, tzinfo=UTC)


SECOND = datetime(2026, 1, 2, 12, tzinfo=UTC)


def _by_xid(registry: Registry, table: str) -> dict[str, dict[str, Any]]:
    return {row["xid"]: row for row in rows(registry)[table]}


def test_every_entity_has_one_row(sample: Registry) -> None:
    """Each group, resource and version is one row of the table of its type."""
    result = rows(sample)
    xids = [
        row["xid"]
        for name in ("messagegroups", "endpoints", "schemagroups", "messages", "schemas")
        for row in result[name]
    ]
    assert sorted(xids) == sorted(sample)
    assert len(result["schemaversions"]) == 2
    assert [row["xid"] for row in result["registries"]] == ["/"]


def test_rows_fill_only_columns_of_their_table(sample: Registry) -> None:
    """No value is lost for want of a column, no two rows have the same keys, and each has a hash."""
    known = tables(sample.model)
    for name, some in rows(sample).items():
        columns = {column.name for column in known[name].columns}
        assert all(row.keys() <= columns and row["hash"] for row in some)
        assert len({tuple(row[key] for key in known[name].keys) for row in some}) == len(some)


@pytest.mark.requirement("MSG-1")
def test_message_has_what_was_written_and_what_it_means(sample: Registry) -> None:
    """A message has the attributes of the compiled document, its group's envelope too; ``resolved`` adds its base's."""
    row = _by_xid(sample, "messages")[WORN]
    assert (row["messageid"], row["parentxid"], row["envelope"]) == ("worn", "/messagegroups/brakes", "CloudEvents/1.0")
    assert row["basechain"] == [WEAR]
    resolved = json.loads(row["resolved"])
    assert resolved["envelope"] == "CloudEvents/1.0"
    assert resolved["envelopemetadata"]["source"]["value"] == "/vehicles/{vin}"


def test_alias_means_its_target(sample: Registry) -> None:
    """An alias has its ``xref`` and means what its target means."""
    result = _by_xid(sample, "messages")
    alias = result["/messagegroups/brakes/messages/alias"]
    assert (alias["xref"], alias["name"]) == (WEAR, None)
    assert alias["resolved"] == result[WEAR]["resolved"]


def test_property_names_who_wrote_it(sample: Registry) -> None:
    """An inherited property names the base message that declares it, an own one the message itself."""
    result = _by_xid(sample, "message_properties")
    source = result[f"{WORN}#/envelopemetadata/source"]
    assert (source["originxid"], source["placeholders"], source["required"]) == (WEAR, ["vin"], True)
    kind = result[f"{WORN}#/envelopemetadata/type"]
    assert (kind["originxid"], kind["value"], kind["description"]) == (WORN, "brakes.worn", "Beyond the limit.")
    assert result[f"{WORN}#/protocoloptions/qos"]["value"] == "1"


@pytest.mark.requirement("EP-38", "EP-39")
def test_contract_says_what_comes_through_what(sample: Registry) -> None:
    """An endpoint carries its own messages and those of its message groups."""
    results = {(row["messagexid"], row["viaxid"]) for row in rows(sample)["endpoint_messages"]}
    assert (ONLY, "/endpoints/garage") in results
    assert (WEAR, "/messagegroups/brakes") in results
    assert len(results) == 4


def test_schema_has_its_versions(sample: Registry) -> None:
    """A schema names its default version; versions have their document and the version they were made from."""
    schema = "/schemagroups/brakes/schemas/wear"
    assert _by_xid(sample, "schemas")[schema]["defaultversionid"] == "2"
    versions = _by_xid(sample, "schemaversions")
    assert versions[f"{schema}/versions/2"]["ancestor"] == "1"
    assert versions[f"{schema}/versions/1"]["ancestor"] == "1"
    assert versions[f"{schema}/versions/1"]["schema"] == '{"type": "object"}'


def test_document_that_is_no_text_is_in_base_64(repository: CatalogRepository, sample: Registry) -> None:
    """Bytes that are no UTF-8 text are kept as they are, in base 64."""
    file = sample.origin.root / "schemagroups/brakes/schemas/wear/versions/3.bin"
    file.write_bytes(b"\xff\x00")
    row = _by_xid(repository.read(), "schemaversions")["/schemagroups/brakes/schemas/wear/versions/3"]
    assert (row["schema"], row["schemabase64"]) == (None, "/wA=")


def test_facts_come_from_git(repository: CatalogRepository) -> None:
    """The first and last commit of an entity's file give its times, their number its epoch."""
    repository.commit(SAMPLE)
    changed = repository.commit({"messagegroups/brakes/messages/wear.yaml": "name: Again\n"})
    row = _by_xid(changed, "messages")[WEAR]
    assert (row["epoch"], row["createdat"], row["modifiedat"]) == (2, FIRST, SECOND)
    assert _by_xid(changed, "messages")[WORN]["epoch"] == 1


def test_written_times_win(repository: CatalogRepository) -> None:
    """What authors say about times counts more than what Git says."""
    text = "createdat: 2020-02-02T02:02:02+02:00\n"
    result = repository.commit(SAMPLE | {"messagegroups/brakes/messages/wear.yaml": text})
    row = _by_xid(result, "messages")[WEAR]
    assert (row["createdat"], row["modifiedat"]) == (datetime(2020, 2, 2, 0, 2, 2, tzinfo=UTC), FIRST)


def test_unknown_attributes_are_extensions(tmp_path: Path) -> None:
    """An attribute that the model allows without naming it is kept as JSON."""
    registry = registry_of(tmp_path, {"messagegroups/g/messagegroup.yaml": "owner: {team: 1}\nhash: mine\n"})
    row = _by_xid(registry, "messagegroups")["/messagegroups/g"]
    assert json.loads(row["extensions"]) == {"owner": {"team": 1}, "hash": "mine"}


def test_attributes_called_as_our_columns_are_extensions(tmp_path: Path) -> None:
    """An attribute of the registry's own model whose name is that of a column of ours is kept as JSON."""
    model = "groups: {gadgets: {singular: gadget, attributes: {weight: decimal, resolved: string, hash: string}}}\n"
    gadget = "weight: 1.5\nresolved: mine\nhash: too\n"
    registry = registry_of(tmp_path, {"model.yaml": model, "gadgets/g/gadget.yaml": gadget})
    (row,) = rows(registry)["gadgets"]
    assert (row["weight"], json.loads(row["extensions"])) == (1.5, {"resolved": "mine", "hash": "too"})


def test_empty_registry_has_one_row(tmp_path: Path) -> None:
    """A registry without groups, outside Git, has a row for itself and all tables."""
    result = rows(registry_of(tmp_path, {}))
    assert [name for name, some in result.items() if some] == ["registries"]


def test_changes_follow_the_files(repository: CatalogRepository) -> None:
    """Each commit has a row for every entity whose file it touched, those that are gone by now too."""
    repository.commit(SAMPLE, "Begin")
    repository.commit({"messagegroups/brakes/messages/alias.yaml": None, "registry.yaml": "registryid: new\n"}, "Go on")
    last = repository.commit({"schemagroups/brakes/schemas/wear/versions/2.json": "{}"}, "End")
    result = rows(last)
    sha = {row["subject"]: row["commit"] for row in result["commits"]}
    changes = {(row["commit"], row["xid"]): (row["change"], row["time"]) for row in result["changes"]}
    assert changes[sha["Begin"], WEAR] == ("added", FIRST)
    assert changes[sha["Begin"], "/messagegroups/brakes/messages/alias"] == ("added", FIRST)
    assert changes[sha["Go on"], "/messagegroups/brakes/messages/alias"] == ("removed", SECOND)
    assert changes[sha["Go on"], "/"] == ("changed", SECOND)
    assert [xid for commit, xid in changes if commit == sha["End"]] == ["/schemagroups/brakes/schemas/wear/versions/2"]
    assert {row["author"] for row in result["commits"]} == {"Ada"}


def test_moved_entity_is_removed_and_added(repository: CatalogRepository) -> None:
    """A file that moves takes one entity away and brings another."""
    text = SAMPLE["messagegroups/brakes/messages/worn.yaml"]
    repository.commit(SAMPLE, "Begin")
    moved = {"messagegroups/brakes/messages/worn.yaml": None, "messagegroups/brakes/messages/gone.yaml": text}
    result = rows(repository.commit(moved, "Move"))
    sha = next(row["commit"] for row in result["commits"] if row["subject"] == "Move")
    assert {row["xid"]: row["change"] for row in result["changes"] if row["commit"] == sha} == {
        WORN: "removed",
        WORN.replace("worn", "gone"): "added",
    }


@pytest.mark.parametrize("path", ["README.md", "registry/notes.txt"])
def test_other_files_change_nothing(repository: CatalogRepository, path: str) -> None:
    """Files that hold no entity have no rows in the changes."""
    repository.commit(SAMPLE, "Begin")
    result = rows(repository.commit({f"../{path}": "text\n"}, "Other"))
    sha = next(row["commit"] for row in result["commits"] if row["subject"] == "Other")
    assert [row for row in result["changes"] if row["commit"] == sha] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


ANY_TEXT = st.text(st.characters())


# What cells hold; text may still be no Unicode.
HELD = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | ANY_TEXT
    | st.datetimes(timezones=st.just(UTC))
    | st.lists(ANY_TEXT)
    | st.dictionaries(ANY_TEXT, ANY_TEXT | st.integers(-(2**63), 2**63 - 1) | st.none())
)


CELLS: list[tuple[Type, Any, Any]] = [
    (Type.TEXT, "plain", "plain"),
    (Type.TEXT, 7, "7"),
    (Type.TEXT, {"b": 1, "a": [True]}, '{"a":[true],"b":1}'),
    (Type.TEXT, "\ud800", "?"),
    (Type.LONG, 7, 7),
    (Type.LONG, True, None),
    (Type.LONG, 2**63, None),
    (Type.LONG, "7", None),
    (Type.BOOLEAN, True, True),
    (Type.BOOLEAN, "yes", None),
    (Type.DOUBLE, 1, 1.0),
    (Type.DOUBLE, "1", None),
    (Type.TEXTS, ["a", 1], ["a", "1"]),
    (Type.TEXTS, "a", ["a"]),
    (Type.TEXTS, 1, None),
    (Type.TEXT_MAP, {"a": 1}, {"a": "1"}),
    (Type.TEXT_MAP, ["a"], None),
    (Type.LONG_MAP, {"a": 1, "b": "x"}, {"a": 1, "b": None}),
    (Type.JSON, "a", '"a"'),
    (Type.JSON, MappingProxyType({"a": (1,)}), '{"a":[1]}'),
]


@pytest.mark.parametrize(("kind", "value", "expected"), CELLS)
def test_cell_holds_what_fits(kind: Type, value: Any, expected: Any) -> None:
    """A value that fits is kept; another is null, or text where the column takes text."""
    assert to_cell(kind, value) == expected


@pytest.mark.parametrize("kind", Type)
def test_cell_of_nothing_is_nothing(kind: Type) -> None:
    """A missing value is null in every column."""
    assert to_cell(kind, None) is None


@given(JSON, st.sampled_from(Type))
def test_any_value_finds_its_cell(value: Any, kind: Type) -> None:
    """No value that a registry may hold is too much for a column, and all text can be encoded."""
    result = to_cell(kind, value)
    if kind in {Type.TEXT, Type.JSON} and value is not None:
        result.encode()


@given(st.dictionaries(st.text(), JSON))
def test_hash_knows_rows_apart(row: dict[str, Any]) -> None:
    """The hash follows the values, not their order, and a column without value does not change it."""
    turned = dict(reversed(row.items()))
    assert with_hash(row)["hash"] == with_hash({"new column": None, **turned})["hash"]
    assert with_hash(row)["hash"] != with_hash({"new column": 1, **row})["hash"]


@given(st.dictionaries(ANY_TEXT, HELD))
def test_hash_is_that_of_tables_published_before(row: dict[str, Any]) -> None:
    """However it is computed, it is the digest of the row as Python's encoder writes it: else all rows would change."""
    filled = {name: value for name, value in row.items() if value is not None}
    text = json.dumps(filled, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    expected = blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
    assert with_hash(row)["hash"] == expected


def test_text_does_not_depend_on_key_order() -> None:
    """Two ways to write one object are one text."""
    assert to_text({"b": 1, "a": 2}) == to_text({"a": 2, "b": 1})
