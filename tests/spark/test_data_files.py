"""Parquet files as Delta's log describes them: what is told of each file holds for all of its rows."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable, Schema
from deltalake.transaction import AddAction

from xregit.spark import data_files

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("number", pa.int64()),
        ("texts", pa.list_(pa.string())),
        ("record", pa.struct([("number", pa.int64())])),
        ("map", pa.map_(pa.string(), pa.int64())),
    ]
)
# Parquet tells no bounds of a text of that length.
HUGE = "z" * 10_000
CUT, LAST = HUGE[:32], "\U0010ffff" * 300

# The texts and numbers of each batch of a file, and its bounds.
BATCHES: list[tuple[list[tuple[list[Any], list[Any]]], dict[str, Any], dict[str, Any]]] = [
    ([], {}, {}),
    ([([None], [None])], {}, {}),
    ([(["b", "a"], [5, 7]), (["c"], [-7])], {"text": "a", "number": -7}, {"text": "c", "number": 7}),
    ([([None], [None]), (["b"], [2])], {"text": "b", "number": 2}, {"text": "b", "number": 2}),
    ([([HUGE], [1]), (["b"], [2])], {"text": "b", "number": 1}, {"text": CUT + "\U0010ffff", "number": 2}),
    ([(["b"], [2]), ([HUGE], [1])], {"text": "b", "number": 1}, {"text": CUT + "\U0010ffff", "number": 2}),
    ([([HUGE], [1])], {"text": CUT, "number": 1}, {"text": CUT + "\U0010ffff", "number": 1}),
    ([([LAST + "a"], [1])], {"text": LAST[:32], "number": 1}, {"text": LAST + "\U0010ffff", "number": 1}),
    ([([LAST], [1])], {"text": LAST[:32], "number": 1}, {"text": LAST, "number": 1}),
    ([(["\U0001f600"], [0]), (["\uffff"], [0])], {"text": "\uffff", "number": 0}, {"text": "\U0001f600", "number": 0}),
]


@pytest.mark.parametrize(("batches", "least", "most"), BATCHES)
def test_statistics_hold_for_all_rows(
    batches: list[tuple[list[Any], list[Any]]], least: dict[str, Any], most: dict[str, Any], tmp_path: Path
) -> None:
    """Readers leave out files by these bounds, so that they are those of all batches or are not told."""
    results = [
        pa.RecordBatch.from_pylist(
            [
                {"text": text, "number": number, "texts": ["a"], "record": {"number": 1}, "map": [("a", 1)]}
                for text, number in zip(*batch, strict=True)
            ],
            SCHEMA,
        )
        for batch in batches
    ]
    result = json.loads(data_files.write_file("t", str(tmp_path), SCHEMA, results)["stats"])
    assert (result["minValues"], result["maxValues"]) == (least, most)
    texts = [text for batch, _ in batches for text in batch]
    nulls = texts.count(None)
    assert result["numRecords"] == len(texts)
    assert result["nullCount"] == ({"text": nulls, "number": nulls} if batches else {})


def described(folder: Path, rows: pa.Table) -> dict[str, Any]:
    """Write rows to a file, and return what is told of it."""
    about = data_files.write_file("t", str(folder), rows.schema, rows.to_batches())
    return {**about, "stats": json.loads(about["stats"], parse_float=Decimal)}


def test_bounds_are_those_of_their_types(tmp_path: Path) -> None:
    """Years have four digits and decimals all of theirs; of bytes only nulls are told."""
    early = datetime(7, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    long_decimal = Decimal("1234567890123456789012345678.0000000001")
    rows = pa.table(
        {
            "time": pa.array([early, None], pa.timestamp("us", "UTC")),
            "day": [date(7, 1, 2), date(9999, 12, 31)],
            "decimal": pa.array([long_decimal, -long_decimal], pa.decimal128(38, 10)),
            "double": [0.1, -2.5],
            "float": pa.array([0.5, None], pa.float32()),
            "truth": [True, None],
            "bytes": [b"a", b"b"],
            "none": pa.nulls(2, pa.int64()),
        }
    )
    result = described(tmp_path, rows)["stats"]
    first = {"time": "0007-01-02T03:04:05.678901Z", "day": "0007-01-02", "decimal": -long_decimal}
    assert result["minValues"] == {**first, "double": Decimal("-2.5"), "float": Decimal("0.5"), "truth": True}
    last = {"time": "0007-01-02T03:04:05.678901Z", "day": "9999-12-31", "decimal": long_decimal}
    assert result["maxValues"] == {**last, "double": Decimal("0.1"), "float": Decimal("0.5"), "truth": True}
    nulls = {name: rows[name].null_count for name in rows.column_names}
    assert result["nullCount"] == nulls == {**dict.fromkeys(rows.column_names, 0), **NULLS}


NULLS = {"time": 1, "float": 1, "truth": 1, "none": 2}
ROWS = pa.table(
    {
        "number": [1, 2, 3],
        "double": [1.5, -2.5, None],
        "day": [date(2026, 1, 1), None, date(1, 1, 1)],
        "decimal": pa.array([Decimal("1.50"), Decimal("-2.50"), None], pa.decimal128(10, 2)),
        "long": [HUGE, "b", "a"],
        "truth": [True, False, None],
        "bytes": [b"a", b"b", None],
    }
)
CONDITIONS = [
    (pc.field("double") < 0, [2]),
    (pc.field("double") > 1, [1]),
    (pc.field("day") == date(2026, 1, 1), [1]),
    (pc.field("decimal") > Decimal("1.00"), [1]),
    (pc.field("long") == HUGE, [1]),
    (pc.field("long") == "b", [2]),
    (pc.field("truth") == True, [1]),  # noqa: E712 - Arrow's own operator
    (pc.field("bytes") == b"b", [2]),
    (pc.field("odd") > 1000, [2]),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS, ids=map(str, range(len(CONDITIONS))))
@pytest.mark.parametrize("odd", [[0.0, inf, -inf], [0.0, 2000.0, nan], [0.0, 2000.0, -1.0]], ids=["inf", "nan", "all"])
def test_rows_are_found_by_whichever_column(
    condition: pc.Expression, expected: list[int], odd: list[float], tmp_path: Path
) -> None:
    """A reader that goes by Arrow's data sets, as DuckDB and Polars may, takes a missing bound for none to be found."""
    rows = ROWS.append_column("odd", pa.array(odd))
    about = data_files.write_file("t", str(tmp_path), rows.schema, rows.to_batches())
    table = DeltaTable.create(tmp_path, Schema.from_arrow(rows.schema))
    action = AddAction(about["path"], about["size"], {}, about["modified"], True, about["stats"])  # noqa: FBT003
    table.create_write_transaction([action], "append", table.schema(), None)
    assert DeltaTable(tmp_path).to_pyarrow_dataset().to_table(filter=condition)["number"].to_pylist() == expected
