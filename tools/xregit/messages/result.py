"""Results of matching: the definitions that a message fits, its event, and why others do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from xregit.messages.constraints import Failure


class DefinitionMatch(NamedTuple):
    """One definition that a message fits, and what its placeholders stand for there."""

    xid: str
    context: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return ``xid`` and ``context``."""
        return {"xid": self.xid, "context": dict(self.context)}


@dataclass(frozen=True, slots=True)
class Reason:
    """A definition that a message comes near to, and each constraint that it fails.

    Without xid it is what keeps the message from coming near to any: that it can't be read, or what it is called.
    """

    xid: str
    failed: tuple[Failure, ...]

    def as_json(self) -> dict[str, Any]:
        """Return ``xid`` and ``failed``, each with ``attribute``, ``expected`` and ``found``."""
        failed = [{"attribute": item.attribute, "expected": item.expected, "found": item.found} for item in self.failed]
        return {"xid": self.xid, "failed": failed}


class Match(NamedTuple):
    """Which definitions one message fits; a named tuple, as one is made for every message of a stream.

    ``matches`` are in the order of their xids. ``event`` is the CloudEvent that the message carries, in the JSON event
    format; with ``mapped`` it is the one that its definition makes of a message which carries none. ``reasons`` are
    given where they were asked for. ``problems`` say why a message could not be read at all. ``guess`` is empty for
    messages, "name" where only a type, topic, path, subject or key is known, "payload" for a payload by itself.
    A ``tombstone`` is a record of Kafka without value, which fits these definitions but for the payload that it lacks.
    """

    matches: tuple[DefinitionMatch, ...] = ()
    event: Mapping[str, Any] | None = None
    mapped: bool = False
    reasons: tuple[Reason, ...] = ()
    problems: tuple[str, ...] = ()
    guess: str = ""
    tombstone: bool = False

    @property
    def outcome(self) -> str:
        """``none``, ``one``, ``many`` or ``tombstone``."""
        return "tombstone" if self.tombstone else ("none", "one", "many")[min(len(self.matches), 2)]

    @property
    def near(self) -> tuple[Reason, ...]:
        """The reasons that name a definition."""
        return tuple(reason for reason in self.reasons if reason.xid)

    def as_json(self) -> dict[str, Any]:
        """Return the result as ``match`` prints it."""
        return {
            "outcome": self.outcome,
            "matches": [item.as_json() for item in self.matches],
            "event": dict(self.event) if self.event is not None else None,
            "mapped": self.mapped,
            "reasons": [item.as_json() for item in self.reasons],
            **({"guess": self.guess} if self.guess else {}),
        }
