"""What every test may use: golden files, the project's shared findings, and skips that count as failures."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.collection import COLLECTED
from tests.sizes import some

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).parent / "golden"
NO_SHARED = "../shared is not beside this clone"
# Reasons to skip that --no-skip forgives: who runs the tests, and where, or what no script can install.
FORGIVEN = (NO_SHARED, "root may", "only root", "no right", "the reference client xr is not here")
NOBODY = 65534
IN_CI = os.environ.get("CI") == "true"
# Folders and markers of tests that start brokers, browsers, Java, other Pythons or programs that are killed.
LONG_FOLDERS = {"brokers", "browser", "clients", "end_to_end", "packaging", "resilience", "security"}
LONG_MARKERS = {"spark", "browser", "client"}

# A shell passes over interrupts in what it starts in the background, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What a command prints does not depend on how long it takes; tests/cli/test_progress.py is about the rest.
os.environ["XREGIT_PROGRESS"] = "never"

# How long anything takes depends on what else the machine does, and is no fault of a test.
UNTIMED = [HealthCheck.too_slow]
settings.register_profile("local", max_examples=some(100), deadline=None, suppress_health_check=UNTIMED)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if IN_CI else "local")
if IN_CI:
    # Values are also drawn from the constants of the modules that are loaded by then, which depend on the tests before
    # and on each edit: an example that nobody has seen would refuse a change that has nothing to do with it.
    # There is no setting for it. Only CI has locked versions, in which it has this place.
    providers = import_module("hypothesis.internal.conjecture.providers")
    providers._get_local_constants = lambda: providers._local_constants  # type: ignore[attr-defined]  # noqa: SLF001


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that rewrites golden files."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden/ with what the code gives now")
    parser.addoption("--no-skip", action="store_true", help="let a skipped test fail")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests as long that a contributor need not wait for; the nightly run has them."""
    config.stash[COLLECTED] = list(items)
    for item in items:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        if folder in LONG_FOLDERS or any(item.get_closest_marker(name) for name in LONG_MARKERS):
            item.add_marker("long")


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared findings and real documents, which only some clones have beside them."""
    folder = ROOT.parent / "shared"
    if not (folder / "corpus").is_dir():
        pytest.skip(NO_SHARED)
    return folder


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Return the one session that all tests of a process share: Java takes archives for it only as it starts.

    It can read Kafka where `.ci/programs` could fetch what that takes.
    """
    from tests.spark.jars import KAFKA_JARS
    from xregit.spark.session import session

    running = session(name="tests", conf={"spark.jars": ",".join(map(str, KAFKA_JARS))} if KAFKA_JARS else {})
    yield running
    running.stop()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str | Path, str | bytes], None]:
    """Return a function that compares a text, or bytes, with a file: one of ``tests/golden``, or that of a path."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(name: str | Path, actual: str | bytes) -> None:
        path = GOLDEN / name
        data = actual.encode() if isinstance(actual, str) else actual
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert path.is_file(), f"{path} is missing; pytest --update-golden writes it"
        expected = path.read_bytes()
        if isinstance(actual, str):
            assert actual == expected.decode(), f"{name} differs; pytest --update-golden rewrites it"
        assert data == expected, f"{name} differs; pytest --update-golden rewrites it"

    return compare


@pytest.fixture
def nobodys_folder() -> Iterator[Path]:
    """Return a folder, and let the test run as a user who may not read and write everything."""
    me = os.geteuid()
    with TemporaryDirectory() as name:
        folder = Path(name)
        if me == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(me)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one with --no-skip, where everything that tests need is installed."""
    report = yield
    _forbid_skip(report, item.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Do the same for a module that skips itself."""
    report = yield
    _forbid_skip(report, collector.config)
    return report


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport, config: pytest.Config) -> None:
    """Make a skip a failure with --no-skip, unless it is an expected failure or has a reason that is forgiven."""
    if not config.getoption("--no-skip") or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr)
    if not any(part in reason for part in FORGIVEN):
        report.outcome = "failed"
        report.longrepr = f"skipped, which --no-skip forbids: {reason}"
