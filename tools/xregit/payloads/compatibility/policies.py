"""A schema's compatibility policy and its versions to what breaks the policy (core specification, "compatibility")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from xregit.payloads.compatibility.answers import Answer, Compatibility, Verdict
from xregit.records import record

_TRANSITIVE = "_transitive"
# What the new version owes to those before it.
DIRECTIONS: Mapping[str, tuple[str, ...]] = {
    "backward": ("backward",),
    "forward": ("forward",),
    "full": ("backward", "forward"),
}


@record
class Breach:
    """One change between two versions, by id, that breaks the promise, or may, in a direction."""

    older: str
    newer: str
    direction: str
    answer: Answer
    verdict: Verdict


def breaches(
    policy: str, ancestors: Mapping[str, Sequence[str]], relate: Callable[[str, str], Compatibility]
) -> Iterator[Breach]:
    """Give what breaks a policy such as ``backward`` or ``full_transitive``; any other promises nothing.

    ``ancestors`` are the versions before each, the nearest first; ``relate`` compares an older and a newer one.
    """
    directions = DIRECTIONS.get(policy.removesuffix(_TRANSITIVE), ())
    for newer, before in ancestors.items():
        for older in before if policy.endswith(_TRANSITIVE) else before[:1]:
            found = relate(older, newer) if directions else Compatibility()
            for direction in directions:
                for verdict in found.verdicts:
                    answer: Answer = getattr(verdict, direction)
                    if answer is not Answer.YES:
                        yield Breach(older, newer, direction, answer, verdict)
