"""What the page of any entity begins and ends with: name, owners, deprecation, and the file that it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from xregit.catalog.entities import Group, Place, Resource
from xregit.catalog.registry import Entity, Registry
from xregit.catalog.views import text_of
from xregit.pages.links import Link, is_safe, reference
from xregit.rules.references import alternatives

if TYPE_CHECKING:
    from markupsafe import Markup

    from xregit.pages.context import SiteContext


# A longer description has its first paragraph at the top of a page, and the rest below what readers come for.
MAX_INTRODUCTION = 500


@dataclass(frozen=True, slots=True)
class Deprecation:
    """When an entity is deprecated and removed, and what replaces it.

    ``last`` is the end of the chain of alternatives where the first one is deprecated too.
    """

    effective: str
    removal: str
    alternative: Link | None
    documentation: Link | None
    last: Link | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file of an entity, and when the entity was created and modified, as it says itself or else Git.

    ``commits`` counts those that touched the file; in a ``shallow`` clone there may have been more. ``edit`` is where
    the file can be changed, ``api`` the entity's address in the static API.
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
class EntityHeader:
    """What the page of any entity begins and ends with; ``unreadable`` says that its file could not be read."""

    kind: str
    id: str
    name: str
    xid: str
    crumbs: tuple[Link, ...]
    description: Markup
    deprecation: Deprecation | None
    owners: tuple[Link, ...]
    source: SourceFile
    unreadable: bool

    @property
    def introduction(self) -> Markup:
        """The description, of a long one the first paragraph."""
        return self.description[: self._end]

    @property
    def elaboration(self) -> Markup:
        """The rest of a long description."""
        return self.description[self._end :]

    @property
    def _end(self) -> int:
        is_long = len(self.description) > MAX_INTRODUCTION and self.description.startswith("<p>")
        return self.description.index("</p>") + len("</p>") if is_long else len(self.description)

    @property
    def title(self) -> str:
        """The entity's name, else its id."""
        return self.name or self.id


def entity_header(
    site: SiteContext, entity: Entity, kind: str, attributes: Mapping[str, Any], meta: Mapping[str, Any]
) -> EntityHeader:
    """Return the header of an entity's page; ``meta`` are the attributes that have its deprecation."""
    return EntityHeader(
        kind=kind,
        id=entity.id,
        name=text_of(attributes, "name"),
        xid=entity.xid,
        crumbs=site.crumbs(entity.xid),
        description=site.prose(attributes.get("description")),
        deprecation=deprecation(site, meta.get("deprecated"), entity.xid),
        owners=tuple(map(site.owner, site.registry.owners.of(entity.place.path))),
        source=_source_file(site.registry, entity.place, attributes, entity.xid),
        unreadable=entity.place.path in site.registry.broken,
    )


def deprecation(site: SiteContext, value: object, xid: str) -> Deprecation | None:
    """Return the deprecation of the entity at ``xid`` from the value of its attribute, None where it has none."""
    if not isinstance(value, Mapping):
        return None

    def link(name: str) -> Link | None:
        target = reference(site.registry, text_of(value, name))
        target_xid = target.text.lstrip("#")
        if target.href and target_xid.startswith("/"):
            return site.message_link(target_xid, xid)
        return target if target.text else None

    return Deprecation(
        text_of(value, "effective"),
        text_of(value, "removal"),
        link("alternative"),
        link("documentation") or link("docs"),
        _final_alternative(site, xid),
    )


def _final_alternative(site: SiteContext, xid: str) -> Link | None:
    """Return the end of the chain of alternatives if there are several and the last one is not deprecated."""
    entity = site.registry.entity(xid)
    chain = list(alternatives(site.registry, entity)) if isinstance(entity, Group | Resource) else []
    last = site.registry.entity(chain[-1]) if len(chain) > 1 else None
    if not isinstance(last, Group | Resource) or isinstance(deprecation_of(last), Mapping):
        return None
    return site.message_link(last.xid, xid)


def deprecation_of(entity: Group | Resource) -> object:
    """Return the value of an entity's attribute ``deprecated``."""
    return (entity.attributes if isinstance(entity, Group) else entity.meta).get("deprecated")


def _source_file(registry: Registry, place: Place, attributes: Mapping[str, Any], xid: str) -> SourceFile:
    facts, settings = registry.facts(place), registry.settings
    path = quote(f"{settings.branch}/{place.path}", safe="/:@~")  # the names of files may hold "%" themselves
    link = f"{settings.repository.rstrip('/')}/blob/{path}" if settings.repository else ""
    return SourceFile(
        file=place.path,
        href=reference(registry, link).href if link else "",
        commits=len(facts.commits),
        created=text_of(attributes, "createdat") or facts.createdat * bool(facts.commits),
        modified=text_of(attributes, "modifiedat") or facts.modifiedat * bool(facts.commits),
        shallow=registry.origin.history.shallow,
        edit=link.replace("/blob/", "/edit/", 1) if is_safe(link) else "",
        api=f"{settings.baseurl.rstrip('/')}{xid}" if is_safe(settings.baseurl) else "",
    )
