"""Colours: on a terminal, unless somebody says otherwise."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from xregit.cli.runner import run

ESCAPE = "\x1b["


@pytest.fixture
def here(here: Path) -> Path:
    """Make one error in the new registry."""
    message = here / "registry/messagegroups/orders/messages/order.placed.yaml"
    message.write_text(message.read_text(encoding="utf-8").replace("name:", "nome:"), encoding="utf-8")
    return here


def on_terminal(folder: Path, options: Sequence[str], command: str = "check", due: int = 1, **environment: str) -> str:
    """Return what a command prints on a terminal of its own."""
    mine, theirs = os.openpty()
    line = [sys.executable, "-m", "xregit", command, *options]
    known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    settings = {**known, "TERM": "xterm", **environment}
    with os.fdopen(mine, "rb", buffering=0) as terminal:
        process = subprocess.run(line, cwd=folder, stdout=theirs, env=settings, check=False)
        os.close(theirs)
        assert process.returncode == due
        return terminal.read(65536).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="only a system with pseudo-terminals can show it")
def test_terminal_gets_colours_unless_somebody_says_otherwise(here: Path) -> None:
    """NO_COLOR and a terminal that knows no colours speak against them; an option counts before both."""
    assert ESCAPE in on_terminal(here, [])
    assert ESCAPE not in on_terminal(here, [], NO_COLOR="1")
    assert ESCAPE not in on_terminal(here, [], TERM="dumb")
    assert ESCAPE not in on_terminal(here, ["--color", "never"])
    assert ESCAPE in on_terminal(here, ["--color", "always"], NO_COLOR="1")


@pytest.mark.usefixtures("here")
def test_file_gets_colours_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """What is no terminal gets plain text, and the line with carets under what is wrong."""
    assert run(["check"]) == 1
    assert "  1 | nome: Order placed\n    | ^^^^\n" in capsys.readouterr().out
    assert run(["check", "--color", "always"]) == 1
    assert ESCAPE in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="only a system with pseudo-terminals can show it")
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_no_text_steers_the_terminal_that_shows_it(here: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a terminal would obey or hide is shown by escapes, which are JSON's own; a file gets the text as it is."""
    text = "red \x9b31m, turned \u202e, tagged \U000e0041, deleted \x7f"
    group = here / "registry/messagegroups/orders/messagegroup.yaml"
    escaped = text.encode("unicode_escape").decode()
    group.write_text(f'description: "{escaped}"\n', encoding="utf-8")
    asked = ["/messagegroups/orders", "--format", form]
    shown = on_terminal(here, asked, "show", 0)
    assert all(line.isprintable() for line in shown.splitlines())
    assert "turned \\u202e, tagged \\udb40\\udc41" in shown
    assert run(["show", *asked]) == 0
    if form == "json":
        assert json.loads(shown)["attributes"]["description"] == text
        assert json.loads(capsys.readouterr().out)["attributes"]["description"] == text


STEERING = [
    "\n::add-mask::x",
    "\n  ::stop-commands::x",
    "##[add-mask]x",
    "##vso[task.x]y",
    "\x1b[2J",
    "\u202e",
    "\u200b",
]


@pytest.mark.parametrize("text", STEERING)
@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
def test_no_text_is_a_command_of_a_log(here: Path, text: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a name holds, a report is no command to the CI that logs it, and hides nothing from who reads it."""
    group = here / "registry/messagegroups/orders/messagegroup.yaml"
    content = json.dumps({"description": f"A{text}", "labels": {f"a{text}": "b"}, f"b{text}": "c"})
    group.write_text(content, encoding="utf-8")
    for arguments in (["check", "--format", form], ["check", f"none{text}"], ["show", f"/messagegroups/orders{text}"]):
        assert run(arguments) in {1, 2}
    printed = capsys.readouterr()
    for line in (printed.out + printed.err).split("\n"):
        assert line.isprintable()
        is_annotation = form == "github" and re.match(r"::(error|warning|notice) ", line)
        assert is_annotation or not re.match(r"\s*::|.*##(vso)?\[", line)
