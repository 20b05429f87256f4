"""Why a message does not fit the definitions that it comes near to: each constraint that it fails.

A part of a message, such as a topic, is held against the definitions, too.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from os.path import commonprefix
from typing import Any

from xregit.messages.constraints import Constraint, Failure, plain_text
from xregit.messages.decoder import IncomingMessage
from xregit.messages.index import Filter, FilterSet, filter_set
from xregit.messages.payload import PayloadSchemas
from xregit.messages.result import DefinitionMatch, Match, Reason
from xregit.model.protocols import matching_fact
from xregit.payloads import PayloadError, PayloadSchema, language
from xregit.protocols.cloudevents import REQUIRED
from xregit.protocols.json import json_bytes

BAD_PAYLOAD = "a payload that the schema accepts"
A_NAME = "an id, type, topic, path, subject or key of a definition"
NAME, PAYLOAD = "name", "payload"
MAX_NEAR = 3
_JSON = frozenset({"JsonSchema", "JsonStructure"})


def lookup_by_name(name: str, selectors: Iterable[Selectors]) -> Match:
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


MAX_REASONS = 10
READABLE = "a message that can be read, with a valid CloudEvent if it carries one"


@dataclass(frozen=True, slots=True)
class Selector:
    """A key that says what kind of message it is, such as type or topic, and definitions by what they demand there.

    ``filters`` compare that key alone, ``texts`` are what they demand, in order.
    """

    key: str
    of_event: bool
    attribute: str
    texts: tuple[str, ...]
    filters: FilterSet

    def failure(self, message: IncomingMessage) -> Failure:
        """Return the failure of a message whose text no definition has, with the text that begins most like it."""
        values = (message.attributes.get(self.key),) if self.of_event else message.fields.get(self.key, ())
        text = next((plain_text(value) for value in values if value is not None), None)
        near = _nearest(text, self.texts) if text else ""
        more = f'; the nearest is "{near}"' if near else ""
        return Failure(self.attribute, f"the {self.key} of a definition{more}", text)


@dataclass(frozen=True, slots=True)
class Selectors:
    """Definitions, as filters by their xids, and the keys that say which of them a message comes near to."""

    filters: Mapping[str, Filter]
    keys: tuple[Selector, ...]

    def selected(self, message: IncomingMessage) -> dict[str, Filter]:
        """Return the definitions that a message's own type, topic, subject, path or key selects."""
        definitions = (definition for each in self.keys for definition, _ in each.filters.matches(message))
        return {definition.xid: self.filters[definition.xid] for definition in definitions}

    def unknown_value_reasons(self, message: IncomingMessage) -> tuple[Reason, ...]:
        """Return, for a message that selects no definition, its values under these keys as the reason."""
        failed = tuple(each.failure(message) for each in self.keys)
        present = tuple(failure for failure in failed if failure.found is not None)
        return (Reason("", present or failed),) if failed else ()


def selectors(filters: Iterable[Filter], protocol: str = "") -> Selectors:
    """Return the selectors among what filters compare."""
    by_xid = {item.definition.xid: item for item in filters}
    names = matching_fact("selectors")
    keys = []
    of_protocol = names.get(protocol, ()) if protocol else ()
    for key, of_event in (*((key, True) for key in names[""]), *((key, False) for key in of_protocol)):
        filters_of_key = filter_set(_single_key_filters(by_xid.values(), key, of_event=of_event))
        compared = [item for each in filters_of_key.filters for item in (*each.envelope, *each.options)]
        if compared:
            texts = tuple(sorted({item.expected for item in compared}))
            keys.append(Selector(key, of_event, compared[0].attribute, texts, filters_of_key))
    return Selectors(by_xid, tuple(keys))


def nearest_reasons(selected: Mapping[str, Filter], message: IncomingMessage) -> tuple[Reason, ...]:
    """Return the definitions that a message comes near to, those first that it fails in the fewest ways."""
    reasons = (Reason(xid, tuple(_failures(item, message))) for xid, item in selected.items())
    failed = sorted((item for item in reasons if item.failed), key=lambda item: (len(item.failed), item.xid))
    return tuple(failed[:MAX_REASONS])


def unreadable_reasons(message: IncomingMessage) -> tuple[Reason, ...]:
    """Return what is wrong with a message by itself, whatever the definitions say."""
    failed = tuple(Failure("", READABLE, problem) for problem in message.problems)
    return (Reason("", failed),) if failed else ()


def _failures(item: Filter, message: IncomingMessage) -> Iterator[Failure]:
    failures = list(item.failures(message))
    attributes = {failure.attribute for failure in failures}
    if item.definition.enveloped and message.attributes:
        for name in REQUIRED:
            attribute = f"envelopemetadata/{name}"
            if not message.attributes.get(name) and attribute not in attributes:
                yield Failure(attribute, "any value")
    yield from failures


def _single_key_filters(filters: Iterable[Filter], key: str, *, of_event: bool) -> Iterator[Filter]:
    """Yield those filters that compare a property, comparing nothing else."""
    for item in filters:
        part = [
            each for each in (item.envelope if of_event else item.options) if each.key == key and _discriminates(each)
        ]
        if part:
            definition = item.definition
            definition = replace(definition, mode="", format="") if definition.mode or definition.format else definition
            yield Filter(definition, tuple(part) if of_event else (), () if of_event else tuple(part))


def _nearest(text: str, texts: tuple[str, ...]) -> str:
    """Return the one of ordered texts that shares the longest beginning with a text, if that is half of it."""
    place = bisect(texts, text)
    around = texts[max(place - 1, 0) : place + 1]
    candidates = [(len(commonprefix((text, other))), other) for other in around]  # noqa: RUF071 - of characters
    length, near = max(candidates, default=(0, ""))
    return near if 2 * length >= len(text) else ""


def _discriminates(item: Constraint) -> bool:
    """Return whether only some values will do."""
    return item.constant is not None or (item.template is not None and not item.template.alone)
