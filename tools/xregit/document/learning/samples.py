"""Samples: the messages of files of JSON Lines, in the shape of the wire or as clients of brokers print them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xregit.document.learning.privacy import is_field
from xregit.errors import XregitError
from xregit.messages.decoder import IncomingMessage, decode
from xregit.model.quoting import quote
from xregit.progress import track
from xregit.protocols.json import json_value
from xregit.protocols.printed import printed_forms

_BOM = b"\xef\xbb\xbf"
_JSON = re.compile(r"(?i)(application|text)/([\w.-]+\+)?json\s*(;.*)?|")
NOTHING = object()


@dataclass(frozen=True, slots=True)
class Sample:
    """A message at its place; ``problem`` says why there is none."""

    path: Path
    line: int
    message: IncomingMessage
    problem: str = ""

    @property
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


def read_samples(files: Sequence[Path], title: str) -> Iterator[Sample]:
    """Yield all messages; a line may hold one, or a batch of events.

    Raises:
        XregitError: a file can't be read.
    """
    for path in track(files, title):
        try:
            with path.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    text = line.removeprefix(_BOM).strip()
                    if text:
                        yield from (_sample(path, number, item) for item in _messages(text))
        except OSError as error:
            message = f'"{path}" can\'t be read: {error.strerror}'
            raise XregitError(message) from error


def _sample(path: Path, line: int, message: IncomingMessage | str) -> Sample:
    if isinstance(message, str):
        return Sample(path, line, IncomingMessage(), message)
    return Sample(path, line, message, " ".join(message.problems))


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
        if value.__class__ in (str, int) and is_field(name):
            fields[str(value)] = fields.get(str(value), frozenset()) | {name}
    return fields
