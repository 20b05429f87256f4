"""Topics, subjects and URIs level by level: which levels are words, and which vary from message to message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from xregit.document.learning.privacy import is_plural, is_public, names_person

# So many words may stand at one level; more are values. The first level has the areas of a broker.
MAX_WORDS, MAX_FIRST_WORDS = 20, 100
# Fields that say what kind of message it is, so that a level with their value is a word.
_KINDS = re.compile(r"(?i).*(type|kind|event|action|status|state|name|category|operation|command|topic|level)")
_NO_NAME = re.compile(r"[^A-Za-z0-9]+")

VARIABLE = None
Levels = tuple[str | None, ...]


class PathTree:
    """The paths of many messages, in memory that the number of their words bounds.

    A level below which too many words stand, or one that is no word, is a variable. ``fields`` are those of the
    payload that have had the level's value in every message.
    """

    def __init__(self, max_words: int = MAX_WORDS) -> None:
        """Begin without paths; below it at most so many words stand."""
        self.max_words = max_words
        self.words: dict[str, PathTree] = {}
        self.variable: PathTree | None = None
        self.fields: frozenset[str] | None = None
        self.ends = False

    def add(
        self, levels: Sequence[str | None], fields: Mapping[str, frozenset[str]] | None = None, word: str = ""
    ) -> None:
        """Add a path; ``fields`` has the names of the payload's fields by their values, ``word`` is the level before.

        Of a path that was learnt before there are no fields.
        """
        if not levels:
            self.ends = True
            return
        level, *rest = levels
        if level is VARIABLE or _is_value(level) or (level and names_person(word)):
            self.generalize()
        child = self.below(level)
        if child is None:
            child = self.words[level or ""] = PathTree()
        if level is not VARIABLE and fields is not None:
            equal = fields.get(level, frozenset())
            child.fields = equal if child.fields is None else child.fields & equal
        child.add(rest, fields, "" if self.variable else level or "")
        if len(self.words) > self.max_words:
            self.generalize()

    def generalize(self) -> None:
        """Make the level below a variable."""
        if self.variable is None:
            self.variable = PathTree()
            for word in filter(None, list(self.words)):
                self.variable.merge(self.words.pop(word))

    def below(self, level: str | None) -> PathTree | None:
        """Return the tree below a level, if it has any; no placeholder stands for an empty one."""
        return self.words.get("") if level == "" else self.variable or self.words.get(level or "")

    def merge(self, other: PathTree) -> None:
        """Add the paths of another tree."""
        if other.fields is not None:
            self.fields = other.fields if self.fields is None else self.fields & other.fields
        self.ends |= other.ends
        if other.variable is not None:
            self.generalize()
            (self.variable or self).merge(other.variable)
        for word, child in other.words.items():
            own = self.below(word) or self.words.setdefault(word, PathTree())
            own.merge(child)
        if len(self.words) > self.max_words:
            self.generalize()

    def settle(self, word: str = "") -> None:
        """Decide on the levels that only all messages together tell; ``word`` is the level before."""
        children = [child for name, child in self.words.items() if name]
        shared = frozenset.intersection(*(child.fields or frozenset() for child in children)) if children else ()
        inner = [child for child in children if child.words or child.variable]
        equal = len(children) > 1 and any(not _KINDS.fullmatch(field) for field in shared)
        if equal or (inner and len(inner) == len(children) and is_plural(word)):
            self.generalize()
        for name, child in self.words.items():
            child.settle(name)
        if self.variable is not None:
            self.variable.settle()

    def levels(self, path: Sequence[str | None]) -> Levels:
        """Return a path that was added with its variable levels."""
        tree, levels = self, []
        for level in path:
            levels.append(VARIABLE if tree.variable and level != "" else level)
            child = tree.below(level)
            if child is None:
                return (*levels, *path[len(levels) :])
            tree = child
        return tuple(levels)

    def all_levels(self) -> Iterator[Levels]:
        """Yield each path, with its variable levels."""
        if self.ends:
            yield ()
        for word, child in self.words.items():
            yield from ((word, *rest) for rest in child.all_levels())
        if self.variable is not None:
            yield from ((VARIABLE, *rest) for rest in self.variable.all_levels())

    def names(self, levels: Levels) -> list[tuple[str, bool]]:
        """Return the names of the variable levels, and whether a field of the payload gave each."""
        tree, before = self, ""
        names: list[tuple[str, bool]] = []
        for level in levels:
            child = tree.below(level)
            if child is None:
                break
            if level is VARIABLE:
                field = min(map(_placeholder, child.fields or ()), key=lambda name: (len(name), name), default="")
                name = field or f"{_singular(_placeholder(before))}id"
                names.append((name, bool(field)))
            tree, before = child, level or before
        return names


def _is_value(level: str) -> bool:
    """Return whether a level is no word; MQTT's own topics begin with $."""
    return level.isdigit() or not is_public(level.removeprefix("$"))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word.removesuffix('ies')}y"
    return word.removesuffix("s") if is_plural(word) else word


def _placeholder(text: str) -> str:
    """Return a text as the name of a placeholder."""
    return _NO_NAME.sub("", text).lower()
