"""Delta tables by Delta's own classes, where they are on Spark's class path: for any store that the session knows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from xregit.spark import frames
from xregit.spark.columns import HASH
from xregit.spark.comparing import Difference
from xregit.spark.definitions import declared, statement, text
from xregit.spark.interrupting import asked
from xregit.spark.packing import packed
from xregit.spark.standing import (
    CHANGE,
    DELETE,
    INSERT,
    PROPERTIES,
    UPDATE,
    Stand,
    changed_meanwhile,
    changes,
    changing,
    compared,
    foreign,
    refuse_newer,
    standing,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from xregit.spark.cells import Row
    from xregit.spark.columns import Table
    from xregit.spark.places import Place
    from xregit.spark.standing import CommitInfo, Work

# What Spark must be told before Delta's statements work; a session that has the classes without these can't merge.
SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
# What our statements mean by TIMESTAMP, whatever the session's own do.
TIMESTAMP, WITH_ZONE = "spark.sql.timestampType", "TIMESTAMP_LTZ"
WRITE = "spark.databricks.delta.write."
APPLICATION = "xregit publish"
_VIEW = "xregit_changes"


def available(spark: SparkSession) -> bool:
    """Tell whether a session can read and write Delta tables by itself."""
    return all(value in (spark.conf.get(name, "") or "") for name, value in SETTINGS.items())


@dataclass(frozen=True)
class NativeLake:
    """The tables in one folder of any file system or store that the session knows."""

    place: Place
    spark: SparkSession

    def look(self, table: Table) -> Stand:
        """Return how a table stands; see `standing.Lake`."""
        place = self.place / table.name
        detail = self._detail(place)
        if detail is None:
            return Stand(table, place)
        refuse_newer(place, detail["minReaderVersion"], detail["minWriterVersion"], _features(detail))
        version = self._last(place)
        frame = self._frame(place, version)
        stand = compared(table, place, version, json.loads(frame.schema.json()), detail["description"] or "")
        keyed = frame.select(*table.keys, HASH.name).collect()
        return standing(stand, map(tuple, keyed))

    def rows(self, stand: Stand) -> list[Row]:
        """Return all rows of a table; see `standing.Lake`."""
        if stand.version < 0:
            return []
        found = frames.collected(self._frame(stand.place, stand.version), stand.table)
        return [
            {name: dict(value) if _is_map(stand.table, name, value) else value for name, value in row.items()}
            for row in found.to_pylist()
        ]

    def write(self, work: Work, info: CommitInfo) -> dict[str, int]:
        """Bring every table to what its difference says; see `standing.Lake`."""
        with self._set({USER_METADATA: info.as_json, TIMESTAMP: WITH_ZONE}):
            return {name: self._committed(stand, some) for name, (stand, some) in work.items()}

    def append(self, stand: Stand, row: Row, info: CommitInfo) -> int:
        """Add one row to a table; see `standing.Lake`."""
        return self.write({stand.table.name: (stand, Difference(packed(stand.table, [row])))}, info)[stand.table.name]

    def empty(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more; see `standing.Lake`."""
        place = self.place / name
        if self._detail(place) is None or self.spark.read.format("delta").load(place.url).isEmpty():
            return 0
        with self._set({USER_METADATA: info.as_json}):
            removed = self.spark.sql(f"DELETE FROM {_quoted(place)}").first()  # noqa: S608 - quoted
        return int(removed["num_affected_rows"]) if removed else 0

    def _committed(self, stand: Stand, some: Difference) -> int:
        first = [_creation(stand)] if stand.version < 0 else _alterations(stand)
        for each in first:
            self.spark.sql(each).collect()
        version = stand.version + len(first) + bool(some)
        if some:
            # Of two who add the same rows at once, Delta would let both; with a number, it lets the first.
            with self._set({"txnAppId": APPLICATION, "txnVersion": str(version)}, WRITE):
                self._change(stand, some)
        if self._last(stand.place) != version:
            raise changed_meanwhile(stand.place)
        return version

    def _change(self, stand: Stand, some: Difference) -> None:
        if some.only_inserts:
            frame = frames.frame(self.spark, stand.table, some.inserted)
            frame.write.format("delta").mode("append").save(stand.place.url)
        else:
            changed = frames.whole(self.spark, changing(stand.table), changes(stand.table, some))
            changed.createOrReplaceTempView(_VIEW)
            try:
                self.spark.sql(_merge(stand)).collect()
            finally:
                asked(partial(self.spark.catalog.dropTempView, _VIEW))

    @contextmanager
    def _set(self, settings: Mapping[str, str], prefix: str = "") -> Iterator[None]:
        """Let the session have settings for a while."""
        conf = self.spark.conf
        before = {prefix + name: conf.get(prefix + name, None) for name in settings}
        try:
            for name, value in settings.items():
                conf.set(prefix + name, value)
            yield
        finally:
            for name, old in before.items():
                asked(partial(conf.unset, name) if old is None else partial(conf.set, name, old))

    def _frame(self, place: Place, version: int) -> DataFrame:
        return self.spark.read.format("delta").option("versionAsOf", version).load(place.url)

    def _last(self, place: Place) -> int:
        row = self.spark.sql(f"DESCRIBE HISTORY {_quoted(place)} LIMIT 1").first()
        return int(row["version"]) if row else -1

    def _detail(self, place: Place) -> Any:
        """Return what Delta says of a table, None where there is nothing at the place."""
        from pyspark.errors import AnalysisException

        try:
            return self.spark.sql(f"DESCRIBE DETAIL {_quoted(place)}").first()
        except AnalysisException as error:
            if place.local and place.local.exists() and (not place.local.is_dir() or any(place.local.iterdir())):
                raise foreign(place) from error
            return None


def _is_map(table: Table, name: str, value: object) -> bool:
    return isinstance(value, list) and any(
        column.name == name and column.type.startswith("map") for column in table.columns
    )


def _features(detail: Any) -> list[str]:
    return list(detail["tableFeatures"] or ())


def _creation(stand: Stand) -> str:
    return statement(stand.table, _quoted(stand.place), {name: value or "" for name, value in PROPERTIES.items()})


def _alterations(stand: Stand) -> list[str]:
    """Return the statements that give a table the columns and comments that the model has by now."""
    table = f"ALTER TABLE {_quoted(stand.place)}"
    lacking = [declared(column) for column in stand.table.columns if column.name in stand.lacking]
    found = [f"{table} ADD COLUMNS ({', '.join(lacking)})"] if lacking else []
    for name, said in stand.comments.items():
        found.append(
            f"{table} ALTER COLUMN `{name}` COMMENT {text(said)}"
            if name
            else f"COMMENT ON TABLE {_quoted(stand.place)} IS {text(said)}"
        )
    return found


def _merge(stand: Stand) -> str:
    names = [f"`{column.name}`" for column in stand.table.columns]
    same = " AND ".join(f"there.`{key}` = here.`{key}`" for key in stand.table.keys)
    former = (f"there.`{name}` = NULL" for name in stand.former)  # it must not go on telling of what is no more
    update = ", ".join((*(f"there.{name} = here.{name}" for name in names), *former))
    values = ", ".join(f"here.{name}" for name in names)
    change = f"here.`{CHANGE.name}`"
    return (
        f"MERGE INTO {_quoted(stand.place)} AS there USING {_VIEW} AS here ON {same} "  # noqa: S608 - quoted
        f"WHEN MATCHED AND {change} = '{DELETE}' THEN DELETE "
        f"WHEN MATCHED AND {change} = '{UPDATE}' THEN UPDATE SET {update} "
        f"WHEN NOT MATCHED AND {change} = '{INSERT}' THEN INSERT ({', '.join(names)}) VALUES ({values})"
    )


def _quoted(place: Place) -> str:
    return f"delta.`{place.url.replace('`', '``')}`"
