"""Delta tables by Delta's own classes on Spark's class path: for any store that the session knows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from xregit.spark import row_batches
from xregit.spark.row_batches import pack
from xregit.spark.table_schema import HASH, Table, column_ddl, create_table, sql_string
from xregit.spark.table_writer import (
    CHANGE,
    DELETE,
    INSERT,
    UPDATE,
    CommitInfo,
    TableChanges,
    TableSnapshot,
    Updates,
    changes_table,
    changes_to_arrow,
    compare_schema,
    concurrent_change,
    not_a_delta_table,
    refuse_newer_protocol,
    with_row_hashes,
)
from xregit.spark.tables import PROPERTIES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from xregit.spark.location import Location
    from xregit.spark.rows import Row

# The settings without which Delta's statements don't work; a session that has the classes without these can't merge.
SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
# The meaning of TIMESTAMP in our statements, whatever the session's is.
TIMESTAMP, WITH_ZONE = "spark.sql.timestampType", "TIMESTAMP_LTZ"
WRITE = "spark.databricks.delta.write."
APPLICATION = "xregit publish"
_VIEW = "xregit_changes"


def is_available(spark: SparkSession) -> bool:
    """Return whether a session can read and write Delta tables by itself."""
    return all(value in (spark.conf.get(name, "") or "") for name, value in SETTINGS.items())


@dataclass(frozen=True)
class DeltaSparkWriter:
    """The tables in one folder of any file system or store that the session knows."""

    place: Location
    spark: SparkSession

    def snapshot(self, table: Table) -> TableSnapshot:
        """Return the state of a table; see `TableWriter`."""
        place = self.place / table.name
        detail = self._detail(place)
        if detail is None:
            return TableSnapshot(table, place)
        features = detail["tableFeatures"] or ()
        refuse_newer_protocol(place, detail["minReaderVersion"], detail["minWriterVersion"], features)
        version = self._latest_version(place)
        frame = self._dataframe(place, version)
        snapshot = compare_schema(table, place, version, json.loads(frame.schema.json()), detail["description"] or "")
        keyed = frame.select(*table.keys, HASH.name).collect()
        return with_row_hashes(snapshot, map(tuple, keyed))

    def read_rows(self, snapshot: TableSnapshot) -> list[Row]:
        """Return all rows of a table; see `TableWriter`."""
        if snapshot.version < 0:
            return []
        frame = self._dataframe(snapshot.place, snapshot.version)
        rows: list[Row] = row_batches.collect_arrow(frame, snapshot.table).to_pylist()
        maps = [column.name for column in snapshot.table.columns if column.type in row_batches.MAPS]
        for row in rows:  # Arrow returns maps as pairs
            row.update((name, dict(row[name])) for name in maps if row[name] is not None)
        return rows

    def write(self, updates: Updates, info: CommitInfo) -> dict[str, int]:
        """Make the changes of every table; see `TableWriter`."""
        with self._settings({USER_METADATA: info.as_json, TIMESTAMP: WITH_ZONE}):
            return {name: self._commit(snapshot, changes) for name, (snapshot, changes) in updates.items()}

    def append(self, snapshot: TableSnapshot, row: Row, info: CommitInfo) -> int:
        """Add one row to a table; see `TableWriter`."""
        name, changes = snapshot.table.name, TableChanges(pack(snapshot.table, [row]))
        return self.write({name: (snapshot, changes)}, info)[name]

    def clear(self, name: str, info: CommitInfo) -> int:
        """Remove all rows of a table that the model has no more; see `TableWriter`."""
        place = self.place / name
        if self._detail(place) is None or self.spark.read.format("delta").load(place.url).isEmpty():
            return 0
        with self._settings({USER_METADATA: info.as_json}):
            result = self.spark.sql(f"DELETE FROM {_quote(place)}").first()  # noqa: S608 - quoted
        return int(result["num_affected_rows"]) if result else 0

    def _commit(self, snapshot: TableSnapshot, changes: TableChanges) -> int:
        statements = [_create_statement(snapshot)] if snapshot.version < 0 else _alter_statements(snapshot)
        for statement in statements:
            self.spark.sql(statement).collect()
        version = snapshot.version + len(statements) + bool(changes)
        if changes:
            # Of two writers that add the same rows at once, Delta would admit both; with a number, it admits the first.
            with self._settings({"txnAppId": APPLICATION, "txnVersion": str(version)}, WRITE):
                self._write_changes(snapshot, changes)
        if self._latest_version(snapshot.place) != version:
            raise concurrent_change(snapshot.place)
        return version

    def _write_changes(self, snapshot: TableSnapshot, changes: TableChanges) -> None:
        table = snapshot.table
        if changes.only_inserts:
            frame = row_batches.to_dataframe(self.spark, table, changes.inserted)
            frame.write.format("delta").mode("append").save(snapshot.place.url)
            return
        frame = row_batches.arrow_to_dataframe(self.spark, changes_table(table), changes_to_arrow(table, changes))
        frame.createOrReplaceTempView(_VIEW)
        try:
            self.spark.sql(_merge_statement(snapshot)).collect()
        finally:
            self.spark.catalog.dropTempView(_VIEW)

    @contextmanager
    def _settings(self, settings: Mapping[str, str], prefix: str = "") -> Iterator[None]:
        """Change settings of the session, and restore them afterwards."""
        conf = self.spark.conf
        before = {prefix + name: conf.get(prefix + name, None) for name in settings}
        try:
            for name, value in settings.items():
                conf.set(prefix + name, value)
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    conf.unset(name)
                else:
                    conf.set(name, old)

    def _dataframe(self, place: Location, version: int) -> DataFrame:
        return self.spark.read.format("delta").option("versionAsOf", version).load(place.url)

    def _latest_version(self, place: Location) -> int:
        row = self.spark.sql(f"DESCRIBE HISTORY {_quote(place)} LIMIT 1").first()
        return int(row["version"]) if row else -1

    def _detail(self, place: Location) -> Any:
        """Return Delta's description of a table, None where there is nothing at the place."""
        try:
            return self.spark.sql(f"DESCRIBE DETAIL {_quote(place)}").first()
        except AnalysisException as error:
            if place.local and place.local.exists() and (not place.local.is_dir() or any(place.local.iterdir())):
                raise not_a_delta_table(place) from error
            return None


def _create_statement(snapshot: TableSnapshot) -> str:
    return create_table(snapshot.table, _quote(snapshot.place), PROPERTIES)


def _alter_statements(snapshot: TableSnapshot) -> list[str]:
    """Return the statements that give a table the columns and comments that the model has by now."""
    table = f"ALTER TABLE {_quote(snapshot.place)}"
    columns = [column_ddl(column) for column in snapshot.table.columns if column.name in snapshot.missing_columns]
    statements = [f"{table} ADD COLUMNS ({', '.join(columns)})"] if columns else []
    for name, comment in snapshot.comments.items():
        statements.append(
            f"{table} ALTER COLUMN `{name}` COMMENT {sql_string(comment)}"
            if name
            else f"COMMENT ON TABLE {_quote(snapshot.place)} IS {sql_string(comment)}"
        )
    return statements


def _merge_statement(snapshot: TableSnapshot) -> str:
    names = [f"`{column.name}`" for column in snapshot.table.columns]
    same_row = " AND ".join(f"there.`{key}` = here.`{key}`" for key in snapshot.table.keys)
    removed = (f"there.`{name}` = NULL" for name in snapshot.removed_columns)  # old values would be wrong
    update = ", ".join((*(f"there.{name} = here.{name}" for name in names), *removed))
    values = ", ".join(f"here.{name}" for name in names)
    change = f"here.`{CHANGE.name}`"
    return (
        f"MERGE INTO {_quote(snapshot.place)} AS there USING {_VIEW} AS here ON {same_row} "  # noqa: S608 - quoted
        f"WHEN MATCHED AND {change} = '{DELETE}' THEN DELETE "
        f"WHEN MATCHED AND {change} = '{UPDATE}' THEN UPDATE SET {update} "
        f"WHEN NOT MATCHED AND {change} = '{INSERT}' THEN INSERT ({', '.join(names)}) VALUES ({values})"
    )


def _quote(place: Location) -> str:
    return f"delta.`{place.url.replace('`', '``')}`"
