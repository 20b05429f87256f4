"""The history of one entity, and the last commits of a registry: what each commit changed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property

from xregit.catalog.entities import Resource
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, VERSIONS, Kind, parse_path, path_of, xid_of
from xregit.catalog.loader import read_contents
from xregit.catalog.references import schema_of
from xregit.catalog.registry import Registry
from xregit.changes.change import Change
from xregit.changes.differ import diff
from xregit.changes.field_diff import PayloadChange, diff_payloads
from xregit.changes.message_diff import MessageState
from xregit.changes.schema_diff import message_payload, schema_attributes
from xregit.errors import XregitError
from xregit.model.language import NOTHING, Model
from xregit.source import repository
from xregit.source.commit_log import Commit, FileChange
from xregit.source.repository import WHOLE_HISTORY

Files = Mapping[str, bytes]
FileKey = tuple[int, str]  # the index of a commit, and the path of a file at it
FileKeys = Mapping[str, FileKey]
LineRange = tuple[int, int]

# An entity's history follows this many files at most.
MAX_FOLLOWED_FILES = 500
# The last commits of a registry: how many there are, up to how many files of one are compared, and those around them.
MAX_COMMITS, MAX_FILES, MAX_RELATED = 30, 60, 120
# References in a file: the xid of a message or of a schema, however it is written.
_ID = rb"[A-Za-z0-9_.\-~:@]+"
REFERENCE = re.compile(rb"/[a-z0-9_]+/" + _ID + rb"/[a-z0-9_]+/" + _ID)
_VERSIONS = f"/{VERSIONS}/"


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One commit and what it did to an entity; ``xid`` is the xid that the entity had from then on.

    If it is not ``readable``, some file can't be read at that commit; its changes come with the next readable one.
    ``begins`` says that the entity is there for the first time.
    """

    commit: Commit
    xid: str
    changes: tuple[Change, ...]
    readable: bool = True
    begins: bool = False


def history(registry: Registry, xid: str) -> tuple[HistoryEntry, ...]:
    """Return what happened to a group or resource, the newest first; a removed one is named by its last xid.

    Raises:
        XregitError: there is no Git history, or nothing in it of such an entity.
    """
    if registry.origin.root.is_file():
        name = registry.origin.root.name
        message = f'"{name}" is one document, whose entities have no history; name the registry folder by --registry'
        raise XregitError(message)
    git = registry.origin.history
    if git.reason:
        raise XregitError(f"there is no history, since {git.reason}")
    entity = registry.entity(xid)
    relative = path_of(registry.model, xid)
    path = entity.place.path if entity is not None else registry_prefix(registry) + relative
    tracks = FileTracks.of(git.commits)
    entries: list[HistoryEntry] = []
    if relative and tracks.changes.get(path):
        entries = list(_EntityHistory(EntityFiles(registry, tracks, path)).entries())
        if entries or not git.shallow:
            return tuple(reversed(entries))
    if git.shallow:
        message = f'this clone is shallow and knows nothing of "{xid}"; {WHOLE_HISTORY}'
    elif entity is not None:
        message = f'the file of "{xid}" has not been committed yet'
    else:
        example = "/messagegroups/GROUP/messages/MESSAGE"
        message = f'the history knows no "{xid}"; name a group or resource, such as {example}'
    raise XregitError(message)


def registry_prefix(registry: Registry) -> str:
    """Return what the paths of the registry's files begin with."""
    return registry.place.path.removesuffix(REGISTRY_FILE)


@dataclass(frozen=True, slots=True)
class FileStep:
    """One commit that touched a file: ``index`` counts commits from the newest, ``path`` is the name since then.

    ``oldpath`` is the name before, where the commit changed it.
    """

    index: int
    path: str
    oldpath: str = ""
    is_removal: bool = False


@dataclass(frozen=True, slots=True)
class FileTracks:
    """What commits, newest first, did to each path; ``parents`` has the indexes of each commit's parents."""

    changes: Mapping[str, Sequence[tuple[int, FileChange]]]
    parents: Sequence[tuple[int, ...]]

    @classmethod
    def of(cls, commits: Sequence[Commit]) -> FileTracks:
        """Return the tracks of all files, in one pass over the log."""
        changes: dict[str, list[tuple[int, FileChange]]] = defaultdict(list)
        for index, commit in enumerate(commits):
            for change in commit.files:
                changes[change.path].append((index, change))
        numbers = {commit.sha: index for index, commit in enumerate(commits)}
        parents = [tuple(numbers[sha] for sha in commit.parents if sha in numbers) for commit in commits]
        return cls(changes, parents)

    def steps(self, path: str) -> list[FileStep]:
        """Return what happened to a file, back to where it was added under its first name.

        What a parallel branch did to an older name is among it.
        """
        steps: list[FileStep] = []
        since = -1
        while path:
            changes = self.changes.get(path, ())
            steps += self._parallel_steps([item for item in changes if item[0] < since], path, since)
            oldpath = ""
            for index, change in changes:
                if index > since:
                    oldpath = change.oldpath if change.status == "R" else ""
                    steps.append(FileStep(index, path, oldpath, is_removal=change.status == "D"))
                    since = index
                if oldpath:
                    break
            path = oldpath
        return steps

    def _parallel_steps(self, changes: Sequence[tuple[int, FileChange]], path: str, since: int) -> Iterator[FileStep]:
        """Yield what was done to an older name after a commit changed it, on branches without that commit."""
        heirs = {since}
        if changes:
            for newer in range(since - 1, -1, -1):
                if not heirs.isdisjoint(self.parents[newer]):
                    heirs.add(newer)
        for index, change in changes:
            if index not in heirs and change.status != "R":
                yield FileStep(index, path, is_removal=change.status == "D")


@dataclass
class EntityFiles:
    """The files that an entity is made of, its own at ``path`` first: their steps, and their contents at commits."""

    registry: Registry
    tracks: FileTracks
    path: str
    steps: dict[str, list[FileStep]] = field(default_factory=dict)
    contents: dict[FileKey, bytes | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Follow the file, then those to which any version of it refers, until none is new."""
        pending = [self.path, *self._group_files(self.path)]
        while pending and len(self.steps) < MAX_FOLLOWED_FILES:
            keys: list[FileKey] = []
            for path in dict.fromkeys(pending):
                self.steps[path] = self.tracks.steps(path)
                keys += [(step.index, step.path) for step in self.steps[path] if not step.is_removal]
            self.read(keys)
            texts = [data for key in keys if (data := self.contents[key]) is not None]
            pending = [path for path in self._referenced_files(texts) if path not in self.steps]

    @property
    def prefix(self) -> str:
        """What paths in the registry's folder begin with."""
        return registry_prefix(self.registry)

    def _referenced_files(self, texts: Iterable[bytes]) -> Iterator[str]:
        """Yield the files of what texts refer to, and of the groups around it."""
        for reference in dict.fromkeys(reference for text in texts for reference in REFERENCE.findall(text)):
            xid = reference.decode().rstrip(":.")
            for name in (xid, xid.rpartition(":")[0]):
                path = self.prefix + path_of(self.registry.model, name) if name else ""
                if path in self.tracks.changes:
                    yield path
                    yield from self._group_files(path)

    def _group_files(self, path: str) -> Iterator[str]:
        """Yield the file of the group around a file, and for a schema all its documents."""
        location = parse_path(self.registry.model, path.removeprefix(self.prefix))
        if location.group is not None:
            xid = f"/{location.group.plural}/{location.gid}"
            yield self.prefix + path_of(self.registry.model, xid)
        if location.kind is Kind.RESOURCE and location.resource is not None and location.resource.hasdocument:
            folder = path.rpartition("/")[0] + "/"
            yield from (other for other in self.tracks.changes if other.startswith(folder))

    def by_commit(self) -> Sequence[FileKeys]:
        """Return the files after each commit, by their path below the registry; the newest commit first.

        Git itself says what a merge has where its parents differ, and what there was before a shallow clone begins.
        """
        steps_by_commit: dict[int, list[tuple[str, FileStep]]] = defaultdict(list)
        for path, steps in self.steps.items():
            for step in steps:
                steps_by_commit[step.index].append((path, step))
        result: list[FileKeys] = [NOTHING] * len(self.tracks.parents)
        unread: list[FileKey] = []
        for index in range(len(result) - 1, -1, -1):
            parents = [result[parent] for parent in self.tracks.parents[index]]
            if self.is_boundary(index):
                names = [(path, name) for path in self.steps for name in self.names(path)]
                result[index] = {self.below(name, path): (index, name) for path, name in names}
            elif parents:
                result[index] = _merge_files(index, parents, self.prefix)
            if len(parents) != 1:
                unread += [key for key in result[index].values() if key[0] == index]
            if index in steps_by_commit:
                files = dict(result[index])
                for path, step in steps_by_commit[index]:
                    files.pop(self.below(step.oldpath or step.path, path), None)
                    if not step.is_removal:
                        files[self.below(step.path, path)] = (step.index, step.path)
                result[index] = files
        self.read([key for key in unread if key not in self.contents])
        return result

    def read(self, keys: Sequence[FileKey]) -> None:
        """Read the contents of files at commits, in one run of Git."""
        if keys:
            commits = self.registry.origin.history.commits
            places = [(commits[index].sha, path) for index, path in keys]
            self.contents.update(zip(keys, repository.read_versions(self.registry.origin.root, places), strict=True))

    def data(self, files: FileKeys) -> dict[str, bytes]:
        """Return the contents of files, without those that aren't there."""
        return {name: data for name, key in files.items() if (data := self.contents[key]) is not None}

    def names(self, path: str) -> Sequence[str]:
        """Return all paths that a file has had, the latest first."""
        return [*dict.fromkeys(name for step in self.steps[path] for name in (step.path, step.oldpath) if name)]

    @cached_property
    def other_names(self) -> Mapping[str, Sequence[str]]:
        """The other paths below the registry that files with several have had."""
        groups = [[self.below(name, path) for name in self.names(path)] for path in self.steps]
        return {name: names for names in groups for name in names if len(names) > 1}

    def below(self, old: str, path: str) -> str:
        """Return an older path relative to the registry's folder, wherever that was then."""
        if old.startswith(self.prefix):
            return old.removeprefix(self.prefix)
        depth = path.removeprefix(self.prefix).count("/") + 1
        return "/".join(old.split("/")[-depth:])

    def xid(self, path: str) -> str:
        """Return the xid that a file's place gives its entity."""
        return xid_of(parse_path(self.registry.model, self.below(path, self.path)))

    def is_boundary(self, index: int) -> bool:
        """Return whether a shallow clone leaves out the parents of a commit, so that nothing says what it did."""
        git = self.registry.origin.history
        return git.shallow and not (git.commits[index].parents or git.commits[index].files)


def _merge_files(index: int, parents: Sequence[FileKeys], prefix: str) -> FileKeys:
    """Return the files of what parents have; a merge has its own of those in which they differ."""
    first, *others = parents
    differing: dict[str, FileKey] = {}
    for files in others:
        for name in {**first, **files} if files is not first else ():
            keys = first.get(name), files.get(name)
            if keys[0] != keys[1]:
                paths = [key[1] for key in keys if key is not None]
                # Where a branch moved the registry, the merge has it in its new place.
                differing[name] = index, next((path for path in paths if path.startswith(prefix)), paths[0])
    return {**first, **differing} if differing else first


@dataclass(frozen=True, slots=True)
class _EntityState:
    """An entity after a commit: its file, and the files around it by their path below the registry.

    ``registry`` is the last one that could be read of them, ``readable_xid`` the entity's xid in it.
    """

    files: FileKeys
    registry: Registry
    path: str = ""
    xid: str = ""
    readable_xid: str = ""
    readable: bool = True


class _EntityHistory:
    """The commits of one entity, from the files that it is made of; ``constant`` are files that every state has.

    Those are the registry's model as it is now, and stubs of the groups around other entities.
    """

    def __init__(self, files: EntityFiles) -> None:
        self.files = files
        origin, model = files.registry.origin, files.registry.model
        (data,) = repository.read_versions(origin.root, [(origin.history.head, files.prefix + MODEL_FILE)])
        names = {files.below(step.path, path) for path, steps in files.steps.items() for step in steps}
        own = {files.xid(step.path) for step in files.steps[files.path]}
        self.constant = stub_files(model, names, own) | ({MODEL_FILE: data} if data is not None else {})

    def entries(self) -> Iterator[HistoryEntry]:
        """Yield what each commit did, compared with its parents; the oldest commit first."""
        by_commit, numbers = self.files.by_commit(), self.files.tracks.parents
        own = {step.index: step.path for step in self.files.steps[self.files.path]}
        nothing = _EntityState(NOTHING, self.registry({}))
        children = Counter(parent for parents in numbers for parent in parents)
        states: dict[int, _EntityState] = {}
        for index in range(len(by_commit) - 1, -1, -1):
            parents = [states[parent] for parent in numbers[index]] or [nothing]
            for parent in numbers[index]:
                children[parent] -= 1
                if not children[parent]:
                    del states[parent]
            if all(by_commit[index] is parent.files for parent in parents):
                states[index] = parents[0]
            elif self.files.is_boundary(index):
                states[index] = self.state(by_commit[index], parents, self.files.names(self.files.path)[::-1])
            else:
                paths = [own[index]] if index in own else [parent.path for parent in parents]
                states[index] = self.state(by_commit[index], parents, paths)
                yield from self.entry(index, states[index], parents, is_own=index in own)

    def state(self, keys: FileKeys, parents: Sequence[_EntityState], paths: Sequence[str]) -> _EntityState:
        """Return the state of the entity with files; its own has one of a few paths."""
        files = self.files
        data = files.data(keys)
        if len(parents) > 1:
            for parent in parents:
                if data == files.data(parent.files):
                    return replace(parent, files=keys)
        path = next((path for path in paths if len(paths) == 1 or files.below(path, files.path) in data), "")
        xid = files.xid(path) if path else ""
        registry = self.registry(data)
        if registry.broken:
            return replace(parents[0], files=keys, path=path, xid=xid, readable=False)
        return _EntityState(keys, registry, path, xid, xid)

    def entry(
        self, index: int, state: _EntityState, parents: Sequence[_EntityState], *, is_own: bool
    ) -> Iterator[HistoryEntry]:
        """Yield what a commit did, unless that is nothing; a merge did what comes from none of its parents."""
        commit = self.files.registry.origin.history.commits[index]
        if len(parents) > 1:
            before = [self.files.data(parent.files) for parent in parents]
            if not has_own_changes(self.files.data(state.files), before, self.files.other_names):
                return
        if not state.readable:
            yield HistoryEntry(commit, state.xid, (), readable=False)
            return
        changes = changes_in_all([_diff_states(parent, state) for parent in parents])
        if is_own or changes:
            begins = not any(parent.readable_xid for parent in parents)
            yield HistoryEntry(commit, state.xid or self.files.xid(self.files.path), changes, begins=begins)

    def registry(self, files: Files) -> Registry:
        return read_contents(self.files.registry.origin.root, {**self.constant, **files})


def _diff_states(before: _EntityState, after: _EntityState) -> tuple[Change, ...]:
    """Return the changes of the entity itself, and those that reach it."""
    old, new = before.readable_xid, after.xid
    xids = {old, new} - {""}
    versions = tuple(f"{xid}/versions/" for xid in xids)
    changes = diff(before.registry, after.registry, {old: new} if old and old != new else {})
    return tuple(item for item in changes if xids & {item.xid, *item.reaches} or item.xid.startswith(versions))


def stub_files(model: Model, paths: Iterable[str], own: Collection[str] = ()) -> dict[str, bytes]:
    """Return stubs by path of the registry's file, and of the files of groups around the resources of paths.

    Some files of a registry can't be read as one without them. Paths are relative to the registry's folder. The groups
    with the xids ``own`` get none.
    """
    spots = [parse_path(model, path) for path in paths]
    groups = {f"/{item.group.plural}/{item.gid}" for item in spots if item.group and item.resource}
    stubs = {path_of(model, xid): b"description: A group.\n" for xid in sorted(groups.difference(own))}
    return {REGISTRY_FILE: b"registryid: then\n", **stubs}


# Merge commits: a branch's changes are reported at the commits that made them, so a merge that only joins branches has
# none of its own.


def has_own_changes(after: Files, befores: Sequence[Files], names: Mapping[str, Iterable[str]] = NOTHING) -> bool:
    """Return whether any file of a merge has, or lacks, lines where it differs from all parents.

    ``names`` has the other names of files, under which a parent may have them.
    """
    for path in dict.fromkeys((*after, *(path for files in befores for path in files))):
        paths = (path, *names.get(path, ())) if path in after else (path,)
        parents = [next((files[name] for name in paths if name in files), None) for files in befores]
        if after.get(path) in parents:
            continue
        lines = after.get(path, b"").splitlines()
        own: list[LineRange] = [(0, len(lines))]
        for before in parents:
            opcodes = SequenceMatcher(None, (before or b"").splitlines(), lines, autojunk=False).get_opcodes()
            # A range of new lines; an empty one is where lines are gone.
            changed = [(start, end) for tag, _, _, start, end in opcodes if tag != "equal"]
            own = [common for one in own for other in changed if (common := _overlap(one, other)) is not None]
        if own:
            return True
    return False


def _overlap(one: LineRange, other: LineRange) -> LineRange | None:
    start, end = max(one[0], other[0]), min(one[1], other[1])
    empty = one[0] == one[1] or other[0] == other[1]
    return (start, end) if start < end or (empty and start == end) else None


def changes_in_all(by_parent: Sequence[tuple[Change, ...]]) -> tuple[Change, ...]:
    """Return the changes since a merge's first parent in what has changed since all its other parents, too."""
    first, *others = by_parent
    places = [{(change.xid, change.path) for change in changes} for changes in others]
    return tuple(change for change in first if all((change.xid, change.path) in changed for changed in places))


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """One commit: how many entities it touched, and what it changed unless that is too much to be ``compared``."""

    commit: Commit
    touched: int
    changes: tuple[Change, ...] = ()
    compared: bool = True


def recent_commits(registry: Registry) -> tuple[CommitSummary, ...]:
    """Return the last commits that touched the registry, the newest first; nothing where there is no Git history.

    A commit that touches many files, such as an import, is only counted.
    """
    git = registry.origin.history
    prefix = registry_prefix(registry)
    if git.reason or registry.origin.root.is_file():
        return ()
    touching = ((commit, _registry_paths(commit, prefix)) for commit in git.commits)
    last = [item for item in touching if item[1]][:MAX_COMMITS]
    versions = version_documents(registry)
    related = [
        _related_files(registry, prefix, paths, versions) if len(paths) <= MAX_FILES else () for _, paths in last
    ]
    pairs = [(commit, paths) for (commit, _), paths in zip(last, related, strict=True) if paths]
    contents = _read_commits(registry, prefix, pairs)
    result = []
    for (commit, paths), names in zip(last, related, strict=True):
        touched = len({xid for path in paths if (xid := xid_of(parse_path(registry.model, path)))})
        changes: tuple[Change, ...] = ()
        if names:
            befores, after = next(contents)
            if len(befores) == 1 or has_own_changes(after, befores):
                changes = changes_in_all([_diff_commit(registry, commit, prefix, files, after) for files in befores])
        result.append(CommitSummary(commit, touched, changes, compared=bool(names)))
    return tuple(result)


def _registry_paths(commit: Commit, prefix: str) -> tuple[str, ...]:
    """Return the files of the registry that a commit touched, below its folder, under both names where it renamed."""
    names = (name for change in commit.files for name in (change.path, change.oldpath) if name)
    return tuple(dict.fromkeys(name.removeprefix(prefix) for name in names if name.startswith(prefix)))


def version_documents(registry: Registry) -> Mapping[str, Sequence[str]]:
    """Return the documents that each folder of versions ever had: without any of them, a schema has one named "1"."""
    documents: dict[str, dict[str, None]] = defaultdict(dict)
    prefix = registry_prefix(registry)
    for commit in registry.origin.history.commits:
        for path in _registry_paths(commit, prefix):
            if _VERSIONS in path:
                documents[path.rpartition("/")[0]][path] = None
    return {folder: tuple(paths) for folder, paths in documents.items()}


def _related_files(
    registry: Registry, prefix: str, paths: tuple[str, ...], versions: Mapping[str, Iterable[str]]
) -> tuple[str, ...]:
    """Return the files that tell what a few files mean: their groups, and what is around the entities in them."""
    result = dict.fromkeys(paths)
    for xid in [xid for path in paths if (xid := xid_of(parse_path(registry.model, path)))]:
        for other in _neighbours(registry, xid):
            entity, parts = registry.entity(other), other.split("/")
            # A version is described by its schema's file.
            own = entity.place.path if entity else path_of(registry.model, "/".join(parts[:5]))
            files = (own, path_of(registry.model, "/".join(parts[:3])))
            result |= dict.fromkeys(path.removeprefix(prefix) for path in files if path)
    for folder in dict.fromkeys(path.rpartition("/")[0] for path in result):
        documents = versions.get(folder) or versions.get(f"{folder}{_VERSIONS}"[:-1], ())
        result |= dict.fromkeys(documents)
    return tuple(result)[: max(MAX_RELATED, len(paths))]


def _neighbours(registry: Registry, xid: str) -> Iterator[str]:
    """Yield an entity and what a change of it reaches, or is judged by.

    Those are the messages that derive from it, its base messages, its schema, the endpoints that carry it, and the
    messages that use a schema.
    """
    yield xid
    yield from registry.indexes.schema_users.get(xid.partition(_VERSIONS)[0], ())
    pending, visited = [xid], {xid}
    while pending and len(visited) < MAX_RELATED:
        for other in registry.indexes.derived.get(pending.pop(), ()):
            if other not in visited:
                visited.add(other)
                pending.append(other)
                yield other
    if "/messages/" in xid and registry.entity(xid) is not None:
        yield from registry.resolved(xid).chain
        reference = schema_of(registry, registry.resolved(xid).attributes)
        if reference is not None and reference.schema is not None:
            yield reference.schema.xid
        yield from (endpoint for endpoint, _ in registry.indexes.carriers.get(xid, ()))


def _read_commits(
    registry: Registry, prefix: str, pairs: list[tuple[Commit, tuple[str, ...]]]
) -> Iterator[tuple[Sequence[Files], Files]]:
    """Yield the contents of files at the parents of each commit, and after it, in one run of Git."""
    sides = [((*paths, MODEL_FILE), (*commit.parents, commit.sha)) for commit, paths in pairs]
    places = [(sha, prefix + path) for paths, hashes in sides for path in paths for sha in hashes]
    contents = repository.read_versions(registry.origin.root, places) if places else iter(())
    for paths, hashes in sides:
        by_commit: list[dict[str, bytes]] = [{} for _ in hashes]
        for path in paths:
            for files in by_commit:
                data = next(contents)
                if data is not None:
                    files[path] = data
        yield by_commit[:-1] or [{}], by_commit[-1]


def _diff_commit(registry: Registry, commit: Commit, prefix: str, before: Files, after: Files) -> tuple[Change, ...]:
    model = registry.model
    renamed = {
        xid_of(parse_path(model, change.oldpath.removeprefix(prefix))): xid_of(
            parse_path(model, change.path.removeprefix(prefix))
        )
        for change in commit.files
        if change.status == "R" and change.path.startswith(prefix)
    }
    # What is around the entities is the same on both sides where one of them has not got it.
    shared = {
        name: data for files in (before, after) for name, data in files.items() if name in {REGISTRY_FILE, MODEL_FILE}
    }
    sides = ({**stub_files(model, (*shared, *files)), **shared, **files} for files in (before, after))
    old, new = (read_contents(registry.origin.root, files) for files in sides)
    return diff(old, new, {one: other for one, other in renamed.items() if one and other and one != other})


PAYLOAD = "payload"
# How far references are followed, such as from a message over its base to the base's schema and that one's documents,
# and how many files a message may be made of.
MAX_STEPS, MAX_COMPARED_FILES = 4, 60


def message_snapshots(registry: Registry, commits: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Registry]]:
    """Return registries with the messages at some xids after commits, each by its hash.

    Those are left out in which a message isn't there, or has a file that can't be read. Each step takes one run of Git.
    """
    prefix, documents = registry_prefix(registry), version_documents(registry)
    wanted: dict[tuple[str, str], dict[str, None]] = {
        (xid, sha): dict.fromkeys(_own_files(registry, xid, prefix)) for xid, shas in commits.items() for sha in shas
    }
    contents: dict[tuple[str, str], bytes | None] = {}
    for _ in range(MAX_STEPS):
        unread = dict.fromkeys((sha, path) for (_, sha), paths in wanted.items() for path in paths)
        keys = [key for key in unread if key not in contents]
        places = [(sha, prefix + path) for sha, path in keys]
        contents |= zip(keys, repository.read_versions(registry.origin.root, places), strict=True) if keys else ()
        for (_, sha), paths in wanted.items():
            for data in [data for path in paths if (data := contents[sha, path]) is not None]:
                for path in _referenced_files(registry, data, documents):
                    if len(paths) < MAX_COMPARED_FILES:
                        paths[path] = None
    result: dict[str, dict[str, Registry]] = defaultdict(dict)
    for (xid, sha), paths in wanted.items():
        files = {path: data for path in paths if (data := contents.get((sha, path))) is not None}
        stubs = stub_files(registry.model, files)
        snapshot = read_contents(registry.origin.root, {**stubs, **files})
        if isinstance(snapshot.entity(xid), Resource) and not snapshot.broken:
            result[xid][sha] = snapshot
    return result


def diff_snapshots(xid: str, before: Registry, after: Registry) -> tuple[tuple[Change, ...], PayloadChange | None]:
    """Return what changed in a message between two snapshots, and how its payload differs field by field, if it does.

    A change of the payload is among the changes only where one of the two has no payload.
    """
    changes = tuple(change for change in diff(before, after) if xid in {change.xid, *change.reaches})
    resources = ((registry, registry.resource(xid)) for registry in (before, after))
    states = (MessageState(registry, resource) for registry, resource in resources if resource is not None)
    old, new = (message_payload(state, schema_attributes(state)) for state in states)
    if old is None or new is None or not any(change.kind == PAYLOAD for change in changes):
        return changes, None
    payload = diff_payloads(old, new, xid)
    return tuple(change for change in changes if change.kind != PAYLOAD), payload


def _own_files(registry: Registry, xid: str, prefix: str) -> Iterator[str]:
    entity = registry.entity(xid)
    yield from (REGISTRY_FILE, MODEL_FILE)
    yield path_of(registry.model, "/".join(xid.split("/")[:3]))
    yield entity.place.path.removeprefix(prefix) if entity is not None else path_of(registry.model, xid)


def _referenced_files(registry: Registry, data: bytes, documents: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the files of the messages and schemas that a file names, and of their groups."""
    for reference in dict.fromkeys(REFERENCE.findall(data)):
        text = reference.decode().rstrip(":.")
        for xid in dict.fromkeys((text, text.rpartition(":")[0])):
            path = path_of(registry.model, xid) if xid else ""
            if path:
                yield path
                yield path_of(registry.model, "/".join(xid.split("/")[:3]))
                yield from documents.get(f"{path.rpartition('/')[0]}/{VERSIONS}", ())
