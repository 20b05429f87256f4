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
from xregit.messages.sieves import Filter, Sieve, event_filter, native_filter, sieve, whole_filter
from xregit.messages.verifying import Failure
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.messages.definitions import Definition
    from xregit.messages.reading import Received

#: Whether a message carries a CloudEvent: a valid one, none, or one that is not valid.
VALID, NONE, INVALID = "valid", "none", "invalid"


@record
class Sieves:
    """The sieves for each kind of message: its protocol, and whether it carries a CloudEvent.

    ``tiers`` are tried one after the other, each only if nothing in the one before fits; ``others`` are those for
    protocols without definitions. ``selecting`` finds the definitions that a message comes near to, by its protocol and
    whether it carries an event; ``unbound`` does so for an event over a protocol without definitions. ``payloads`` are
    the definitions that declare nothing but a payload.
    """

    tiers: Mapping[tuple[str, str], tuple[Sieve, ...]]
    selecting: Mapping[tuple[str, bool], Selectors]
    payloads: tuple[Definition, ...]
    others: Mapping[str, tuple[Sieve, ...]]
    unbound: Selectors

    def to_try(self, message: Received) -> tuple[Sieve, ...]:
        """Return the sieves for a message, in the order in which they are to be tried."""
        kind = VALID if message.event is not None else INVALID if message.problems else NONE
        found = self.tiers.get((message.protocol, kind))
        return found if found is not None else self.others[kind]

    def selectors(self, message: Received) -> Selectors | None:
        """Return what tells which definitions a message comes near to, whether its event is valid or not."""
        told = bool(message.attributes)
        return self.selecting.get((message.protocol, told), self.unbound if told else None)

    def unlike(self, message: Received) -> tuple[Reason, ...]:
        """Return the reason that no definition is bound to the protocol of a message without an event."""
        bound = ", ".join(sorted({protocol for protocol, _ in self.selecting if protocol}))
        expected = (
            f"the protocol of a definition, such as {bound}"
            if bound
            else "no protocol, as no definition is bound to one"
        )
        return (Reason("", (Failure("protocol", expected, message.protocol),)),) if message.protocol else ()


def sieves(definitions: Iterable[Definition]) -> Sieves:
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
    free = sieve(map(event_filter, events))
    tiers: dict[tuple[str, str], tuple[Sieve, ...]] = {("", VALID): (free, sieve(map(event_filter, bound)))}
    for name, items in protocols.items():
        plain = [item for item in items if not item.enveloped]
        native = sieve(_native(items))
        mixed = len(plain) < len(items)
        tiers[name, VALID] = (sieve(map(whole_filter, items)) if mixed else native, free)
        tiers[name, NONE] = (native,)
        tiers[name, INVALID] = (sieve(_native(plain)) if mixed else native,)
    others = {VALID: (free,), NONE: (), INVALID: ()}
    unbound = selectors(map(event_filter, events))
    return Sieves(tiers, _selecting(events, bound, protocols), tuple(payloads), others, unbound)


def _selecting(
    events: list[Definition], bound: list[Definition], protocols: Mapping[str, list[Definition]]
) -> dict[tuple[str, bool], Selectors]:
    found = {("", True): selectors(map(event_filter, (*events, *bound)))}
    for name, items in protocols.items():
        found[name, False] = selectors(map(native_filter, items), name)
        filters = (*map(whole_filter, items), *map(event_filter, events))
        told = events or any(item.enveloped for item in items)
        found[name, True] = selectors(filters, name) if told else found[name, False]
    return found


def _native(definitions: Iterable[Definition]) -> Iterator[Filter]:
    """Give the filters of those definitions that their protocol's own values can tell."""
    filters = map(native_filter, definitions)
    return (item for item in filters if not item.definition.enveloped or any(each.binding for each in item.options))


def _by_xid(definition: Definition) -> str:
    return definition.xid
