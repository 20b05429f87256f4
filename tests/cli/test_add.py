"""The commands below ``add``: what they write is right but for descriptions, in its canonical form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import xregit
from xregit.cli.runner import run
from xregit.model import names
from xregit.model.protocols import facts

PROTOCOLS = tuple(facts("skeleton"))
# What nobody can know when a file is begun.
LEFT_OPEN = {"group-without-owner"}


def add(*arguments: str) -> None:
    """Run a command that must go well."""
    assert run(["add", *arguments]) == 0


def rules(capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the rules that find something in the registry here."""
    capsys.readouterr()
    run(["check", "--format", "json"])
    return {item["rule"] for item in json.loads(capsys.readouterr().out)["diagnostics"]} - LEFT_OPEN


def test_every_protocol_has_a_skeleton() -> None:
    """Those of a message and of an endpoint."""
    assert set(PROTOCOLS) == set(names("protocol"))
    assert all(parts.keys() == {"message", "endpoint"} for parts in facts("skeleton").values())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_messages_and_endpoints_are_right(protocol: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each protocol, alone and together; a group is made with the first message."""
    add("message", "demo/first@1:2", "--protocol", protocol)
    add("message", "/messagegroups/demo/messages/second")
    add("endpoint", "in", "--protocol", protocol, "--group", "demo")
    add("endpoint", "out", "--protocol", protocol.split("/", maxsplit=1)[0].lower(), "--usage", "producer")
    assert rules(capsys) == {"endpoint-without-messages", "unfinished-value"}
    assert run(["fmt", "--check"]) == 0
    registry = xregit.load(here / "registry")
    carried = [entry.message.xid for entry in registry["/endpoints/in"].contract]
    assert carried == [f"/messagegroups/demo/messages/{name}" for name in ("first@1:2", "second")]
    assert registry[carried[0]].protocol == protocol


@pytest.mark.parametrize("language", names("format"))
def test_schemas_are_right(language: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each language, for a message that names it; what its first message is, a Protobuf document says."""
    add("schema", "demo/1st.thing", "--format", language)
    add("message", "demo/thing", "--schema", "demo/1st.thing")
    assert rules(capsys) == {"uncarried-message", "unfinished-value"}
    message = xregit.load(here / "registry")["/messagegroups/demo/messages/thing"]
    assert message.schema.version is not None
    assert run(["new", message.xid, "--example"]) == 0
    (here / "message").write_text(capsys.readouterr().out)
    assert run(["match", "message", "--format", "text"]) == 0
    assert "fits one definition" in capsys.readouterr().out


def test_groups_are_right(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An id is that of a message group."""
    add("group", "more")
    add("group", "/schemagroups/more")
    assert capsys.readouterr().out.splitlines() == [
        "registry/messagegroups/more/messagegroup.yaml",
        "registry/schemagroups/more/schemagroup.yaml",
    ]
    assert rules(capsys) == set()
    assert (here / "registry/schemagroups/more/schemagroup.yaml").read_text() == (
        "name: More\ndescription: The payloads of More.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("message", "orders/order.placed"), "already exists"),
        (("message", "order.placed"), "is not a valid location; write <id>/<id>, or /messagegroups/<id>/messages/<id>"),
        (("message", "orders/a b"), '"a b" is not a valid id'),
        (("message", "orders/x", "--protocol", "KAFK"), 'there is no protocol "KAFK"; did you mean KAFKA?'),
        (("message", "orders/x", "--schema", "orders/ordr"), "did you mean /schemagroups/orders/schemas/order?"),
        (("message", "/endpoints/no/messages/x"), 'there is no endpoint "no"'),
        (("schema", "orders/x", "--format", "json"), 'there is no schema language "json"'),
        (("endpoint", "x", "--protocol", "NATS", "--group", "no"), "did you mean /messagegroups/orders?"),
        (("group", "/endpoints/x"), "is not a message group or schema group"),
    ],
)
def test_what_cannot_be_added_is_told(
    arguments: tuple[str, ...], text: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written then."""
    before = sorted(here.rglob("*"))
    assert run(["add", *arguments]) == 2
    assert text in capsys.readouterr().err
    assert sorted(here.rglob("*")) == before
