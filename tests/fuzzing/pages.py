"""A reader of catalogs that makes their pages."""

from __future__ import annotations

from tests.fuzzing.catalogs import edited
from xregit.catalog.loader import read_contents
from xregit.pages import pages


def site(data: bytes) -> None:
    """Make the pages of a catalog in which one file has these bytes."""
    registry = read_contents(*edited(data))
    assert list(pages(registry))
