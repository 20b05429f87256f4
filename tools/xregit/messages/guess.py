"""Guesses at a message of which only a part is known: a type, topic, path, subject or key, or the payload alone."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from xregit.messages.constraints import Failure
from xregit.messages.decoder import IncomingMessage
from xregit.messages.result import DefinitionMatch, Match, Reason
from xregit.payloads import PayloadError, language
from xregit.protocols.json import json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.messages.explanation import Selector, Selectors
    from xregit.messages.payload import PayloadSchemas
    from xregit.payloads import PayloadSchema


BAD_PAYLOAD = "a payload that the schema accepts"
A_NAME = "an id, type, topic, path, subject or key of a definition"
NAME, PAYLOAD = "name", "payload"
MAX_NEAR = 3
_JSON = frozenset({"JsonSchema", "JsonStructure"})


def guess_by_name(name: str, selectors: Iterable[Selectors]) -> Match:
    """Return the definitions with a text as id, type, topic, path, subject or key, else those with the most similar."""
    indexes = list(selectors)
    contexts: dict[str, dict[str, str]] = {}
    for key in (key for each in indexes for key in each.keys):
        for definition, context in key.filters.matches(_message(key, name)):
            contexts.setdefault(definition.xid, context)
    for xid in {xid for each in indexes for xid in each.filters}:
        if name in {xid, _id(xid)}:
            contexts.setdefault(xid, {})
    matches = tuple(DefinitionMatch(xid, contexts[xid]) for xid in sorted(contexts))
    return Match(matches, reasons=() if matches else _similar_names(name, indexes), guess=NAME)


def _id(xid: str) -> str:
    return xid.rpartition("/")[2]


def _message(key: Selector, name: str) -> IncomingMessage:
    """Return a message that says no more than this."""
    return IncomingMessage(attributes={key.key: name}) if key.of_event else IncomingMessage(fields={key.key: (name,)})


def _similar_names(name: str, indexes: Iterable[Selectors]) -> tuple[Reason, ...]:
    near: dict[str, dict[str, Failure]] = {}
    for key in (key for each in indexes for key in each.keys):
        for item in key.filters.filters:
            for each in (*item.envelope, *item.options):
                failure = Failure(key.attribute, each.expected, name)
                near.setdefault(each.expected, {}).setdefault(item.definition.xid, failure)
    for xid in sorted({xid for each in indexes for xid in each.filters}):
        near.setdefault(_id(xid), {}).setdefault(xid, Failure("messageid", _id(xid), name))
    similar = get_close_matches(name, near, MAX_NEAR)
    reasons = [Reason(xid, (failure,)) for text in similar for xid, failure in near[text].items()]
    return tuple(reasons[:MAX_NEAR]) or (Reason("", (Failure("", A_NAME, name),)),)


def guess_by_payload(value: Any, schemas: PayloadSchemas) -> Match:
    """Return the definitions whose schema accepts a payload, and of these the ones that know its members."""
    members = frozenset(value) if isinstance(value, dict) else frozenset()
    accepted: dict[str, int] = {}
    refused: dict[str, tuple[int, tuple[str, ...]]] = {}
    for xid, source in schemas.sources.items():
        schema = schemas.schema(xid)
        if schema is None:
            continue
        known = len(members & {field.name for field in schema.fields()})
        problems = _problems(schema, value, json=language(source.format) in _JSON)
        if known and problems:
            refused[xid] = (known, problems)
        elif known or not (problems or isinstance(value, dict)):
            accepted[xid] = known
    best = max(accepted.values(), default=0)
    matches = tuple(DefinitionMatch(xid, {}) for xid in sorted(accepted) if accepted[xid] == best)
    order = sorted(refused, key=lambda xid: (-refused[xid][0], len(refused[xid][1]), xid))
    near = () if matches else order[:MAX_NEAR]
    reasons = (Reason(xid, tuple(Failure("dataschema", BAD_PAYLOAD, each) for each in refused[xid][1])) for xid in near)
    return Match(matches, reasons=tuple(reasons), guess=PAYLOAD)


def _problems(schema: PayloadSchema, value: Any, *, json: bool) -> tuple[str, ...]:
    """Return what is wrong with a value; a language that has bytes of its own may write it as these."""
    if json:
        return schema.validate(json_bytes(value), "application/json")
    try:
        schema.encode(value)
    except PayloadError as error:
        return error.problems
    except (ValueError, RecursionError) as error:
        return (str(error),)
    return ()
