"""A message that carries no CloudEvent to the one that its definition makes of it.

Source: message/spec.md "Context Attributes": what the protocol's part says of the placeholders fills the envelope's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

import orjson

from xregit.messages.constraints import canonical_text
from xregit.protocols import Event, event_json, event_problems, from_text, wire_json
from xregit.protocols.events import SPECVERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.messages.constraints import Constraint
    from xregit.messages.definitions import Definition
    from xregit.messages.reading import IncomingMessage

_JSON_TYPES = frozenset({"boolean", "integer"})
#: The attributes of the CloudEvents specification are texts, even where a definition narrows them to numbers.
_TEXTS = frozenset({"specversion", "id", "source", "type", "subject", "time", "dataschema", "datacontenttype"})


def map_event(definition: Definition, context: Mapping[str, str], message: IncomingMessage) -> dict[str, Any] | None:
    """Return the event in the JSON event format, None where the message does not say enough for one.

    The same message has the same ``id`` each time, as no clock and no chance is at work here; for that reason there is
    no ``time`` either, unless the message says it.
    """
    if not definition.enveloped:
        return None
    attributes: dict[str, Any] = {"specversion": SPECVERSION, "id": _event_id(definition, message)}
    for item in definition.envelope:
        value = _mapped_value(item, context)
        if value is not None:
            attributes[item.key] = value
    contenttype = attributes.get("datacontenttype") or message.outer_type or definition.contenttype
    if contenttype and message.body is not None:
        attributes["datacontenttype"] = contenttype
    return event_json(Event(attributes, message.body)) if not event_problems(attributes) else None


def _mapped_value(item: Constraint, context: Mapping[str, str]) -> Any:
    if item.template is not None:
        known = all(name in context for name in item.template.placeholders)
        return attribute_value(item, item.template.expand(context)) if known else None
    if item.constant is None:
        return None
    return attribute_value(item, item.constant)


def attribute_value(item: Constraint, text: str) -> Any:
    """Return the value of an attribute as JSON has it: whole numbers and truth values of extensions as such."""
    native = item.type in _JSON_TYPES and item.key not in _TEXTS and canonical_text(item.type, text) is not None
    return from_text(item.type, text) if native else text


def _event_id(definition: Definition, message: IncomingMessage) -> str:
    shown = wire_json(message.wire) if message.wire is not None else {}
    name = definition.xid.encode() + orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)
    return str(uuid5(NAMESPACE_URL, name.decode()))
