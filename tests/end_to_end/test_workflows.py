"""The workflows of this repository do what they promise, shown by running their steps."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.end_to_end.workflows import INSTALL, Runner, files, load
from tests.source.repositories import Repository, new_repository

EVERY_EVENT = {
    "github.event.merge_group.base_sha": "",
    "github.event.repository.default_branch": "main",
    "github.repository": "example/catalog",
    "github.server_url": "https://github.com",
    "vars.SITE_URL": "",
}
PULL_REQUEST = {
    **EVERY_EVENT,
    "github.base_ref": "main",
    "github.event.pull_request.head.repo.full_name": "example/catalog",
}
QUEUE = {**PULL_REQUEST, "github.base_ref": "", "github.event.merge_group.base_sha": "origin/main"}
PUSH = {
    **EVERY_EVENT,
    "github.base_ref": "",
    "vars.XREGIT_PAGES": "",
    "vars.XREGIT_TABLES": "",
}
POSITION = "registry/messagegroups/fleet.telemetry.legacy/messages/fleet.position.reported.yaml"
CHECK, SUMMARY = "Findings, and what the change breaks", "Summary of the change"
PINNED = re.compile(r"uses: (\./\S+|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)")


@pytest.fixture(scope="module")
def origin(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository with the example catalog, the site's pages and the workflows on its branch main."""
    repository = new_repository(tmp_path_factory.mktemp("workflows") / "origin")
    for name in ("registry", "site", ".github"):
        copytree(root / name, repository.root / name)
    repository.commit("Begin")
    return repository


def merged(origin: Repository, into: Path, old: str, new: str) -> Path:
    """Return a clone with the merge commit of a branch that edits a message, as a pull request has it."""
    branch = into.name
    origin.git("checkout", "-q", "-b", branch, "main")
    file = origin.root / POSITION
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    origin.commit("Change it")
    origin.git("checkout", "-q", "main")
    subprocess.run(["git", "clone", "-q", origin.root, into], check=True)
    clone = Repository(into)
    clone.git("checkout", "-q", "--detach", "origin/main")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge it", f"origin/{branch}")
    return into


def errors(runner: Runner) -> list[str]:
    """Return the rules whose findings code scanning is told as errors."""
    results = json.loads((runner.scratch / "xregit.sarif").read_bytes())["runs"][0]["results"]
    return [result["ruleId"] for result in results if result["level"] == "error"]


def test_change_that_breaks_nobody_passes(origin: Repository, tmp_path: Path) -> None:
    """No annotation, and a summary that says so."""
    clone = merged(origin, tmp_path / "harmless", "is lost.", "is lost for good.")
    runner = Runner(clone, tmp_path / "scratch", PULL_REQUEST)
    runner.job("check.yml", "registry")
    assert runner.failed == []
    assert "::error " not in runner.output(CHECK)
    assert runner.summary.startswith("## No breaking changes\n")
    assert errors(runner) == []


@pytest.mark.parametrize("event", [PULL_REQUEST, QUEUE], ids=["pull-request", "merge-queue"])
def test_change_that_breaks_somebody_fails(origin: Repository, tmp_path: Path, event: dict[str, str]) -> None:
    """The line is annotated, the summary begins with what breaks, and code scanning gets it too."""
    clone = merged(origin, tmp_path / f"breaking-{event['github.base_ref']}", "v1/{vin}/gps", "v2/{vin}/gps")
    runner = Runner(clone, tmp_path / "scratch", event)
    runner.job("check.yml", "registry")
    assert runner.failed == [CHECK]
    assert f"::error file={POSITION},line=" in runner.output(CHECK)
    assert runner.summary.startswith("## 1 breaking change\n\n### ")
    assert errors(runner) == ["address-moved"]


def test_reports_are_outside_of_the_checkout(origin: Repository, tmp_path: Path) -> None:
    """A link or folder of a report's name is not written to, and not handed to code scanning."""
    clone = merged(origin, tmp_path / "named", "is lost.", "is lost for good.")
    (clone / "xregit.sarif").symlink_to("../victim")
    (clone / "summary.md").mkdir()
    runner = Runner(clone, tmp_path / "scratch", PULL_REQUEST)
    runner.job("check.yml", "registry")
    assert runner.failed == []
    assert not (tmp_path / "victim").exists()
    assert Repository(clone).git("status", "--porcelain") == "?? xregit.sarif"


def taken_steps(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what steps after the installation do, without the inputs and the shell of an action."""
    keys = ("name", "continue-on-error", "run", "uses", "with")
    names = [step.get("name") for step in steps]
    return [
        {key: step[key] for key in keys if key in step}
        | {"if": re.sub(r" && inputs\.[^}]*[^} ]", "", step.get("if", ""))}
        for step in steps[names.index(INSTALL) + 1 :]
        if not step.get("uses", "").startswith("actions/upload-artifact@")
    ]


def test_action_and_the_workflow_of_init_are_one_text(root: Path) -> None:
    """They take the same steps, and compare with the same commit."""
    action = load(root / ".github/actions/check/action.yml")
    template = load(root / "tools/xregit/cli/template/dot-github/workflows/check.yml")["jobs"]["registry"]
    assert taken_steps(action["runs"]["steps"]) == taken_steps(template["steps"])
    assert action["inputs"]["base"]["default"] == template["env"]["BASE"]
    assert action["inputs"]["registry"]["default"] == template["env"]["REGISTRY"]


def test_merge_queue_compares_with_what_a_change_is_put_on(origin: Repository, tmp_path: Path) -> None:
    """An entry is not blamed for the one before it, which is not in the branch yet."""
    clone = merged(origin, tmp_path / "second", "v1/{vin}/gps", "v2/{vin}/gps")
    before = Repository(clone).git("rev-parse", "HEAD")
    text = (clone / POSITION).read_text(encoding="utf-8")
    Repository(clone).commit("Next entry", **{POSITION: text.replace("is lost.", "is lost for good.")})
    runner = Runner(clone, tmp_path / "scratch", {**QUEUE, "github.event.merge_group.base_sha": before})
    runner.job("check.yml", "registry")
    assert (runner.failed, errors(runner)) == ([], [])
    assert runner.summary.startswith("## No breaking changes\n")


def test_registry_that_main_has_not_yet_is_new(root: Path, tmp_path: Path) -> None:
    """The pull request that brings the registry is compared with nothing, and passes."""
    empty = new_repository(tmp_path / "empty")
    empty.commit("Begin", README="A catalog will be here.\n")
    subprocess.run(["git", "clone", "-q", empty.root, tmp_path / "clone"], check=True)
    clone = Repository(tmp_path / "clone")
    for name in ("registry", ".github"):
        copytree(root / name, clone.root / name)
    clone.commit("Bring the registry")
    runner = Runner(clone.root, tmp_path / "scratch", PULL_REQUEST)
    runner.job("check.yml", "registry")
    assert runner.failed == []
    assert "there was no registry" in runner.output(CHECK)
    assert runner.summary.startswith("## No breaking changes\n")


def test_action_serves_other_repositories(root: Path, tmp_path: Path) -> None:
    """It installs the tool beside it, and takes a registry in any folder, with nothing to compare it with."""
    action = root / ".github" / "actions" / "check"
    assert (action / ".." / ".." / ".." / "pyproject.toml").is_file()
    other = new_repository(tmp_path / "other")
    copytree(root / "registry", other.root / "messages")
    other.commit("Begin")
    runner = Runner(other.root, tmp_path / "scratch", PUSH)
    inputs = {"registry": "messages", "base": ""}
    runner.action(action, inputs, PUSH)
    assert (runner.failed, runner.summary) == ([], "")
    (other.root / "messages" / "registry.yaml").write_text("nmae: Catalog\n", encoding="utf-8")
    runner.action(action, inputs, PUSH)
    assert CHECK in runner.failed
    assert "::error file=messages/registry.yaml,line=1" in "".join(step.output for step in runner.done)
    assert errors(runner) != []


@pytest.mark.spark
def test_main_is_built_and_published(origin: Repository, tmp_path: Path) -> None:
    """Everything that is an artifact is there, and the tables are at the path that the repository's variable names."""
    subprocess.run(["git", "clone", "-q", origin.root, tmp_path / "clone"], check=True)
    tables = tmp_path / "tables"
    runner = Runner(tmp_path / "clone", tmp_path / "scratch", {**PUSH, "vars.XREGIT_TABLES": str(tables)})
    runner.job("publish.yml", "build")
    assert runner.failed == []
    assert set(runner.artifacts) == {"api", "site", "tables"}
    assert all(path.exists() for paths in runner.artifacts.values() for path in paths)
    assert (tables / "messages" / "_delta_log").is_dir()


def test_actions_are_pinned(root: Path) -> None:
    """An action of somebody else is named by its commit, with the version that this is."""
    lines = [(file, line) for file in files(root) for line in file.read_text(encoding="utf-8").splitlines()]
    used = [(file, line) for file, line in lines if "uses:" in line]
    assert used
    assert [(file, line) for file, line in used if not PINNED.search(line)] == []


def test_workflows_have_few_rights(root: Path) -> None:
    """Nothing is allowed but what a job asks for: reading, and handing findings to code scanning."""
    for file in sorted((root / ".github" / "workflows").iterdir()):
        registry = load(file)
        assert registry["permissions"] == {}
        for job in registry["jobs"].values():
            rights = {**job["permissions"]}
            scans = rights.pop("security-events", "none")
            assert scans in {"none", "write"}
            assert rights.pop("actions", "none") == ("read" if scans == "write" else "none")
            # A trusted publisher proves itself by a token, and reads nothing of the repository.
            publishes = file.name == "release.yml" and rights == {"id-token": "write"}
            assert publishes or rights == {"contents": "read"}


def test_containers_are_pinned(root: Path) -> None:
    """A container is named by its digest."""
    jobs = [job for file in files(root) for job in load(file).get("jobs", {}).values()]
    containers = [job["container"] for job in jobs if "container" in job]
    assert containers
    assert [name for name in containers if not re.search(r"@sha256:[0-9a-f]{64}$", name)] == []


def test_packages_are_installed_by_their_hashes(root: Path) -> None:
    """Nothing is fetched whose bytes aren't known, neither for the tool nor to build it."""
    lines = [line for file in files(root) for line in file.read_text(encoding="utf-8").splitlines()]
    installs = [line for line in lines if "pip install" in line]
    assert installs
    for line in installs:
        assert "--require-hashes -r " in line or "--no-deps --no-build-isolation " in line, line
