"""Laws of comparing: forwards and backwards, one after the other, and merges of what is apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.source.repositories import new_repository
from xregit.catalog.properties import Property
from xregit.changes import attribute_diff
from xregit.changes.change import WORST_FIRST, Difference, Impact
from xregit.changes.verdict_table import judge
from xregit.messages.template import Template

TEXTS = st.lists(st.sampled_from(["a", "b", "/", "{x}", "{y}", "-"]), max_size=5).map("".join)
VALUES = st.none() | TEXTS | st.integers(0, 2) | st.booleans()
TYPES = st.sampled_from(["any", "string", "uri", "uritemplate", "integer", "number", "boolean", "timestamp", "symbol"])
PROPERTIES = st.builds(
    Property,
    path=st.just(("envelopemetadata", "p")),
    name=st.just("p"),
    type=TYPES,
    required=st.booleans(),
    value=VALUES,
    members=st.sampled_from([(), ("type",)]),
)
OPPOSITE = {"same": "same", "other": "other", "wider": "narrower", "narrower": "wider"}


@given(PROPERTIES, PROPERTIES)
def test_backwards_is_the_opposite(one: Property, other: Property) -> None:
    """What widens forwards narrows backwards."""
    for relation in (attribute_diff.value_relation, attribute_diff.type_relation):
        assert relation(other, one) == OPPOSITE[relation(one, other)]


@given(PROPERTIES)
def test_nothing_differs_from_itself(one: Property) -> None:
    """A property allows what it allows."""
    assert attribute_diff.value_relation(one, one) == attribute_diff.type_relation(one, one) == "same"


@given(TEXTS, TEXTS, st.dictionaries(st.sampled_from("xy"), st.sampled_from(["a", "b", "-"]), min_size=2))
def test_what_a_wider_value_is_said_to_allow_it_allows(old: str, new: str, context: dict[str, str]) -> None:
    """Every text that the old template makes fits the new one."""
    before, after = (Property(("p",), "p", "string", required=False, value=value) for value in (old, new))
    if attribute_diff.value_relation(before, after) in {"same", "wider"} and old:
        text = Template.parse(old).expand(context)
        assert text == new or Template.parse(new).read(text, {})


@given(
    st.sampled_from(["message", "endpoint", "schema", "version", "messagegroup", "group", "registry", "term"]),
    st.sampled_from(["attribute", "item", "order"]),
    st.sampled_from(["same", "other", "wider", "narrower", "added", "removed"]),
    st.sampled_from(
        ["name", "envelope", "protocol", "protocoloptions.x", "envelopeoptions.mode", "usage.producer", "x"]
    ),
)
def test_every_difference_of_an_attribute_has_a_verdict(about: str, kind: str, relation: str, path: str) -> None:
    """And the impact of a change is the worse of the two."""
    change = judge(Difference("/x", about, kind, relation, tuple(path.split(".")), "a", "b"))
    assert change.impact == min(change.producer, change.consumer, key=WORST_FIRST.index)
    assert (change.audience == ()) == (change.impact is Impact.COSMETIC)
    assert "{" not in change.message


def test_branches_that_add_messages_to_one_group_merge(tmp_path: Path) -> None:
    """Without a conflict, and without a merge driver."""
    repository = new_repository(tmp_path / "repository")
    folder = "registry__messagegroups__g__"
    repository.commit("Begin", registry__registry="x", **{f"{folder}messagegroup.yaml": "description: G.\n"})
    for name in ("one", "two"):
        repository.git("checkout", "-q", "-b", name, "main")
        repository.commit(name, **{f"{folder}messages__{name}.yaml": f"description: {name}\n"})
    repository.git("-c", "merge.ff=false", "merge", "-q", "-m", "Merge", "one")
    status = subprocess.run(
        ["git", "status", "--short"], cwd=repository.root, check=True, capture_output=True, text=True
    )
    assert status.stdout == ""
    assert sorted(path.name for path in (repository.root / "registry/messagegroups/g/messages").iterdir()) == [
        "one.yaml",
        "two.yaml",
    ]
