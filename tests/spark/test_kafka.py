"""Messages from a live Kafka broker, by Spark's own source of Kafka."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer

from tests.brokers import servers
from tests.ports import HOST
from tests.spark.jars import KAFKA_JARS
from tests.spark.streams import event, registry_of, route, rows
from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Headers = list[tuple[str, str | bytes | None]]

STRUCTURED: Headers = [("content-type", b"application/cloudevents+json")]
BINARY: Headers = [("ce_specversion", b"1.0"), ("ce_id", b"2"), ("ce_type", b"t.two"), ("ce_source", b"/vehicles/2")]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """Run a broker, and give its address."""
    if not KAFKA_JARS:
        pytest.skip("Spark's source of Kafka is not here; .ci/programs fetches it from Maven Central")
    folder = tmp_path / "kafka"
    folder.mkdir()
    with servers.kafka(folder) as port:
        yield f"{HOST}:{port}"


@pytest.mark.requirement("MSG-105")
def test_records_of_a_broker_are_taken_once(spark: SparkSession, broker: str, tmp_path: Path) -> None:
    """Events in both modes and plain records land in their tables; the next run takes those that came since."""
    registry, tables = registry_of(tmp_path), tmp_path / "tables"
    producer = Producer({"bootstrap.servers": broker, "log_level": 0})
    producer.produce("events", json.dumps(event(1)).encode(), headers=STRUCTURED)
    producer.produce("events", b'{"value": 2}', headers=[*BINARY, ("content-type", b"application/json")])
    producer.produce("readings", b"\xff\x00", key=b"WDB1")
    producer.produce("readings", None, key=b"\xff")
    assert producer.flush(PATIENCE_SECONDS) == 0

    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
    source = source.option("subscribe", "events,readings").option("startingOffsets", "earliest")
    records = source.option("includeHeaders", "true").load()
    assert route(registry, records, tables).rows == {"g__one": 1, "g__two": 1, "g__record": 1, "unmatched": 1}
    assert route(registry, records, tables).rows == {}
    producer.produce("readings", b"text", key=b"WDB2")
    assert producer.flush(PATIENCE_SECONDS) == 0
    assert route(registry, records, tables).rows == {"g__record": 1}

    [first], [second] = rows(tables, "g__one"), rows(tables, "g__two")
    assert (first["ce_id"], first["value"], second["ce_id"], second["value"]) == ("1", 1.0, "2", 2.0)
    result = {row["context_vin"]: (row["payload"], row["payload_base64"]) for row in rows(tables, "g__record")}
    assert result == {"WDB1": (None, "/wA="), "WDB2": ("text", None)}
    [other] = rows(tables, "unmatched")
    assert json.loads(other["message"])["key_base64"] == "/w=="
