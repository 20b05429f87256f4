"""A message to its page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.messages.example import example_context
from xregit.model import protocols, siblings
from xregit.pages.attributes import MAX_SEARCHED_CHARS, message_link, origin_link, rows, texts_in
from xregit.pages.documents import texts
from xregit.pages.entity_header import head_of
from xregit.pages.examples import addresses, examples, meanings, told
from xregit.pages.links import Link, address, reference
from xregit.pages.page import Page
from xregit.pages.page_size import fitted
from xregit.pages.payloads import meanings as said_of
from xregit.pages.payloads import names, payload
from xregit.pages.properties import ADDRESSES, KEY, places, said, shown, title, written
from xregit.pages.prose import plain, summary
from xregit.pages.recognise import sharing

if TYPE_CHECKING:
    from markupsafe import Markup

    from xregit.catalog.properties import Property, Text
    from xregit.catalog.views import Endpoint, Message
    from xregit.pages.context import Entry, SiteContext
    from xregit.pages.examples import Meaning

# So many of a message's bases are named on its page; else the pages of a long chain would grow with its square.
MAX_BASES = 20
# So many endpoints are named that carry a message, with some 800 bytes each; else a page would have more than 60 kB.
MAX_CARRIERS = 30
# The theme repeats a title several times.
MAX_TITLE = 200
# The attributes of an event by which people know it.
NAMING = frozenset({("envelopemetadata", "type"), ("envelopemetadata", "subject")})
# Shown elsewhere on the page than in the table of further attributes.
ELSEWHERE = frozenset({
    "messageid", "versionid", "name", "description", "basemessage", "envelope", "envelopeoptions",
    "envelopemetadata", "protocol", "protocoloptions", "dataschemaformat", "dataschema", "dataschemauri",
    "dataschemaxid", "datacontenttype", "deprecated", "xref", "defaultversionid", "createdat", "modifiedat",
    "epoch", "ancestor", "isdefault",
})  # fmt: skip

# What clients do with a message at an endpoint (endpoint/spec.md, "usage"), and with one that answers another.
USES = {"producer": "clients send", "consumer": "clients receive", "subscriber": "clients subscribe"}
ANSWERS = {"producer": "clients are answered", "consumer": "clients receive", "subscriber": "clients answer"}


class PropertyRow(NamedTuple):
    """One property in the table; ``origins`` is empty where the message itself says it all."""

    name: str
    type: str
    required: bool
    value: tuple[Text, ...]
    description: Markup
    specurl: Link | None
    origins: tuple[Link, ...]


class Carrier(NamedTuple):
    """An endpoint that carries a message, its usages with what clients do, and the group through which it does."""

    endpoint: Link
    usage: tuple[tuple[str, str], ...]
    protocol: str
    via: Link
    addresses: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


def message_page(book: SiteContext, message: Message) -> Page:
    """Return the page of a message."""
    resolved = message.resolved
    head = head_of(book, message.entity, message.entity.type.singular, _named(message), message.entity.meta)
    declared = message.properties
    models = siblings(message.entity.type.attributes, resolved.attributes)
    sections = _sections(book, message, declared)
    values = example_context(book.asked(message))
    carriers, uses = message.carriers, ANSWERS if _answers(message) else USES
    html, whole = fitted(
        "message.html",
        head=head,
        selectors=_selectors(book, message),
        places=tuple(places(declared)),
        carriers=[_carrier(book, book.open(endpoint), via, uses) for endpoint, via in carriers[:MAX_CARRIERS]],
        further=_further(book, message, len(carriers) - MAX_CARRIERS),
        chain=_chain(book, message),
        derived=_entries(book, message.derived),
        alias_of=message_link(book, message.alias_of, message.xid) if message.alias_of else None,
        aliases=_entries(book, message.aliases),
        sections=sections,
        inherits=any(row.origins for _, found in sections for row in found),
        examples=examples(book, message, values),
        placeholders=_placeholders(book, message, values),
        payload=payload(book, message),
        happenings=book.lives.of(message.xid, message.entity.place),
        texts=texts(message.entity.definition, message.attributes),
        others=rows(
            book.registry,
            {**message.entity.meta, **resolved.attributes},
            {**message.entity.type.metaattributes, **models},
            without=ELSEWHERE,
            written_by=_origins(book, message, resolved.attributes),
        ),
    )
    return Page(
        address(message.xid),
        head.title[:MAX_TITLE],
        html,
        description=summary(message.description) or f"The message {message.id}",
        search=_search(book, message, declared),
        keys=_keys(book, message),
        names=_names(book, message, declared),
        parent=address(message.group.xid),
        api=head.source.api,
        definition="" if message.alias_of else sharing(book, message),
        whole=whole,
    )


def _named(message: Message) -> Mapping[str, Any]:
    """Return the attributes for the head: an alias has its target's name, others their own, never a base message's."""
    if message.alias_of:
        return message.resolved.attributes
    return {**message.entity.attributes, "description": message.description}


def _entries(book: SiteContext, messages: Iterable[Message]) -> tuple[Entry, ...]:
    return tuple(book.entry(message) for message in messages)


def _origin(book: SiteContext, message: Message, path: tuple[str, ...]) -> Link | None:
    return origin_link(book, message.resolved, message.xid, path)


def _origins(book: SiteContext, message: Message, names: Iterable[str]) -> Mapping[str, Link]:
    found = {name: _origin(book, message, (name,)) for name in names if name not in ELSEWHERE}
    return {name: link for name, link in found.items() if link}


def _selectors(book: SiteContext, message: Message) -> list[tuple[str, str, Link | None]]:
    """Return envelope, its options, and protocol, each with who says so if it isn't the message."""
    stated: list[tuple[str, str, tuple[str, ...]]] = [
        ("Envelope", message.envelope, ("envelope",)),
        ("Protocol", message.protocol, ("protocol",)),
    ]
    options = message.resolved.attributes.get("envelopeoptions")
    if isinstance(options, Mapping):
        stated += [(f"Envelope {name}", written(value), ("envelopeoptions", name)) for name, value in options.items()]
    return [(title, value, _origin(book, message, path)) for title, value, path in stated if value]


def _further(book: SiteContext, message: Message, left: int) -> Link | None:
    """Return the link to the group of a message, where so many endpoints that carry it are not named."""
    return book.link(message.group.xid, f"{left:,} more endpoints, named by the group") if left > 0 else None


def _answers(message: Message) -> bool:
    """Tell whether a message is the answer to another one, such as an HTTP response."""
    answer = protocols.facts("asyncapi").get(message.protocol, {}).get("answer")
    return answer is not None and any(item.path == ("protocoloptions", answer) for item in message.properties)


def _carrier(book: SiteContext, endpoint: Endpoint, via: str, uses: Mapping[str, str]) -> Carrier:
    return Carrier(
        book.link(endpoint.xid, endpoint.name),
        tuple((usage, uses.get(usage, "")) for usage in endpoint.usage),
        endpoint.protocol,
        book.link(via),
        addresses(endpoint),
        tuple((name, value) for name, value in endpoint.options.items() if isinstance(value, str)),
    )


def _chain(book: SiteContext, message: Message) -> tuple[Link, ...]:
    """Return the nearest base messages in their order; a missing one ends the chain, a cycle is named as such."""
    resolved = message.resolved
    links = [message_link(book, xid, message.xid) for xid in resolved.chain[:MAX_BASES]]
    if len(resolved.chain) > MAX_BASES:
        links.append(Link(f"{len(resolved.chain) - MAX_BASES:,} more", note="the page of the last one here goes on"))
    if resolved.missing:
        outside = reference(book.registry, resolved.missing)
        links.append(Link(outside.text, outside.href, "not in this registry"))
    if resolved.cycle:
        more = [f"{len(resolved.cycle) - MAX_BASES:,} more"] * (len(resolved.cycle) > MAX_BASES)
        links.append(Link(" → ".join([*resolved.cycle[:MAX_BASES], *more]), note="leads back to itself"))
    return tuple(links)


def _sections(
    book: SiteContext, message: Message, declared: tuple[Property, ...]
) -> tuple[tuple[str, tuple[PropertyRow, ...]], ...]:
    sections: dict[str, list[PropertyRow]] = defaultdict(list)
    resolved = message.resolved
    others = bool(resolved.chain or message.alias_of)
    for item in declared:
        origins = _property_origins(book, message, item) if others else ()
        sections[title(resolved.attributes, item)].append(_row(book, item, origins))
    return tuple((title, tuple(found)) for title, found in sections.items())


def _row(book: SiteContext, item: Property, origins: tuple[Link, ...]) -> PropertyRow:
    return PropertyRow(
        name=item.name,
        type=item.type,
        required=item.required,
        value=shown(item),
        description=book.prose(item.description or item.meaning),
        specurl=reference(book.registry, item.specurl) if item.specurl else None,
        origins=origins,
    )


def _property_origins(book: SiteContext, message: Message, item: Property) -> tuple[Link, ...]:
    """Return who wrote a property; where its members come from several, each with the members it wrote."""
    members: dict[Link | None, list[str]] = defaultdict(list)
    for name in item.members or ("",):
        members[_origin(book, message, (*item.path, name) if name else item.path)].append(name)
    if len(members) == 1:
        return tuple(link for link in members if link)
    return tuple(link._replace(note=", ".join(names)) for link, names in members.items() if link)


def _placeholders(book: SiteContext, message: Message, values: Mapping[str, str]) -> list[tuple[Meaning, Link]]:
    """Return what is to be known of each placeholder, with the link to all messages that have it."""
    return [(each, book.placeholder(each.name)) for each in meanings(book, message, values)]


def _keys(book: SiteContext, message: Message) -> tuple[str, ...]:
    """Return what a message is known by: its id, its type and subject, where it travels, and its key."""
    known = [item for item in message.properties if item.path in NAMING or item.name in (*ADDRESSES[1:], KEY)]
    texts = (said(item) for item in known)
    wire = "".join(part.text for part in book.entry(message).wire)
    return tuple(dict.fromkeys(text for text in (message.id, wire, *texts) if text))


def _search(book: SiteContext, message: Message, declared: tuple[Property, ...]) -> str:
    words = ["Deprecated."] if message.deprecated is not None else []  # a result shows how the text begins
    words += [plain(message.description), message.protocol, message.envelope]
    for item in declared:
        words += [item.name, said(item), plain(item.description)[:MAX_SEARCHED_CHARS]]
    words += texts_in(message.resolved.attributes, ELSEWHERE)
    if message.schema and message.schema.schema:
        words.append(message.schema.schema.id)
    elif "dataschema" in message.resolved.attributes:  # which has no page of its own to be found by
        words += said_of(told(book, message).fields)
    return " ".join(word for word in words if word)


def _names(book: SiteContext, message: Message, declared: tuple[Property, ...]) -> tuple[str, ...]:
    """Return the names of the fields of the payload, and of the placeholders."""
    placeholders = (name for item in declared for name in item.placeholders)
    return tuple(dict.fromkeys((*names(told(book, message).fields), *placeholders)))
