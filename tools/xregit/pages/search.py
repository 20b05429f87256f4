"""The search index, and how it takes the place of the one of Material for MkDocs.

The browser reads only those files of the index that a query needs. Words are sorted and cut into blocks; `index.json`
names the first word of each block. After a word come the numbers of the entries that have it, each as its distance from
the one before. Entries are in shelves, by number. `assets/search.js` reads all this.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files as package_files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import orjson
from markupsafe import Markup

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File


FOLDER = "search/"
INDEX = f"{FOLDER}index.json"
THEME_INDEX = f"{FOLDER}search_index.json"  # which stays empty
# A query reads a block for each of its words, and a shelf for each result at most.
BLOCK_CHARS = 24_000
SHELF = 64
# The length of the text of a result.
RESULT_CHARS = 160
# The prefix of a title or key as a whole, so that its first letters find it; a key then counts as a name.
WHOLE = "="

_WORD = re.compile(r"[^\W_]+")
# The parts of a name such as `vehicleVin` or `VINCode`.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")

# The numbers of the entries that have a word in their title or keys, in their names, and in their text alone.
Postings = tuple[list[int], list[int], list[int]]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the index: its address below the site's start, its title, and the texts that find it.

    ``keys`` are its ids and addresses, which rank first, ``names`` those of its parts, ``text`` all else. ``kind`` says
    what it is; it is shown, and finds nothing.
    """

    location: str
    title: str
    text: str = ""
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kind: str = ""


class Index:
    """The index of a site, to which entries are added one by one."""

    def __init__(self) -> None:
        """Start an empty index."""
        self._results: list[list[object]] = []
        self._postings: dict[str, Postings] = defaultdict(lambda: ([], [], []))

    def add(self, entry: Entry) -> None:
        """Add an entry; its number is the count of those before it."""
        number = len(self._results)
        text = entry.text
        if len(text) > RESULT_CHARS:
            text = text[:RESULT_CHARS].rpartition(" ")[0] + " …"
        shown = " · ".join(filter(None, (entry.kind, text)))
        self._results.append([entry.location, entry.title, shown, entry.keys, entry.names])
        for word, weight in _entry_words(entry):
            self._postings[word][weight].append(number)

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield the files of the index by their paths below the site's start."""
        blocks, results = list(_blocks(self._postings)), self._results
        shelves = [_json(results[start : start + SHELF]) for start in range(0, len(results), SHELF)]
        digest = sha256()
        for name, texts in (("words", (text for _, text in blocks)), ("entries", shelves)):
            for number, text in enumerate(texts):
                digest.update(text.encode())
                yield f"{FOLDER}{name}/{number}.json", text
        first = [word for word, _ in blocks]
        head = {"version": digest.hexdigest()[:16], "entries": len(results), "shelf": SHELF, "first": first}
        yield INDEX, _json(head)


def words(text: str) -> list[str]:
    """Return a text's words as the index has them: letters and digits, in lower case."""
    return _WORD.findall(text.lower())


def _entry_words(entry: Entry) -> Iterator[tuple[str, int]]:
    """Yield the words that find an entry, each with its place in `Postings`."""
    heads = (entry.title, *entry.keys)
    earlier: set[str] = set()
    for weight, texts in enumerate((heads, entry.names, (entry.text,))):
        text = " ".join(texts)
        new = set(words(text))
        if weight < 2 and text != text.lower():  # noqa: PLR2004 - prose has no names with parts
            new.update(part.lower() for part in _PART.findall(text))
        yield from ((word, weight) for word in new - earlier)
        earlier |= new
    wholes = dict.fromkeys(WHOLE + " ".join(words(text)) for text in heads)
    yield from ((whole, min(weight, 1)) for weight, whole in enumerate(wholes))  # the title is the first


def _blocks(postings: dict[str, Postings]) -> Iterator[tuple[str, str]]:
    """Yield each block's first word and its text."""
    lines: list[str] = []
    first, size = "", 0
    for word in sorted(postings, key=lambda word: word.encode("utf-16-be")):  # the order in which JavaScript compares
        if not lines:
            first = word
        lines.append(_json([word, *map(_distances, postings[word])]))
        size += len(lines[-1])
        if size > BLOCK_CHARS:
            yield first, f"[{','.join(lines)}]"
            lines, size = [], 0
    if lines:
        yield first, f"[{','.join(lines)}]"


def _distances(numbers: list[int]) -> list[int]:
    """Return each number as its distance from the one before."""
    return [after - before for before, after in pairwise((0, *numbers))]


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


WORKER = "assets/search.js"
THEME_WORKERS = "assets/javascripts/workers/search."
PLUGIN = "material/search"
_DIALOG = '<div class="md-search" data-md-component="search" role="dialog"'


def replace_theme_worker(files: Iterable[File], config: MkDocsConfig) -> bool:
    """Put our worker in the place of the theme's; return whether there is such a theme with search."""
    workers = [file for file in files if file.src_uri.startswith(THEME_WORKERS) and file.src_uri.endswith(".js")]
    if not workers or _theme_index(config) is None:
        return False
    for file in workers:
        file.content_bytes = (package_files("xregit.pages") / WORKER).read_bytes()
    return True


def label_search_dialog(html: str) -> str:
    """Return a page of the theme with a label on the search dialog, which the theme leaves out."""
    return html.replace(_DIALOG, f'{_DIALOG} aria-label="Search"', 1)


def pop_theme_entries(config: MkDocsConfig) -> list[Entry]:
    """Remove and return the entries of the hand-written pages in the theme's index, which every page would load."""
    index = _theme_index(config) or []
    titles = {entry["location"]: _text(entry["title"]) for entry in index if "#" not in entry["location"]}
    entries = [_to_entry(entry, titles) for entry in index]
    index.clear()
    return entries


def _to_entry(entry: Mapping[str, Any], titles: Mapping[str, str]) -> Entry:
    """Return an entry of the theme with its HTML as text; a section gets the title of its page too."""
    location, title = entry["location"], _text(entry["title"])
    page = titles.get(location.partition("#")[0], "")
    tags = tuple(str(tag) for tag in entry.get("tags") or ())
    return Entry(location, f"{title} · {page}" if "#" in location and page else title, _text(entry["text"]), tags)


def _text(html: str) -> str:
    return Markup(html).striptags()  # noqa: S704 - becomes text at once


def _theme_index(config: MkDocsConfig) -> list[dict[str, Any]] | None:
    entries = getattr(getattr(config.plugins.get(PLUGIN), "search_index", None), "entries", None)
    return entries if isinstance(entries, list) else None
