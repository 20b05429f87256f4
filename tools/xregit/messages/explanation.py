"""Why a message does not fit the definitions that it comes near to: each constraint that it fails."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, replace
from itertools import takewhile
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
class Selector:
    """A key that says what kind of message it is, such as type or topic, and definitions by what they demand there.

    ``filters`` compare that key alone, ``texts`` are what they demand, in order.
    """

    key: str
    of_event: bool
    attribute: str
    texts: tuple[str, ...]
    filters: FilterSet

    def failure(self, message: IncomingMessage) -> Failure:
        """Return the failure of a message whose text no definition has, with the text that begins most like it."""
        values = (message.attributes.get(self.key),) if self.of_event else message.fields.get(self.key, ())
        text = next((plain_text(value) for value in values if value is not None), None)
        near = _nearest(text, self.texts) if text else ""
        more = f'; the nearest is "{near}"' if near else ""
        return Failure(self.attribute, f"the {self.key} of a definition{more}", text)


@dataclass(frozen=True, slots=True)
class Selectors:
    """Definitions, as filters by their xids, and the keys that say which of them a message comes near to."""

    filters: Mapping[str, Filter]
    keys: tuple[Selector, ...]

    def selected(self, message: IncomingMessage) -> dict[str, Filter]:
        """Return the definitions that a message's own type, topic, subject, path or key selects."""
        definitions = (definition for each in self.keys for definition, _ in each.filters.matches(message))
        return {definition.xid: self.filters[definition.xid] for definition in definitions}

    def unknown_value_reasons(self, message: IncomingMessage) -> tuple[Reason, ...]:
        """Return, for a message that selects no definition, its values under these keys as the reason."""
        failed = tuple(each.failure(message) for each in self.keys)
        present = tuple(failure for failure in failed if failure.found is not None)
        return (Reason("", present or failed),) if failed else ()


def selectors(filters: Iterable[Filter], protocol: str = "") -> Selectors:
    """Return the selectors among what filters compare."""
    by_xid = {item.definition.xid: item for item in filters}
    names = matching_fact("selectors")
    keys = []
    of_protocol = names.get(protocol, ()) if protocol else ()
    for key, of_event in (*((key, True) for key in names[""]), *((key, False) for key in of_protocol)):
        filters_of_key = filter_set(_single_key_filters(by_xid.values(), key, of_event=of_event))
        compared = [item for each in filters_of_key.filters for item in (*each.envelope, *each.options)]
        if compared:
            texts = tuple(sorted({item.expected for item in compared}))
            keys.append(Selector(key, of_event, compared[0].attribute, texts, filters_of_key))
    return Selectors(by_xid, tuple(keys))


def nearest_reasons(selected: Mapping[str, Filter], message: IncomingMessage) -> tuple[Reason, ...]:
    """Return the definitions that a message comes near to, those first that it fails in the fewest ways."""
    reasons = (Reason(xid, tuple(_failures(item, message))) for xid, item in selected.items())
    failed = sorted((item for item in reasons if item.failed), key=lambda item: (len(item.failed), item.xid))
    return tuple(failed[:MAX_REASONS])


def unreadable_reasons(message: IncomingMessage) -> tuple[Reason, ...]:
    """Return what is wrong with a message by itself, whatever the definitions say."""
    failed = tuple(Failure("", READABLE, problem) for problem in message.problems)
    return (Reason("", failed),) if failed else ()


def _failures(item: Filter, message: IncomingMessage) -> Iterator[Failure]:
    failures = list(item.failures(message))
    attributes = {failure.attribute for failure in failures}
    if item.definition.enveloped and message.attributes:
        for name in REQUIRED:
            attribute = f"envelopemetadata/{name}"
            if not message.attributes.get(name) and attribute not in attributes:
                yield Failure(attribute, "any value")
    yield from failures


def _single_key_filters(filters: Iterable[Filter], key: str, *, of_event: bool) -> Iterator[Filter]:
    """Yield those filters that compare a property, comparing nothing else."""
    for item in filters:
        part = [
            each for each in (item.envelope if of_event else item.options) if each.key == key and _discriminates(each)
        ]
        if part:
            definition = item.definition
            definition = replace(definition, mode="", format="") if definition.mode or definition.format else definition
            yield Filter(definition, tuple(part) if of_event else (), () if of_event else tuple(part))


def _nearest(text: str, texts: tuple[str, ...]) -> str:
    """Return the one of ordered texts that shares the longest beginning with a text, if that is half of it."""
    place = bisect(texts, text)
    candidates = [(_shared_length(text, other), other) for other in texts[max(place - 1, 0) : place + 1]]
    length, near = max(candidates, default=(0, ""))
    return near if 2 * length >= len(text) else ""


def _shared_length(one: str, other: str) -> int:
    """Return the length of the beginning that two texts share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _discriminates(item: Constraint) -> bool:
    """Return whether only some values will do."""
    return item.constant is not None or (item.template is not None and not item.template.alone)
