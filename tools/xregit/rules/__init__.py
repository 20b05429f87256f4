"""What is wrong with a catalog: the rules, in one list, and the run that applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.arguments import to_day
from xregit.catalog.registry import expect_registry
from xregit.rules import runner
from xregit.rules.registry import RULES, rule_named
from xregit.rules.rule import Rule
from xregit.rules.runner import Report

if TYPE_CHECKING:
    from datetime import date

    from xregit.catalog.registry import Registry
    from xregit.diagnostics import Diagnostic
    from xregit.rules.suppression import Severities

__all__ = ["RULES", "Report", "Rule", "check", "loading_diagnostics", "rule_named", "severities"]


def check(registry: Registry, today: date | None = None) -> Report:
    """Return everything that is wrong with a registry, by all rules and at the severities that it sets.

    Rules that ask for the date find nothing unless ``today`` is given.

    Raises:
        XregitError: ``registry`` is no registry, or ``today`` no date.
    """
    expect_registry(registry)
    day = None if today is None else to_day(today)
    return runner.run(registry, RULES, day)


def loading_diagnostics(registry: Registry) -> tuple[Diagnostic, ...]:
    """Return what loading the registry's files has found, as sentences and at the severities that it sets."""
    return runner.loading_diagnostics(registry, RULES)


def severities(registry: Registry) -> Severities:
    """Return the function that says how bad a rule's finding is, by rule, path and xid; None where the rule is off."""
    return runner.severities(registry, RULES)
