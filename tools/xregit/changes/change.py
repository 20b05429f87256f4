"""Differences between two states of a registry, and changes: differences with their impact on each audience."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from xregit.json_pointer import NamePath
from xregit.model.language import NOTHING


class Impact(StrEnum):
    """What a change does to producers or consumers, the worst first; UNKNOWN where that can't be decided."""

    BREAKING = "breaking"
    UNKNOWN = "unknown"
    COMPATIBLE = "compatible"
    COSMETIC = "cosmetic"


WORST_FIRST = tuple(Impact)
AUDIENCES = ("producer", "consumer")


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact: what differs in which entity, before anyone judges it.

    ``about`` is the entity's type, ``kind`` what differs, ``relation`` how what was allowed and what is allowed now
    relate; `verdicts.yaml` lists them. ``path`` leads to the attribute from the entity. ``words`` are values for the
    placeholders in the texts of that table, and ``reaches`` are further entities that differ for the same cause.
    ``details`` are further sentences, and ``where`` the places in a payload that they are about, the worst first.
    """

    xid: str
    about: str
    kind: str
    relation: str
    path: NamePath = ()
    before: Any = None
    after: Any = None
    words: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    reaches: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One change and its impact on producers and consumers.

    ``change`` is ``added``, ``removed`` or ``changed``. ``rule`` names the kind of change, ``says`` has its meaning for
    each audience, ``path`` leads to the attribute, and ``reaches`` lists all other entities that it changes too.
    ``entity`` is the singular name of the entity's type, ``kind`` that of the difference. ``details`` are the sentences
    behind the message, and ``where`` the places in a payload that they are about, the worst first.
    """

    xid: str
    change: str
    rule: str
    producer: Impact
    consumer: Impact
    message: str
    entity: str = ""
    kind: str = ""
    path: NamePath = ()
    before: Any = None
    after: Any = None
    says: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    help: str = ""
    requirement: str = ""
    reaches: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    where: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message with its details."""
        return " ".join((self.message, *self.details))

    @property
    def impact(self) -> Impact:
        """The worse of its impacts on producers and on consumers."""
        return min(self.producer, self.consumer, key=WORST_FIRST.index)

    @property
    def audience(self) -> tuple[str, ...]:
        """Those on whom it has that impact; nobody if it is cosmetic."""
        if self.impact is Impact.COSMETIC:
            return ()
        return tuple(name for name in AUDIENCES if getattr(self, name) is self.impact)

    @property
    def attribute(self) -> str:
        """The path with dots, such as ``envelopemetadata.type``."""
        return ".".join(self.path)

    def as_json(self) -> dict[str, Any]:
        """Return the change as JSON: first the keys that the design fixes, then what each audience needs to know."""
        return {
            "xid": self.xid,
            "change": self.change,
            "impact": str(self.impact),
            "for": list(self.audience),
            "attribute": self.attribute,
            "before": self.before,
            "after": self.after,
            "message": self.text,
            "requirement": self.requirement,
            "rule": self.rule,
            "producer": {"impact": str(self.producer), "says": self.says.get("producer", "")},
            "consumer": {"impact": str(self.consumer), "says": self.says.get("consumer", "")},
            "reaches": list(self.reaches),
            "details": list(self.details),
            "where": list(self.where),
            "help": self.help,
        }


def worst_first(change: Change) -> tuple[int, str, NamePath, str, str]:
    """Return a key that sorts changes by impact, then by entity and attribute."""
    return WORST_FIRST.index(change.impact), change.xid, change.path, change.rule, change.message
