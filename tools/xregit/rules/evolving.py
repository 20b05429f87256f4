"""Versions of schemas, held against the compatibility that their schema promises (core/spec.md#compatibility)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from xregit.diagnostics import Finding, Severity
from xregit.model import canonical
from xregit.model.spelling import is_misspelled
from xregit.payloads import SchemaError, language
from xregit.payloads.document import Document
from xregit.rules.rule import found, rule
from xregit.rules.stated import text

if TYPE_CHECKING:
    from xregit.catalog.entities import Version
    from xregit.catalog.registry import Registry
    from xregit.catalog.schemas import Schema
    from xregit.payloads.compatibility import Breach, Compatibility

_PROMISE, _NOTHING = "compatibility", "none"
_CACHED = 1024
# What a direction means, said of the two versions.
_DIRECTIONS: Mapping[str, str] = {
    "backward": 'version "{newer}" can\'t read all that version "{older}" wrote',
    "forward": 'version "{older}" can\'t read all that version "{newer}" writes',
}
_UNCLEAR: Mapping[str, str] = {
    "backward": 'whether version "{newer}" reads all that version "{older}" wrote can\'t be told',
    "forward": 'whether version "{older}" reads all that version "{newer}" writes can\'t be told',
}


@rule("schema", Severity.ERROR, "A version of a schema breaks the compatibility that the schema promises.")
def version_incompatible(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """Report each pair of versions and each direction in which one can't read what the other wrote."""
    yield from _findings(registry, schema, _DIRECTIONS, certain=True)


@rule("schema", Severity.WARNING, "Whether a version keeps to the compatibility that the schema promises is unclear.")
def version_compatibility_unclear(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """Report each pair of versions of which neither a proof nor an example tells whether one reads the other."""
    yield from _findings(registry, schema, _UNCLEAR, certain=False)


@rule("schema", Severity.WARNING, "The compatibility that a schema promises is nearly a predefined one.")
def misspelled_compatibility(_registry: Registry, schema: Schema) -> Iterator[Finding]:
    """Report a promise of the author's own, which nobody keeps watch over, where a predefined one is probably meant."""
    promise, model = text(schema.entity.meta, _PROMISE), schema.entity.type.metaattributes.get(_PROMISE)
    known = [each for each in map(str, model.enum) if each != _NOTHING] if model else []
    meant = "" if promise in known else next((each for each in known if is_misspelled(promise, each)), "")
    if meant:
        message = f'"{promise}" is no predefined compatibility, so versions are not held against it.'
        yield found(_PROMISE, message=message, help=f'Did you mean "{meant}"?')


def _findings(registry: Registry, schema: Schema, says: Mapping[str, str], *, certain: bool) -> Iterator[Finding]:
    """Give one finding for each pair of versions and each direction whose worst answer is a no, or is unclear."""
    promise = text(schema.entity.meta, _PROMISE)
    if not promise or len(schema.versions) < 2:  # noqa: PLR2004 - one version is compatible with itself
        return
    from xregit.payloads.compatibility import Answer, breaches
    from xregit.payloads.compatibility.verdicts import summarise

    answer = Answer.NO if certain else Answer.UNCLEAR
    pairs: dict[tuple[str, str, str], list[Breach]] = defaultdict(list)
    for breach in breaches(promise, _ancestors(schema), lambda one, other: _related(registry, schema, one, other)):
        pairs[breach.older, breach.newer, breach.direction].append(breach)
    for (older, newer, direction), listed in pairs.items():
        worst = [item.verdict for item in listed if item.answer is answer]
        if worst and (certain or len(worst) == len(listed)):
            what = says[direction].format(older=older, newer=newer)
            message = f'The schema promises "{promise}", but {what}. {summarise(worst)}.'
            yield found(_PROMISE, message=message, help=worst[0].help)


def _ancestors(schema: Schema) -> Mapping[str, tuple[str, ...]]:
    """Return the versions before each, the nearest first; one that names none was made from the one before it."""
    above: dict[str, str] = {}
    before = ""
    for version in schema.versions:
        above[version.id] = text(version.attributes, "ancestor") or before
        before = version.id
    return {vid: tuple(_chain(vid, above)) for vid in above}


def _chain(vid: str, above: Mapping[str, str]) -> Iterator[str]:
    seen = {vid}
    here = above[vid]
    while here in above and here not in seen:
        yield here
        seen.add(here)
        here = above[here]


def _related(registry: Registry, schema: Schema, older: str, newer: str) -> Compatibility:
    """Return how two versions relate for payloads that keep to what is described.

    What is wrong with a document itself is told of the document.
    """
    versions = schema.entity.versions
    one, other = _document(registry, versions[older]), _document(registry, versions[newer])
    return _compared(one, other)


@lru_cache(maxsize=_CACHED)
def _compared(one: Document | None, other: Document | None) -> Compatibility:
    from xregit.payloads.compatibility import Compatibility, compare_documents

    try:
        return compare_documents(one, other).described if one and other else Compatibility()
    except SchemaError:
        return Compatibility()


def _document(registry: Registry, version: Version) -> Document | None:
    stated = canonical("format", text(version.attributes, "format"))
    if version.document is None or version.document.data is None or not language(stated):
        return None
    return Document(stated, version.document.data, "", version.xid, registry.schema_documents.get)
