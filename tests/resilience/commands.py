"""The commands that write, each with a small repository in which it has something to do, and what it should leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shutil import copytree
from typing import Any

from tests.source.repositories import new_repository
from xregit.cli.init import create_registry

FAULT_INJECTION = Path(__file__).parent / "fault_injection"
MESSAGE = "registry/messagegroups/orders/messages/order.placed.yaml"
OTHER = "registry/messagegroups/orders/messages/order.sent.yaml"
XID = "/messagegroups/orders/messages/order.placed"

State = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its arguments, what it takes to stand before it, and where it puts things in place as wholes."""

    name: str
    arguments: tuple[str, ...]
    first: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()


BUILD = ("build", "--skip", "site,tables")
COMMANDS = {
    command.name: command
    for command in (
        Command("build", BUILD, BUILD, ("build/registry.json", "build/api")),
        Command("site", ("site",), ("site",), ("build/site",)),
        Command("import", ("import", "exported.json", "--into", "catalog"), ("compile", "-o", "exported.json")),
        Command("import into a folder", ("import", "exported.json", "--into", "."), ("compile", "-o", "exported.json")),
        Command("fmt", ("fmt",)),
        Command("rename", ("rename", XID, "order.made")),
        Command("rename a group", ("rename", "/schemagroups/orders", "sales")),
    )
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended, what it said of itself, and what was said to a person."""

    code: int
    said: str
    told: Mapping[str, int]
    seconds: float


@dataclass
class Subject:
    """A command with the folder in which it has not run yet, and copies of that to run it in."""

    command: Command
    folder: Path
    scratch: Path
    copies: int = field(default=0, init=False)

    @cached_property
    def before(self) -> State:
        """The files as the command finds them."""
        return state(self.folder)

    @cached_property
    def undisturbed(self) -> tuple[State, Ended]:
        """The files as the command leaves them if nothing happens, and how it ended."""
        at = self.copy()
        ended = run(self.command.arguments, at, tell=str(self.scratch / "told"))
        assert ended.code == 0, ended.said
        assert state(at) != self.before
        return state(at), ended

    def copy(self, into: Path | None = None) -> Path:
        """Return a folder in which all is as before."""
        self.copies += 1
        return copytree(self.folder, into or self.scratch / str(self.copies), symlinks=True, dirs_exist_ok=True)


def subject(command: Command, folder: Path) -> Subject:
    """Return a command with a repository in which something has changed since it, or what it rests on, ran."""
    repository = new_repository(folder / "before")
    create_registry(repository.root)
    (repository.root / OTHER).write_text(f'basemessage:   "{XID}"\n', "utf-8")
    repository.commit("Begin")
    if command.first:
        ended = run(command.first, repository.root)
        assert ended.code == 0, ended.said
    message = repository.root / MESSAGE
    message.write_text(message.read_text("utf-8") + "\nlabels: {   changed: 'yes'}\n", "utf-8")
    return Subject(command, repository.root, folder)


def begin(arguments: tuple[str, ...], at: Path, **order: Any) -> subprocess.Popen[str]:
    """Start a command in a folder under an order of sabotage."""
    path = os.pathsep.join([str(FAULT_INJECTION), *(path for path in sys.path if path)])
    sabotage = json.dumps({"within": str(at.resolve()), **order})
    # Python's parser takes a lack of memory for a wrong syntax, so that what runs is what was compiled before.
    environment = {**os.environ, "PYTHONPATH": path, "SABOTAGE": sabotage, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "xregit", *arguments]
    return subprocess.Popen(command, cwd=at, env=environment, stdout=-1, stderr=-1, text=True)


def run(arguments: tuple[str, ...], at: Path, **order: Any) -> Ended:
    """Run a command to its end, whatever that is."""
    start = time.monotonic()
    process = begin(arguments, at, **order)
    _, said = process.communicate()
    told = Path(order["tell"]) if "tell" in order else None
    return Ended(process.returncode, said, json.loads(told.read_bytes()) if told else {}, time.monotonic() - start)


def stopped(arguments: tuple[str, ...], at: Path, step: int) -> subprocess.Popen[str]:
    """Start a command, and return it when it has stopped just before a step that changes files."""
    process = begin(arguments, at, step=step, signal=signal.SIGSTOP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), f"it ended before step {step}"
    return process


def state(folder: Path) -> State:
    """Return all files below a folder that a person sees, by their paths."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    shown = (path.relative_to(folder) for path in paths)
    return {path.as_posix(): (folder / path).read_bytes() for path in shown if not _hidden(path)}


def leftovers(folder: Path) -> list[str]:
    """Return what runs have left beside what they wrote."""
    return [path.name for path in folder.rglob(".*") if path.name.endswith((".new", ".old"))]


def _hidden(path: Path) -> bool:
    return any(part == ".git" or (part.startswith(".") and part.endswith((".new", ".old"))) for part in path.parts)
