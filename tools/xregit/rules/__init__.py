"""What is wrong with a catalog: the rules, in one list, and the run that applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.collecting import uncollected
from xregit.rules.listed import RULES, rule_named
from xregit.rules.rule import Rule
from xregit.rules.running import Report, run

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

__all__ = ["RULES", "Report", "Rule", "check", "rule_named"]


def check(registry: Registry) -> Report:
    """Return everything that is wrong with a registry, by all rules and at the severities that it sets."""
    with uncollected():
        return run(registry, RULES)
