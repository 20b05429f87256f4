"""Kafka records through a broker, with confluent-kafka."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from tests.brokers.transport import Carry, Wire, body_of, to_bytes
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS
from xregit.document.learner.brokers import kafka_wire


@contextmanager
def carrier(port: int) -> Iterator[Carry]:
    """Give a function that produces a record and returns the one that is read from where it was written."""
    # The client is not to complain when the broker is stopped at the end.
    servers = {"bootstrap.servers": f"{HOST}:{port}", "log_level": 0}
    producer = Producer(servers)
    consumer = Consumer({**servers, "group.id": "carried"})

    def carry(wire: Wire, send: Callable[[], object] | None = None) -> dict[str, Any]:
        place = _produced(producer, wire)
        if send:  # which writes behind ours, if the topic has one partition
            send()
            place.offset += 1
        return kafka_wire(_read(consumer, place))

    try:
        yield carry
    finally:
        consumer.close()


def _produced(producer: Producer, wire: Wire) -> TopicPartition:
    """Produce a record, and return where it stands."""
    reports: list[Any] = []
    at = {"partition": wire["partition"]} if "partition" in wire else {}
    producer.produce(
        wire.get("topic", "no.topic.declared"),
        value=body_of(wire),
        key=_key(wire),
        headers=[(name, to_bytes(value)) for name, value in _flat(wire.get("headers", {}))],
        on_delivery=lambda error, record: reports.append((error, record)),
        **at,
    )
    producer.flush(PATIENCE_SECONDS)
    [(error, record)] = reports
    assert error is None, error
    return TopicPartition(record.topic(), record.partition(), record.offset())


def _read(consumer: Consumer, place: TopicPartition) -> Any:
    consumer.assign([place])
    record = consumer.poll(PATIENCE_SECONDS)
    assert record is not None
    assert record.error() is None, record.error()
    return record


def _key(wire: Wire) -> bytes | None:
    if "key_base64" in wire:
        return b64decode(wire["key_base64"])
    return wire["key"].encode() if "key" in wire else None


def _flat(headers: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in headers.items():
        yield from ((name, item) for item in (value if isinstance(value, list) else [value]))
