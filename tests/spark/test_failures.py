"""What is in the way of a job, on real disks and with real rivals: one line each, and tables that stay readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import xregit
from tests.disks import read_only, small_disk
from tests.spark.repository import CatalogRepository
from tests.spark.streams import event, registry_of, route, rows, write
from xregit.catalog import Registry
from xregit.errors import XregitError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from xregit.spark.publication import Publication

pytestmark = pytest.mark.spark

DISK_BYTES = 2 * 1024 * 1024
LEFT_BYTES = 4096
RIVALS = 3
NEW = {"messagegroups/brakes/messages/new.yaml": "description: New.\n"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that is a small disk."""
    with small_disk(tmp_path / "disk", DISK_BYTES) as folder:
        yield folder


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Let a disk be full but for a page; a new file fits, what it is to hold does not."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(LEFT_BYTES)):
                pass
        except OSError:
            file.truncate(file.tell() - LEFT_BYTES)
    yield
    filler.unlink()


def messages(tables: Path) -> int:
    """Return how many messages the tables of a catalog have."""
    return len(pa.table(DeltaTable(tables / "messages").scan()))


OBSTACLES = pytest.mark.parametrize(
    ("obstacle", "reason"), [(full, "No space left"), (read_only, "Read-only file system")], ids=["full", "read-only"]
)
Obstacle = Callable[[Path], AbstractContextManager[None]]


@OBSTACLES
def test_unwritable_disk_leaves_the_catalog_as_it_was(  # noqa: PLR0913, PLR0917 - fixtures, and what a case says
    spark: SparkSession, repository: CatalogRepository, sample: Registry, disk: Path, obstacle: Obstacle, reason: str
) -> None:
    """One line says what is wrong, tables are readable at their last version, and a later publication goes on."""
    tables = disk / "tables"
    xregit.publish(sample, tables, spark=spark)
    changed = repository.commit(NEW)
    with obstacle(disk), pytest.raises(XregitError, match=rf"can't publish to .*{reason}") as caught:
        xregit.publish(changed, tables, spark=spark)
    assert "\n" not in str(caught.value)
    assert (messages(tables), xregit.tables_at(tables).keys()) == (4, xregit.tables_at(tables, 1).keys())
    assert xregit.publish(changed, tables, spark=spark).changed
    assert messages(tables) == 5


@OBSTACLES
def test_unwritable_disk_loses_and_doubles_no_message(
    spark: SparkSession, disk: Path, tmp_path: Path, obstacle: Obstacle, reason: str
) -> None:
    """Messages that could not be written are routed by the next run, once."""
    registry = registry_of(tmp_path)
    tables, incoming = disk / "tables", tmp_path / "in"
    write(incoming / "1.jsonl", event(1))
    route(registry, incoming, tables, spark=spark)
    write(incoming / "2.jsonl", *(event(number) for number in range(2, 500)), event(500, "t.two"))
    with obstacle(disk), pytest.raises(XregitError, match=reason) as caught:
        route(registry, incoming, tables, spark=spark)
    assert "\n" not in str(caught.value)
    assert [row["ce_id"] for row in rows(tables, "g__one")] == ["1"]
    route(registry, incoming, tables, spark=spark)
    ids = [int(row["ce_id"]) for name in ("g__one", "g__two") for row in rows(tables, name)]
    assert sorted(ids) == list(range(1, 501))


def test_rival_publishers_double_nothing(
    spark: SparkSession, repository: CatalogRepository, sample: Registry, tmp_path: Path
) -> None:
    """Of several that publish at once one wins; others say that someone was faster, or find nothing to do."""
    tables = tmp_path / "tables"
    for registry, expected in ((sample, 4), (repository.commit(NEW), 5)):
        result = rivals(registry, tables, spark)
        lost = [str(each) for each in result if isinstance(each, XregitError)]
        assert len(lost) < RIVALS
        assert all("was changed by someone else in the meantime; run it again" in line for line in lost)
        xregit.publish(registry, tables, spark=spark)
        assert not xregit.publish(registry, tables, spark=spark).changed
        assert messages(tables) == expected
    assert len(pa.table(DeltaTable(tables / "publications").scan())) == 2


def rivals(registry: Registry, tables: Path, spark: SparkSession) -> list[Publication | XregitError]:
    """Return what becomes of several that publish the same at once."""
    begin = Barrier(RIVALS)

    def publish(_number: int) -> Any:
        begin.wait()
        try:
            return xregit.publish(registry, tables, spark=spark)
        except XregitError as error:
            return error

    with ThreadPoolExecutor(RIVALS) as pool:
        return list(pool.map(publish, range(RIVALS)))


def test_file_in_the_way_is_one_line(spark: SparkSession, sample: Registry, tmp_path: Path) -> None:
    """Where a file is in the way of the tables' folder, one line says so, and the file stays."""
    file = write(tmp_path / "tables", event(1))
    for job in (
        lambda: xregit.publish(sample, file, spark=spark),
        lambda: xregit.publish(sample, file, spark=spark, format="parquet"),
        lambda: route(sample, file, file, spark=spark),
    ):
        with pytest.raises(XregitError, match=f"{file} is a file, and no folder for tables") as caught:
            job()
        assert "\n" not in str(caught.value)
    assert file.is_file()
