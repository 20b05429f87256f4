"""Where messages come from: lines of text, and the columns of Spark's Kafka source, to what matching reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.protocols import Wire
from xregit.records import record
from xregit.spark.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from xregit.messages.reading import Input

LINES, KAFKA_PARQUET, KAFKA_JSON = "jsonl", "kafka-parquet", "kafka-json"
FORMATS = (LINES, KAFKA_PARQUET, KAFKA_JSON)
# The columns of Spark's Kafka source that say something of a message; in JSON files, bytes are in base 64.
KAFKA = "key binary, value binary, topic string, partition int, headers array<struct<key: string, value: binary>>"
TEXT = "value"
# What has a meaning in the patterns that Hadoop compares file names with.
_SPECIAL = re.compile(r"[\\*?\[\]{},]")


@record
class Source:
    """A data frame of messages; ``kafka`` says whether it has the columns of Kafka, else it has one of text."""

    frame: DataFrame
    kafka: bool


def source(given: DataFrame) -> Source:
    """Return a data frame with the columns that sorting reads.

    Raises:
        XregitError: it has neither the columns of Kafka's messages nor one column of text.
    """
    columns = dict(given.dtypes)
    if {"topic", "value"} <= columns.keys():
        absent = {"key": "binary", "partition": "int", "headers": "array<struct<key:string,value:binary>>"}
        wanted = [
            name if name in columns else f"cast(null as {absent[name]}) as {name}"
            for name in ("key", "value", "topic", "partition", "headers")
        ]
        return Source(given.selectExpr(*wanted), kafka=True)
    name = TEXT if TEXT in columns else next(iter(columns), "")
    if columns.get(name) in {"string", "binary"} and (len(columns) == 1 or name == TEXT):
        return Source(given.selectExpr(f"cast(`{name}` as binary) as value"), kafka=False)
    message = (
        f"the data frame has the columns {', '.join(columns) or 'of nothing'}; messages are in one column of text "
        'called "value", or in the columns of Spark\'s Kafka source'
    )
    raise XregitError(message)


def files(spark: SparkSession, path: Path | str, form: str, batch_files: int) -> DataFrame:
    """Return the messages in the files at a path or URL, as a stream that takes each file once, so many in a batch.

    Raises:
        XregitError: there is no such format, or nothing at the path.
    """
    if form not in FORMATS:
        message = f'the format "{form}" is unknown; the formats are {", ".join(FORMATS)}'
        raise XregitError(message)
    place = str(Place.of(path))  # absolute, as Spark need not be in our working directory
    if "://" not in place and not any(mark in place for mark in "*?[{") and not Path(place).exists():
        message = f'there is no "{path}" to read messages from'
        raise XregitError(message)
    reader = spark.readStream.option("maxFilesPerTrigger", batch_files)
    if "://" not in place and Path(place).is_file():  # Spark follows folders only
        reader = reader.option("pathGlobFilter", _SPECIAL.sub(r"\\\g<0>", Path(place).name))
        place = str(Path(place).parent)
    if form == LINES:
        return reader.option("lineSep", "\n").text(place)
    return reader.schema(KAFKA).json(place) if form == KAFKA_JSON else reader.schema(KAFKA).parquet(place)


def lines(batch: pa.RecordBatch) -> list[bytes]:
    """Return the lines of text in an Arrow batch."""
    found: list[bytes] = batch.column(0).drop_null().to_pylist()
    return found


def records(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Give the messages in an Arrow batch with the columns of Kafka as matching reads them, each with its size."""
    for key, value, topic, partition, headers in zip(*(part.to_pylist() for part in batch.columns), strict=True):
        fields: dict[str, Any] = {} if topic is None else {"topic": topic}
        if partition is not None:
            fields["partition"] = partition
        if key is not None:
            text = _text(key)
            fields["key_base64" if isinstance(text, bytes) else "key"] = text
        if headers:
            fields["headers"] = _headers(headers)
        yield Wire("KAFKA", fields, value), len(value or b"") + len(key or b"")


def _headers(headers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return headers by name, those that are repeated with all their values; one without value says nothing."""
    found: dict[str, list[str | bytes]] = {}
    for header in headers:
        if header["value"] is not None:
            found.setdefault(header["key"], []).append(_text(header["value"]))
    return {name: values[0] if len(values) == 1 else tuple(values) for name, values in found.items()}


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
