"""Rows in parts: all of them come back, in their order, with their types; few are held as they are."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.spark import row_batches
from xregit.spark.row_batches import RowBatches, pack, unpack
from xregit.spark.table_schema import Column, Table, Type

KINDS = {
    Type.TEXT: st.text(),
    Type.LONG: st.integers(-(2**63), 2**63 - 1),
    Type.BOOLEAN: st.booleans(),
    Type.DOUBLE: st.floats(allow_nan=False),
    Type.TIMESTAMP: st.datetimes(timezones=st.just(UTC)),
    Type.TEXTS: st.lists(st.text()),
    Type.TEXT_MAP: st.dictionaries(st.text(), st.text()),
    Type.LONG_MAP: st.dictionaries(st.text(), st.integers(0, 9)),
    Type.JSON: st.text(),
}
TABLE = Table("things", "", tuple(Column(kind.name.lower(), kind) for kind in KINDS))
ROWS = st.lists(st.fixed_dictionaries({}, optional={kind.name.lower(): some for kind, some in KINDS.items()}))


def _read(some: RowBatches) -> list[dict[str, Any]]:
    result = unpack(TABLE, some)
    assert result.schema == TABLE.arrow_schema
    rows: list[dict[str, Any]] = result.to_pylist(maps_as_pydicts="strict")
    return rows


@given(ROWS)
def test_packed_rows_come_back(rows: list[dict[str, Any]]) -> None:
    """What is packed is unpacked as it was, a column that a row does not have is null."""
    nothing = dict.fromkeys(column.name for column in TABLE.columns)
    some = pack(TABLE, rows)
    assert _read(some) == [{**nothing, **row} for row in rows]
    assert (some.rows, bool(some)) == (len(rows), bool(rows))


@pytest.mark.parametrize(("rows", "parts"), [(0, 0), (1, 1), (3, 1), (4, 2), (7, 3)])
def test_part_holds_so_many_rows(monkeypatch: pytest.MonkeyPatch, rows: int, parts: int) -> None:
    """A part is closed when it is full; the last one holds the rest."""
    monkeypatch.setattr(row_batches, "ROWS_PER_PART", 3)
    some = pack(TABLE, ({"long": number} for number in range(rows)))
    assert len(some.parts) == parts
    assert [row["long"] for row in _read(some)] == [*range(rows)]
