"""Documents before 1.0 under names of 1.0, and how a document is written."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.document.small import cases
from xregit.document.dialects.upgrade import detect_dialect, upgrade
from xregit.document.profiles import dialect, signs
from xregit.model import builtin

CASES = cases("upgrades")
NAMES = sorted({name for sign in signs() for name in sign.path} | {"id", "type", "xref", "schema", "versions", "g"})
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.integers()
    | st.sampled_from(["#/definitionGroups/g", "None", "AMQP", "CloudEvents/1.0", "Avro", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=16,
)
ENTITIES = st.dictionaries(st.sampled_from(["g", "h"]), st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5))
DOCUMENTS = st.dictionaries(st.sampled_from(NAMES), VALUES | ENTITIES, max_size=4)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_document_becomes_one_of_1_0(case: dict[str, Any]) -> None:
    """Each document is recognised, comes to what the table says, and every change is told at its place."""
    result = upgrade(case["given"], builtin())
    assert case["release"] == detect_dialect(case["given"]).name
    assert case["becomes"] == result.value
    results = [["/".join(map(str, item.path)), f"{'!' * item.conflict}{item.message}"] for item in result.changes]
    assert case.get("notes", results) == results
    assert results or case["given"] == case["becomes"]


@given(DOCUMENTS)
def test_anything_is_taken_and_left_alone(value: dict[str, Any]) -> None:
    """No value makes the upgrade fail, none is changed in place, and what is upgraded already stays as it is."""
    before = deepcopy(value)
    once = upgrade(value, builtin())
    assert before == value
    if not any(change.conflict for change in once.changes):
        assert once.value == upgrade(once.value, builtin()).value


@given(DOCUMENTS)
def test_places_are_those_of_the_document(value: dict[str, Any]) -> None:
    """Every change is told at a place that the document has."""
    for change in upgrade(value, builtin()).changes:
        here: Any = value
        for step in change.path:
            here = here[step]


def test_attributes_of_the_documents_own_model_keep_their_names() -> None:
    """A name that the model defines is no sign of another release and is not read as another name."""
    value = {"messagegroups": {"g": {"messages": {"m": {"metadata": {"a": 1}, "binding": "HTTP"}}}}}
    own = frozenset({"metadata"})
    message = upgrade(value, builtin(), own).value["messagegroups"]["g"]["messages"]["m"]
    assert message == {"metadata": {"a": 1}, "protocol": "HTTP"}
    assert detect_dialect(value, own).matches[0].path[-1] == "binding"


def test_attributes_of_the_documents_own_model_are_no_options() -> None:
    """An option of a message is read as another one, whatever attribute of the model is called so."""
    value = {"messagegroups": {"g": {"messages": {"m": {"binding": "Kafka", "message": {"key": {"type": "binary"}}}}}}}
    message = upgrade(value, builtin(), frozenset({"key"})).value["messagegroups"]["g"]["messages"]["m"]
    assert message == {"protocol": "KAFKA", "protocoloptions": {"key_base64": {"type": "binary"}}}


@pytest.mark.parametrize(
    ("value", "release"),
    [
        ({}, "1.0"),
        ({"specversion": "0.5-wip"}, "1.0"),
        ({"messagegroups": {"g": {"messages": {"m": {"envelopemetadata": {}}}}}}, "1.0"),
        ({"endpoints": {"e": {"usage": "producer"}}}, "0.5-wip, 1.0-rc1 or 1.0-rc2"),
        ({"endpoints": {"e": {"usage": "producer", "protocoloptions": {}}}}, "1.0-rc1 or 1.0-rc2"),
        ({"endpoints": {"e": {"usage": ["producer"]}}}, "May 2026, 1.0-rc3 or 1.0-rc4"),
        ({"schemagroups": {"g": {"schemas": {"s": {"versions": {"1": {"ancestorid": "1"}}}}}}}, "1.0-rc4"),
        ({"messagegroups": {"g": {"messages": {"m": {"versions": {"1": {"deprecated": {}}}}}}}}, "1.0-rc1"),
        ({"messagegroups": {"g": {"format": "Avro"}}}, "1.0"),
        ({"messagegroups": {"g": {"Format": "amqp"}}}, "0.5-wip"),
    ],
)
def test_names_and_forms_tell_the_release(value: dict[str, Any], release: str) -> None:
    """The release is that which explains all that the document shows; specversion shows nothing."""
    assert release == detect_dialect(value).name


def test_signs_name_known_releases() -> None:
    """Each sign is of releases that there are, and the steps of the oldest are for kinds that there are."""
    releases = {release for sign in signs() for release in sign.releases}
    assert releases == {"0.5-wip", "1.0-rc1", "1.0-rc2", "May 2026", "1.0-rc3", "1.0-rc4"}
    assert set(dialect("0.5-wip").entities) <= {*dialect("1.0").entities, "every", "version"}
