"""Every page of a rule about changes is its test: the bad example gives exactly the marked findings, the good none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changes.examples import count_findings, pair
from xregit.changes.change import Impact
from xregit.changes.verdict_table import load_table
from xregit.diagnostics import Severity
from xregit.rules import RULES, Rule
from xregit.rules.declared_rules import BREAKS, OF_WAIVERS, POLICY, UNCLEAR

CHANGES = [rule for rule in RULES if rule.about == "change"]
every_rule = pytest.mark.parametrize(
    "rule",
    [pytest.param(rule, id=rule.name, marks=pytest.mark.requirement(*rule.requirements)) for rule in CHANGES],
)


@every_rule
def test_bad_change_gives_exactly_the_marked_findings(rule: Rule, tmp_path: Path) -> None:
    """A change has what its page marks against it, on those lines, at the rule's severity, and nothing else."""
    bad = pair(rule.name, "Bad")
    review = bad.review(tmp_path)
    assert bad.after.due == count_findings(review, bad.after.due)
    assert {rule.severity} == {item.severity for item in review.diagnostics if item.rule == rule.name}
    assert all(item.help for item in review.diagnostics if item.rule != "waiver-used")
    assert all(item.message.endswith(".") and not item.message[0].islower() for item in review.diagnostics)


@every_rule
def test_good_change_gives_no_finding(rule: Rule, tmp_path: Path) -> None:
    """What the page recommends may be merged."""
    assert [str(item) for item in pair(rule.name, "Good").review(tmp_path).diagnostics] == []


def test_every_verdict_that_matters_is_a_rule() -> None:
    """What breaks somebody, or may, is declared, and says whom and what to do; nothing declared is never found."""
    judged = {
        row.rule: row for row in load_table().rows if {Impact.BREAKING, Impact.UNKNOWN} & {row.producer, row.consumer}
    }
    assert judged.keys() == {rule.name for rule in (*BREAKS, *UNCLEAR)}
    assert {rule.name for rule in CHANGES} - judged.keys() == {rule.name for rule in (*OF_WAIVERS, *POLICY)}
    declared = {rule.name: rule for rule in CHANGES}
    for row in load_table().rows:
        if row.rule in judged and {Impact.BREAKING, Impact.UNKNOWN} & {row.producer, row.consumer}:
            assert row.help, row.rule
            assert row.says.keys() == {"producer", "consumer"}, row.rule
            assert row.requirement, row.rule
            # What can't be compared fails as well; where there was no schema, there is nothing to compare.
            described = row.rule == "payload-described"
            assert declared[row.rule].severity is (Severity.WARNING if described else Severity.ERROR)


def test_the_last_row_takes_whatever_is_left() -> None:
    """A difference of any attribute has a verdict."""
    last = load_table().rows[-1]
    assert last.conditions == {"kind": ("attribute", "item", "order")}
