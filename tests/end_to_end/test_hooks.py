"""The hooks for pre-commit, run by pre-commit itself: those that this repository offers, and those that init writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest
import yaml

from tests.end_to_end.programs import xregit
from tests.source.repositories import Repository, new_repository

MESSAGE = "registry/messagegroups/orders/messages/order.placed.yaml"
WITHOUT_PYPI = "Could not find a version that satisfies"


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    """Return a repository that init has made."""
    repository = new_repository(tmp_path / "made")
    assert xregit("init", at=repository.root).returncode == 0
    repository.commit("Begin")
    return repository


def pre_commit(*arguments: str, at: Repository, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run pre-commit in a repository, with nothing kept from another run."""
    program = Path(sys.executable).with_name("pre-commit")
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHONPATH"))}
    home = {"PRE_COMMIT_HOME": str(at.root.parent / "home"), "PRE_COMMIT_COLOR": "never"}
    return subprocess.run(
        [program, *arguments], cwd=at.root, env=usual | home | variables, capture_output=True, text=True, check=False
    )


def local(*, at: Repository, everything: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the hooks that init has written on all files or on what is to be committed, with the tool under test."""
    config = yaml.safe_load((at.root / ".pre-commit-config.yaml").read_bytes())
    for hook in config["repos"][0]["hooks"]:
        assert hook.pop("language") == "python"
        assert len(hook.pop("additional_dependencies")) == 1
        hook["language"] = "system"
    file = at.root.parent / "config.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    result = os.pathsep.join(part for part in sys.path if part)
    chosen = ("--all-files",) if everything else ()
    return pre_commit("run", "--config", str(file), *chosen, at=at, PATH=path, PYTHONPATH=result)


def results(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return whether each hook passed."""
    return [line.rpartition(".")[2] for line in done.stdout.splitlines() if line.endswith(("Passed", "Failed"))]


def test_hooks_of_a_new_repository_pass(made: Repository) -> None:
    """What init has written is right and in its canonical form."""
    process = local(at=made)
    assert results(process) == ["Passed", "Passed"], process.stdout
    assert process.returncode == 0


def test_hooks_find_what_is_wrong(made: Repository) -> None:
    """The form is corrected in the file, and what breaks a rule is told with its line."""
    text = (made.root / MESSAGE).read_text(encoding="utf-8")
    made.write({MESSAGE: text.replace("name: Order placed", "nmae:   Order placed")})
    made.git("add", "-A")
    process = local(at=made)
    assert results(process) == ["Failed", "Failed"], process.stdout
    assert f"{MESSAGE}:1:1: error " in process.stdout
    assert (made.root / MESSAGE).read_text(encoding="utf-8").startswith("nmae: Order placed\n")


def test_hooks_find_what_is_gone(made: Repository) -> None:
    """A commit that only removes a file is checked, too."""
    made.git("rm", "-q", "registry/schemagroups/orders/schemas/order/versions/1.json")
    process = local(at=made, everything=False)
    assert results(process) == ["Failed"], process.stdout
    assert "error document-missing" in process.stdout


def test_hooks_of_this_repository_are_installed_and_pass(root: Path, made: Repository, tmp_path: Path) -> None:
    """Another repository names this one, and pre-commit makes an environment with the tool from it and PyPI."""
    tool = new_repository(tmp_path / "tool")
    copytree(root / "tools", tool.root / "tools", ignore=ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        copy(root / name, tool.root / name)
    tool.commit("The tool")
    process = pre_commit("try-repo", str(tool.root), "--all-files", at=made)
    if WITHOUT_PYPI in process.stdout:
        pytest.skip("PyPI can't be reached")
    assert results(process) == ["Passed", "Passed"], process.stdout
    assert process.returncode == 0
