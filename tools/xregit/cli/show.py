"""The commands ``show`` and ``contract``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

import xregit
from xregit.catalog import Endpoint, Registry
from xregit.catalog.entities import Group, Resource
from xregit.catalog.registry import Entity
from xregit.cli.output import as_json, print_result
from xregit.cli.parameters import Ref, read_at, unknown_name, with_registry
from xregit.source.yaml_emitter import to_yaml

FORMATS: Mapping[str, Callable[[Any], str]] = {"yaml": to_yaml, "json": as_json}


@click.command()
@click.argument("xid")
@click.option("--resolved", is_flag=True, help="Merge base messages in, and say where each attribute comes from.")
@click.option(
    "--format", "form", type=click.Choice(tuple(FORMATS)), default="yaml", show_default=True, help="Output format."
)
@click.option("--at", type=Ref(), metavar="REF", help="Show it as it was at this commit, branch or tag.")
@with_registry
def show(registry: Path, xid: str, resolved: bool, form: str, at: str | None) -> None:
    """Show one entity.

    XID is its path, such as /messagegroups/GROUP/messages/MESSAGE, or / for the registry. With --resolved, `origins`
    says for each path which entity's file states the value.
    """
    catalog = read_at(registry, at)
    if xid == "/":
        print_result(FORMATS[form](registry_entry(catalog)), exact=True)
        return
    entity = catalog.entity(xid)
    if entity is None:
        raise unknown_name(xid, catalog, what="entity")
    entry = resolved_entry(catalog, entity) if resolved else entity_entry(entity)
    print_result(FORMATS[form](entry), exact=True)


def registry_entry(registry: Registry) -> dict[str, Any]:
    """Return the registry's own attributes, and the xids of its groups."""
    groups = {plural: [group.xid for group in each.values()] for plural, each in registry.groups.items() if each}
    return {"xid": "/", "file": registry.place.path, "attributes": registry.attributes} | groups


def entity_entry(entity: Entity) -> dict[str, Any]:
    """Return the attributes in the entity's own file, and of a group the xids of its resources."""
    entry = {"xid": entity.xid, "file": entity.place.path}
    match entity:
        case Resource():
            return entry | {"attributes": entity.definition}
        case Group():
            resources = {
                plural: [item.xid for item in each.values()] for plural, each in entity.collections.items() if each
            }
            return entry | {"attributes": entity.attributes} | resources
    return entry | {"attributes": entity.attributes}


def resolved_entry(registry: Registry, entity: Entity) -> dict[str, Any]:
    """Return a message with its base messages merged in; any other entity is as it is written."""
    if not isinstance(entity, Resource) or entity.type.plural != "messages":
        return entity_entry(entity)
    message = registry.resolved(entity.xid)
    origins = {".".join(path): xid for path, xid in sorted(message.origins.items())}
    return {
        "xid": entity.xid,
        "file": entity.place.path,
        "bases": list(message.chain),
        "attributes": message.attributes,
        "origins": origins,
    }


@click.command()
@click.argument("xid", metavar="ENDPOINT-XID")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="List format."
)
@with_registry
def contract(registry: Path, xid: str, form: str) -> None:
    """List the messages that an endpoint carries, and where each comes from.

    One line for each: the message's xid, a tab, and the xid of the message group or endpoint that brings it.
    """
    catalog = xregit.read(registry)
    endpoints = {item.xid: item for item in catalog.endpoints}
    if xid not in endpoints:
        raise unknown_name(xid, endpoints, what="endpoint")
    endpoint = endpoints[xid]
    lines = "\n".join(f"{entry.message.xid}\t{entry.via}" for entry in endpoint.contract)
    print_result(as_json(contract_json(endpoint)) if form == "json" else lines)


def contract_json(endpoint: Endpoint) -> dict[str, Any]:
    """Return the contract as JSON: the endpoint's xid, and its messages, each with what it comes through."""
    entries = [{"xid": entry.message.xid, "via": entry.via} for entry in endpoint.contract]
    return {"endpoint": endpoint.xid, "messages": entries}
