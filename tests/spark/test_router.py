"""Sorting without Spark: each message is in exactly one table, whatever it is, and with all that it says."""

from __future__ import annotations

import json
import pickle
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import some
from tests.spark import streams
from tests.spark.streams import CATALOG, GROUP, NAMES, definition, event, registry_of
from tests.spark.streams import landed as partitions_landed
from xregit.catalog import Registry
from xregit.protocols import Wire
from xregit.spark.streams import writer
from xregit.spark.streams.decoder import split
from xregit.spark.streams.message_tables import record_columns, table_names
from xregit.spark.streams.router import ClassifyTask, Plan, make_plan
from xregit.spark.streams.source import KAFKA, KAFKA_JSON, LINES, MessageColumns

HEADERS = {"ce_specversion": "1.0", "ce_id": "9", "ce_source": "/vehicles/V", "ce_type": "t.one"}
BINARY = {"protocol": "KAFKA", "topic": "t", "headers": HEADERS, "body": {"value": 1}}


def kafka_columns() -> MessageColumns:
    """Return Kafka's columns under their own names."""
    return MessageColumns(KAFKA, {name: name for name in NAMES})


KAFKA_SCHEMA = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
    ]
)


ATTRIBUTES = {
    "type": {"value": "t.typed"},
    "level": {"type": "integer"},
    "urgent": {"type": "boolean"},
    "seen": {"type": "timestamp"},
}
TYPED = definition("t.typed", envelopemetadata=ATTRIBUTES)
READ = {"name": "R", "type": "record", "fields": [{"name": "n", "type": "int"}, {"name": "at", "type": "string"}]}
KINDS: Mapping[str, Any] = {
    "typed": TYPED,
    "bound": definition("t.bound", protocol="KAFKA", protocoloptions={"topic": {"value": "bound"}}),
    "any": definition("t.any", {"type": "object"}),
    "bare": {key: value for key, value in definition("t.bare").items() if not key.startswith("dataschema")},
    **{
        name: {
            "protocol": "KAFKA",
            "protocoloptions": {"topic": {"value": name}},
            "dataschemaformat": "Avro/1.12.0",
            "dataschema": schema,
        }
        for name, schema in {"avro": READ, "single": {"type": "long"}, "empty": {**READ, "fields": []}}.items()
    },
}
# Data is no attribute of events: where a definition asks for one of that name, all events are looked at one by one.
ODD = definition("t.odd", {}, envelopemetadata={"type": {"value": "t.odd"}, "data": {"value": "x"}})


def without_data(given_: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event without its data."""
    return {name: value for name, value in given_.items() if name != "data"}


def record(topic: str, value: bytes | None) -> dict[str, Any]:
    """Return a record of Kafka with these bytes."""
    body = {} if value is None else {"body_base64": b64encode(value).decode()}
    return {"protocol": "KAFKA", "topic": topic, **body}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """Return the plan for the catalog of these tests."""
    return plan_of(registry_of(tmp_path_factory.mktemp("catalog"), {**CATALOG, **KINDS}))


def plan_of(registry: Registry) -> Plan:
    """Return the plan for a catalog, with tables that have no columns of records."""
    return replace(make_plan(registry), record=record_columns(()))


def landed(made: Plan, given: Iterable[bytes], folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table after these lines, sorted by a plan that came to another process."""
    plan = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    return read(folder, partitions_landed(plan, [values(list(given))], folder))


def landed_singly(made: Plan, given: Iterable[bytes], folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table after these lines, each of which was sorted by itself."""
    result: dict[str, list[dict[str, Any]]] = {}
    for each in given:
        for name, rows in landed(made, [each], folder).items():
            result.setdefault(name, []).extend(rows)
    return result


def tables_by_match(made: Plan, given: Iterable[bytes]) -> Counter[str]:
    """Return how many rows each table gets by what `match` says of each message."""
    matches = (match for each in given for part in split(each) for match in made.matcher.each(part))
    others = {"many": "ambiguous", "none": "unmatched", "tombstone": "unmatched"}
    return Counter(others.get(each.outcome) or made.definitions[each.matches[0].xid].name for each in matches)


def values(lines: Sequence[bytes | None]) -> pa.RecordBatch:
    """Return a partition of lines."""
    return pa.RecordBatch.from_pydict({"value": pa.array(lines, pa.binary())})


def read(folder: Path, written: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table in the files that are described."""
    result: dict[str, list[dict[str, Any]]] = {}
    for each in written:
        rows = pq.read_table(folder / each["table"] / each["path"]).to_pylist()
        assert each["records"] == len(rows) == json.loads(each["stats"])["numRecords"]
        result.setdefault(each["table"], []).extend(rows)
    return result


def count_rows(found: Mapping[str, Iterable[Any]]) -> dict[str, Counter[str]]:
    """Return how often each row is in each table."""
    return {name: Counter(map(repr, rows)) for name, rows in found.items()}


def line(value: Any) -> bytes:
    """Return a message as a line."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


LANDINGS: list[tuple[Any, str, Mapping[str, Any]]] = [
    (event(8), "g__one", {"ce_id": "8", "context_vin": "1", "value": 8.0, "ce_time": None, "_rest": None}),
    (event(8, more="x"), "g__one", {"ce_others": [("more", "x")]}),
    (event(8, data={"value": 1, "odd": {"a": 1}}), "g__one", {"_rest": '{"/odd":{"a":1}}'}),
    (
        event(8, data={"value": 1, "place": {"lat": 2, "z": 3}}),
        "g__one",
        {"place": {"lat": 2.0}, "_rest": '{"/place/z":3}'},
    ),
    (
        event(8, time="2026-01-31T10:00:00.123456789Z", data={"value": 1, "at": "2026-01-31T10:00:00.000000100+01:00"}),
        "g__one",
        {
            "ce_time": datetime(2026, 1, 31, 10, microsecond=123456, tzinfo=UTC),
            "at": datetime(2026, 1, 31, 9, tzinfo=UTC),
            "_rest": '{"ce_time":"2026-01-31T10:00:00.123456789Z","/at":"2026-01-31T10:00:00.000000100+01:00"}',
        },
    ),
    (event(8, time="2026-01-31T10:00:00.123456000Z"), "g__one", {"_rest": None}),
    *(
        (event(8, time=time, data={"value": 1, "at": time}), "g__one", {"ce_time": None, "at": None, "_rest": said})
        for time in ("0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01")
        for said in [f'{{"ce_time":"{time}","/at":"{time}"}}']
    ),
    (event(8, time="0001-01-01T00:00:00Z"), "g__one", {"ce_time": datetime(1, 1, 1, tzinfo=UTC), "_rest": None}),
    (BINARY, "g__one", {"ce_id": "9", "context_vin": "V", "value": 1.0}),
    ({"protocol": "KAFKA", "topic": "readings", "key": "V", "body": "text"}, "g__record", {"payload": "text"}),
    (
        {"protocol": "KAFKA", "topic": "readings", "key": "V", "body_base64": "/w=="},
        "g__record",
        {"context_vin": "V", "payload": None, "payload_base64": "/w=="},
    ),
    (event(8, "t.typed", level=3, urgent=True), "g__typed", {"ce_level": 3, "ce_urgent": True, "_rest": None}),
    (
        event(8, "t.typed", level="3", urgent="false", seen="2026-01-31T10:00:00Z"),
        "g__typed",
        {"ce_level": 3, "ce_urgent": False, "ce_seen": datetime(2026, 1, 31, 10, tzinfo=UTC), "_rest": None},
    ),
    (
        {**BINARY, "headers": {**HEADERS, "ce_type": "t.typed", "ce_level": "3", "ce_urgent": "true"}},
        "g__typed",
        {"ce_level": 3, "ce_urgent": True, "ce_others": None, "_rest": None},
    ),
    (event(8, "t.typed", seen="2026-12-31T23:59:60Z"), "g__typed", {"_rest": '{"ce_seen":"2026-12-31T23:59:60Z"}'}),
    (event(8, "t.typed", level="x"), "unmatched", {"outcome": "none"}),
    (record("avro", None), "unmatched", {"outcome": "tombstone", "message_base64": None}),
    (record("avro", b"\xff"), "unmatched", {"outcome": "none"}),
    (event(8, "t.bound"), "g__bound", {"_wire": None, "value": 8.0}),
    (
        {**BINARY, "topic": "bound", "headers": {**HEADERS, "ce_type": "t.bound"}},
        "g__bound",
        {
            "_wire": '{"protocol":"KAFKA","topic":"bound","headers":'
            '{"ce_specversion":"1.0","ce_id":"9","ce_source":"/vehicles/V","ce_type":"t.bound"}}'
        },
    ),
    (event(8, "t.any", data={"a": [1]}), "g__any", {"payload": [("a", "[1]")], "_rest": None}),
    (event(8, "t.bare", data="text", datacontenttype="text/plain"), "g__bare", {"payload": "text"}),
    (event(8, "t.bare", data={"a": 1}), "g__bare", {"payload": '{"a":1}', "payload_base64": None}),
    (without_data(event(8, "t.bare")), "g__bare", {"payload": None, "payload_base64": None}),
    (without_data(event(8, "t.bare")) | {"data_base64": "/w=="}, "g__bare", {"payload_base64": "/w=="}),
    (record("avro", b"\x04\x02a"), "g__avro", {"n": 2, "at": "a", "_rest": None}),
    (record("avro", b"\x04\x05a"), "unmatched", {}),
    (record("avro", None), "unmatched", {}),
    (record("single", b"\x04"), "g__single", {"payload": 2}),
    (record("empty", b""), "g__empty", {"payload": "{}", "payload_base64": None}),
    (
        {"protocol": "KAFKA", "topic": "readings"},
        "unmatched",
        {"message": '{"protocol": "KAFKA", "topic": "readings"}'},
    ),
    (event(8, datacontenttype="application/x+json"), "g__one", {"value": 8.0}),
    (event(8, data=[1], datacontenttype="text/plain"), "unmatched", {}),
    (event(8, data={"value": 1, "at": "soon"}), "unmatched", {}),
    (event(8, data={"value": 1, "place": None}), "unmatched", {}),
    (event(8, data={"value": 1, "a/b~": 2}), "g__one", {"_rest": '{"/a~1b~0":2}'}),
    (event(8, "t.both"), "ambiguous", {}),
    (event(8, "t.none"), "unmatched", {}),
    (event(8, data={"value": "x"}), "unmatched", {}),
    (json.dumps(event(8)).replace("8}", "[" * 300 + "]" * 300 + "}").encode(), "unmatched", {}),
    ({"specversion": "1.0"}, "unmatched", {}),
    (b"not json", "unmatched", {"message": "not json", "message_base64": None}),
    (b"\xff", "unmatched", {"message": None, "message_base64": "/w=="}),
    (b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one"}', "unmatched", {}),
]


@pytest.mark.parametrize(("message", "table", "expected"), LANDINGS)
def test_message_lands_in_one_table(
    message: Any, table: str, expected: Mapping[str, Any], plain: Plan, tmp_path: Path
) -> None:
    """Each kind of message lands in its table, alone, with the columns that it fills."""
    result = landed(plain, [line(message)], tmp_path)
    assert result.keys() == {table}
    (row,) = result[table]
    assert {name: row[name] for name in expected} == expected


def test_reasons_are_those_of_match(plain: Plan, tmp_path: Path) -> None:
    """A payload that breaks its schema is unmatched, with what is wrong; what fits several has its candidates."""
    given = [line(event(1, data={"value": "x"})), line(event(2, "t.both"))]
    result = landed(plain, given, tmp_path)
    (reason,) = json.loads(result["unmatched"][0]["reasons"])
    assert reason["xid"] == f"{GROUP}one"
    assert '"x" is not of type "number"' in reason["failed"][0]["found"]
    assert json.loads(result["ambiguous"][0]["candidates"]) == [
        {"xid": f"{GROUP}both.a", "context": {"vin": "2"}},
        {"xid": f"{GROUP}both.b", "context": {"vin": "2"}},
    ]


def test_batch_lands_event_by_event(plain: Plan, tmp_path: Path) -> None:
    """Each event of a batch lands in its own table; one that fits nothing is kept alone."""
    headers = [{"name": "content-type", "value": "application/cloudevents-batch+json"}]
    events = [event(1), event(2, "t.two"), event(3, "t.none")]
    wire = {"protocol": "HTTP", "method": "POST", "headers": headers, "body": events}
    result = landed(plain, [line(wire)], tmp_path)
    assert {name: len(rows) for name, rows in result.items()} == {"g__one": 1, "g__two": 1, "unmatched": 1}
    assert json.loads(result["unmatched"][0]["message"])["id"] == "3"


def test_kafka_columns_are_messages() -> None:
    """Rows of Spark's Kafka source are messages: bytes are text where they can be, repeated headers keep all values."""
    rows = [
        {
            "key": b"k",
            "value": b"v",
            "topic": "t",
            "partition": 3,
            "headers": [{"key": "a", "value": b"1"}, {"key": "a", "value": b"\xff"}, {"key": "b", "value": None}],
        },
        {"key": b"\xff", "value": None, "topic": "t", "partition": None, "headers": None},
        {"key": b"", "value": b"", "topic": "", "partition": -1, "headers": [None, {"key": None, "value": b"1"}]},
        dict.fromkeys(KAFKA_SCHEMA.names),
    ]
    batch = pa.RecordBatch.from_pylist(rows, KAFKA_SCHEMA)
    assert kafka_columns().messages(batch) == [
        Wire("KAFKA", {"topic": "t", "partition": 3, "key": "k", "headers": {"a": ("1", b"\xff")}}, b"v"),
        Wire("KAFKA", {"topic": "t", "key_base64": b"\xff"}, None),
        Wire("KAFKA", {"topic": "", "partition": -1, "key": ""}, b""),
        Wire("KAFKA", {}, None),
    ]


def test_much_is_written_in_parts(plain: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many messages there are for one table, few wait in memory: files are written in between."""
    monkeypatch.setattr(writer, "MAX_BYTES", 10)
    lines = [line(event(number)) for number in range(30)]
    parts = [values(lines[start : start + 10]) for start in range(0, 30, 10)]
    result = read(tmp_path, partitions_landed(plain, parts, tmp_path))
    assert sorted(int(row["ce_id"]) for row in result["g__one"]) == list(range(30))
    assert len(list((tmp_path / "g__one").iterdir())) == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
EVENTS = st.builds(
    lambda type_, data, more: event(1, type_, **more) | {"data": data},
    st.sampled_from(["t.one", "t.two", "t.both", "t.none", ""]),
    JSON
    | st.fixed_dictionaries(
        {"value": st.integers() | st.floats(allow_nan=False, allow_infinity=False), "at": st.text()}
    ),
    st.dictionaries(st.sampled_from(["time", "subject", "more", "data_base64"]), JSON, max_size=2),
)


@settings(max_examples=some(60))
@given(st.lists(st.none() | st.binary() | JSON.map(line) | EVENTS.map(line), max_size=8))
def test_every_message_is_somewhere_once(plain: Plan, given_: list[bytes | None]) -> None:
    """Whatever bytes come, and be it a row without any, each message is in exactly one table; blank lines are none."""
    with TemporaryDirectory() as folder:
        written = partitions_landed(plain, [values(given_[:5]), values(given_[5:])], Path(folder))
    due = sum(len(plain.matcher.each(part)) for each in given_ for part in split(b"null" if each is None else each))
    assert sum(row["records"] for row in written) == due


PLAIN = st.builds(
    lambda type_, source, data, more: event(1, type_, data, **more) | {"source": source},
    st.sampled_from(["t.one", "t.two", "t.both", "t.none", "t.typed"]),
    st.sampled_from(["/vehicles/1", "/vehicles/a%20b", "/vehicles/a/b", "/vehicles/", "/other", "/vehicles/ü", ""]),
    st.fixed_dictionaries(
        {"value": st.integers() | st.floats(allow_nan=False, allow_infinity=False)},
        optional={
            "at": st.sampled_from(["2026-01-31T10:00:00.5+02:00", "2026-01-31T10:00:00.1234567Z", "2026-02-30", "x"]),
            "place": st.fixed_dictionaries({}, optional={"lat": st.floats(-90, 90), "z": JSON}) | JSON,
            "marks": st.lists(st.text(max_size=3), max_size=2),
            "odd": JSON,
        },
    )
    | JSON,
    st.dictionaries(
        st.sampled_from(["time", "subject", "more", "datacontenttype", "specversion", "traceparent", "level"]),
        st.sampled_from(["2026-01-31T10:00:00Z", "2026-02-30T10:00:00Z", "text/plain", "1.0", "x\ny", "\u00a0", ""])
        | JSON,
        max_size=3,
    ),
)
HOSTILE = [
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","data":{"value":1e999}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.none","data":{"value":1e999}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.both","data":{"value":1e999}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.bare","data":{"value":1e999}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","data":{"value":1,"x":"\xff"}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","type":"t.two","data":{"value":1}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","data":{"value":' + b"1" * 400 + b"}}",
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","data":' + b"[" * 1020 + b"]" * 1020 + b"}",
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.bare","data":' + b"[" * 1020 + b"]" * 1020 + b"}",
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","protocol":"KAFKA","data":{"value":1}}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","data_base64":"eyJ2YWx1ZSI6MX0="}',
    b'{"specversion":"1.0","id":"1","source":"/vehicles/1","type":"t.one","data":{"value":-0}} {}',
    b'{"specversion":"1.0","id":"1","source":"/v","type":"t.one","time":"2026-01-31T10:00:00Z\\n2026-01-31T10:00:00Z"}',
    b" \t",
]


@settings(max_examples=some(40))
@given(
    st.lists(
        st.binary(max_size=20) | JSON.map(line) | EVENTS.map(line) | PLAIN.map(line) | st.sampled_from(HOSTILE),
        max_size=12,
    ),
)
def test_lines_land_as_messages_do(plain: Plan, given_: list[bytes]) -> None:
    """Sorted many at a time, lines come to the rows that they come to one by one, in the tables that match names."""
    with TemporaryDirectory() as folder:
        together = landed(plain, given_, Path(folder) / "together")
        singly = landed_singly(plain, given_, Path(folder) / "singly")
    assert count_rows(together) == count_rows(singly)
    assert {name: len(rows) for name, rows in together.items()} == tables_by_match(plain, given_)


@pytest.mark.parametrize("more", [{}, {"odd": ODD}])
@pytest.mark.parametrize("chunk", [streams.CHUNK, 3])
def test_all_kinds_at_once_land_as_each_does(
    more: Mapping[str, Any], chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events that fit and that do not, of one definition and of others, many or few at once, leave each other alone."""
    monkeypatch.setattr(streams, "CHUNK", chunk)
    plan = plan_of(registry_of(tmp_path, {**CATALOG, **KINDS, **more}))
    lines = [*(line(each) for each, _, _ in LANDINGS), *HOSTILE[:-1], line(event(9, "t.odd", data="x"))] * 2
    singly = landed_singly(plan, lines, tmp_path / "singly")
    assert count_rows(landed(plan, lines, tmp_path / "together")) == count_rows(singly)
    assert sum(map(len, singly.values())) == len(lines)
    assert {name: len(rows) for name, rows in singly.items()} == tables_by_match(plan, lines)
    assert [row["ce_data"] for row in singly.get("g__odd", ())] == ["x", "x"] * len(more)


def test_rows_of_kafka_come_with_all_that_they_had(plain: Plan, tmp_path: Path) -> None:
    """Rows of Kafka's columns come to their table, and those that fit nothing are kept as they were."""
    headers = [{"key": key, "value": text.encode()} for key, text in (*HEADERS.items(), ("a", "1"), ("a", "2"))]
    rows = [
        {"key": b"V", "value": b"\xff", "topic": "readings", "partition": 3, "headers": None},
        {"key": None, "value": b'{"value":1}', "topic": "t", "partition": 1, "headers": headers},
        {"key": None, "value": b"\xff", "topic": "readings", "partition": None, "headers": headers[4:]},
        dict.fromkeys(KAFKA_SCHEMA.names),
    ]
    batch = pa.RecordBatch.from_pylist(rows, KAFKA_SCHEMA)
    result = read(tmp_path, partitions_landed(plain, [batch, batch], tmp_path, KAFKA))
    assert {name: len(rows) for name, rows in result.items()} == {"g__record": 2, "g__one": 2, "unmatched": 4}
    refused = {
        '{"protocol":"KAFKA","topic":"readings","headers":{"a":["1","2"]},"body_base64":"/w=="}',
        '{"protocol":"KAFKA"}',
    }
    assert {row["message"] for row in result["unmatched"]} == refused


def test_lines_of_kafka_are_records_or_stay_as_they_are(plain: Plan, tmp_path: Path) -> None:
    """A line of JSON with the columns of Kafka is such a record, with bytes in base 64; any other is what it is."""
    headers = [{"key": key, "value": b64encode(text.encode()).decode()} for key, text in HEADERS.items()]
    body, broken = b64encode(b'{"value":1}').decode(), {"topic": "t", "partition": 2**31}
    lines = [
        line({"topic": "t", "partition": 0, "offset": 7, "headers": headers, "value": body}),
        line({"topic": "readings", "key": "Vg==", "headers": [{"key": "empty"}]}),
        line({"topic": "readings", "key": "Vg=="}),
        *(line(each) for each in (broken, {"value": "%"}, {}, event(1), BINARY)),
        *(b"no json", b"\xff", b" ", b""),
    ]
    result = read(tmp_path, partitions_landed(plain, [values(lines)], tmp_path, KAFKA_JSON))
    assert {name: len(rows) for name, rows in result.items()} == {"g__one": 3, "g__record": 2, "unmatched": 5}
    kept = {row["message"] for row in result["unmatched"]}
    assert kept == {json.dumps(broken), '{"value": "%"}', "{}", "no json", None}


def test_array_of_events_is_its_events(plain: Plan, tmp_path: Path) -> None:
    """Each member of a bare array is a message of its own, whatever it is; an empty array is one that fits nothing."""
    array = json.dumps([event(1), event(2, "t.two"), event(3, data={"value": "x"}), 5, [event(4)]])
    result = landed(plain, [array.encode(), b" [ ] "], tmp_path)
    assert {name: len(rows) for name, rows in result.items()} == {"g__one": 1, "g__two": 1, "unmatched": 4}
    messages = {row["message"] for row in result["unmatched"]}
    assert messages == {json.dumps(event(3, data={"value": "x"})), "5", json.dumps([event(4)]), " [ ] "}


def test_members_of_an_array_have_their_own_texts(plain: Plan) -> None:
    """However many there are, none is repeated with each of the others, whether the column is of bytes or of text."""
    array = json.dumps([event(1), 5, event(2)])
    for kind in (pa.binary(), pa.string()):
        batch = pa.RecordBatch.from_pydict(
            {"value": pa.array([array, None, "[]"], pa.string()).cast(kind), "n": [7, 8, 9]}
        )
        columns = MessageColumns(LINES, {"value": "value"})
        (result,) = ClassifyTask(plain, columns).run(iter([batch]))
        texts = result.column("value").cast(pa.string()).to_pylist()
        assert texts == [json.dumps(event(1)), "5", json.dumps(event(2)), None, "[]"]
        assert result.column("n").to_pylist() == [7, 7, 7, 8, 9]
        assert result.column("outcome").to_pylist() == ["one", "none", "one", "none", "none"]


def test_array_may_be_beside_what_is_not_utf8(plain: Plan) -> None:
    """Spark takes any bytes for text; neither a line of them nor a member of an array ends the job."""
    lines = pa.array([json.dumps([event(1), 5]).encode(), b"\xff", b'["\xfe", 6]'], pa.binary())
    batch = pa.RecordBatch.from_arrays([lines.cast(pa.string(), safe=False)], ["value"])
    (result,) = ClassifyTask(plain, MessageColumns(LINES, {"value": "value"})).run(iter([batch]))
    texts = result.column("value").cast(pa.binary()).to_pylist()
    assert texts == [json.dumps(event(1)).encode(), b"5", b"\xff", b'"\xfe"', b"6"]
    assert result.column("outcome").to_pylist() == ["one", *["none"] * 4]


@pytest.mark.parametrize("tables", [1, 50])
def test_files_are_as_many_as_tables(tables: int, tmp_path: Path) -> None:
    """However many partitions there are, each table gets one file from the process that writes it."""
    result = plan_of(registry_of(tmp_path, {f"m{each}": definition(f"t.m{each}") for each in range(tables)}))
    lines = [line(event(each, f"t.m{each % tables}")) for each in range(tables * 3)]
    written = partitions_landed(result, [values(lines)] * 4, tmp_path)
    assert Counter(row["table"] for row in written) == dict.fromkeys((f"g__m{each}" for each in range(tables)), 1)
    assert {row["records"] for row in written} == {12}


def test_messages_of_a_table_that_is_no_good_are_in_quarantine(plain: Plan, tmp_path: Path) -> None:
    """They are kept as they came, with the definition and what is wrong.

    Other messages are not concerned, nor those of the definition that go elsewhere whatever the table is: with a batch
    that is written again after the table broke, they would be there twice.
    """
    blocked = {f"{GROUP}one": "it is another table"}
    lines = [line(event(1)), line(event(2, "t.two")), line(event(3, data={"value": "x"}))]
    written = partitions_landed(plain, [values(lines)], tmp_path, blocked=blocked)
    result = read(tmp_path, written)
    assert {name: len(rows) for name, rows in result.items()} == {"quarantine": 1, "g__two": 1, "unmatched": 1}
    (row,) = result["quarantine"]
    assert (row["xid"], row["reasons"]) == (f"{GROUP}one", "it is another table")
    assert json.loads(row["message"]) == event(1)


def test_tables_have_safe_names_of_their_own() -> None:
    """Names are made of group and message; those that come out the same, or too long, have a digest at the end."""
    xids = ["/messagegroups/G.x/messages/a-b", "/messagegroups/g.x/messages/a.b", f"/endpoints/e/messages/{'m' * 190}"]
    first, second, third = (table_names(xids)[xid] for xid in xids)
    assert first.startswith("g_x__a_b_")
    assert second.startswith("g_x__a_b_")
    assert table_names(xids[1:])[xids[1]] == "g_x__a_b"
    assert third.startswith("e__mmm")
    assert len(third) < 200
    result = f"/messagegroups/g.x/messages/a-{second.removeprefix('g_x__')}".replace("a-a_b", "a-b")
    assert len(set(table_names([*xids, result]).values())) == 4
    assert table_names([result], {second: xids[1]})[result].startswith(f"{second}_")


def test_tables_that_are_there_keep_their_names() -> None:
    """A definition keeps the table that it has, and takes none that another has or had, whoever comes and goes."""
    one, other = "/messagegroups/g/messages/a-b", "/messagegroups/g/messages/a.b"
    digest, others = (table_names([one, other])[xid] for xid in (one, other))
    assert table_names([one, other], {"g__a_b": one}) == {one: "g__a_b", other: others}
    assert table_names([one], {digest: one, others: other}) == {one: digest}
    assert table_names([other], {"g__a_b": one}) == {other: others}
    assert table_names([other], {digest: one}) == {other: "g__a_b"}


def test_tables_name_what_their_columns_are(tmp_path: Path) -> None:
    """A payload's field that is called like another column has a name of its own, and says which it is."""
    schema = {"type": "object", "properties": {"ce_id": {"type": "string"}, "_rest": {"type": "string"}}}
    registry = registry_of(tmp_path, {"odd": definition("t.odd", schema)})
    columns = {column.name: column.comment for column in make_plan(registry).table(f"{GROUP}odd").columns}
    assert columns["ce_id_2"] == '"ce_id" of the payload.'
    assert columns["_rest_2"] == '"_rest" of the payload.'
    assert len(make_plan(registry).definitions) == 1


def test_columns_have_names_of_their_own(tmp_path: Path) -> None:
    """Attributes and placeholders whose columns would be called alike have one each, and what they say is in it."""
    attributes = {
        "type": {"value": "t.alike"},
        "source": {"value": "/vehicles/{vin}", "type": "uritemplate"},
        "subject": {"value": "{VIN}"},
        "others": {"type": "string"},
    }
    result = plan_of(registry_of(tmp_path, {"alike": definition("t.alike", envelopemetadata=attributes)}))
    given_ = line({**event(0, "t.alike"), "subject": "S", "others": "mine", "more": "too"})
    (row,) = landed(result, [given_], tmp_path)["g__alike"]
    assert (row["context_vin"], row["context_vin_2"]) == ("S", "0")
    assert (row["ce_others"], row["ce_others_2"]) == ([("more", "too")], "mine")
