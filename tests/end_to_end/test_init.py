"""A repository that ``init`` makes passes its own checks, hooks and builds at once."""

from __future__ import annotations

import json
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.end_to_end.programs import xregit
from tests.end_to_end.test_workflows import CHECK, PINNED, PULL_REQUEST, PUSH
from tests.end_to_end.workflows import BASH, Runner, files, load
from tests.source.repositories import Repository, new_repository
from xregit.cli.init import package_requirement

MESSAGE = "registry/messagegroups/orders/messages/order.placed.yaml"
REQUIREMENT = re.compile(r"xregit(?:\[[a-z]+\])?((?: @ |==)[^'\"]+)")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository with what ``init`` writes, committed to main."""
    repository = new_repository(tmp_path_factory.mktemp("init") / "origin")
    process = xregit("init", at=repository.root)
    assert process.returncode == 0, process.stderr
    repository.commit("Begin")
    return repository


def clone_of(repository: Repository, into: Path) -> Repository:
    """Return a clone."""
    subprocess.run(["git", "clone", "-q", repository.root, into], check=True)
    return Repository(into)


def test_everything_is_committed_but_what_is_built(made: Repository) -> None:
    """What the tool can write again is not in Git; all else is, in the form that fmt gives it."""
    assert made.git("status", "--porcelain") == ""
    tracked = set(made.git("ls-files").splitlines())
    assert not any(path.startswith("build/") for path in tracked)
    assert {".github/CODEOWNERS", ".github/workflows/check.yml", ".pre-commit-config.yaml", MESSAGE} <= tracked
    assert xregit("fmt", "--check", at=made.root).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "failed"),
    [
        ("A customer has placed an order.", "A customer has placed an order online.", []),
        ("https://shop.example.com/{shop}", "https://shop.example.com/shops/{shop}", [CHECK]),
    ],
)
def test_pull_request_is_checked(made: Repository, tmp_path: Path, old: str, new: str, failed: list[str]) -> None:
    """A change that breaks nobody passes; one that breaks somebody fails, and the summary says so."""
    clone = clone_of(made, tmp_path / "clone")
    text = (clone.root / MESSAGE).read_text(encoding="utf-8")
    clone.commit("Change it", **{MESSAGE: text.replace(old, new)})
    runner = Runner(clone.root, tmp_path / "scratch", PULL_REQUEST)
    runner.job("check.yml", "registry")
    assert runner.failed == failed
    assert runner.summary.startswith("## 1 breaking change" if failed else "## No breaking changes")


def test_no_file_of_the_checkout_stands_for_a_report(made: Repository, tmp_path: Path) -> None:
    """The comment and code scanning get what xregit writes, whatever a pull request calls its folders and links."""
    clone = clone_of(made, tmp_path / "clone")
    (clone.root / "xregit.sarif").symlink_to("README.md")
    clone.commit("Names of reports", **{"summary.md/summary.md": "## Approved\n", "README.md": "The same.\n"})
    runner = Runner(clone.root, tmp_path / "scratch", PULL_REQUEST)
    runner.job("check.yml", "registry")
    assert runner.failed == []
    (summary,) = runner.artifacts["summary"]
    assert summary.read_text(encoding="utf-8") == runner.summary != ""
    assert clone.git("status", "--porcelain") == ""


@pytest.mark.spark
def test_main_is_built(made: Repository, tmp_path: Path) -> None:
    """The first push gives every artifact, the site for Pages too where a variable asks for it."""
    clone = clone_of(made, tmp_path / "clone")
    runner = Runner(clone.root, tmp_path / "scratch", {**PUSH, "vars.XREGIT_PAGES": "true"})
    runner.job("publish.yml", "build")
    assert runner.failed == []
    assert (clone.root / "build/site/api/messagegroups").exists()
    assert set(runner.artifacts) == {"checksums", "api", "site", "tables", "github-pages"}
    assert all(path.exists() for paths in runner.artifacts.values() for path in paths)
    sums = (clone.root / "build/SHA256SUMS").read_text(encoding="utf-8")
    assert len(sums.splitlines()) == len([path for path in (clone.root / "build").rglob("*") if path.is_file()]) - 1
    page = (clone.root / "build/site/messagegroups/orders/messages/order.placed/index.html").read_text(encoding="utf-8")
    assert "A customer has placed an order." in page
    assert f"https://github.com/example/catalog/edit/main/{MESSAGE}" in page


def test_no_document_of_the_static_api_is_a_page(made: Repository, tmp_path: Path) -> None:
    """Pages serves an index as HTML, so a document with a tag in it is left out beside the site."""
    steps = load(made.root / ".github" / "workflows" / "publish.yml")["jobs"]["build"]["steps"]
    (step,) = (step for step in steps if step.get("name") == "The static API with the site")
    (tmp_path / "build/site").mkdir(parents=True)
    documents = {"a": b'{"type": "string"}', "b": b"<xs:schema><script>alert(1)</script>", "c": b"\xff\0<script>"}
    for name, data in documents.items():
        (tmp_path / "build/api" / name).mkdir(parents=True)
        (tmp_path / "build/api" / name / "index.html").write_bytes(data)
    subprocess.run([*BASH, "-c", step["run"]], cwd=tmp_path, check=True)
    assert [path.parent.name for path in (tmp_path / "build/site/api").rglob("index.html")] == ["a"]


def test_workflows_are_pinned_and_have_few_rights(made: Repository) -> None:
    """Actions are named by commit, and each job may read and at most hand over findings, or the site where asked to."""
    for file in files(made.root):
        registry = load(file)
        assert registry["permissions"] == {}
        for name, job in registry["jobs"].items():
            rights = {"pages": {"pages", "id-token"}, "attest": {"attestations", "id-token"}}
            others = {"contents", "security-events", "actions"} if name != "comment" else {"pull-requests"}
            assert set(job["permissions"]) <= rights.get(name, others)
            assert (f"vars.XREGIT_{name.upper()}" in job.get("if", "")) is (name in rights)
            # What may sign or deploy runs nothing that was installed or built.
            assert not any("run" in step for step in job["steps"]) or name not in rights
        lines = file.read_text(encoding="utf-8").splitlines()
        assert all(PINNED.search(line) for line in lines if "uses:" in line)


@pytest.mark.parametrize("existing", ["", "7"])
def test_pull_request_gets_one_comment(made: Repository, tmp_path: Path, existing: str) -> None:
    """The job sees nothing of the pull request but the summary; the next run brings its comment up to date."""
    job = load(made.root / ".github" / "workflows" / "check.yml")["jobs"]["comment"]
    (step,) = (step for step in job["steps"] if "run" in step)
    assert [each["uses"].partition("@")[0] for each in job["steps"] if "uses" in each] == ["actions/download-artifact"]
    gh = tmp_path / "gh"
    gh.write_text(f'#!/bin/sh\necho "$*" >> calls\ncase "$*" in *--jq*) echo {existing};; esac\n', encoding="utf-8")
    gh.chmod(0o755)
    (tmp_path / "summary.md").write_text("## 1 breaking change\n", encoding="utf-8")
    values = {"COMMENTS": "repos/a/b/issues/1/comments", "COMMENT": "repos/a/b/issues/comments", "RUN": "https://run"}
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", **values}
    subprocess.run([*BASH, "-c", step["run"]], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "comment.md").read_text(encoding="utf-8") == (
        "<!-- message catalog -->\n\n## 1 breaking change\n\n[Findings, and a preview of the site](https://run), "
        "which `python3 -m http.server` shows once unpacked\n"
    )
    place = "--method PATCH repos/a/b/issues/comments/7" if existing else "repos/a/b/issues/1/comments"
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert calls[1:] == [f"api --silent {place} --field body=@comment.md"]


def test_pull_request_has_a_preview(made: Repository, tmp_path: Path) -> None:
    """The site as it would be is an artifact, and its pages lead to where their files are edited."""
    clone = clone_of(made, tmp_path / "clone")
    runner = Runner(clone.root, tmp_path / "scratch", PULL_REQUEST)
    runner.job("check.yml", "preview")
    assert (runner.failed, set(runner.artifacts)) == ([], {"preview"})
    assert (tmp_path / "scratch/site/messagegroups/orders/messages/order.placed/index.html").is_file()
    assert not (clone.root / "build").exists()


def test_source_is_that_of_the_tool(made: Repository) -> None:
    """Workflows, hooks and README install one program, and none that somebody else could put in its place."""
    tracked = made.git("ls-files").splitlines()
    texts = "".join((made.root / path).read_text(encoding="utf-8") for path in tracked)
    asked = REQUIREMENT.findall(texts)
    assert len(asked) == 6
    assert set(asked) == {package_requirement("")}


def test_editor_knows_the_schema_of_each_file(made: Repository) -> None:
    """Every YAML file of the registry has exactly one schema, which is there and has nothing to say about it."""
    lines = (made.root / ".vscode/settings.json").read_text(encoding="utf-8").splitlines()
    schemas = json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))["yaml.schemas"]
    assert {schema.rpartition("/")[2] for schema in schemas} <= {
        path.name for path in (made.root / "build/schemas").iterdir()
    }
    for path in sorted((made.root / "registry").rglob("*.yaml")):
        name = path.relative_to(made.root).as_posix()
        (schema,) = (schema for schema, pattern in schemas.items() if fnmatch(name, pattern))
        result = json.loads((made.root / schema).read_bytes())
        value = yaml.safe_load(path.read_bytes())
        assert list(Draft202012Validator(result).iter_errors(value)) == []


def test_existing_files_are_kept(tmp_path: Path) -> None:
    """Beside what a repository has already, only what it lacks is written, and what was kept is named."""
    ours = [".gitattributes", ".gitignore", ".pre-commit-config.yaml", "README.md", "site/mkdocs.yml"]
    (tmp_path / "site").mkdir()
    for name in ours:
        (tmp_path / name).write_text("Ours.\n", encoding="utf-8")
    process = xregit("init", at=tmp_path)
    assert process.returncode == 0
    assert f"kept as it was: {', '.join(ours)}; " in process.stderr
    assert {(tmp_path / name).read_text(encoding="utf-8") for name in ours} == {"Ours.\n"}
    assert (tmp_path / ".editorconfig").is_file()


def test_new_group_has_no_owner_by_accident(made: Repository, tmp_path: Path) -> None:
    """The line for everything else gives nobody a group, so that the check can say that a team is missing."""
    clone = clone_of(made, tmp_path / "clone")
    (clone.root / "registry/messagegroups/returns").mkdir()
    (clone.root / "registry/messagegroups/returns/messagegroup.yaml").write_text("description: Returned goods.\n")
    process = xregit("check", "--format", "json", at=clone.root)
    assert [item["rule"] for item in json.loads(process.stdout)["diagnostics"]] == ["group-without-owner"]


@pytest.mark.parametrize("place", ["CODEOWNERS", "docs/CODEOWNERS"])
def test_owners_stay_in_force(place: str, tmp_path: Path) -> None:
    """A second CODEOWNERS would take the place of the one that a repository has elsewhere."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("* @ours\n", encoding="utf-8")
    process = xregit("init", at=tmp_path)
    assert f"kept as it was: {place}; " in process.stderr
    assert not (tmp_path / ".github/CODEOWNERS").exists()
    assert (tmp_path / ".github/workflows/check.yml").is_file()


def test_folder_of_a_repository_is_told_what_nobody_reads_there(tmp_path: Path) -> None:
    """Hosts look for workflows, owners and hooks at the top."""
    repository = new_repository(tmp_path / "repository")
    folder = repository.root / "services" / "catalog"
    folder.mkdir(parents=True)
    output = xregit("init", at=folder).stderr
    assert '"services/catalog" is a folder of a repository; .github and .pre-commit-config.yaml are only read' in output
    assert "working-directory: services/catalog" in output


@pytest.mark.parametrize(("branch", "told"), [("main", False), ("trunk", True)])
def test_branch_that_nothing_is_built_from_is_told(branch: str, told: bool, tmp_path: Path) -> None:
    """The workflow that publishes names a branch, and the repository may call its own otherwise."""
    repository = new_repository(tmp_path / "repository")
    repository.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    process = xregit("init", at=repository.root)
    assert ('if the branch for that is "trunk" here' in process.stderr) is told
