"""Schema registries as registries: what one gave, and what a real one answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

import xregit
from tests.brokers import servers
from tests.ports import HOST
from xregit.diagnostics import Severity

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


@pytest.mark.parametrize("text", [_as_answer, _as_records, _as_kcat])
def test_dump_becomes_schemas_and_messages(text: Callable[[], str], tmp_path: Path) -> None:
    """Subjects are schemas with their versions; those of topics are messages, too; references lead on."""
    (tmp_path / "prod.json").write_text(text())
    report = xregit.import_documents(tmp_path / "prod.json", tmp_path / "registry")
    assert report.diagnostics == ()
    registry = xregit.load(tmp_path / "registry")
    assert {item.xid.partition("/schemas/")[2] for item in registry.schemas} == {
        "money", "orders-value", "orders-key", "bills-s.Paid", "point", "route", "form",
    }  # fmt: skip
    topics = {item.id: item.resolved.attributes["protocoloptions"]["topic"] for item in registry.messages}
    assert topics == {"orders": "orders", "s.Paid": "bills"}
    assert [item for item in xregit.check(registry).diagnostics if item.severity is Severity.ERROR] == []
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


@pytest.mark.long
def test_real_registry(tmp_path: Path) -> None:
    """What Apicurio holds becomes a catalog that checks without errors, and follows it when it changes."""
    with servers.apicurio(tmp_path) as port:
        base = f"http://{HOST}:{port}/apis/ccompat/v7"
        for item in ITEMS:
            sent = {name: each for name, each in item.items() if name not in ("subject", "version", "id")}
            _ask(f"{base}/subjects/{item['subject']}/versions", "POST", sent)
        _ask(f"{base}/config/money", "PUT", {"compatibility": "BACKWARD"})
        assert not xregit.import_documents(base, tmp_path / "registry").failed
        registry = xregit.load(tmp_path / "registry")
        assert [item for item in xregit.check(registry).diagnostics if item.severity is Severity.ERROR] == []
        assert len(registry.schemas) == len({item["subject"] for item in ITEMS})
        assert xregit.import_documents(base, tmp_path / "registry").files == ()
        _ask(f"{base}/subjects/form/versions", "POST", {"schema": f'{{"$schema": "{DRAFT}"}}', "schemaType": "JSON"})
        assert any("form/versions/2" in name for name in xregit.import_documents(base, tmp_path / "registry").files)


def _ask(address: str, method: str, value: Any) -> None:
    data = json.dumps(value).encode()
    request = Request(address, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310 - our own server
    with urlopen(request, timeout=60) as answer:  # noqa: S310
        assert answer.status == 200


@contextmanager
def _answering(status: int, body: bytes) -> Iterator[str]:
    """Run a server that answers everything alike."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            if status == HTTPStatus.FOUND:
                self.send_header("Location", f"http://{HOST}:1/")
            self.end_headers()
            self.wfile.write(body)

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
        (404, b"{}", "it answers 404"),
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


def test_server_that_is_not_there(tmp_path: Path) -> None:
    """An address where nobody listens is told."""
    with pytest.raises(xregit.XregitError, match="it can't be reached"):
        xregit.import_documents(f"http://{HOST}:1", tmp_path / "registry")
