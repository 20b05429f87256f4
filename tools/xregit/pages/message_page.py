"""The page of a message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from xregit.catalog.entities import Group
from xregit.catalog.properties import Property, Text
from xregit.catalog.views import Endpoint, Message, text_of
from xregit.messages.example import example_context
from xregit.model import protocols, siblings
from xregit.pages.attributes import (
    ADDRESSES,
    KEY,
    MAX_SEARCHED_CHARS,
    attribute_rows,
    destinations,
    property_parts,
    property_text,
    searchable_texts,
    section_title,
    to_text,
)
from xregit.pages.code_samples import obstacle
from xregit.pages.comparison_pages import comparison_pages
from xregit.pages.context import SiteContext, type_title
from xregit.pages.diagrams import focused_diagram
from xregit.pages.documents import entity_sources
from xregit.pages.entity_header import entity_header
from xregit.pages.examples import addresses, examples, placeholder_rows, programs, wire_examples
from xregit.pages.links import Link, address, reference
from xregit.pages.page import Page
from xregit.pages.page_size import render_within_limit
from xregit.pages.payload_section import field_descriptions, field_names, payload_section
from xregit.pages.prose import plain, summary
from xregit.pages.recognise_page import definition_json

# So many of a message's bases are named on its page; else the pages of a long chain would grow with its square.
MAX_BASES = 20
# So many endpoints are named that carry a message, with some 800 bytes each; else a page would have more than 80 kB.
MAX_CARRIERS = 30
# The theme repeats a title several times.
MAX_TITLE = 200
# The attributes of an event by which people know it.
EVENT_KEYS = frozenset({("envelopemetadata", "type"), ("envelopemetadata", "subject")})
# Attributes that are elsewhere on the page than in the table of further attributes.
ELSEWHERE = frozenset({
    "messageid", "versionid", "name", "description", "basemessage", "envelope", "envelopeoptions",
    "envelopemetadata", "protocol", "protocoloptions", "dataschemaformat", "dataschema", "dataschemauri",
    "dataschemaxid", "datacontenttype", "deprecated", "xref", "defaultversionid", "createdat", "modifiedat",
    "epoch", "ancestor", "isdefault",
})  # fmt: skip

# What clients do with a message at an endpoint (endpoint/spec.md, "usage"), and with one that answers another.
USES = {"producer": "send it to", "consumer": "receive it from", "subscriber": "subscribe to it at"}
ANSWERS = {"producer": "are answered with it by", "consumer": "receive it from", "subscriber": "answer with it at"}
# So many endpoints are named for each role at the top of the page.
MAX_TOP = 4


class PropertyRow(NamedTuple):
    """One property in the table; ``origins`` is empty where all of it is of the message itself."""

    name: str
    type: str
    required: bool
    value: tuple[Text, ...]
    description: Markup
    specurl: Link | None
    origins: tuple[Link, ...]


class Role(NamedTuple):
    """Those who do something with a message, such as producers: what they do, at which endpoints, how many more.

    The note of an endpoint names the derived message that it carries, where it doesn't carry the message itself.
    """

    name: str
    action: str
    endpoints: tuple[tuple[Link, Link | None], ...]
    more: int


class Carrier(NamedTuple):
    """An endpoint that carries a message, its usages, and the group through which it does."""

    endpoint: Link
    usage: tuple[str, ...]
    protocol: str
    via: Link
    addresses: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


def message_pages(site: SiteContext, message: Message) -> Iterator[Page]:
    """Yield the page of a message, then those that compare it at two commits."""
    page = message_page(site, message)
    yield page
    comparisons = site.message_comparisons.get(message.xid)
    if comparisons:
        yield from comparison_pages(site, message.entity, f"{page.title},", comparisons)


def message_page(site: SiteContext, message: Message) -> Page:
    """Return the page of a message."""
    attributes, entity = message.resolved.attributes, message.entity
    # An alias has its target's name, other messages their own, never a base message's.
    own = attributes if message.alias_of else {**entity.attributes, "description": message.description}
    header = entity_header(site, entity, entity.type.singular, own, entity.meta)
    comparisons = site.message_comparisons.get(message.xid)
    sections = _sections(site, message)
    values = example_context(site.definition(message), site.message_schema(message).example)
    variants = tuple(wire_examples(site, message, values))
    samples = programs(site, message, values, variants)
    carriers, uses = message.carriers, ANSWERS if _is_answer(message) else USES
    carried = _carried(site, message)[:MAX_CARRIERS]
    more_carriers = len(carriers) - MAX_CARRIERS
    html, whole = render_within_limit(
        "message.html",
        header=header,
        badges=tuple(filter(None, (message.protocol, message.envelope, _mode(message)))),
        roles=_roles(site, message, carried, uses),
        channels=tuple(dict.fromkeys(endpoint.channel for endpoint, _ in carried if endpoint.channel))[:MAX_TOP],
        selectors=_selectors(site, message),
        destinations=tuple(destinations(message.properties)),
        carriers=[_carrier(site, site.public(endpoint), via) for endpoint, via in carriers[:MAX_CARRIERS]],
        more_carriers=site.link(message.group.xid, f"{more_carriers:,} more endpoints, named by the group")
        if more_carriers > 0
        else None,
        diagram=focused_diagram(site, message.xid),
        chain=_chain(site, message),
        derived=tuple(map(site.entry, message.derived)),
        alias_of=site.message_link(message.alias_of, message.xid) if message.alias_of else None,
        aliases=tuple(map(site.entry, message.aliases)),
        sections=sections,
        inherits=any(row.origins for _, rows in sections for row in rows),
        examples=examples(site, message, values, variants),
        programs=samples,
        obstacle="" if samples else next(filter(None, (obstacle(each.wire) for each in variants if each.wire)), ""),
        placeholders=[(row, site.placeholder(row.name)) for row in placeholder_rows(site, message, values)],
        payload=payload_section(site, message),
        commits=site.history.of(message.xid, entity.place),
        since=comparisons.since(list(comparisons.names)[-1]) if comparisons else (),
        sources=entity_sources(entity.definition, message.attributes),
        others=attribute_rows(
            site.registry,
            {**entity.meta, **attributes},
            {**entity.type.metaattributes, **siblings(entity.type.attributes, attributes)},
            without=ELSEWHERE,
            origins=_origins(site, message, attributes),
        ),
    )
    return Page(
        address(message.xid),
        header.title[:MAX_TITLE],
        html,
        description=summary(message.description) or f"The message {message.id}",
        search=_search_text(site, message),
        keys=_keys(site, message),
        names=_names(site, message),
        parent=address(message.group.xid),
        api=header.source.api,
        definition="" if message.alias_of else definition_json(site, message),
        whole=whole,
        kind=type_title(message.entity.type.singular),
    )


def _is_answer(message: Message) -> bool:
    """Whether a message is the answer to another one, such as an HTTP response."""
    answer = protocols.facts("asyncapi").get(message.protocol, {}).get("answer")
    return answer is not None and any(item.path == ("protocoloptions", answer) for item in message.properties)


def _origin(site: SiteContext, message: Message, path: tuple[str, ...]) -> Link | None:
    """Return the link to the message or group that has the value at a path, None where it is the message itself."""
    origin = message.resolved.origin(path)
    if not origin or origin == message.xid:
        return None
    if isinstance(site.registry.entity(origin), Group):
        return site.link(origin)._replace(note="the group")
    link = site.message_link(origin, message.xid)
    # Messages that bind another to a protocol mostly have its id: then the group distinguishes them.
    return link._replace(text=link.text.removesuffix(f"/{message.id}"), title=origin)


def _origins(site: SiteContext, message: Message, names: Iterable[str]) -> Mapping[str, Link]:
    links = {name: _origin(site, message, (name,)) for name in names if name not in ELSEWHERE}
    return {name: link for name, link in links.items() if link}


def _selectors(site: SiteContext, message: Message) -> list[tuple[str, str, Link | None]]:
    """Return envelope, protocol and envelope options, each with its origin if that isn't the message."""
    selectors: list[tuple[str, str, tuple[str, ...]]] = [
        ("Envelope", message.envelope, ("envelope",)),
        ("Protocol", message.protocol, ("protocol",)),
    ]
    options = message.resolved.attributes.get("envelopeoptions")
    if isinstance(options, Mapping):
        selectors += [(f"Envelope {name}", to_text(item), ("envelopeoptions", name)) for name, item in options.items()]
    return [(title, text, _origin(site, message, path)) for title, text, path in selectors if text]


def _mode(message: Message) -> str:
    options = message.resolved.attributes.get("envelopeoptions")
    return text_of(options, "mode") if isinstance(options, Mapping) else ""


def _carried(site: SiteContext, message: Message) -> list[tuple[Endpoint, Message]]:
    """Return the endpoints that carry a message, then those of its base and derived messages, each with its message.

    Of the latter these are all where the message has no endpoint itself, else those on the same channels.
    """
    own = [(endpoint, message) for endpoint, _ in message.carriers]
    channels = {endpoint.channel for endpoint, _ in own}
    bases = filter(None, map(site.registry.resource, message.resolved.chain[:MAX_BASES]))
    relatives = [*message.derived[:MAX_CARRIERS], *(Message(site.registry, each) for each in bases)]
    return own + [
        (endpoint, each)
        for each in relatives
        for endpoint, _ in each.carriers
        if not own or (endpoint.channel and endpoint.channel in channels)
    ]


def _roles(
    site: SiteContext, message: Message, carried: Sequence[tuple[Endpoint, Message]], uses: Mapping[str, str]
) -> tuple[Role, ...]:
    """Return who sends a message and who gets it, from the usages of endpoints with the message that each carries."""
    by_usage: dict[str, dict[Link, Link | None]] = {usage: {} for usage in uses}
    for endpoint, each in carried:
        link = site.link(endpoint.xid, endpoint.name)
        through = site.message_link(each.xid, message.xid) if each is not message else None
        for usage in endpoint.usage:
            by_usage.setdefault(usage, {}).setdefault(link, through)
    return tuple(
        Role(
            f"{usage.capitalize()}s", uses.get(usage, ""), tuple(links.items())[:MAX_TOP], max(0, len(links) - MAX_TOP)
        )
        for usage, links in by_usage.items()
        if links
    )


def _carrier(site: SiteContext, endpoint: Endpoint, via: str) -> Carrier:
    return Carrier(
        site.link(endpoint.xid, endpoint.name),
        tuple(endpoint.usage),
        endpoint.protocol,
        site.link(via),
        addresses(endpoint),
        tuple((name, value) for name, value in endpoint.options.items() if isinstance(value, str)),
    )


def _chain(site: SiteContext, message: Message) -> tuple[Link, ...]:
    """Return the nearest base messages in their order; a missing one ends the chain, a cycle is named as such."""
    resolved = message.resolved
    links = [site.message_link(xid, message.xid) for xid in resolved.chain[:MAX_BASES]]
    if len(resolved.chain) > MAX_BASES:
        links.append(Link(f"{len(resolved.chain) - MAX_BASES:,} more", note="the page of the last one here goes on"))
    if resolved.missing:
        links.append(reference(site.registry, resolved.missing)._replace(note="not in this registry"))
    if resolved.cycle:
        more = [f"{len(resolved.cycle) - MAX_BASES:,} more"] * (len(resolved.cycle) > MAX_BASES)
        links.append(Link(" → ".join([*resolved.cycle[:MAX_BASES], *more]), note="leads back to itself"))
    return tuple(links)


def _sections(site: SiteContext, message: Message) -> tuple[tuple[str, tuple[PropertyRow, ...]], ...]:
    sections: dict[str, list[PropertyRow]] = defaultdict(list)
    inherits = bool(message.resolved.chain or message.alias_of)
    for item in message.properties:
        row = PropertyRow(
            name=item.name,
            type=item.type,
            required=item.required,
            value=property_parts(item),
            description=site.prose(item.description or item.meaning),
            specurl=reference(site.registry, item.specurl) if item.specurl else None,
            origins=_property_origins(site, message, item) if inherits else (),
        )
        sections[section_title(message.resolved.attributes, item)].append(row)
    return tuple((title, tuple(rows)) for title, rows in sections.items())


def _property_origins(site: SiteContext, message: Message, item: Property) -> tuple[Link, ...]:
    """Return the origins of a property; where its members have several, each with the members that it has."""
    members: dict[Link | None, list[str]] = defaultdict(list)
    for name in item.members or ("",):
        members[_origin(site, message, (*item.path, name) if name else item.path)].append(name)
    if len(members) == 1:
        return tuple(link for link in members if link)
    return tuple(link._replace(note=", ".join(names)) for link, names in members.items() if link)


def _keys(site: SiteContext, message: Message) -> tuple[str, ...]:
    """Return what identifies a message: its id, its type and subject, its address, and its key."""
    items = [item for item in message.properties if item.path in EVENT_KEYS or item.name in (*ADDRESSES[1:], KEY)]
    wire = "".join(part.text for part in site.entry(message).wire)
    return tuple(dict.fromkeys(filter(None, (message.id, wire, *map(property_text, items)))))


def _search_text(site: SiteContext, message: Message) -> str:
    words = ["Deprecated."] if message.deprecated is not None else []  # a result shows how the text begins
    words += [plain(message.description), message.protocol, message.envelope]
    for item in message.properties:
        words += [item.name, property_text(item), plain(item.description)[:MAX_SEARCHED_CHARS]]
    words += searchable_texts(message.resolved.attributes, ELSEWHERE)
    if message.schema and message.schema.schema:
        words.append(message.schema.schema.id)
    elif "dataschema" in message.resolved.attributes:  # which has no page of its own to be found by
        words += field_descriptions(site.message_schema(message).fields)
    return " ".join(filter(None, words))


def _names(site: SiteContext, message: Message) -> tuple[str, ...]:
    """Return the names of the fields of the payload, and of the placeholders."""
    placeholders = (name for item in message.properties for name in item.placeholders)
    return tuple(dict.fromkeys((*field_names(site.message_schema(message).fields), *placeholders)))
