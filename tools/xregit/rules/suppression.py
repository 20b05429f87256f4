"""Suppressions: comments in the YAML that accept findings, and what is wrong with such comments.

``# xregit: ignore RULE[, RULE…] -- reason`` is about its own line, or, where it stands alone, about the next one;
``ignore-file`` is about the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from xregit.catalog.registry import Registry
from xregit.diagnostics import Diagnostic, Severity
from xregit.model.excerpts import quote
from xregit.rules.attributes import near
from xregit.rules.rule import Rule
from xregit.source.directives import Directive

FORM = '"# xregit: ignore RULE -- reason"'
_RULE = "[a-z0-9]+(?:-[a-z0-9]+)*"
_FORM = rf"ignore(?P<whole>-file)?[ \t]+(?P<rules>{_RULE}(?:[ \t]*,[ \t]*{_RULE})*)(?:[ \t]+--[ \t]*(?P<reason>.*))?"

MALFORMED = Rule("malformed-suppression", "suppression", Severity.ERROR, "A comment for xregit is not valid.")
WITHOUT_REASON = Rule(
    "suppression-without-reason", "suppression", Severity.ERROR, "A comment accepts a finding without a reason."
)
UNUSED = Rule("unused-suppression", "suppression", Severity.WARNING, "A comment accepts a finding that does not exist.")
RULES = (MALFORMED, WITHOUT_REASON, UNUSED)
UNKNOWN_RULE = "unknown-rule"

# A file, a rule, and a line or None for all of them.
_Covered = tuple[str, str, int | None]
Severities = Callable[[str, str, str], Severity | None]


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule's findings that a comment accepts, in one line or, where ``line`` is None, in the whole file."""

    path: str
    rule: str
    line: int | None
    directive: Directive
    reason: str

    @property
    def covered(self) -> _Covered:
        """The findings that the comment accepts: their file, rule and line."""
        return self.path, self.rule, self.line


@dataclass(frozen=True, slots=True)
class Suppressor:
    """The comments of a registry; ``rules`` are the names of all rules, ``applied`` of those that were looked into."""

    registry: Registry
    rules: Collection[str]
    applied: Collection[str]
    severity: Severities

    def remaining(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings that no comment accepts, and what is wrong with the comments."""
        directives = [(path, item) for path, items in self.registry.directives.items() for item in items]
        suppressions = [suppression for path, item in directives for suppression in _suppressions(path, item)]
        accepted = {suppression.covered for suppression in suppressions}
        used: set[_Covered] = set()
        for diagnostic in diagnostics:
            keys = {(diagnostic.path, diagnostic.rule, line) for line in (None, diagnostic.line)} & accepted
            used |= keys
            if not keys:
                yield diagnostic
        for path, directive in directives:
            if not re.fullmatch(_FORM, directive.text):
                message = f"{quote(directive.text)} is not a valid comment for xregit."
                yield from self._report(MALFORMED.name, path, directive, message, f"Write {FORM}.")
        for suppression in suppressions:
            yield from self._faults(suppression, suppression.covered in used)

    def _faults(self, suppression: Suppression, used: bool) -> Iterator[Diagnostic]:
        """Yield what is wrong with one comment: at most one thing."""
        path, directive, rule = suppression.path, suppression.directive, suppression.rule
        if rule not in self.rules:
            help_ = near(rule, self.rules) or '"xregit explain" lists all rules.'
            yield from self._report(UNKNOWN_RULE, path, directive, f'There is no rule "{rule}".', help_)
        elif not suppression.reason:
            message = f'The comment gives no reason why "{rule}" is accepted here.'
            yield from self._report(WITHOUT_REASON.name, path, directive, message, f"Write {FORM}.")
        elif not used and rule in self.applied and path not in self.registry.broken:
            where = "this file has" if suppression.line is None else "the line has"
            message = f'"{rule}" is accepted, but {where} no such finding.'
            help_ = "Remove the comment, or move it to the end of the line with the finding or above it."
            yield from self._report(UNUSED.name, path, directive, message, help_)

    def _report(self, rule: str, path: str, directive: Directive, message: str, help_: str) -> Iterator[Diagnostic]:
        severity = self.severity(rule, path, "")
        if severity is not None:
            yield Diagnostic(rule, severity, path, message, *directive.span, help=help_)


def _suppressions(path: str, directive: Directive) -> Iterator[Suppression]:
    match = re.fullmatch(_FORM, directive.text)
    for rule in re.findall(_RULE, match["rules"]) if match else ():
        line = None if match and match["whole"] else directive.line
        yield Suppression(path, rule, line, directive, (match["reason"] or "") if match else "")
