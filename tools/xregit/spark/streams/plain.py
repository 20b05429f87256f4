"""Lines to the plain CloudEvents among them: those in the JSON event format whose attributes are texts.

Most events of a stream are plain, and are read here in a fraction of the time that `messages.decoder` takes, which
reads all others, and would read these to the same.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import msgspec

from xregit.messages.decoder import TIME, IncomingMessage, is_time
from xregit.model.language import NOTHING
from xregit.protocols.binding import STRUCTURED
from xregit.spark.streams.landing import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

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
