"""The page of an endpoint: how to connect, and which messages it carries."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from xregit.catalog.views import Endpoint
from xregit.model import siblings
from xregit.pages.attributes import Value, attribute_rows, nested_texts, searchable_texts, to_text, to_value
from xregit.pages.context import SiteContext, type_title
from xregit.pages.diagrams import focused_diagram, map_href
from xregit.pages.documents import entity_sources
from xregit.pages.entity_header import entity_header
from xregit.pages.examples import authorization_types
from xregit.pages.links import Link, address, messages_href
from xregit.pages.page import Page
from xregit.pages.page_size import render_rows
from xregit.pages.prose import plain, summary

ELSEWHERE = frozenset({
    "endpointid", "name", "description", "usage", "channel", "envelope", "envelopeoptions", "protocol",
    "protocoloptions", "messagegroups", "deprecated", "createdat", "modifiedat", "epoch",
})  # fmt: skip
# An endpoint is found by the first of the texts in its options, such as addresses.
MAX_OPTIONS_SEARCHED = 100
# What clients do at an endpoint (endpoint/spec.md, "usage").
USAGES = {
    "producer": "producers send messages here",
    "consumer": "consumers receive messages from here",
    "subscriber": "subscribers have messages delivered from here",
}


def endpoint_page(site: SiteContext, endpoint: Endpoint) -> Page:
    """Return the page of an endpoint, without anything that looks like a credential."""
    endpoint = site.public(endpoint)
    attributes, options, registry = endpoint.attributes, endpoint.options, site.registry
    models = siblings(endpoint.entity.type.attributes, attributes)
    option_model = models.get("protocoloptions")
    header = entity_header(site, endpoint.entity, "endpoint", attributes, attributes)
    contract = [
        (site.entry(entry.message), None if entry.via == endpoint.xid else site.link(entry.via))
        for entry in endpoint.contract
    ]
    html, whole = render_rows(
        "endpoint.html",
        header=header,
        table=messages_href("used", endpoint.id),
        badges=tuple(filter(None, (endpoint.protocol, endpoint.envelope))),
        usages=[USAGES.get(usage, usage) for usage in map(to_text, endpoint.usage)],
        channel=Link(endpoint.channel, map_href(site, f"channel/{endpoint.channel}")) if endpoint.channel else None,
        envelopeoptions=_options(site, attributes.get("envelopeoptions")),
        addresses=_addresses(site, endpoint),
        options=attribute_rows(
            registry, options, option_model.attributes if option_model else {}, without=("endpoints", "authorization")
        ),
        authorization=_options(site, options.get("authorization")),
        authorization_types=", ".join(authorization_types(endpoint)),
        groups=[site.link(group.xid, group.name) for group in endpoint.messagegroups],
        contract=contract,
        mixed=len({via for _, via in contract}) > 1,
        others=attribute_rows(registry, attributes, models, without=ELSEWHERE),
        diagram=focused_diagram(site, endpoint.xid),
        commits=site.history.of(endpoint.xid, endpoint.entity.place),
        sources=entity_sources(attributes, attributes),
    )
    return Page(
        address(endpoint.xid),
        header.title,
        html,
        description=summary(endpoint.description) or f"The endpoint {endpoint.id}",
        search=_search_text(endpoint),
        keys=(endpoint.id, *([endpoint.channel] if endpoint.channel not in {"", endpoint.id} else [])),
        parent=address("/endpoints"),
        api=header.source.api,
        whole=whole,
        kind=type_title(endpoint.entity.type.singular),
    )


def _options(site: SiteContext, value: object) -> Value | None:
    return to_value(site.registry, value) if isinstance(value, Mapping | list | tuple) and value else None


def _addresses(site: SiteContext, endpoint: Endpoint) -> tuple[Value, ...]:
    """Return the addresses of an endpoint; of an object with a single member that member's value."""
    endpoints = endpoint.options.get("endpoints")
    values = [to_value(site.registry, item) for item in endpoints] if isinstance(endpoints, list | tuple) else []
    return tuple(value.members[0][1] if len(value.members) == 1 else value for value in values)


def _search_text(endpoint: Endpoint) -> str:
    words = (
        plain(endpoint.description),
        *map(to_text, endpoint.usage),
        endpoint.channel,
        endpoint.protocol,
        endpoint.envelope,
        *islice(nested_texts(endpoint.options), MAX_OPTIONS_SEARCHED),
        *searchable_texts(endpoint.attributes, ELSEWHERE),
    )
    return " ".join(filter(None, words))
