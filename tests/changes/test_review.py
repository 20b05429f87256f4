"""What may be merged: removals by their day, waivers by theirs, drafts, and what a repository's settings say."""

from __future__ import annotations

from datetime import date
from json import dumps
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.folders import registry_of
from tests.changes.test_differ import cases, states
from xregit.changes import diff
from xregit.changes.review import MergeDecision, Review, review
from xregit.reports.changes import changes_text
from xregit.reports.markdown import changes_markdown
from xregit.rules import RULES, check

GROUP, MESSAGE = "messagegroups/g/messagegroup.yaml", "messagegroups/g/messages/m.yaml"
TODAY = date(2026, 6, 1)
TOPIC = "protocol: KAFKA\nprotocoloptions:\n  topic: {}\n"
WAIVER = """\
waivers:
  - xid: {xid}
    rule: address-moved
    attribute: {attribute}
    reason: A trial.
    approvedby: Fleet Engineering
    until: {until}
"""


def reviewed(folder: Path, before: dict[str, str], after: dict[str, str], today: date = TODAY) -> Review:
    """Write two states of a registry, compare them and judge the changes."""
    old, new = registry_of(folder / "before", before), registry_of(folder / "after", after)
    return review(diff(old, new), old, new, today=today)


def standings(made: Review) -> list[str]:
    """Return how each change stands."""
    return [str(item.decision) for item in made.items]


@pytest.mark.requirement("MSG-8")
@pytest.mark.parametrize(
    ("deprecated", "standing", "advice"),
    [
        ("{removal: 2026-06-01T00:00:00Z}", MergeDecision.ANNOUNCED, ""),
        ("{removal: 2026-06-01T23:00:00-05:00}", MergeDecision.STANDS, "wait until then"),
        ("{removal: 2026-06-02}", MergeDecision.STANDS, "wait until then"),
        ("{effective: 2020-01-01T00:00:00Z}", MergeDecision.STANDS, "names no day"),
        ("{removal: soon}", MergeDecision.STANDS, "names no day"),
        ("{}", MergeDecision.STANDS, "names no day"),
    ],
)
@pytest.mark.parametrize("where", ["message", "group"])
def test_a_removal_waits_for_its_day(
    deprecated: str, standing: MergeDecision, advice: str, where: str, tmp_path: Path
) -> None:
    """That of the definition itself, or of its group; a day begins at midnight in UTC."""
    stated = {"message": {MESSAGE: f"description: M.\ndeprecated: {deprecated}\n", GROUP: "description: G.\n"}}
    stated["group"] = {MESSAGE: "description: M.\n", GROUP: f"description: G.\ndeprecated: {deprecated}\n"}
    after = {GROUP: stated[where][GROUP]}
    review = reviewed(tmp_path, stated[where], after)
    assert standings(review) == [standing]
    assert review.failed == (standing is MergeDecision.STANDS)
    assert all(advice in item.help for item in review.diagnostics)


@pytest.mark.parametrize(
    ("xid", "attribute", "until", "standing", "rules"),
    [
        ("/messagegroups/g/messages/m", "protocoloptions.topic", "2026-06-01", "waived", ["waiver-used"]),
        ('"/messagegroups/*"', "protocoloptions.topic", "2026-06-02", "waived", ["waiver-used"]),
        ("/messagegroups/g/messages/m", "protocoloptions.topic", "2026-05-31", "stands", ["address-moved"]),
        (
            "/messagegroups/g/messages/m",
            "protocoloptions.key",
            "2026-06-01",
            "stands",
            ["address-moved", "waiver-unneeded"],
        ),
        (
            "/messagegroups/g/messages/n",
            "protocoloptions.topic",
            "2026-06-01",
            "stands",
            ["address-moved", "waiver-unneeded"],
        ),
    ],
)
def test_a_waiver_counts_for_what_it_names_until_its_day(  # noqa: PLR0913, PLR0917 - what a waiver says and what comes of it
    xid: str, attribute: str, until: str, standing: str, rules: list[str], tmp_path: Path
) -> None:
    """What it lets through is told, so is that nothing needs it; what fails as it has ended says so."""
    waivers = WAIVER.format(xid=xid, attribute=attribute, until=until)
    before, after = ({MESSAGE: TOPIC.format(topic), "waivers.yaml": waivers} for topic in ("a", "b"))
    review = reviewed(tmp_path, before, after)
    assert standings(review) == [standing]
    assert sorted(item.rule for item in review.diagnostics) == rules
    used = [item for item in review.diagnostics if item.rule.startswith("waiver")]
    assert {(item.path, item.line) for item in used} <= {("registry/waivers.yaml", 2)}
    assert any("ended on 2026-05-31" in item.help for item in review.diagnostics) == (until == "2026-05-31")


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        (WAIVER.format(xid="/a", attribute="b", until="2026-13-01"), "invalid-attribute", 7),
        (
            "waivers:\n  - xid: /a\n    rule: address-moved\n    reason: R.\n    until: 2026-12-31\n",
            "required-attribute-missing",
            2,
        ),
        ("waivers: all\n", "invalid-attribute", 1),
        ("waivers:\n  - all\n", "invalid-attribute", 2),
        ("waiver: []\n", "unknown-attribute", 1),
        ("- a\n", "not-a-mapping", 1),
    ],
)
def test_waivers_are_checked_like_everything_else(text: str, rule: str, line: int, tmp_path: Path) -> None:
    """Each fault at its line; what has the wrong form lets nothing through."""
    registry = registry_of(tmp_path, {GROUP: "description: G.\n", "waivers.yaml": text})
    results = {(item.rule, item.line) for item in check(registry).diagnostics if item.path == "registry/waivers.yaml"}
    assert (rule, line) in results
    assert reviewed(
        tmp_path / "more", {MESSAGE: TOPIC.format("a")}, {MESSAGE: TOPIC.format("b"), "waivers.yaml": text}
    ).failed


@pytest.mark.requirement("MSG-8")
@pytest.mark.parametrize(
    ("before", "after", "fails"),
    [
        ("", "{removal: 2020-01-01T00:00:00Z}", True),
        ("", f"{{removal: {TODAY}T00:00:00Z}}", True),
        ("", "{removal: 2099-01-01T00:00:00Z}", False),
        ("{removal: 2099-01-01T00:00:00Z}", "{removal: 2020-01-01T00:00:00Z}", True),
        ("{removal: 2020-01-01T00:00:00Z}", "{removal: 2020-01-01T00:00:00Z, alternative: /a}", False),
    ],
)
def test_removal_is_announced_for_a_day_ahead(before: str, after: str, fails: bool, tmp_path: Path) -> None:
    """Nobody announces a removal for a day that has come, in order to remove what others rely on."""
    old, new = ({MESSAGE: TOPIC.format("a") + (f"deprecated: {each}\n" if each else "")} for each in (before, after))
    review = reviewed(tmp_path, old, new)
    assert review.failed is fails
    assert [item.rule for item in review.diagnostics] == ["definition-removed"] * fails


@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [("draft", "draft", "draft"), ("draft", "", "draft"), ("", "", "stands"), ("", "draft", "stands")],
)
def test_drafts_may_change(before: str, after: str, standing: str, tmp_path: Path) -> None:
    """What counts is what the group was before; nobody makes a draft of it in order to break it."""
    stage = "labels:\n  stage: {}\n"
    old = {MESSAGE: TOPIC.format("a"), GROUP: "description: G.\n" + (stage.format(before) if before else "")}
    new = {MESSAGE: TOPIC.format("b"), GROUP: "description: G.\n" + (stage.format(after) if after else "")}
    review = reviewed(tmp_path, old, new)
    result = {item.change.rule: str(item.decision) for item in review.items}
    assert result["address-moved"] == standing
    assert result.get("made-draft") == ("stands" if after and not before else None)


@pytest.mark.parametrize("scope", ["/messagegroups/internal.*", "registry/messagegroups/internal.g"])
def test_move_to_where_a_break_weighs_less_does_not_help(scope: str, tmp_path: Path) -> None:
    """What a group is called and where it stands before the change counts as well."""
    settings = {"xregit.yaml": f"paths: {{{scope}: {{address-moved: 'off'}}}}\n"}
    states = [
        settings | {f"messagegroups/{group}/messages/{name}.yaml": TOPIC.format(name + end) for name in "abc"}
        for group, end in (("g", ""), ("internal.g", ""))
    ]
    states[1]["messagegroups/internal.g/messages/d.yaml"] = TOPIC.format("elsewhere")
    states[0]["messagegroups/g/messages/d.yaml"] = TOPIC.format("d")
    review = reviewed(tmp_path, states[0], states[1])
    assert review.failed
    assert [item.rule for item in review.diagnostics] == ["address-moved"]


@pytest.mark.parametrize("case", cases("reviews.yaml"))
def test_all_that_a_change_is_about_counts(case: dict[str, Any], tmp_path: Path) -> None:
    """By its former and by its new xid: a waiver, a draft, a severity, and the day of a removal."""
    old, new = states(tmp_path, case)
    review_ = review(diff(old, new), old, new, today=TODAY)
    breaks = [item for item in review_.items if item.decision is not MergeDecision.FINE]
    assert sorted(f"{item.decision} {item.change.rule} {item.change.xid}" for item in breaks) == sorted(case["breaks"])
    assert sorted(item.rule for item in review_.diagnostics) == sorted(case["rules"])
    assert review_.failed == any(item.decision is MergeDecision.STANDS for item in breaks)
    assert case.get("says", "") in "".join(f"{item.message} {item.help}" for item in review_.diagnostics)


def test_list_of_what_a_model_says_has_an_end(tmp_path: Path) -> None:
    """A model may be new as a whole: a reviewer gets the first of its parts, and how many there are beside."""
    before = {"registry.yaml": "registryid: r\n"}
    model = dumps({"attributes": {f"a{number}": "string" for number in range(1060)}})
    made = reviewed(tmp_path, before, {**before, "model.yaml": model})
    assert len(made.diagnostics) == 51
    assert "1,010 more parts of the model differ." in {item.message for item in made.diagnostics}


@pytest.mark.parametrize("attribute", ["basemessage", "xref"])
def test_break_weighs_what_it_weighs_for_all_that_it_reaches(attribute: str, tmp_path: Path) -> None:
    """A base message, or what an alias leads to, may stand where a break is let through; what builds on it does not."""
    files = {
        "xregit.yaml": "paths: {/messagegroups/internal: {address-moved: 'off'}}\n",
        MESSAGE: f"{attribute}: /messagegroups/internal/messages/m\n",
    }
    alone, before, after = (
        {**files, "messagegroups/internal/messages/m.yaml": TOPIC.format(topic)} for topic in ("a", "a", "b")
    )
    assert reviewed(tmp_path, before, after).failed
    del alone[MESSAGE]
    rest = {path: text for path, text in after.items() if path != MESSAGE}
    assert not reviewed(tmp_path / "alone", alone, rest).failed


@pytest.mark.parametrize("own", ["protocoloptions", "basemessage"])
def test_waiver_of_a_base_message_does_not_cover_an_edit_of_another_file(own: str, tmp_path: Path) -> None:
    """What a message itself states otherwise breaks under its own xid, even if its base message changes alike."""
    other = "/messagegroups/g/messages/{}"
    states = []
    for topic in ("a", "b"):
        text = TOPIC.format(topic)
        mine = text + f"basemessage: {other.format('m')}\n"
        if own == "basemessage":
            mine = f"description: N.\nbasemessage: {other.format('m' if topic == 'a' else 'b')}\n"
        states.append(
            {
                MESSAGE: text,
                MESSAGE.replace("m.yaml", "n.yaml"): mine,
                MESSAGE.replace("m.yaml", "b.yaml"): TOPIC.format("b"),
                "waivers.yaml": WAIVER.format(
                    xid=other.format("m"), attribute="protocoloptions.topic", until="2099-12-31"
                ),
            }
        )
    review = reviewed(tmp_path, states[0], states[1])
    assert [item.change.xid for item in review.items if item.decision is MergeDecision.STANDS] == [other.format("n")]
    assert review.failed


def test_move_into_a_draft_group_breaks(tmp_path: Path) -> None:
    """Nothing changes on the wire by it, but from then on everything may; out of a draft group anything may move."""
    groups = {GROUP: "description: G.\n", "messagegroups/d/messagegroup.yaml": "labels: {stage: draft}\n"}
    stable, draft = ({**groups, path: TOPIC.format("a")} for path in (MESSAGE, "messagegroups/d/messages/m.yaml"))
    review = reviewed(tmp_path / "in", stable, draft)
    assert {item.change.rule: str(item.decision) for item in review.items} == {
        "definition-renamed": "fine",
        "made-draft": "stands",
    }
    assert not reviewed(tmp_path / "out", draft, stable).failed


def test_a_draft_that_reaches_others_is_none(tmp_path: Path) -> None:
    """A base message in a draft group is relied on by what builds on it elsewhere."""
    files = {
        "messagegroups/d/messagegroup.yaml": "labels:\n  stage: draft\n",
        "messagegroups/d/messages/base.yaml": TOPIC.format("a"),
        MESSAGE: "basemessage: /messagegroups/d/messages/base\n",
    }
    review = reviewed(tmp_path, files, {**files, "messagegroups/d/messages/base.yaml": TOPIC.format("b")})
    assert standings(review) == ["stands"]


@pytest.mark.parametrize(
    ("settings", "severities", "failed"),
    [
        ("rules: {address-moved: warning}\n", ["warning"], False),
        ("rules: {address-moved: 'off'}\n", [], False),
        ("paths: {/messagegroups/g: {address-moved: info}}\n", ["info"], False),
        ("paths: {/messagegroups/other: {address-moved: info}}\n", ["error"], True),
    ],
)
def test_a_repository_sets_how_bad_a_break_is(
    settings: str, severities: list[str], failed: bool, tmp_path: Path
) -> None:
    """For all of it, or for a part."""
    before, after = ({MESSAGE: TOPIC.format(topic), "xregit.yaml": settings} for topic in ("a", "b"))
    review = reviewed(tmp_path, before, after)
    assert [str(item.severity) for item in review.diagnostics] == severities
    assert review.failed == failed
    assert standings(review) == ["stands" if severities else "off"]


LENIENT = {
    "waivers.yaml": WAIVER.format(xid='"*"', attribute="protocoloptions.topic", until="2099-12-31"),
    "xregit.yaml": "rules: {address-moved: 'off', id-with-value: 'off'}\npaths: {/**: {address-moved: info}}\n",
}


@pytest.mark.parametrize("file", LENIENT)
def test_change_does_not_judge_itself(file: str, tmp_path: Path) -> None:
    """What lets a break through counts once it is merged; until then it is told, at the head, and the break stands."""
    before, after = ({MESSAGE: TOPIC.format(topic), GROUP: "description: G.\n"} for topic in ("a", "b"))
    review = reviewed(tmp_path, before, {**after, file: LENIENT[file]})
    assert review.failed
    assert standings(review) == ["stands"]
    assert {item.path for item in review.policy} == {f"registry/{file}"}
    assert not reviewed(tmp_path / "merged", {**before, file: LENIENT[file]}, {**after, file: LENIENT[file]}).failed


def test_waiver_that_goes_with_its_change_counts(tmp_path: Path) -> None:
    """It was agreed on before; that it is used is told, without a line, and not that it is new or unneeded."""
    review = reviewed(
        tmp_path, {MESSAGE: TOPIC.format("a"), "waivers.yaml": LENIENT["waivers.yaml"]}, {MESSAGE: TOPIC.format("b")}
    )
    assert [(item.rule, item.path, item.line) for item in review.diagnostics] == [
        ("waiver-used", "registry/waivers.yaml", 0)
    ]
    assert review.policy == ()


def test_rules_that_a_change_turns_off_are_on(tmp_path: Path) -> None:
    """A check against a base takes the worse severity of the two, for rules about definitions as well."""
    text = "envelope: CloudEvents/1.0\nenvelopemetadata: {id: {value: a}}\n"
    quiet = "rules: {id-with-value: 'off'}\n"
    on = registry_of(tmp_path / "on", {MESSAGE: text})
    off = registry_of(tmp_path / "off", {MESSAGE: text, "xregit.yaml": quiet})
    rules = [{item.rule for item in check(*pair).diagnostics} for pair in ((off, None, on), (on, None, off), (off,))]
    assert ["id-with-value" in names for names in rules] == [True, True, False]
    first = registry_of(tmp_path / "first", {"registry.yaml": ""})
    assert "id-with-value" not in {item.rule for item in check(off, None, first).diagnostics}


def test_what_is_gone_is_told_where_it_stood(tmp_path: Path) -> None:
    """An inline message in the file of its group, one with a file of its own there, a version in its document."""
    files = {
        GROUP: "description: G.\nmessages:\n  inline: {description: I.}\n  other: {description: O.}\n",
        MESSAGE: "description: M.\n",
        "schemagroups/s/schemas/x/schema.yaml": "format: JsonSchema/draft-07\n",
        "schemagroups/s/schemas/x/versions/1.json": "{}",
        "schemagroups/s/schemas/x/versions/2.json": "{}",
    }
    after = {
        GROUP: "description: G.\nmessages:\n  other: {description: O.}\n",
        "schemagroups/s/schemas/x/schema.yaml": "format: JsonSchema/draft-07\n",
        "schemagroups/s/schemas/x/versions/2.json": "{}",
    }
    review = reviewed(tmp_path, files, after)
    assert sorted((item.path, item.line) for item in review.diagnostics) == [
        (f"registry/{GROUP}", 1),
        (f"registry/{MESSAGE}", 0),
        ("registry/schemagroups/s/schemas/x/versions/1.json", 0),
    ]


def test_finding_says_who_has_to_do_something_and_what_else_changes(tmp_path: Path) -> None:
    """A base message hits those that derive from it, of which the first few are named."""
    derived = {f"messagegroups/g/messages/d{n}.yaml": "basemessage: /messagegroups/g/messages/m\n" for n in range(5)}
    before, after = ({GROUP: "description: G.\n", MESSAGE: TOPIC.format(topic), **derived} for topic in ("a", "b"))
    (finding,) = reviewed(tmp_path, before, after).diagnostics
    assert finding.message == (
        '"protocoloptions.topic" moves from "a" to "b". Producers must send to another place. '
        "Consumers no longer receive anything at the old place. "
        'It also affects "/messagegroups/g/messages/d0", "/messagegroups/g/messages/d1", '
        '"/messagegroups/g/messages/d2" and 2 more.'
    )


SCHEMA = "schemagroups/s/schemas/x/versions/1.json"
PAYLOAD = {
    "schemagroups/s/schemas/x/schema.yaml": "format: JsonSchema/draft-07\n",
    MESSAGE: "dataschemaformat: JsonSchema/draft-07\ndataschemauri: /schemagroups/s/schemas/x\n",
}
BEFORE = """\
{
  "type": "object",
  "properties": {
    "a": {"type": "string"},
    "state": {"enum": ["on", "off"]},
    "c": {"type": "string"},
    "d": {"type": "string"}
  },
  "required": ["a"]
}
"""


@pytest.mark.parametrize(
    ("edits", "line", "column"),
    [
        ({'["on", "off"]': '["on", "off", "broken"]'}, 5, 6),
        ({'"c": {"type": "string"}': '"c": {"type": "integer"}', '"type": "object"': '"type":   "object"'}, 6, 6),
        ({'["a"]': '["a", "d"]'}, 9, 22),
        ({'  "required": ["a"]\n': "", '"d": {"type": "string"}\n  },': '"d": {"type": "string"}\n  }'}, 8, 3),
        ({BEFORE: '{"type": "array"}'}, 1, 1),
        ({'    "a": {"type": "string"},\n': "", '["a"]': "[]"}, 4, 5),
    ],
)
def test_a_changed_payload_is_found_at_its_line(edits: dict[str, str], line: int, column: int, tmp_path: Path) -> None:
    """At the first name of what breaks in a changed line, else at the first line that changed."""
    after = BEFORE
    for old, new in edits.items():
        assert old in after
        after = after.replace(old, new)
    review = reviewed(tmp_path, PAYLOAD | {SCHEMA: BEFORE}, PAYLOAD | {SCHEMA: after})
    assert [(item.line, item.column) for item in review.diagnostics if item.path.endswith(SCHEMA)] == [(line, column)]


def test_all_changes_of_a_payload_are_listed(tmp_path: Path) -> None:
    """Each in a line of its own, however many there are."""
    names = [f"name{number}" for number in range(12)]
    schemas = [
        dumps({"type": "object", "properties": {name: {"type": kind} for name in names}, "required": required})
        for kind, required in (("string", []), ("string", names))
    ]
    changed = reviewed(tmp_path, PAYLOAD | {SCHEMA: schemas[0]}, PAYLOAD | {SCHEMA: schemas[1]})
    (change,) = (item.change for item in changed.items)
    assert change.where == tuple(names)
    assert all(name in " ".join(change.details) for name in names)
    assert [line for line in changes_text(changed).split("\n") if line.startswith("    - ")] == [
        f"    - {detail}" for detail in change.details
    ]


def test_what_to_do_where_a_break_is_intended(tmp_path: Path) -> None:
    """Findings and summaries name the file of the waivers, pages show one; nobody is told where nothing breaks."""
    advice = "add a waiver to registry/waivers.yaml"
    broken = reviewed(tmp_path / "broken", {MESSAGE: TOPIC.format("a")}, {MESSAGE: TOPIC.format("b")})
    assert all(advice in text for text in (broken.diagnostics[0].help, changes_text(broken), changes_markdown(broken)))
    fine = reviewed(tmp_path / "fine", {MESSAGE: TOPIC.format("a")}, {MESSAGE: f"description: M.\n{TOPIC.format('a')}"})
    assert advice not in changes_text(fine) + changes_markdown(fine)
    assert all("rule: " + rule.name in rule.doc for rule in RULES if rule.waivable)
