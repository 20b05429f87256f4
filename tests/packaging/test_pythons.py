"""Document, API, site and tables' rows are the same to the byte on another machine, with all unlike, Python too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import mkdtemp
from zipfile import ZipFile

import pytest
from deltalake import DeltaTable

import xregit
from tests.cache import CACHE
from tests.end_to_end.programs import cloned
from tests.end_to_end.test_reproducibility import BACKWARDS
from xregit.spark.tables import create_statements

MACHINES = {"trixie": "3.13", "forky": "3.14"}
BUILD = ("build", "--skip", "tables")
TABLES = ("publish", "--tables", "build/tables")
# What becomes of a table on its way: Spark, which other machines lack, only passes the packed rows on to executors.
WRITE = """
from pathlib import Path
import pyarrow
import xregit
from xregit.spark import data_files
from xregit.spark.tables import create_statements
from xregit.spark.row_batches import pack
from xregit.spark.rows import iter_rows
from xregit.spark.tables import tables
registry = xregit.load("registry")
known, made = tables(registry.model), Path("build/tables")
for name, rows in iter_rows(registry).items():
    (made / name).mkdir(parents=True)
    for number, part in enumerate(pack(known[name], rows).parts):
        task = [{"table": name, "folder": str((made / name).absolute()), "rows": part}]
        (described,) = data_files.write_parts(iter([pyarrow.RecordBatch.from_pylist(task)]))
        (made / name / described["path"][0].as_py()).rename(made / name / f"{number}.parquet")
(made / "statements.sql").write_text("\\n".join(create_statements(registry.model)))
"""
# The offset of Kiritimati, where it is tomorrow for most of the day; as POSIX writes it, any machine knows it.
SITE = {"SITE_URL": "https://docs.example.com/"}  # without it there is no sitemap
USUAL = {**SITE, "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"}
UNLIKE = {
    **SITE,
    "PYTHONHASHSEED": "4711",
    "TZ": "<+14>-14",
    "LC_ALL": "tr_TR.UTF-8",
    "LANGUAGE": "tr",
    "USER": "nobody",
}


@pytest.fixture(scope="module")
def clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a clone of the example catalog."""
    return cloned(root, tmp_path_factory.mktemp("pythons") / "clone").root


@pytest.fixture(scope="module")
def packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package as it is installed."""
    folder = tmp_path_factory.mktemp("packages")
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def first(clone: Path, packages: Path) -> dict[str, bytes]:
    """Return what is built here, with nothing unusual."""
    build([sys.executable, "-m", "xregit", *BUILD], clone, {**USUAL, "PYTHONPATH": str(packages)})
    result = output(clone)
    assert {"registry.json", "api", "site"} == {name.split("/")[0] for name in result}
    assert {"site/llms.txt", "site/sitemap.xml.gz", "site/changes.atom"} - result.keys() == set()
    return result


@pytest.fixture(scope="module")
def published(clone: Path, packages: Path) -> Path:
    """Return the folder of the tables that are published here, by Spark, with nothing unusual."""
    build([sys.executable, "-m", "xregit", *TABLES], clone, {**USUAL, "PYTHONPATH": str(packages)})
    return clone / "build" / "tables"


@pytest.fixture
def machine(request: pytest.FixtureRequest, clone: Path, packages: Path) -> Iterator[Path]:
    """Return the root folder of another machine with a copy of the clone, and of the package, in ``/work``."""
    root = CACHE / request.param
    if not (root / "complete").is_file():
        pytest.skip(f"a machine with Python {MACHINES[request.param]} is not here; .ci/programs makes it")
    if os.geteuid() != 0:
        pytest.skip("only root may run programs on it")
    work = Path(mkdtemp(prefix="work-", dir=root))
    copytree(clone, work / "clone", ignore=lambda *_: {"build"})
    copytree(packages, work / "packages")
    yield work
    rmtree(work)


def build(command: list[str], at: Path, surroundings: dict[str, str]) -> None:
    """Run a build and nothing else."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", **surroundings}
    process = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr


def output(clone: Path) -> dict[str, bytes]:
    """Return the files that were built, by their paths."""
    paths = (path for path in (clone / "build").rglob("*") if path.is_file())
    return {path.relative_to(clone / "build").as_posix(): path.read_bytes() for path in paths}


def same(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    """Both have the same files with the same bytes."""
    assert one.keys() == other.keys()
    assert [path for path in one if one[path] != other[path]] == []


def test_site_does_not_depend_on_its_surroundings(
    first: dict[str, bytes], clone: Path, packages: Path, tmp_path: Path
) -> None:
    """Language, time zone, time of day, hash seed, folder and order of files make no difference."""
    other = copytree(clone, tmp_path / "a clone with blanks and ünïcode", ignore=lambda *_: {"build"})
    build([sys.executable, "-c", BACKWARDS, *BUILD], other, {**UNLIKE, "PYTHONPATH": str(packages)})
    same(first, output(other))


@pytest.mark.parametrize("machine", MACHINES, indirect=True)
def test_build_does_not_depend_on_python(first: dict[str, bytes], machine: Path) -> None:
    """Another release of the system, its Python and its Git build the same, with all surroundings unlike."""
    elsewhere(machine, BACKWARDS, *BUILD)
    same(first, output(machine / "clone"))


@pytest.mark.parametrize("machine", MACHINES, indirect=True)
def test_tables_do_not_depend_on_python(published: Path, machine: Path) -> None:
    """Files of data are the same to the byte, so rows and their order and hashes are, and so are schemas and comments.

    Names of files and times are Delta's own, and differ from one publication to the next.
    """
    elsewhere(machine, WRITE)
    result = machine / "clone" / "build" / "tables"
    names = {path.name for path in result.iterdir() if path.is_dir()}
    assert names == {path.name for path in published.iterdir()} - {"publications"}
    for name in names:
        table = DeltaTable(published / name)
        here = [(published / name / path).read_bytes() for path in table.get_add_actions().column("path").to_pylist()]
        assert here == [path.read_bytes() for path in sorted((result / name).glob("*.parquet"))], name
    model = xregit.load(published.parents[1] / "registry").model
    assert (result / "statements.sql").read_text(encoding="utf-8") == "\n".join(create_statements(model))


def elsewhere(machine: Path, program: str, *arguments: str) -> None:
    """Run a program of Python in the clone on another machine, with all surroundings unlike."""
    inside = f"/{machine.name}"
    python = ["python3", "-c", f"import os\nos.chdir('{inside}/clone')\n{program}", *arguments]
    surroundings = {**UNLIKE, "PYTHONPATH": f"{inside}/packages:/opt/python"}
    build(["chroot", str(machine.parent), *python], machine, surroundings)
