"""Definitions to the sieves for each kind of message, in the order in which they are tried.

A message over a protocol is tested on the definitions bound to that protocol first; if none fits, its event is tested
on those that are bound to none. An event by itself is tested on those that are bound to none first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from xregit.messages.explaining import Selectors, selectors
from xregit.messages.results import Reason
from xregit.messages.sieves import Filter, FilterSet, event_filter, native_filter, filter_set, whole_filter
from xregit.messages.verifying import Failure
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.messages.definitions import Definition
    from xregit.messages.reading import IncomingMessage

#: Whether a message carries a CloudEvent: a valid one, none, or one that is not valid.
VALID, NONE, INVALID = "valid", "none", "invalid"


@record
class Stages:
    """The sieves for each kind of message: its protocol, and whether it carries a CloudEvent.

    ``tiers`` are tried one after the other, each only if nothing in the one before fits; ``others`` are those for
    protocols without definitions. ``selecting`` finds the definitions that a message comes near to, by its protocol and
    whether it carries an event; ``unbound`` does so for an event over a protocol without definitions. ``payloads`` are
    the definitions that declare nothing but a payload.
    """

    tiers: Mapping[tuple[str, str], tuple[FilterSet, ...]]
    selecting: Mapping[tuple[str, bool], Selectors]
    payloads: tuple[Definition, ...]
    others: Mapping[str, tuple[FilterSet, ...]]
    unbound: Selectors

    def to_try(self, message: IncomingMessage) -> tuple[FilterSet, ...]:
        """Return the sieves for a message, in the order in which they are to be tried."""
        kind = VALID if message.event is not None else INVALID if message.problems else NONE
        found = self.tiers.get((message.protocol, kind))
        return found if found is not None else self.others[kind]

    def selectors(self, message: IncomingMessage) -> Selectors | None:
        """Return what tells which definitions a message comes near to, whether its event is valid or not."""
        told = bool(message.attributes)
        return self.selecting.get((message.protocol, told), self.unbound if told else None)

    def unlike(self, message: IncomingMessage) -> tuple[Reason, ...]:
        """Return the reason that no definition is bound to the protocol of a message without an event."""
        bound = ", ".join(sorted({protocol for protocol, _ in self.selecting if protocol}))
        expected = (
            f"the protocol of a definition, such as {bound}"
            if bound
            else "no protocol, as no definition is bound to one"
        )
        return (Reason("", (Failure("protocol", expected, message.protocol),)),) if message.protocol else ()


def build_stages(definitions: Iterable[Definition]) -> Stages:
    """Return the sieves of definitions that come in the order of their xids."""
    events: list[Definition] = []
    payloads: list[Definition] = []
    protocols: defaultdict[str, list[Definition]] = defaultdict(list)
    for item in definitions:
        if item.protocol:
            protocols[item.protocol].append(item)
        elif item.enveloped:
            events.append(item)
        else:
            payloads.append(item)
    bound = sorted((item for items in protocols.values() for item in items if item.enveloped), key=_by_xid)
    free = filter_set(map(event_filter, events))
    tiers: dict[tuple[str, str], tuple[FilterSet, ...]] = {("", VALID): (free, filter_set(map(event_filter, bound)))}
    for name, items in protocols.items():
        plain = [item for item in items if not item.enveloped]
        native = filter_set(_native_filters(items))
        mixed = len(plain) < len(items)
        tiers[name, VALID] = (filter_set(map(whole_filter, items)) if mixed else native, free)
        tiers[name, NONE] = (native,)
        tiers[name, INVALID] = (filter_set(_native_filters(plain)) if mixed else native,)
    others = {VALID: (free,), NONE: (), INVALID: ()}
    unbound = selectors(map(event_filter, events))
    return Stages(tiers, _build_selectors(events, bound, protocols), tuple(payloads), others, unbound)


def _build_selectors(
    events: list[Definition], bound: list[Definition], protocols: Mapping[str, list[Definition]]
) -> dict[tuple[str, bool], Selectors]:
    found = {("", True): selectors(map(event_filter, (*events, *bound)))}
    for name, items in protocols.items():
        found[name, False] = selectors(map(native_filter, items), name)
        filters = (*map(whole_filter, items), *map(event_filter, events))
        told = events or any(item.enveloped for item in items)
        found[name, True] = selectors(filters, name) if told else found[name, False]
    return found


def _native_filters(definitions: Iterable[Definition]) -> Iterator[Filter]:
    """Give the filters of those definitions that their protocol's own values can tell."""
    filters = map(native_filter, definitions)
    return (item for item in filters if not item.definition.enveloped or any(each.binding for each in item.options))


def _by_xid(definition: Definition) -> str:
    return definition.xid
