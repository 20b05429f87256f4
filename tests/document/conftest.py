"""The small registry, read once."""

from __future__ import annotations

import pytest

from tests.document.small import small_registry
from xregit.catalog import Registry


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """Return the small registry."""
    return small_registry(tmp_path_factory.mktemp("small"))
