"""A branch of deliberate changes of every kind, pushed to a bare repository: the verdicts of a careful reviewer."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.source.repositories import Repository, new_repository
from xregit.cli.runner import run

HERE = Path(__file__).parent / "branch"
CHANGES: list[dict[str, Any]] = yaml.safe_load((HERE / "changes.yaml").read_text(encoding="utf-8"))
LATER = "registry/messagegroups/ships/messages/ship.sighted.yaml"


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fresh clone with the branch checked out, as CI has it; main has moved on since the branch left it."""
    folder = tmp_path_factory.mktemp("harbour")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder / "origin.git"], check=True)
    author = new_repository(folder / "author")
    author.git("remote", "add", "origin", str(folder / "origin.git"))
    files: dict[str, str] = yaml.safe_load((HERE / "registry.yaml").read_text(encoding="utf-8"))
    _commit(author, "The harbour", files)
    author.git("checkout", "-q", "-b", "changes")
    for change in CHANGES:
        _commit(author, change["name"], _edited(author.root, change))
    author.git("checkout", "-q", "main")
    _commit(author, "Meanwhile on main", {LATER: "description: A ship has been sighted.\n"})
    author.git("push", "-q", "origin", "main", "changes")
    subprocess.run(["git", "clone", "-q", "-b", "changes", folder / "origin.git", folder / "clone"], check=True)
    return folder / "clone"


def _edited(root: Path, change: dict[str, Any]) -> dict[str, str | None]:
    path = f"registry/{change['file']}"
    if "edit" not in change:
        return {path: change.get("text")}
    old, new = change["edit"]
    text = (root / path).read_text(encoding="utf-8")
    assert text.count(old) == 1, change["name"]
    return {path: text.replace(old, new)}


def _commit(repository: Repository, subject: str, files: Mapping[str, str | None]) -> None:
    for path, text in files.items():
        file = repository.root / path
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    repository.commit(subject)


def diff(clone: Path, form: str, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    """Run the command in the clone, and return its exit code and what it printed."""
    code = run(["--registry", str(clone / "registry"), "diff", "origin/main", "--merge-base", "--format", form, *more])
    return code, capsys.readouterr().out


@pytest.mark.requirement("MSG-7", "MSG-8")
def test_every_change_gets_the_verdict_of_a_careful_reviewer(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exactly these, with what they reach, and nothing of what main did meanwhile."""
    code, output = diff(clone, "json", capsys)
    results = [_verdict(item) for item in json.loads(output)["changes"]]
    assert sorted(verdict for change in CHANGES for verdict in change["verdict"]) == sorted(results)
    assert code == 1


def _verdict(item: dict[str, Any]) -> str:
    reaches = f" +{len(item['reaches'])}" if item["reaches"] else ""
    impact = f"{item['producer']['impact']}/{item['consumer']['impact']}"
    return f"{item['standing']} {impact} {item['rule']} {item['xid']}{reaches}"


@pytest.mark.parametrize("form", ["text", "markdown", "github"])
def test_the_report_reads_well(
    form: str, clone: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    """What breaks comes first, and says whom, where and what to do."""
    pages = ("--pages", "https://harbour.example.com/") if form == "markdown" else ()
    code, output = diff(clone, form, capsys, *pages)
    assert code == 1
    golden(f"changes/branch.{'md' if form == 'markdown' else 'txt' if form == 'text' else form}", output)


def test_annotations_of_what_a_branch_touched_come_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub shows ten of each severity: twelve warnings that main has, too, would hide that of the branch."""
    repository = new_repository(tmp_path / "repository")
    message = "registry/messagegroups/{}/messages/m.yaml".format
    old = {message(f"a{number:02}"): "protocol: HTTP\nprotocoloptions: {path: x}\n" for number in range(12)}
    groups = {path.replace("messages/m", "messagegroup"): "description: A.\n" for path in [*old, message("z")]}
    _commit(repository, "Main", {"registry/registry.yaml": "registryid: r\n", **groups, **old})
    repository.git("checkout", "-q", "-b", "changes")
    _commit(repository, "Branch", {message("z"): "protocol: HTTP\nprotocoloptions: {path: x}\n"})
    monkeypatch.chdir(repository.root)
    assert run(["check", "--format", "github"]) == 0
    assert f"file={message('a00')}" in _first_warning(capsys)
    assert run(["check", "--against", "main", "--format", "github"]) == 0
    assert f"file={message('z')}" in _first_warning(capsys)
    assert run(["check", "--against", "./registry", "--format", "github"]) == 0
    assert f"file={message('a00')}" in _first_warning(capsys)


def _first_warning(capsys: pytest.CaptureFixture[str]) -> str:
    return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("::warning"))


def test_annotations_are_on_the_lines_that_changed(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line that is annotated was changed by the branch, unless its file is gone."""
    _, output = diff(clone, "json", capsys)
    items = [item for item in json.loads(output)["diagnostics"] if item["line"] and item["rule"] != "waiver-used"]
    assert len(items) >= 8
    for item in items:
        command = ["git", "diff", "--unified=0", "origin/main...HEAD", "--", item["path"]]
        patch = subprocess.run(command, cwd=clone, check=True, capture_output=True, text=True).stdout
        assert any(item["line"] in lines for lines in _changed(patch)), item


def _changed(patch: str) -> list[range]:
    """Return the lines that a patch touches on its new side, and what stands above a stretch that is gone."""
    heads = [line.split("+")[1].split(" ")[0] for line in patch.splitlines() if line.startswith("@@")]
    numbers = [(int(head.split(",")[0]), int(([*head.split(","), "1"])[1])) for head in heads]
    return [range(start, start + count) if count else range(max(start, 1) - 2, start + 2) for start, count in numbers]


def test_the_check_reports_what_the_branch_breaks(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside what is wrong with the catalog as it is; without a commit nothing of it."""
    registry = ["--registry", str(clone / "registry"), "check", "--format", "json"]
    assert run([*registry, "--against", "origin/main"]) == 1
    results = {item["rule"] for item in json.loads(capsys.readouterr().out)["diagnostics"]}
    assert {"value-changed", "definition-removed", "waiver-used"} <= results
    run(registry)
    alone = {item["rule"] for item in json.loads(capsys.readouterr().out)["diagnostics"]}
    assert not {"value-changed", "definition-removed", "waiver-used"} & alone


def test_sarif_and_junit_hold_the_same(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Services that read these see each finding."""
    _, report = diff(clone, "json", capsys)
    count = len(json.loads(report)["diagnostics"])
    code, sarif = diff(clone, "sarif", capsys)
    assert (code, len(json.loads(sarif)["runs"][0]["results"])) == (1, count)
    assert diff(clone, "junit", capsys)[1].count("<testcase") == count


def test_a_document_can_be_compared(clone: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A compiled document says the same as the files that it was made from, though it is written otherwise."""
    document = tmp_path / "registry.json"
    registry = str(clone / "registry")
    assert run(["--registry", registry, "compile", "-o", str(document)]) == 0
    capsys.readouterr()
    assert run(["--registry", registry, "diff", str(document), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == []
    run(["--registry", registry, "check", "--format", "json"])
    alone = json.loads(capsys.readouterr().out)["counts"]
    run(["--registry", registry, "check", "--against", str(document), "--format", "json"])
    assert json.loads(capsys.readouterr().out)["counts"]["error"] == alone["error"]


def test_what_is_neither_commit_nor_path_is_said(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, with a way out."""
    for command in (["diff", "nowhere"], ["diff", "HEAD", "nowhere"], ["check", "--against", "nowhere"]):
        assert run(["--registry", str(clone / "registry"), *command]) == 2
        assert "no commit" in capsys.readouterr().err


def test_what_cannot_be_read_is_named(clone: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It is left out of the comparison, on either side; for that nothing counts as removed, or as unchanged."""
    shutil.copytree(clone, tmp_path / "copy")
    (tmp_path / "copy/registry/messagegroups/ships/messages/ship.position.yaml").write_text("a: [\n", encoding="utf-8")
    assert run(["--registry", str(tmp_path / "copy/registry"), "diff", "HEAD"]) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("No changes in what can be read.\n")
    assert "ship.position.yaml: error file-not-compared" in printed.out


def test_files_of_a_branch_are_no_base(clone: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A folder that is called like what the branch is compared with takes its place only where it was named as one."""
    shutil.copytree(clone, tmp_path / "copy")
    repository = Repository(tmp_path / "copy")
    shutil.copytree(repository.root / "registry", repository.root / "upstream/main")
    repository.commit("A base of its own")
    with contextlib.chdir(repository.root):
        assert run(["check", "--against", "upstream/main"]) == 2
        assert 'files that are committed there, write "./upstream/main"' in capsys.readouterr().err
        assert run(["diff", "./upstream/main"]) == 0


def test_link_in_place_of_the_registry_is_refused(
    clone: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Its files would count as added, and what CODEOWNERS says of the folder would not be about them."""
    shutil.copytree(clone, tmp_path / "copy")
    repository = Repository(tmp_path / "copy")
    repository.git("mv", "registry", "catalog")
    (repository.root / "registry").symlink_to("catalog")
    repository.commit("A link", **{"catalog/registry.yaml": "registryid: another\ndescription: Nothing is alike.\n"})
    for command in (["check", "--against", "origin/main"], ["diff", "--merge-base", "origin/main"]):
        assert run(["--registry", str(repository.root / "registry"), *command]) == 2
        assert "is a symbolic link" in capsys.readouterr().err
    assert run(["--registry", str(repository.root / "catalog"), "check", "--against", "origin/main"]) == 1
    assert "error definition-removed" in capsys.readouterr().out


def test_file_that_is_checked_out_otherwise_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is committed would be compared later on as if it had been checked out now, and break nobody."""
    repository = new_repository(tmp_path / "repository")
    group = "registry/messagegroups/g/messagegroup.yaml"
    _commit(repository, "Begin", {"registry/registry.yaml": "registryid: x\n", group: "description: G.\n"})
    registry = ["--registry", str(repository.root / "registry")]
    for attribute in ("working-tree-encoding=ASCII//TRANSLIT", "ident"):
        assert run([*registry, "check", "--against", "main"]) == 0
        _commit(repository, "Attributes", {".gitattributes": f"*.yaml {attribute}\n"})
        for command in (["check", "--against", "main"], ["diff", "--merge-base", "main"]):
            capsys.readouterr()
            assert run([*registry, *command]) == 2
            assert f'"{attribute.partition("=")[0]}" gives "{group}" other bytes' in capsys.readouterr().err
        _commit(repository, "No attributes", {".gitattributes": "*.yaml text eol=lf\n"})


def test_waivers_behind_a_link_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A base from before links were refused has no waivers there: the owners of the target don't decide on breaks."""
    repository = new_repository(tmp_path / "repository")
    path = "registry/messagegroups/g/messages/m.yaml"
    waiver = "waivers: [{xid: '*', rule: value-changed, reason: Agreed., approvedby: Ann, until: 2099-01-01}]\n"
    message = "envelope: CloudEvents/1.0\nenvelopemetadata: {type: {value: a}}\n"
    begin = {"registry/registry.yaml": "registryid: x\n", "registry/messagegroups/g/messagegroup.yaml": "name: G\n"}
    registry = ["--registry", str(repository.root / "registry")]
    for target in ("waivers.yaml", "messagegroups/g/w.txt"):
        _commit(repository, "Begin", {**begin, path: message, f"registry/{target}": waiver})
        if target != "waivers.yaml":
            (repository.root / "registry/waivers.yaml").symlink_to(target)
            _commit(repository, "A link", {})
        repository.git("branch", "-f", "base")
        (repository.root / "registry/waivers.yaml").unlink()
        _commit(repository, "A break", {path: message.replace("value: a", "value: b")})
        assert run([*registry, "check", "--against", "base"]) == (0 if target == "waivers.yaml" else 1)
        assert ("error value-changed" in capsys.readouterr().out) == (target != "waivers.yaml")


@pytest.mark.requirement("MSG-8")
def test_what_moves_with_its_registry_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A branch that puts the registry into another folder hides no break behind that."""
    repository = new_repository(tmp_path / "repository")
    messages = "registry/messagegroups/g/messages"
    _commit(
        repository, "Begin", {"registry/registry.yaml": "registryid: x\n", f"{messages}/m.yaml": "description: M.\n"}
    )
    (repository.root / "catalog").mkdir()
    repository.git("mv", "registry", "catalog/registry")
    _commit(repository, "Move it", {f"catalog/{messages}/m.yaml": None})
    registry = ["--registry", str(repository.root / "catalog" / "registry")]
    assert run([*registry, "check", "--against", "HEAD~1"]) == 1
    told = capsys.readouterr()
    assert "error definition-removed" in told.out
    assert 'the registry was in "registry" at' in told.err
