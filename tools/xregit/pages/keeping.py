"""Pages of messages as they were made last, each with all that it was made from, and made anew only where that differs.

A server keeps them while people edit. What a page is made from is compared in full; the tests hold the pages of every
edited registry against those that are made from nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from xregit.pages.book import Book
from xregit.pages.heads import deprecation
from xregit.pages.messages import message_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.registry import Entity, Registry
    from xregit.catalog.views import Message
    from xregit.messages.payload import SchemaSource
    from xregit.pages.page import Page
    from xregit.pages.samples import Told

_AS_STATED = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS


@dataclass(slots=True)
class Kept:
    """The pages of messages by xid, each after what it was made from; ``shared`` is what all of them depend on."""

    shared: object = None
    pages: dict[str, tuple[object, Page]] = field(default_factory=dict)
    told: dict[SchemaSource, Told] = field(default_factory=dict)

    def book(self, registry: Registry) -> Book:
        """Begin a book, and forget all pages where something has changed that any of them may show."""
        book = Book(registry)
        shared = _shared(book)
        if shared != self.shared:
            self.pages.clear()
            self.told = {}
        self.shared = shared
        book.told = self.told
        return book

    def page(self, book: Book, message: Message) -> Page:
        """Return the page of a message, the kept one where nothing has changed that it was made from."""
        inputs = _inputs(book, message)
        known = self.pages.get(message.xid)
        if known is None or known[0] != inputs:
            known = inputs, message_page(book, message)
            self.pages[message.xid] = known
        return known[1]


def _shared(book: Book) -> tuple[object, ...]:
    """Return what every page may depend on: settings, model, schemas, commits, and what there is to link to."""
    registry = book.registry
    history = registry.origin.history
    return (
        exact(registry.settings.written),
        exact(registry.attributes),
        exact(registry.model),
        registry.schema_documents.by_xid,
        (history.head, history.shallow, history.reason),
        tuple(_xids(registry)),
        tuple(book.owner_ids.items()),
    )


def _xids(registry: Registry) -> Iterator[str]:
    yield from (group.xid for group in registry.all_groups)
    for resource in registry.all_resources:
        yield resource.xid
        yield from resource.versions


def _inputs(book: Book, message: Message) -> tuple[object, ...]:
    """Return what the page of a message is made from besides."""
    registry, resolved, found = book.registry, message.resolved, message.schema
    names = dict.fromkeys(name for item in message.properties for name in item.placeholders)
    return (
        _stated(message.entity),
        message.entity.place.path in registry.broken,
        exact(message.attributes),
        exact(resolved.attributes),
        (resolved.origins, resolved.chain, resolved.missing, resolved.cycle),
        tuple(book.entry(each) for each in (*message.derived, *message.aliases)),
        tuple((via, endpoint.xid, exact(endpoint.attributes)) for endpoint, via in message.carriers),
        _stated(found.schema) if found and found.schema else None,
        tuple(book.placeholder(name) for name in names),
        registry.owners.of(message.entity.place.path),
        deprecation(book, message.entity.meta.get("deprecated"), message.xid),
        registry.facts(message.entity.place),
        book.lives.of(message.xid, message.entity.place),
    )


def _stated(entity: Entity) -> tuple[object, ...]:
    """Return what is written of an entity, and where."""
    return entity.place, exact(getattr(entity, "written", entity.attributes)), exact(getattr(entity, "meta", {}))


def exact(value: object) -> bytes:
    """Return a text that differs between values which are shown differently, such as ``1``, ``1.0`` and ``true``."""
    try:
        return orjson.dumps(value, default=_plain, option=_AS_STATED)
    except TypeError:  # integers of more than 64 bits, half characters
        return repr(value).encode("utf-8", "surrogatepass")


def _plain(value: Any) -> object:
    """Return what tells a value apart that JSON has no form for: a number has the text that it was written as."""
    if isinstance(value, Mapping):
        return dict(value)
    return [type(value).__name__, getattr(value, "text", None) or str(value)]
