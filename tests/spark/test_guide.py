"""The page on tables and streams does what it says, from an empty folder on."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from xregit.cli.commands import xregit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_page_runs_from_an_empty_folder(
    spark: SparkSession, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its commands and its Python, one after the other, publish a catalog, route messages and query both."""
    assert spark is not None
    monkeypatch.chdir(tmp_path)
    page = (root / "site" / "manual" / "lakehouse.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for language, text in BLOCK.findall(page):
        if language == "python":
            exec(compile(text, "lakehouse.md", "exec"), names)  # noqa: S102 - our own page
        else:
            for line in text.splitlines():
                run(shlex.split(line))
    output = capsys.readouterr().out
    assert output.count("{'orders__order_placed': 50, 'unmatched': 2}\n") == 1
    assert "order.placed" in output
    assert "a payload that the schema accepts" in output
    assert "\n11\n" in output
    assert output.endswith("2\n{}\n")


def run(words: list[str]) -> None:
    """Run one command of the page."""
    if words[0] == "xregit":
        result = CliRunner().invoke(xregit, words[1:])
        assert result.exit_code == 0, result.output
    else:
        subprocess.run(words, check=True)
