"""Pages that are kept while people edit: they are the ones that would be made from nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.small import FILES, small_folder
from tests.source.repositories import new_repository
from xregit.catalog import read_folder
from xregit.pages.book import Book
from xregit.pages.keeping import Kept, exact
from xregit.pages.messages import message_page
from xregit.source.scalars import scalar

ALIKE = ("1", "1.0", "1.00", "true", "0x1")
OPENED = "messagegroups/doors/messages/doors.opened.yaml"
PRESSED = "endpoints/panel/messages/panel.pressed.yaml"
SCHEMA = "schemagroups/doors/schemas/opened/schema.yaml"
MQTT = "messagegroups/doors.mqtt/messages/doors.opened.yaml"


def _differing(kept: Kept, folder: Path) -> list[str]:
    """Return the messages whose kept pages are not those that are made from nothing."""
    registry = read_folder(folder)
    book, fresh = kept.book(registry), Book(registry)
    return [each.xid for each in registry.messages if kept.page(book, each) != message_page(fresh, each)]


def _edits(folder: Path) -> Iterator[tuple[str, Path, bytes | None]]:
    """Give each file without one of its lines, and then its absence; the rest of the registry is as it was."""
    for name in FILES:
        file = folder / name
        lines = file.read_bytes().splitlines(keepends=True)
        for number in range(len(lines)):
            yield f"{name}:{number + 1}", file, b"".join(lines[:number] + lines[number + 1 :])
        if name != "registry.yaml":
            yield name, file, None


def test_kept_pages_are_those_made_from_nothing(tmp_path: Path) -> None:
    """Whatever line or file of a registry is taken away, each page is as if nothing had been kept."""
    folder, kept, wrong = small_folder(tmp_path), Kept(), {}
    for edit, file, data in _edits(folder):
        before = file.read_bytes()
        if data is None:
            file.unlink()
        else:
            file.write_bytes(data)
        wrong[edit] = _differing(kept, folder)
        file.write_bytes(before)
    assert {edit: found for edit, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (MQTT, "qos: 1", "qos: true"),
        (OPENED, "owner: Door team", "owner: Team"),
        ("model.yaml", "The team to ask.", "Whom to ask."),
        ("xregit.yaml", "git.example.com", "code.example.com"),
        ("registry.yaml", "name: Small catalog", "name: Little catalog"),
        ("endpoints/broker/endpoint.yaml", "broker.example.com", "queue.example.com"),
        ("schemagroups/doors/schemas/opened/versions/2.json", '"who"', '"whom"'),
        (SCHEMA, "versions:", "meta: {defaultversionid: '1', defaultversionsticky: true}\nversions:"),
        (PRESSED, "{panel}", "{DOOR}"),  # which comes before that of other messages, so that this has another address
    ],
)
def test_change_of_a_value_is_seen(tmp_path: Path, name: str, before: str, after: str) -> None:
    """A page is made anew where a value changes that it shows, though it may equal the one before."""
    folder, kept = small_folder(tmp_path), Kept()
    assert _differing(kept, folder) == []
    made = dict(kept.pages)
    file = folder / name
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))
    assert _differing(kept, folder) == []
    assert any(kept.pages[xid][1] != page for xid, (_, page) in made.items())


def test_unchanged_pages_are_not_made_again(tmp_path: Path) -> None:
    """Where one message changes, the pages stay the same objects that don't show it."""
    folder, kept = small_folder(tmp_path), Kept()
    assert _differing(kept, folder) == []
    made = dict(kept.pages)
    file = folder / PRESSED
    file.write_text(file.read_text().replace("Somebody", "Nobody"))
    assert _differing(kept, folder) == []
    assert [xid for xid, known in made.items() if kept.pages[xid] is not known] == [
        "/endpoints/panel/messages/panel.pressed"
    ]


def test_message_that_inherits_from_afar_is_seen(tmp_path: Path) -> None:
    """A page says which of several messages wrote a value, though the value and the message itself stay."""
    folder, kept = small_folder(tmp_path), Kept()
    (folder / "messagegroups/aliases/messages/far.yaml").write_text(f"basemessage: /{MQTT.removesuffix('.yaml')}\n")
    assert _differing(kept, folder) == []
    before = kept.pages["/messagegroups/aliases/messages/far"]
    file = folder / MQTT
    stated = "envelopemetadata:\n"
    file.write_text(file.read_text().replace(stated, f"{stated}  type: {{value: doors.opened}}\n"))
    assert _differing(kept, folder) == []
    assert kept.pages["/messagegroups/aliases/messages/far"] is not before


def test_replacement_from_afar_is_seen(tmp_path: Path) -> None:
    """A page says what takes the place of what takes its message's place, though the message itself stays."""
    folder, kept = small_folder(tmp_path), Kept()
    text = "deprecated: {{alternative: /messagegroups/aliases/messages/{}}}\n"
    for name, stated in (("a", text.format("b")), ("b", ""), ("c", "")):
        (folder / f"messagegroups/aliases/messages/{name}.yaml").write_text(stated)
    assert _differing(kept, folder) == []
    (folder / "messagegroups/aliases/messages/b.yaml").write_text(text.format("c"))
    assert _differing(kept, folder) == []
    assert "deprecated too" in kept.pages["/messagegroups/aliases/messages/a"][1].html


def test_file_that_cannot_be_read_is_seen(tmp_path: Path) -> None:
    """A page tells that its file is broken, though it said nothing before either."""
    folder, kept = small_folder(tmp_path), Kept()
    file = folder / "messagegroups/aliases/messages/silent.yaml"
    for text, told in (("{}\n", False), ("[\n", True), ("{}\n", False)):
        file.write_text(text)
        assert _differing(kept, folder) == []
        page = kept.pages["/messagegroups/aliases/messages/silent"][1]
        assert ("The file can't be read" in page.html) is told


def test_commits_are_seen(tmp_path: Path) -> None:
    """A page tells of the commits that there are now, of its own file and of others."""
    repository, kept = new_repository(tmp_path / "repository"), Kept()
    folder, made = small_folder(repository.root), set()
    for name in (OPENED, PRESSED, MQTT):
        file = folder / name
        file.write_text(f"{file.read_text()}# once more\n")
        assert _differing(kept, folder) == []
        repository.commit(f"Change {name}")
        assert _differing(kept, folder) == []
        made.add(kept.pages["/messagegroups/doors.mqtt/messages/doors.opened"][1].html)
    assert len(made) > 1


def test_owners_are_seen(tmp_path: Path) -> None:
    """A page names the owners that CODEOWNERS has now."""
    folder, kept = small_folder(tmp_path), Kept()
    assert _differing(kept, folder) == []
    (folder.parent / "CODEOWNERS").write_text("* @example/doors\n")
    (folder.parent / ".git").mkdir()
    assert _differing(kept, folder) == []


def test_values_that_are_equal_are_told_apart() -> None:
    """Numbers differ that are written otherwise, so do maps in another order."""
    assert len({exact(scalar(text)) for text in ALIKE}) == len(ALIKE)
    assert exact({"a": 1, "b": 2}) != exact({"b": 2, "a": 1})
    assert exact([1 << 70]) != exact([1 << 71])
