"""The command ``mcp``: the catalog as tools for agents, by the Model Context Protocol over standard streams."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, wraps
from importlib.metadata import version
from importlib.util import find_spec
from json import dumps
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import click

import xregit
from xregit.catalog import Group, Message, Registry, Resource, Schema, Version, read_commit
from xregit.catalog.registry import Entity
from xregit.catalog.views import view
from xregit.changes.commit_changes import history, recent_commits
from xregit.cli.diff import read_state, review_changes
from xregit.cli.messages import answers
from xregit.cli.parameters import unknown_name, with_registry
from xregit.cli.show import contract_json, entity_entry, registry_entry, resolved_entry
from xregit.document.loader import expect_readable
from xregit.errors import XregitError
from xregit.installed import install_command
from xregit.messages.matcher import Matcher
from xregit.protocols.json import json_bytes
from xregit.reports.changes import commits_json, history_json, review_json

INSTRUCTIONS = (
    "A catalog of messages: message definitions in groups, the endpoints that carry them, and the schemas of their "
    "payloads. Everything is named by its xid, such as /messagegroups/GROUP/messages/MESSAGE. Begin with search, then "
    "show one entity. Nothing here changes the catalog."
)
# The parameters of the tools, as agents read them in the tools' schemas.
PARAMETERS: Mapping[str, str] = {
    "query": "Words to find, as parts of words too; without any, entities are listed.",
    "kind": "Only entities of this type: message, messagegroup, endpoint, schema, schemagroup, or another one.",
    "below": "Only entities in this group, by its xid.",
    "limit": "How many entries to return: at most 100.",
    "offset": "Where to begin: `next_offset` of the previous answer.",
    "xid": "The entity's xid, such as /messagegroups/GROUP/messages/MESSAGE.",
    "resolved": "Whether a message comes with its base messages merged in, and with its endpoints.",
    "at": "The commit, branch or tag to read it from; without, the files as they are now.",
    "endpoint": "The endpoint's xid, such as /endpoints/NAME.",
    "group": "The xid of the message group whose messages count.",
    "message": (
        "A CloudEvent in JSON, a message on the wire as `make` gives it, a list of these, or a part of one as text: "
        "its type, topic, path, subject, key or payload."
    ),
    "explain": "Whether to list near misses too, with what fails.",
    "values": "A text for each placeholder and open property, by name.",
    "data": "The payload.",
    "mode": "binary or structured, where the definition leaves it open.",
    "protocol": "The protocol to use, such as KAFKA, where the definition leaves it open.",
    "example": "Whether examples fill in what values and data leave out.",
    "ref": "The commit, branch or tag to compare from.",
    "ref2": "The one to compare with; without, the files as they are now.",
}
# A page of a list has no more entries; a list or text within an entry is cut, and says so; no result is longer.
MAX_PAGE, MAX_LIST, MAX_SUMMARY, MAX_TEXT, MAX_RESULT = 100, 100, 200, 20_000, 100_000


@click.command()
@with_registry
def mcp(registry: Path) -> None:
    """Serve the catalog to agents over the Model Context Protocol.

    It speaks over standard input and output until its input ends, and changes nothing. The tools are search, show,
    contract, match, make, diff and changes. The registry is read again when its files change.
    """
    if find_spec("mcp") is None:
        raise XregitError(f"more packages are needed: {install_command('mcp')}")
    serve(registry)


def serve(registry: Path) -> None:
    """Serve a registry's tools until standard input ends."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent, ToolAnnotations
    from pydantic import Field

    tools, lock = CatalogTools(registry), Lock()
    tools.snapshot  # noqa: B018 - says in one line what is missing
    server = MCPServer("xregit", version=version("xregit"), instructions=INSTRUCTIONS, log_level="ERROR")

    def add(tool: Callable[..., dict[str, Any]]) -> None:
        @wraps(tool)
        def call(**arguments: Any) -> CallToolResult:
            with lock:  # the SDK has a thread for each call
                try:
                    value = tool(**arguments)
                    text = TextContent(text=bounded_json(value))
                    return CallToolResult(content=[text], structured_content=value)
                except XregitError as error:
                    raise ToolError(str(error)) from None
                except OSError as error:
                    message = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
                    raise ToolError(message) from None

        signature = inspect.signature(tool, eval_str=True)
        described = [
            each.replace(annotation=Annotated[each.annotation, Field(description=PARAMETERS[name])])
            for name, each in signature.parameters.items()
        ]
        call.__signature__ = signature.replace(parameters=described)  # type: ignore[attr-defined]
        server.add_tool(call, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))

    for tool in (tools.search, tools.show, tools.contract, tools.match, tools.make, tools.diff, tools.changes):
        add(tool)
    server.run("stdio")


class CatalogTools:
    """The tools of one registry; each answers with JSON, and raises `XregitError` where it can't.

    What is read is kept until a file changes: 10,000 messages take 2 s to read and 2 s to make a matcher of, and 0.1 s
    to look whether they have changed.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of a registry."""
        self._path = path
        self._files: object = None
        self._snapshot: Snapshot

    @property
    def snapshot(self) -> Snapshot:
        """The registry as its files are now."""
        files = file_states(self._path)
        if files != self._files:
            self._snapshot = Snapshot(xregit.read(self._path))
            self._files = files
        return self._snapshot

    def search(
        self, query: str = "", kind: str = "", below: str = "", limit: int = 20, offset: int = 0
    ) -> dict[str, Any]:
        """Find entities that hold all words of a query, the best first; without a query, list them.

        Words are looked for in ids, names, descriptions, labels, the values and placeholders of properties, addresses,
        and the text of schemas.
        """
        entries = self.snapshot.entries
        kinds = {entry["kind"] for entry, _, _ in entries}
        if kind and kind not in kinds:
            raise unknown_name(kind, sorted(kinds), what="kind", others=f"there are {', '.join(sorted(kinds))}")
        words = query.lower().split()
        prefix = f"{below.rstrip('/')}/"
        hits = [
            (_rank(query.strip().lower(), words, head), entry["xid"], entry)
            for entry, head, text in entries
            if kind in {"", entry["kind"]} and entry["xid"].startswith(prefix) and all(word in text for word in words)
        ]
        return page([hit[2] for hit in sorted(hits, key=itemgetter(0, 1))], "results", limit, offset)

    def show(self, xid: str = "/", resolved: bool = True, at: str = "") -> dict[str, Any]:  # noqa: FBT002 - an argument of a tool
        """Show one entity by its xid, or with / the registry and its groups.

        A message comes with its base messages merged in and the endpoints that carry it, unless `resolved` is false; a
        schema with its document and the messages that use it.
        """
        catalog = read_commit(self._path, at) if at else self.snapshot.registry
        entity = catalog.entity(xid)
        if xid == "/":
            entry = registry_entry(catalog)
        elif entity is None:
            raise unknown_name(xid, catalog, what="entity")
        else:
            entry = resolved_entry(catalog, entity) if resolved else entity_entry(entity)
            entry |= related(catalog, entity)
        return {name: shorten(value) for name, value in entry.items()}

    def contract(self, endpoint: str, limit: int = 100, offset: int = 0) -> dict[str, Any]:
        """List the messages that an endpoint carries, each with the group or endpoint that brings it."""
        endpoints = {item.xid: item for item in self.snapshot.registry.endpoints}
        if endpoint not in endpoints:
            raise unknown_name(endpoint, endpoints, what="endpoint")
        entry = contract_json(endpoints[endpoint])
        return {"endpoint": endpoint, **page(entry["messages"], "messages", limit, offset)}

    def match(self, message: Any, endpoint: str = "", group: str = "", explain: bool = False) -> dict[str, Any]:  # noqa: FBT002
        """Say which definitions a message fits, with the values of their placeholders, and what is wrong with it."""
        snapshot = self.snapshot
        matcher = snapshot.matcher(endpoint, group)
        text = message.encode("utf-8", "replace") if isinstance(message, str) else json_bytes(message)
        results = [
            {**item.as_json(), **({"problems": list(item.problems)} if item.problems else {})}
            for item in answers(matcher, text, explain=explain)
        ]
        return {"results": shorten(results)}

    def make(
        self,
        xid: str,
        values: dict[str, str] | None = None,
        data: Any = None,
        mode: str = "",
        protocol: str = "",
        example: bool = False,  # noqa: FBT002 - an argument of a tool
    ) -> dict[str, Any]:
        """Make a correct message from its definition; nothing is sent."""
        catalog = self.snapshot.usable
        messages = {item.xid: item for item in catalog.messages}
        if xid not in messages:
            raise unknown_name(xid, messages, what="message")
        payload = {} if data is None else {"data": data}
        wire = xregit.new(messages[xid], values or {}, **payload, example=example, mode=mode, protocol=protocol)
        return wire.as_json()

    def diff(self, ref: str, ref2: str = "", limit: int = 50, offset: int = 0) -> dict[str, Any]:
        """Say what changed since a commit, branch or tag, or between two, and whom each change breaks.

        Changes that break come first.
        """
        before = read_state(self._path, ref, paths=False)
        after = read_state(self._path, ref2, paths=False) if ref2 else self.snapshot.registry
        review = review_changes(before, after)
        report = review_json(review)
        head = {"failed": review.failed, "counts": report["counts"], "policy": shorten(report["policy"])}
        return {**head, **page(report["changes"], "changes", limit, offset)}

    def changes(self, xid: str = "", limit: int = 20, offset: int = 0) -> dict[str, Any]:
        """List the last commits that touched the catalog, or all that touched one entity, with what each changed.

        The newest is first. `xid` may be that of a removed entity.
        """
        catalog = xregit.read(self._path)  # as Git's log is read once only
        commits = history_json(history(catalog, xid)) if xid else commits_json(recent_commits(catalog))
        return page(commits, "commits", limit, offset)


class Snapshot:
    """A registry, and what is derived from it when it is first asked for."""

    def __init__(self, registry: Registry) -> None:
        """Take the registry."""
        self.registry = registry

    @cached_property
    def usable(self) -> Registry:
        """The registry, if all of it can be read.

        Raises:
            CatalogError: some of its files can't be read.
        """
        return expect_readable(self.registry)

    @cached_property
    def entries(self) -> list[tuple[dict[str, Any], str, str]]:
        """Each entity as search gives it, with the texts of its head and of all of it in lower case."""
        registry = self.registry
        groups = [_entry(registry, item) for item in registry.all_groups]
        return groups + [_entry(registry, item) for item in registry.all_resources]

    @cached_property
    def _whole(self) -> Matcher:
        return xregit.Matcher(self.usable)

    def matcher(self, endpoint: str, group: str) -> Matcher:
        """Return the matcher of an endpoint's or group's messages, or of all."""
        return xregit.Matcher(self.usable, endpoint, group) if endpoint or group else self._whole


def _entry(registry: Registry, entity: Group | Resource) -> tuple[dict[str, Any], str, str]:
    viewed = view(registry, entity)
    attributes = viewed.resolved.attributes if isinstance(viewed, Message) else viewed.attributes
    name, description = (str(attributes.get(key, "")) for key in ("name", "description"))
    summary = description[:MAX_SUMMARY]
    entry: dict[str, Any] = {"xid": entity.xid, "kind": entity.type.singular, "name": name, "description": summary}
    if getattr(viewed, "deprecated", None) is not None:
        entry["deprecated"] = True
    versions = entity.versions.values() if isinstance(entity, Resource) else ()
    documents = (item.data for item in versions if item.data)
    texts = (*_texts(attributes), *(data.decode("utf-8", "replace") for data in documents))
    head = f"{entity.xid} {name}".lower()
    return entry, head, " ".join((head, *texts)).lower()


def _rank(query: str, words: Sequence[str], head: str) -> int:
    """Return how well a query finds an entity: as its xid, id or name, by these, or by its text alone."""
    xid, _, name = head.partition(" ")
    if query in {xid, xid.rpartition("/")[2], name}:
        return 0
    return 1 if all(word in head for word in words) else 2


def _texts(value: Any) -> Iterator[str]:
    """Yield the keys and scalars of a value."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Mapping):
            yield from map(str, item)
            stack += item.values()
        elif isinstance(item, list | tuple):
            stack += item
        else:
            yield str(item)


def related(registry: Registry, entity: Entity) -> dict[str, Any]:
    """Return what an agent asks next: who carries a message, or the document of a schema and who uses it."""
    view = registry[entity.xid]
    match view:
        case Message():
            carriers = [
                {"endpoint": endpoint.xid, "usage": endpoint.usage, "protocol": endpoint.protocol, "via": via}
                for endpoint, via in view.carriers
            ]
            return {"carriers": carriers}
        case Schema():
            users, versions = ([item.xid for item in each] for each in (view.users, view.versions))
            return {"versions": versions, "users": users, **(_document(view.default) if view.default else {})}
        case Version():
            return _document(view)
    return {}


def _document(version: Version) -> dict[str, Any]:
    document = version.document
    if document is None or document.data is None:
        return {"documenturl": document.url} if document is not None and document.url else {}
    return {"document": document.data.decode("utf-8", "replace")}


def file_states(path: Path) -> list[tuple[str, int, int]]:
    """Return the name, time and size of a document, or of each file of a folder."""
    files = [path] if path.is_file() else (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    states = []
    for file in files:
        with suppress(FileNotFoundError):
            state = file.stat()
            states.append((str(file), state.st_mtime_ns, state.st_size))
    return sorted(states)


def page(items: Sequence[Any], name: str, limit: int, offset: int) -> dict[str, Any]:
    """Return a part of a list, and where to go on; it ends earlier where it grows too long."""
    listed: list[Any] = []
    size = 0
    for item in items[max(offset, 0) :][: min(max(limit, 1), MAX_PAGE)]:
        short = shorten(item)
        size += len(dumps(short, default=list))
        if listed and size > MAX_RESULT // 2:
            break
        listed.append(short)
    end = max(offset, 0) + len(listed)
    return {"total": len(items), name: listed, **({"next_offset": end} if end < len(items) else {})}


def shorten(value: Any) -> Any:
    """Return a value in which long lists and texts are cut, and say how much they have besides."""
    match value:
        case str() if len(value) > MAX_TEXT:
            return f"{value[:MAX_TEXT]} … and {len(value) - MAX_TEXT:,} more characters"
        case Mapping():
            return {name: shorten(item) for name, item in value.items()}
        case list() | tuple():
            more = len(value) - MAX_LIST
            return [*map(shorten, value[:MAX_LIST]), *([f"… and {more:,} more"] if more > 0 else [])]
    return value


def bounded_json(result: dict[str, Any]) -> str:
    """Return a result as JSON that an agent can take in.

    Raises:
        XregitError: it is too long.
    """
    text = dumps(result, ensure_ascii=False)
    if len(text) > MAX_RESULT:
        raise XregitError(f"the answer has {len(text):,} characters, more than {MAX_RESULT:,}; ask for a part of it")
    return text
