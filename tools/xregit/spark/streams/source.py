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
# The columns of Spark's Kafka source that say something of a message.
KAFKA = "key binary, value binary, topic string, partition int, headers array<struct<key: string, value: binary>>"
# The types that these may have, the first of which they get: many read texts where Kafka has bytes.
_KINDS = {
    "key": ("binary", "string"),
    "value": ("binary", "string"),
    "topic": ("string",),
    "partition": ("int", "bigint", "smallint"),
    "headers": ("array<struct<key:string,value:binary>>", "array<struct<key:string,value:string>>"),
}
TEXT = "value"
# What has a meaning in the patterns that Hadoop compares file names with, and what begins one for us.
_SPECIAL = re.compile(r"[\\*?\[\]{},]")
_PATTERN = frozenset("*?[{")
# What begins the names that Spark leaves out.
_HIDDEN = ("_", ".")
# Spark takes no file that is older by a week than the newest one it has taken, unless it is told another age.
_ANY_AGE = "100000d"


@dataclass(frozen=True, slots=True)
class Source:
    """A data frame of messages; ``form`` is one of `FORMATS` and says how: a text each, or Kafka's columns."""

    frame: DataFrame
    form: str


def source(given: DataFrame) -> Source:
    """Return a data frame with the columns that sorting reads.

    Raises:
        XregitError: it has neither the columns of Kafka's messages nor one column of text.
    """
    columns = dict(given.dtypes)
    if {"topic", "value"} <= columns.keys():
        wanted = [_column(name, columns.get(name), kinds) for name, kinds in _KINDS.items()]
        return Source(given.selectExpr(*wanted), KAFKA_PARQUET)
    name = TEXT if TEXT in columns else next(iter(columns), "")
    if columns.get(name) in {"string", "binary"} and (len(columns) == 1 or name == TEXT):
        return Source(given.selectExpr(f"cast(`{name}` as binary) as value"), LINES)
    message = (
        f"the data frame has the columns {', '.join(columns) or 'of nothing'}; messages are in one column of text "
        'called "value", or in the columns of Spark\'s Kafka source'
    )
    raise XregitError(message)


def _column(name: str, kind: str | None, kinds: tuple[str, ...]) -> str:
    if kind is not None and kind not in kinds:
        message = f'the column "{name}" of the data frame is {kind}; of messages of Kafka it is {" or ".join(kinds)}'
        raise XregitError(message)
    return f"cast({name if kind is not None else 'null'} as {kinds[0]}) as {name}"


def files(spark: SparkSession, path: Path | str, form: str, batch_files: int) -> Source:
    """Return the messages in the files at a path or URL, as a stream that takes each file once, so many in a batch.

    Of a folder it takes the files in its folders too, but those with a name that begins with "_" or ".".

    Raises:
        XregitError: there is no such format, or nothing at the path that Spark reads.
    """
    if form not in FORMATS:
        message = f'the format "{form}" is unknown; the formats are {", ".join(FORMATS)}'
        raise XregitError(message)
    place = Location.of(path)  # absolute, as Spark need not be in our working directory
    _refuse_absent(place, path)
    reader = spark.readStream.option("maxFilesPerTrigger", batch_files).option("maxFileAge", _ANY_AGE)
    # Else Spark takes folders called "a=b" for a column: what lies beside them it counts as read, and does not read.
    reader = reader.option("recursiveFileLookup", "true")
    if form == KAFKA_PARQUET:
        return source(reader.schema(KAFKA).parquet(_pattern(place)))
    return Source(source(reader.option("lineSep", "\n").text(_pattern(place))).frame, form)


def refuse_overlap(path: Path | str, *folders: Location) -> None:
    """Refuse messages in a folder that we write to, or in one that holds it: what we write would be read.

    Raises:
        XregitError: one of the folders is there.
    """
    messages = Location.of(path)
    pattern = messages.url if _is_pattern(messages) else None
    for folder in folders:
        for each in (PurePosixPath(folder.url), *PurePosixPath(folder.url).parents):
            if PurePosixPath(messages.url) == each or (pattern and fnmatchcase(str(each), pattern)):
                text = f"all of {messages} is read as messages, so {folder} can't be there; name another folder"
                raise XregitError(text)


def lines(batch: pa.RecordBatch) -> list[bytes]:
    """Return the lines of text in an Arrow batch; a row of a data frame that has no text becomes JSON's null."""
    found: list[bytes] = batch.column(0).fill_null(b"null").to_pylist()
    return found


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
    """Return whether a path is that of several files; what is there under that very name is one."""
    return not _PATTERN.isdisjoint(place.url) and not (place.local and place.local.exists())


def _pattern(place: Location) -> str:
    """Return the pattern by which Hadoop finds what is at a place."""
    return place.url if place.local is None or _is_pattern(place) else _SPECIAL.sub(r"\\\g<0>", place.url)
