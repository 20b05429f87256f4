"""Parquet data files, with the statistics that a Delta transaction records of each file.

Executors run this; it is sent to them by value and needs nothing there but Arrow, and `deltalake` for a store.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs, types

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

# One row of this per written file, with Spark's types.
FILE_COLUMNS = "table string, path string, size bigint, modified bigint, stats string"
# Of a longer text, a bound is the beginning, as in Delta; that of the largest is followed by the largest character.
MAX_BOUND_CHARS, CUT_CHARS = 256, 32
LAST_CHAR = "\U0010ffff"
COMPRESSION = "snappy"


def write_parts(
    batches: Iterator[pa.RecordBatch], options: Mapping[str, str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Write each part of a partition to a file in its folder, and yield the row that describes it."""
    for batch in batches:
        for part in batch.to_pylist():
            with pa.ipc.open_stream(part["rows"]) as rows:
                file = write_file(part["table"], part["folder"], rows.schema, rows, options)
            yield pa.RecordBatch.from_pylist([file])


def read_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of each part of a partition."""
    for batch in batches:
        for part in batch.to_pylist():
            with pa.ipc.open_stream(part["rows"]) as rows:
                yield from rows


def write_file(
    table: str,
    folder: str,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Write the batches to one new file in the folder and describe it; no batches make a file without rows.

    ``options`` are those of `Location` for the folder.
    """
    path = f"part-{uuid.uuid4()}.{COMPRESSION}.parquet"
    statistics = Statistics()
    with file_system(folder, options).open_output_stream(path) as sink:
        with pq.ParquetWriter(sink, schema, compression=COMPRESSION) as file:
            for batch in batches:
                rows = pa.Table.from_batches([batch])
                rows = rows if rows.schema == schema else rows.cast(schema)
                file.write_table(rows)
                statistics.add(rows)
        size = sink.tell()
    modified = int(time.time() * 1000)
    return {"table": table, "path": path, "size": size, "modified": modified, "stats": statistics.text()}


def list_folders(folder: str, options: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of the folders in a folder, which may be missing."""
    entries = file_system(folder, options).get_file_info(fs.FileSelector("", allow_not_found=True))
    return [entry.path for entry in entries if entry.type is fs.FileType.Directory]


def file_system(folder: str, options: Mapping[str, str] | None = None) -> FileSystem:
    """Return the file system whose root is the folder, a path or the URL of an object store that Delta knows."""
    if "://" not in folder:
        return fs.SubTreeFileSystem(folder, fs.LocalFileSystem())
    from deltalake.fs import DeltaStorageHandler

    return fs.PyFileSystem(DeltaStorageHandler(folder, dict(options or {})))


class Statistics:
    """Delta's statistics of a file: number of rows, and per scalar column nulls, smallest and largest value.

    Some readers find no rows where one column has no bounds and another has: DuckDB and Polars, by way of `deltalake`.
    So all columns have bounds, except those of bytes; where a number is infinite or NaN, no column has.
    """

    def __init__(self) -> None:
        """Begin with a file without rows."""
        self._rows, self._nulls = 0, dict[str, int]()
        self._bounds, self._is_bounded = dict[str, tuple[Any, Any]](), True

    def add(self, rows: pa.Table) -> None:
        """Add rows to the statistics."""
        self._rows += rows.num_rows
        for name, column in zip(rows.column_names, rows.columns, strict=True):
            if types.is_nested(column.type):
                continue
            self._nulls[name] = self._nulls.get(name, 0) + column.null_count
            if types.is_binary(column.type):
                continue
            if types.is_floating(column.type) and pc.all(pc.is_finite(column)).as_py() is False:
                self._is_bounded = False
            bounds = pc.min_max(column).as_py()
            if bounds["min"] is not None:
                smallest, largest = self._bounds.get(name, (bounds["min"], bounds["max"]))
                self._bounds[name] = min(smallest, bounds["min"]), max(largest, bounds["max"])

    def text(self) -> str:
        """Return them as JSON."""
        if not self._is_bounded:
            return json.dumps({"numRecords": self._rows})
        smallest = _json_object({name: _lower_bound(bounds[0]) for name, bounds in self._bounds.items()})
        largest = _json_object({name: _upper_bound(bounds[1]) for name, bounds in self._bounds.items()})
        nulls = json.dumps(self._nulls)
        return f'{{"numRecords": {self._rows}, "minValues": {smallest}, "maxValues": {largest}, "nullCount": {nulls}}}'


def _json_object(values: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{json.dumps(name)}: {value}' for name, value in values.items())}}}"


def _lower_bound(value: Any) -> str:
    is_long = isinstance(value, str) and len(value) > MAX_BOUND_CHARS
    return _json_value(value[:CUT_CHARS] if is_long else value)


def _upper_bound(value: Any) -> str:
    if not isinstance(value, str) or len(value) <= MAX_BOUND_CHARS:
        return _json_value(value)
    rest = value[CUT_CHARS:].lstrip(LAST_CHAR)
    return _json_value(value[: len(value) - len(rest)] + LAST_CHAR if rest else value)


def _json_value(value: Any) -> str:
    """Return a value as JSON; decimals with all their digits, and years with four, which `strftime` does not pad."""
    if isinstance(value, datetime):
        return f'"{value.replace(tzinfo=None).isoformat(timespec="microseconds")}Z"'
    if isinstance(value, date):
        return f'"{value.isoformat()}"'
    return f"{value:f}" if isinstance(value, Decimal) else json.dumps(value)
