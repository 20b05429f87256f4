"""What the AsyncAPI documents say, held against golden files and laws."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

import xregit
from tests.catalog.folders import registry_of
from tests.document.small import CASES
from xregit.catalog import Registry
from xregit.cli.runner import run
from xregit.document import read_document, to_bytes
from xregit.document.asyncapi import asyncapi_files, export_asyncapi
from xregit.document.asyncapi.facts import free_name, is_uri, variables
from xregit.document.asyncapi.schemas import MAX_DEPTH, pattern, rebase_references


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """Return a registry with an endpoint of every protocol, in a folder that Git knows nothing of."""
    return xregit.load(copytree(CASES / "asyncapi" / "registry", tmp_path_factory.mktemp("orders") / "registry"))


def test_documents_are_the_golden_ones(orders: Registry, golden: Callable[[str, str | bytes], None]) -> None:
    """There is one document for each endpoint, and it is to the byte what was reviewed."""
    files = asyncapi_files(orders)
    assert [name.removesuffix(".json") for name in files] == [endpoint.id for endpoint in orders.endpoints]
    for name, data in files.items():
        golden(f"asyncapi/{name}", data)


def test_messages_have_an_example_and_a_version(root: Path) -> None:
    """Each message that JSON Schema describes shows one, and a version that tools can compare.

    The application that sends a message answers for it.
    """
    for document in export_asyncapi(xregit.load(root / "registry")).values():
        assert re.fullmatch(r"\d{4}\.[1-9]\d?\.[1-9]\d?", document["info"]["version"])
        sending = str([operation for operation in document["operations"].values() if operation["action"] == "send"])
        for channel, item in document["channels"].items():
            for name, message in item["messages"].items():
                sent = f"#/channels/{channel}/messages/{name}'" in sending
                assert message["x-eventcatalog-role"] == ("provider" if sent else "client")
                assert re.fullmatch(r"\d{4}\.[1-9]\d?\.[1-9]\d?", message["x-eventcatalog-message-version"])
                assert list(example_faults(message, document)) == []


def example_faults(message: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    """Give what is wrong with a message's example: against the schema of its headers, and of the event it carries."""
    (example,) = message.get("examples", [{}])
    headers, payload = message.get("headers"), message.get("payload", {})
    if headers:
        yield from (error.message for error in Draft7Validator(headers).iter_errors(example.get("headers", {})))
    if "properties" in payload:
        schema = {**payload, "components": document.get("components", {})}
        yield from (error.message for error in Draft7Validator(schema).iter_errors(example.get("payload")))


@pytest.mark.parametrize(
    ("endpoint", "actions"),
    [
        ("orders.stream.in", ["send"]),
        ("orders.stream.out", ["receive"]),
        ("orders.broker", ["receive"]),
        ("orders.anywhere", ["receive"]),
    ],
)
def test_action_is_that_of_a_client(orders: Registry, endpoint: str, actions: list[str]) -> None:
    """A client sends to a producer endpoint, and receives from a consumer or subscriber endpoint."""
    operations = export_asyncapi(orders)[endpoint]["operations"].values()
    assert sorted({operation["action"] for operation in operations}) == actions


def test_answers_go_the_other_way(orders: Registry) -> None:
    """A message with a status is an HTTP response, which the client that sends requests receives."""
    operations = export_asyncapi(orders)["orders.api"]["operations"].values()
    receiving = [item["messages"] for item in operations if item["action"] == "receive"]
    assert [[message["$ref"].rsplit("/", 1)[1] for message in messages] for messages in receiving] == [["accepted"]]


def test_every_message_of_the_contract_is_in_one_channel(orders: Registry) -> None:
    """What an endpoint carries stands in the document once, and every operation is about what its channel has."""
    for endpoint in orders.endpoints:
        document = export_asyncapi(orders)[endpoint.id]
        xids = [item["x-xid"] for channel in document["channels"].values() for item in channel["messages"].values()]
        assert sorted(xids) == sorted(entry.message.xid for entry in endpoint.contract)
        for operation in document["operations"].values():
            assert all(item["$ref"].startswith(operation["channel"]["$ref"] + "/") for item in operation["messages"])


@pytest.mark.parametrize(
    ("protocol", "option", "uri", "stated", "address"),
    [
        pytest.param("AMQP/1.0", "node", "amqps://h/path", "node", "node", marks=pytest.mark.requirement("EP-48")),
        pytest.param("AMQP/1.0", "node", "amqps://h/path", None, "path", marks=pytest.mark.requirement("EP-48")),
        pytest.param("MQTT/5.0", "topic", "mqtts://h/path", "a/b", "a/b", marks=pytest.mark.requirement("EP-54")),
        pytest.param("MQTT/5.0", "topic", "mqtts://h/path", None, "path", marks=pytest.mark.requirement("EP-54")),
    ],
)
def test_option_counts_before_the_path_of_the_address(  # noqa: PLR0913, PLR0917
    protocol: str, option: str, uri: str, stated: str | None, address: str, tmp_path: Path
) -> None:
    """Where messages go is what the endpoint's options say, else the path of its addresses."""
    options: dict[str, Any] = {"endpoints": [{"uri": uri}], **({option: stated} if stated else {})}
    endpoint = json.dumps({"usage": ["producer"], "protocol": protocol, "protocoloptions": options})
    message = json.dumps({"protocol": protocol, "protocoloptions": {}})
    files = {"endpoints/e/endpoint.yaml": endpoint, "endpoints/e/messages/m.yaml": message}
    (channel,) = export_asyncapi(registry_of(tmp_path, files))["e"]["channels"].values()
    assert channel["address"].lstrip("/") == address


@pytest.mark.parametrize(
    ("option", "own", "stated"),
    [
        pytest.param("qos", None, 1, marks=pytest.mark.requirement("EP-55")),
        pytest.param("qos", 0, 1, marks=pytest.mark.requirement("EP-55")),
        pytest.param("retain", None, True, marks=pytest.mark.requirement("EP-56")),
        pytest.param("retain", False, True, marks=pytest.mark.requirement("EP-56")),
    ],
)
@pytest.mark.parametrize("protocol", ["MQTT/3.1.1", "MQTT/5.0"])
def test_what_a_message_states_counts_before_the_option(
    protocol: str, option: str, own: Any, stated: Any, tmp_path: Path
) -> None:
    """An endpoint's option is for those of its messages that leave it open."""
    endpoint = json.dumps({"usage": ["producer"], "protocol": protocol, "protocoloptions": {option: stated}})
    message = json.dumps({"protocol": protocol, "protocoloptions": {} if own is None else {option: own}})
    files = {"endpoints/e/endpoint.yaml": endpoint, "endpoints/e/messages/m.yaml": message}
    (operation,) = export_asyncapi(registry_of(tmp_path, files))["e"]["operations"].values()
    assert operation["bindings"]["mqtt"][option] == (stated if own is None else own)


def references(value: Any) -> Iterator[str]:
    """Give every ``$ref`` in a document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_every_reference_leads_somewhere(orders: Registry) -> None:
    """All references stay inside the document and point at something; nothing would have to be fetched."""
    for document in export_asyncapi(orders).values():
        for reference in references(document):
            result: Any = document
            for part in reference.removeprefix("#/").split("/"):
                result = result[part.replace("~1", "/").replace("~0", "~")]


def test_command_writes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``export`` writes one file for each endpoint and leaves nothing else in the folder."""
    output = tmp_path / "out"
    output.mkdir()
    (output / "old.json").write_text('{"asyncapi": "3.0.0"}', encoding="utf-8")
    registry = str(CASES / "asyncapi" / "registry")
    assert run(["--registry", registry, "export", "--to", "asyncapi", "-o", str(output)]) == 0
    assert f"Wrote 8 documents to {output}.\n" == capsys.readouterr().err
    assert len(list(output.iterdir())) == 8
    assert json.loads((output / "orders.bus.json").read_bytes())["asyncapi"] == "3.0.0"


def test_command_counts_what_no_endpoint_carries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message that is in no document is told, since nobody would miss it."""
    group = tmp_path / "registry" / "messagegroups" / "shop"
    (group / "messages").mkdir(parents=True)
    (tmp_path / "registry" / "registry.yaml").write_text("registryid: shop\n", encoding="utf-8")
    (group / "messagegroup.yaml").write_text("name: Shop\n", encoding="utf-8")
    (group / "messages" / "placed.yaml").write_text("name: Placed\n", encoding="utf-8")
    registry = str(tmp_path / "registry")
    assert run(["--registry", registry, "export", "--to", "asyncapi", "-o", str(tmp_path / "out")]) == 0
    assert "1 message is on no endpoint, and so in no document." in capsys.readouterr().err


@pytest.mark.parametrize("name", ["notes.txt", "package.json"])
def test_command_replaces_no_files_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A folder that holds anything but such documents stays as it is."""
    (tmp_path / name).write_text("{}", encoding="utf-8")
    registry = str(CASES / "asyncapi" / "registry")
    assert run(["--registry", registry, "export", "--to", "asyncapi", "-o", str(tmp_path)]) == 2
    assert "holds other files; name another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_command_names_what_it_can_write(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a form, or with one that there is not, usage is wrong."""
    assert run(["export", "--to", "openapi"]) == 2
    assert "asyncapi" in capsys.readouterr().err


ODD: list[Any] = [None, True, -1.5, 2**70, "", "{a}{b}", [], {}, ["a"], [{"name": 1}], {"a": 1}, {"value": ["q"]}]


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Give the path of everything in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from places(item, (*path, name))


def replaced(value: Any, path: tuple[str | int, ...], odd: Any) -> Any:
    """Return a JSON value with another one at a path."""
    if not path:
        return odd
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], odd)
    return copy


@given(st.data())
def test_no_value_stops_the_export(data: st.DataObject) -> None:
    """Whatever stands in a registry that can be read, the export of it ends in documents."""
    document = _compiled()
    path = data.draw(st.sampled_from([path for path in places(document) if path]))
    odd = data.draw(st.sampled_from(ODD))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "registry.json"
        file.write_bytes(to_bytes(replaced(document, path, odd)))
        assert all(json.loads(text) for text in asyncapi_files(read_document(file)).values())


@cache
def _compiled() -> Any:
    registry = xregit.load(CASES / "asyncapi" / "registry")
    return json.loads(to_bytes(xregit.compile(registry, view="short")))


LITERALS = st.text(st.characters(exclude_characters="{}/", exclude_categories=["Cs"]), max_size=5)
PARTS = st.lists(LITERALS | st.sampled_from(["{a}", "{b_1}", "/"]), min_size=2, max_size=5)


@given(PARTS, st.text(st.characters(exclude_characters="/\r\n", exclude_categories=["Cs"]), min_size=1))
def test_pattern_fits_what_the_template_expands_to(parts: list[str], value: str) -> None:
    """Whatever stands for the placeholders, the expression of a template fits the expanded template as a whole."""
    template = "".join(parts)
    expanded = re.sub(r"\{[a-z_0-9]+\}", lambda _: value, template)
    assert re.fullmatch(pattern(template), expanded, re.DOTALL)


@given(st.lists(st.text(max_size=6), max_size=8))
def test_names_are_free_and_plain(wanted: list[str]) -> None:
    """Names that are asked for one after the other are all different, in the characters that AsyncAPI allows."""
    taken: dict[str, None] = {}
    for text in wanted:
        taken[free_name(text, taken)] = None
    assert len(taken) == len(wanted)
    assert all(re.fullmatch(r"[\w.-]+", name, re.ASCII) for name in taken)


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        ("#", "#/here"),
        ("#/definitions/A", "#/here/definitions/A"),
        ("#/definitions/B%20C", "#/here/definitions/B%20C"),
        ("#/definitions/A/enum/0", "#/here/definitions/A/enum/0"),
        ("#named", "#/here/definitions/A"),
        ("own.json", "#/here"),
        ("own.json#/definitions/A", "#/here/definitions/A"),
        ("#/definitions/D", None),
        ("#/definitions/A/enum/9", None),
        ("#unknown", None),
        ("other.json", None),
        ("https://example.com/a.json#/definitions/A", None),
    ],
)
def test_references_of_schemas_lead_where_they_led(reference: str, place: str | None) -> None:
    """A reference inside the schema is turned to its new place; one that leaves it stands as ``x-ref``."""
    schema = {
        "$id": "own.json",
        "definitions": {"A": {"$anchor": "named", "enum": ["x"]}, "B C": True},
        "properties": {"$ref": {"$ref": reference, "title": "t"}},
    }
    expected = {"x-ref": reference} if place is None else {"$ref": place}
    assert {**expected, "title": "t"} == rebase_references(schema, "#/here")["properties"]["$ref"]


def test_schema_of_too_many_levels_is_left_out() -> None:
    """A schema that is nested without end is not read to its end."""
    schema: Any = True
    for _ in range(MAX_DEPTH + 2):
        schema = {"not": schema}
    assert rebase_references(schema, "#") is None


@pytest.mark.parametrize(("text", "fits"), [("https://a.example/b%20c", True), ("a.md", False), ("a:b c", False)])
def test_uris_are_absolute(text: str, *, fits: bool) -> None:
    """Only an absolute URI is taken for one, as AsyncAPI's schema refuses others."""
    assert is_uri(text) is fits


def test_variables_are_named_once() -> None:
    """A name that stands in braces twice is one variable."""
    assert variables("{a}/{b}/{a}") == ("a", "b")
