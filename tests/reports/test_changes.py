"""Changes as text and Markdown, where there are none, very many, or odd ones."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalog.folders import registry_of
from xregit.catalog import Place
from xregit.changes import Change, Impact, diff
from xregit.changes.review import MergeDecision, Review, ReviewItem, review
from xregit.diagnostics import Span
from xregit.reports.changes import changes_json, changes_text
from xregit.reports.markdown import MAX_CHARACTERS, MAX_ROWS, changes_markdown, headline
from xregit.reports.text import escape_control

NOTHING = Review((), ())


def item(
    impact: Impact, standing: MergeDecision = MergeDecision.STANDS, message: str = "It changes.", reaches: int = 0
) -> ReviewItem:
    """Return one judged change."""
    reached = tuple(f"/messagegroups/g/messages/m{number}" for number in range(reaches))
    change = Change(
        "/messagegroups/g", "changed", "value-changed", impact, impact, message, "messagegroup", reaches=reached
    )
    return ReviewItem(change, standing, Place("registry/a.yaml"), Span(3, 1, 3, 5))


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], "No catalog changes"),
        ([item(Impact.BREAKING)], "1 breaking change"),
        ([item(Impact.BREAKING), item(Impact.BREAKING)], "2 breaking changes"),
        ([item(Impact.UNKNOWN)], "1 change needs review"),
        ([item(Impact.UNKNOWN), item(Impact.UNKNOWN)], "2 changes need review"),
        ([item(Impact.COMPATIBLE, MergeDecision.FINE)], "No breaking changes"),
        ([item(Impact.BREAKING, MergeDecision.WAIVED)], "All breaking changes are allowed"),
    ],
)
def test_the_headline_says_what_matters_most(items: list[ReviewItem], expected: str) -> None:
    """In a few words."""
    assert headline(Review(tuple(items), ())) == expected


def test_nothing_is_said_briefly() -> None:
    """In every form."""
    assert changes_text(NOTHING) == "No changes."
    assert changes_markdown(NOTHING) == "## No catalog changes\n"
    assert json.loads(changes_json(NOTHING))["changes"] == []


def test_what_can_not_be_read_is_not_said_to_stay_as_it_is(tmp_path: Path) -> None:
    """Whoever reads the summary alone learns that a definition was left out, in every form."""
    path = "messagegroups/g/messages/m.yaml"
    before = registry_of(tmp_path / "before", {path: "protocol: KAFKA\n"})
    after = registry_of(tmp_path / "after", {path: "protocol: [KAFKA\n"})
    for one, other in ((before, after), (after, before)):
        result = review(diff(one, other), one, other, today=date(2026, 1, 1))
        assert changes_text(result).endswith("No changes in what can be read.")
        assert json.loads(changes_json(result))["unread"] == [f"registry/{path}"]
        assert changes_markdown(result).startswith("## What can't be read can't be compared\n\n")
        assert path in changes_markdown(result)
        assert result.failed == (other is after)
    assert changes_markdown(result).split("\n\n")[1:] == [
        "Not compared, as it can't be read, before the change or after it:",
        f"- `registry/{path}`\n",
    ]


POLICY = """\
To look at first, since it decides on the rest:
  registry/messagegroups/g/messages/m.yaml: error file-not-compared: The file can't be read as a whole, so what \
changes in it was not compared.
    help: Correct it. A comment that accepts the fault does not help here.
  registry/waivers.yaml:2:5: warning waivers-changed: A waiver of "value-changed" for "*" is new, until 2099-12-31, \
approved by me: Because.
    help: It counts once it is merged: merge it first, in a change of its own that its approver reviews.
  registry/xregit.yaml:1:24: warning settings-changed: The severity of "address-moved" changes from its default to off.
    help: Until this is merged, the worse of the two counts.

No changes in what can be read."""


def test_head_is_what_decides_on_the_rest(tmp_path: Path) -> None:
    """What is read less, judged less or let through in the same change is seen before what it lets through."""
    path = "messagegroups/g/messages/m.yaml"
    waiver = "{xid: '*', rule: value-changed, reason: Because, approvedby: me, until: 2099-12-31}"
    files = {
        path: "# xregit: ignore-file yaml-alias -- no\nprotocol: &a KAFKA\n",
        "xregit.yaml": "rules: {address-moved: off}\n",
        "waivers.yaml": f"waivers:\n  - {waiver}\n",
    }
    before, after = (
        registry_of(tmp_path / "before", {path: "protocol: KAFKA\n"}),
        registry_of(tmp_path / "after", files),
    )
    result = review(diff(before, after), before, after, today=date(2026, 1, 1))
    assert changes_text(result) == POLICY
    assert [item["rule"] for item in json.loads(changes_json(result))["policy"]] == [
        "file-not-compared",
        "waivers-changed",
        "settings-changed",
    ]
    assert changes_markdown(result).split("\n\n")[1] == "To look at first, since it decides on the rest:"


@pytest.mark.parametrize("sign", ["\n::add-mask::x", "\x1b[2J", "\u202e", "\u200b"])
def test_no_text_leaves_its_line(sign: str, tmp_path: Path) -> None:
    """A name or a value neither begins a line, where it could be a command, nor steers what shows it."""
    message = {"protocol": "KAFKA", "labels": {f"a{sign}": "b"}}
    old, new = ({"messagegroups/g/messages/m.yaml": json.dumps(text)} for text in (message, {"protocol": "KAFKA"}))
    before, after = registry_of(tmp_path / "before", old), registry_of(tmp_path / "after", new)
    result = changes_text(review(diff(before, after), before, after, today=date(2026, 1, 1)))
    assert sign.strip("\n") in result if sign[0] == "\n" else sign not in result
    assert "\n::" not in result


def test_very_many_files_that_can_not_be_read_are_counted() -> None:
    """What breaks is still the headline."""
    files = tuple(f"registry/messagegroups/g/messages/m{number}.yaml" for number in range(10_000))
    text = changes_markdown(Review((item(Impact.BREAKING),), (), unreadable=files))
    assert text.startswith("## 1 breaking change\n")
    assert "- and 9,950 more" in text
    assert len(text) <= MAX_CHARACTERS


def test_very_many_changes_fit_into_a_comment() -> None:
    """The rest is counted; so is what a change reaches."""
    many = [item(Impact.BREAKING) for _ in range(MAX_ROWS + 5)] + [item(Impact.COSMETIC, MergeDecision.FINE)] * (
        MAX_ROWS + 7
    )
    text = changes_markdown(Review(tuple(many), ()))
    assert "… and 5 more." in text
    assert "… and 7 more." in text
    assert "- and 150 more" in changes_markdown(Review((item(Impact.BREAKING, reaches=200),), ()))


@pytest.mark.parametrize(("changes", "reaches", "length"), [(2_000, 5, 50), (300, 500, 50), (10_000, 0, 5_000)])
def test_summary_is_never_longer_than_github_takes(changes: int, reaches: int, length: int) -> None:
    """Fewer rows are shown, the worst ones, and the rest is counted."""
    result = item(Impact.BREAKING, message=f'It is "{"x" * length}" now.', reaches=reaches)
    text = changes_markdown(Review((result,) * changes, ()))
    assert len(text) <= MAX_CHARACTERS
    assert f"### Breaking ({changes})" in text
    assert "more." in text


def test_address_that_is_no_text_is_linked_as_far_as_it_is() -> None:
    """Such as that of a file whose name is no UTF-8."""
    result = Review((item(Impact.BREAKING),), ())
    assert "https://git.example.com/%FF" in changes_markdown(result, line=lambda *_: "https://git.example.com/\udcff")


@given(st.text(max_size=30))
def test_no_text_leaves_its_cell(value: str) -> None:
    """Whatever a value holds, a row stays one row of three cells."""
    result = Review((item(Impact.BREAKING, message=f'"a" changes to "{value}".'),), ())
    rows = [line for line in changes_markdown(result).split("\n") if line.startswith("| **")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 4
    assert "<script" not in rows[0].replace("`", "")
    assert rows[0] == escape_control(rows[0])


def test_nobody_is_called_by_a_comment() -> None:
    """A text may name whom it likes, and a link may hold an @ all the same."""
    text = changes_markdown(
        Review((item(Impact.BREAKING, message="Ask @everyone."),), ()), line=lambda *_: "https://e/@a"
    )
    assert "Ask @&#8203;everyone." in text
    assert "https://e/@a" in text


@pytest.mark.parametrize("value", ["a|b", "`", "``x`", "<b>", "*", "https://e.x/{vin}", "[x](y)", "#1"])
def test_values_are_shown_as_code(value: str, tmp_path: Path) -> None:
    """With all that Markdown would take for its own."""
    files = {"messagegroups/g/messages/m.yaml": json.dumps({"protocol": "KAFKA", "protocoloptions": {"topic": "old"}})}
    new = {"messagegroups/g/messages/m.yaml": json.dumps({"protocol": "KAFKA", "protocoloptions": {"topic": value}})}
    before, after = registry_of(tmp_path / "before", files), registry_of(tmp_path / "after", new)
    text = changes_markdown(review(diff(before, after), before, after, today=date(2026, 1, 1)))
    assert value.replace("|", "\\|") in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a  b", r"a \u0020b"),
        (" a ", r"\u0020a\u0020"),
        ("a\u00a0b", r"a\xa0b"),
        ("a\u2800", r"a\u2800"),
        ("a\nb", r"a\nb"),
    ],
)
def test_values_that_differ_look_different(value: str, shown: str) -> None:
    """Markdown and browsers leave out spaces, and nobody tells some characters from a space or from nothing."""
    result = Review((item(Impact.BREAKING, message=f'It changes from "a b" to "{value}".'),), ())
    assert f"It changes from `a b` to `{shown}`." in changes_markdown(result)


def test_row_names_the_schema_and_shows_a_payload(tmp_path: Path) -> None:
    """A version's row says of which schema it is, and a payload that shows the fault stands there as a whole."""
    schema = "schemagroups/g/schemas/opened"
    message = {"dataschemaformat": "JsonSchema/draft-07", "dataschemauri": f"/{schema}"}
    files = {
        "messagegroups/g/messages/m.yaml": json.dumps(message),
        f"{schema}/schema.yaml": "format: JsonSchema/draft-07\n",
        f"{schema}/versions/1.json": '{"type": "object", "properties": {"door": {"type": "string"}}}',
    }
    new = {**files, f"{schema}/versions/1.json": '{"type": "object", "required": ["door"]}'}
    before, after = registry_of(tmp_path / "before", files), registry_of(tmp_path / "after", new)
    text = changes_markdown(review(diff(before, after), before, after, today=date(2026, 1, 1)))
    assert "**`1`**, version of `g/opened`<br>" in text
    assert "door: The property is now required; for example `{}`." in text
