"""What CI installs by is what the project asks for, with a hash of each file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = ("core", "site", "all", "test", "fuzz")
LINE = re.compile(r"(?P<name>[a-z0-9-]+)(\[[a-z,]+\])?==(?P<version>[^ ]+)( ; (?P<marker>.*))?")


def locked(root: Path, name: str) -> dict[str, set[str]]:
    """Return the versions of each package in a lock, more than one where they differ by Python."""
    result: dict[str, set[str]] = {}
    text = (root / ".ci" / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    for entry in text.replace(" \\\n", "\n").split("\n"):
        match = LINE.fullmatch(entry)
        if match:
            result.setdefault(match["name"], set()).add(match["version"])
        else:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}|#.*|", entry), entry
    return result


def requirements(root: Path, extra: str) -> list[Requirement]:
    """Return what the project asks for with an extra, those that the extra names included."""
    project: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    results = [
        *map(Requirement, project["project"]["dependencies"]),
        *map(Requirement, project["build-system"]["requires"]),
    ]
    pending = [extra]
    while pending:
        for line in project["project"]["optional-dependencies"].get(pending.pop(), ()):
            requirement = Requirement(line)
            if requirement.name == "xregit":
                pending += requirement.extras
            else:
                results.append(requirement)
    return results


@pytest.mark.parametrize("name", LOCKS)
def test_lock_holds_what_the_project_asks_for(name: str, root: Path) -> None:
    """Each requirement has a version that it allows; where there is none, .ci/lock has not been run since."""
    versions = locked(root, name)
    for requirement in requirements(root, name):
        assert canonicalize_name(requirement.name) in versions, f"{requirement} is not locked; run .ci/lock"
        for version in versions[canonicalize_name(requirement.name)]:
            assert requirement.specifier.contains(version), f"{requirement} is locked as {version}; run .ci/lock"


def test_locks_agree(root: Path) -> None:
    """What is tested is what is published: all of them have the same versions."""
    tested = locked(root, "test")
    for name in LOCKS:
        for package, versions in locked(root, name).items():
            assert versions <= tested.get(package, versions)
    assert locked(root, "fuzz").keys() - tested == {"atheris"}
    assert all(locked(root, name).keys() <= locked(root, "fuzz").keys() for name in LOCKS)


@pytest.mark.parametrize("name", [*LOCKS, "clients", "audit"])
def test_each_version_has_a_hash(name: str, root: Path) -> None:
    """No line names a package without one, or a place to fetch it from."""
    text = (root / ".ci" / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    assert locked(root, name)
    assert "://" not in text
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert entry.startswith("#") or "--hash=sha256:" in entry, entry
