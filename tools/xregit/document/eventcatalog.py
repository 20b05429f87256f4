"""EventCatalog folders as values of xRegistry documents.

A domain becomes a message group, else the service that has the message; events, commands and queries become its
messages, with the versions of their schemas. Channels become protocol options. There are no endpoints, as EventCatalog
knows of no addresses of brokers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from posixpath import normpath
from typing import Any

from xregit.catalog.origin import repository_of
from xregit.diagnostics import Diagnostic, Severity, sentence
from xregit.document.asyncapi.facts import is_uri
from xregit.document.asyncapi.message_importer import transport
from xregit.document.asyncapi.reader import ADVICE, label, placeholder_names, scalar
from xregit.document.schema_files import DistinctIds, SchemaFile, SchemaSet, only_type, schema_format, schema_id
from xregit.source import json_loader
from xregit.source.file_tree import FileError, read
from xregit.source.yaml_loader import expand_anchors

CONFIGS = ("eventcatalog.config.js", "eventcatalog.config.mjs", "eventcatalog.config.ts")
_PAGES = ("index.mdx", "index.md")
_MESSAGES = {"events": "event", "commands": "command", "queries": "query"}
_GROUPS = ("domains", "subdomains", "services", "channels")
_VERSIONED = "versioned"
_DIRECTIONS = ("sends", "receives")
_OTHERS = ("flows", "entities", "systems", "containers", "adrs", "diagrams", "data-products", "ubiquitous-languages")
# Schemas that a page has without naming them, as in the first version of EventCatalog.
_SCHEMAS = ("schema.json", "schema.avsc", "schema.proto", "schema.xsd")
_FRONT = re.compile(r"\A---\r?\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
# Components and headings, which say nothing by themselves.
_TAGS = re.compile(r"<[^<>]*>|^(?:import .*|#+ .*)$", re.MULTILINE)
# Folders with copies of the pages, or with those of others.
_BUILT = frozenset({"node_modules", "dist", "build", "out"})
_PEOPLE = ("users", "teams")


@dataclass(frozen=True)
class _Page:
    """A page of the catalog: its folder, the kind of thing that it is about, and what it says of it.

    What was asked of it is ``seen``; the rest is left out, and told.
    """

    folder: Path
    kind: str
    value: Mapping[str, Any]
    has_text: bool
    seen: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        """The id of what it is about."""
        folder = self.folder if self.is_current else self.folder.parent.parent
        return schema_id(str(self.get("id") or folder.name))

    @property
    def version(self) -> str:
        """The version that it describes."""
        return schema_id(str(self.get("version") or "1"))

    @property
    def is_current(self) -> bool:
        """Whether it is about the newest version."""
        return self.folder.parent.name != _VERSIONED

    def get(self, name: str) -> Any:
        """Return what it states of a name."""
        self.seen.add(name)
        return self.value.get(name)

    def text(self, name: str) -> str:
        """Return a text that it states, or nothing."""
        value = self.get(name)
        return value.strip() if isinstance(value, str) else ""

    def items(self, name: str) -> list[Any]:
        """Return the items of a list, or none."""
        items = self.get(name)
        return items if isinstance(items, list) else []

    def ids(self, name: str) -> list[str]:
        """Return the ids of what it refers to."""
        names = (item.get("id") if isinstance(item, Mapping) else item for item in self.items(name))
        return [schema_id(str(name)) for name in names if name]

    @property
    def tags(self) -> dict[str, str]:
        """Its tags, badges and extensions that are a value, as labels."""
        badges = (item.get("content") for item in self.items("badges") if isinstance(item, Mapping))
        result: dict[str, str] = {}
        for text in (*self.items("tags"), *badges):
            name, _, value = scalar(text).partition(":")
            result |= label(name, value.strip())
        for name, value in self.value.items():
            if name.startswith("x-") and scalar(value):
                result |= label(name, scalar(self.get(name)))
        return result


@dataclass
class EventCatalog:
    """A folder of EventCatalog, read; ``diagnostics`` say what of it was passed over.

    ``protocol`` is that of messages for which no channel names one, ``group`` what the ids of all groups begin with.
    """

    folder: Path
    protocol: str = ""
    group: str = ""
    pages: list[_Page] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    more: set[tuple[Path, str, str]] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The id that was chosen, or else the name of the folder."""
        return self.group or schema_id(self.folder.resolve().name).lower()

    def read(self) -> EventCatalog:
        """Read all pages."""
        others: Counter[str] = Counter()
        for path in sorted(path for name in _PAGES for path in self.folder.rglob(name)):
            folders = path.relative_to(self.folder).parts[:-1]
            if any(name in _BUILT or name.startswith(".") for name in folders):
                continue
            try:
                text = read(self.folder, path.relative_to(self.folder).as_posix()).decode(errors="replace")
            except FileError as error:
                self._note(path, Severity.WARNING, sentence(f"{error.problem.message}, and the page is left out"))
                continue
            match = _FRONT.match(text)
            parsed = expand_anchors(match[1].encode()) if match else None
            folder = path.parent.parent.parent if path.parent.parent.name == _VERSIONED else path.parent
            kind = _kind(self.folder, folder)
            if parsed is None or not isinstance(parsed.value, Mapping) or parsed.problems:
                self._note(path, Severity.WARNING, "The page has no front matter that can be read, and is left out.")
            elif kind in _MESSAGES or kind in _GROUPS:
                has_text = match is not None and bool(_TAGS.sub("", text[match.end() :]).strip())
                self.pages.append(_Page(path.parent, kind, parsed.value, has_text))
            else:
                others[kind if kind in _OTHERS else "other pages"] += 1
        for name in _PEOPLE:
            others[name] += len([*self.folder.glob(f"{name}/*.md"), *self.folder.glob(f"{name}/*.mdx")])
        for kind, count in sorted(others.items()):
            if count:
                self._leave_out(f"{kind.capitalize()} have no place in a catalog and are left out: {count}.")
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
        used: set[Path] = {channel.folder for page in self._of_kind(*_MESSAGES) for channel in self._route(page)[:1]}
        gids, mids = DistinctIds(), defaultdict[str, DistinctIds](DistinctIds)
        for page in self._of_kind(*_MESSAGES):
            owner = self._owner(page)
            note = partial(self._note_case, page.folder)
            gid = ".".join(filter(None, (self.group, owner.id))) if owner else self.name
            gid = gids.distinct(gid, note)
            used |= {owner.folder} if owner else set()
            group = groups.setdefault(gid, {**_described(owner), "messages": {}})
            mid = mids[gid].distinct(page.id, note)
            if mid in group["messages"]:
                self._note_duplicate(page)
                continue
            group["messages"][mid] = self._message(page, gid, mid, files.setdefault(gid, []))
        if not groups:
            self._note(self.folder, Severity.WARNING, "There is no event, command or query in this folder.")
        self._note_rest(used)
        schemagroups = {
            gid: {"name": groups[gid].get("name", gid), "schemas": SchemaSet(items).schemas()}
            for gid, items in files.items()
            if items
        }
        for gid, group in schemagroups.items():
            for id_ in group["schemas"]:
                if "dataschemauri" not in groups[gid]["messages"][id_]:  # earlier versions of the message had it
                    group["schemas"][id_]["meta"] = {"deprecated": {}}
        return {"messagegroups": groups, **({"schemagroups": schemagroups} if schemagroups else {})}

    def _note_rest(self, used: set[Path]) -> None:
        """Note the attributes that have no place, the pages that gave no more than an id, and the texts of pages."""
        pages = [page for page in self.pages if page.is_current and (page.kind in _MESSAGES or page.folder in used)]
        left = Counter((page.kind, name) for page in pages for name in page.value if name not in page.seen)
        for (kind, name), count in sorted(left.items()):
            self._leave_out(f'"{name}" of {_counted(kind, count)} has no place here and is left out.')
        for (kind, name), count in sorted(Counter((kind, name) for _, kind, name in self.more).items()):
            self._leave_out(f'Of "{name}" of {_counted(kind, count)}, all but the first are left out.')
        for kind in _GROUPS:
            count = sum(page.folder not in used for page in self._of_kind(kind))
            if count:
                self._leave_out(f"Of {kind} only the ids are kept, where messages name them: {count}.")
        count = sum(not page.is_current for page in self.pages)
        if count:
            self._leave_out(f"Of earlier versions only the schemas are kept: {count}.")
        count = sum(page.has_text for page in self.pages)
        if count:
            self._leave_out(f"What pages say below their attributes is left out: {count}.")

    def _note_duplicate(self, page: _Page) -> None:
        message = f'Another page describes version {page.version} of "{page.id}" otherwise; this one is left out.'
        self._note(page.folder, Severity.WARNING, message)
        page.seen.update(page.value)

    def _first(self, page: _Page, name: str, items: list[Any]) -> Any:
        """Return the first of several things that a page states, of which the others have no place; None of none."""
        if len(items) > 1:
            self.more.add((page.folder, page.kind, name))
        return items[0] if items else None

    def _leave_out(self, message: str) -> None:
        self._note(self.folder, Severity.INFO, message)

    def _message(self, page: _Page, gid: str, mid: str, files: list[SchemaFile]) -> dict[str, Any]:
        """Return the message of an id; its schemas, of all versions, are added to the files."""
        senders, receivers = (self._services.get((name, page.id), []) for name in _DIRECTIONS)
        labels = {
            "kind": _MESSAGES[page.kind],
            "version": page.version,
            "owners": ", ".join(page.ids("owners")),
            "senders": ", ".join([*(item.id for item in senders), *page.ids("producers")]),
            "receivers": ", ".join([*(item.id for item in receivers), *page.ids("consumers")]),
        }
        links = [item.get("url") for item in page.items("externalLinks") if isinstance(item, Mapping)]
        link = self._first(page, "externalLinks", links)
        schemas: dict[str, SchemaFile] = {}
        for item in (page, *(item for item in self._versions[page.kind, page.id] if not item.is_current)):
            schema = self._schema(item, mid)
            if schema is not None and schemas.setdefault(item.version, schema).text != schema.text:
                self._note_duplicate(item)
        files += schemas.values()
        own = schemas.get(page.version)
        uri = f"/schemagroups/{gid}/schemas/{own.id}{only_type(own.format, own.text)}" if own else ""
        return {
            **_described(page),
            **({"documentation": link} if is_uri(link) else {}),
            "labels": {**page.tags, **{name: value for name, value in labels.items() if value}},
            **({"meta": {"deprecated": {}}} if page.get("deprecated") else {}),
            **self._transport(page, [*senders, *receivers]),
            **({"dataschemaformat": own.format, "dataschemauri": uri} if own else {}),
        }

    def _schema(self, page: _Page, mid: str) -> SchemaFile | None:
        """Return the schema of one version of a message of an id, if it has one that is understood."""
        name = page.text("schemaPath") or next((name for name in _SCHEMAS if (page.folder / name).is_file()), "")
        if not name:
            return None
        try:
            path = normpath(page.folder.relative_to(self.folder) / name)
            text = read(self.folder, path).decode(errors="replace")
        except FileError as error:
            reason = error.problem.message.removeprefix("this can't be read: ")
            self._note(page.folder, Severity.WARNING, f'The schema "{name}" can\'t be read: {reason}.')
            return None
        format_ = schema_format(name, text)
        if not format_ and name.endswith(".json") and isinstance(json_loader.parse(text.encode()).value, Mapping):
            format_ = schema_format(f"{name}.schema.json", text)  # the page says that it is a schema
        if not format_:
            self._note(
                page.folder, Severity.WARNING, f'The schema "{name}" is none that is understood, and is left out.'
            )
            return None
        return SchemaFile(f"{mid}/{page.version}/{name}", mid, page.version, format_, text)

    def _transport(self, page: _Page, services: list[_Page]) -> dict[str, Any]:
        """Return protocol and options by the message's first channel: its own, or that of a service that sends it."""
        channel = self._first(page, "channels", self._route(page, services))
        if channel is not None:
            protocol = self._first(channel, "protocols", channel.items("protocols"))
            return transport(str(protocol), channel.text("address") or channel.id)
        operation = page.get("operation")
        if isinstance(operation, Mapping) and operation.get("method") and operation.get("path"):
            options = {"method": str(operation["method"]).upper(), "path": placeholder_names(str(operation["path"]))}
            return {"protocol": "HTTP", "protocoloptions": options}
        return {"protocol": self.protocol} if self.protocol else {}

    def _route(self, page: _Page, services: Iterable[_Page] | None = None) -> list[_Page]:
        """Return the channels of a message that name a protocol: its own, then those of the services that have it."""
        if services is None:
            services = [item for name in _DIRECTIONS for item in self._services.get((name, page.id), ())]
        names = (*page.ids("channels"), *(each for item in services for each in _routes(item, page.id)))
        channels = (self._channels[name] for name in names if name in self._channels)
        return [channel for channel in channels if channel.items("protocols")]

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

    def _note_case(self, path: Path, message: str, advice: str) -> None:
        self._note(path, Severity.INFO, message, "ids-differ-only-in-case", advice)

    def _note(self, path: Path, severity: Severity, message: str, rule: str = "left-out", advice: str = ADVICE) -> None:
        place = path.parent.resolve() / path.name
        name = place.relative_to(repository_of(place)).as_posix()
        self.diagnostics.append(Diagnostic(rule, severity, name, message, help=advice))


def _kind(root: Path, folder: Path) -> str:
    """Return the name of the folder that says what a page is about; folders without a page may be between."""
    for parent in folder.relative_to(root).parents:
        if parent.name in (*_MESSAGES, *_GROUPS, *_OTHERS) or _has_page(root / parent):
            return parent.name
    return folder.parent.name


def _has_page(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _PAGES)


def is_event_catalog(folder: Path) -> bool:
    """Return whether a folder is one of EventCatalog: by its settings, or by a page of a message."""
    pages = (f"{kind}/*/{name}" for kind in _MESSAGES for name in _PAGES)
    return any((folder / name).is_file() for name in CONFIGS) or any(any(folder.glob(page)) for page in pages)


def _counted(kind: str, count: int) -> str:
    """Return how many pages of a kind there are."""
    return f"{count} {kind if count > 1 else _MESSAGES.get(kind, kind.removesuffix('s'))}"


def _grouped(pairs: Iterable[tuple[tuple[str, str], _Page]]) -> dict[tuple[str, str], list[_Page]]:
    groups: dict[tuple[str, str], list[_Page]] = {}
    for key, page in pairs:
        groups.setdefault(key, []).append(page)
    return groups


def _routes(service: _Page, message: str) -> Iterator[str]:
    """Yield the channels by which a service sends or receives a message."""
    for name, place in (("sends", "to"), ("receives", "from")):
        items = service.get(name)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping) and schema_id(str(item.get("id"))) == message:
                channels = item.get(place)
                yield from (
                    schema_id(str(each["id"]))
                    for each in (channels if isinstance(channels, list) else ())
                    if isinstance(each, Mapping) and each.get("id")
                )


def _described(page: _Page | None) -> dict[str, str]:
    texts = {"name": page.text("name"), "description": page.text("summary") or page.text("description")} if page else {}
    return {name: text for name, text in texts.items() if text}
