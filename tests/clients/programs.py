"""The programs of others that read what we compile, as processes of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.cache import CACHE
from tests.waiting import PATIENCE_SECONDS

HOME = CACHE / "xrcg"
NO_XR = "the reference client xr is not here: it is neither on PATH nor named by XR"
# Imports all modules of the packages below a folder, after compiling them.
IMPORTER = """
import compileall, importlib, pathlib, pkgutil, sys
sources = sorted(pathlib.Path(sys.argv[1]).glob("*/src"))
sys.path[:0] = map(str, sources)
assert all(compileall.compile_dir(source, quiet=1) for source in sources)
for source in sources:
    for folder in source.iterdir():
        if (folder / "__init__.py").exists():
            package = importlib.import_module(folder.name)
            print(package.__name__)
            for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                print(importlib.import_module(module.name).__name__)
"""


def xrcg_missing() -> str:
    """Return why the code generator can't be run, or nothing."""
    return "" if (HOME / "complete").is_file() else "xrcg is not installed; .ci/programs installs it"


def xr() -> str:
    """Return the reference client's path, or nothing."""
    return os.environ.get("XR") or shutil.which("xr") or ""


def ran(command: Sequence[str | Path], at: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder and return what it printed."""
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)


def generated(document: Path, target: tuple[str, str], into: Path, *, group: str = "", project: str = "made") -> str:
    """Let xrcg generate from a document, of one message group if named; return what it complains of.

    ``target`` is a language and a style. Its exit code is 0 even where a template has failed.
    """
    language, style = target
    arguments = ["--language", language, "--style", style, "--projectname", project, "--output", str(into)]
    only = ["--messagegroup", group] if group else []
    process = ran([HOME / "bin" / "xrcg", "generate", *arguments, *only, "--definitions", document], document.parent)
    lines = (process.stdout + process.stderr).splitlines()
    wrong = [line for line in lines if "Error" in line or line.startswith("!")]
    return wrong[-1] if wrong else lines[-1] if process.returncode else ""


def imported(folder: Path) -> tuple[list[str], str]:
    """Return the modules of generated packages, all imported by a Python of their own, and what stopped it."""
    process = ran([HOME / "bin" / "python", "-c", IMPORTER, folder], folder)
    results = [line for line in (process.stdout + process.stderr).splitlines() if "Error" in line]
    return process.stdout.splitlines(), (results[0] if results else process.stderr) if process.returncode else ""
