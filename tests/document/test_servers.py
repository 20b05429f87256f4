"""The static API behind servers that know nothing of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.document.server import served, write_files
from tests.ports import HOST, next_port
from tests.waiting import PATIENCE_SECONDS, wait_until
from xregit.catalog import Registry
from xregit.document import api_files

WIRE = "schemagroups/hall/schemas/wire"


def addresses(value: Any, base: str) -> Iterator[str]:
    """Give all addresses of an API in a value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from addresses(inner, base)
    elif isinstance(value, str) and value.startswith(base):
        yield value


def answer(url: str) -> tuple[bytes, str]:
    """Return what a server answers, and what it says it is."""
    with urlopen(url, timeout=PATIENCE_SECONDS) as response:  # noqa: S310 - the address is this machine's
        return response.read(), response.headers.get_content_type()


def headers(url: str) -> tuple[str | None, str | None]:
    """Return the headers that the API gives every answer, which must come without a redirect."""
    with urlopen(url, timeout=PATIENCE_SECONDS) as response:  # noqa: S310 - the address is this machine's
        assert response.url == url
        return response.headers["Link"], response.headers["Access-Control-Allow-Origin"]


def walk(base: str) -> dict[str, tuple[bytes, str]]:
    """Follow every address from the root on, as a client does that knows nothing else."""
    pending, found = [f"{base}/"], dict[str, tuple[bytes, str]]()
    while pending:
        url = pending.pop()
        if url in found:
            continue
        found[url] = answer(url)
        try:
            value = json.loads(found[url][0])
        except ValueError:
            continue
        if isinstance(value, dict) and "self" in value:
            assert value["self"] == url
        pending += addresses(value, base)
    return found


@pytest.mark.parametrize("profile", ["1.0-rc2", "1.0-rc4"])
def test_any_file_server_answers_a_client(small: Registry, tmp_path: Path, profile: str) -> None:
    """From the root on, every address is answered: groups, resources, meta, versions and documents."""
    with served(tmp_path) as base:
        write_files(api_files(small, base, profile=profile), tmp_path)
        result = {url.removeprefix(base): data for url, (data, _) in walk(base).items()}
        wire, _ = answer(f"{base}/{WIRE}")
        names = {name: json.loads(answer(f"{base}/{name}")[0]) for name in ("model", "capabilities", "export")}
    stored = small.resource(f"/{WIRE}")
    assert stored is not None
    document = stored.versions["1"].document
    assert document is not None
    assert wire == document.data
    for xid in small:
        assert {xid, f"{xid}/meta", f"{xid}/versions/1", f"{xid}$details"} & result.keys(), xid
    assert names["export"]["specversion"] == profile == names["capabilities"]["specversions"][0]
    assert {"messagegroups", "endpoints", "schemagroups", "glossaries"} == names["model"]["groups"].keys()


@contextmanager
def nginx(root: Path, snippet: Path, port: int) -> Iterator[str]:
    """Serve a folder with nginx, which reads the snippet; give its address."""
    config = root.parent / "nginx.conf"
    state = root.parent
    temporary = "".join(
        f"{kind}_temp_path {state}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config.write_text(
        f"daemon off; master_process off; pid {state}/pid; error_log {state}/error.log; events {{}}\n"
        f"http {{ access_log off; {temporary}\n"
        f"server {{ listen {HOST}:{port}; root {root}; include {snippet}; }} }}\n"
    )
    process = subprocess.Popen(["nginx", "-e", f"{state}/error.log", "-c", str(config)])
    try:
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def started(url: str) -> None:
    """Wait until a server answers, whatever it answers."""

    def answers() -> bool:
        with suppress(HTTPError):
            answer(url)
        return True

    wait_until(answers)


@pytest.mark.client
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not here; .ci/debian installs it")
@pytest.mark.parametrize("path", ["", "/catalog"])
def test_nginx_snippet_tells_what_each_file_is(small: Registry, tmp_path: Path, path: str) -> None:
    """With the snippet, nginx answers every address without a detour, and says rightly what it answers.

    The address of the registry is answered with and without a slash, as a page of another site may need it.
    """
    root, port = tmp_path / "root", next_port()
    base = f"http://{HOST}:{port}{path}"
    folder = root / path.removeprefix("/")
    write_files(api_files(small, base), folder)
    with nginx(root, folder / "nginx.conf", port) as address:
        started(address)
        kinds = {url.removeprefix(base): kind for url, (_, kind) in walk(base).items()}
        kinds[f"/{WIRE}"] = answer(f"{base}/{WIRE}")[1]
        responses = {url: headers(url) for url in (base, f"{base}/", f"{base}/model", f"{base}/{WIRE}")}
    assert kinds.pop(f"/{WIRE}") == "text/plain"
    assert kinds["/"] == kinds["/messagegroups"] == kinds[f"/{WIRE}$details"] == "application/json"
    for link, origin in responses.values():
        assert link == f"<{base}/>; rel=xregistry-root"
        assert origin == "*"
