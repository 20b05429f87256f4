"""The reference client reads our static API, served by a plain file server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.programs import NO_XR, ran, xr
from tests.document.server import served, write_files
from xregit.document import api_files, load

pytestmark = [pytest.mark.client, pytest.mark.skipif(not xr(), reason=NO_XR)]

MESSAGE = "messagegroups/fleet.telemetry/messages/fleet.position.reported"
ALIAS = "messagegroups/luggage.arrivals/messages/luggage.bag.delayed"
SCHEMA = "schemagroups/fleet.telemetry/schemas/telemetry"


@pytest.fixture(scope="module")
def api(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Serve the example catalog in the version that the client speaks; give the address and the folder."""
    folder = tmp_path_factory.mktemp("api")
    with served(folder) as base:
        write_files(api_files(load(root / "registry"), base, profile="1.0-rc4"), folder)
        yield base, folder


@pytest.fixture
def get(api: tuple[str, Path]) -> Callable[[str], str]:
    """Return a function that lets the client get a path."""

    def got(path: str) -> str:
        process = ran([xr(), "--server", api[0], "get", path], api[1])
        assert process.returncode == 0, process.stderr
        return process.stdout

    return got


def test_client_reads_root_groups_and_messages(api: tuple[str, Path], get: Callable[[str], str]) -> None:
    """What the client shows of the registry, a group, a message and an alias is what is served."""
    for path in ("", "messagegroups", "messagegroups/fleet.telemetry", "endpoints/fleet.events", MESSAGE, ALIAS):
        expected = json.loads((api[1] / path / "index.html").read_bytes())
        assert json.loads(get(f"/{path}")) == expected
    assert json.loads(get(f"/{ALIAS}"))["messageid"] == "luggage.bag.delayed"


def test_client_reads_a_schema_document(api: tuple[str, Path], get: Callable[[str], str]) -> None:
    """A schema's document comes as it is, and its attributes by their own address."""
    assert get(f"/{SCHEMA}").strip() == (api[1] / SCHEMA / "index.html").read_text(encoding="utf-8").strip()
    assert json.loads(get(f"/{SCHEMA}$details"))["schemaid"] == "telemetry"


def test_client_understands_the_model(api: tuple[str, Path]) -> None:
    """The client reads the model as its own types and names the attributes that it defines."""
    process = ran([xr(), "--server", api[0], "model", "get"], api[1])
    assert process.returncode == 0, process.stderr
    for text in ("messagegroups / messagegroup", "basemessageuri", "topicfilter", "glossaries / glossary"):
        assert text in process.stdout


def test_client_finds_nothing_against_the_specification(api: tuple[str, Path]) -> None:
    """Its conformance tests pass."""
    process = ran([xr(), "--server", api[0], "conform"], api[1])
    assert process.returncode == 0, process.stdout
    assert "Fail: 0   Warn: 0" in process.stdout


def test_client_reads_the_default_profile(root: Path, tmp_path: Path) -> None:
    """It reads a registry of the earlier release too: its model and capabilities have no name that it doesn't know."""
    with served(tmp_path) as base:
        write_files(api_files(load(root / "registry"), base), tmp_path)
        process = ran([xr(), "--server", base, "conform"], tmp_path)
        assert process.returncode == 0, process.stdout
        assert "Fail: 0" in process.stdout


def test_client_downloads_all(api: tuple[str, Path], tmp_path: Path) -> None:
    """The client downloads the whole registry, and writes the files that were served.

    One at a time, since it ends before those that it fetches side by side have all come.
    """
    process = ran([xr(), "--server", api[0], "download", "--parallel", "1", str(tmp_path)], tmp_path)
    assert process.returncode == 0, process.stdout + process.stderr
    ours = {path.relative_to(api[1]): path for path in api[1].rglob("*") if path.is_file()}
    served_alone = {Path(name) for name in ("_headers", "nginx.conf", "staticwebapp.config.json")}
    for name, path in ours.items():
        if name not in served_alone and path.suffix != ".hdr":
            assert same(path, tmp_path / name), name


def same(one: Path, other: Path) -> bool:
    """Tell whether two files hold the same bytes, or the same JSON."""
    left, right = one.read_bytes(), other.read_bytes()
    return left == right or parsed(left) == parsed(right) is not None


def parsed(data: bytes) -> Any:
    """Return a JSON value, or nothing."""
    try:
        return json.loads(data)
    except ValueError:
        return None
