"""Documents of other kinds, AsyncAPI's, folders of schemas and schema registries, as values of xRegistry documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from xregit.arguments import without_credentials
from xregit.catalog.layout import REGISTRY_FILE
from xregit.catalog.registry import Registry
from xregit.diagnostics import Severity
from xregit.document.asyncapi.importer import AsyncapiImporter, is_asyncapi
from xregit.document.asyncapi.reader import Place, read_bytes
from xregit.document.eventcatalog import EventCatalog, is_event_catalog
from xregit.document.loader import LoadedDocument, load_converted
from xregit.document.schema_files import ENDINGS, SchemaFolder
from xregit.document.schema_registry import ask_registry, read_dump
from xregit.errors import XregitError
from xregit.messages.encoder import MessageError, new
from xregit.messages.matcher import Matcher
from xregit.model.aliases import canonical, closest_name
from xregit.protocols.json import json_value
from xregit.xid import is_id

XREGISTRY = "xregistry"
_ASKED_KIND = "schema-registry"  # the only one that is read by its address
_KIND = "AsyncAPI"
# The endings of schemas that can be nothing else.
_SCHEMAS = (".avsc", ".proto", ".xsd")
# By which the payloads of messages without a protocol are tried.
_ANY_PROTOCOL = "HTTP"
# The endings of files of lines, each of which is JSON, and how much tells them by their content.
_LINES, _FIRST_LINES = (".jsonl", ".ndjson"), 1024 * 1024
_ADVICE = "Correct the example, or the definition."
_ASYNCAPI = re.compile(rb"""(?m)^(?:\xef\xbb\xbf)?[ \t{,]{0,99}["']?asyncapi["']?\s*:""")


@dataclass(frozen=True, slots=True)
class ForeignDocument:
    """A document of another kind: what it became, and the name under which the registry remembers that.

    ``origin`` is its absolute path, or the host of a schema registry; empty for what was learnt. ``used`` are places in
    other files to which an AsyncAPI document refers.
    """

    loaded: LoadedDocument
    name: str
    value: dict[str, Any]
    origin: Path | str = ""
    used: frozenset[Place] = frozenset()


def load_foreign(  # noqa: PLR0913 - by name
    source: Path | str,
    kind: str = "",
    group: str = "",
    protocol: str = "",
    *,
    elsewhere: Collection[Place] = (),
    known: Collection[str] = (),
) -> ForeignDocument | None:
    """Return what a source of another kind becomes, or None for a file that may be an xRegistry document.

    A text is the address of a schema registry, which is asked. The kind, one of ``KINDS``, is told by the content
    unless it is named. ``group`` is the id of its groups, ``protocol`` that of messages for which it names none,
    ``elsewhere`` are the places of AsyncAPI documents to which other sources of the same import refer, ``known`` the
    ids of earlier imports without their case.

    Raises:
        XregitError: it can't be read, is not of the kind that was named, or has its own groups or protocols.
    """
    own = kind or _kind_of(source)
    shown = without_credentials(source)
    for option, value in (("group", group), ("protocol", protocol)):
        if value and own not in _TAKING[option]:
            message = f'"--{option}" does not apply to "{shown}", which is of the kind {own}; leave it out'
            raise XregitError(message)
    if group and not is_id(group):
        message = f'"{group}" is not a valid group id; use letters, digits, "-", ".", "_" and "~"'
        raise XregitError(message)
    if meant := closest_name("protocol", protocol):
        message = f'"{protocol}" is not a protocol; did you mean "{meant}"?'
        raise XregitError(message)
    if isinstance(source, str) and own != _ASKED_KIND:
        message = (
            f'"{shown}" is an address, which only a schema registry may be; leave out "--from {kind}", or name a file'
        )
        raise XregitError(message)
    loader = partial(_load_asyncapi, elsewhere=elsewhere) if own == "asyncapi" else _LOADERS[own]
    foreign = loader(source, group, canonical("protocol", protocol), known) if loader is not None else None
    if foreign is None and kind in _LOADERS and kind != XREGISTRY:
        message = f'"{shown}" is not of the kind "{kind}"; leave out "--from", or name another source'
        raise XregitError(message)
    return foreign


def _kind_of(source: Path | str) -> str:
    """Return the kind of a source, by its content."""
    if isinstance(source, str):
        return _ASKED_KIND
    if is_event_catalog(source):
        return "eventcatalog"
    if source.is_dir():
        return XREGISTRY if (source / REGISTRY_FILE).exists() else "schemas"
    if source.suffix in _SCHEMAS:
        return "schemas"
    data = read_bytes(source) if source.is_file() else b""
    if _ASYNCAPI.search(data):
        return "asyncapi"
    is_dump = read_dump(data, source.stem) is not None
    if not is_dump and (source.suffix in _LINES or _is_json_lines(data)):
        message = (
            f'"{source}" is read as lines of JSON, but holds neither records of a schema registry nor messages; '
            'these are CloudEvents, what "xregit new" prints, or what "kcat -J" or "mosquitto_sub -F %J" print, and '
            'are for "xregit learn"'
        )
        raise XregitError(message)
    return _ASKED_KIND if is_dump else XREGISTRY


def _is_json_lines(data: bytes) -> bool:
    """Return whether a text is several lines, of which the first two are JSON objects."""
    lines = [line for line in data[:_FIRST_LINES].splitlines() if line.strip()][:2]
    try:
        return len(lines) > 1 and all(isinstance(json_value(line), dict) for line in lines)
    except ValueError:
        return False


def _load_registry(source: Path | str, group: str, _protocol: str, _known: Collection[str]) -> ForeignDocument | None:
    if isinstance(source, str):
        registry = ask_registry(source, group)
        path = Path(urlsplit(source).hostname or registry.name)
        origin: Path | str = urlsplit(without_credentials(source)).netloc
    else:
        dump = read_dump(read_bytes(source), group or source.stem)
        if dump is None:
            return None
        path, registry, origin = source, dump, source.resolve()
    value = registry.document()
    return ForeignDocument(
        load_converted(path, value, "schema registry", registry.diagnostics(path.name)), registry.name, value, origin
    )


def _load_eventcatalog(
    source: Path | str, group: str, protocol: str, _known: Collection[str]
) -> ForeignDocument | None:
    folder = Path(source)
    if not folder.is_dir():
        return None
    catalog = EventCatalog(folder, protocol, group).read()
    value = catalog.document()
    loaded = load_converted(folder, value, "EventCatalog", catalog.diagnostics)
    return ForeignDocument(loaded, catalog.name, value, folder.resolve())


def _load_schemas(source: Path | str, group: str, _protocol: str, known: Collection[str]) -> ForeignDocument | None:
    """Return what a folder of schemas becomes, or one file."""
    path = Path(source)
    folder = SchemaFolder(path, group, known).read()
    if not folder.files:
        message = f'there is no schema in "{path}"; name a folder with files that end in {", ".join(ENDINGS)}'
        raise XregitError(message)
    value = folder.document()
    loaded = load_converted(path, value, "schema files", folder.diagnostics)
    return ForeignDocument(loaded, folder.group, value, path.resolve())


def _load_asyncapi(
    source: Path | str, group: str, protocol: str, known: Collection[str], elsewhere: Collection[Place] = ()
) -> ForeignDocument | None:
    path = Path(source)
    importer = AsyncapiImporter(group, protocol, elsewhere, known)
    root = importer.reader.document(path, read_bytes(path))
    if root is not None and not is_asyncapi(root.raw):
        return None
    name = importer.add(root) if root is not None else path.stem
    if importer.examples:
        _check_examples(load_converted(path, importer.document(), _KIND, ()).registry, importer)
    if root is not None:
        importer.reader.leave_out_rest(root)
    value = importer.document()
    loaded = load_converted(path, value, _KIND, importer.notes.all())
    used = frozenset(place for place in importer.reader.used if place[0] != path.resolve())
    return ForeignDocument(loaded, name, value, path.resolve(), used)


def _check_examples(registry: Registry, importer: AsyncapiImporter) -> None:
    """Add each example of the source to its schema, or note that the schema refuses it, or that it isn't recognised."""
    matcher = Matcher(registry)
    for example in importer.examples:
        problem = ""
        message = registry[example.xid]
        known = message.protocol or message.envelope
        try:
            wire = new(message, data=example.node.raw, example=True, protocol="" if known else _ANY_PROTOCOL)
        except MessageError as error:
            problem = f"This example does not fit what the document says: {'; '.join(error.problems)}."
        else:
            if known and example.xid not in {match.xid for match in matcher.match(wire).matches}:
                problem = f'This example is not recognised as "{example.xid}".'
        if problem:
            importer.notes.add("example-unfit", Severity.WARNING, example.node, problem, _ADVICE)
            example.node.take()
        elif example.schema is not None:
            example.schema.add_example(example.node)


_LOADERS: Mapping[str, Callable[[Path | str, str, str, Collection[str]], ForeignDocument | None] | None] = {
    "asyncapi": _load_asyncapi,
    "eventcatalog": _load_eventcatalog,
    _ASKED_KIND: _load_registry,
    "schemas": _load_schemas,
    XREGISTRY: None,
}
# The kinds of sources of which an option says something.
_TAKING = {"group": tuple(name for name in _LOADERS if name != XREGISTRY), "protocol": ("asyncapi", "eventcatalog")}
#: What a source may be.
KINDS = tuple(_LOADERS)
