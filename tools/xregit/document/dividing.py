"""Endpoints for several usages to one endpoint for each, where a specification wants them apart.

Source: endpoint specification 1.0-rc4, "usage": one value, but for pairs that some protocols serve by one connection;
endpoints that were one share a ``channel``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.model import canonical
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.entities import Group, Resource
    from xregit.catalog.registry import Registry
    from xregit.document.tables import Together

ENDPOINTS = "endpoints"


def divided(registry: Registry, together: Together) -> Registry:
    """Return the registry with its endpoints divided; the first part of each keeps its id, and what refers to it."""
    taken = {id.casefold() for id in registry.groups.get(ENDPOINTS, {})}  # noqa: A001 - the specification's word
    endpoints: dict[str, Group] = {}
    for endpoint in registry.groups.get(ENDPOINTS, {}).values():
        for part in _parts(endpoint, together, taken):
            endpoints[part.id] = part
    return replace(registry, groups={**registry.groups, ENDPOINTS: endpoints}) if endpoints else registry


def _parts(endpoint: Group, together: Together, taken: set[str]) -> Iterator[Group]:
    usages = _usages(endpoint.attributes, together)
    if len(usages) <= 1:
        yield endpoint
        return
    shared = {**endpoint.attributes, "channel": endpoint.attributes.get("channel") or endpoint.id}
    yield replace(endpoint, attributes={**shared, "usage": usages[0]})
    for usage in usages[1:]:
        name = _free(f"{endpoint.id}.{'.'.join(usage)}", taken)
        yield _copy(endpoint, name, {**shared, "usage": usage})


def _usages(attributes: Mapping[str, Any], together: Together) -> list[list[str]]:
    """Return the usages of each part, in the order in which they are stated."""
    stated = attributes.get("usage")
    left = list(dict.fromkeys(item for item in stated if isinstance(item, str))) if isinstance(stated, list) else []
    protocol = attributes.get("protocol")
    may = isinstance(protocol, str) and canonical("protocol", protocol) in together.protocols
    parts: list[list[str]] = []
    while left:
        pair = [usage for usage in left if usage in together.usages] if may and left[0] in together.usages else left[:1]
        parts.append(pair)
        left = [usage for usage in left if usage not in pair]
    return parts


def _free(name: str, taken: set[str]) -> str:
    while name.casefold() in taken:
        name += "_"
    taken.add(name.casefold())
    return name


def _copy(endpoint: Group, name: str, attributes: Mapping[str, Any]) -> Group:
    """Return an endpoint under another id, whose own messages are aliases of those of the first."""
    xid = f"/{ENDPOINTS}/{name}"
    collections = {
        plural: {rid: _alias(resource, f"{xid}/{plural}/{rid}") for rid, resource in resources.items()}
        for plural, resources in endpoint.collections.items()
    }
    return replace(endpoint, xid=xid, id=name, attributes=attributes, collections=collections)


def _alias(resource: Resource, xid: str) -> Resource:
    meta = {"xref": resource.xref or resource.xid}
    return replace(
        resource, xid=xid, meta=meta, versions=NOTHING, defaultversionid="", written={"meta": meta}, attributes=NOTHING
    )
