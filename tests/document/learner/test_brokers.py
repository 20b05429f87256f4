"""Samples from brokers: real ones, and what is said where there is none."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import subprocess
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nats
import paho.mqtt.publish as mqtt
import pytest
from click.testing import CliRunner
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

import xregit
from tests.brokers import servers
from tests.ports import HOST, next_port
from xregit.cli.commands import xregit as command
from xregit.document.learner import Limits, is_samples
from xregit.document.learner.brokers import Wire, parse_address, receive
from xregit.protocols import flatten, read_wire


def _read(address: str, **limits: Any) -> list[Wire]:
    return list(receive(parse_address(address), Limits(**limits)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kafka://a/t", "kafka://a:9092/t"),
        ("kafka+tls://ann:p%40ss@a:1,b:2/orders.v1", "kafka+tls://a:1,b:2/orders.v1"),
        ("mqtt://a/fleet/+/#", "mqtt://a:1883/fleet/+/#"),
        ("mqtts://a//x", "mqtt+tls://a:8883//x"),
        ("nats://token@[::1]/orders.>", "nats://[::1]:4222/orders.>"),
    ],
)
def test_address_is_read(text: str, name: str) -> None:
    """Ports have their usual values, and name and password are not shown."""
    assert parse_address(text).name == name
    assert is_samples(text)
    assert "ann" not in repr(parse_address(text))


@pytest.mark.parametrize(
    "text", ["kafka://a", "kafka:///t", "mqtt://a:x/t", "nats://a:99999/t", "kafka://a,/t", "nats:/"]
)
def test_wrong_address_is_an_error(text: str, tmp_path: Path) -> None:
    """What is missing is said in a line, and nothing is written."""
    result = CliRunner().invoke(command, ["learn", text, "--into", str(tmp_path / "registry")])
    assert isinstance(result.exception, xregit.XregitError | SystemExit)
    assert not (tmp_path / "registry").exists()


def test_environment_has_user_and_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """They need not stand in the history of a shell."""
    monkeypatch.setenv("XREGIT_BROKER_USER", "ann")
    monkeypatch.setenv("XREGIT_BROKER_PASSWORD", "secret")
    address = parse_address("nats://a/t")
    assert (address.user, address.password) == ("ann", "secret")
    assert parse_address("nats://bob:x@a/t").user == "bob"


@pytest.mark.parametrize("kind", ["kafka", "mqtt", "nats"])
def test_no_broker_is_an_error(kind: str, tmp_path: Path) -> None:
    """Nobody listens there: one line says so, without the password."""
    address = f"{kind}://ann:secret@{HOST}:{next_port()}/t"
    with pytest.raises(xregit.XregitError, match=r"gives no samples: no broker answers there \(.*\)") as error:
        xregit.learn(address, tmp_path / "registry")
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "registry" / "registry.yaml").exists()


@pytest.mark.parametrize("scheme", ["kafka+tls", "mqtts", "nats+tls"])
@pytest.mark.parametrize("file", ["nowhere.pem", "empty.pem"])
def test_wrong_certificates_are_an_error(
    scheme: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is missing or has no certificates is told before anything is sent."""
    (tmp_path / "empty.pem").touch()
    monkeypatch.setenv("XREGIT_BROKER_CA", str(tmp_path / file))
    with pytest.raises(xregit.XregitError, match="XREGIT_BROKER_CA names no file of certificates"):
        _read(f"{scheme}://{HOST}:{next_port()}/t")


def test_unknown_mechanism_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the client doesn't have, it says itself."""
    monkeypatch.setenv("XREGIT_BROKER_SASL", "NONE-SUCH")
    with pytest.raises(xregit.XregitError, match="Unsupported SASL mechanism: NONE-SUCH"):
        _read(f"kafka://ann:secret@{HOST}:{next_port()}/t")


def _comes_back(sent: list[dict[str, Any]], received: list[Wire]) -> None:
    """Compare what was sent with what came, whatever the client adds."""
    whole = [{key: item for key, item in wire.items() if key != "partition"} for wire in received]
    expected, arrived = ([(flatten(wire), wire.body) for wire in map(read_wire, wires)] for wires in (sent, whole))
    for wires in (expected, arrived):
        wires.sort(key=lambda item: repr(sorted(item[0].items())))
    assert arrived == expected


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """Run a Kafka broker with the topics orders and empty, and give its port, and that with a login."""
    login = next_port()
    with servers.kafka(tmp_path_factory.mktemp("kafka"), login) as port:
        settings: dict[str, str | int | float | bool] = {"bootstrap.servers": f"{HOST}:{port}", "log_level": 0}
        admin = AdminClient(settings)
        for made in admin.create_topics([NewTopic("orders", 3, 1), NewTopic("empty", 1, 1)]).values():
            made.result()
        producer = Producer(settings)
        for number in range(100):
            body = json.dumps({"id": f"o{number}", "kind": "placed"})
            producer.produce(
                "orders", body, f"o{number}", headers=[("trace", b"\xff"), ("shop", b"eu"), ("none", None)]
            )
        producer.flush()
        yield port, login


@pytest.mark.client
def test_kafka_topic_is_read(kafka: tuple[int, int], tmp_path: Path) -> None:
    """All that is there comes, or the last of it; no group is joined and no topic made."""
    address = f"kafka://{HOST}:{kafka[0]}/orders"
    wires = _read(address)
    expected = [
        {"protocol": "KAFKA", "topic": "orders", "key": f"o{number}",
         "headers": {"trace": [{"base64": b64encode(b"\xff").decode()}], "shop": ["eu"]},
         "body": json.dumps({"id": f"o{number}", "kind": "placed"})}
        for number in range(100)
    ]  # fmt: skip
    _comes_back(expected, wires)
    assert len(_read(address, samples=10)) == 10
    assert _read(address, seconds=0.1, latest=True) == []
    with pytest.raises(xregit.XregitError, match=r"no such topic; it has empty, orders$"):
        _read(f"kafka://{HOST}:{kafka[0]}/nothing")
    with pytest.raises(xregit.XregitError, match=r"there are no messages$"):
        xregit.learn(f"kafka://{HOST}:{kafka[0]}/empty", tmp_path)
    with pytest.raises(xregit.XregitError, match=r"no broker answers there \(.*SSL"):
        _read(f"kafka+tls://{HOST}:{kafka[0]}/orders")
    admin = AdminClient({"bootstrap.servers": f"{HOST}:{kafka[0]}", "log_level": 0})
    assert admin.list_consumer_groups().result().valid == []
    assert "nothing" not in admin.list_topics().topics
    report = xregit.learn(address, tmp_path / "registry")
    assert [(item.xid, item.samples) for item in report.definitions] == [("/messagegroups/learnt/messages/orders", 100)]


@pytest.mark.client
@pytest.mark.parametrize("mechanism", ["", "SCRAM-SHA-512"])
def test_kafka_refuses_others(mechanism: str, kafka: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the right password it reads; with another one, or none, it says what is wrong."""
    monkeypatch.setenv("XREGIT_BROKER_SASL", mechanism)
    assert len(_read(f"kafka://ann:secret@{HOST}:{kafka[1]}/orders")) == 100
    with pytest.raises(xregit.XregitError, match="the broker refuses the user") as error:
        _read(f"kafka://ann:wrongword@{HOST}:{kafka[1]}/orders")
    assert "wrongword" not in str(error.value)
    with pytest.raises(xregit.XregitError, match="gives no samples"):
        _read(f"kafka://{HOST}:{kafka[1]}/orders")


@contextmanager
def _while_sending(send: Callable[[], None]) -> Iterator[None]:
    """Send again and again: who subscribes too late misses the first ones."""
    done = threading.Event()

    def run() -> None:
        while not done.wait(0.1):
            send()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _certificate(folder: Path) -> Path:
    """Write a certificate for this host and its key, and return the path of the certificate."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not here")
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    alternative = ["-addext", f"subjectAltName=DNS:localhost,IP:{HOST}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*made, *alternative, *files], check=True, capture_output=True)
    return folder / "cert.pem"


@pytest.mark.client
def test_mqtt_filter_is_read(tmp_path: Path) -> None:
    """Retained messages come at once, others while it waits; no message in time is an error."""
    with servers.mosquitto(tmp_path) as port:
        for vin in ("ab", "cd"):
            mqtt.single(f"fleet/{vin}/at", '{"x":1}', retain=True, hostname=HOST, port=port)
        wires = _read(f"mqtt://{HOST}:{port}/fleet/#", samples=2)
        shape = {"protocol": "MQTT/5.0", "qos": 0, "retain": True, "user_properties": [], "body": {"x": 1}}
        _comes_back([shape | {"topic_name": f"fleet/{vin}/at"} for vin in ("ab", "cd")], wires)
        with _while_sending(lambda: mqtt.single("live", "1", hostname=HOST, port=port)):
            assert _read(f"mqtt://{HOST}:{port}/live", samples=1)[0]["topic_name"] == "live"
        with pytest.raises(xregit.XregitError, match=r"there are no messages within 0\.2 seconds$"):
            xregit.learn(f"mqtt://{HOST}:{port}/none", tmp_path / "r", limits=xregit.Limits(seconds=0.2))
        with pytest.raises(xregit.XregitError, match="this is no topic filter"):
            _read(f"mqtt://{HOST}:{port}/a/#/b")


@pytest.mark.client
def test_mqtt_3_is_read_where_there_is_no_5(tmp_path: Path) -> None:
    """NATS's server is a broker of MQTT 3.1.1 alone."""
    port, config = next_port(), tmp_path / "nats.conf"
    store = f'server_name: one\njetstream {{ store_dir: "{tmp_path}" }}\n'
    config.write_text(f'{store}mqtt {{ host: "{HOST}", port: {port} }}\n')
    with servers.nats(tmp_path, "-c", str(config)):
        settings: Any = {"hostname": HOST, "port": port, "client_id": "sender"}
        mqtt.single("fleet/ab/at", '{"x":1}', retain=True, **settings)
        shape = {"protocol": "MQTT/3.1.1", "topic_name": "fleet/ab/at", "qos": 0, "retain": True, "body": {"x": 1}}
        _comes_back([shape], _read(f"mqtt://{HOST}:{port}/fleet/#", samples=1, seconds=20))


def test_nats_server_that_closes_is_an_error() -> None:
    """A server that goes away while it is read is told in a line."""
    with socket.create_server((HOST, 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b'INFO {"server_id":"a","version":"2.0.0","max_payload":1000,"headers":true}\r\n')
                while b"SUB" not in (data := connection.recv(4096)):
                    connection.sendall(b"PONG\r\n" if b"PING" in data else b"")
                connection.sendall(b"PONG\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(xregit.XregitError, match="gives no samples: the connection ended"):
            _read(f"nats://{HOST}:{server.getsockname()[1]}/orders.>", seconds=20)
        thread.join()


@pytest.mark.client
@pytest.mark.filterwarnings("ignore:.*SSLSocket:pytest.PytestUnraisableExceptionWarning")  # the client leaves it open
def test_mqtt_wants_login_and_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong password is told, and so is a certificate that nobody vouches for."""
    certificate = _certificate(tmp_path)
    (tmp_path / "users").touch(mode=0o600)
    subprocess.run(["mosquitto_passwd", "-b", "users", "ann", "secret"], cwd=tmp_path, check=True, capture_output=True)
    tls = f"certfile {certificate}\nkeyfile {tmp_path / 'key.pem'}\nuser root"
    with servers.mosquitto(tmp_path, f"allow_anonymous false\npassword_file {tmp_path / 'users'}\n{tls}") as port:
        with pytest.raises(xregit.XregitError, match=r"no broker answers there \(.*CERTIFICATE_VERIFY_FAILED"):
            _read(f"mqtts://ann:secret@{HOST}:{port}/#")
        monkeypatch.setenv("XREGIT_BROKER_CA", str(certificate))
        assert _read(f"mqtts://ann:secret@{HOST}:{port}/#", seconds=0.1) == []
        for user in ("ann:wrong@", ""):
            with pytest.raises(xregit.XregitError, match=r"the broker refuses the user \(Not authorized\)"):
                _read(f"mqtts://{user}{HOST}:{port}/#")
        with pytest.raises(xregit.XregitError, match="no broker answers there"):
            _read(f"mqtt://ann:secret@{HOST}:{port}/#")


@pytest.mark.client
def test_nats_subject_is_read(tmp_path: Path) -> None:
    """Messages come with headers while it waits; a wrong password is told, and a server without TLS."""
    with servers.nats(tmp_path, "--user", "ann", "--pass", "secret") as port:

        async def send() -> None:
            client = await nats.connect(f"nats://ann:secret@{HOST}:{port}")
            await client.publish("orders.placed", b"{}", headers={"shop": "eu"})
            await client.close()

        with _while_sending(lambda: asyncio.run(send())):
            [wire] = _read(f"nats://ann:secret@{HOST}:{port}/orders.>", samples=1)
        shape = {"protocol": "NATS", "subject": "orders.placed", "headers": [{"name": "shop", "value": "eu"}]}
        _comes_back([shape | {"body": {}}], [wire])
        for user in ("ann:wrong@", "token@", ""):
            with pytest.raises(xregit.XregitError, match="the broker refuses the user") as error:
                _read(f"nats://{user}{HOST}:{port}/orders.>")
            assert re.search("wrong|token@", str(error.value)) is None
        with pytest.raises(xregit.XregitError, match="it does not speak TLS"):
            _read(f"nats+tls://ann:secret@{HOST}:{port}/orders.>")
        with pytest.raises(xregit.XregitError, match="no subject"):
            _read(f"nats://ann:secret@{HOST}:{port}/a..b")


@pytest.mark.client
def test_nats_certificate_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TLS reads with the certificate that vouches for the server, and not without."""
    certificate = _certificate(tmp_path)
    with servers.nats(tmp_path, "--tls", "--tlscert", str(certificate), "--tlskey", str(tmp_path / "key.pem")) as port:
        with pytest.raises(xregit.XregitError, match="CERTIFICATE_VERIFY_FAILED"):
            _read(f"nats+tls://{HOST}:{port}/x")
        monkeypatch.setenv("XREGIT_BROKER_CA", str(certificate))
        assert _read(f"nats+tls://{HOST}:{port}/x", seconds=0.1) == []
