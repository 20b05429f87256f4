"""Whatever stands in a text of the tree, each report keeps its form: one test over all formats and all text fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from xregit.catalog import Place
from xregit.changes import Change, Impact
from xregit.changes.review import MergeDecision, Review, ReviewItem
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.reports.changes import changes_json, changes_text
from xregit.reports.formats import REPORTS
from xregit.reports.markdown import changes_markdown

HOSTILE = (
    "</summary ></details ><h2 >Approved</h2 ><img src=https://e.example/p.png >",
    "[Approved](https://e.example/) ![x](https://e.example/p.png)",
    "a | **b** | c ~~d~~ &lt;b&gt; &#124; $x$",
    '"; for example [1]. | `b` ``c',
    "x\n\n## Approved\n\n::error file=a::b\r\n##vso[task.complete]",
    "%0A::warning::x,line=1:%25",
    "\x1b[2J\x1b]0;x\x07\u202e\u2028\x00\ufffe\ud800",
    "]]>&x;<failure/>",
    "@octocat #1 <!-- ",
)
# Whose values are ours: the names of rules and kinds, and what is counted.
OURS = {"rule", "requirement", "severity", "change", "kind", "producer", "consumer"}
BENIGN = "text"


def filled(record: Any, text: str) -> Any:
    """Return a record with a text in each field that may have one from the tree."""
    texts = {field.name for field in fields(record) if isinstance(getattr(record, field.name), str)} - OURS
    return replace(record, **dict.fromkeys(texts, text))


def diagnostics(text: str) -> Sequence[Diagnostic]:
    """Return a finding of each severity that has a text everywhere."""
    benign = Diagnostic("value-changed", Severity.ERROR, "", "", 1, 2, 1, 4, "", "", "MSG-10")
    return [replace(filled(benign, text), severity=severity) for severity in Severity]


def reviewed(text: str) -> Review:
    """Return changes of all kinds that have a text everywhere."""
    says = {"producer": text, "consumer": f'It is "{text}".'}
    change = Change(f"/{text}/{text}/messages/{text}", "changed", "value-changed", Impact.BREAKING, Impact.BREAKING, "")
    change = replace(
        filled(change, text), path=("a", text), says=says, reaches=(text, f"/{text}"), details=(text, f'"{text}"')
    )
    kinds = [Impact.BREAKING, Impact.UNKNOWN, Impact.COMPATIBLE, Impact.COSMETIC]
    items = [
        ReviewItem(replace(change, producer=kind, consumer=kind), decision, Place(text), Span(1, 1, 1, 2), reason=text)
        for kind in kinds
        for decision in (MergeDecision.STANDS, MergeDecision.WAIVED)
    ]
    policy = tuple(diagnostics(text))
    return Review(tuple(items), policy, unreadable=(text,), policy=policy, waivers_path=text)


def lines(report: str) -> Any:
    """Return how many lines a report for people has, of which each can be printed."""
    assert all(line.isprintable() for line in report.split("\n"))
    return report.count("\n")


def commands(report: str) -> Any:
    """Return the commands and properties of annotations, as GitHub's runner reads them."""
    found = [re.fullmatch(r"::(\w+) ([^\r\n]*?)::([^\r\n]*)", line) for line in report.split("\n")]
    assert None not in found
    return [(match[1], [item.partition("=")[0] for item in match[2].split(",")]) for match in found if match]


def elements(report: str) -> Any:
    """Return the elements and attributes of an XML report."""
    return [(item.tag, sorted(item.attrib)) for item in ET.fromstring(report).iter()]  # noqa: S314 - it is ours


def members(report: str) -> Any:
    """Return the shape of a JSON report; no text of SARIF is a link."""
    value = json.loads(report)
    for run in value.get("runs", ()):
        texts = [result["message"]["text"] for result in run["results"]]
        assert not any(re.search(r"(?<!\\)\[[^\]]*\]\(", text) for text in texts)
    return shape(value)


def shape(value: Any) -> Any:
    """Return a value without its texts and numbers."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else None


def markup(report: str) -> Any:
    """Return the tags of a Markdown report as it is shown, without those of quoted texts and breaks, and its links."""
    html = MarkdownIt("commonmark").enable("table").enable("strikethrough").render(report)
    shown = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert "@octocat" not in shown
    return re.findall(r"<(/?[a-z][a-z0-9]*)((?:\s[^<>]*)?)>", shown)


READERS: dict[str, tuple[Callable[[str], str], Callable[[str], Any]]] = {
    "text": (lambda text: REPORTS["text"](diagnostics(text)), lines),
    "json": (lambda text: REPORTS["json"](diagnostics(text)), members),
    "github": (lambda text: REPORTS["github"](diagnostics(text)), commands),
    "sarif": (lambda text: REPORTS["sarif"](diagnostics(text)), members),
    "junit": (lambda text: REPORTS["junit"](diagnostics(text)), elements),
    "changes": (lambda text: changes_text(reviewed(text)), lines),
    "changes-json": (lambda text: changes_json(reviewed(text)), members),
    "markdown": (lambda text: changes_markdown(reviewed(text)), markup),
}


def test_every_format_is_read() -> None:
    """A new format has its reader here."""
    assert set(REPORTS) <= set(READERS)


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("form", READERS)
def test_no_text_changes_the_form_of_a_report(form: str, hostile: str) -> None:
    """A reader finds the same parts as with a harmless text in each place."""
    write, read = READERS[form]
    assert read(write(hostile)) == read(write(BENIGN))
