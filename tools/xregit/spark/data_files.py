"""Arrow batches to Parquet data files, with the statistics that a Delta transaction records of each file.

Executors run this; it is shipped to them by value and needs nothing there but Arrow, and `deltalake` for a store.
"""

from __future__ import annotations

import json
import time
import uuid
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyarrow.fs import FileSystem

# One row of this per written file, as Spark and as Arrow call the types.
FILE_COLUMNS = "table string, path string, size bigint, modified bigint, stats string"
# A longer text is told by its beginning, as Delta does it; for the largest, a sign follows that no text has more of.
MAX_BOUND_CHARS, CUT_CHARS = 256, 32
LAST_SIGN = "\U0010ffff"
COMPRESSION = "snappy"


def write_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write each part of a partition to a file in its folder, and give the row that describes it."""
    import pyarrow as pa

    for batch in batches:
        for part in batch.to_pylist():
            with pa.ipc.open_stream(part["rows"]) as rows:
                described = write_file(part["table"], part["folder"], rows.schema, rows)
            yield pa.RecordBatch.from_pylist([described])


def read_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of each part of a partition."""
    import pyarrow as pa

    for batch in batches:
        for part in batch.to_pylist():
            with pa.ipc.open_stream(part["rows"]) as rows:
                yield from rows


def write_file(table: str, folder: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> dict[str, Any]:
    """Write the batches to one new file in the folder and describe it; no batches make a file without rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = f"part-{uuid.uuid4()}.{COMPRESSION}.parquet"
    about = Statistics()
    with _file_system(folder).open_output_stream(path) as sink:
        with pq.ParquetWriter(sink, schema, compression=COMPRESSION) as file:
            for batch in batches:
                found = pa.Table.from_batches([batch])
                rows = found if found.schema == schema else found.cast(schema)
                file.write_table(rows)
                about.add(rows)
        size = sink.tell()
    return {"table": table, "path": path, "size": size, "modified": int(time.time() * 1000), "stats": about.text()}


def list_folders(folder: str) -> list[str]:
    """Return the names of the folders in a folder; none where it is not there."""
    from pyarrow import fs

    found = _file_system(folder).get_file_info(fs.FileSelector("", allow_not_found=True))
    return [each.path for each in found if each.type is fs.FileType.Directory]


def _file_system(folder: str) -> FileSystem:
    """Return the file system whose root is the folder, a path or the URL of an object store that Delta knows."""
    from pyarrow import fs

    if "://" not in folder:
        return fs.SubTreeFileSystem(folder, fs.LocalFileSystem())
    from deltalake.fs import DeltaStorageHandler

    return fs.PyFileSystem(DeltaStorageHandler(folder))


class Statistics:
    """Delta's statistics of a file: number of rows, and per scalar column nulls, smallest and largest value.

    Some readers find no rows where a column has no bounds and another has: DuckDB and Polars, by way of `deltalake`. So
    bounds are told of all columns but those of bytes; where a number is infinite or none, of no column.
    """

    def __init__(self) -> None:
        """Begin with a file without rows."""
        self._rows, self._nulls = 0, dict[str, int]()
        self._bounds, self._is_bounded = dict[str, tuple[Any, Any]](), True

    def add(self, rows: pa.Table) -> None:
        """Take rows into account."""
        import pyarrow.compute as pc
        from pyarrow import types

        self._rows += rows.num_rows
        for name, column in zip(rows.column_names, rows.columns, strict=True):
            if types.is_nested(column.type):
                continue
            self._nulls[name] = self._nulls.get(name, 0) + column.null_count
            if types.is_binary(column.type):
                continue
            if types.is_floating(column.type) and pc.all(pc.is_finite(column)).as_py() is False:
                self._is_bounded = False
            found = pc.min_max(column).as_py()
            if found["min"] is not None:
                least, most = self._bounds.get(name, (found["min"], found["max"]))
                self._bounds[name] = min(least, found["min"]), max(most, found["max"])

    def text(self) -> str:
        """Return them as JSON."""
        if not self._is_bounded:
            return json.dumps({"numRecords": self._rows})
        least = _json_object({name: _lower_bound(bounds[0]) for name, bounds in self._bounds.items()})
        most = _json_object({name: _upper_bound(bounds[1]) for name, bounds in self._bounds.items()})
        nulls = json.dumps(self._nulls)
        return f'{{"numRecords": {self._rows}, "minValues": {least}, "maxValues": {most}, "nullCount": {nulls}}}'


def _json_object(values: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{json.dumps(name)}: {value}' for name, value in values.items())}}}"


def _lower_bound(value: Any) -> str:
    is_long = isinstance(value, str) and len(value) > MAX_BOUND_CHARS
    return _json_value(value[:CUT_CHARS] if is_long else value)


def _upper_bound(value: Any) -> str:
    if not isinstance(value, str) or len(value) <= MAX_BOUND_CHARS:
        return _json_value(value)
    left = value[CUT_CHARS:].lstrip(LAST_SIGN)
    return _json_value(value[: len(value) - len(left)] + LAST_SIGN if left else value)


def _json_value(value: Any) -> str:
    """Return a value as JSON; decimals have all their digits, and years four, which `strftime` does not give all."""
    if isinstance(value, datetime):
        return f'"{value.replace(tzinfo=None).isoformat(timespec="microseconds")}Z"'
    if isinstance(value, date):
        return f'"{value.isoformat()}"'
    return f"{value:f}" if isinstance(value, Decimal) else json.dumps(value)
