"""The commands new and match: what they print, what they say where something is wrong, and their exit codes."""

from __future__ import annotations

import io
import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from xregit.cli.runner import run

QUERIED = "/messagegroups/fleet.updates/messages/fleet.update.queried"
TRIP = "/messagegroups/fleet.trips/messages/fleet.trip.started"
GOOD = ("--set", "vin=W1", "--set", "unit=brakes", "--set", "installed=1.2")


@pytest.fixture
def catalog(root: Path) -> Callable[..., int]:
    """Return a function that runs a command on the example catalog."""
    return lambda *arguments: run(["--registry", str(root / "registry"), *map(str, arguments)])


def lines(text: str) -> list[Any]:
    """Return the JSON values of lines."""
    return [json.loads(line) for line in text.splitlines()]


def test_new_example_needs_no_values(catalog: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """With --example nothing else has to be given, and what is given counts."""
    assert catalog("new", TRIP, "--example", "--set", "vin=WDB1") == 0
    assert "WDB1" in json.dumps(lines(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("arguments", "way"),
    [
        (("new", TRIP, "--data", '{"a":1}'), "echo TEXT | xregit new … --data -"),
        (("match", "message.json"), "echo TEXT | xregit match -"),
    ],
    ids=["new", "match"],
)
def test_text_where_a_file_is_due_is_told_how_to_come_in(
    catalog: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], way: str
) -> None:
    """No file is called like a payload or a message."""
    assert catalog(*arguments) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said.endswith(f"No such file or directory; name a file, or - for standard input, as in: {way}")


def test_new_prints_a_message_that_match_reads(
    catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What new prints is one line, and match recognises it."""
    assert catalog("new", QUERIED, *GOOD) == 0
    output = capsys.readouterr().out
    assert lines(output)[0]["path"] == "/vehicles/W1/updates"
    file = tmp_path / "messages.jsonl"
    file.write_text(output, encoding="utf-8-sig")  # as some shells write it
    assert catalog("match", file) == 0
    assert lines(capsys.readouterr().out) == [
        {
            "outcome": "one",
            "matches": [{"xid": QUERIED, "context": {"vin": "W1", "unit": "brakes", "installed": "1.2"}}],
            "event": None,
            "mapped": False,
            "reasons": [],
        }
    ]


def test_new_encodes_json_where_the_schema_has_another_language(
    catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of JSON is a value for a schema that isn't, and the payload itself for one that is."""
    bad = tmp_path / "bad.json"
    bad.write_text("{", encoding="utf-8")
    assert catalog("new", TRIP, "--set", "vin=W1", "--set", "tripid=T1", "--data", bad) == 2
    assert f'"{bad}" is not JSON' in capsys.readouterr().err
    empty = tmp_path / "empty.json"
    empty.write_text("{}", encoding="utf-8")
    assert catalog("new", TRIP, "--set", "vin=W1", "--set", "tripid=T1", "--data", empty) == 1
    assert "the payload does not fit its schema" in capsys.readouterr().err
    model = tmp_path / "terminal.json"
    model.write_text('{ "model": "m1", "firmware": "f2" }', encoding="utf-8")
    terminal = "/endpoints/shops.payments/messages/shops.terminal.registered"
    assert catalog("new", terminal, "--set=storeid=1", "--set=deskid=2", "--set=serial=3", "--data", model) == 0
    assert lines(capsys.readouterr().out)[0]["body"] == '{ "model": "m1", "firmware": "f2" }'


def test_new_takes_bytes_as_they_are(
    catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that isn't called .json is the payload itself, whatever the schema's language."""
    value = {"tripid": str(UUID(int=1)), "vin": "W1", "driver": "D1", "start": {"latitude": 50.1, "longitude": 8.7}}
    file, packed = tmp_path / "trip.json", tmp_path / "trip.avro"
    file.write_text(json.dumps({**value, "startedat": "2026-05-22T10:30:00Z"}), encoding="utf-8")
    results = []
    for data in (file, packed):
        assert catalog("new", TRIP, "--set", "vin=W1", "--set", "tripid=T1", "--data", data) == 0
        results.append(lines(capsys.readouterr().out)[0]["data_base64"])
        packed.write_bytes(b64decode(results[0]))
    assert results[0] == results[1]


def test_new_says_all_that_is_missing(catalog: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """One error names everything, and nothing is printed as a result."""
    assert catalog("new", QUERIED, "--set", "vin=", "--set", "uint=brakes") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f'xregit: error: no message was made from "{QUERIED}": the placeholder "vin" is empty (protocoloptions/path); '
        'the placeholder "unit" has no value (protocoloptions/query/unit); '
        'the placeholder "installed" has no value (protocoloptions/query/installed); '
        'it has no placeholder or property "uint". Did you mean "unit"?\n'
    )


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("--data", "FILE"), "; values are given by --set NAME=VALUE\n"),
        (("--set", "vin=W1", "--set", "tripid=T1"), "; the payload is given by --data FILE\n"),
        (("--set", "vin=W1", "--set", "tripid=T1", "--data", "FILE"), "\n"),
        ((), "; values are given by --set NAME=VALUE; the payload is given by --data FILE\n"),
    ],
    ids=["values", "payload", "neither", "both"],
)
def test_new_says_how_to_give_what_is_missing(
    arguments: tuple[str, ...],
    advice: str,
    catalog: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An option that was used, or that would not help, is not named."""
    file = tmp_path / "trip.avro"
    file.write_bytes(b"\0")
    assert catalog("new", TRIP, *(file if item == "FILE" else item for item in arguments)) == 1
    output = capsys.readouterr().err
    assert output.endswith(advice)
    assert output.count(" given by ") == advice.count(" given by ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((QUERIED, "--set", "vin"), '--set needs a name and a value, such as --set vin=WDB1, but got "vin"'),
        ((QUERIED, "--set", "vin=1", "--set", "vin=2"), '--set gives "vin" twice'),
        (("/messagegroups/fleet.updates/messages/fleet.update.query",), "did you mean"),
    ],
)
def test_new_used_wrongly(
    arguments: tuple[str, ...], said: str, catalog: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage is said in a line."""
    assert catalog("new", *arguments) == 2
    assert said in capsys.readouterr().err


def test_match_answers_every_line(
    catalog: Callable[..., int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bad line has a result and a note with its number; the others are answered all the same."""
    event = {"specversion": "1.0", "id": "1", "type": "x", "source": "/s"}
    batch = {
        "protocol": "HTTP",
        "headers": [{"name": "content-type", "value": "application/cloudevents-batch+json"}],
        "body": [event, event],
    }
    text = "\n".join(["{", "", json.dumps(event), json.dumps(batch), '"x"'])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert catalog("match", "--explain") == 1
    captured = capsys.readouterr()
    result = lines(captured.out)
    assert [item["outcome"] for item in result] == ["none"] * 5
    assert [item["event"] for item in result] == [None, event, event, event, None]
    assert [line.split(" ")[0] for line in captured.err.splitlines()] == ["<stdin>:1:", "<stdin>:5:"]
    assert "The message is not JSON" in result[0]["reasons"][0]["failed"][0]["found"]


def test_match_within_a_scope(catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only what the endpoint carries, or the group holds, is recognised; another scope is an error."""
    assert catalog("new", QUERIED, *GOOD) == 0
    file = tmp_path / "messages.jsonl"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    assert catalog("match", file, "--endpoint", "/endpoints/fleet.updates") == 0
    assert catalog("match", file, "--group", "/messagegroups/fleet.trips") == 0
    assert [item["outcome"] for item in lines(capsys.readouterr().out)] == ["one", "none"]
    assert catalog("match", file, "--group", "/messagegroups/fleet.trip") == 2
    assert 'Did you mean "/messagegroups/fleet.trips"?' in capsys.readouterr().err


def test_name_that_stands_twice_is_told(
    catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last value counts, and nobody has to guess that."""
    data = '{"x\\u202e": 1, "x\\u202e": 2}'
    line = f'{{"specversion": "1.0", "id": "1", "source": "/a", "type": "a", "type": "b", "data": {data}}}'
    (tmp_path / "in.jsonl").write_text(line, encoding="utf-8")
    assert catalog("match", tmp_path / "in.jsonl") == 0
    output = capsys.readouterr().err
    assert 'in.jsonl:1: "type" occurs more than once in one object; the last one counts.\n' in output
    assert '"x\\u202e" occurs more than once' in output


def test_number_beyond_64_bits_is_printed_as_it_came(
    catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No number in a payload is too long for an answer."""
    line = '{"specversion": "1.0", "id": "1", "source": "/a", "type": "a", "data": [4444444444444444444444]}'
    (tmp_path / "in.jsonl").write_text(line, encoding="utf-8")
    assert catalog("match", tmp_path / "in.jsonl") == 0
    assert lines(capsys.readouterr().out)[0]["event"]["data"] == [4444444444444444444444]


@pytest.fixture
def answer(catalog: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Return a function that gives the one answer of match."""

    def match(*arguments: str | Path) -> dict[str, Any]:
        assert catalog("match", *arguments) == 0
        (result,) = lines(capsys.readouterr().out)
        return dict(result)

    return match


READ = "/messagegroups/luggage.scanners/messages/luggage.scanner.read"
TOPIC = "airports/NGA/belts/B1/scanners/S1/reads"
PAYLOAD = {"ts": 1774944900000, "tags": ["0220123456"], "heads": [1, 2]}
SUBSCRIBED = {"tst": "2026-11-23T16:00:00.000000Z+0000", "topic": TOPIC, "qos": 1, "retain": 0, "payloadlen": 60}
CONSUMED = {"topic": "t", "partition": 0, "offset": 7, "tstype": "create", "ts": 1774944900000, "broker": 1, "key": "k"}
TRACKED = {"specversion": "1.0", "id": "1", "type": "luggage.bag.loaded", "source": "/x"}


@pytest.mark.parametrize(
    ("text", "context"),
    [
        (json.dumps({**SUBSCRIBED, "payload": PAYLOAD}), {"airport": "NGA", "belt": "B1", "scanner": "S1"}),
        (json.dumps({**SUBSCRIBED, "payload": json.dumps(PAYLOAD)}), {"airport": "NGA", "belt": "B1", "scanner": "S1"}),
        (json.dumps([{**SUBSCRIBED, "payload": PAYLOAD}]), {"airport": "NGA", "belt": "B1", "scanner": "S1"}),
        (
            json.dumps({"protocol": "MQTT/3.1.1", "topic_name": TOPIC, "body": PAYLOAD}, indent=2),
            {"airport": "NGA", "belt": "B1", "scanner": "S1"},
        ),
        (TOPIC, {"airport": "NGA", "belt": "B1", "scanner": "S1"}),
    ],
    ids=["mosquitto_sub -F %J", "mosquitto_sub -F %j", "list", "several lines", "topic"],
)
def test_messages_as_people_have_them(
    text: str, context: dict[str, str], answer: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """What clients print, JSON over several lines and a bare topic lead to the definition, as a file or an argument."""
    file = tmp_path / "received"
    file.write_text(f"\n{text}\n", encoding="utf-8")
    result = answer(file)
    assert result["matches"] == [{"xid": READ, "context": context}]
    assert answer(text) == result
    assert result.get("guess", "") == ("name" if text == TOPIC else "")


def test_record_of_kcat(answer: Callable[..., dict[str, Any]], catalog: Callable[..., int], capsys: Any) -> None:
    """Its headers stand in a list, each name before its value."""
    xid = "/messagegroups/luggage.handling.kafka/messages/luggage.bag.loaded"
    assert catalog("new", xid, "--example") == 0
    wire = lines(capsys.readouterr().out)[0]
    headers = [text for name, value in wire["headers"].items() for text in (name, value)]
    record = {**CONSUMED, "topic": wire["topic"], "key": wire.get("key"), "headers": headers}
    assert [item["xid"] for item in answer(json.dumps({**record, "payload": json.dumps(wire["body"])}))["matches"]] == [
        xid
    ]
    assert answer(json.dumps({**record, "payload": None}))["outcome"] == "tombstone"


def test_payload_by_itself_is_held_against_schemas(answer: Callable[..., dict[str, Any]]) -> None:
    """The definitions count that know its members; where none accepts it, those that know most of them are told."""
    result = answer(json.dumps(PAYLOAD))
    assert (result["guess"], result["outcome"]) == ("payload", "many")
    assert READ in {item["xid"] for item in result["matches"]}
    wrong = answer(json.dumps({**PAYLOAD, "ts": "noon"}))
    assert wrong["outcome"] == "none"
    assert READ in {item["xid"] for item in wrong["reasons"]}
    assert answer('{"nobody": "knows me"}')["reasons"] == []
    assert answer("{}")["matches"] == []


def test_similar_name_is_told(answer: Callable[..., dict[str, Any]]) -> None:
    """A type with a letter wrong leads to the definitions of the right one, wherever the letter is."""
    for name in ("luggage.bag.loded", "uggage.bag.loaded"):
        result = answer(name)
        assert {item["failed"][0]["expected"] for item in result["reasons"]} == {"luggage.bag.loaded"}
    assert [item["xid"] for item in answer("luggage.scanner.read")["matches"]] == [READ]
    assert answer("luggage.scanner.raed")["reasons"][0]["failed"][0]["attribute"] == "messageid"
    assert answer("nothing.like.it")["reasons"][0]["xid"] == ""


def test_payload_that_breaks_its_schema_is_told(answer: Callable[..., dict[str, Any]]) -> None:
    """A message that a definition selects, with such a payload, fits none: `new` refuses it and `route` too."""
    message = {"protocol": "MQTT/3.1.1", "topic_name": TOPIC, "body": {**PAYLOAD, "ts": "noon", "tags": 5}}
    result = answer(json.dumps(message))
    assert result["outcome"] == "none"
    assert [item["xid"] for item in result["reasons"]] == [READ]
    assert len(result["reasons"][0]["failed"]) == 2


def test_answers_for_people(catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They have the name, the xid and the file of a definition, and what keeps a message from it."""
    good = {"protocol": "MQTT/3.1.1", "topic_name": TOPIC, "body": PAYLOAD}
    file = tmp_path / "in.jsonl"
    bad = {**good, "body": {**PAYLOAD, "ts": "noon"}}
    event = {**TRACKED, "type": "luggage.bag.loade"}
    texts = [json.dumps(each) for each in (good, bad, event, {"specversion": "1.0"}, {"protocol": 1})]
    file.write_text("\n".join(texts), encoding="utf-8")
    assert catalog("match", file, "--format", "text") == 1
    output = capsys.readouterr().out.replace(f"{file}", "in")
    path = "registry/messagegroups/luggage.scanners/messages/luggage.scanner.read.yaml"
    definition = f"Tag read\n    {READ}\n    {path}\n"
    assert output.startswith(f"in:1: fits one definition\n  {definition}    airport = NGA\n")
    assert f"in:2: fits no definition, because of its payload\n  near: {definition}    payload: /ts: " in output
    assert "in:3: fits no definition\n  near: Bag loaded" in output
    assert 'type: expected luggage.bag.loaded, found "luggage.bag.loade"' in output
    assert 'in:5: can\'t be read as a message\n  "protocol" must be' in output
    assert "in:4: fits no definition\n    The attribute " in output


def test_value_that_never_ends_is_told_once(
    catalog: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands before and behind it is answered."""
    file = tmp_path / "in.json"
    event = json.dumps(TRACKED)
    file.write_text(f'{event}\n{{\n"a": 1,\n{event}\n{json.dumps(TRACKED, indent=1)}\n[\n1,\n', encoding="utf-8")
    assert catalog("match", file) == 1
    captured = capsys.readouterr()
    assert [item["event"] for item in lines(captured.out)] == [TRACKED, None, TRACKED, TRACKED, None]
    assert [line.split(" ")[0] for line in captured.err.splitlines()] == [f"{file}:2:", f"{file}:11:"]
