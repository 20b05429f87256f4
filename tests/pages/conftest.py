"""The small registry, its pages, and its built site, each made once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.pages.manual import build_manual
from tests.pages.small import small_folder
from xregit.catalog import Registry, read_folder
from xregit.pages import Page, pages
from xregit.pages.builder import build_site


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """Return the small registry."""
    return read_folder(small_folder(tmp_path_factory.mktemp("small")))


@pytest.fixture(scope="session")
def small_pages(small: Registry) -> Mapping[str, Page]:
    """Return the small registry's pages by address."""
    return {page.address: page for page in pages(small)}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """Return the folder of the small registry's site, built with the project's own configuration, and the manual."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANUAL_URL", "manual/")
        build_site(small_folder(folder), folder / "site", root / "site" / "mkdocs.yml")
    build_manual(folder / "site" / "manual")
    return folder / "site"
