"""The loader: a registry folder becomes a `Registry`; each file is placed by its path.

And every fault is a diagnostic.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_path
from xregit.catalog.entities import Document, Group, Place, Resource
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE, WAIVERS_FILE, YML, Kind, Spot, spot
from xregit.catalog.origin import Origin, repository_of
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS, base_xid
from xregit.catalog.resources import normal_form, resource_from
from xregit.catalog.settings import settings_of
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.errors import XregitError
from xregit.model import builtin, normalise
from xregit.model.language import NOTHING
from xregit.source import file_tree, yaml_loader
from xregit.source.directives import directives, may_have_directives
from xregit.source.scalars import without_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xregit.model.language import GroupModel, Model, ResourceModel
    from xregit.source.directives import Directive


NOWHERE = Place("")
# A longer chain may leave a number where text was due; `check` then says so.
MAX_BASES_FOR_SELECTORS = 32
_GROUP_PARTS, _RESOURCE_PARTS = 2, 4


@dataclass(slots=True)
class Draft:
    """A resource while its files are still being read."""

    type: ResourceModel
    value: dict[str, Any] | None = None
    place: Place = NOWHERE
    documents: dict[str, Document] = field(default_factory=dict)


@dataclass(slots=True)
class GroupDraft:
    """A group while its files are still being read; ``drafts`` are its resources by plural name and id."""

    type: GroupModel
    attributes: dict[str, Any] | None = None
    place: Place = NOWHERE
    drafts: dict[str, dict[str, Draft]] = field(default_factory=dict)


@dataclass(slots=True)
class Drafts:
    """All groups of a folder by plural name and id, and the faults found so far.

    ``broken`` are the files of which nothing could be read, ``numbered`` those with numbers that know their text;
    ``directives`` are the comments for this tool, by file.
    """

    origin: Origin
    prefix: str
    groups: dict[str, dict[str, GroupDraft]] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    numbered: set[str] = field(default_factory=set)
    directives: dict[str, tuple[Directive, ...]] = field(default_factory=dict)

    def place(self, path: str) -> Place:
        """Return the place of a file that is named relative to the registry folder."""
        return Place(self.prefix + path)

    def report(self, place: Place, rule: str, message: str, remedy: str, span: Span | None = None) -> None:
        """Add a diagnostic about a file, at a span of it where that is known."""
        where = span or Span()
        line = (where.line, where.column, where.endline, where.endcolumn)
        self.problems.append(Diagnostic(rule, Severity.ERROR, place.path, message, *line, help=remedy))

    def report_key(self, place: Place, rule: str, message: str, remedy: str) -> None:
        """Add a diagnostic about the key at a place."""
        self.report(place, rule, message, remedy, self.origin.span(place, on_key=True))

    def group(self, xid: str) -> GroupDraft | None:
        """Return the group in which an entity is, or would be."""
        parts = xid.split("/", 3)
        return self.groups.get(parts[1], {}).get(parts[2]) if len(parts) > _GROUP_PARTS else None

    def resource(self, xid: str) -> Draft | None:
        """Return the resource of an xid, or the one whose version it names."""
        group = self.group(xid)
        parts = xid.split("/")
        return group.drafts.get(parts[3], {}).get(parts[4]) if group and len(parts) > _RESOURCE_PARTS else None

    def selectors(self, xid: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the envelope and protocol that a message's group or bases state, as far as the message does not."""
        found: dict[str, Any] = {}
        for _ in range(MAX_BASES_FOR_SELECTORS):
            group = self.group(xid)
            for stated in (value, (group.attributes if group else None) or NOTHING):
                for name in SELECTORS:
                    if name in stated:
                        found.setdefault(name, stated[name])
            if BASE not in value or len(found) == len(SELECTORS):
                break
            xid = base_xid(value)
            draft = self.resource(xid)
            if draft is None or draft.value is None:
                break
            value = draft.value
        return found


def groups_of(drafts: Drafts) -> dict[str, dict[str, Group]]:
    """Return all groups by plural name and id, ids in order; what is wrong is added to the drafts' problems."""
    for groups in drafts.groups.values():
        for draft in groups.values():
            _spread_inline(drafts, draft)
    return {
        plural: {gid: _group(drafts, gid, groups[gid]) for gid in _ids(drafts, groups)}
        for plural, groups in drafts.groups.items()
    }


def _group(drafts: Drafts, gid: str, draft: GroupDraft) -> Group:
    model = draft.type
    xid = f"/{model.plural}/{gid}"
    if not draft.place.path:
        draft.place = drafts.place(f"{model.plural}/{gid}/{model.singular}.yaml")
        message = f'The {model.singular} "{gid}" has a folder but no {model.singular}.yaml.'
        drafts.report(draft.place, "missing-file", message, "Create the file; a description is enough.")
        drafts.broken.add(draft.place.path)
    attributes = draft.attributes or {}
    _take_id(drafts, attributes, f"{model.singular}id", gid, draft.place)
    collections = {plural: _resources(drafts, xid, draft.drafts.get(plural, {})) for plural in model.resources}
    attributes = ordinary(drafts, normalise(model.attributes, attributes), draft.place)
    return Group(xid, gid, model, attributes, collections, draft.place)


def ordinary(drafts: Drafts, value: dict[str, Any], place: Place) -> dict[str, Any]:
    """Leave numbers as numbers, now that those which were meant as text are text."""
    return without_text(value) if place.path in drafts.numbered else value


def _spread_inline(drafts: Drafts, group: GroupDraft) -> None:
    attributes = group.attributes or {}
    for plural, resource in group.type.resources.items():
        if not isinstance(attributes.get(plural), dict):
            continue
        known = group.drafts.setdefault(plural, {})
        for rid, value in attributes.pop(plural).items():
            place = Place(group.place.path, (plural, rid))
            if rid in known:
                message = f'"{rid}" is defined twice: here and in "{known[rid].place.path}".'
                drafts.report_key(place, "duplicate-id", message, "Keep one of the two definitions.")
            elif isinstance(value, dict):
                known[rid] = Draft(resource, value, place)
            else:
                message = f'"{rid}" holds no attributes.'
                drafts.report_key(place, "not-a-mapping", message, 'Write "name: value" lines under it.')


def _take_id(drafts: Drafts, attributes: dict[str, Any], name: str, due: str, place: Place) -> None:
    stated = attributes.pop(name, due)
    if stated != due:
        message = f'The {name} is "{stated}", but the path says "{due}".'
        span = drafts.origin.span(place, (name,))
        drafts.report(place, "mismatched-id", message, f"Leave {name} out, or rename the file.", span)


def _resources(drafts: Drafts, group: str, collection: Mapping[str, Draft]) -> dict[str, Resource]:
    return {rid: _resource(drafts, group, rid, collection[rid]) for rid in _ids(drafts, collection)}


def _ids(drafts: Drafts, collection: Mapping[str, Draft] | Mapping[str, GroupDraft]) -> list[str]:
    """Return the ids in order, and report those that no xid could hold."""
    for name, draft in collection.items():
        if "/" in name:
            message = f'"{name}" can\'t be an id, because of the "/".'
            drafts.report_key(draft.place, "malformed-id", message, "Rename it.")
    return sorted(name for name in collection if "/" not in name)


def _resource(drafts: Drafts, group: str, rid: str, draft: Draft) -> Resource:
    model = draft.type
    xid = f"{group}/{model.plural}/{rid}"
    if not draft.place.path:
        draft.place = drafts.place(f"{xid[1:]}/{model.singular}.yaml")
        message = f'The {model.singular} "{rid}" has documents but no {model.singular}.yaml.'
        drafts.report(draft.place, "missing-file", message, "Create the file; the schema's format is enough.")
        drafts.broken.add(draft.place.path)
    value = draft.value or {}
    _take_id(drafts, value, f"{model.singular}id", rid, draft.place)
    normal = ordinary(drafts, normal_form(model, value, drafts.selectors(xid, value)), draft.place)
    return resource_from(xid, model, normal, draft.place, draft.documents)


# Faults of a text around which every value can still be read.
WHOLE = frozenset({"yaml-duplicate-key", "yaml-tag"})


class NotThenError(XregitError):
    """A folder that held no registry at a commit, whose hash is kept."""

    def __init__(self, folder: Path, ref: str, commit: str) -> None:
        """Say what was missing."""
        self.commit = commit
        super().__init__(f'"{folder}" was not a registry at "{ref}": it had no {REGISTRY_FILE} then')


def read_folder(folder: Path) -> Registry:
    """Return what a registry folder holds, with all that is wrong with its files, and CODEOWNERS, as ``problems``.

    Raises:
        XregitError: the folder isn't there or has no ``registry.yaml``.
    """
    root = folder.resolve()
    if not (root / REGISTRY_FILE).is_file():
        misnamed = (root / REGISTRY_FILE).with_suffix(YML)
        way = f"rename its {misnamed.name}" if misnamed.is_file() else '"xregit init" makes one'
        message = f'"{folder}" is not a registry: it has no {REGISTRY_FILE}; {way}'
        raise XregitError(message)
    origin = Origin(repository_of(root), root)
    found = _Reading(origin, file_tree.list_files(root), partial(file_tree.read, root)).registry()
    problems = found.owners.problems
    return replace(found, problems=found.problems + problems) if problems else found


def read_commit(folder: Path | str, ref: str) -> Registry:
    """Return what a registry folder held at a commit, with all that was wrong with its files as ``problems``.

    Raises:
        XregitError: the folder is in no Git repository, or that has no such commit.
        NotThenError: the folder held no registry then.
    """
    from xregit.source import repository  # few commands ask for another state than the present one

    root = to_path(folder).resolve()
    commit = repository.resolve_commit(root, ref)
    contents = repository.read_files(root, commit)
    if REGISTRY_FILE not in contents:
        raise NotThenError(Path(folder), ref, commit)
    return read_contents(root, contents, commit)


def read_contents(root: Path, contents: Mapping[str, bytes], commit: str = "") -> Registry:
    """Return the registry of files that are held in memory, by their paths relative to the registry's folder."""
    repository = repository_of(root)
    prefix = root.relative_to(repository).as_posix()
    origin = Origin(repository, root, commit, {f"{prefix}/{path}": data for path, data in contents.items()})
    return _Reading(origin, file_tree.list_contents(contents), contents.__getitem__).registry()


class _Reading:
    """One pass over a folder's files, by whatever reads them."""

    def __init__(self, origin: Origin, listing: file_tree.Listing, read: Callable[[str], bytes]) -> None:
        self.listing = listing
        self.read = read
        self.unread: frozenset[str] = frozenset()
        self.told: set[str] = set()
        self.drafts = Drafts(origin, origin.root.relative_to(origin.repository).as_posix() + "/")

    def registry(self) -> Registry:
        drafts = self.drafts
        listing = self.listing
        for problem in listing.problems:
            drafts.report(drafts.place(problem.path), problem.rule, problem.message, problem.help)
            drafts.broken.add(drafts.place(problem.path).path)
        self.unread = frozenset(problem.path for problem in listing.problems)
        present = frozenset(listing.files)
        settings = self.root_value(SETTINGS_FILE, present)
        waivers = self.root_value(WAIVERS_FILE, present)
        model = self.model(self.root_value(MODEL_FILE, present))
        place = drafts.place(REGISTRY_FILE)
        attributes = ordinary(drafts, normalise(model.attributes, self.root_value(REGISTRY_FILE, present)), place)
        drafts.groups = {plural: {} for plural in model.groups}
        for path in (*listing.files, *sorted(self.unread)):
            self.file(path, spot(model, path))
        groups = groups_of(drafts)
        return Registry(
            model=model,
            attributes=attributes,
            groups=groups,
            place=place,
            origin=drafts.origin,
            settings=settings_of(settings),
            waivers=waivers,
            problems=tuple(drafts.problems),
            broken=frozenset(drafts.broken),
            directives=drafts.directives,
        )

    def root_value(self, name: str, present: frozenset[str]) -> dict[str, Any]:
        return (self.value(name, self.drafts.place(name)) or {}) if name in present else {}

    def model(self, value: Mapping[str, Any]) -> Model:
        if not value:
            return builtin()
        from xregit.model import extend  # few registries have a model of their own

        model, findings = extend(builtin(), value)
        place = self.drafts.place(MODEL_FILE)
        for finding in findings:
            span = self.drafts.origin.span(place, finding.path, on_key=finding.on_key)
            self.drafts.report(place, finding.rule, finding.message, finding.help, span)
        if findings:
            self.drafts.broken.add(place.path)
        return model

    def file(self, path: str, found: Spot) -> None:
        if found.kind is Kind.MISPLACED:
            self.misplaced(path, found)
        if found.group is None:
            return
        group = self.drafts.groups[found.group.plural].setdefault(found.gid, GroupDraft(found.group))
        if found.named:
            self.misnamed(path, found, group)
        elif found.kind is Kind.GROUP:
            group.place = self.drafts.place(path)
            group.attributes = self.value(path, group.place)
        elif found.resource is not None:
            collection = group.drafts.setdefault(found.resource.plural, {})
            draft = collection.setdefault(found.rid, Draft(found.resource))
            if found.kind is Kind.DOCUMENT:
                self.document(path, found.vid, draft)
            elif found.kind is Kind.MISPLACED:
                draft.documents.setdefault(found.vid, Document(self.drafts.place(path)))
            else:
                draft.place = self.drafts.place(path)
                draft.value = self.value(path, draft.place)

    def misplaced(self, path: str, found: Spot) -> None:
        """Report a file that is out of place; all those that are so for the name of one folder, once."""
        if path in self.unread or self.is_meant(path):
            return
        if found.vid:
            self.drafts.broken.add(self.drafts.place(path).path)
        if found.folder in self.told:
            return
        message = "The file is where no entity of the registry is kept."
        if found.named:
            message = "The file is not read: names of files end in .yaml here, not in .yml."
        if found.folder:
            self.told.add(found.folder)
            message = "No entity of the registry is kept in this folder, so its files are not read."
        self.drafts.report(self.drafts.place(found.folder or path), "misplaced-file", message, found.help)

    def misnamed(self, path: str, found: Spot, group: GroupDraft) -> None:
        """Take a file whose ending alone is wrong for one that can't be read, so that nothing seems to be missing."""
        drafts = group.drafts.setdefault(found.resource.plural, {}) if found.resource else {}
        draft = drafts.setdefault(found.rid, Draft(found.resource)) if found.resource else group
        if not draft.place.path:
            draft.place = self.drafts.place(path)
            self.drafts.broken.add(draft.place.path)

    def is_meant(self, path: str) -> bool:
        """Tell whether a file belongs to a group type that model.yaml fails to define, which is reported there."""
        plural, slash, _ = path.partition("/")
        broken = self.drafts.place(MODEL_FILE).path in self.drafts.broken
        return bool(slash) and broken and plural not in builtin().groups

    def document(self, path: str, vid: str, draft: Draft) -> None:
        place = self.drafts.place(path)
        if vid in draft.documents:
            message = f'Version "{vid}" has two documents: this one and "{draft.documents[vid].place.path}".'
            self.drafts.report(place, "duplicate-id", message, "Remove one of the two files.")
            return
        draft.documents[vid] = Document(place, self.bytes(path, place))

    def bytes(self, path: str, place: Place) -> bytes | None:
        if path in self.unread:
            return None
        try:
            return self.read(path)
        except file_tree.FileError as error:
            self.drafts.report(place, error.problem.rule, error.problem.message, error.problem.help)
            self.drafts.broken.add(place.path)
            return None

    def value(self, path: str, place: Place) -> dict[str, Any] | None:
        data = self.bytes(path, place)
        if data is None:
            return None
        parsed = yaml_loader.parse(data)
        if may_have_directives(data):
            self.drafts.directives[place.path] = directives(data)
        for problem in parsed.problems:
            self.drafts.report(place, problem.rule, problem.message, problem.help, problem.span)
        if isinstance(parsed.value, dict):
            if parsed.plain:
                self.drafts.numbered.add(place.path)
            if parsed.problems and not all(problem.rule in WHOLE for problem in parsed.problems):
                self.drafts.broken.add(place.path)
            return parsed.value
        if not parsed.problems:
            message = "The file holds no mapping of attribute names to values."
            self.drafts.report(place, "not-a-mapping", message, 'Write "name: value" lines.', Span(1, 1))
        self.drafts.broken.add(place.path)
        return None
