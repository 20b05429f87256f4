"""The files of the search index: every word is where the worker looks for it, and leads to the entries that have it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from xregit.pages.search import BLOCK_CHARS, FOLDER, INDEX, SHELF, WHOLE, Entry, Index, words

TEXTS = st.text(st.sampled_from("abAB1é_-. {}😀\ue000"), max_size=12)
ENTRIES = st.lists(st.builds(Entry, TEXTS, TEXTS, TEXTS, st.tuples(TEXTS), st.tuples(TEXTS)), max_size=90)


def _files(entries: list[Entry]) -> dict[str, str]:
    index = Index()
    for entry in entries:
        index.add(entry)
    return dict(index.files())


def _read(entries: list[Entry]) -> tuple[dict[str, object], dict[str, list[set[int]]], list[object]]:
    """Return what stands in the index, its words with the numbers of entries by kind, and the entries shown."""
    files = {name.removeprefix(FOLDER): json.loads(text) for name, text in _files(entries).items()}
    about = files.pop(INDEX.removeprefix(FOLDER))
    result: dict[str, list[set[int]]] = {}
    for number, first in enumerate(about["first"]):
        block = files.pop(f"words/{number}.json")
        assert block[0][0] == first
        for word, *kinds in block:
            result[word] = [{sum(steps[: end + 1]) for end in range(len(steps))} for steps in kinds]
    shelves = [files.pop(f"entries/{at}.json") for at in range((len(entries) + SHELF - 1) // SHELF)]
    assert files == {}
    assert all(len(shelf) == SHELF for shelf in shelves[:-1])
    return about, result, [entry for shelf in shelves for entry in shelf]


@given(ENTRIES)
def test_every_word_leads_to_its_entries(entries: list[Entry]) -> None:
    """A word is listed for an entry once, by the best of the places where the entry has it."""
    about, found, shown = _read(entries)
    assert about["entries"] == len(entries) == len(shown)
    assert list(found) == sorted(found, key=lambda word: word.encode("utf-16-be"))
    for number, entry in enumerate(entries):
        known = [set(words(" ".join(texts))) for texts in ((entry.title, *entry.keys), entry.names, (entry.text,))]
        seen: set[str] = set()
        for kind, own in enumerate(known):
            for word in own - seen:
                assert number in set().union(*found[word][: kind + 1])
            seen |= own
        assert number in found[WHOLE + " ".join(words(entry.title))][0]
    for kinds in found.values():
        assert sum(map(len, kinds)) == len(set().union(*kinds))


def test_name_is_found_by_its_parts() -> None:
    """A field is found by each of the words of which its name is made; prose isn't taken apart."""
    _, found, _ = _read([Entry("a/", "", "iPhone", names=("vehicleVin", "HTTPCode", "depth2m"))])
    assert set(found) == {"vehiclevin", "vehicle", "vin", "httpcode", "http", "code", "depth2m", "iphone", WHOLE}


def test_index_is_cut_into_blocks() -> None:
    """What a question reads doesn't grow with the site, but for words that everything has."""
    files = _files([Entry(f"{number}/", f"title {number}", "text") for number in range(3_000)])
    blocks = [text for name, text in files.items() if name.startswith(f"{FOLDER}words/")]
    longest = max(len(json.dumps(line)) for text in blocks for line in json.loads(text))
    assert len(blocks) > 3
    assert all(len(text) < 2 * BLOCK_CHARS + longest for text in blocks)


def test_version_changes_with_what_is_found() -> None:
    """A browser that knows the files of an older site doesn't mix them with newer ones."""
    one, other = (_files([Entry("a/", "A", text)]) for text in ("some", "other"))
    assert json.loads(one[INDEX])["version"] != json.loads(other[INDEX])["version"]
    assert _files([Entry("a/", "A", "some")]) == one


def test_kind_of_an_entity_is_shown_and_finds_nothing() -> None:
    """A result says what it is, so that a message and its schema of one name are told apart."""
    _, found, shown = _read([Entry("a/", "A", "Bag", kind="Message"), Entry("b/", "B", kind="Endpoint")])
    assert [entry[2] for entry in shown if isinstance(entry, list)] == ["Message · Bag", "Endpoint"]
    assert "message" not in found
