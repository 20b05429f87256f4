"""The payload on the page of a message: its schema as a table of fields and as source, and an example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.catalog.references import SchemaReference
from xregit.catalog.views import Message, text_of
from xregit.messages.payload import NO_DATA
from xregit.pages import documents
from xregit.pages.links import Link, has_version_pages, reference
from xregit.pages.prose import plain
from xregit.payloads import Field
from xregit.payloads.fields import INSIDE, has_item, type_text

if TYPE_CHECKING:
    from xregit.pages.context import SiteContext

SCHEMA_ATTRIBUTES = ("dataschema", "dataschemauri", "dataschemaxid", "dataschemaformat")
# A table of fields is cut after this many, and begins folded below the first level where there are more than a few.
MAX_FIELDS, MAX_OPEN, MAX_DEPTH = 150, 30, 12
MAX_VALUES, MAX_DESCRIPTION_CHARS, MAX_EXAMPLE_CHARS = 12, 300, 4_000
# A search finds a schema by the first of the descriptions of its fields, some hundred of them.
MAX_DESCRIPTIONS_CHARS = 8_000


class FieldRow(NamedTuple):
    """One field with those inside it; ``values`` are those of an enumeration, ``limits`` its other constraints."""

    name: str
    type: str
    required: bool
    nullable: bool
    description: str
    values: tuple[str, ...]
    limits: str
    fields: tuple[FieldRow, ...]


class FieldTable(NamedTuple):
    """The fields of a payload; ``open`` says that all of them are visible at once, ``cut`` that some are left out."""

    rows: tuple[FieldRow, ...]
    open: bool
    cut: bool


class PayloadSection(NamedTuple):
    """The payload of a message: the schema that it refers to, or the schema inside it."""

    format: Link
    contenttype: Link
    schema: Link | None = None
    selector: str = ""
    broken: bool = False
    source: documents.Source | None = None
    fields: FieldTable | None = None
    example: documents.Source | None = None
    versions: tuple[Link, ...] = ()
    since: tuple[Link, ...] = ()
    reason: str = ""


def payload_section(site: SiteContext, message: Message) -> PayloadSection | None:
    """Return what a message declares about its payload, None where it declares nothing."""
    attributes = message.resolved.attributes
    contenttype = Link(text_of(attributes, "datacontenttype"))
    if not any(name in attributes for name in SCHEMA_ATTRIBUTES):
        return PayloadSection(Link(""), contenttype) if contenttype.text else None
    schema, facts = message.schema, site.message_schema(message)
    inline = attributes.get("dataschema")
    source = None if inline is None else documents.inline_snippet(inline)
    if schema:
        document = schema.version.document if schema.version else None
        source = documents.document_source(document, documents.MAX_CHARS_BESIDE) if document else None
    return PayloadSection(
        format=Link(text_of(attributes, "dataschemaformat")),
        contenttype=contenttype,
        schema=_schema_link(site, schema) if schema else None,
        selector=schema.selector if schema else "",
        broken=schema is not None and schema.local and schema.schema is None,
        source=source,
        fields=field_table(facts.fields),
        example=_example(facts.example),
        versions=_versions(site, schema) if schema else (),
        since=_comparisons(site, schema) if schema else (),
        reason=facts.reason,
    )


def _example(value: Any) -> documents.Source | None:
    if value is NO_DATA:
        return None
    text = documents.json_text(value)
    if len(text) > MAX_EXAMPLE_CHARS:
        return documents.Source(reason=f"The example is long, {len(text):,} characters; xregit new makes one.")
    return documents.Source(text, "json")


def _schema_link(site: SiteContext, target: SchemaReference) -> Link:
    schema, version = target.schema, target.version
    if schema is None:
        return reference(site.registry, target.text)
    if version is not None and f"/versions/{version.id}" in target.text:
        return site.link(version.xid, f"{schema.id}, version {version.id}")
    return site.link(schema.xid, text_of(schema.attributes, "name"))


def _versions(site: SiteContext, target: SchemaReference) -> tuple[Link, ...]:
    """Return the versions of the schema, the newest first, with the one that the message uses marked."""
    if target.schema is None or not has_version_pages(target.schema):
        return ()
    xid = target.version.xid if target.version else ""
    links = [
        site.link(version.xid, version.id)._replace(note="this one" if version.xid == xid else "")
        for version in target.schema.versions.values()
    ]
    return tuple(reversed(links))


def _comparisons(site: SiteContext, target: SchemaReference) -> tuple[Link, ...]:
    """Return the links to the comparisons of the version that the message uses with those before it."""
    if target.schema is None or target.version is None or target.schema.type.plural != "schemas":
        return ()
    return site.comparisons(target.schema).since(target.version.id)


def field_table(fields: tuple[Field, ...]) -> FieldTable | None:
    """Return the fields of a payload as a page shows them, None where there are none."""
    if not fields:
        return None
    budget = _RowBudget()
    rows = tuple(_rows(fields, budget, 0))
    return FieldTable(rows, open=MAX_FIELDS - budget.rows <= MAX_OPEN, cut=budget.exceeded)


@dataclass(slots=True)
class _RowBudget:
    """How many more rows a table may have, and whether some were left out."""

    rows: int = MAX_FIELDS
    exceeded: bool = False


def _rows(fields: tuple[Field, ...], budget: _RowBudget, depth: int) -> Iterator[FieldRow]:
    for field in fields:
        if budget.rows <= 0 or depth > MAX_DEPTH:
            budget.exceeded = True
            return
        budget.rows -= 1
        yield _row(field, budget, depth)


def _row(field: Field, budget: _RowBudget, depth: int) -> FieldRow:
    item, limits = field, field.limits
    while has_item(item):  # the item of a list is in the row of the list
        item = item.fields[0]
        limits = (*limits, *(f"each {limit}" for limit in item.limits))
    values = item.values
    return FieldRow(
        name=field.name,
        type=type_text(field),
        required=field.required,
        nullable=field.nullable,
        description=plain(field.description)[:MAX_DESCRIPTION_CHARS],
        values=(*(str(value) for value in values[:MAX_VALUES]), *(["…"] if len(values) > MAX_VALUES else [])),
        limits=", ".join(limits)[:MAX_DESCRIPTION_CHARS],
        fields=tuple(_rows(item.fields, budget, depth + 1)),
    )


def field_names(fields: tuple[Field, ...], depth: int = 0, *, inner: bool = False) -> Iterator[str]:
    """Yield the names of all fields, for the search; the ``inner`` field of a list or map has none of its own."""
    for field in fields:
        if field.name and not inner:
            yield field.name
        if depth < MAX_DEPTH:
            yield from field_names(field.fields, depth + 1, inner=field.type in INSIDE)


def field_descriptions(fields: Iterable[Field]) -> Iterator[str]:
    """Yield the descriptions of fields, each once and up to a number of characters, for the search."""
    remaining = MAX_DESCRIPTIONS_CHARS
    for text in dict.fromkeys(_descriptions(fields)):
        remaining -= len(text)
        if remaining < 0:
            return
        yield text


def _descriptions(fields: Iterable[Field], depth: int = 0) -> Iterator[str]:
    for field in fields:
        if field.description:
            yield plain(field.description)[:MAX_DESCRIPTION_CHARS]
        if depth < MAX_DEPTH:
            yield from _descriptions(field.fields, depth + 1)
