"""Arrow batches to Parquet files, with what a Delta transaction must know of each file.

Executors run this; it is shipped to them by value and needs nothing there but Arrow, and `deltalake` for a store.
"""

from __future__ import annotations

import json
import time
import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow.fs import FileSystem

# One row of this per written file, as Spark and as Arrow call the types.
WRITTEN = "table string, path string, size bigint, modified bigint, stats string"
MAX_BOUND_CHARS = 256
COMPRESSION = "snappy"


def writing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write each part of a partition to a file in its folder, and give the row that describes it."""
    import pyarrow as pa

    for batch in batches:
        for part in batch.to_pylist():
            with pa.ipc.open_stream(part["rows"]) as rows:
                described = written(part["table"], part["folder"], rows.schema, rows)
            yield pa.RecordBatch.from_pylist([described])


def reading(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give the rows of each part of a partition."""
    import pyarrow as pa

    for batch in batches:
        for part in batch.to_pylist():
            with pa.ipc.open_stream(part["rows"]) as rows:
                yield from rows


def written(table: str, folder: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> dict[str, Any]:
    """Write the batches to one new file in the folder and describe it; no batches make a file without rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = f"part-{uuid.uuid4()}.{COMPRESSION}.parquet"
    about: list[pq.FileMetaData] = []
    with _store(folder).open_output_stream(path) as sink:
        with pq.ParquetWriter(sink, schema, compression=COMPRESSION, metadata_collector=about) as file:
            for batch in batches:
                found = pa.Table.from_batches([batch])
                file.write_table(found if found.schema == schema else found.cast(schema))
        size = sink.tell()
    stats = statistics(about[0])
    return {"table": table, "path": path, "size": size, "modified": int(time.time() * 1000), "stats": stats}


def folders(folder: str) -> list[str]:
    """Return the names of the folders in a folder; none where it is not there."""
    from pyarrow import fs

    found = _store(folder).get_file_info(fs.FileSelector("", allow_not_found=True))
    return [each.path for each in found if each.type is fs.FileType.Directory]


def _store(folder: str) -> FileSystem:
    """Return the file system whose root is the folder, a path or the URL of an object store that Delta knows."""
    from pyarrow import fs

    if "://" not in folder:
        return fs.SubTreeFileSystem(folder, fs.LocalFileSystem())
    from deltalake.fs import DeltaStorageHandler

    return fs.PyFileSystem(DeltaStorageHandler(folder))


def statistics(metadata: pq.FileMetaData) -> str:
    """Return Delta's statistics of a file: number of rows, and per scalar column nulls, smallest and largest value."""
    nulls: dict[str, int] = {}
    bounds: dict[str, list[Any]] = {}
    unbounded = set()
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for number in range(metadata.num_columns):
            column = group.column(number)
            name, found = column.path_in_schema, column.statistics
            if "." in name or found is None:
                continue
            nulls[name] = nulls.get(name, 0) + (found.null_count or 0)
            if found.has_min_max:
                bounds.setdefault(name, []).extend((found.min, found.max))
            elif found.null_count != column.num_values:
                unbounded.add(name)
    least = {name: _bound(min(some)) for name, some in bounds.items() if _bounded(some) and name not in unbounded}
    most = {name: _bound(max(bounds[name])) for name in least}
    return json.dumps({"numRecords": metadata.num_rows, "minValues": least, "maxValues": most, "nullCount": nulls})


def _bounded(values: list[Any]) -> bool:
    if all(isinstance(value, str) for value in values):
        return all(len(value) <= MAX_BOUND_CHARS for value in values)
    return all(isinstance(value, int | datetime) and not isinstance(value, bool) for value in values)


def _bound(value: Any) -> Any:
    if isinstance(value, datetime):  # the year in four digits, which `strftime` does not give all years
        return f"{value.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
    return value
