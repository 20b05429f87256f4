"""HTTP requests and responses between httpx and the standard library's server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from tests.brokers.transport import Carry, Wire, body_json, body_of, name_values, pairs
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS

# The encoding in which the server takes and gives the bytes of a header.
LATIN = "latin-1"
# What a server answers with that has nothing to say.
NO_CONTENT = {"protocol": "HTTP", "status": "204"}
# What a client asks that only wants the answer.
ASKING = {"protocol": "HTTP", "method": "GET"}


@contextmanager
def carrier() -> Iterator[Carry]:
    """Give a function that sends a message and returns what has arrived.

    A request arrives at the server; a response, which has a status, is what the client gets to a request.
    """
    requests: Queue[dict[str, Any]] = Queue()
    answers: Queue[Wire] = Queue()
    server = ThreadingHTTPServer((HOST, 0), _handler(requests, answers))
    thread = Thread(target=server.serve_forever)
    thread.start()
    with httpx.Client(base_url=f"http://{HOST}:{server.server_port}", timeout=PATIENCE_SECONDS) as client:

        def carry(wire: Wire) -> dict[str, Any]:
            is_answer = "status" in wire
            answers.put(wire if is_answer else NO_CONTENT)
            response = client.send(_request(client, ASKING if is_answer else wire))
            request = requests.get(timeout=PATIENCE_SECONDS)
            return _answer(response) if is_answer else request

        try:
            yield carry
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _request(client: httpx.Client, wire: Wire) -> httpx.Request:
    path, query = wire.get("path", "/"), wire.get("query", ())
    return client.build_request(
        wire.get("method", "POST"),
        path if path.startswith("/") else f"/{path}",
        params=tuple(name_values(query)) or None,
        headers=[(name.encode(), value.encode()) for name, value in name_values(wire.get("headers", ()))],
        content=body_of(wire),
    )


def _answer(response: httpx.Response) -> dict[str, Any]:
    return {
        "protocol": "HTTP",
        "status": str(response.status_code),
        "headers": pairs(response.headers.multi_items()),
        **body_json(response.content),
    }


def _handler(requests: Queue[dict[str, Any]], answers: Queue[Wire]) -> type[BaseHTTPRequestHandler]:
    """Return a handler that notes each request and gives the answer that waits for it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            requests.put(_received(self))
            wire = answers.get(timeout=PATIENCE_SECONDS)
            body = body_of(wire) or b""
            self.send_response(int(wire["status"]))
            for name, value in name_values(wire.get("headers", ())):
                self.send_header(name, value.encode().decode(LATIN))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815 - the names that it calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def _received(handler: BaseHTTPRequestHandler) -> dict[str, Any]:
    parts = urlsplit(handler.path)
    length = int(handler.headers.get("Content-Length", 0))
    return {
        "protocol": "HTTP",
        "method": handler.command,
        "path": parts.path,
        "query": pairs(parse_qsl(parts.query, keep_blank_values=True)),
        "headers": pairs((name, value.encode(LATIN).decode()) for name, value in handler.headers.items()),
        **body_json(handler.rfile.read(length)),
    }
