"""The loader: it makes a `Registry` of a registry folder by the paths of its files, and a diagnostic of every fault."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from xregit.arguments import to_path
from xregit.catalog.entities import Document, Group, Place, Resource, build_resource, normalise_resource
from xregit.catalog.layout import (
    CONFLICTS_FILE,
    MODEL_FILE,
    REGISTRY_FILE,
    SETTINGS_FILE,
    WAIVERS_FILE,
    YML,
    EntityPath,
    Kind,
    parse_path,
)
from xregit.catalog.origin import Origin, prefix_of, repository_of
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS, base_xid
from xregit.catalog.settings import settings_of
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.errors import XregitError
from xregit.model import builtin, extend, normalise
from xregit.model.language import NOTHING, GroupModel, Model, ResourceModel, type_label
from xregit.progress import track
from xregit.source import file_tree, yaml_loader
from xregit.source.directives import Directive, directives, may_have_directives
from xregit.source.parse_result import Problem
from xregit.source.scalars import without_text
from xregit.source.three_way import CONFLICT_ADVICE, conflict_message, path_of, unsettled_conflicts

NOWHERE = Place("")
# Faults of a text around which every value can still be read.
WHOLE = frozenset({"yaml-duplicate-key", "yaml-tag"})
# A longer chain may leave a number where text was due; `check` then says so.
MAX_BASES_FOR_SELECTORS = 32
_GROUP_PARTS, _RESOURCE_PARTS = 2, 4


class NoRegistryError(XregitError):
    """A folder held no registry at a ``commit``."""

    def __init__(self, folder: Path, ref: str, commit: str) -> None:
        """Name what was missing."""
        self.commit = commit
        super().__init__(f'"{folder}" was not a registry at "{ref}": it had no {REGISTRY_FILE} then')


def read_folder(folder: Path) -> Registry:
    """Return the registry of a folder, with all that is wrong with its files, and CODEOWNERS, as ``problems``.

    Raises:
        XregitError: the folder isn't there or has no ``registry.yaml``.
    """
    root = folder.resolve()
    if not (root / REGISTRY_FILE).is_file():
        misnamed = (root / REGISTRY_FILE).with_suffix(YML)
        advice = f"rename its {misnamed.name}" if misnamed.is_file() else '"xregit init" makes one'
        raise XregitError(f'"{folder}" is not a registry: it has no {REGISTRY_FILE}; {advice}')
    origin = Origin(repository_of(root), root)
    registry = _Loader(origin, file_tree.list_files(root), partial(file_tree.read, root)).load()
    problems = registry.owners.problems
    return replace(registry, problems=registry.problems + problems) if problems else registry


def read_commit(folder: Path | str, ref: str) -> Registry:
    """Return the registry of a folder at a commit, with all that was wrong with its files as ``problems``.

    Raises:
        XregitError: the folder is in no Git repository, that has no such commit, or the folder held no registry then.
    """
    from xregit.source import repository  # few commands need another state than the present one

    root = to_path(folder).resolve()
    commit = repository.resolve_commit(root, ref)
    contents = repository.read_files(root, commit)
    if REGISTRY_FILE not in contents:
        raise NoRegistryError(Path(folder), ref, commit)
    return read_contents(root, contents, commit)


def read_contents(root: Path, contents: Mapping[str, bytes], commit: str = "") -> Registry:
    """Return the registry of files in memory, by their paths relative to the registry's folder."""
    repository = repository_of(root)
    prefix = prefix_of(root, repository)
    origin = Origin(repository, root, commit, {prefix + path: data for path, data in contents.items()})
    return _Loader(origin, file_tree.list_contents(contents), contents.__getitem__).load()


@dataclass(slots=True)
class ResourceDraft:
    """A resource while its files are still being read."""

    type: ResourceModel
    value: dict[str, Any] | None = None
    place: Place = NOWHERE
    documents: dict[str, Document] = field(default_factory=dict)


@dataclass(slots=True)
class GroupDraft:
    """A group while its files are still being read; ``resources`` are its resources by plural name and id."""

    type: GroupModel
    attributes: dict[str, Any] | None = None
    place: Place = NOWHERE
    resources: dict[str, dict[str, ResourceDraft]] = field(default_factory=dict)


class _Loader:
    """One pass over a folder's files, whatever reads them: first the drafts of entities, then the entities.

    ``broken`` are the files of which nothing could be read, ``numbered`` those with numbers that know their text.
    """

    def __init__(self, origin: Origin, listing: file_tree.Listing, read: Callable[[str], bytes]) -> None:
        self.origin, self.listing, self.read = origin, listing, read
        self.prefix = prefix_of(origin.root, origin.repository)
        self.unreadable = frozenset(problem.path for problem in listing.problems)
        self.groups: dict[str, dict[str, GroupDraft]] = {}
        self.problems: list[Diagnostic] = []
        self.broken: set[str] = set()
        self.numbered: set[str] = set()
        self.directives: dict[str, tuple[Directive, ...]] = {}
        self.reported_folders: set[str] = set()

    def load(self) -> Registry:
        for problem in self.listing.problems:
            self.report_broken(self.place(problem.path), problem)
        settings, waivers, modelsource = map(self.root_value, (SETTINGS_FILE, WAIVERS_FILE, MODEL_FILE))
        model = self.load_model(modelsource)
        place = self.place(REGISTRY_FILE)
        attributes = self.without_text(normalise(model.attributes, self.root_value(REGISTRY_FILE)), place)
        self.groups = {plural: {} for plural in model.groups}
        for path in track((*self.listing.files, *sorted(self.unreadable)), "reading files"):
            self.add_file(path, parse_path(model, path))
        for drafts in self.groups.values():
            for draft in drafts.values():
                self.add_inline_resources(draft)
        self.report_conflicts()
        groups = {
            plural: {gid: self.build_group(gid, drafts[gid]) for gid in self.ids(drafts)}
            for plural, drafts in self.groups.items()
        }
        return Registry(
            model=model,
            attributes=attributes,
            groups=groups,
            place=place,
            origin=self.origin,
            settings=settings_of(settings),
            waivers=waivers,
            modelsource=modelsource,
            problems=tuple(self.problems),
            broken=frozenset(self.broken),
            directives=self.directives,
        )

    def place(self, path: str) -> Place:
        """Return the place of a file that is named relative to the registry folder."""
        return Place(self.prefix + path)

    def report(self, place: Place, rule: str, message: str, remedy: str, span: Span | None = None) -> None:
        """Add a diagnostic about a file, at a span of it where that is known."""
        self.problems.append(Diagnostic(rule, Severity.ERROR, place.path, message, *(span or Span()), help=remedy))

    def report_key(self, place: Place, rule: str, message: str, remedy: str) -> None:
        """Add a diagnostic about the key at a place."""
        self.report(place, rule, message, remedy, self.origin.span(place, on_key=True))

    def report_broken(self, place: Place, problem: Problem) -> None:
        """Add a diagnostic about a file that can't be read."""
        self.report(place, problem.rule, problem.message, problem.help)
        self.broken.add(place.path)

    def root_value(self, name: str) -> dict[str, Any]:
        return (self.read_value(name, self.place(name)) or {}) if name in self.listing.files else {}

    def report_conflicts(self) -> None:
        """Report what an import and people have changed differently, until they have settled it."""
        for path, conflicts in self.root_value(CONFLICTS_FILE).items():
            data = self.read_bytes(path, self.place(path)) if path in self.listing.files else None
            unsettled = unsettled_conflicts(path, data, conflicts) if data is not None else {}
            if unsettled:
                span = self.origin.span(self.place(path), path_of(next(iter(unsettled))))
                message = conflict_message(unsettled)
                self.report(self.place(path), "edited-here-and-there", message, CONFLICT_ADVICE, span)

    def load_model(self, value: Mapping[str, Any]) -> Model:
        if not value:
            return builtin()
        model, findings = extend(builtin(), value)
        place = self.place(MODEL_FILE)
        for finding in findings:
            span = self.origin.span(place, finding.path, on_key=finding.on_key)
            self.report(place, finding.rule, finding.message, finding.help, span)
        if findings:
            self.broken.add(place.path)
        return model

    def add_file(self, path: str, entity: EntityPath) -> None:
        """Read a file into the draft of its entity."""
        if entity.kind is Kind.MISPLACED:
            self.report_misplaced(path, entity)
        if entity.group is None:
            return
        place = self.place(path)
        group = self.groups[entity.group.plural].setdefault(entity.gid, GroupDraft(entity.group))
        draft: GroupDraft | ResourceDraft = group
        if entity.resource is not None:
            drafts = group.resources.setdefault(entity.resource.plural, {})
            draft = drafts.setdefault(entity.rid, ResourceDraft(entity.resource))
        if entity.corrected and not entity.vid:
            # A file whose name alone is wrong counts as one that can't be read, so that nothing seems to be missing.
            if not draft.place.path:
                draft.place = place
                self.broken.add(place.path)
        elif isinstance(draft, GroupDraft):
            draft.place, draft.attributes = place, self.read_value(path, place)
        elif entity.kind is Kind.RESOURCE:
            draft.place, draft.value = place, self.read_value(path, place)
        else:
            self.add_document(path, entity, draft)

    def add_document(self, path: str, entity: EntityPath, draft: ResourceDraft) -> None:
        place, vid = self.place(path), entity.vid
        if entity.kind is Kind.MISPLACED:
            if not (entity.corrected and self.has(entity.corrected)):
                draft.documents.setdefault(vid, Document(place))
        elif vid in draft.documents:
            message = f'Version "{vid}" has two documents: this one and "{draft.documents[vid].place.path}".'
            self.report(place, "duplicate-id", message, "Remove one of the two files.")
        else:
            draft.documents[vid] = Document(place, self.read_bytes(path, place))

    def report_misplaced(self, path: str, entity: EntityPath) -> None:
        """Report a file that is out of place; all those that are so for the name of one folder, once."""
        plural, slash, _ = path.partition("/")
        if path in self.unreadable:
            return
        if slash and self.place(MODEL_FILE).path in self.broken and plural not in builtin().groups:
            return  # its group type may be one that model.yaml fails to define, which is reported there
        if entity.vid:
            self.broken.add(self.place(path).path)
        if entity.folder in self.reported_folders:
            return
        rule, message, remedy = (
            "misplaced-file", "Unexpected location: such a file is not read in this folder.", entity.help
        )  # fmt: skip
        if entity.folder:
            self.reported_folders.add(entity.folder)
            message = "This folder is not for entities of the registry, so its files are not read."
        if entity.corrected and path.endswith(YML):
            message = "The file is not read: names of files end in .yaml here, not in .yml."
        elif entity.corrected and self.has(entity.corrected):
            rule, remedy = "duplicate-id", "Remove one of the two."
            message = f'The name means the same id as "{self.place(entity.corrected).path}".'
        elif entity.corrected:
            message = "The file is not read: its name is not the standard file name for its id."
        self.report(self.place(entity.folder or path), rule, message, remedy)

    def has(self, path: str) -> bool:
        """Return whether there is a file of a path, or one in a folder whose path ends in a slash."""
        at = bisect_left(self.listing.files, path)
        return self.listing.files[at : at + 1] != () and self.listing.files[at].startswith(path)

    def read_bytes(self, path: str, place: Place) -> bytes | None:
        if path in self.unreadable:
            return None
        try:
            return self.read(path)
        except file_tree.FileError as error:
            self.report_broken(place, error.problem)
            return None

    def read_value(self, path: str, place: Place) -> dict[str, Any] | None:
        data = self.read_bytes(path, place)
        if data is None:
            return None
        parsed = yaml_loader.parse(data)
        if may_have_directives(data):
            self.directives[place.path] = directives(data)
        for problem in parsed.problems:
            self.report(place, problem.rule, problem.message, problem.help, problem.span)
        if isinstance(parsed.value, dict):
            if parsed.plain:
                self.numbered.add(place.path)
            if not all(problem.rule in WHOLE for problem in parsed.problems):
                self.broken.add(place.path)
            return parsed.value
        if not parsed.problems:
            message = "The file is not a mapping of attribute names to values."
            self.report(place, "not-a-mapping", message, 'Write "name: value" lines.', Span(1, 1))
        self.broken.add(place.path)
        return None

    def add_inline_resources(self, group: GroupDraft) -> None:
        """Add the resources that stand in the file of a group."""
        attributes = group.attributes or {}
        for plural, resource in group.type.resources.items():
            if not isinstance(attributes.get(plural), dict):
                continue
            drafts = group.resources.setdefault(plural, {})
            for rid, value in attributes.pop(plural).items():
                place = Place(group.place.path, (plural, rid))
                if rid in drafts:
                    message = f'"{rid}" is defined twice: here and in "{drafts[rid].place.path}".'
                    self.report_key(place, "duplicate-id", message, "Keep one of the two definitions.")
                elif isinstance(value, dict):
                    drafts[rid] = ResourceDraft(resource, value, place)
                else:
                    message = f'"{rid}" has no attributes.'
                    self.report_key(place, "not-a-mapping", message, 'Write "name: value" lines under it.')

    def ids(self, drafts: Mapping[str, ResourceDraft] | Mapping[str, GroupDraft]) -> list[str]:
        """Return the ids in order, and report those that no xid can have."""
        for name, draft in drafts.items():
            if "/" in name:
                message = f'"{name}" can\'t be an id, because of the "/".'
                self.report_key(draft.place, "malformed-id", message, "Rename it.")
        return sorted(name for name in drafts if "/" not in name)

    def build_group(self, gid: str, draft: GroupDraft) -> Group:
        model = draft.type
        xid = f"/{model.plural}/{gid}"
        if not draft.place.path:
            draft.place = self.place(f"{model.plural}/{gid}/{model.singular}.yaml")
            message = f'The {type_label(model.singular)} "{gid}" has a folder but no {model.singular}.yaml.'
            self.report(draft.place, "missing-file", message, "Create the file; a description is enough.")
            self.broken.add(draft.place.path)
        attributes = draft.attributes or {}
        self.remove_id(attributes, f"{model.singular}id", gid, draft.place)
        collections = {}
        for plural in model.resources:
            drafts = draft.resources.get(plural, {})
            collections[plural] = {rid: self.build_resource(xid, rid, drafts[rid]) for rid in self.ids(drafts)}
        attributes = self.without_text(normalise(model.attributes, attributes), draft.place)
        return Group(xid, gid, model, attributes, collections, draft.place)

    def build_resource(self, group: str, rid: str, draft: ResourceDraft) -> Resource:
        model = draft.type
        xid = f"{group}/{model.plural}/{rid}"
        if not draft.place.path:
            draft.place = self.place(f"{xid[1:]}/{model.singular}.yaml")
            message = f'The {type_label(model.singular)} "{rid}" has documents but no {model.singular}.yaml.'
            self.report(draft.place, "missing-file", message, "Create the file; the schema's format is enough.")
            self.broken.add(draft.place.path)
        value = draft.value or {}
        self.remove_id(value, f"{model.singular}id", rid, draft.place)
        definition = self.without_text(normalise_resource(model, value, self.selectors(xid, value)), draft.place)
        return build_resource(xid, model, definition, draft.place, draft.documents)

    def remove_id(self, attributes: dict[str, Any], name: str, expected: str, place: Place) -> None:
        """Remove an entity's own id from its attributes, as the path has it."""
        value = attributes.pop(name, expected)
        if value != expected:
            message = f'The {name} is "{value}", but the path says "{expected}".'
            span = self.origin.span(place, (name,))
            self.report(place, "mismatched-id", message, f"Leave {name} out, or rename the file.", span)

    def without_text(self, value: dict[str, Any], place: Place) -> dict[str, Any]:
        """Leave numbers as numbers, now that those which were meant as text are text."""
        return without_text(value) if place.path in self.numbered else value

    def selectors(self, xid: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the envelope and protocol of a message's group or bases, as far as the message has none."""
        selectors: dict[str, Any] = {}
        for _ in range(MAX_BASES_FOR_SELECTORS):
            parts = xid.split("/")
            group = self.groups.get(parts[1], {}).get(parts[2]) if len(parts) > _GROUP_PARTS else None
            for attributes in (value, (group.attributes if group else None) or NOTHING):
                for name in SELECTORS:
                    if name in attributes:
                        selectors.setdefault(name, attributes[name])
            if BASE not in value or len(selectors) == len(SELECTORS):
                break
            xid = base_xid(value)
            base = self.draft(xid)
            if base is None or base.value is None:
                break
            value = base.value
        return selectors

    def draft(self, xid: str) -> ResourceDraft | None:
        """Return the draft of a resource by its xid, or by that of one of its versions."""
        parts = xid.split("/")
        if len(parts) <= _RESOURCE_PARTS:
            return None
        group = self.groups.get(parts[1], {}).get(parts[2])
        return group.resources.get(parts[3], {}).get(parts[4]) if group else None
