"""What changed between two states of a registry, and what each change does to producers and consumers."""

from __future__ import annotations

from xregit.changes.change import Change, Impact
from xregit.changes.differ import diff

__all__ = ["Change", "Impact", "diff"]
