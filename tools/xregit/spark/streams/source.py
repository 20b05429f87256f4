"""Where messages come from: files, read as a stream, and the columns of any data frame."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from xregit.errors import XregitError
from xregit.spark.location import Location, errors_at
from xregit.spark.streams.decoder import kafka_line, kafka_row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from xregit.messages.decoder import Input


LINES, KAFKA, KAFKA_JSON = "jsonl", "kafka", "kafka-json"
KAFKA_PARQUET = "kafka-parquet"
FORMATS = (LINES, KAFKA_PARQUET, KAFKA_JSON)
# The parts of a message of Kafka, in the order of `kafka_row`, with the types that their columns may have: many jobs
# store texts where Kafka has bytes.
_KAFKA_TYPES = {
    "value": ("binary", "string"),
    "key": ("binary", "string"),
    "topic": ("string",),
    "partition": ("int", "bigint", "smallint"),
    "headers": ("array<struct<key:string,value:binary>>", "array<struct<key:string,value:string>>"),
}
_BYTES = frozenset({"key", "value"})
#: The columns of files of Kafka's records.
_KAFKA_FILE = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int, "
    "headers array<struct<key:string,value:binary>>"
)
_FILE = "file"
# The characters with a meaning in Hadoop's patterns of file names, and those that make a pattern for us.
_SPECIAL = re.compile(r"[\\*?\[\]{},]")
_PATTERN = frozenset("*?[{")
# How the names begin that Spark leaves out.
_HIDDEN = ("_", ".")
# By default Spark reads no file that is a week older than the newest one that it has read.
_ANY_AGE = "100000d"


@dataclass(frozen=True, slots=True)
class MessageColumns:
    """Where the messages of a data frame are: ``names`` has the column of each part."""

    format: str
    names: Mapping[str, str]

    def messages(self, batch: pa.RecordBatch) -> list[Input]:
        """Return the message of each row; a row that has no text is JSON's null."""
        columns = {part: batch.column(batch.schema.get_field_index(name)) for part, name in self.names.items()}
        columns = {part: each.cast(pa.binary()) if part in _BYTES else each for part, each in columns.items()}
        if self.format == KAFKA:
            rows = [each.to_pylist() for each in columns.values()]
            return [kafka_row(**dict(zip(columns, row, strict=True))) for row in zip(*rows, strict=True)]
        value = columns["value"]
        lines: list[Input] = (value.fill_null(b"null") if value.null_count else value).to_pylist()
        return [kafka_line(each) for each in lines if isinstance(each, bytes)] if self.format == KAFKA_JSON else lines


def message_columns(
    frame: DataFrame, message_format: str = "", columns: Mapping[str, str] | None = None
) -> MessageColumns:
    """Return where the messages of a data frame are; see `classify`.

    Raises:
        XregitError: it has neither the columns of Kafka's messages nor one column of text, or they have other types.
    """
    types, named = dict(frame.dtypes), columns or {}
    _check_names(named, message_format, types)
    names = {part: named.get(part, part) for part in _KAFKA_TYPES if named.get(part, part) in types}
    if message_format in {"", KAFKA, KAFKA_PARQUET} and {"topic", "value"} <= names.keys():
        for part, name in names.items():
            if types[name] not in _KAFKA_TYPES[part]:
                kinds = " or ".join(_KAFKA_TYPES[part])
                message = f'the column "{name}" of the data frame is {types[name]}; of messages of Kafka it is {kinds}'
                raise XregitError(message)
        return MessageColumns(KAFKA, names)
    value = names.get("value") or (next(iter(types)) if len(types) == 1 else "")
    if types.get(value) in {"string", "binary"} and message_format in {"", LINES, KAFKA_JSON}:
        return MessageColumns(message_format or LINES, {"value": value})
    message = (
        f"the data frame has the columns {', '.join(types) or 'of nothing'}; messages are in one column of text "
        'called "value", or in the columns of Spark\'s Kafka source'
    )
    raise XregitError(message)


def _check_names(named: Mapping[str, str], message_format: str, types: Mapping[str, Any]) -> None:
    if message_format not in {"", KAFKA, *FORMATS}:
        message = f'the format "{message_format}" is unknown; the formats are {", ".join(FORMATS)}'
        raise XregitError(message)
    for part, name in named.items():
        if part not in _KAFKA_TYPES:
            message = f'a message has no "{part}"; its parts are {", ".join(_KAFKA_TYPES)}'
            raise XregitError(message)
        if name not in types:
            message = f'the data frame has no column "{name}" for the {part}; it has {", ".join(types)}'
            raise XregitError(message)


def read_files(spark: SparkSession, path: Path | str, message_format: str, batch_files: int) -> DataFrame:
    """Return the messages in the files at a path or URL, as a stream that reads each file once, so many in a batch.

    Of a folder it reads the files in its folders too, except those with a name that begins with "_" or ".". The column
    ``file`` has the URL of the file.

    Raises:
        XregitError: there is no such format, no file in a batch, or nothing at the path that Spark can read.
    """
    _check_names({}, message_format, {})
    if batch_files < 1:
        message = f"a batch has at least one file, not {batch_files}"
        raise XregitError(message)
    place = Location.of(path, spark)  # absolute, as Spark need not be in our working directory
    _refuse_absent(place, path)
    reader = spark.readStream.option("maxFilesPerTrigger", batch_files).option("maxFileAge", _ANY_AGE)
    # Without this, folders called "a=b" are a column to Spark: files beside them count as read, and are not read.
    reader = reader.option("recursiveFileLookup", "true")
    with errors_at(place, "read"):
        if message_format in {KAFKA, KAFKA_PARQUET}:
            frame = reader.schema(_KAFKA_FILE).parquet(_hadoop_pattern(place))
        else:
            frame = reader.option("lineSep", "\n").text(_hadoop_pattern(place))
        return frame.selectExpr("*", f"_metadata.file_path as {_FILE}")


def refuse_overlap(path: Path | str, *folders: Location) -> None:
    """Refuse messages in a folder that we write to, or in a folder around it: what we write would be read as messages.

    Raises:
        XregitError: one of the folders is in that of the messages.
    """
    messages = Location.of(path)
    pattern = messages.url if _is_pattern(messages) else None
    for folder in folders:
        for each in (PurePosixPath(folder.url), *PurePosixPath(folder.url).parents):
            if PurePosixPath(messages.url) == each or (pattern and fnmatchcase(str(each), pattern)):
                text = f"all of {messages} is read as messages, so {folder} can't be there; name another folder"
                raise XregitError(text)


def _refuse_absent(place: Location, path: Path | str) -> None:
    if place.local is None or _is_pattern(place):
        return
    if not place.local.exists():
        message = f'there is no "{path}" to read messages from'
        raise XregitError(message)
    if place.local.is_file() and place.local.name.startswith(_HIDDEN):
        message = f'Spark reads no file whose name begins with "_" or ".", such as {place}; rename it'
        raise XregitError(message)


def _is_pattern(place: Location) -> bool:
    """Return whether a path is a pattern of several files; one that exists under that very name is not."""
    return not _PATTERN.isdisjoint(place.url) and not (place.local and place.local.exists())


def _hadoop_pattern(place: Location) -> str:
    """Return the pattern by which Hadoop finds the files at a place."""
    return place.url if place.local is None or _is_pattern(place) else exact_pattern(place.url)


def exact_pattern(url: str) -> str:
    """Return Hadoop's pattern of a path or URL by itself."""
    return _SPECIAL.sub(r"\\\g<0>", url)
