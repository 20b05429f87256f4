"""The run of the rules: everything that is wrong with a registry, each fault once and at its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xregit.catalog.entities import VERSIONS, Group, Place
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE, WAIVERS_FILE
from xregit.catalog.resolver import group_of
from xregit.catalog.views import view
from xregit.diagnostics import Diagnostic, Finding, Severity, has_errors, ordered, sentence
from xregit.model import canonical
from xregit.model import check as check_value
from xregit.model.error_messages import UNKNOWN
from xregit.rules.attributes import text
from xregit.rules.model_validation import checked, where_written
from xregit.rules.rule import DATED, SOUND, Chosen, Compared, Dated
from xregit.rules.schemas import problems
from xregit.rules.suppression import Severities, Suppressing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from xregit.catalog.entities import Resource
    from xregit.catalog.registry import Registry
    from xregit.json_pointer import KeyPath
    from xregit.messages.overlap import Overlap
    from xregit.rules.rule import Rule


MESSAGES = "messages"
MOST_KINDS = 4096

Kind = tuple[tuple[str, ...], str, str, tuple[str, ...]]


class Choosing:
    """Chooses rules for entities; the choice for one is remembered for others that state the same attributes."""

    def __init__(self, rules: Mapping[str, Iterable[Rule]]) -> None:
        """Choose among rules by what they are about."""
        self._rules = rules
        self._known: dict[Kind, tuple[Rule, ...]] = {}

    def of(self, registry: Registry, entity: Group | Resource, about: tuple[str, ...]) -> tuple[Rule, ...]:
        """Return the rules about one of these things that may find anything in an entity, in that order."""
        kind = _kind(registry, entity, about)
        found = self._known.get(kind)
        if found is None:
            if len(self._known) >= MOST_KINDS:
                self._known.clear()
            found = self._known[kind] = tuple(self._chosen(*kind))
        return found

    def _chosen(self, about: tuple[str, ...], envelope: str, protocol: str, stated: tuple[str, ...]) -> Iterator[Rule]:
        selected = {"": "", "envelope": canonical("envelope", envelope), "protocol": canonical("protocol", protocol)}
        for item in (item for each in about for item in self._rules.get(each, ())):
            selector, value = item.selected
            if selected[selector] == value and (not item.stated or not item.stated.isdisjoint(stated)):
                yield item


def _kind(registry: Registry, entity: Group | Resource, about: tuple[str, ...]) -> Kind:
    """Return what decides which rules count for an entity."""
    if isinstance(entity, Group):
        return about, "", "", tuple(entity.attributes)
    if entity.xref:
        return about, "", "", (*entity.meta, *entity.definition)
    listed = (VERSIONS,) if VERSIONS in entity.definition else ()
    names = (*entity.attributes, *entity.meta, *listed)
    if entity.type.plural != MESSAGES:
        return about, "", "", names
    attributes = registry.resolved(entity.xid).attributes
    return about, text(attributes, "envelope"), text(attributes, "protocol"), names


OFF = "off"
_LEVELS = {str(level): level for level in Severity}


@dataclass(frozen=True, eq=False, slots=True)
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


_KEPT = "Groups have files of their own: write this one as {0.plural}/<id>/{0.singular}.yaml, beside the registry's."


@dataclass(frozen=True, slots=True)
class Report:
    """All diagnostics of a registry, in order, and how many there are of each severity."""

    diagnostics: tuple[Diagnostic, ...]

    def __repr__(self) -> str:
        """Return the number of diagnostics of each severity, as a notebook shows it."""
        return f"<Report {', '.join(f'{level}: {count}' for level, count in self.counts.items())}>"

    @property
    def counts(self) -> Mapping[str, int]:
        """How many diagnostics there are of each severity, by its name."""
        return {str(level): sum(item.severity is level for item in self.diagnostics) for level in Severity}

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return has_errors(self.diagnostics)


def run(registry: Registry, rules: tuple[Rule, ...], today: date | None = None) -> Report:
    """Return what is wrong with a registry; without the date of ``today``, rules that ask for it find nothing.

    Messages are compared with each other only if there is no error: a fault of one would be reported of the other too.
    An entity whose file could not be read as a whole is passed over, and so is what depends on it: one fault is
    reported once.
    """
    run = _Run(registry, rules, today)
    diagnostics = list(run.diagnostics())
    if not has_errors(diagnostics):
        run.sound = True
        diagnostics += run.of_sound()
    return Report(ordered(run.suppressing.left(diagnostics)))


def found_in_reading(registry: Registry, rules: tuple[Rule, ...]) -> tuple[Diagnostic, ...]:
    """Return what reading the registry's files has found, as sentences and at the severities that it sets."""
    running = _Run(registry, rules, None)
    found = {item.rule for item in running.registry.problems}
    return ordered(item for item in running.suppressing.left(running.weighing.of_reading()) if item.rule in found)


def severities(registry: Registry, rules: tuple[Rule, ...]) -> Severities:
    """Return the function that says how bad a rule's finding is, by rule, path and xid; None where the rule is off."""
    return Weighing(registry, {item.name: item for item in rules}).severity


class _Run:
    """One run of the rules over one registry."""

    def __init__(self, registry: Registry, rules: tuple[Rule, ...], today: date | None) -> None:
        self.registry = registry
        self.rules = {item.name: item for item in rules}
        self.weighing = Weighing(registry, self.rules)
        self.broken = registry.broken
        self.today = today
        self.sound = False
        self.by_about: dict[str, list[Rule]] = {}
        for item in rules:
            if item.check is not None and (item.about == SOUND or self.applies(item)):
                self.by_about.setdefault(item.about, []).append(item)
        self.choosing = Choosing(self.by_about)

    @property
    def suppressing(self) -> Suppressing:
        applied = {item.name for item in self.rules.values() if self.applies(item)}
        return Suppressing(self.registry, self.rules, applied, self.weighing.severity)

    def applies(self, item: Rule) -> bool:
        """Tell whether a rule is on somewhere, and has what it asks for."""
        settings = self.registry.settings
        chosen = (settings.rules.get(item.name), *(scope.rules.get(item.name, OFF) for scope in settings.paths))
        return any(level != OFF for level in chosen) and item.about not in self.passed_over

    @property
    def passed_over(self) -> frozenset[str]:
        """The things that rules may be about, but that this run does not look into."""
        asked = {DATED: self.today is not None, SOUND: self.sound, "import": False, "change": False}
        return frozenset(about for about, is_there in asked.items() if not is_there)

    def diagnostics(self) -> Iterator[Diagnostic]:
        yield from self.weighing.of_reading()
        yield from self.weighing.located(self.of_registry(), self.registry.place, "/")
        yield from self.weighing.located(self.of_settings(), self.beside(SETTINGS_FILE), "/")
        yield from self.weighing.located(self.of_waivers(), self.beside(WAIVERS_FILE), "/")
        for group in self.registry.all_groups:
            if group.place.path not in self.broken:
                yield from self.of_whole_group(group)

    def of_whole_group(self, group: Group) -> Iterator[Diagnostic]:
        yield from self.weighing.located(self.of_group(group), group.place, group.xid)
        for collection in group.collections.values():
            for resource in collection.values():
                if not self.unreadable(resource):
                    yield from self.weighing.located(self.of_resource(resource), resource.place, resource.xid)
                    yield from self.weighing.of_documents(resource)

    def of_sound(self) -> Iterator[Diagnostic]:
        if not self.registry.endpoints or not any(self.applies(item) for item in self.by_about.get(SOUND, ())):
            return
        from xregit.messages.overlap import overlaps  # only then

        pairs: dict[str, list[Overlap]] = {}
        for pair in overlaps(self.registry):
            # An alias that is no message is reported as that.
            aliases = (item for item in map(self.registry.resource, (pair.first, pair.second)) if item and item.xref)
            if not pair.by_payload and not any(aliases):
                pairs.setdefault(pair.second, []).append(pair)
        for xid, overlapping in pairs.items():
            message = self.registry[xid]
            found = self.ruled(SOUND, Compared(message, tuple(overlapping)))
            yield from self.weighing.located(where_written(message.entity, found), message.entity.place, xid)

    def unreadable(self, resource: Resource) -> bool:
        """Tell whether the resource or something that it builds on could not be read."""
        if not self.broken:
            return False
        bases = self.registry.resolved(resource.xid).chain if resource.type.plural == "messages" else ()
        for xid in (resource.xid, *bases):
            entity = self.registry.resource(xid)
            group = group_of(self.registry, entity) if entity else None
            if entity and (entity.place.path in self.broken or (group and group.place.path in self.broken)):
                return True
        return False

    def of_registry(self) -> Iterator[Finding]:
        if self.registry.place.path not in self.broken:
            for item in check_value(self.registry.model.attributes, self.registry.attributes):
                group = self.registry.model.groups.get(str(item.path[0])) if item.path else None
                yield replace(item, help=_KEPT.format(group)) if group and item.rule == UNKNOWN else self.in_file(item)

    def in_file(self, item: Finding) -> Finding:
        """Return a finding about a file beside the groups, with the other one that knows an unknown attribute."""
        if item.rule != UNKNOWN or len(item.path) != 1:
            return item
        model = self.registry.model
        known = {REGISTRY_FILE: model.attributes, SETTINGS_FILE: model.settings, WAIVERS_FILE: model.waivers}
        meant = next((file for file, names in known.items() if item.path[-1] in names), "")
        return replace(item, help=f"It belongs into {meant}, which stands beside this file.") if meant else item

    def of_settings(self) -> Iterator[Finding]:
        stated = check_value(self.registry.model.settings, self.registry.settings.raw)
        found = (self.in_file(item) for item in stated)
        chosen = Chosen(self.registry.settings, {item.name: item.about for item in self.rules.values()})
        return _once(found, self.ruled("settings", chosen))

    def of_waivers(self) -> Iterator[Finding]:
        if self.registry.waivers:
            yield from check_value(self.registry.model.waivers, self.registry.waivers)
            yield from self.ruled("waivers", self.registry.waivers)

    def beside(self, file: str) -> Place:
        """Return the place of a file that lies beside the registry's own."""
        return Place(self.registry.place.path.removesuffix(REGISTRY_FILE) + file)

    def of_group(self, group: Group) -> Iterator[Finding]:
        found = check_value(group.type.attributes, group.attributes)
        return _once(found, self.ruled_entity(group, ("entity", DATED, "group"), group.type.singular))

    def of_resource(self, resource: Resource) -> Iterable[Finding]:
        own = "" if resource.xref else resource.type.singular
        stated = checked(self.registry, resource)
        found = self.ruled_entity(resource, ("entity", DATED, "resource"), own)
        return _once(stated, where_written(resource, found)) if stated or found else ()

    def ruled_entity(self, entity: Group | Resource, about: tuple[str, ...], own: str) -> list[Finding]:
        """Return what rules find in an entity: those about entities like it, then those about its ``own`` type."""
        things: dict[str, object] = dict.fromkeys(about, entity)
        if self.today is not None:
            things[DATED] = Dated(entity, self.today)
        things.setdefault(own, view(self.registry, entity))
        chosen = self.choosing.of(self.registry, entity, (*about, own))
        return [
            _by(item, finding)
            for item in chosen
            if item.check is not None
            for finding in item.check(self.registry, things[item.about])
        ]

    def ruled(self, about: str, thing: object) -> Iterator[Finding]:
        for item in self.by_about.get(about, ()):
            if item.check is not None:
                for finding in item.check(self.registry, thing):
                    yield _by(item, finding)


def _by(item: Rule, finding: Finding) -> Finding:
    return Finding(item.name, finding.path, finding.message, finding.help, on_key=finding.on_key)


def _once(stated: Iterable[Finding], ruled: Iterable[Finding]) -> Iterator[Finding]:
    """Give the model's findings, and those of rules at other paths: of a faulty value there is no more to say."""
    faulty: set[KeyPath] = set()
    for item in stated:
        faulty.add(item.path)
        yield item
    yield from (item for item in ruled if not item.path or item.path not in faulty)
