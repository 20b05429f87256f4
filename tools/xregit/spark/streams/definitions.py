"""The tables that messages are routed to, as SQL statements that would make them; nothing is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.spark.schema import create_table_sql, sql_string, sql_type
from xregit.spark.streams.ledger import PROPERTIES
from xregit.spark.streams.plans import plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Registry
    from xregit.spark.streams.landing import Column, Landing


def landings(registry: Registry) -> Iterator[str]:
    """Yield one statement for every table that messages of a catalog can land in."""
    return (statement(landing) for landing in plan(registry).tables())


def statement(landing: Landing) -> str:
    """Return the statement that makes one table."""
    return create_table_sql(f"`{landing.name}`", map(_declared, landing.columns), landing.comment, PROPERTIES)


def _declared(column: Column) -> str:
    comment = f" COMMENT {sql_string(column.comment)}" if column.comment else ""
    return f"`{column.name}` {sql_type(column.form)}{comment}"
