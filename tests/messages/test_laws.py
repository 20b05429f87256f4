"""What holds for every definition: what is made is recognised as itself, with the context it was made with."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xregit
from xregit.catalog import Message, Registry
from xregit.messages.definition import target, to_definition
from xregit.messages.encoder import MessageError
from xregit.messages.payload import payload_schema
from xregit.payloads import PayloadError, SchemaError
from xregit.protocols import Wire

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "docs"
NOW = datetime(2026, 5, 22, 10, 30, tzinfo=UTC)
NEW_ID = "6f1b0f53-2f61-4d8a-b5a8-9b8d0b3f4a55"
AWKWARD = " %/?#+*>.{}&=;,~é☃\U0001f69a\r\n\t\0\\\"'-_:@a1\u2028\u200d\ud800\x7f"
VALUES = st.text(st.one_of(st.sampled_from(AWKWARD), st.characters()), min_size=1, max_size=6)
#: Values for properties that a definition leaves open but needs, by their types.
OPEN: Mapping[str, Any] = {"integer": 3, "timestamp": "2026-05-22T10:30:00Z", "datetime": "x", "boolean": True}


@cache
def catalog(name: str) -> tuple[Registry, xregit.Matcher]:
    """Return a registry with the matcher of all its definitions."""
    registry = xregit.load(ROOT / "registry") if name == "example" else xregit.read(CORPUS / name)
    return registry, xregit.Matcher(registry)


@cache
def payload(registry_name: str, xid: str) -> tuple[Any, ...]:
    """Return a payload for a message, nothing where it has no schema that can be used."""
    registry, _ = catalog(registry_name)
    try:
        schema = payload_schema(registry, target(registry[xid]))
        return () if schema is None else (schema.example(),)
    except (SchemaError, PayloadError):
        return (None,)


def open_values(message: Message) -> dict[str, Any]:
    """Return a value for each property that every such message needs and that nothing fills."""
    asked = to_definition(message)
    result = {
        item.attribute: OPEN.get(item.type, "urn:x")
        for item in asked.constraints
        if item.required and item.constant is None and item.template is None and not item.now
    }
    declared = {item.key for item in asked.envelope}
    implied = {name: "urn:x" for name in ("type", "source") if asked.enveloped and name not in declared}
    return {**implied, **{name: value for name, value in result.items() if not name.endswith(("/id", "/message-id"))}}


def new_message(name: str, message: Message, context: Mapping[str, str]) -> Wire:
    """Return a message made from a definition and a context."""
    asked = to_definition(message)
    protocol = "" if asked.enveloped or asked.protocol else "HTTP"
    given_ = {**open_values(message), **context}
    return xregit.new(message, given_, *payload(name, message.xid), now=NOW, new_id=NEW_ID, protocol=protocol)


def holds(name: str, message: Message, context: Mapping[str, str]) -> None:
    """Check the law for one definition and context that it accepts."""
    wire = new_message(name, message, context)
    _, matcher = catalog(name)
    for received in (wire, wire.as_json()):
        result = {item.xid: item.context for item in matcher.match(received).matches}
        # Compared as plain values, since pytest would describe a whole registry.
        xid = target(message).xid
        assert xid in result
        assert result[xid] == context


def messages(name: str) -> tuple[Message, ...]:
    """Return the messages of a registry."""
    return catalog(name)[0].messages


def plain_context(message: Message) -> dict[str, str]:
    """Return a context that any definition should accept: a time where a time has to be."""
    times = {"envelopemetadata/time"}
    names = to_definition(message).placeholders
    return {
        placeholder: "2026-05-22T10:30:00Z" if times & set(places) else f"v{number}"
        for number, (placeholder, places) in enumerate(names.items())
    }


@pytest.mark.requirement("MSG-63", "MSG-65")
@pytest.mark.parametrize("message", messages("example"), ids=lambda message: message.xid)
def test_law_for_the_example_catalog(message: Message) -> None:
    """What a definition of the example catalog makes is recognised as that definition alone."""
    context = plain_context(message)
    holds("example", message, context)
    matcher = catalog("example")[1]
    assert matcher.match(new_message("example", message, context)).outcome == "one"


@given(st.sampled_from([message.xid for message in messages("example")]), st.data())
def test_law_with_awkward_contexts(xid: str, data: st.DataObject) -> None:
    """Contexts of any characters are given back as they were, or refused with the reason, never changed."""
    message = catalog("example")[0][xid]
    context = {name: data.draw(VALUES, label=name) for name in to_definition(message).placeholders}
    with suppress(MessageError):
        holds("example", message, context)


def documents() -> list[str]:
    """Return the names of the corpus's documents that can be read."""
    names = []
    for path in sorted(CORPUS.rglob("*")) if CORPUS.is_dir() else []:
        name = path.relative_to(CORPUS).as_posix()
        try:
            if path.is_file() and messages(name):
                names.append(name)
        except xregit.XregitError:
            continue
    return names


@pytest.fixture(scope="module")
def corpus(shared: Path) -> list[tuple[str, str]]:
    """Return every definition of the corpus: the name of its document, and its xid."""
    assert shared == CORPUS.parents[1]
    return [(name, message.xid) for name in documents() for message in messages(name)]


def test_law_for_the_corpus(corpus: list[tuple[str, str]]) -> None:
    """What a definition of real documents makes is recognised; the few that make nothing say why."""
    refused = []
    for name, xid in corpus:
        message = catalog(name)[0][xid]
        try:
            holds(name, message, plain_context(message))
        except MessageError as error:
            refused.append((name, error.problems))
    assert len(corpus) > 700
    reasons = ("it declares neither", "the payload", "envelopemetadata/time must be", '"time" must be')
    assert [item for item in refused if not all(problem.startswith(reasons) for problem in item[1])] == []
    assert len(refused) < 30


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_law_for_the_corpus_with_awkward_contexts(corpus: list[tuple[str, str]], data: st.DataObject) -> None:
    """Real definitions give contexts of any characters back, or refuse them."""
    name, xid = data.draw(st.sampled_from(corpus))
    message = catalog(name)[0][xid]
    context = {placeholder: data.draw(VALUES, label=placeholder) for placeholder in to_definition(message).placeholders}
    with suppress(MessageError):
        holds(name, message, context)
