"""The page that recognises messages in the browser, with the definitions as a script beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.messages.definition import target
from xregit.messages.encoder import BARE_EVENT
from xregit.messages.example import example_context
from xregit.messages.export import export_definition, export_facts
from xregit.model.language import NOTHING
from xregit.pages.documents import json_text
from xregit.pages.examples import samples
from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from xregit.catalog.views import Message
    from xregit.pages.context import SiteContext
    from xregit.protocols import Wire


DEFINITIONS = "definitions.js"
TITLE = "Recognise a message"


@dataclass(frozen=True, slots=True)
class Example:
    """A message to try the page with."""

    title: str
    text: str


def recognise_page(book: SiteContext) -> Iterator[Page]:
    """Give the page, unless there is no message."""
    if not book.registry.messages:
        return
    said = "Paste a message to see which definitions it fits, and why it does not fit those that it comes near to."
    html = render(
        "recognise.html",
        title=TITLE,
        crumbs=(Link(book.title, href("")),),
        said=said,
        root=href(""),
        examples=tuple(_examples(book)),
    )
    yield Page(book.recognise, TITLE, html, description=said, search=f"{TITLE} match paste", listed=True)


def definitions(book: SiteContext, pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
    """Give the script with all definitions, by its path below the site's start, if the page is among those."""
    known = {page.address: page.definition for page in pages}
    if book.recognise in known:
        yield f"{book.recognise}{DEFINITIONS}", script(book, known)


def script(book: SiteContext, known: Mapping[str, str] = NOTHING) -> str:
    """Return the definitions as a script, which a page opened from a disk can load too, as it could not fetch JSON.

    ``known`` has those that have been made already, by the addresses of messages.
    """
    found = {message.xid: message for message in map(target, book.registry.messages)}
    texts = (known.get(address(xid)) or sharing(book, found[xid]) for xid in sorted(found))
    about = json_text(export_facts(), spread=False)
    return f'globalThis.xregitDefinitions = {{"facts":{about},"definitions":[{",".join(texts)}]}};\n'


def sharing(book: SiteContext, message: Message) -> str:
    """Return a message's definition as JSON."""
    return json_text(_placed(export_definition(message, book.asked(message))), spread=False)


def _placed(item: dict[str, Any]) -> dict[str, Any]:
    """Add the address of a definition's page where it is not the xid."""
    page = href(address(item["xid"])).removeprefix(href(""))
    return item if page == f"{item['xid'][1:]}/" else {**item, "page": page}


def _examples(book: SiteContext) -> Iterator[Example]:
    """Give a message of each protocol, and an event from elsewhere, which most definitions do not expect."""
    made: dict[str, dict[str, Any]] = {}
    for message in book.registry.messages:
        wire = _wire(book, message) if message.protocol not in made else None
        if wire is not None:
            made[message.protocol] = wire.as_json()
    for protocol in sorted(made):
        yield Example(protocol or BARE_EVENT, _text(made[protocol]))
    if "" in made:
        yield Example("another source", _text({**made[""], "source": "urn:elsewhere"}))


def _wire(book: SiteContext, message: Message) -> Wire | None:
    """Return the first message that can be made by a definition from its example."""
    found = samples(book, message, example_context(book.asked(message)))
    return next((item.wire for item in found if item.wire), None)


def _text(said: dict[str, Any]) -> str:
    return json.dumps(said, indent=2, ensure_ascii=False)
