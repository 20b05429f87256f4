"""Every rule, in reading order: RULES is the one list."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xregit.rules.rule import Rule

RULES: tuple[Rule, ...] = ()


def rule_named(name: str) -> Rule | None:
    """Return the rule of that name, or None."""
    return next((item for item in RULES if item.name == name), None)
