"""Written files into Delta tables: each table takes what a batch has for it in one transaction, and never twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.records import record
from xregit.spark.faults import read_from
from xregit.spark.standing import foreign, refuse_newer, refuse_ruled
from xregit.spark.streams.types import clashes, covers

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable, Schema

    from xregit.spark.places import Place
    from xregit.spark.streams.landing import Landing
    from xregit.spark.streams.plans import Plan

Files = list[Mapping[str, Any]]

COMMITTERS = 8
# So many tables are kept open, which takes 130 kB each; to open one takes 1.5 ms for each batch.
MAX_OPENED = 2_000
# Every so many versions the log is summed up, without which each commit takes longer than the one before.
PROPERTIES: Mapping[str, str | None] = {"delta.checkpointInterval": "10"}
LOG = "_delta_log"
WAY_OUT = "move that table's folder away, and a new one is begun, or route to another folder"


@record
class Batch:
    """One batch: which application sorts it, its number there, and what its commits say of themselves."""

    application: str
    number: int
    said: Mapping[str, str]


@record
class Ledger:
    """The tables in one folder; those that were opened first are kept, and follow their logs from there."""

    place: Place
    opened: dict[str, DeltaTable] = field(default_factory=dict)

    def refuse_unfit(self, plan: Plan) -> None:
        """Refuse folders of this machine that can't take what a catalog says, before anything is written.

        Raises:
            XregitError: one holds something else, needs a newer writer, or has a column of another type.
        """
        if not self.place.local:
            return
        names = plan.names
        for found in self.place.local.iterdir() if self.place.local.exists() else ():
            if found.name in names:
                if not _is_ours(found.is_dir(), [each.name for each in _inside(found)]):
                    raise foreign(self.place / found.name)
                landing = plan.landing(names[found.name])
                known = self._table(landing)
                if known is not None:
                    _refuse_clash(json.loads(known.schema().to_json()), landing, self.place)

    def take(self, batch: Batch, written: Iterable[tuple[Landing, Files]]) -> None:
        """Commit the files of a batch to their tables, but to those that have this batch already.

        Raises:
            XregitError: a table holds something else, or can't hold what the catalog says by now.
        """
        with ThreadPoolExecutor(COMMITTERS) as pool:
            for done in [pool.submit(self._commit, batch, landing, files) for landing, files in written]:
                done.result()

    def _commit(self, batch: Batch, landing: Landing, files: Files) -> None:
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
                known.create_write_transaction(_adds(files), "append", _schema(landing), commit_properties=properties)
        except CommitFailedError as error:
            message = f"{self.place / landing.name} was changed by another run in the meantime; run one at a time"
            raise XregitError(message) from error

    def _table(self, landing: Landing) -> DeltaTable | None:
        """Return a table as it is now, None before it has been made.

        Raises:
            XregitError: it is another table, one that needs a newer writer, or one with rules for its rows.
        """
        known = self.opened.get(landing.name)
        if known is not None:
            known.update_incremental()
            return known
        from deltalake import DeltaTable

        place = self.place / landing.name
        with read_from(place):
            if not DeltaTable.is_deltatable(place.url):
                return None
            found = DeltaTable(place.url)
        if len(self.opened) < MAX_OPENED:
            self.opened[landing.name] = found
        asked = found.protocol()
        refuse_newer(place, asked.min_reader_version, asked.min_writer_version, asked.writer_features or ())
        schema, about = json.loads(found.schema().to_json()), found.metadata()
        if about.name != landing.about and (about.name or not covers(schema, landing.structure)):
            message = f"{place} is a Delta table, but not that of {landing.about}; {WAY_OUT}"
            raise XregitError(message)
        refuse_ruled(place, schema, about.partition_columns, about.configuration)
        return found

    def _create(self, landing: Landing, files: Files, properties: CommitProperties) -> None:
        from deltalake.transaction import create_table_with_add_actions

        create_table_with_add_actions(
            (self.place / landing.name).url,
            _schema(landing),
            _adds(files),
            name=landing.about,
            description=landing.comment,
            configuration=PROPERTIES,
            commit_properties=properties,
        )


def _widen(table: DeltaTable, landing: Landing, place: Place) -> None:
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

    from xregit.spark.streams.types import arrow

    empty = pa.table({column.name: pa.array([], arrow(column.form)) for column in landing.columns})
    write_deltalake(table, empty, mode="append", schema_mode="merge")
    table.update_incremental()


def _reword(table: DeltaTable, landing: Landing) -> None:
    """Give a table and its columns the comments that its definition has by now."""
    said = {each.name: each.metadata.get("comment", "") for each in table.schema().fields}
    for column in landing.columns:
        if said.get(column.name, column.comment) != column.comment:
            table.alter.set_column_metadata(column.name, {"comment": column.comment})
    if (table.metadata().description or "") != landing.comment:
        table.alter.set_table_description(landing.comment)
    table.update_incremental()


def _refuse_clash(have: Mapping[str, Any], landing: Landing, place: Place) -> None:
    clash = clashes(dict(have), landing.structure)
    if clash is not None:
        path, there, due = clash
        message = f'"{path}" of {place / landing.name} is {there}, and {due} in the catalog; {WAY_OUT}'
        raise XregitError(message)


def _inside(folder: Any) -> Any:
    return folder.iterdir() if folder.is_dir() else ()


def _is_ours(is_folder: bool, names: list[str]) -> bool:
    """Tell whether a folder is a table, or holds no more than files that were written and never committed."""
    return is_folder and (LOG in names or all(name.startswith("part-") for name in names))


def _adds(files: Files) -> list[Any]:
    from deltalake.transaction import AddAction

    return [AddAction(file["path"], file["size"], {}, file["modified"], True, file["stats"]) for file in files]  # noqa: FBT003


def _schema(landing: Landing) -> Schema:
    from deltalake import Schema

    return Schema.from_json(json.dumps(landing.structure))
