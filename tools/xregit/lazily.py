"""Names that a package offers, each imported when it is first used, so that importing the package costs little."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def later(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package; ``places`` says for each name which module of the package has it.

    A place such as ``document.loading:load_all`` also says what the name is called in that module, if not the same.
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
