"""RULES: every rule, family by family."""

from __future__ import annotations

from xregit.rules import (
    addresses,
    agreement,
    declared_rules,
    endpoints,
    envelopes,
    guidance,
    identity,
    media_types,
    payloads,
    protocols,
    references,
    schemas,
    spelling,
    suppression,
    templates,
)
from xregit.rules.rule import Rule

# Modules of rules, family by family; each has its rules in reading order.
_FAMILIES = (
    identity,
    spelling,
    references,
    guidance,
    agreement,
    envelopes,
    protocols,
    templates,
    payloads,
    media_types,
    endpoints,
    addresses,
    schemas,
)
RULES: tuple[Rule, ...] = (
    *declared_rules.FILES,
    *declared_rules.YAML,
    *declared_rules.JSON,
    *declared_rules.DOCUMENTS,
    *schemas.DOCUMENTS,
    *declared_rules.MODEL,
    *declared_rules.IMPORT,
    *suppression.RULES,
    declared_rules.unknown_rule_waived,
    declared_rules.waiver_without_effect,
    *(item for family in _FAMILIES for item in vars(family).values() if isinstance(item, Rule)),
    *declared_rules.RULES,
)


def rule_named(name: str) -> Rule | None:
    """Return the rule of that name, or None."""
    return next((item for item in RULES if item.name == name), None)
