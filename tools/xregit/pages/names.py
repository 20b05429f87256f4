"""Pages that say which messages have something by a name: as a field of the payload, or as a placeholder."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xregit.pages.addresses import NAMES, caseless, ids
from xregit.pages.indexes import Section
from xregit.pages.linking import Link, href
from xregit.pages.page import Page
from xregit.pages.payloads import INNER, MAX_DEPTH
from xregit.pages.rendering import render
from xregit.pages.samples import told
from xregit.payloads.budget import MORE_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.catalog.views import Message
    from xregit.pages.book import Book, Entry
    from xregit.payloads import Field

TITLE = "Fields"
SAID = "Every field of a payload and every placeholder, with the messages that have it."
# A table of more names than this is parted, so that a browser gets no page of more than some 200 kB.
MAX_NAMES = 1_000


class User(NamedTuple):
    """A message that has something by a name, and where: paths of fields, properties with the placeholder."""

    entry: Entry
    fields: tuple[str, ...]
    placeholders: tuple[str, ...]


Row = tuple[Link, tuple[User, ...]]


def name_pages(book: Book) -> Iterator[Page]:
    """Give the index of all names, in parts if they are many, then a page for each that several messages have."""
    users = _users(book)
    if not users:
        return
    names = sorted(users, key=caseless)
    starts = range(0, len(names), MAX_NAMES) if len(names) > MAX_NAMES else ()
    titles = [f"part {number}" for number, _ in enumerate(starts, 1)]
    at = ids((*titles, *names))
    shared = {name: f"{NAMES}{at[name]}/" for name in names if len(users[name]) > 1}
    rows = [(_link(name, users[name], shared), users[name]) for name in names]
    crumbs = (Link(book.title, href("")), Link(TITLE, href(NAMES)))
    if titles:
        parts = {at[title]: rows[start : start + MAX_NAMES] for title, start in zip(titles, starts, strict=True)}
        yield from _parts(parts, crumbs)
    else:
        yield _index(rows, crumbs[:1])
    for name, address in shared.items():
        yield _page(name, address, users[name], crumbs)


def _index(rows: Sequence[Row], crumbs: tuple[Link, ...], address: str = NAMES, title: str = TITLE) -> Page:
    """Return the index, or a part of it that has an address and a title of its own."""
    html = render("names.html", title=title, crumbs=crumbs, said=SAID, names=rows)
    parent = "" if address == NAMES else NAMES
    return Page(address, title, html, description=SAID, search=SAID, parent=parent, listed=not parent)


def _parts(parts: Mapping[str, Sequence[Row]], crumbs: tuple[Link, ...]) -> Iterator[Page]:
    """Give the page that leads to the parts of the index, and the page of each; search has the names by themselves."""
    titles = {at: f"{rows[0][0].text} to {rows[-1][0].text}" for at, rows in parts.items()}
    sections = [
        Section(titles[at], at, (), Link(f"{len(rows):,} names", href(f"{NAMES}{at}/"))) for at, rows in parts.items()
    ]
    html = render("index.html", title=TITLE, crumbs=crumbs[:1], said=SAID, sections=sections, open=0)
    yield Page(NAMES, TITLE, html, description=SAID, search=SAID, listed=True)
    for at, rows in parts.items():
        yield _index(rows, crumbs, f"{NAMES}{at}/", titles[at])


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


def _paths(fields: tuple[Field, ...], above: tuple[str, ...], *, inner: bool = False) -> Iterator[tuple[str, ...]]:
    """Give the paths of all fields; the ``inner`` field of a list or map, which nobody has named, has none."""
    for field in fields:
        path = (*above, field.name) if field.name else above
        if field.name and field is not MORE_FIELDS and not inner:
            yield path
        if len(path) < MAX_DEPTH:
            yield from _paths(field.fields, path, inner=field.type in INNER)


def _placeholders(message: Message) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for declared in message.properties:
        for name in declared.placeholders:
            found[name][declared.name] = None
    return found
