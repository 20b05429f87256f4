"""References between entities: what each one points at, and, the other way round, who refers to an entity.

Source: message/spec.md "dataschemauri", schema/spec.md "Schema Formats": a schema reference may end in ``:Type`` or,
behind a version, in a JSON pointer, the concrete schema object inside the document; ids may hold ``:`` too, so the
longest id that the registry has wins.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from xregit.catalog.entities import Group, Resource, Version
from xregit.catalog.resolver import base_xid
from xregit.model.datatypes import SYNTAXES
from xregit.model.similarity import fold_words

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

_T = TypeVar("_T")
_is_absolute = SYNTAXES["absolute"].test

_GROUP_PARTS = 4
_VERSIONS = "/versions/"
# The characters, besides letters and digits, that a fragment may have as they are (RFC 3986, section 3.5).
_FRAGMENT = "-._~!$&'()*+,;=:@/?"
# How a schema's document refers to another schema: by its xid, or by a path to one of its versions.
_IN_DOCUMENT = re.compile(rb"(?:schemas/|\.\./)(?!\.\.?/)([A-Za-z0-9_.\-~:@]+)")
_AVRO_NAME = re.compile(rb'"name"\s*:\s*"([A-Za-z0-9_.]+)"')


@dataclass(frozen=True, slots=True)
class SchemaReference:
    """A reference to a schema: ``schema`` and ``version`` are None where it leaves the registry or leads nowhere.

    ``selector`` is the name or pointer of the schema object inside the document; ``local`` says that the reference
    means this registry; ``xid`` is what it names there, the alias where ``schema`` is its target.
    """

    text: str
    local: bool
    schema: Resource | None = None
    version: Version | None = None
    selector: str = ""
    xid: str = ""

    @property
    def pinned(self) -> str:
        """The id of the version that it names, empty where it means the default one."""
        return self.xid.partition(_VERSIONS)[2]


def local_xid(text: str, baseurl: str = "") -> str:
    """Return the xid that a reference means, or an empty string where it leaves the registry.

    Local are ``/groups/…``, ``#/groups/…`` and absolute URLs below ``baseurl``.
    """
    if baseurl and text.startswith(baseurl.rstrip("/") + "/"):
        text = text[len(baseurl.rstrip("/")) :].replace("$details", "")
    text = text.removeprefix("#")
    return text if text.startswith("/") else ""


def schema_reference(registry: Registry, text: str) -> SchemaReference:
    """Return what a ``dataschemauri`` or ``dataschemaxid`` points at."""
    xid = local_xid(text, registry.settings.baseurl)
    if not xid:
        # A path without a slash before it has no place from which it could be followed, so it leads nowhere.
        return SchemaReference(text, local=not _is_absolute(text))
    path, _, pointer = xid.partition("#")
    parts = path.split("/", _GROUP_PARTS)
    if len(parts) <= _GROUP_PARTS or not parts[1] or not parts[3]:
        return SchemaReference(text, local=True)
    group = registry.groups.get(parts[1], {}).get(parts[2])
    schema, rest = _longest_match(group.collections.get(parts[3], {}) if group else {}, parts[4])
    target = registry.resource(schema.xref) if schema is not None and schema.xref else schema
    if schema is None or target is None or target.type.singular != "schema":
        return SchemaReference(text, local=True)
    xid = schema.xid
    version, selector = target.versions.get(target.defaultversionid), rest[1:]
    if rest.startswith("/"):
        version, selector = None, ""
    if rest.startswith(_VERSIONS):
        version, rest = _longest_match(target.versions, rest.removeprefix(_VERSIONS))
        selector = rest.removeprefix(":")
        xid += f"{_VERSIONS}{version.id}" if version is not None else ""
    return SchemaReference(text, local=True, schema=target, version=version, selector=pointer or selector, xid=xid)


def schema_address(registry: Registry, text: str) -> str:
    """Return the absolute URI that events name as their ``dataschema``, nothing without a base URL to begin it.

    A schema object inside the document is its fragment, since ``:Type`` is part of no address that a server answers.
    """
    base = registry.settings.baseurl.rstrip("/")
    xid = local_xid(text, base)
    if not xid or not base:
        return "" if xid else text
    reference = schema_reference(registry, text)
    if reference.version is None:
        return base + xid
    return base + reference.xid + (f"#{quote(reference.selector, safe=_FRAGMENT)}" if reference.selector else "")


def schema_of(registry: Registry, attributes: Mapping[str, object]) -> SchemaReference | None:
    """Return the schema that a message's attributes refer to by ``dataschemauri`` or else ``dataschemaxid``."""
    for name in ("dataschemauri", "dataschemaxid"):
        text = attributes.get(name)
        if isinstance(text, str) and text:
            return schema_reference(registry, text)
    return None


def _longest_match(items: Mapping[str, _T], text: str) -> tuple[_T | None, str]:
    """Return the item with the longest id that a text begins with, and the rest of it from a colon or slash on."""
    end = (text + "/").index("/")
    while end > 0:
        if text[:end] in items:
            return items[text[:end]], text[end:]
        end = text.rfind(":", 0, end)
    return None, ""


def contract_of(registry: Registry, endpoint: Group) -> list[tuple[str, str]]:
    """Return the contract of an endpoint: pairs of a message and the endpoint or message group it comes through."""
    groups = (endpoint, *carried_groups(registry, endpoint))
    messages = (
        (message.xid, group.xid) for group in groups for message in group.collections.get("messages", {}).values()
    )
    return list(dict.fromkeys(messages))


def carried_groups(registry: Registry, endpoint: Group) -> list[Group]:
    """Return the groups of this registry to which an endpoint's ``messagegroups`` refers."""
    value = endpoint.attributes.get("messagegroups")
    texts = [text for text in value if isinstance(text, str)] if isinstance(value, list | tuple) else []
    entities = (registry.entity(local_xid(text, registry.settings.baseurl)) for text in texts)
    return [group for group in entities if isinstance(group, Group)]


@dataclass(frozen=True, slots=True)
class Indexes:
    """Each maps an xid to those that refer to it, in registry order.

    ``derived``: message → messages whose nearest base it is. ``carriers``: message → pairs of the endpoint and the
    message group or endpoint through which it carries the message. ``aliases``: resource → resources whose ``xref`` it
    is. ``schema_users``: schema → messages whose resolved payload schema it is. ``by_type``: CloudEvents type →
    messages that declare it as a fixed value. ``by_channel``: channel, as `fold_words` has it → endpoints.
    """

    derived: Mapping[str, tuple[str, ...]]
    carriers: Mapping[str, tuple[tuple[str, str], ...]]
    aliases: Mapping[str, tuple[str, ...]]
    schema_users: Mapping[str, tuple[str, ...]]
    by_type: Mapping[str, tuple[str, ...]]
    by_channel: Mapping[str, tuple[str, ...]]


def build_indexes(registry: Registry) -> Indexes:
    """Return all reverse references of a registry, in one pass over it."""
    derived: dict[str, list[str]] = defaultdict(list)
    carriers: dict[str, list[tuple[str, str]]] = defaultdict(list)
    aliases: dict[str, list[str]] = defaultdict(list)
    users: dict[str, list[str]] = defaultdict(list)
    by_type: dict[str, list[str]] = defaultdict(list)
    by_channel: dict[str, list[str]] = defaultdict(list)
    for resource in registry.all_resources:
        if resource.xref:
            aliases[local_xid(resource.xref)].append(resource.xid)
        base = base_xid(resource.attributes)
        target = registry.resource(base) if base else None
        if target is not None:
            derived[target.xid].append(resource.xid)
        if resource.type.plural == "messages" and not resource.xref:
            attributes = registry.resolved(resource.xid).attributes
            reference = schema_of(registry, attributes)
            if reference and reference.schema:
                users[reference.schema.xid].append(resource.xid)
            if type_ := _cloudevents_type(attributes):
                by_type[type_].append(resource.xid)
    for endpoint in registry.groups.get("endpoints", {}).values():
        for message, via in contract_of(registry, endpoint):
            carriers[message].append((endpoint.xid, via))
        if isinstance(channel := endpoint.attributes.get("channel"), str):
            by_channel[fold_words(channel)].append(endpoint.xid)
    lists = _frozen(derived), _frozen(carriers), _frozen(aliases), _frozen(users), _frozen(by_type), _frozen(by_channel)
    return Indexes(*lists)


def _frozen(lists: Mapping[str, list[_T]]) -> Mapping[str, tuple[_T, ...]]:
    return {key: tuple(values) for key, values in lists.items()}


def _cloudevents_type(attributes: Mapping[str, Any]) -> str:
    """Return the fixed value of the CloudEvents attribute ``type``, or an empty string."""
    value: Any = attributes
    for name in ("envelopemetadata", "type", "value"):
        value = value.get(name) if isinstance(value, dict | MappingProxyType) else None
    return value if isinstance(value, str) and "{" not in value else ""


def lookalikes(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """Return for each group or resource that has any, its siblings whose ids differ from its own only in case."""
    siblings: dict[tuple[str, str], list[str]] = defaultdict(list)
    for xid in registry:
        parent, _, name = xid.rpartition("/")
        siblings[parent, name.lower()].append(xid)
    twins = [xids for xids in siblings.values() if len(xids) > 1]
    return {xid: tuple(other for other in xids if other != xid) for xids in twins for xid in xids}


def mentions(registry: Registry) -> frozenset[str]:
    """Return every xid of this registry that stands somewhere in the definition of an entity or a version.

    A reference to a version, or to something inside a document, is one to the resource as well.
    """
    xids = set()
    pending: list[Any] = [group.attributes for group in registry.all_groups]
    pending += [resource.definition for resource in registry.all_resources]
    while pending:
        value = pending.pop()
        if isinstance(value, dict | MappingProxyType):
            pending += value.values()
        elif isinstance(value, list | tuple):
            pending += value
        elif isinstance(value, str) and "/" in value and " " not in value:
            xid = local_xid(value, registry.settings.baseurl).partition("#")[0].partition(_VERSIONS)[0]
            while xid:
                xids.add(xid)
                xid = xid.rpartition(":")[0]
    return frozenset(xids)


def document_references(registry: Registry) -> Mapping[str, frozenset[str]]:
    """Return the ids that documents of schemas name in references to others, each with the schemas that do so.

    Avro has no references to other documents, so these hold others' types: of it, the names of types count.
    """
    schemas: dict[str, set[str]] = defaultdict(set)
    for resource in registry.all_resources:
        for version in resource.versions.values() if resource.type.hasdocument else ():
            pattern = _AVRO_NAME if str(version.attributes.get("format")).startswith("Avro") else _IN_DOCUMENT
            for name in pattern.findall(version.data or b""):
                schemas[name.decode()].add(resource.xid)
    return {name: frozenset(xids) for name, xids in schemas.items()}
