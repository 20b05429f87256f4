"""Payloads to the values that their schemas read in them, or to what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from xregit.payloads import PayloadError, language
from xregit.payloads.body import explain_framing
from xregit.payloads.json_schema.codec import JsonSchema
from xregit.payloads.json_structure.schema import JsonStructure
from xregit.protocols.cloudevents import declares_json
from xregit.spark.streams.plain import REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.messages.decoder import IncomingMessage
    from xregit.payloads import PayloadSchema
    from xregit.spark.streams.plain import Plain

NO_PAYLOAD = ("there is no payload",)
_USUAL = (None, "application/json")
_OF_JSON = ("JsonSchema", "JsonStructure")


class BadPayloadError(Exception):
    """A payload that breaks its schema, with all that is wrong with it."""

    def __init__(self, *problems: str) -> None:
        """Keep the problems."""
        self.problems = problems
        super().__init__(*problems)


def is_json(form: str) -> bool:
    """Return whether schemas of a format are about JSON."""
    return language(form) in _OF_JSON


def has_json(event: Plain) -> bool:
    """Return whether the data of a plain event is JSON."""
    said = event.datacontenttype
    return event.data is not UNSET and (said in _USUAL or declares_json(str(said)))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads payloads by one schema, or, without one, gives their bytes."""

    schema: PayloadSchema | None
    json_schema: JsonSchema | None
    decoding_is_not_enough: bool

    @classmethod
    def of(cls, schema: PayloadSchema | None) -> Reader:
        """Return the reader of a schema."""
        inner = schema.schema if isinstance(schema, JsonStructure) else schema
        known = inner if isinstance(inner, JsonSchema) else None
        return cls(schema, known, schema is not None and language(schema.format) == "XSD")

    def values(self, data: Iterable[msgspec.Raw]) -> list[Any]:
        """Return the values of JSON that fits the schema; None for others, and for those that are null."""
        return [self._value(each) for each in data]

    def _value(self, data: msgspec.Raw) -> Any:
        try:
            return self._checked(msgspec.json.decode(data))
        except (*REFUSED, BadPayloadError):
            return None

    def read(self, message: IncomingMessage) -> Any:
        """Return the value of a message's payload; without a schema its bytes, None where it has none.

        Raises:
            BadPayloadError: it breaks the schema.
        """
        event = message.event
        # A structured event has been read as a whole; its JSON need not be written to be read again.
        parsed = self.json_schema is not None and message.wire is None and event is not None and "data" in event
        if parsed and event is not None and declares_json(event.get("datacontenttype", "")):
            return self._checked(event["data"])
        if self.schema is None:
            return message.body
        return self._decoded(self.schema, message)

    def _decoded(self, schema: PayloadSchema, message: IncomingMessage) -> Any:
        body, contenttype = message.body, message.contenttype
        if body is None:
            raise BadPayloadError(*NO_PAYLOAD)
        if self.decoding_is_not_enough:
            found = schema.validate(body, contenttype)
            if found:
                raise BadPayloadError(*explain_framing(found, body))
        try:
            return self._checked(schema.decode(body, contenttype))
        except PayloadError as error:
            raise BadPayloadError(*explain_framing(error.problems, body)) from error

    def _checked(self, value: Any) -> Any:
        if self.json_schema is None or self.json_schema.accepts(value):
            return value
        raise BadPayloadError(*self.json_schema.faults(value))
