"""The upgrade of a document before 1.0 to one of the 1.0 family, with the places where things stood.

Only attributes that such documents have are touched (``dialects/0.5-wip.yaml``); entities and attributes of later
releases, in mixed documents, stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import VERSIONS
from xregit.catalog.origin import original_pointer
from xregit.catalog.resolver import SELECTORS
from xregit.document.dialects.converter import convert
from xregit.document.dialects.detection import OLDEST
from xregit.document.dialects.steps import Conversion, trace_paths
from xregit.document.profiles import dialect
from xregit.model import canonical

if TYPE_CHECKING:
    from xregit.document.profiles import Step
    from xregit.json_pointer import KeyPath
    from xregit.model.language import Model


EVERY, VERSION = "every", "version"
_ENDINGS = ("", "url", "count")


@dataclass(frozen=True, slots=True)
class UpgradedDocument:
    """A document's value under names of 1.0; ``places`` leads from paths there to where the same was written.

    So does ``moved``, for attributes, from their paths below where their entity was written.
    """

    value: Mapping[str, Any]
    changes: tuple[Conversion, ...]
    places: Mapping[KeyPath, KeyPath]
    moved: Mapping[KeyPath, KeyPath]


def upgrade(value: Mapping[str, Any], model: Model, own: Collection[str] = ()) -> UpgradedDocument:
    """Return the document under names of 1.0; ``own`` are attributes of its own model, which keep their names."""
    upgrade = _Upgrade(own)
    root, collections = upgrade.split(value, model.groups, ())
    result = upgrade.entity("registry", root, (), {})
    for plural, groups in collections.items():
        kind = model.groups[plural]
        members = upgrade.members(groups, (plural,))
        result[plural] = {gid: upgrade.group(kind, group, (plural, gid)) for gid, group in members.items()}
    return UpgradedDocument(result, tuple(upgrade.changes), upgrade.places, upgrade.moved)


def known_collections(model: Model) -> frozenset[str]:
    """Return all names, present and former, of the collections that a document of a model may have."""
    return frozenset(model.groups) | {name for name, plural in _former_names().items() if plural in model.groups}


class _Upgrade:
    """One pass over a document before 1.0."""

    def __init__(self, own: Collection[str]) -> None:
        self.steps = {kind: tuple(_steps_for(steps, own)) for kind, steps in dialect(OLDEST).entities.items()}
        self.changes: list[Conversion] = []
        self.places: dict[KeyPath, KeyPath] = {}
        self.moved: dict[KeyPath, KeyPath] = {}

    def group(self, kind: Any, value: Any, path: KeyPath) -> Any:
        """Return a group under names of 1.0, and all that is in it."""
        if not isinstance(value, Mapping):
            return value
        own, collections = self.split(value, kind.resources, self.place(path))
        result = self.entity(kind.singular, own, path, {})
        selectors = _selectors_of(result, {})
        for plural, resources in collections.items():
            singular = kind.resources[plural].singular
            members = self.members(resources, (*path, plural))
            result[plural] = {
                rid: self.resource(singular, value, (*path, plural, rid), selectors) for rid, value in members.items()
            }
        return result

    def resource(self, singular: str, value: Any, path: KeyPath, selectors: Mapping[str, str]) -> Any:
        """Return a resource under names of 1.0, and its versions."""
        if not isinstance(value, Mapping):
            return value
        result = self.entity(singular, value, path, selectors)
        versions = result.get(VERSIONS)
        if isinstance(versions, Mapping):
            kind = f"{singular} version" if f"{singular} version" in self.steps else singular
            result[VERSIONS] = {
                vid: self.entity(
                    kind, version, (*path, VERSIONS, vid), _selectors_of(result, selectors), (EVERY, VERSION)
                )
                for vid, version in versions.items()
            }
        return result

    def entity(
        self, kind: str, value: Any, path: KeyPath, selectors: Mapping[str, str], before: tuple[str, ...] = (EVERY,)
    ) -> Any:
        """Return an entity's attributes under names of 1.0; a step may hang on what the ones before it made clear."""
        if not isinstance(value, Mapping):
            return value
        place = self.place(path)
        result: Mapping[str, Any] = dict(value)
        changes: list[Conversion] = []
        for step in (step for name in (*before, kind) for step in self.steps.get(name, ())):
            if step.holds(_selectors_of(result, selectors)):
                result, more = convert(result, [step])
                changes += more
        traced, moved = trace_paths(changes)
        self.changes += [replace(change, path=(*place, *change.path)) for change in traced]
        self.places |= {(*path, *new): (*place, *old) for new, old in moved.items()}
        self.moved |= {(*place, *new): (*place, *old) for new, old in moved.items()}
        return dict(result)

    def split(
        self, value: Mapping[str, Any], types: Collection[str], place: KeyPath
    ) -> tuple[dict[str, Any], dict[str, list[tuple[KeyPath, Any]]]]:
        """Return an entity's own attributes, and its collections by their present names with where they stood."""
        own: dict[str, Any] = {}
        collections: dict[str, list[tuple[KeyPath, Any]]] = {}
        for name, inner in value.items():
            plural, ending = _collection_of(name, types)
            at = (*place, name)
            if not plural or (ending == "" and not isinstance(inner, Mapping)):
                own[name] = inner
                continue
            if name != plural + ending:
                message = f'"{name}" is read as "{plural}"' if ending == "" else f'"{name}" is left out'
                self.changes.append(Conversion(at, message))
            if ending == "":
                collections.setdefault(plural, []).append((at, inner))
        return own, collections

    def members(self, collections: list[tuple[KeyPath, Any]], path: KeyPath) -> dict[str, Any]:
        """Return the members of one collection, which may stand under several names."""
        members: dict[str, Any] = {}
        for place, collection in collections:
            for key, value in collection.items():
                if key not in members:
                    members[key] = value
                    self.places[(*path, key)] = (*place, key)
                elif members[key] != value:
                    message = f'"{key}" stands in "{self.places[(*path, key)][-2]}" too, and says something else'
                    self.changes.append(Conversion((*place, key), message, conflict=True))
        return members

    def place(self, path: KeyPath) -> KeyPath:
        """Return where something in the document was written."""
        return original_pointer(path, self.places)


def _steps_for(steps: tuple[Step, ...], own: Collection[str]) -> Iterator[Step]:
    """Yield the steps without the attributes of a document's own model."""
    for step in steps:
        if step.at or not own:
            yield step
            continue
        yield replace(
            step,
            names={name: new for name, new in step.names.items() if name not in own},
            values={name: values for name, values in step.values.items() if name not in own},
        )


def _selectors_of(value: Mapping[str, Any], inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the selectors of an entity so far."""
    own = {name: value[name] for name in SELECTORS if isinstance(value.get(name), str)}
    return {**inherited, **{name: canonical(name, selector) for name, selector in own.items()}}


def _collection_of(name: str, types: Collection[str]) -> tuple[str, str]:
    """Return the collection that a name means, and the ending that makes it an address or a number."""
    lower = name.casefold()
    for ending in _ENDINGS:
        stem = lower.removesuffix(ending) if lower.endswith(ending) else ""
        plural = _former_names().get(stem, stem)
        if plural in types:
            return plural, ending
    return "", ""


@cache
def _former_names() -> Mapping[str, str]:
    """Return the present name of each former name of a collection."""
    return {name: plural for plural, names in dialect(OLDEST).collections.items() for name in names}
