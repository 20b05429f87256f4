"""The commands ``show`` and ``contract``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xregit.cli.finding import Ref, unknown, with_registry
from xregit.cli.printing import as_json, as_yaml, result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xregit.catalog import Endpoint, Registry
    from xregit.catalog.registry import Entity

FORMATS: Mapping[str, Callable[[Any], str]] = {"yaml": as_yaml, "json": as_json}


@click.command()
@click.argument("xid")
@click.option("--resolved", is_flag=True, help="Merge base messages in, and say where each attribute comes from.")
@click.option(
    "--format", "form", type=click.Choice(tuple(FORMATS)), default="yaml", show_default=True, help="Kind of text."
)
@click.option("--at", type=Ref(), metavar="REF", help="Show it as it was at this commit, branch or tag.")
@with_registry
def show(registry: Path, xid: str, resolved: bool, form: str, at: str | None) -> None:
    """Show one entity.

    XID is its path, such as /messagegroups/GROUP/messages/MESSAGE, or / for the registry. With --resolved, `origins`
    says for each path which entity's file states the value.
    """
    from xregit.cli.past import read_at

    catalog = read_at(registry, at)
    if xid == "/":
        result(FORMATS[form](whole(catalog)))
        return
    entity = catalog.entity(xid)
    if entity is None:
        raise unknown(xid, catalog, what="entity")
    result(FORMATS[form](in_full(catalog, entity) if resolved else as_written(entity)))


def whole(registry: Registry) -> dict[str, Any]:
    """Return what the registry says of itself, and which groups it holds."""
    held = {plural: [group.xid for group in groups.values()] for plural, groups in registry.groups.items() if groups}
    return {"xid": "/", "file": registry.place.path, "attributes": registry.attributes} | held


def as_written(entity: Entity) -> dict[str, Any]:
    """Return what the entity's own file says of it, and for a group which resources it holds."""
    from xregit.catalog.entities import Group, Resource

    shown = {"xid": entity.xid, "file": entity.place.path}
    match entity:
        case Resource():
            return shown | {"attributes": entity.written}
        case Group():
            held = {plural: [item.xid for item in held.values()] for plural, held in entity.collections.items() if held}
            return shown | {"attributes": entity.attributes} | held
    return shown | {"attributes": entity.attributes}


def in_full(registry: Registry, entity: Entity) -> dict[str, Any]:
    """Return a message with its base messages merged in; any other entity is as it is written."""
    from xregit.catalog.entities import Resource

    if not isinstance(entity, Resource) or entity.type.plural != "messages":
        return as_written(entity)
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
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Kind of list."
)
@with_registry
def contract(registry: Path, xid: str, form: str) -> None:
    """List every message that an endpoint carries, and through what.

    One line for each: the message's xid, a tab, and the xid of the message group or endpoint that brings it.
    """
    import xregit

    catalog = xregit.read(registry)
    endpoints = {item.xid: item for item in catalog.endpoints}
    if xid not in endpoints:
        raise unknown(xid, endpoints, what="endpoint")
    result(as_json(carried(endpoints[xid])) if form == "json" else lines(endpoints[xid]))


def carried(endpoint: Endpoint) -> dict[str, Any]:
    """Return the contract as JSON: the endpoint's xid, and its messages, each with what it comes through."""
    entries = [{"xid": entry.message.xid, "via": entry.via} for entry in endpoint.contract]
    return {"endpoint": endpoint.xid, "messages": entries}


def lines(endpoint: Endpoint) -> str:
    """Return the contract as lines of two columns."""
    return "\n".join(f"{entry.message.xid}\t{entry.via}" for entry in endpoint.contract)
