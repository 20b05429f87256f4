"""The pages of a resource other than a message, such as a schema, and of its versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xregit.catalog.entities import Resource, Version
from xregit.catalog.views import Message, Schema, text_of
from xregit.messages.payload import SchemaSource
from xregit.model import siblings
from xregit.pages import documents
from xregit.pages.attributes import attribute_rows, searchable_texts
from xregit.pages.comparison_pages import comparison_pages
from xregit.pages.context import SiteContext, type_title
from xregit.pages.entity_header import entity_header
from xregit.pages.links import Link, address, has_version_pages, reference
from xregit.pages.page import Page
from xregit.pages.page_size import render_rows
from xregit.pages.payload_section import FieldTable, field_descriptions, field_table
from xregit.pages.prose import plain, summary
from xregit.payloads import language
from xregit.xid import parent

ELSEWHERE = frozenset({
    "versionid", "name", "description", "format", "contenttype", "ancestor", "isdefault", "deprecated", "xref",
    "defaultversionid", "createdat", "modifiedat", "epoch",
})  # fmt: skip
# What differs between versions anyway.
VERSION_ATTRIBUTES = frozenset({"versionid", "ancestor", "createdat", "modifiedat", "epoch"})


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version in the list of versions; ``texts`` are its values of the attributes that differ between versions.

    ``changes`` leads to the comparison with the one before, and ``current`` marks the version that the page shows.
    """

    link: Link
    texts: tuple[str, ...]
    default: bool
    ancestor: str
    created: str
    changes: Link | None = None
    current: bool = False


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A version's document: its text, or its URL."""

    source: documents.Source
    url: Link | None


def resource_pages(site: SiteContext, resource: Resource) -> Iterator[Page]:
    """Yield the page of a resource, then those of its versions where they have pages."""
    target = site.registry.resource(resource.xref) if resource.xref else None
    yield _resource_page(site, resource, target or resource)
    if has_version_pages(resource):
        for version in resource.versions.values():
            yield _version_page(site, resource, version)
    if resource.type.plural == "schemas":
        name = text_of(resource.attributes, "name") or resource.id
        yield from comparison_pages(site, resource, f"{name}, version", site.comparisons(resource))


def _resource_page(site: SiteContext, resource: Resource, target: Resource) -> Page:
    """Return the page of a resource; an alias shows its target's versions."""
    attributes, singular = target.attributes, resource.type.singular
    header = entity_header(site, resource, singular, attributes, resource.meta)
    version = target.versions.get(target.defaultversionid)
    messages = _messages(site, target)
    models = {**resource.type.metaattributes, **siblings(resource.type.attributes, attributes)}
    html, whole = render_rows(
        "resource.html",
        header=header,
        title=header.title,
        **_version_parts(site, target, version),
        alias_of=site.link(resource.xref) if resource.xref else None,
        aliases=[site.link(xid) for xid in site.registry.indexes.aliases.get(resource.xid, ())],
        users=[site.entry(message) for message in messages],
        others=attribute_rows(
            site.registry, {**resource.meta, **attributes}, models, without=_attributes_elsewhere(resource)
        ),
        commits=site.history.of(resource.xid, resource.place),
        sources=documents.entity_sources(resource.definition, attributes),
    )
    # Messages of one schema mostly have the same fields.
    fields = {id(facts.fields): facts.fields for facts in map(site.message_schema, messages)}
    words = (
        plain(attributes.get("description")),
        *searchable_texts(attributes, VERSION_ATTRIBUTES | {"description"}),
        *field_descriptions(field for each in fields.values() for field in each),
    )
    return Page(
        address(resource.xid),
        header.title,
        html,
        description=summary(attributes.get("description")) or f"The {singular} {resource.id}",
        search=" ".join(words),
        keys=(resource.id,),
        parent=address(parent(resource.xid)),
        api=header.source.api,
        whole=whole,
        kind=type_title(resource.type.singular),
    )


def _version_page(site: SiteContext, resource: Resource, version: Version) -> Page:
    attributes = version.attributes
    header = entity_header(site, version, f"version of a {resource.type.singular}", attributes, {})
    title = f"{header.name or resource.id}, version {version.id}"
    models = siblings(resource.type.attributes, attributes)
    html, whole = render_rows(
        "resource.html",
        header=header,
        title=title,
        **_version_parts(site, resource, version),
        alias_of=None,
        aliases=(),
        users=[site.entry(message) for message in _messages(site, resource) if _uses(message, version)],
        others=attribute_rows(site.registry, attributes, models, without=_attributes_elsewhere(resource)),
        commits=(),
        sources=(),
    )
    return Page(
        address(version.xid),
        title,
        html,
        description=summary(attributes.get("description")) or title,
        search=f"{' '.join(_texts(version, _differing(resource)))} {resource.id} {version.id}",
        parent=address(resource.xid),
        whole=whole,
        kind=f"Version of a {resource.type.singular}",
    )


def _version_parts(site: SiteContext, resource: Resource, version: Version | None) -> dict[str, object]:
    """Return what the template shows of a version, and of the others that one may switch to."""
    attributes = version.attributes if version else resource.attributes
    return {
        "format": text_of(attributes, "format"),
        "contenttype": text_of(attributes, "contenttype"),
        "versions": _versions(site, resource, version) if has_version_pages(resource) else (),
        "since": _comparisons(site, resource, version),
        "differing": _differing(resource),
        "document": _document(site, version),
        "fields": _fields(site, version),
    }


def _uses(message: Message, version: Version) -> bool:
    reference = message.schema
    return reference is not None and reference.version is version


def _comparisons(site: SiteContext, resource: Resource, version: Version | None) -> tuple[Link, ...]:
    """Return the links to the comparisons of a schema's version with those before it."""
    if resource.type.plural != "schemas" or version is None:
        return ()
    return site.comparisons(resource).since(version.id)


def _versions(site: SiteContext, resource: Resource, current: Version | None) -> tuple[VersionRow, ...]:
    """Return the versions, the newest first; one that doesn't name its ancestor follows the one before it."""
    rows: list[VersionRow] = []
    previous = ""
    names = _differing(resource)
    for version in resource.versions.values():
        ancestor = text_of(version.attributes, "ancestor") or previous
        facts = site.registry.facts(version.place)
        rows.append(
            VersionRow(
                link=site.link(version.xid),
                texts=_texts(version, names),
                default=version.id == resource.defaultversionid,
                ancestor="" if ancestor == version.id else ancestor,
                created=text_of(version.attributes, "createdat") or facts.createdat * bool(facts.commits),
                changes=next(iter(_comparisons(site, resource, version)), None),
                current=version is current,
            )
        )
        previous = version.id
    return tuple(reversed(rows))


def _differing(resource: Resource) -> tuple[str, ...]:
    """Return the names of the texts that are not the same in all versions of a resource."""
    versions = [version.attributes for version in resource.versions.values()]
    names = dict.fromkeys(name for attributes in versions for name in attributes if name not in VERSION_ATTRIBUTES)
    return tuple(name for name in names if len({text_of(attributes, name) for attributes in versions}) > 1)


def _texts(version: Version, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(plain(text_of(version.attributes, name)) for name in names)


def _document(site: SiteContext, version: Version | None) -> DocumentView | None:
    if version is None or version.document is None:
        return None
    url = version.document.url
    return DocumentView(documents.document_source(version.document), reference(site.registry, url) if url else None)


def _fields(site: SiteContext, version: Version | None) -> FieldTable | None:
    """Return the fields of a schema document, None for any other document or schema language."""
    if version is None or version.data is None:
        return None
    schema_format = text_of(version.attributes, "format")
    if not language(schema_format):
        return None
    return field_table(site.schema(SchemaSource(schema_format, version.data, uri=version.xid)).fields)


def _messages(site: SiteContext, resource: Resource) -> tuple[Message, ...]:
    """Return the messages that use a schema."""
    return Schema(site.registry, resource).users if resource.type.plural == "schemas" else ()


def _attributes_elsewhere(resource: Resource) -> frozenset[str]:
    """Return the attributes that are elsewhere on the page than in the table of further attributes."""
    singular = resource.type.singular
    content = {singular, f"{singular}url", f"{singular}base64"} if resource.type.hasdocument else set()
    return ELSEWHERE | {f"{singular}id"} | content
