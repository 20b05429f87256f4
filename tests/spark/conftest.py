"""A sample registry with history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.repository import SAMPLE, CatalogRepository
from xregit.catalog import Registry


@pytest.fixture
def repository(tmp_path: Path) -> CatalogRepository:
    """Return a repository without commits."""
    return CatalogRepository(tmp_path / "repository")


@pytest.fixture
def sample(repository: CatalogRepository) -> Registry:
    """Return the sample registry, committed once."""
    return repository.commit(SAMPLE, "Begin")
