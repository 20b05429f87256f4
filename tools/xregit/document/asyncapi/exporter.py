"""A registry to one AsyncAPI 3 document for each endpoint, as values and as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.registry import expect_registry
from xregit.document.asyncapi.channels import channels_and_operations, path_is_address, servers
from xregit.document.asyncapi.facts import protocol
from xregit.document.asyncapi.messages import description_of
from xregit.document.asyncapi.options import ENDPOINT, unplaced_options
from xregit.document.asyncapi.schemas import PayloadSchemas
from xregit.document.serializer import lifecycle_of
from xregit.source.file_tree import id_to_filename
from xregit.source.json_emitter import to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Endpoint, Message, Registry


VERSION = "3.0.0"
# Options that every endpoint may have and that AsyncAPI has a place for.
_COMMON = frozenset({"endpoint/endpoints", "endpoint/authorization"})


def export_asyncapi(registry: Registry) -> dict[str, dict[str, Any]]:
    """Return an AsyncAPI 3.0.0 document for each endpoint, by the endpoint's id, of the types of JSON.

    Raises:
        XregitError: what is given is no registry.
    """
    expect_registry(registry)
    return {endpoint.id: _document(endpoint) for endpoint in registry.endpoints}


def asyncapi_files(registry: Registry) -> dict[str, bytes]:
    """Return the documents as the bytes of one file for each endpoint, by its name."""
    documents = export_asyncapi(registry)
    return {f"{id_to_filename(name)}.json": to_bytes(document) for name, document in documents.items()}


def _document(endpoint: Endpoint) -> dict[str, Any]:
    payloads = PayloadSchemas()
    found = channels_and_operations(endpoint, payloads)
    addresses = servers(endpoint, with_path=not path_is_address(endpoint))
    unplaced = unplaced_options(endpoint.options, ENDPOINT, protocol(endpoint.protocol).placed | _COMMON)
    return {
        "asyncapi": VERSION,
        "info": {
            "title": endpoint.name or endpoint.id,
            "version": str(lifecycle_of(endpoint.registry, tuple(_endpoint_files(endpoint))).epoch),
            **description_of(endpoint.attributes),
        },
        **({"servers": addresses} if addresses else {}),
        "channels": found.channels,
        "operations": found.operations,
        **({"components": {"schemas": payloads.schemas}} if payloads.schemas else {}),
        "x-xid": endpoint.xid,
        **({"x-channel": endpoint.channel} if endpoint.channel else {}),
        **({"x-protocoloptions": unplaced} if unplaced else {}),
    }


def _endpoint_files(endpoint: Endpoint) -> Iterator[str]:
    """Give the files that the document is made of, whose commits are its version."""
    yield endpoint.entity.place.path
    for entry in endpoint.contract:
        yield from _message_files(entry.message)


def _message_files(message: Message) -> Iterator[str]:
    yield message.entity.place.path
    known = map(message.registry.entity, message.resolved.chain)
    yield from (base.place.path for base in known if base is not None)
    reference = message.schema
    if reference is not None and reference.version is not None and reference.version.document is not None:
        yield reference.version.document.place.path
