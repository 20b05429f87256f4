"""Readers of what runs keep for later ones, and of the pages of a site."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import xregit
from tests.fuzzing.catalogs import HERE, edited, folder_seeds, found_in
from tests.fuzzing.texts import yaml_seeds
from xregit.catalog.reading import read_contents
from xregit.pages import pages
from xregit.rules.kept import from_bytes, to_bytes
from xregit.source import yaml
from xregit.source.remembered import Remembered, keep, recall


def kept(data: bytes) -> None:
    """Read these bytes as kept values and findings; keep what a file of them holds, and recall it."""
    found = from_bytes(data, HERE)
    assert found is None or to_bytes(found) == data
    due = repr(yaml.parse(data))
    first = Remembered()
    first.parse(data)
    with TemporaryDirectory() as name:
        file = Path(name, "values")
        file.write_bytes(data)
        assert repr(recall(file).parse(data)) == due
        keep(file, first)
        assert repr(recall(file).parse(data)) == due


def site(data: bytes) -> None:
    """Make the pages of a catalog in which one file has these bytes."""
    registry = read_contents(*edited(data))
    assert list(pages(registry))


def kept_seeds() -> Iterator[bytes]:
    """Give what runs keep, whole, and files."""
    yield from _whole()
    yield from list(yaml_seeds())[::10]


@cache
def _whole() -> tuple[bytes, ...]:
    reports = [xregit.check(read_contents(*edited(seed))) for seed in folder_seeds()]
    return tuple(to_bytes(found_in(report)) or b"" for report in reports)
