"""Where messages come from: files or a data frame, as lines of text or as the columns of Spark's Kafka source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.spark.location import Location

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


LINES, KAFKA_PARQUET, KAFKA_JSON = "jsonl", "kafka-parquet", "kafka-json"
FORMATS = (LINES, KAFKA_PARQUET, KAFKA_JSON)
# The columns of Spark's Kafka source that make a message, with the types that they may have, the first of which they
# get: many jobs store texts where Kafka has bytes.
_COLUMN_TYPES = {
    "key": ("binary", "string"),
    "value": ("binary", "string"),
    "topic": ("string",),
    "partition": ("int", "bigint", "smallint"),
    "headers": ("array<struct<key:string,value:binary>>", "array<struct<key:string,value:string>>"),
}
TEXT_COLUMN = "value"
# The characters with a meaning in Hadoop's patterns of file names, and those that make a pattern for us.
_SPECIAL = re.compile(r"[\\*?\[\]{},]")
_PATTERN = frozenset("*?[{")
# How the names begin that Spark leaves out.
_HIDDEN = ("_", ".")
# By default Spark reads no file that is a week older than the newest one that it has read.
_ANY_AGE = "100000d"


@dataclass(frozen=True, slots=True)
class Source:
    """A data frame of messages; ``format`` is one of `FORMATS`: a text each, or Kafka's columns."""

    frame: DataFrame
    format: str


def from_dataframe(frame: DataFrame) -> Source:
    """Return a data frame with the columns that routing reads.

    Raises:
        XregitError: it has neither the columns of Kafka's messages nor one column of text.
    """
    columns = dict(frame.dtypes)
    if {"topic", "value"} <= columns.keys():
        casts = [_cast(name, columns.get(name), kinds) for name, kinds in _COLUMN_TYPES.items()]
        return Source(frame.selectExpr(*casts), KAFKA_PARQUET)
    name = TEXT_COLUMN if TEXT_COLUMN in columns else next(iter(columns), "")
    if columns.get(name) in {"string", "binary"} and (len(columns) == 1 or name == TEXT_COLUMN):
        return Source(frame.selectExpr(f"cast(`{name}` as binary) as value"), LINES)
    message = (
        f"the data frame has the columns {', '.join(columns) or 'of nothing'}; messages are in one column of text "
        'called "value", or in the columns of Spark\'s Kafka source'
    )
    raise XregitError(message)


def _cast(name: str, kind: str | None, kinds: tuple[str, ...]) -> str:
    if kind is not None and kind not in kinds:
        message = f'the column "{name}" of the data frame is {kind}; of messages of Kafka it is {" or ".join(kinds)}'
        raise XregitError(message)
    return f"cast({name if kind is not None else 'null'} as {kinds[0]}) as {name}"


def from_files(spark: SparkSession, path: Path | str, message_format: str, batch_files: int) -> Source:
    """Return the messages in the files at a path or URL, as a stream that reads each file once, so many in a batch.

    Of a folder it reads the files in its folders too, except those with a name that begins with "_" or ".".

    Raises:
        XregitError: there is no such format, or nothing at the path that Spark can read.
    """
    if message_format not in FORMATS:
        message = f'the format "{message_format}" is unknown; the formats are {", ".join(FORMATS)}'
        raise XregitError(message)
    place = Location.of(path)  # absolute, as Spark need not be in our working directory
    _refuse_absent(place, path)
    reader = spark.readStream.option("maxFilesPerTrigger", batch_files).option("maxFileAge", _ANY_AGE)
    # Without this, folders called "a=b" are a column to Spark: files beside them count as read, and are not read.
    reader = reader.option("recursiveFileLookup", "true")
    if message_format == KAFKA_PARQUET:
        return from_dataframe(
            reader.schema(", ".join(f"{name} {kinds[0]}" for name, kinds in _COLUMN_TYPES.items())).parquet(
                _hadoop_pattern(place)
            )
        )
    return Source(from_dataframe(reader.option("lineSep", "\n").text(_hadoop_pattern(place))).frame, message_format)


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


def text_lines(batch: pa.RecordBatch) -> list[bytes]:
    """Return the lines of text in an Arrow batch; a row of a data frame that has no text becomes JSON's null."""
    texts: list[bytes] = batch.column(0).fill_null(b"null").to_pylist()
    return texts


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
    return place.url if place.local is None or _is_pattern(place) else _SPECIAL.sub(r"\\\g<0>", place.url)
