"""Lines and Kafka records decoded into events and matched against the catalog, many at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import msgspec

from xregit.messages.batch_matcher import UNSURE, Answer
from xregit.messages.decoder import TIME, IncomingMessage, is_time
from xregit.model.language import NOTHING
from xregit.protocols import Wire
from xregit.protocols.binding import STRUCTURED
from xregit.spark.streams.source import text_lines
from xregit.spark.streams.table_mapping import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from xregit.messages.decoder import Input
    from xregit.messages.matcher import Matcher


Data = TypeVar("Data")
Decoded = TypeVar("Decoded")
# So many extension attributes are decoded as fast as the others.
MAX_EXTENSIONS = 64
#: What `msgspec` raises for what is no JSON, or not of the type.
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_EXTENSION = "ce_"
_STEP, _DIGITS, _ZEROS = 16, b"0" * 19, bytes.maketrans(b"123456789", b"0" * 9)
# Of times that hold no line feed, as no printable text does.
_are_times = re.compile(rf"(?:{TIME}\n)*").fullmatch
_Text = Annotated[str, msgspec.Meta(min_length=1)]


class PlainEvent(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A CloudEvent whose attributes are texts; a struct, as one is made for every event of a stream.

    Attributes that it lacks are None, and ``data`` is unset then. Extension attributes are those of subclasses, which
    are made when such events come, and are called as `field_name` says. The type of data is that of its reader.
    """

    specversion: Literal["1.0"]
    id: _Text
    source: _Text
    type: _Text
    subject: _Text | None = None
    time: _Text | None = None
    datacontenttype: _Text | None = None
    dataschema: _Text | None = None
    data: Any = msgspec.UNSET


DATA, TIME_ATTRIBUTE = "data", "time"
_STANDARD = frozenset(PlainEvent.__struct_fields__)
# An object with one of these is no plain event, or means something else by it.
_NO_EXTENSIONS = _STANDARD | {"data_base64", "protocol"}


def field_name(attribute: str) -> str:
    """Return the field of an attribute, which has a prefix, as attributes may have the names of Python's keywords."""
    return attribute if attribute in _STANDARD else _EXTENSION + attribute


def attribute_values(events: Iterable[PlainEvent], attribute: str) -> list[Any]:
    """Return one attribute of all events."""
    if attribute in _STANDARD:
        return list(map(attrgetter(attribute), events))
    name = field_name(attribute)
    return [getattr(event, name, None) for event in events]


def extensions(events: Sequence[PlainEvent]) -> list[Mapping[str, str]]:
    """Return the extension attributes of events of one class."""
    names = {name: name.removeprefix(_EXTENSION) for name in events[0].__struct_fields__ if name.startswith(_EXTENSION)}
    if not names:
        return [NOTHING] * len(events)
    return [
        {attribute: text for name, attribute in names.items() if (text := getattr(event, name)) is not None}
        for event in events
    ]


def to_incoming(event: PlainEvent) -> IncomingMessage:
    """Return an event with raw data as the matcher takes it.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError, RecursionError: the data is no JSON.
    """
    attributes = {name: getattr(event, name) for name in PlainEvent.__struct_fields__ if name != DATA}
    value = {name: text for name, text in attributes.items() if text is not None}
    value.update(extensions((event,))[0])
    if event.data is not msgspec.UNSET:
        value[DATA] = msgspec.json.decode(event.data)
    return IncomingMessage(value, value, "", NOTHING, STRUCTURED)


def attribute_batch(events: Sequence[PlainEvent]) -> pa.RecordBatch:
    """Return the attributes of the specification as columns of texts."""
    import pyarrow as pa

    arrays = [pa.array(attribute_values(events, name), pa.string()) for name in STANDARD]
    return pa.RecordBatch.from_arrays(arrays, STANDARD)


class EventReader:
    """Decodes lines into plain events that have the standard attributes and those that it has learned."""

    def __init__(self) -> None:
        """Begin with the attributes of the specification.

        Data is not decoded: it may be no JSON where it has bad characters or numbers.
        """
        self._extensions: frozenset[str] = frozenset()
        self._decode = self._decoder()

    def learn(self, attributes: Iterable[str]) -> None:
        """Decode events with these attributes too, unless there are too many by now."""
        names = self._extensions.union(name for name in attributes if name not in _NO_EXTENSIONS)
        if names == self._extensions or len(names) > MAX_EXTENSIONS:
            return
        self._extensions = names
        self._decode = self._decoder()

    def _decoder(self) -> Callable[[bytes], PlainEvent]:
        names = sorted(self._extensions)
        struct = msgspec.defstruct(
            "Extended",
            [(DATA, msgspec.Raw, msgspec.UNSET), *((field_name(name), str | None, None) for name in names)],
            bases=(PlainEvent,),
            rename={field_name(name): name for name in names},
            forbid_unknown_fields=True,
            gc=False,
        )
        return msgspec.json.Decoder(cast("type[PlainEvent]", struct)).decode

    def read(self, lines: Sequence[bytes]) -> Sequence[PlainEvent | None]:
        """Return the event of each line, None for a line that is no plain event."""
        results, events = self._decode_all(lines)
        whole = b"".join(lines)
        times = "\n".join([*filter(None, attribute_values(events, TIME_ATTRIBUTE)), ""])
        valid = _are_times(times) is not None and not _may_have_huge_number(whole)
        if valid and (_is_clean(whole) or _are_printable(events)):
            return results
        return [
            event if event is not None and _is_valid(event) and not _may_have_huge_number(line) else None
            for event, line in zip(results, lines, strict=True)
        ]

    def _decode_all(self, lines: Sequence[bytes]) -> tuple[Sequence[PlainEvent | None], Sequence[PlainEvent]]:
        """Return the event of each line, None for a line that is none, and the events alone."""
        decode = self._decode
        try:
            events = [decode(line) for line in lines]
        except DECODE_ERRORS:
            results = [decode_or_none(decode, line) for line in lines]
            return results, list(filter(None, results))
        return events, events


def decode_or_none(decode: Callable[[Data], Decoded], data: Data) -> Decoded | None:
    """Return what a decoder returns, None where it raises."""
    try:
        return decode(data)
    except DECODE_ERRORS:
        return None


def _is_clean(text: bytes) -> bool:
    """Return whether no text within JSON can have a character that an attribute may not have."""
    return text.isascii() and b"\\" not in text and b"\x7f" not in text


def _may_have_huge_number(text: bytes) -> bool:
    """Return whether JSON may have a whole number of more than 308 digits, which only msgspec accepts.

    Such a number has nineteen digits at every sixteenth place, which hardly anything else has.
    """
    return _DIGITS in text[::_STEP].translate(_ZEROS)


def _are_printable(events: Sequence[PlainEvent]) -> bool:
    names = [name for name in events[0].__struct_fields__ if name != DATA] if events else ()
    return all("".join(filter(None, map(attrgetter(name), events))).isprintable() for name in names)


def _is_valid(event: PlainEvent) -> bool:
    return (event.time is None or is_time(event.time) is not None) and _are_printable((event,))


_BITS = 31


class _KafkaHeader(msgspec.Struct):
    key: str
    value: bytes | None = None


class _KafkaRecord(msgspec.Struct):
    """The columns of Spark's Kafka source that make a message; Spark writes bytes to JSON in base 64."""

    key: bytes | None = None
    value: bytes | None = None
    topic: str | None = None
    partition: Annotated[int, msgspec.Meta(ge=-(2**_BITS), lt=2**_BITS)] | None = None
    headers: list[_KafkaHeader] | None = None


_decode_record = msgspec.json.Decoder(_KafkaRecord).decode
_EMPTY_RECORD = _KafkaRecord()


def decode_kafka_rows(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages in an Arrow batch with the columns of Kafka, each with its size in bytes."""
    for key, value, topic, partition, headers in zip(*(part.to_pylist() for part in batch.columns), strict=True):
        pairs = ((header["key"], header["value"]) for header in headers or () if header is not None)
        yield _kafka_wire(key, value, topic, partition, pairs), len(value or b"") + len(key or b"")


def decode_kafka_lines(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages in lines of JSON with these columns, each with its size; other lines are messages as is."""
    for line in text_lines(batch):
        if line and not line.isspace():
            record = decode_or_none(_decode_record, line)
            if record is None or record == _EMPTY_RECORD:
                yield line, len(line)
            else:
                pairs = ((header.key, header.value) for header in record.headers or ())
                yield _kafka_wire(record.key, record.value, record.topic, record.partition, pairs), len(line)


def _kafka_wire(
    key: bytes | None,
    value: bytes | None,
    topic: str | None,
    partition: int | None,
    headers: Iterable[tuple[str | None, bytes | None]],
) -> Wire:
    fields: dict[str, Any] = {} if topic is None else {"topic": topic}
    if partition is not None:
        fields["partition"] = partition
    if key is not None:
        text = _text(key)
        fields["key_base64" if isinstance(text, bytes) else "key"] = text
    named = _headers(headers)
    if named:
        fields["headers"] = named
    return Wire("KAFKA", fields, value)


def _headers(headers: Iterable[tuple[str | None, bytes | None]]) -> dict[str, Any]:
    """Return headers by name, repeated ones with all their values; one without name or value is left out."""
    values: dict[str, list[str | bytes]] = {}
    for name, value in headers:
        if name is not None and value is not None:
            values.setdefault(name, []).append(_text(value))
    return {name: each[0] if len(each) == 1 else tuple(each) for name, each in values.items()}


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


#: A line with its event and the matcher's answer.
MatchedLine = tuple[bytes, PlainEvent, Answer]
#: Lines, with the event of each, None where it is no plain event, and the answers.
Part = tuple[Sequence[bytes], Sequence[PlainEvent | None], Sequence[Answer]]

# Few enough that all of them stay in the processor's cache.
PART_LINES = 64


class LineMatcher:
    """Matches lines against definitions; it remembers answers, so only one thread may use it."""

    def __init__(self, matcher: Matcher) -> None:
        """Begin with the definitions of a matcher."""
        self._batch_matcher = matcher.batch_matcher()
        self._reader = EventReader()
        self._reader.learn(self._batch_matcher.keys)
        # With a definition that has a constraint for the data as if it were an attribute, no line is plain.
        self._is_usable = DATA not in self._batch_matcher.keys

    def match(self, lines: Sequence[bytes]) -> Iterator[Part]:
        """Yield the lines in parts. Only the attributes of events have been decoded; their data may be no JSON."""
        for start in range(0, len(lines), PART_LINES):
            part = lines[start : start + PART_LINES]
            events = self._reader.read(part) if self._is_usable else [None] * len(part)
            yield part, events, self._answers(events)

    def learn(self, message: IncomingMessage) -> None:
        """Decode events like this one as plain from now on, if only its attributes prevented that."""
        if message.wire is None and message.event is not None:
            self._reader.learn(message.event)

    def _answers(self, events: Sequence[PlainEvent | None]) -> Sequence[Answer]:
        plain = list(filter(None, events))
        answers = self._batch_matcher.match([attribute_values(plain, key) for key in self._batch_matcher.keys])
        if len(plain) == len(events):
            return answers
        remaining = iter(answers)
        return [UNSURE if event is None else next(remaining) for event in events]
