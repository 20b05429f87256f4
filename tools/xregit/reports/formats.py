"""The formats of reports for CI and other programs, and the table of all formats by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from json import dumps
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from xregit.diagnostics import Diagnostic, Severity
from xregit.reports.text import counts, path_bytes, place, text
from xregit.rules import rule_named


def json(diagnostics: Sequence[Diagnostic]) -> str:
    """Return ``{"diagnostics": […], "counts": {"error", "warning", "info"}}``."""
    report = {"diagnostics": [item.as_json() for item in diagnostics], "counts": counts(diagnostics)}
    return dumps(report, indent=2, ensure_ascii=False)


COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
# A command is one line; its message ends there, and its properties end at a colon or comma too.
IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTY = IN_MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def github(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one workflow command for each diagnostic, a line each."""
    return "\n".join(map(_command, diagnostics))


def _command(item: Diagnostic) -> str:
    properties = ",".join(f"{name}={value.translate(IN_PROPERTY)}" for name, value in _properties(item).items())
    message = f"{item.message}\n{item.help}" if item.help else item.message
    return f"::{COMMANDS[item.severity]} {properties}::{message.translate(IN_MESSAGE)}"


def _properties(item: Diagnostic) -> Mapping[str, str]:
    """Return the place, with columns only where GitHub takes them: when the finding is within one line."""
    values: dict[str, str | int] = {"file": item.path, "line": item.line, "endLine": item.endline}
    if item.endline in {0, item.line}:
        values |= {"col": item.column, "endColumn": max(item.column, item.endcolumn - 1)}
    return {name: str(value) for name, value in (values | {"title": item.rule}).items() if value}


# XML 1.0, production 2: the characters that a document can't hold, not even escaped.
NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one suite for each file and one case for each finding; only errors fail, no finding is one success."""
    errors = _errors(diagnostics)
    root = ET.Element("testsuites", name="xregit check", tests=str(len(diagnostics) or 1), failures=str(errors))
    for path, items in groupby(diagnostics, key=lambda item: item.path):
        _suite(root, path, tuple(items))
    if not diagnostics:
        suite = ET.SubElement(root, "testsuite", name="registry", tests="1", failures="0")
        ET.SubElement(suite, "testcase", name="check", classname="registry")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _suite(root: ET.Element, path: str, items: Sequence[Diagnostic]) -> None:
    suite = ET.SubElement(root, "testsuite", name=_xml(path), tests=str(len(items)), failures=str(_errors(items)))
    for item in items:
        case = ET.SubElement(suite, "testcase", name=_xml(f"{item.rule} {place(item)}"), classname=_xml(item.path))
        text = _xml(f"{place(item)}: {item.message}\n{item.help}".strip())
        if item.severity is Severity.ERROR:
            ET.SubElement(case, "failure", type=item.rule, message=_xml(item.message)).text = text
        else:
            ET.SubElement(case, "system-out").text = f"{item.severity}: {text}"


def _errors(items: Iterable[Diagnostic]) -> int:
    return sum(item.severity is Severity.ERROR for item in items)


def _xml(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)


# GitHub refuses a run with more results, and shows none of it.
MAX_RESULTS = 25_000
# In a message, such a text would be a link (SARIF 2.1.0, section 3.11.6).
_LINK = re.compile(r"\[(?=[^\]]*\]\()")
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one run with one result for each diagnostic, and the rules that they name.

    Of more than services take, it has the gravest, in their order, and says how many it leaves out.
    """
    reported = _gravest(diagnostics)
    rules = sorted({item.rule for item in reported})
    driver = {"name": "xregit", "rules": [_rule(rule) for rule in rules]}
    places = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": driver},
        **_omission(len(diagnostics) - len(reported)),
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, places[item.rule]) for item in reported],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return dumps(log, indent=2, ensure_ascii=False)


def _gravest(diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    if len(diagnostics) <= MAX_RESULTS:
        return diagnostics
    ranks = tuple(Severity)
    order = sorted(range(len(diagnostics)), key=lambda number: ranks.index(diagnostics[number].severity))
    return [diagnostics[number] for number in sorted(order[:MAX_RESULTS])]


def _omission(count: int) -> dict[str, Any]:
    """Return what a run says of findings that it does not have."""
    if not count:
        return {}
    text = f"{count:,} more findings are not in this file, which has as many as code scanning services take."
    notification = {"level": "warning", "message": {"text": text}}
    return {"invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [notification]}]}


def _rule(name: str) -> dict[str, Any]:
    """Return what a reader may want to know of a rule: its one sentence, its severity and its page."""
    rule = rule_named(name)
    if rule is None:
        return {"id": name}
    return {
        "id": name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.doc, "markdown": rule.doc},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": list(rule.requirements)},
    }


def _result(item: Diagnostic, rule_index: int) -> dict[str, Any]:
    result = {
        "ruleId": item.rule,
        "ruleIndex": rule_index,
        "level": LEVELS[item.severity],
        "message": {"text": _LINK.sub(r"\\[", f"{item.message}\n{item.help}".strip())},
        "locations": [_location(item)],
    }
    return result | ({"properties": {"requirement": item.requirement}} if item.requirement else {})


def _location(item: Diagnostic) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path_bytes(item.path))}}
    if item.line:
        physical["region"] = _region(item)
    logical = {"logicalLocations": [{"fullyQualifiedName": item.xid}]} if item.xid else {}
    return {"physicalLocation": physical} | logical


def _region(item: Diagnostic) -> dict[str, int]:
    """Return the span, which counts from 1 and excludes its end as ours does, without what isn't known."""
    region = {
        "startLine": item.line,
        "startColumn": item.column,
        "endLine": item.endline,
        "endColumn": item.endcolumn,
    }
    return {name: number for name, number in region.items() if number}


REPORTS: Mapping[str, Callable[[Sequence[Diagnostic]], str]] = {
    "text": text,
    "json": json,
    "github": github,
    "sarif": sarif,
    "junit": junit,
}
