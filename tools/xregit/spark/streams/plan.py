"""The plan of a routing job: the table of every definition in the catalog, compiled once and sent to the executors."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from xregit.messages.definition import target
from xregit.messages.matcher import Matcher, scope
from xregit.messages.payload import PayloadSchemas, payload_schemas
from xregit.spark.streams.decoder import LineMatcher
from xregit.spark.streams.payload_decoder import is_json_format
from xregit.spark.streams.row_builder import RowBuilder
from xregit.spark.streams.sink import PROPERTIES
from xregit.spark.streams.table_mapping import DEAD_LETTER_TABLES, DefinitionTable, definition_table, table_names
from xregit.spark.table_schema import create_table_sql, sql_string, sql_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog import Registry
    from xregit.spark.streams.table_mapping import Column, TableMapping


# Executors keep the plan of the batch before, for one that is repeated with the catalog that was pinned to it.
MAX_PLANS = 2
# The row builders of so many tables are kept; for more they are made anew.
MAX_ROW_BUILDERS = 10_000
# The level of zlib. Definitions are much alike; compressed, 10,000 of them go with each task as fast as few do.
FASTEST = 1
_DEAD_LETTER_TABLES = {table.key: table for table in DEAD_LETTER_TABLES}


@dataclass(frozen=True)
class Plan:
    """Everything that decides where a message goes; plain data, the same on every executor."""

    matcher: Matcher
    definitions: Mapping[str, DefinitionTable]
    payloads: PayloadSchemas

    def __reduce__(self) -> tuple[type[Plan], tuple[Any, ...]]:
        """Pickle the plain data alone, without what is derived from it."""
        return Plan, (self.matcher, self.definitions, self.payloads)

    @cached_property
    def line_matcher(self) -> LineMatcher:
        """The matcher of lines of messages."""
        return LineMatcher(self.matcher)

    def is_json(self, key: str) -> bool:
        """Return whether a table holds messages whose payload schema, if it can be used, is about JSON."""
        source = self.payloads.sources.get(key)
        return source is not None and is_json_format(source.format)

    def row_builder(self, xid: str) -> RowBuilder:
        """Return the builder of the rows of a definition's table."""
        builder = self._row_builders.get(xid)
        if builder is None:
            if len(self._row_builders) >= MAX_ROW_BUILDERS:
                self._row_builders.clear()
            builder = self._row_builders[xid] = RowBuilder(self.definitions[xid], self.payloads.schema(xid))
        return builder

    @cached_property
    def _row_builders(self) -> dict[str, RowBuilder]:
        return {}

    @property
    def keys(self) -> dict[str, str]:
        """The key of each table by its name."""
        return {each.name: each.xid for each in self.definitions.values()} | {key: key for key in _DEAD_LETTER_TABLES}

    def rename_tables(self, names: Mapping[str, str]) -> Plan:
        """Return the plan with these names for the tables of definitions, by xid."""
        if all(each.name == names[xid] for xid, each in self.definitions.items()):
            return self
        renamed = {xid: replace(each, name=names[xid]) for xid, each in self.definitions.items()}
        return Plan(self.matcher, renamed, self.payloads)

    def table(self, key: str) -> TableMapping:
        """Return a table by its key."""
        return _DEAD_LETTER_TABLES.get(key) or self.row_builder(key).table

    def tables(self) -> Iterator[TableMapping]:
        """Yield every table that messages can go to."""
        yield from map(self.table, self.definitions)
        yield from DEAD_LETTER_TABLES


@dataclass(frozen=True)
class PackedPlan:
    """A plan as bytes for the executors; the driver keeps the original."""

    data: bytes
    original: Plan | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[PackedPlan], tuple[bytes]]:
        """Pickle the bytes alone."""
        return PackedPlan, (self.data,)

    @property
    def plan(self) -> Plan:
        """The plan itself."""
        return self.original or unpack_plan(self.data)


def plan(registry: Registry, endpoint: str = "", group: str = "") -> Plan:
    """Return the plan for the whole registry, one endpoint's contract or one group.

    Raises:
        XregitError: there is no such endpoint or group.
    """
    messages = {message.xid: message for message in map(target, scope(registry, endpoint, group))}
    names = table_names(messages)
    definitions = {xid: definition_table(message, names[xid]) for xid, message in sorted(messages.items())}
    return Plan(Matcher(registry, endpoint, group), definitions, payload_schemas(registry, messages.values()))


def pack_plan(original: Plan) -> PackedPlan:
    """Return a plan as bytes."""
    return PackedPlan(zlib.compress(pickle.dumps(original, pickle.HIGHEST_PROTOCOL), FASTEST), original)


@lru_cache(maxsize=MAX_PLANS)
def unpack_plan(data: bytes) -> Plan:
    """Return the plan of these bytes, one object for all tasks of a process."""
    unpacked: Plan = pickle.loads(zlib.decompress(data))  # noqa: S301 - made by the driver
    return unpacked


def table_statements(registry: Registry) -> Iterator[str]:
    """Yield the SQL statement that creates each table that messages of a catalog can go to."""
    return (
        create_table_sql(f"`{table.name}`", map(_column_ddl, table.columns), table.comment, PROPERTIES)
        for table in plan(registry).tables()
    )


def _column_ddl(column: Column) -> str:
    comment = f" COMMENT {sql_string(column.comment)}" if column.comment else ""
    return f"`{column.name}` {sql_type(column.data_type)}{comment}"
