"""Names that a package offers and imports where they are first asked for, so that it costs next to nothing itself."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def later(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``, by the modules of the names, relative to it, as in ``document.loading``.

    Where a name is another one in its module, that stands behind a colon.
    """

    def found(name: str) -> Any:
        if name not in places:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        module, _, attribute = places[name].partition(":")
        value = getattr(import_module(f"{package}.{module}"), attribute or name)
        setattr(sys.modules[package], name, value)
        return value

    return found
