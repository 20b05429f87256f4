"""What changed between two states of a registry, and what each change does to those who send and who receive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xregit.changes.change import Change, Impact
    from xregit.changes.comparing import diff

__all__ = ["Change", "Impact", "diff"]

_PLACES = {"Change": "change", "Impact": "change", "diff": "comparing"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
