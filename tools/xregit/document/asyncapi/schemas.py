"""The schemas of an AsyncAPI document: of properties, of events, and of payloads with their references."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from xregit.catalog import Message
from xregit.catalog.properties import Property, texts
from xregit.catalog.views import text_of
from xregit.document.asyncapi.facts import Language, free_name, language, tables
from xregit.document.asyncapi.reader import REF, Node, Reader
from xregit.document.schema_files import schema_format, stated_texts
from xregit.document.version_document import attribute_for
from xregit.json_pointer import escape, index, unescape
from xregit.messages.definition import is_now
from xregit.model import canonical
from xregit.model.aliases import find_name
from xregit.model.language import NOTHING
from xregit.payloads.json_schema.schema import declared_draft
from xregit.source.json_emitter import pretty_json

if TYPE_CHECKING:
    from xregit.document.asyncapi.reader import Place


# The characters that mean something in a regular expression of ECMA 262, which JSON Schema uses.
_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_PART, _WHOLE = "[^/]+", ".+"


def property_schema(item: Property) -> dict[str, Any]:
    """Return the schema of one property's value."""
    schema = dict(tables()["types"].get(item.type, tables()["othertype"]))
    if item.placeholders:
        schema |= {"pattern": pattern(item.value), "x-property": {"type": item.type, "value": item.value}}
    elif item.value is not None and not is_now(item.type, item.value):
        own = {} if _fits_type(schema, item.value) else {"x-property": {"type": item.type, "value": item.value}}
        schema = {**({} if own else schema), "const": item.value, **own}
    return {**schema, "description": item.description} if item.description else schema


def object_schema(items: Iterable[Property]) -> dict[str, Any]:
    """Return the schema of an object with these properties; of those of one name, any will do."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    required: dict[str, None] = {}
    for item in items:
        by_name.setdefault(item.name, []).append(property_schema(item))
        if item.required or item.value is not None:
            required[item.name] = None
    properties = {name: items[0] if len(items) == 1 else {"anyOf": items} for name, items in by_name.items()}
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def pattern(template: str) -> str:
    """Return the regular expression of the values that a template stands for."""
    parts = texts(template)
    any_text = _WHOLE if len(parts) == 1 else _PART
    return "^" + "".join(any_text if part.placeholder else _SPECIAL.sub(r"\\\g<0>", part.text) for part in parts) + "$"


def _fits_type(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a value may stand beside the type; numbers and booleans may be declared for texts."""
    return schema.get("type") != "string" or isinstance(value, str)


# Nobody's schemas are deeper, and other readers refuse them.
MAX_DEPTH = 200


def rebase_references(schema: Any, base: str) -> Any:
    """Return the schema with its references below ``base``, or None where it is nested more than 200 levels deep."""
    try:
        anchors = dict(_anchors(schema, "", 0))
        return _rebase(schema, _ReferenceTargets(schema, base, anchors), 0)
    except _TooDeepError:
        return None


def resolve_pointer(schema: Any, pointer: str) -> Any:
    """Return what a JSON Pointer leads to, or None (RFC 6901)."""
    for part in pointer.split("/")[1:]:
        name = unescape(part)
        if isinstance(schema, list | tuple):
            place = index(name, len(schema))
            schema = None if place is None else schema[place]
        else:
            schema = schema.get(name) if isinstance(schema, Mapping) else None
    return schema


class _TooDeepError(Exception):
    """The schema has more levels than we read."""


class _ReferenceTargets:
    """Where the references of one schema lead."""

    def __init__(self, schema: Any, base: str, anchors: Mapping[str, str]) -> None:
        self.schema = schema
        self.base = base
        self.anchors = anchors
        own = schema.get("$id", schema.get("id")) if isinstance(schema, Mapping) else None
        self.own = own.partition("#")[0] if isinstance(own, str) else ""

    def of(self, reference: str) -> str | None:
        """Return the same reference from outside, or nothing where it leaves the schema or leads nowhere."""
        if reference in self.anchors:
            return self.base + self.anchors[reference]
        document, _, fragment = reference.partition("#")
        if document and document != self.own:
            return None
        if fragment.startswith("/"):
            return self.base + fragment if resolve_pointer(self.schema, unquote(fragment)) is not None else None
        if not fragment:
            return self.base
        pointer = self.anchors.get(f"#{fragment}")
        return None if pointer is None else self.base + pointer


def _anchors(schema: Any, pointer: str, depth: int) -> Any:
    """Yield the names by which parts of a schema are referred to, with the pointers to them."""
    if depth > MAX_DEPTH:
        raise _TooDeepError
    if isinstance(schema, Mapping):
        for name in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(name), str):
                yield f"#{schema[name]}", pointer
        if pointer and isinstance(schema.get("$id"), str):
            yield schema["$id"], pointer
    for name, item in _subschemas(schema):
        yield from _anchors(item, f"{pointer}/{name}", depth + 1)


def _subschemas(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return ((escape(name), item) for name, item in schema.items())
    return enumerate(schema) if isinstance(schema, list | tuple) else NOTHING.items()


def _rebase(schema: Any, places: _ReferenceTargets, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise _TooDeepError
    if isinstance(schema, list | tuple):
        return [_rebase(item, places, depth + 1) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    result = {name: _rebase(item, places, depth + 1) for name, item in schema.items() if name != "$ref"}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        place = places.of(reference)
        return {**result, "x-ref": reference} if place is None else {"$ref": place, **result}
    return {**result, "$ref": _rebase(reference, places, depth + 1)} if "$ref" in schema else result


SCHEMA, TEXT = "schema", "text"
PLACE = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class PayloadObject:
    """The payload of a message.

    ``schema`` is the payload's schema as a message has it. ``plain`` is the same as a part of an AsyncAPI schema,
    where its language allows that. ``extensions`` are what AsyncAPI has no place for.
    """

    schema: Mapping[str, Any] | None = None
    plain: Mapping[str, Any] | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SchemaDocument:
    """A schema document of the registry: its xid and name, its format, its value or text, and the selected type."""

    xid: str
    name: str
    format: str
    value: Any
    selector: str = ""


class PayloadSchemas:
    """The schemas of one document so far."""

    def __init__(self) -> None:
        """Begin with none."""
        self.schemas: dict[str, Any] = {}
        self._names: dict[tuple[str, str], str] = {}

    def add(self, message: Message) -> PayloadObject:
        """Return a message's payload; its schema is added to those of the document."""
        document = _schema_document(message)
        return (self._payload(document) if document else None) or PayloadObject(extensions=_external_schema(message))

    def _payload(self, document: _SchemaDocument) -> PayloadObject | None:
        """Return the payload whose schema can stand in the AsyncAPI document, or nothing where it can't."""
        name = find_name("format", document.format) if document.format else None
        schema_language = language(name.name) if name else None
        if schema_language is None:
            return None
        if schema_language.form == SCHEMA:
            return self._json_schema(document, schema_language)
        value = _document_text(document, schema_language) if schema_language.form == TEXT else document.value
        if value is None:
            return None
        key = self._add(document, schema_language, value, marked=bool(schema_language.root))
        extensions = {"x-dataschematype": document.selector} if document.selector else {}
        return PayloadObject({"$ref": PLACE + key}, extensions=extensions) if key else None

    def _json_schema(self, document: _SchemaDocument, language: Language) -> PayloadObject | None:
        """Return the payload for a JSON Schema; a reference may select a part of it."""
        if not isinstance(document.value, Mapping | bool):
            return None
        key = self._add(document, language, document.value, marked=False)
        if key is None:
            return None
        pointer = _selector_pointer(document.value, document.selector)
        inside = {"$ref": f"{PLACE}{key}/schema{pointer}"}
        part = {"schemaFormat": _media_type(document.format, language), "schema": inside}
        is_plain = language.version(_language_version(document.format)) in language.plain
        return PayloadObject(part if pointer else {"$ref": PLACE + key}, plain=inside if is_plain else None)

    def _add(self, document: _SchemaDocument, language: Language, value: Any, *, marked: bool) -> str | None:
        """Return the name of a schema in the document, or nothing where it is nested too deeply to be read.

        A document in which the selected type is ``marked`` stands there once for each such type.
        """
        key = (document.xid, document.selector if marked else "")
        if key not in self._names:
            name = free_name("-".join(filter(None, (document.name, key[1]))), self.schemas)
            schema = rebase_references(value, f"{PLACE}{name}/schema") if language.form == SCHEMA else value
            if schema is None:
                return None
            self.schemas[name] = {"schemaFormat": _media_type(document.format, language), "schema": schema}
            self._names[key] = name
        return self._names[key]


def _schema_document(message: Message) -> _SchemaDocument | None:
    """Return the schema document that a message refers to or holds, if it is in the registry."""
    attributes, reference = message.resolved.attributes, message.schema
    message_format = text_of(attributes, "dataschemaformat")
    if reference is not None and reference.version is not None and reference.schema is not None:
        version = reference.version
        data = version.document.data if version.document else None
        if not data:
            return None
        name = f"{reference.schema.id}-{version.id}"
        format_ = text_of(version.attributes, "format") or message_format
        value = attribute_for(data, format_, "schema").get("schema")
        return _SchemaDocument(version.xid, name, format_, value, reference.selector)
    if attributes.get("dataschema") is not None:
        return _SchemaDocument(message.xid, message.id, message_format, attributes["dataschema"])
    return None


def _document_text(document: _SchemaDocument, language: Language) -> str | None:
    """Return the text of a document; a comment marks the selected type."""
    value = document.value
    if value is None:
        return None
    text = value if isinstance(value, str) else pretty_json(value).decode(errors="replace")
    if not language.root or not document.selector:
        return text
    name = re.escape(document.selector.rpartition(".")[2])
    return re.sub(rf"(?m)^([ \t]*)(message[ \t]+{name}\b)", rf"\1{language.root}\n\1\2", text, count=1)


def _external_schema(message: Message) -> dict[str, Any]:
    """Return the extensions for a schema that can't stand in the document."""
    attributes = message.resolved.attributes
    names = ("dataschemaformat", "dataschemauri", "dataschemaxid")
    return {f"x-{name}": attributes[name] for name in names if isinstance(attributes.get(name), str)}


def _media_type(format: str, language: Language) -> str:  # noqa: A002 - the attribute's name
    return language.mediatype.format(version=language.version(_language_version(format)).replace("/", "-"))


def _language_version(format: str) -> str:  # noqa: A002 - the attribute's name
    return canonical("format", format).partition("/")[2]


def _selector_pointer(value: Any, selector: str) -> str:
    """Return the JSON Pointer to the part of a JSON Schema that a reference selects; empty for all of it."""
    if not selector:
        return ""
    name = escape(selector)
    pointers = [selector] if selector.startswith("/") else [f"/$defs/{name}", f"/definitions/{name}"]
    pointer = next((item for item in pointers if resolve_pointer(value, item) is not None), "")
    return quote(pointer, safe="/~$")


_ASYNCAPI = "application/vnd.aai.asyncapi"
_DEFAULT = "JsonSchema/draft-07"
_DEFINITIONS = {"JsonSchema/draft/2020-12": "$defs", "JsonSchema/draft/2019-09": "$defs"}
JSON_SCHEMA = "JsonSchema"
# Keywords under which values are data, in which a "$ref" is none, and those whose members have names of their own.
_DATA = frozenset({"example", "examples", "default", "const", "enum"})
_NAMED = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"})
# The most values that the schemas of one message may hold, with those that they refer to.
_MAX_VALUES = 200_000


@dataclass(frozen=True, slots=True)
class ImportedSchema:
    """A schema: the id and title of its group, its own id, its format, its document, and payloads that follow it."""

    group: str
    title: str
    id: str
    format: str
    document: Any
    examples: list[Any] = field(default_factory=list)

    @property
    def xid(self) -> str:
        """Its xid."""
        return f"/schemagroups/{self.group}/schemas/{self.id}"

    def add_example(self, node: Node) -> None:
        """Add an example to a JSON Schema that has none of its own."""
        if self.format.startswith(JSON_SCHEMA) and isinstance(self.document, dict) and "examples" not in self.document:
            self.examples.extend([node.raw] if node.raw not in self.examples else [])
            node.take()

    def value(self) -> dict[str, Any]:
        """Return it as an entity of an xRegistry document; what the schema says of itself is said there too."""
        document = {**self.document, "examples": self.examples} if self.examples else self.document
        return {"versionid": "1", **stated_texts(self.document), "format": self.format, "schema": document}


@dataclass
class SchemaImporter:
    """The schemas so far, each by the place where it stands and its format, and their ids by groups, case folded."""

    reader: Reader
    schemas: dict[tuple[Place, str], ImportedSchema] = field(default_factory=dict)
    ids: dict[str, set[str]] = field(default_factory=dict)

    def add(self, group: tuple[str, str], node: Node, media_type: str, name: str) -> ImportedSchema:
        """Return the schema document of a payload, in a group of this id and title.

        ``name`` is its id where the document gives it none.
        """
        schema = named = self.reader.resolve(node)
        if schema.look("schemaFormat") is not None and schema.look("schema") is not None:  # whose name it keeps
            media_type, inner = str(schema.take("schemaFormat")), schema.child("schema")
            schema = self.reader.resolve(inner)
            named = schema if inner.reference else named
        is_file = not schema.pointer and isinstance(schema.raw, str)
        format_ = schema_format(schema.file.name, schema.raw) if is_file else format_of(media_type)
        declared = declared_draft(schema.raw) if format_.startswith(JSON_SCHEMA) else None
        format_ = f"{JSON_SCHEMA}/{declared.name}" if declared else format_
        key = named.place, format_
        if key not in self.schemas:
            names = self.ids.setdefault(group[0], set())
            is_named = named.pointer[-2:-1] == ("schemas",)
            id_ = free_name(self.reader.id_of(named.name if is_named else "", name), names, str.casefold)
            names.add(id_.casefold())
            if format_.startswith(JSON_SCHEMA):
                document = _Bundle(self.reader, _DEFINITIONS.get(format_, "definitions"), named.place).document(schema)
            else:
                document = schema.take()
            self.schemas[key] = ImportedSchema(*group, id_, format_, document)
        return self.schemas[key]


def format_of(media_type: str) -> str:
    """Return our name of a schema language, given AsyncAPI's media type of it; an unknown one is its own name."""
    essence, _, parameters = media_type.lower().replace(" ", "").partition(";")
    essence = essence.replace("+yaml", "+json")
    if not essence or essence.startswith(_ASYNCAPI):
        return _DEFAULT
    version = parameters.removeprefix("version=")
    for name, known in _languages().items():
        if known["mediatype"].lower().partition(";")[0].removesuffix("+json") != essence.removesuffix("+json"):
            continue
        versions = known.get("versions", {})
        ours = next(
            (ours for ours, theirs in versions.items() if theirs == version and ours not in ("", "draft-06")), ""
        )
        fixed = known["mediatype"].partition("version=")[2]
        return f"{name}/{ours or version or next(iter(versions.values()), fixed)}"
    return (essence.partition("/")[2] or essence).removeprefix("vnd.") + (f"/{version}" if version else "")


@cache
def _languages() -> Mapping[str, Mapping[str, Any]]:
    languages: Mapping[str, Mapping[str, Any]] = tables()["formats"]
    return languages


class _Bundle:
    """One JSON Schema with everything that it refers to, as far as that is in files."""

    def __init__(self, reader: Reader, definitions: str, place: Place) -> None:
        self.reader = reader
        self.definitions = definitions
        self.roots = {place}
        self.names: dict[Place, str] = {}
        self.values: dict[str, Any] = {}
        self.waiting: list[tuple[str, Node]] = []  # one after the other, however long a chain of references is
        self.count = 0

    def document(self, node: Node) -> Any:
        """Return the schema, with the parts that it refers to among its own definitions."""
        self.roots.add(node.place)
        value = self._copy(node)
        for name, target in self.waiting:  # which grows meanwhile
            self.values[name] = self._copy(target)
        if not self.values or not isinstance(value, dict):
            return value
        own = value.get(self.definitions)
        return {**value, self.definitions: {**(own if isinstance(own, dict) else {}), **self.values}}

    def _copy(self, node: Node) -> Any:
        self.count += 1
        if self.count > _MAX_VALUES:
            self.reader.notes.leave_out(f"What a schema holds beyond {_MAX_VALUES:,} values", node)
            return {}
        if node.reference:
            target = self.reader.resolve(node)
            is_read = target.place != node.place
            reference = {REF: self._reference(target)} if is_read else {"x-ref": node.text(REF)}
            return {**reference, **self._members(node, _DATA)}
        if isinstance(node.raw, Mapping):
            return self._members(node, () if node.pointer[-1:] and node.pointer[-1] in _NAMED else _DATA)
        return [self._copy(item) for item in node.members()] if isinstance(node.raw, list) else node.take()

    def _members(self, node: Node, data: Collection[str]) -> dict[str, Any]:
        """Return the members of an object, without a reference; those of ``data`` are not schemas."""
        members = [item for item in node.members() if item.name != REF or not node.reference]
        return {self._name(item.name, node): item.take() if item.name in data else self._copy(item) for item in members}

    def _name(self, key: str, node: Node) -> str:
        """Return a key; an identifier within, to which references would be relative, is no longer one."""
        return "x-id" if key == "$id" and node.place not in self.roots and isinstance(node.raw[key], str) else key

    def _reference(self, target: Node) -> str:
        if target.place in self.roots:
            return "#"
        if target.place not in self.names:
            name = free_name(target.name or target.file.path.stem, self.values)
            self.names[target.place] = name
            self.values[name] = True
            self.waiting.append((name, target))
        return f"#/{self.definitions}/{escape(self.names[target.place])}"
