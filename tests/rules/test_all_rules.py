"""The set of rules itself: names, pages, requirements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.examples import PAGES
from xregit.rules import RULES, Rule, rule_named
from xregit.rules.rule import ABOUT
from xregit.source.yaml_formatter import format_yaml

BANNED = re.compile(r"(use|avoid|prefer|no|do-not|must|should|do|disallow|check|require)-")

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def test_names_are_unique() -> None:
    """A name stands for one rule."""
    names = [rule.name for rule in RULES]
    assert sorted(set(names)) == sorted(names)


def test_every_page_has_its_rule() -> None:
    """No page is left of a rule that is gone."""
    pages = {page.name.removesuffix(".md") for page in PAGES.iterdir() if page.name.endswith(".md")}
    assert {rule.name for rule in RULES} == pages


@every_rule
def test_name_says_what_is_wrong(rule: Rule) -> None:
    """A rule isn't named after what to do, so that "ignore <rule>" reads as English."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert not BANNED.match(rule.name)


@every_rule
def test_declaration_is_complete(rule: Rule) -> None:
    """A rule says what it is about, what it finds in a sentence, and finds it unless others do."""
    assert rule.about in ABOUT
    assert rule.summary.endswith(".")
    assert (rule.check is None) == (rule.about in {"text", "model", "import", "suppression", "change"})
    assert rule_named(rule.name) is rule


@every_rule
def test_page_has_all_parts(rule: Rule) -> None:
    """A page has the rule's name, why it exists and what to do, a bad and a good example."""
    lines = rule.doc.splitlines()
    assert lines[0] == f"# {rule.name}"
    headings = ["## Bad", "## Good", *(["## When it is intended"] if rule.waivable else [])]
    assert re.findall("^## .*", rule.doc, re.MULTILINE) == headings
    paragraphs = rule.doc.split("\n\n")
    assert len([text for text in paragraphs[1 : paragraphs.index("## Bad")] if text.endswith(".")]) >= 2


@every_rule
def test_waivers_are_in_canonical_form(rule: Rule) -> None:
    """What a page shows passes ``fmt --check`` where it is copied."""
    for block in re.findall(r"```yaml\n# (?:\w+/)?waivers\.yaml\n(.*?)```", rule.doc, re.DOTALL):
        plain = re.sub(r"  # .*", "", block).encode()
        assert format_yaml(plain) == plain


def test_requirements_exist(shared: Path) -> None:
    """Every requirement that a rule names is in the table."""
    table = (shared / "spec" / "requirements.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| ([A-Z0-9]+-[0-9]+) \|", table, re.MULTILINE))
    assert not {item for rule in RULES for item in rule.requirements} - known
