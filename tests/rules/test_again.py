"""A check of what has changed finds what a check of everything finds, whatever has changed."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time_ns
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from xregit.catalog import read_contents
from xregit.catalog.parts import Traced, folder
from xregit.catalog.traces import Terms, group_of
from xregit.changes import diff
from xregit.changes.partly import part_at
from xregit.changes.policy import review
from xregit.rules.again import again, whole
from xregit.rules.kept import Kept, from_bytes, to_bytes
from xregit.rules.standing import SHORTLY, Standing, State, WholeError, standing
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog import Registry
    from xregit.diagnostics import Diagnostic

Files = dict[str, str]

DAYS = (date(2026, 1, 1), date(2026, 6, 1))
GROUPS, IDS = ("a", "b", "versions"), ("m", "n")
MESSAGES = [f"/messagegroups/{group}/messages/{mid}" for group in GROUPS for mid in IDS]
SCHEMAS = [f"/schemagroups/{group}/schemas/{sid}" for group in ("s", "messages") for sid in ("x", "y")]
NOTHING = ["/messagegroups/a/messages/none", "/messagegroups/none/messages/m", "https://example.com/elsewhere"]
FILLER = 14  # groups that nothing has to do with, so that there is something to leave out


def stated(*choices: str | list[str]) -> st.SearchStrategy[str]:
    """Return texts of some of these lines, of each kind at most one."""
    kinds = [st.sampled_from(["", *([item] if isinstance(item, str) else item)]) for item in choices]
    return st.tuples(*kinds).map(lambda lines: "".join(f"{line}\n" for line in lines if line) or "name: N\n")


def lines(name: str, values: list[str]) -> list[str]:
    """Return a line for each value of an attribute."""
    return [f"{name}: {value}" for value in values]


DESCRIBED = lines("description", ["A thing.", "Another thing.", "'See /messagegroups/a/messages/m'", "''"])
DEPRECATED = [
    f"deprecated: {{removal: {day}T00:00:00Z, alternative: {to}}}"
    for day, to in (("2026-03-01", MESSAGES[0]), ("2027-01-01", NOTHING[0]), ("2026-03-01", SCHEMAS[0]))
]
COMMENTS = [
    f"# xregit: ignore-file {rule} -- because"
    for rule in ("description-missing", "overlapping-template", "unknown-attribute", "basemessage-not-found")
]
ENVELOPE = lines("envelope", ["CloudEvents/1.0", "cloudevent"])
TYPES = [f"envelopemetadata: {{type: {{value: {kind}}}}}" for kind in ("m", "n", "other", "{any}", "1.10")]
OPTIONS = [f"protocoloptions: {{topic_name: {topic}}}" for topic in ("a/b", "a/{x}", "{x}/b", "[1]")]
MESSAGE = stated(
    COMMENTS,
    lines("basemessage", [*MESSAGES, *NOTHING, "'#/messagegroups/b/messages/m'"]),
    DESCRIBED,
    ENVELOPE,
    TYPES,
    lines("protocol", ["MQTT/5.0", "KAFKA"]),
    OPTIONS,
    lines("dataschemauri", [*SCHEMAS, f"{SCHEMAS[0]}/versions/1", "/schemagroups/s/schemas/none"]),
    DEPRECATED,
    ["nonsense: 1", "a: [", "protocl: KAFKA", "xref: /messagegroups/versions/messages/n"],
)
GROUP = stated(
    DESCRIBED,
    ENVELOPE,
    lines("protocol", ["MQTT/5.0"]),
    ["messages: {inline: {description: Inside., basemessage: /messagegroups/b/messages/n}}", "messages: {m: {}}"],
    COMMENTS,
)
ENDPOINT = stated(
    DESCRIBED,
    ["usage: [producer]", "usage: [producer, consumer]"],
    lines("messagegroups", ["[/messagegroups/a]", "[/messagegroups/a, /messagegroups/b]", "[/messagegroups/none]"]),
    lines("protocol", ["MQTT/5.0"]),
    [f"protocoloptions: {{options: {{willmessage: {xid}}}}}" for xid in (MESSAGES[2], NOTHING[0])],
    DEPRECATED,
)
SCHEMA = stated(DESCRIBED, lines("format", ["JsonSchema/draft-07", "Avro/1.11"]), DEPRECATED)
DOCUMENT = st.sampled_from(
    [
        '{"type": "object"}',
        '{"type": "object", "required": ["a"]}',
        '{"$ref": "../../y/versions/1"}',
        '{"$ref": "/schemagroups/messages/schemas/x"}',
        '{"$ref": "../../../../messages/schemas/y/versions/1"}',
        '{"$id": "https://example.com/one", "type": "string"}',
        '{"$ref": "https://example.com/one"}',
        '{"$ref": "\\/schemagroups\\/messages\\/schemas\\/x"}',
        "{",
    ]
)
ROOT = {
    "registry.yaml": stated(["registryid: other"], [*DESCRIBED, "description: Nothing is deprecated."]),
    "xregit.yaml": stated(
        ["rules: {description-missing: error}", "rules: {unknown-attribute: warning}"],
        ['paths: {"/messagegroups/versions/messages/n": {description-missing: "off"}}'],
        lines("baseurl", ["https://example.com"]),
    ),
}
PLACES: dict[str, st.SearchStrategy[str]] = {
    **{f"messagegroups/{group}/messagegroup.yaml": GROUP for group in (*GROUPS, "A")},
    **{f"{xid[1:]}.yaml": MESSAGE for xid in (*MESSAGES, "/messagegroups/A/messages/m", "/messagegroups/b/messages/M")},
    **{f"endpoints/{eid}/endpoint.yaml": ENDPOINT for eid in ("e", "f")},
    "endpoints/e/messages/own.yaml": MESSAGE,
    **{f"schemagroups/{group}/schemagroup.yaml": stated(DESCRIBED) for group in ("s", "messages")},
    **{f"{xid[1:]}/schema.yaml": SCHEMA for xid in SCHEMAS},
    **{f"{xid[1:]}/versions/{vid}.json": DOCUMENT for xid in SCHEMAS for vid in ("1", "2")},
    "messagegroups/a/README.md": st.just("Notes"),
    **ROOT,
}
# A registry's own types, whose entities and messages refer to each other.
MODEL = """groups:
  clubs:
    singular: club
    attributes: {guest: {type: xid, target: /messagegroups/messages}}
    resources:
      members:
        singular: member
        hasdocument: false
        attributes: {friend: {type: xid, target: /clubs/members}, removal: {type: string}}
  messagegroups:
    singular: messagegroup
    resources:
      messages:
        singular: message
        attributes: {readers: {type: array, item: {type: xid, target: /clubs/members}}}
"""
MEMBERS = [f"/clubs/{club}/members/{member}" for club in ("c", "d") for member in ("x", "y")]
CLUB = stated(
    DESCRIBED,
    lines("guest", [*MESSAGES, *NOTHING]),
    [f"members: {{inline: {{friend: {MEMBERS[0]}}}}}", "members: {x: {}}"],
)
EXTENDED_PLACES = {
    "model.yaml": st.sampled_from(
        [MODEL, MODEL.replace("friend", "mate"), MODEL.replace("clubs", "teams"), "groups: 1\n"]
    ),
    **{f"clubs/{club}/club.yaml": CLUB for club in ("c", "d")},
    **{f"{xid[1:]}.yaml": stated(DESCRIBED, lines("friend", [*MEMBERS, "/clubs/none/members/x"])) for xid in MEMBERS},
    **{
        f"{xid[1:]}.yaml": stated(DESCRIBED, lines("readers", [f"[{one}]" for one in (*MEMBERS, *NOTHING)]), DEPRECATED)
        for xid in MESSAGES
    },
}


def edits_of(places: dict[str, st.SearchStrategy[str]]) -> st.SearchStrategy[list[tuple[str, str | None]]]:
    """Return edits: most is of what one edits most; a file may go, and may come again."""
    rare = {*ROOT, "model.yaml"}
    return st.lists(
        st.sampled_from(
            [path for path in places if path not in rare] * 4 + [path for path in places if path in rare]
        ).flatmap(
            lambda path: st.tuples(st.just(path), st.one_of(places[path], places[path], places[path], st.none()))
        ),
        min_size=1,
        max_size=3,
    )


EDITS = edits_of(PLACES)


def first() -> Files:
    """Return a registry in which nothing is an error."""
    found = {"registry.yaml": "registryid: first\ndescription: First.\n"}
    for number in range(FILLER):
        found[f"messagegroups/filler{number}/messagegroup.yaml"] = "description: Filler.\nprotocol: NATS\n"
        found[f"messagegroups/filler{number}/messages/one.yaml"] = "description: One.\nprotocoloptions: {subject: a}\n"
        found[f"messagegroups/filler{number}/messages/two.yaml"] = "description: Two.\nprotocoloptions: {subject: b}\n"
    for xid in MESSAGES:
        found[f"{xid[1:].rsplit('/', 2)[0]}/messagegroup.yaml"] = "description: Group.\n"
        found[f"{xid[1:]}.yaml"] = "description: Message.\n"
    for xid in SCHEMAS:
        found[f"{xid[1:].rsplit('/', 2)[0]}/schemagroup.yaml"] = "description: Group.\n"
        found[f"{xid[1:]}/schema.yaml"] = "description: Schema.\nformat: JsonSchema/draft-07\n"
        found[f"{xid[1:]}/versions/1.json"] = '{"type": "object"}'
    found["endpoints/e/endpoint.yaml"] = (
        "description: Endpoint.\nusage: [producer]\nmessagegroups: [/messagegroups/a]\n"
    )
    found["endpoints/z/endpoint.yaml"] = "description: Endpoint.\nusage: [producer]\n"
    return found


def edited(files: Files, edits: list[tuple[str, str | None]]) -> Files:
    """Return files after some edits."""
    changed: dict[str, str | None] = {**files, **dict(edits)}
    return {path: text for path, text in sorted(changed.items()) if text is not None}


def written(files: Files, root: Path) -> Standing:
    """Write files, and return how they stand."""
    for path, text in files.items():
        target = root / "registry" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return standing(root / "registry")


def in_memory(files: Mapping[str, bytes]) -> State:
    """Return a state of files that are read from memory."""
    return State({path: blob_id(data).decode() for path, data in files.items()}, files.__getitem__)


FIRST = first()
# With types of its own, and with so few files that hardly one has nothing to do with another.
EXTENDED = {
    **{path: text for path, text in FIRST.items() if "filler" not in path},
    "model.yaml": MODEL,
    **{f"clubs/{club}/club.yaml": "description: Club.\n" for club in ("c", "d")},
    **{f"{xid[1:]}.yaml": "description: Member.\n" for xid in MEMBERS},
}
TRACED = Traced("0" * 40, [], [], dated=False)
EMPTY = Kept(
    {"": folder("", {"registry.yaml": TRACED})}, {}, {}, frozenset(), DAYS[0], "here", Terms(["groups"], ["resources"])
)


Steps = list[tuple[list[tuple[str, str | None]], date, bool]]


def steps_of(edits: st.SearchStrategy[list[tuple[str, str | None]]]) -> st.SearchStrategy[Steps]:
    """Return some edits after each other: with a day, and whether what is found then is kept."""
    return st.lists(st.tuples(edits, st.sampled_from(DAYS), st.booleans()), min_size=1, max_size=4)


@settings(max_examples=40)
@given(steps_of(EDITS))
def test_what_changed_tells_all(steps: Steps) -> None:
    """After each of some edits the same is found, from what any check before has kept, and changes are the same."""
    checked_after_each(FIRST, steps)


@settings(max_examples=40)
@given(steps_of(st.one_of(EDITS, edits_of(EXTENDED_PLACES))))
def test_what_changed_tells_all_in_a_small_registry_with_a_model(steps: Steps) -> None:
    """So it is where a registry has few files, and types and attributes of its own."""
    checked_after_each(EXTENDED, steps)


def checked_after_each(files: Files, steps: Steps) -> None:
    """Compare the ways to check after each edit."""
    with TemporaryDirectory() as place:
        kept = whole(written(files, Path(place)), DAYS[0])[2]
    assert kept
    states = [in_bytes(files)]
    for number, (edits, day, keeping) in enumerate(steps):
        note(f"{number}: {day} {edits}")
        files = edited(files, edits)
        with TemporaryDirectory() as place:
            now = written(files, Path(place))
            kept = compared(now, kept, day, states[number // 2], keeping=keeping)
        states.append(in_bytes(files))


def in_bytes(files: Files) -> dict[str, bytes]:
    """Return the bytes of files."""
    return {path: text.encode() for path, text in files.items()}


@given(st.integers(min_value=0), st.sampled_from([b"", b"?", b"\n"]))
def test_damaged_bytes_hold_nothing(at: int, instead: bytes) -> None:
    """What was cut off or written over is as if nothing had been kept, and so is what another registry kept."""
    data = to_bytes(EMPTY) or b""
    place = at % len(data)
    assert from_bytes(data, "here") == EMPTY
    assert from_bytes(data, "elsewhere") is None
    assert from_bytes(data[:place], "here") is None
    assert to_bytes(replace(EMPTY, context="\ud800")) is None
    changed = data[:place] + instead + data[place + 1 :]
    assert changed == data or from_bytes(changed, "here") is None


def test_what_nobody_changed_is_not_read(tmp_path: Path) -> None:
    """Only files that the system says have changed are read, and those beside them; time and size hide no change."""
    kept = whole(replace(written(FIRST, tmp_path), since=0), DAYS[0])[2]  # as if the files were just being written
    assert kept
    assert again(standing(tmp_path / "registry"), kept, DAYS[0]).reread.doubted == len(FIRST)
    later = replace(standing(tmp_path / "registry"), since=time_ns() + 2 * SHORTLY)
    kept = again(later, kept, DAYS[0]).reread.kept  # as if the files had long been there
    assert again(standing(tmp_path / "registry"), kept, DAYS[0]).reread.doubted == 0
    file = tmp_path / "registry" / "messagegroups" / "filler3" / "messages" / "one.yaml"
    before = file.stat()
    file.write_text(file.read_text().replace("description", "descriptiom"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    now = standing(tmp_path / "registry")
    with pytest.raises(WholeError):  # a misspelled name is a doubt, which may be about other groups
        again(now, kept, DAYS[0])
    assert {path for path in now.contents if "filler" in path} == {
        f"messagegroups/filler3/{name}.yaml" for name in ("messagegroup", "messages/one", "messages/two")
    }


def compared(now: Standing, kept: Kept | None, day: date, before: Mapping[str, bytes], *, keeping: bool) -> Kept | None:
    """Compare the two ways to check, and return what one of them has kept."""
    registry, report, new = whole(now, day)
    if kept is None:
        return new
    state = in_memory(before)
    try:
        found = again(now, recalled(kept), day, lambda _: state)
        assert found.report == report
        old = part_at(now, "", found.before)
    except WholeError:
        return new
    due = changes(read_contents(now.root, before), registry, day)
    assert changes(old, found.reread.part, day) == due
    return found.reread.kept if keeping else kept


def recalled(kept: Kept) -> Kept:
    """Return what another run has of what was kept."""
    data = to_bytes(kept)
    assert data
    found = from_bytes(data, kept.context)
    assert found
    assert to_bytes(found) == data
    return found


def changes(before: Registry, after: Registry, day: date) -> tuple[Diagnostic, ...]:
    """Return what is said of a change."""
    return review(diff(before, after), before, after, today=day).diagnostics


PARTS = st.text("ab-.!0", min_size=1, max_size=3).filter(lambda part: part.strip(".") != "")


@given(st.sets(st.lists(PARTS, min_size=1, max_size=4).map("/".join)))
def test_files_are_those_of_their_groups(paths: set[str]) -> None:
    """Also of groups whose names begin like another's, or like that of a file beside them."""
    among = {f"messagegroups/{path}" for path in paths} | paths
    among = {path for path in among if not any(other.startswith(f"{path}/") for other in among)}
    statuses = {path: (number, 0, 0, 0) for number, path in enumerate(sorted(among))}
    found = Standing(Path(), statuses, 0).by_group()
    assert {group: set(files) for group, files in found.items() if files} == {
        group: {path for path in among if group_of(path) == group} for group in map(group_of, among)
    }
