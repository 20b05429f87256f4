"""The results of comparing two schemas: one verdict for each change, and the answers that follow from all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from xregit.records import record


class Answer(StrEnum):
    """Whether what one schema wrote is read with another; UNCLEAR where neither can be shown. The worst comes first."""

    NO = "no"
    UNCLEAR = "can't tell"
    YES = "yes"


WORST_FIRST = tuple(Answer)
# The place of a change that concerns the whole payload.
ROOT = "the payload"


@record
class Reason:
    """Why one schema may not read what another wrote, as a language finds it.

    ``kind`` is a key of `kinds.yaml`, ``where`` the place in the payload, ``words`` fill its sentence; ``written`` and
    ``read`` are how the place looks in the schema that wrote and in the one that reads. An ``answer`` takes the place
    of the kind's own.
    """

    kind: str
    where: str
    written: str = ""
    read: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    answer: Answer | None = None


@record
class Verdict:
    """One change: where it is, whether new schemas read old payloads (backward) and old ones new payloads (forward).

    ``kind`` names the kind of change, ``message`` says what changed and what follows, ``help`` what to do.
    ``undescribed`` verdicts are about payloads that an old schema allows only because it is silent about them; nobody
    may ever have sent any.
    """

    where: str
    kind: str
    backward: Answer
    forward: Answer
    message: str
    help: str
    undescribed: bool = False


@record
class Compatibility:
    """How two schemas relate; changes without effect on any payload have no verdict."""

    verdicts: tuple[Verdict, ...] = ()

    @property
    def backward(self) -> Answer:
        """Whether the new schema reads what was written with the old one."""
        return worst(*(item.backward for item in self.verdicts))

    @property
    def forward(self) -> Answer:
        """Whether the old schema reads what is written with the new one."""
        return worst(*(item.forward for item in self.verdicts))

    @property
    def described(self) -> Compatibility:
        """The verdicts that concern payloads with nothing but what their schema describes."""
        return Compatibility(tuple(item for item in self.verdicts if not item.undescribed))

    @property
    def full(self) -> Answer:
        """Whether each schema reads what was written with the other."""
        return worst(self.backward, self.forward)


def worst(*answers: Answer) -> Answer:
    """Return the worst answer; YES where there is none."""
    return min(answers, key=WORST_FIRST.index, default=Answer.YES)
