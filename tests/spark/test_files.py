"""Parquet files as Delta's log describes them: what is told of each file holds for all of its rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from xregit.spark import files

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("number", pa.int64()),
        ("texts", pa.list_(pa.string())),
        ("record", pa.struct([("number", pa.int64())])),
        ("map", pa.map_(pa.string(), pa.int64())),
    ]
)
# Arrow tells no bounds of a text of that length, which are those of one batch alone.
HUGE = "z" * 10_000

# The texts and numbers of each batch of a file, and its bounds.
BATCHES: list[tuple[list[tuple[list[Any], list[Any]]], dict[str, Any], dict[str, Any]]] = [
    ([], {}, {}),
    ([([None], [None])], {}, {}),
    ([(["b", "a"], [5, 7]), (["c"], [-7])], {"text": "a", "number": -7}, {"text": "c", "number": 7}),
    ([([None], [None]), (["b"], [2])], {"text": "b", "number": 2}, {"text": "b", "number": 2}),
    ([([HUGE], [1]), (["b"], [2])], {"number": 1}, {"number": 2}),
    ([(["b"], [2]), ([HUGE], [1])], {"number": 1}, {"number": 2}),
    ([(["\U0001f600"], [0]), (["\uffff"], [0])], {"text": "\uffff", "number": 0}, {"text": "\U0001f600", "number": 0}),
]


@pytest.mark.parametrize(("batches", "least", "most"), BATCHES)
def test_statistics_hold_for_all_rows(
    batches: list[tuple[list[Any], list[Any]]], least: dict[str, Any], most: dict[str, Any], tmp_path: Path
) -> None:
    """Readers leave out files by these bounds, so that they are those of all batches or are not told."""
    made = [
        pa.RecordBatch.from_pylist(
            [
                {"text": text, "number": number, "texts": ["a"], "record": {"number": 1}, "map": [("a", 1)]}
                for text, number in zip(*batch, strict=True)
            ],
            SCHEMA,
        )
        for batch in batches
    ]
    found = json.loads(files.written("t", str(tmp_path), SCHEMA, made)["stats"])
    assert (found["minValues"], found["maxValues"]) == (least, most)
    texts = [text for batch, _ in batches for text in batch]
    nulls = texts.count(None)
    assert found["numRecords"] == len(texts)
    assert found["nullCount"] == ({"text": nulls, "number": nulls} if batches else {})
