"""One version for each commit, and tables as they were at one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable

import xregit
from tests.spark.repository import SAMPLE, CatalogRepository
from xregit.errors import XregitError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

WEAR = "messagegroups/brakes/messages/wear.yaml"
ONLY = "endpoints/garage/messages/only.yaml"


@pytest.fixture
def commits(repository: CatalogRepository) -> list[str]:
    """Return the commits of a repository: begin, rename, a change elsewhere, remove."""
    changes: list[dict[str, str | None]] = [
        dict(SAMPLE),
        {WEAR: SAMPLE[WEAR].replace("Wear", "Worn down")},
        {"../README.md": "A text.\n"},
        {ONLY: None},
    ]
    return [repository.commit(files, f"Step {number}").origin.history.head for number, files in enumerate(changes)]


def test_each_commit_is_a_version(
    spark: SparkSession, repository: CatalogRepository, commits: list[str], tmp_path: Path
) -> None:
    """The whole history becomes publications, oldest first; a commit that left the registry alone adds nothing."""
    folder = tmp_path / "tables"
    done = xregit.publish_history(repository.root / "registry", "HEAD", folder, spark=spark)
    assert [each.commit for each in done] == [commits[0], commits[1], commits[3]]
    names = {}
    for commit in (commits[0], commits[1], commits[3]):
        result = xregit.published_at(repository.root / "registry", commit, folder)
        assert result.commit == commit
        messages = xregit.tables_at(folder, result.number)["messages"]
        names[commit] = sorted(row["name"] or "" for row in pa.table(messages.scan()).to_pylist())
        entry = DeltaTable(folder / "commits").history()[-1 - result.versions["commits"]]
        assert json.loads(entry["userMetadata"])["commit"] == commit
    assert "Wear" in names[commits[0]]
    assert "Worn down" in names[commits[1]]
    assert len(names[commits[3]]) == len(names[commits[1]]) - 1


def test_history_is_continued(
    spark: SparkSession, repository: CatalogRepository, commits: list[str], tmp_path: Path
) -> None:
    """What is published stays, the commits after it are added, and a second run adds none."""
    folder, registry = tmp_path / "tables", repository.root / "registry"
    first = xregit.publish_history(str(registry), commits[1], str(folder), spark=spark)
    rest = xregit.publish_history(registry, f"{commits[0]}..HEAD", folder, spark=spark)
    again = xregit.publish_history(registry, "HEAD", folder, spark=spark)
    assert [[each.number for each in some] for some in (first, rest, again)] == [[1, 2], [3], []]


def test_commit_between_is_held_by_the_one_before(
    spark: SparkSession, repository: CatalogRepository, commits: list[str], tmp_path: Path
) -> None:
    """A commit that was not published itself is as the newest published one before it."""
    folder, registry = tmp_path / "tables", repository.root / "registry"
    xregit.publish_history(registry, "HEAD", folder, spark=spark)
    assert xregit.published_at(str(registry), commits[2], str(folder)).commit == commits[1]


def test_what_was_never_published_is_said(
    spark: SparkSession, repository: CatalogRepository, commits: list[str], tmp_path: Path
) -> None:
    """No tables, none that old, no such commit and no such publication are one line each."""
    folder, registry = tmp_path / "tables", repository.root / "registry"
    with pytest.raises(XregitError, match="holds no published tables"):
        xregit.published_at(registry, "HEAD", folder)
    with pytest.raises(XregitError, match="holds no published tables"):
        xregit.tables_at(folder)
    xregit.publish(repository.read(), folder, spark=spark)
    with pytest.raises(XregitError, match="neither"):
        xregit.published_at(registry, commits[0], folder)
    with pytest.raises(XregitError, match="no publication 7"):
        xregit.tables_at(folder, 7)
    with pytest.raises(XregitError, match="nowhere"):
        xregit.publish_history(registry, "nowhere", folder, spark=spark)
    for log in (folder / "publications" / "_delta_log").iterdir():
        log.write_bytes(b"{")
    with pytest.raises(XregitError, match="can't read the tables in"):
        xregit.tables_at(folder)


def test_polars_reads_what_is_published(spark: SparkSession, repository: CatalogRepository, tmp_path: Path) -> None:
    """A reader that is neither Spark nor ours finds the rows, and those of an older version."""
    folder = tmp_path / "tables"
    xregit.publish(repository.commit(SAMPLE, "Begin"), folder, spark=spark)
    xregit.publish(repository.commit({ONLY: None}, "Remove"), folder, spark=spark)
    assert pl.read_delta(str(folder / "messages")).height == 3
    assert pl.read_delta(str(folder / "messages"), version=0).filter(pl.col("name") == "Wear").height == 1
