"""The xRegistry model language, its one interpreter, and the models of the specifications as data."""

from __future__ import annotations

from xregit.model.aliases import Name, canonical, find_name, names
from xregit.model.extension import extend
from xregit.model.interpreter import check, normalise, siblings
from xregit.model.json_schema import json_schemas
from xregit.model.loader import builtin, export_source

__all__ = [
    "Name",
    "builtin",
    "canonical",
    "check",
    "export_source",
    "extend",
    "find_name",
    "json_schemas",
    "names",
    "normalise",
    "siblings",
]
