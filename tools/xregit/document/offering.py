"""The capabilities of a registry to those that it offers; a static one offers just those that it has.

Source: core specification, "Offered Capabilities".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def offered(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each capability its type and the values it may have, which are those that it has."""
    return {name: _offer(value) for name, value in capabilities.items()}


def _offer(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {"type": "object", "attributes": offered(value)}
    if isinstance(value, bool):
        return {"type": "boolean", "enum": [value]}
    return {"type": "array", "enum": list(value), "item": {"type": "string"}}
