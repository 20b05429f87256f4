"""A registry folder to a `Registry`: each file is read, placed by its path, and every fault becomes a diagnostic."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_path
from xregit.catalog.assembling import groups_of, ordinary
from xregit.catalog.drafts import Draft, Drafts, GroupDraft
from xregit.catalog.entities import Document
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE, WAIVERS_FILE, YML, Kind, Spot, spot
from xregit.catalog.origin import Origin, repository_of
from xregit.catalog.registry import Registry
from xregit.catalog.settings import settings_of
from xregit.collecting import uncollected
from xregit.diagnostics import Span
from xregit.errors import XregitError
from xregit.model import builtin, normalise
from xregit.source import files, yaml
from xregit.source.directives import addresses, directives

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xregit.catalog.entities import Place
    from xregit.model.language import Model

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
    with uncollected():
        found = _Reading(Origin(repository_of(root), root), files.listing(root), partial(files.read, root)).registry()
    problems = found.owners.problems
    return replace(found, problems=found.problems + problems) if problems else found


def read_commit(folder: Path | str, ref: str) -> Registry:
    """Return what a registry folder held at a commit, with all that was wrong with its files as ``problems``.

    Raises:
        XregitError: the folder is in no Git repository, or that has no such commit.
        NotThenError: the folder held no registry then.
    """
    from xregit.source import history  # few commands ask for another state than the present one

    root = to_path(folder).resolve()
    commit = history.commit_of(root, ref)
    contents = history.read_at(root, commit)
    if REGISTRY_FILE not in contents:
        raise NotThenError(Path(folder), ref, commit)
    return read_contents(root, contents, commit)


def read_contents(root: Path, contents: Mapping[str, bytes], commit: str = "") -> Registry:
    """Return the registry of files that are held in memory, by their paths relative to the registry's folder."""
    repository = repository_of(root)
    prefix = root.relative_to(repository).as_posix()
    origin = Origin(repository, root, commit, {f"{prefix}/{path}": data for path, data in contents.items()})
    with uncollected():
        return _Reading(origin, files.listing_of(contents), contents.__getitem__).registry()


class _Reading:
    """One pass over a folder's files, by whatever reads them."""

    def __init__(self, origin: Origin, listing: files.Listing, read: Callable[[str], bytes]) -> None:
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
        except files.FileError as error:
            self.drafts.report(place, error.problem.rule, error.problem.message, error.problem.help)
            self.drafts.broken.add(place.path)
            return None

    def value(self, path: str, place: Place) -> dict[str, Any] | None:
        data = self.bytes(path, place)
        if data is None:
            return None
        parsed = yaml.parse(data)
        if addresses(data):
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
