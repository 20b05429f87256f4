"""The commands ``show``, ``contract`` and ``export``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from xregit.cli.output import as_json, as_yaml, doubt, note, result
from xregit.cli.parameters import Ref, output_folder, refuse_own_folder, unknown, with_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from xregit.catalog import Endpoint, Registry
    from xregit.catalog.registry import Entity


@click.command()
@click.option("--to", "form", type=click.Choice(("asyncapi",)), required=True, help="What to write.")
@output_folder("build/asyncapi", "Folder to write to; it is replaced as a whole, unless it holds other files.")
@with_registry
def export(registry: Path, form: str, output: Path) -> None:  # noqa: ARG001 - there is one form yet
    """Write the catalog as AsyncAPI documents.

    There is one document of AsyncAPI 3 for each endpoint. It describes an application that is a client of the
    endpoint: it sends to producer endpoints, and receives from consumer and subscriber endpoints.

    The registry isn't checked.
    """
    import xregit
    from xregit.document.asyncapi import asyncapi_files
    from xregit.source.atomic_write import replace_tree

    refuse_own_folder(registry, output, replaced=True)
    loaded = xregit.load(registry)
    files = asyncapi_files(loaded)
    replace_tree(output, files, _is_asyncapi)
    note(f"Wrote {len(files):,} {'document' if len(files) == 1 else 'documents'} to {output}.")
    doubt(loaded)


def _is_asyncapi(folder: Path) -> bool:
    """Tell whether a folder holds AsyncAPI documents as we write them, and nothing else."""
    return all(path.suffix == ".json" and path.is_file() and _begins(path) for path in folder.iterdir())


def _begins(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"asyncapi"' in file.read(64)


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
    from xregit.cli.log import read_at

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
