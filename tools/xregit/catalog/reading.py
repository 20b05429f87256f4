"""A registry folder to a `Registry`: each file is read, placed by its path, and every fault becomes a diagnostic."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Document, Group, Place, Resource
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE, Kind, Spot, spot
from xregit.catalog.origin import Origin, repository_of
from xregit.catalog.registry import Registry
from xregit.catalog.resolving import BASE, SELECTORS, base_xid
from xregit.catalog.resources import normal_form, resource_from
from xregit.catalog.settings import settings_of
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.errors import XregitError
from xregit.model import builtin, normalised
from xregit.source import files, yaml
from xregit.source.plain import without_text

if TYPE_CHECKING:
    from xregit.model.language import GroupModel, Model, ResourceModel


def read_folder(folder: Path) -> Registry:
    """Return what a registry folder holds, with all that is wrong with its files as ``problems``.

    Raises:
        XregitError: the folder isn't there or has no ``registry.yaml``.
    """
    root = folder.resolve()
    if not (root / REGISTRY_FILE).is_file():
        message = f'"{folder}" is not a registry: it has no {REGISTRY_FILE}; "xregit init" makes one'
        raise XregitError(message)
    with _no_garbage_collection():
        return _Reading(root, repository_of(root)).registry()


NOWHERE = Place("")
# A longer chain may leave a number where text was due; `check` then says so.
MAX_BASES_FOR_SELECTORS = 32
_GROUP_PARTS, _RESOURCE_PARTS = 2, 4


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Thousands of small dictionaries that all stay alive make the collector run for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass
class _Draft:
    """A resource while its files are still being read."""

    type: ResourceModel
    value: dict[str, Any] | None = None
    place: Place = NOWHERE
    documents: dict[str, Document] = field(default_factory=dict)


@dataclass
class _GroupDraft:
    type: GroupModel
    attributes: dict[str, Any] | None = None
    place: Place = NOWHERE
    drafts: dict[str, dict[str, _Draft]] = field(default_factory=dict)


class _Reading:
    """One pass over a folder; what it has found so far."""

    def __init__(self, root: Path, repository: Path) -> None:
        self.root = root
        self.origin = Origin(repository, root)
        self.prefix = root.relative_to(repository).as_posix() + "/"
        self.problems: list[Diagnostic] = []
        self.broken: set[str] = set()
        self.plain: set[str] = set()
        self.groups: dict[str, dict[str, _GroupDraft]] = {}

    def registry(self) -> Registry:
        listing = files.listing(self.root)
        for problem in listing.problems:
            self.report(problem.path, problem.rule, problem.message, problem.help)
        present = frozenset(listing.files)
        settings = self.root_value(SETTINGS_FILE, present)
        model = self.model(self.root_value(MODEL_FILE, present))
        attributes = normalised(model.attributes, self.root_value(REGISTRY_FILE, present))
        self.groups = {plural: {} for plural in model.groups}
        for path in listing.files:
            self.file(path, spot(model, path))
        place = Place(self.prefix + REGISTRY_FILE)
        attributes = self.ordinary(attributes, place)
        groups = {plural: self.finished(drafts) for plural, drafts in self.groups.items()}
        return Registry(
            model,
            attributes,
            groups,
            place,
            self.origin,
            settings_of(settings),
            tuple(self.problems),
            frozenset(self.broken),
        )

    def root_value(self, name: str, present: frozenset[str]) -> dict[str, Any]:
        return (self.value(name) or {}) if name in present else {}

    def model(self, value: Mapping[str, Any]) -> Model:
        if not value:
            return builtin()
        from xregit.model import extended  # few registries have a model of their own

        model, findings = extended(builtin(), value)
        place = Place(self.prefix + MODEL_FILE)
        for finding in findings:
            span = self.origin.span(place, finding.path, on_key=finding.on_key)
            self.report(MODEL_FILE, finding.rule, finding.message, finding.help, span)
        return model

    def file(self, path: str, found: Spot) -> None:
        if found.kind is Kind.MISPLACED:
            self.report(path, "misplaced-file", "The file is where no entity of the registry is kept.", found.help)
        if found.group is None:
            return
        group = self.groups[found.group.plural].setdefault(found.gid, _GroupDraft(found.group))
        if found.kind is Kind.GROUP:
            group.place = Place(self.prefix + path)
            group.attributes = self.value(path)
        elif found.resource is not None:
            drafts = group.drafts.setdefault(found.resource.plural, {})
            draft = drafts.setdefault(found.rid, _Draft(found.resource))
            if found.kind is Kind.DOCUMENT:
                self.document(path, found.vid, draft)
            else:
                draft.place = Place(self.prefix + path)
                draft.value = self.value(path)

    def document(self, path: str, vid: str, draft: _Draft) -> None:
        place = Place(self.prefix + path)
        if vid in draft.documents:
            other = draft.documents[vid].place.path
            message = f'Version "{vid}" has two documents: this one and "{other}".'
            self.report(path, "duplicate-id", message, "Remove one of the two files.")
            return
        data = self.bytes(path)
        if data is not None:
            draft.documents[vid] = Document(place, data)

    def bytes(self, path: str) -> bytes | None:
        try:
            return files.read(self.root, path)
        except files.FileError as error:
            self.report(path, error.problem.rule, error.problem.message, error.problem.help)
            self.broken.add(self.prefix + path)
            return None

    def value(self, path: str) -> dict[str, Any] | None:
        data = self.bytes(path)
        if data is None:
            return None
        parsed = yaml.parse(data)
        for problem in parsed.problems:
            self.report(path, problem.rule, problem.message, problem.help, problem.span)
        if isinstance(parsed.value, dict):
            if parsed.plain:
                self.plain.add(self.prefix + path)
            return parsed.value
        if not parsed.problems:
            message = "The file holds no mapping of attribute names to values."
            self.report(path, "not-a-mapping", message, 'Write "name: value" lines.', Span(1, 1))
        self.broken.add(self.prefix + path)
        return None

    def report(self, path: str, rule: str, message: str, help: str = "", span: Span = Span()) -> None:  # noqa: A002, B008
        line = (span.line, span.column, span.endline, span.endcolumn)
        self.problems.append(Diagnostic(rule, Severity.ERROR, self.prefix + path, message, *line, help=help))

    def finished(self, drafts: Mapping[str, _GroupDraft]) -> dict[str, Group]:
        return {gid: self.group(gid, drafts[gid]) for gid in sorted(drafts)}

    def group(self, gid: str, draft: _GroupDraft) -> Group:
        model = draft.type
        xid = f"/{model.plural}/{gid}"
        folder = f"{model.plural}/{gid}"
        if not draft.place.path:
            file = f"{folder}/{model.singular}.yaml"
            draft.place = Place(self.prefix + file)
            message = f'The {model.singular} "{gid}" has a folder but no {model.singular}.yaml.'
            self.report(file, "missing-file", message, "Create the file; a description is enough.")
        attributes = draft.attributes or {}
        self.inline(attributes, draft)
        stated = attributes.pop(f"{model.singular}id", gid)
        if stated != gid:
            self.mismatched(draft.place, f"{model.singular}id", stated, gid)
        collections = {plural: self.resources(xid, draft.drafts.get(plural, {})) for plural in model.resources}
        attributes = self.ordinary(normalised(model.attributes, attributes), draft.place)
        return Group(xid, gid, model, attributes, collections, draft.place)

    def ordinary(self, value: dict[str, Any], place: Place) -> dict[str, Any]:
        """Leave numbers as numbers, now that those which were meant as text are text."""
        return without_text(value) if place.path in self.plain else value

    def inline(self, attributes: dict[str, Any], draft: _GroupDraft) -> None:
        for plural, resource in draft.type.resources.items():
            if not isinstance(attributes.get(plural), dict):
                continue
            drafts = draft.drafts.setdefault(plural, {})
            for rid, value in attributes.pop(plural).items():
                place = Place(draft.place.path, (plural, rid))
                if rid in drafts:
                    self.twice(place, rid, drafts[rid].place)
                elif isinstance(value, dict):
                    drafts[rid] = _Draft(resource, value, place)
                else:
                    self.at(
                        place, "not-a-mapping", f'"{rid}" holds no attributes.', 'Write "name: value" lines under it.'
                    )

    def selectors(self, xid: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the envelope and protocol that a message's group or bases state, as far as the message does not."""
        found: dict[str, Any] = {}
        for _ in range(MAX_BASES_FOR_SELECTORS):
            group = self.drafted_group(xid)
            for stated in (value, group.attributes if group else None):
                found.update(
                    {name: stated[name] for name in SELECTORS if stated and name in stated and name not in found}
                )
            if BASE not in value or len(found) == len(SELECTORS):
                break
            xid = base_xid(value)
            draft = self.drafted(xid)
            if draft is None or draft.value is None:
                break
            value = draft.value
        return found

    def drafted_group(self, xid: str) -> _GroupDraft | None:
        parts = xid.split("/", 3)
        return self.groups.get(parts[1], {}).get(parts[2]) if len(parts) > _GROUP_PARTS else None

    def drafted(self, xid: str) -> _Draft | None:
        group = self.drafted_group(xid)
        parts = xid.split("/")
        return group.drafts.get(parts[3], {}).get(parts[4]) if group and len(parts) > _RESOURCE_PARTS else None

    def twice(self, place: Place, rid: str, other: Place) -> None:
        message = f'"{rid}" is defined twice: here and in "{other.path}".'
        self.at(place, "duplicate-id", message, "Keep one of the two definitions.")

    def mismatched(self, place: Place, name: str, stated: object, due: str) -> None:
        message = f'The {name} is "{stated}", but the path says "{due}".'
        self.at(place, "mismatched-id", message, f"Leave {name} out, or rename the file.", (name,))

    def at(self, place: Place, rule: str, message: str, help: str, path: tuple[str | int, ...] = ()) -> None:  # noqa: A002
        span = self.origin.span(place, path, on_key=not path)
        self.report(place.path.removeprefix(self.prefix), rule, message, help, span)

    def resources(self, group: str, drafts: Mapping[str, _Draft]) -> dict[str, Resource]:
        found: dict[str, Resource] = {}
        for rid in sorted(drafts):
            draft = drafts[rid]
            xid = f"{group}/{draft.type.plural}/{rid}"
            value = draft.value
            if value is None and not draft.place.path:
                file = f"{xid[1:]}/{draft.type.singular}.yaml"
                draft.place = Place(self.prefix + file)
                message = f'The {draft.type.singular} "{rid}" has documents but no {draft.type.singular}.yaml.'
                self.report(file, "missing-file", message, "Create the file; the schema's format is enough.")
            value = value or {}
            stated = value.pop(f"{draft.type.singular}id", rid)
            if stated != rid:
                self.mismatched(draft.place, f"{draft.type.singular}id", stated, rid)
            value = self.ordinary(normal_form(draft.type, value, self.selectors(xid, value)), draft.place)
            found[rid] = resource_from(xid, draft.type, value, draft.place, draft.documents)
        return found
