from __future__ import annotations

import re
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from xregit.cli import commands, runner
from xregit.cli.commands import COMMANDS, SYNONYMS
from xregit.cli.runner import run
from xregit.diagnostics import Diagnostic, Severity
from xregit.errors import CatalogError, XregitError

HEAVY = ("yaml", "jsonschema", "git", "orjson", "mkdocs", "pyspark", "xregit.catalog", "xregit.document")

FAULT = Diagnostic("cycle", Severity.ERROR, "registry/a.yaml", "it builds on itself", line=3, column=1)


def ending_with(error: BaseException) -> click.Command:
    """Return a command that ends with this error."""

    def end() -> None:
        raise error

    return click.Command("end", callback=end)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[click.Command], None]:
    """Return a function that adds a command named ``end`` to the table."""

    def add(added: click.Command) -> None:
        monkeypatch.setattr(sys.modules[__name__], "added", added, raising=False)
        monkeypatch.setitem(commands.COMMANDS, "end", (f"{__name__}:added", "End."))

    return add


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CatalogError((FAULT,)), 1, "registry/a.yaml:3:1: error cycle: it builds on itself"),
        (XregitError("there is no registry"), 2, "xregit: error: there is no registry"),
        (
            FileNotFoundError(2, "No such file or directory", "a.yaml"),
            2,
            "xregit: error: No such file or directory: a.yaml",
        ),
        (click.UsageError("no such option"), 2, "Error: no such option"),
        (click.exceptions.Exit(1), 1, ""),
        (KeyError("groups"), 3, "xregit: internal error: KeyError: 'groups'"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (RecursionError("too deep"), 3, "xregit: internal error: RecursionError: too deep"),
    ],
)
def test_ending_is_a_code_and_a_line(
    error: BaseException,
    code: int,
    said: str,
    command: Callable[[click.Command], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """However a command ends, there is one exit code and what was wrong stands on standard error, never a traceback."""
    command(ending_with(error))
    result = run(["end"])
    captured = capsys.readouterr()
    assert result == code
    assert captured.out == ""
    assert said in captured.err
    assert bool(said) == bool(captured.err.strip())
    assert "Traceback" not in captured.err


def test_internal_error_says_where_and_whom_to_tell(
    command: Callable[[click.Command], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The report of an internal error names the place in the code and asks to be passed on."""
    command(ending_with(ZeroDivisionError("division by zero")))
    run(["end"])
    report = capsys.readouterr().err
    assert "(cli/runner.py:" in report
    assert "Please report" in report


@pytest.mark.parametrize(
    "arguments", [["chekc"], ["--nonsense"], ["check", "--format", "yaml"], ["build", "--only", "nonsense"]]
)
def test_wrong_usage_is_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown command, option, format or step is wrong usage."""
    assert run(arguments) == 2
    assert "Error:" in capsys.readouterr().err


def test_nearly_a_command_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in a command's name is wrong usage, and the name that was meant is told."""
    assert run(["chek"]) == 2
    assert 'There is no command "chek"; did you mean "xregit check"?' in capsys.readouterr().err


def test_synonym_of_a_command_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    """What other tools call a command is none here, and each name in the table stands for one that is."""
    assert run(["validate"]) == 2
    assert 'did you mean "xregit check"?' in capsys.readouterr().err
    assert {name.split()[0] for name in SYNONYMS.values()} <= {*COMMANDS, "--help"}
    assert not SYNONYMS.keys() & COMMANDS.keys()
    assert run(["frobnicate"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_help_imports_no_command() -> None:
    """The list of commands needs neither the commands nor the libraries that they use."""
    program = (
        "import sys, xregit.cli as c; c.runner.run(['--help']); print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", program, *HEAVY], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_command_is_in_help_and_readme(name: str, root: Path) -> None:
    """Each command's help begins as the table says, and the README names it."""
    command = commands.xregit.get_command(click.Context(commands.xregit), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").split("\n")[0] == commands.COMMANDS[name][1]
    assert re.search(rf"^\| `{name}[ `]", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_module_runs_as_a_program() -> None:
    """``python -m xregit`` is the same program, and knows its version."""
    process = subprocess.run([sys.executable, "-m", "xregit", "--version"], capture_output=True, text=True, check=True)
    assert process.stdout.startswith("xregit, version ")


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    """A reader that has seen enough, such as head, leads to no message."""
    program = f"{{ sleep 0.3; {sys.executable} -m xregit --help; echo $? >code; }} | true"
    process = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (process.stderr, (tmp_path / "code").read_text()) == ("", "141\n")


def test_full_disk_behind_the_output_is_a_line() -> None:
    """Results that can't be written end the command with one line."""
    with Path("/dev/full").open("w") as full:
        program = [sys.executable, "-m", "xregit", "--help"]
        process = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (process.returncode, process.stderr) == (2, "xregit: error: No space left on device\n")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_command_without_outputs_does_its_work(closed: str) -> None:
    """A program that is begun without outputs, as some schedulers begin it, has an exit code like any other."""
    program = f"{sys.executable} -m xregit explain {closed}"
    process = subprocess.run(["sh", "-c", program], stderr=subprocess.PIPE, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")


def test_want_of_memory_is_told_when_what_took_it_is_gone(
    command: Callable[[click.Command], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a command had made until its memory ended is let go first, as there is none left to tell of it."""
    results: list[weakref.ref[set[int]]] = []
    told: list[tuple[bool, str]] = []

    def fill() -> None:
        much = set[int]()
        results.append(weakref.ref(much))
        raise MemoryError

    command(click.Command("end", callback=fill))
    monkeypatch.setattr(runner, "note", lambda text: told.append((results[0]() is None, text)))
    assert run(["end"]) == 2
    assert told == [(True, "xregit: error: there is not enough memory for this; what was written before is unchanged")]


def test_exit_of_a_command_is_no_closed_pipe(command: Callable[[click.Command], None]) -> None:
    """What a command, or a library that it uses, ends with stays what it is."""
    command(ending_with(SystemExit(7)))
    with pytest.raises(SystemExit, match="7"):
        run(["end"])
