"""What tells kinds of messages apart: levels of topics, subjects and URIs, headers, fields, and the shape of payloads.

Of all that only words are told that people chose for kinds of things. A value is kept out unless it looks like such a
word, so that a name, a number, a key or a token is never taken for one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

if TYPE_CHECKING:
    from xregit.document.learner.samples import Sample

NOTHING = object()  # the payload of a message that has none in JSON
# So many words may stand at one level; more are values. The first level has the areas of a broker.
MAX_WORDS, MAX_FIRST_WORDS = 20, 100
MAX_KINDS, MAX_SHAPES, MAX_MIXED = 50, 100, 10
MIN_SAMPLES = 5  # of a kind, before fields that it has count
ALMOST_ALL = 0.95  # of the messages of a topic; the others are strangers there
# A word with at most two digits, such as "order", "bag-sorted", "v1" or "l2".
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*[0-9]{0,2}[A-Za-z_-]*|[0-9]{1,2}|")
_MAX_WORD = 32
_PARTS = re.compile(r"[./:]+")
# Random text: so many consonants in a row, or so many changes of case, has no word.
_CONSONANTS = re.compile(r"[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]{5,}|[B-DF-HJ-NP-TV-XZ]{6,}")
_HUMPS = re.compile(r"[a-z][A-Z]")
_MAX_HUMPS = 6
_HEX = re.compile(r"[0-9a-fA-F]{8,}")
_SECRET = re.compile(r"(sk|pk|rk)_|gh[pousr]_|xox|AKIA|AIza|eyJ")
# What follows such a word, or stands under such a name, may tell who somebody is.
_PERSON = re.compile(
    r"(?i)(user|customer|member|person|people|patient|employee|account|client|player|driver|guest|passenger|contact"
    r"|owner|author|subscriber|student|citizen|tenant|session|token|secret|key|auth|password|login|mail|phone|plate"
    r"|registration|licen[cs]e|vin)(s|ies)?"
)
# Fields that say what kind of thing it is, so that their values are words of the business.
_KINDS = re.compile(
    r"(?i).*(type|kind|event|action|status|state|category|operation|command|level|mode|reason|severity|priority|phase)"
    r"|(.*[_.-])?op"
)
_THINGS = re.compile(r"(?i).*(channel|method|currency|country|carrier|tier|colou?r|unit|format|region)")


def is_word(text: str) -> bool:
    """Return whether a text is a word, as in a topic or a name; "" is one."""
    return (
        len(text) <= _MAX_WORD
        and _WORD.fullmatch(text) is not None
        and _HEX.fullmatch(text) is None
        and _SECRET.match(text) is None
        and _CONSONANTS.search(text) is None
        and len(_HUMPS.findall(text)) <= _MAX_HUMPS
    )


def is_public(text: str) -> bool:
    """Return whether all parts of a type, a topic or a level of one are words."""
    return all(map(is_word, _PARTS.split(text)))


@lru_cache(maxsize=10_000)
def is_field(name: str) -> bool:
    """Return whether a name is that of a field, and no value; its letters may be of any script."""
    latin = name if name.isascii() else "".join("a" if category(letter)[0] in "LM" else letter for letter in name)
    return bool(name) and is_word(latin.lstrip("@$_"))


def is_plural(word: str) -> bool:
    """Return whether a word names several things, so that what follows it tells them apart."""
    return word.endswith("s") and not word.endswith("ss") and len(word) > len("gas")


def names_person(word: str) -> bool:
    """Return whether what follows a word may be somebody's name, or a secret."""
    return _PERSON.fullmatch(word) is not None


def is_kind(name: str) -> bool:
    """Return whether a field says what kind of thing something is."""
    return _KINDS.fullmatch(name) is not None


def is_term(text: str, field: str) -> bool:
    """Return whether a value may be told: a word, in a field that says a kind of thing, as status or currency does.

    Any other field may hold a name or a secret, whatever it is called.
    """
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", field)
    return (
        bool(text)
        and any(map(str.isalpha, text))
        and is_public(text)
        and not any(map(names_person, words))
        and (is_kind(field) or _THINGS.fullmatch(field) is not None)
    )


# Fields that name a kind of thing; any other name may be somebody's.
_LABEL = re.compile(r"(?i).*topic|.*(event|message|channel|queue|stream|metric|sensor|signal|property)[_-]?name")
_NUMBERED = re.compile(r"([A-Za-z_-]+)[0-9]{1,2}")
_NO_NAME = re.compile(r"[^A-Za-z0-9]+")

_EVENT = frozenset({"specversion", "id", "source", "type"})

VARIABLE = None
Levels = tuple[str | None, ...]


class PathTree:
    """The paths of many messages, in memory that the number of their words bounds.

    A level below which too many words stand, or one that is no word, is a variable.
    """

    def __init__(self, max_words: int = MAX_WORDS, state: Mapping[str, Any] | None = None) -> None:
        """Begin without paths, or with those of a state; below it at most so many words stand."""
        state = state or {}
        self.max_words = max_words
        self.words = {word: PathTree(state=item) for word, item in state.get("words", {}).items()}
        self.variable = PathTree(state=state["variable"]) if "variable" in state else None
        self.equal: frozenset[str] = frozenset(state.get("fields", ()))
        self.different: frozenset[str] = frozenset()
        self.ends: bool = state.get("ends", False)

    def state(self) -> dict[str, Any]:
        """Return what the next run has to know."""
        state: dict[str, Any] = {
            "words": {word: self.words[word].state() for word in sorted(self.words)},
            "fields": sorted(self.fields),
            "ends": self.ends,
        }
        state = {name: item for name, item in state.items() if item}
        return state if self.variable is None else {**state, "variable": self.variable.state()}

    @property
    def fields(self) -> frozenset[str]:
        """The payload's fields that have the level's value in each message that has them."""
        return self.equal - self.different

    def add(self, levels: Sequence[str | None], fields: Mapping[str, frozenset[str]]) -> None:
        """Add a path; ``fields`` has the names of the payload's fields by their values."""
        self._add(levels, fields, frozenset().union(*fields.values()), "")

    def _add(
        self, levels: Sequence[str | None], fields: Mapping[str, frozenset[str]], names: frozenset[str], word: str
    ) -> None:
        """Add a path; ``names`` are those of all fields, ``word`` is the level before."""
        if not levels:
            self.ends = True
            return
        level, *rest = levels
        if level is VARIABLE or _is_value(level) or (level and names_person(word)):
            self.generalize()
        child = self.below(level)
        if child is None:
            child = self.words[level or ""] = PathTree()
        if level is not VARIABLE:
            equal = fields.get(level, frozenset())
            child.equal |= equal
            child.different |= names - equal
        child._add(rest, fields, names, "" if self.variable else level or "")
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
        self.equal |= other.equal
        self.different |= other.different
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
        shared = frozenset.intersection(*(child.fields for child in children)) if children else ()
        inner = [child for child in children if child.words or child.variable]
        equal = len(children) > 1 and not all(is_kind(field) or _LABEL.fullmatch(field) for field in shared)
        stems = {_numbered(name) for name in self.words if name}
        numbered = len(children) > 1 and len(stems) == 1 and "" not in stems
        if equal or numbered or (inner and len(inner) == len(children) and is_plural(word)):
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

    def fits(self, levels: Levels) -> bool:
        """Return whether one of the paths has these levels, where a variable level of either fits any other."""
        if not levels:
            return self.ends
        level, *rest = levels
        names = self.words if level is VARIABLE else {level} & self.words.keys()
        below = [*(self.words[name] for name in names), *([self.variable] if self.variable else [])]
        return any(child.fits(tuple(rest)) for child in below)

    def names(self, levels: Levels) -> list[tuple[str, bool]]:
        """Return the names of the variable levels, and whether a field of the payload gave each."""
        tree, before = self, ""
        names: list[tuple[str, bool]] = []
        for level in levels:
            child = tree.below(level)
            if child is None:
                break
            if level is VARIABLE:
                field = min(map(placeholder, child.fields), key=lambda name: (len(name), name), default="")
                name = field or f"{_singular(placeholder(before))}id"
                names.append((name, bool(field)))
            tree, before = child, level or before
        return names


def _is_value(level: str) -> bool:
    """Return whether a level is no word; MQTT's own topics begin with $."""
    return level.isdigit() or not is_public(level.removeprefix("$"))


def _numbered(word: str) -> str:
    """Return what stands before the number of a word such as belt12; nothing where there is none, or a version."""
    match = _NUMBERED.fullmatch(word)
    return match[1] if match and match[1].lower() != "v" else ""


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word.removesuffix('ies')}y"
    return word.removesuffix("s") if is_plural(word) else word


def placeholder(text: str) -> str:
    """Return a text as the name of a placeholder."""
    return _NO_NAME.sub("", text).lower()


# Names of headers and fields that say what kind of message it is, whatever else is in it.
_NAMES_KIND = re.compile(
    r"(?i)[@_]*(x-)?((event|message|msg|record|command|payload|schema)[-_]?(type|kind|name|class)|type[-_]?id)_*"
    r"|event|@type"
)
_MORE = re.compile(r"(?i)(x-)?type")  # of a header, this is said of the message, too
HEADER, FIELD, SHAPE = "header", "field", "shape"


class Variant(NamedTuple):
    """One kind of the messages of a topic: ``name`` is that of the header or field, ``value`` what it holds.

    Of a shape, ``name`` is a field that the others haven't. All are empty where a topic has one kind.
    """

    place: str = ""
    name: str = ""
    value: str = ""


ONLY = Variant()
UNTOLD = "they don't say which of the kinds of messages on their topic they are"


@dataclass
class _Group:
    """The fields of the payloads with one value."""

    count: int = 0
    always: frozenset[str] = frozenset()
    ever: frozenset[str] = frozenset()

    def add(self, names: frozenset[str]) -> None:
        self.always = names if not self.count else self.always & names
        self.ever |= names
        self.count += 1

    def differs(self, other: _Group) -> bool:
        """Return whether payloads have fields in all cases that the others never have."""
        return min(self.count, other.count) >= MIN_SAMPLES and bool(self.always - other.ever)


@dataclass
class Variants:
    """The kinds of messages of one topic; memory is bounded by the number of words and shapes that are told.

    ``count`` is the number of those with a payload; others, such as Kafka's tombstones, decide on nothing.
    """

    count: int = 0
    in_json: int = 0
    needs_payload: bool = False
    needs_json: bool = False
    values: dict[tuple[str, str], dict[str, _Group] | None] = field(default_factory=dict)
    shapes: Counter[frozenset[str]] = field(default_factory=Counter)
    selector: tuple[str, str] | None = None
    kinds: dict[frozenset[str], Variant] = field(default_factory=dict)
    known: list[tuple[Variant, frozenset[str]]] = field(default_factory=list)

    def add(self, sample: Sample, headers: str) -> None:
        """Add a message; ``headers`` is the name of its protocol's headers."""
        names = _names(sample.payload)
        if not sample.is_bare:
            self.count += 1
            self.in_json += sample.payload is not NOTHING
            if len(self.shapes) <= MAX_SHAPES:
                self.shapes[names] += 1
        for key, value in _candidates(sample, headers):
            groups = self.values.setdefault(key, {})
            if groups is None:
                continue
            if not value or not is_public(value) or (value not in groups and len(groups) >= MAX_KINDS):
                self.values[key] = None
            else:
                groups.setdefault(value, _Group()).add(names)

    def settle(self, known: Sequence[tuple[Variant, frozenset[str] | None]]) -> None:
        """Decide what tells the kinds apart.

        ``known`` are those that were learnt before, with the fields of their payloads, None if these are not JSON.
        """
        described = bool(known) and all(fields is not None for _, fields in known)
        self.needs_payload = described or self.count > 0
        self.needs_json = described or 0 < self.count * ALMOST_ALL <= self.in_json
        if known:
            self.known = [(variant, fields or frozenset()) for variant, fields in known]
            first = known[0][0]
            same = all(variant[:2] == first[:2] for variant, _ in known)
            self.selector = (first.place, first.name) if same and first.place in {HEADER, FIELD} else None
            return
        counts = {key: sum(group.count for group in groups.values()) for key, groups in self.values.items() if groups}
        strong = [key for key, count in counts.items() if _names_kind(key) and count >= self.count * ALMOST_ALL]
        weak = [
            key
            for key, count in counts.items()
            if is_kind(key[1]) and count >= self.count and _differ(list((self.values[key] or {}).values()))
        ]
        self.selector = min(strong, default=None) or min(weak, default=None)
        if self.selector is None and len(self.shapes) <= MAX_SHAPES:
            self._settle_shapes()

    def _settle_shapes(self) -> None:
        """Put payloads that share half of their fields together, and see whether that leaves several kinds."""
        clusters: list[list[frozenset[str]]] = []
        for names in sorted(self.shapes, key=lambda item: (-self.shapes[item], sorted(item))):
            near = [cluster for cluster in clusters if any(_alike(names, other) for other in cluster)]
            clusters = [cluster for cluster in clusters if cluster not in near]
            clusters.append([names, *(item for cluster in near for item in cluster)])
        groups = []
        for cluster in clusters:
            group = _Group(sum(self.shapes[names] for names in cluster))
            group.always, group.ever = frozenset.intersection(*cluster), frozenset.union(*cluster)
            groups.append(group)
        if len(groups) < 2 or not all(one.differs(other) for one in groups for other in groups if one is not other):  # noqa: PLR2004
            return
        for cluster, group in zip(clusters, groups, strict=True):
            others = frozenset.union(*(other.ever for other in groups if other is not group))
            variant = Variant(SHAPE, min(group.always - others))
            self.kinds |= dict.fromkeys(cluster, variant)

    def mixture(self, told: Collection[str]) -> str:
        """Return which objects there are where no field is in all of them, and nothing tells them apart.

        Only names of fields that may be ``told`` are in it.
        """
        is_told = self.selector or self.kinds or any(variant != ONLY for variant, _ in self.known)
        if is_told or not 0 < len(self.shapes) <= MAX_MIXED or frozenset.intersection(*self.shapes):
            return ""
        parts = []
        for names, count in sorted(self.shapes.items(), key=lambda item: (-item[1], sorted(item[0]))):
            fields = ", ".join(f'"{name}"' for name in sorted(names & set(told)))
            event = ", which looks like a CloudEvent" if names >= _EVENT else ""
            parts.append(f"{count:,} with {fields or 'other fields'}{event}")
        return f"the payloads are {len(parts)} kinds of objects without a field in common: {'; '.join(parts)}"

    def variant(self, sample: Sample, headers: str) -> Variant | str:
        """Return which kind a message is of, or why it is none of those on its topic."""
        if self.selector is not None:
            value = dict(_candidates(sample, headers)).get(self.selector, "")
            return Variant(*self.selector, value) if value and is_public(value) else UNTOLD
        if self.needs_payload and sample.is_bare:
            return "they have no payload, though others on their topic do"
        if self.needs_json and sample.payload is NOTHING:
            return "their payloads are not JSON, though others on their topic are"
        names = _names(sample.payload)
        if not self.known:
            return self.kinds.get(names, ONLY)
        if self.known[0][0].place != SHAPE:
            return ONLY
        near = [variant for variant, fields in self.known if _alike(names, fields)]
        return near[0] if len(near) == 1 else UNTOLD


def _names(payload: Any) -> frozenset[str]:
    return frozenset(payload) if isinstance(payload, Mapping) else frozenset()


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two payloads share half of the fields of the smaller one; those without any are alike."""
    return one == other or len(one & other) * 2 >= min(len(one), len(other)) > 0


def _candidates(sample: Sample, headers: str) -> list[tuple[tuple[str, str], str]]:
    """Return what may name the kind of a message, with its value."""
    candidates = [
        ((HEADER, name.partition("/")[2]), str(values[0]) if len(values) == 1 else "")
        for name, values in sample.message.fields.items()
        if headers and name.startswith(f"{headers}/")
    ]
    if isinstance(sample.payload, Mapping):
        candidates += [((FIELD, name), value) for name, value in sample.payload.items() if isinstance(value, str)]
    return [
        (key, value)
        for key, value in candidates
        if key[1] != "content-type" and (is_kind(key[1]) or _NAMES_KIND.fullmatch(key[1]))
    ]


def _names_kind(key: tuple[str, str]) -> bool:
    """Return whether the name of a header or field alone says that it names the kind of message."""
    place, name = key
    return _NAMES_KIND.fullmatch(name) is not None or (place == HEADER and _MORE.fullmatch(name) is not None)


def _differ(groups: Sequence[_Group]) -> bool:
    """Return whether the value decides on the fields: each kind that is common differs from another."""
    common = [group for group in groups if group.count >= MIN_SAMPLES]
    return len(common) > 1 and all(
        any(one.differs(other) or other.differs(one) for other in common if other is not one) for one in common
    )
