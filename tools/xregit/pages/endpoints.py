"""An endpoint to its page: how to connect, and what it carries."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from xregit.model import siblings
from xregit.pages.attributes import Value, inner, rows, shown, texts_in, texts_inside
from xregit.pages.diagrams import channel_diagram, further, near
from xregit.pages.documents import texts
from xregit.pages.entity_header import head_of
from xregit.pages.links import address
from xregit.pages.page import Page
from xregit.pages.properties import written
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from xregit.catalog.views import Endpoint
    from xregit.pages.context import Entry, SiteContext
    from xregit.pages.links import Link

ELSEWHERE = frozenset({
    "endpointid", "name", "description", "usage", "channel", "envelope", "envelopeoptions", "protocol",
    "protocoloptions", "messagegroups", "deprecated", "createdat", "modifiedat", "epoch",
})  # fmt: skip
# An endpoint is found by the first of the texts in its options, such as addresses.
MAX_OPTIONS_SEARCHED = 100
# What clients do at an endpoint (endpoint/spec.md, "usage").
USAGES = {
    "producer": "clients send messages to it",
    "consumer": "clients receive messages from it",
    "subscriber": "clients subscribe to its messages",
}


def endpoint_page(book: SiteContext, endpoint: Endpoint) -> Page:
    """Return the page of an endpoint; nothing on it looks like a credential."""
    endpoint = book.open(endpoint)
    models = siblings(endpoint.entity.type.attributes, endpoint.attributes)
    head = head_of(book, endpoint.entity, "endpoint", endpoint.attributes, endpoint.attributes)
    contract = _contract(book, endpoint)
    on_channel = (endpoint, *near(book, endpoint))
    html = render(
        "endpoint.html",
        head=head,
        usages=[(written(usage), USAGES.get(written(usage), "")) for usage in endpoint.usage],
        channel=endpoint.channel,
        related=[(book.link(other.xid, other.name), other.usage, other.protocol) for other in on_channel[1:]],
        further=further(book, on_channel, endpoint.channel),
        envelope=endpoint.envelope,
        envelopeoptions=_options(book, endpoint.attributes.get("envelopeoptions")),
        protocol=endpoint.protocol,
        addresses=_addresses(book, endpoint),
        options=rows(
            book.registry,
            endpoint.options,
            inner(models.get("protocoloptions")),
            without=("endpoints", "authorization"),
        ),
        authorization=_options(book, endpoint.options.get("authorization")),
        groups=[book.link(group.xid, group.name) for group in endpoint.messagegroups],
        contract=contract,
        mixed=len({via for _, via in contract}) > 1,
        others=rows(book.registry, endpoint.attributes, models, without=ELSEWHERE),
        diagram=channel_diagram(book, on_channel, endpoint.channel, endpoint.xid),
        happenings=book.lives.of(endpoint.xid, endpoint.entity.place),
        texts=texts(endpoint.attributes, endpoint.attributes),
    )
    return Page(
        address(endpoint.xid),
        head.title,
        html,
        description=summary(endpoint.description) or f"The endpoint {endpoint.id}",
        search=_search(endpoint),
        keys=(endpoint.id, *([endpoint.channel] if endpoint.channel not in {"", endpoint.id} else [])),
        parent=address("/endpoints"),
        api=head.source.api,
    )


def _options(book: SiteContext, value: object) -> Value | None:
    return shown(book.registry, value) if isinstance(value, Mapping | list | tuple) and value else None


def _addresses(book: SiteContext, endpoint: Endpoint) -> tuple[Value, ...]:
    """Return where to connect; an address that is all that is said of it stands alone."""
    stated = endpoint.options.get("endpoints")
    values = [shown(book.registry, item) for item in stated] if isinstance(stated, list | tuple) else []
    return tuple(value.members[0][1] if len(value.members) == 1 else value for value in values)


def _contract(book: SiteContext, endpoint: Endpoint) -> list[tuple[Entry, Link | None]]:
    """Return what the endpoint carries, each with the group it comes through, None for its own messages."""
    return [
        (book.entry(entry.message), None if entry.via == endpoint.xid else book.link(entry.via))
        for entry in endpoint.contract
    ]


def _search(endpoint: Endpoint) -> str:
    usage = [written(item) for item in endpoint.usage]
    options = islice(texts_inside(endpoint.options), MAX_OPTIONS_SEARCHED)
    words = [plain(endpoint.description), *usage, endpoint.channel, endpoint.protocol, endpoint.envelope]
    return " ".join(word for word in [*words, *options, *texts_in(endpoint.attributes, ELSEWHERE)] if word)
