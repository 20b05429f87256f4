"""Small registries of definitions, written as documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import xregit
from xregit.catalog import Registry

GROUP = "/messagegroups/g/messages/"


def registry_of(folder: Path, messages: Mapping[str, Mapping[str, Any]], **more: Any) -> Registry:
    """Return a registry with one group of these messages, and one endpoint that carries it."""
    document = {
        "specversion": "1.0-rc2",
        "registryid": "test",
        "messagegroups": {"g": {"messages": {name: {"messageid": name, **item} for name, item in messages.items()}}},
        "endpoints": {"all": {"usage": ["consumer"], "messagegroups": ["/messagegroups/g"]}},
        **more,
    }
    path = folder / "registry.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return xregit.read(path)
