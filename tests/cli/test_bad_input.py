from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from xregit.cli.runner import run

MESSAGES = Path("registry/messagegroups/orders/messages")
FILE = MESSAGES / "order.placed.yaml"


@pytest.fixture
def here(here: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Build the new registry."""
    assert run(["build", "--only", "document,api"]) == 0
    capsys.readouterr()
    return here


def truncated(file: Path) -> None:
    """Cut the file in the middle of a word."""
    file.write_bytes(file.read_bytes()[:-7] + b': "')


def folder(file: Path) -> None:
    """Put a folder where the file should be."""
    file.unlink()
    file.mkdir()
    (file / "inside.yaml").touch()


def nul(file: Path) -> None:
    """Put a NUL byte into the file."""
    file.write_bytes(b"name: a\0b\n")


def large(file: Path) -> None:
    """Make the file 100 MB large, without filling the disk."""
    os.truncate(file, 100_000_000)


def dots(file: Path) -> None:
    """Give the file an id that leads upwards."""
    file.rename(file.with_name("a..%2F..%2Fb.yaml"))


def foreign(file: Path) -> None:
    """Put a link that leaves the registry where the file should be."""
    file.unlink()
    file.symlink_to("/etc/hostname")


def binary(file: Path) -> None:
    """Fill the file with bytes that are no text."""
    file.write_bytes(bytes(range(256)))


def deep(file: Path) -> None:
    """Nest deeper than any reader should follow."""
    file.write_bytes(b"[" * 200_000)


def scalar(file: Path) -> None:
    """Say something that is no mapping."""
    file.write_bytes(b"42\n")


BAD = (truncated, folder, nul, large, dots, foreign, binary, deep, scalar)


@pytest.mark.parametrize("spoil", BAD, ids=lambda spoil: spoil.__name__)
def test_bad_file_is_a_finding_and_stops_the_build(
    spoil: Callable[[Path], None], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong with a file, check names it with exit code 1, and build leaves its last output alone."""
    spoil(here / FILE)
    before = contents(here / "build")
    assert run(["check"]) == 1
    assert str(MESSAGES) in capsys.readouterr().out
    assert run(["build"]) == 1
    assert str(MESSAGES) in capsys.readouterr().err
    assert contents(here / "build") == before


@pytest.mark.parametrize("text", ["", "# only a remark\n", "registryid: x\n"])
def test_empty_registry_is_checked_and_built(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A registry without entities is no crash: it has findings, or it is built."""
    (tmp_path / "registry.yaml").write_text(text, encoding="utf-8")
    assert run(["--registry", str(tmp_path), "check"]) in {0, 1}
    assert run(["--registry", str(tmp_path), "compile"]) in {0, 1}
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing.json", "empty.json", "folder", "text.json", "cut.json"])
def test_bad_document_is_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A registry that isn't there, or isn't one, is said in a line."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.json").touch()
    (tmp_path / "text.json").write_text("Dear reader,", encoding="utf-8")
    (tmp_path / "cut.json").write_text('{"specversion": "1.0-rc2", "messagegroups": {"a', encoding="utf-8")
    code = run(["--registry", str(tmp_path / name), "check"])
    captured = capsys.readouterr()
    assert code in {1, 2}
    assert name in captured.out + captured.err
    assert "internal error" not in captured.err


def fifo(file: Path) -> None:
    """Put a pipe where the file should be."""
    file.unlink()
    os.mkfifo(file)


def plain(folder: Path) -> None:
    """Put a file where the folder should be."""
    shutil.rmtree(folder)
    folder.write_text("Moved.", encoding="utf-8")


ORDER = Path("registry/schemagroups/orders/schemas/order")


@pytest.mark.parametrize(
    ("path", "spoil", "rule"),
    [
        (Path("registry/registry.yaml"), large, "file-size"),
        (Path("registry/messagegroups/orders/messagegroup.yaml"), Path.unlink, "missing-file"),
        (FILE, fifo, "file-kind"),
        (MESSAGES, plain, "misplaced-file"),
        (ORDER / "versions/1.json", large, "file-size"),
        (ORDER / "schema.yaml", Path.unlink, "missing-file"),
    ],
)
def test_one_bad_file_is_one_finding(
    path: Path, spoil: Callable[[Path], None], rule: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What depends on a file that can't be read is not reported as missing or wrong too."""
    spoil(here / path)
    assert run(["check", "--format", "json"]) == 1
    assert [item["rule"] for item in json.loads(capsys.readouterr().out)["diagnostics"]] == [rule]


@pytest.mark.parametrize(
    "rules", ["[1]", "7", "{unknown-attribute: [1]}", "{unknown-attribute: {a: b}}", "{unknown-attribute: maybe}"]
)
def test_nonsense_in_settings_is_a_finding(rules: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Settings that have the wrong type change nothing and are reported."""
    (here / "registry/xregit.yaml").write_text(f"rules: {rules}\n", encoding="utf-8")
    assert run(["check"]) == 1
    assert "registry/xregit.yaml:1:" in capsys.readouterr().out


def test_settings_that_make_light_of_a_file_count_everywhere(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the settings soften keeps no command from writing, and the text is the same sentence in each."""
    stray = here / "registry/messagegroups/orders/message/stray.yaml"
    stray.parent.mkdir()
    stray.write_text("name: Stray\n", encoding="utf-8")
    assert run(["compile", "-o", "out.json"]) == 1
    assert "error misplaced-file: This folder is not for entities of the registry" in capsys.readouterr().err
    (here / "registry/xregit.yaml").write_text("rules: {misplaced-file: warning}\n", encoding="utf-8")
    assert run(["compile", "-o", "out.json"]) == 0
    assert run(["build", "--only", "check,document"]) == 0


@pytest.mark.parametrize("path", ["registry/messagegroups/orders/message/stray.yaml", "registry/messagegroups/orders"])
def test_folder_with_a_wrong_name_is_told_of_each_file_in_it(
    path: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who checks the file that he wrote learns that nobody reads its folder."""
    stray = here / "registry/messagegroups/orders/message/stray.yaml"
    stray.parent.mkdir()
    stray.write_text("name: Stray\n", encoding="utf-8")
    assert run(["check", "--format", "json", path]) == 1
    results = [(item["rule"], item["path"]) for item in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert results == [("misplaced-file", "registry/messagegroups/orders/message/")]


def test_full_disk_leaves_the_last_build_alone(here: Path) -> None:
    """When the disk is full in the middle of a build, one line says so and the last output is whole."""
    before = contents(here / "build")
    (here / FILE).write_text((here / FILE).read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    limited = "import resource as r, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limited += "r.setrlimit(r.RLIMIT_FSIZE, (1000, 1000)); from xregit.cli import main; main()"
    program = [sys.executable, "-c", limited, "build", "--only", "document,api"]
    process = subprocess.run(program, capture_output=True, text=True, check=False, cwd=here)
    assert process.returncode == 2
    assert process.stderr.startswith("xregit: error: ")
    assert "File too large" in process.stderr
    assert process.stderr.count("\n") == 1
    assert contents(here / "build") == before


def contents(root: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", [["match", os.devnull], ["compile", "-o", "out.json"], ["build"]])
def test_what_is_wrong_is_shown_with_its_line(
    command: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that can't go on shows where, and says of nothing that it was not written which would write nothing."""
    (here / FILE).write_text("name: [order\n", encoding="utf-8")
    assert run(command) == 1
    output = capsys.readouterr().err
    assert "| name: [order\n" in output
    assert ("Nothing was written." in output) == (command == ["build"])
    assert ("Nothing was done." in output) == (command != ["build"])


def test_wrong_line_of_an_imported_document_is_shown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A document that can't be imported is shown where it is wrong."""
    (here / "bad.yaml").write_text("registryid: a\nname: [b\n", encoding="utf-8")
    assert run(["import", "bad.yaml", "--into", "other"]) == 1
    assert "| name: [b\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["build"], "-o"),
        (["build", "--only", "document"], "-o"),
        (["site"], "-o"),
        (["site"], "--pages"),
        (["publish"], "--tables"),
        (["route", "--input", "messages.jsonl"], "--tables"),
        (["export", "--to", "asyncapi"], "-o"),
        (["schema"], "-o"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("output", ["registry", "registry/build", "linked/messagegroups"])
def test_nothing_is_written_into_the_registry(
    output: str, command: list[str], option: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An output folder that is the registry's own, or inside it by whatever name, is refused before all else."""
    (here / "linked").symlink_to("registry")
    before = contents(here)
    assert run([*command, option, output]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "the folder of the registry itself" in line
    assert contents(here) == before


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["site", "-o"], "."),
        (["site", "--pages"], "."),
        (["export", "--to", "asyncapi", "-o"], "."),
        (["build", "-o"], ".."),
    ],
    ids=str,
)
def test_no_output_takes_the_place_of_the_registry(
    command: list[str], output: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is replaced as a whole can't be one that holds the registry."""
    place = here / "site"  # as a build calls one of its folders
    shutil.rmtree(place)
    place.mkdir()
    (here / "registry").rename(place / "registry")
    monkeypatch.chdir(place)
    before = contents(here)
    assert run([*command, output]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert 'holds the registry "registry"' in line
    assert contents(here) == before


@pytest.mark.parametrize("empty", ["", " "])
@pytest.mark.parametrize(
    "command",
    [
        ["check", "--against"],
        ["build", "--at"],
        ["show", "/", "--at"],
        ["tables", "--at"],
        ["publish", "--history"],
        ["diff"],
        ["diff", "HEAD"],
    ],
    ids=" ".join,
)
def test_empty_name_of_a_commit_is_wrong_usage(
    command: list[str], empty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a script makes of a variable that was never set is not taken for the working directory."""
    assert run([*command, empty]) == 2
    assert "the text is empty; name a commit, branch or tag" in capsys.readouterr().err


def test_registry_at_the_top_of_its_repository_has_outputs_beside_its_groups(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else is there where they could go; the folders of groups are refused as ever."""
    monkeypatch.chdir(here / "registry")
    Path(".git").mkdir()
    assert run(["--registry", ".", "export", "--to", "asyncapi", "-o", "build"]) == 0
    assert run(["--registry", ".", "check"]) == 0
    capsys.readouterr()
    for output in (".", "messagegroups", "messagegroups/build"):
        assert run(["--registry", ".", "export", "--to", "asyncapi", "-o", output]) == 2
        assert "the folder of the registry itself" in capsys.readouterr().err
