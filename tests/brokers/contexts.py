"""A context and a payload for any message definition: what its placeholders and open properties need."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import xregit
from xregit.catalog import Message
from xregit.messages.constraints import Constraint
from xregit.messages.definition import to_definition
from xregit.messages.encoder import MessageError
from xregit.messages.payload import NO_DATA, payload_schema
from xregit.protocols import Wire

# Texts that are valid for the types whose values can't be just any text; brokers drop what has expired.
TEXTS = {
    "binary": "QUJD",
    "boolean": "true",
    "duration": "PT1S",
    "integer": "7",
    "number": "1.5",
    "timestamp": "2099-01-02T03:04:05Z",
    "ulong": "7",
    "uuid": "6f1e0b0c-6a0e-4a52-9f1a-0a4b8a3f2f10",
}
# What stands for a placeholder, the most awkward first: a definition may refuse some of it.
AWKWARD = ("ö 50%2F?&=;\"'ß/😀", "ö50%2F?&=;\"'ß😀", "ö50%2F", "a-b_c")


def new_message(message: Message, texts: tuple[str, ...]) -> tuple[Wire, dict[str, str]]:
    """Return a message with the first of the texts for its placeholders that its definition takes, and the context.

    The context is that of the placeholders alone.

    Raises:
        MessageError: it takes none of them.
    """
    for text in texts:
        context = context_of(message, text)
        try:
            wire = xregit.new(message, context, payload_of(message), now=datetime.now(UTC), new_id=str(uuid4()))
        except MessageError:
            if text == texts[-1]:
                raise
        else:
            return wire, {name: context[name] for name in to_definition(message).placeholders}
    raise AssertionError(texts)


def context_of(message: Message, text: str) -> dict[str, str]:
    """Return a text for each placeholder, and for each property that must be there and has no value."""
    asked = to_definition(message)
    context = dict(_placeholders(asked.constraints, text))
    for item in asked.constraints:
        is_open = item.template is None and item.constant is None and not item.now
        if item.required and is_open and item.type != "uuid" and item.key != "id":
            context[item.attribute] = TEXTS.get(item.type, "open")
    if asked.enveloped and not any(item.key == "source" for item in asked.envelope):
        context["source"] = "/open"
    return context


def payload_of(message: Message) -> Any:
    """Return an example of the message's payload, if a schema describes one."""
    schema = payload_schema(message.registry, message)
    return NO_DATA if schema is None else schema.example()


def _placeholders(constraints: tuple[Constraint, ...], text: str) -> Iterator[tuple[str, str]]:
    """Give a text for each placeholder, one of the type of a property that it is the whole value of."""
    for item in constraints:
        for name in item.template.placeholders if item.template else ():
            yield name, f"{name}{text}"
    for item in constraints:
        if item.template and item.template.alone and item.type in TEXTS:
            yield item.template.placeholders[0], TEXTS[item.type]
