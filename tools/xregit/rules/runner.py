"""The run of the rules: everything that is wrong with a registry, each fault once and at its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from typing import Any

from xregit.arguments import to_day
from xregit.catalog.entities import META, VERSIONS, Group, Place, Resource, file_attributes
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE, WAIVERS_FILE
from xregit.catalog.registry import Registry, expect_registry
from xregit.catalog.resolver import Resolved, group_of, options_by_selector, unknown_base_attributes
from xregit.catalog.settings import MAX_PATHS
from xregit.catalog.views import view
from xregit.diagnostics import Diagnostic, Finding, Severity, has_errors, ordered, sentence
from xregit.json_pointer import KeyPath
from xregit.messages.overlap import Overlap, overlaps
from xregit.model import canonical
from xregit.model import check as check_value
from xregit.model.aliases import habit
from xregit.model.error_messages import UNKNOWN_ATTRIBUTE
from xregit.model.language import NOTHING
from xregit.progress import task, track
from xregit.rules.all_rules import RULES
from xregit.rules.attributes import text
from xregit.rules.rule import DATED, SOUND, ComparedMessage, Dated, DatedWaivers, Rule, RuleSettings
from xregit.rules.schemas import problems
from xregit.rules.suppression import Severities, Suppressor

Values = Mapping[str, Any]
_PROTOCOL = "protocol"


def check_resource(registry: Registry, resource: Resource) -> Sequence[Finding]:
    """Check what a resource's file states, but not the options of a protocol that isn't its group's."""
    findings, doubts = _advise(registry, resource), registry.doubts.get(resource.xid)
    if not doubts:
        return findings
    options = options_by_selector(resource.type)
    doubtful = frozenset(name for selector in doubts for name in options.get(selector, ()))
    return [item for item in findings if not item.path or item.path[0] not in doubtful]


def _advise(registry: Registry, resource: Resource) -> Sequence[Finding]:
    """Return what the model says of a resource's file, with the names here of what other languages call otherwise."""
    findings = _check_file(registry, resource)
    habits = {
        item: habit(resource.type.singular, str(item.path[-1]))
        for item in findings
        if item.rule == UNKNOWN_ATTRIBUTE and (len(item.path) == 1 or item.path[0] == VERSIONS)
    }
    return [replace(item, help=habits[item]) if habits.get(item) else item for item in findings] if habits else findings


def at_declaration(resource: Resource, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings with their paths in the file, which may state an attribute below ``meta`` or ``versions``."""
    for item in findings:
        name = item.path[0] if item.path else None
        if name is None or name in resource.definition:
            yield item
        elif name in resource.meta:
            yield from _under((META,), (item,))
        else:
            yield from _under((VERSIONS, resource.defaultversionid), (item,))


def _check_file(registry: Registry, resource: Resource) -> Sequence[Finding]:
    """Check what stands beside the versions, in ``meta`` and in each of ``versions``."""
    model, written = resource.type, resource.definition
    meta, versions = written.get(META), written.get(VERSIONS)
    inherited = _inherited(registry, resource)
    if meta is None and versions is None:
        return check_value(file_attributes(model), written, inherited)
    own = {name: value for name, value in written.items() if name not in {META, VERSIONS}}
    return (
        *check_value(file_attributes(model), own, inherited),
        *_check_mapping(META, meta, partial(check_value, model.metaattributes)),
        *_check_mapping(VERSIONS, versions, lambda values: _check_versions(resource, values, inherited)),
    )


def _inherited(registry: Registry, resource: Resource) -> Values:
    if resource.type.plural != "messages" or resource.xref:
        return resource.attributes
    resolved, doubtful = registry.resolved(resource.xid), registry.doubtful(resource.xid)
    options = _options_of_group(resource, resolved)
    attributes = {**options, **resolved.attributes} if options else resolved.attributes
    if not doubtful:
        return attributes
    implied = unknown_base_attributes(resource.type)
    return {**{name: implied[name] for name in doubtful if name in implied}, **attributes}


def _options_of_group(resource: Resource, resolved: Resolved) -> Values:
    """Return empty options for a protocol that the group alone states: message/spec.md asks for a message's own."""
    options = options_by_selector(resource.type).get(_PROTOCOL, frozenset())
    if _PROTOCOL not in resolved.attributes or options <= resolved.attributes.keys():
        return NOTHING
    if _PROTOCOL in resource.attributes or (resolved.base and _PROTOCOL in resolved.base.attributes):
        return NOTHING
    return {name: NOTHING for name in options if name not in resolved.attributes}


def _check_versions(resource: Resource, values: Values, inherited: Values) -> list[Finding]:
    """Check each of the versions that are listed; the default one inherits what the resource does."""
    findings: list[Finding] = []
    for vid, value in values.items():
        version = resource.versions.get(vid)
        own = version.attributes if version else NOTHING
        base = inherited if vid == resource.defaultversionid else own
        findings += _check_mapping(vid, value, partial(check_value, resource.type.attributes, inherited=base))
    return findings


def _check_mapping(name: str, value: object, check_values: Callable[[Values], Iterable[Finding]]) -> list[Finding]:
    """Check what stands under a name, which must be a mapping if it is there at all."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return list(_under((name,), check_values(value)))
    return [Finding("invalid-attribute", (name,), f'"{name}" must be a mapping.', 'Write "name: value" lines.')]


def _under(prefix: KeyPath, findings: Iterable[Finding]) -> Iterator[Finding]:
    for item in findings:
        path = (*prefix, *item.path)
        yield Finding(item.rule, path, item.message, item.help, item.requirement, item.on_key)


OFF = "off"
_LEVELS = {str(level): level for level in Severity}
_GROUP_FILES = (
    "Groups have files of their own: write this one as {0.plural}/<id>/{0.singular}.yaml, beside the registry's."
)


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


def check(registry: Registry, today: date | None = None, base: Registry | None = None) -> Report:
    """Return everything that is wrong with a registry, by all rules and at the severities that it sets.

    If it is to take the place of a ``base``, a finding has the worse of the severities that the two set: a change
    can't turn off the rule that it breaks.

    Rules that ask for the date find nothing unless ``today`` is given. Messages are compared with each other only if
    there is no error: a fault of one would be reported of the other too. An entity whose file could not be read as a
    whole is skipped, and so is what depends on it: one fault is reported once.

    Raises:
        XregitError: ``registry`` or ``base`` is no registry, or ``today`` no date.
    """
    for state in (registry, *((base,) if base is not None else ())):
        expect_registry(state)
    runner = Runner(registry, None if today is None else to_day(today), base)
    diagnostics = [*runner.problem_diagnostics(), *runner.diagnostics()]
    if not has_errors(diagnostics):
        runner.sound = True
        with task("comparing messages with each other"):
            diagnostics += runner.comparison_diagnostics()
    return Report(ordered(runner.suppressor().remaining(diagnostics)))


def loading_diagnostics(registry: Registry) -> tuple[Diagnostic, ...]:
    """Return what loading the registry's files has found, as sentences and at the severities that it sets."""
    runner = Runner(registry)
    names = {item.rule for item in registry.problems}
    return ordered(item for item in runner.suppressor().remaining(runner.problem_diagnostics()) if item.rule in names)


def severities(registry: Registry, base: Registry | None = None) -> Severities:
    """Return the function that says how bad a rule's finding is, by rule, path and xid; None where the rule is off."""
    return Runner(registry, base=base).severity


class Runner:
    """Applies all rules to one registry; it is ``sound`` once nothing in it is found to be an error."""

    def __init__(self, registry: Registry, today: date | None = None, base: Registry | None = None) -> None:
        """Take the registry, the date for the rules that ask for it, and the registry whose settings count too."""
        self.registry = registry
        self.settings = (registry.settings, *((base.settings,) if base is not None and base.has_policy else ()))
        self.rules = {item.name: item for item in RULES}
        self.today = today
        self.sound = False
        self._rules_about: dict[str, list[Rule]] = defaultdict(list)
        for item in RULES:
            if item.check is not None and (item.about == SOUND or self._applies(item)):
                self._rules_about[item.about].append(item)
        # Entities that state the same attributes have the same rules.
        self._select_rules = lru_cache(maxsize=4096)(self._uncached_rules)

    def severity(self, name: str, path: str, xid: str, reported: Severity = Severity.ERROR) -> Severity | None:
        """Return the severity of a rule's finding in a file and about an entity, None where the rule is off there.

        A finding may be ``reported`` to weigh less than the rule declares; what a registry sets counts before both.
        """
        declared = self.rules[name].severity if name in self.rules else reported
        default = max(declared, reported, key=list(Severity).index)
        levels = (settings.level(name, path, xid) for settings in self.settings)
        candidates = (_LEVELS.get(level, default) for level in levels if level != OFF)
        return min(candidates, key=list(Severity).index, default=None)

    def suppressor(self) -> Suppressor:
        """Return the comments that accept findings."""
        applied = {item.name for item in self.rules.values() if self._applies(item)}
        return Suppressor(self.registry, self.rules, applied, self.severity)

    def problem_diagnostics(self) -> Iterator[Diagnostic]:
        """Yield what loading the files has found, as sentences."""
        for problem in self.registry.problems:
            severity = self.severity(problem.rule, problem.path, problem.xid, problem.severity)
            if severity is not None:
                message, help_ = sentence(problem.message), sentence(problem.help)
                yield replace(problem, severity=severity, message=message, help=help_)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield what is wrong with the registry, its settings and waivers, and each of its groups and resources."""
        registry = self.registry
        yield from self._at_place(self._registry_findings(), registry.place, "/")
        yield from self._at_place(self._settings_findings(), self._beside_registry(SETTINGS_FILE), "/")
        yield from self._at_place(self._waivers_findings(), self._beside_registry(WAIVERS_FILE), "/")
        for group in track(registry.all_groups, "checking groups"):
            if group.place.path in registry.broken:
                continue
            findings = check_value(group.type.attributes, group.attributes)
            rule_findings = self._entity_findings(group, ("entity", DATED, "group"), group.type.singular)
            yield from self._at_place(_merge(findings, rule_findings), group.place, group.xid)
            for collection in group.collections.values():
                for resource in collection.values():
                    if not self._is_unreadable(resource):
                        yield from self._resource_diagnostics(resource)

    def comparison_diagnostics(self) -> Iterator[Diagnostic]:
        """Yield what is wrong with messages of which a receiver can't tell which it has got."""
        if not self.registry.endpoints or not any(map(self._applies, self._rules_about[SOUND])):
            return

        pairs: dict[str, list[Overlap]] = defaultdict(list)
        for pair in overlaps(self.registry):
            resources = map(self.registry.resource, (pair.first, pair.second))
            # An alias that is no message is reported as that.
            if not pair.by_payload and not any(resource.xref for resource in resources if resource):
                pairs[pair.second].append(pair)
        for xid, overlapping in pairs.items():
            message = self.registry[xid]
            findings = self._findings_about(SOUND, ComparedMessage(message, tuple(overlapping)))
            yield from self._at_place(at_declaration(message.entity, findings), message.entity.place, xid)

    def rules_for(self, entity: Group | Resource, about: tuple[str, ...]) -> tuple[Rule, ...]:
        """Return the rules about one of these things that may find anything in an entity, in that order."""
        if isinstance(entity, Group):
            return self._select_rules(about, tuple(entity.attributes), "", "")
        if entity.xref:
            return self._select_rules(about, (*entity.meta, *entity.definition), "", "")
        versions = (VERSIONS,) if VERSIONS in entity.definition else ()
        names = (*entity.attributes, *entity.meta, *versions)
        attributes = self.registry.resolved(entity.xid).attributes if entity.type.plural == "messages" else {}
        return self._select_rules(about, names, text(attributes, "envelope"), text(attributes, "protocol"))

    def _uncached_rules(
        self, about: tuple[str, ...], names: tuple[str, ...], envelope: str, protocol: str
    ) -> tuple[Rule, ...]:
        values = {"": "", "envelope": canonical("envelope", envelope), "protocol": canonical("protocol", protocol)}
        return tuple(
            item
            for each in about
            for item in self._rules_about[each]
            if values[item.selector[0]] == item.selector[1]
            and (not item.attributes or not item.attributes.isdisjoint(names))
        )

    def _applies(self, item: Rule) -> bool:
        """Return whether a rule is on somewhere, and this run looks into what it is about."""
        levels = (level for settings in self.settings for level in settings.levels(item.name))
        looked_into = {DATED: self.today is not None, SOUND: self.sound, "import": False, "change": False}
        return any(level != OFF for level in levels) and looked_into.get(item.about, True)

    def _is_unreadable(self, resource: Resource) -> bool:
        """Return whether the resource or something that it builds on could not be read."""
        broken = self.registry.broken
        if not broken:
            return False
        bases = self.registry.resolved(resource.xid).chain if resource.type.plural == "messages" else ()
        for entity in map(self.registry.resource, (resource.xid, *bases)):
            group = group_of(self.registry, entity) if entity else None
            if entity and (entity.place.path in broken or (group and group.place.path in broken)):
                return True
        return False

    def _registry_findings(self) -> Iterator[Finding]:
        registry = self.registry
        if registry.place.path not in registry.broken:
            for item in check_value(registry.model.attributes, registry.attributes):
                group = registry.model.groups.get(str(item.path[0])) if item.path else None
                help_ = (
                    _GROUP_FILES.format(group) if group and item.rule == UNKNOWN_ATTRIBUTE else self._right_file(item)
                )
                yield replace(item, help=help_)

    def _settings_findings(self) -> Iterator[Finding]:
        settings = self.registry.settings
        stated_findings = [*check_value(self.registry.model.settings, settings.raw), *_check_paths(settings.raw)]
        subject = RuleSettings(settings, {item.name: item.about for item in self.rules.values()})
        findings = (replace(item, help=self._right_file(item)) for item in stated_findings)
        return _merge(findings, self._findings_about("settings", subject))

    def _waivers_findings(self) -> Iterator[Finding]:
        if self.registry.waivers:
            yield from check_value(self.registry.model.waivers, self.registry.waivers)
            waivers = self.registry.waivers.get("waivers")
            listed = waivers if isinstance(waivers, list | tuple) else ()
            yield from self._findings_about("waivers", DatedWaivers(listed, self.today))

    def _right_file(self, item: Finding) -> str:
        """Return the help of a finding about a file beside the groups; another one may have an unknown attribute."""
        model = self.registry.model
        files = {REGISTRY_FILE: model.attributes, SETTINGS_FILE: model.settings, WAIVERS_FILE: model.waivers}
        is_unknown = item.rule == UNKNOWN_ATTRIBUTE and len(item.path) == 1
        file = next((file for file, names in files.items() if is_unknown and item.path[-1] in names), "")
        return f"Move it to {file}, beside this file." if file else item.help

    def _beside_registry(self, file: str) -> Place:
        return Place(self.registry.place.path.removesuffix(REGISTRY_FILE) + file)

    def _resource_diagnostics(self, resource: Resource) -> Iterator[Diagnostic]:
        findings = check_resource(self.registry, resource)
        own = "" if resource.xref else resource.type.singular
        rule_findings = self._entity_findings(resource, ("entity", DATED, "resource"), own)
        if findings or rule_findings:
            merged = _merge(findings, at_declaration(resource, rule_findings))
            yield from self._at_place(merged, resource.place, resource.xid)
        for version in resource.versions.values() if resource.type.hasdocument else ():
            document = version.document
            for problem in problems(self.registry, version) if document else ():
                path = document.place.path if document else ""
                severity = self.severity(problem.rule, path, version.xid)
                if severity is not None:
                    yield Diagnostic(
                        problem.rule,
                        severity,
                        path,
                        sentence(problem.message),
                        *problem.span,
                        xid=version.xid,
                        help=sentence(problem.help),
                        requirement=", ".join(self.rules[problem.rule].requirements),
                    )

    def _entity_findings(self, entity: Group | Resource, about: tuple[str, ...], own: str) -> list[Finding]:
        """Return what rules find in an entity: those about entities like it, then those about its ``own`` type."""
        subjects: dict[str, object] = dict.fromkeys(about, entity)
        if self.today is not None:
            subjects[DATED] = Dated(entity, self.today)
        subjects.setdefault(own, view(self.registry, entity))
        return [
            replace(item, rule=rule.name)
            for rule in self.rules_for(entity, (*about, own))
            if rule.check is not None
            for item in rule.check(self.registry, subjects[rule.about])
        ]

    def _findings_about(self, about: str, subject: object) -> Iterator[Finding]:
        for rule in self._rules_about[about]:
            for item in rule.check(self.registry, subject) if rule.check else ():
                yield replace(item, rule=rule.name)

    def _at_place(self, findings: Iterable[Finding], place: Place, xid: str) -> Iterator[Diagnostic]:
        """Yield findings about an entity with their places, but for those of rules that are off there."""
        for item in findings:
            severity = self.severity(item.rule, place.path, xid)
            model_is_broken = any(path.endswith(f"/{MODEL_FILE}") for path in self.registry.broken)
            if severity is None or (item.rule == UNKNOWN_ATTRIBUTE and model_is_broken):
                continue
            rule = self.rules.get(item.rule)
            yield Diagnostic(
                item.rule,
                severity,
                place.path,
                item.message,
                *self.registry.origin.span(place, item.path, on_key=item.on_key),
                xid=xid,
                help=item.help,
                requirement=item.requirement or (", ".join(rule.requirements) if rule else ""),
            )


def _check_paths(settings: Values) -> Iterator[Finding]:
    """Yield a finding if the settings list more patterns than count."""
    paths = settings.get("paths")
    if isinstance(paths, Mapping) and len(paths) > MAX_PATHS:
        message = f'"paths" has {len(paths)} patterns; only the first {MAX_PATHS} are used.'
        help_ = "Use wildcards, or accept single findings with comments in their files."
        yield Finding("invalid-attribute", ("paths",), message, help_, on_key=True)


def _merge(findings: Iterable[Finding], rule_findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the model's findings, and those of rules at other paths: of a faulty value there is no more to say."""
    faulty: set[KeyPath] = set()
    for item in findings:
        faulty.add(item.path)
        yield item
    yield from (item for item in rule_findings if not item.path or item.path not in faulty)
