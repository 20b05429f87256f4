"""The xRegistry model language, its one interpreter, and the models of the specifications as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
_LATER = {"extended": "extending", "json_schemas": "schemas", "source_form": "sourcing"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(f"xregit.model.{_LATER[name]}"), name)
