"""The results of comparing two schemas: verdicts in words, breaches of a policy, and the work allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice

# A step is some microsecond of work.
MAX_STEPS = 2_000_000


class TooLargeError(Exception):
    """Two schemas are too large, or too intricate, to be compared within the budget."""


@dataclass(slots=True)
class Budget:
    """The steps that one direction of a comparison may still take.

    Whatever loops over pairs, or may be reached again and again, spends steps for each turn.
    """

    steps: int = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Take steps from the budget.

        Raises:
            TooLargeError: it is used up.
        """
        self.steps -= steps
        if self.steps < 0:
            raise TooLargeError


class Answer(StrEnum):
    """Whether what one schema wrote is read with another; UNCLEAR where neither can be shown. The worst comes first."""

    NO = "no"
    UNCLEAR = "can't tell"
    YES = "yes"


WORST_FIRST = tuple(Answer)
# The place of a change that concerns the whole payload.
ROOT = "the payload"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one schema may not read what another wrote, as the comparison of its language finds it.

    ``kind`` is a key of `kinds.yaml`, ``where`` the place in the payload, ``words`` fill its sentence; ``writer`` and
    ``reader`` are how the place looks in the schema that wrote and in the one that reads. An ``answer`` replaces that
    of the kind.
    """

    kind: str
    where: str
    writer: str = ""
    reader: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One change: where it is, whether new schemas read old payloads (backward) and old ones new payloads (forward).

    ``kind`` names the kind of change, ``message`` says what changed and what follows, ``help`` what to do.
    ``undescribed`` verdicts are about payloads that an old schema allows only because it is silent about them: nobody
    may ever have sent any, and no consumer relies on them.
    """

    where: str
    kind: str
    backward: Answer
    forward: Answer
    message: str
    help: str
    undescribed: bool = False


@dataclass(frozen=True, slots=True)
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


_MAX_SENTENCES = 3
_MAX_PLACES = 3
_MAX_PLACES_LISTED = 20


def worst_first(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return verdicts sorted by the worse of their two answers; equal ones keep their order."""
    return sorted(verdicts, key=lambda item: WORST_FIRST.index(worst(item.backward, item.forward)))


def summarise(verdicts: Iterable[Verdict]) -> str:
    """Return the messages of verdicts as one text without the last full stop; of many, the first few."""
    sentences = [text.removesuffix(".") for text in messages(verdicts, _MAX_PLACES)]
    more = len(sentences) - _MAX_SENTENCES
    return ". ".join(sentences[:_MAX_SENTENCES]) + (f", and {more} more" if more > 0 else "")


def messages(verdicts: Iterable[Verdict], limit: int = _MAX_PLACES_LISTED) -> list[str]:
    """Return each message of some verdicts once, behind the places where it is true, of which ``limit`` are listed."""
    places: dict[str, list[str]] = {}
    for item in verdicts:
        places.setdefault(item.message, []).append(item.where)
    return [f"{_place_prefix(where, limit)}{message}" for message, where in places.items()]


def _place_prefix(where: Sequence[str], limit: int) -> str:
    """Return the places before a sentence; one about the payload as a whole needs none."""
    names = list(dict.fromkeys(where))
    if names == [ROOT]:
        return ""
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "") + ": "


_TRANSITIVE = "_transitive"
# What the new version owes to those before it.
DIRECTIONS: Mapping[str, tuple[str, ...]] = {
    "backward": ("backward",),
    "forward": ("forward",),
    "full": ("backward", "forward"),
}


@dataclass(frozen=True, slots=True)
class Breach:
    """One change between two versions, by id, that breaks the promise, or may, in a direction."""

    older: str
    newer: str
    direction: str
    answer: Answer
    verdict: Verdict


def breaches(policy: str, parents: Mapping[str, str], relate: Callable[[str, str], Compatibility]) -> Iterator[Breach]:
    """Yield the changes that break a policy such as ``backward`` or ``full_transitive``; any other promises nothing.

    ``parents`` has the version that each was made from, empty for none; ``relate`` compares an older and a newer one.
    Of very many pairs the nearest are compared, and of the next one nothing can be told.
    """
    directions = DIRECTIONS.get(policy.removesuffix(_TRANSITIVE), ())
    is_transitive = policy.endswith(_TRANSITIVE)
    pairs = list(islice(_pairs(parents, transitive=is_transitive), MAX_PAIRS + 1 if is_transitive else None))
    order = {vid: number for number, vid in enumerate(parents)}
    beyond = pairs[MAX_PAIRS:] if is_transitive else []
    for newer, older in sorted(pairs[: len(pairs) - len(beyond)], key=lambda pair: order[pair[0]]):
        compatibility = relate(older, newer) if directions else Compatibility()
        for direction in directions:
            for verdict in compatibility.verdicts:
                answer: Answer = getattr(verdict, direction)
                if answer is not Answer.YES:
                    yield Breach(older, newer, direction, answer, verdict)
    for newer, older in beyond:
        yield from (Breach(older, newer, direction, Answer.UNCLEAR, _TOO_MANY) for direction in directions)


MAX_PAIRS = 1_000
_TOO_MANY = Verdict(
    ROOT,
    "large",
    Answer.UNCLEAR,
    Answer.UNCLEAR,
    f"Of so many versions, the {MAX_PAIRS:,} nearest pairs are compared, and no others",
    "Keep fewer versions, or promise nothing of those far back.",
)


def _pairs(parents: Mapping[str, str], *, transitive: bool) -> Iterator[tuple[str, str]]:
    """Yield each version and the one that it was made from; then, if all before it count, those farther back."""
    chains = {vid: _chain(vid, parents) for vid in parents}
    while chains:
        for vid, chain in list(chains.items()):
            older = next(chain, None)
            if older is None:
                del chains[vid]
            else:
                yield vid, older
        if not transitive:
            return


def _chain(vid: str, parents: Mapping[str, str]) -> Iterator[str]:
    """Yield the versions before one, the nearest first."""
    chain = {vid}
    here = parents[vid]
    while here in parents and here not in chain:
        yield here
        chain.add(here)
        here = parents[here]
