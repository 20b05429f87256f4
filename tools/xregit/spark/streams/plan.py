"""The plan of a routing job: the table of every definition in the catalog, compiled once and sent to the executors."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from xregit.messages.definition import target
from xregit.messages.matcher import Matcher, scope
from xregit.messages.payload import PayloadSchemas, payload_schemas
from xregit.spark.schema import create_table_sql, sql_string, sql_type
from xregit.spark.streams.decoder import Recogniser
from xregit.spark.streams.payload_decoder import is_json
from xregit.spark.streams.row_builder import Rows
from xregit.spark.streams.sink import PROPERTIES
from xregit.spark.streams.table_mapping import OTHERS, Facts, TableMapping, facts, table_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog import Registry
    from xregit.spark.streams.table_mapping import Column, TableMapping


# Executors keep the plan of the batch before, for one that is sorted again by what was pinned to it.
KEPT = 2
# What makes rows is kept for so many tables, and made again for more.
ROWS = 10_000
# The level of zlib. Definitions are much alike; compressed, 10,000 of them go with each task as fast as few do.
FASTEST = 1
_OTHERS = {landing.about: landing for landing in OTHERS}


@dataclass(frozen=True)
class Plan:
    """Everything that decides where a message goes; plain data, the same on every executor."""

    matcher: Matcher
    facts: Mapping[str, Facts]
    payloads: PayloadSchemas

    def __reduce__(self) -> tuple[type[Plan], tuple[Any, ...]]:
        """Send the plain data alone, without what was made of it."""
        return Plan, (self.matcher, self.facts, self.payloads)

    @cached_property
    def recogniser(self) -> Recogniser:
        """What tells which definitions lines of messages fit."""
        return Recogniser(self.matcher)

    def is_json(self, about: str) -> bool:
        """Return whether a table holds messages whose payload schema, if it can be used, is about JSON."""
        found = self.payloads.sources.get(about)
        return found is not None and is_json(found.format)

    def rows(self, xid: str) -> Rows:
        """Return what makes the rows of a definition's table."""
        found = self._rows.get(xid)
        if found is None:
            if len(self._rows) >= ROWS:
                self._rows.clear()
            found = self._rows[xid] = Rows(self.facts[xid], self.payloads.schema(xid))
        return found

    @cached_property
    def _rows(self) -> dict[str, Rows]:
        return {}

    @property
    def names(self) -> dict[str, str]:
        """What each table holds, by the table's name."""
        return {each.table: each.xid for each in self.facts.values()} | {other: other for other in _OTHERS}

    def named(self, names: Mapping[str, str]) -> Plan:
        """Return the plan with other names for the tables of definitions."""
        if all(each.table == names[xid] for xid, each in self.facts.items()):
            return self
        renamed = {xid: replace(each, table=names[xid]) for xid, each in self.facts.items()}
        return Plan(self.matcher, renamed, self.payloads)

    def landing(self, about: str) -> TableMapping:
        """Return a table by what it holds."""
        return _OTHERS.get(about) or self.rows(about).landing

    def tables(self) -> Iterator[TableMapping]:
        """Yield every table that messages can land in."""
        for xid in self.facts:
            yield self.rows(xid).landing
        yield from OTHERS


@dataclass(frozen=True)
class Packed:
    """A plan as bytes, with a digest by which executors know one that they have; the driver has it as it was made."""

    data: bytes
    digest: str
    made: Plan | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[Packed], tuple[bytes, str]]:
        """Send the bytes alone, without the plan that they were made of."""
        return Packed, (self.data, self.digest)

    @property
    def plan(self) -> Plan:
        """The plan itself."""
        return self.made or unpacked(self.digest, self.data)


def plan(registry: Registry, endpoint: str = "", group: str = "") -> Plan:
    """Return the plan for the whole registry, one endpoint's contract or one group.

    Raises:
        XregitError: there is no such endpoint or group.
    """
    found = {message.xid: message for message in map(target, scope(registry, endpoint, group))}
    names = table_names(found)
    known = {xid: facts(message, names[xid]) for xid, message in sorted(found.items())}
    return Plan(Matcher(registry, endpoint, group), known, payload_schemas(registry, found))


def packed(made: Plan) -> Packed:
    """Return a plan as bytes."""
    data = zlib.compress(pickle.dumps(made, pickle.HIGHEST_PROTOCOL), FASTEST)
    return Packed(data, blake2b(data, digest_size=16).hexdigest(), made)


@lru_cache(maxsize=KEPT)
def _unpacked(digest: str) -> Plan:
    made: Plan = pickle.loads(zlib.decompress(_WAITING[digest]))  # noqa: S301 - made by the driver
    return made


_WAITING: dict[str, bytes] = {}


def unpacked(digest: str, data: bytes) -> Plan:
    """Return the plan of these bytes, made once in each process."""
    _WAITING[digest] = data
    try:
        return _unpacked(digest)
    finally:
        del _WAITING[digest]


def table_statements(registry: Registry) -> Iterator[str]:
    """Yield one statement for every table that messages of a catalog can land in."""
    return (table_statement(landing) for landing in plan(registry).tables())


def table_statement(landing: TableMapping) -> str:
    """Return the statement that makes one table."""
    return create_table_sql(f"`{landing.name}`", map(_declared, landing.columns), landing.comment, PROPERTIES)


def _declared(column: Column) -> str:
    comment = f" COMMENT {sql_string(column.comment)}" if column.comment else ""
    return f"`{column.name}` {sql_type(column.form)}{comment}"
