"""Learning: what is made of messages, and what must never be."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner
from deltalake import write_deltalake
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import xregit
from tests.sizes import some
from xregit.cli.commands import xregit as command
from xregit.document.learner import is_samples
from xregit.document.learner.kinds import is_term, is_word
from xregit.document.learner.shapes import Shape

MESSAGES = "messagegroups/learnt/messages"
SCHEMAS = "schemagroups/learnt/schemas"
STATE = "imports/learnt.json"


def _event(type_: str, number: int = 1, **members: Any) -> dict[str, Any]:
    return {"specversion": "1.0", "id": str(number), "source": "https://a.example.com/s", "type": type_, **members}


def _mqtt(topic: str, body: Any = None) -> dict[str, Any]:
    return {"protocol": "MQTT/5.0", "topic_name": topic, "body": {"a": 1} if body is None else body}


def _write(path: Path, messages: list[Any]) -> Path:
    path.write_text("".join(f"{item if isinstance(item, str) else json.dumps(item)}\n" for item in messages))
    return path


def _message(folder: Path, id_: str) -> Any:
    return yaml.safe_load((folder / MESSAGES / f"{id_}.yaml").read_text())


def _schema(folder: Path, id_: str) -> Any:
    return json.loads((folder / SCHEMAS / id_ / "versions" / "1.json").read_text())


def _ids(report: xregit.LearnReport) -> list[str]:
    return [item.xid.rpartition("/")[2] for item in report.definitions]


def _learn(folder: Path, messages: list[Any]) -> xregit.LearnReport:
    return xregit.learn(_write(folder / "samples.jsonl", messages), folder / "registry")


def test_event_type_becomes_message(tmp_path: Path) -> None:
    """Attributes that all events have are required, and a subject is named after the field that it repeats."""
    events = [
        _event(
            "a.order.placed",
            i,
            subject=f"orders/{i:04}",
            data={"no": f"{i:04}", "paid": i > 1} | ({"x": None} if i else {}),
        )
        for i in range(20)
    ]
    report = _learn(tmp_path, [*events, _event("a.user.joined", time="2026-01-01T00:00:00Z")])
    assert _ids(report) == ["a.order.placed", "a.user.joined"]
    assert [item.samples for item in report.definitions] == [20, 1]
    assert _message(tmp_path / "registry", "a.order.placed")["envelopemetadata"] == {
        "type": {"value": "a.order.placed"},
        "source": {"value": "https://a.example.com/s"},
        "subject": {"type": "uritemplate", "value": "orders/{no}", "required": True},
    }
    schema = _schema(tmp_path / "registry", "a.order.placed")
    assert schema["required"] == ["no", "paid"]
    assert schema["properties"] == {"no": {"type": "string"}, "paid": {"type": "boolean"}, "x": {"type": "null"}}
    assert 'field "x" is optional: it is in 19 of 20 samples' in [item.text for item in report.definitions[0].sure]
    first = report.definitions[0].sure[0]
    assert first == ('"source" is https://a.example.com/s in all samples', 20, 21 / 22)
    assert report.definitions[1].sure == ()
    metadata = _message(tmp_path / "registry", "a.user.joined")["envelopemetadata"]
    assert metadata == {
        "type": {"value": "a.user.joined"},
        "time": {"required": True},
    }


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        (["vehicles/W0000001/position"], ["vehicles/{vehicleid}/position"]),
        (["vehicles/ab/position", "vehicles/cd/position"], ["vehicles/{vehicleid}/position"]),
        (["lights/on", "lights/off"], ["lights/off", "lights/on"]),
        (["users/ann", "users/bob"], ["users/{userid}"]),
        ([f"house/{chr(97 + i)}" for i in range(26)], ["house/{houseid}"]),
        (["cities/a/depots/b/c"], ["cities/{cityid}/depots/{depotid}/c"]),
        (["a/b", "a/b/c", "/a/b"], ["/a/b", "a/b", "a/b/c"]),
        (["a/{x}"], ["a/{aid}"]),
        (["a//b", "a/7/b", "/a"], ["/a", "a//b", "a/{aid}/b"]),
        (["x7654321", "a/b"], ["{id}/b"]),
        (["$SYS/broker/uptime", "a"], ["$SYS/broker/uptime", "a"]),
        ([f"{chr(97 + i)}/x" for i in range(26)], [f"{chr(97 + i)}/x" for i in range(26)]),
        (["floor/3"], ["floor/{floorid}"]),
        (["belt/b1/x", "belt/b12/x"], ["belt/{beltid}/x"]),
        (["api/v1/x", "api/v2/x"], ["api/v1/x", "api/v2/x"]),
        (["/".join("a" * 5000)], ["/".join("a" * 5000)]),
    ],
)
def test_topics_become_templates(tmp_path: Path, topics: list[str], expected: list[str]) -> None:
    """Levels that vary are placeholders, and words stay."""
    report = _learn(tmp_path, [_mqtt(topic) for topic in topics])
    messages = [_message(tmp_path / "registry", id_) for id_ in _ids(report)]
    assert sorted(item["protocoloptions"]["topic_name"] for item in messages) == expected


def test_placeholder_and_key_are_named_after_fields(tmp_path: Path) -> None:
    """A field of the payload with the same value in all messages gives the name."""
    kafka = [{"protocol": "KAFKA", "topic": "trips", "key": vin, "body": {"vin": vin}} for vin in ("ab", "cd")]
    cars = [_mqtt(f"car/{vin}/at", {"vin": vin, "kind": "at"}) for vin in ("ab", "cd")]
    doors = [_mqtt(f"car/{vin}/door", {"open": True}) for vin in ("ab", "cd")]
    report = _learn(tmp_path, [*kafka, *cars, *doors])
    assert _message(tmp_path / "registry", "trips")["protocoloptions"] == {"topic": "trips", "key": "{vin}"}
    assert _message(tmp_path / "registry", "car.at")["protocoloptions"]["topic_name"] == "car/{vin}/at"
    assert _message(tmp_path / "registry", "car.door")["protocoloptions"]["topic_name"] == "car/{vin}/door"
    assert "{vin} has its name from a field of other payloads" in [item.text for item in report.definitions[1].unsure]


@pytest.mark.parametrize("field", ["username", "name", "nickname"])
def test_names_of_persons_are_no_names_of_messages(tmp_path: Path, field: str) -> None:
    """A level that repeats a field for a name is a placeholder; one that repeats a field for a kind is a word."""
    chats = [_mqtt(f"chat/{name}", {field: name}) for name in ("anna", "tom")]
    kinds = [_mqtt(f"log/{name}", {"eventname": name}) for name in ("opened", "closed")]
    report = _learn(tmp_path, [*chats, *kinds])
    assert _ids(report) == ["chat", "log.closed.closed", "log.opened.opened"]
    texts = [path.read_text() for path in (tmp_path / "registry").rglob("*") if path.is_file()]
    assert not [text for text in texts if "anna" in text]


def test_many_sources_are_open_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder may have more files than a process may open."""
    opened: list[int] = []
    original = Path.open

    def counted(path: Path, *args: Any, **options: Any) -> Any:
        file = original(path, *args, **options)
        if path.suffix == ".jsonl":
            opened.append(sum(not item.closed for item in files) + 1)
            files.append(file)
        return file

    files: list[Any] = []
    paths = [_write(tmp_path / f"{number}.jsonl", [_event("a.b", number)]) for number in range(5)]
    monkeypatch.setattr(Path, "open", counted)
    xregit.learn(paths, tmp_path / "registry")
    assert max(opened) == 1


@pytest.mark.parametrize("source", ["amqp://ann:pa/ss@a/b", "FTP://ann:pa@ss@a/b", "redis://:pass@a"])
def test_address_of_no_broker_is_refused(tmp_path: Path, source: str) -> None:
    """Its password is not shown."""
    for call in (xregit.learn, xregit.import_documents):
        with pytest.raises(xregit.XregitError, match=r'^"[a-zA-Z]+://a(/b)?" '):
            call(source, tmp_path / "registry")


def test_methods_and_paths_of_http_become_messages(tmp_path: Path) -> None:
    """The method tells messages of one path apart; headers that every client sends are not told."""
    headers = [{"name": "User-Agent", "value": "x"}, {"name": "x-shop", "value": "a"}]
    samples = [
        {
            "protocol": "HTTP",
            "method": method,
            "path": f"/shops/s{number:04}/orders",
            "headers": headers,
            "body": "{}",
        }
        for method in ("POST", "PUT")
        for number in range(10)
    ]
    report = _learn(tmp_path, [*samples, {"protocol": "HTTP", "status": 200, "body": "{}"}])
    assert _ids(report) == ["POST.shops.orders", "PUT.shops.orders"]
    assert report.left_out == {"they have no topic, subject or path": 1}
    assert _message(tmp_path / "registry", "PUT.shops.orders")["protocoloptions"] == {
        "method": "PUT",
        "path": "/shops/{shopid}/orders",
        "headers": [{"name": "x-shop", "required": True}],
    }
    assert _learn(tmp_path, samples).written.files == (STATE,)


def _kafka(body: Any, **members: Any) -> dict[str, Any]:
    return {"protocol": "KAFKA", "topic": "t", "body": body, **members}


_TOMBSTONE = {"protocol": "KAFKA", "topic": "t", "key": "k"}
PLACED, PAID = {"id": "x1", "total": 1, "shop": "a"}, {"id": "x1", "card": "b", "paidBy": "c"}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        # A field or header that names the kind tells by its name alone.
        ([_kafka({"eventType": kind, "n": 1}) for kind in ("Placed", "Paid")], ["t.Paid", "t.Placed"]),
        ([_kafka({"eventType": "OrderPlaced"})], ["OrderPlaced"]),
        ([_kafka({"n": 1}, headers={"type": kind}) for kind in ("a.b", "a.c")], ["a.b", "a.c"]),
        # Another one does where the fields differ.
        ([_kafka({"type": "car", "n": 1}), _kafka({"type": "bus", "n": 1})] * 9, ["t"]),
        ([_kafka({"type": "placed", **PLACED}), _kafka({"type": "paid", **PAID})] * 9, ["t.paid", "t.placed"]),
        ([_kafka({"type": "x7654321", **PLACED}), _kafka({"type": "paid", **PAID})] * 9, ["t"]),
        # Without any, kinds of payloads that share few fields are told by these.
        ([_kafka({"a": 1, "b": 1}), _kafka({"c": 1, "d": 1})] * 9, ["t.a", "t.c"]),
        ([_kafka({"a": 1, "b": 1}), _kafka({"a": 1, "d": 1})] * 9, ["t"]),
        ([_kafka({"a": 1, "b": 1}), _kafka({"c": 1, "d": 1}), _kafka({})] * 9, ["t"]),
        ([_kafka({"a": 1, "b": 1})] * 9 + [_kafka({"c": 1, "d": 1})], ["t"]),
        ([_kafka(1), _kafka([1]), _kafka("a")], ["t"]),
    ],
)
def test_kinds_of_one_topic_are_told_apart(tmp_path: Path, messages: list[Any], expected: list[str]) -> None:
    """Each kind is a definition, and stays the same one when more is learnt."""
    assert _ids(_learn(tmp_path, messages)) == expected
    matcher = xregit.Matcher(xregit.load(tmp_path / "registry"))
    assert all(len(matcher.match(item).matches) == 1 for item in messages)
    again = _learn(tmp_path, [*messages, ""])
    assert (_ids(again), again.written.files, again.left_out) == (expected, (STATE,), {})


@pytest.mark.parametrize(
    ("strangers", "reason"),
    [
        (
            [_TOMBSTONE, _TOMBSTONE | {"body": ""}, _kafka(None)],
            "they have no payload, though others on their topic do",
        ),
        ([_kafka("plain text")], "their payloads are not JSON, though others on their topic are"),
    ],
)
def test_few_strangers_do_not_spoil_a_topic(tmp_path: Path, strangers: list[Any], reason: str) -> None:
    """Tombstones and what is no JSON are left out beside many payloads in JSON, also later."""
    report = _learn(tmp_path, [*strangers, *([_kafka({"n": 1})] * 40)])
    assert report.left_out == {reason: len(strangers)}
    assert _schema(tmp_path / "registry", "t")["properties"] == {"n": {"type": "integer"}}
    assert _learn(tmp_path, strangers).left_out == {reason: len(strangers)}
    assert _ids(_learn(tmp_path, [item | {"topic": "u"} for item in strangers])) == ["u"]


def test_mixture_of_kinds_is_told(tmp_path: Path) -> None:
    """Where payloads have no field in common and nothing tells their kinds, the report has each, with its fields."""
    report = _learn(tmp_path, [*[_kafka({"a": 1, "b": 1})] * 9, _kafka({"c": 1}), _kafka(_event("x")), _TOMBSTONE])
    assert [item.text for item in report.definitions[0].unsure if "kinds" in item.text] == [
        (
            'the payloads are 3 kinds of objects without a field in common: 9 with "a", "b"; 1 with "c"; '
            '1 with "id", "source", "specversion", "type", which looks like a CloudEvent'
        )
    ]


@pytest.mark.parametrize(("keys", "told"), [(['{"id": 1}', '{"id": 2}'], True), (['{"id": 1}', "{"], False)])
def test_key_in_json_is_told(tmp_path: Path, keys: list[str], *, told: bool) -> None:
    """A definition has no place for the fields of a key, so that the report has them."""
    report = _learn(tmp_path, [_kafka({"a": 1}, key=key) for key in keys])
    text = 'the key is a JSON object with "id", which a definition can\'t state'
    assert (text in [item.text for item in report.definitions[0].unsure]) is told


def test_kinds_are_told_beside_strangers(tmp_path: Path) -> None:
    """A field that names the kind need not be in each message of the topic."""
    messages = [_kafka({"eventType": kind}) for kind in ("OrderPlaced", "OrderPaid") * 20]
    report = _learn(tmp_path, [*messages, _kafka({"n": 1}), _kafka(None)])
    assert _ids(report) == ["OrderPaid", "OrderPlaced"]
    assert sum(report.left_out.values()) == 2


def test_too_many_types_are_an_error(tmp_path: Path) -> None:
    """Types that hold values would fill the disk; one line says so, and nothing is written."""
    letters = str.maketrans("0123456789", "abcdefghij")
    with pytest.raises(xregit.XregitError, match="more than 10,000 types, topics and kinds"):
        _learn(tmp_path, [_event(f"a.{number}".translate(letters)) for number in range(10_001)])
    assert not (tmp_path / "registry" / "registry.yaml").exists()


@pytest.mark.parametrize(
    ("contenttype", "expected"),
    [
        ("application/json", "application/json"),
        ("application/vnd.shop.order.v1+json; charset=utf-8", "application/vnd.shop.order.v1+json"),
        ("application/vnd.x7654321+json", None),
    ],
)
def test_media_type_is_told(tmp_path: Path, contenttype: str, expected: str | None) -> None:
    """Parameters are left out, and so is a type that holds a value."""
    messages = [_kafka({"n": 1}, headers={"content-type": contenttype})]
    _learn(tmp_path, messages)
    assert _message(tmp_path / "registry", "t").get("datacontenttype") == expected
    assert xregit.Matcher(xregit.load(tmp_path / "registry")).match(messages[0]).outcome == "one"


def test_new_kind_is_added_and_strangers_are_left_out(tmp_path: Path) -> None:
    """What names the kinds is settled once; a message without it is none of them."""
    _learn(tmp_path, [_kafka({"eventType": "OrderPlaced", "n": 1})])
    report = _learn(tmp_path, [_kafka({"eventType": "OrderPaid"}), _kafka({"n": 1})])
    assert _ids(report) == ["OrderPaid"]
    assert report.left_out == {"they don't say which of the kinds of messages on their topic they are": 1}
    assert len(list((tmp_path / "registry" / MESSAGES).iterdir())) == 2


@pytest.mark.parametrize(
    ("field", "values", "expected"),
    [
        ("currency", ["EUR", "USD"] * 30, {"type": "string", "enum": ["EUR", "USD"]}),
        ("currency", ["EUR", "USD", None] * 30, {"type": ["null", "string"], "enum": ["EUR", "USD", None]}),
        ("currency", ["EUR"] * 60, {"type": "string"}),
        ("currency", ["EUR", "USD"] * 20, {"type": "string"}),  # too few samples
        ("currency", ["EUR", "USD"] * 30 + ["CHF"] * 9, {"type": "string"}),  # a word that is rare
        ("currency", [f"c{chr(97 + i)}" for i in range(13)] * 20, {"type": "string"}),  # too many words
        ("currency", ["EUR", "x7654321"] * 30, {"type": "string"}),
        ("status", ["Open", "Closed"] * 30, {"type": "string", "enum": ["Closed", "Open"]}),
        ("winner", ["Smith", "Jones"] * 30, {"type": "string"}),
        ("driver", ["ann", "bob"] * 30, {"type": "string"}),
        ("driverName", ["ann", "bob"] * 30, {"type": "string"}),
        ("createdBy", ["ann", "bob"] * 30, {"type": "string"}),
        ("approver", ["ann", "bob"] * 30, {"type": "string"}),
        ("from", ["ann", "bob"] * 30, {"type": "string"}),
        ("sentTo", ["ann", "bob"] * 30, {"type": "string"}),
        ("numberPlate", ["WABCD", "WABCE"] * 30, {"type": "string"}),
        ("channel", ["Web", "App"] * 30, {"type": "string", "enum": ["App", "Web"]}),
        ("count", list(range(60)), {"type": "integer", "minimum": 0}),
        ("count", list(range(-1, 60)), {"type": "integer"}),
        ("count", list(range(40)), {"type": "integer"}),
        ("temperature", list(range(60)), {"type": "integer"}),
        ("total", [0.5, 7] * 30, {"type": "number"}),
        ("lineCount", list(range(60)), {"type": "integer", "minimum": 0}),
        ("discount", list(range(60)), {"type": "integer"}),
        ("orderId", list(range(60)), {"type": "integer"}),
        ("lat", [48.5, 12] * 30, {"type": "number", "minimum": -90, "maximum": 90}),
        ("lat", [480.5, 12] * 30, {"type": "number"}),
        ("humidity", list(range(60)), {"type": "integer", "minimum": 0, "maximum": 100}),
        ("mail", ["ann@example.com"], {"type": "string", "format": "email"}),
        ("day", ["2026-01-31"], {"type": "string", "format": "date"}),
        ("page", ["https://example.com/a"], {"type": "string", "format": "uri"}),
        ("host", ["10.0.0.1", "1.2.3.255"], {"type": "string", "format": "ipv4"}),
        ("host", ["10.0.0.1", "localhost"], {"type": "string"}),
    ],
)
def test_values_are_described(tmp_path: Path, field: str, values: list[Any], expected: dict[str, Any]) -> None:
    """Lists of words, bounds and formats are told from enough samples, and of nothing that may be about somebody."""
    _learn(tmp_path, [_event("a.b", number, data={field: value}) for number, value in enumerate(values)])
    assert _schema(tmp_path / "registry", "a.b")["properties"][field] == expected


@pytest.mark.parametrize(
    ("payload", "fields", "others"),
    [
        ({"größe": 1, "価格": 2, "prix": 3}, ["größe", "価格", "prix"], None),
        ({"httpStatus": 1, "mqttClient": 1}, ["httpStatus", "mqttClient"], None),
        ({"total": 1, "x7654321": "a"}, ["total"], {"type": "string"}),
        ({"total": 1, "a/b": 2, "~1": 3, "😀": 4}, ["total"], {"type": "integer"}),
        ({"x7654321": {"a": 1}}, None, {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
    ],
)
def test_names_of_fields_are_told_from_values(
    tmp_path: Path, payload: dict[str, Any], fields: list[str] | None, others: dict[str, Any] | None
) -> None:
    """Names of any language are fields, in the order in which they are sent; names that are values are not told."""
    report = _learn(tmp_path, [_kafka(payload)] * 12)
    schema = _schema(tmp_path / "registry", "t")
    assert (list(schema["properties"]) if "properties" in schema else None) == fields
    assert (schema.get("required"), schema.get("additionalProperties")) == (fields, others)
    texts = [finding.text for finding in report.definitions[0].unsure]
    assert any("names that look like values" in text for text in texts) == (others is not None)


def test_beside_names_that_are_values_rare_ones_may_be_too(tmp_path: Path) -> None:
    """Of an object that has an entry for each customer, no name that some samples lack is told."""
    _learn(tmp_path, [_kafka({"total": 1, "x7654321": 1} | ({"ann": 1} if number else {})) for number in range(12)])
    assert list(_schema(tmp_path / "registry", "t")["properties"]) == ["total"]
    assert "ann" not in (tmp_path / "registry" / STATE).read_text()


def test_constants_of_headers_are_told(tmp_path: Path) -> None:
    """The same word in all samples is the value, until another one comes; what some have is optional."""
    headers = [{"region": "eu", "trace": f"x{n}", "user": "ann"} | ({"retry": "yes"} if n else {}) for n in range(60)]
    _learn(tmp_path, [_kafka(1, headers=item) for item in headers])
    expected = {"region": {"value": "eu", "required": True}, "retry": {"required": False}}
    others = {"trace": {"required": True}, "user": {"required": True}}
    assert _message(tmp_path / "registry", "t")["protocoloptions"]["headers"] == expected | others
    _learn(tmp_path, [_kafka(1, headers={"region": "us", "trace": "x"})])
    options = _message(tmp_path / "registry", "t")["protocoloptions"]["headers"]
    assert options["region"] == {"required": True}
    assert options["user"] == {"required": False}


SECRETS = [
    "ann.smith@example.com", "+43 660 1234567", "4111111111111111", "eyJhbGciOiJIUzI", "ghp_abcdefghijklmnop",
    "sk_live_abcdefgh", "5f4dcc3b5aa765d61d8327deb882cf99", "123e4567-e89b-42d3-a456-426614174000", "Ann Smith",
    "AbCdEfGhIjKlMnOpQr", "deadbeefcafe", "Grüße Anna", "xkcdqwrtpls",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_nothing_personal_is_written(tmp_path: Path, secret: str) -> None:
    """Wherever a value stands that looks like personal data or a secret, no file has it."""
    assert not is_word(secret)
    header = {"name": "x", "value": secret}
    samples = [
        _event("a.b", subject=secret, ext=secret, data={"m": {secret: {"a": secret}}, "v": [secret], secret: 1}),
        _event("a.c", data={"people": {secret: 1}}) | {"source": f"https://a.example.com/{secret}"},
        _event(f"a.{secret}"),
        _mqtt(f"a/{secret}/b") | {"user_properties": [header, {"name": secret, "value": "1"}]},
        {"protocol": "KAFKA", "topic": "t", "key": secret, "headers": {"h": secret, secret: "1"}, "body": secret},
        {"protocol": "KAFKA", "topic": f"t.{secret}", "body": {}},
        {"protocol": "KAFKA", "topic": "u", "key": secret, "body": {secret: secret}},
        _mqtt(f"c/{secret}/d", {secret: secret}),
        _event("a.d", subject=f"e/{secret}", data={secret: secret}),
    ]
    _learn(tmp_path, [item for item in samples for _ in range(12)])
    files = [path for path in (tmp_path / "registry").rglob("*") if path.is_file()]
    texts = [f"{path.relative_to(tmp_path)} {path.read_text()}".lower() for path in files]
    letters = re.sub(r"[^a-z0-9]", "", secret.lower())  # as in a name that was made of it
    assert [text for text in texts if secret.lower() in text or letters in text] == []


def test_more_samples_refine_and_edits_stay(tmp_path: Path) -> None:
    """What was learnt before stays true, and so does what people wrote."""
    first = [
        _mqtt("car/ab/at", {"n": 1, "t": "2026-01-01T00:00:00Z", "x": 1}),
        _event("a.b", data={"n": 1}),
        _event("a.c"),
    ]
    second = [_mqtt("car/c2345/at", {"n": 1.5, "t": "?"}), _event("a.b", subject="s", data={"n": None, "m": {}})]
    _learn(tmp_path, first)
    path = tmp_path / "registry" / MESSAGES / "a.b.yaml"
    path.write_text(f"name: B happened\n{path.read_text()}")
    report = _learn(tmp_path, second)
    assert not report.written.failed
    assert path.read_text().startswith("name: B happened\n")
    assert _message(tmp_path / "registry", "a.c")["envelopemetadata"]["type"] == {"value": "a.c"}
    matcher = xregit.Matcher(xregit.load(tmp_path / "registry"))
    assert [len(matcher.match(item).matches) for item in [*first, *second]] == [1] * 5
    assert _schema(tmp_path / "registry", "car.ab.at")["properties"]["n"] == {"type": "number"}
    again = _learn(tmp_path, second)
    assert (again.written.files, again.left_out) == ((), {"they were learnt from before": 2})


def test_counts_of_all_runs_add_up(tmp_path: Path) -> None:
    """What thirty samples can't tell, sixty can, whenever they come: enumerations, bounds, constants and sources."""

    def events(start: int) -> list[dict[str, Any]]:
        numbers = range(start, start + 20)
        data = [{"currency": ("EUR", "USD")[n % 2], "count": n} | ({"x": 1} if n else {}) for n in numbers]
        return [_event("a.b", number, region="eu", data=item) for number, item in zip(numbers, data, strict=True)]

    for start in (0, 20):
        report = _learn(tmp_path, events(start))
    schema = _schema(tmp_path / "registry", "a.b")
    assert schema["properties"]["currency"] == {"type": "string"}
    assert "EUR" in (tmp_path / "registry" / STATE).read_text()
    report = _learn(tmp_path, events(40))
    assert [(item.samples, item.earlier) for item in report.definitions] == [(60, 40)]
    schema, message = _schema(tmp_path / "registry", "a.b"), _message(tmp_path / "registry", "a.b")
    assert schema["properties"]["currency"] == {"type": "string", "enum": ["EUR", "USD"]}
    assert schema["properties"]["count"] == {"type": "integer", "minimum": 0}
    assert schema["required"] == ["currency", "count"]
    assert message["envelopemetadata"]["region"] == {"value": "eu", "required": True}
    assert message["envelopemetadata"]["source"] == {"value": "https://a.example.com/s"}
    assert '"currency" is one of EUR, USD' in [item.text for item in report.definitions[0].sure]
    _learn(tmp_path, [_event("a.b", data={"currency": "CHF", "count": -1})])
    assert _schema(tmp_path / "registry", "a.b")["properties"]["currency"] == {"type": "string"}
    assert _schema(tmp_path / "registry", "a.b")["properties"]["count"] == {"type": "integer"}


def test_state_has_no_rare_words(tmp_path: Path) -> None:
    """A word that was seen less than ten times may be a name: the registry has neither it nor a hash, and no number."""
    data = {"status": "miller", "n": 6601234}
    samples = [_event("a.b", n, winner="smith", subject="jones", data=data) for n in range(9)]
    _learn(tmp_path, samples)
    texts = [path.read_text() for path in (tmp_path / "registry").rglob("*") if path.is_file()]
    digest = sha256(b"miller").hexdigest()[:12]
    assert [text for text in texts if re.search(f"smith|jones|miller|6601234|{digest}", text)] == []


def test_events_of_one_topic_have_its_options(tmp_path: Path) -> None:
    """Topic and key are told where all samples agree on them, and no longer where one does not."""

    def carried(vin: str, **members: Any) -> dict[str, Any]:
        headers = {"content-type": "application/cloudevents+json"}
        event = _event("car.moved", subject=vin, data={"vin": vin})
        return {"protocol": "KAFKA", "topic": "cars", "key": vin, "headers": headers, "body": event} | members

    samples = [carried(f"c{number:05}") for number in range(12)]
    _learn(tmp_path, samples)
    message = _message(tmp_path / "registry", "car.moved")
    assert message["protocoloptions"] == {"topic": "cars", "key": "{vin}"}
    assert message["envelopemetadata"]["subject"]["value"] == "{vin}"
    assert (message["protocol"], message["envelope"]) == ("KAFKA", "CloudEvents/1.0")
    report = _learn(tmp_path, [_kafka({"a": 1}, topic="cars")])
    assert report.left_out == {"they are on a topic of CloudEvents, from which definitions were learnt before": 1}
    _learn(tmp_path, [carried("c99999", topic="cars.moved")])
    assert "protocol" not in _message(tmp_path / "registry", "car.moved")
    matcher = xregit.Matcher(xregit.load(tmp_path / "registry"))
    assert all(len(matcher.match(item).matches) == 1 for item in samples)


def test_state_of_another_kind_is_told(tmp_path: Path) -> None:
    """What an import or an earlier release wrote has no counts: the message says what to delete."""
    _learn(tmp_path, [_event("a.b")])
    (tmp_path / "registry" / STATE).write_text('{"messagegroups": {}}')
    with pytest.raises(xregit.XregitError, match=r"an earlier release .* delete .*, messagegroups/learnt and schemag"):
        _learn(tmp_path, [_event("a.c")])


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"samples": {"topics": 1}}', '{"samples": []}'])
def test_damaged_state_is_an_error(tmp_path: Path, text: str) -> None:
    """A state that can't be read stops the run in one line."""
    _learn(tmp_path, [_event("a.b")])
    (tmp_path / "registry" / STATE).write_text(text)
    with pytest.raises(xregit.XregitError, match="is damaged"):
        _learn(tmp_path, [_event("a.c")])


def test_table_is_a_source(tmp_path: Path) -> None:
    """What route could not tell is in a Delta table; another table, or none, is told."""
    rows = [json.dumps(_event("a.b", number, data={"n": number})) for number in range(12)]
    table = pa.table({"message": [*rows, None, "{\n}"], "reasons": ["[]"] * 14})
    write_deltalake(tmp_path / "unmatched", table)
    report = xregit.learn(tmp_path / "unmatched", tmp_path / "registry")
    assert [(item.xid, item.samples) for item in report.definitions] == [("/messagegroups/learnt/messages/a.b", 12)]
    assert report.left_out == {"they can't be read": 2}
    write_deltalake(tmp_path / "other", pa.table({"a": [1]}))
    for name, why in (("other", 'without the column "message"'), ("registry", "without a Delta table")):
        with pytest.raises(xregit.XregitError, match=why):
            xregit.learn(tmp_path / name, tmp_path / "registry")
    assert [is_samples(tmp_path / name) for name in ("unmatched", "registry")] == [True, False]


def test_unreadable_line_is_told_and_the_rest_learnt(tmp_path: Path) -> None:
    """A line that is no message is named by its number."""
    report = _learn(
        tmp_path,
        [
            _event("a.b"),
            "{",
            '{"a": 1}',
            "7",
            {"protocol": "AMQP/1.0", "body": 1},
            {"protocol": "NATS", "body": 1},
        ],
    )
    assert [item.line for item in report.written.diagnostics if item.rule == "unreadable-sample"] == [2, 3, 4]
    assert _ids(report) == ["a.b"]
    assert report.left_out == {
        "they can't be read": 3,
        "of AMQP/1.0, definitions are learnt from CloudEvents only": 1,
        "they have no topic, subject or path": 1,
    }


@pytest.mark.parametrize("text", ["", "\n\n", "{}\n", "<html>\n", "[]\n"])
def test_no_message_is_an_error(tmp_path: Path, text: str) -> None:
    """Without a message nothing is written."""
    path = tmp_path / "samples.jsonl"
    path.write_text(text)
    with pytest.raises(xregit.XregitError, match="there is no message in the samples"):
        xregit.learn(path, tmp_path / "registry")
    with pytest.raises(
        xregit.XregitError, match=r"nothing can be learnt from the samples: they have no topic.* \(1\)$"
    ):
        _learn(tmp_path, [{"protocol": "NATS", "body": 1}])
    assert not (tmp_path / "registry" / "registry.yaml").exists()


def test_group_must_be_an_id(tmp_path: Path) -> None:
    """A name that is no id is refused before anything is read."""
    with pytest.raises(xregit.XregitError, match="is not a valid name of a group"):
        xregit.learn(tmp_path / "none.jsonl", tmp_path, group="a b")


def test_events_on_a_topic_of_other_messages_are_left_out(tmp_path: Path) -> None:
    """The topic's definition would recognise them, so that theirs could not."""
    event = {"protocol": "KAFKA", "topic": "t", "headers": {"content-type": "application/cloudevents+json"}}
    report = _learn(tmp_path, [event | {"body": _event("a.b")}, {"protocol": "KAFKA", "topic": "t", "body": {"a": 1}}])
    assert report.left_out == {"they are CloudEvents on a topic that has other messages, too": 1}
    assert _ids(report) == ["t"]


def test_what_the_registry_knows_is_left_out(tmp_path: Path) -> None:
    """A sample that a definition of another group recognises gets no second one."""
    samples = _write(tmp_path / "samples.jsonl", [_event("a.b"), _mqtt("a/b")])
    xregit.learn(samples, tmp_path / "registry", group="first")
    report = _learn(tmp_path, [_event("a.b"), _mqtt("a/b"), _event("a.c")])
    assert report.left_out == {"the registry has a definition of them": 2}
    assert _ids(report) == ["a.c"]


def test_command_reports(tmp_path: Path) -> None:
    """Text is for people, JSON has the same."""
    samples = _write(tmp_path / "samples.jsonl", [_event("a.b"), "{"])
    arguments = ["learn", str(samples), "--into", str(tmp_path / "registry")]
    result = CliRunner().invoke(command, arguments)
    assert result.stdout.splitlines() == [
        "/messagegroups/learnt/messages/a.b: 1 sample",
        "  not sure: there is no schema, as not every sample has a JSON payload",
        "Nothing was learnt from 1 sample: they can't be read.",
    ]
    arguments[-1] = str(tmp_path / "other")
    value = json.loads(CliRunner().invoke(command, [*arguments, "--format", "json"]).stdout)
    assert value["samples"] == 1
    assert value["left_out"] == {"they can't be read": 1}
    assert [item["xid"] for item in value["definitions"]] == ["/messagegroups/learnt/messages/a.b"]


def test_result_checks_clean(tmp_path: Path) -> None:
    """The catalog that is made has no errors."""
    kafka = {"protocol": "KAFKA", "topic": "t", "key": "k", "headers": {"h": "1"}, "body": {"k": "k"}}
    nats = {"protocol": "NATS", "subject": "a.12345.b", "headers": [{"name": "h", "value": "1"}], "body": [1]}
    events = [_event("a.b", 1, subject="s1234", n=1, data={"a": []}), _event("A.B")]
    _learn(tmp_path, [*events, _mqtt("a/b"), kafka, nats])
    report = xregit.check(xregit.load(tmp_path / "registry"))
    assert not report.failed, report.diagnostics


WORDS = st.sampled_from(["a", "orders", "users", "eu", "v1", "x7654321", "7", "", "created", "position", "A B"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "a", "x7654321", "2026-01-01T00:00:00Z", "123e4567-e89b-42d3-a456-426614174000"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["a", "b", "id", "users", "12345", "@type"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
PATHS = st.lists(WORDS, min_size=1, max_size=4)


def _optional(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=members)


EVENTS = st.builds(
    lambda type_, source, members: _event(type_) | {"source": source} | members,
    st.sampled_from(["a.b", "a.c", "orders", "x7654321"]),
    PATHS.map("/".join).filter(bool),
    _optional(
        data=VALUES, subject=PATHS.map("/".join).filter(bool), ext=st.integers(0, 9) | st.sampled_from(["a", "b"]),
        time=st.just("2026-01-01T00:00:00Z"), datacontenttype=st.sampled_from(["application/json", "text/plain"]),
    ),
)  # fmt: skip
HEADERS = st.dictionaries(st.sampled_from(["h", "content-type", "x-trace"]), st.just("application/json"), max_size=2)
NATIVE = st.one_of(
    st.builds(
        lambda method, words, body: {"protocol": "HTTP", "method": method, "path": f"/{words}", "body": body},
        st.sampled_from(["GET", "POST"]),
        PATHS.map("/".join).filter(lambda text: " " not in text),
        VALUES,
    ),
    st.builds(_mqtt, PATHS.map("/".join).filter(bool), VALUES),
    st.builds(
        lambda subject, body, headers: {"protocol": "NATS", "subject": subject, "body": body, "headers": headers},
        PATHS.map(lambda words: ".".join(word for word in words if word.isalnum()) or "a"),
        VALUES,
        HEADERS,
    ),
    st.builds(
        lambda key, body, headers: {"protocol": "KAFKA", "topic": "t", "key": key, "body": body, "headers": headers},
        WORDS,
        VALUES,
        HEADERS,
    ),
)


def _carried(event: dict[str, Any]) -> dict[str, Any]:
    return _kafka(event, headers={"content-type": "application/cloudevents+json"})


CARRIED = EVENTS.map(_carried)
SAMPLES = st.lists(EVENTS | NATIVE | CARRIED, min_size=1, max_size=12)
# Several kinds of messages on one topic, told by a header, a field or the shape, with words that repeat.
KINDS = st.lists(
    st.builds(
        lambda body, kind, headers: _kafka(body | kind, headers=headers),
        st.sampled_from([PLACED, PAID, {"a": 1}, {"state": "done"}, {"state": None, "n": 1.5}, {"n": -1}, {}]),
        st.sampled_from([{}, {"eventType": "OrderPlaced"}, {"eventType": "OrderPaid"}, {"type": "a"}, {"type": "b"}]),
        _optional(type=st.sampled_from(["A", "B"]), region=st.sampled_from(["eu", "x7654321"])),
    ),
    min_size=1,
    max_size=8,
).flatmap(lambda kinds: st.sampled_from([1, 10, 60]).map(lambda count: kinds * count))
# As many of one type as are needed to say what its source and subject look like.
ALIKE = st.lists(EVENTS.map(lambda event: event | {"type": "a.b"}), min_size=10, max_size=14)


@settings(max_examples=some(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=SAMPLES | ALIKE | KINDS, second=SAMPLES | ALIKE | KINDS)
@example([_event("a.b"), _carried(_event("a.b")), _kafka(None, headers={"h": "1"})], [_kafka(None)])
def test_each_sample_is_recognised_as_one_definition(
    tmp_path_factory: pytest.TempPathFactory, first: list[Any], second: list[Any]
) -> None:
    """What something was learnt from fits that definition alone, also once more has been learnt."""
    folder = tmp_path_factory.mktemp("learn")
    earlier: list[Any] = []
    for samples in ([*first, _event("a.b.c")], second):  # so that something can always be learnt
        report = _learn(folder, samples)
        assert not report.written.failed
        assert report.samples == sum(item.samples - item.earlier for item in report.definitions) + sum(
            count for reason, count in report.left_out.items() if reason != "they can't be read"
        )
        matcher = xregit.Matcher(xregit.load(folder / "registry"))
        results = [[match.xid for match in matcher.match(item).matches] for item in samples]
        recognised = Counter(xids[0] for xids in results if len(xids) == 1)
        for definition in report.definitions:
            assert recognised[definition.xid] >= definition.samples - definition.earlier
        assert all(len(matcher.match(item).matches) == 1 for item in earlier)
        # Of events on a topic of other messages nothing is learnt, though some definition may recognise them.
        learnt = {definition.xid for definition in report.definitions}
        shared = "they are CloudEvents on a topic that has other messages, too" in report.left_out
        pairs = [pair for pair in zip(samples, results, strict=True) if not (shared and _carries_event(pair[0]))]
        earlier = [item for item, xids in pairs if len(xids) == 1 and xids[0] in learnt]


def _carries_event(sample: dict[str, Any]) -> bool:
    return isinstance(sample.get("body"), dict) and "specversion" in sample["body"]


EDITS = st.lists(st.sampled_from(["", "name: Ours\n", "description: Ours.\n", "deleted"]), min_size=1, max_size=6)


@settings(max_examples=some(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SAMPLES | KINDS, SAMPLES | KINDS, EDITS)
def test_edits_stay(
    tmp_path_factory: pytest.TempPathFactory, first: list[Any], second: list[Any], edits: list[str]
) -> None:
    """What people wrote or deleted stays, and the rest is as if nobody had edited anything."""
    ours, twin = tmp_path_factory.mktemp("ours"), tmp_path_factory.mktemp("twin")
    first = [*first, _event("a.b.c")]  # something can always be learnt
    for folder in (ours, twin):
        _learn(folder, first)
    files = sorted((ours / "registry" / MESSAGES).glob("*")) if (ours / "registry" / MESSAGES).is_dir() else []
    edited = dict(zip(files, edits, strict=False))
    for path, edit in edited.items():
        if edit == "deleted":
            path.unlink()
        else:
            path.write_text(edit + path.read_text())
    assert not _learn(ours, second).written.failed
    _learn(twin, second)
    for path in filter(Path.is_file, (twin / "registry").rglob("*")):
        other = ours / path.relative_to(twin)
        edit = edited.get(other, "")
        if edit == "deleted":
            assert not other.exists()
        elif path.name == "registry.yaml" or (not edit and other.exists()):
            assert path.name == "registry.yaml" or other.read_text() == path.read_text()
        else:
            assert other.read_text().startswith(edit)


@given(st.lists(VALUES, min_size=1, max_size=5), st.lists(VALUES, min_size=1, max_size=5))
def test_refined_schema_accepts_the_values_of_both(first: list[Any], second: list[Any]) -> None:
    """A schema fits what it was learnt from, and one that more was learnt into all of it."""
    state: dict[str, Any] | None = None
    for values in (first, second):
        shape = Shape("", state)
        for value in values:
            shape.add(value)
        schema, state = shape.schema(), json.loads(json.dumps(shape.state()))
        validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        assert all(map(validator.is_valid, values))
    assert all(map(Draft202012Validator(schema).is_valid, first))


def test_init_begins_with_samples(tmp_path: Path) -> None:
    """A new repository has what was learnt in place of the examples."""
    samples = _write(tmp_path / "samples.jsonl", [_event("a.b", number, data={"n": number}) for number in range(12)])
    result = CliRunner().invoke(command, ["init", str(tmp_path / "new"), "--from", str(samples)])
    assert result.exit_code == 0, result.output
    assert [group.name for group in (tmp_path / "new" / "registry" / "messagegroups").iterdir()] == ["learnt"]
    assert "/messagegroups/learnt/messages/a.b: 12 samples\n  sure: " in result.output


@pytest.mark.parametrize("field", ["apikey", "passphrase", "handle", "nurse", "shop", "passwd", "authorization"])
def test_words_of_a_field_that_is_no_kind_are_never_told(field: str) -> None:
    """A field may hold a name or a secret, whatever it is called, unless its name says that it is a kind of thing."""
    assert not is_term("swordfish", field)
    assert is_term("paid", "orderStatus")
