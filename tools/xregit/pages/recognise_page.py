"""The page that recognises messages in the browser, and the script with the definitions that it needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from xregit.catalog.views import Message
from xregit.messages.definition import target
from xregit.messages.encoder import BARE_EVENT
from xregit.messages.example import example_context
from xregit.messages.export import export_definition, export_facts
from xregit.messages.payload import schema_source
from xregit.model.language import NOTHING
from xregit.pages.context import SiteContext
from xregit.pages.documents import json_text
from xregit.pages.examples import wire_examples
from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.renderer import render
from xregit.payloads import language

DEFINITIONS = "definitions.js"
TITLE = "Recognise a message"
#: The languages whose payloads may be JSON, and those of them in which a field that is always there may be left out.
_JSON_LANGUAGES = frozenset({"JsonSchema", "JsonStructure", "Avro", "Protobuf"})
_WITH_DEFAULTS = frozenset({"Avro", "Protobuf"})
#: A schema whose names take more characters would make the script long for all readers.
MAX_NAME_CHARS = 2_000
_NEXT_WORD = re.compile(r"_+(.?)")


class SampleMessage(NamedTuple):
    """A message to try the page with."""

    title: str
    text: str


def recognise_page(site: SiteContext) -> Iterator[Page]:
    """Yield the page, unless there is no message."""
    if not site.registry.messages:
        return
    intro = "Paste a message to see which definitions it fits, and why it does not fit the nearest others."
    html = render(
        "recognise.html",
        title=TITLE,
        crumbs=(Link(site.title, href("")),),
        intro=intro,
        root=href(""),
        examples=tuple(_examples(site)),
    )
    yield Page(site.recognise, TITLE, html, description=intro, search=f"{TITLE} match paste", listed=True)


def _examples(site: SiteContext) -> Iterator[SampleMessage]:
    """Yield a message of each protocol, and an event of another source, which most definitions do not expect."""
    by_protocol: dict[str, dict[str, Any]] = {}
    for message in site.registry.messages:
        if message.protocol not in by_protocol:
            values = example_context(site.definition(message), site.message_schema(message).example)
            variants = wire_examples(site, message, values)
            wire = next((each.wire for each in variants if each.wire), None)
            if wire is not None:
                by_protocol[message.protocol] = wire.as_json()
    messages = [(protocol or BARE_EVENT, by_protocol[protocol]) for protocol in sorted(by_protocol)]
    if "" in by_protocol:
        messages.append(("another source", {**by_protocol[""], "source": "urn:elsewhere"}))
    for title, message_json in messages:
        yield SampleMessage(title, json.dumps(message_json, indent=2, ensure_ascii=False))


def definitions(site: SiteContext, pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
    """Yield the script with all definitions, by its path below the site's start, if the page is among those."""
    by_address = {page.address: page.definition for page in pages}
    if site.recognise in by_address:
        yield f"{site.recognise}{DEFINITIONS}", script(site, by_address)


def script(site: SiteContext, by_address: Mapping[str, str] = NOTHING) -> str:
    """Return the definitions as a script, which a page opened from a disk can load too, as it could not fetch JSON.

    ``by_address`` has definitions that pages have already, by their addresses.
    """
    messages = {message.xid: message for message in map(target, site.registry.messages)}
    texts = (by_address.get(address(xid)) or definition_json(site, messages[xid]) for xid in sorted(messages))
    facts = json_text(export_facts(), indent=False)
    payloads = json_text(payload_fields(site, [messages[xid] for xid in sorted(messages)]), indent=False)
    data = f'"facts":{facts},"payloads":{payloads},"definitions":[{",".join(texts)}]'
    return f"globalThis.xregitDefinitions = {{{data}}};\n"


def payload_fields(site: SiteContext, messages: Iterable[Message]) -> list[Any]:
    """Return the fields of payloads that may be JSON objects: names required, other names, numbers of messages.

    Messages whose payloads have the same fields share an entry.
    """
    table: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
    for number, message in enumerate(messages):
        source = schema_source(message)
        kind = language(source.format) if source is not None else ""
        fields = site.message_schema(message).fields
        if kind not in _JSON_LANGUAGES or not all(field.name for field in fields):
            continue
        required = tuple(field.name for field in fields if field.required and kind not in _WITH_DEFAULTS)
        names = dict.fromkeys(field.name for field in fields)
        if kind == "Protobuf":
            names |= dict.fromkeys(map(_json_name, names))
        if names and sum(map(len, names)) <= MAX_NAME_CHARS:
            others = tuple(name for name in names if name not in required)
            table.setdefault((required, others), []).append(number)
    return [(*names, numbers) for names, numbers in table.items()]


def _json_name(name: str) -> str:
    """Return the name that Protobuf's JSON has for a field that states none (protobuf.dev "ProtoJSON Format")."""
    return _NEXT_WORD.sub(lambda match: match[1].upper(), name)


def definition_json(site: SiteContext, message: Message) -> str:
    """Return a message's definition as JSON, with the address of its page where that is not the xid."""
    item = export_definition(message, site.definition(message))
    page = href(address(item["xid"])).removeprefix(href(""))
    return json_text(item if page == f"{item['xid'][1:]}/" else {**item, "page": page}, indent=False)
