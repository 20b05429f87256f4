"""The xRegistry model language, its one interpreter, and the models of the specifications as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.lazily import later
from xregit.model.checking import check, siblings
from xregit.model.names import Name, canonical, named, names
from xregit.model.normalising import normalised
from xregit.model.reading import builtin

if TYPE_CHECKING:
    from xregit.model.extending import extended
    from xregit.model.schemas import json_schemas
    from xregit.model.sourcing import source_form

__all__ = [
    "Name",
    "builtin",
    "canonical",
    "check",
    "extended",
    "json_schemas",
    "named",
    "names",
    "normalised",
    "siblings",
    "source_form",
]

# Few commands need these, and reading a registry should start fast.
__getattr__ = later(__name__, {"extended": "extending", "json_schemas": "schemas", "source_form": "sourcing"})
