"""The Delta tables of a routing job: by the library `deltalake`, or by Delta's own classes where a session has them.

Both give a table the rows of a batch once: the commit names the application and the number of its batch, which Delta
keeps, and refuses of two that are made at once the second.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, QueryBuilder, Schema, write_deltalake
from deltalake import Transaction as DeltaTransaction
from deltalake.exceptions import CommitFailedError, DeltaError
from pyarrow import fs
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql.types import StructType

from xregit.errors import XregitError
from xregit.spark.data_files import file_system, list_folders, read_parts, write_file
from xregit.spark.delta_spark_writer import is_available
from xregit.spark.deltalake_writer import add_files
from xregit.spark.executors import portable
from xregit.spark.java import Py4JError
from xregit.spark.location import Location, error_summary, read_errors_at
from xregit.spark.streams.message_tables import PROPERTIES, ConflictError, TableMapping
from xregit.spark.streams.source import exact_pattern
from xregit.spark.table_schema import covers, sql_string, sql_type
from xregit.spark.table_writer import refuse_constraints, refuse_newer_protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: How the name of a schema in Spark's catalog is told from a folder.
SCHEMA = "schema:"
#: The metadata of the column that all tables have, which says what table it is.
TABLE_KEY = "xregit.table"
LOG = "_delta_log"
RETRIES = 20
# What the log of a table says of the commits of applications.
_LOGGED = "txn struct<appId: string, version: bigint>"
_LOCATION = re.compile("^Location: (.+)$", re.MULTILINE)
# What Spark and Delta say of a table that is not there.
_MISSING = frozenset(
    {"TABLE_OR_VIEW_NOT_FOUND", "PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE"}
)
# What Delta says against one table, such as its constraint or a feature that it does not know, or that it is a view;
# but not that another writer was faster.
_REFUSAL = re.compile(
    r"\[(?:EXPECT_TABLE_NOT_VIEW|DELTA_(?!CONCURRENT_|TABLE_ALREADY_EXISTS|TABLE_NOT_FOUND|MISSING_DELTA_TABLE))"
)


class Transaction(NamedTuple):
    """What a commit adds once: the application, its number there, and the metadata of the commit."""

    application: str
    number: int
    metadata: Mapping[str, str]


class TableState(NamedTuple):
    """A table as it is: the key, its columns in the form that Spark and Delta share, and why it can't be written."""

    key: str
    columns: Sequence[Mapping[str, Any]]
    problem: str = ""


class RefusedError(XregitError):
    """A table can't be written as it is."""


def open_tables(place: Location, spark: SparkSession) -> Tables:
    """Return the tables at a path or URL, or in a schema of Spark's catalog; see `write_batch`.

    Raises:
        XregitError: a schema is named, and Spark has no classes of Delta.
    """
    has_delta = is_available(spark) or "DATABRICKS_RUNTIME_VERSION" in os.environ
    if place.url.startswith(SCHEMA) and not has_delta:
        message = (
            f"tables in {place} need Delta's own classes, which this Spark lacks; set spark.sql.extensions and "
            "spark.sql.catalog.spark_catalog as Delta says, or name a folder"
        )
        raise XregitError(message)
    return (
        SparkTables(place.url if place.url.startswith(SCHEMA) else place.hadoop_url, spark)
        if has_delta
        else DeltalakeTables(place)
    )


@dataclass(frozen=True)
class DeltalakeTables:
    """Tables by `deltalake`; those that were opened stay open, and follow their logs from there."""

    place: Location
    opened: dict[str, DeltaTable] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    @property
    def folder(self) -> Location:
        """Where executors write files."""
        return self.place

    def names(self) -> set[str]:
        """Return the names of what may be a table: all folders."""
        return set(list_folders(self.place.url, self.place.options))

    def state(self, name: str) -> TableState | None:
        """Return a table as it is by now, None where there is none."""
        place = self.place / name
        self.unreadable.discard(name)
        try:
            with read_errors_at(place):
                table = self._table(name)
        except XregitError as error:
            text = str(error.__cause__)
            if "nsupported" not in text and "lacks the" not in text:
                raise
            self.unreadable.add(name)
            return TableState(
                "", (), f"{place} needs a newer Delta reader than this one: {error_summary(error.__cause__ or error)}"
            )
        if table is None:
            return self._foreign(name)
        protocol, metadata = table.protocol(), table.metadata()
        schema = json.loads(table.schema().to_json())
        try:
            features = protocol.writer_features or ()
            refuse_newer_protocol(place, protocol.min_reader_version, protocol.min_writer_version, features)
            refuse_constraints(place, schema, metadata.partition_columns, metadata.configuration)
        except XregitError as error:
            return TableState(_key(schema, metadata.name), schema["fields"], str(error))
        return TableState(_key(schema, metadata.name), schema["fields"])

    def _foreign(self, name: str) -> TableState | None:
        folder = self.place.local and self.place.local / name
        if not folder or not folder.exists():
            return None
        content = [each.name for each in folder.iterdir()] if folder.is_dir() else [name]
        # Files that were written and never committed are in the way of no table.
        if all(each.startswith("part-") for each in content):
            return None
        return TableState("", (), f"{folder} holds something else than a Delta table; move it out of the way")

    def _table(self, name: str) -> DeltaTable | None:
        table = self.opened.pop(name, None)
        if table is not None:
            table.update_incremental()
            self.opened[name] = table
            return table
        url, options = (self.place / name).url, dict(self.place.options)
        if not DeltaTable.is_deltatable(url, options):
            return None
        table = self.opened[name] = DeltaTable(url, storage_options=options)
        return table

    def last(self, name: str, application: str) -> int:
        """Return the number of an application's last commit to a table that `state` knows, -1 before the first."""
        if name in self.unreadable:
            return self._logged(name, application)
        table = self.opened.get(name)
        version = table.transaction_version(application) if table is not None else None
        return -1 if version is None else version

    def _logged(self, name: str, application: str) -> int:
        """Return what `last` does for a table that `deltalake` can't read: from the commits in its log."""
        files = file_system((self.place / name).url, self.place.options)
        entries = files.get_file_info(fs.FileSelector(LOG, allow_not_found=True))
        for path in sorted((each.path for each in entries if each.path.endswith(".json")), reverse=True):
            with files.open_input_stream(path) as log:
                actions = [json.loads(line) for line in log.read().splitlines() if b'"txn"' in line]
            numbers = [each["txn"]["version"] for each in actions if each.get("txn", {}).get("appId") == application]
            if numbers:
                return int(numbers[0])
        return -1

    def commit(self, mapping: TableMapping, content: Sequence[Mapping[str, Any]], transaction: Transaction) -> bool:
        """Add files to a table, which is created if missing; return false where it had them already.

        Where somebody else was faster, that is tried again.

        Raises:
            RefusedError: the table can't take them as it is.
        """
        for _ in range(RETRIES):
            state = self.state(mapping.name)
            if self.last(mapping.name, transaction.application) >= transaction.number:
                return False
            problem = state and (state.problem or misfit(mapping, state))
            if problem:
                raise RefusedError(problem)
            try:
                self._add(mapping, content, transaction)
            except CommitFailedError as error:
                if "nsupported" in str(error):
                    raise RefusedError(error_summary(error)) from error
                conflict: Exception = error
            except DeltaError as error:
                if "already exists" not in str(error):
                    raise
                conflict = error
            else:
                return True
        raise conflict

    def _add(self, mapping: TableMapping, content: Sequence[Mapping[str, Any]], transaction: Transaction) -> None:
        table, place = self.opened.get(mapping.name), self.place / mapping.name
        if table is not None:
            _follow(table, mapping)
        made = {"name": mapping.key, "description": mapping.comment, "configuration": PROPERTIES}
        structure = mapping.structure if table is not None else _keyed_structure(mapping)
        add_files(place, table, structure, content, _properties(transaction), **made)

    def add_row(self, mapping: TableMapping, row: Mapping[str, Any], transaction: Transaction) -> bool:
        """Add one row, as `commit` does."""
        place = self.place / mapping.name
        if place.local:
            place.local.mkdir(parents=True, exist_ok=True)
        rows = pa.Table.from_pylist([dict(row)], mapping.arrow_schema)
        file = write_file(mapping.name, place.url, rows.schema, rows.to_batches(), place.options)
        return self.commit(mapping, [file], transaction)

    def delete(self, name: str, condition: str) -> None:
        """Remove the rows for which a condition in SQL holds, unless somebody else is at it, and files of old ones."""
        table = self._table(name)
        try:
            if table is not None:
                table.delete(condition)
                table.vacuum(dry_run=False)
        except CommitFailedError:
            self.opened.pop(name, None)

    def query(self, name: str, condition: str) -> list[dict[str, Any]]:
        """Return the rows of a table for which a condition holds."""
        table = self._table(name)
        if table is None:
            return []
        found = QueryBuilder().register("t", table).execute(f"SELECT * FROM t WHERE {condition}")  # noqa: S608 - ours
        rows: list[dict[str, Any]] = pa.table(found.read_all()).to_pylist()
        return rows

    def compact(self, name: str) -> None:
        """Rewrite small files as few; where somebody else is at it, the next time will do."""
        table = self._table(name)
        try:
            if table is not None:
                table.optimize.compact()
        except CommitFailedError:
            self.opened.pop(name, None)


def _key(schema: Mapping[str, Any], name: str | None) -> str:
    """Return the key of the table, empty for a table that nobody has named."""
    keys = [each["metadata"][TABLE_KEY] for each in schema["fields"] if TABLE_KEY in (each.get("metadata") or {})]
    return str(keys[0] if keys else name or "")


def _keyed_structure(mapping: TableMapping) -> dict[str, Any]:
    """Return the schema of a new table, in which the last column says what table it is."""
    *others, last = mapping.structure["fields"]
    return {"type": "struct", "fields": [*others, {**last, "metadata": {**last["metadata"], TABLE_KEY: mapping.key}}]}


def misfit(mapping: TableMapping, state: TableState) -> str:
    """Return why rows of a mapping can't be added to a table as it is, an empty text if they can."""
    if state.key not in {"", mapping.key}:
        return f"{mapping.name} is the table of {state.key}"
    try:
        current = TableMapping.of(mapping.name, mapping.key, mapping.comment, mapping.columns, state.columns)
    except ConflictError as error:
        return f"{mapping.name}: {error}"
    return "" if current == mapping else f"{mapping.name} has other columns by now"


def _properties(transaction: Transaction) -> Any:
    return CommitProperties(
        custom_metadata={"userMetadata": _user_metadata(transaction)},
        app_transactions=[DeltaTransaction(transaction.application, transaction.number)],
    )


def _user_metadata(transaction: Transaction, **more: str) -> str:
    """Return what the history of a table says of a commit, whichever of the two made it."""
    application, number, metadata = transaction
    return json.dumps({**metadata, "application": application, "batch": number, **more})


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what Delta's own classes say against one table into a refusal.

    Raises:
        RefusedError: the table can't be read or written as it is.
    """
    try:
        yield
    except (PySparkException, Py4JError) as error:
        summary = error_summary(error)
        if _REFUSAL.search(summary):
            raise RefusedError(summary) from error
        raise


def _follow(table: DeltaTable, mapping: TableMapping) -> None:
    """Give a table the columns, and the fields in columns, and the comments that its definition has by now."""
    current = json.loads(table.schema().to_json())
    if not covers(current, mapping.structure):
        schema = pa.schema(Schema.from_json(json.dumps(mapping.structure)).to_arrow())
        write_deltalake(table, schema.empty_table(), mode="append", schema_mode="merge")
        table.update_incremental()
    comments = {each["name"]: (each.get("metadata") or {}).get("comment", "") for each in current["fields"]}
    changed = [each for each in mapping.columns if comments.get(each.name, each.comment) != each.comment]
    for column in changed:
        table.alter.set_column_metadata(column.name, {"comment": column.comment})
    if (table.metadata().description or "") != mapping.comment:
        table.alter.set_table_description(mapping.comment)
        changed.append(mapping.columns[0])
    if changed:
        table.update_incremental()


@dataclass(frozen=True)
class SparkTables:
    """Tables by Delta's own classes, in any store that Spark reaches, or in a schema of its catalog."""

    place: str
    spark: SparkSession
    folder: None = None

    def names(self) -> set[str] | None:
        """Return the names of the tables in a schema; which ones a folder has, `state` finds out."""
        if not self.place.startswith(SCHEMA):
            return None
        rows = self.spark.sql(f"SHOW TABLES IN {self.place.removeprefix(SCHEMA)}").collect()
        return {row["tableName"] for row in rows}

    def _name(self, name: str) -> str:
        """Return a table as SQL names it."""
        if self.place.startswith(SCHEMA):
            return f"{self.place.removeprefix(SCHEMA)}.`{name}`"
        return f"delta.`{self.place}/{name}`"

    def state(self, name: str) -> TableState | None:
        """Return a table as it is by now, None where there is none."""
        try:
            with _refusals():
                schema = json.loads(self.spark.table(self._name(name)).schema.json())
                (detail,) = self.spark.sql(f"DESCRIBE DETAIL {self._name(name)}").collect()
        except RefusedError as error:
            return TableState("", (), str(error))
        except AnalysisException as error:
            if error.getCondition() not in _MISSING:
                raise
            return None
        problem = "" if detail["format"] == "delta" else f"{name} is a table of {detail['format']}, and not of Delta"
        named = "" if self.place.startswith(SCHEMA) else detail["name"]  # which is the name in the schema there
        return TableState(_key(schema, named), schema["fields"], problem)

    def last(self, name: str, application: str) -> int:
        """Return the number of an application's last commit that the history of a table has, -1 before the first."""
        state = self.state(name)
        if state is None:
            return -1
        if state.problem:
            return self._logged(name, application)
        history = self.spark.sql(f"DESCRIBE HISTORY {self._name(name)}").where("userMetadata is not null").collect()
        commits = (json.loads(row["userMetadata"]) for row in history if row["userMetadata"].startswith("{"))
        return max((int(each["batch"]) for each in commits if each.get("application") == application), default=-1)

    def _logged(self, name: str, application: str) -> int:
        """Return what `last` does for a table that Delta can't read: from the commits in its log."""
        place = f"Location: {self.place}/{name}"
        if self.place.startswith(SCHEMA):
            shown = self.spark.sql(f"SHOW TABLE EXTENDED IN {self.place.removeprefix(SCHEMA)} LIKE '{name}'").first()
            place = shown["information"] if shown else ""
        location = _LOCATION.search(place)
        if location is None:  # of a view
            return -1
        try:
            log = self.spark.read.schema(_LOGGED).json(exact_pattern(location[1]) + f"/{LOG}/*.json")
            transactions = log.select("txn.*").where("appId is not null").collect()
        except AnalysisException as error:
            if error.getCondition() not in _MISSING:
                raise
            return -1
        return max((row["version"] for row in transactions if row["appId"] == application), default=-1)

    def commit(self, mapping: TableMapping, content: DataFrame, transaction: Transaction) -> bool:
        """Add rows, which are packed, to a table, which is created if missing; return false where it had them already.

        Raises:
            RefusedError: the table can't take them as it is.
        """
        state = self.state(mapping.name)
        problem = state and (state.problem or misfit(mapping, state))
        if problem:
            raise RefusedError(problem)
        rows = content.coalesce(1).mapInArrow(portable(read_parts), StructType.fromJson(mapping.structure))
        return self._write(mapping, rows, transaction, state)

    def add_row(self, mapping: TableMapping, row: Mapping[str, Any], transaction: Transaction) -> bool:
        """Add one row, as `commit` does."""
        schema = StructType.fromJson(mapping.structure)
        frame = self.spark.createDataFrame([tuple(row.get(each.name) for each in mapping.columns)], schema)
        return self._write(mapping, frame, transaction, self.state(mapping.name))

    def delete(self, name: str, condition: str) -> None:
        """Remove the rows for which a condition in SQL holds, and files of old ones."""
        self.spark.sql(f"DELETE FROM {self._name(name)} WHERE {condition}").collect()  # noqa: S608 - ours
        self.spark.sql(f"VACUUM {self._name(name)}").collect()

    def _write(
        self, mapping: TableMapping, frame: DataFrame, transaction: Transaction, state: TableState | None
    ) -> bool:
        structure, name, mark = mapping.structure, self._name(mapping.name), str(uuid4())
        if state is None or not covers({"type": "struct", "fields": state.columns}, structure):
            schema = StructType.fromJson(structure if state else _keyed_structure(mapping))
            self._append(mapping.name, self.spark.createDataFrame([], schema), mergeSchema="true")
        if state is None:
            self.spark.sql(f"COMMENT ON TABLE {name} IS {sql_string(mapping.comment)}").collect()
        # Types that Spark Connect sends name their collation, which Delta keeps and `deltalake` can't read.
        types = {each.name: sql_type(each.data_type, "TIMESTAMP_LTZ") for each in mapping.columns}
        self._append(
            mapping.name,
            frame.select(*(frame[f"`{name}`"].cast(kind).alias(name) for name, kind in types.items())),
            txnAppId=transaction.application,
            txnVersion=str(transaction.number),
            userMetadata=_user_metadata(transaction, write=mark),
        )
        # Delta says nothing of a write that it leaves out as it has it already.
        history = self.spark.sql(f"DESCRIBE HISTORY {name} LIMIT {RETRIES}").collect()
        return any(mark in (row["userMetadata"] or "") for row in history)

    def _append(self, name: str, rows: DataFrame, **options: str) -> None:
        writer = rows.write.format("delta").mode("append").options(**options)
        with _refusals():
            if self.place.startswith(SCHEMA):
                writer.saveAsTable(self._name(name))
            else:
                writer.save(f"{self.place}/{name}")

    def query(self, name: str, condition: str) -> list[dict[str, Any]]:
        """Return the rows of a table for which a condition holds."""
        if self.state(name) is None:
            return []
        return [row.asDict() for row in self.spark.table(self._name(name)).where(condition).collect()]

    def compact(self, name: str) -> None:
        """Rewrite small files as few."""
        self.spark.sql(f"OPTIMIZE {self._name(name)}").collect()


#: Both kinds have the same methods. Of `SparkTables`, executors hand over the rows, as it has no folder for files.
Tables = DeltalakeTables | SparkTables
