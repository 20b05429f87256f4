"""What is wrong with a catalog: the rules, in one list, and the run that applies them."""

from xregit.rules.all_rules import RULES, rule_named
from xregit.rules.rule import Rule
from xregit.rules.runner import Report, check, loading_diagnostics, severities

__all__ = ["RULES", "Report", "Rule", "check", "loading_diagnostics", "rule_named", "severities"]
