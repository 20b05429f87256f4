"""The values of this package: a message on the wire, a CloudEvent, and what the one carries of the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xregit.errors import XregitError
from xregit.records import record


@record
class Wire:
    """One message on the wire.

    ``protocol`` is spelled as the specification does, such as ``MQTT/5.0``. ``fields`` has the protocol's own options:
    single values, lists as tuples of names with texts, maps as mappings; bytes stand where a value is not text.
    Without a protocol it is a bare CloudEvent, and ``fields`` has its attributes. ``body`` is None without payload.
    """

    protocol: str
    fields: Mapping[str, Any]
    body: bytes | None = None


@record
class Event:
    """A CloudEvent: its attributes, ``specversion`` included, as JSON scalars or canonical texts, and its payload."""

    attributes: Mapping[str, Any]
    data: bytes | None = None


@record
class Extraction:
    """What a message carries.

    ``mode`` is "binary", "structured" or "batch", "" where no CloudEvent is there, and "unknown-format" where one is
    that can't be read, to be passed on as it is. ``problems`` say why it is not a valid CloudEvent, each a sentence;
    ``events`` then has what could be read all the same.
    """

    mode: str
    events: tuple[Event, ...] = ()
    problems: tuple[str, ...] = ()


class WireError(XregitError):
    """A message that can't be read or can't be sent; ``problems`` has all that is wrong, each a sentence."""

    exit_code = 1

    def __init__(self, problems: tuple[str, ...]) -> None:
        """Keep the problems, at least one."""
        self.problems = problems
        super().__init__("; ".join(problems))
