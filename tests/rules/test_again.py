"""A check of what has changed finds what a check of everything finds, whatever has changed."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import given, note, settings
from hypothesis import strategies as st

from xregit.catalog import read_contents
from xregit.changes import diff
from xregit.changes.partly import part_at
from xregit.changes.policy import review
from xregit.rules.again import again, whole
from xregit.rules.kept import from_bytes, to_bytes
from xregit.rules.standing import State, WholeError, standing
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog import Registry
    from xregit.diagnostics import Diagnostic
    from xregit.rules.kept import Kept
    from xregit.rules.standing import Standing

Files = dict[str, str]

DAYS = (date(2026, 1, 1), date(2026, 6, 1))
GROUPS, IDS = ("a", "b", "c"), ("m", "n")
MESSAGES = [f"/messagegroups/{group}/messages/{mid}" for group in GROUPS for mid in IDS]
SCHEMAS = [f"/schemagroups/{group}/schemas/{sid}" for group in ("s", "t") for sid in ("x", "y")]
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
    ["nonsense: 1", "a: [", "protocl: KAFKA", "xref: /messagegroups/c/messages/n"],
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
        '{"$ref": "/schemagroups/t/schemas/x"}',
        '{"$ref": "../../../../t/schemas/y/versions/1"}',
        '{"$id": "https://example.com/one", "type": "string"}',
        '{"$ref": "https://example.com/one"}',
        '{"$ref": "\\/schemagroups\\/t\\/schemas\\/x"}',
        "{",
    ]
)
ROOT = {
    "registry.yaml": stated(["registryid: other"], DESCRIBED),
    "xregit.yaml": stated(
        ["rules: {description-missing: error}", "rules: {unknown-attribute: warning}"],
        ['paths: {"/messagegroups/c/messages/n": {description-missing: "off"}}'],
        lines("baseurl", ["https://example.com"]),
    ),
}
PLACES: dict[str, st.SearchStrategy[str]] = {
    **{f"messagegroups/{group}/messagegroup.yaml": GROUP for group in (*GROUPS, "A")},
    **{f"{xid[1:]}.yaml": MESSAGE for xid in (*MESSAGES, "/messagegroups/A/messages/m", "/messagegroups/b/messages/M")},
    **{f"endpoints/{eid}/endpoint.yaml": ENDPOINT for eid in ("e", "f")},
    "endpoints/e/messages/own.yaml": MESSAGE,
    **{f"schemagroups/{group}/schemagroup.yaml": stated(DESCRIBED) for group in ("s", "t")},
    **{f"{xid[1:]}/schema.yaml": SCHEMA for xid in SCHEMAS},
    **{f"{xid[1:]}/versions/{vid}.json": DOCUMENT for xid in SCHEMAS for vid in ("1", "2")},
    "messagegroups/a/README.md": st.just("Notes"),
    **ROOT,
}
# Most that is edited is what one edits most; a file may go, and may come again.
EDITS = st.lists(
    st.sampled_from([path for path in PLACES if path not in ROOT] * 4 + [*ROOT]).flatmap(
        lambda path: st.tuples(st.just(path), st.one_of(PLACES[path], PLACES[path], PLACES[path], st.none()))
    ),
    min_size=1,
    max_size=3,
)


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


def written(files: Files, folder: Path) -> Standing:
    """Write files, and return how they stand."""
    for path, text in files.items():
        target = folder / "registry" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return standing(folder / "registry")


def in_memory(files: Mapping[str, bytes]) -> State:
    """Return a state of files that are read from memory."""
    return State({path: blob_id(data).decode() for path, data in files.items()}, files.__getitem__)


FIRST = first()


@settings(max_examples=60)
@given(st.lists(st.tuples(EDITS, st.sampled_from(DAYS), st.booleans()), min_size=1, max_size=4))
def test_what_changed_tells_all(steps: list[tuple[list[tuple[str, str | None]], date, bool]]) -> None:
    """After each of some edits the same is found, from what any check before has kept, and changes are the same."""
    files = FIRST
    with TemporaryDirectory() as folder:
        kept = whole(written(files, Path(folder)), DAYS[0])[2]
    states = [in_bytes(files)]
    for number, (edits, day, keeping) in enumerate(steps):
        note(f"{number}: {day} {edits}")
        files = edited(files, edits)
        with TemporaryDirectory() as folder:
            now = written(files, Path(folder))
            kept = compared(now, kept, day, states[number // 2], keeping=keeping)
        states.append(in_bytes(files))


def in_bytes(files: Files) -> dict[str, bytes]:
    """Return the bytes of files."""
    return {path: text.encode() for path, text in files.items()}


def compared(now: Standing, kept: Kept | None, day: date, before: Mapping[str, bytes], *, keeping: bool) -> Kept | None:
    """Compare the two ways to check, and return what one of them has kept."""
    registry, report, new = whole(now, day)
    if kept is None:
        return new
    state = in_memory(before)
    try:
        found = again(now, from_bytes(to_bytes(kept), kept.context) or kept, day, lambda _: state)
        assert found.report == report
        old = part_at(now, "", found.before)
    except WholeError:
        return new
    due = changes(read_contents(now.root, before), registry, day)
    assert changes(old, found.part, day) == due
    return found.kept if keeping else kept


def changes(before: Registry, after: Registry, day: date) -> tuple[Diagnostic, ...]:
    """Return what is said of a change."""
    return review(diff(before, after), before, after, today=day).diagnostics
