"""Readers of brokers: the messages of a Kafka topic, an MQTT filter or a NATS subject, in the JSON shape of the wire.

They only look: no consumer group is joined, no offset committed, no topic made. User name and password come from the
address or the environment, and are in nothing that is printed.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from queue import Empty, Queue
from ssl import SSLContext, SSLError, create_default_context
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote

from xregit.errors import XregitError
from xregit.installed import install_command
from xregit.protocols.wire_message import body_json

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

Wire = dict[str, Any]
USER, PASSWORD = "XREGIT_BROKER_USER", "XREGIT_BROKER_PASSWORD"
CERTIFICATES, MECHANISM = "XREGIT_BROKER_CA", "XREGIT_BROKER_SASL"
_ADDRESS = re.compile(r"(?P<kind>kafka|mqtt|nats)(?P<tls>\+tls)?://(?P<rest>.*)", re.DOTALL)
_SERVER = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:@/\s]+)(:(?P<port>[0-9]{1,5}))?")
_PORTS = {"kafka": (9092, 9093), "mqtt": (1883, 8883), "nats": (4222, 4222)}
_PLACES = {"kafka": "topic", "mqtt": "filter", "nats": "subject"}
_CONNECT_SECONDS = 10
_MAX_NAMED = 10
_MAX_PORT = 0xFFFF


@dataclass(frozen=True, slots=True)
class Limits:
    """When a reader of a broker stops; ``latest`` leaves out what Kafka has already."""

    seconds: float = 60.0
    samples: int = 10_000
    latest: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """What to read where: servers with their ports, and a topic, filter or subject."""

    kind: str
    tls: bool
    servers: tuple[tuple[str, int], ...]
    place: str
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The address without user name and password."""
        return f"{self.kind}{'+tls' if self.tls else ''}://{self.hosts}/{self.place}"

    @property
    def hosts(self) -> str:
        """The servers as clients take them."""
        return ",".join(f"{host}:{port}" for host, port in self.servers)

    @property
    def context(self) -> SSLContext | None:
        """How to check the servers' certificates, None without TLS."""
        if not self.tls:
            return None
        try:
            return create_default_context(cafile=os.environ.get(CERTIFICATES) or None)
        except (OSError, SSLError) as error:
            self.fail(f"{CERTIFICATES} names no file of certificates: {error}")

    def fail(self, why: object) -> NoReturn:
        """Say why there are no samples.

        Raises:
            XregitError: always.
        """
        message = f'"{self.name}" gives no samples: {why}'
        raise XregitError(message)

    def fail_to_connect(self, why: object) -> NoReturn:
        """Say that no broker answers."""
        self.fail(f"no broker answers there ({why}); check host and port")

    def fail_to_log_in(self, why: object) -> NoReturn:
        """Say that the broker wants other credentials."""
        self.fail(
            f"the broker refuses the user ({why}); put name and password into the address, as in "
            f"{self.kind}://name:password@host, or into {USER} and {PASSWORD}"
        )


def is_address(source: object) -> bool:
    """Return whether a source is the address of a broker."""
    return isinstance(source, str) and _ADDRESS.match(_scheme(source)) is not None


def parse_address(text: str) -> Address:
    """Return what an address names.

    The topic is percent-decoded, and ``#`` is a part of it, as in ``mqtt://host/fleet/#``.

    Raises:
        XregitError: host, port or topic are missing, or no such things.
    """
    match = _ADDRESS.fullmatch(_scheme(text))
    if match is None:
        message = "the address of a broker begins with kafka://, mqtt:// or nats://"
        raise XregitError(message)
    kind, tls = match["kind"], match["tls"] is not None
    authority, _, place = match["rest"].partition("/")
    credentials, _, hosts = authority.rpartition("@")
    user, _, password = credentials.partition(":")
    servers = [_SERVER.fullmatch(host) for host in hosts.split(",")]
    ports = [int(server["port"] or _PORTS[kind][tls]) for server in servers if server is not None]
    if len(ports) < len(servers) or max(ports) > _MAX_PORT or not min(ports):
        message = f"the address of a broker is {kind}://host:port/{_PLACES[kind]}; this one has no such host and port"
        raise XregitError(message)
    if not place.strip():
        message = f"the address names no {_PLACES[kind]}; write {kind}://{hosts}/{_PLACES[kind]}"
        raise XregitError(message)
    named = [server["host"] for server in servers if server is not None]
    return Address(
        kind,
        tls,
        tuple(zip(named, ports, strict=True)),
        unquote(place),
        unquote(user) or os.environ.get(USER, ""),
        unquote(password) or os.environ.get(PASSWORD, ""),
    )


def _scheme(text: str) -> str:
    """Return an address with its scheme in lower case, and the registered name of MQTT over TLS as ours."""
    scheme, separator, rest = text.partition("://")
    return f"{'mqtt+tls' if scheme.lower() == 'mqtts' else scheme.lower()}{separator}{rest}" if separator else text


def receive(address: Address, limits: Limits) -> Iterator[Wire]:
    """Yield messages until a limit is reached; of a Kafka topic the last ones that are there.

    Raises:
        XregitError: the client isn't installed, or the broker can't be reached, refuses, or has no such topic.
    """
    readers: Mapping[str, Callable[[Address, Limits], Iterator[Wire]]] = {"kafka": _kafka, "mqtt": _mqtt, "nats": _nats}
    try:
        yield from readers[address.kind](address, limits)
    except ModuleNotFoundError as error:
        message = f"{error.name} is missing, which reads from brokers; install it: {install_command('brokers')}"
        raise XregitError(message) from error


def _kafka(address: Address, limits: Limits) -> Iterator[Wire]:
    kafka = import_module("confluent_kafka")
    problems: list[Any] = []
    try:
        consumer = kafka.Consumer(_kafka_settings(address, problems))
    except kafka.KafkaException as error:
        address.fail(error.args[0].str())  # such as a mechanism that the client doesn't have
    try:
        partitions = _kafka_partitions(address, consumer, problems)
        ends = _kafka_ends(address, consumer, partitions, limits)
        consumer.assign([partition for partition, _ in ends])
        waiting = {partition.partition for partition, count in ends if count or limits.latest}
        end, left = time.monotonic() + limits.seconds, limits.samples
        while waiting and left and time.monotonic() < end:
            record = consumer.poll(0.5)
            if record is None:
                continue
            if record.error() is None:
                left -= 1
                yield kafka_wire(record)
            elif record.error().code() != kafka.KafkaError._PARTITION_EOF:  # noqa: SLF001 - so it is called
                address.fail(record.error().str())
            elif not limits.latest:
                waiting.discard(record.partition())
    finally:
        consumer.close()


def _kafka_settings(address: Address, problems: list[Any]) -> dict[str, Any]:
    security = f"{'SASL_' if address.user else ''}{'SSL' if address.tls else 'PLAINTEXT'}"
    settings: dict[str, Any] = {
        "bootstrap.servers": address.hosts,
        "group.id": "xregit",  # the client wants a name; partitions are assigned, so that no group is joined
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "allow.auto.create.topics": False,
        "security.protocol": security,
        "log_level": 0,
        "error_cb": problems.append,
    }
    if address.user:
        mechanism = os.environ.get(MECHANISM) or "PLAIN"
        settings |= {"sasl.mechanism": mechanism, "sasl.username": address.user, "sasl.password": address.password}
    if address.context is not None and os.environ.get(CERTIFICATES):
        settings["ssl.ca.location"] = os.environ[CERTIFICATES]
    return settings


def _kafka_partitions(address: Address, consumer: Consumer, problems: list[Any]) -> list[int]:
    """Return the numbers of the topic's partitions."""
    topics = _kafka_topics(address, consumer, problems)
    if address.place not in topics:
        names = sorted(name for name in topics if not name.startswith("__"))
        more = ", …" if len(names) > _MAX_NAMED else ""
        address.fail(f"the broker has no such topic; it has {', '.join(names[:_MAX_NAMED]) or 'none'}{more}")
    return list(topics[address.place].partitions)


def _kafka_topics(address: Address, consumer: Consumer, problems: list[Any]) -> Mapping[str, Any]:
    """Return all topics by their names; ``problems`` are added to meanwhile."""
    kafka = import_module("confluent_kafka")
    refused = kafka.KafkaError._AUTHENTICATION  # noqa: SLF001 - so it is called
    fatal = {refused, kafka.KafkaError._ALL_BROKERS_DOWN, kafka.KafkaError._SSL}  # noqa: SLF001
    end = time.monotonic() + _CONNECT_SECONDS
    while time.monotonic() < end and not any(problem.code() in fatal for problem in problems):
        try:
            topics: Mapping[str, Any] = consumer.list_topics(timeout=1).topics
        except kafka.KafkaException:
            consumer.poll(0)  # hands problems over
        else:
            return topics
    refusal = next((item for item in problems if item.code() == refused), None)
    if refusal is not None:
        address.fail_to_log_in(_DETAILS.sub("", refusal.str()))
    return address.fail_to_connect(_DETAILS.sub("", problems[0].str()) if problems else "no answer in time")


def _kafka_ends(
    address: Address, consumer: Consumer, partitions: list[int], limits: Limits
) -> list[tuple[TopicPartition, int]]:
    """Return where to begin in each partition, and how many records there are from there on."""
    kafka = import_module("confluent_kafka")
    ends: list[tuple[TopicPartition, int]] = []
    share = -(-limits.samples // max(len(partitions), 1))
    for number in partitions:
        try:
            low, high = consumer.get_watermark_offsets(
                kafka.TopicPartition(address.place, number), timeout=_CONNECT_SECONDS
            )
        except kafka.KafkaException as error:
            address.fail(error.args[0].str())
        start = high if limits.latest else max(low, high - share)
        ends.append((kafka.TopicPartition(address.place, number, start), high - start))
    return ends


def kafka_wire(record: Any) -> Wire:
    """Return a record of confluent-kafka in the JSON shape."""
    headers: dict[str, list[Any]] = {}
    for name, value in record.headers() or ():
        if value is not None:
            headers.setdefault(name, []).append(_text(value))
    key = record.key()
    wire: Wire = {"protocol": "KAFKA", "topic": record.topic(), "partition": record.partition(), "headers": headers}
    if key is not None:
        text = _text(key)
        wire |= {"key": text} if isinstance(text, str) else {"key_base64": text["base64"]}
    return wire | body_json(record.value())


def _text(value: Any) -> Any:
    """Return bytes as the text that they are, else as bytes of the JSON shape."""
    if isinstance(value, str):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode()}


# What the client puts around the reason: "host:1/bootstrap: …: Connection refused (after 0ms in state CONNECT)".
_DETAILS = re.compile(r"^[^ ]+/[^ ]+: |\s*\(after [^)]*\)")
MQTT_PROPERTIES = {
    "payload_format": "PayloadFormatIndicator",
    "message_expiry_interval": "MessageExpiryInterval",
    "response_topic": "ResponseTopic",
    "content_type": "ContentType",
}


def _mqtt(address: Address, limits: Limits) -> Iterator[Wire]:
    try:
        yield from _mqtt_version(address, limits, "MQTT/5.0")
    except _OtherVersionError:
        yield from _mqtt_version(address, limits, "MQTT/3.1.1")


class _OtherVersionError(Exception):
    """A broker doesn't speak the version of MQTT."""


def _mqtt_version(address: Address, limits: Limits, protocol: str) -> Iterator[Wire]:
    paho = import_module("paho.mqtt.client")
    version = paho.MQTTv5 if protocol == "MQTT/5.0" else paho.MQTTv311
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=version, reconnect_on_failure=False)
    answers: Queue[Any] = Queue()
    arrived: Queue[Wire] = Queue()
    client.on_connect = lambda _client, _data, _flags, reason, _properties: answers.put(reason)
    client.on_subscribe = lambda _client, _data, _id, reasons, _properties: answers.put(reasons[0])
    client.on_message = lambda _client, _data, message: arrived.put(mqtt_wire(protocol, message))
    if address.user:
        client.username_pw_set(address.user, address.password or None)
    if (context := address.context) is not None:
        client.tls_set_context(context)
    host, port = address.servers[0]
    try:
        client.connect(host.strip("[]"), port)
    except (OSError, ValueError) as error:
        address.fail_to_connect(error)
    client.loop_start()
    try:
        _mqtt_accepted(address, answers, address.fail_to_log_in)
        try:
            client.subscribe(address.place, qos=1)
        except ValueError:
            address.fail("this is no topic filter; + and # stand for whole levels, # for the last")
        _mqtt_accepted(address, answers, lambda why: address.fail(f"the broker refuses the filter ({why})"))
        yield from _until(limits, lambda seconds: arrived.get(timeout=seconds))
    finally:
        client.disconnect()
        client.loop_stop()


def _mqtt_accepted(address: Address, answers: Queue[Any], fail: Callable[[object], NoReturn]) -> None:
    """Wait for the broker's answer.

    Raises:
        XregitError: it refuses, or there is none.
    """
    try:
        reason = answers.get(timeout=_CONNECT_SECONDS)
    except Empty:
        address.fail_to_connect("no answer in time")
    if reason.is_failure:
        if reason.getName() == "Unsupported protocol version":
            raise _OtherVersionError
        fail(reason)


def _until(limits: Limits, get: Callable[[float], Any]) -> Iterator[Any]:
    """Yield what comes until a limit is reached."""
    end = time.monotonic() + limits.seconds
    for _ in range(limits.samples):
        try:
            yield get(max(end - time.monotonic(), 0.001))
        except (Empty, TimeoutError):
            return


def mqtt_wire(protocol: str, message: Any) -> Wire:
    """Return a message of Eclipse Paho in the JSON shape."""
    wire: Wire = {
        "protocol": protocol,
        "topic_name": message.topic,
        "qos": message.qos,
        "retain": bool(message.retain),
        **body_json(message.payload or None),
    }
    properties = message.properties
    if properties is None:
        return wire
    wire |= {name: getattr(properties, there) for name, there in MQTT_PROPERTIES.items() if hasattr(properties, there)}
    if hasattr(properties, "CorrelationData"):
        wire["correlation_data"] = _text(properties.CorrelationData)
    pairs = getattr(properties, "UserProperty", ())
    return wire | {"user_properties": [{"name": name, "value": value} for name, value in pairs]}


def _nats(address: Address, limits: Limits) -> Iterator[Wire]:
    with asyncio.Runner() as runner:
        client, subscription, problems = runner.run(_nats_subscribed(address))
        try:
            yield from _until(limits, lambda seconds: nats_wire(runner.run(subscription.next_msg(timeout=seconds))))
            if problems:
                address.fail(str(problems[0]))
        except import_module("nats.errors").Error as error:
            address.fail(f"the connection ended while it was read: {problems[0] if problems else error}")
        finally:
            runner.run(_nats_closed(client))


async def _nats_subscribed(address: Address) -> tuple[Any, Any, list[Exception]]:
    problems: list[Exception] = []

    async def note(error: Exception) -> None:
        problems.append(error)

    scheme = "tls" if address.tls else "nats"
    token = {"token": address.user or None}
    login = {"user": address.user, "password": address.password} if address.password else token
    client, context = _nats_client(tls=address.tls), address.context
    try:
        await client.connect(
            [f"{scheme}://{host}:{port}" for host, port in address.servers],
            error_cb=note,
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=_CONNECT_SECONDS,
            tls=context,
            **login,
        )
    except Exception as error:  # noqa: BLE001 - the client raises its own, the system's and those of TLS
        await _nats_closed(client)
        why = str(problems[0] if problems else error)
        if "authorization" in why.lower():
            address.fail_to_log_in(why)
        address.fail_to_connect(why)
    try:
        subscription = await client.subscribe(address.place)
        await client.flush()
    except Exception as error:  # noqa: BLE001 - so here
        await _nats_closed(client)
        address.fail(f"this is no subject, or may not be read: {problems[0] if problems else error}")
    return client, subscription, problems


async def _nats_closed(client: Any) -> None:
    """Close a client; after a failed handshake it would wait for ever."""
    with suppress(TimeoutError):
        await asyncio.wait_for(client.close(), 1)


def _nats_client(*, tls: bool) -> Any:
    """Return a client, which with TLS never goes on without; it would, where the server doesn't ask for it."""
    base = import_module("nats.aio.client").Client

    class TlsClient(base):  # type: ignore[misc,valid-type]
        async def _process_info(self, info: Mapping[str, Any], **options: Any) -> None:
            if not info.get("tls_required"):
                message = "it does not speak TLS"
                raise ConnectionError(message)
            await super()._process_info(info, **options)

    return TlsClient() if tls else base()


def nats_wire(message: Any) -> Wire:
    """Return a message of nats-py in the JSON shape."""
    reply = {"reply-to": message.reply} if message.reply else {}
    headers = [{"name": name, "value": value} for name, value in (message.headers or {}).items()]
    return {
        "protocol": "NATS",
        "subject": message.subject,
        **reply,
        "headers": headers,
        **body_json(message.data or None),
    }
