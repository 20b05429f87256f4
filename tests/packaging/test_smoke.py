"""The wheel in an environment of its own, with the locked packages: what a user does on the first day, and Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.smoke

EVENT = {"specversion": "1.0", "id": "1", "source": "https://example.com/a", "type": "nobody.sends.this"}


@pytest.fixture(scope="module")
def program(root: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program that the wheel brings."""
    uv, folder = Path(sys.executable).with_name("uv"), tmp_path_factory.mktemp("environment")
    install: list[str | Path] = [uv, "pip", "install", "-q", "--no-deps", "--python", folder]
    subprocess.run([uv, "venv", "-q", "--clear", "--python", sys.executable, folder], check=True)
    subprocess.run([*install, "--require-hashes", "-r", root / ".ci/locks/all.txt"], check=True)
    subprocess.run([*install, wheel], check=True)
    return folder / "bin" / "xregit"


@pytest.fixture(scope="module")
def folder(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a new registry."""
    folder = tmp_path_factory.mktemp("repository")
    assert "Commands" in run(program, "--help", at=folder)
    run(program, "init", at=folder)
    return folder


def run(program: Path, *arguments: str, at: Path) -> str:
    """Run a command in a folder and return what it prints."""
    process = subprocess.run([program, *arguments], cwd=at, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_new_registry_is_checked_and_built(program: Path, folder: Path) -> None:
    """All steps of the build end well, and write what the README names."""
    assert run(program, "check", at=folder) == "No findings.\n"
    run(program, "build", at=folder)
    assert json.loads((folder / "build/registry.json").read_bytes())["messagegroups"]
    assert (folder / "build/site/index.html").is_file()
    assert (folder / "build/api/index.html").is_file()
    assert (folder / "build/tables/messages/_delta_log").is_dir()


def test_tables_are_published_once(program: Path, folder: Path) -> None:
    """The same registry again adds no version of a table."""
    run(program, "publish", "--tables", "tables", at=folder)
    log = sorted((folder / "tables/messages/_delta_log").glob("*.json"))
    run(program, "publish", "--tables", "tables", at=folder)
    assert sorted((folder / "tables/messages/_delta_log").glob("*.json")) == log


def test_messages_are_routed_once(program: Path, folder: Path) -> None:
    """What lands is taken once; a restart takes what is new alone."""
    xid = "/messagegroups/orders/messages/order.placed"
    known = run(program, "new", xid, "--example", at=folder)
    source = folder / "incoming"
    source.mkdir()
    (source / "1.jsonl").write_text(f"{json.dumps(json.loads(known))}\n{json.dumps(EVENT)}\n", encoding="utf-8")
    route = ("route", "--input", str(source), "--tables", "routed")
    assert "unmatched 1" in run(program, *route, at=folder)
    assert "nothing new" in run(program, *route, at=folder)
    (source / "2.jsonl").write_text(f"{json.dumps(EVENT)}\n", encoding="utf-8")
    assert run(program, *route, at=folder).strip().endswith(": unmatched 1")
