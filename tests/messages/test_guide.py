"""The examples of the guide do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "site" / "manual" / "messages.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sh\n(.*?)```\n\n```json\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_commands_print_what_the_page_shows(number: int) -> None:
    """Each command of the page, run by a shell in a clone, prints the lines below it."""
    command, printed = EXAMPLES[number]
    line = f'xregit() {{ "{sys.executable}" -m xregit "$@"; }}\n{command}'
    process = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout == printed
    assert process.stderr == ""


def test_python_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's Python program runs in a clone."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(compile(program, "messages.md", "exec"), {})  # noqa: S102 - our own page
    assert len(EXAMPLES) == 3
