"""Hostile repositories get an answer within bounds; the guide's table of attacks names a test for each."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.attacks import ATTACKS
from tests.waiting import PATIENCE_SECONDS

MEMORY = 2 * 2**30  # bytes of address space for one command
PAGE = Path("site/manual/hostile.md")
TABLE = Path(__file__).parent / "attacks.yaml"
HEAD = f"""# Hostile input

What is made to hurt, what happens, and the test that shows it. `pytest tests/security --update-golden` writes this page
from a table; a test fails when the page is not current, or when a test that it names does not exist. The attacks on
whole commands run in a process of their own with {MEMORY // 2**30} GiB of address space. Nothing that is read is ever
run, opened elsewhere or fetched, but for the hooks of a site that the third row names.

Files of a registry are read up to 8 MiB, documents up to 1 GiB, both up to 100 levels deep. `.ci/fuzz SECONDS` feeds
every reader with bytes that nobody thought of, led by the lines that each input reaches: a reader may take a second of
the processor's time for an input of 8 KiB, and 1 GiB of memory in all. What it found is in `tests/fuzzing/regressions`
and is read by each run of the tests.
"""


def rows() -> list[dict[str, Any]]:
    """Return the rows of the table."""
    result: list[dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return result


def limited() -> None:
    """Limit the memory of a process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.mark.parametrize("name", ATTACKS)
def test_command_answers_within_bounds(name: str, tmp_path: Path) -> None:
    """The command says what is wrong, or does its work; it never ends in a traceback, and writes nothing elsewhere."""
    attack = ATTACKS[name]
    home = tmp_path / "a" / "b" / "c" / "home"
    for path, content in attack.contents().items():
        file = home / "registry" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    before = {path for path in tmp_path.rglob("*") if home not in path.parents}
    command = [sys.executable, "-m", "xregit", *attack.command]
    process = subprocess.run(
        command,
        cwd=home,
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        preexec_fn=limited,
        encoding="utf-8",
    )
    output = process.stdout + process.stderr
    assert process.returncode == attack.code, output[-2000:]
    assert all(words in output for words in attack.says), output[-2000:]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]", output)
    assert attack.code == 0 or len(output) < 20_000
    assert {path for path in tmp_path.rglob("*") if home not in path.parents} == before


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["attack"])
def test_tests_of_the_table_exist(row: dict[str, Any]) -> None:
    """What the table cites is a test, or a case of the attacks here."""
    assert row["tests"]
    for test in row["tests"]:
        if test in ATTACKS:
            continue
        path, _, function = test.partition("::")
        module = import_module(path.removesuffix(".py").replace("/", "."))
        assert callable(getattr(module, function)), test


def test_every_attack_is_in_the_table() -> None:
    """No attack is tested without being told."""
    assert set(ATTACKS) <= {test for row in rows() for test in row["tests"]}


def test_page_is_current(root: Path, golden: Callable[[str | Path, str | bytes], None]) -> None:
    """The page of the site is the one that the table gives."""
    golden(root / PAGE, page())


def page() -> str:
    """Return the page."""
    lines = ["| attack | what happens | tests |", "| --- | --- | --- |"]
    for row in rows():
        shown = "<br>".join(f"`{_short(test)}`" for test in row["tests"])
        lines.append(f"| {row['attack']} | {row['happens']} | {shown} |")
    return f"{HEAD}\n" + "\n".join(lines) + "\n"


def _short(test: str) -> str:
    return f'test_attacks: "{test}"' if test in ATTACKS else test.removeprefix("tests/").replace(".py::", ": ")
