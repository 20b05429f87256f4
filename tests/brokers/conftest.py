"""Brokers, each with a client that carries messages through it and that no other client disturbs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.brokers import http, kafka, mqtt, nats, servers
from tests.brokers.transport import Carry
from tests.cache import CACHE


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[int]:
    """Run a Mosquitto of the test's own, and give its port."""
    with servers.mosquitto(tmp_path) as port:
        yield port


@pytest.fixture(scope="session")
def mqtt5(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Carry]:
    """Carry messages of MQTT 5.0."""
    with servers.mosquitto(tmp_path_factory.mktemp("mqtt5")) as port, mqtt.carrier(port, "MQTT/5.0") as carry:
        yield carry


@pytest.fixture(scope="session")
def mqtt3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Carry]:
    """Carry messages of MQTT 3.1.1."""
    with servers.mosquitto(tmp_path_factory.mktemp("mqtt3")) as port, mqtt.carrier(port, "MQTT/3.1.1") as carry:
        yield carry


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Carry]:
    """Carry messages of NATS."""
    with servers.nats(tmp_path_factory.mktemp("nats")) as port, nats.carrier(port) as carry:
        yield carry


@pytest.fixture(scope="session")
def artemis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Carry]:
    """Carry messages of AMQP 1.0."""
    sys.path.append(str(CACHE / "proton"))
    if find_spec("proton") is None:
        pytest.skip("Qpid Proton is not here; .ci/programs builds it, which takes a C compiler")
    from tests.brokers import amqp

    with servers.artemis(tmp_path_factory.mktemp("artemis")) as port, amqp.carrier(port) as carry:
        yield carry


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Carry]:
    """Carry records of Kafka."""
    with servers.kafka(tmp_path_factory.mktemp("kafka")) as port, kafka.carrier(port) as carry:
        yield carry


@pytest.fixture(scope="session")
def http_server() -> Iterator[Carry]:
    """Carry HTTP requests and responses."""
    with http.carrier() as carry:
        yield carry
