"""Messages made from definitions: what they look like, and what is said where none can be made."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import xregit
from tests.messages.cases import cases
from tests.messages.catalogs import GROUP, registry_of
from xregit.catalog.views import text_of
from xregit.document import api_files
from xregit.messages.definition import to_definition
from xregit.messages.encoder import MessageError, fill
from xregit.protocols import read_wire

NOW = datetime(2026, 5, 22, 10, 30, tzinfo=UTC)


def wire_of(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the message that a case makes, in its JSON shape."""
    message = registry_of(folder, {"m": case["message"]})[f"{GROUP}m"]
    given = {name: case[name] for name in ("data", "mode", "protocol") if name in case}
    return xregit.new(message, case.get("context", {}), **given, now=NOW, new_id="new-id").as_json()


@pytest.mark.parametrize("case", [*cases("making.yaml"), *cases("forming.yaml")])
def test_making(case: Mapping[str, Any], tmp_path: Path) -> None:
    """What is made is as the case says, and is read back as the same; else all that is wrong is said."""
    if "wire" in case:
        wire = wire_of(case, tmp_path)
        assert wire == case["wire"]
        assert read_wire(wire).as_json() == wire
        return
    with pytest.raises(MessageError) as caught:
        wire_of(case, tmp_path)
    problems = caught.value.problems
    assert [expected for expected in case["problems"] if not any(expected in problem for problem in problems)] == []
    assert len(problems) == len(case["problems"]), problems
    assert str(caught.value).startswith(f'no message was made from "{GROUP}m": ')


def test_time_and_id_may_be_given_by_functions(tmp_path: Path) -> None:
    """What gives the time and the id is called once for each message."""
    message = registry_of(
        tmp_path,
        {
            "m": {
                "envelope": "CloudEvents/1.0",
                "envelopemetadata": {"type": {"value": "t"}, "source": {"value": "/s"}, "time": {}},
            }
        },
    )[f"{GROUP}m"]
    ids = iter("ab")
    wires = [xregit.new(message, {}, now=lambda: NOW, new_id=lambda: next(ids)) for _ in range(2)]
    assert [wire.fields["id"] for wire in wires] == ["a", "b"]
    assert wires[0].fields["time"] == "2026-05-22T10:30:00Z"


def test_time_and_id_have_defaults(tmp_path: Path) -> None:
    """An event is made now, with an id of its own, where the caller says nothing else."""
    metadata = {"type": {"value": "t"}, "source": {"value": "/s"}, "time": {}}
    message = registry_of(tmp_path, {"m": {"envelope": "CloudEvents/1.0", "envelopemetadata": metadata}})[f"{GROUP}m"]
    before = datetime.now(UTC)
    first, second = xregit.new(message), xregit.new(message, {})
    assert UUID(first.fields["id"]) != UUID(second.fields["id"])
    assert before <= datetime.fromisoformat(first.fields["time"]) <= datetime.now(UTC)


def test_caller_keeps_the_context(tmp_path: Path) -> None:
    """What is handed over is not changed."""
    message = registry_of(tmp_path, {"m": {"protocol": "NATS", "protocoloptions": {"subject": "a.{b}"}}})[f"{GROUP}m"]
    context = {"b": "c", "reply-to": "d"}
    xregit.new(message, context, now=NOW, new_id="1")
    assert context == {"b": "c", "reply-to": "d"}


def test_alias_makes_what_its_target_makes(root: Path) -> None:
    """A message that stands for another one is made as that one."""
    registry = xregit.load(root / "registry")
    alias = next(item for item in registry.messages if item.alias_of)
    context = {"airport": "MUC", "bagtag": "0220123456", "flightid": "LH1"}
    with pytest.raises(MessageError, match=f'from "{alias.xid}": .*the payload is missing'):
        xregit.new(alias, context, now=NOW, new_id="1")


def test_addresses_of_schemas_are_answered_by_the_static_api(root: Path) -> None:
    """An event's dataschema leads to the schema's document; a schema object inside it is the fragment."""
    registry = xregit.load(root / "registry")
    base = registry.settings.baseurl
    files = api_files(registry, base)
    addresses = set[str]()
    for message in registry.messages:
        reference = text_of(message.resolved.attributes, "dataschemauri")
        if message.envelope and reference.startswith("/"):
            draft = fill(message, to_definition(message), {}, b"", now=NOW, new_id="1")
            addresses.add(str(draft.attributes["dataschema"]))
    assert any("#" in address for address in addresses)
    for address in addresses:
        path = address.partition("#")[0].removeprefix(f"{base}/")
        assert f"{path}/index.html" in files, address


def nested(depth: int) -> list[Any]:
    """Return lists within lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("data", [{"a": {1, 2}}, "\ud800", float("nan"), [float("inf")], nested(5000)])
def test_payload_that_can_not_be_written_is_refused(data: Any, tmp_path: Path) -> None:
    """What is no JSON and no text is said to be that."""
    message = registry_of(tmp_path, {"m": {"protocol": "NATS", "protocoloptions": {"subject": "a"}}})[f"{GROUP}m"]
    with pytest.raises(MessageError, match="the payload must "):
        xregit.new(message, {}, data, now=NOW, new_id="1")
