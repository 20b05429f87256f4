"""The loader of JSON Schema documents: checks them against their draft and follows every reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from xregit.json_pointer import KeyPath, unescape
from xregit.model import canonical
from xregit.model.excerpts import to_json
from xregit.payloads.base import LARGEST, Document, Problem, SchemaError, json_value, pattern_size, resolve
from xregit.payloads.json_schema.error_messages import Refusal, explain_refusal, not_allowed, type_phrase
from xregit.payloads.json_schema.subschemas import add_steps, count_patterns, measure, references

ANY = "any"
TYPES = ("string", "number", "integer", "boolean", "object", "array", "null", ANY)
FORMATS = {"ip-address": "ipv4", "host-name": "hostname", "utc-millisec": ""}


def draft03_refusals(root: Any) -> Iterator[Refusal]:
    """Yield what draft-03 does not allow in a schema; where a type may be a schema, that is an object."""
    from jsonschema import Draft3Validator

    for error in Draft3Validator(Draft3Validator.META_SCHEMA).iter_errors(root):
        path = tuple(error.absolute_path)
        if error.validator == "type":
            types = [name if isinstance(name, str) else "object" for name in _upgrade_list(error.validator_value)]
            yield not_allowed(path, error.instance, map(type_phrase, types))
        else:
            yield Refusal(path, error.message)
    yield from _unknown_types(root, ())


def _unknown_types(schema: Any, path: KeyPath) -> Iterator[Refusal]:
    """Yield the types that draft-03 doesn't know; its metaschema allows any others, which no validator understands."""
    if not isinstance(schema, dict):
        return
    for name in ("type", "disallow"):
        is_list = isinstance(schema.get(name), list)
        for index, item in enumerate(schema[name] if is_list else (schema.get(name),)):
            if isinstance(item, str) and item not in TYPES:
                yield not_allowed((*path, name, index) if is_list else (*path, name), item, map(to_json, TYPES))
    for place, inner in _schemas(schema):
        yield from _unknown_types(inner, (*path, *place))


def _schemas(schema: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
    """Yield what may be schemas inside a schema, with their places."""
    for name, value in schema.items():
        if name in _SCHEMA_MAPS and isinstance(value, dict):
            yield from (((name, key), item) for key, item in value.items())
        elif name in _SCHEMA_KEYWORDS and isinstance(value, list):
            yield from (((name, index), item) for index, item in enumerate(value))
        elif name in _SCHEMA_KEYWORDS:
            yield (name,), value


def upgrade(schema: Any) -> Any:
    """Return a schema of draft-03 that accepts the same under draft-04; anything else stays the same."""
    if not isinstance(schema, dict):
        return schema
    upgraded: dict[str, Any] = {}
    for name, value in schema.items():
        upgraded |= _KEYWORDS[name](name, value) if name in _KEYWORDS else {name: value}
    conditions = _upgrade_list(schema.get("extends"))
    types, disallowed = schema.get("type"), schema.get("disallow")
    if isinstance(types, list) and ANY not in types and not all(isinstance(item, str) for item in types):
        conditions.append(_any_of(types))
    if disallowed is not None:
        names = disallowed if isinstance(disallowed, list) else [disallowed]
        conditions.append({"not": {} if ANY in names else _any_of(names)})
    return {**upgraded, "allOf": [*upgraded.get("allOf", ()), *conditions]} if conditions else upgraded


def _any_of(types: list[Any]) -> dict[str, Any]:
    """Return a schema of values that are of one of some types, which may be schemas."""
    return {"anyOf": [{"type": item} if isinstance(item, str) else upgrade(item) for item in types]}


def _upgrade_list(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [upgrade(item) for item in items]


def _drop(name: str, value: Any) -> dict[str, Any]:  # noqa: ARG001 - other keywords express it
    return {}


def _upgrade_schemas(name: str, value: Any) -> dict[str, Any]:
    return {name: [upgrade(item) for item in value] if isinstance(value, list) else upgrade(value)}


def _upgrade_mapping(name: str, value: Any) -> dict[str, Any]:
    return {name: {key: upgrade(item) for key, item in value.items()}} if isinstance(value, dict) else {name: value}


def _properties(name: str, value: Any) -> dict[str, Any]:
    """Return properties, and those that say that they are required as the list that draft-04 has on their object."""
    if not isinstance(value, dict):
        return {name: value}
    required = [key for key, item in value.items() if isinstance(item, dict) and item.get("required") is True]
    return _upgrade_mapping(name, value) | ({"required": required} if required else {})


def _dependencies(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {name: value}
    return {name: {key: [item] if isinstance(item, str) else upgrade(item) for key, item in value.items()}}


def _type(name: str, value: Any) -> dict[str, Any]:
    """Return the types where all of them are names; schemas among them become alternatives."""
    names = value if isinstance(value, list) else [value]
    all_names = all(isinstance(item, str) and item != ANY for item in names) and names
    return {name: value} if all_names else {}


def _format(name: str, value: Any) -> dict[str, Any]:
    renamed = FORMATS.get(value, value) if isinstance(value, str) else value
    return {name: renamed} if renamed != "" else {}


_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependencies"})
_SCHEMA_KEYWORDS = frozenset({"type", "disallow", "extends", "items", "additionalItems", "additionalProperties"})
_KEYWORDS: Mapping[str, Callable[[str, Any], dict[str, Any]]] = {
    "$schema": lambda name, _: {name: "http://json-schema.org/draft-04/schema#"},
    "required": _drop,
    "extends": _drop,
    "disallow": _drop,
    "divisibleBy": lambda _, value: {"multipleOf": value},
    "type": _type,
    "format": _format,
    "properties": _properties,
    "patternProperties": _upgrade_mapping,
    "definitions": _upgrade_mapping,
    "$defs": _upgrade_mapping,
    "dependencies": _dependencies,
    "items": _upgrade_schemas,
    "additionalItems": _upgrade_schemas,
    "additionalProperties": _upgrade_schemas,
}


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
    draft = declared_draft(root) or draft_of_format(document.format) or LATEST
    _check_draft(document, root, draft)
    if draft is DRAFT03:
        root, draft = upgrade(root), DRAFT04
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
    elif draft is DRAFT03:
        refusals = draft03_refusals(root)
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
        value = json_value(content)
        documents[reference] = upgrade(value) if declared_draft(value) is DRAFT03 else value
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
# Read as draft-04, in whose words `draft03` puts it.
DRAFT03 = Draft("draft-03", "http://json-schema.org/draft-03/schema", jsonschema_rs.Draft4, "id")
DRAFT04 = Draft("draft-04", "http://json-schema.org/draft-04/schema", jsonschema_rs.Draft4, "id")
DRAFTS = (
    DRAFT03,
    DRAFT04,
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
