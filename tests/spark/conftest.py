"""A sample registry with history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spark.repository import SAMPLE, Repository

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog import Registry


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository without commits."""
    return Repository(tmp_path / "repository")


@pytest.fixture
def sample(repository: Repository) -> Registry:
    """Return the sample registry, committed once."""
    return repository.commit(SAMPLE, "Begin")
