"""Findings to diagnostics: each at its place, and as bad as its rule or the registry says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE
from xregit.diagnostics import Diagnostic, Finding, Severity, sentence
from xregit.records import distinct
from xregit.rules.documents import problems

if TYPE_CHECKING:
    from xregit.catalog.entities import Place, Resource
    from xregit.catalog.registry import Registry
    from xregit.rules.rule import Rule

OFF = "off"
_LEVELS = {str(level): level for level in Severity}


@distinct
class Weighing:
    """A registry with its settings, and all rules by their names."""

    registry: Registry
    rules: Mapping[str, Rule]

    def severity(self, name: str, path: str, xid: str, found: Severity = Severity.ERROR) -> Severity | None:
        """Return the severity of a rule's finding in a file and about an entity, None where the rule is off there.

        A finding may be ``found`` to weigh less than the rule declares; what the registry sets counts before both.
        """
        settings = self.registry.settings
        chosen = settings.rules.get(name)
        for scope in settings.paths:
            if name in scope.rules and scope.covers(path, xid):
                chosen = scope.rules[name]
        if chosen == OFF:
            return None
        if chosen in _LEVELS:
            return _LEVELS[chosen]
        declared = self.rules[name].severity if name in self.rules else found
        return max(declared, found, key=list(Severity).index)

    def of_reading(self) -> Iterator[Diagnostic]:
        """Give what reading the files has found, as sentences."""
        for problem in self.registry.problems:
            severity = self.severity(problem.rule, problem.path, problem.xid, problem.severity)
            if severity is not None:
                message, help_ = sentence(problem.message), sentence(problem.help)
                yield replace(problem, severity=severity, message=message, help=help_)

    def located(self, findings: Iterable[Finding], place: Place, xid: str) -> Iterator[Diagnostic]:
        """Give findings about an entity with their places, but for those of rules that are off there."""
        for finding in findings:
            severity = self.severity(finding.rule, place.path, xid)
            if severity is None or (finding.rule == "unknown-attribute" and self._model_is_broken):
                continue
            span = self.registry.origin.span(place, finding.path, on_key=finding.on_key)
            declared = self.rules.get(finding.rule)
            requirement = finding.requirement or (", ".join(declared.requirements) if declared else "")
            line = (span.line, span.column, span.endline, span.endcolumn)
            yield Diagnostic(finding.rule, severity, place.path, finding.message, *line, xid, finding.help, requirement)

    def of_documents(self, resource: Resource) -> Iterator[Diagnostic]:
        """Give what is wrong with the documents of a resource's versions."""
        if not resource.type.hasdocument:
            return
        for version in resource.versions.values():
            for problem in problems(self.registry, version):
                if version.document is None:
                    continue
                span, path = problem.span, version.document.place.path
                severity = self.severity(problem.rule, path, version.xid)
                if severity is not None:
                    line = (span.line, span.column, span.endline, span.endcolumn)
                    text = (problem.rule, severity, path, sentence(problem.message))
                    requirement = ", ".join(self.rules[problem.rule].requirements)
                    yield Diagnostic(*text, *line, version.xid, sentence(problem.help), requirement)

    @property
    def _model_is_broken(self) -> bool:
        return any(path.endswith(f"/{MODEL_FILE}") for path in self.registry.broken)
