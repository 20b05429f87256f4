"""The indexes of a site: of names, placeholders, labels and owners."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.catalog.entities import Group
from xregit.catalog.resolver import group_of
from xregit.catalog.views import text_of
from xregit.model.language import NOTHING, display_name
from xregit.pages.addresses import DEPRECATIONS, LABELS, NAMES, OWNERS, PLACEHOLDERS, caseless, ids
from xregit.pages.entity_header import Deprecation, deprecation, leaving_as
from xregit.pages.examples import told
from xregit.pages.links import Link, href
from xregit.pages.page import Page
from xregit.pages.payloads import INNER, MAX_DEPTH
from xregit.pages.renderer import render
from xregit.payloads.fields import MORE_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from xregit.catalog.entities import Resource
    from xregit.catalog.views import Message
    from xregit.pages.context import Entry, SiteContext
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


def name_pages(book: SiteContext) -> Iterator[Page]:
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
        yield from _name_parts(parts, crumbs)
    else:
        yield _name_index(rows, crumbs[:1])
    for name, address in shared.items():
        yield _page(name, address, users[name], crumbs)


def _name_index(rows: Sequence[Row], crumbs: tuple[Link, ...], address: str = NAMES, title: str = TITLE) -> Page:
    """Return the index, or a part of it that has an address and a title of its own."""
    html = render("names.html", title=title, crumbs=crumbs, said=SAID, names=rows)
    parent = "" if address == NAMES else NAMES
    return Page(address, title, html, description=SAID, search=SAID, parent=parent, listed=not parent)


def _name_parts(parts: Mapping[str, Sequence[Row]], crumbs: tuple[Link, ...]) -> Iterator[Page]:
    """Give the page that leads to the parts of the index, and the page of each; search has the names by themselves."""
    titles = {at: f"{rows[0][0].text} to {rows[-1][0].text}" for at, rows in parts.items()}
    sections = [
        Section(titles[at], at, (), Link(f"{len(rows):,} names", href(f"{NAMES}{at}/"))) for at, rows in parts.items()
    ]
    html = render("index.html", title=TITLE, crumbs=crumbs[:1], said=SAID, sections=sections, open=0)
    yield Page(NAMES, TITLE, html, description=SAID, search=SAID, listed=True)
    for at, rows in parts.items():
        yield _name_index(rows, crumbs, f"{NAMES}{at}/", titles[at])


def _page(name: str, address: str, users: tuple[User, ...], crumbs: tuple[Link, ...]) -> Page:
    html = render("name.html", title=name, crumbs=crumbs, users=users)
    said = f"The {len(users)} messages that have {name} as a field or a placeholder"
    return Page(address, name, html, description=said, search=said, parent=NAMES)


def _link(name: str, users: tuple[User, ...], shared: Mapping[str, str]) -> Link:
    return Link(name, href(shared[name]) if name in shared else users[0].entry.link.href)


def _users(book: SiteContext) -> dict[str, tuple[User, ...]]:
    found: dict[str, list[User]] = defaultdict(list)
    for message in book.registry.messages:
        if message.alias_of:
            continue
        fields, placeholders = _fields(book, message), _placeholder_names(message)
        for name in dict.fromkeys((*fields, *placeholders)):
            found[name].append(User(book.entry(message), tuple(fields[name]), tuple(placeholders[name])))
    return {name: tuple(users) for name, users in found.items()}


def _fields(book: SiteContext, message: Message) -> dict[str, dict[str, None]]:
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


def _placeholder_names(message: Message) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for declared in message.properties:
        for name in declared.placeholders:
            found[name][declared.name] = None
    return found


# A section with more entries than this begins folded.
MAX_OPEN = 12
# One with more than that has a page of its own, as has a label with more values.
MAX_HERE = 100
# A table of more values than this is parted, so that a browser gets no page of more than some 200 kB.
MAX_ROWS = 500


class Item(NamedTuple):
    """One entity in a section: its type, and where in it the thing is that the section is about."""

    link: Link
    kind: str
    group: Link | None = None
    where: tuple[str, ...] = ()


Sections = Mapping[str, Sequence[Item]]


@dataclass(frozen=True, slots=True)
class Section:
    """What entities have in common, and those that have it, or the link to the page that lists them."""

    title: str
    id: str
    items: tuple[Item, ...]
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """What a page says that lists sections, or the entries of one."""

    address: str
    title: str
    said: str
    crumbs: tuple[Link, ...]
    parent: str = ""

    def below(self, name: str, title: str, said: str) -> Index:
        """Return a page below this one."""
        here = Link(self.title, href(self.address))
        return Index(f"{self.address}{name}/", title, said, (*self.crumbs, here), self.address)

    def page(self, template: str, names: Iterable[str] = (), **more: object) -> Page:
        """Return the page; search finds it by the names."""
        return Page(
            self.address,
            self.title,
            render(template, title=self.title, crumbs=self.crumbs, said=self.said, **more),
            description=self.said,
            search=self.title,
            names=tuple(names),
            parent=self.parent,
            listed=not self.parent,
        )


@dataclass(frozen=True, slots=True)
class Leaving:
    """A deprecated entity, with when it goes and what takes its place."""

    item: Item
    deprecation: Deprecation


def index_pages(book: SiteContext) -> Iterator[Page]:
    """Give the pages for which the registry has entries."""
    crumbs = (Link(book.title, href("")),)
    placeholders, labels, owners = _placeholders(book), _labels(book), _owners(book)
    if placeholders:
        said = "Every placeholder, and the messages in which it stands. One name is one value within a message."
        index = Index(PLACEHOLDERS, "Placeholders", said, crumbs)
        at = {f"{{{name}}}": known for name, known in book.placeholder_ids.items()}
        yield from _index(index, {f"{{{name}}}": items for name, items in placeholders.items()}, at=at)
    if labels:
        yield from _index(Index(LABELS, "Labels", "Every label, and what has it.", crumbs), *_parted(labels))
    if owners:
        said = f"Who is asked to review what, as {book.registry.owners.path} says."
        yield from _index(Index(OWNERS, "Owners", said, crumbs), owners, at=book.owner_ids)
    found = leaving(book)
    if found:
        yield _deprecations(book, found)


def _index(
    index: Index,
    sections: Sections,
    tables: Mapping[str, Sections] = NOTHING,
    at: Mapping[str, str] = NOTHING,
) -> Iterator[Page]:
    """Give a page of sections, then those of the long ones; tables are sections that stand on pages below.

    ``at`` has the ids of the sections where other pages lead to them.
    """
    names = sorted({*sections, *tables}, key=caseless)
    at = at or ids(names)
    found: list[Section] = []
    pages: list[Page] = []
    for name in names:
        if name in tables:
            below = index.below(at[name], name, f"Every value of {name}, and what has it.")
            pages += _table(below, tables[name])
            found.append(Section(name, at[name], (), Link(f"{len(tables[name])} values", href(below.address))))
        else:
            section, page = _section(index, name, at[name], sections[name])
            pages += page
            found.append(section)
    yield index.page("index.html", names, sections=found, open=MAX_OPEN)
    yield from pages


def _table(index: Index, sections: Sections) -> Iterator[Page]:
    """Give a page with a row for each section, or one that leads to a page for so many, then those of the long ones."""
    starts = range(0, len(sections), MAX_ROWS)
    titles = [f"{index.title} {number + 1}" for number, _ in enumerate(starts)]
    at = ids((*titles, *sections))
    made = [_section(index, name, at[name], items) for name, items in sections.items()]
    rows = [section for section, _ in made]
    if len(rows) <= MAX_ROWS:
        yield index.page("values.html", sections, sections=rows)
    else:
        yield from _parts(
            index, {at[title]: rows[start : start + MAX_ROWS] for title, start in zip(titles, starts, strict=True)}
        )
    for _, page in made:
        yield from page


def _parts(index: Index, parts: Mapping[str, Sequence[Section]]) -> Iterator[Page]:
    """Give a page that leads to the parts of a table, and the page of each."""
    said = {at: f"{rows[0].title} to {rows[-1].title}" for at, rows in parts.items()}
    below = {
        at: index.below(at, said[at], f"{index.said} In the order of their names, this is a part.") for at in parts
    }
    found = [
        Section(said[at], at, (), Link(f"{len(rows)} values", href(below[at].address))) for at, rows in parts.items()
    ]
    yield index.page("index.html", sections=found, open=MAX_OPEN)
    for at, rows in parts.items():
        yield below[at].page("values.html", (row.title for row in rows), sections=rows)


def _section(index: Index, name: str, at: str, items: Sequence[Item]) -> tuple[Section, tuple[Page, ...]]:
    """Return a section, and its page if it is long."""
    if len(items) <= MAX_HERE:
        return Section(name, at, tuple(items)), ()
    below = index.below(at, name, f"{len(items)} entries")
    return Section(name, at, (), Link(below.said, href(below.address))), (below.page("section.html", items=items),)


def _deprecations(book: SiteContext, found: list[Leaving]) -> Page:
    said = "What is deprecated, what takes its place, and when it goes; what goes first stands first."
    title = "Deprecations"
    html = render("deprecations.html", title=title, crumbs=(Link(book.title, href("")),), said=said, leaving=found)
    words = f"{title}: deprecated, {said}"
    # Who asks so means this list, and not the rules that speak of it.
    keys = ("deprecated", *(f"deprecated {kind}s" for kind in sorted({each.item.kind for each in found})))
    return Page(DEPRECATIONS, title, html, description=said, search=words, keys=keys, listed=True)


def _placeholders(book: SiteContext) -> dict[str, list[Item]]:
    """Return each placeholder's name with the messages that have it."""
    found: dict[str, list[Item]] = defaultdict(list)
    for message in book.registry.messages:
        if message.alias_of:
            continue
        users: dict[str, list[str]] = defaultdict(list)
        for declared in message.properties:
            for name in declared.placeholders:
                if declared.name not in users[name]:  # an envelope and a protocol may both have a subject
                    users[name].append(declared.name)
        for name, where in users.items():
            found[name].append(Item(book.link(message.xid), "message", book.link(message.group.xid), tuple(where)))
    return found


def _labels(book: SiteContext) -> dict[str, dict[str, list[Item]]]:
    """Return each label's name with its values, as ``name: value``, and what has them.

    A name or value that holds the sign between them is in quotes, so that no two labels look alike.
    """
    found: dict[str, dict[str, list[Item]]] = {}
    for attributes, item in _labelled(book):
        labels = attributes.get("labels")
        for name, value in labels.items() if isinstance(labels, Mapping) else ():
            title = ": ".join(f'"{part}"' if ": " in str(part) else str(part) for part in (name, value) if part != "")
            found.setdefault(str(name), {}).setdefault(title, []).append(item())
    return found


def _labelled(book: SiteContext) -> Iterator[tuple[Mapping[str, Any], Callable[[], Item]]]:
    """Give the attributes of the registry and of all entities, each with what makes its item."""
    yield book.registry.attributes, partial(Item, Link(book.title, href("")), "registry")
    for entity in _entities(book):
        yield entity.attributes, partial(_item, book, entity)


def _parted(labels: Mapping[str, Sections]) -> tuple[Sections, Mapping[str, Sections]]:
    """Return the labels of few values as sections, and the values of each other as a table."""
    few: dict[str, list[Item]] = defaultdict(list)
    many: dict[str, Sections] = {}
    for name, values in labels.items():
        if len(values) > MAX_HERE:
            many[name] = {title: values[title] for title in sorted(values, key=caseless)}
        else:
            for title, items in values.items():
                few[title] += items
    return few, many


def _owners(book: SiteContext) -> dict[str, list[Item]]:
    """Return each owner with the groups it owns."""
    owners = book.registry.owners
    found: dict[str, list[Item]] = defaultdict(list)
    for group in book.registry.all_groups if owners.path else ():
        for owner in owners.of(group.place.path):
            found[owner].append(_item(book, group))
    return found


def leaving(book: SiteContext) -> list[Leaving]:
    """Return what is deprecated, what goes first in front."""
    found: list[Leaving] = []
    for entity in _entities(book):
        leaves = deprecation(book, leaving_as(entity), entity.xid)
        if leaves:
            found.append(Leaving(_item(book, entity), leaves))
    return sorted(found, key=lambda each: (each.deprecation.removal or "~", each.deprecation.effective))


def _entities(book: SiteContext) -> Iterator[Group | Resource]:
    yield from book.registry.all_groups
    yield from book.registry.all_resources


def _item(book: SiteContext, entity: Group | Resource) -> Item:
    above = None if isinstance(entity, Group) else group_of(book.registry, entity)
    link = book.link(entity.xid)
    name = text_of(entity.attributes, "name")
    return Item(
        link,
        display_name(entity.type.singular),
        book.link(above.xid) if above else None,
        (name,) if name and name != link.text else (),
    )
