"""A message's references in the form that we write: the base message itself, and the schema by URI and by xid.

A reference to the default version of a message means the message, since messages have one version (facts, K58). A
``dataschemauri`` of this registry has a ``dataschemaxid`` beside it, which can't hold a type's name (facts, K32).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.references import schema_reference
from xregit.catalog.resolving import BASE, base_xid
from xregit.catalog.resources import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.registry import Registry

URI, XID = "dataschemauri", "dataschemaxid"


class References:
    """The references of one registry's messages."""

    def __init__(self, registry: Registry, *, resolved: bool = False) -> None:
        """Look at all messages once, since a base's references are those of other messages too, unless ``resolved``."""
        self._registry = registry
        messages = () if resolved else registry.all_resources
        self._bases = frozenset(base_xid(resource.attributes) for resource in messages)

    def stated(self, xid: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message's attributes with its base as the message itself, and with the xid of its schema."""
        found = to_message(self._registry, attributes)
        schema = self._schema(xid, attributes)
        return {**found, XID: schema} if schema and XID not in found else found

    def written(self, xid: str, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the same as people write it: without the xid of the schema, where that follows from the URI."""
        found = to_message(self._registry, attributes)
        if XID not in found or found[XID] != self._schema(xid, attributes):
            return found
        return {name: value for name, value in found.items() if name != XID}

    def _schema(self, xid: str, attributes: Mapping[str, Any]) -> str:
        """Return the xid of the schema that a message's URI leads to; none for a base, from which it would pass on."""
        uri = attributes.get(URI)
        if not isinstance(uri, str) or not uri.removeprefix("#").startswith("/") or xid in self._bases:
            return ""
        reference = schema_reference(self._registry, uri)
        return reference.xid if reference.version is not None else ""


def to_message(registry: Registry, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes with a base that is named by its default version as the message."""
    written = attributes.get(BASE)
    if not isinstance(written, str):
        return attributes
    message, _, version = written.removeprefix("#").partition(f"/{VERSIONS}/")
    target = registry.resource(message) if version else None
    if target is None or version != target.defaultversionid:
        return attributes
    return {**attributes, BASE: message}
