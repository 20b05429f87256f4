"""The parser of documents of the 1.0 family: their value becomes groups, resources and versions under our names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import (
    FIRST_VERSION,
    META,
    VERSIONS,
    Document,
    Group,
    Place,
    Resource,
    build_resource,
    meta_names,
    normalise_resource,
)
from xregit.catalog.origin import original_pointer
from xregit.catalog.resolver import BASE, SELECTORS
from xregit.diagnostics import Severity
from xregit.document.dialects.changes import NOTHING_MOVED, Conversion, trace_paths
from xregit.document.dialects.converter import convert
from xregit.document.profiles import dialect
from xregit.document.version_document import inline_document
from xregit.model import canonical
from xregit.model import normalise as model_normalised
from xregit.model.language import NOTHING
from xregit.source.scalars import without_text

if TYPE_CHECKING:
    from xregit.document.profiles import Step
    from xregit.json_pointer import KeyPath
    from xregit.model.language import GroupModel, Model, ResourceModel


@dataclass(frozen=True, slots=True)
class Note:
    """What was changed or is wrong at a path of the document."""

    rule: str
    severity: Severity
    path: KeyPath
    message: str
    help: str = ""
    xid: str = ""


def note_of(change: Conversion, at: KeyPath, xid: str = "") -> Note:
    """Return the note of a change to an entity, at a path of the document."""
    if change.conflict:
        return Note("conflicting-names", Severity.ERROR, at, change.message, "Keep one of the two.", xid)
    return Note("other-dialect", Severity.WARNING if change.warns else Severity.INFO, at, change.message)


DIALECT = "1.0"
MAX_BASES = 100
_LEAKED = "None"
_PARTS = 4


def inherit_selectors(whole: Mapping[str, Any], value: Mapping[str, Any], group: Mapping[str, Any]) -> dict[str, str]:
    """Return the selectors of an entity as we spell them; ``whole`` is the document, in which its bases are."""
    found: dict[str, str] = {}
    own = _with_version(value)
    for name in SELECTORS:
        for source in chain((own, group), _base_messages(whole, own)):
            stated = source.get(name)
            if isinstance(stated, str) and stated != _LEAKED:
                found[name] = canonical(name, stated)
                break
    return found


def _base_messages(whole: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give a message's base messages in the document, the nearest first."""
    for _ in range(MAX_BASES):
        reference = next((value[name] for name in _base_names() if isinstance(value.get(name), str)), "")
        parts = reference.removeprefix("#").split("/")[1 : _PARTS + 1]
        target: Any = whole if len(parts) == _PARTS else None
        for part in parts:
            target = target.get(part) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            return
        value = _with_version(target)
        yield value


def _with_version(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a resource's attributes with those of its last version, where it lists versions."""
    versions = value.get(VERSIONS)
    last = [*versions.values()][-1:] if isinstance(versions, dict) else []
    return {**value, **last[0]} if last and isinstance(last[0], dict) else value


@cache
def _base_names() -> tuple[str, ...]:
    """Return all names of the attribute that refers to a base message."""
    steps = dialect(DIALECT).entities["message"]
    return (BASE, *(old for step in steps if not step.at for old, new in step.names.items() if new == BASE))


OF_SERVERS = frozenset({"specversion", "capabilities", "model", "modelsource"})
# The kind of entity whose steps hold for all types that a dialect doesn't know.
OTHER = "other"
SERVED = frozenset({"self", "shortself", "xid"})
_RESOURCE_PARTS = 5
_ENCODE, _SAME = (
    "Encode the bytes of the document by RFC 4648, section 4.",
    "Correct one of the two, or leave the id out.",
)


class DocumentParser:
    """One pass over one document's value; ``notes`` collects what was changed or is wrong.

    ``moved`` maps the pointer of an attribute under our names to the pointer at which it was written.
    """

    def __init__(self, model: Model, file: str, places: Mapping[KeyPath, KeyPath] = NOTHING_MOVED) -> None:
        """Take entities of a model out of the value of a file; ``places`` leads to where else a thing was written."""
        self._model = model
        self._file = file
        self._places = places
        self._steps = dialect(DIALECT).entities
        self._held: dict[tuple[Any, ...], tuple[Step, ...]] = {}
        self._whole: Mapping[str, Any] = NOTHING
        self.notes: list[Note] = []
        self.moved: dict[KeyPath, KeyPath] = {}

    def registry(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the attributes of the registry itself."""
        own = _without_collections(value, self._model.groups)
        own = {name: item for name, item in own.items() if name not in OF_SERVERS}
        for name in [name for name, item in own.items() if name not in self._model.attributes and _is_collection(item)]:
            del own[name]
            advice = "Define the type in model.yaml, or in the document's modelsource."
            self._error("unknown-group-type", (name,), f'the model has no group type "{name}"', advice)
        attributes = self._entity("registry", own, (), SERVED)
        return self._as_text(attributes, model_normalised(self._model.attributes, attributes), ())

    def groups(self, value: Mapping[str, Any]) -> dict[str, dict[str, Group]]:
        """Return all groups by type and id."""
        self._whole = value
        return {plural: self._of_type(model, value.get(plural)) for plural, model in self._model.groups.items()}

    def _of_type(self, model: GroupModel, groups: Any) -> dict[str, Group]:
        members = self._members(groups, (model.plural,))
        return {gid: self._group(model, gid, members[gid]) for gid in sorted(members)}

    def _members(self, collection: Any, path: KeyPath) -> dict[str, Mapping[str, Any]]:
        """Return those members of a collection that are mappings and can have an xid, and report the others."""
        if collection is None:
            return {}
        if not isinstance(collection, Mapping):
            self._error("not-a-mapping", path, f'"{path[-1]}" must be a mapping of ids', 'Write it as {"id": {…}}.')
            return {}
        for key, value in collection.items():
            if not isinstance(value, Mapping):
                self._error(
                    "not-a-mapping",
                    (*path, key),
                    f'"{key}" holds no attributes',
                    "Write {} if there is nothing to say.",
                )
            elif not _is_id(key):
                why = 'because of the "/"' if key else "because it is empty"
                self._error("malformed-id", (*path, key), f'"{key}" can\'t be an id, {why}', "Rename it.")
        return {key: value for key, value in collection.items() if isinstance(value, Mapping) and _is_id(key)}

    def _group(self, model: GroupModel, gid: str, value: Mapping[str, Any]) -> Group:
        path: KeyPath = (model.plural, gid)
        attributes = self._entity(
            model.singular,
            _without_collections(value, model.resources),
            path,
            SERVED,
            inherit_selectors(self._whole, value, NOTHING),
        )
        self._identified(attributes, f"{model.singular}id", gid, path)
        attributes = self._as_text(attributes, model_normalised(model.attributes, attributes), path)
        collections = {
            plural: self._resources(resource, value.get(plural), (*path, plural), attributes)
            for plural, resource in model.resources.items()
        }
        return Group(
            f"/{model.plural}/{gid}", gid, model, attributes, collections, Place(self._file, self._written(path))
        )

    def _resources(
        self, model: ResourceModel, collection: Any, path: KeyPath, group: Mapping[str, Any]
    ) -> dict[str, Resource]:
        members = self._members(collection, path)
        return {rid: self._resource(model, rid, members[rid], path, group) for rid in sorted(members)}

    def _resource(
        self, model: ResourceModel, rid: str, value: Mapping[str, Any], path: KeyPath, group: Mapping[str, Any]
    ) -> Resource:
        path = (*path, rid)
        selectors = {} if model.hasdocument else inherit_selectors(self._whole, value, group)
        own = {name: item for name, item in value.items() if name not in {META, VERSIONS}}
        whole = self._entity(model.singular, own, path, _server_attributes(model), selectors)
        self._identified(whole, f"{model.singular}id", rid, path)
        meta = value.get(META)
        if isinstance(meta, Mapping):
            whole[META] = self._entity("meta", meta, (*path, META), _server_attributes(model))
            self._identified(whole[META], f"{model.singular}id", rid, (*path, META))
        versions = self._versions(model, rid, value.get(VERSIONS), path, selectors)
        if versions:
            if "versionid" in value or "isdefault" in value:
                whole = _of_resource(model, whole)
            whole = self._beside(whole, versions, path)
            if model.maxversions == 1:
                whole |= self._raised(meta_names(model) - whole.keys(), versions, path)
            whole[VERSIONS] = versions
        whole = self._as_text(whole, normalise_resource(model, whole, selectors), path)
        place = Place(self._file, self._written(path))
        documents = self._documents(model.singular, whole, path) if model.hasdocument else {}
        return build_resource(_xid(path), model, whole, place, documents)

    def _versions(
        self, model: ResourceModel, rid: str, collection: Any, path: KeyPath, selectors: Mapping[str, str]
    ) -> dict[str, dict[str, Any]]:
        members = self._members(collection, (*path, VERSIONS))
        kind = f"{model.singular} version" if f"{model.singular} version" in self._steps else model.singular
        found = {}
        for vid, value in members.items():
            at = (*path, VERSIONS, vid)
            found[vid] = self._entity(kind, value, at, _server_attributes(model), selectors)
            self._identified(found[vid], "versionid", vid, at)
            self._identified(found[vid], f"{model.singular}id", rid, at)
        return found

    def _raised(
        self, names: frozenset[str], versions: Mapping[str, dict[str, Any]], path: KeyPath
    ) -> Mapping[str, Any]:
        """Take what is said of a resource, such as that it is deprecated, out of its one version (1.0-rc1)."""
        found = {}
        for vid, version in versions.items():
            for name in sorted(names & version.keys()):
                found[name] = version.pop(name)
                change = Conversion((VERSIONS, vid, name), f'"{name}" of a version is read as that of all versions')
                self.notes.append(self._note(change, path))
        return found

    def _beside(self, whole: dict[str, Any], versions: Mapping[str, Any], path: KeyPath) -> dict[str, Any]:
        """Return what stands beside the versions, without what each of them states itself."""
        stated = [name for name in whole if all(name in version for version in versions.values())]
        for name in stated:
            if any(version[name] != whole[name] for version in versions.values()):
                message = f'"{name}" beside the versions is left out, since each version states another'
                self.notes.append(Note("left-out", Severity.INFO, self._written((*path, name)), message))
        return {name: item for name, item in whole.items() if name not in stated}

    def _documents(self, singular: str, whole: dict[str, Any], path: KeyPath) -> dict[str, Document]:
        """Take the inline documents out of a resource's versions, or of the resource that has no versions."""
        alone = {str(whole.get("versionid", FIRST_VERSION)): whole}
        found = {}
        for vid, said in whole.get(VERSIONS, alone).items():
            document = self._document(singular, said, (*path, VERSIONS, vid) if VERSIONS in whole else path)
            if document is not None:
                found[vid] = document
        return found

    def _document(self, singular: str, said: dict[str, Any], path: KeyPath) -> Document | None:
        names = [name for name in (singular, f"{singular}base64", f"{singular}url") if name in said]
        if len(names) > 1:
            self._error(
                "two-documents", (*path, names[1]), f"only one of {', '.join(names)} may be stated", "Keep one."
            )
        data = inline_document(said, singular)
        said.pop(singular, None)
        encoded = said.pop(f"{singular}base64", None)
        if data is None and encoded is not None:
            self._error(
                "invalid-attribute", (*path, f"{singular}base64"), f'"{singular}base64" is not base 64', _ENCODE
            )
        return Document(Place(self._file, (*self._written(path), names[0])), data) if data is not None else None

    def _entity(
        self,
        kind: str,
        value: Mapping[str, Any],
        path: KeyPath,
        served: frozenset[str],
        selectors: Mapping[str, str] = NOTHING,
    ) -> dict[str, Any]:
        """Return an entity's attributes under our names, without those that only a server states."""
        own = {name: item for name, item in value.items() if name not in served}
        result, changes = convert(own, self._holding(kind, selectors))
        found, moved = trace_paths(changes)
        self.notes += [self._note(change, path) for change in found]
        self.moved |= {(*self._written(path), *new): self._written((*path, *old)) for new, old in moved.items()}
        return dict(result)

    def _holding(self, kind: str, selectors: Mapping[str, str]) -> tuple[Step, ...]:
        """Return the steps for entities of a kind that have these selectors."""
        key = (kind, *sorted(selectors.items()))
        found = self._held.get(key)
        if found is None:
            steps = self._steps.get(kind) or self._steps[OTHER]
            found = self._held[key] = tuple(step for step in steps if step.holds(selectors))
        return found

    def _as_text(self, written: dict[str, Any], normal: dict[str, Any], path: KeyPath) -> dict[str, Any]:
        """Return the attributes with text where text is due, and say so where that changes anything."""
        if normal != written:
            message = "numbers or booleans that stand where text is due are read as text"
            self.notes.append(Note("other-dialect", Severity.INFO, self._written(path), message, xid=_xid(path)))
        result: dict[str, Any] = without_text(normal)
        return result

    def _identified(self, attributes: dict[str, Any], name: str, due: str, path: KeyPath) -> None:
        """Take an id out of the attributes; it must be that of the key it stands under."""
        stated = attributes.pop(name, due)
        if stated != due:
            self._error("mismatched-id", (*path, name), f'the {name} is "{stated}", but its key is "{due}"', _SAME)

    def _error(self, rule: str, path: KeyPath, message: str, advice: str) -> None:
        self.notes.append(Note(rule, Severity.ERROR, self._written(path), message, advice, _xid(path)))

    def _note(self, change: Conversion, path: KeyPath) -> Note:
        return note_of(change, self._written((*path, *change.path)), _xid(path))

    def _written(self, path: KeyPath) -> KeyPath:
        """Return where in the document something stands, from its path under the names of 1.0."""
        return original_pointer(path, self._places)


def _xid(path: KeyPath) -> str:
    """Return the xid of the entity that a path of the document leads to or into."""
    return "/" + "/".join(str(part) for part in path[: _RESOURCE_PARTS - 1])


def _is_id(key: str) -> bool:
    """Tell whether a key can stand in an xid."""
    return key != "" and "/" not in key


def _is_collection(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(item, dict) for item in value.values())


def _without_collections(value: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    names = {f"{plural}{ending}" for plural in types for ending in ("", "url", "count")}
    return {name: item for name, item in value.items() if name not in names}


@lru_cache(maxsize=64)
def _server_attributes(model: ResourceModel) -> frozenset[str]:
    """Return what only a server states of a resource, its versions and its meta entity; epochs are kept."""
    kinds = (model.resourceattributes, model.attributes, model.metaattributes)
    pairs = [pair for kind in kinds for pair in kind.items()]
    return frozenset(name for name, attribute in pairs if attribute.core and attribute.readonly) - {"epoch"}


def _of_resource(model: ResourceModel, whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a resource states of itself; the rest repeats its default version (API view)."""
    return {name: value for name, value in whole.items() if name == META or name in meta_names(model)}
