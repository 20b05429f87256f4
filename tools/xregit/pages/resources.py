"""A resource of any type, such as a schema, to its page and the pages of its versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.views import Schema, text_of
from xregit.messages.payload import SchemaSource
from xregit.model import siblings
from xregit.pages import documents
from xregit.pages.attributes import rows, texts_in
from xregit.pages.entity_header import head_of
from xregit.pages.examples import told, told_by
from xregit.pages.links import Link, address, has_version_pages, reference
from xregit.pages.page import Page
from xregit.pages.payloads import Fields, fields, meanings
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render
from xregit.payloads import language
from xregit.xid import parent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.entities import Resource, Version
    from xregit.catalog.views import Message
    from xregit.pages.attributes import Row
    from xregit.pages.context import Entry, SiteContext

ELSEWHERE = frozenset({
    "versionid", "name", "description", "format", "contenttype", "ancestor", "isdefault", "deprecated", "xref",
    "defaultversionid", "createdat", "modifiedat", "epoch",
})  # fmt: skip
# What differs between versions anyway.
COUNTED = frozenset({"versionid", "ancestor", "createdat", "modifiedat", "epoch"})


@dataclass(frozen=True, slots=True)
class Listed:
    """A version in the list of versions; ``own`` are its texts of those that differ between the versions."""

    link: Link
    own: tuple[str, ...]
    default: bool
    ancestor: str
    created: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A version's document: its text, or where it is kept."""

    source: documents.Source
    url: Link | None


def resource_pages(book: SiteContext, resource: Resource) -> Iterator[Page]:
    """Give the page of a resource, then those of its versions where they have pages."""
    target = book.registry.resource(resource.xref) if resource.xref else None
    yield _resource_page(book, resource, target or resource)
    if has_version_pages(resource):
        for version in resource.versions.values():
            yield _version_page(book, resource, version)


def _resource_page(book: SiteContext, resource: Resource, target: Resource) -> Page:
    """Return the page of a resource; an alias shows its target's versions."""
    head = head_of(book, resource, resource.type.singular, target.attributes, resource.meta)
    version = target.versions.get(target.defaultversionid)
    html = render(
        "resource.html",
        head=head,
        format=text_of(target.attributes, "format"),
        contenttype=text_of(target.attributes, "contenttype"),
        default=target.defaultversionid,
        versions=_versions(book, target) if has_version_pages(target) else (),
        differing=_differing(target),
        document=_document(book, version),
        alias_of=book.link(resource.xref) if resource.xref else None,
        aliases=[book.link(xid) for xid in book.registry.indexes.aliases.get(resource.xid, ())],
        users=_users(book, target),
        others=_others(book, resource, target),
        fields=_fields(book, version),
        happenings=book.lives.of(resource.xid, resource.place),
        texts=documents.texts(resource.definition, target.attributes),
    )
    return Page(
        address(resource.xid),
        head.title,
        html,
        description=summary(target.attributes.get("description")) or f"The {resource.type.singular} {resource.id}",
        search=" ".join((_search(target.attributes), *_meanings(book, target))),
        keys=(resource.id,),
        parent=address(parent(resource.xid)),
        api=head.source.api,
    )


def _version_page(book: SiteContext, resource: Resource, version: Version) -> Page:
    head = head_of(book, version, f"version of a {resource.type.singular}", version.attributes, {})
    title = f"{head.name or resource.id}, version {version.id}"
    models = siblings(resource.type.attributes, version.attributes)
    names = _differing(resource)
    html = render(
        "version.html",
        head=head,
        title=title,
        format=text_of(version.attributes, "format"),
        contenttype=text_of(version.attributes, "contenttype"),
        default=version.id == resource.defaultversionid,
        versions=_versions(book, resource),
        differing=names,
        document=_document(book, version),
        fields=_fields(book, version),
        others=rows(book.registry, version.attributes, models, without=_elsewhere(resource)),
    )
    return Page(
        address(version.xid),
        title,
        html,
        description=summary(version.attributes.get("description")) or title,
        search=f"{' '.join(_own(version, names))} {resource.id} {version.id}",
        parent=address(resource.xid),
    )


def _versions(book: SiteContext, resource: Resource) -> tuple[Listed, ...]:
    """Return the versions, the newest first; one that doesn't name its ancestor follows the one before it."""
    listed: list[Listed] = []
    before = ""
    names = _differing(resource)
    for version in resource.versions.values():
        ancestor = text_of(version.attributes, "ancestor") or before
        facts = book.registry.facts(version.place)
        listed.append(
            Listed(
                link=book.link(version.xid),
                own=_own(version, names),
                default=version.id == resource.defaultversionid,
                ancestor="" if ancestor == version.id else ancestor,
                created=text_of(version.attributes, "createdat") or facts.createdat * bool(facts.commits),
            )
        )
        before = version.id
    return tuple(reversed(listed))


def _differing(resource: Resource) -> tuple[str, ...]:
    """Return the names of the texts that are not the same in all versions of a resource."""
    names = dict.fromkeys(name for version in resource.versions.values() for name in version.attributes)
    texts = {name: {text_of(version.attributes, name) for version in resource.versions.values()} for name in names}
    return tuple(name for name, found in texts.items() if len(found) > 1 and name not in COUNTED)


def _own(version: Version, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(plain(text_of(version.attributes, name)) for name in names)


def _document(book: SiteContext, version: Version | None) -> Shown | None:
    if version is None or version.document is None:
        return None
    url = version.document.url
    return Shown(documents.source(version.document), reference(book.registry, url) if url else None)


def _fields(book: SiteContext, version: Version | None) -> Fields | None:
    """Return the fields that a schema document describes, None where it is none or in a language we don't read."""
    document = version.document if version else None
    form = text_of(version.attributes, "format") if version else ""
    if version is None or document is None or document.data is None or not language(form):
        return None
    return fields(told_by(book, SchemaSource(form, document.data, uri=version.xid)).fields)


def _users(book: SiteContext, resource: Resource) -> list[Entry]:
    return [book.entry(message) for message in _using(book, resource)]


def _using(book: SiteContext, resource: Resource) -> tuple[Message, ...]:
    return Schema(book.registry, resource).users if resource.type.plural == "schemas" else ()


def _meanings(book: SiteContext, resource: Resource) -> Iterator[str]:
    """Give what the fields of a schema's messages are said to mean, each once, and not without end."""
    found = {id(known.fields): known.fields for known in (told(book, message) for message in _using(book, resource))}
    return meanings(field for each in found.values() for field in each)


def _others(book: SiteContext, resource: Resource, target: Resource) -> tuple[Row, ...]:
    attributes = {**resource.meta, **target.attributes}
    models = {**resource.type.metaattributes, **siblings(resource.type.attributes, target.attributes)}
    return rows(book.registry, attributes, models, without=_elsewhere(resource))


def _elsewhere(resource: Resource) -> frozenset[str]:
    singular = resource.type.singular
    if not resource.type.hasdocument:
        return ELSEWHERE | {f"{singular}id"}
    return ELSEWHERE | {f"{singular}id", singular, f"{singular}url", f"{singular}base64"}


def _search(attributes: Mapping[str, Any]) -> str:
    return " ".join((plain(attributes.get("description")), *texts_in(attributes, COUNTED | {"description"})))
