"""Documents of other kinds, AsyncAPI's, folders of schemas and schema registries, as values of xRegistry documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from xregit.catalog.layout import REGISTRY_FILE
from xregit.diagnostics import Severity
from xregit.document.asyncapi.importer import AsyncapiImporter, is_asyncapi
from xregit.document.eventcatalog import CONFIG, EventCatalog
from xregit.document.loader import LoadedDocument, load_converted
from xregit.document.schema_files import ENDINGS, SchemaFolder
from xregit.document.schema_registry import SchemaRegistry, ask_registry, read_dump
from xregit.errors import XregitError
from xregit.messages.encoder import MessageError, new
from xregit.messages.matcher import Matcher

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

_KIND = "AsyncAPI"
# The endings of schemas that can be nothing else.
_SCHEMAS = (".avsc", ".proto", ".xsd")
_ADVICE = "Correct the example, or the definition."
_ASYNCAPI = re.compile(rb"""(?m)^[ \t{,]{0,99}["']?asyncapi["']?\s*:""")


@dataclass(frozen=True, slots=True)
class ForeignDocument:
    """A document of another kind: what it became, and the name under which the registry remembers that."""

    loaded: LoadedDocument
    name: str
    value: dict[str, Any]


def load_foreign(source: Path | str) -> ForeignDocument | None:
    """Return what a source of another kind becomes, or None for a file that may be an xRegistry document.

    A text is the address of a schema registry, which is asked.

    Raises:
        XregitError: it can't be read.
    """
    if isinstance(source, str):
        return _registry(Path(urlsplit(source).hostname or "registry"), ask_registry(source))
    if (source / CONFIG).is_file():
        catalog = EventCatalog(source).read()
        value = catalog.document()
        return ForeignDocument(load_converted(source, value, "EventCatalog", catalog.diagnostics), catalog.name, value)
    if source.is_dir() or source.suffix in _SCHEMAS:
        return _load_schemas(source)
    if not source.is_file():
        return None
    data = source.read_bytes()
    if _ASYNCAPI.search(data):
        return _load_asyncapi(source, data)
    dump = read_dump(data, source.stem)
    return _registry(source, dump) if dump else None


def _registry(path: Path, registry: SchemaRegistry) -> ForeignDocument:
    value = registry.document()
    return ForeignDocument(load_converted(path, value, "schema registry", ()), registry.name, value)


def _load_schemas(path: Path) -> ForeignDocument | None:
    """Return what a folder of schemas becomes, or a file that can be nothing else."""
    if (path / REGISTRY_FILE).exists():
        return None
    folder = SchemaFolder(path).read()
    if not folder.files:
        message = f'there is no schema in "{path}"; name a folder with files that end in {", ".join(ENDINGS)}'
        raise XregitError(message)
    value = folder.document()
    loaded = load_converted(folder.files[0].place(path), value, "schema files", folder.diagnostics)
    return ForeignDocument(loaded, folder.group, value)


def _load_asyncapi(path: Path, data: bytes) -> ForeignDocument | None:
    importer = AsyncapiImporter()
    root = importer.reader.document(path, data)
    if root is not None and not is_asyncapi(root.value):
        return None
    name = importer.add(root) if root is not None else path.stem
    registry = load_converted(path, importer.document(), _KIND, ()).registry
    _check_examples(registry, importer)
    value = importer.document()
    return ForeignDocument(load_converted(path, value, _KIND, importer.notes.all()), name, value)


def _check_examples(registry: Registry, importer: AsyncapiImporter) -> None:
    """Add each example of the source to its schema, or note that the schema refuses it, or that it isn't recognised."""
    matcher = Matcher(registry) if importer.examples else None
    for example in importer.examples:
        problem = ""
        try:
            wire = new(registry[example.xid], data=example.node.value, example=True)
        except MessageError as error:
            problem = f"This example does not fit what the document says: {'; '.join(error.problems)}."
        else:
            if matcher is not None and example.xid not in {match.xid for match in matcher.match(wire).matches}:
                problem = f'This example is not recognised as "{example.xid}".'
        if problem:
            importer.notes.add("example-unfit", Severity.WARNING, example.node, problem, _ADVICE)
        elif example.schema is not None and example.node.value not in example.schema.examples:
            example.schema.examples.append(example.node.value)
