"""Written files into Delta tables: each table takes what a batch has for it in one transaction, and never twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.spark.data_files import list_folders
from xregit.spark.location import read_errors_at
from xregit.spark.schema import covers, delta_schema, type_conflict
from xregit.spark.streams.table_mapping import possible_names, table_names
from xregit.spark.table_writer import not_a_delta_table, refuse_constraints, refuse_newer_protocol

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable

    from xregit.spark.location import Location
    from xregit.spark.streams.plan import Plan
    from xregit.spark.streams.table_mapping import TableMapping


Files = list[Mapping[str, Any]]

COMMITTERS = 8
# Tables kept open, at 130 kB each; opening one anew would take 1.5 ms for each batch.
MAX_OPENED = 2_000
# Tables that are opened together when a run begins.
AT_ONCE = 64
# Every so many versions Delta writes a checkpoint of the log, or each commit would take longer than the last.
PROPERTIES: Mapping[str, str | None] = {"delta.checkpointInterval": "10"}
LOG = "_delta_log"
WAY_OUT = "move that table's folder away, and a new one is begun, or route to another folder"


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch: which application sorts it, its number there, and what its commits say of themselves."""

    application: str
    number: int
    said: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DeltaSink:
    """The tables in one folder; those that were opened first are kept, and follow their logs from there."""

    place: Location
    opened: dict[str, DeltaTable] = field(default_factory=dict)

    def fitted(self, plan: Plan) -> Plan:
        """Return a plan whose definitions have the tables that are theirs in the folder already.

        Raises:
            XregitError: a table holds something else, needs a newer writer, or has a column of another type.
        """
        held: dict[str, str] = {}
        names = self._there(plan)
        with ThreadPoolExecutor(COMMITTERS) as pool:
            for start in range(0, len(names), AT_ONCE):
                part = names[start : start + AT_ONCE]
                found = zip(part, pool.map(self._open, part), strict=True)
                held.update((name, self._holds(name, known, plan)) for name, known in found if known is not None)
        return plan.named(table_names(plan.facts, held))

    def _there(self, plan: Plan) -> list[str]:
        """Return the names of the folders that may be tables of a plan.

        Raises:
            XregitError: one holds something else.
        """
        names = {*plan.names, *(name for xid in plan.facts for name in possible_names(xid))}
        if not self.place.local:
            return sorted(names.intersection(list_folders(self.place.url)))
        there = self.place.local.iterdir() if self.place.local.exists() else ()
        found = [each for each in there if each.name in names]
        for each in found:
            if not _is_ours(each.is_dir(), [inner.name for inner in _inside(each)]):
                raise not_a_delta_table(self.place / each.name)
        return [each.name for each in found]

    def _holds(self, name: str, known: DeltaTable, plan: Plan) -> str:
        """Return the definition whose rows a table has, which may be none that the plan is about."""
        about = known.metadata().name or ""
        due = about if about in plan.facts else plan.names.get(name)
        if due is None or (about.startswith("/") and about != due):
            return about
        landing = replace(plan.landing(due), name=name)
        self._accept(known, landing)
        _refuse_clash(json.loads(known.schema().to_json()), landing, self.place)
        return due

    def take(self, batch: Batch, written: Iterable[tuple[TableMapping, Files]]) -> None:
        """Commit the files of a batch to their tables, but to those that have this batch already.

        Raises:
            XregitError: a table holds something else, or can't hold what the catalog says by now.
        """
        with ThreadPoolExecutor(COMMITTERS) as pool:
            for done in [pool.submit(self._commit, batch, landing, files) for landing, files in written]:
                done.result()

    def _commit(self, batch: Batch, landing: TableMapping, files: Files) -> None:
        from deltalake import CommitProperties, Transaction
        from deltalake.exceptions import CommitFailedError

        known = self._table(landing)
        last = known.transaction_version(batch.application) if known is not None else None
        if last is not None and last >= batch.number:
            return
        properties = CommitProperties(
            custom_metadata={**batch.said, "batch": str(batch.number)},
            app_transactions=[Transaction(batch.application, batch.number)],
        )
        try:
            if known is None:
                self._create(landing, files, properties)
            else:
                _widen(known, landing, self.place)
                _reword(known, landing)
                known.create_write_transaction(
                    _adds(files), "append", delta_schema(landing.structure), commit_properties=properties
                )
        except CommitFailedError as error:
            message = f"{self.place / landing.name} was changed by another run in the meantime; run one at a time"
            raise XregitError(message) from error

    def _table(self, landing: TableMapping) -> DeltaTable | None:
        """Return a table as it is now, None before it has been made.

        Raises:
            XregitError: it is another table, one that needs a newer writer, or one with rules for its rows.
        """
        known = self.opened.get(landing.name)
        if known is not None:
            known.update_incremental()
            return known
        found = self._open(landing.name)
        if found is not None:
            self._accept(found, landing)
        return found

    def _open(self, name: str) -> DeltaTable | None:
        from deltalake import DeltaTable

        place = self.place / name
        with read_errors_at(place):
            return DeltaTable(place.url) if DeltaTable.is_deltatable(place.url) else None

    def _accept(self, known: DeltaTable, landing: TableMapping) -> None:
        """Keep a table open, if it is the one that messages are to land in."""
        place = self.place / landing.name
        asked = known.protocol()
        refuse_newer_protocol(place, asked.min_reader_version, asked.min_writer_version, asked.writer_features or ())
        schema, about = json.loads(known.schema().to_json()), known.metadata()
        if about.name != landing.about and (about.name or not covers(schema, landing.structure)):
            message = f"{place} is a Delta table, but not that of {landing.about}; {WAY_OUT}"
            raise XregitError(message)
        refuse_constraints(place, schema, about.partition_columns, about.configuration)
        if len(self.opened) < MAX_OPENED:
            self.opened[landing.name] = known

    def _create(self, landing: TableMapping, files: Files, properties: CommitProperties) -> None:
        from deltalake.transaction import create_table_with_add_actions

        create_table_with_add_actions(
            (self.place / landing.name).url,
            delta_schema(landing.structure),
            _adds(files),
            name=landing.about,
            description=landing.comment,
            configuration=PROPERTIES,
            commit_properties=properties,
        )


def _widen(table: DeltaTable, landing: TableMapping, place: Location) -> None:
    """Give a table the columns, and the fields in columns, that its definition has by now.

    Raises:
        XregitError: a column has another type than the definition says by now.
    """
    have, want = json.loads(table.schema().to_json()), landing.structure
    if covers(have, want):
        return
    _refuse_clash(have, landing, place)
    import pyarrow as pa
    from deltalake import write_deltalake

    from xregit.spark.schema import arrow_type

    empty = pa.table({column.name: pa.array([], arrow_type(column.form)) for column in landing.columns})
    write_deltalake(table, empty, mode="append", schema_mode="merge")
    table.update_incremental()


def _reword(table: DeltaTable, landing: TableMapping) -> None:
    """Give a table and its columns the comments that its definition has by now."""
    said = {each.name: each.metadata.get("comment", "") for each in table.schema().fields}
    for column in landing.columns:
        if said.get(column.name, column.comment) != column.comment:
            table.alter.set_column_metadata(column.name, {"comment": column.comment})
    if (table.metadata().description or "") != landing.comment:
        table.alter.set_table_description(landing.comment)
    table.update_incremental()


def _refuse_clash(have: Mapping[str, Any], landing: TableMapping, place: Location) -> None:
    clash = type_conflict(dict(have), landing.structure)
    if clash is not None:
        path, there, due = clash
        message = f'"{path}" of {place / landing.name} is {there}, and {due} in the catalog; {WAY_OUT}'
        raise XregitError(message)


def _inside(folder: Any) -> Any:
    return folder.iterdir() if folder.is_dir() else ()


def _is_ours(is_folder: bool, names: list[str]) -> bool:
    """Return whether a folder is a table, or holds no more than files that were written and never committed."""
    return is_folder and (LOG in names or all(name.startswith("part-") for name in names))


def _adds(files: Files) -> list[Any]:
    from deltalake.transaction import AddAction

    return [AddAction(file["path"], file["size"], {}, file["modified"], True, file["stats"]) for file in files]  # noqa: FBT003
