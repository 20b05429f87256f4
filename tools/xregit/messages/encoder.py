"""Make a message on the wire from a definition, a context and a payload (message/spec.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from xregit.arguments import expect
from xregit.catalog.references import local_xid
from xregit.catalog.views import Message, text_of
from xregit.errors import XregitError
from xregit.messages.constraints import PLAIN_TYPES, canonical_text
from xregit.messages.decoder import attribute_value, decode
from xregit.messages.definition import ENVELOPE, OPTIONS, definition
from xregit.messages.example import EXAMPLE_ID, EXAMPLE_TIME, endpoint_protocols, example_context, example_payload
from xregit.messages.index import event_filter, whole_filter
from xregit.messages.payload import NO_DATA, NO_PAYLOAD, Payload, encode_payload, payload_schemas
from xregit.model import builtin, siblings
from xregit.model import canonical as spelled
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON
from xregit.model.constraints import property_syntax
from xregit.model.datatypes import SYNTAXES
from xregit.model.media_types import without_parameters
from xregit.model.protocols import matching_fact
from xregit.model.quoting import either, quote
from xregit.model.spelling import suggest_similar
from xregit.protocols import Event, Wire, WireError, assemble, bind, from_text, key_of, to_text
from xregit.protocols.binding import BINARY, STRUCTURED, carrier, missing_fields
from xregit.protocols.cloudevents import REQUIRED, SPECVERSION, announces_event
from xregit.protocols.fields import ONE, PAIRS, shape
from xregit.protocols.json import has_surrogates

if TYPE_CHECKING:
    from xregit.messages.constraints import Constraint
    from xregit.messages.definition import Definition
    from xregit.messages.index import Filter
    from xregit.protocols.binding import Carrier


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


@dataclass(frozen=True, slots=True)
class Variant:
    """One message on the wire: by which protocol and in which mode; ``reason`` says why there is none."""

    protocol: str
    mode: str
    wire: Wire | None
    reason: str = ""


@dataclass(frozen=True)
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
    now: datetime | Callable[[], datetime] | None = None,
    new_id: str | Callable[[], str] | None = None,
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
    now: datetime | Callable[[], datetime],
    new_id: str | Callable[[], str],
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
        yield f"there is no CloudEvents binding for the protocol {quote(protocol)}"
    elif mode and mode not in known.modes:
        yield f"{protocol} has no mode {quote(mode)} for CloudEvents, but {either(known.modes)}"


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
        raise WireError((f"events are written as {EVENT_JSON} alone, so they can't be {quote(unknown[0])}",))
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
            yield f'{item.attribute} would be {quote(item.found)}, which does not fit "{item.expected}"'
        return
    for name, value in context.items():
        meant = found.said.placeholders[name]
        if meant != value:
            places = ", ".join(found.asked.placeholders[name])
            yield f'the value {quote(meant)} of "{name}" would be read back as {quote(value)} ({places})'


@dataclass(frozen=True, slots=True)
class Assignments:
    """What is said of one message: values of placeholders, and of properties by their paths in a definition.

    ``problems`` has what is missing or wrong, each as a part of a sentence.
    """

    placeholders: Mapping[str, str]
    attributes: Mapping[str, Any]
    options: Mapping[str, Any]
    problems: tuple[str, ...] = ()


def assign(definition: Definition, protocol: str, context: Mapping[str, Any]) -> Assignments:
    """Sort a context: its names are placeholders, or properties that the definition leaves open.

    A property goes by its path in the definition, such as ``protocoloptions/headers/Retry-After``, or by the last part
    of it where only one has that name.
    """
    problems: list[str] = []
    wanted = definition.placeholders
    placeholders = {}
    for name, places in wanted.items():
        problem = _placeholder_problem(context.get(name))
        if problem:
            problems.append(f'the placeholder "{name}" {problem} ({", ".join(places)})')
        else:
            placeholders[name] = context[name]
    attributes: dict[str, Any] = {}
    options: dict[str, Any] = {}
    others = {name: value for name, value in context.items() if name not in wanted}
    names = _property_paths(definition, protocol) if others else {}
    for name, value in others.items():
        part, _, rest = _path(name, names).partition("/")
        if part == ENVELOPE and definition.enveloped and rest:
            attributes[rest] = value
        elif part == OPTIONS and protocol and rest:
            options[_option_key(protocol, rest)] = value
        else:
            problems.append(
                f'nothing in it is called "{name}". {suggest_similar(name, [*wanted, *names])}'.rstrip(". ")
            )
    return Assignments(placeholders, attributes, options, tuple(problems))


def _placeholder_problem(value: Any) -> str:
    if value is None:
        return "has no value"
    if not isinstance(value, str):
        return f"must be a text, but is {quote(value)}"
    if not value:
        return "is empty"
    return "has half a character (a lone surrogate)" if has_surrogates(value) else ""


def _path(name: str, names: Mapping[str, str]) -> str:
    return name if name.startswith((f"{ENVELOPE}/", f"{OPTIONS}/")) else names.get(name, "")


def _property_paths(definition: Definition, protocol: str) -> dict[str, str]:
    """Return the paths of properties by their short names: of the envelope, else of the protocol, else as declared."""
    found: dict[str, str] = {}
    if protocol:
        known = shape(protocol)
        single = [field.name for field in known.fields.values() if field.kind == ONE] if known else []
        found |= {name: f"{OPTIONS}/{name}" for name in single}
    if definition.enveloped:
        found |= {name: f"{ENVELOPE}/{name}" for name in _event_attributes()}
    for item in definition.constraints:
        found.setdefault(item.attribute.rpartition("/")[2], item.attribute)
    return found


@cache
def _event_attributes() -> tuple[str, ...]:
    """Return the names of the attributes that every CloudEvent may have."""
    message = builtin().groups["messagegroups"].resources["messages"]
    known = siblings(message.attributes, {"envelope": CLOUDEVENTS})[ENVELOPE].attributes
    return tuple(name for name in known if name != "*")


def _option_key(protocol: str, path: str) -> str:
    section, slash, name = path.partition("/")
    return key_of(protocol, section, name) if slash else section


_NATIVE = frozenset({"binary", "boolean", "integer", "number", "ulong"})


@dataclass(frozen=True, slots=True)
class Inputs:
    """What properties are filled with: what is said of the message, the time, and the id that it gets.

    ``problems`` takes what is missing or wrong, each as a part of a sentence.
    """

    given: Assignments
    now: datetime
    new_id: str
    problems: list[str]


def attribute_values(definition: Definition, filling: Inputs) -> dict[str, Any]:
    """Return the attributes of the CloudEvent, as JSON has them."""
    said = dict(filling.given.attributes)
    attributes: dict[str, Any] = {"specversion": SPECVERSION}
    for item in definition.envelope:
        fresh = filling.new_id if item.key == "id" else ""
        implied = _timestamp(filling) if item.key == "time" else fresh
        text = _property_text(item, filling, said.pop(item.key, None), implied=implied)
        if text is not None:
            attributes[item.key] = attribute_value(item, text)
    for name, value in said.items():
        attributes[name] = value if isinstance(value, bool | int) else _to_type("string", name, value, filling)
    attributes.setdefault("id", filling.new_id)
    declared = {item.key for item in definition.envelope}
    missing = [name for name in REQUIRED if name not in attributes and name not in declared]
    filling.problems.extend(f'"{name}" has no value, and every CloudEvent needs one' for name in missing)
    return attributes


def option_values(definition: Definition, protocol: str, filling: Inputs) -> dict[str, list[Any]]:
    """Return the values of the protocol's own properties by their keys."""
    said = dict(filling.given.options)
    fields: dict[str, list[Any]] = {}
    for item in definition.options:
        fresh = item.required and (item.type == "uuid" or item.key in matching_fact("fresh").get(protocol, ()))
        known = len(filling.problems)
        text = _property_text(item, filling, said.pop(item.key, None), implied=filling.new_id if fresh else "")
        if text is not None:
            value = _native_value(item, protocol, text)
            fields.setdefault(item.key, []).append(value)
            if item.constant is None and len(filling.problems) == known:
                filling.problems.extend(form_problems(protocol, item.key, item.attribute, value, item.type))
    for key, value in said.items():
        filling.problems.extend(form_problems(protocol, key, f"{OPTIONS}/{key}", value))
    return fields | {key: [value] for key, value in said.items()}


def _property_text(item: Constraint, filling: Inputs, said: Any, *, implied: str) -> str | None:
    """Return the canonical text of a property's value, None where it has none."""
    if item.template is not None:
        return _expand(item, filling)
    if item.now and said is None:
        return _timestamp(filling)
    if item.constant is not None:
        if said is not None and canonical_text(item.type, said) != item.constant:
            filling.problems.append(f'{item.attribute} is always "{item.constant}", so it can\'t be {quote(said)}')
        return item.constant
    if said is None and not implied:
        if item.required:
            filling.problems.append(f"{item.attribute} has no value, and every such message needs one")
        return None
    return _to_type(item.type, item.attribute, said if said is not None else implied, filling)


def _expand(item: Constraint, filling: Inputs) -> str | None:
    """Return a template with its placeholders filled, None where values for them are missing or do not fit."""
    template, values = item.template, filling.given.placeholders
    if template is None or any(name not in values for name in template.placeholders):
        return None
    faults = [f"{item.attribute}: {fault}" for fault in template.faults(values)]
    filling.problems.extend(faults)
    text = template.expand(values)
    if not faults and item.type not in PLAIN_TYPES:
        _to_type(item.type, item.attribute, text, filling)
    return text


def _to_type(kind: str, label: str, value: Any, filling: Inputs) -> str | None:
    try:
        return to_text(kind, value)
    except ValueError as error:
        filling.problems.append(f"{label} {error}, but is {quote(value)}")
        return None


def _native_value(item: Constraint, protocol: str, text: str) -> Any:
    """Return a value as the protocol has it: lists of names with texts have texts only."""
    known = shape(protocol)
    section = known.fields.get(item.key.partition("/")[0]) if known else None
    if item.type not in _NATIVE or (section is not None and section.kind == PAIRS):
        return text
    return from_text(item.type, text) if canonical_text(item.type, text) is not None else text


def _timestamp(filling: Inputs) -> str:
    try:
        return _format_time(filling.now)
    except ValueError:
        due = "a datetime with a time zone, as datetime.now(UTC) gives one"
        filling.problems.append(f'"now" must be {due}, but is {quote(filling.now)}')
        return ""


@lru_cache(maxsize=1)
def _format_time(now: datetime) -> str:
    return to_text("timestamp", now)


def form_problems(protocol: str, key: str, label: str, value: Any, kind: str = "") -> Iterator[str]:
    """Give what is wrong with a value's form, if anything, as a part of a sentence.

    ``kind`` is the type that the definition states, ``label`` what the property is called for people.
    """
    form = _form(protocol, key, kind)
    if form and not SYNTAXES[form].test(value) and not SYNTAXES[form].test(str(value)):
        yield f"{label} must be {SYNTAXES[form].about}, but is {quote(value)}"


@cache
def _form(protocol: str, key: str, kind: str) -> str:
    """Return the name of the form that values under a key have, none as an empty text."""
    known = shape(protocol)
    section, _, name = key.partition("/")
    if known is None or section not in known.fields:
        return ""
    whole = known.fields[section].model
    model = whole.attributes.get(name) or whole.item or whole
    return property_syntax(model, kind or model.property)
