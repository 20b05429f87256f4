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


KEYS = {"fs.s3a.access.key": "a", "fs.s3a.secret.key": "s"}
OPTIONS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"}


@pytest.mark.parametrize(
    ("url", "settings", "environment", "options"),
    [
        ("s3a://b/t", KEYS, {}, OPTIONS),
        ("s3://b/t", {f"spark.hadoop.{name}": value for name, value in KEYS.items()}, {}, OPTIONS),
        ("s3://b/t", KEYS | {"fs.s3a.bucket.b.secret.key": "of b"}, {}, OPTIONS | {"AWS_SECRET_ACCESS_KEY": "of b"}),
        ("s3://c/t", KEYS | {"fs.s3a.bucket.b.secret.key": "of b"}, {}, OPTIONS),
        ("s3://b/t", {}, {**OPTIONS, "AWS_PROFILE": "x"}, OPTIONS),
        ("s3://b/t", KEYS, {"AWS_ACCESS_KEY_ID": "x", "AWS_SESSION_TOKEN": "x"}, OPTIONS),
        ("s3://b/t", {"fs.s3a.endpoint": "h:9"}, {}, {"AWS_ENDPOINT_URL": "https://h:9"}),
        (
            "s3://b/t",
            {"fs.s3a.endpoint": "h:9", "fs.s3a.connection.ssl.enabled": "false"},
            {},
            {"AWS_ENDPOINT_URL": "http://h:9", "AWS_ALLOW_HTTP": "true"},
        ),
        ("hdfs://ha/t", KEYS | {"dfs.nameservices": "ha"}, {}, {"dfs.nameservices": "ha"}),
        ("/t", KEYS, OPTIONS, {}),
        ("abfss://c@a.dfs.core.windows.net/t", KEYS, OPTIONS, {}),
    ],
)
def test_credentials_are_those_of_spark_or_else_of_the_environment(
    url: str,
    settings: dict[str, str],
    environment: dict[str, str],
    options: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bucket may have settings of its own; keys of one source are never completed from another."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION", "DEFAULT_REGION", "ENDPOINT_URL"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    place = Location.of(url).with_settings(settings)
    assert place.options == options
    assert (place / "x").options == options
    assert "secret" not in repr(place).lower()
