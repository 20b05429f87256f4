"""The examples on a message's page are real messages, and the lines beside them do what they say."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import threading
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nats
import pytest

from tests.brokers.servers import mosquitto
from tests.brokers.servers import nats as nats_server
from tests.cache import CACHE
from tests.catalog.folders import registry_of
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS
from xregit import Matcher
from xregit.catalog import Message, Registry, read_folder
from xregit.cli.runner import run
from xregit.messages.definition import to_definition
from xregit.messages.example import example_context
from xregit.pages import commands
from xregit.pages.attributes import HIDDEN
from xregit.pages.context import SiteContext
from xregit.pages.examples import Example, examples, placeholder_rows, wire_examples
from xregit.pages.links import Link
from xregit.pages.message_page import message_page
from xregit.pages.page import ROOT
from xregit.protocols import Wire, read_wire

if TYPE_CHECKING:
    from nats.aio.msg import Msg

# Where .ci/programs builds the client of NATS.
NATS = str(CACHE / "nats")
MARKED = re.compile('<var class="xr-var">(.*?)</var>')
PLACE = "/messagegroups/doors.mqtt/messages/doors.opened"
MQTT5 = read_wire(
    {
        "protocol": "MQTT/5.0",
        "topic_name": "doors/1",
        "qos": 1,
        "content_type": "text/plain",
        "user_properties": [{"name": "who", "value": 'it\'s "me" & $HOME'}],
        "body": "Grüße, 'du'\n",
    }
)
HTTP = read_wire(
    {
        "protocol": "HTTP",
        "method": "PUT",
        "path": "/panels/1",
        "query": [{"name": "a b", "value": "c&d"}],
        "headers": [{"name": "x-who", "value": 'it\'s "me" & $HOME'}],
        "body_base64": "AAEC/w==",
    }
)
PRINTED, PUB = "printf %s x > payload\n", "mosquitto_pub -V"
KAFKA = read_wire({"protocol": "KAFKA", "topic": "doors", "key": "1", "headers": {"who": "me"}, "body": "opened"})


def sending(wire: Wire, addresses: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return the lines that send a message."""
    return commands.send_command(wire, wire.as_json(), addresses, options)


@pytest.fixture(scope="module")
def catalog(root: Path) -> Registry:
    """Return the example catalog."""
    return read_folder(root / "registry")


def test_examples_are_of_their_definitions(catalog: Registry) -> None:
    """Every message of the example catalog has examples, and each is recognised as a message of that definition."""
    book, matcher = SiteContext(catalog), Matcher(catalog)
    for message in catalog.messages:
        values = example_context(to_definition(message), book.message_schema(message).example)
        results = list(wire_examples(book, message, values))
        assert [each.reason for each in results if each.wire is None] == [], message.xid
        meant = message.alias_of or message.xid
        for each in results:
            assert each.wire is not None
            assert meant in {found.xid for found in matcher.match(each.wire).matches}, (message.xid, each.mode)


def test_message_without_protocol_begins_with_its_payload(tmp_path: Path) -> None:
    """Where nothing says how a message travels, its first screen has an example of the payload, once."""
    schema = "dataschema: {type: object, properties: {door: {type: string, examples: [north]}}}"
    files = {"messagegroups/g/messages/a.yaml": f"description: x\ndataschemaformat: JsonSchema/draft-07\n{schema}"}
    registry = registry_of(tmp_path, files)
    html = message_page(SiteContext(registry), registry.messages[0]).html
    assert html.count('id="example"') == 1
    assert html.index('id="example"') < html.index('id="properties"')
    assert "north" in html


def test_example_marks_the_values_of_placeholders(small: Registry) -> None:
    """What stands for a placeholder is marked in the example, and explained with the name of the placeholder."""
    message: Message = small[PLACE]
    (example,) = _examples(small, message)
    assert set(MARKED.findall(example.text)) == {"building-1", "door-1", "south"}
    assert "topic_name: buildings/building-1/doors/door-1" in _text(example)
    rows = {
        each.name: each
        for each in placeholder_rows(SiteContext(small), message, example_context(to_definition(message)))
    }
    assert rows["door"].users == ("subject", "topic_name")
    assert rows["door"].description == "The door that was opened."


def test_properties_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """A placeholder that stands in two subjects says in which."""
    value = "{value: '{door}', type: uritemplate}"
    event = f"envelope: CloudEvents/1.0\nenvelopemetadata: {{subject: {value}}}\n"
    bound = f"protocol: AMQP/1.0\nprotocoloptions: {{properties: {{subject: {value}, to: {value}}}}}\n"
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": event + bound})
    message = registry["/messagegroups/g/messages/a"]
    assert isinstance(message, Message)
    (meaning,) = placeholder_rows(SiteContext(registry), message, example_context(to_definition(message)))
    assert meaning.users == ("envelopemetadata.subject", "protocoloptions.properties.subject", "to")


def test_same_example_each_time(small: Registry) -> None:
    """The examples do not depend on the clock."""
    message: Message = small[PLACE]
    assert _examples(small, message) == _examples(small, message)


def test_message_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    """A definition that asks for what cannot be has no example but the reason."""
    time = "{type: uritemplate, value: '{moment}T00:00:00Z'}"
    text = f"envelope: CloudEvents/1.0\nenvelopemetadata: {{type: {{value: a}}, time: {time}}}\n"
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": text})
    (example,) = _examples(registry, registry["/messagegroups/g/messages/a"])
    assert "must be a time" in example.reason
    assert (example.text, example.create_command, example.send_command) == ("", "", "")


def test_values_fit_the_types_of_what_they_stand_in(tmp_path: Path) -> None:
    """A placeholder that is all of a number or a time gets a number or a time, and an open property a value."""
    text = """
        envelope: CloudEvents/1.0
        envelopemetadata:
          time: {type: string, value: "{at}"}
          level: {type: uritemplate, value: "{level}"}
          count: {type: integer, value: "{count}", required: true}
          size: {type: integer, required: true}
        protocol: KAFKA
        protocoloptions:
          headers:
            - {name: shift, value: "{shift}"}
        """
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": text})
    result = _examples(registry, registry["/messagegroups/g/messages/a"])
    assert [each.reason for each in result] == ["", ""]
    shown = _text(result[0])
    assert all(line in shown for line in ("ce_count: 1", "ce_size: 1", "ce_level: level-1", "ce_type: example.type"))
    assert "shift: shift-1" in shown


@pytest.mark.parametrize("name", ["fleet.charging", "luggage.iata", "luggage.handling.airlines", "shops.sales.kafka"])
def test_line_of_xregit_makes_the_message(
    catalog: Registry, root: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The copied lines of `xregit new` give the example, but for its time and its id."""
    message = next(each for each in catalog.messages if each.group.id == name)
    example = _examples(catalog, message)[0]
    *before, line = example.create_command.splitlines()
    subprocess.run(["bash", "-ec", "\n".join(before)], cwd=tmp_path, check=True)
    words = shlex.split(line.replace("payload.json", str(tmp_path / "payload.json")))
    assert words[:2] == ["xregit", "new"]
    assert run(["--registry", str(root / "registry"), *words[1:]]) == 0
    assert Matcher(catalog).match(json.loads(capsys.readouterr().out)).outcome != "none"


class _Keeping(BaseHTTPRequestHandler):
    """Keeps the request that it gets."""

    def do_PUT(self) -> None:
        """Keep it and say that nothing is to be said."""
        length = int(self.headers["content-length"])
        self.server.kept = (self.path, self.headers["x-who"], self.rfile.read(length))  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        """Log nothing."""


@contextmanager
def _keeping() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Keeping) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.client
def test_line_of_curl_sends_the_message(tmp_path: Path) -> None:
    """The copied lines of curl send path, query, headers and bytes as they are in the message."""
    with _keeping() as server:
        lines = sending(HTTP, [f"http://127.0.0.1:{server.server_port}"], {})
        _run(lines, tmp_path, "curl")
        assert server.kept == (  # type: ignore[attr-defined]
            "/panels/1?a%20b=c%26d",
            'it\'s "me" & $HOME',
            b"\x00\x01\x02\xff",
        )


@pytest.mark.client
def test_line_of_mosquitto_sends_the_message(tmp_path: Path) -> None:
    """The copied lines of mosquitto_pub send topic, properties and payload as they are in the message."""
    if shutil.which("mosquitto_sub") is None:
        pytest.skip("the clients of Mosquitto are not here; .ci/debian installs them")
    with mosquitto(tmp_path) as port:
        heard = [
            "mosquitto_sub",
            "-V",
            "mqttv5",
            "-h",
            HOST,
            "-p",
            str(port),
            "-t",
            "doors/#",
            "-C",
            "1",
            "-W",
            str(PATIENCE_SECONDS),
        ]
        with subprocess.Popen([*heard, "-F", "%t|%C|%P|%p"], stdout=subprocess.PIPE, text=True) as listening:
            while True:  # until the subscriber is there, nobody hears; it leaves when its patience ends
                _run(sending(MQTT5, [f"mqtt://{HOST}:{port}"], {}), tmp_path, "mosquitto_pub")
                try:
                    said, _ = listening.communicate(timeout=0.5)
                    break
                except subprocess.TimeoutExpired:
                    continue
    assert said == "doors/1|text/plain|who:it's \"me\" & $HOME|Grüße, 'du'\n\n"


@pytest.mark.client
def test_line_of_kcat_sends_the_message(tmp_path: Path) -> None:
    """The copied lines of kcat are accepted by kcat, here with the cluster that its library plays itself."""
    lines = sending(KAFKA, ["127.0.0.1:9092"], {})
    assert "-b 127.0.0.1:9092 -t doors -k 1 -H who=me payload" in lines
    _run(lines.replace("kcat -P", "kcat -P -X test.mock.num.brokers=1"), tmp_path, "kcat")


@pytest.mark.client
@pytest.mark.parametrize("body", ["AAEC/w==", "", None], ids=["bytes", "empty", "none"])
def test_line_of_nats_sends_the_message(tmp_path: Path, body: str | None) -> None:
    """The copied lines of nats send subject, reply subject, headers and bytes as they are in the message."""
    if shutil.which("nats", path=NATS) is None:
        pytest.skip("the client of NATS is not here; .ci/programs installs it")
    headers = [{"name": "who", "value": 'it\'s "me" & $HOME'}]
    wire = {"protocol": "NATS", "subject": "doors.1", "reply-to": "doors.answers", "headers": headers}
    wire |= {"body_base64": body} if body is not None else {}

    async def heard(address: str) -> Msg:
        client = await nats.connect(address)
        subscription = await client.subscribe("doors.*")
        await client.flush()
        await asyncio.to_thread(_run, sending(read_wire(wire), [address], {}), tmp_path, "nats", NATS)
        result = await subscription.next_msg(timeout=PATIENCE_SECONDS)
        await client.close()
        return result

    with nats_server(tmp_path) as port:
        result = asyncio.run(heard(f"nats://{HOST}:{port}"))
    assert (result.subject, result.reply, result.headers) == ("doors.1", "doors.answers", {"who": 'it\'s "me" & $HOME'})
    assert result.data == b64decode(body or "")


def _run(lines: str, folder: Path, program: str, where: str = "") -> None:
    path = os.pathsep.join(filter(None, (where, os.environ["PATH"])))
    if shutil.which(program, path=path) is None:
        pytest.skip(f"{program} is not here; .ci/debian installs it")
    assert lines.splitlines()[-1].startswith(program)
    env = {**os.environ, "PATH": path}
    subprocess.run(
        ["bash", "-ec", lines], cwd=folder, check=True, timeout=PATIENCE_SECONDS, capture_output=True, env=env
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            {"protocol": "NATS", "subject": "a.b", "body": "x"},
            "printf %s x > payload\nnats pub --server n://h:4222 a.b --force-stdin < payload",
        ),
        ({"protocol": "NATS", "subject": "a.b"}, "nats pub --server n://h:4222 a.b ''"),
        (
            {"protocol": "MQTT/3.1.1", "topic_name": "a", "retain": True},
            "mosquitto_pub -V mqttv311 -h h -p 4222 -t a -r -n",
        ),
        ({"protocol": "NATS", "subject": "a.b", "body": "{{ID}}"}, ""),
        ({"protocol": "HTTP", "status": 204}, ""),
        ({"protocol": "KAFKA", "body": "x"}, ""),
        ({"protocol": "KAFKA", "topic": "t", "body": "x" * 3000}, ""),
        ({"protocol": "AMQP/1.0", "body": "x"}, ""),
    ],
)
def test_line_says_all_or_there_is_none(said: dict[str, object], expected: str) -> None:
    """A line that could not say all of a message, such as a response or a long payload, is not offered."""
    wire: Wire = read_wire(said)
    assert sending(wire, ["n://h:4222"], {}) == expected


def test_address_with_placeholders_is_not_taken() -> None:
    """Where an endpoint's address has placeholders, or is none, the line goes to this machine."""
    lines = sending(KAFKA, ["kafka://{region}.example.com:9092", "http://[", ""], {})
    assert "-b localhost:9092" in lines


@pytest.mark.parametrize("scheme", ["SSL", "SASL_SSL", "sasl_plaintext"])
def test_protection_that_the_address_names_is_asked_for(scheme: str) -> None:
    """A line for an encrypted listener of Kafka says so, also where its scheme is none that the RFC allows."""
    lines = sending(KAFKA, [f"{scheme}://k.example.com:9093", "other:9092"], {})
    assert lines.splitlines()[-1].startswith(f"kcat -P -b k.example.com:9093 -X security.protocol={scheme.lower()} ")


def test_every_request_has_what_the_endpoint_states() -> None:
    """Headers and parameters of the endpoint stand before the message's own, which count more; no secret does."""
    headers = [
        {"name": "Accept", "value": "a/b"},
        {"name": "X-Who", "value": "them"},
        {"name": "Key", "value": HIDDEN},
        3,
    ]
    lines = sending(HTTP, ["https://h"], {"method": "POST", "headers": headers, "query": {"v": "2", "n": 1}})
    line = lines.splitlines()[-1]
    assert line.startswith("curl -X PUT -H 'Accept: a/b' -H 'x-who: it")
    assert "https://h/panels/1?v=2&a%20b=c%26d" in line
    assert "them" not in line
    assert "Key" not in line


@pytest.mark.parametrize(
    ("said", "options", "words"),
    [
        pytest.param({}, {"qos": 1}, "-t a -q 1 -n", marks=pytest.mark.requirement("EP-55")),
        pytest.param({"qos": 0}, {"qos": 1}, "-t a -q 0 -n", marks=pytest.mark.requirement("EP-55")),
        pytest.param({}, {"retain": True}, "-t a -r -n", marks=pytest.mark.requirement("EP-56")),
        pytest.param({"retain": False}, {"retain": True}, "-t a -n", marks=pytest.mark.requirement("EP-56")),
    ],
)
def test_what_the_message_leaves_open_is_as_the_endpoint_says(
    said: dict[str, object], options: dict[str, object], words: str
) -> None:
    """A message's own quality of service counts before that of the endpoint, and so does whether it is retained."""
    wire = read_wire({"protocol": "MQTT/3.1.1", "topic_name": "a", **said})
    assert sending(wire, ["mqtt://h:1883"], options).endswith(f"-h h -p 1883 {words}")


@pytest.mark.requirement("EP-62", "EP-64", "EP-65")
def test_records_have_the_topic_key_and_partition_of_the_endpoint() -> None:
    """What is still open, such as a key with a placeholder, is not sent as it stands."""
    wire = read_wire({"protocol": "KAFKA", "body": "x"})
    line = sending(wire, ["h:9092"], {"topic": "t", "key": "k", "partition": 3}).splitlines()[-1]
    assert line == "kcat -P -b h:9092 -t t -k k -p 3 payload"
    assert " -k " not in sending(wire, ["h:9092"], {"topic": "t", "key": "{vin}"})
    assert not sending(wire, ["h:9092"], {"topic": "{region}"})


def test_line_goes_where_clients_send(tmp_path: Path) -> None:
    """Where an endpoint delivers to its subscribers, nothing is sent to it; a broker is the same for all."""
    endpoint = """
        usage: [{}]
        protocol: {}
        messagegroups: [/messagegroups/{}]
        protocoloptions:
          endpoints: [{{uri: "{}"}}]
          headers: [{{name: Place, value: "{{door}}"}}]
          authorization: [{{type: OAuth2}}, {{type: Plain}}]
        """
    bound = "protocol: {}\nprotocoloptions: {{{}}}\n"
    registry = registry_of(
        tmp_path,
        {
            "endpoints/a/endpoint.yaml": endpoint.format("subscriber", "HTTP", "h", "https://a"),
            "endpoints/b/endpoint.yaml": endpoint.format("subscriber", "NATS", "n", "nats://b"),
            "endpoints/c/endpoint.yaml": endpoint.format("producer", "HTTP", "i", "https://c"),
            "endpoints/d/endpoint.yaml": endpoint.format("subscriber", "NATS", "o", "nats://d"),
            "endpoints/e/endpoint.yaml": endpoint.format("producer", "NATS", "o", "nats://e"),
            "messagegroups/h/messages/m.yaml": bound.format("HTTP", "path: /x"),
            "messagegroups/i/messages/m.yaml": bound.format("HTTP", "path: '/{door}'"),
            "messagegroups/n/messages/m.yaml": bound.format("NATS", "subject: x"),
            "messagegroups/o/messages/m.yaml": bound.format("NATS", "subject: x"),
        },
    )
    result = {each.group.id: _examples(registry, each)[0] for each in registry.messages}
    assert result["h"].send_command == "curl -X POST http://localhost:8080/x"
    assert result["h"].authorization is None
    assert result["i"].send_command == "curl -X POST -H 'Place: door-1' https://c/door-1"
    assert result["i"].authorization == Link(
        "c", f"{ROOT}endpoints/c/#authorization", "an OAuth 2 token or a user name and password"
    )
    assert "--server nats://b" in result["n"].send_command
    assert "--server nats://e" in result["o"].send_command


def test_topic_of_the_endpoint_is_used() -> None:
    """What a message leaves open, its endpoint may say."""
    wire = read_wire({"protocol": "KAFKA", "body": "x"})
    assert "-t sales " in sending(wire, [], {"topic": "sales", "acks": "1"})


def _examples(registry: Registry, message: Message) -> tuple[Example, ...]:
    site, values = SiteContext(registry), example_context(to_definition(message))
    return examples(site, message, values, wire_examples(site, message, values))


def _text(example: Example) -> str:
    return unescape(MARKED.sub(r"\1", str(example.text)))


def _titles(found: tuple[Example, ...]) -> list[str]:
    return [each.title for each in found]


def test_event_without_protocol_has_a_tab_for_each_way(catalog: Registry) -> None:
    """A message that is bound to no protocol shows the event itself, and each way in which its endpoints carry it."""
    message = catalog["/messagegroups/luggage.arrivals/messages/luggage.bag.delayed"]
    assert _titles(_examples(catalog, message)) == ["CloudEvent", "HTTP, binary", "HTTP, structured"]
