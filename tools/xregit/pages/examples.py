"""Example messages of a definition as they are on the wire, with the shell commands that make and send them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from xregit.catalog.properties import texts
from xregit.catalog.views import Endpoint, Message
from xregit.messages.encoder import BARE_EVENT, Variant, example_variants
from xregit.messages.payload import NO_DATA
from xregit.pages import commands
from xregit.pages.code_samples import CodeSample, Place, code_samples
from xregit.pages.documents import json_text
from xregit.pages.links import Link, address, href
from xregit.pages.renderer import content

if TYPE_CHECKING:
    from xregit.pages.context import SiteContext

# What a page shows of a payload in an example; the whole payload is further down.
MAX_BODY_CHARS = 1_500
NOT_FIELDS = frozenset({"protocol", "body", "body_base64"})
# Shorter values of placeholders are not marked: they would be found anywhere.
MIN_MARKED_CHARS = 3
# What receivers of a message subscribe to, and the usages of the endpoints that they do so at.
PATTERNS = frozenset({"topic_name", "topic", "subject"})
RECEIVING = frozenset({"consumer", "subscriber"})
EMPTY_MESSAGE = "the definition sets no properties and no payload"


@dataclass(frozen=True, slots=True)
class Example:
    """One tab: its title, the message, and the commands that make and send it.

    ``text`` is the message as HTML, in which the values of placeholders are marked. ``reason`` says why there is
    none; ``authorization`` leads to how the endpoint that it is sent to authorizes clients, with the ways as its note.
    """

    title: str
    text: Markup
    create_command: str
    send_command: str
    program: str
    reason: str = ""
    authorization: Link | None = None

    @property
    def command_blocks(self) -> tuple[tuple[str, str], ...]:
        """The commands, each after its title."""
        return ("Make it with xregit", self.create_command), (f"Send it with {self.program}", self.send_command)

    @property
    def needs_payload_file(self) -> bool:
        """Whether the command that makes the message reads the payload from a file that no line before it writes."""
        return "\n" not in self.create_command and self.create_command.endswith(commands.DATA)


class PlaceholderRow(NamedTuple):
    """One placeholder: its value in the examples, the properties that have it, and its description."""

    name: str
    value: str
    users: tuple[str, ...]
    description: str = ""


def wire_examples(site: SiteContext, message: Message, values: Mapping[str, str]) -> Iterator[Variant]:
    """Yield an example in each protocol and mode that the definition allows, an event without protocol first."""
    return example_variants(message, site.definition(message), values, site.example_payload(message))


def examples(
    site: SiteContext, message: Message, values: Mapping[str, str], variants: Iterable[Variant]
) -> tuple[Example, ...]:
    """Return an example for each protocol and mode that a message may have, from its `context`."""
    carriers: dict[str, list[Endpoint]] = defaultdict(list)
    for endpoint, _ in message.carriers:
        carriers[endpoint.protocol].append(site.public(endpoint))
    payload = site.message_schema(message).example
    inputs = _Inputs(
        message,
        values,
        pattern=_pattern(site.definition(message).placeholders, values),
        carriers={protocol: commands.send_targets(protocol, endpoints) for protocol, endpoints in carriers.items()},
        payload="" if payload is NO_DATA else json_text(payload, indent=False),
    )
    return tuple(_example(inputs, variant) for variant in variants)


def programs(
    site: SiteContext, message: Message, values: Mapping[str, str], variants: Iterable[Variant]
) -> tuple[CodeSample, ...]:
    """Return programs that send and receive the first of the examples that programs can have."""
    for variant in variants:
        if variant.wire is not None and variant.wire.protocol:
            same = [site.public(each) for each, _ in message.carriers if each.protocol == variant.protocol]
            senders = [*commands.send_targets(variant.protocol, same), *same]
            receivers = [*(each for each in same if not RECEIVING.isdisjoint(each.usage)), *same]
            sending, receiving = (_place(variant.protocol, each, values) for each in (senders, receivers))
            if samples := code_samples(variant.wire, sending, receiving, _address_pattern(message)):
                return samples
    return ()


def _place(protocol: str, endpoints: Iterable[Endpoint], values: Mapping[str, str]) -> Place:
    """Return the place of the first endpoint that has an address, else of the first one, else of none."""
    listed = [(endpoint, each) for endpoint in endpoints for each in (*addresses(endpoint), "")]
    reachable = (item for item in listed if commands.address_parts(protocol, item[1]))
    endpoint, url = next(reachable, listed[0] if listed else (None, ""))
    options = endpoint.options if endpoint is not None else {}
    return Place(url, _fill_placeholders(options, values), options)


def _address_pattern(message: Message) -> str:
    """Return a message's own topic or subject with its placeholders, nothing where it states none."""
    items = (item for item in message.properties if item.path[0] == "protocoloptions" and item.name in PATTERNS)
    return next((str(item.value) for item in items if isinstance(item.value, str)), "")


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What all examples of one message share; ``payload`` is the payload's value as JSON."""

    message: Message
    values: Mapping[str, str]
    pattern: re.Pattern[str] | None
    carriers: Mapping[str, tuple[Endpoint, ...]]
    payload: str


def placeholder_rows(site: SiteContext, message: Message, values: Mapping[str, str]) -> tuple[PlaceholderRow, ...]:
    """Return a row for each placeholder of a message, with the values of its `context`."""
    descriptions: dict[str, str] = {}
    for item in message.properties:
        for name in item.placeholders if item.description else ():
            descriptions.setdefault(name, item.description)
    return tuple(
        PlaceholderRow(name, values[name], _distinct_names(paths), descriptions.get(name, ""))
        for name, paths in site.definition(message).placeholders.items()
    )


def _distinct_names(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return properties by their names; those that share one, such as the subjects of event and message, by paths."""
    names = [path.rpartition("/")[2] for path in paths]
    return tuple(
        path.replace("/", ".") if names.count(name) > 1 else name for name, path in zip(names, paths, strict=True)
    )


def _example(inputs: _Inputs, variant: Variant) -> Example:
    title = f"{variant.protocol}, {variant.mode}" if variant.mode else variant.protocol
    fields = variant.wire.as_json() if variant.wire is not None else {}
    text = wire_text(fields)
    if variant.wire is None or not text:
        return Example(title, Markup(), "", "", "", variant.reason or EMPTY_MESSAGE)
    carriers = inputs.carriers.get(variant.protocol, ())
    reachable = next((each for each in carriers if commands.is_reachable(variant.protocol, addresses(each))), None)
    carrier = reachable or next(iter(carriers), None)
    options = _fill_placeholders(carrier.options, inputs.values) if carrier else {}
    send_command = commands.send_command(variant.wire, fields, addresses(carrier) if carrier else (), options)
    return Example(
        title=title,
        text=_mark_placeholders(text, inputs.pattern),
        create_command=_create_command(inputs, variant),
        send_command=send_command,
        program=send_command.rpartition("\n")[2].partition(" ")[0],
        authorization=_authorization(reachable) if send_command and reachable else None,
    )


def _create_command(inputs: _Inputs, variant: Variant) -> str:
    """Return the command that makes an example, with those options only that the definition leaves open."""
    message = inputs.message
    options = message.resolved.attributes.get("envelopeoptions")
    mode = "" if isinstance(options, Mapping) and options.get("mode") else variant.mode
    protocol = "" if message.protocol or variant.protocol == BARE_EVENT else variant.protocol
    return commands.create_command(message.xid, inputs.values, inputs.payload, mode, protocol)


def wire_text(fields: Mapping[str, Any]) -> str:
    """Return a message as people read it: a line for each field, and below them the payload."""
    if "specversion" in fields:
        return _cut(json_text(fields))
    # What says where a message goes comes before what travels with it.
    scalars_first = sorted(
        (item for item in fields.items() if item[0] not in NOT_FIELDS),
        key=lambda item: isinstance(item[1], Mapping | list),
    )
    lines = [line for name, value in scalars_first for line in _lines(name, value)]
    if "body_base64" in fields:
        return "\n".join((*lines, "", _cut(fields["body_base64"]), "(Base64)"))
    if "body" not in fields:
        return "\n".join(lines)
    body = fields["body"]
    if isinstance(body, str) and commands.readable(body.encode()) is None:
        return wire_text({**fields, "body_base64": b64encode(body.encode()).decode()})
    return "\n".join((*lines, "", _cut(body if isinstance(body, str) else json_text(body))))


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
    return value if isinstance(value, str) else json_text(value, indent=False)


def _cut(text: str) -> str:
    if len(text) <= MAX_BODY_CHARS:
        return text
    return f"{text[:MAX_BODY_CHARS]}\n… {len(text) - MAX_BODY_CHARS:,} more characters"


def _pattern(names: Iterable[str], values: Mapping[str, str]) -> re.Pattern[str] | None:
    """Return the pattern of the values of placeholders in an example."""
    escaped = [re.escape(values[name]) for name in names if len(values[name]) >= MIN_MARKED_CHARS]
    # The look-behind comes after the value: to search for its first character is faster.
    parts = (f"{value}(?<![\\w-]{value})" for value in escaped)
    return re.compile(f"({'|'.join(parts)})(?![\\w-])") if escaped else None


def _mark_placeholders(text: str, pattern: re.Pattern[str] | None) -> Markup:
    """Return a text as HTML with the values of placeholders marked, in none of which HTML would escape anything."""
    escaped = content(text)
    if pattern is None:
        return escaped
    parts = pattern.split(str(escaped))
    parts[1::2] = [f'<var class="xr-var">{value}</var>' for value in parts[1::2]]
    return Markup("".join(parts))  # noqa: S704 - escaped above


def _fill_placeholders(value: Any, values: Mapping[str, str]) -> Any:
    """Return options of an endpoint with a message's values in place of the placeholders that it has too."""
    if isinstance(value, str):
        return "".join(values.get(part.placeholder, part.text) for part in texts(value))
    if isinstance(value, Mapping):
        return {name: _fill_placeholders(item, values) for name, item in value.items()}
    return [_fill_placeholders(item, values) for item in value] if isinstance(value, list | tuple) else value


def _authorization(endpoint: Endpoint) -> Link | None:
    """Return the link to how an endpoint authorizes clients, with what they need as its note, if it says so."""
    target = f"{href(address(endpoint.xid))}#authorization"
    needs = dict.fromkeys(
        _CREDENTIALS.get(name.lower(), f"authorization by {name}") for name in authorization_types(endpoint)
    )
    return Link(endpoint.name or endpoint.id, target, " or ".join(needs)) if needs else None


def authorization_types(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the types of authorization that an endpoint names."""
    value = endpoint.options.get("authorization")
    items = value if isinstance(value, list | tuple) else (value,)
    return tuple(each["type"] for each in items if isinstance(each, Mapping) and isinstance(each.get("type"), str))


# What a client brings for each type of authorization, as a sentence names it.
_CREDENTIALS: Mapping[str, str] = {
    "oauth2": "an OAuth 2 token",
    "plain": "a user name and password",
    "x509cert": "a client certificate",
    "apikey": "an API key",
    "sasl": "SASL authentication",
}


def addresses(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the addresses of an endpoint."""
    value = endpoint.options.get("endpoints")
    members = [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []
    urls = (item.get("url") or item.get("uri") for item in members)
    return tuple(url for url in urls if isinstance(url, str))
