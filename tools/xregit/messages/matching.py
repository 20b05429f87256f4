"""Messages to the definitions that they fit: none, one or many (message/spec.md "Message Definition Matching")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.arguments import expect
from xregit.catalog.registry import expect_registry
from xregit.catalog.views import EntityView
from xregit.collecting import uncollected
from xregit.errors import XregitError
from xregit.messages.deciding import BatchMatcher
from xregit.messages.definitions import definition, target
from xregit.messages.explaining import nearest_reasons, unreadable_reasons
from xregit.messages.mapping import map_event
from xregit.messages.reading import IncomingMessage, decode
from xregit.messages.results import Match, DefinitionMatch, Reason
from xregit.messages.schemas import PayloadSchemas, payload_schemas
from xregit.messages.tiers import VALID, Stages, build_stages
from xregit.messages.verifying import Failure
from xregit.model.faults import guess

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.catalog import Endpoint, Message, MessageGroup, Registry
    from xregit.messages.definitions import Definition
    from xregit.messages.reading import Input

Hits = list[tuple["Definition", dict[str, str]]]


class Matcher:
    """Recognises messages by the definitions of a registry, or of what one endpoint or group of it carries.

    It is made once and never changes, holds plain data only, and so can be pickled and sent anywhere.
    """

    __slots__ = ("_payloads", "_sieves", "_size")

    def __init__(
        self, registry: Registry, endpoint: str | Endpoint = "", group: str | MessageGroup | Endpoint = ""
    ) -> None:
        """Take the definitions of the whole registry, of an endpoint's contract or of a group.

        Endpoint and group are named by their xids, or handed over themselves.

        Raises:
            XregitError: there is no such endpoint or group, or what is given is no registry.
        """
        expect_registry(registry)
        with uncollected():
            found = {message.xid: message for message in map(target, scope(registry, endpoint, group))}
            self._sieves: Stages = build_stages(definition(found[xid]) for xid in sorted(found))
            self._payloads: PayloadSchemas = payload_schemas(registry, found)
        self._size = len(found)

    def __repr__(self) -> str:
        """Return how many definitions it compares with."""
        return f"<Matcher of {self._size} definitions>"

    def match(self, message: Input, *, explain: bool = False) -> Match:
        """Return which definitions a message fits; ``explain`` adds why those that it comes near to do not fit.

        The message is a `Wire`, its JSON shape, or the text of that. One that can't be read fits none, and the result's
        ``problems`` say why; so it is with a batch of several events, for which `each` has a result for every one.
        """
        items = decode(message)
        if len(items) > 1:
            return Match(problems=(f"The message is a batch of {len(items)} events; each has a result of its own.",))
        return self.recognised(items[0], explain=explain)

    def each(self, message: Input, *, explain: bool = False) -> tuple[Match, ...]:
        """Return the result for each CloudEvent of a batch, or the one result for any other message."""
        return tuple(self.recognised(item, explain=explain) for item in decode(message))

    def recognised(self, message: IncomingMessage, *, explain: bool = False) -> Match:
        """Return which definitions a message fits that was read already."""
        hits = rejected = self._hits(message)
        if len(hits) > 1:
            hits = [hit for hit in hits if not self._faults(hit[0], message)]
        event, mapped = message.event, False
        if event is None and len(hits) == 1 and message.mode == "":
            event = map_event(*hits[0], message)
            mapped = event is not None
        matches = tuple([DefinitionMatch(found.xid, context) for found, context in hits])  # faster than from a generator
        reasons = self._reasons(message, rejected) if explain else ()
        return Match(matches, event, mapped, reasons, message.problems if message.wire is None else ())

    def misses(self, message: IncomingMessage) -> tuple[Reason, ...]:
        """Return why one message does not fit the definitions that it comes near to; it is known to fit none."""
        return self._reasons(message, [])

    def decider(self) -> BatchMatcher:
        """Return what answers for many CloudEvents at once, each by itself and without protocol."""
        tiers = self._sieves.tiers["", VALID]
        return BatchMatcher((each.filters for each in tiers), tells_none=not self._sieves.payloads)

    def _hits(self, message: IncomingMessage) -> Hits:
        for sieve in self._sieves.to_try(message):
            hits = sieve.found(message)
            if hits:
                return hits
        return [(item, {}) for item in self._sieves.payloads if self._payloads.accepts(item, message)]

    def _faults(self, found: Definition, message: IncomingMessage) -> tuple[str, ...]:
        return self._payloads.problems(found.xid, message.body, message.contenttype)

    def _reasons(self, message: IncomingMessage, hits: Hits) -> tuple[Reason, ...]:
        known = self._sieves.selectors(message)
        selected = known.selected(message) if known else {}
        found = (*unreadable_reasons(message), *self._unfit(message, hits), *nearest_reasons(selected, message))
        if found or selected or hits:
            return found
        return known.unlike(message) if known else self._sieves.unlike(message)

    def _unfit(self, message: IncomingMessage, hits: Hits) -> tuple[Reason, ...]:
        """Return those of several definitions that only the payload keeps off."""
        if len(hits) == 1:
            return ()
        found = ((item.xid, self._faults(item, message)) for item, _ in hits)
        expected = "a payload that the schema accepts"
        return tuple(
            Reason(xid, tuple(Failure("dataschema", expected, fault) for fault in faults))
            for xid, faults in found
            if faults
        )


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


def _check_xid(xid: str, known: Iterable[str]) -> str:
    listed = list(known)
    if xid in listed:
        return xid
    message = f'there is no endpoint or message group "{xid}". {guess(xid, listed)}'
    raise XregitError(message.rstrip())
