"""Entries to the files of a search index, of which the browser reads only those that a question needs.

Words stand in their order, cut into blocks; `index.json` names the first word of each block. Behind a word stand the
numbers of the entries that have it, each as its distance from the one before. Entries stand on shelves, by number.
`assets/search.js` reads all this.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator


FOLDER = "search/"
INDEX = f"{FOLDER}index.json"
THEIR_INDEX = f"{FOLDER}search_index.json"  # the theme's, which ours empties
# A question reads a block for each of its words, and a shelf for each result at most.
BLOCK_CHARS = 24_000
SHELF = 64
# What a result shows of its text.
SHOWN_CHARS = 160
# What a title or key begins with where it is listed as a whole, so that its first letters find it; a key then counts
# as a name.
WHOLE = "="

_WORD = re.compile(r"[^\W_]+")
# The parts of a name such as `vehicleVin` or `VINCode`.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")

# The numbers of the entries that have a word in their title or keys, in their names, and in their text alone.
Found = tuple[list[int], list[int], list[int]]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to be found: its address below the site's start, its title, and what finds it.

    ``keys`` are its ids and addresses, which find it first, ``names`` what it consists of, ``text`` all else.
    """

    location: str
    title: str
    text: str = ""
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Index:
    """The index of a site, which takes one entry after the other."""

    def __init__(self) -> None:
        """Begin without any."""
        self._shown: list[list[object]] = []
        self._found: dict[str, Found] = defaultdict(lambda: ([], [], []))

    def add(self, entry: Entry) -> None:
        """Have an entry found by its words; its number counts those before it."""
        number = len(self._shown)
        self._shown.append(_shown(entry))
        for word, weight in _words_of(entry):
            self._found[word][weight].append(number)

    def files(self) -> Iterator[tuple[str, str]]:
        """Give the files of the index by their paths below the site's start."""
        blocks, shown = list(_blocks(self._found)), self._shown
        shelves = [_json(shown[at : at + SHELF]) for at in range(0, len(shown), SHELF)]
        digest = sha256()
        for name, texts in (("words", (text for _, text in blocks)), ("entries", shelves)):
            for number, text in enumerate(texts):
                digest.update(text.encode())
                yield f"{FOLDER}{name}/{number}.json", text
        first = [word for word, _ in blocks]
        about = {"version": digest.hexdigest()[:16], "entries": len(shown), "shelf": SHELF, "first": first}
        yield INDEX, _json(about)


def words(text: str) -> list[str]:
    """Return a text's words as the index has them: letters and digits, small."""
    return _WORD.findall(text.lower())


def _words_of(entry: Entry) -> Iterator[tuple[str, int]]:
    """Give what an entry is found by, each with its place in `Found`."""
    known = (entry.title, *entry.keys)
    seen: set[str] = set()
    for weight, texts in enumerate((known, entry.names, (entry.text,))):
        new = _all_words(texts, parted=weight < 2) - seen  # noqa: PLR2004 - prose has no names to take apart
        yield from ((word, weight) for word in new)
        seen |= new
    wholes = dict.fromkeys(WHOLE + " ".join(words(text)) for text in known)
    yield from ((whole, min(weight, 1)) for weight, whole in enumerate(wholes))  # the title is the first


def _all_words(texts: tuple[str, ...], *, parted: bool) -> set[str]:
    joined = " ".join(texts)
    small = joined.lower()
    found = set(_WORD.findall(small))
    if parted and small != joined:
        found.update(part.lower() for part in _PART.findall(joined))
    return found


def _blocks(found: dict[str, Found]) -> Iterator[tuple[str, str]]:
    """Give each block's first word and its text."""
    lines: list[str] = []
    first, size = "", 0
    for word in sorted(found, key=lambda word: word.encode("utf-16-be")):  # the order in which JavaScript compares
        if not lines:
            first = word
        lines.append(_json([word, *map(_steps, found[word])]))
        size += len(lines[-1])
        if size > BLOCK_CHARS:
            yield first, f"[{','.join(lines)}]"
            lines, size = [], 0
    if lines:
        yield first, f"[{','.join(lines)}]"


def _steps(numbers: list[int]) -> list[int]:
    """Return each number as its distance from the one before."""
    return [after - before for before, after in pairwise((0, *numbers))]


def _shown(entry: Entry) -> list[object]:
    """Return what a result shows."""
    text = entry.text
    if len(text) > SHOWN_CHARS:
        text = text[:SHOWN_CHARS].rpartition(" ")[0] + " …"
    return [entry.location, entry.title, text, entry.keys, entry.names]


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
