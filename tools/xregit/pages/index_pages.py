"""The indexes of a site: of names, labels, owners and deprecations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.catalog.entities import Group, Resource
from xregit.catalog.resolver import group_of
from xregit.catalog.views import Message, text_of
from xregit.model.language import NOTHING, type_label
from xregit.pages.entity_header import Deprecation, deprecation, deprecation_of
from xregit.pages.links import (
    DEPRECATIONS,
    LABELS,
    NAMES,
    OWNERS,
    Link,
    href,
    natural_order,
    unique_ids,
)
from xregit.pages.page import Page
from xregit.pages.page_size import render_rows
from xregit.pages.payload_section import MAX_DEPTH
from xregit.payloads import Field
from xregit.payloads.fields import INSIDE, MORE_FIELDS

if TYPE_CHECKING:
    from xregit.pages.context import Entry, SiteContext


NAMES_TITLE = "Fields"
NAMES_INTRO = "All payload fields and placeholders, with the messages that use them."


class User(NamedTuple):
    """A message with a field or placeholder of a name: the paths of fields, the properties with the placeholder."""

    entry: Entry
    fields: tuple[str, ...]
    placeholders: tuple[str, ...]


class Names(NamedTuple):
    """The names of fields and placeholders in their order, with the messages that have each, and an id for each."""

    users: Mapping[str, tuple[User, ...]]
    ids: Mapping[str, str]


def name_pages(site: SiteContext) -> Iterator[Page]:
    """Yield the index of all names, in parts if they are many, then a page for each that several messages have."""
    users, ids = site.names
    if not users:
        return
    index = Index(NAMES, NAMES_TITLE, NAMES_INTRO, (Link(site.title, href("")),))
    shared = {
        name: index.below(ids[name], name, f"{len(users[name])} messages have {name} as a field or a placeholder.")
        for name in users
        if len(users[name]) > 1
    }
    yield from _row_pages(
        index,
        [
            Section(name, ids[name], (), Link(f"{len(users[name])} messages", href(shared[name].address)))
            if name in shared
            else Section(name, ids[name], (Item(users[name][0].entry.link, "message"),))
            for name in users
        ],
        ids,
    )
    for name, below in shared.items():
        yield below.page("name.html", users=users[name])


def site_names(site: SiteContext) -> Names:
    """Return the names of the fields and placeholders of all messages."""
    users: dict[str, list[User]] = defaultdict(list)
    for message in site.registry.messages:
        if message.alias_of:
            continue
        paths: dict[str, dict[str, None]] = defaultdict(dict)
        for path in _field_paths(site.message_schema(message).fields, ()):
            paths[path[-1]][".".join(path)] = None
        properties = _placeholder_properties(message)
        for name in dict.fromkeys((*paths, *properties)):
            fields, placeholders = tuple(paths.get(name, ())), tuple(properties.get(name, ()))
            users[name].append(User(site.entry(message), fields, placeholders))
    names = sorted(users, key=natural_order)
    return Names({name: tuple(users[name]) for name in names}, _row_ids(names))


def _field_paths(
    fields: tuple[Field, ...], above: tuple[str, ...], *, inner: bool = False
) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all fields; the ``inner`` field of a list or map, which nobody has named, has none."""
    for field in fields:
        path = (*above, field.name) if field.name else above
        if field.name and field is not MORE_FIELDS and not inner:
            yield path
        if len(path) < MAX_DEPTH:
            yield from _field_paths(field.fields, path, inner=field.type in INSIDE)


def _placeholder_properties(message: Message) -> dict[str, dict[str, None]]:
    """Return the names of the properties that have each placeholder; envelope and protocol may share a name."""
    properties: dict[str, dict[str, None]] = defaultdict(dict)
    for item in message.properties:
        for name in item.placeholders:
            properties[name][item.name] = None
    return properties


# A label with more values has a page of its own, as has a section of more entries, or of more than its share of those
# that a page can have.
MAX_HERE, MAX_SECTION, MAX_ENTRIES = 20, 40, 200
# A table of more rows than this is split, so that no page has more than 80 kB.
MAX_ROWS = 200


class Item(NamedTuple):
    """One entity in a section: its type, and the places in it that the section is about."""

    link: Link
    kind: str
    group: Link | None = None
    places: tuple[str, ...] = ()


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
    """The head of a page that lists sections, or the entries of one."""

    address: str
    title: str
    intro: str
    crumbs: tuple[Link, ...]
    parent: str = ""

    def below(self, name: str, title: str, intro: str) -> Index:
        """Return the head of a page below this one."""
        here = Link(self.title, href(self.address))
        return Index(f"{self.address}{name}/", title, intro, (*self.crumbs, here), self.address)

    def page(self, template: str, names: Iterable[str] = (), **more: object) -> Page:
        """Return the page; search finds it by the names."""
        html, whole = render_rows(template, title=self.title, crumbs=self.crumbs, intro=self.intro, **more)
        return Page(
            self.address,
            self.title,
            html,
            description=self.intro,
            search=self.intro,
            names=tuple(names),
            parent=self.parent,
            listed=not self.parent,
            whole=whole,
        )


@dataclass(frozen=True, slots=True)
class DeprecatedEntity:
    """A deprecated entity, with its removal and alternative."""

    item: Item
    deprecation: Deprecation


def index_pages(site: SiteContext) -> Iterator[Page]:
    """Yield the pages for which the registry has entries."""
    crumbs = (Link(site.title, href("")),)
    labels, owners = _labels(site), _owners(site)
    if labels:
        yield from _index(Index(LABELS, "Labels", "All labels, and what they are on.", crumbs), *_split_labels(labels))
    if owners:
        intro = f"Who reviews changes to what, from {site.registry.owners.path}."
        yield from _index(Index(OWNERS, "Owners", intro, crumbs), owners, ids=site.owner_ids)
    deprecated = deprecated_entities(site)
    if deprecated:
        intro = "What is deprecated, its replacement, and when it will be removed, soonest first."
        title = "Deprecations"
        html, whole = render_rows("deprecations.html", title=title, crumbs=crumbs, intro=intro, deprecated=deprecated)
        # Who searches for these words means this list, and not the rules about deprecation.
        keys = ("deprecated", *(f"deprecated {kind}s" for kind in sorted({each.item.kind for each in deprecated})))
        search = f"{title}: deprecated, {intro}"
        yield Page(DEPRECATIONS, title, html, description=intro, search=search, keys=keys, listed=True, whole=whole)


def _index(
    index: Index,
    sections: Sections,
    tables: Mapping[str, Sections] = NOTHING,
    ids: Mapping[str, str] = NOTHING,
) -> Iterator[Page]:
    """Yield a page of sections, then those of the long ones; tables are sections with pages of their own.

    ``ids`` has the ids of the sections where other pages lead to them.
    """
    names = sorted({*sections, *tables}, key=natural_order)
    ids = ids or unique_ids(names)
    all_sections: list[Section] = []
    pages: list[Page] = []
    for name in names:
        if name in tables:
            below = index.below(ids[name], name, f"All values of {name}, and what has them.")
            pages += _table(below, tables[name])
            link = Link(f"{len(tables[name])} values", href(below.address))
            all_sections.append(Section(name, ids[name], (), link))
        else:
            section, page = _section(index, name, ids[name], sections[name], len(names))
            pages += page
            all_sections.append(section)
    yield index.page("index.html", names, sections=all_sections)
    yield from pages


def _table(index: Index, sections: Sections) -> Iterator[Page]:
    """Yield a page with a row for each section, split if there are many, then the pages of the long ones."""
    ids = _row_ids(sections)
    rows: list[Section] = []
    pages: list[Page] = []
    for name, items in sections.items():
        section, page = _section(index, name, ids[name], items, min(len(sections), MAX_ROWS))
        rows.append(section)
        pages += page
    yield from _row_pages(index, rows, ids)
    yield from pages


def _row_ids(names: Collection[str]) -> dict[str, str]:
    """Return an id for each name in a table, and for each part that the table is split into."""
    return unique_ids((*(f"part {number}" for number in range(1, -(-len(names) // MAX_ROWS) + 1)), *names))


def _row_pages(index: Index, rows: Sequence[Section], ids: Mapping[str, str]) -> Iterator[Page]:
    """Yield the page of a table; of many rows the page that leads to its parts, and the page of each."""
    if len(rows) <= MAX_ROWS:
        yield index.page("values.html", (row.title for row in rows), sections=rows)
        return
    sections: list[Section] = []
    pages: list[Page] = []
    for start in range(0, len(rows), MAX_ROWS):
        part = rows[start : start + MAX_ROWS]
        title = f"{part[0].title} to {part[-1].title}"
        below = index.below(ids[f"part {start // MAX_ROWS + 1}"], title, index.intro)
        sections.append(Section(title, "", (), Link(f"{len(part)} entries", href(below.address))))
        pages.append(below.page("values.html", (row.title for row in part), sections=part))
    yield index.page("values.html", sections=sections)
    yield from pages


def _section(
    index: Index, name: str, anchor: str, items: Sequence[Item], count: int
) -> tuple[Section, tuple[Page, ...]]:
    """Return a section, one of so many on a page, and its page if it is long."""
    if len(items) <= min(MAX_SECTION, MAX_ENTRIES // count):
        return Section(name, anchor, tuple(items)), ()
    below = index.below(anchor, name, f"{len(items)} entries")
    section = Section(name, anchor, (), Link(below.intro, href(below.address)))
    return section, (below.page("section.html", items=items),)


def _labels(site: SiteContext) -> dict[str, dict[str, list[Item]]]:
    """Return each label's name with its values, as ``name: value``, and what has them.

    A name or value that contains the sign between them is in quotes, so that no two labels look alike.
    """
    users: dict[str, dict[str, list[Item]]] = {}
    for attributes, item in _labelled(site):
        labels = attributes.get("labels")
        for name, value in labels.items() if isinstance(labels, Mapping) else ():
            title = ": ".join(f'"{part}"' if ": " in str(part) else str(part) for part in (name, value) if part != "")
            users.setdefault(str(name), {}).setdefault(title, []).append(item())
    return users


def _labelled(site: SiteContext) -> Iterator[tuple[Mapping[str, Any], Callable[[], Item]]]:
    """Yield the attributes of the registry and of all entities, each with what makes its item."""
    yield site.registry.attributes, partial(Item, Link(site.title, href("")), "registry")
    for entity in _entities(site):
        yield entity.attributes, partial(_item, site, entity)


def _split_labels(labels: Mapping[str, Sections]) -> tuple[Sections, Mapping[str, Sections]]:
    """Return the labels of few values as sections, and the values of each other as a table."""
    sections: dict[str, list[Item]] = defaultdict(list)
    tables: dict[str, Sections] = {}
    for name, values in labels.items():
        if len(values) > MAX_HERE:
            tables[name] = {title: values[title] for title in sorted(values, key=natural_order)}
        else:
            for title, items in values.items():
                sections[title] += items
    return sections, tables


def _owners(site: SiteContext) -> dict[str, list[Item]]:
    """Return each owner with the groups it owns."""
    owners = site.registry.owners
    groups: dict[str, list[Item]] = defaultdict(list)
    for group in site.registry.all_groups if owners.path else ():
        for owner in owners.of(group.place.path):
            groups[owner].append(_item(site, group))
    return groups


def deprecated_entities(site: SiteContext) -> list[DeprecatedEntity]:
    """Return what is deprecated, the earliest removal first."""
    deprecated: list[DeprecatedEntity] = []
    for entity in _entities(site):
        facts = deprecation(site, deprecation_of(entity), entity.xid)
        if facts:
            deprecated.append(DeprecatedEntity(_item(site, entity), facts))
    return sorted(deprecated, key=lambda each: (each.deprecation.removal or "~", each.deprecation.effective))


def _entities(site: SiteContext) -> Iterator[Group | Resource]:
    yield from site.registry.all_groups
    yield from site.registry.all_resources


def _item(site: SiteContext, entity: Group | Resource) -> Item:
    group = None if isinstance(entity, Group) else group_of(site.registry, entity)
    link, name = site.link(entity.xid), text_of(entity.attributes, "name")
    return Item(
        link,
        type_label(entity.type.singular),
        site.link(group.xid) if group else None,
        (name,) if name and name != link.text else (),
    )
