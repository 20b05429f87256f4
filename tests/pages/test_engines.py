"""The pages as files make a site with engines other than the one that is used today, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.benchmarks.synthetic import write_registry
from tests.pages.small import small_folder
from xregit.cli.runner import run
from xregit.document import read
from xregit.pages import pages
from xregit.pages.builder import write_pages

pytestmark = pytest.mark.client

# What each engine reads, and how it is started; a proxy that nobody answers stands between it and other hosts.
ENGINES: Mapping[str, tuple[Mapping[str, str], tuple[str, ...]]] = {
    "properdocs": (
        {
            "properdocs.yml": "site_name: Test\ntheme: {name: null, custom_dir: theme}\nplugins: []\n",
            "theme/main.html": "<!doctype html><title>{{ page.title }}</title>{{ page.content }}\n",
        },
        ("build", "-f", "properdocs.yml"),
    ),
    "zensical": (
        {"zensical.toml": '[project]\nsite_name = "Test"\n[project.theme]\nfont = false\n'},
        ("build", "-f", "zensical.toml"),
    ),
}
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


@pytest.mark.parametrize("engine", ENGINES)
def test_another_engine_builds_the_same_pages(tmp_path: Path, engine: str) -> None:
    """Every page is at its address, with its title, and its HTML stands in it letter by letter."""
    registry = small_folder(tmp_path)
    write_pages(read(registry), tmp_path / "docs")
    settings, arguments = ENGINES[engine]
    for name, text in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", engine, *arguments]
    process = subprocess.run(
        command, cwd=tmp_path, env=os.environ | NOWHERE, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    result = {page: (tmp_path / "site" / page.path).read_text() for page in pages(read(registry))}
    assert [page.address for page, text in result.items() if _bare(page.html) not in _bare(text)] == []


def _bare(text: str) -> str:
    return "".join(text.split())


def test_pages_replace_only_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pages written before are replaced as a whole; a folder with anything else is left alone."""
    registry, out = write_registry(tmp_path / "registry", 60), tmp_path / "docs"
    asked = ["--registry", str(registry), "site", "--pages", str(out)]
    assert run(asked) == 0
    shutil.rmtree(registry / "messagegroups/plant1")
    assert run(asked) == 0
    assert {path.name for path in (out / "messagegroups").iterdir()} == {"index.md", "plant0"}
    shutil.rmtree(out / "assets")
    assert run(asked) == 2
    assert "holds other files" in capsys.readouterr().err
    assert (out / "index.md").is_file()


def test_serving_and_writing_at_once_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--serve with --pages is an error that says so."""
    assert run(["--registry", str(small_folder(tmp_path)), "site", "--serve", "--pages", "x"]) == 2
    assert "--serve" in capsys.readouterr().err
