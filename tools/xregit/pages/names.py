"""Pages that say which messages have something by a name: as a field of the payload, or as a placeholder."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from xregit.pages.book import ids
from xregit.pages.linking import Link, href
from xregit.pages.page import Page, at_once
from xregit.pages.payloads import MAX_DEPTH
from xregit.pages.rendering import render
from xregit.pages.samples import told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.views import Message
    from xregit.pages.book import Book, Entry
    from xregit.pages.page import Later
    from xregit.payloads import Field

NAMES = "all-fields/"
TITLE = "Fields"


class User(NamedTuple):
    """A message that has something by a name, and where: paths of fields, properties with the placeholder."""

    entry: Entry
    fields: tuple[str, ...]
    placeholders: tuple[str, ...]


def name_pages(book: Book, later: Later = at_once) -> Iterator[Page]:
    """Give the index of all names, then a page for each that several messages have."""
    users = _users(book)
    if not users:
        return
    at = ids(sorted(users))
    shared = {name: f"{NAMES}{at[name]}/" for name in at if len(users[name]) > 1}
    home = Link(book.title, href(""))
    listed = [(_link(name, users[name], shared), users[name]) for name in at]
    yield later(Page(NAMES, TITLE, "", listed=True), partial(_index, listed, (home,)))
    for name, address in shared.items():
        page = partial(_page, name, address, users[name], (home, Link(TITLE, href(NAMES))))
        yield later(Page(address, name, "", parent=NAMES), page)


def _index(listed: list[tuple[Link, tuple[User, ...]]], crumbs: tuple[Link, ...]) -> Page:
    said = "Every field of a payload and every placeholder, with the messages that have it."
    html = render("names.html", title=TITLE, crumbs=crumbs, said=said, names=listed)
    return Page(NAMES, TITLE, html, description=said, search=said, listed=True)


def _page(name: str, address: str, users: tuple[User, ...], crumbs: tuple[Link, ...]) -> Page:
    html = render("name.html", title=name, crumbs=crumbs, users=users)
    said = f"The {len(users)} messages that have {name} as a field or a placeholder"
    return Page(address, name, html, description=said, search=said, parent=NAMES)


def _link(name: str, users: tuple[User, ...], shared: Mapping[str, str]) -> Link:
    return Link(name, href(shared[name]) if name in shared else users[0].entry.link.href)


def _users(book: Book) -> dict[str, tuple[User, ...]]:
    found: dict[str, list[User]] = defaultdict(list)
    for message in book.registry.messages:
        if message.alias_of:
            continue
        fields, placeholders = _fields(book, message), _placeholders(message)
        for name in dict.fromkeys((*fields, *placeholders)):
            found[name].append(User(book.entry(message), tuple(fields[name]), tuple(placeholders[name])))
    return {name: tuple(users) for name, users in found.items()}


def _fields(book: Book, message: Message) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for path in _paths(told(book, message).fields, ()):
        found[path[-1]][".".join(path)] = None
    return found


def _paths(fields: tuple[Field, ...], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for field in fields:
        path = (*above, field.name) if field.name else above
        if field.name:
            yield path
        if len(path) < MAX_DEPTH:
            yield from _paths(field.fields, path)


def _placeholders(message: Message) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for declared in message.properties:
        for name in declared.placeholders:
            found[name][declared.name] = None
    return found
