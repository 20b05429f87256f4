"""Schema registries as registries: what one gave, and what a real one answers."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

import xregit
from tests import ports
from tests.brokers import servers
from tests.waiting import PATIENCE_SECONDS
from xregit.diagnostics import Severity
from xregit.document.schema_registry import ask_registry

HOST = "127.0.0.1"
MONEY = {"type": "record", "name": "Money", "namespace": "c", "fields": [{"name": "amount", "type": "long"}]}
PLACED = {"type": "record", "name": "Placed", "namespace": "s", "fields": [{"name": "total", "type": "c.Money"}]}
PAID = {**PLACED, "name": "Paid", "fields": []}
DRAFT = "http://json-schema.org/draft-07/schema#"
POINT, ROUTE = 'syntax = "proto3"; message P {}', 'syntax = "proto3"; import "point.proto"; message R { P p = 1; }'


def _item(subject: str, version: int, schema: Any, **members: Any) -> dict[str, Any]:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    return {"subject": subject, "version": version, "id": 7, "schema": text, **members}


ITEMS = [
    _item("money", 1, MONEY),
    _item("orders-value", 1, PLACED, references=[{"name": "c.Money", "subject": "money", "version": 1}]),
    _item("orders-value", 2, PAID),
    _item("orders-key", 1, '"string"'),
    _item("bills-s.Paid", 1, PAID),
    _item("point", 1, POINT, schemaType="PROTOBUF"),
    _item(
        "route", 1, ROUTE, schemaType="PROTOBUF", references=[{"name": "point.proto", "subject": "point", "version": 1}]
    ),
    _item("form", 1, {"$schema": DRAFT, "type": "object", "title": "Form"}, schemaType="JSON"),
]


def _as_answer() -> str:
    return json.dumps(ITEMS)


def _as_records() -> str:
    lines = [f'{{"keytype":"SCHEMA","subject":"{item["subject"]}"}}\t{json.dumps(item)}' for item in ITEMS]
    config = '{"keytype":"CONFIG","subject":"money","magic":0}\t{"compatibilityLevel":"FULL_TRANSITIVE"}'
    gone = json.dumps({**_item("gone", 1, MONEY), "deleted": True})
    return "\n".join([*lines, config, f"{{}}\t{json.dumps(_item('gone', 1, MONEY))}", f"{{}}\t{gone}", "null"])


def _as_kcat() -> str:
    return "\n".join(json.dumps({"key": "{}", "payload": json.dumps(item)}) for item in ITEMS)


def test_deleted_subjects_of_the_topic_are_left_out(tmp_path: Path) -> None:
    """A record without a value deletes what has its key, whatever the order of its members; so does DELETE_SUBJECT."""

    def record(key: dict[str, Any], value: Any) -> str:
        return json.dumps({"key": json.dumps(key), "payload": None if value is None else json.dumps(value)})

    gone, crates = _item("gone-value", 1, MONEY), _item("crates-value", 1, MONEY)
    lines = [
        record({"subject": "gone-value", "version": 1, "keytype": "SCHEMA"}, gone),
        record({"keytype": "SCHEMA", "version": 1, "subject": "gone-value"}, None),
        record({"keytype": "SCHEMA", "subject": "crates-value", "version": 1}, crates),
        record({"keytype": "DELETE_SUBJECT", "subject": "crates-value"}, {"subject": "crates-value", "version": 1}),
        record({"keytype": "NOOP", "magic": 0}, None),
        record({"keytype": "SCHEMA", "subject": "kept-value", "version": 1}, _item("kept-value", 1, MONEY)),
    ]
    (tmp_path / "topic.jsonl").write_text("\n".join(lines))
    report = xregit.import_documents(tmp_path / "topic.jsonl", tmp_path / "registry")
    assert [schema.id for schema in xregit.load(tmp_path / "registry").schemas] == ["kept-value"]
    assert [item.message for item in report.diagnostics] == [
        "What was deleted there is left out: crates-value/1, gone-value/1."
    ]


@pytest.mark.parametrize("text", [_as_answer, _as_records, _as_kcat])
def test_dump_becomes_schemas_and_messages(text: Callable[[], str], tmp_path: Path) -> None:
    """Subjects are schemas with their versions; those of topics are messages, too; references lead on."""
    (tmp_path / "prod.json").write_text(text())
    report = xregit.import_documents(tmp_path / "prod.json", tmp_path / "registry")
    assert [item.message for item in report.diagnostics if "gone/1" not in item.message] == []
    registry = xregit.load(tmp_path / "registry")
    assert {item.xid.partition("/schemas/")[2] for item in registry.schemas} == {
        "money", "orders-value", "orders-key", "bills-s.Paid", "point", "route", "form",
    }  # fmt: skip
    topics = {item.id: item.resolved.attributes["protocoloptions"]["topic"] for item in registry.messages}
    assert topics == {"orders": "orders", "s.Paid": "bills"}
    assert registry["/messagegroups/prod/messages/orders"].entity.attributes["labels"] == {
        "key-schema": "/schemagroups/prod/schemas/orders-key"
    }
    diagnostics = xregit.check(registry).diagnostics
    assert [item for item in diagnostics if item.severity is Severity.ERROR] == []
    unused = {item.xid.rpartition("/")[2] for item in diagnostics if item.rule == "unused-schema"}
    assert "money" not in unused  # the schema of the orders holds it
    assert "form" in unused
    route = registry["/schemagroups/prod/schemas/route"].versions[0].document
    assert route.data == ROUTE.encode()
    placed = json.loads(registry["/schemagroups/prod/schemas/orders-value"].versions[0].document.data)
    assert placed["fields"][0]["type"] == MONEY


def test_compatibility_is_kept(tmp_path: Path) -> None:
    """A subject's mode is what the schema promises."""
    (tmp_path / "prod.jsonl").write_text(_as_records())
    xregit.import_documents(tmp_path / "prod.jsonl", tmp_path / "registry")
    assert (
        "compatibility: full_transitive"
        in (tmp_path / "registry/schemagroups/prod/schemas/money/schema.yaml").read_text()
    )


def test_contexts_metadata_and_strategies(tmp_path: Path) -> None:
    """A context is groups of its own, properties are labels, records are messages; what has no place is told."""
    data = json.dumps([
        _item(":.eu:orders-value", 1, PAID, metadata={"properties": {"Owner": "shop"}, "tags": {"x": ["PII"]}}),
        _item(":.eu:s.Paid", 1, PAID, ruleSet={"domainRules": []}, unheardOf=1),
        _item("c.Money", 1, MONEY),
        _item("s.Paid", 1, PAID, references=[{"name": "c.Money", "subject": "c.Money", "version": 1}]),
    ])  # fmt: skip
    (tmp_path / "prod.json").write_text(data)
    report = xregit.import_documents(tmp_path / "prod.json", tmp_path / "registry")
    assert [(item.path, item.message) for item in report.diagnostics] == [
        ("prod.json", '"metadata/tags" of 1 subject is left out.'),
        ("prod.json", '"ruleSet" of 1 subject is left out.'),
        ("prod.json", '"unheardOf" of 1 subject is left out.'),
    ]
    registry = xregit.load(tmp_path / "registry")
    assert [item.xid for item in registry.messages] == [
        "/messagegroups/prod/messages/s.Paid",
        "/messagegroups/prod.eu/messages/orders",
        "/messagegroups/prod.eu/messages/s.Paid",
    ]
    version = registry["/schemagroups/prod.eu/schemas/orders-value"].versions[0]
    assert version.attributes["labels"] == {"owner": "shop"}
    assert [item for item in xregit.check(registry).diagnostics if item.severity is Severity.ERROR] == []


def test_names_that_differ_in_case_alone_are_two(tmp_path: Path) -> None:
    """Subjects and topics are told apart by case, files on many disks are not; the second of each has another id."""
    data = json.dumps([_item("Paid-value", 1, PAID), _item("paid-value", 1, MONEY), _item("paid-key", 1, MONEY)])
    (tmp_path / "prod.json").write_text(data)
    report = xregit.import_documents(tmp_path / "prod.json", tmp_path / "registry")
    assert [item.rule for item in report.diagnostics] == ["ids-differ-only-in-case"] * 2
    registry = xregit.load(tmp_path / "registry")
    first, second = registry.messages
    assert (first.id, second.id) == ("Paid", "paid-2")
    assert second.resolved.attributes["protocoloptions"] == {"topic": "paid"}
    assert second.resolved.attributes["dataschemauri"] == "/schemagroups/prod/schemas/paid-value-2"
    assert second.resolved.attributes["labels"] == {"key-schema": "/schemagroups/prod/schemas/paid-key"}


def test_missing_imports_are_told_once(tmp_path: Path) -> None:
    """Registries have common files built in; the import names each, and check reports it and nothing that follows."""
    text = 'syntax = "proto3";\nimport "google/type/money.proto";\nimport "google/protobuf/any.proto";\n'
    body = "message A { google.type.Money m = 1; google.protobuf.Any a = 2; }"
    items = [_item(f"{name}-value", 1, text + body, schemaType="PROTOBUF") for name in "ab"]
    (tmp_path / "r.json").write_text(json.dumps(items))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/a.proto").write_text(text + body)
    for source in ("r.json", "folder"):
        report = xregit.import_documents(tmp_path / source, tmp_path / source[0] / "registry")
        warnings = [item for item in report.diagnostics if item.severity is Severity.WARNING]
        assert [item.message for item in warnings] == ['The import "google/type/money.proto" is not in the source.']
        found = xregit.check(xregit.load(tmp_path / source[0] / "registry")).diagnostics
        errors = {item.message for item in found if item.severity is Severity.ERROR}
        assert errors == {'The import "google/type/money.proto" is not in this registry.'}


def test_protobuf_on_one_line_names_its_record(tmp_path: Path) -> None:
    """A subject may name topic and message of a Protobuf file, however that is laid out."""
    text = 'syntax = "proto3"; package s; message Position { string vin = 1; }'
    (tmp_path / "prod.json").write_text(json.dumps([_item("fleet-s.Position", 1, text, schemaType="PROTOBUF")]))
    xregit.import_documents(tmp_path / "prod.json", tmp_path / "registry")
    (message,) = xregit.load(tmp_path / "registry").messages
    assert (message.id, message.attributes["protocoloptions"]) == ("s.Position", {"topic": "fleet"})
    assert message.attributes["dataschemauri"] == "/schemagroups/prod/schemas/fleet-s.Position:s.Position"


def test_answer_may_not_drip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that sends a byte now and then is given up."""
    monkeypatch.setattr("xregit.document.schema_registry._ANSWER", 1.0)
    with _dripping() as address, pytest.raises(xregit.XregitError, match="it takes too long to answer"):
        xregit.import_documents(address, tmp_path / "registry")
    assert not (tmp_path / "registry").exists()


def _registry(path: str) -> bytes:
    """Answer as a registry of a hundred subjects with a version each."""
    if path.startswith("/subjects?"):
        return json.dumps([f"s{number}-value" for number in range(100)]).encode()
    return b"[1]" if path.endswith("/versions") else json.dumps(_item(path.split("/")[2], 1, PAID)).encode()


def test_all_answers_together_have_a_deadline() -> None:
    """A server is given up whose answers come in time, but never all of them."""
    with _answering(200, _registry, wait_s=0.05) as address, pytest.raises(xregit.XregitError, match="takes too long"):
        ask_registry(address, deadline=1)


@pytest.mark.parametrize(
    ("host", "group", "name"), [(HOST, "", "kafka"), ("localhost", "", "kafka"), (HOST, "shop", "shop")]
)
def test_group_has_a_name(host: str, group: str, name: str, tmp_path: Path) -> None:
    """An address in numbers, or one that every machine has, is no name of a group; the user's is."""
    with _answering(200, _registry) as address:
        xregit.import_documents(address.replace(HOST, host), tmp_path / "registry", group=group)
    assert {message.group.id for message in xregit.load(tmp_path / "registry").messages} == {name}


def test_another_registry_of_the_same_name_is_refused(tmp_path: Path) -> None:
    """Two hosts without names would both be `kafka`, and one would take the place of the other."""
    with _answering(200, _registry) as first, _answering(200, _registry) as second:
        assert not xregit.import_documents(first, tmp_path).failed
        assert xregit.import_documents(first, tmp_path).files == ()
        files = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
        with pytest.raises(xregit.XregitError, match='the group "kafka" belongs to "127'):
            xregit.import_documents(second, tmp_path)
        with pytest.raises(xregit.XregitError, match='the group "kafka" belongs to another source'):
            xregit.import_documents([first, second], tmp_path / "other")
        assert {path: path.read_bytes() for path in files} == files
        assert not xregit.import_documents(second, tmp_path, group="second").failed
    assert {item.id for item in xregit.load(tmp_path).messagegroups} == {"kafka", "second"}


@contextmanager
def _dripping() -> Iterator[str]:
    """Run a server that never ends its first header."""
    stopped = threading.Event()
    with socket.create_server((HOST, 0)) as server:

        def drip() -> None:
            with server.accept()[0] as connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
                while not stopped.wait(0.05):
                    connection.sendall(b"a")

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield f"http://{HOST}:{server.getsockname()[1]}"
        finally:
            stopped.set()
            thread.join()


@pytest.mark.long
def test_real_registry(tmp_path: Path) -> None:
    """What Apicurio holds becomes a catalog that checks without errors, and follows it when it changes."""
    with servers.apicurio(tmp_path) as port:
        base = f"http://{ports.HOST}:{port}/apis/ccompat/v7"
        for item in ITEMS:
            sent = {name: each for name, each in item.items() if name not in ("subject", "version", "id")}
            _ask(f"{base}/subjects/{item['subject']}/versions", "POST", sent)
        _ask(f"{base}/subjects/fleet-value/versions", "POST", {"schema": POINT, "schemaType": "PROTOBUF"})
        _ask(f"{base}/config/money", "PUT", {"compatibility": "BACKWARD"})
        assert not xregit.import_documents(base, tmp_path / "registry").failed
        registry = xregit.load(tmp_path / "registry")
        assert [item for item in xregit.check(registry).diagnostics if item.severity is Severity.ERROR] == []
        assert len(registry.schemas) == len({item["subject"] for item in ITEMS}) + 1
        assert xregit.import_documents(base, tmp_path / "registry").files == ()
        _ask(f"{base}/subjects/form/versions", "POST", {"schema": f'{{"$schema": "{DRAFT}"}}', "schemaType": "JSON"})
        assert any("form/versions/2" in name for name in xregit.import_documents(base, tmp_path / "registry").files)


def _ask(address: str, method: str, value: Any) -> None:
    data = json.dumps(value).encode()
    request = Request(address, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310 - our own server
    with urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
        assert answer.status == 200


@contextmanager
def _answering(status: int, body: bytes | Callable[[str], bytes], wait_s: float = 0) -> Iterator[str]:
    """Run a server that answers everything alike, or by the path, after some time."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            if status == HTTPStatus.FOUND:
                self.send_header("Location", f"http://{HOST}:1/")
            self.end_headers()
            time.sleep(wait_s)
            self.wfile.write(body if isinstance(body, bytes) else body(self.path))

        def log_message(self, *_: Any) -> None:
            return

    with HTTPServer((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://name:secret@{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, b"", "it answers 401 Unauthorized; put the user's name and password into it"),
        (404, b"{}", "it answers 404 Not Found; name the address"),
        (500, b"", "it answers 500"),
        (200, b"<html>", "it answers no JSON"),
        (200, b"{}", "it answers no list"),
        (200, b'["a"]', 'versions" gives no schemas: it answers no list'),
        (200, b"[]", "has no subjects"),
        (200, b"[1]", "it answers no list"),
        (200, b"[" * 100_000, "it answers no JSON"),
        (200, b" " * (64 * 2**20 + 1), "is larger than 64 MiB"),
        (302, b"", "it answers 302 Found; if you trust where it leads, name that address"),
    ],
)
def test_fault_of_a_server_is_one_line(status: int, body: bytes, message: str, tmp_path: Path) -> None:
    """What isn't a schema registry is said to be none, without the password, and nothing is written."""
    with _answering(status, body) as address, pytest.raises(xregit.XregitError, match=message) as error:
        xregit.import_documents(address, tmp_path / "registry")
    assert "secret" not in str(error.value)
    assert not (tmp_path / "registry").exists()


@pytest.mark.parametrize("address", ["http://", "http://[bad", "http://a b/", "HTTP://u:p/w@a"])
def test_address_that_is_none(address: str, tmp_path: Path) -> None:
    """What is no address is told, and nothing is written."""
    with pytest.raises(xregit.XregitError, match=r"is not a valid address|can't be reached"):
        xregit.import_documents(address, tmp_path / "registry")
    assert not (tmp_path / "registry").exists()


def test_server_that_is_not_there(tmp_path: Path) -> None:
    """An address where nobody listens is told."""
    with pytest.raises(xregit.XregitError, match="it can't be reached"):
        xregit.import_documents(f"http://{HOST}:1", tmp_path / "registry")
