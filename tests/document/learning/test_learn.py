"""Learning: what is made of messages, and what must never be."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import xregit
from tests.sizes import some
from xregit.cli.commands import xregit as command
from xregit.document.learning.privacy import is_word
from xregit.document.learning.shapes import Shape, join

MESSAGES = "messagegroups/learnt/messages"
SCHEMAS = "schemagroups/learnt/schemas"


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
        "source": {"value": "https://a.example.com/s", "required": True},
        "subject": {"type": "uritemplate", "value": "orders/{no}", "required": True},
    }
    schema = _schema(tmp_path / "registry", "a.order.placed")
    assert schema["required"] == ["no", "paid"]
    assert schema["properties"] == {"no": {"type": "string"}, "paid": {"type": "boolean"}, "x": {"type": "null"}}
    assert 'field "x" is optional: it is in 19 of 20 samples' in report.definitions[0].unsure
    assert "there are fewer than 10 samples" in report.definitions[1].unsure
    metadata = _message(tmp_path / "registry", "a.user.joined")["envelopemetadata"]
    assert metadata == {
        "type": {"value": "a.user.joined"},
        "source": {"required": True},
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
    _learn(tmp_path, [*kafka, *(_mqtt(f"car/{vin}/at", {"vin": vin, "kind": "at"}) for vin in ("ab", "cd"))])
    assert _message(tmp_path / "registry", "trips")["protocoloptions"] == {"topic": "trips", "key": "{vin}"}
    assert _message(tmp_path / "registry", "car.at")["protocoloptions"]["topic_name"] == "car/{vin}/at"


SECRETS = [
    "ann.smith@example.com", "+43 660 1234567", "4111111111111111", "eyJhbGciOiJIUzI", "ghp_abcdefghijklmnop",
    "sk_live_abcdefgh", "5f4dcc3b5aa765d61d8327deb882cf99", "123e4567-e89b-42d3-a456-426614174000", "Ann Smith",
    "AbCdEfGhIjKlMnOpQr", "deadbeefcafe", "Grüße", "xkcdqwrtpls",
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
    assert again.written.files == ()


def test_unreadable_line_is_told_and_the_rest_learnt(tmp_path: Path) -> None:
    """A line that is no message is named by its number."""
    report = _learn(
        tmp_path,
        [
            _event("a.b"),
            "{",
            '{"a": 1}',
            "7",
            {"protocol": "HTTP", "path": "/", "method": "GET"},
            {"protocol": "NATS", "body": 1},
        ],
    )
    assert [item.line for item in report.written.diagnostics if item.rule == "unreadable-sample"] == [2, 3, 4]
    assert _ids(report) == ["a.b"]
    assert report.left_out == {
        "they can't be read": 3,
        "of HTTP, definitions are learnt from CloudEvents only": 1,
        "they have no topic or subject": 1,
    }


@pytest.mark.parametrize("text", ["", "\n\n", "{}\n", "<html>\n", "[]\n"])
def test_no_message_is_an_error(tmp_path: Path, text: str) -> None:
    """Without a message nothing is written."""
    path = tmp_path / "samples.jsonl"
    path.write_text(text)
    with pytest.raises(xregit.XregitError, match="there is no message in the samples"):
        xregit.learn(path, tmp_path / "registry")
    assert not (tmp_path / "registry" / "registry.yaml").exists()


def test_group_must_be_an_id(tmp_path: Path) -> None:
    """A name that is no id is refused before anything is read."""
    with pytest.raises(xregit.XregitError, match="can't be the name of a group"):
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
        "  not sure: there are fewer than 10 samples",
        "  not sure: there is no schema, as not all payloads are JSON of one kind",
        "Nothing was learnt from 1 sample: they can't be read.",
    ]
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
CARRIED = st.builds(
    lambda event: {
        "protocol": "KAFKA", "topic": "t", "headers": {"content-type": "application/cloudevents+json"}, "body": event,
    },
    EVENTS,
)  # fmt: skip
SAMPLES = st.lists(EVENTS | NATIVE | CARRIED, min_size=1, max_size=12)
# As many of one type as are needed to say what its source and subject look like.
ALIKE = st.lists(EVENTS.map(lambda event: event | {"type": "a.b"}), min_size=10, max_size=14)


@settings(max_examples=some(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SAMPLES | ALIKE, SAMPLES | ALIKE)
def test_each_sample_is_recognised_as_one_definition(
    tmp_path_factory: pytest.TempPathFactory, first: list[Any], second: list[Any]
) -> None:
    """What something was learnt from fits that definition alone, also once more has been learnt."""
    folder = tmp_path_factory.mktemp("learn")
    for samples in (first, second):
        report = _learn(folder, samples)
        assert not report.written.failed
        assert report.samples == sum(item.samples for item in report.definitions) + sum(
            count for reason, count in report.left_out.items() if reason != "they can't be read"
        )
        matcher = xregit.Matcher(xregit.load(folder / "registry"))
        results = [[match.xid for match in matcher.match(item).matches] for item in samples]
        recognised = Counter(xids[0] for xids in results if len(xids) == 1)
        for definition in report.definitions:
            assert recognised[definition.xid] >= definition.samples


@given(st.lists(VALUES, min_size=1, max_size=5), st.lists(VALUES, min_size=1, max_size=5))
def test_joined_schema_accepts_the_values_of_both(first: list[Any], second: list[Any]) -> None:
    """A schema fits what it was learnt from, and a joined one what either was."""
    shapes = Shape(), Shape()
    for shape, values in zip(shapes, (first, second), strict=True):
        for value in values:
            shape.add(value)
        validator = Draft202012Validator(shape.schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)
        assert all(map(validator.is_valid, values))
    joined = Draft202012Validator(join(*(shape.schema() for shape in shapes)))
    assert all(map(joined.is_valid, [*first, *second]))
