"""Schemas, their versions and their documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.diagnostics import Finding, Severity
from xregit.rules.rule import found, rule
from xregit.rules.stated import text

if TYPE_CHECKING:
    from xregit.catalog.entities import Resource, Version
    from xregit.catalog.registry import Registry
    from xregit.catalog.schemas import Schema


ANCESTORS = ("ancestor", "versions")


@rule("resource", Severity.ERROR, "A version has no document.", "MSG-41")
def document_missing(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """Report versions of schemas, and of other types with documents, that have none."""
    if not resource.type.hasdocument or resource.xref:
        return
    for vid, version in resource.versions.items():
        unread = version.document is not None and version.document.place.path in registry.broken
        if not unread and not _documents(resource, version):
            singular = resource.type.singular
            message = f'Version "{vid}" of the {singular} has no document.'
            help_ = f'Add the file "versions/{vid}.<ext>", or state where it is as "{singular}url".'
            yield found("versions", vid, message=message, help=help_, on_key=True)


@rule("resource", Severity.ERROR, "A version has two documents.")
def two_documents(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """Report versions whose document is both here and elsewhere, or twice here."""
    if not resource.type.hasdocument:
        return
    told: set[tuple[str, ...]] = set()
    for vid, version in resource.versions.items():
        places = _documents(resource, version)
        if len(places) > 1:
            message = f'Version "{vid}" has more than one document: {" and ".join(places)}.'
            name = next(place.strip('"') for place in places if place.startswith('"'))
            listed = isinstance(resource.written.get("versions"), dict) and vid in resource.written["versions"]
            path = ("versions", vid, name) if listed and name not in resource.written else (name,)
            if path not in told:
                yield found(*path, message=message, help="Keep one of them.", on_key=True)
            told.add(path)


def _documents(resource: Resource, version: Version) -> list[str]:
    """Return where a version's document is, which should be one place."""
    singular, document = resource.type.singular, version.document
    names = (singular, f"{singular}base64", f"{singular}url")
    places = [f'"{name}"' for name in names if version.attributes.get(name) is not None]
    if document is not None and document.data is not None:
        # Whoever reads one large document compares the places in it.
        own = document.place.path != version.place.path
        return [*places, f"the file {document.place.path.rpartition('/')[2]}"] if own else ["the document"]
    return places


@rule("schema", Severity.ERROR, "Nothing says in which language a schema is written.")
def format_missing(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """Report a schema once, if a version of it has no ``format``."""
    if "format" in registry.doubtful(schema.xid):
        return
    without = [version.id for version in schema.versions if version.attributes.get("format") is None]
    if without:
        which = "" if len(without) == len(schema.versions) else f" of version {', '.join(without)}"
        message = f'The "format"{which} is missing.'
        yield found(message=message, help='Write, for example, "format: JsonSchema/draft-07".', on_key=True)


@rule("resource", Severity.ERROR, "The default version does not exist.", stated=("defaultversionid",))
def defaultversionid_not_found(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """Report a ``defaultversionid`` that is no version of the resource."""
    stated = text(resource.meta, "defaultversionid")
    if stated and not resource.xref and stated not in resource.versions:
        message = f'There is no version "{stated}".'
        yield found("defaultversionid", message=message, help=f"The versions are {', '.join(resource.versions)}.")


@rule("resource", Severity.ERROR, "A version was made from one that does not exist.", stated=ANCESTORS)
def ancestor_not_found(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """Report an ``ancestor`` that is no version of the resource."""
    for vid, version in resource.versions.items():
        ancestor = text(version.attributes, "ancestor")
        if ancestor and ancestor not in resource.versions:
            message = f'The ancestor of version "{vid}" is "{ancestor}", which is not a version.'
            help_ = f"The versions are {', '.join(resource.versions)}; leave it out to mean the one before."
            yield found(*_at(resource, vid), message=message, help=help_)


@rule("resource", Severity.ERROR, "The ancestors of a version lead back to it.", stated=ANCESTORS)
def ancestor_cycle(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """Report each cycle once, on that of its versions which comes first."""
    above = {vid: text(version.attributes, "ancestor") for vid, version in resource.versions.items()}
    for vid, ancestor in above.items():
        chain, here = [vid], ancestor
        while here in above and here not in chain and above[here] != here:
            chain.append(here)
            here = above[here]
        if here == vid == min(chain) and len(chain) > 1:
            shown = " → ".join((*chain, vid))
            yield found(
                *_at(resource, vid), message=f"The ancestors form a cycle: {shown}.", help="Correct one of them."
            )


def _at(resource: Resource, vid: str) -> tuple[str, ...]:
    listed = resource.written.get("versions")
    return ("versions", vid, "ancestor") if isinstance(listed, dict) and vid in listed else ("ancestor",)
