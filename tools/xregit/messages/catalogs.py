"""All definitions in question, sorted by the messages that each can be tested on.

Decided in design.md, part 5: a message is tested on what its protocol's definitions say; where none of them fits, its
event is tested on the definitions that are bound to no protocol, and the other way round for an event by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.messages.explaining import Selectors, selectors
from xregit.messages.sieves import Filter, Sieve, event_filter, native_filter, sieve, whole_filter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.messages.definitions import Definition
    from xregit.messages.reading import Received


@dataclass(frozen=True, slots=True)
class Sieves:
    """The sieves for each kind of message.

    ``events`` has the definitions of events without a protocol, ``bound`` the events of those with one. By protocol,
    ``whole`` is for messages that carry an event, ``native`` for those that don't, and ``plain`` for those whose event
    is not valid. ``payloads`` are definitions that say nothing but what the payload is. ``selecting`` explains, by
    protocol and whether there is an event.
    """

    events: Sieve
    bound: Sieve
    whole: Mapping[str, Sieve]
    native: Mapping[str, Sieve]
    plain: Mapping[str, Sieve]
    payloads: tuple[Definition, ...]
    selecting: Mapping[tuple[str, bool], Selectors]

    def tiers(self, message: Received) -> Iterator[Sieve]:
        """Give the sieves to try, the next one only where nothing in the one before fits."""
        if message.event is None:
            table = self.plain if message.problems else self.native
            if message.protocol in table:
                yield table[message.protocol]
            return
        if not message.protocol:
            yield self.events
            yield self.bound
            return
        if message.protocol in self.whole:
            yield self.whole[message.protocol]
        yield self.events

    def selectors(self, message: Received) -> Selectors | None:
        """Return what tells which definitions a message comes near to, whether its event is valid or not."""
        return self.selecting.get((message.protocol, bool(message.attributes)))


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
    bound = [item for items in protocols.values() for item in items if item.enveloped]
    return Sieves(
        events=sieve(map(event_filter, events)),
        bound=sieve(map(event_filter, sorted(bound, key=_by_xid))),
        whole={name: sieve(map(whole_filter, items)) for name, items in protocols.items()},
        native={name: sieve(_native(items)) for name, items in protocols.items()},
        plain={name: sieve(_native(item for item in items if not item.enveloped)) for name, items in protocols.items()},
        payloads=tuple(payloads),
        selecting=_selecting(events, bound, protocols),
    )


def _selecting(
    events: list[Definition], bound: list[Definition], protocols: Mapping[str, list[Definition]]
) -> dict[tuple[str, bool], Selectors]:
    found = {("", True): selectors(map(event_filter, (*events, *bound)))}
    for name, items in protocols.items():
        found[name, True] = selectors((*map(whole_filter, items), *map(event_filter, events)), name)
        found[name, False] = selectors(map(native_filter, items), name)
    return found


def _native(definitions: Iterable[Definition]) -> Iterator[Filter]:
    """Give the filters of those definitions that their protocol's own values can tell."""
    filters = map(native_filter, definitions)
    return (item for item in filters if not item.definition.enveloped or any(each.binding for each in item.options))


def _by_xid(definition: Definition) -> str:
    return definition.xid
