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
from xregit.spark.streams.source import lines
from xregit.spark.streams.table_mapping import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from xregit.messages.decoder import Input
    from xregit.messages.matcher import Matcher
    from xregit.messages.result import Match


Data = TypeVar("Data")
Decoded = TypeVar("Decoded")
# So many extension attributes are read as fast as the others.
MAX_EXTENSIONS = 64
#: What is no JSON, or not such as is asked for.
REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_EXTENSION = "ce_"
_STEP, _DIGITS, _ZEROS = 16, b"0" * 19, bytes.maketrans(b"123456789", b"0" * 9)
# Of times that hold no line feed, as no printable text does.
_are_times = re.compile(rf"(?:{TIME}\n)*").fullmatch
_Text = Annotated[str, msgspec.Meta(min_length=1)]


class Plain(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A CloudEvent whose attributes are texts; a struct, as one is made for every event of a stream.

    Attributes that it lacks are None, and ``data`` is unset then. Extension attributes are those of subclasses, which
    are made when such events come, and are called as `field` says. What data is, its reader says.
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


DATA, TIMED = "data", "time"
_STANDARD = frozenset(Plain.__struct_fields__)
# An object with one of these is no plain event, or means something else by it.
_NEVER = _STANDARD | {"data_base64", "protocol"}


def field(attribute: str) -> str:
    """Return what the field for an attribute is called, as attributes may have names that Python has a use for."""
    return attribute if attribute in _STANDARD else _EXTENSION + attribute


def column(events: Iterable[Plain], attribute: str) -> list[Any]:
    """Return one attribute of all events."""
    if attribute in _STANDARD:
        return list(map(attrgetter(attribute), events))
    name = field(attribute)
    return [getattr(event, name, None) for event in events]


def extensions(events: Sequence[Plain]) -> list[Mapping[str, str]]:
    """Return the extension attributes of events of one class."""
    names = [name for name in events[0].__struct_fields__ if name.startswith(_EXTENSION)]
    return [_extensions(event, names) for event in events] if names else [NOTHING] * len(events)


def _extensions(event: Plain, names: Iterable[str]) -> Mapping[str, str]:
    found = ((name, getattr(event, name)) for name in names)
    return {name.removeprefix(_EXTENSION): text for name, text in found if text is not None}


def received(event: Plain) -> IncomingMessage:
    """Return an event with raw data as matching looks at it.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError, RecursionError: the data is no JSON.
    """
    value = {name: getattr(event, name) for name in Plain.__struct_fields__}
    value = {name: text for name, text in value.items() if text is not None and name != DATA}
    value.update(extensions((event,))[0])
    if event.data is not msgspec.UNSET:
        value[DATA] = msgspec.json.decode(event.data)
    return IncomingMessage(value, value, "", NOTHING, STRUCTURED)


def batch(events: Sequence[Plain]) -> pa.RecordBatch:
    """Return the attributes of the specification as columns of texts."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array(column(events, name), pa.string()) for name in STANDARD], STANDARD)


class PlainReader:
    """Reads lines to plain events; it must be told which extension attributes the events have."""

    def __init__(self, data: type) -> None:
        """Begin with the attributes of the specification; ``data`` is what data is read to.

        As `msgspec.Raw`, which is faster, data may be no JSON where it has characters or numbers that there are not.
        """
        self._data = data
        self._extensions: frozenset[str] = frozenset()
        self._decode = self._decoder()

    def learn(self, attributes: Iterable[str]) -> None:
        """Read events with these attributes too, unless there are too many by now."""
        known = self._extensions.union(name for name in attributes if name not in _NEVER)
        if known == self._extensions or len(known) > MAX_EXTENSIONS:
            return
        self._extensions = known
        self._decode = self._decoder()

    def _decoder(self) -> Callable[[bytes], Plain]:
        known = sorted(self._extensions)
        made = msgspec.defstruct(
            "Extended",
            [(DATA, self._data, msgspec.UNSET), *((field(name), str | None, None) for name in known)],
            bases=(Plain,),
            rename={field(name): name for name in known},
            forbid_unknown_fields=True,
            gc=False,
        )
        return msgspec.json.Decoder(cast("type[Plain]", made)).decode

    def read(self, lines: Sequence[bytes]) -> Sequence[Plain | None]:
        """Return the event of each line, None for a line that holds no plain one."""
        found, events = self._decoded(lines)
        whole = b"".join(lines)
        times = "\n".join([*filter(None, column(events, TIMED)), ""])
        valid = _are_times(times) is not None and not _may_be_endless(whole)
        if valid and (_is_clean(whole) or _are_printable(events)):
            return found
        return [
            event if event is not None and _is_plain(event) and not _may_be_endless(line) else None
            for event, line in zip(found, lines, strict=True)
        ]

    def _decoded(self, lines: Sequence[bytes]) -> tuple[Sequence[Plain | None], Sequence[Plain]]:
        """Return the event of each line, None for a line that holds none, and the events alone."""
        decode = self._decode
        try:
            events = [decode(line) for line in lines]
        except REFUSED:
            found = [tried(decode, line) for line in lines]
            return found, list(filter(None, found))
        return events, events


def tried(decode: Callable[[Data], Decoded], data: Data) -> Decoded | None:
    """Return what a decoder reads, or nothing where it refuses."""
    try:
        return decode(data)
    except REFUSED:
        return None


def _is_clean(text: bytes) -> bool:
    """Return whether no text within JSON can have a character that an attribute may not have."""
    return text.isascii() and b"\\" not in text and b"\x7f" not in text


def _may_be_endless(text: bytes) -> bool:
    """Return whether JSON may have a whole number of more than 308 digits, which `protocols` refuses and msgspec takes.

    Such a number has nineteen digits at every sixteenth place, which hardly anything else has.
    """
    return _DIGITS in text[::_STEP].translate(_ZEROS)


def _are_printable(events: Sequence[Plain]) -> bool:
    names = [name for name in events[0].__struct_fields__ if name != DATA] if events else ()
    return all("".join(filter(None, map(attrgetter(name), events))).isprintable() for name in names)


def _is_plain(event: Plain) -> bool:
    return (event.time is None or is_time(event.time) is not None) and _are_printable((event,))


_BITS = 31


class _Header(msgspec.Struct):
    key: str
    value: bytes | None = None


class _Record(msgspec.Struct):
    """The columns that say something of a message; Spark writes bytes to JSON in base 64."""

    key: bytes | None = None
    value: bytes | None = None
    topic: str | None = None
    partition: Annotated[int, msgspec.Meta(ge=-(2**_BITS), lt=2**_BITS)] | None = None
    headers: list[_Header] | None = None


_decode = msgspec.json.Decoder(_Record).decode
_NOTHING = _Record()


def records(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages in an Arrow batch with the columns of Kafka, each with its size in bytes."""
    for key, value, topic, partition, headers in zip(*(part.to_pylist() for part in batch.columns), strict=True):
        told = ((header["key"], header["value"]) for header in headers or () if header is not None)
        yield _wire(key, value, topic, partition, told), len(value or b"") + len(key or b"")


def json_records(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages in lines of JSON with these columns, each with its size; what is no record comes as it is."""
    for line in lines(batch):
        if line and not line.isspace():
            yield _read(line), len(line)


def _read(line: bytes) -> Input:
    try:
        found = _decode(line)
    except REFUSED:
        return line
    if found == _NOTHING:
        return line
    told = ((header.key, header.value) for header in found.headers or ())
    return _wire(found.key, found.value, found.topic, found.partition, told)


def _wire(
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
    """Return headers by name, repeated ones with all their values; one without name or value says nothing."""
    found: dict[str, list[str | bytes]] = {}
    for name, value in headers:
        if name is not None and value is not None:
            found.setdefault(name, []).append(_text(value))
    return {name: values[0] if len(values) == 1 else tuple(values) for name, values in found.items()}


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


#: A line with its event and the answer for it.
Recognised = tuple[bytes, Plain, Answer]
#: Lines, with the event of each, None where it holds no plain one, and the answers.
Part = tuple[Sequence[bytes], Sequence[Plain | None], Sequence[Answer]]

# Few enough that all of them stay in the processor's cache.
AT_ONCE = 64


class Recogniser:
    """Tells which definitions lines fit; it remembers answers, so only one thread may use it."""

    def __init__(self, matcher: Matcher) -> None:
        """Take the definitions that a matcher has."""
        self.matcher = matcher
        self._batch_matcher = matcher.batch_matcher()
        self._reader, self._whole_reader = PlainReader(msgspec.Raw), PlainReader(Any)
        self._learn(self._batch_matcher.keys)
        # A definition that looks at the data as if it were an attribute is for the matcher.
        self._tells = DATA not in self._batch_matcher.keys

    def read(self, lines: Sequence[bytes]) -> Iterator[Part]:
        """Yield the lines in parts. Of an event only the attributes have been looked at; its data may be no JSON."""
        for part in _parts(lines):
            events = self._reader.read(part) if self._tells else [None] * len(part)
            yield part, events, self._answers(events)

    def learn(self, message: IncomingMessage) -> None:
        """Read events like this one as plain from now on, if nothing but its attributes made it none."""
        if message.wire is None and message.event is not None:
            self._learn(message.event)

    def definitions(self, lines: Sequence[bytes]) -> list[str]:
        """Return the xid of the one definition that each line fits, an empty text where it fits none or several."""
        found: list[str] = []
        for part in _parts(lines):
            events = self._whole_reader.read(part) if self._tells else [None] * len(part)
            found += [
                xid if sure else _only(self.matcher.match(line))
                for line, (xid, _, sure) in zip(part, self._answers(events), strict=True)
            ]
        return found

    def _learn(self, attributes: Iterable[str]) -> None:
        listed = tuple(attributes)
        self._reader.learn(listed)
        self._whole_reader.learn(listed)

    def _answers(self, events: Sequence[Plain | None]) -> Sequence[Answer]:
        plain = list(filter(None, events))
        found = self._batch_matcher.match([column(plain, key) for key in self._batch_matcher.keys])
        if len(plain) == len(events):
            return found
        each = iter(found)
        return [UNSURE if event is None else next(each) for event in events]


def _parts(lines: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (lines[start : start + AT_ONCE] for start in range(0, len(lines), AT_ONCE))


def _only(match: Match) -> str:
    return match.matches[0].xid if len(match.matches) == 1 else ""
