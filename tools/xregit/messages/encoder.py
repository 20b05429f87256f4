"""The encoder: a message on the wire from a definition, a context and a payload (message/spec.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from uuid import uuid4

from xregit.arguments import expect
from xregit.catalog.references import schema_address
from xregit.catalog.views import Message, text_of
from xregit.errors import XregitError
from xregit.messages.constraints import PLAIN_TYPES, Constraint, text_or_none
from xregit.messages.decoder import attribute_value, decode
from xregit.messages.definition import ENVELOPE, OPTIONS, Definition, to_definition
from xregit.messages.example import (
    EXAMPLE_ID,
    EXAMPLE_TIME,
    endpoint_protocols,
    example_context,
    example_data,
    example_payload,
)
from xregit.messages.index import Filter, event_filter, whole_filter
from xregit.messages.payload import NO_DATA, NO_PAYLOAD, Payload, encode_payload, payload_schemas
from xregit.model import builtin, siblings
from xregit.model import canonical as spelled
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON
from xregit.model.datatypes import SYNTAXES, property_syntax
from xregit.model.excerpts import either, quote
from xregit.model.media_types import without_parameters
from xregit.model.protocols import matching_fact
from xregit.model.similarity import suggest_similar
from xregit.protocols import Event, Wire, WireError, assemble, bind, from_text, key_of, to_text
from xregit.protocols.binding import BINARY, STRUCTURED, EventBinding, event_binding, missing_fields
from xregit.protocols.cloudevents import REQUIRED, SPECVERSION, announces_event
from xregit.protocols.json import has_surrogates
from xregit.protocols.message_layout import ONE, PAIRS, message_layout

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
    definition: Definition
    protocol: str
    assignments: Assignments
    attributes: Mapping[str, Any]
    fields: Mapping[str, list[Any]]
    body: Payload
    problems: tuple[str, ...] = ()

    @cached_property
    def filter(self) -> Filter:
        """What the definition compares of such a message, in whatever mode."""
        return whole_filter(self.definition) if self.protocol else event_filter(self.definition)


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
    definition = to_definition(message)
    chosen = spelled("protocol", protocol)
    if example:
        values = {**example_context(definition, example_data(message) if data is NO_DATA else data), **values}
        data = example_payload(message) if data is NO_DATA else data
        chosen = chosen or definition.protocol or endpoint_protocols(message, enveloped=definition.enveloped)[0]
    time = datetime.now(UTC) if now is None else now
    fresh_id = str(uuid4()) if new_id is None else new_id
    return encode(fill(message, definition, values, data, now=time, new_id=fresh_id, protocol=chosen), mode)


def fill(  # noqa: PLR0913 - what a message is made from
    message: Message,
    definition: Definition,
    context: Mapping[str, Any],
    data: Any,
    *,
    now: datetime | Callable[[], datetime],
    new_id: str | Callable[[], str],
    protocol: str = "",
) -> MessageDraft:
    """Return what `new` has filled in before it looks at the mode; ``definition`` is the message's definition.

    ``data`` may be a `Payload` that was made before.
    """
    bound = protocol or definition.protocol
    assignments = assign(definition, bound, context)
    body = data if isinstance(data, Payload) else encode_payload(message, data)
    problems = [*assignments.problems, *body.problems]
    inputs = Inputs(assignments, now() if callable(now) else now, new_id() if callable(new_id) else new_id, problems)
    attributes: dict[str, Any] = {}
    if definition.enveloped:
        attributes = _implied_attributes(message, definition, body) | attribute_values(definition, inputs)
    fields = option_values(definition, bound, inputs) if bound else {}
    return MessageDraft(message, definition, bound, assignments, attributes, fields, body, tuple(problems))


def encode(draft: MessageDraft, mode: str = "") -> Wire:
    """Return the message in a mode.

    Raises:
        MessageError: something is missing or wrong; all of it is listed.
    """
    definition, protocol, xid = draft.definition, draft.protocol, draft.message.xid
    problems = (*_choice_problems(definition, protocol, mode), *draft.problems)
    if problems:
        raise MessageError(xid, tuple(dict.fromkeys(problems)), frozenset(_missing_inputs(draft)))
    fields = dict(draft.fields)
    try:
        if definition.enveloped:
            wire = _bind(definition, protocol, mode, Event(draft.attributes, draft.body.body), fields)
        else:
            wire = _assemble(protocol, fields, draft.body)
    except WireError as error:
        raise MessageError(xid, error.problems) from None
    bare = not definition.enveloped and not definition.protocol
    unread = tuple(_recognition_problems(draft.message, definition, wire) if bare else _readback_problems(draft, wire))
    if unread:
        raise MessageError(xid, unread)
    return wire


def example_variants(
    message: Message, definition: Definition, values: Mapping[str, str], body: Payload
) -> Iterator[Variant]:
    """Yield an example message in each protocol and mode that the definition allows, a bare CloudEvent first."""
    protocols = (
        (definition.protocol,) if definition.protocol else endpoint_protocols(message, enveloped=definition.enveloped)
    )
    for protocol in protocols:
        if not (protocol or definition.enveloped):
            continue
        binding = event_binding(protocol)
        modes = binding.modes if binding and definition.enveloped else ("",)
        draft = fill(message, definition, values, body, now=EXAMPLE_TIME, new_id=EXAMPLE_ID, protocol=protocol)
        for mode in (definition.mode,) if definition.mode and definition.enveloped else modes:
            if mode in {"", BINARY, STRUCTURED}:
                yield _variant(draft, mode)


def _variant(draft: MessageDraft, mode: str) -> Variant:
    protocol = draft.protocol or BARE_EVENT
    try:
        return Variant(protocol, mode, encode(draft, mode if draft.protocol else ""))
    except MessageError as error:
        return Variant(protocol, mode, None, "; ".join(error.problems))


def _missing_inputs(draft: MessageDraft) -> Iterator[str]:
    if not (draft.definition.enveloped or draft.protocol):
        yield PROTOCOL
    if NO_PAYLOAD in draft.body.problems:
        yield PAYLOAD
    if len(draft.problems) > len(draft.body.problems):
        yield VALUES


def _choice_problems(definition: Definition, protocol: str, mode: str) -> Iterator[str]:
    if definition.protocol and protocol != definition.protocol:
        yield f'its protocol is {definition.protocol}, so it can\'t be sent by "{protocol}"'
    if definition.mode and mode and mode != definition.mode:
        yield f'its mode is {definition.mode}, so it can\'t be "{mode}"'
    if not definition.enveloped and not protocol:
        yield "it has neither envelope nor protocol, so a protocol must be named"
    if not definition.enveloped and mode:
        yield f'it has no envelope, so there is no mode "{mode}"'
    if definition.enveloped and not protocol and mode not in {"", STRUCTURED}:
        yield f'there is no mode "{mode}" without a protocol, so name one'
    if definition.enveloped and protocol:
        yield from _binding_problems(protocol, mode or definition.mode)


def _binding_problems(protocol: str, mode: str) -> Iterator[str]:
    binding = event_binding(protocol)
    if binding is None:
        yield f"there is no CloudEvents binding for the protocol {quote(protocol)}"
    elif mode and mode not in binding.modes:
        yield f"{protocol} has no mode {quote(mode)} for CloudEvents, but {either(binding.modes)}"


def _implied_attributes(message: Message, definition: Definition, body: Payload) -> dict[str, str]:
    """Return the attributes that follow from what the definition says of the payload, unless it states them itself.

    Source: message/spec.md "CloudEvents/1.0", datacontenttype and dataschema.
    """
    declared = {item.key for item in definition.envelope if item.constant is not None or item.template is not None}
    implied = {
        "datacontenttype": body.contenttype if body.body is not None else "",
        "dataschema": schema_address(message.registry, text_of(message.resolved.attributes, "dataschemauri")),
    }
    return {name: value for name, value in implied.items() if value and name not in declared}


def _assemble(protocol: str, fields: Fields, body: Payload) -> Wire:
    """Return a message without envelope; its content type, if it has one, is that of the payload."""
    binding = event_binding(protocol)
    if binding and binding.contenttype and body.contenttype and body.body is not None:
        fields = {**fields, **missing_fields(binding, {binding.contenttype: [body.contenttype]}, fields)}
    return assemble(protocol, fields, body.body)


def _bind(definition: Definition, protocol: str, mode: str, event: Event, fields: Fields) -> Wire:
    """Return a message that carries an event, in the mode that the definition or the caller chooses."""
    binding = event_binding(protocol)
    chosen = mode or definition.mode or (STRUCTURED if _is_structured(definition, binding, event, fields) else "")
    if chosen == STRUCTURED and definition.format and binding and binding.contenttype:
        fields = {**fields, **missing_fields(binding, {binding.contenttype: [definition.format]}, fields)}
    unknown = [media for media in _stated_media_types(binding, fields) if without_parameters(media) != EVENT_JSON]
    if chosen == STRUCTURED and unknown:
        raise WireError((f"events are written only as {EVENT_JSON}, so they can't be {quote(unknown[0])}",))
    return bind(event, protocol, chosen, fields)


def _is_structured(definition: Definition, binding: EventBinding | None, event: Event, fields: Fields) -> bool:
    """Return whether the payload can only be the whole event, by the media types of both."""
    media_types = (
        definition.contenttype,
        event.attributes.get("datacontenttype"),
        *_stated_media_types(binding, fields),
    )
    return bool(definition.format) or any(isinstance(media, str) and announces_event(media) for media in media_types)


def _stated_media_types(binding: EventBinding | None, fields: Fields) -> list[str]:
    """Return the media types that the message itself states, as texts: a header may be of any type."""
    values = [each for key, items in fields.items() if binding and key.lower() == binding.contenttype for each in items]
    return [each.decode(errors="replace") if isinstance(each, bytes) else str(each) for each in values]


def _recognition_problems(message: Message, definition: Definition, wire: Wire) -> Iterator[str]:
    """Yield why a message of a definition that declares nothing but a payload would not be recognised."""
    if not payload_schemas(message.registry, [message]).accepts(definition, decode(wire)[0]):
        yield "it declares neither properties nor a payload, so it can't be recognised"


def _readback_problems(draft: MessageDraft, wire: Wire) -> Iterator[str]:
    """Yield what the message would not be read back as: the definition contradicts itself, or values run together."""
    message = decode(wire)[0]
    context = draft.filter.context(message)
    # An option can be an attribute of the event too, and may hold what attributes may not.
    yield from message.problems
    if context is None:
        for item in draft.filter.failures(message):
            yield f'{item.attribute} would be {quote(item.found)}, which does not fit "{item.expected}"'
        return
    for name, value in context.items():
        original = draft.assignments.placeholders[name]
        if original != value:
            places = ", ".join(draft.definition.placeholders[name])
            yield f'the value {quote(original)} of "{name}" would be read back as {quote(value)} ({places})'


@dataclass(frozen=True, slots=True)
class Assignments:
    """Values for one message: of placeholders by name, and of properties by their paths in a definition.

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
    placeholder_attributes = definition.placeholders
    placeholders = {}
    for name, places in placeholder_attributes.items():
        problem = _placeholder_problem(context.get(name))
        if problem:
            problems.append(f'the placeholder "{name}" {problem} ({", ".join(places)})')
        else:
            placeholders[name] = context[name]
    attributes: dict[str, Any] = {}
    options: dict[str, Any] = {}
    others = {name: value for name, value in context.items() if name not in placeholder_attributes}
    names = _property_paths(definition, protocol) if others else {}
    for name, value in others.items():
        path = name if name.startswith((f"{ENVELOPE}/", f"{OPTIONS}/")) else names.get(name, "")
        part, _, rest = path.partition("/")
        if part == ENVELOPE and definition.enveloped and rest:
            attributes[rest] = value
        elif part == OPTIONS and protocol and rest:
            section, slash, key = rest.partition("/")
            options[key_of(protocol, section, key) if slash else section] = value
        else:
            hint = suggest_similar(name, [*placeholder_attributes, *names])
            problems.append(f'it has no placeholder or property "{name}". {hint}'.rstrip(". "))
    return Assignments(placeholders, attributes, options, tuple(problems))


def _placeholder_problem(value: Any) -> str:
    if value is None:
        return "has no value"
    if not isinstance(value, str):
        return f"must be a text, but is {quote(value)}"
    if not value:
        return "is empty"
    return "has a lone surrogate" if has_surrogates(value) else ""


def _property_paths(definition: Definition, protocol: str) -> dict[str, str]:
    """Return the paths of properties by their short names: of the envelope, else of the protocol, else as declared."""
    paths: dict[str, str] = {}
    if protocol:
        layout = message_layout(protocol)
        single = [field.name for field in layout.fields.values() if field.kind == ONE] if layout else []
        paths |= {name: f"{OPTIONS}/{name}" for name in single}
    if definition.enveloped:
        message = builtin().groups["messagegroups"].resources["messages"]
        attributes = siblings(message.attributes, {"envelope": CLOUDEVENTS})[ENVELOPE].attributes
        paths |= {name: f"{ENVELOPE}/{name}" for name in attributes if name != "*"}
    for item in definition.constraints:
        paths.setdefault(item.attribute.rpartition("/")[2], item.attribute)
    return paths


_NATIVE = frozenset({"binary", "boolean", "integer", "number", "ulong"})


@dataclass(frozen=True, slots=True)
class Inputs:
    """What properties are filled with: the values of a context, the time, and the id of the message.

    ``problems`` takes what is missing or wrong, each as a part of a sentence.
    """

    assignments: Assignments
    now: datetime
    new_id: str
    problems: list[str]


def attribute_values(definition: Definition, inputs: Inputs) -> dict[str, Any]:
    """Return the attributes of the CloudEvent, as JSON has them."""
    values = dict(inputs.assignments.attributes)
    attributes: dict[str, Any] = {"specversion": SPECVERSION}
    for item in definition.envelope:
        fresh = inputs.new_id if item.key == "id" else ""
        implied = _timestamp(inputs) if item.key == "time" else fresh
        text = _property_text(item, inputs, values.pop(item.key, None), implied=implied)
        if text is not None:
            attributes[item.key] = attribute_value(item, text)
    for name, value in values.items():
        attributes[name] = value if isinstance(value, bool | int) else _to_type("string", name, value, inputs)
    attributes.setdefault("id", inputs.new_id)
    declared = {item.key for item in definition.envelope}
    missing = [name for name in REQUIRED if name not in attributes and name not in declared]
    inputs.problems.extend(f'"{name}" has no value, and every CloudEvent needs one' for name in missing)
    return attributes


def option_values(definition: Definition, protocol: str, inputs: Inputs) -> dict[str, list[Any]]:
    """Return the values of the protocol's own properties by their keys."""
    values = dict(inputs.assignments.options)
    fields: dict[str, list[Any]] = {}
    for item in definition.options:
        fresh = item.required and (item.type == "uuid" or item.key in matching_fact("fresh").get(protocol, ()))
        count = len(inputs.problems)
        text = _property_text(item, inputs, values.pop(item.key, None), implied=inputs.new_id if fresh else "")
        if text is not None:
            value = _native_value(item, protocol, text)
            fields.setdefault(item.key, []).append(value)
            if item.constant is None and len(inputs.problems) == count:
                inputs.problems.extend(form_problems(protocol, item.key, item.attribute, value, item.type))
    for key, value in values.items():
        inputs.problems.extend(form_problems(protocol, key, f"{OPTIONS}/{key}", value))
    return fields | {key: [value] for key, value in values.items()}


def _property_text(item: Constraint, inputs: Inputs, value: Any, *, implied: str) -> str | None:
    """Return the canonical text of a property's value, None where it has none."""
    if item.template is not None:
        return _expand(item, inputs)
    if item.now and value is None:
        return _timestamp(inputs)
    if item.constant is not None:
        if value is not None and text_or_none(item.type, value) != item.constant:
            inputs.problems.append(f'{item.attribute} is always "{item.constant}", so it can\'t be {quote(value)}')
        return item.constant
    if value is None and not implied:
        if item.required:
            inputs.problems.append(f"{item.attribute} has no value, and every such message needs one")
        return None
    return _to_type(item.type, item.attribute, value if value is not None else implied, inputs)


def _expand(item: Constraint, inputs: Inputs) -> str | None:
    """Return a template with its placeholders filled, None where values for them are missing or do not fit."""
    template, values = item.template, inputs.assignments.placeholders
    if template is None or any(name not in values for name in template.placeholders):
        return None
    faults = [f"{item.attribute}: {fault}" for fault in template.faults(values)]
    inputs.problems.extend(faults)
    text = template.expand(values)
    if not faults and item.type not in PLAIN_TYPES:
        _to_type(item.type, item.attribute, text, inputs)
    return text


def _to_type(kind: str, label: str, value: Any, inputs: Inputs) -> str | None:
    try:
        return to_text(kind, value)
    except ValueError as error:
        inputs.problems.append(f"{label} {error}, but is {quote(value)}")
        return None


def _native_value(item: Constraint, protocol: str, text: str) -> Any:
    """Return a value as the protocol has it: lists of names with texts have texts only."""
    layout = message_layout(protocol)
    section = layout.fields.get(item.key.partition("/")[0]) if layout else None
    if item.type not in _NATIVE or (section is not None and section.kind == PAIRS):
        return text
    return from_text(item.type, text) if text_or_none(item.type, text) is not None else text


def _timestamp(inputs: Inputs) -> str:
    try:
        return to_text("timestamp", inputs.now)
    except ValueError:
        expected = "a datetime with a time zone, as datetime.now(UTC) gives one"
        inputs.problems.append(f'"now" must be {expected}, but is {quote(inputs.now)}')
        return ""


def form_problems(protocol: str, key: str, label: str, value: Any, kind: str = "") -> Iterator[str]:
    """Yield what is wrong with a value's form, if anything, as a part of a sentence.

    ``kind`` is the type that the definition states, ``label`` what the property is called for people.
    """
    layout = message_layout(protocol)
    section, _, name = key.partition("/")
    if layout is None or section not in layout.fields:
        return
    whole = layout.fields[section].model
    model = whole.attributes.get(name) or whole.item or whole
    form = property_syntax(model, kind or model.property)
    if form and not SYNTAXES[form].test(value) and not SYNTAXES[form].test(str(value)):
        yield f"{label} must be {SYNTAXES[form].about}, but is {quote(value)}"
