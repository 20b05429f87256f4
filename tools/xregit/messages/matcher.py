"""Match messages to the definitions that they fit: none, one or many (message/spec.md "Message Definition Matching").

A message over a protocol is compared with the definitions bound to that protocol first; if none fits, its event is
compared with those that are bound to none. An event by itself is compared with those that are bound to none first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from xregit.arguments import expect
from xregit.catalog import Endpoint, Message, MessageGroup, Registry
from xregit.catalog.registry import expect_registry
from xregit.catalog.views import EntityView
from xregit.errors import XregitError
from xregit.messages.constraints import Failure
from xregit.messages.decoder import IncomingMessage, Input, decode, map_event
from xregit.messages.definition import Definition, target, to_definition
from xregit.messages.explanation import (
    BAD_PAYLOAD,
    Selectors,
    guess_by_payload,
    lookup_by_name,
    nearest_reasons,
    selectors,
    unreadable_reasons,
)
from xregit.messages.index import Filter, FilterSet, event_filter, filter_set, native_filter, whole_filter
from xregit.messages.payload import PayloadSchemas, payload_schemas
from xregit.messages.result import DefinitionMatch, Match, Reason
from xregit.model.similarity import suggest_similar

Hits = list[tuple["Definition", dict[str, str]]]


class Matcher:
    """Recognises messages by the definitions of a registry, or of what one endpoint or group of it carries.

    It is made once and never changes, holds plain data only, and so can be pickled and sent anywhere.
    """

    __slots__ = ("_schemas", "_size", "_stages")

    def __init__(
        self, registry: Registry, endpoint: str | Endpoint = "", group: str | MessageGroup | Endpoint = ""
    ) -> None:
        """Take the definitions of the whole registry, of an endpoint's contract or of a group.

        ``endpoint`` and ``group`` are xids, or the things themselves.

        Raises:
            XregitError: there is no such endpoint or group, or what is given is no registry.
        """
        expect_registry(registry)
        messages = {message.xid: message for message in map(target, scope(registry, endpoint, group))}
        self._stages: Stages = build_stages(to_definition(messages[xid]) for xid in sorted(messages))
        self._schemas: PayloadSchemas = payload_schemas(registry, messages.values())
        self._size = len(messages)

    def __repr__(self) -> str:
        """Return how many definitions it compares with."""
        return f"<Matcher of {self._size} definitions>"

    def match(self, message: Input, *, explain: bool = False, payloads: bool = True) -> Match:
        """Return which definitions a message fits; ``explain`` adds why those that it comes near to do not fit.

        The message is a `Wire`, its JSON shape, or the text of that. One that can't be read fits none, and the result's
        ``problems`` say why; so it is with a batch of several events, for which `each` has a result for every one.
        A payload that breaks its schema is always a reason. Without ``payloads``, schemas only decide between several
        definitions.
        """
        items = decode(message)
        if len(items) > 1:
            return Match(problems=(f"The message is a batch of {len(items)} events; each has a result of its own.",))
        return self.match_message(items[0], explain=explain, payloads=payloads)

    def each(self, message: Input, *, explain: bool = False, payloads: bool = True) -> tuple[Match, ...]:
        """Return the result for each CloudEvent of a batch, or the one result for any other message."""
        return tuple(self.match_message(item, explain=explain, payloads=payloads) for item in decode(message))

    def guess(self, clue: str | dict[str, Any] | list[Any]) -> Match:
        """Return the definitions that a part of a message points to.

        A text is its type, topic, path, subject or key. Any other value is its payload, which the schema must accept;
        of several definitions those count that know most of its members.
        """
        if isinstance(clue, str):
            return lookup_by_name(clue, self._stages.selecting.values())
        return guess_by_payload(clue, self._schemas)

    def match_message(self, message: IncomingMessage, *, explain: bool = False, payloads: bool = True) -> Match:
        """Return which definitions a decoded message fits."""
        hits = candidates = self._hits(message)
        if len(hits) > 1 or payloads:
            hits = [hit for hit in hits if not self._faults(hit[0], message)]
        tombstone = bool(candidates) and not hits and is_tombstone(message)
        if tombstone:
            hits = candidates
        event, mapped = message.event, False
        if event is None and len(hits) == 1 and message.mode == "":
            event = map_event(*hits[0], message)
            mapped = event is not None
        matches = tuple([DefinitionMatch(definition.xid, context) for definition, context in hits])
        unfit = [hit for hit in candidates if hit not in hits] if explain or not hits else []
        unable = (*unreadable_reasons(message), *self._unfit(message, unfit)) if unfit or message.problems else ()
        reasons = self._reasons(message, candidates, unable) if explain else unable
        problems = message.problems if message.wire is None else ()
        return Match(matches, event, mapped, reasons, problems, tombstone=tombstone)

    def _hits(self, message: IncomingMessage) -> Hits:
        for filters in self._stages.stages_for(message):
            hits = filters.matches(message)
            if hits:
                return hits
        return [(item, {}) for item in self._stages.payload_only if self._schemas.accepts(item, message)]

    def _faults(self, definition: Definition, message: IncomingMessage) -> tuple[str, ...]:
        return self._schemas.problems(definition.xid, message)

    def _reasons(self, message: IncomingMessage, candidates: Hits, unable: tuple[Reason, ...]) -> tuple[Reason, ...]:
        index = self._stages.selectors(message)
        selected = index.selected(message) if index else {}
        reasons = (*unable, *nearest_reasons(selected, message))
        if reasons or selected or candidates:
            return reasons
        return index.unknown_value_reasons(message) if index else self._stages.unknown_protocol_reasons(message)

    def _unfit(self, message: IncomingMessage, hits: Hits) -> Iterator[Reason]:
        """Yield the definitions that only the payload keeps off."""
        for definition, _ in hits:
            faults = self._faults(definition, message)
            yield Reason(definition.xid, tuple(Failure("dataschema", BAD_PAYLOAD, each) for each in faults))


def is_tombstone(message: IncomingMessage) -> bool:
    """Return whether a message is a record of Kafka without value, by which its key is deleted."""
    return message.protocol == "KAFKA" and message.wire is not None and message.data is None


def scope(
    registry: Registry, endpoint: str | Endpoint = "", group: str | MessageGroup | Endpoint = ""
) -> tuple[Message, ...]:
    """Return the messages that one endpoint carries, that one group holds, or all of them.

    Raises:
        XregitError: there is no such endpoint or group.
    """
    endpoint, group = _xid(endpoint), _xid(group)
    if endpoint:
        endpoints = {item.xid: item for item in registry.endpoints}
        contract = endpoints[_check_xid(endpoint, endpoints)].contract
        return tuple(entry.message for entry in contract if not group or entry.via == group)
    if group:
        _check_xid(group, [*(item.xid for item in registry.messagegroups), *(item.xid for item in registry.endpoints)])
    return tuple(item for item in registry.messages if item.xid.startswith(f"{group}/messages/" if group else ""))


def _xid(one: str | EntityView) -> str:
    if isinstance(one, EntityView):
        return one.xid
    expect(str, one, "give an endpoint or message group, or its xid")
    return one


def _check_xid(xid: str, xids: Iterable[str]) -> str:
    listed = list(xids)
    if xid in listed:
        return xid
    message = f'there is no endpoint or message group "{xid}". {suggest_similar(xid, listed)}'
    raise XregitError(message.rstrip())


#: Whether a message carries a CloudEvent: a valid one, none, or one that is not valid.
VALID, NONE, INVALID = "valid", "none", "invalid"


@dataclass(frozen=True, slots=True)
class Stages:
    """The filter sets for each kind of message: its protocol, and whether it carries a CloudEvent.

    ``stages`` are tried one after the other, each only if nothing in the one before fits; ``others`` are those for
    protocols without definitions. ``selecting`` finds the definitions that a message comes near to, by its protocol and
    whether it carries an event; ``unbound`` does so for an event over a protocol without definitions. ``payload_only``
    are the definitions that declare nothing but a payload.
    """

    stages: Mapping[tuple[str, str], tuple[FilterSet, ...]]
    selecting: Mapping[tuple[str, bool], Selectors]
    payload_only: tuple[Definition, ...]
    others: Mapping[str, tuple[FilterSet, ...]]
    unbound: Selectors

    def stages_for(self, message: IncomingMessage) -> tuple[FilterSet, ...]:
        """Return the filter sets for a message, in the order in which they are to be tried."""
        kind = VALID if message.event is not None else INVALID if message.problems else NONE
        stages = self.stages.get((message.protocol, kind))
        return stages if stages is not None else self.others[kind]

    def selectors(self, message: IncomingMessage) -> Selectors | None:
        """Return what tells which definitions a message comes near to, whether its event is valid or not."""
        has_event = bool(message.attributes)
        return self.selecting.get((message.protocol, has_event), self.unbound if has_event else None)

    def unknown_protocol_reasons(self, message: IncomingMessage) -> tuple[Reason, ...]:
        """Return the reason that no definition is bound to the protocol of a message without an event."""
        bound = ", ".join(sorted({protocol for protocol, _ in self.selecting if protocol}))
        expected = (
            f"the protocol of a definition, such as {bound}"
            if bound
            else "no protocol, as no definition is bound to one"
        )
        return (Reason("", (Failure("protocol", expected, message.protocol),)),) if message.protocol else ()


def build_stages(definitions: Iterable[Definition]) -> Stages:
    """Return the filter sets of definitions that come in the order of their xids."""
    events: list[Definition] = []
    payload_only: list[Definition] = []
    protocols: defaultdict[str, list[Definition]] = defaultdict(list)
    for item in definitions:
        if item.protocol:
            protocols[item.protocol].append(item)
        elif item.enveloped:
            events.append(item)
        else:
            payload_only.append(item)
    bound = sorted((item for items in protocols.values() for item in items if item.enveloped), key=attrgetter("xid"))
    free = filter_set(map(event_filter, events))
    stages: dict[tuple[str, str], tuple[FilterSet, ...]] = {("", VALID): (free, filter_set(map(event_filter, bound)))}
    for name, items in protocols.items():
        plain = [item for item in items if not item.enveloped]
        native = filter_set(_native_filters(items))
        mixed = len(plain) < len(items)
        stages[name, VALID] = (filter_set(map(whole_filter, items)) if mixed else native, free)
        stages[name, NONE] = (native,)
        stages[name, INVALID] = (filter_set(_native_filters(plain)) if mixed else native,)
    others = {VALID: (free,), NONE: (), INVALID: ()}
    unbound = selectors(map(event_filter, events))
    return Stages(stages, _build_selectors(events, bound, protocols), tuple(payload_only), others, unbound)


def _build_selectors(
    events: list[Definition], bound: list[Definition], protocols: Mapping[str, list[Definition]]
) -> dict[tuple[str, bool], Selectors]:
    result = {("", True): selectors(map(event_filter, (*events, *bound)))}
    for name, items in protocols.items():
        result[name, False] = selectors(map(native_filter, items), name)
        filters = (*map(whole_filter, items), *map(event_filter, events))
        with_events = events or any(item.enveloped for item in items)
        result[name, True] = selectors(filters, name) if with_events else result[name, False]
    return result


def _native_filters(definitions: Iterable[Definition]) -> Iterator[Filter]:
    """Yield the filters of those definitions that their protocol's own values can tell."""
    filters = map(native_filter, definitions)
    return (item for item in filters if not item.definition.enveloped or any(each.mandatory for each in item.options))
