"""Schemas, their versions and documents, and the compatibility that they promise (core/spec.md#compatibility)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from xregit.catalog.entities import Document, Resource, Version
from xregit.catalog.registry import Registry
from xregit.catalog.views import Schema
from xregit.diagnostics import Finding, Severity, Span
from xregit.messages.payload import json_form
from xregit.model import canonical, find_name
from xregit.model.excerpts import comma_list
from xregit.model.similarity import is_misspelled
from xregit.payloads import Problem as SchemaProblem
from xregit.payloads import SchemaError, language
from xregit.payloads import problems as schema_problems
from xregit.payloads.base import Document as SchemaDocument
from xregit.payloads.compatibility import Answer, Breach, Compatibility, breaches, compare_documents
from xregit.payloads.compatibility.base import summarise
from xregit.rules.attributes import text
from xregit.rules.rule import Rule, finding, rule
from xregit.source import json_loader
from xregit.source.parse_result import Problem, conflict_problem

ANCESTORS = ("ancestor", "versions")


@rule("resource", Severity.ERROR, "MSG-41")
def document_missing(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """A version has no document."""
    if not resource.type.hasdocument or resource.xref:
        return
    for vid, version in resource.versions.items():
        unread = version.document is not None and version.document.place.path in registry.broken
        if not unread and not _documents(resource, version):
            singular = resource.type.singular
            message = f'Version "{vid}" of the {singular} has no document.'
            help_ = f'Add the file "versions/{vid}.<ext>", or state where it is as "{singular}url".'
            yield finding("versions", vid, message=message, help=help_, on_key=True)


@rule("resource", Severity.ERROR)
def two_documents(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """A version has two documents."""
    # Versions whose document is both here and elsewhere, or twice here.
    if not resource.type.hasdocument:
        return
    paths: set[tuple[str, ...]] = set()
    for vid, version in resource.versions.items():
        places = _documents(resource, version)
        if len(places) > 1:
            message = f'Version "{vid}" has more than one document: {" and ".join(places)}.'
            name = next(place.strip('"') for place in places if place.startswith('"'))
            is_listed = isinstance(resource.definition.get("versions"), dict) and vid in resource.definition["versions"]
            path = ("versions", vid, name) if is_listed and name not in resource.definition else (name,)
            if path not in paths:
                yield finding(*path, message=message, help="Keep one of them.", on_key=True)
            paths.add(path)


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


@rule("schema", Severity.ERROR)
def format_missing(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """A schema has no format."""
    # A schema once, if a version of it has no "format".
    if "format" in registry.doubtful(schema.xid):
        return
    without = [version.id for version in schema.versions if version.attributes.get("format") is None]
    if without:
        which = "" if len(without) == len(schema.versions) else f" of version {comma_list(without)}"
        message = f'The "format"{which} is missing.'
        yield finding(message=message, help='Write, for example, "format: JsonSchema/draft-07".', on_key=True)


@rule("resource", Severity.ERROR, attributes=("defaultversionid",))
def defaultversionid_not_found(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """The default version does not exist."""
    version_id = text(resource.meta, "defaultversionid")
    if version_id and not resource.xref and version_id not in resource.versions:
        message = f'There is no version "{version_id}".'
        yield finding("defaultversionid", message=message, help=f"The versions are {comma_list(resource.versions)}.")


@rule("resource", Severity.ERROR, attributes=ANCESTORS)
def ancestor_not_found(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """A version was made from one that does not exist."""
    for vid, version in resource.versions.items():
        ancestor = text(version.attributes, "ancestor")
        if ancestor and ancestor not in resource.versions:
            message = f'The ancestor of version "{vid}" is "{ancestor}", which is not a version.'
            help_ = f"The versions are {comma_list(resource.versions)}; leave it out to mean the previous version."
            yield finding(*_ancestor_path(resource, vid), message=message, help=help_)


@rule("resource", Severity.ERROR, attributes=ANCESTORS)
def ancestor_cycle(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """The ancestors of a version lead back to it."""
    # Each cycle once, on that of its versions which comes first.
    ancestors = {vid: text(version.attributes, "ancestor") for vid, version in resource.versions.items()}
    seen: set[str] = set()
    for start in ancestors:
        chain: dict[str, None] = {}
        here = start
        while here in ancestors and here not in seen and ancestors[here] != here:
            seen.add(here)
            chain[here] = None
            here = ancestors[here]
        if here in chain:
            names = list(chain)
            cycle = names[names.index(here) :]
            first = cycle.index(min(cycle))
            vid = cycle[first]
            arrows = " → ".join((*cycle[first:], *cycle[:first], vid))
            yield finding(
                *_ancestor_path(resource, vid),
                message=f"The ancestors form a cycle: {arrows}.",
                help="Correct one of them.",
            )


def _ancestor_path(resource: Resource, vid: str) -> tuple[str, ...]:
    versions = resource.definition.get("versions")
    return ("versions", vid, "ancestor") if isinstance(versions, dict) and vid in versions else ("ancestor",)


_INVALID, _NOT_FOUND, _OTHER = "invalid-schema", "schema-reference-not-found", "format-differs-from-document"
_DOUBTFUL = "doubtful-schema"
_RULES = {"syntax": _INVALID, "reference": _NOT_FOUND, "format": _OTHER, "doubt": _DOUBTFUL}

DOCUMENTS = (
    Rule(_INVALID, "text", Severity.ERROR, "A schema document breaks the rules of its language.", ("MSG-41",)),
    Rule(_NOT_FOUND, "text", Severity.ERROR, "A schema refers to something that is not in this registry.", ("MSG-41",)),
    Rule(_OTHER, "text", Severity.WARNING, "A schema document states another language version than its format."),
    Rule(_DOUBTFUL, "text", Severity.WARNING, "A schema document is valid, but probably not as intended."),
)


def problems(registry: Registry, version: Version) -> Iterator[Problem]:
    """Yield what is wrong with a version's document: with its text, else with the schema that it is."""
    document, format_ = version.document, version.attributes.get("format")
    if document is None or document.data is None or not isinstance(format_, str):
        return
    own = document.place.path != version.place.path
    text_problems = _text_problems(document, format_) if own else ()
    yield from text_problems
    if text_problems or not language(format_):
        return
    faults = schema_problems(format_, document.data, uri=version.xid, fetch=registry.schema_documents.get)
    conflict = conflict_problem(document.data, _INVALID) if faults and own else None
    if conflict:
        yield conflict
        return
    for item in faults:
        span = _span(item) if own else registry.origin.span(document.place, item.path)
        yield Problem(_RULES[item.kind], item.message, item.help, span)


def _text_problems(document: Document, format_: str) -> tuple[Problem, ...]:
    """Return what is wrong with the text of a document whose language is written in JSON."""
    name = find_name("format", format_)
    if name is None or not name.document.endswith("json"):
        return ()
    faults = json_loader.parse(document.data or b"").problems
    if faults and document.place.path.endswith((".yaml", ".yml")):
        message = f"the file's name says that it is YAML, but {name.name} is read as JSON here"
        return (Problem(faults[0].rule, message, "write it as JSON, and name the file so", Span(1, 1)),)
    return faults


def _span(problem: SchemaProblem) -> Span:
    return Span(problem.line, problem.column, problem.line, problem.column + 1)


@rule("schema", Severity.WARNING)
def versions_identical(_registry: Registry, schema: Schema) -> Iterator[Finding]:
    """Two versions of a schema have the same document."""
    first: dict[tuple[str, bytes], str] = {}
    for version in schema.versions:
        if not version.data:
            continue
        other = first.setdefault((text(version.attributes, "format"), version.data), version.id)
        if other != version.id:
            message = f'The document of version "{version.id}" is the same as that of version "{other}".'
            yield finding(
                "versions", version.id, message=message, help="Remove the version, or write the change.", on_key=True
            )


_PROMISE, _NOTHING = "compatibility", "none"
_CACHED = 1024
# What a direction means, said of the two versions.
_DIRECTIONS: Mapping[str, str] = {
    "backward": 'version "{newer}" can\'t read everything that version "{older}" wrote',
    "forward": 'version "{older}" can\'t read everything that version "{newer}" writes',
}
_UNCLEAR: Mapping[str, str] = {
    "backward": 'it is unclear whether version "{newer}" reads everything that version "{older}" wrote',
    "forward": 'it is unclear whether version "{older}" reads everything that version "{newer}" writes',
}


@rule("schema", Severity.ERROR)
def version_incompatible(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """A version of a schema breaks the compatibility that the schema promises."""
    # Each pair of versions and each direction in which one can't read what the other wrote.
    yield from _findings(registry, schema, _DIRECTIONS, certain=True)


@rule("schema", Severity.ERROR)
def version_compatibility_unclear(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """It is unclear whether a version keeps the compatibility that the schema promises."""
    # Each pair of versions of which neither a proof nor an example tells whether one reads the other.
    yield from _findings(registry, schema, _UNCLEAR, certain=False)


@rule("schema", Severity.WARNING)
def misspelled_compatibility(_registry: Registry, schema: Schema) -> Iterator[Finding]:
    """The compatibility that a schema promises is nearly a predefined one."""
    # A promise of the author's own, which nobody keeps watch over, where a predefined one is probably meant.
    promise, model = text(schema.entity.meta, _PROMISE), schema.entity.type.metaattributes.get(_PROMISE)
    values = [item for item in map(str, model.enum) if item != _NOTHING] if model else []
    value = "" if promise in values else next((item for item in values if is_misspelled(promise, item)), "")
    if value:
        message = f'"{promise}" is not a predefined compatibility, so versions are not compared.'
        yield finding(_PROMISE, message=message, help=f'Did you mean "{value}"?')


def _findings(registry: Registry, schema: Schema, sentences: Mapping[str, str], *, certain: bool) -> Iterator[Finding]:
    """Yield one finding for each pair of versions and each direction whose worst answer is a no, or is unclear."""
    promise = text(schema.entity.meta, _PROMISE)
    if not promise or len(schema.versions) < 2:  # noqa: PLR2004 - one version is compatible with itself
        return

    answer = Answer.NO if certain else Answer.UNCLEAR
    pairs: dict[tuple[str, str, str], list[Breach]] = defaultdict(list)
    for breach in breaches(promise, _parents(schema), lambda one, other: _compatibility(registry, schema, one, other)):
        pairs[breach.older, breach.newer, breach.direction].append(breach)
    for (older, newer, direction), group in pairs.items():
        worst = [item.verdict for item in group if item.answer is answer]
        if worst and (certain or len(worst) == len(group)):
            what = sentences[direction].format(older=older, newer=newer)
            message = f'The schema promises "{promise}", but {what}. {summarise(worst)}.'
            yield finding(_PROMISE, message=message, help=worst[0].help)


def _parents(schema: Schema) -> Mapping[str, str]:
    """Return the version that each was made from; one that names none was made from the one before it."""
    parents: dict[str, str] = {}
    before = ""
    for version in schema.versions:
        parents[version.id] = text(version.attributes, "ancestor") or before
        before = version.id
    return parents


def _compatibility(registry: Registry, schema: Schema, older: str, newer: str) -> Compatibility:
    """Return how two versions relate for payloads that keep to what is described, in the forms that messages send.

    What is wrong with a document itself is told of the document.
    """
    versions = schema.entity.versions
    one, other = _document(registry, versions[older]), _document(registry, versions[newer])

    forms = sorted({json_form(message) for message in schema.users}) or [""]
    return Compatibility(tuple(verdict for form in forms for verdict in _compare(one, other, form).verdicts))


@lru_cache(maxsize=_CACHED)
def _compare(one: SchemaDocument | None, other: SchemaDocument | None, contenttype: str) -> Compatibility:

    try:
        return compare_documents(one, other, contenttype=contenttype).described if one and other else Compatibility()
    except SchemaError:
        return Compatibility()


def _document(registry: Registry, version: Version) -> SchemaDocument | None:
    format_ = canonical("format", text(version.attributes, "format"))
    if version.data is None or not language(format_):
        return None
    return SchemaDocument(format_, version.data, "", version.xid, registry.schema_documents.get)
