"""Every event of the corpus against the documents that define it: what it is, or why it is nothing that they know."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import xregit
from tests.messages.test_laws import NEW_ID, NOW, open_values, plain_context
from xregit.messages.encoder import MessageError

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
#: What keeps events off that their authors wrote by hand, by number: facts of those events.
FAULTS = {
    20: "envelopemetadata/id",
    21: "envelopemetadata/subject",
    22: "envelopemetadata/subject",
    47: "envelopemetadata/id",
    **dict.fromkeys((3, 19, 26, 27, 29, 40, 41), "dataschema"),
}
#: Payloads made by others that their own schemas don't accept: a pattern that the word "string" does not match, a null.
UNFIT = {67, 89, 107, 110, 111, 113, 124, 140, 154, 177, 198}


def events() -> list[dict[str, Any]]:
    """Return the recorded events."""
    path = CORPUS / "events.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines]


@cache
def registry(name: str) -> xregit.Registry:
    """Return a document of the corpus."""
    return xregit.read(next(CORPUS.joinpath("docs").rglob(name)))


@cache
def matcher(name: str) -> xregit.Matcher:
    """Return the matcher of a document."""
    return xregit.Matcher(registry(name))


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("event", events(), ids=lambda event: f"{event['n']}-{event['kind']}")
def test_event_is_classified(event: dict[str, Any]) -> None:
    """What conforms is recognised; of what does not, the reason is said."""
    if event["kind"] == "payload-synthetic":
        made_of(event)
    elif event["definitions"]:
        recognised(event)
    else:
        unknown(event)


def recognised(event: dict[str, Any]) -> None:
    """Check that an event is what its author says, or that what it lacks is named."""
    for stated in event["definitions"]:
        result = matcher(stated["document"]).match(event["event"], explain=True)
        if event["n"] in FAULTS:
            assert result.outcome == "none"
            near = [{failure.attribute for failure in reason.failed} for reason in result.reasons if reason.xid]
            assert FAULTS[event["n"]] in near[0]
        else:
            assert [item.xid.rpartition("/")[2] for item in result.matches] == [stated["message"]]


def unknown(event: dict[str, Any]) -> None:
    """Check that an event which no document defines fits nothing, or can't be read for want of a version."""
    result = matcher("rts-pegelonline.xreg.json").match(event["event"], explain=True)
    assert result.outcome == "none"
    assert bool(result.problems) == ("specversion" not in event["event"])


def made_of(event: dict[str, Any]) -> None:
    """Check that a recorded payload makes a message which is recognised, or that its faults are named."""
    stated = event["definitions"][0]
    message = next(item for item in registry(stated["document"]).messages if item.id == stated["message"])
    context = {**open_values(message), **plain_context(message)}
    payload = json.dumps(event["event"]).encode()
    if event["n"] in UNFIT:
        with pytest.raises(MessageError, match="the payload does not fit its schema"):
            xregit.new(message, context, payload, now=NOW, new_id=NEW_ID)
        return
    wire = xregit.new(message, context, payload, now=NOW, new_id=NEW_ID)
    assert message.xid in {item.xid for item in matcher(stated["document"]).match(wire).matches}
