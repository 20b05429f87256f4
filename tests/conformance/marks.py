"""A pytest plugin that writes which tests show which requirement; it runs beside a collection alone."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

# The file to write; what is collected is no argument of the plugin, but all that pytest finds.
TARGET = "XREGIT_MARKS"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write requirement → tests, each test by its function and not by its parameters."""
    shown: dict[str, set[str]] = defaultdict(set)
    for item in session.items:
        test = item.nodeid.split("[", 1)[0]
        for mark in item.iter_markers("requirement"):
            for requirement in mark.args:
                shown[requirement].add(test)
    Path(os.environ[TARGET]).write_text(json.dumps({key: sorted(tests) for key, tests in shown.items()}))
