"""The official AsyncAPI parser, which `.ci/programs` installs, as the judge of documents."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.cache import CACHE
from tests.waiting import PATIENCE_SECONDS

MODULES = CACHE / "asyncapi" / "node_modules"
SCRIPT = Path(__file__).with_name("parse.cjs")
# One run of Node reads all documents of a test.


def missing() -> str:
    """Return why the parser can't be asked, or nothing."""
    if shutil.which("node") is None:
        return "Node.js is not here, and with it the AsyncAPI parser"
    if not (CACHE / "asyncapi" / "complete").is_file():
        return "the AsyncAPI parser is not here; .ci/programs installs it"
    return ""


def errors(folder: Path) -> dict[str, list[Any]]:
    """Return the errors that the parser finds in the documents of a folder, by the names of their files."""
    paths = "\n".join(str(path) for path in sorted(folder.iterdir()))
    process = subprocess.run(
        ["node", str(SCRIPT)],
        input=paths,
        env={**os.environ, "NODE_PATH": str(MODULES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert process.returncode == 0, process.stderr
    result: dict[str, list[dict[str, str]]] = json.loads(process.stdout)
    assert len(result) == len(list(folder.iterdir()))
    wrong = {Path(path).name: [item for item in items if item["severity"] == "error"] for path, items in result.items()}
    return {name: items for name, items in wrong.items() if items}
