"""The loader of JSON Schema documents: checks them against their draft and follows every reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from xregit.json_pointer import unescape
from xregit.model import canonical
from xregit.payloads.base import LARGEST, Document, Problem, SchemaError, json_value, pattern_size, resolve
from xregit.payloads.json_schema.error_messages import Refusal, explain_refusal
from xregit.payloads.json_schema.subschemas import add_steps, count_patterns, measure, references

# Where documents without an absolute URI of their own stand, so that relative references have something to start from.
BASE_URI = "xregistry://"
_OF_IDS = "/:@%"  # an id that has anything else is reported as that
_MAX_PROBLEMS = 20


@dataclass(frozen=True, eq=False, slots=True)
class Loaded:
    """A document's value, its URI, its draft and the library's registry of it and all that it refers to.

    ``documents`` holds the values of all of them by URI, in their own order: the library sorts keys. One value may be
    compared with ``cost`` subschemas, and each pattern may take ``patternsize`` bytes. In the registry of a schema that
    ``recurs``, each subschema counts its uses.
    """

    root: Any
    uri: str
    draft: Draft
    registry: jsonschema_rs.Registry
    documents: Mapping[str, Any]
    cost: int = 1
    patternsize: int = LARGEST
    recurs: bool = False

    def lookup(self, reference: str, resolver: jsonschema_rs.Resolver) -> jsonschema_rs.Resolved:
        """Return what a reference leads to, with the keys in the library's order.

        Raises:
            LookupError: it leads nowhere.
        """
        try:
            return resolver.lookup(reference)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise LookupError(_first_line(str(error))) from error

    def as_written(self, uri: str, fragment: str, contents: Any) -> Any:
        """Return what a reference leads to with its keys in the document's order, if a pointer leads there."""
        if uri not in self.documents or (fragment and not fragment.startswith("/")):
            return contents
        value = self.documents[uri]
        for part in fragment.split("/")[1:]:
            key = unescape(unquote(part))
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value


def load(document: Document) -> Loaded:
    """Return a document that is a schema by its draft and whose references all lead somewhere.

    Raises:
        SchemaError: it isn't JSON, isn't a schema, or refers to what isn't there.
    """
    # Many messages may name parts of one file, one after the other. A schema within a message can't be a key.
    load_once = isinstance(document.content, bytes)
    return (_load_text if load_once else _load)(replace(document, fragment=""))


def _load(document: Document) -> Loaded:
    root = document.value()
    if "draft-03" in f"{document.format} {root.get('$schema') if isinstance(root, dict) else ''}":
        raise SchemaError(document.problem("format", "draft-03 is not read", "write the schema in draft-04 or later"))
    draft = declared_draft(root) or draft_of_format(document.format) or LATEST
    _check_draft(document, root, draft)
    uri = _uri(document, root, draft)
    documents = {uri: root}
    loaded = Loaded(root, uri, draft, _build_registry(document, draft, documents), documents)
    dangling = tuple(_dangling_references(document, loaded))
    if dangling:
        raise SchemaError(*dangling)
    cost, recurs = measure(root, loaded.registry.resolver(uri))
    size = pattern_size(sum(map(count_patterns, documents.values())))
    if not recurs:
        return replace(loaded, cost=cost, patternsize=size)
    with_steps = [(address, add_steps(value)) for address, value in documents.items()]
    registry = jsonschema_rs.Registry(with_steps, draft=draft.number)
    return replace(loaded, registry=registry, cost=cost, patternsize=size, recurs=True)


_load_text = lru_cache(maxsize=1)(_load)


def _check_draft(document: Document, root: Any, draft: Draft) -> None:
    if not isinstance(root, dict | bool):
        refusals = iter((Refusal((), "a schema is an object"),))
    else:
        refusals = map(explain_refusal, _metaschema(draft).iter_errors(root))
    problems = []
    for item in dict.fromkeys(islice(refusals, _MAX_PROBLEMS)):  # several vocabularies may say the same
        place = f' at "{"/".join(map(str, item.path))}"' if item.path else ""
        help_ = f"write {item.allowed or f'what JSON Schema {draft.name} allows there'}"
        problems.append(document.problem("syntax", f"{item.message}{place}", help_, item.path))
    if problems:
        raise SchemaError(*problems)


@cache
def _metaschema(draft: Draft) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for({"$schema": draft.uri, "$ref": draft.uri}, offline=True)


def _uri(document: Document, root: Any, draft: Draft) -> str:
    """Return the URI of the document: its own ``$id`` without fragment, resolved against where it stands."""
    absolute = ":" in document.uri.partition("/")[0]
    base = document.uri if absolute else f"{BASE_URI}/{quote(document.uri.lstrip('/'), safe=_OF_IDS)}"
    id_ = root.get(draft.idkeyword) if isinstance(root, dict) else None
    return resolve(base, id_).partition("#")[0] if isinstance(id_, str) else base


def _build_registry(document: Document, draft: Draft, documents: dict[str, Any]) -> jsonschema_rs.Registry:
    """Return the library's registry of a document, and add to ``documents`` those that it refers to."""
    ((uri, root),) = documents.items()
    problems: list[Problem] = []

    def retrieve(reference: str) -> Any:
        content = document.fetch(reference.removeprefix(BASE_URI))
        if content is None:
            problems.append(_missing_document(document, root, uri, reference))
            raise LookupError(reference)
        documents[reference] = json_value(content)
        return documents[reference]

    try:
        return jsonschema_rs.Registry([(uri, root)], draft=draft.number, retriever=retrieve)
    except (ValueError, SchemaError) as error:
        problem = problems[0] if problems else Problem("reference", _first_line(str(error)), "correct the reference")
        raise SchemaError(problem) from error


def _missing_document(document: Document, root: Any, uri: str, reference: str) -> Problem:
    """Return the problem of a reference to another document, at the place where it is written."""
    matches = ((path, text) for path, text in references(root) if resolve(uri, text).partition("#")[0] == reference)
    path, text = next(matches, ((), reference.removeprefix(BASE_URI)))
    message = f'"{text}" refers to a document that is not in this registry'
    return document.problem("reference", message, "add it as a schema, or put what it holds under $defs here", path)


def _dangling_references(document: Document, loaded: Loaded) -> Iterator[Problem]:
    """Yield the problems of references inside the document that point at nothing."""
    resolver = loaded.registry.resolver(loaded.uri)
    for path, text in references(loaded.root):
        try:
            loaded.lookup(text, resolver)
        except LookupError as error:
            message = f'"{text}" points at nothing: {error}'
            yield document.problem("reference", message, "correct the reference, or add what it names", path)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft: its metaschema's URI without fragment, the number that the library gives it, its keyword for ids."""

    name: str
    uri: str
    number: int
    idkeyword: str = "$id"


LATEST = Draft("draft/2020-12", "https://json-schema.org/draft/2020-12/schema", jsonschema_rs.Draft202012)
DRAFTS = (
    Draft("draft-04", "http://json-schema.org/draft-04/schema", jsonschema_rs.Draft4, "id"),
    Draft("draft-06", "http://json-schema.org/draft-06/schema", jsonschema_rs.Draft6),
    Draft("draft-07", "http://json-schema.org/draft-07/schema", jsonschema_rs.Draft7),
    Draft("draft/2019-09", "https://json-schema.org/draft/2019-09/schema", jsonschema_rs.Draft201909),
    LATEST,
)


def declared_draft(schema: Any) -> Draft | None:
    """Return the draft that a schema's own ``$schema`` names, if it is one of DRAFTS."""
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(uri, str):
        return None
    plain = uri.removesuffix("#").replace("https://", "http://")
    return next((draft for draft in DRAFTS if draft.uri.replace("https://", "http://") == plain), None)


def draft_of_format(format: str) -> Draft | None:  # noqa: A002 - the attribute's own name
    """Return the draft that a format names, such as ``JsonSchema/draft-07``."""
    version = canonical("format", format).partition("/")[2].casefold()
    return next((draft for draft in DRAFTS if draft.name == version), None)
