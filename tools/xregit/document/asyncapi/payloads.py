"""The payload schemas of an endpoint's messages to the schemas of its document, each once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from xregit.catalog.views import text_of
from xregit.document.asyncapi.facts import language
from xregit.document.asyncapi.naming import free_name
from xregit.document.asyncapi.rebasing import below, rebased
from xregit.document.documents import carried, pretty
from xregit.jsonpointers import escaped
from xregit.model import canonical
from xregit.model.aliases import find_name
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog import Message
    from xregit.document.asyncapi.facts import Language

SCHEMA, TEXT = "schema", "text"
PLACE = "#/components/schemas/"


@record
class Payload:
    """What is said of a payload.

    ``schema`` is the payload's schema as a message has it. ``plain`` is the same as a part of an AsyncAPI schema,
    where its language allows that. ``notes`` are the extensions that say what AsyncAPI has no place for.
    """

    schema: Mapping[str, Any] | None = None
    plain: Mapping[str, Any] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


@record
class _Written:
    """A schema document that stands in the registry: what it is known by, its format, value or text, and selector."""

    xid: str
    name: str
    format: str
    value: Any
    selector: str = ""


class Payloads:
    """The schemas of one document so far."""

    def __init__(self) -> None:
        """Begin with none."""
        self.schemas: dict[str, Any] = {}
        self._names: dict[tuple[str, str], str] = {}

    def of(self, message: Message) -> Payload:
        """Return what is said of a message's payload; its schema is added to those of the document."""
        written = _written(message)
        return (self._here(written) if written else None) or Payload(notes=_elsewhere(message))

    def _here(self, written: _Written) -> Payload | None:
        """Return what is said of a payload whose schema can stand in the document, or nothing where it can't."""
        known = find_name("format", written.format) if written.format else None
        spoken = language(known.name) if known else None
        if spoken is None:
            return None
        if spoken.form == SCHEMA:
            return self._json_schema(written, spoken)
        text = _text(written, spoken) if spoken.form == TEXT else written.value
        name = self._added(written, spoken, text, marked=bool(spoken.root)) if text is not None else None
        notes = {"x-dataschematype": written.selector} if written.selector else {}
        return Payload({"$ref": PLACE + name}, notes=notes) if name else None

    def _json_schema(self, written: _Written, spoken: Language) -> Payload | None:
        """Return the payload for a JSON Schema, of which other schemas may have a part of their own."""
        if not isinstance(written.value, Mapping | bool):
            return None
        name = self._added(written, spoken, written.value, marked=False)
        if name is None:
            return None
        pointer = _pointer(written.value, written.selector)
        inside = {"$ref": f"{PLACE}{name}/schema{pointer}"}
        part = {"schemaFormat": _media_type(written.format, spoken), "schema": inside}
        plain = spoken.version(_version(written.format)) in spoken.plain
        return Payload(part if pointer else {"$ref": PLACE + name}, plain=inside if plain else None)

    def _added(self, written: _Written, spoken: Language, value: Any, *, marked: bool) -> str | None:
        """Return the name of a schema in the document, or nothing where it is nested too deeply to be read.

        A document in which the type that is meant is ``marked`` stands there once for each such type.
        """
        key = (written.xid, written.selector if marked else "")
        if key not in self._names:
            name = free_name("-".join(filter(None, (written.name, key[1]))), self.schemas)
            schema = rebased(value, f"{PLACE}{name}/schema") if spoken.form == SCHEMA else value
            if schema is None:
                return None
            self.schemas[name] = {"schemaFormat": _media_type(written.format, spoken), "schema": schema}
            self._names[key] = name
        return self._names[key]


def _written(message: Message) -> _Written | None:
    """Return the schema document that a message refers to or holds, if it is in the registry."""
    attributes, reference = message.resolved.attributes, message.schema
    stated = text_of(attributes, "dataschemaformat")
    if reference is not None and reference.version is not None and reference.schema is not None:
        version = reference.version
        data = version.document.data if version.document else None
        if not data:
            return None
        name = f"{reference.schema.id}-{version.id}"
        form = text_of(version.attributes, "format") or stated
        return _Written(version.xid, name, form, carried(data, form, "schema").get("schema"), reference.selector)
    if attributes.get("dataschema") is not None:
        return _Written(message.xid, message.id, stated, attributes["dataschema"])
    return None


def _text(written: _Written, spoken: Language) -> str | None:
    """Return the text of a document; a comment marks the type in it that is meant."""
    if written.value is None:
        return None
    text = written.value if isinstance(written.value, str) else pretty(written.value).decode(errors="replace")
    if not spoken.root or not written.selector:
        return text
    name = re.escape(written.selector.rpartition(".")[2])
    return re.sub(rf"(?m)^([ \t]*)(message[ \t]+{name}\b)", rf"\1{spoken.root}\n\1\2", text, count=1)


def _elsewhere(message: Message) -> dict[str, Any]:
    """Return the extensions for a schema that can't stand in the document."""
    attributes = message.resolved.attributes
    names = ("dataschemaformat", "dataschemauri", "dataschemaxid")
    return {f"x-{name}": attributes[name] for name in names if isinstance(attributes.get(name), str)}


def _media_type(written: str, spoken: Language) -> str:
    return spoken.mediatype.format(version=spoken.version(_version(written)).replace("/", "-"))


def _version(written: str) -> str:
    return canonical("format", written).partition("/")[2]


def _pointer(value: Any, selector: str) -> str:
    """Return the JSON Pointer to the part of a JSON Schema that a reference selects; empty for all of it."""
    if not selector:
        return ""
    name = escaped(selector)
    wanted = [selector] if selector.startswith("/") else [f"/$defs/{name}", f"/definitions/{name}"]
    found = next((pointer for pointer in wanted if below(value, pointer) is not None), "")
    return quote(found, safe="/~$")
