"""Detection of a document's dialect, by the names and forms of its attributes.

``specversion`` doesn't tell: three different texts call themselves 1.0-rc2 (facts, K55).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.document.profiles import DialectSign, OtherDocument, other_documents, releases, signs
from xregit.model import find_name

if TYPE_CHECKING:
    from xregit.json_pointer import KeyPath


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
