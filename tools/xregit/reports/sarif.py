"""Diagnostics → SARIF 2.1.0, the format in which code scanning services take findings."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from xregit.diagnostics import Severity
from xregit.reports.text import path_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xregit.diagnostics import Diagnostic

# GitHub refuses a run with more results, and shows none of it.
MAX_RESULTS = 25_000
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one run with one result for each diagnostic, and the rules that they name.

    Of more than services take, the gravest are there, in their order, and how many are not is said.
    """
    told = _gravest(diagnostics)
    rules = sorted({item.rule for item in told})
    driver = {"name": "xregit", "rules": [_rule(rule) for rule in rules]}
    places = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": driver},
        **_left_out(len(diagnostics) - len(told)),
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, places[item.rule]) for item in told],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return dumps(log, indent=2, ensure_ascii=False)


def _gravest(diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    if len(diagnostics) <= MAX_RESULTS:
        return diagnostics
    ranks = tuple(Severity)
    order = sorted(range(len(diagnostics)), key=lambda number: ranks.index(diagnostics[number].severity))
    return [diagnostics[number] for number in sorted(order[:MAX_RESULTS])]


def _left_out(count: int) -> dict[str, Any]:
    """Return what a run says of findings that it does not have."""
    if not count:
        return {}
    text = f"{count:,} more findings are not in this file, which has as many as code scanning services take."
    notification = {"level": "warning", "message": {"text": text}}
    return {"invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [notification]}]}


def _rule(name: str) -> dict[str, Any]:
    """Return what is to be known of a rule: its one sentence, its severity and its page."""
    from xregit.rules import rule_named  # only this report describes rules

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
        "message": {"text": f"{item.message}\n{item.help}".strip()},
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
