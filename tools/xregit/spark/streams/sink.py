"""Written files committed to Delta tables: each table gets the files of a batch in one transaction, and never twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.spark.data_files import list_folders
from xregit.spark.deltalake_writer import add_actions
from xregit.spark.location import read_errors_at
from xregit.spark.streams.table_mapping import possible_names, table_names
from xregit.spark.table_schema import covers, delta_schema, type_conflict
from xregit.spark.table_writer import not_a_delta_table, refuse_constraints, refuse_newer_protocol

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable

    from xregit.spark.location import Location
    from xregit.spark.streams.plan import Plan
    from xregit.spark.streams.table_mapping import TableMapping


Files = list[Mapping[str, Any]]

COMMITTERS = 8
# Tables kept open, at 130 kB each; opening one anew would take 1.5 ms for each batch.
MAX_OPEN_TABLES = 2_000
# Tables that are opened together when a run begins.
OPEN_AT_ONCE = 64
# Every so many versions Delta writes a checkpoint of the log, or each commit would take longer than the last.
PROPERTIES: Mapping[str, str | None] = {"delta.checkpointInterval": "10"}
LOG = "_delta_log"
ADVICE = "move that table's folder away, and a new one is begun, or route to another folder"


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch: the application that routes it, its number there, and the metadata of its commits."""

    application: str
    number: int
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DeltaSink:
    """The tables in one folder; those that were opened first stay open, and follow their logs from there."""

    place: Location
    open_tables: dict[str, DeltaTable] = field(default_factory=dict)

    def adopt_tables(self, plan: Plan) -> Plan:
        """Return the plan with the names of the tables that its definitions have in the folder already.

        Raises:
            XregitError: a table holds something else, needs a newer writer, or has a column of another type.
        """
        owners: dict[str, str] = {}
        names = self._existing_names(plan)
        with ThreadPoolExecutor(COMMITTERS) as pool:
            for start in range(0, len(names), OPEN_AT_ONCE):
                part = names[start : start + OPEN_AT_ONCE]
                tables = zip(part, pool.map(self._open, part), strict=True)
                owners.update((name, self._owner(name, table, plan)) for name, table in tables if table is not None)
        return plan.rename_tables(table_names(plan.definitions, owners))

    def _existing_names(self, plan: Plan) -> list[str]:
        """Return the names of the folders that may be tables of a plan.

        Raises:
            XregitError: one holds something else.
        """
        names = {*plan.keys, *(name for xid in plan.definitions for name in possible_names(xid))}
        local = self.place.local
        if not local:
            return sorted(names.intersection(list_folders(self.place.url)))
        folders = [each for each in local.iterdir() if each.name in names] if local.exists() else []
        for folder in folders:
            content = [each.name for each in folder.iterdir()] if folder.is_dir() else [folder.name]
            # Files that were written and never committed are in the way of no table.
            if LOG not in content and not all(name.startswith("part-") for name in content):
                raise not_a_delta_table(self.place / folder.name)
        return [folder.name for folder in folders]

    def _owner(self, name: str, table: DeltaTable, plan: Plan) -> str:
        """Return the key of an existing table, which may be that of no definition in the plan."""
        key = table.metadata().name or ""
        expected = key if key in plan.definitions else plan.keys.get(name)
        if expected is None or (key.startswith("/") and key != expected):
            return key
        mapping = replace(plan.table(expected), name=name)
        self._accept(table, mapping)
        _refuse_type_conflict(json.loads(table.schema().to_json()), mapping, self.place)
        return expected

    def commit(self, batch: Batch, files: Iterable[tuple[TableMapping, Files]]) -> None:
        """Commit the files of a batch to their tables, except to those that have this batch already.

        Raises:
            XregitError: a table holds something else, or has a column of another type than the definition by now.
        """
        with ThreadPoolExecutor(COMMITTERS) as pool:
            for commit in [pool.submit(self._commit_table, batch, mapping, some) for mapping, some in files]:
                commit.result()

    def _commit_table(self, batch: Batch, mapping: TableMapping, files: Files) -> None:
        from deltalake import CommitProperties, Transaction
        from deltalake.exceptions import CommitFailedError

        table = self._table(mapping)
        last = table.transaction_version(batch.application) if table is not None else None
        if last is not None and last >= batch.number:
            return
        properties = CommitProperties(
            custom_metadata={**batch.metadata, "batch": str(batch.number)},
            app_transactions=[Transaction(batch.application, batch.number)],
        )
        try:
            if table is None:
                self._create(mapping, files, properties)
            else:
                _add_columns(table, mapping, self.place)
                _update_comments(table, mapping)
                table.create_write_transaction(
                    [*add_actions(files)], "append", delta_schema(mapping.structure), commit_properties=properties
                )
        except CommitFailedError as error:
            message = f"{self.place / mapping.name} was changed by another run in the meantime; run one at a time"
            raise XregitError(message) from error

    def _table(self, mapping: TableMapping) -> DeltaTable | None:
        """Return a table as it is now, None before it is created.

        Raises:
            XregitError: it is another table, one that needs a newer writer, or one with rules for its rows.
        """
        table = self.open_tables.get(mapping.name)
        if table is not None:
            table.update_incremental()
            return table
        table = self._open(mapping.name)
        if table is not None:
            self._accept(table, mapping)
        return table

    def _open(self, name: str) -> DeltaTable | None:
        from deltalake import DeltaTable

        place = self.place / name
        with read_errors_at(place):
            return DeltaTable(place.url) if DeltaTable.is_deltatable(place.url) else None

    def _accept(self, table: DeltaTable, mapping: TableMapping) -> None:
        """Refuse a table that is not that of the mapping, and keep it open if it is."""
        place, protocol = self.place / mapping.name, table.protocol()
        refuse_newer_protocol(
            place, protocol.min_reader_version, protocol.min_writer_version, protocol.writer_features or ()
        )
        schema, metadata = json.loads(table.schema().to_json()), table.metadata()
        if metadata.name != mapping.key and (metadata.name or not covers(schema, mapping.structure)):
            message = f"{place} is a Delta table, but not that of {mapping.key}; {ADVICE}"
            raise XregitError(message)
        refuse_constraints(place, schema, metadata.partition_columns, metadata.configuration)
        if len(self.open_tables) < MAX_OPEN_TABLES:
            self.open_tables[mapping.name] = table

    def _create(self, mapping: TableMapping, files: Files, properties: CommitProperties) -> None:
        from deltalake.transaction import create_table_with_add_actions

        create_table_with_add_actions(
            (self.place / mapping.name).url,
            delta_schema(mapping.structure),
            add_actions(files),
            name=mapping.key,
            description=mapping.comment,
            configuration=PROPERTIES,
            commit_properties=properties,
        )


def _add_columns(table: DeltaTable, mapping: TableMapping, place: Location) -> None:
    """Add the columns, and the fields in columns, that the definition has by now.

    Raises:
        XregitError: a column has another type than in the definition by now.
    """
    current = json.loads(table.schema().to_json())
    if covers(current, mapping.structure):
        return
    _refuse_type_conflict(current, mapping, place)
    from deltalake import write_deltalake

    write_deltalake(table, mapping.arrow_schema.empty_table(), mode="append", schema_mode="merge")
    table.update_incremental()


def _update_comments(table: DeltaTable, mapping: TableMapping) -> None:
    """Give a table and its columns the comments that its definition has by now."""
    comments = {each.name: each.metadata.get("comment", "") for each in table.schema().fields}
    for column in mapping.columns:
        if comments.get(column.name, column.comment) != column.comment:
            table.alter.set_column_metadata(column.name, {"comment": column.comment})
    if (table.metadata().description or "") != mapping.comment:
        table.alter.set_table_description(mapping.comment)
    table.update_incremental()


def _refuse_type_conflict(current: dict[str, Any], mapping: TableMapping, place: Location) -> None:
    conflict = type_conflict(current, mapping.structure)
    if conflict is not None:
        path, actual, expected = conflict
        message = f'"{path}" of {place / mapping.name} is {actual}, and {expected} in the catalog; {ADVICE}'
        raise XregitError(message)
