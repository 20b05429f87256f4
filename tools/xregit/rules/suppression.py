"""Findings and the comments in the YAML that accept some to the findings that are left, faults of comments included.

``# xregit: ignore RULE[, RULE…] -- reason`` is about its own line, or, where it stands alone, about the next one;
``ignore-file`` is about the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.diagnostics import Diagnostic, Severity
from xregit.model.quoting import quote
from xregit.rules.attributes import near
from xregit.rules.rule import Rule

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.source.directives import Directive


FORM = '"# xregit: ignore RULE -- reason"'
_RULE = "[a-z0-9]+(?:-[a-z0-9]+)*"
_FORM = rf"ignore(?P<whole>-file)?[ \t]+(?P<rules>{_RULE}(?:[ \t]*,[ \t]*{_RULE})*)(?:[ \t]+--[ \t]*(?P<reason>.*))?"

MALFORMED = Rule(
    "malformed-suppression", "suppression", Severity.ERROR, "A comment for xregit says nothing that xregit understands."
)
WITHOUT_REASON = Rule(
    "suppression-without-reason", "suppression", Severity.ERROR, "A finding is accepted, but nobody says why."
)
UNUSED = Rule("unused-suppression", "suppression", Severity.WARNING, "A comment accepts a finding that there is not.")
RULES = (MALFORMED, WITHOUT_REASON, UNUSED)
UNKNOWN = "unknown-rule"

Severities = Callable[[str, str, str], Severity | None]


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule's findings that a comment accepts, in one line or, where ``line`` is None, in the whole file."""

    path: str
    rule: str
    line: int | None
    directive: Directive
    reason: str

    def covers(self, item: Diagnostic) -> bool:
        """Tell whether this is one of the findings that the comment accepts."""
        return item.rule == self.rule and item.path == self.path and self.line in {None, item.line}


@dataclass(frozen=True, slots=True)
class Suppressing:
    """The comments of a registry; ``known`` are the names of all rules, ``applied`` of those that were looked into."""

    registry: Registry
    known: Collection[str]
    applied: Collection[str]
    severity: Severities

    def left(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Give the findings that no comment accepts, and what is wrong with the comments."""
        every = [one for path, listed in self.registry.directives.items() for one in _suppressions(path, listed)]
        if not any(self.registry.directives.values()):
            yield from found
            return
        used: set[Suppression] = set()
        for item in found:
            accepting = [one for one in every if one.covers(item)]
            used.update(accepting)
            if not accepting:
                yield item
        yield from self._malformed()
        for one in every:
            yield from self._faults(one, one in used)

    def _malformed(self) -> Iterator[Diagnostic]:
        for path, listed in self.registry.directives.items():
            for directive in listed:
                if not re.fullmatch(_FORM, directive.text):
                    message = f"{quote(directive.text)} is nothing that a comment can ask for."
                    yield from self._told(MALFORMED.name, path, directive, message, f"Write {FORM}.")

    def _faults(self, one: Suppression, used: bool) -> Iterator[Diagnostic]:
        """Give what is wrong with one comment: at most one thing."""
        if one.rule not in self.known:
            message = f'There is no rule "{one.rule}".'
            help_ = near(one.rule, self.known) or '"xregit explain" lists all rules.'
            yield from self._told(UNKNOWN, one.path, one.directive, message, help_)
        elif not one.reason:
            message = f'The comment doesn\'t say why "{one.rule}" is accepted here.'
            yield from self._told(WITHOUT_REASON.name, one.path, one.directive, message, f"Write {FORM}.")
        elif not used and self._looked(one):
            where = "this file has" if one.line is None else "the line has"
            message = f'"{one.rule}" is accepted, but {where} no such finding.'
            help_ = "Remove the comment; it stands at the end of the line that it is about, or above it."
            yield from self._told(UNUSED.name, one.path, one.directive, message, help_)

    def _looked(self, one: Suppression) -> bool:
        return one.rule in self.applied and one.path not in self.registry.broken

    def _told(self, rule: str, path: str, directive: Directive, message: str, help_: str) -> Iterator[Diagnostic]:
        severity, span = self.severity(rule, path, ""), directive.span
        if severity is not None:
            line = (span.line, span.column, span.endline, span.endcolumn)
            yield Diagnostic(rule, severity, path, message, *line, help=help_)


def _suppressions(path: str, listed: Iterable[Directive]) -> Iterator[Suppression]:
    for directive in listed:
        match = re.fullmatch(_FORM, directive.text)
        for rule in re.findall(_RULE, match["rules"]) if match else ():
            line = None if match and match["whole"] else directive.line
            yield Suppression(path, rule, line, directive, (match["reason"] or "") if match else "")
