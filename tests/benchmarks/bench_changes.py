"""How long the life of one message takes in a long history, and how long a comparison of large registries."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

FILES, COMMITS = 10_000, 20_000
EVERY = 200  # a commit of so many renames a file
OFTEN = 7  # and one of so many touches the file that is asked for
FIRST_SECOND = 1_600_000_000
LIFE = """
import sys, xregit
from xregit.changes.commit_changes import history
moments = history(xregit.read(sys.argv[1]), "/messagegroups/g0/messages/m5")
assert len(moments) > 2000, len(moments)
"""


def stream() -> Iterator[bytes]:
    """Give a history as `git fast-import` reads it: messages that come, change and get other names."""
    chosen = random.Random(1)  # noqa: S311 - the same history each time
    names = {number: f"registry/messagegroups/g{number // 100}/messages/m{number}.yaml" for number in range(FILES)}
    for commit in range(COMMITS):
        yield b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\n" % (FIRST_SECOND + commit * 60)
        yield _data(f"Change {commit}")
        if commit == 0:
            yield from _file("registry/registry.yaml", "registryid: large\n")
            for group in range(FILES // 100):
                yield from _file(f"registry/messagegroups/g{group}/messagegroup.yaml", "description: A group.\n")
            for number, name in names.items():
                yield from _file(name, _message(number, 0))
        elif commit % EVERY == 0:
            number = chosen.randrange(6, FILES)
            old, names[number] = names[number], names[number].replace(".yaml", "x.yaml")
            yield f"R {old} {names[number]}\n".encode()
        else:
            number = chosen.randrange(FILES) if commit % OFTEN else 5
            yield from _file(names[number], _message(number, commit))


def _file(name: str, text: str) -> Iterator[bytes]:
    yield f"M 644 inline {name}\n".encode()
    yield _data(text)


def _data(text: str) -> bytes:
    return b"data %d\n%s\n" % (len(text.encode()), text.encode())


def _message(number: int, version: int) -> str:
    return (
        f"description: Message {number}, version {version}.\nenvelope: CloudEvents/1.0\nenvelopemetadata:\n"
        f"  type:\n    value: m{number}\n  source:\n    value: /s/{version}\n"
    )


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a repository of many commits, and check it out."""
    root = tmp_path_factory.mktemp("history")
    subprocess.run(["git", "init", "-q", "-b", "main", root], check=True)
    subprocess.run(["git", "-C", root, "fast-import", "--quiet"], input=b"".join(stream()), check=True)
    subprocess.run(["git", "-C", root, "checkout", "-q", "main"], check=True)
    return root / "registry"


def test_a_life_in_a_long_history(benchmark: BenchmarkFixture, history: Path) -> None:
    """One pass of Git over 20,000 commits of 10,000 files, renames followed, for a message of thousands of versions."""
    benchmark.pedantic(program, (LIFE, history), rounds=2)


def program(text: str, folder: Path) -> None:
    """Run a program on a registry in an interpreter of its own."""
    subprocess.run([sys.executable, "-c", text, folder], check=True)
