"""Example messages of a definition, and their forms on the wire."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from xregit.catalog.properties import texts
from xregit.messages.definition import target
from xregit.messages.encoder import BARE_EVENT, Variant, example_variants
from xregit.messages.payload import (
    NO_DATA,
    Payload,
    encode_payload,
    parse_schema,
    payload_media_type,
    schema_source,
    without_address,
)
from xregit.pages import commands
from xregit.pages.documents import json_text
from xregit.pages.links import Link, address, href
from xregit.pages.renderer import content
from xregit.payloads import Field, PayloadError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xregit.catalog.views import Endpoint, Message
    from xregit.messages.encoder import Variant
    from xregit.messages.payload import SchemaSource
    from xregit.pages.context import SiteContext
    from xregit.protocols import Wire


@dataclass(frozen=True, slots=True)
class SchemaFacts:
    """What a payload's schema tells: its fields, and a valid value; ``reason`` says why it tells nothing.

    ``bodies`` has the value as it is sent, by media type.
    """

    fields: tuple[Field, ...] = ()
    example: Any = NO_DATA
    reason: str = ""
    bodies: dict[str, Payload] = field(default_factory=dict, compare=False)


def told(book: SiteContext, message: Message) -> SchemaFacts:
    """Return what the schema of a message's payload tells."""
    known = target(message)
    if known.xid not in book.told_of:
        found = schema_source(known)
        book.told_of[known.xid] = told_by(book, found) if found is not None else SchemaFacts()
    return book.told_of[known.xid]


def told_by(book: SiteContext, found: SchemaSource) -> SchemaFacts:
    """Return what a schema tells; each is read once, and equal ones that refer to nothing are one."""
    known = without_address(found)
    if known not in book.told:
        book.told[known] = _told(book, known)
    return book.told[known]


def _told(book: SiteContext, found: SchemaSource) -> SchemaFacts:
    try:
        schema = parse_schema(found, book.registry.schema_documents)
    except SchemaError as error:
        return SchemaFacts(reason=str(error))
    try:
        return SchemaFacts(schema.fields(), schema.example())
    except PayloadError as error:
        return SchemaFacts(schema.fields(), reason=str(error))


def body(book: SiteContext, message: Message) -> Payload:
    """Return the valid value as a message sends it."""
    known, contenttype = told(book, message), payload_media_type(message)
    if contenttype not in known.bodies:
        known.bodies[contenttype] = encode_payload(message, known.example)
    return known.bodies[contenttype]


def samples(book: SiteContext, message: Message, values: Mapping[str, str]) -> Iterator[Variant]:
    """Give an example in each protocol and mode that the definition allows, an event without protocol first."""
    return example_variants(message, book.asked(message), values, body(book, message))


# What a page shows of a payload in an example; the payload stands whole further down.
MAX_BODY_CHARS = 1_500
BODY = frozenset({"protocol", "body", "body_base64"})
MARKED_CHARS = 4
UNSAID = "the definition says nothing that a message has to have"


@dataclass(frozen=True, slots=True)
class Example:
    """One tab: its title, the message, and the lines that make and send it.

    ``text`` is the message as HTML, in which what stands for a placeholder is marked. ``reason`` says why there is
    none; ``guard`` leads to how the endpoint that it is sent to lets clients in, with the ways as its note.
    """

    title: str
    text: Markup
    making: str
    sending: str
    program: str
    reason: str = ""
    guard: Link | None = None

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The lines, each after what they do."""
        return ("Make it with xregit", self.making), (f"Send it with {self.program}", self.sending)

    @property
    def asking(self) -> bool:
        """Whether the line that makes the message takes the payload from a file that no line before it writes."""
        return "\n" not in self.making and self.making.endswith(commands.DATA)


class Meaning(NamedTuple):
    """One placeholder: its value in the examples, and the properties in which it stands."""

    name: str
    value: str
    users: tuple[str, ...]
    said: str = ""


def examples(book: SiteContext, message: Message, values: Mapping[str, str]) -> tuple[Example, ...]:
    """Return an example for each protocol and mode that a message may have, from its `context`."""
    value = told(book, message).example
    known = _Known(
        message,
        values,
        pattern=_pattern(book.asked(message).placeholders, values),
        carriers=_carriers(book, message),
        payload="" if value is NO_DATA else json_text(value, spread=False),
    )
    return tuple(_example(known, sample) for sample in samples(book, message, values))


@dataclass(frozen=True, slots=True)
class _Known:
    """What all examples of one message share; ``payload`` is the payload's value as JSON."""

    message: Message
    values: Mapping[str, str]
    pattern: re.Pattern[str] | None
    carriers: Mapping[str, tuple[Endpoint, ...]]
    payload: str


def meanings(book: SiteContext, message: Message, values: Mapping[str, str]) -> tuple[Meaning, ...]:
    """Return what is to be known of each placeholder of a message, with the values of its `context`."""
    said: dict[str, str] = {}
    for item in message.properties:
        for name in item.placeholders if item.description else ():
            said.setdefault(name, item.description)
    return tuple(
        Meaning(name, values[name], _told_apart(places), said.get(name, ""))
        for name, places in book.asked(message).placeholders.items()
    )


def _told_apart(places: tuple[str, ...]) -> tuple[str, ...]:
    """Return properties by their names; those that share one, such as the subjects of event and message, by paths."""
    names = [place.rpartition("/")[2] for place in places]
    return tuple(
        place.replace("/", ".") if names.count(name) > 1 else name for name, place in zip(names, places, strict=True)
    )


def _example(known: _Known, sample: Variant) -> Example:
    title = f"{sample.protocol}, {sample.mode}" if sample.mode else sample.protocol
    said = sample.wire.as_json() if sample.wire is not None else {}
    text = wire_text(said)
    if sample.wire is None or not text:
        return Example(title, Markup(), "", "", "", sample.reason or UNSAID)
    carriers = known.carriers.get(sample.protocol, ())
    carrier = next((each for each in carriers if commands.reachable(sample.protocol, addresses(each))), None)
    sending = _sending(sample.wire, said, carrier or next(iter(carriers), None), known.values)
    return Example(
        title=title,
        text=_marked(text, known.pattern),
        making=_making(known, sample),
        sending=sending,
        program=sending.rpartition("\n")[2].partition(" ")[0],
        guard=_guard(carrier) if sending and carrier else None,
    )


def _making(known: _Known, sample: Variant) -> str:
    """Return the lines that make an example, which name only what the definition leaves open."""
    options = known.message.resolved.attributes.get("envelopeoptions")
    fixed = isinstance(options, Mapping) and bool(options.get("mode"))
    protocol = "" if known.message.protocol or sample.protocol == BARE_EVENT else sample.protocol
    return commands.making(known.message.xid, known.values, known.payload, "" if fixed else sample.mode, protocol)


def wire_text(said: Mapping[str, Any]) -> str:
    """Return a message as people read it: a line for each field, and below them the payload."""
    if "specversion" in said:
        return _cut(json_text(said))
    stated = sorted((item for item in said.items() if item[0] not in BODY), key=_spread)
    lines = [line for name, value in stated for line in _lines(name, value)]
    if "body_base64" in said:
        return "\n".join((*lines, "", f"{_cut(said['body_base64'])}", "(Base64)"))
    if "body" not in said:
        return "\n".join(lines)
    body = said["body"]
    if isinstance(body, str) and commands.readable(body.encode()) is None:
        return wire_text({**said, "body_base64": b64encode(body.encode()).decode()})
    return "\n".join((*lines, "", _cut(body if isinstance(body, str) else json_text(body))))


def _spread(item: tuple[str, Any]) -> bool:
    # What tells where a message goes stands before what travels with it.
    return isinstance(item[1], Mapping | list)


def _lines(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and all(isinstance(item, Mapping) and "name" in item for item in value):
        yield f"{name}:"
        yield from (f"  {item['name']}: {_scalar(item['value'])}" for item in value)
    elif isinstance(value, Mapping):
        yield f"{name}:"
        yield from (f"  {key}: {_scalar(item)}" for key, item in value.items())
    else:
        yield f"{name}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value, spread=False)


def _cut(text: str) -> str:
    if len(text) <= MAX_BODY_CHARS:
        return text
    return f"{text[:MAX_BODY_CHARS]}\n… {len(text) - MAX_BODY_CHARS:,} more characters"


def _pattern(names: Iterable[str], values: Mapping[str, str]) -> re.Pattern[str] | None:
    """Return what finds the values of placeholders in an example; one that is too short would be found anywhere."""
    found = [re.escape(values[name]) for name in names if len(values[name]) >= MARKED_CHARS]
    # What stands before a value is looked at behind it: to find the value's first sign is sooner done.
    parts = (f"{value}(?<![\\w-]{value})" for value in found)
    return re.compile(f"({'|'.join(parts)})(?![\\w-])") if found else None


def _marked(text: str, pattern: re.Pattern[str] | None) -> Markup:
    """Return a text as HTML with the values of placeholders marked, in none of which HTML would escape anything."""
    escaped = content(text)
    if pattern is None:
        return escaped
    parts = pattern.split(str(escaped))
    parts[1::2] = [f'<var class="xr-var">{value}</var>' for value in parts[1::2]]
    return Markup("".join(parts))  # noqa: S704 - escaped above


def _carriers(book: SiteContext, message: Message) -> Mapping[str, tuple[Endpoint, ...]]:
    """Return the endpoints that carry a message, by protocol."""
    found: dict[str, list[Endpoint]] = defaultdict(list)
    for endpoint, _ in message.carriers:
        found[endpoint.protocol].append(book.open(endpoint))
    return {protocol: commands.takers(protocol, endpoints) for protocol, endpoints in found.items()}


def _sending(wire: Wire, said: Mapping[str, Any], carrier: Endpoint | None, values: Mapping[str, str]) -> str:
    if carrier is None:
        return commands.sending(wire, said, (), {})
    return commands.sending(wire, said, addresses(carrier), _filled(carrier.options, values))


def _filled(stated: Any, values: Mapping[str, str]) -> Any:
    """Return options of an endpoint with a message's values in place of the placeholders that it has too."""
    if isinstance(stated, str):
        return "".join(values.get(part.placeholder, part.text) for part in texts(stated))
    if isinstance(stated, Mapping):
        return {name: _filled(value, values) for name, value in stated.items()}
    return [_filled(item, values) for item in stated] if isinstance(stated, list | tuple) else stated


def _guard(endpoint: Endpoint) -> Link | None:
    """Return the link to how an endpoint lets clients in, with the ways as its note, if it says so."""
    stated = endpoint.options.get("authorization")
    listed = stated if isinstance(stated, list | tuple) else (stated,)
    ways = [each["type"] for each in listed if isinstance(each, Mapping) and isinstance(each.get("type"), str)]
    there = f"{href(address(endpoint.xid))}#authorization"
    return Link(endpoint.name or endpoint.id, there, " or ".join(dict.fromkeys(ways))) if ways else None


def addresses(endpoint: Endpoint) -> tuple[str, ...]:
    """Return where an endpoint says one connects."""
    stated = endpoint.options.get("endpoints")
    members = [item for item in stated if isinstance(item, Mapping)] if isinstance(stated, list | tuple) else []
    found = (item.get("url") or item.get("uri") for item in members)
    return tuple(address for address in found if isinstance(address, str))
