"""The conformance table: what the specifications require, what of xregit fulfils it, and the tests that show it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from xregit.model import builtin
from xregit.model.language import AttributeModel
from xregit.rules import RULES

DOCUMENTS = {
    "MSG": "Message definitions registry 1.0-rc2",
    "M05": "Message definitions registry 0.5-wip",
    "EP": "Endpoint registry",
    "CEM": "CloudEvents MQTT protocol binding 1.0.2",
}
LEVELS = {"M": "must", "N": "must not", "S": "should", "T": "should not", "Y": "may"}
# The phase of what only a live server does, which answers requests and stores what it is sent.
SERVER = "R"
# So many names stand in a row; more are folded, as tests are.
MAX_NAMES = 2
_HEAD = """# Conformance

What the specifications require, in our own words, and how xregit fulfils it. `pytest tests/conformance
--update-golden` writes this page; a test fails when it is not current, or when a row has no test. The ids are those
that rules, model files and tests cite, and each has an address, such as [#msg-1](#msg-1). *By* names rules, attributes
of the [model](model-reference/index.md) and functions, and folds the tests that show it.

"""
# What the site's script makes a filter of the table below it.
_FILTER = (
    '<p class="xr-filter" hidden><label>Filter by id, level or words '
    '<input type="search" data-xr-filter autocomplete="off"></label> <output></output></p>'
)


@dataclass(frozen=True)
class Requirement:
    """One row: ``by`` are the functions that fulfil it besides the rules and attributes that cite it."""

    id: str
    level: str
    phase: str
    says: str
    by: tuple[str, ...] = ()
    why_not: str = ""

    @property
    def applies(self) -> bool:
        """Whether it can apply to a registry of files, which no server answers for."""
        return self.phase != SERVER


def requirements() -> tuple[Requirement, ...]:
    """Return all rows, in the order of the specifications."""
    rows = yaml.safe_load((Path(__file__).parent / "requirements.yaml").read_text(encoding="utf-8"))
    return tuple(Requirement(**{**row, "by": tuple(row.get("by", ()))}) for row in rows)


def resolves(name: str) -> bool:
    """Tell whether a dotted name is that of a module, or of something in one."""
    here: Any = None
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            here = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        return _has(here, parts[count:])
    return False


def citing_rules() -> Mapping[str, Sequence[str]]:
    """Return requirement → rules that enforce it, by name: the order of modules is of no interest to readers."""
    return _grouped(sorted((requirement, rule.name) for rule in RULES for requirement in rule.requirements))


def citing_attributes() -> Mapping[str, Sequence[str]]:
    """Return requirement → attributes of the model that cite it, each by its path."""
    model = builtin()
    results: list[tuple[str, str]] = []
    for group in model.groups.values():
        results += _cited(group.singular, group.attributes)
        for resource in group.resources.values():
            results += _cited(resource.singular, {**resource.attributes, **resource.metaattributes})
    return _grouped(dict.fromkeys(results))


def page(tests: Mapping[str, Sequence[str]]) -> str:
    """Return the tables as a page of Markdown; ``tests`` are those that show each requirement."""
    rules, attributes = citing_rules(), citing_attributes()
    parts, sections = [_HEAD], list[str]()
    for prefix, title in DOCUMENTS.items():
        rows = [row for row in requirements() if row.id.startswith(prefix + "-")]
        parts.append(_summary_row(title, rows))
        sections.append(f"\n## {title}\n\n{_FILTER}\n\n")
        sections.append("| id | what | by |\n| --- | --- | --- |\n")
        for row in rows:
            by = _by(row, rules.get(row.id, ()), attributes.get(row.id, ()), tests.get(row.id, ()))
            anchored = f'<span id="{row.id.lower()}">{row.id}</span>'
            sections.append(f"| {anchored}<br>{LEVELS[row.level]} | {row.says} | {by} |\n")
    return "".join((*parts, *sections))


def _summary_row(title: str, rows: Sequence[Requirement]) -> str:
    """Return the line that leads to a document, and counts what it requires; what it forbids counts as required."""
    counts = [(sum(LEVELS[row.level].startswith(level) for row in rows), level) for level in ("must", "should", "may")]
    said = ", ".join(f"{count} {level}" for count, level in counts if count)
    anchor = re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")  # as the site and code hosts have it
    return f"- [{title}](#{anchor}): {said}\n"


def _by(row: Requirement, rules: Sequence[str], attributes: Sequence[str], tests: Sequence[str]) -> str:
    """Return what fulfils a requirement; what is too much for a row is shown when asked for."""
    links = [f"[{name}](check-rules/{name}/index.md)" for name in rules]
    names = [*links, *(f"`{name}`" for name in (*attributes, *row.by)), *filter(None, [row.why_not])]
    shown, more = "<br>".join(names[:MAX_NAMES]), names[MAX_NAMES:]
    folded = [*more, *(f"`{_short(test)}`" for test in tests)]
    counted = [f"{len(more)} more"] * bool(more) + [f"{len(tests)} test{'s' * (len(tests) > 1)}"] * bool(tests)
    if not folded:
        return shown
    return f'{shown}<details class="xr-fold"><summary>{", ".join(counted)}</summary>{"<br>".join(folded)}</details>'


def _short(test: str) -> str:
    return test.removeprefix("tests/")


def _has(here: Any, rest: Sequence[str]) -> bool:
    for name in rest:
        if not hasattr(here, name):
            return name in getattr(here, "__annotations__", {})
        here = getattr(here, name)
    return True


def _cited(path: str, attributes: Mapping[str, AttributeModel]) -> Iterator[tuple[str, str]]:
    for name, attribute in attributes.items():
        here = f"{path}.{name}"
        for requirement in attribute.requirements:
            yield requirement, here
        yield from _cited(here, attribute.attributes)
        if attribute.item:
            yield from _cited(here, {"*": attribute.item})
        for clause in attribute.ifvalues.values():
            yield from _cited(path, clause)


def _grouped(pairs: Any) -> Mapping[str, Sequence[str]]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for key, value in pairs:
        if value not in grouped[key]:
            grouped[key].append(value)
    return grouped
