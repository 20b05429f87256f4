"""What comments accept, where files, documents and rules that are off meet."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.catalog.folders import folder
from tests.rules.examples import with_rules
from xregit.catalog import Registry, read_folder
from xregit.catalog.settings import MAX_PATHS, RuleSeverities
from xregit.document import read
from xregit.rules import check, loading_diagnostics

MESSAGE = "messagegroups/fleet/messages/a.yaml"
GROUP = {"messagegroups/fleet/messagegroup.yaml": "description: Vehicles.\n"}
OLD = "description: A.\nprotocol: HTTP\nprotocoloptions: {method: POST}\n"
ACCEPTED = (
    f"{OLD}# xregit: ignore removal-date-passed -- one depot needs it\ndeprecated: {{removal: 2026-01-01T00:00:00Z}}\n"
)


def findings(registry: Registry, today: date | None = None) -> list[tuple[str, int]]:
    """Return rules and lines of what the check finds, but for the remark that there are no CloudEvents."""
    quiet = with_rules(registry, {"messages-without-cloudevents": "off"})
    return [(item.rule, item.line) for item in check(quiet, today).diagnostics]


def test_without_a_date_nothing_is_past_and_no_comment_on_that_is_unused(tmp_path: Path) -> None:
    """A rule that was not looked into says nothing, and nothing is said of what accepts its findings."""
    registry = read_folder(folder(tmp_path, {**GROUP, MESSAGE: ACCEPTED}))
    assert findings(registry) == []
    assert findings(registry, date(2026, 6, 1)) == []
    assert findings(registry, date(2025, 6, 1)) == [("unused-suppression", 4)]


def test_comment_on_a_rule_that_is_off_is_not_unused(tmp_path: Path) -> None:
    """Who turns a rule off keeps the comments for the day on which it is turned on again."""
    text = "mood: good  # xregit: ignore unknown-attribute -- ours\ndescription: A.\n"
    registry = read_folder(folder(tmp_path, {**GROUP, MESSAGE: text}))
    assert findings(registry) == []
    assert findings(with_rules(registry, {"unknown-attribute": "off"})) == []


def test_comments_in_a_file_that_is_no_yaml_count_for_nothing(tmp_path: Path) -> None:
    """Nobody can tell what is a comment there."""
    text = 'description: "A.\n# xregit: ignore yaml-syntax -- no\n'
    registry = read_folder(folder(tmp_path, {**GROUP, MESSAGE: text}))
    assert [rule for rule, _ in findings(registry)] == ["yaml-syntax"]


def test_comment_accepts_what_reading_finds(tmp_path: Path) -> None:
    """A file that can be read around a fault is loaded, if its author accepts the fault; no other finding is added."""
    text = (
        "# xregit: ignore yaml-duplicate-key -- generated\n# xregit: ignore id-with-value -- unused\nname: A\nname: B\n"
    )
    text = text.replace("name: B", "name: B  # xregit: ignore yaml-duplicate-key -- generated")
    registry = read_folder(folder(tmp_path, {**GROUP, MESSAGE: text}))
    assert loading_diagnostics(registry) == ()


def test_pattern_covers_what_it_names_and_all_below() -> None:
    """A star is any part of a name, two any number of names; a slash at the beginning means xids."""
    path, xid = "registry/messagegroups/old.a/messages/m.yaml", "/messagegroups/old.a/messages/m"
    fitting = ("registry", "registry/", "registry/*/old.?", "registry/**/m.yaml", "/messagegroups/old.*", "/**", xid)
    assert [pattern for pattern in fitting if RuleSeverities(pattern, {}).covers(path, xid)] == list(fitting)
    others = (
        "registry/messagegroups/old",
        "messagegroups",
        "/messagegroups/*/messages/n",
        "/messagegroups/old",
        "*.yaml",
    )
    assert [pattern for pattern in others if RuleSeverities(pattern, {}).covers(path, xid)] == []


def test_more_patterns_than_count_are_an_error(tmp_path: Path) -> None:
    """A finding is compared with a limited number of patterns, so that a check of many takes no product of the two."""
    paths = "".join(f'  "/**{"*" * number}": {{}}\n' for number in range(MAX_PATHS))
    text = f'paths:\n{paths}  "/messagegroups": {{description-missing: error}}\n'
    registry = read_folder(folder(tmp_path, {"xregit.yaml": text, MESSAGE: "name: A\n"}))
    assert [(item.rule, item.path, item.line) for item in check(registry).diagnostics if item.severity == "error"] == [
        ("invalid-attribute", "registry/xregit.yaml", 1)
    ]
    assert len(registry.settings.paths) == MAX_PATHS


def test_comments_in_a_document_of_yaml_count(tmp_path: Path) -> None:
    """A document says in itself what is accepted, as files do."""
    message = "".join(f"        {line}\n" for line in ACCEPTED.splitlines())
    document = tmp_path / "registry.yaml"
    groups = f"messagegroups:\n  fleet:\n    description: Vehicles.\n    messages:\n      a:\n{message}"
    document.write_text(f"specversion: 1.0-rc2\nregistryid: r\n{groups}", encoding="utf-8")
    assert findings(read(document), date(2026, 6, 1)) == []
    document.write_text(document.read_text(encoding="utf-8").replace("# xregit: ignore", "# "), encoding="utf-8")
    assert [rule for rule, _ in findings(read(document), date(2026, 6, 1))] == ["removal-date-passed"]
