"""The value of a document of the 1.0 family to groups, resources and versions under our names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Document, Group, Place, Resource
from xregit.catalog.origin import written
from xregit.catalog.resources import FIRST_VERSION, META, VERSIONS, meta_names, normal_form, resource_from
from xregit.diagnostics import Severity
from xregit.document.changes import NOTHING_MOVED, Change, traced
from xregit.document.documents import contents
from xregit.document.inheriting import DIALECT, selected
from xregit.document.normalising import normalised
from xregit.document.notes import Note, noted
from xregit.document.tables import dialect
from xregit.model import normalise as model_normalised
from xregit.model.language import NOTHING
from xregit.source.plain import without_text

if TYPE_CHECKING:
    from xregit.document.tables import Step
    from xregit.keypaths import KeyPath
    from xregit.model.language import GroupModel, Model, ResourceModel

OF_SERVERS = frozenset({"specversion", "capabilities", "model", "modelsource"})
# The kind of entity whose steps hold for all types that a dialect doesn't know.
OTHER = "other"
SERVED = frozenset({"self", "shortself", "xid"})
_RESOURCE_PARTS = 5
_ENCODE, _SAME = (
    "Encode the bytes of the document by RFC 4648, section 4.",
    "Correct one of the two, or leave the id out.",
)


class Gathering:
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
            elif not _leads_somewhere(key):
                why = 'because of the "/"' if key else "because it is empty"
                self._error("malformed-id", (*path, key), f'"{key}" can\'t be an id, {why}', "Rename it.")
        return {key: value for key, value in collection.items() if isinstance(value, Mapping) and _leads_somewhere(key)}

    def _group(self, model: GroupModel, gid: str, value: Mapping[str, Any]) -> Group:
        path: KeyPath = (model.plural, gid)
        attributes = self._entity(
            model.singular,
            _without_collections(value, model.resources),
            path,
            SERVED,
            selected(self._whole, value, NOTHING),
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
        selectors = {} if model.hasdocument else selected(self._whole, value, group)
        own = {name: item for name, item in value.items() if name not in {META, VERSIONS}}
        whole = self._entity(model.singular, own, path, _served(model), selectors)
        self._identified(whole, f"{model.singular}id", rid, path)
        meta = value.get(META)
        if isinstance(meta, Mapping):
            whole[META] = self._entity("meta", meta, (*path, META), _served(model))
            self._identified(whole[META], f"{model.singular}id", rid, (*path, META))
        versions = self._versions(model, rid, value.get(VERSIONS), path, selectors)
        if versions:
            if "versionid" in value or "isdefault" in value:
                whole = _of_resource(model, whole)
            whole = self._beside(whole, versions, path)
            if model.maxversions == 1:
                whole |= self._raised(meta_names(model) - whole.keys(), versions, path)
            whole[VERSIONS] = versions
        whole = self._as_text(whole, normal_form(model, whole, selectors), path)
        place = Place(self._file, self._written(path))
        documents = self._documents(model.singular, whole, path) if model.hasdocument else {}
        return resource_from(_xid(path), model, whole, place, documents)

    def _versions(
        self, model: ResourceModel, rid: str, collection: Any, path: KeyPath, selectors: Mapping[str, str]
    ) -> dict[str, dict[str, Any]]:
        members = self._members(collection, (*path, VERSIONS))
        kind = f"{model.singular} version" if f"{model.singular} version" in self._steps else model.singular
        found = {}
        for vid, value in members.items():
            at = (*path, VERSIONS, vid)
            found[vid] = self._entity(kind, value, at, _served(model), selectors)
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
                change = Change((VERSIONS, vid, name), f'"{name}" of a version is read as that of all versions')
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
        data = contents(said, singular)
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
        result, changes = normalised(own, self._holding(kind, selectors))
        found, moved = traced(changes)
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

    def _note(self, change: Change, path: KeyPath) -> Note:
        return noted(change, self._written((*path, *change.path)), _xid(path))

    def _written(self, path: KeyPath) -> KeyPath:
        """Return where in the document something stands, from its path under the names of 1.0."""
        return written(path, self._places)


def _xid(path: KeyPath) -> str:
    """Return the xid of the entity that a path of the document leads to or into."""
    return "/" + "/".join(str(part) for part in path[: _RESOURCE_PARTS - 1])


def _leads_somewhere(key: str) -> bool:
    """Tell whether a key can stand in an xid."""
    return key != "" and "/" not in key


def _is_collection(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(item, dict) for item in value.values())


def _without_collections(value: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    names = {f"{plural}{ending}" for plural in types for ending in ("", "url", "count")}
    return {name: item for name, item in value.items() if name not in names}


@lru_cache(maxsize=64)
def _served(model: ResourceModel) -> frozenset[str]:
    """Return what only a server states of a resource, its versions and its meta entity; epochs are kept."""
    kinds = (model.resourceattributes, model.attributes, model.metaattributes)
    pairs = [pair for kind in kinds for pair in kind.items()]
    return frozenset(name for name, attribute in pairs if attribute.core and attribute.readonly) - {"epoch"}


def _of_resource(model: ResourceModel, whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a resource states of itself; the rest repeats its default version (API view)."""
    return {name: value for name, value in whole.items() if name == META or name in meta_names(model)}
