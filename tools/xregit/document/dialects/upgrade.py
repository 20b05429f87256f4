"""The upgrade of a document before 1.0 to one of the 1.0 family, with the places where things stood.

Only attributes that such documents have are touched (``dialects/0.5-wip.yaml``); entities and attributes of later
releases, in mixed documents, stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from xregit.catalog.entities import VERSIONS
from xregit.catalog.origin import original_pointer
from xregit.catalog.resolver import SELECTORS
from xregit.document.dialects.converter import convert
from xregit.document.dialects.steps import Conversion, trace_paths
from xregit.document.profiles import DialectSign, OtherDocument, Step, dialect, other_documents, releases, signs
from xregit.json_pointer import KeyPath
from xregit.model import canonical, find_name
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


ANY_1_0, OURS, OLDEST = "1.0", "May 2026", "0.5-wip"
_JSON_TYPES: Mapping[str, type | tuple[type, ...]] = {"string": str, "array": list, "object": dict}


@dataclass(frozen=True, slots=True)
class SignMatch:
    """Releases that share something peculiar, and the first place where a document has it."""

    releases: tuple[str, ...]
    path: KeyPath

    @property
    def name(self) -> str:
        """Their common name."""
        if self.releases == releases()[1:]:
            return ANY_1_0
        *first, last = self.releases
        return f"{', '.join(first)} or {last}" if first else last


@dataclass(frozen=True, slots=True)
class DialectMatch:
    """How a document is written: ``matches`` are the releases that it mixes, none where it could be any of 1.0."""

    matches: tuple[SignMatch, ...]

    @property
    def name(self) -> str:
        """Its name, such as ``1.0-rc1 or 1.0-rc2``, or ``0.5-wip, mixed with 1.0-rc4``."""
        return ", mixed with ".join(match.name for match in self.matches) if self.matches else ANY_1_0

    @property
    def is_foreign(self) -> bool:
        """Whether some of it is not of the release that we write."""
        return any(OURS not in match.releases for match in self.matches)

    def has(self, release: str) -> bool:
        """Return whether some signs in the document are explained by a release."""
        return any(release in match.releases for match in self.matches)


def detect_dialect(value: Mapping[str, Any], own: Collection[str] = ()) -> DialectMatch:
    """Return how a document is written; ``own`` are attributes of its own model, which are no signs."""
    places: dict[DialectSign, KeyPath] = {}
    _find_signs(value, (_tree(),), (), places)
    matches = tuple(_explain_signs({sign: path for sign, path in places.items() if sign.path[-1] not in own}))
    return DialectMatch(() if [item.name for item in matches] == [ANY_1_0] else matches)


def detect_other(
    value: Mapping[str, Any], collections: AbstractSet[str], attributes: AbstractSet[str]
) -> tuple[OtherDocument, KeyPath] | None:
    """Return what a document is that is no registry, and the path that shows it.

    ``collections`` make a registry, ``attributes`` are those that one has. Mappings may be collections of its own.
    """
    first, *pieces = other_documents()
    path = next((path for marker in first.paths for path in _paths(value, marker)), None)
    if path is not None:
        return first, path
    has_collection = any(name.casefold() in collections and isinstance(item, Mapping) for name, item in value.items())
    if "registryid" in value or has_collection:
        return None
    piece = next(((piece, path) for piece in pieces for marker in piece.paths for path in _paths(value, marker)), None)
    known = attributes | collections | _FORMER_ATTRIBUTES
    if piece or any(name.casefold() in known or isinstance(item, Mapping) for name, item in value.items()):
        return piece
    return next(((_NOTHING_KNOWN, (name,)) for name in value), None)


# What releases before 1.0 and editors write beside a registry's own attributes.
_FORMER_ATTRIBUTES = frozenset({"$schema", "schema", "id"})
_NOTHING_KNOWN = OtherDocument(
    "no registry", (), 'A registry has attributes such as "registryid", and collections such as "messagegroups".'
)


@dataclass(slots=True)
class _Node:
    """A node of the tree of all signs, by the names on their paths."""

    inner: dict[str, _Node] = field(default_factory=dict)
    signs: list[DialectSign] = field(default_factory=list)


@cache
def _tree() -> _Node:
    root = _Node()
    for sign in signs():
        node = root
        for name in sign.path:
            node = node.inner.setdefault(name, _Node())
        node.signs.append(sign)
    return root


def _find_signs(value: Any, nodes: tuple[_Node, ...], path: KeyPath, places: dict[DialectSign, KeyPath]) -> None:
    """Add the first place of each sign at or below a value."""
    for node in nodes:
        for sign in node.signs:
            if sign not in places and _sign_applies(sign, value):
                places[sign] = path
    nodes = tuple(node for node in nodes if node.inner)
    if not nodes:
        return
    pairs: Iterable[tuple[Any, Any]] = enumerate(value) if isinstance(value, list) else ()
    for name, inner in value.items() if isinstance(value, Mapping) else pairs:
        key = name.casefold() if isinstance(name, str) else "*"
        below = tuple(node.inner[child] for node in nodes for child in {key, "*"} if child in node.inner)
        if below:
            _find_signs(inner, below, (*path, name), places)


def _sign_applies(sign: DialectSign, value: Any) -> bool:
    if sign.knows:
        return isinstance(value, str) and any(find_name(selector, value) for selector in sign.knows)
    return not sign.type or isinstance(value, _JSON_TYPES[sign.type])


def _explain_signs(places: Mapping[DialectSign, KeyPath]) -> Iterator[SignMatch]:
    """Yield groups of releases that explain all signs, the one that explains most first."""
    unexplained = dict(places)
    while unexplained:
        counts = Counter(release for sign in unexplained for release in sign.releases)
        best = max(releases(), key=lambda release: counts[release])
        explained = [sign for sign in unexplained if best in sign.releases]
        common = tuple(release for release in releases() if all(release in sign.releases for sign in explained))
        yield SignMatch(common, places[min(explained, key=lambda sign: len(sign.releases))])
        unexplained = {sign: path for sign, path in unexplained.items() if best not in sign.releases}


def _paths(value: Any, marker: tuple[str, ...]) -> Iterator[KeyPath]:
    """Yield the paths that fit a marker; names are compared without regard to case."""
    if not marker:
        yield ()
        return
    if not isinstance(value, Mapping):
        return
    for name, inner in value.items():
        if marker[0] in ("*", name.casefold()):
            for rest in _paths(inner, marker[1:]):
                yield (name, *rest)
