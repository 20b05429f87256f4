"""The wheel holds all that the program needs, and works with what its extras name and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.conftest import IN_CI
from tests.packaging.conftest import build
from tests.packaging.environments import environment, python
from xregit.cli.commands import COMMANDS


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment without extras."""
    return environment(wheel, tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def repository(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a new registry."""
    folder = tmp_path_factory.mktemp("repository")
    process = python(bare, "-m", "xregit", "init", at=folder)
    assert process.returncode == 0, process.stderr
    return folder


def test_wheel_holds_every_file_of_the_package(root: Path, wheel: Path) -> None:
    """Data files too, such as models, templates and the pages of rules; and nothing besides what is made of them."""
    listed = subprocess.run(
        ["git", "ls-files", "tools/xregit"], cwd=root, check=True, capture_output=True, text=True
    ).stdout.split()
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    tracked = {path.removeprefix("tools/") for path in listed if (root / path).is_file()}
    due = tracked
    assert due <= held
    # What is written and not yet committed is built too, which is of no concern here.
    assert IN_CI is False or held == due


def test_wheel_is_the_same_from_the_source_archive(built: Path, wheel: Path, tmp_path: Path) -> None:
    """Who builds from what is published gets the same bytes."""
    (archive,) = built.glob("*.tar.gz")
    subprocess.run(["tar", "-xf", archive, "-C", tmp_path], check=True)  # Python 3.11.2 has no filter="data"
    build(tmp_path / archive.name.removesuffix(".tar.gz"), tmp_path / "built")
    assert (tmp_path / "built" / wheel.name).read_bytes() == wheel.read_bytes()


def test_python_api_needs_no_extra(bare: Path, repository: Path) -> None:
    """All public names that are no step of Spark or of the site can be had."""
    code = "import xregit; r = xregit.load('registry'); xregit.check(r); xregit.compile(r); xregit.Matcher(r)"
    process = python(bare, "-c", code, at=repository)
    assert (process.returncode, process.stderr) == (0, "")


def test_help_needs_no_extra(bare: Path, repository: Path) -> None:
    """Every command can say what it does."""
    code = "from xregit.cli.runner import run; import sys; sys.exit(any([run([a, '--help']) for a in sys.argv[1:]]))"
    process = python(bare, "-c", code, *COMMANDS, at=repository)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.count("Usage: ") == len(COMMANDS)


@pytest.mark.parametrize(
    "line",
    [
        "check",
        "build --skip site,tables",
        "compile --profile 1.0-rc4",
        "fmt --check",
        "export --to asyncapi",
        "schema",
    ],
)
def test_command_needs_no_extra(line: str, bare: Path, repository: Path) -> None:
    """What checks, compiles and edits works with the package's own requirements."""
    process = python(bare, "-m", "xregit", *line.split(), at=repository)
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("site", "site"),
        ("publish", "spark"),
        ("route --input .", "spark"),
        ("tables", "spark"),
        ("build", "site,spark"),
    ],
)
def test_missing_extra_is_named(line: str, extra: str, bare: Path, repository: Path) -> None:
    """A command that needs an extra says in a line how to get it."""
    process = python(bare, "-m", "xregit", *line.split(), at=repository)
    assert process.returncode == 2
    assert f"[{extra}]'" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    "name", ["xregit.route", "xregit.publish", "xregit.spark.classify", "xregit.spark.write_batch"]
)
def test_public_name_of_missing_extra_is_one_line(name: str, bare: Path, repository: Path) -> None:
    """The functions that need Spark say so before anything imports it."""
    code = f"import xregit, xregit.spark\ntry: {name}\nexcept xregit.XregitError as error: print(error)"
    process = python(bare, "-c", code, at=repository)
    assert (process.returncode, process.stderr) == (0, "")
    assert "[spark]'" in process.stdout


@pytest.mark.parametrize(("extra", "line"), [("site", "site"), ("spark", "tables")])
def test_extra_brings_all_that_it_needs(extra: str, line: str, wheel: Path, repository: Path, tmp_path: Path) -> None:
    """The site's extra builds it without Spark's, and Spark's tells of tables without the site's."""
    packages = environment(wheel, tmp_path / "packages", [extra])
    process = python(packages, "-m", "xregit", line, at=repository)
    assert process.returncode == 0, process.stderr


def test_spark_session_needs_its_extra_alone(wheel: Path, repository: Path, tmp_path: Path) -> None:
    """All that publishing imports is there."""
    packages = environment(wheel, tmp_path / "packages", ["spark"])
    code = "import xregit.spark.publication, xregit.spark.streams.job, deltalake, pyspark.sql.connect.session"
    process = python(packages, "-c", code, at=repository)
    assert process.returncode == 0, process.stderr


@pytest.mark.skipif(not IN_CI, reason="installing takes the network, which only CI is sure to have")
def test_wheel_installs_in_an_empty_environment(root: Path, wheel: Path, repository: Path, tmp_path: Path) -> None:
    """By the hashes of the lock and without an extra, as CI of other repositories does."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    pip = [str(tmp_path / "bin" / "pip"), "install", "-q"]
    # CI itself lets nothing more be fetched once its own environment is there.
    surroundings = {name: value for name, value in os.environ.items() if name != "PIP_NO_INDEX"}
    lock = str(root / ".ci" / "locks" / "core.txt")
    subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", lock], check=True, env=surroundings)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    subprocess.run([tmp_path / "bin" / "xregit", "check"], cwd=repository, check=True)
