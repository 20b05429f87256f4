"""The payload schemas of imported AsyncAPI documents: each becomes a schema document that stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.document.asyncapi.facts import free_name, tables
from xregit.document.asyncapi.reader import REF, Node, Reader
from xregit.json_pointer import escape
from xregit.payloads.json_schema.schema import declared_draft

if TYPE_CHECKING:
    from xregit.document.asyncapi.reader import Place

_ASYNCAPI = "application/vnd.aai.asyncapi"
_DEFAULT = "JsonSchema/draft-07"
_DEFINITIONS = {"JsonSchema/draft/2020-12": "$defs", "JsonSchema/draft/2019-09": "$defs"}
JSON_SCHEMA = "JsonSchema"
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

    def value(self) -> dict[str, Any]:
        """Return it as an entity of an xRegistry document; what the schema says of itself is said there too."""
        texts = {"name": "title", "description": "description"} if isinstance(self.document, Mapping) else {}
        own = {ours: self.document[name] for ours, name in texts.items() if isinstance(self.document.get(name), str)}
        document = self.document
        if self.examples and self.format.startswith(JSON_SCHEMA) and isinstance(document, dict):
            document = {**document, "examples": document.get("examples", self.examples)}
        return {"versionid": "1", **own, "format": self.format, "schema": document}


@dataclass
class SchemaImporter:
    """The schemas so far: each by the place where it stands and its format."""

    reader: Reader
    schemas: dict[tuple[Place, str], ImportedSchema] = field(default_factory=dict)

    def add(self, group: tuple[str, str], node: Node, media_type: str, name: str) -> ImportedSchema:
        """Return the schema document of a payload, in a group of this id and title.

        ``name`` is its id where the document gives it none.
        """
        schema = self.reader.resolve(node)
        media_type, schema = self._unwrapped(schema, media_type)
        format_ = format_of(media_type)
        declared = declared_draft(schema.value) if format_.startswith(JSON_SCHEMA) else None
        format_ = f"{JSON_SCHEMA}/{declared.name}" if declared else format_
        key = schema.place, format_
        if key not in self.schemas:
            names = {item.id.casefold() for item in self.schemas.values() if item.group == group[0]}
            is_named = len(schema.pointer) > 1 and schema.pointer[-2] == "schemas"
            id_ = free_name(schema.name if is_named else name, _CaseFolded(names))
            document = schema.value
            if format_.startswith(JSON_SCHEMA):
                document = _Bundle(self.reader, _DEFINITIONS.get(format_, "definitions")).document(schema)
            self.schemas[key] = ImportedSchema(*group, id_, format_, document)
        return self.schemas[key]

    def _unwrapped(self, node: Node, media_type: str) -> tuple[str, Node]:
        """Return the media type and schema of AsyncAPI 3's Multi Format Schema Object."""
        if isinstance(node.value, Mapping) and "schemaFormat" in node.value and "schema" in node.value:
            inner = self.reader.resolve(node.child("schema"))
            # A named wrapper's schema keeps that name.
            named = Node(inner.value, inner.file, node.pointer) if not node.child("schema").reference else inner
            return str(node.value["schemaFormat"]), named
        return media_type, node


class _CaseFolded:
    """Names of which none may be given again, whatever its case."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def __contains__(self, name: object) -> bool:
        return str(name).casefold() in self.names


def format_of(media_type: str) -> str:
    """Return our name of a schema language, given AsyncAPI's media type of it; an unknown one is its own name."""
    essence, _, parameters = media_type.lower().replace(" ", "").partition(";")
    essence = essence.replace("+yaml", "+json")
    if not essence or essence.startswith(_ASYNCAPI):
        return _DEFAULT
    version = parameters.removeprefix("version=")
    for name, language in _languages().items():
        if language["mediatype"].lower().partition(";")[0].removesuffix("+json") != essence.removesuffix("+json"):
            continue
        versions = language.get("versions", {})
        ours = next(
            (ours for ours, theirs in versions.items() if theirs == version and ours not in ("", "draft-06")), ""
        )
        fixed = language["mediatype"].partition("version=")[2]
        return f"{name}/{ours or version or next(iter(versions.values()), fixed)}"
    return essence.partition("/")[2].removeprefix("vnd.") + (f"/{version}" if version else "")


@cache
def _languages() -> Mapping[str, Mapping[str, Any]]:
    languages: Mapping[str, Mapping[str, Any]] = tables()["formats"]
    return languages


class _Bundle:
    """One JSON Schema with everything that it refers to, as far as that is in files."""

    def __init__(self, reader: Reader, definitions: str) -> None:
        self.reader = reader
        self.definitions = definitions
        self.root: Place | None = None
        self.names: dict[Place, str] = {}
        self.values: dict[str, Any] = {}
        self.count = 0

    def document(self, node: Node) -> Any:
        """Return the schema, with the parts that it refers to among its own definitions."""
        self.root = node.place
        value = self._copy(node)
        if not self.values or not isinstance(value, dict):
            return value
        own = value.get(self.definitions)
        return {**value, self.definitions: {**(own if isinstance(own, dict) else {}), **self.values}}

    def _copy(self, node: Node) -> Any:
        self.count += 1
        if self.count > _MAX_VALUES:
            return {}
        if node.reference and not node.is_elsewhere:
            return {"$ref": self._reference(node), **self._beside(node)}
        if isinstance(node.value, Mapping):
            return {key: self._copy(node.child(key)) for key in node.value}
        if isinstance(node.value, list):
            return [self._copy(item) for item in node.members()]
        return node.value

    def _beside(self, node: Node) -> dict[str, Any]:
        return {key: self._copy(node.child(key)) for key in node.value if key != REF}

    def _reference(self, node: Node) -> str:
        target = self.reader.resolve(node)
        if target.place == self.root:
            return "#"
        if target.place not in self.names:
            name = free_name(target.name or target.file.path.stem, self.values)
            self.names[target.place] = name
            self.values[name] = True
            self.values[name] = self._copy(target)
        return f"#/{self.definitions}/{escape(self.names[target.place])}"
