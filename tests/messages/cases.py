"""The cases under ``tests/cases/messages``: definitions, and what is made of them or recognised by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / "cases" / "messages"


def cases(name: str) -> list[Any]:
    """Return the cases of a file as parameters of a test, each with the requirements that it shows."""
    results = []
    for case in yaml.load((FOLDER / name).read_text(encoding="utf-8"), yaml.CSafeLoader):
        marks = [pytest.mark.requirement(*case["requirement"].split())] if "requirement" in case else []
        results.append(pytest.param(case, id=case["name"], marks=marks))
    return results
