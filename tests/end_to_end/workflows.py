"""Workflows of GitHub, with the steps of the composite actions that they use, run as the host runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.end_to_end.programs import OFFLINE

INSTALL = "Install xregit"  # the step that the tool under test takes the place of
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_FORMAT = re.compile(r"format\('([^']*)\{0\}', (.*)\)")
_COMPARISON = re.compile(r"(\S+) (==|!=) (\S+)")


@dataclass(frozen=True, slots=True)
class Step:
    """A step that was run, its exit code and what it printed."""

    name: str
    code: int
    output: str


@dataclass
class Runner:
    """A machine with a clone; ``context`` is what expressions such as ``github.base_ref`` stand for."""

    clone: Path
    scratch: Path
    context: Mapping[str, str]
    done: list[Step] = field(default_factory=list)
    artifacts: dict[str, list[Path]] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the folder of what steps leave behind, with the page of the run."""
        self.scratch.mkdir()
        self.page.touch()

    @property
    def page(self) -> Path:
        """The file of the page of the run."""
        return self.scratch / "page.md"

    @property
    def summary(self) -> str:
        """What the steps have written for the page of the run."""
        return self.page.read_text(encoding="utf-8")

    @property
    def failed(self) -> list[str]:
        """The names of the steps that failed."""
        return [step.name for step in self.done if step.code]

    def output(self, name: str) -> str:
        """Return what a step has printed."""
        return next(step.output for step in self.done if step.name == name)

    def job(self, workflow: str, name: str) -> None:
        """Run the steps of a job."""
        result = load(self.clone / ".github" / "workflows" / workflow)["jobs"][name]
        self.variables = {key: filled(value, self.context) for key, value in result.get("env", {}).items()}
        self.steps(result["steps"], {**self.context, "runner.temp": str(self.scratch)}, Path())

    def steps(self, steps: list[dict[str, Any]], context: Mapping[str, str], action: Path) -> None:
        """Run steps in order; after one that failed, only those that ask to be run all the same."""
        for step in steps:
            if step.get("name") == INSTALL or not self.due(step.get("if", ""), context):
                continue
            given = {name: filled(str(value), context) for name, value in step.get("with", {}).items()}
            uses = step.get("uses", "")
            if uses.startswith("./"):
                self.action(self.clone / uses, given, context)
            elif uses.startswith("actions/upload-artifact@"):
                self.artifacts[given["name"]] = [self.clone / path for path in given["path"].split()]
            elif uses.startswith("actions/upload-pages-artifact@"):
                self.artifacts["github-pages"] = [self.clone / given["path"]]
            elif "run" in step:
                variables = {name: filled(str(value), context) for name, value in step.get("env", {}).items()}
                self.run(step["name"], filled(step["run"], context), {**variables, "GITHUB_ACTION_PATH": str(action)})

    def action(self, folder: Path, given: Mapping[str, str], context: Mapping[str, str]) -> None:
        """Run the steps of a composite action."""
        registry = load(folder / "action.yml")
        assert set(given) <= set(registry["inputs"])
        inputs = {f"inputs.{name}": filled(item["default"], context) for name, item in registry["inputs"].items()}
        inputs |= {f"inputs.{name}": value for name, value in given.items()}
        self.steps(registry["runs"]["steps"], {**context, **inputs}, folder)

    def due(self, condition: str, context: Mapping[str, str]) -> bool:
        """Tell whether a step is to be run."""
        terms = _EXPRESSION.sub(r"\1", condition).split(" && ") if condition else []
        if self.failed and "!cancelled()" not in terms:
            return False
        return all(term == "!cancelled()" or truth(term, context) == "true" for term in terms)

    def run(self, name: str, script: str, variables: Mapping[str, str]) -> None:
        """Run a script with Bash as the host does."""
        file = self.scratch / "step.sh"
        file.write_text(script, encoding="utf-8")
        process = subprocess.run(
            [*BASH, file],
            cwd=self.clone,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.done.append(Step(name, process.returncode, process.stdout))

    @property
    def environment(self) -> dict[str, str]:
        """What the host sets for each step, with the tool under test on PATH."""
        result = os.pathsep.join([str(OFFLINE), *(path for path in sys.path if path)])
        return {
            **os.environ,
            **self.variables,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": result,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_BASE_REF": self.context["github.base_ref"],
            "GITHUB_STEP_SUMMARY": str(self.page),
            "GITHUB_WORKSPACE": str(self.clone),
            "RUNNER_TEMP": str(self.scratch),
        }


def load(file: Path) -> dict[str, Any]:
    """Return a workflow or an action; every key is text."""
    registry: dict[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts alone
    return registry


def filled(text: str, context: Mapping[str, str]) -> str:
    """Return a text with its expressions replaced by their values."""
    return _EXPRESSION.sub(lambda match: truth(match[1], context), text)


def truth(term: str, context: Mapping[str, str]) -> str:
    """Return the value of a name, a quoted text or a comparison of two; of several, the first that is not empty."""
    formatted = _FORMAT.search(term)
    if formatted and formatted.end() == len(term):  # it is the last of several, or stands alone
        before = truth(term[: formatted.start()].removesuffix(" || "), context) if formatted.start() else ""
        return before or formatted[1] + truth(formatted[2], context)
    if " || " in term:
        return next(filter(None, (truth(each, context) for each in term.split(" || "))), "")
    compared = _COMPARISON.fullmatch(term)
    if compared:
        same = truth(compared[1], context) == truth(compared[3], context)
        return str(same == (compared[2] == "==")).lower()
    return term[1:-1] if term.startswith("'") else context[term]


def files(root: Path) -> Iterator[Path]:
    """Give the workflows and actions of a repository."""
    yield from sorted(file for file in (root / ".github").rglob("*.yml") if file.name != "dependabot.yml")
