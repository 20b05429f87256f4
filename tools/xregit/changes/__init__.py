"""What changed between two states of a registry, and what each change does to those who send and who receive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.lazily import later

if TYPE_CHECKING:
    from xregit.changes.change import Change, Impact
    from xregit.changes.comparing import diff

__all__ = ["Change", "Impact", "diff"]

__getattr__ = later(__name__, {"Change": "change", "Impact": "change", "diff": "comparing"})
