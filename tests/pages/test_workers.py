"""Work that is shared out to processes: what comes of it is what one process would have made, its errors too."""

from __future__ import annotations

import filecmp
import os
import signal
import subprocess
import sys
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path

import pytest

from tests.benchmarks.synthetic import write_registry
from xregit.errors import XregitError
from xregit.pages.building import build_site
from xregit.pages.workers import MAX_PROCESSES, MIN_SHARE, WORTH, shared_out

# Tests that ran before may have left threads; what is forked here takes no lock of theirs.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

# So many that two processes make their pages.
MESSAGES = 2 * WORTH + 1
BUILD = """
import os, sys
from pathlib import Path
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
from xregit.catalog import read_folder
from xregit.pages.building import build_site, write_pages
build_site(Path(sys.argv[2]), None, Path(sys.argv[3]))
write_pages(read_folder(Path(sys.argv[2])), Path(sys.argv[4]))
"""
HOOK = """
def on_post_page(output, page, config):
    return output.replace("</html>", "<!-- seen --></html>")
"""


def _number(thing: int) -> tuple[int, int]:
    return thing, os.getpid()


def _unlucky(thing: int) -> int:
    if thing in {130, 131, 400}:
        message = f"{thing} is no good"
        raise XregitError(message)
    return thing


def _deadly(thing: int) -> int:
    if thing == 100:
        os.kill(os.getpid(), signal.SIGKILL)
    return thing


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("things", [0, 1, MIN_SHARE + 1, 1_000, 70_000])
def test_results_are_in_order(count: int, things: int) -> None:
    """Whoever did it, each thing has its result, and no process is left."""
    found = list(shared_out(_number, range(things), count))
    assert [thing for thing, _ in found] == list(range(things))
    here = {by for _, by in found} <= {os.getpid()}
    assert here == (count == 1 or things <= MIN_SHARE)
    assert active_children() == []


@pytest.mark.parametrize("count", [1, 2, 3])
def test_first_error_is_told(count: int) -> None:
    """The error is the one at which one process would have stopped, raised where it was asked for."""
    with pytest.raises(XregitError, match=r"^130 is no good$") as caught:
        list(shared_out(_unlucky, range(1_000), count))
    assert caught.traceback[-1].name == "_unlucky"
    assert active_children() == []


def test_killed_process_is_told() -> None:
    """A process that ends before its work is done ends the work of all, and no result is lost without a word."""
    with pytest.raises(XregitError, match="SIGKILL"):
        list(shared_out(_deadly, range(1_000), 2))
    assert active_children() == []


def test_nobody_works_on_when_nobody_looks() -> None:
    """Whoever has seen enough of the results ends the work of all."""
    with closing(shared_out(_number, range(70_000), 2)) as found:
        assert next(found)[0] == 0
        assert len(active_children()) == 2
    assert active_children() == []


def test_threads_keep_work_in_one_process() -> None:
    """A process that has threads is not forked; neither is one for a handful of things."""
    counts = "import threading; from xregit.pages.workers import processes; print(processes(10**6), processes(10))\n"
    counts += "threading.Thread(target=lambda: print(processes(10**6))).start()"
    done = subprocess.run([sys.executable, "-c", counts], check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(min(MAX_PROCESSES, len(os.sched_getaffinity(0)))), "1", "1"]


def test_site_is_the_same_whoever_makes_it(tmp_path: Path) -> None:
    """One core and several write the same files to the byte, of the site and of the pages for other engines."""
    if len(os.sched_getaffinity(0)) == 1:
        pytest.skip("one core makes a site alone")
    registry = write_registry(tmp_path / "registry", MESSAGES)
    for cores in ("1", "99"):
        folders = (tmp_path / f"site{cores}", tmp_path / f"pages{cores}")
        subprocess.run([sys.executable, "-c", BUILD, cores, registry, *folders], check=True)
    for name in ("site", "pages"):
        assert _differing(tmp_path / f"{name}1", tmp_path / f"{name}99") == []
        assert len(list((tmp_path / f"{name}99").rglob("index.md"))) > MESSAGES


def test_plugins_that_look_at_pages_see_ours(tmp_path: Path) -> None:
    """A hook for each page is shown those of messages too, which are else as they would be."""
    registry = write_registry(tmp_path / "registry", 20)
    (tmp_path / "docs").mkdir()
    (tmp_path / "hook.py").write_text(HOOK)
    config = "site_name: Test\ntheme: {name: material, font: false}\nplugins: [search, xregit]\n"
    for name, more in {"without": "", "with": "hooks: [hook.py]\n"}.items():
        (tmp_path / "mkdocs.yml").write_text(config + more)
        build_site(registry, tmp_path / "mkdocs.yml", tmp_path / name)
    pages = [path.relative_to(tmp_path / "with") for path in (tmp_path / "with").rglob("index.html")]
    assert len([path for path in pages if path.parts[0] == "messagegroups" and len(path.parts) == 5]) == 20
    for path in pages:
        text = (tmp_path / "with" / path).read_text()
        assert "<!-- seen -->" in text
        assert text.replace("<!-- seen -->", "") == (tmp_path / "without" / path).read_text()
    assert set(_differing(tmp_path / "with", tmp_path / "without")) <= {*map(str, pages)}


def _differing(one: Path, other: Path) -> list[str]:
    """Return the files, by their paths, that are not in both folders with the same bytes."""
    found = {str(path.relative_to(folder)) for folder in (one, other) for path in folder.rglob("*") if path.is_file()}
    _, differing, missing = filecmp.cmpfiles(one, other, found, shallow=False)
    return [*differing, *missing]
