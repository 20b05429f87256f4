"""Every rule's page is its test: the bad example gives exactly the marked findings, the good one none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.examples import TODAY, example, findings, places, with_rules
from xregit.diagnostics import Severity
from xregit.rules import RULES, Rule, check

IMPORT = [rule for rule in RULES if rule.about == "import"]
# What the pages of rules about changes show is tested with `xregit.changes`.
CHECKED = [rule for rule in RULES if rule.about not in {"import", "change"}]
every_rule = pytest.mark.parametrize("rule", CHECKED, ids=lambda rule: rule.name)
# The same, each marked with the requirements that the rule enforces.
every_citing_rule = pytest.mark.parametrize(
    "rule",
    [pytest.param(rule, id=rule.name, marks=pytest.mark.requirement(*rule.requirements)) for rule in CHECKED],
)
every_import_rule = pytest.mark.parametrize("rule", IMPORT, ids=lambda rule: rule.name)


@every_citing_rule
def test_bad_example_gives_exactly_the_marked_findings(rule: Rule, tmp_path: Path) -> None:
    """A rule finds what its page marks, on those lines, and no other rule finds anything else."""
    bad = example(rule.name, "Bad")
    assert rule.name in {name for _, _, name in bad.due}
    assert bad.due == bad.found(findings(bad.registry(tmp_path)))


@every_citing_rule
def test_good_example_gives_no_finding(rule: Rule, tmp_path: Path) -> None:
    """What the page recommends is right by every rule."""
    good = example(rule.name, "Good")
    assert [str(item) for item in check(good.registry(tmp_path), TODAY).diagnostics] == []


@every_rule
def test_rule_that_is_off_finds_nothing(rule: Rule, tmp_path: Path) -> None:
    """The finding of the bad example comes from this rule and from no other."""
    bad = example(rule.name, "Bad")
    registry = bad.registry(tmp_path)
    off = with_rules(registry, {rule.name: "off"})
    others = {due: count for due, count in bad.due.items() if due[2] != rule.name}
    assert others == bad.found(findings(off))


@every_rule
def test_severity_can_be_set(rule: Rule, tmp_path: Path) -> None:
    """A registry decides how bad a finding is."""
    registry = example(rule.name, "Bad").registry(tmp_path)
    for level in Severity:
        changed = with_rules(registry, {rule.name: str(level)})
        assert {level} == {item.severity for item in check(changed, TODAY).diagnostics if item.rule == rule.name}


@every_rule
def test_findings_say_what_is_wrong_and_what_to_do(rule: Rule, tmp_path: Path) -> None:
    """A message is a sentence; what to do is said beside it."""
    registry = example(rule.name, "Bad").registry(tmp_path)
    for item in check(registry, TODAY).diagnostics:
        assert item.message[-1:] in {".", "?"}
        assert not item.message[:1].islower()
        assert item.help or item.severity is Severity.INFO


@every_import_rule
def test_import_of_the_bad_example_gives_exactly_the_marked_findings(rule: Rule, tmp_path: Path) -> None:
    """An import finds what the rule's page marks, at the rule's severity and with a word on what to do."""
    bad = example(rule.name, "Bad")
    diagnostics = bad.imported(tmp_path)
    assert bad.due == bad.found(places(diagnostics))
    assert [(item.rule, item.severity, bool(item.help)) for item in diagnostics] == [(rule.name, rule.severity, True)]


@every_import_rule
def test_import_of_the_good_example_gives_no_finding(rule: Rule, tmp_path: Path) -> None:
    """What the page of a rule of the import recommends can be imported without remarks."""
    assert [str(item) for item in example(rule.name, "Good").imported(tmp_path)] == []
