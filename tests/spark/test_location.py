"""Where tables are: paths and URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from xregit.errors import XregitError
from xregit.spark.location import Location


@pytest.mark.parametrize(
    ("given", "url", "local"),
    [
        (Path("/a/b"), "/a/b", Path("/a/b")),
        ("/a/b/", "/a/b", Path("/a/b")),
        ("/a/../b", "/b", Path("/b")),
        ("file:///a/b%20c", "/a/b c", Path("/a/b c")),
        ("file:/a", "/a", Path("/a")),
        ("s3://bucket/tables/", "s3://bucket/tables", None),
        ("hdfs://name:8020/t", "hdfs://name:8020/t", None),
    ],
)
def test_place_is_a_path_or_a_url(given: Path | str, url: str, local: Path | None) -> None:
    """What has a scheme is in a store, but for files."""
    place = Location.of(given)
    assert (place.url, place.local, str(place)) == (url, local, url)
    assert (place / "x").url == f"{url}/x"


def test_path_that_is_no_text_is_refused() -> None:
    """A path with bytes that are no letters in the process's locale is told in one line, before anything begins."""
    with pytest.raises(XregitError, match=r"path '/a/\\udcc3\\udcbc' is no text here; .* LC_ALL"):
        Location.of("/a/\udcc3\udcbc")


def test_relative_path_is_made_absolute() -> None:
    """Executors have another working directory."""
    assert Location.of("build/tables").local == Path.cwd() / "build/tables"
