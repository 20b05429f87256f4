"""The domains of a catalog, and the catalog as the tree beside each page, which the browser loads by part."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

import orjson

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import carried_groups
from xregit.catalog.registry import Registry
from xregit.catalog.views import text_of
from xregit.pages.links import address, natural_order, unique_ids
from xregit.pages.renderer import name_invisible

# The folder of the tree's parts.
FOLDER = "assets/tree/"
# The first parts of reversed names of hosts, which say nothing of what a group is about.
_HOST = re.compile(r"[a-z]{2}|com|org|net|edu|gov|gouv|gob|int|info|dev|app", re.IGNORECASE)
# A part of the tree has at most so many entries, and an entry so many below it; the last leads to all.
MAX_PART, MAX_CHILDREN = 300, 200


@dataclass(frozen=True, slots=True)
class Domain:
    """The groups of one area; ``id`` is that of its heading. Message groups come first."""

    title: str
    id: str
    groups: tuple[Group, ...]

    def of_type(self, plural: str) -> list[Group]:
        """Return its groups of one type."""
        return [group for group in self.groups if group.type.plural == plural]


@dataclass
class Node:
    """An entry of the tree. ``page`` is the address of its page, empty where it has none; ``note`` its full name."""

    title: str
    page: str = ""
    note: str = ""
    deprecated: bool = False
    children: list[Node] = field(default_factory=list)


class Navigation:
    """The domains and the tree of a registry."""

    def __init__(self, registry: Registry) -> None:
        """Keep the registry."""
        self._registry = registry
        self._label = registry.settings.domainlabel

    def domain(self, group: Group) -> str:
        """Return the title of the domain that a group belongs to.

        That is the value of the label that the settings name, else the beginning of the group's id. An endpoint whose
        own id begins like no message group belongs to the domain of all messages that it carries, if there is one.
        Of titles that differ only in case, all are the first one.
        """
        return self._titles[group.xid]

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        titles: dict[str, str] = {}
        first: dict[str, str] = {}
        for plural in self._plurals:
            for group in self._registry.groups[plural].values():
                title = self._domain(group, titles)
                titles[group.xid] = first.setdefault(title.lower(), title)
        return titles

    @property
    def _plurals(self) -> list[str]:
        """The types of groups, message groups first."""
        return sorted(self._registry.groups, key=lambda name: name != "messagegroups")

    def _domain(self, group: Group, titles: Mapping[str, str]) -> str:
        labelled = self._labelled(group)
        own = _beginning(group.id)
        if labelled or group.type.plural != "endpoints" or own.lower() in self._beginnings:
            return labelled or own
        carried = {titles[each.xid] for each in carried_groups(self._registry, group) if each.xid in titles}
        return carried.pop() if len(carried) == 1 else own

    def _labelled(self, group: Group) -> str:
        labels = group.attributes.get("labels") if self._label else None
        return str(labels.get(self._label) or "") if isinstance(labels, Mapping) else ""

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """How the ids of message groups begin."""
        groups = self._registry.groups.get("messagegroups", {})
        return frozenset(_beginning(name).lower() for name in groups)

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The domains that have message groups, or all where there are none, in the order of their titles."""
        members: dict[str, list[Group]] = defaultdict(list)
        has_messages = bool(self._registry.groups.get("messagegroups"))
        for plural in self._plurals:
            for group in self._registry.groups[plural].values():
                title = self.domain(group)
                if plural == "messagegroups" or title in members or not has_messages:
                    members[title].append(group)
        ids = unique_ids(members)
        domains = (Domain(title, ids[title], tuple(groups)) for title, groups in members.items())
        return tuple(sorted(domains, key=lambda each: natural_order(each.title)))

    @cached_property
    def sections(self) -> Mapping[str, list[Node]]:
        """The tree of each type of groups that the registry has, by its plural name; that of endpoints by channels."""
        registry = self._registry
        return {
            plural: self._channels()
            if plural == "endpoints"
            else _tree((self._parts(group), group) for group in registry.groups[plural].values())
            for plural in registry.model.groups
            if registry.groups.get(plural)
        }

    def _parts(self, group: Group) -> tuple[str, ...]:
        """Return the domain, and what follows it in the id."""
        domain, labelled = self.domain(group), bool(self._labelled(group))
        repeated = not labelled or group.id.lower().startswith(f"{domain.lower()}.")
        return (domain, *filter(None, (group.id[len(domain) :] if repeated else group.id).split(".")))

    def _channels(self) -> list[Node]:
        channels: dict[str, list[Node]] = defaultdict(list)
        for endpoint in self._registry.endpoints:
            channels[endpoint.channel].append(_group_node(endpoint.id, endpoint.entity))
        alone = channels.pop("", [])
        named = [Node(title, children=_sorted(nodes)) for title, nodes in channels.items()]
        return [*_sorted(named), *_sorted(alone)]

    @cached_property
    def places(self) -> Mapping[str, str]:
        """Where each entry is in the tree of its type, by its page: the positions of the entries on the way to it."""
        places: dict[str, str] = {}
        for nodes in self.sections.values():
            _add_places(nodes, "", places)
        return places

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield the parts of the tree by their paths, those of group types under their names.

        A part is a JSON array of entries. An entry is ``[title, address, note, deprecated, children]`` without what is
        empty at its end; ``children`` are entries, or the number of the part that has them.
        """
        for plural, nodes in self.sections.items():
            yield from _parts(plural, Node("", address(f"/{plural}"), children=nodes))


def _beginning(name: str) -> str:
    """Return the first part of an id, more where it begins like the reversed name of a host."""
    parts = name.split(".")
    count = next((at for at, part in enumerate(parts) if not _HOST.fullmatch(part)), len(parts) - 1)
    return ".".join(parts[: count + 1])


def _tree(groups: Iterable[tuple[Sequence[str], Group]]) -> list[Node]:
    """Return the entries of groups by the parts of their names, each with its resources behind the groups below it."""
    by_part: dict[str, list[tuple[Sequence[str], Group]]] = defaultdict(list)
    for parts, group in groups:
        by_part[parts[0].lower()].append((parts, group))
    nodes = []
    for members in by_part.values():
        title = members[0][0][0]
        own = [_group_node(title, group) for parts, group in members if len(parts) == 1]
        below = _tree((parts[1:], group) for parts, group in members if len(parts) > 1)
        if len(own) == 1:
            own[0].children[:0] = below
            nodes += own
        elif not own and len(below) == 1:
            below[0].title = f"{title}.{below[0].title}"
            nodes += below
        else:
            nodes.append(Node(title, children=[*below, *own]))
    return _sorted(nodes)


def _group_node(title: str, group: Group) -> Node:
    resources = (each for collection in group.collections.values() for each in collection.values())
    children = _sorted(map(_resource_node, resources))
    name, deprecated = text_of(group.attributes, "name"), "deprecated" in group.attributes
    return Node(title, address(group.xid), name, deprecated, children)


def _resource_node(resource: Resource) -> Node:
    name, deprecated = text_of(resource.attributes, "name"), "deprecated" in resource.attributes
    return Node(name or resource.id, address(resource.xid), resource.id * bool(name), deprecated)


def _sorted(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: natural_order(node.title))


def _add_places(nodes: Sequence[Node], above: str, places: dict[str, str]) -> None:
    for number, node in enumerate(nodes):
        if node.page:
            places[node.page] = f"{above}{number}"
        _add_places(node.children, f"{above}{number}.", places)


def _parts(plural: str, root: Node) -> Iterator[tuple[str, str]]:
    """Yield the parts of one tree, numbered as they are cut from those above them."""
    waiting = [root]
    for number, node in enumerate(waiting):  # which gets longer meanwhile
        yield f"{FOLDER}{plural}-{number}.json", orjson.dumps(_entries(node, [MAX_PART], waiting)).decode()


def _entries(node: Node, room: list[int], waiting: list[Node]) -> list[Any]:
    """Return the entries below a node; ``waiting`` gets those for whose children the part has no room."""
    shown = node.children[:MAX_CHILDREN]
    room[0] -= len(shown)
    entries = []
    for child in shown:
        below: Any = 0
        if child.children and min(len(child.children), MAX_CHILDREN) <= room[0]:
            below = _entries(child, room, waiting)
        elif child.children:
            below = len(waiting)
            waiting.append(child)
        entry = [
            name_invisible(child.title),
            quote(child.page),
            name_invisible(child.note),
            int(child.deprecated),
            below,
        ]
        while not entry[-1]:
            entry.pop()
        entries.append(entry)
    if len(node.children) > MAX_CHILDREN:
        entries.append([f"All {len(node.children):,}", quote(node.page)])
    return entries
