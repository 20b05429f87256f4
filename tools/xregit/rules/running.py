"""A registry to the report of everything that is wrong with it, each fault once and at its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from xregit.catalog.entities import Place
from xregit.catalog.layout import REGISTRY_FILE, SETTINGS_FILE, WAIVERS_FILE
from xregit.catalog.resolving import group_of
from xregit.catalog.viewing import view
from xregit.diagnostics import Diagnostic, Finding, Severity, has_errors, ordered
from xregit.model import check as check_value
from xregit.model.error_messages import UNKNOWN
from xregit.records import record
from xregit.rules.choosing import Choosing
from xregit.rules.rule import DATED, SOUND, Chosen, Compared, Dated
from xregit.rules.stating import checked, where_written
from xregit.rules.suppressing import Severities, Suppressing
from xregit.rules.weighing import OFF, Weighing

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Resource
    from xregit.catalog.registry import Registry
    from xregit.keypaths import KeyPath
    from xregit.messages.overlap import Overlap
    from xregit.rules.rule import Rule

_KEPT = "Groups have files of their own: write this one as {0.plural}/<id>/{0.singular}.yaml, beside the registry's."


@record
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
        stated = check_value(self.registry.model.settings, self.registry.settings.written)
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
