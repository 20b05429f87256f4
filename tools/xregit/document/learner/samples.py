"""Samples: messages of files of JSON Lines, in the shape of the wire or as clients print them, of tables and brokers.

They are read several times, so what comes from a table or a broker is kept in a file without a name meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

import orjson

from xregit.arguments import ADDRESS, to_path, without_credentials
from xregit.document.learner.brokers import Address, Limits, is_address, parse_address, receive
from xregit.document.learner.kinds import NOTHING, is_field
from xregit.errors import XregitError
from xregit.installed import install_command
from xregit.messages.decoder import IncomingMessage, decode
from xregit.model.excerpts import quote
from xregit.progress import task, track
from xregit.protocols.json import json_value
from xregit.protocols.printed import is_message, printed_forms

_BOM = b"\xef\xbb\xbf"
_JSON = re.compile(r"(?i)(application|text)/([\w.-]+\+)?json\s*(;.*)?|")
_TABLE_LOG = "_delta_log"
_IN_MEMORY = 64 * 1024 * 1024
_MAX_FIRST = _BLOCK = 1024 * 1024


@dataclass(frozen=True)
class Sample:
    """A message at its place; ``problem`` says why there is none."""

    source: str
    line: int
    message: IncomingMessage
    problem: str = ""

    @cached_property
    def payload(self) -> Any:
        """The payload as JSON has it, `NOTHING` where it is none."""
        message = self.message
        if _JSON.fullmatch(message.contenttype) is None:
            return NOTHING
        if message.event is not None and "data" in message.event:
            return message.event["data"]
        data = message.body
        try:
            return NOTHING if data is None else json_value(data)
        except ValueError:
            return NOTHING

    @property
    def is_bare(self) -> bool:
        """Whether there is no payload, as in Kafka's tombstones."""
        return self.payload is None or (self.payload is NOTHING and not self.message.body)


@dataclass(frozen=True, slots=True)
class Source:
    """Lines that can be read more than once; a file is open only while it is read."""

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    @property
    def digest(self) -> str:
        """What tells one source from another, whatever its name.

        Raises:
            XregitError: the file can't be read.
        """
        try:
            digest = sha256()
            with self.open() as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        except OSError as error:
            raise _unreadable(self.name, error) from error
        return digest.hexdigest()

    def samples(self) -> Iterator[Sample]:
        """Yield all messages; a line may hold one, or a batch of events.

        Raises:
            XregitError: the file can't be read.
        """
        try:
            with self.open() as file:
                for number, line in enumerate(file, start=1):
                    text = line.removeprefix(_BOM).strip()
                    if text:
                        yield from (_sample(self.name, number, item) for item in _messages(text))
        except OSError as error:
            raise _unreadable(self.name, error) from error


def is_samples(source: Path | str) -> bool:
    """Return whether a source holds messages: the address of a broker, a table, or a file that begins with one.

    The records of a schema registry's topic are none.
    """
    if is_address(source):
        return True
    path = to_path(source)
    if path.is_dir():
        return (path / _TABLE_LOG).is_dir()
    try:
        with path.open("rb") as file:
            line = next((text for text in iter(lambda: file.readline(_MAX_FIRST).strip(), b"") if text), b"")
        value = json_value(line.removeprefix(_BOM))
    except (OSError, ValueError):
        return False
    return is_message(value) or any(form.get("topic") != "_schemas" for form in printed_forms(value))


@contextmanager
def opened(sources: Sequence[Path | str], limits: Limits) -> Iterator[list[Source]]:
    """Open all sources; brokers are asked once.

    Raises:
        XregitError: one can't be read, or a broker has no messages.
    """
    addresses = {source: parse_address(source) for source in sources if isinstance(source, str) and is_address(source)}
    with ExitStack() as files:
        yield [files.enter_context(_open(addresses.get(str(source), source), limits)) for source in sources]


@contextmanager
def _open(source: Path | str | Address, limits: Limits) -> Iterator[Source]:
    if isinstance(source, Address):
        with task(f"reading {source.name}"), _spooled(map(orjson.dumps, receive(source, limits))) as file:
            if not file.tell():
                waited = "" if source.kind == "kafka" and not limits.latest else f" within {limits.seconds:g} seconds"
                source.fail(f"there are no messages{waited}")
            yield Source(source.name, lambda: _from_start(file))
        return
    if isinstance(source, str) and ADDRESS.match(source):
        message = (
            f'"{without_credentials(source)}" is not the address of a broker; it must begin with kafka://, mqtt:// or '
            "nats://, with +tls before the colon for TLS"
        )
        raise XregitError(message)
    path = to_path(source)
    if path.is_dir():
        with _spooled(_table_lines(path)) as file:
            yield Source(str(path), lambda: _from_start(file))
        return
    yield Source(str(path), lambda: path.open("rb"))


def _from_start(file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    file.seek(0)
    return nullcontext(file)


@contextmanager
def _spooled(lines: Iterable[bytes]) -> Iterator[IO[bytes]]:
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        for line in lines:
            file.write(line + b"\n")
        yield cast("IO[bytes]", file)


def _table_lines(folder: Path) -> Iterator[bytes]:
    """Yield the messages of a table of those that no definition fits, a line each.

    Raises:
        XregitError: it is no such table, or what reads it isn't installed.
    """
    if not (folder / _TABLE_LOG).is_dir():
        message = f'"{folder}" is a folder without a Delta table; name the table "unmatched" that route writes'
        raise XregitError(message)
    try:
        from deltalake import DeltaTable, QueryBuilder
        from deltalake.exceptions import DeltaError
    except ModuleNotFoundError as error:
        message = f"reading a Delta table needs deltalake; install it: {install_command('spark')}"
        raise XregitError(message) from error
    try:
        table = DeltaTable(str(folder))
        if "message" not in {column.name for column in table.schema().fields}:
            message = f'"{folder}" is a Delta table without the column "message"; name the table "unmatched" of route'
            raise XregitError(message)
        for batch in QueryBuilder().register("samples", table).execute("select message from samples"):
            for text in batch.column("message").to_pylist():
                yield (text or "null").replace("\r", " ").replace("\n", " ").encode()
    except (DeltaError, OSError) as error:
        message = f'"{folder}" can\'t be read as a Delta table: {str(error).splitlines()[0]}'
        raise XregitError(message) from error


def _unreadable(name: str, error: OSError) -> XregitError:
    return XregitError(f'"{name}" can\'t be read: {error.strerror}')


def read_samples(sources: Sequence[Source], title: str) -> Iterator[Sample]:
    """Yield all messages of all sources.

    Raises:
        XregitError: a file can't be read.
    """
    for source in track(sources, title):
        yield from source.samples()


def _sample(source: str, line: int, message: IncomingMessage | str) -> Sample:
    if isinstance(message, str):
        return Sample(source, line, IncomingMessage(), message)
    return Sample(source, line, message, " ".join(message.problems))


def _messages(text: bytes) -> Iterator[IncomingMessage | str]:
    try:
        value = json_value(text)
    except ValueError as error:
        yield f"This is not JSON: {error}."
        return
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, Mapping):
            yield f"A message is a JSON object, but this is {quote(item)}."
            continue
        yield from decode(max(printed_forms(item), key=len, default=item))  # the protocol that says most


def fields_by_value(payload: Any) -> dict[str, frozenset[str]]:
    """Return the names of a payload's fields by the texts of their values."""
    if not isinstance(payload, Mapping):
        return {}
    fields: dict[str, frozenset[str]] = {}
    for name, value in payload.items():
        if value.__class__ in (str, int) and name.isascii() and is_field(name):
            fields[str(value)] = fields.get(str(value), frozenset()) | {name}
    return fields
