"""What the page of any entity begins and ends with: what it is, whose, whether it goes, and where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from xregit.catalog.entities import Group, Resource
from xregit.catalog.views import text_of
from xregit.pages.addresses import OWNERS
from xregit.pages.attributes import message_link
from xregit.pages.links import Link, href, is_safe, reference
from xregit.rules.references import alternatives

if TYPE_CHECKING:
    from markupsafe import Markup

    from xregit.catalog.entities import Place
    from xregit.catalog.registry import Entity, Registry
    from xregit.pages.context import SiteContext


@dataclass(frozen=True, slots=True)
class Deprecation:
    """When an entity stops to be good, and what to use instead; ``last`` where that is deprecated too, and so on."""

    effective: str
    removal: str
    alternative: Link | None
    documentation: Link | None
    last: Link | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where an entity is written, and since when, as the entity says or Git; empty where neither knows.

    ``commits`` counts those that touched the file; in a ``shallow`` clone there may have been more. ``edit`` is where
    the file is changed, ``api`` the entity's address in the static API.
    """

    file: str
    href: str
    commits: int
    created: str
    modified: str
    shallow: bool
    edit: str
    api: str


@dataclass(frozen=True, slots=True)
class Head:
    """What the page of any entity begins and ends with; ``unread`` says that its file could not be read."""

    kind: str
    id: str
    name: str
    xid: str
    crumbs: tuple[Link, ...]
    description: Markup
    deprecation: Deprecation | None
    owners: tuple[Link, ...]
    source: Source
    unread: bool

    @property
    def title(self) -> str:
        """The entity's name, else its id."""
        return self.name or self.id


def head_of(
    book: SiteContext, entity: Entity, kind: str, attributes: Mapping[str, Any], meta: Mapping[str, Any]
) -> Head:
    """Return the head of an entity's page; ``meta`` is where its deprecation stands."""
    return Head(
        kind=kind,
        id=entity.id,
        name=text_of(attributes, "name"),
        xid=entity.xid,
        crumbs=book.crumbs(entity.xid),
        description=book.prose(attributes.get("description")),
        deprecation=deprecation(book, meta.get("deprecated"), entity.xid),
        owners=tuple(_owner(book, owner) for owner in book.registry.owners.of(entity.place.path)),
        source=_source(book.registry, entity.place, attributes, entity.xid),
        unread=entity.place.path in book.registry.broken,
    )


def deprecation(book: SiteContext, value: object, beside: str) -> Deprecation | None:
    """Return what is said of a deprecation, None where nothing is; ``beside`` is the xid of what is deprecated."""
    if not isinstance(value, Mapping):
        return None
    links = [reference(book.registry, text_of(value, name)) for name in ("alternative", "documentation", "docs")]
    instead, *documentation = [_named(book, link, beside) if link.text else None for link in links]
    return Deprecation(
        text_of(value, "effective"),
        text_of(value, "removal"),
        instead,
        next(filter(None, documentation), None),
        _last(book, beside),
    )


def _last(book: SiteContext, xid: str) -> Link | None:
    """Return what takes the place of what takes an entity's place, and so on, if that is to stay."""
    entity = book.registry.entity(xid)
    chain = list(alternatives(book.registry, entity)) if isinstance(entity, Group | Resource) else []
    last = book.registry.entity(chain[-1]) if len(chain) > 1 else None
    if not isinstance(last, Group | Resource) or isinstance(leaving_as(last), Mapping):
        return None
    return message_link(book, last.xid, xid)


def leaving_as(entity: Group | Resource) -> object:
    """Return what an entity says of its deprecation."""
    return (entity.attributes if isinstance(entity, Group) else entity.meta).get("deprecated")


def _named(book: SiteContext, link: Link, beside: str) -> Link:
    xid = link.text.lstrip("#")
    return message_link(book, xid, beside) if link.href and xid.startswith("/") else link


def _owner(book: SiteContext, owner: str) -> Link:
    """Return the link to what an owner has; whoever owns no whole group is not listed there."""
    at = book.owner_ids.get(owner)
    return Link(owner, f"{href(OWNERS)}#{at}" if at else "")


def _source(registry: Registry, place: Place, attributes: Mapping[str, Any], xid: str) -> Source:
    facts, settings = registry.facts(place), registry.settings
    path = quote(f"{settings.branch}/{place.path}", safe="/:@~")  # the names of files may hold "%" themselves
    link = f"{settings.repository.rstrip('/')}/blob/{path}" if settings.repository else ""
    return Source(
        file=place.path,
        href=reference(registry, link).href if link else "",
        commits=len(facts.commits),
        created=text_of(attributes, "createdat") or facts.createdat * bool(facts.commits),
        modified=text_of(attributes, "modifiedat") or facts.modifiedat * bool(facts.commits),
        shallow=registry.origin.history.shallow,
        edit=link.replace("/blob/", "/edit/", 1) if is_safe(link) else "",
        api=f"{settings.baseurl.rstrip('/')}{xid}" if is_safe(settings.baseurl) else "",
    )
