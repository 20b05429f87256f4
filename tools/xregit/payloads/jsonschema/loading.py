"""A JSON Schema document to its values, checked against its draft, with every document that it refers to."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import jsonschema_rs

from xregit.jsonpointers import unescaped
from xregit.payloads.documents import Document, json_value, resolved
from xregit.payloads.jsonschema import draft03
from xregit.payloads.jsonschema.drafts import DRAFT03, DRAFT04, LATEST, Draft, declared, stated
from xregit.payloads.jsonschema.refusing import Refusal, refusal
from xregit.payloads.jsonschema.steps import with_steps
from xregit.payloads.jsonschema.walking import recurs, references
from xregit.payloads.shapes import Problem, SchemaError
from xregit.records import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Where documents without an absolute URI of their own stand, so that relative references have something to start from.
HERE = "xregistry://"
_OF_IDS = "/:@%"  # an id that has anything else is reported as that
_MAX_PROBLEMS = 20


@distinct
class Loaded:
    """A document's value, its URI, its draft and the library's registry of it and all that it refers to.

    ``documents`` holds the values of all of them by URI, as they were written: the library sorts keys. In the registry
    of a schema that ``recurs``, each subschema counts its uses.
    """

    root: Any
    uri: str
    draft: Draft
    registry: jsonschema_rs.Registry
    documents: Mapping[str, Any]
    recurs: bool = False

    def lookup(self, reference: str, resolver: jsonschema_rs.Resolver) -> jsonschema_rs.Resolved:
        """Return what a reference leads to, with the keys in the library's order.

        Raises:
            LookupError: it leads nowhere.
        """
        try:
            return resolver.lookup(reference)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise LookupError(_plain(str(error))) from error

    def written(self, uri: str, fragment: str, found: Any) -> Any:
        """Return what was found as it is written in its document, if a pointer leads there from the top."""
        if uri not in self.documents or (fragment and not fragment.startswith("/")):
            return found
        value = self.documents[uri]
        for part in fragment.split("/")[1:]:
            key = unescaped(unquote(part))
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value


def load(document: Document) -> Loaded:
    """Return a document that is a schema by its draft and whose references all lead somewhere.

    Raises:
        SchemaError: it isn't JSON, isn't a schema, or refers to what isn't there.
    """
    root = document.value()
    draft = declared(root) or stated(document.format) or LATEST
    _check(document, root, draft)
    if draft is DRAFT03:
        root, draft = draft03.upgraded(root), DRAFT04
    uri = _uri(document, root, draft)
    documents = {uri: root}
    loaded = Loaded(root, uri, draft, _registry(document, draft, documents), documents)
    dangling = tuple(_dangling(document, loaded))
    if dangling:
        raise SchemaError(*dangling)
    if not recurs(root, loaded.registry.resolver(uri)):
        return loaded
    counted = [(address, with_steps(value)) for address, value in documents.items()]
    return replace(loaded, registry=jsonschema_rs.Registry(counted, draft=draft.number), recurs=True)


def _check(document: Document, root: Any, draft: Draft) -> None:
    refused = dict.fromkeys(islice(_refusals(root, draft), _MAX_PROBLEMS))  # several vocabularies may say the same
    if refused:
        raise SchemaError(*(_problem(document, draft, item) for item in refused))


def _refusals(root: Any, draft: Draft) -> Iterator[Refusal]:
    if not isinstance(root, dict | bool):
        return iter((Refusal((), "a schema is an object"),))
    if draft is DRAFT03:
        return draft03.refusals(root)
    return map(refusal, _metaschema(draft).iter_errors(root))


@cache
def _metaschema(draft: Draft) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for({"$schema": draft.uri, "$ref": draft.uri}, offline=True)


def _problem(document: Document, draft: Draft, refused: Refusal) -> Problem:
    place = f' at "{"/".join(map(str, refused.path))}"' if refused.path else ""
    help_ = f"write {refused.allowed or f'what JSON Schema {draft.name} allows there'}"
    return document.problem("syntax", f"{refused.message}{place}", help_, refused.path)


def _uri(document: Document, root: Any, draft: Draft) -> str:
    """Return the URI of the document: its own ``$id``, resolved against where it stands."""
    absolute = ":" in document.uri.partition("/")[0]
    base = document.uri if absolute else f"{HERE}/{quote(document.uri.lstrip('/'), safe=_OF_IDS)}"
    own = root.get(draft.idkeyword) if isinstance(root, dict) else None
    return resolved(base, own).removesuffix("#") if isinstance(own, str) else base


def _registry(document: Document, draft: Draft, documents: dict[str, Any]) -> jsonschema_rs.Registry:
    """Return the library's registry of a document, and add to ``documents`` those that it refers to."""
    ((uri, root),) = documents.items()
    missing: list[Problem] = []

    def retrieve(reference: str) -> Any:
        content = document.fetch(reference.removeprefix(HERE))
        if content is None:
            missing.append(_not_found(document, root, uri, reference))
            raise LookupError(reference)
        value = json_value(content)
        documents[reference] = draft03.upgraded(value) if declared(value) is DRAFT03 else value
        return documents[reference]

    try:
        return jsonschema_rs.Registry([(uri, root)], draft=draft.number, retriever=retrieve)
    except (ValueError, SchemaError) as error:
        problem = missing[0] if missing else Problem("reference", _plain(str(error)), "correct the reference")
        raise SchemaError(problem) from error


def _not_found(document: Document, root: Any, uri: str, reference: str) -> Problem:
    """Return the problem of a reference to another document, at the place where it is written."""
    said = ((path, text) for path, text in references(root) if resolved(uri, text).partition("#")[0] == reference)
    path, text = next(said, ((), reference.removeprefix(HERE)))
    message = f'"{text}" refers to a document that is not in this registry'
    return document.problem("reference", message, "add it as a schema, or put what it holds under $defs here", path)


def _dangling(document: Document, loaded: Loaded) -> Iterator[Problem]:
    """Give the references inside the document that point at nothing."""
    resolver = loaded.registry.resolver(loaded.uri)
    for path, text in references(loaded.root):
        try:
            loaded.lookup(text, resolver)
        except LookupError as error:
            message = f'"{text}" points at nothing: {error}'
            yield document.problem("reference", message, "correct the reference, or add what it names", path)


def _plain(text: str) -> str:
    return text.partition("\n")[0]
