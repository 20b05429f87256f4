"""Why a message does not fit the definitions that it comes near to: each constraint that it fails."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xregit.messages.constraints import Failure, plain_text
from xregit.messages.index import Filter, FilterSet, filter_set
from xregit.messages.result import Reason
from xregit.model.protocols import matching_fact
from xregit.protocols.cloudevents import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.messages.constraints import Constraint
    from xregit.messages.decoder import IncomingMessage


MAX_REASONS = 10
READABLE = "a message that can be read, with a valid CloudEvent if it carries one"


@dataclass(frozen=True, slots=True)
class SelectorTexts:
    """The texts that definitions demand, in order, under one key that says what kind of message it is."""

    attribute: str
    key: str
    of_event: bool
    texts: tuple[str, ...]

    @classmethod
    def of(cls, key: str, compared: FilterSet, *, of_event: bool) -> SelectorTexts:
        """Return what a sieve compares, which is that key alone."""
        tests = [item for each in compared.filters for item in (*each.envelope, *each.options)]
        return cls(tests[0].attribute, key, of_event, tuple(sorted({item.expected for item in tests})))

    def failure(self, message: IncomingMessage) -> Failure:
        """Return that no definition has what the message has there, with the text that begins most like it."""
        values = (message.attributes.get(self.key),) if self.of_event else message.fields.get(self.key, ())
        found = next((plain_text(value) for value in values if value is not None), None)
        near = _nearest(found, self.texts) if found else ""
        more = f'; the nearest is "{near}"' if near else ""
        return Failure(self.attribute, f"the {self.key} of a definition{more}", found)


@dataclass(frozen=True, slots=True)
class Selectors:
    """Definitions by the keys that say what kind of message it is, such as type or topic, a sieve for each key."""

    sieves: tuple[FilterSet, ...]
    filters: Mapping[str, Filter]
    known: tuple[SelectorTexts, ...]

    def selected(self, message: IncomingMessage) -> dict[str, Filter]:
        """Return the definitions that a message's own type, topic, subject, path or key selects."""
        found = (item for each in self.sieves for item, _ in each.found(message))
        return {item.xid: self.filters[item.xid] for item in found}

    def unlike(self, message: IncomingMessage) -> tuple[Reason, ...]:
        """Return, for a message that selects no definition, its values under these keys as the reason."""
        failed = tuple(each.failure(message) for each in self.known)
        there = tuple(failure for failure in failed if failure.found is not None)
        return (Reason("", there or failed),) if failed else ()


def selectors(filters: Iterable[Filter], protocol: str = "") -> Selectors:
    """Return the selectors among what filters compare."""
    listed = tuple(filters)
    known = matching_fact("selectors")
    keys = (*((key, True) for key in known[""]), *((key, False) for key in known.get(protocol, ()) if protocol))
    made = ((key, of_event, filter_set(_single_key_filters(listed, key, of_event=of_event))) for key, of_event in keys)
    told = [each for each in made if each[2].filters]
    return Selectors(
        tuple(item for _, _, item in told),
        {item.definition.xid: item for item in listed},
        tuple(SelectorTexts.of(key, item, of_event=of_event) for key, of_event, item in told),
    )


def nearest_reasons(selected: Mapping[str, Filter], message: IncomingMessage) -> tuple[Reason, ...]:
    """Return the definitions that a message comes near to, those first that it fails in the fewest ways."""
    found = (Reason(xid, tuple(_failures(item, message))) for xid, item in selected.items())
    failed = sorted((item for item in found if item.failed), key=lambda item: (len(item.failed), item.xid))
    return tuple(failed[:MAX_REASONS])


def unreadable_reasons(message: IncomingMessage) -> tuple[Reason, ...]:
    """Return what is wrong with a message by itself, whatever the definitions say."""
    failed = tuple(Failure("", READABLE, problem) for problem in message.problems)
    return (Reason("", failed),) if failed else ()


def _failures(item: Filter, message: IncomingMessage) -> Iterator[Failure]:
    found = list(item.failures(message))
    stated = {failure.attribute for failure in found}
    if item.definition.enveloped and message.attributes:
        for name in REQUIRED:
            attribute = f"envelopemetadata/{name}"
            if not message.attributes.get(name) and attribute not in stated:
                yield Failure(attribute, "any value")
    yield from found


def _single_key_filters(filters: Iterable[Filter], key: str, *, of_event: bool) -> Iterator[Filter]:
    """Give those filters that compare a property, comparing nothing else."""
    for item in filters:
        part = [
            each for each in (item.envelope if of_event else item.options) if each.key == key and _discriminates(each)
        ]
        if part:
            said = item.definition
            anyhow = replace(said, mode="", format="") if said.mode or said.format else said
            yield Filter(anyhow, tuple(part) if of_event else (), () if of_event else tuple(part))


def _nearest(text: str, texts: tuple[str, ...]) -> str:
    """Return the one of ordered texts that shares the longest beginning with a text, if that is half of it."""
    place = bisect(texts, text)
    found = [(_common_length(text, other), other) for other in texts[max(place - 1, 0) : place + 1]]
    length, near = max(found, default=(0, ""))
    return near if 2 * length >= len(text) else ""


def _common_length(one: str, other: str) -> int:
    """Return how many characters two texts begin with together; streams of what nobody knows ask for many."""
    same, differ = 0, min(len(one), len(other)) + 1
    while differ - same > 1:
        middle = (same + differ) // 2
        if other.startswith(one[:middle]):
            same = middle
        else:
            differ = middle
    return same


def _discriminates(item: Constraint) -> bool:
    """Tell whether not just any value will do."""
    return item.constant is not None or (item.template is not None and not item.template.alone)
