"""A definition, a context and a payload to a message on the wire (message/spec.md: "when creating a message")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from xregit.arguments import expect
from xregit.catalog.references import local_xid
from xregit.catalog.views import Message, text_of
from xregit.errors import XregitError
from xregit.messages.definitions import definition
from xregit.messages.example import (
    EXAMPLE_ID,
    EXAMPLE_TIME,
    endpoint_protocols,
    example_context,
    example_payload,
)
from xregit.messages.giving import Assignments, assign
from xregit.messages.payloading import NO_DATA, NO_PAYLOAD, Payload, encode_payload
from xregit.messages.reading import decode
from xregit.messages.schemas import payload_schemas
from xregit.messages.sieves import event_filter, whole_filter
from xregit.messages.values import Inputs, attribute_values, option_values
from xregit.model import canonical as spelled
from xregit.model.mediatypes import without_parameters
from xregit.model.names import EVENT_JSON
from xregit.model.quoting import either, shown
from xregit.protocols import Event, Wire, WireError, assemble, bind
from xregit.protocols.binding import missing_fields
from xregit.protocols.carriers import BINARY, STRUCTURED, carrier
from xregit.protocols.events import announces_event
from xregit.records import record

if TYPE_CHECKING:
    from xregit.messages.definitions import Definition
    from xregit.messages.sieves import Filter
    from xregit.protocols.carriers import Carrier

Now = datetime | Callable[[], datetime]
NewId = str | Callable[[], str]
Fields = Mapping[str, Sequence[Any]]


#: What an event without protocol is called.
BARE_EVENT = "CloudEvent"
# What a message is made from.
VALUES, PAYLOAD, PROTOCOL = "values", "payload", "protocol"


class MessageError(XregitError):
    """A message that can't be made; ``problems`` has all that is missing or wrong.

    ``lacks`` says what of ``VALUES``, ``PAYLOAD`` and ``PROTOCOL`` would help.
    """

    exit_code = 1

    def __init__(self, xid: str, problems: tuple[str, ...], lacks: frozenset[str] = frozenset()) -> None:
        """Keep the problems, at least one."""
        self.problems = problems
        self.lacks = lacks
        super().__init__(f'no message was made from "{xid}": {"; ".join(problems)}')


@record
class Variant:
    """One message on the wire: by which protocol and in which mode; ``reason`` says why there is none."""

    protocol: str
    mode: str
    wire: Wire | None
    reason: str = ""


@record
class MessageDraft:
    """A definition with a context and a payload filled in, before a mode is chosen.

    ``attributes`` are the event's, ``fields`` the protocol's own values by their keys; ``problems`` has all that is
    missing or wrong. Messages in several modes are made from one.
    """

    message: Message
    asked: Definition
    protocol: str
    said: Assignments
    attributes: Mapping[str, Any]
    fields: Mapping[str, list[Any]]
    body: Payload
    problems: tuple[str, ...] = ()

    @cached_property
    def asking(self) -> Filter:
        """What the definition compares of such a message, in whatever mode."""
        return whole_filter(self.asked) if self.protocol else event_filter(self.asked)


def new(  # noqa: PLR0913 - what a message is made from, and what is left open
    message: Message,
    context: Mapping[str, Any] | None = None,
    data: Any = NO_DATA,
    *,
    example: bool = False,
    now: Now | None = None,
    new_id: NewId | None = None,
    mode: str = "",
    protocol: str = "",
) -> Wire:
    """Return a correct message made from a definition.

    ``context`` has a text for each placeholder, and values of properties that the definition leaves open. ``data`` is
    the payload's bytes or its value. With ``example``, what both leave out is filled as in the examples of the docs
    site. ``now`` is the time and ``new_id`` the id of a new event, or a function that returns it; by default the
    current time and a random UUID. ``mode`` and ``protocol`` choose where the definition leaves that open; without a
    protocol it is a bare CloudEvent.

    Raises:
        MessageError: something is missing or wrong; all of it is listed.
        XregitError: ``message`` is no definition, or ``context`` no mapping of names to values.
    """
    expect(Message, message, "registry[xid] gives one")
    values = {} if context is None else context
    expect(Mapping, values, "name the values, as in {name: value}")
    expect(str, protocol, "leave it out where there is none")
    asked = definition(message)
    bound = spelled("protocol", protocol)
    if example:
        values = {**example_context(asked), **values}
        data = example_payload(message) if data is NO_DATA else data
        bound = bound or asked.protocol or endpoint_protocols(message, enveloped=asked.enveloped)[0]
    time = datetime.now(UTC) if now is None else now
    fresh_id = str(uuid4()) if new_id is None else new_id
    return encode(fill(message, asked, values, data, now=time, new_id=fresh_id, protocol=bound), mode)


def fill(  # noqa: PLR0913 - what a message is made from
    message: Message,
    asked: Definition,
    context: Mapping[str, Any],
    data: Any,
    *,
    now: Now,
    new_id: NewId,
    protocol: str = "",
) -> MessageDraft:
    """Return what `new` has filled in before it looks at the mode; ``asked`` is the message's definition.

    ``data`` may be a `Payload` that was made before.
    """
    bound = protocol or asked.protocol
    said = assign(asked, bound, context)
    body = data if isinstance(data, Payload) else encode_payload(message, data)
    problems = [*said.problems, *body.problems]
    filling = Inputs(said, now() if callable(now) else now, new_id() if callable(new_id) else new_id, problems)
    attributes = _implied_attributes(message, asked, body) | attribute_values(asked, filling) if asked.enveloped else {}
    fields = option_values(asked, bound, filling) if bound else {}
    return MessageDraft(message, asked, bound, said, attributes, fields, body, tuple(problems))


def encode(found: MessageDraft, mode: str = "") -> Wire:
    """Return the message in a mode.

    Raises:
        MessageError: something is missing or wrong; all of it is listed.
    """
    asked, bound, xid = found.asked, found.protocol, found.message.xid
    problems = (*_choice_problems(asked, bound, mode), *found.problems)
    if problems:
        raise MessageError(xid, tuple(dict.fromkeys(problems)), frozenset(_missing_inputs(found)))
    fields = dict(found.fields)
    try:
        if asked.enveloped:
            wire = _bind(asked, bound, mode, Event(found.attributes, found.body.body), fields)
        else:
            wire = _assemble(bound, fields, found.body)
    except WireError as error:
        raise MessageError(xid, error.problems) from None
    bare = not asked.enveloped and not asked.protocol
    unread = tuple(_recognition_problems(found.message, asked, wire) if bare else _readback_problems(found, wire))
    if unread:
        raise MessageError(xid, unread)
    return wire


def example_variants(
    message: Message, asked: Definition, values: Mapping[str, str], body: Payload
) -> Iterator[Variant]:
    """Give an example message in each protocol and mode that the definition allows, a bare CloudEvent first."""
    protocols = (asked.protocol,) if asked.protocol else endpoint_protocols(message, enveloped=asked.enveloped)
    for protocol in protocols:
        if not (protocol or asked.enveloped):
            continue
        known = carrier(protocol)
        modes = known.modes if known and asked.enveloped else ("",)
        found = fill(message, asked, values, body, now=EXAMPLE_TIME, new_id=EXAMPLE_ID, protocol=protocol)
        for mode in (asked.mode,) if asked.mode and asked.enveloped else modes:
            if mode in {"", BINARY, STRUCTURED}:
                yield _variant(found, mode)


def _variant(found: MessageDraft, mode: str) -> Variant:
    protocol = found.protocol or BARE_EVENT
    try:
        return Variant(protocol, mode, encode(found, mode if found.protocol else ""))
    except MessageError as error:
        return Variant(protocol, mode, None, "; ".join(error.problems))


def _missing_inputs(found: MessageDraft) -> Iterator[str]:
    if not (found.asked.enveloped or found.protocol):
        yield PROTOCOL
    if NO_PAYLOAD in found.body.problems:
        yield PAYLOAD
    if len(found.problems) > len(found.body.problems):
        yield VALUES


def _choice_problems(asked: Definition, protocol: str, mode: str) -> Iterator[str]:
    if asked.protocol and protocol != asked.protocol:
        yield f'it is bound to {asked.protocol}, so it can\'t go by "{protocol}"'
    if asked.mode and mode and mode != asked.mode:
        yield f'its mode is {asked.mode}, so it can\'t be "{mode}"'
    if not asked.enveloped and not protocol:
        yield "it has neither envelope nor protocol, so a protocol must be named"
    if not asked.enveloped and mode:
        yield f'it has no envelope, so there is no mode "{mode}"'
    if asked.enveloped and not protocol and mode not in {"", STRUCTURED}:
        yield f'there is no mode "{mode}" without a protocol, so name one'
    if asked.enveloped and protocol:
        yield from _binding_problems(protocol, mode or asked.mode)


def _binding_problems(protocol: str, mode: str) -> Iterator[str]:
    known = carrier(protocol)
    if known is None:
        yield f"there is no CloudEvents binding for the protocol {shown(protocol)}"
    elif mode and mode not in known.modes:
        yield f"{protocol} has no mode {shown(mode)} for CloudEvents, but {either(known.modes)}"


def _implied_attributes(message: Message, asked: Definition, body: Payload) -> dict[str, str]:
    """Return the attributes that follow from what the definition says of the payload, unless it states them itself.

    Source: message/spec.md "CloudEvents/1.0", datacontenttype and dataschema.
    """
    stated = {item.key for item in asked.envelope if item.constant is not None or item.template is not None}
    address = text_of(message.resolved.attributes, "dataschemauri")
    base = message.registry.settings.baseurl
    xid = local_xid(address, base)
    implied = {
        "datacontenttype": body.contenttype if body.body is not None else "",
        # A CloudEvent's dataschema is an absolute URI.
        "dataschema": f"{base.rstrip('/')}{xid}" if xid and base else "" if xid else address,
    }
    return {name: value for name, value in implied.items() if value and name not in stated}


def _assemble(protocol: str, fields: Fields, body: Payload) -> Wire:
    """Return a message without envelope; what it holds is said in its content type, if it has one."""
    known = carrier(protocol)
    if known and known.contenttype and body.contenttype and body.body is not None:
        fields = {**fields, **missing_fields(known, {known.contenttype: [body.contenttype]}, fields)}
    return assemble(protocol, fields, body.body)


def _bind(asked: Definition, protocol: str, mode: str, event: Event, fields: Fields) -> Wire:
    """Return a message that carries an event, in the mode that the definition or the caller chooses."""
    known = carrier(protocol)
    chosen = mode or asked.mode or (STRUCTURED if _is_structured(asked, known, event, fields) else "")
    if chosen == STRUCTURED and asked.format and known and known.contenttype:
        fields = {**fields, **missing_fields(known, {known.contenttype: [asked.format]}, fields)}
    unknown = [media for media in _stated_media_types(known, fields) if without_parameters(media) != EVENT_JSON]
    if chosen == STRUCTURED and unknown:
        raise WireError((f"events are written as {EVENT_JSON} alone, so they can't be {shown(unknown[0])}",))
    return bind(event, protocol, chosen, fields)


def _is_structured(asked: Definition, known: Carrier | None, event: Event, fields: Fields) -> bool:
    """Tell whether the payload can only be the whole event, where no mode is stated, by what is said of its format."""
    said = (asked.contenttype, event.attributes.get("datacontenttype"), *_stated_media_types(known, fields))
    return bool(asked.format) or any(isinstance(media, str) and announces_event(media) for media in said)


def _stated_media_types(known: Carrier | None, fields: Fields) -> list[str]:
    """Return the media types that the message itself states, as texts: a header may be of any type."""
    stated = [each for key, values in fields.items() if known and key.lower() == known.contenttype for each in values]
    return [each.decode(errors="replace") if isinstance(each, bytes) else str(each) for each in stated]


def _recognition_problems(message: Message, asked: Definition, wire: Wire) -> Iterator[str]:
    """Give why nobody would recognise a message of a definition that speaks of nothing but the payload."""
    if not payload_schemas(message.registry, [asked.xid]).accepts(asked, decode(wire)[0]):
        yield "nothing is declared, neither properties nor a payload, by which it would be recognised"


def _readback_problems(found: MessageDraft, wire: Wire) -> Iterator[str]:
    """Give what the message would not be read back as: the definition contradicts itself, or values run together."""
    message = decode(wire)[0]
    context = found.asking.context(message)
    # An option can be an attribute of the event too, and may hold what attributes may not.
    yield from message.problems
    if context is None:
        for item in found.asking.failures(message):
            yield f'{item.attribute} would be {shown(item.found)}, which does not fit "{item.expected}"'
        return
    for name, value in context.items():
        meant = found.said.placeholders[name]
        if meant != value:
            places = ", ".join(found.asked.placeholders[name])
            yield f'the value {shown(meant)} of "{name}" would be read back as {shown(value)} ({places})'
