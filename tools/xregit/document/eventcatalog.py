"""EventCatalog folders as values of xRegistry documents.

A domain becomes a message group, else the service that has the message; events, commands and queries become its
messages, with the versions of their schemas. Channels become protocol options. There are no endpoints, as EventCatalog
knows of no addresses of brokers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xregit.catalog.origin import repository_of
from xregit.diagnostics import Diagnostic, Severity, sentence
from xregit.document.asyncapi.message_importer import address_option
from xregit.document.schema_files import SchemaFile, SchemaSet, schema_format, schema_id
from xregit.source.file_tree import FileError, read
from xregit.source.yaml_anchors import expand_anchors

CONFIG = "eventcatalog.config.js"
_PAGES = ("index.mdx", "index.md")
_MESSAGES = {"events": "event", "commands": "command", "queries": "query"}
_GROUPS = ("domains", "subdomains", "services", "channels")
_VERSIONED = "versioned"
_DIRECTIONS = ("sends", "receives")
_FRONT = re.compile(r"\A---\r?\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
# What is said elsewhere in a catalog, or follows from the rest.
_PLACED = frozenset({"id", "name", "version", "summary", "owners", "schemaPath", "channels", "deprecated", "draft"})


@dataclass(frozen=True)
class _Page:
    """A page of the catalog: its folder, the kind of thing that it is about, and what it says of it."""

    folder: Path
    kind: str
    value: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The id of what it is about."""
        return schema_id(str(self.value.get("id") or self.folder.name))

    @property
    def version(self) -> str:
        """The version that it describes."""
        return schema_id(str(self.value.get("version") or "1"))

    @property
    def is_current(self) -> bool:
        """Whether it is about the newest version."""
        return self.folder.parent.name != _VERSIONED

    def text(self, name: str) -> str:
        """Return a text that it states, or nothing."""
        value = self.value.get(name)
        return value.strip() if isinstance(value, str) else ""

    def ids(self, name: str) -> list[str]:
        """Return the ids of what it refers to."""
        items = self.value.get(name)
        listed = items if isinstance(items, list) else ()
        names = (item.get("id") if isinstance(item, Mapping) else item for item in listed)
        return [schema_id(str(name)) for name in names if name]


@dataclass
class EventCatalog:
    """A folder of EventCatalog, read; ``diagnostics`` say what of it was passed over."""

    folder: Path
    pages: list[_Page] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return schema_id(self.folder.resolve().name).lower()

    def read(self) -> EventCatalog:
        """Read all pages."""
        others: Counter[str] = Counter()
        for path in sorted(path for name in _PAGES for path in self.folder.rglob(name)):
            if "node_modules" in path.parts:
                continue
            try:
                text = read(self.folder, path.relative_to(self.folder).as_posix()).decode(errors="replace")
            except FileError as error:
                self._note(path, Severity.WARNING, sentence(f"{error.problem.message}, and the page is left out"))
                continue
            match = _FRONT.match(text)
            parsed = expand_anchors(match[1].encode()) if match else None
            folder = path.parent.parent.parent if path.parent.parent.name == _VERSIONED else path.parent
            kind = folder.parent.name
            if parsed is None or not isinstance(parsed.value, Mapping) or parsed.problems:
                self._note(path, Severity.WARNING, "The page has no front matter that can be read, and is left out.")
            elif kind in _MESSAGES or kind in _GROUPS:
                self.pages.append(_Page(path.parent, kind, parsed.value))
            else:
                others[kind] += 1
        for kind, count in others.items():
            self._note(
                self.folder, Severity.INFO, f"{kind.capitalize()} have no place in a catalog and are left out: {count}."
            )
        return self

    def _of_kind(self, *kinds: str) -> list[_Page]:
        return [page for page in self.pages if page.kind in kinds and page.is_current]

    @cached_property
    def _folders(self) -> dict[Path, _Page]:
        return {page.folder: page for page in self.pages}

    @cached_property
    def _versions(self) -> dict[tuple[str, str], list[_Page]]:
        """The pages of all versions by kind and id."""
        return _grouped(((page.kind, page.id), page) for page in self.pages)

    @cached_property
    def _channels(self) -> dict[str, _Page]:
        return {page.id: page for page in self._of_kind("channels")}

    @cached_property
    def _services(self) -> dict[tuple[str, str], list[_Page]]:
        """The services by ``sends`` or ``receives`` and the id of a message."""
        pages = self._of_kind("services")
        return _grouped(((name, id_), page) for page in pages for name in _DIRECTIONS for id_ in page.ids(name))

    @cached_property
    def _domains(self) -> dict[str, _Page]:
        """The domain of each service that one lists."""
        pages = reversed(self._of_kind("domains", "subdomains"))
        return {id_: page for page in pages for id_ in page.ids("services")}

    def document(self) -> dict[str, Any]:
        """Return the xRegistry document of the catalog."""
        groups: dict[str, Any] = {}
        files: dict[str, list[SchemaFile]] = {}
        left: Counter[str] = Counter()
        for page in self._of_kind(*_MESSAGES):
            owner = self._owner(page)
            gid = owner.id if owner else self.name
            group = groups.setdefault(gid, {**_described(owner), "messages": {}})
            group["messages"][page.id] = self._message(page, gid, files.setdefault(gid, []))
            left.update(str(name) for name in page.value if name not in _PLACED)
        for name, count in sorted(left.items()):
            self._note(
                self.folder,
                Severity.INFO,
                f'"{name}" of {count} message{"s" if count > 1 else ""} has no place here and is left out.',
            )
        schemagroups = {
            gid: {**_described(None), "name": gid, "schemas": SchemaSet(items).schemas()}
            for gid, items in files.items()
            if items
        }
        return {"messagegroups": groups, **({"schemagroups": schemagroups} if schemagroups else {})}

    def _message(self, page: _Page, gid: str, files: list[SchemaFile]) -> dict[str, Any]:
        """Return a message; its schemas, of all versions, are added to the files."""
        senders, receivers = (self._services.get((name, page.id), []) for name in _DIRECTIONS)
        labels = {
            "kind": _MESSAGES[page.kind],
            "version": page.version,
            "owners": ", ".join(page.ids("owners")),
            "senders": ", ".join(item.id for item in senders),
            "receivers": ", ".join(item.id for item in receivers),
        }
        schemas = [schema for item in self._versions[page.kind, page.id] for schema in _schema(item)]
        files += schemas
        own = next((schema for schema in schemas if schema.version == page.version), None)
        uri = f"/schemagroups/{gid}/schemas/{own.id}" if own else ""
        return {
            **_described(page),
            "labels": {name: value for name, value in labels.items() if value},
            **({"meta": {"deprecated": {}}} if page.value.get("deprecated") else {}),
            **self._transport(page, [*senders, *receivers]),
            **({"dataschemaformat": own.format, "dataschemauri": uri} if own else {}),
        }

    def _transport(self, page: _Page, services: list[_Page]) -> dict[str, Any]:
        """Return protocol and options by the message's first channel: its own, or that of a service that sends it."""
        for name in (*page.ids("channels"), *(each for item in services for each in _routes(item, page.id))):
            channel = self._channels.get(name)
            names = channel.value.get("protocols") if channel else None
            if channel and isinstance(names, list) and names:
                return address_option(str(names[0]), channel.text("address") or channel.id)
        return {}

    def _owner(self, page: _Page) -> _Page | None:
        """Return the domain of a message, by its folder or by the service that has it, else that service."""
        above = [self._folders[folder] for folder in page.folder.parents if folder in self._folders]
        for kind in ("subdomains", "domains"):
            item = next((item for item in above if item.kind == kind), None)
            if item is not None:
                return item
        services = (item for name in _DIRECTIONS for item in self._services.get((name, page.id), ()))
        service = next(services, None)
        return self._domains.get(service.id, service) if service else None

    def _note(self, path: Path, severity: Severity, message: str) -> None:
        place = path.parent.resolve() / path.name
        name = place.relative_to(repository_of(place)).as_posix()
        advice = "Nothing needs to be done, unless it says something that readers need: then add it to a description."
        self.diagnostics.append(Diagnostic("left-out", severity, name, message, help=advice))


def _grouped(pairs: Iterable[tuple[tuple[str, str], _Page]]) -> dict[tuple[str, str], list[_Page]]:
    groups: dict[tuple[str, str], list[_Page]] = {}
    for key, page in pairs:
        groups.setdefault(key, []).append(page)
    return groups


def _routes(service: _Page, message: str) -> Iterator[str]:
    """Yield the channels by which a service sends or receives a message."""
    for name, place in (("sends", "to"), ("receives", "from")):
        items = service.value.get(name)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping) and schema_id(str(item.get("id"))) == message:
                channels = item.get(place)
                yield from (
                    schema_id(str(each["id"]))
                    for each in (channels if isinstance(channels, list) else ())
                    if isinstance(each, Mapping) and each.get("id")
                )


def _described(page: _Page | None) -> dict[str, str]:
    texts = {"name": page.text("name"), "description": page.text("summary")} if page else {}
    return {name: text for name, text in texts.items() if text}


def _schema(page: _Page) -> Iterator[SchemaFile]:
    """Yield the schema of one version of a message, if it has one that is understood."""
    path = page.folder / page.text("schemaPath")
    if page.text("schemaPath") and path.is_file() and path.resolve().is_relative_to(page.folder.resolve()):
        text = path.read_bytes().decode(errors="replace")
        format_ = schema_format(path.name, text)
        if format_:
            yield SchemaFile(f"{page.id}/{page.version}/{path.name}", page.id, page.version, format_, text)
