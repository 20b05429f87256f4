"""What a message carries: its schema as a table of fields and as source, a valid example, and the schema's versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.catalog.views import text_of
from xregit.messages.payload import NO_DATA
from xregit.pages import documents
from xregit.pages.examples import told
from xregit.pages.links import Link, has_version_pages, reference
from xregit.pages.prose import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.catalog.references import SchemaReference
    from xregit.catalog.views import Message
    from xregit.pages.context import SiteContext
    from xregit.payloads import Field

STATING = ("dataschema", "dataschemauri", "dataschemaxid", "dataschemaformat")
# A table of fields is cut after this many, and begins folded below the first level where there are more than a few.
MAX_FIELDS, MAX_OPEN, MAX_DEPTH = 150, 30, 12
MAX_VALUES, MAX_SAID_CHARS, MAX_EXAMPLE_CHARS = 12, 300, 4_000
# A search finds a schema by the first of what its fields are said to mean: some hundred fields' worth.
MAX_MEANINGS_CHARS = 8_000
# What a field of a kind holds, where that has no name of its own.
INNER = {"array": "of", "map": "of"}


class FieldRow(NamedTuple):
    """One field with those inside it; ``values`` are those of an enumeration, ``limits`` what else a value keeps to."""

    name: str
    type: str
    required: bool
    nullable: bool
    description: str
    values: tuple[str, ...]
    limits: str
    fields: tuple[FieldRow, ...]


class Fields(NamedTuple):
    """The fields of a payload; ``open`` says that all of them are shown at once, ``cut`` that some are left out."""

    rows: tuple[FieldRow, ...]
    open: bool
    cut: bool


class Payload(NamedTuple):
    """What a message carries: the schema it points at, or the schema that stands inside it."""

    format: Link
    contenttype: Link
    schema: Link | None
    selector: str
    broken: bool
    source: documents.Source | None
    fields: Fields | None
    example: documents.Source | None
    versions: tuple[Link, ...]
    reason: str = ""


def payload(book: SiteContext, message: Message) -> Payload | None:
    """Return what a message says of its payload, None where it says nothing."""
    attributes = message.resolved.attributes
    if not any(name in attributes for name in STATING):
        return _content_only(attributes)
    found = message.schema
    inline = attributes.get("dataschema")
    known = told(book, message)
    return Payload(
        format=Link(text_of(attributes, "dataschemaformat")),
        contenttype=Link(text_of(attributes, "datacontenttype")),
        schema=_schema_link(book, found),
        selector=found.selector if found else "",
        broken=found is not None and found.local and found.schema is None,
        source=_schema_source(found) if found else documents.of_value(inline) if inline is not None else None,
        fields=fields(known.fields),
        example=_example(known.example),
        versions=_versions(book, found),
        reason=known.reason,
    )


def fields(found: tuple[Field, ...]) -> Fields | None:
    """Return the fields of a payload as a page shows them, None where there are none."""
    if not found:
        return None
    left = [MAX_FIELDS, 0]  # how many more rows there may be, and how many lists of them were not finished
    shown = tuple(_rows(found, left, 0))
    return Fields(shown, open=MAX_FIELDS - left[0] <= MAX_OPEN, cut=left[1] > 0)


def names(found: tuple[Field, ...], depth: int = 0, *, inner: bool = False) -> Iterator[str]:
    """Give the names of all fields, for the search; the ``inner`` field of a list or map has none of its own."""
    for field in found:
        if field.name and not inner:
            yield field.name
        if depth < MAX_DEPTH:
            yield from names(field.fields, depth + 1, inner=field.type in INNER)


def meanings(found: Iterable[Field]) -> Iterator[str]:
    """Give what fields are said to mean, each once and not without end, for the search."""
    left = MAX_MEANINGS_CHARS
    for text in dict.fromkeys(_meanings(found)):
        left -= len(text)
        if left < 0:
            return
        yield text


def _meanings(found: Iterable[Field], depth: int = 0) -> Iterator[str]:
    for field in found:
        if field.description:
            yield plain(field.description)[:MAX_SAID_CHARS]
        if depth < MAX_DEPTH:
            yield from _meanings(field.fields, depth + 1)


def _rows(found: tuple[Field, ...], left: list[int], depth: int) -> Iterator[FieldRow]:
    for field in found:
        if left[0] <= 0 or depth > MAX_DEPTH:
            left[1] += 1
            return
        left[0] -= 1
        yield _row(field, left, depth)


def _row(field: Field, left: list[int], depth: int) -> FieldRow:
    inner, kind, limits = field.fields, _type(field), field.limits
    if field.type in INNER and len(inner) == 1:  # what a list holds stands in the line of the list
        kind = f"{field.type} {INNER[field.type]} {_type(inner[0])}"
        limits = (*limits, *(f"each {words}" for words in inner[0].limits))
        values, inner = inner[0].values, inner[0].fields
    else:
        values = field.values
    return FieldRow(
        name=field.name,
        type=f"{kind}, recursive" if field.recursive else kind,
        required=field.required,
        nullable=field.nullable,
        description=plain(field.description)[:MAX_SAID_CHARS],
        values=(*(str(value) for value in values[:MAX_VALUES]), *(["…"] if len(values) > MAX_VALUES else [])),
        limits=", ".join(limits)[:MAX_SAID_CHARS],
        fields=tuple(_rows(inner, left, depth + 1)),
    )


def _type(field: Field) -> str:
    stated = field.native and field.native.lower() != field.type
    size = f"({field.precision}, {field.scale})" if field.precision else ""
    return f"{field.type}{size} ({field.native})" if stated else f"{field.type}{size}"


def _content_only(attributes: Mapping[str, Any]) -> Payload | None:
    contenttype = text_of(attributes, "datacontenttype")
    if not contenttype:
        return None
    return Payload(
        Link(""), Link(contenttype), None, "", broken=False, source=None, fields=None, example=None, versions=()
    )


def _example(value: Any) -> documents.Source | None:
    if value is NO_DATA:
        return None
    text = documents.json_text(value)
    if len(text) > MAX_EXAMPLE_CHARS:
        return documents.Source(reason=f"The example is long, {len(text):,} characters; xregit new makes one.")
    return documents.Source(text, "json")


def _schema_link(book: SiteContext, found: SchemaReference | None) -> Link | None:
    if found is None:
        return None
    if found.schema is None:
        return reference(book.registry, found.text)
    explicit = found.version is not None and f"/versions/{found.version.id}" in found.text
    if explicit and found.version is not None:
        return book.link(found.version.xid, f"{found.schema.id}, version {found.version.id}")
    return book.link(found.schema.xid)


def _schema_source(found: SchemaReference) -> documents.Source | None:
    document = found.version.document if found.version else None
    return documents.source(document, documents.MAX_CHARS_BESIDE) if document else None


def _versions(book: SiteContext, found: SchemaReference | None) -> tuple[Link, ...]:
    """Return the versions of the schema, the newest first, with the one that the message means marked."""
    if found is None or found.schema is None or not has_version_pages(found.schema):
        return ()
    meant = found.version.xid if found.version else ""
    links = [
        book.link(version.xid, version.id)._replace(note="this one" if version.xid == meant else "")
        for version in found.schema.versions.values()
    ]
    return tuple(reversed(links))
