"""An endpoint without what looks like a credential: the check reports it, and no page repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.rules.endpoints import is_credential

if TYPE_CHECKING:
    from xregit.catalog.views import Endpoint

HIDDEN = "(not shown, as it looks like a credential)"


def discreet(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint, itself where nothing in it looks like a credential."""
    stated = _without(endpoint.attributes, "")
    if stated is endpoint.attributes:
        return endpoint
    return replace(endpoint, entity=replace(endpoint.entity, attributes=stated))


def _without(value: Any, name: str) -> Any:
    """Return a value with texts replaced that look like credentials; the same object where none does."""
    if is_credential(name, value):
        return HIDDEN
    if isinstance(value, Mapping):
        found = {key: _without(item, key) for key, item in value.items()}
        return value if all(found[key] is item for key, item in value.items()) else found
    if isinstance(value, list | tuple):
        items = [_without(item, name) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value
